//! Finds files by name, and lines by what they hold. Ignores what Git ignores.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use regex::RegexBuilder;
use serde_json::{Value, json};

use super::error::ToolError;
use super::{Effect, Output, Running, Tool, Workplace, failed_output, text_argument};
use crate::conversation::Call;
use crate::file::{self, Judged};
use crate::model::ToolSpec;

/// How many files or lines one call gives.
const MOST: usize = 200;
/// Files above this size are not searched.
const LARGE: u64 = 4 << 20;
/// How long a line may be that is shown.
const WIDE: usize = 400;

pub(super) struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Glob".into(),
            about: "Finds files by a pattern such as `src/**/*.rs`.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The pattern."},
                    "path": {"type": "string", "description": "The directory to start in."}
                },
                "required": ["pattern"],
                "additionalProperties": false
            }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Looks
    }

    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a> {
        Box::pin(run_search_on_thread(find_files_by_glob, call, place))
    }
}

pub(super) struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Grep".into(),
            about: "Finds lines that match a regular expression.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The regular expression."},
                    "path": {"type": "string", "description": "The file or directory to search."},
                    "glob": {"type": "string", "description": "Only files that this pattern names."},
                    "-i": {"type": "boolean", "description": "Whatever the case."}
                },
                "required": ["pattern"],
                "additionalProperties": false
            }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Looks
    }

    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a> {
        Box::pin(run_search_on_thread(grep_files, call, place))
    }
}

/// Runs a search on a separate thread, because it reads many files.
async fn run_search_on_thread(
    search: fn(&Call, &Workplace) -> Result<Vec<String>, ToolError>,
    call: &Call,
    place: &Workplace,
) -> Output {
    let (call, place) = (call.clone(), place.clone());
    let found = tokio::task::spawn_blocking(move || search(&call, &place)).await;
    match found {
        Ok(Ok(found)) => Output::Done {
            text: if found.is_empty() { "(nothing found)".to_owned() } else { found.join("\n") },
            response: json!({"found": found}),
        },
        Ok(Err(why)) => failed_output(why.to_string()),
        Err(error) => failed_output(format!("the search broke off: {error}")),
    }
}

fn find_files_by_glob(call: &Call, place: &Workplace) -> Result<Vec<String>, ToolError> {
    let pattern =
        compile_glob(text_argument(call, "pattern").ok_or(ToolError::Missing("pattern"))?)?;
    let root = place.judged_target()?.path;
    let named = |path: &Path| path.strip_prefix(&root).is_ok_and(|rest| pattern.is_match(rest));
    Ok(files_below(&root, place)
        .filter(|path| named(path))
        .take(MOST)
        .map(|file| relative_path_text(&file, place))
        .collect())
}

fn grep_files(call: &Call, place: &Workplace) -> Result<Vec<String>, ToolError> {
    let pattern = text_argument(call, "pattern").ok_or(ToolError::Missing("pattern"))?;
    let any_case = call.input.get("-i").and_then(Value::as_bool) == Some(true);
    let pattern = RegexBuilder::new(pattern).case_insensitive(any_case).build()?;
    let only = text_argument(call, "glob").map(compile_glob).transpose()?;
    let root = place.judged_target()?.path;
    let (mut found, mut barred) = (Vec::new(), None);
    for path in files_below(&root, place) {
        let wanted = only.as_ref().is_none_or(|only| {
            path.file_name().is_some_and(|name| only.is_match(name)) || only.is_match(&path)
        });
        if !wanted || path.metadata().is_ok_and(|metadata| metadata.len() > LARGE) {
            continue;
        }
        if let Some(rule) = place.bars.find_read_restriction(&path) {
            let (_, count) = barred.unwrap_or((rule.clone(), 0));
            barred = Some((rule, count + 1));
            continue;
        }
        // What a walk saw may be a link by now.
        let content =
            file::open_real_path(&path).and_then(|file| file::read_start_of_open(file, LARGE));
        let Ok((content, _)) = content else { continue };
        for (at, line) in String::from_utf8_lossy(&content).lines().enumerate() {
            if pattern.is_match(line) {
                let line: String = line.chars().take(WIDE).collect();
                found.push(format!("{}:{}:{line}", relative_path_text(&path, place), at + 1));
            }
            if found.len() >= MOST {
                return Ok(found);
            }
        }
    }
    if let Some((rule, count)) = barred {
        found.push(format!("({count} not searched: the rule `{rule}` keeps them from you)"));
    }
    Ok(found)
}

fn compile_glob(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|source| ToolError::Glob { pattern: pattern.to_owned(), source })
}

/// Returns every file below `root` in the order of paths, until the user stops the search.
fn files_below(root: &Path, place: &Workplace) -> impl Iterator<Item = PathBuf> {
    let cancel = place.cancel.clone();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_path(Ord::cmp)
        .build();
    walk.take_while(move |_| !cancel.is_cancelled())
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|file_type| file_type.is_file()))
        .map(ignore::DirEntry::into_path)
}

fn relative_path_text(path: &Path, place: &Workplace) -> String {
    // The root was resolved; so is the path that names are relative to.
    let cwd = Judged::resolve(&place.cwd).map_or_else(|| place.cwd.clone(), |j| j.path);
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
