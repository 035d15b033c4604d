//! Packages for a registry contain each file that the program includes.

use std::fs;
use std::path::Path;

/// Collects the Rust files below a directory, with their depth below the crate.
fn rust_files(directory: &Path, depth: usize, found: &mut Vec<(String, String, usize)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, depth + 1, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path.display().to_string(), text, depth));
        }
    }
}

#[test]
fn program_includes_no_file_outside_its_crate() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), 1, &mut files);
    for (path, text, depth) in files {
        // Tests are not built from a package.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for included in code.split("include_str!").skip(1) {
            let argument = included.split([';', ',']).next().unwrap_or_default();
            assert!(argument.matches("../").count() <= depth, "{path}: `{}`", argument.trim());
        }
    }
}
