//! Reads `tenterhook.toml` and `tenterhook.json` into hooks and diagnostics (C-40 to C-59). Opens
//! no file.

pub(super) mod case;
mod check;
mod content;
mod event;
mod fields;
mod hook;
pub(super) mod keys;
mod mode;
mod protect;
mod record;
mod run;
mod sandbox;
mod server;
mod source;
mod tools;
mod unusable;
mod values;

#[cfg(test)]
pub(super) use event::answer_words;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, Lines, Location, Severity, Span, nearest_word};
use crate::dialect::{DialectId, GROUPS, broken};
use crate::source::{Lost, ReadConfig, Source};
use crate::syntax::{self, Entry, FaultKind, Format, Node, NodeValue, Parsed};
use fields::Fields;
use keys::Key;
pub(super) use values::is_valid_name;

pub(super) fn read_config(source: &Source) -> ReadConfig {
    let mut reader = Reader::new(source);
    reader.parsed = syntax::parse_or_salvage(&source.text, detect_format(source), GROUPS);
    for fault in reader.parsed.faults.clone() {
        let severity = match fault.kind {
            FaultKind::Empty => continue,
            FaultKind::Broken | FaultKind::Limit => Severity::Error,
            FaultKind::NotStrict(_) => Severity::Warning,
        };
        reader.out.unreadable |= severity == Severity::Error;
        let code = if severity == Severity::Error { Code::BrokenFile } else { Code::NotStrictJson };
        let help = fault
            .help
            .unwrap_or_else(|| "mend it; until then only entries that are whole count".to_owned());
        let message = match severity {
            Severity::Error => format!("the file is not well formed: {}", fault.message),
            _ => fault.message,
        };
        let place = reader.location_of(fault.span);
        reader.push_diagnostic(
            Diagnostic::new(code, message, place).with_severity(severity).help(help),
        );
    }
    reader.out.lost = broken::find_lost_part(source, &reader.parsed);
    if let Some(root) = reader.parsed.root.take() {
        reader.read_top_level_tables(&root);
    }
    reader.out
}

/// Returns `true` if a file may pin signature keys: a native file that has the table `trust`, or
/// that cannot be parsed to its end.
pub fn may_pin_signature_keys(source: &Source) -> bool {
    let parsed = || syntax::parse_by_format(&source.text, detect_format(source));
    let has_table = |parsed: Parsed| {
        !parsed.faults.is_empty() || parsed.root.is_none_or(|root| root.get("trust").is_some())
    };
    source.dialect == DialectId::NATIVE && has_table(parsed())
}

/// Returns the format of a file: JSON begins with a brace, and no TOML file does (C-40).
pub(super) fn detect_format(source: &Source) -> Format {
    let named = Path::new(&*source.name).extension().is_some_and(|extension| extension == "json");
    let body = source.text.trim_start_matches('\u{feff}').trim_start();
    if named || body.starts_with('{') { Format::Json } else { Format::Toml }
}

/// One file on its way from text to hooks.
pub(super) struct Reader<'a> {
    source: &'a Source,
    /// Each hook has a place, so a file of thousands asks for thousands.
    lines: Lines<'a>,
    /// How whole the text is; its tree is on the way.
    parsed: Parsed,
    out: ReadConfig,
    /// How many of the diagnostics are errors.
    errors: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader that only collects, for callers that need a part of the file.
    pub(super) fn new(source: &'a Source) -> Self {
        let lines = Lines::new(&source.name, &source.text);
        let parsed = Parsed::default();
        Self { source, lines, parsed, out: ReadConfig::default(), errors: 0 }
    }

    fn read_top_level_tables(&mut self, root: &Node) {
        if root.as_object().is_none() {
            self.report(
                Code::WrongType,
                root.span,
                format!("a native file is an object, not {}", root.kind_with_article()),
            )
            .help = Some("begin with `[hook.NAME]`".to_owned());
            return;
        }
        self.reject_keys_without_hook(
            root,
            "write `[hook.NAME]` in a line above it, with a name of your own",
        );
        if let Some(hook) = root.get("hook") {
            self.reject_keys_without_hook(
                hook,
                "write `[hook.NAME]` in place of `[hook]`, with a name of your own",
            );
        }
        let tables: Vec<(&str, &Entry)> = root
            .entries()
            .iter()
            .filter(|entry| !is_stray_hook_key(entry))
            .map(|entry| (entry.key.as_str(), entry))
            .collect();
        for (key, entry) in &tables {
            match *key {
                "hook" | "source" | "event" | "mcp" => self.require_table_of_tables(entry),
                "record" => self.read_record_table(entry),
                // It is about all hooks: when they are read.
                "$schema" | "mode" => {}
                "protect" => self.read_protect_table(entry),
                "trust" => self.read_trust_table(entry),
                "shadow" => self.read_shadow_table(entry),
                _ => self.report_unknown_table(entry),
            }
        }
        // Events first: what a hook may do on one of them is known only when it was declared.
        for (kind, read) in PASSES {
            for (_, entry) in tables.iter().filter(|(key, _)| *key == kind) {
                let mut seen: HashSet<&str> = HashSet::new();
                let is_stray = |entry: &&Entry| kind == "hook" && is_stray_hook_key(entry);
                for inner in entry.node.entries().iter().filter(|entry| !is_stray(entry)) {
                    if !seen.insert(inner.key.as_str()) {
                        let count = self.out.diagnostics.len();
                        self.report_repeated_key(inner);
                        if kind == "hook" {
                            self.add_unusable_hooks(inner, count);
                        }
                        continue;
                    }
                    read(self, inner);
                }
            }
        }
        for (_, entry) in tables.iter().filter(|(key, _)| *key == "mode") {
            self.apply_file_mode(entry);
        }
    }

    /// Rejects keys of a hook that stand in no hook because the line with its name is missing; they
    /// block like that hook would (C-60).
    fn reject_keys_without_hook(&mut self, table: &Node, help: &str) {
        let strays: Vec<Entry> =
            table.entries().iter().filter(|entry| is_stray_hook_key(entry)).cloned().collect();
        let Some(first) = strays.first() else { return };
        let count = self.out.diagnostics.len();
        let message = format!("`{}` is not in a hook: there is no line with its name", first.key);
        self.report(Code::UnknownKey, first.key_span, message).help = Some(help.to_owned());
        let node = Node { span: table.span, value: NodeValue::Object(strays.clone()) };
        let entry = Entry { key: "(without a name)".to_owned(), key_span: first.key_span, node };
        self.add_unusable_hooks(&entry, count);
    }

    /// Reports an unknown table. Hooks under a misspelt key, in a list, or in a table that lacks
    /// `hook.` still block as gates (C-60).
    fn report_unknown_table(&mut self, entry: &Entry) {
        let count = self.out.diagnostics.len();
        self.report_unknown_key(entry, "the file", keys::FILE);
        let is_misspelt =
            nearest_word(&entry.key, keys::FILE.iter().map(|key| key.name)) == Some("hook");
        let says_when = |entry: &Entry| entry.node.get("on").is_some();
        if says_when(entry) {
            if let Some(found) = self.out.diagnostics.last_mut() {
                found.help = Some(format!("write `[hook.{}]`", entry.key));
            }
            return self.add_unusable_hooks(entry, count);
        }
        for inner in child_entries(entry).iter().filter(|entry| is_misspelt || says_when(entry)) {
            self.add_unusable_hooks(inner, count);
        }
    }

    fn require_table_of_tables(&mut self, entry: &Entry) {
        if entry.node.as_object().is_none() {
            let help = format!("write `[{}.NAME]`", entry.key);
            self.report(
                Code::WrongType,
                entry.node.span,
                format!(
                    "`{}` is a table of tables, not {}",
                    entry.key,
                    entry.node.kind_with_article()
                ),
            )
            .help = Some(help);
            // Its contents may have been gates (C-61).
            if entry.key == "hook" && self.out.lost.is_none() {
                let why = format!(
                    "`hook` is not a table of tables but {}",
                    entry.node.kind_with_article()
                );
                self.out.lost = Some(Lost { why, place: self.location_of(entry.key_span) });
            }
        }
    }

    /// Adds a diagnostic and returns it, so that the caller can add a help or a label.
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let place = self.location_of(span);
        self.push_diagnostic(Diagnostic::new(code, message, place));
        let last = self.out.diagnostics.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the element was pushed two lines above")]
        &mut self.out.diagnostics[last]
    }

    pub(super) fn push_diagnostic(&mut self, found: Diagnostic) {
        self.errors += usize::from(found.severity == Severity::Error);
        self.out.diagnostics.push(found);
    }

    /// Removes the diagnostics from that index on.
    fn truncate_diagnostics(&mut self, from: usize) {
        let gone = self.out.diagnostics.drain(from.min(self.out.diagnostics.len())..);
        self.errors -= gone.filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    }

    pub(super) fn location_of(&self, span: Span) -> Location {
        self.lines.location(span)
    }

    fn report_unknown_key(&mut self, entry: &Entry, of: &str, known: &[Key]) {
        let names = || known.iter().map(|key| key.name);
        // Within the table of one executor a key of another format means something else: `args` of
        // `mcp`.
        let foreign = keys::foreign_key_help(&entry.key).filter(|_| !of.starts_with('`'));
        let help = foreign.map(str::to_owned).unwrap_or_else(|| {
            nearest_word(&entry.key, names()).map_or_else(
                || format!("{of} has {}", keys::join_quoted(names())),
                |near| format!("did you mean `{near}`?"),
            )
        });
        self.report(Code::UnknownKey, entry.key_span, format!("{of} has no key `{}`", entry.key))
            .help = Some(help);
    }

    fn report_repeated_key(&mut self, entry: &Entry) {
        self.report(
            Code::DuplicateKey,
            entry.key_span,
            format!("`{}` is written twice", entry.key),
        )
        .help = Some("the first one counts; give the other one another name".to_owned());
    }

    /// Resolves a path of the file: `~/` is the home, and a relative path starts at the file's
    /// directory (C-44).
    fn resolve_path(&self, text: &str) -> PathBuf {
        if let Some(rest) = text.strip_prefix("~/") {
            return self.source.home.join(rest);
        }
        normalize_path(&self.source.directory.join(text))
    }

    fn read_checked_fields<'n>(
        &mut self,
        entry: &'n Entry,
        of: &str,
        known: &'static [Key],
    ) -> Option<Fields<'n>> {
        Fields::read_checked(self, entry, of, known)
    }
}

/// Returns `true` if an entry is a key of a hook and not a table, such as `on = "..."`.
fn is_stray_hook_key(entry: &Entry) -> bool {
    let is_file = keys::FILE.iter().any(|key| key.name == entry.key);
    let known = keys::HOOK.iter().any(|key| key.name == entry.key);
    known && !is_file && entry.node.as_object().is_none()
}

/// Returns the entries below a key: those of a table, or the items of a list, each named after the
/// list and its index.
fn child_entries(entry: &Entry) -> Vec<Entry> {
    let NodeValue::Array(items) = &entry.node.value else { return entry.node.entries().to_vec() };
    let named = items.iter().enumerate().map(|(at, node)| Entry {
        key: format!("{}-{}", entry.key, at + 1),
        key_span: entry.key_span,
        node: node.clone(),
    });
    named.collect()
}

/// Returns a path without `.` and `..`, computed from its text alone, as for the names of other
/// sources.
fn normalize_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            _ => plain.push(component),
        }
    }
    plain
}

type Pass = for<'r, 'a, 'n> fn(&'r mut Reader<'a>, &'n Entry);

const PASSES: [(&str, Pass); 4] = [
    ("event", |reader, entry| reader.read_event_declaration(entry)),
    ("source", |reader, entry| reader.read_source_table(entry)),
    ("mcp", |reader, entry| reader.read_server(entry)),
    ("hook", |reader, entry| reader.read_hook(entry)),
];
