//! Walks over a file in which each event holds a list, be it of groups as in Claude Code's settings
//! or of the hooks themselves, and says what is wrong with it as a whole. A dialect brings the
//! words of its files and the reader of one item; an item with a fault is rejected alone, with its
//! place.

mod format;
mod layout;

use super::entry::{is_comment_key, letters_and_digits};
use crate::diagnostic::{Code, Diagnostic, Severity, Span, nearest_word};
use crate::dialect::findings::{Findings, finding_without_location};
use crate::dialect::{DIALECTS, EventRow, GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Arming, Compat, Hook};
use crate::source::{ReadConfig, Source};
use crate::syntax::{self, Duplicate, Entry, Format, Node, NodeValue};
pub(crate) use format::{refusal_of_whole_file_phrase, syntax_finding};
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

    /// Returns the arming of a hook: disarmed if there is a reason, else armed.
    pub(crate) fn arming_from_reason(off: Option<Self>) -> Arming {
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
    /// The expression of the group that a command line must match, if it has one.
    pub(crate) command_filter: Option<String>,
    /// Why nothing here runs.
    pub(crate) off: Option<Off>,
}

impl Scope {
    /// Creates the scope of an entry that names its event itself, in a list for all events.
    pub(crate) fn of_listed_entry(
        reader: &mut Reader<'_>,
        (name, row): (&str, Option<&'static EventRow>),
        matcher: Option<&str>,
        off: Option<Off>,
    ) -> Self {
        let matcher = matcher.unwrap_or_default().to_owned();
        let name = row.map_or(name, |row| &*row.name).to_owned();
        let scope = Self { name, row, matcher, command_filter: None, off };
        if row.is_some() {
            reader.read.mentions.push(scope.event_name());
        }
        scope
    }

    /// Returns the neutral name of the event.
    pub(crate) fn event_name(&self) -> EventName {
        EventName::new(self.row.map_or(self.name.as_str(), |row| &*row.event))
    }
}

/// Keys under which a list of records names the event of each.
const EVENT_KEYS: &[&str] = &["event", "hook_event", "hook_event_name", "hook", "on", "name"];

/// How groups are written in TOML, for help.
const TOML_SHAPE: &str = "write `[[hooks.PreToolUse]]` with `matcher = \"Bash\"`, and below it \
    `[[hooks.PreToolUse.hooks]]` with `type = \"command\"` and `command = \"...\"`";

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

/// Finds the entry that holds events and whose key is nearly `hooks`.
pub(crate) fn find_misnamed_hooks(root: &Node, is_event: impl Fn(&str) -> bool) -> Option<&Entry> {
    let holds = |entry: &&Entry| entry.node.entries().iter().any(|inner| is_event(&inner.key));
    let is_near =
        |entry: &&Entry| entry.key != "hooks" && nearest_word(&entry.key, ["hooks"]).is_some();
    root.entries().iter().filter(is_near).find(holds)
}

/// Creates the finding that a key which is nearly `hooks` is not read.
pub(crate) fn misnamed_hooks_finding(key: &str) -> Diagnostic {
    finding_without_location(Code::MissingHooksWrapper, format!("no hook is looked for in `{key}`"))
        .label("never read")
        .help("did you mean `hooks`?")
}

/// Reads the hooks of `source`.
pub(crate) fn read_config(file: &'static File, source: &Source, format: Format) -> ReadConfig {
    let (findings, read) = (Findings::new(source), ReadConfig::default());
    let mut reader = Reader { source, file, format, findings, read, refused: None };
    let parsed = syntax::parse_or_salvage(&source.text, format, GROUPS);
    reader.read.lost = broken::find_lost_part(source, &parsed);
    reader.report_syntax_faults(&parsed);
    if let Some(root) = &parsed.root {
        reader.read_root(root);
        reader.report_refused_value(root);
        reader.report_stopped_events(root);
    }
    reader.disarm_refused_file();
    ReadConfig { diagnostics: reader.findings.into_list(), ..reader.read }
}

impl Reader<'_> {
    pub(crate) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.findings.report(span, diagnostic);
    }

    /// Returns the entry of a key by the agent's rules; `null` is the same as absent.
    pub(crate) fn non_null_entry<'n>(&self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        self.file.case.non_null_entry_of_key(node, key)
    }

    pub(crate) fn read_flag(&mut self, node: &Node, key: &str) -> bool {
        self.findings.read_flag(self.file.case.non_null_entry_of_key(node, key))
    }

    pub(crate) fn read_text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.findings.read_text(self.file.case.non_null_entry_of_key(node, key)).map(str::to_owned)
    }

    /// Returns `true` if the node is an object; reports any other node. `what` describes what is
    /// expected.
    pub(crate) fn is_object_else_reports(&mut self, node: &Node, what: &str, code: Code) -> bool {
        if node.as_object().is_none() {
            let message = format!("expected {what}, found {}", node.kind_with_article());
            self.report(node.span, finding_without_location(code, message).help(self.shape_help()));
        }
        node.as_object().is_some()
    }

    /// Returns how hooks are written in a file of this format, for help.
    pub(super) fn shape_help(&self) -> &'static str {
        match self.format {
            Format::Toml => TOML_SHAPE,
            _ => self.file.shape,
        }
    }

    fn event_row(&self, name: &str) -> Option<&'static EventRow> {
        let rows = (self.file.rows)();
        rows.iter().find(|row| (self.file.is_event)(name, &row.name))
    }

    fn is_exact_compat(&self) -> bool {
        self.source.compat == Compat::Exact
    }

    fn read_root(&mut self, root: &Node) {
        if !self.is_object_else_reports(root, "an object", Code::NotAnObject) {
            self.read.unreadable = true;
            return;
        }
        if self.file.is_named {
            return self.read_named_hooks(root);
        }
        let written: Vec<_> = root.entries().iter().filter(|entry| entry.key == "hooks").collect();
        self.report_repeated_keys(root, &written);
        let events = (self.file.find)(self, root);
        if let Some((_, earlier)) = written.split_last() {
            for entry in earlier {
                let off = self.off_because_key_repeated();
                self.read_hooks(&entry.node, off);
            }
        } else if self.format == Format::Json
            && !events.is_some_and(|events| std::ptr::eq(events, root))
        {
            self.read_top_level_events(root);
        }
        if let Some(events) = events {
            self.read_hooks(events, None);
        }
    }

    /// Reads a root whose keys are names of hooks. `enabled: false` beside the events switches off
    /// one of them.
    fn read_named_hooks(&mut self, root: &Node) {
        let all: Vec<_> = root.entries().iter().collect();
        self.report_repeated_keys(root, &all);
        for (at, named) in all.iter().enumerate().filter(|(_, named)| !named.node.is_null()) {
            let again = all.iter().skip(at + 1).any(|other| other.key == named.key);
            let enabled = self.file.case.last_entry_of_key(&named.node, "enabled");
            let disabled = enabled.filter(|entry| entry.node.as_bool() == Some(false));
            if let Some(entry) = disabled {
                let message = format!("`enabled` switches `{}` off", named.key);
                self.report(entry.key_span, finding_without_location(Code::HooksDisabled, message));
            }
            let switched = disabled.map(|_| Off::new("it is not `enabled`", self.file.rules.item));
            let repeated = self.off_because_key_repeated().filter(|_| again);
            self.read_hooks(&named.node, switched.or(repeated));
        }
    }

    /// Reports keys that are written twice, of which the agent keeps the last. If no hook is
    /// affected, the finding is advice.
    fn report_repeated_keys(&mut self, root: &Node, hooks: &[&Entry]) {
        let is_event = |twice: &Duplicate| {
            let mut events = hooks.iter().flat_map(|hook| hook.node.entries());
            events.any(|event| event.key_span == twice.again)
        };
        let runs_doubled = self.file.runs_doubled;
        for twice in root
            .duplicate_keys()
            .into_iter()
            .filter(|duplicate| !(runs_doubled && is_event(duplicate)))
        {
            let again = twice.again;
            let within = |entry: &&Entry| {
                entry.key_span.start <= again.start && again.end <= entry.node.span.end
            };
            let mut events =
                root.entries().iter().filter(|entry| self.event_row(&entry.key).is_some());
            let matters = hooks.iter().any(within) || events.any(|event| within(&event));
            report_repeated_key(&mut self.findings, &twice, matters);
        }
    }

    /// Returns why the hooks under a repeated key never run, if the agent keeps only the last one.
    fn off_because_key_repeated(&self) -> Option<Off> {
        let because = "its key is written again below, and only the last one counts";
        let runs = self.file.runs_doubled && !self.is_exact_compat();
        (!runs).then(|| Off::new(because, self.file.rules.shadowed))
    }

    fn off_because_misplaced(&self, because: &str) -> Off {
        Off::new(because, self.file.rules.misplaced)
    }

    /// Reads the value of `hooks`.
    pub(crate) fn read_hooks(&mut self, node: &Node, off: Option<Off>) {
        match &node.value {
            NodeValue::Object(_) => self.read_events(node, off),
            NodeValue::Null => {}
            NodeValue::Array(records) => {
                let agent = self.file.agent;
                let message = format!(
                    "`hooks` is an array: {agent} reads an object with a key for each event"
                );
                self.report(
                    node.span,
                    finding_without_location(Code::HooksIsArray, message).help(self.shape_help()),
                );
                let misplaced = self
                    .off_because_misplaced("it stands in an array, where no hook is looked for");
                let off = off.unwrap_or(misplaced);
                for record in records.iter().filter(|record| record.as_object().is_some()) {
                    let named = EVENT_KEYS.iter().find_map(|key| record.get(key)?.as_str());
                    let scope = self.scope_of_event(named.unwrap_or("unknown"), Some(off.clone()));
                    (self.file.item)(self, record, &scope);
                }
            }
            _ => {
                let message =
                    format!("`hooks` takes an object, found {}", node.kind_with_article());
                let found =
                    finding_without_location(Code::HooksNotObject, message).help(self.shape_help());
                self.report(node.span, found);
            }
        }
    }

    /// Reads events at the top level, where `hooks` is expected: they are shown and never run.
    fn read_top_level_events(&mut self, root: &Node) {
        let holds = |node: &Node| node.as_object().is_some() || node.as_array().is_some();
        let events: Vec<_> =
            root.entries().iter().filter(|entry| self.event_row(&entry.key).is_some()).collect();
        let Some(first) = events.iter().find(|event| holds(&event.node)) else {
            return self.read_misnamed_hooks(root);
        };
        let message =
            format!("`{}` stands at the top level, where no hook is looked for", first.key);
        let found = finding_without_location(Code::MissingHooksWrapper, message);
        self.report(first.key_span, found.label("never read").help(self.shape_help()));
        let off =
            self.off_because_misplaced("it stands outside `hooks`, where no hook is looked for");
        for entry in events {
            self.read_event(entry, Some(off.clone()));
        }
        self.read.mentions.clear();
    }

    /// Reads events under a key that is nearly `hooks`: they are shown and never run.
    fn read_misnamed_hooks(&mut self, root: &Node) {
        let rows = (self.file.rows)();
        let Some(entry) = find_misnamed_hooks(root, |key| rows.iter().any(|row| row.name == key))
        else {
            return;
        };
        self.report(entry.key_span, misnamed_hooks_finding(&entry.key));
        let off =
            self.off_because_misplaced("it stands outside `hooks`, where no hook is looked for");
        self.read_hooks(&entry.node, Some(off));
        self.read.mentions.clear();
    }

    /// Reads an object whose keys are events.
    fn read_events(&mut self, map: &Node, off: Option<Off>) {
        let entries = map.entries();
        for (at, entry) in entries.iter().enumerate() {
            let is_beside = |key: &&str| self.file.case.matches_key(&entry.key, key);
            if self.file.beside.iter().any(is_beside) {
                continue;
            }
            let twin = |other: &Entry| other.key == entry.key;
            if self.file.runs_doubled && entries.iter().take(at).any(twin) {
                let (key, agent) = (&entry.key, self.file.agent);
                let message = format!("`{key}` is written twice: {agent} keeps only the last one");
                let found = finding_without_location(Code::DuplicateKeys, message)
                    .with_severity(Severity::Warning);
                let help = "here all of them run; put the entries into one list";
                self.report(entry.key_span, found.help(help));
            }
            let again = entries.iter().skip(at + 1).any(twin);
            let off = off.clone().or_else(|| self.off_because_key_repeated().filter(|_| again));
            self.read_event(entry, off);
        }
    }

    fn scope_of_event(&self, name: &str, off: Option<Off>) -> Scope {
        let row = self.event_row(name);
        Scope { name: name.to_owned(), row, matcher: String::new(), command_filter: None, off }
    }

    /// Reads one event with its items.
    fn read_event(&mut self, entry: &Entry, off: Option<Off>) {
        let (key, items) = (&entry.key, self.file.items);
        // If names are open, one of these may be an event of the host.
        if is_comment_key(key) && !self.file.is_open {
            let message = format!("`{key}` is ignored: it is not an event");
            return self
                .report(entry.key_span, finding_without_location(Code::CommentKey, message));
        }
        let mut scope = self.scope_of_event(key, off);
        if scope.row.is_none() {
            let unknown = self.report_unknown_event(&entry.key, entry.key_span);
            scope.off = scope.off.or(unknown);
        }
        let is_no_event =
            scope.row.is_none() && !self.file.is_open && self.event_meant_by(key).is_none();
        let (found, refused) = (self.findings.count(), self.refused.is_some());
        match &entry.node.value {
            NodeValue::Null => self.read.mentions.push(scope.event_name()),
            NodeValue::Array(list) => {
                self.read.mentions.push(scope.event_name());
                list.iter().for_each(|node| (self.file.item)(self, node, &scope));
            }
            NodeValue::Object(_) => {
                let message = format!("`{key}` takes an array of {items}, found an object");
                let found = finding_without_location(Code::EventValueIsObjectNotArray, message);
                self.report(entry.key_span, found.help("put the object in `[` and `]`"));
                let misplaced = self
                    .off_because_misplaced(&format!("it does not stand in an array of {items}"));
                scope.off = scope.off.or(Some(misplaced));
                (self.file.item)(self, &entry.node, &scope);
            }
            _ => {
                let kind = entry.node.kind_with_article();
                let message = format!("`{key}` takes an array of {items}, found {kind}");
                let found = finding_without_location(Code::EventValueNotArray, message)
                    .help(self.shape_help());
                self.report(entry.node.span, found);
            }
        }
        // The hooks never run, so their findings would only hide the first one (C-144).
        if is_no_event && self.refused.is_some() == refused {
            self.findings.keep_first(found);
        }
        let is_empty = match &entry.node.value {
            NodeValue::Array(list) => list.is_empty(),
            other => *other == NodeValue::Null,
        };
        if is_empty && self.file.tells_empty {
            let message =
                format!("`{key}` has no {}, so nothing runs", items.trim_end_matches('s'));
            self.report(entry.key_span, finding_without_location(Code::EmptyEventArray, message));
        }
    }

    /// Returns the agent's event that somebody meant by the unknown name `key`.
    fn event_meant_by(&self, key: &str) -> Option<&'static str> {
        let rows = (self.file.rows)().iter();
        self.own_name_of_foreign_event(key)
            .or_else(|| nearest_word(key, rows.map(|row| &*row.name)))
    }

    /// Reports an event that the agent does not have, at its name. Returns why its hooks never run,
    /// unless names of events are open.
    pub(crate) fn report_unknown_event(&mut self, key: &str, span: Span) -> Option<Off> {
        let File { agent, id, is_open, rules, .. } = *self.file;
        let near = nearest_word(key, (self.file.rows)().iter().map(|row| &*row.name));
        let cased = near.is_some_and(|near| letters_and_digits(near) == letters_and_digits(key));
        let none = format!("{agent} has no event `{key}`");
        let (found, because) = match (is_open, cased) {
            (true, _) => {
                let message = format!("{none}; the hook waits for one of that name");
                (finding_without_location(Code::UnknownEvent, message), None)
            }
            (false, true) => {
                let message = format!("no event is called `{key}`: case counts");
                (finding_without_location(Code::WrongCaseEvent, message.clone()), Some(message))
            }
            (false, false) => {
                let found = finding_without_location(Code::UnknownEvent, none.clone());
                (found.with_severity(Severity::Error), Some(none))
            }
        };
        let help = match (self.own_name_of_foreign_event(key).filter(|_| !cased), near) {
            (Some(own), _) => format!("{agent} calls it `{own}`"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("`tenterhook events --dialect {id}` lists the events"),
        };
        let label = if is_open { "" } else { "never fires" };
        self.report(span, found.label(label).help(help));
        because.map(|because| Off::new(because, rules.event))
    }

    /// Returns the agent's name of an event that another agent calls `key`.
    fn own_name_of_foreign_event(&self, key: &str) -> Option<&'static str> {
        let mut rows = DIALECTS.iter().flat_map(|dialect| dialect.event_rows());
        let neutral = &rows.find(|row| row.name == key)?.event;
        let own = (self.file.rows)().iter().find(|row| row.event == *neutral)?;
        Some(&own.name).filter(|own| **own != key).map(|own| &**own)
    }

    /// Reports the value for which the agent refuses the whole file.
    fn report_refused_value(&mut self, root: &Node) {
        let value = self.file.id.dialect().find_refused_value(root);
        let is_refused = self.read.lost.is_none() && !self.file.skips_items_alone;
        let Some(value) = value.filter(|_| is_refused) else { return };
        let refuses = refusal_of_whole_file_phrase(self.source, self.file.agent);
        self.findings.report_refused_value(&value, &refuses);
        self.refused.get_or_insert_with(|| value.sentence());
    }

    /// Reports the values that stop all hooks of an event; with exact reading those of this file
    /// are disarmed.
    fn report_stopped_events(&mut self, root: &Node) {
        let File { agent, rules, .. } = *self.file;
        for stopped in self.file.id.dialect().find_stopped_events(root) {
            let effect = stopped.effect(agent);
            self.findings.report_refused_value(&stopped.value, &effect);
            let event = self.scope_of_event(&stopped.event, None).event_name();
            let off = Off::new(format!("{effect}: {}", stopped.value.sentence()), rules.item);
            let is_stopped = |hook: &&mut Hook| hook.event == event;
            for hook in self.read.hooks.iter_mut().filter(is_stopped) {
                if self.source.compat == Compat::Exact {
                    hook.arming = Off::arming_from_reason(Some(off.clone()));
                }
            }
        }
    }

    /// Disarms all hooks of a file that the agent rejects, under exact reading; a reload keeps the
    /// previous hooks.
    fn disarm_refused_file(&mut self) {
        // An incomplete list replaces no other list (C-71).
        if self.read.lost.is_some() {
            self.read.mentions.clear();
        }
        if !self.is_exact_compat() {
            return;
        }
        let mistake = self.findings.first_error().filter(|_| self.file.is_strict);
        let mistake = mistake.map(|mistake| mistake.message.clone());
        let Some(why) = self.refused.take().or(mistake) else { return };
        let File { agent, rules, .. } = *self.file;
        let because = format!("{agent} refuses the whole file, because {why}");
        let off = Off::new(because, rules.refused);
        for hook in &mut self.read.hooks {
            hook.arming = Off::arming_from_reason(Some(off.clone()));
        }
        self.read.mentions.clear();
        self.read.unreadable = true;
    }
}

/// Reports a key that is written twice, of which the agent keeps the last. If no hook is affected
/// (`matters` is false), the finding is advice.
pub(crate) fn report_repeated_key(findings: &mut Findings<'_>, twice: &Duplicate, matters: bool) {
    let message = format!("`{}` is written twice: only the last one counts", twice.key);
    let found = finding_without_location(Code::DuplicateKeys, message);
    let found = if matters { found } else { found.with_severity(Severity::Advice) };
    let line = findings.location(twice.first).line;
    let help = format!("move the contents of the first one (line {line}) into the last one");
    findings.report(twice.again, found.help(help));
}
