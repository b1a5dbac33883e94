//! The browser's entry point: brings the server-rendered pages alive.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
pub async fn hydrate() {
    console_error_panic_hook::set_once();
    app::hydrate().await;
}
