//! `wasm-tools WASM FOLDER`: what `wasm-split-cli` and `wasm-bindgen` do one after the other, without
//! building all else that those two programs can do. `parts.json` beside what they write says which files the
//! pages of a group are in.

use std::error::Error;
use std::path::PathBuf;

use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::Options;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: wasm-tools WASM FOLDER".into());
    };

    // First the pages that are loaded when needed are taken out; then the rest gets its JavaScript.
    let input = std::fs::read(input)?;
    let rest = folder.join("signalbox.wasm");
    let mut options = Options::new(&input);
    options.output_dir = &folder;
    options.main_out_path = &rest;
    options.main_module = "./signalbox.js";
    let split = wasm_split_cli_support::transform(options)?;
    let parts = serde_json::to_vec(&split.prefetch_map)?;
    std::fs::write(folder.join("parts.json"), parts)?;

    Bindgen::new()
        .input_path(&rest)
        .out_name("signalbox")
        .web(true)?
        .keep_lld_exports(true)
        .omit_default_module_path(true)
        .generate(&folder)?;
    Ok(())
}
