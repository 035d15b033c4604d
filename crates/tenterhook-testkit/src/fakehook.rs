//! Where is the program that answers and misbehaves? It is described by `fakehook --help`.

use std::path::Path;

/// The path of `fakehook`, built together with this crate.
///
/// Its arguments are a script of steps: `--read-all --stdout TEXT --exit 2`.
pub fn fakehook() -> &'static Path {
    Path::new(concat!(env!("OUT_DIR"), "/fakehook"))
}
