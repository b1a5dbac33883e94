// Fetches the pages' wasm and brings the page alive. `bundle.mjs` fills in both names.
import init, { hydrate } from "signalbox-glue";

await init({ module_or_path: new URL(WASM_FILE, import.meta.url) });
hydrate();
