//! Reads `hooks.json` (I-1 to I-4): which events it names, and what is wrong with it as a whole. Entries are read in
//! `config/entry.rs`.
//!
//! The agent refuses to start when anything is wrong. Here an entry with a fault is rejected alone and its siblings live
//! (Ruling 22); under exact reading the whole file is refused, as the agent does.

mod entry;

use super::events;
use crate::diagnostic::{Code, Severity, Span, nearest};
use crate::dialect::findings::{Findings, finding};
use crate::dialect::{EventRow, GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Arming, Compat, Confine, Hook};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Entry, FaultKind, Format, Node, NotStrict, Parsed};

/// What a file looks like.
const SHAPE: &str = "write `{\"hooks\": {\"UserPromptSubmit\": [{\"command\": \"...\"}]}}`";

/// Reads `source`.
pub(super) fn read(source: &Source) -> ReadConfig {
    let parsed = syntax::salvage(&source.text, Format::Json, GROUPS);
    let mut reader = Reader { source, findings: Findings::of(source), read: ReadConfig::default() };
    reader.syntax(&parsed);
    reader.read.lost = broken::lost(source, &parsed);
    if let Some(root) = &parsed.root {
        reader.document(root);
    }
    reader.refuse_whole();
    ReadConfig { diagnostics: reader.findings.into_list(), ..reader.read }
}

/// A file in the middle of being read.
pub(super) struct Reader<'a> {
    source: &'a Source,
    findings: Findings<'a>,
    read: ReadConfig,
}

/// The event that entries stand under.
struct Scope<'a> {
    /// As written.
    name: &'a str,
    row: Option<&'static EventRow>,
    /// Why nothing under it runs.
    off: Option<&'a Arming>,
}

impl Scope<'_> {
    fn event(&self) -> EventName {
        EventName::new(self.row.map_or(self.name, |row| &*row.event))
    }
}

impl Reader<'_> {
    /// A text that cannot be read keeps the last good hooks; one that only a strict parser refuses is read, and said.
    fn syntax(&mut self, parsed: &Parsed) {
        let mut said: Vec<FaultKind> = Vec::new();
        for fault in &parsed.faults {
            if said.contains(&fault.kind) {
                continue;
            }
            said.push(fault.kind);
            self.read.unreadable |= !matches!(fault.kind, FaultKind::NotStrict(_));
            let found = match fault.kind {
                FaultKind::Empty => finding(Code::EmptyFile, "the file is empty")
                    .weighing(Severity::Error)
                    .help(SHAPE),
                FaultKind::NotStrict(NotStrict::ByteOrderMark) => finding(
                    Code::ByteOrderMark,
                    format!("{}; ignis does not start with this file", fault.message),
                )
                .weighing(Severity::Error),
                FaultKind::NotStrict(_) => finding(
                    Code::NotStrictJson,
                    format!("{}; ignis does not start with this file", fault.message),
                ),
                FaultKind::Broken | FaultKind::Limit => finding(
                    Code::NotStrictJson,
                    format!("of this file only the entries run that are whole: {}", fault.message),
                ),
            };
            let found = match &fault.help {
                Some(help) => found.help(help.clone()),
                None => found,
            };
            self.findings.report(fault.span, found.label("here"));
        }
    }

    fn document(&mut self, root: &Node) {
        if root.as_object().is_none() {
            let message = format!("expected an object, found {}", root.kind());
            self.findings.report(root.span, finding(Code::NotAnObject, message).help(SHAPE));
            self.read.unreadable = true;
            return;
        }
        let mut written = 0;
        for entry in root.entries() {
            match entry.key.as_str() {
                "hooks" => {
                    written += 1;
                    if written > 1 {
                        let message =
                            "`hooks` is written twice; ignis does not start with this file";
                        self.findings.report(entry.key_span, finding(Code::DuplicateKeys, message));
                    }
                    self.events(&entry.node);
                    self.unconfined(entry.key_span);
                }
                key if events::named(key).is_some() && entry.node.as_array().is_some() => {
                    self.bare(entry);
                }
                _ => {}
            }
        }
    }

    /// An event at the top level, where the agent looks for none.
    fn bare(&mut self, entry: &Entry) {
        let message =
            format!("`{}` stands at the top level, where no hook is looked for", entry.key);
        let found = finding(Code::MissingHooksWrapper, message).label("never read").help(SHAPE);
        self.findings.report(entry.key_span, found);
        let because = "it stands outside `hooks`, where no hook is looked for".to_owned();
        let off = Arming::Disarmed { because, rule: "I-2" };
        self.event(entry, Some(&off));
    }

    fn events(&mut self, node: &Node) {
        if node.as_object().is_none() {
            let message = format!("`hooks` takes an object, found {}", node.kind());
            self.findings.report(node.span, finding(Code::HooksNotObject, message).help(SHAPE));
            return;
        }
        let entries = node.entries();
        for (at, entry) in entries.iter().enumerate() {
            let twin = |other: &&Entry| other.key == entry.key;
            if entries.iter().take(at).any(|it| twin(&it)) {
                self.twice(entry);
            }
            // The agent keeps the last one of several, and loses the others without a word (I-3).
            let shadowed = self.source.compat == Compat::Exact
                && entries.iter().skip(at + 1).any(|it| twin(&it));
            let because = "its event is written again below, and only the last one counts";
            let off = Arming::Disarmed { because: because.to_owned(), rule: "I-3" };
            self.event(entry, shadowed.then_some(&off));
        }
    }

    fn twice(&mut self, entry: &Entry) {
        let message = format!("`{}` is written twice: ignis keeps only the last one", entry.key);
        let found = finding(Code::DuplicateKeys, message)
            .weighing(Severity::Warning)
            .help("here all of them run; put the entries into one list");
        self.findings.report(entry.key_span, found);
    }

    fn event(&mut self, entry: &Entry, off: Option<&Arming>) {
        let row = events::named(&entry.key);
        if row.is_none() {
            self.unknown_event(&entry.key, entry.key_span);
        }
        let scope = Scope { name: &entry.key, row, off };
        self.read.mentions.push(scope.event());
        let Some(items) = entry.node.as_array() else {
            let message =
                format!("`{}` takes an array of entries, found {}", entry.key, entry.node.kind());
            let found = finding(Code::EventValueNotArray, message).label("no hook here runs");
            let help = format!("write `\"{}\": [{{\"command\": \"...\"}}]`", entry.key);
            self.findings.report(entry.node.span, found.help(help));
            return;
        };
        for item in items {
            self.entry(item, &scope);
        }
    }

    /// What the agent does by default is not done here, and a person should hear of it once a file (I-37).
    fn unconfined(&mut self, span: Span) {
        let asks = |it: &Hook| it.confine == Confine::ByDefault && it.arming == Arming::Armed;
        if self.read.hooks.iter().any(asks) {
            let message = "hooks of ignis ask to be confined, and this build confines none: they run with the user's full rights";
            let help =
                "read what they do before you arm them; `\"sandbox\": false` says that you know";
            self.findings.report(
                span,
                finding(Code::Unconfined, message).weighing(Severity::Advice).help(help),
            );
        }
    }

    /// One file serves several versions of the agent, so this is no error.
    fn unknown_event(&mut self, name: &str, span: Span) {
        let known = events::ROWS.iter().map(|row| &*row.name);
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`tenterhook events --dialect ignis` lists the events".to_owned(),
        };
        let message = format!("ignis has no event `{name}`: nothing under it runs there");
        self.findings.report(span, finding(Code::UnknownEvent, message).help(help));
    }

    /// I-4: exact reading refuses what the agent refuses.
    fn refuse_whole(&mut self) {
        if self.source.compat != Compat::Exact {
            return;
        }
        let Some(first) = self.findings.first_error() else { return };
        let because = format!("ignis refuses the whole file: {}", first.message);
        for hook in &mut self.read.hooks {
            hook.arming = Arming::Disarmed { because: because.clone(), rule: "I-4" };
        }
        // A reload that the agent refuses leaves the old hooks in force.
        self.read.unreadable = true;
    }
}
