//! Reads `config.toml` and `hooks.toml` into hooks and findings (CW-21 to CW-29). Opens no file.
//!
//! A mistake affects only its entry. A gate stays armed if possible: an unreadable condition holds.

mod condition;
mod entry;
mod layers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::paths::FileKind;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
pub(crate) use crate::dialect::findings::{Findings, finding_without_location};
use crate::dialect::{ConditionFault, GROUPS, broken};
use crate::hook::{Compat, Hook, Layer};
use crate::matcher::{Condition, Picked};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Entry, FaultKind, Format, Node, NodeValue, Parsed};

pub(super) use layers::apply_layer_settings_to_hooks;

/// Reads a single condition that is not part of a file.
pub(super) fn read_single_condition(
    node: &Node,
    source: &Source,
) -> Result<Condition, ConditionFault> {
    let mut reader = Reader::new(source);
    let test = reader.read_test(node, 0);
    match reader.findings.first_error() {
        Some(error) => Err(ConditionFault::Reported(Box::new(error.clone()))),
        None => Ok(test
            .into_condition()
            .unwrap_or_else(|| Condition::custom("always", |_| Picked::Exactly))),
    }
}

/// The keys of the table around the entries.
const SETTINGS: &[&str] = &["enabled", "default_timeout_secs", "working_dir", "hooks"];

/// Keys of other agents, and the key to write instead.
const FOREIGN: &[(&str, &str)] = &[
    ("timeout", "timeout_secs"),
    ("timeout_ms", "timeout_secs"),
    ("matcher", "condition"),
    ("if", "condition"),
    ("async", "background"),
    ("on", "event"),
    ("on_failure", "continue_on_error"),
];

/// The settings of a file that apply to all hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Settings {
    off: bool,
    /// Overrides the timeout of each hook.
    timeout: Option<Duration>,
    directory: Option<PathBuf>,
}

/// The table around the entries, and the entries.
#[derive(Clone, Copy, Debug)]
struct Found<'n> {
    /// The table with the settings; those of a project's file are ignored.
    table: &'n Node,
    entries: &'n Node,
    /// Whether the file is a project's file.
    is_project: bool,
}

/// Reads one file into hooks and findings.
pub(super) struct Reader<'a> {
    source: &'a Source,
    findings: Findings<'a>,
    settings: Settings,
    hooks: Vec<Hook>,
}

pub(super) fn read_config(source: &Source) -> ReadConfig {
    let mut parsed = syntax::parse_or_salvage(&source.text, Format::Toml, GROUPS);
    let mut reader = Reader::new(source);
    for fault in parsed.faults.iter().filter(|fault| fault.kind != FaultKind::Empty) {
        let help = fault.help.clone();
        let message = format!(
            "CodeWhale refuses the whole file; here the entries that can be read run: {}",
            fault.message
        );
        let found =
            finding_without_location(Code::BrokenFile, message).help(help.unwrap_or_else(|| {
                "correct it; until then only entries that can be read run".to_owned()
            }));
        reader.findings.report(fault.span, found);
    }
    let broken = parsed.fatal_fault().is_some_and(|fault| fault.kind != FaultKind::Empty);
    if broken {
        drop_ambiguous_entries(&mut parsed);
    }
    if let Some(root) = &parsed.root {
        reader.read_document(root);
    }
    if let (true, Compat::Exact, Some(first)) = (broken, source.compat, parsed.faults.first()) {
        let because = format!("CodeWhale refuses the whole file: {}", first.message);
        reader.hooks.iter_mut().for_each(|hook| hook.disarm(because.clone(), "C-75"));
    }
    ReadConfig {
        hooks: reader.hooks,
        diagnostics: reader.findings.into_list(),
        unreadable: broken,
        lost: broken::find_lost_part(source, &parsed),
        ..ReadConfig::default()
    }
}

/// Drops entries with a duplicate key: it is unknown which value the author meant (C-71).
fn drop_ambiguous_entries(parsed: &mut Parsed) {
    let Parsed { root: Some(root), lost, .. } = parsed else { return };
    let mut lists = vec![root];
    while let Some(node) = lists.pop() {
        let NodeValue::Object(entries) = &mut node.value else { continue };
        for entry in entries.iter_mut().filter(|entry| entry.key == "hooks") {
            if let NodeValue::Array(items) = &mut entry.node.value {
                let is_ambiguous = |item: &Node| !item.duplicate_keys().is_empty();
                lost.extend(items.iter().filter(|node| is_ambiguous(node)).map(|node| node.span));
                items.retain(|item| !is_ambiguous(item));
            } else {
                lists.push(&mut entry.node);
            }
        }
    }
}

/// Finds the entries and the settings of a file.
fn find_hooks_table<'n>(source: &Source, root: &'n Node) -> Option<Found<'n>> {
    let hooks = root.get("hooks")?;
    let kind = FileKind::from_path(Path::new(&*source.name));
    let at_top = hooks.as_array().is_some();
    let is_project = match kind {
        FileKind::Config => false,
        FileKind::Hooks => true,
        FileKind::Unknown => at_top,
    };
    if at_top {
        return Some(Found { table: root, entries: hooks, is_project });
    }
    Some(Found { table: hooks, entries: hooks.get("hooks").unwrap_or(hooks), is_project })
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Self {
        let findings = Findings::new(source);
        Self { source, findings, settings: Settings::default(), hooks: Vec::new() }
    }
}

impl Reader<'_> {
    fn read_document(&mut self, root: &Node) {
        self.report_profile_hooks(root);
        let Some(found) = find_hooks_table(self.source, root) else { return };
        self.report_spelling_of_other_file(root, found);
        let in_config = found.entries.as_array().is_some()
            && std::ptr::eq(found.table, root)
            && !found.is_project;
        if !in_config {
            self.read_settings(found);
        }
        match found.entries.as_array() {
            Some(entries) => entries.iter().for_each(|entry| self.read_entry(entry)),
            None if std::ptr::eq(found.entries, found.table) => {
                if found.table.as_object().is_none() {
                    self.report_wrong_type(
                        root.entry("hooks"),
                        "a table with an array of tables `hooks`",
                    );
                }
            }
            None => self.report_wrong_type(found.table.entry("hooks"), "an array of tables"),
        }
    }

    /// Reports a file that uses the spelling of hooks that belongs to the other file; both
    /// spellings are read (CW-21).
    fn report_spelling_of_other_file(&mut self, root: &Node, found: Found<'_>) {
        let Some(hooks) = root.entry("hooks") else { return };
        let at_top = std::ptr::eq(found.table, root);
        let kind = FileKind::from_path(Path::new(&*self.source.name));
        let (here, wanted) = match (kind, at_top) {
            (FileKind::Config, true) => ("config.toml", "[[hooks.hooks]]"),
            (FileKind::Hooks, false) => ("hooks.toml", "[[hooks]]"),
            _ => return,
        };
        let message =
            format!("hooks in `{here}` are written as `{wanted}`; CodeWhale refuses this file");
        let found = finding_without_location(Code::SpellingOfOtherFile, message)
            .help(format!("write `{wanted}`"));
        self.findings.report(hooks.key_span, found);
    }

    /// Reports hooks of profiles, which are not read: no file says which profile is active (CW-28).
    fn report_profile_hooks(&mut self, root: &Node) {
        for profile in root.get("profiles").map(Node::entries).unwrap_or_default() {
            if let Some(hooks) = profile.node.entry("hooks") {
                let message = format!("the hooks of profile `{}` are not read", profile.key);
                let found = finding_without_location(Code::ProfileHooks, message)
                    .help("move hooks that must always run out of the profile, to `[hooks]`");
                self.findings.report(hooks.key_span, found);
            }
        }
    }

    fn read_settings(&mut self, found: Found<'_>) {
        for field in found.table.entries() {
            let known = SETTINGS.contains(&field.key.as_str());
            if !known {
                let finding = self.unknown_key_finding(field, SETTINGS);
                self.findings.report(field.key_span, finding);
            } else if found.is_project && field.key != "hooks" {
                let message = format!("`{}` has no effect in a project's file", field.key);
                let finding = finding_without_location(Code::NoEffect, message)
                    .help("only the entries of this file are read; write it in your `config.toml`");
                self.findings.report(field.key_span, finding);
            }
        }
        if !found.is_project {
            self.settings = self.parse_settings_table(found.table);
        }
    }

    fn parse_settings_table(&mut self, table: &Node) -> Settings {
        let mut settings = Settings::default();
        if let Some(entry) = table.entry("enabled") {
            match entry.node.as_bool() {
                Some(enabled) => settings.off = !enabled,
                None => self.report_wrong_type(Some(entry), "`true` or `false`"),
            }
        }
        if let Some(entry) = table.entry("default_timeout_secs") {
            match entry.node.as_u64() {
                Some(0) => {
                    let found = finding_without_location(
                        Code::ZeroTimeout,
                        "a timeout of zero leaves no time to run; it is ignored",
                    )
                    .help("leave it out, or give whole seconds");
                    self.findings.report(entry.node.span, found);
                }
                Some(seconds) => settings.timeout = Some(Duration::from_secs(seconds)),
                None => self.report_wrong_type(Some(entry), "a whole number of seconds"),
            }
        }
        if let Some(entry) = table.entry("working_dir") {
            match entry.node.as_str() {
                Some(_) if self.source.layer == Layer::Plugin => {
                    let message = "a plugin cannot set the working directory of hooks";
                    let found = finding_without_location(Code::NoEffect, message)
                        .with_severity(Severity::Error);
                    self.findings.report(entry.key_span, found.help("leave it out"));
                }
                Some(text) => settings.directory = Some(self.resolve_directory(text)),
                None => self.report_wrong_type(Some(entry), "a path in quotes"),
            }
        }
        settings
    }

    fn resolve_directory(&self, text: &str) -> PathBuf {
        match text.strip_prefix("~/") {
            Some(rest) => self.source.home.join(rest),
            None => self.source.project.join(text),
        }
    }

    fn report_wrong_type(&mut self, entry: Option<&Entry>, expected: &str) {
        let Some(entry) = entry else { return };
        let message =
            format!("`{}` is {expected}, not {}", entry.key, entry.node.kind_with_article());
        let help = format!("write {expected}");
        self.findings
            .report(entry.node.span, finding_without_location(Code::WrongType, message).help(help));
    }

    fn unknown_key_finding(&self, field: &Entry, known: &[&'static str]) -> Diagnostic {
        let message = format!("CodeWhale silently ignores the key `{}` here", field.key);
        let foreign = FOREIGN.iter().find(|(name, own)| *name == field.key && known.contains(own));
        let near = foreign.map(|(_, own)| *own);
        let near = near.or_else(|| nearest_word(&field.key, known.iter().copied()));
        let help = near.map_or_else(
            || format!("it reads {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        finding_without_location(Code::UnknownKey, message)
            .with_severity(Severity::Warning)
            .help(help)
    }
}
