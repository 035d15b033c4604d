//! The rules of a project: files in `.claude/rules` that always apply, or to the files that their
//! head names. Reads only the head.

use std::path::{Path, PathBuf};

use globset::Glob;

use crate::file;

/// One file of rules.
pub(super) struct Rule {
    pub(super) path: PathBuf,
    /// The files that it is about; none where it is about all.
    pub(super) paths: Vec<String>,
}

impl Rule {
    /// Returns whether the rule is about this particular file.
    pub(super) fn is_about_file(&self, project: &Path, file: &Path) -> bool {
        let Ok(inside) = file.strip_prefix(project) else { return false };
        let globs = self.paths.iter().filter_map(|path| Glob::new(path).ok());
        globs.into_iter().any(|glob| glob.compile_matcher().is_match(inside))
    }
}

/// Returns the rules in a directory, sorted by name.
pub(super) fn rules_in_directory(directory: &Path) -> Vec<Rule> {
    let entries = std::fs::read_dir(directory.join(".claude/rules")).into_iter().flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    paths.sort();
    let rule = |path: PathBuf| {
        let (text, _) = file::read_start_as_text(&path, super::LONGEST).ok()?;
        Some(Rule { paths: parse_path_globs(&text), path })
    };
    paths.into_iter().filter_map(rule).collect()
}

/// Returns the globs behind `paths:` in the front matter of a file: a list over several lines, a
/// list in brackets, or one glob.
fn parse_path_globs(text: &str) -> Vec<String> {
    let Some(rest) = text.strip_prefix("---\n") else { return Vec::new() };
    let head = rest.lines().take_while(|line| line.trim_end() != "---");
    let mut lines = head.skip_while(|line| !line.starts_with("paths:"));
    let first = lines.next().and_then(|line| line.strip_prefix("paths:")).unwrap_or_default();
    let first = first.trim().trim_start_matches('[').trim_end_matches(']');
    let below = lines.map(str::trim).map_while(|line| line.strip_prefix('-'));
    let all = first.split(',').chain(below);
    let bare = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    all.map(bare).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_names_files_in_three_ways() {
        assert_eq!(parse_path_globs("---\npaths: [\"a/*\", 'b']\n---\nx"), ["a/*", "b"]);
        assert_eq!(
            parse_path_globs("---\nx: y\npaths:\n  - a\n  - \"b/**\"\nz: 1\n---"),
            ["a", "b/**"]
        );
        assert_eq!(parse_path_globs("---\npaths: src/*.rs\n---"), ["src/*.rs"]);
        assert!(parse_path_globs("paths: a").is_empty());
        assert!(parse_path_globs("---\nx: y\n---\npaths: a").is_empty());
    }
}
