//! Walks over a file in which each event holds a list, be it of groups as in Claude Code's settings
//! or of the hooks themselves, and says what is wrong with it as a whole. A dialect brings the
//! words of its files and the reader of one item; an item with a fault is rejected alone, with its
//! place.

mod format;
mod layout;

use super::entry::{is_comment, plain_name};
use crate::diagnostic::{Code, Diagnostic, Severity, Span, nearest};
use crate::dialect::findings::{Findings, finding};
use crate::dialect::{DIALECTS, EventRow, GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Arming, Compat};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Duplicate, Entry, Format, Node, NodeValue};
pub(crate) use format::of_syntax;
pub(crate) use layout::{File, Rules};

/// Why hooks of a place never run, and the rule that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Off {
    pub(crate) because: String,
    pub(crate) rule: &'static str,
}

impl Off {
    pub(crate) fn new(because: impl Into<String>, rule: &'static str) -> Self {
        Self { because: because.into(), rule }
    }

    /// Whether a hook runs that nothing else keeps from it.
    pub(crate) fn arming(off: Option<Self>) -> Arming {
        off.map_or(Arming::Armed, |Self { because, rule }| Arming::Disarmed { because, rule })
    }
}

/// Properties that an item inherits from its group and its event.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The name of the event as written.
    pub(crate) name: String,
    /// What the agent's table says of it.
    pub(crate) row: Option<&'static EventRow>,
    /// The matcher of the group as written.
    pub(crate) matcher: String,
    /// Why nothing here runs.
    pub(crate) off: Option<Off>,
}

impl Scope {
    /// The neutral name.
    pub(crate) fn event(&self) -> EventName {
        EventName::new(self.row.map_or(self.name.as_str(), |row| &*row.event))
    }
}

/// Keys under which a list of records names the event of each.
const EVENT_KEYS: &[&str] = &["event", "hook_event", "hook_event_name", "hook", "on", "name"];

/// A file on its way from text to hooks.
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Source,
    pub(crate) file: &'static File,
    pub(crate) format: Format,
    pub(crate) findings: Findings<'a>,
    pub(crate) read: ReadConfig,
    /// Why the agent refuses the whole file.
    pub(crate) refused: Option<String>,
}

/// The entry with events whose key is nearly `hooks`.
pub(crate) fn misnamed(root: &Node, is_event: impl Fn(&str) -> bool) -> Option<&Entry> {
    let holds = |entry: &&Entry| entry.node.entries().iter().any(|inner| is_event(&inner.key));
    let is_near = |entry: &&Entry| entry.key != "hooks" && nearest(&entry.key, ["hooks"]).is_some();
    root.entries().iter().filter(is_near).find(holds)
}

/// That no hook is looked for under a key that is nearly `hooks`.
pub(crate) fn looks_in(key: &str) -> Diagnostic {
    finding(Code::MissingHooksWrapper, format!("no hook is looked for in `{key}`"))
        .label("never read")
        .help("did you mean `hooks`?")
}

/// Reads `source`.
pub(crate) fn read(file: &'static File, source: &Source, format: Format) -> ReadConfig {
    let (findings, read) = (Findings::new(source), ReadConfig::default());
    let mut reader = Reader { source, file, format, findings, read, refused: None };
    let parsed = syntax::salvage(&source.text, format, GROUPS);
    reader.read.lost = broken::lost(source, &parsed);
    reader.syntax(&parsed);
    if let Some(root) = &parsed.root {
        reader.root(root);
    }
    reader.refuse();
    ReadConfig { diagnostics: reader.findings.into_list(), ..reader.read }
}

impl Reader<'_> {
    pub(crate) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.findings.report(span, diagnostic);
    }

    /// The entry of a key by the agent's rules; `null` is the same as absent.
    pub(crate) fn entry<'n>(&self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        self.file.case.non_null_entry(node, key)
    }

    pub(crate) fn flag(&mut self, node: &Node, key: &str) -> bool {
        self.findings.flag(self.file.case.non_null_entry(node, key))
    }

    pub(crate) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.findings.text(self.file.case.non_null_entry(node, key)).map(str::to_owned)
    }

    /// Whether the node is an object, as `what` must be; any other node is reported.
    pub(crate) fn is_object(&mut self, node: &Node, what: &str, code: Code) -> bool {
        if node.as_object().is_none() {
            let message = format!("expected {what}, found {}", node.kind());
            self.report(node.span, finding(code, message).help(self.file.shape));
        }
        node.as_object().is_some()
    }

    fn row(&self, name: &str) -> Option<&'static EventRow> {
        (self.file.rows)().iter().find(|row| row.name == name)
    }

    fn is_exact(&self) -> bool {
        self.source.compat == Compat::Exact
    }

    fn root(&mut self, root: &Node) {
        if !self.is_object(root, "an object", Code::NotAnObject) {
            self.read.unreadable = true;
            return;
        }
        let written: Vec<_> = root.entries().iter().filter(|entry| entry.key == "hooks").collect();
        self.doubles(root, &written);
        let events = (self.file.find)(self, root);
        if let Some((_, earlier)) = written.split_last() {
            for entry in earlier {
                let off = self.shadowed();
                self.hooks(&entry.node, off);
            }
        } else if self.format == Format::Json {
            self.read_bare_events(root);
        }
        if let Some(events) = events {
            self.hooks(events, None);
        }
    }

    /// Tells of keys that are written twice: the agent keeps the last one. Where no hook is about
    /// it, that is advice.
    fn doubles(&mut self, root: &Node, hooks: &[&Entry]) {
        let is_event = |twice: &Duplicate| {
            let mut events = hooks.iter().flat_map(|hook| hook.node.entries());
            events.any(|event| event.key_span == twice.again)
        };
        let runs_doubled = self.file.runs_doubled;
        for twice in
            root.duplicates().into_iter().filter(|duplicate| !(runs_doubled && is_event(duplicate)))
        {
            let again = twice.again;
            let within = |entry: &&Entry| {
                entry.key_span.start <= again.start && again.end <= entry.node.span.end
            };
            let mut events = root.entries().iter().filter(|entry| self.row(&entry.key).is_some());
            let matters = hooks.iter().any(within) || events.any(|event| within(&event));
            report_repeated_key(&mut self.findings, &twice, matters);
        }
    }

    fn shadowed(&self) -> Option<Off> {
        let because = "its key is written again below, and only the last one counts";
        let runs = self.file.runs_doubled && !self.is_exact();
        (!runs).then(|| Off::new(because, self.file.rules.shadowed))
    }

    fn misplaced(&self, because: &str) -> Off {
        Off::new(because, self.file.rules.misplaced)
    }

    /// The value of `hooks`.
    fn hooks(&mut self, node: &Node, off: Option<Off>) {
        match &node.value {
            NodeValue::Object(_) => self.events(node, off),
            NodeValue::Null => {}
            NodeValue::Array(records) => {
                let agent = self.file.agent;
                let message = format!(
                    "`hooks` is an array: {agent} reads an object with a key for each event"
                );
                self.report(node.span, finding(Code::HooksIsArray, message).help(self.file.shape));
                let misplaced =
                    self.misplaced("it stands in an array, where no hook is looked for");
                let off = off.unwrap_or(misplaced);
                for record in records.iter().filter(|record| record.as_object().is_some()) {
                    let named = EVENT_KEYS.iter().find_map(|key| record.get(key)?.as_str());
                    let scope = self.scope(named.unwrap_or("unknown"), Some(off.clone()));
                    (self.file.item)(self, record, &scope);
                }
            }
            _ => {
                let message = format!("`hooks` takes an object, found {}", node.kind());
                let found = finding(Code::HooksNotObject, message).help(self.file.shape);
                self.report(node.span, found);
            }
        }
    }

    /// Events where `hooks` is due: they are shown, and never run.
    fn read_bare_events(&mut self, root: &Node) {
        let holds = |node: &Node| node.as_object().is_some() || node.as_array().is_some();
        let events: Vec<_> =
            root.entries().iter().filter(|entry| self.row(&entry.key).is_some()).collect();
        let Some(first) = events.iter().find(|event| holds(&event.node)) else {
            return self.misnamed(root);
        };
        let message =
            format!("`{}` stands at the top level, where no hook is looked for", first.key);
        let found = finding(Code::MissingHooksWrapper, message);
        self.report(first.key_span, found.label("never read").help(self.file.shape));
        let off = self.misplaced("it stands outside `hooks`, where no hook is looked for");
        for entry in events {
            self.event(entry, Some(off.clone()));
        }
        self.read.mentions.clear();
    }

    /// Events under a key that is nearly `hooks`: they are shown, and never run.
    fn misnamed(&mut self, root: &Node) {
        let rows = (self.file.rows)();
        let Some(entry) = misnamed(root, |key| rows.iter().any(|row| row.name == key)) else {
            return;
        };
        self.report(entry.key_span, looks_in(&entry.key));
        let off = self.misplaced("it stands outside `hooks`, where no hook is looked for");
        self.hooks(&entry.node, Some(off));
        self.read.mentions.clear();
    }

    /// An object whose keys are events.
    fn events(&mut self, map: &Node, off: Option<Off>) {
        let entries = map.entries();
        for (at, entry) in entries.iter().enumerate() {
            if self.file.beside.contains(&entry.key.as_str()) {
                continue;
            }
            let twin = |other: &Entry| other.key == entry.key;
            if self.file.runs_doubled && entries.iter().take(at).any(twin) {
                let (key, agent) = (&entry.key, self.file.agent);
                let message = format!("`{key}` is written twice: {agent} keeps only the last one");
                let found = finding(Code::DuplicateKeys, message).weighing(Severity::Warning);
                let help = "here all of them run; put the entries into one list";
                self.report(entry.key_span, found.help(help));
            }
            let again = entries.iter().skip(at + 1).any(twin);
            let off = off.clone().or_else(|| self.shadowed().filter(|_| again));
            self.event(entry, off);
        }
    }

    fn scope(&self, name: &str, off: Option<Off>) -> Scope {
        Scope { name: name.to_owned(), row: self.row(name), matcher: String::new(), off }
    }

    /// One event with its items.
    fn event(&mut self, entry: &Entry, off: Option<Off>) {
        let (key, items) = (&entry.key, self.file.items);
        // If names are open, one of these may be an event of the host.
        if is_comment(key) && !self.file.is_open {
            let message = format!("`{key}` is ignored: it is not an event");
            return self.report(entry.key_span, finding(Code::CommentKey, message));
        }
        let mut scope = self.scope(key, off);
        if scope.row.is_none() {
            let unknown = self.unknown_event(entry);
            scope.off = scope.off.or(unknown);
        }
        match &entry.node.value {
            NodeValue::Null => self.read.mentions.push(scope.event()),
            NodeValue::Array(list) => {
                self.read.mentions.push(scope.event());
                list.iter().for_each(|node| (self.file.item)(self, node, &scope));
            }
            NodeValue::Object(_) => {
                let message = format!("`{key}` takes an array of {items}, found an object");
                let found = finding(Code::EventValueIsObjectNotArray, message);
                self.report(entry.key_span, found.help("put the object in `[` and `]`"));
                let misplaced =
                    self.misplaced(&format!("it does not stand in an array of {items}"));
                scope.off = scope.off.or(Some(misplaced));
                (self.file.item)(self, &entry.node, &scope);
            }
            _ => {
                let kind = entry.node.kind();
                let message = format!("`{key}` takes an array of {items}, found {kind}");
                let found = finding(Code::EventValueNotArray, message).help(self.file.shape);
                self.report(entry.node.span, found);
            }
        }
        let is_empty = match &entry.node.value {
            NodeValue::Array(list) => list.is_empty(),
            other => *other == NodeValue::Null,
        };
        if is_empty && self.file.tells_empty {
            let message =
                format!("`{key}` has no {}, so nothing runs", items.trim_end_matches('s'));
            self.report(entry.key_span, finding(Code::EmptyEventArray, message));
        }
    }

    /// Tells of an event that the agent does not have; why its hooks never run, if they do not.
    fn unknown_event(&mut self, entry: &Entry) -> Option<Off> {
        let File { agent, id, is_open, rules, .. } = *self.file;
        let key = &entry.key;
        let near = nearest(key, (self.file.rows)().iter().map(|row| &*row.name));
        let cased = near.is_some_and(|near| plain_name(near) == plain_name(key));
        let none = format!("{agent} has no event `{key}`");
        let (found, because) = match (is_open, cased) {
            (true, _) => {
                let message = format!("{none}; the hook waits for one of that name");
                (finding(Code::UnknownEvent, message), None)
            }
            (false, true) => {
                let message = format!("no event is called `{key}`: case counts");
                (finding(Code::WrongCaseEvent, message.clone()), Some(message))
            }
            (false, false) => {
                let found = finding(Code::UnknownEvent, none.clone());
                (found.weighing(Severity::Error), Some(none))
            }
        };
        let help = match (self.elsewhere(key).filter(|_| !cased), near) {
            (Some(own), _) => format!("{agent} calls it `{own}`"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("`tenterhook events --dialect {id}` lists the events"),
        };
        let label = if is_open { "" } else { "never fires" };
        self.report(entry.key_span, found.label(label).help(help));
        because.map(|because| Off::new(because, rules.event))
    }

    /// The agent's name of an event that another agent calls `key`.
    fn elsewhere(&self, key: &str) -> Option<&'static str> {
        let mut rows = DIALECTS.iter().flat_map(|dialect| dialect.rows());
        let neutral = &rows.find(|row| row.name == key)?.event;
        let own = (self.file.rows)().iter().find(|row| row.event == *neutral)?;
        Some(&own.name).filter(|own| **own != key).map(|own| &**own)
    }

    /// Under exact reading no hook of a file that the agent rejects runs; a reload keeps the
    /// previous hooks.
    fn refuse(&mut self) {
        // An incomplete list replaces no other list (C-71).
        if self.read.lost.is_some() {
            self.read.mentions.clear();
        }
        if !self.is_exact() {
            return;
        }
        let mistake = self.findings.first_error().filter(|_| self.file.is_strict);
        let mistake = mistake.map(|mistake| mistake.message.clone());
        let Some(why) = self.refused.take().or(mistake) else { return };
        let File { agent, rules, .. } = *self.file;
        let because = format!("{agent} refuses the whole file, because {why}");
        let off = Off::new(because, rules.refused);
        for hook in &mut self.read.hooks {
            hook.arming = Off::arming(Some(off.clone()));
        }
        self.read.mentions.clear();
        self.read.unreadable = true;
    }
}

/// Tells of a key that is written twice: the agent keeps the last one. Where no hook is about it,
/// that is advice.
pub(crate) fn report_repeated_key(findings: &mut Findings<'_>, twice: &Duplicate, matters: bool) {
    let message = format!("`{}` is written twice: only the last one counts", twice.key);
    let found = finding(Code::DuplicateKeys, message);
    let found = if matters { found } else { found.weighing(Severity::Advice) };
    let line = findings.location(twice.first).line;
    let help = format!("move the contents of the first one (line {line}) into the last one");
    findings.report(twice.again, found.help(help));
}
