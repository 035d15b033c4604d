//! `cargo xtask corpus DIR`: does `check` find what is known to be wrong in a directory of real configs, and nothing in
//! the sound ones? The directory belongs to the person who collected it; no part of it is kept here.
//!
//! `DIR` holds `INDEX.tsv`, whose columns `file` and `issues` say what is known, and the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Diagnostic, Severity};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::install;

use crate::error::Error;

/// What the index calls an issue, and what `check` calls it.
const CODES: &[(&str, &str)] = &[
    ("event-keyed-by-matcher/name", "event-keyed-by-matcher"),
    ("hooks-value-liststr", "hooks-is-string-list"),
    ("inner-hooks-string", "handler-is-string"),
    ("matcher-ignored-on-event", "matcher-ignored"),
    ("matcher-invented-expression", "matcher-is-expression"),
    ("matcher-invalid-glob", "matcher-is-glob"),
    ("matcher-permission-rule-in-matcher", "permission-rule-in-matcher"),
    ("uses-undocumented-env/template-var", "undocumented-variable"),
];

/// Most warnings that sound files may get, in parts of a hundred.
const WARNED: usize = 2;
/// Fewest known issues that must be named, in parts of a hundred.
const NAMED: usize = 95;

/// One row of the index.
struct Row {
    file: String,
    issues: Vec<Issue>,
}

/// One known issue: its name, and what it is about where the index says so.
struct Issue {
    name: String,
    about: String,
}

#[derive(Default)]
struct Tally {
    sound: usize,
    sound_with_errors: Vec<String>,
    sound_with_warnings: Vec<String>,
    known: usize,
    named: usize,
    missed: Vec<String>,
    codes: BTreeMap<(&'static str, Severity), usize>,
    slowest: (u128, String),
}

/// Runs over the corpus in `directory` and returns what to print, and whether it holds.
pub(crate) fn run(directory: &Path) -> Result<(String, bool), Error> {
    let index = directory.join("INDEX.tsv");
    let text = fs::read_to_string(&index).map_err(Error::file(&index))?;
    let mut tally = Tally::default();
    for row in rows(&text)?.iter().filter(|row| row.file.starts_with("claude/")) {
        let path = directory.join(&row.file);
        let bytes = fs::read(&path).map_err(Error::file(&path))?;
        let content = String::from_utf8_lossy(&bytes);
        let source =
            Source::from_text(&row.file, DialectId::CLAUDE, &content, directory.join("claude"));
        let started = Instant::now();
        let read = source.dialect.dialect().read_config(&source);
        let took = started.elapsed().as_micros();
        if took > tally.slowest.0 {
            tally.slowest = (took, row.file.clone());
        }
        tally.add(row, &content, &read.diagnostics);
    }
    let (mut report, mut holds) = tally.report();
    for dialect in [DialectId::GEMINI, DialectId::COPILOT] {
        let (text, sound) = loads(&rows(&text)?, directory, dialect)?;
        report.push_str(&text);
        holds &= sound;
    }
    for (folder, agent) in
        [("claude", "claude"), ("codex", "codex"), ("gemini", "gemini"), ("gemini", "qwen")]
    {
        let (text, same) = comes_back(&directory.join(folder), agent)?;
        report.push_str(&text);
        holds &= same;
    }
    Ok((report, holds))
}

/// Whether every file of an agent that is known to be sound is read without an error, and what is found in the others.
fn loads(rows: &[Row], directory: &Path, dialect: DialectId) -> Result<(String, bool), Error> {
    let prefix = format!("{dialect}/");
    let (mut files, mut hooks, mut wrong, mut silent) = (0, 0, Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| row.file.starts_with(&prefix)) {
        let path = directory.join(&row.file);
        let bytes = fs::read(&path).map_err(Error::file(&path))?;
        let text = String::from_utf8_lossy(&bytes);
        let source = Source::from_text(&row.file, dialect, &text, directory.join(dialect.as_str()));
        let read = dialect.dialect().read_config(&source);
        files += 1;
        hooks += read.hooks.len();
        let errors =
            read.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let errors: Vec<_> =
            errors.map(|error| format!("{}: {}", error.code, error.message)).collect();
        let list = format!("  {}: {}\n", row.file, errors.join("; "));
        match (row.issues.is_empty(), errors.is_empty()) {
            (true, false) => wrong.push(list),
            (false, true) if read.diagnostics.is_empty() => silent.push(list),
            _ => {}
        }
    }
    let text = format!(
        "{dialect}: {files} files, {hooks} hooks; sound files with errors: {}\n{}known issues without a finding: {}\n{}",
        wrong.len(),
        wrong.concat(),
        silent.len(),
        silent.concat()
    );
    Ok((text, wrong.is_empty() && files > 0))
}

/// Whether every file is to the byte what it was, when what `install` puts in is taken out again. Those that the agent would
/// reject are left alone.
fn comes_back(folder: &Path, agent: &str) -> Result<(String, bool), Error> {
    let Some(agent) = tenterhook_core::agents::agent_with_hook_installation(agent) else {
        return Err(Error::Invalid(format!("no agent {agent}")));
    };
    let entries = fs::read_dir(folder).map_err(Error::file(&folder))?;
    let (mut same, mut refused, mut changed) = (0, 0, Vec::new());
    for path in entries.flatten().map(|entry| entry.path()) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(with) = install::add_own_entries(agent, "/usr/local/bin/tenterhook", Some(&text))
        else {
            refused += 1;
            continue;
        };
        match install::remove_own_entries(agent, &with) {
            Ok(Some(back)) if back == text && with != text => same += 1,
            _ => changed.push(path.display().to_string()),
        }
    }
    let text = format!(
        "{}: {same} files come back to the byte, {refused} are left alone, {} do not: {}\n",
        agent.title,
        changed.len(),
        changed.join(", ")
    );
    Ok((text, changed.is_empty() && same > 0))
}

impl Tally {
    fn add(&mut self, row: &Row, content: &str, found: &[Diagnostic]) {
        for diagnostic in found {
            *self.codes.entry((diagnostic.code.name(), diagnostic.severity)).or_default() += 1;
        }
        let worst = found.iter().map(|diagnostic| diagnostic.severity).max();
        let list = |severity| {
            let codes = found.iter().filter(|diagnostic| diagnostic.severity == severity);
            let codes: Vec<_> = codes
                .map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
                .collect();
            format!("{}: {}", row.file, codes.join("; "))
        };
        if row.issues.is_empty() {
            self.sound += 1;
            match worst {
                Some(Severity::Error) => self.sound_with_errors.push(list(Severity::Error)),
                Some(Severity::Warning) => self.sound_with_warnings.push(list(Severity::Warning)),
                Some(Severity::Advice) | None => {}
            }
        }
        for issue in &row.issues {
            self.known += 1;
            if found.iter().any(|diagnostic| names(issue, diagnostic, content)) {
                self.named += 1;
            } else {
                self.missed.push(format!("{}: {}({})", row.file, issue.name, issue.about));
            }
        }
    }

    fn report(self) -> (String, bool) {
        let mut out = String::new();
        let mut list = |title: &str, items: &[String]| {
            out.push_str(&format!("{title}: {}\n", items.len()));
            items.iter().for_each(|item| out.push_str(&format!("  {item}\n")));
        };
        list("sound files with errors", &self.sound_with_errors);
        list("sound files with warnings", &self.sound_with_warnings);
        list("known issues not named", &self.missed);
        out.push_str("findings by code:\n");
        for ((code, severity), count) in &self.codes {
            out.push_str(&format!("  {count:5} {code} ({severity})\n"));
        }
        let holds = self.sound_with_errors.is_empty()
            && self.sound_with_warnings.len() * 100 <= self.sound * WARNED
            && self.named * 100 >= self.known * NAMED;
        out.push_str(&format!(
            "{} sound files: {} with errors, {} with warnings; {} of {} known issues named; slowest file {} us ({})\n",
            self.sound,
            self.sound_with_errors.len(),
            self.sound_with_warnings.len(),
            self.named,
            self.known,
            self.slowest.0,
            self.slowest.1,
        ));
        (out, holds)
    }
}

/// Whether a finding is the known issue: by its code, and by its line where the index says what it is about.
fn names(issue: &Issue, found: &Diagnostic, content: &str) -> bool {
    let code = CODES
        .iter()
        .find(|(name, _)| *name == issue.name)
        .map_or(issue.name.as_str(), |code| code.1);
    let Some(place) = found.place.as_ref().filter(|_| found.code.name() == code) else {
        return false;
    };
    // The first word of what it is about stands on the line that is named, or just below, where objects begin.
    let about = issue.about.trim_start_matches(['[', '{', '"', '\'', '$']);
    let word: String =
        about.chars().take_while(|c| c.is_alphanumeric() || "_-/".contains(*c)).collect();
    let is_event_only = matches!(
        code,
        "not-strict-json"
            | "once-outside-skill"
            | "handler-missing-type"
            | "missing-inner-hooks-array"
            | "group-without-hooks"
            | "command-not-string"
            | "matcher-not-string"
            | "empty-inner-hooks"
            | "group-is-string"
            | "hooks-is-string-list"
            | "hooks-object-not-hook-schema"
            | "unknown-handler-type"
            | "permission-rule-in-matcher"
    );
    let line = content.lines().nth(place.line.saturating_sub(1)).unwrap_or_default();
    !line.trim().is_empty() && (is_event_only || line.contains(&word))
}

fn rows(text: &str) -> Result<Vec<Row>, Error> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        header
            .iter()
            .position(|text| *text == name)
            .ok_or_else(|| Error::Invalid(format!("the index has no column `{name}`")))
    };
    let (file, issues) = (column("file")?, column("issues")?);
    Ok(lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            Row {
                file: cells.get(file).copied().unwrap_or_default().to_owned(),
                issues: split(cells.get(issues).copied().unwrap_or_default()),
            }
        })
        .collect())
}

/// `code(about); code(about)`. A cell that was cut off ends in a piece of a code, which is left out.
fn split(cell: &str) -> Vec<Issue> {
    let cell = cell.trim().trim_matches('"');
    let pieces: Vec<&str> =
        cell.split("; ").map(str::trim).filter(|part| !part.is_empty()).collect();
    let issue = |piece: &&str| {
        let (name, about) = piece.split_once('(').unwrap_or((piece, ""));
        Issue { name: name.to_owned(), about: about.trim_end_matches(')').to_owned() }
    };
    pieces.iter().map(issue).filter(|issue| issue.name.contains('-')).collect()
}
