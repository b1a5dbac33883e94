//! The migrations are embedded, and a new file among them is no change of a known one.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
