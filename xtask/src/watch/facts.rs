//! The facts of a package, one line each, such as `event PreToolUse` or `answer PreToolUse.updatedInput`. Reads bytes only.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::tables::Names;
use super::watched::{Reading, Watched};
use super::{schemas, types};
use crate::error::Error;

/// How far names of one list stand apart, at most: between them are punctuation, short values or keys.
const GAP: usize = 40;
/// How many known events make a list one of events, unless fewer are known.
const KNOWN: usize = 4;

static QUOTED: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r#"["'`]([A-Za-z][A-Za-z0-9_.:-]{2,40})["'`]"#));

/// Collects facts from the files of one package.
pub(super) struct Facts {
    readings: &'static [Reading],
    names: Names,
    /// Finds names of our tables.
    searched: Option<Regex>,
    unseen: BTreeSet<String>,
    lines: BTreeSet<String>,
}

impl Facts {
    pub(super) fn new(watched: &Watched, names: Names) -> Result<Self, Error> {
        let is_quoted = |reading: &Reading| !matches!(reading, Reading::Schemas | Reading::Joined);
        let is_quoted = watched.readings.iter().all(is_quoted);
        // A program in Rust holds `-y` as one character.
        let is_searched = |name: &str| is_quoted || name.len() > 2;
        let unseen = names.iter().map(|(_, name)| name.to_owned()).filter(|name| is_searched(name));
        let unseen = unseen.collect();
        let searched = search_pattern(&names, is_quoted);
        let searched = searched.map(|pattern| Regex::new(&pattern)).transpose();
        let searched = searched.map_err(Error::other)?;
        Ok(Self { readings: watched.readings, names, searched, unseen, lines: BTreeSet::new() })
    }

    pub(super) fn read_file(&mut self, path: &str, bytes: &[u8]) {
        for reading in self.readings {
            match reading {
                Reading::Types if path.ends_with("/sdk.d.ts") || path == "sdk.d.ts" => {
                    self.lines.extend(types::read_hook_types(&String::from_utf8_lossy(bytes)));
                }
                Reading::Types => {}
                Reading::Schemas => self.lines.extend(schemas::read_hook_schemas(bytes)),
                Reading::Lists => self.read_lists(bytes),
                Reading::After(text) => self.read_names_after(text, bytes),
                Reading::Between(begin, end) => self.read_names_between(begin, end, bytes),
                Reading::Joined => self.read_joined(bytes),
            }
        }
        if let Some(searched) = &self.searched {
            for found in searched.find_iter(bytes) {
                if self.unseen.is_empty() {
                    return;
                }
                let name = String::from_utf8_lossy(found.as_bytes());
                let name = name.trim_start_matches(".option(");
                let name = name.trim_matches(['"', '\'', '`', ':', ' ']);
                if !self.unseen.remove(name) {
                    self.unseen.remove(&format!("--{name}"));
                }
            }
        }
    }

    /// Returns the facts, with the names of our tables that no file has.
    pub(super) fn finish(mut self) -> BTreeSet<String> {
        for (kind, name) in self.names.iter().filter(|(_, name)| self.unseen.contains(*name)) {
            self.lines.insert(format!("absent {kind} {name}"));
        }
        self.lines
    }

    /// Reads lists of names in quotes, of which at least half are events that we know.
    fn read_lists(&mut self, bytes: &[u8]) {
        let Ok(quoted) = &*QUOTED else { return };
        let known = &self.names.events;
        let (mut list, mut end) = (Vec::new(), 0);
        let mut lines = BTreeSet::new();
        let mut keep = |list: &[String]| lines.extend(events_in_list(list, known));
        for found in quoted.captures_iter(bytes) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
            if whole.start().saturating_sub(end) > GAP {
                keep(&list);
                list.clear();
            }
            list.push(String::from_utf8_lossy(name.as_bytes()).into_owned());
            end = whole.end();
        }
        keep(&list);
        self.lines.extend(lines);
    }

    fn read_names_after(&mut self, text: &str, bytes: &[u8]) {
        let pattern = format!(r#"{}["'`]([A-Za-z0-9_.]+)["'`]"#, regex::escape(text));
        let Ok(pattern) = Regex::new(&pattern) else { return };
        for name in pattern.captures_iter(bytes).filter_map(|found| found.get(1)) {
            self.lines.insert(format!("event {}", String::from_utf8_lossy(name.as_bytes())));
        }
    }

    fn read_names_between(&mut self, begin: &str, end: &str, bytes: &[u8]) {
        let (begin, end) = (regex::escape(begin), regex::escape(end));
        let pattern = format!("{begin}([^{end}]*){end}");
        let (Ok(pattern), Ok(quoted)) = (Regex::new(&pattern), &*QUOTED) else { return };
        for part in pattern.captures_iter(bytes).filter_map(|found| found.get(1)) {
            for name in quoted.captures_iter(part.as_bytes()).filter_map(|found| found.get(1)) {
                self.lines.insert(format!("event {}", String::from_utf8_lossy(name.as_bytes())));
            }
        }
    }

    /// Reads runs such as `PreToolUsePostToolUse`, and the names between two that we know.
    fn read_joined(&mut self, bytes: &[u8]) {
        let known: Vec<&str> = self.names.events.iter().map(String::as_str).collect();
        let Some(Ok(first)) = alternation(&known).map(|pattern| Regex::new(&pattern)) else {
            return;
        };
        let mut after = 0;
        for found in first.find_iter(bytes).map(|found| found.start()) {
            if found < after {
                continue;
            }
            let names = split_joined(bytes.get(found..).unwrap_or_default(), &known);
            after = found + names.iter().map(String::len).sum::<usize>().max(1);
            if names.iter().filter(|name| known.contains(&name.as_str())).count() >= KNOWN {
                self.lines.extend(names.iter().map(|name| format!("event {name}")));
            }
        }
    }
}

/// Returns the texts of a program that stand in it as UTF-16, as far as they are ASCII, with line ends
/// between them.
pub(super) fn utf16_texts(bytes: &[u8]) -> Vec<u8> {
    let (mut texts, mut at) = (Vec::new(), 0);
    while let Some(&[letter, high]) = bytes.get(at..at + 2) {
        let is_text = high == 0 && (letter.is_ascii_graphic() || letter.is_ascii_whitespace());
        if is_text {
            texts.push(letter);
            at += 2;
        } else {
            if texts.last().is_some_and(|last| *last != b'\n') {
                texts.push(b'\n');
            }
            at += 1;
        }
    }
    texts
}

/// Returns an alternation of names that prefers the longest.
fn alternation(names: &[&str]) -> Option<String> {
    let mut names: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    names.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
    (!names.is_empty()).then(|| names.join("|"))
}

/// Returns the pattern that finds the names of our tables: events and tools in quotes where a package has quotes, or as keys of texts,
/// because they are ordinary words.
fn search_pattern(names: &Names, is_quoted: bool) -> Option<String> {
    let of_kind = |is_word: bool| -> Vec<&str> {
        let names = names.iter().filter(|(kind, _)| matches!(*kind, "event" | "tool") == is_word);
        names.map(|(_, name)| name).collect()
    };
    let words = alternation(&of_kind(true)).map(|words| match is_quoted {
        true => format!("[\"'`](?:{words})[\"'`]|(?-u:\\b)(?:{words}): ?[\"'`]"),
        false => words,
    });
    // A program in Rust holds its options without dashes.
    let others: Vec<&str> = of_kind(false)
        .into_iter()
        .map(|name| if is_quoted { name } else { name.trim_start_matches('-') })
        .collect();
    // Parsers of options are given them without dashes.
    let long: Vec<&str> = others.iter().filter_map(|name| name.strip_prefix("--")).collect();
    let given = alternation(&long).map(|long| format!("\\.option\\([\"'`](?:{long})[\"'`]"));
    let parts: Vec<String> = words.into_iter().chain(given).chain(alternation(&others)).collect();
    (!parts.is_empty()).then(|| parts.join("|"))
}

/// Returns the facts of a list if it is one of events.
fn events_in_list(list: &[String], known: &BTreeSet<String>) -> Vec<String> {
    let names: BTreeSet<&String> = list.iter().collect();
    let count = names.iter().filter(|name| known.contains(**name)).count();
    if count == 0 || count < KNOWN.min(known.len()) || count * 2 < names.len() {
        return Vec::new();
    }
    let styles: BTreeSet<_> = known.iter().map(|name| style(name)).collect();
    // Words such as `type` stand in any list of JSON.
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase());
    let names = names
        .into_iter()
        .filter(|name| known.contains(*name) || styles.contains(&style(name)) && !is_plain(name));
    names.map(|name| format!("event {name}")).collect()
}

/// How a name is written: whether it begins with a capital, and which separators it has.
fn style(name: &str) -> (bool, bool, bool) {
    let begins = name.starts_with(|c: char| c.is_ascii_uppercase());
    (begins, name.contains('_'), name.contains(['.', ':', '-']))
}

/// Splits names that stand side by side, beginning with a known one. The last one is known, too.
fn split_joined(bytes: &[u8], known: &[&str]) -> Vec<String> {
    let known_at = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = known.iter().filter(|name| rest.starts_with(name.as_bytes()));
        found.max_by_key(|name| name.len()).copied()
    };
    let (mut names, mut at) = (Vec::new(), 0);
    let (mut unknown, mut last_known) = (String::new(), 0);
    while let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii_alphabetic()) {
        if let Some(name) = known_at(at) {
            if !unknown.is_empty() {
                names.push(std::mem::take(&mut unknown));
            }
            names.push(name.to_owned());
            at += name.len();
            last_known = names.len();
        } else {
            unknown.push(char::from(*byte));
            at += 1;
        }
        if unknown.len() > GAP {
            break;
        }
    }
    names.truncate(last_known);
    names
}
