//! Turns `locales/*.json` into the `i18n` module.
//!
//! `leptos_i18n_build` does this too, but brings ICU's data exporter and an HTTP client along, which
//! texts without ICU formatting never use; these two crates are what it calls.

use std::error::Error;
use std::path::PathBuf;

use leptos_i18n_parser::parse_locales::options::Config;
use leptos_i18n_parser::parse_locales::parse_locales;

fn main() -> Result<(), Box<dyn Error>> {
    let mut config = Config::new("en")?.add_locale("ja")?;
    // Texts are plain strings, also those with values in them.
    config.options.interpolate_display = true;
    let locales = parse_locales(None, config)?;
    for file in locales.tracked_files.iter().flatten() {
        println!("cargo::rerun-if-changed={file}");
    }
    for warning in locales.diag.warnings().iter() {
        println!("cargo::warning={warning}");
    }
    for error in locales.diag.errors().iter() {
        println!("cargo::error={error}");
    }

    let module = leptos_i18n_codegen::gen_code(&locales, None, false, None, false)?;
    let file = PathBuf::from(std::env::var("OUT_DIR")?).join("i18n.rs");
    std::fs::write(file, module.to_string())?;
    Ok(())
}
