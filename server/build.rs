//! The pages are embedded from `frontend/dist`, whose file names change with their content.

use std::path::Path;

fn main() {
    let dist = Path::new("../frontend/dist");
    // A folder that is not there would count as changed each time; its parent changes when it appears.
    let watched = if dist.exists() {
        dist
    } else {
        Path::new("../frontend")
    };
    println!("cargo:rerun-if-changed={}", watched.display());
    // The migrations are embedded too, and a new file among them is no change of a known one.
    println!("cargo:rerun-if-changed=../migrations");
}
