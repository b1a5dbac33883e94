// Makes frontend/dist of what wasm-bindgen wrote: optimised, bundled, named by content, compressed.
//
//   node bundle.mjs <folder of what wasm-split and wasm-bindgen wrote> [--dev]
//
// With --dev it leaves out what only makes files smaller.
//
// A file that is there already with the same bytes is left alone, so that what embeds the folder is
// built again only when something changed.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [bindgen, flag] = process.argv.slice(2);
const dev = flag === "--dev";
const dist = join(here, "dist");
const assets = join(dist, "assets");
mkdirSync(assets, { recursive: true });

// What browsers since 2024 understand; esbuild rewrites what is newer.
const target = ["chrome123", "firefox124", "safari17.5"];

// The wasm features that rustc uses, by name: `--all-features` emits an invalid module.
const wasmOptions = [
  "-Oz",
  "--enable-bulk-memory",
  "--enable-bulk-memory-opt",
  "--enable-multivalue",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-sign-ext",
  "--strip-debug",
  "--strip-producers",
];

const kept = new Set(["manifest.json"]);

// The rest of the wasm, after what is loaded when needed was taken out of it, and those parts.
const MAIN = "signalbox_bg.wasm";
const files = readdirSync(bindgen).filter((name) => name.endsWith(".wasm") && name !== "signalbox.wasm");
const modules = new Map(await Promise.all(
  files.map(async (name) => [name, await optimise(join(bindgen, name))]),
));
const wasm = asset("signalbox", "wasm", modules.get(MAIN));
modules.delete(MAIN);

/** Of each part its URL, by the name of its file. */
const urls = new Map([...modules].map(([name, bytes]) => [name, asset("part", "wasm", bytes)]));

let boot = (await bundle(join(here, "boot.js"), {
  format: "esm",
  alias: { "signalbox-glue": join(bindgen, "signalbox.js") },
  define: { WASM_FILE: JSON.stringify(wasm.replace("/assets/", "./")) },
  // wasm-bindgen names a module once for each function that comes from it.
  logOverride: { "duplicate-object-key": "silent" },
})).toString();
for (const [name, url] of urls) {
  boot = boot.replaceAll(JSON.stringify(`./${name}`), JSON.stringify(url.replace("/assets/", "./")));
}
const script = asset("boot", "js", Buffer.from(boot));
const theme = asset("theme", "js", await bundle(join(here, "theme.js")));
const style = asset("main", "css", await bundle(join(here, "../style/main.css")));
const icon = asset("icon", "svg", readFileSync(join(here, "icon.svg")));

// Which parts the pages of a group need, by the name of its function; wasm-split puts a hash behind that.
const groups = JSON.parse(readFileSync(join(bindgen, "parts.json"), "utf8"));
const parts = Object.fromEntries(Object.entries(groups).sort().map(
  ([group, names]) => [group.replace(/_\d+$/, ""), names.map((name) => urlOf(`${name}.wasm`))],
));

put("manifest.json", Buffer.from(`${JSON.stringify({ script, theme, style, wasm, parts, icon }, null, 2)}\n`));
sweep();

function urlOf(part) {
  const url = urls.get(part);
  if (url === undefined) throw new Error(`wasm-split names ${part}, which it did not write`);
  return url;
}

/** wasm-opt takes a while, so its result is kept beside its input. */
async function optimise(path) {
  if (dev) return readFileSync(path);
  const optimised = `${path}.${hash(Buffer.from(wasmOptions.join(" ")))}`;
  if (!existsSync(optimised)) {
    const wasmOpt = join(here, "node_modules/binaryen/bin/wasm-opt");
    await promisify(execFile)(process.execPath, [wasmOpt, path, ...wasmOptions, "-o", `${optimised}.new`]);
    renameSync(`${optimised}.new`, optimised);
  }
  return readFileSync(optimised);
}

async function bundle(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: !dev,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    target,
    ...options,
  });
  return Buffer.from(outputFiles[0].contents);
}

/** Writes a file with its hash in its name, plain and compressed; answers with its URL. */
function asset(name, extension, bytes) {
  const file = `assets/${name}-${hash(bytes)}.${extension}`;
  put(file, bytes);
  if (dev) return `/${file}`;
  put(`${file}.br`, () => brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }));
  put(`${file}.gz`, () => gzipSync(bytes, { level: 9 }));
  return `/${file}`;
}

/** Bytes that are costly to make come as a function, called only if the file is not there: its name
 *  says what it holds. */
function put(file, bytes) {
  kept.add(file);
  const path = join(dist, file);
  const made = typeof bytes === "function";
  if (existsSync(path) && (made || readFileSync(path).equals(bytes))) return;
  writeFileSync(path, made ? bytes() : bytes);
}

function sweep() {
  for (const name of readdirSync(assets)) {
    if (!kept.has(`assets/${name}`)) rmSync(join(assets, name));
  }
}

function hash(bytes) {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 12);
}
