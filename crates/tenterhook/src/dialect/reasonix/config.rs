//! Reads one settings file of Reasonix: which events it speaks of, and what is wrong with it as a whole. Entries are read
//! in `entry.rs`. What the agent drops without a word becomes a hook that never runs and says why (RX-15).

use super::events::{self, EVENTS, Spec};
use crate::diagnostic::{Code, Diagnostic, Severity, Span, nearest};
use crate::dialect::findings::{Findings, finding};
use crate::dialect::{GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Arming, Compat, Hook};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Entry, FaultKind, Format, Node, NodeValue, NotStrict, Parsed};

/// The shape of a file, for help.
pub(super) const SHAPE: &str =
    "write `{\"hooks\": {\"PreToolUse\": [{\"match\": \"bash\", \"command\": \"...\"}]}}`";

/// Reads `source`.
pub(super) fn read(source: &Source) -> ReadConfig {
    let parsed = syntax::salvage(&source.text, Format::Json, GROUPS);
    let mut reading =
        Reading { source, findings: Findings::of(source), read: ReadConfig::default() };
    let refused = reading.syntax(&parsed);
    reading.read.lost = broken::lost(source, &parsed);
    if let Some(root) = &parsed.root {
        reading.document(root, refused);
    }
    ReadConfig { diagnostics: reading.findings.into_list(), ..reading.read }
}

/// Why the hooks of a place never run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Off {
    pub(super) because: String,
    pub(super) rule: &'static str,
}

impl Off {
    pub(super) fn new(because: impl Into<String>) -> Self {
        Self { because: because.into(), rule: "RX-15" }
    }

    pub(super) fn arming(self) -> Arming {
        Arming::Disarmed { because: self.because, rule: self.rule }
    }
}

/// The event that entries stand under.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The agent's name for it, or what was written there.
    pub(super) name: String,
    pub(super) spec: Option<&'static Spec>,
    pub(super) off: Option<Off>,
}

impl Scope {
    /// The neutral name.
    pub(super) fn event(&self) -> EventName {
        EventName::new(self.spec.map_or(self.name.as_str(), |spec| spec.neutral()))
    }
}

/// A file in the middle of being read.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) source: &'a Source,
    pub(super) findings: Findings<'a>,
    read: ReadConfig,
}

impl Reading<'_> {
    pub(super) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.findings.report(span, diagnostic);
    }

    /// Adds a hook that stands at `span`.
    pub(super) fn add(&mut self, span: Span, mut hook: Hook) {
        hook.place = Some(self.findings.place(span));
        self.read.hooks.push(hook);
    }

    /// Reports what JSON forbids. The agent drops the whole file; here only a source that is followed exactly does, and
    /// what can be read of any other runs (RX-16).
    fn syntax(&mut self, parsed: &Parsed) -> Option<Off> {
        let mut refused = None;
        let mut said: Vec<FaultKind> = Vec::new();
        for fault in &parsed.faults {
            if said.contains(&fault.kind) {
                continue;
            }
            said.push(fault.kind);
            let lives = parsed.root.is_some() && self.source.compat == Compat::Guarded;
            let found = match fault.kind {
                FaultKind::NotStrict(NotStrict::ByteOrderMark) => {
                    finding(Code::ByteOrderMark, fault.message.clone())
                }
                FaultKind::Empty if self.source.text.trim().is_empty() => {
                    self.read.unreadable = true;
                    finding(Code::EmptyFile, "the file is empty")
                }
                _ => {
                    let torn = !matches!(fault.kind, FaultKind::NotStrict(_));
                    self.read.unreadable |= torn;
                    let whose = if lives { "Reasonix itself runs" } else { "there runs" };
                    let rest = if lives && torn { "; here those run that are whole" } else { "" };
                    let message = format!("{whose} no hook of this file{rest}: {}", fault.message);
                    if !lives {
                        let because = format!("the whole file is refused: {}", fault.message);
                        refused = refused.or(Some(Off { because, rule: "RX-16" }));
                    }
                    finding(Code::NotStrictJson, message)
                }
            };
            let found = found.label("here");
            let found = match &fault.help {
                Some(help) => found.help(help.clone()),
                None => found,
            };
            self.report(fault.span, found);
        }
        refused
    }

    fn document(&mut self, root: &Node, refused: Option<Off>) {
        if root.as_object().is_none() {
            let message = format!("expected an object, found {}", root.kind());
            return self.report(root.span, finding(Code::NotAnObject, message).help(SHAPE));
        }
        self.duplicates(root);
        let written: Vec<_> = root.entries().iter().filter(|it| it.key == "hooks").collect();
        for (at, entry) in written.iter().enumerate() {
            let shadowed = (at + 1 < written.len()).then(shadowed);
            self.hooks(&entry.node, refused.clone().or(shadowed));
        }
        let bare: Vec<_> =
            root.entries().iter().filter(|it| events::by_name(&it.key).is_some()).collect();
        if let (true, Some(first)) = (written.is_empty(), bare.first()) {
            let message =
                format!("`{}` stands outside `hooks`, where the agent does not look", first.key);
            let found = finding(Code::MissingHooksWrapper, message).label("never read").help(SHAPE);
            self.report(first.key_span, found);
            let off = Off::new("it stands outside `hooks`, where no hook is looked for");
            bare.iter().for_each(|it| self.event(it, Some(off.clone())));
        }
    }

    /// Keys that were written twice: the agent keeps the last one.
    fn duplicates(&mut self, root: &Node) {
        let own = |it: &syntax::Duplicate| {
            it.key == "hooks" && root.entries().iter().any(|entry| entry.key_span == it.again)
        };
        let whole = root.duplicates().into_iter().filter(own);
        let within = root.entry("hooks").into_iter().flat_map(|hooks| hooks.node.duplicates());
        for twice in whole.chain(within) {
            let line = self.findings.place(twice.first).line;
            let message = format!("`{}` is written twice: only the last one counts", twice.key);
            let help = format!("move what stands under the first one (line {line}) into this one");
            self.report(twice.again, finding(Code::DuplicateKeys, message).help(help));
        }
    }

    /// The value of `hooks`.
    fn hooks(&mut self, node: &Node, off: Option<Off>) {
        match &node.value {
            NodeValue::Object(events) => {
                for (at, entry) in events.iter().enumerate() {
                    let again = events.iter().skip(at + 1).any(|later| later.key == entry.key);
                    self.event(entry, off.clone().or_else(|| again.then(shadowed)));
                }
            }
            NodeValue::Array(records) => {
                let message =
                    "`hooks` is an array: Reasonix reads an object with a key for each event";
                self.report(node.span, finding(Code::HooksIsArray, message).help(SHAPE));
                for record in records {
                    let name = record.get("event").and_then(Node::as_str).unwrap_or("unknown");
                    let off = Off::new("it stands in an array, where no hook is looked for");
                    let spec = events::by_name(name);
                    self.entry(record, &Scope { name: name.to_owned(), spec, off: Some(off) });
                }
            }
            NodeValue::Null => {}
            _ => {
                let message = format!("`hooks` takes an object, found {}", node.kind());
                self.report(node.span, finding(Code::HooksNotObject, message).help(SHAPE));
            }
        }
    }

    /// One event with its entries.
    fn event(&mut self, entry: &Entry, off: Option<Off>) {
        let spec = events::by_name(&entry.key);
        let off = match spec {
            Some(_) => off,
            None => Some(off.unwrap_or_else(|| self.unknown_event(entry))),
        };
        let scope = Scope { name: entry.key.clone(), spec, off };
        self.read.mentions.push(scope.event());
        match &entry.node.value {
            NodeValue::Array(entries) => {
                if entries.is_empty() {
                    self.empty_event(entry);
                }
                entries.iter().for_each(|it| self.entry(it, &scope));
            }
            NodeValue::Null => self.empty_event(entry),
            NodeValue::Object(_) => {
                let message = format!("`{}` takes an array of hooks, found an object", entry.key);
                let found = finding(Code::EventValueIsObjectNotArray, message);
                self.report(entry.key_span, found.help("put the object in `[` and `]`"));
                let off = scope
                    .off
                    .clone()
                    .or_else(|| Some(Off::new("it does not stand in an array of hooks")));
                self.entry(&entry.node, &Scope { off, ..scope });
            }
            _ => {
                let message =
                    format!("`{}` takes an array of hooks, found {}", entry.key, entry.node.kind());
                self.report(
                    entry.node.span,
                    finding(Code::EventValueNotArray, message).help(SHAPE),
                );
            }
        }
    }

    fn empty_event(&mut self, entry: &Entry) {
        let message = format!("`{}` has no hook, so nothing runs", entry.key);
        self.report(entry.key_span, finding(Code::EmptyEventArray, message));
    }

    /// An event that the agent does not have: it drops the key without a word (RX-5).
    fn unknown_event(&mut self, entry: &Entry) -> Off {
        let key = &entry.key;
        let near = nearest(key, EVENTS.iter().map(|event| event.name));
        let cased = near.filter(|near| near.eq_ignore_ascii_case(key));
        let (code, message) = match cased {
            Some(_) => (Code::WrongCaseEvent, format!("no event is called `{key}`: case counts")),
            None => (Code::UnknownEvent, format!("Reasonix has no event `{key}`")),
        };
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`tenterhook events --dialect reasonix` lists the events".to_owned(),
        };
        let found = finding(code, message.clone()).weighing(Severity::Error);
        self.report(entry.key_span, found.label("never fires").help(help));
        Off { because: message, rule: "RX-5" }
    }
}

fn shadowed() -> Off {
    Off::new("its key is written again below, and only the last one counts")
}
