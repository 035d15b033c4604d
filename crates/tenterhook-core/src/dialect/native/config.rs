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

use crate::diagnostic::{Code, Diagnostic, Lines, Location, Severity, Span, nearest};
use crate::dialect::{DialectId, GROUPS, broken};
use crate::source::{Lost, ReadConfig, Source};
use crate::syntax::{self, Entry, FaultKind, Format, Node, NodeValue, Parsed};
use fields::Fields;
use keys::Key;
pub(super) use values::is_name;

pub(super) fn read(source: &Source) -> ReadConfig {
    let mut reader = Reader::new(source);
    reader.parsed = syntax::salvage(&source.text, format(source), GROUPS);
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
        let place = reader.place_of(fault.span);
        reader.push(Diagnostic::new(code, message, place).weighing(severity).help(help));
    }
    reader.out.lost = broken::lost(source, &reader.parsed);
    if let Some(root) = reader.parsed.root.take() {
        reader.file(&root);
    }
    reader.out
}

/// Whether a file may pin signature keys: a native one that has the table `trust`, or that cannot
/// be parsed to its end.
pub fn may_pin(source: &Source) -> bool {
    let parsed = || syntax::parse(&source.text, format(source));
    let has_table = |parsed: Parsed| {
        !parsed.faults.is_empty() || parsed.root.is_none_or(|root| root.get("trust").is_some())
    };
    source.dialect == DialectId::NATIVE && has_table(parsed())
}

/// JSON begins with a brace; no TOML file does (C-40).
pub(super) fn format(source: &Source) -> Format {
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
    /// A reader that only collects: for those who want a part of the file.
    pub(super) fn new(source: &'a Source) -> Self {
        let lines = Lines::new(&source.name, &source.text);
        let parsed = Parsed::default();
        Self { source, lines, parsed, out: ReadConfig::default(), errors: 0 }
    }

    fn file(&mut self, root: &Node) {
        if root.as_object().is_none() {
            self.report(
                Code::WrongType,
                root.span,
                format!("a native file is an object, not {}", root.kind()),
            )
            .help = Some("begin with `[hook.NAME]`".to_owned());
            return;
        }
        self.nameless(root, "write `[hook.NAME]` in a line above it, with a name of your own");
        if let Some(hook) = root.get("hook") {
            self.nameless(
                hook,
                "write `[hook.NAME]` in place of `[hook]`, with a name of your own",
            );
        }
        let tables: Vec<(&str, &Entry)> = root
            .entries()
            .iter()
            .filter(|entry| !is_of_a_hook(entry))
            .map(|entry| (entry.key.as_str(), entry))
            .collect();
        for (key, entry) in &tables {
            match *key {
                "hook" | "source" | "event" | "mcp" => self.tables(entry),
                "record" => self.record(entry),
                // It is about all hooks: when they are read.
                "$schema" | "mode" => {}
                "protect" => self.protect(entry),
                "trust" => self.trust(entry),
                "shadow" => self.shadow(entry),
                _ => self.unknown_table(entry),
            }
        }
        // Events first: what a hook may do on one of them is known only when it was declared.
        for (kind, read) in PASSES {
            for (_, entry) in tables.iter().filter(|(key, _)| *key == kind) {
                let mut seen: HashSet<&str> = HashSet::new();
                let is_stray = |entry: &&Entry| kind == "hook" && is_of_a_hook(entry);
                for inner in entry.node.entries().iter().filter(|entry| !is_stray(entry)) {
                    if !seen.insert(inner.key.as_str()) {
                        let count = self.out.diagnostics.len();
                        self.repeated(inner);
                        if kind == "hook" {
                            self.unusable(inner, count);
                        }
                        continue;
                    }
                    read(self, inner);
                }
            }
        }
        for (_, entry) in tables.iter().filter(|(key, _)| *key == "mode") {
            self.mode_of_all(entry);
        }
    }

    /// Keys of a hook that stand in none, because the line with its name is missing, hold as that
    /// hook would (C-60).
    fn nameless(&mut self, table: &Node, help: &str) {
        let strays: Vec<Entry> =
            table.entries().iter().filter(|entry| is_of_a_hook(entry)).cloned().collect();
        let Some(first) = strays.first() else { return };
        let count = self.out.diagnostics.len();
        let message = format!("`{}` is not in a hook: there is no line with its name", first.key);
        self.report(Code::UnknownKey, first.key_span, message).help = Some(help.to_owned());
        let node = Node { span: table.span, value: NodeValue::Object(strays.clone()) };
        let entry = Entry { key: "(without a name)".to_owned(), key_span: first.key_span, node };
        self.unusable(&entry, count);
    }

    /// Hooks under a slip of the pen, in a list, or in a table that lacks `hook.` hold as gates all
    /// the same (C-60).
    fn unknown_table(&mut self, entry: &Entry) {
        let count = self.out.diagnostics.len();
        self.unknown_key(entry, "the file", keys::FILE);
        let is_misspelt =
            nearest(&entry.key, keys::FILE.iter().map(|key| key.name)) == Some("hook");
        let says_when = |entry: &Entry| entry.node.get("on").is_some();
        if says_when(entry) {
            if let Some(found) = self.out.diagnostics.last_mut() {
                found.help = Some(format!("write `[hook.{}]`", entry.key));
            }
            return self.unusable(entry, count);
        }
        for inner in tables_below(entry).iter().filter(|entry| is_misspelt || says_when(entry)) {
            self.unusable(inner, count);
        }
    }

    fn tables(&mut self, entry: &Entry) {
        if entry.node.as_object().is_none() {
            let help = format!("write `[{}.NAME]`", entry.key);
            self.report(
                Code::WrongType,
                entry.node.span,
                format!("`{}` is a table of tables, not {}", entry.key, entry.node.kind()),
            )
            .help = Some(help);
            // Its contents may have been gates (C-61).
            if entry.key == "hook" && self.out.lost.is_none() {
                let why = format!("`hook` is not a table of tables but {}", entry.node.kind());
                self.out.lost = Some(Lost { why, place: self.place_of(entry.key_span) });
            }
        }
    }

    /// Adds a diagnostic and hands it out for a help or a label.
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let place = self.place_of(span);
        self.push(Diagnostic::new(code, message, place));
        let last = self.out.diagnostics.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the element was pushed two lines above")]
        &mut self.out.diagnostics[last]
    }

    pub(super) fn push(&mut self, found: Diagnostic) {
        self.errors += usize::from(found.severity == Severity::Error);
        self.out.diagnostics.push(found);
    }

    /// Takes back what was reported from that place on.
    fn forget(&mut self, from: usize) {
        let gone = self.out.diagnostics.drain(from.min(self.out.diagnostics.len())..);
        self.errors -= gone.filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    }

    pub(super) fn place_of(&self, span: Span) -> Location {
        self.lines.location(span)
    }

    fn unknown_key(&mut self, entry: &Entry, of: &str, known: &[Key]) {
        let names = || known.iter().map(|key| key.name);
        // Within the table of one executor a key of another format means something else: `args` of
        // `mcp`.
        let foreign = keys::foreign(&entry.key).filter(|_| !of.starts_with('`'));
        let help = foreign.map(str::to_owned).unwrap_or_else(|| {
            nearest(&entry.key, names()).map_or_else(
                || format!("{of} has {}", keys::listed(names())),
                |near| format!("did you mean `{near}`?"),
            )
        });
        self.report(Code::UnknownKey, entry.key_span, format!("{of} has no key `{}`", entry.key))
            .help = Some(help);
    }

    fn repeated(&mut self, entry: &Entry) {
        self.report(
            Code::DuplicateKey,
            entry.key_span,
            format!("`{}` is written twice", entry.key),
        )
        .help = Some("the first one counts; give the other one another name".to_owned());
    }

    /// A path of the file: `~/` is the home, a relative one starts at the file's directory (C-44).
    fn path(&self, text: &str) -> PathBuf {
        if let Some(rest) = text.strip_prefix("~/") {
            return self.source.home.join(rest);
        }
        plain(&self.source.directory.join(text))
    }

    fn fields<'n>(
        &mut self,
        entry: &'n Entry,
        of: &str,
        known: &'static [Key],
    ) -> Option<Fields<'n>> {
        Fields::open(self, entry, of, known)
    }
}

/// Whether an entry is a part of a hook, and no table of any kind: `on = "..."`.
fn is_of_a_hook(entry: &Entry) -> bool {
    let is_file = keys::FILE.iter().any(|key| key.name == entry.key);
    let known = keys::HOOK.iter().any(|key| key.name == entry.key);
    known && !is_file && entry.node.as_object().is_none()
}

/// The entries below a key: those of a table, or the items of a list, each named after the list and
/// its index.
fn tables_below(entry: &Entry) -> Vec<Entry> {
    let NodeValue::Array(items) = &entry.node.value else { return entry.node.entries().to_vec() };
    let named = items.iter().enumerate().map(|(at, node)| Entry {
        key: format!("{}-{}", entry.key, at + 1),
        key_span: entry.key_span,
        node: node.clone(),
    });
    named.collect()
}

/// A path without `.` and `..`, by its letters alone: what other sources are called by, too.
fn plain(path: &Path) -> PathBuf {
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
    ("event", |reader, entry| reader.event(entry)),
    ("source", |reader, entry| reader.govern(entry)),
    ("mcp", |reader, entry| reader.server(entry)),
    ("hook", |reader, entry| reader.hook(entry)),
];
