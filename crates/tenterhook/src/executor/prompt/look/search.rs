//! Finds files by name and lines by expression below a directory of the project: bounded in
//! entries, bytes and lines, without following links.

use std::fs;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::refusal::Refusal;
use super::{Given, project_path};

/// How many directory entries are examined: a large project without its downloaded dependencies.
const ENTRIES: usize = 20_000;
/// How deep.
const DEPTH: usize = 32;
/// How many bytes of files are searched.
const BYTES: usize = 64 << 20;
/// How many lines or names are shown.
const FOUND: usize = 200;
/// How many characters of a line are shown.
const LINE: usize = 300;
/// The maximum size of a compiled expression.
const COMPILED: usize = 1 << 20;
/// Directories without source files, which would use up the bounds.
const SKIPPED: &[&str] = &[".git", "node_modules", "target"];

/// One search under way.
struct Search<'a> {
    root: &'a Path,
    glob: Option<GlobMatcher>,
    pattern: Option<Regex>,
    given: &'a Given,
    entries: usize,
    bytes: usize,
    found: Vec<String>,
    /// The bound that ended it.
    bound: Option<&'static str>,
}

pub(super) fn search_project(root: &Path, input: &Value, given: &Given) -> Result<String, Refusal> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let glob = text("glob").map(|glob| {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        built.map(|glob| glob.compile_matcher())
    });
    let pattern =
        text("pattern").map(|pattern| RegexBuilder::new(pattern).size_limit(COMPILED).build());
    let (glob, pattern) = (glob.transpose()?, pattern.transpose()?);
    if glob.is_none() && pattern.is_none() {
        return Err(Refusal::NothingToFind);
    }
    let start = project_path::resolve_if_in_project(root, text("path").unwrap_or("."))?;
    let mut search =
        Search { root, glob, pattern, given, entries: 0, bytes: 0, found: Vec::new(), bound: None };
    search.search_directory(&start, 0);
    Ok(search.into_report())
}

impl Search<'_> {
    fn into_report(self) -> String {
        let mut report = self.found.join("\n");
        if report.is_empty() {
            report.push_str("nothing was found");
        }
        if let Some(bound) = self.bound {
            report.push_str(&format!("\n[the search ended early: {bound}; look in fewer places]"));
        }
        report
    }

    fn is_limit_reached(&mut self) -> bool {
        let bounds = [
            (self.given.is_cancelled(), "it was given up"),
            (self.found.len() >= FOUND, "enough was found"),
            (self.entries >= ENTRIES, "too many files"),
            (self.bytes >= BYTES, "too much text"),
        ];
        self.bound = self.bound.or_else(|| bounds.iter().find(|pair| pair.0).map(|pair| pair.1));
        self.bound.is_some()
    }

    /// Searches a directory in the order of names, so that equal searches give equal results.
    fn search_directory(&mut self, directory: &Path, depth: usize) {
        if depth > DEPTH || self.is_limit_reached() {
            return;
        }
        let Ok(listed) = fs::read_dir(directory) else { return };
        let room = ENTRIES.saturating_sub(self.entries);
        let mut entries: Vec<_> = listed.take(room).filter_map(Result::ok).collect();
        self.entries += entries.len();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            // The entry's own kind: targets of links are never examined.
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let name = entry.file_name();
            if kind.is_dir() && !SKIPPED.iter().any(|text| name == *text) {
                self.search_directory(&path, depth + 1);
            } else if kind.is_file() {
                self.search_file(&path);
            }
            if self.is_limit_reached() {
                return;
            }
        }
    }

    fn search_file(&mut self, path: &Path) {
        let Ok(named) = path.strip_prefix(self.root) else { return };
        if self.glob.as_ref().is_some_and(|glob| !glob.is_match(named)) {
            return;
        }
        let named = named.display().to_string();
        let Some(pattern) = &self.pattern else { return self.found.push(named) };
        let Ok(text) = project_path::read_text(path, &named) else { return };
        self.bytes += text.len();
        let room = FOUND.saturating_sub(self.found.len());
        let lines = text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)).take(room);
        self.found.extend(lines.map(|(at, line)| {
            let line: String = line.trim().chars().take(LINE).collect();
            format!("{named}:{}: {line}", at + 1)
        }));
    }
}
