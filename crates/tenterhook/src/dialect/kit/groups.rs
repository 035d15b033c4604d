//! Reads a file in which events hold groups and groups hold handlers, as Claude Code's settings do. A dialect brings its words
//! and what a handler runs. A bad entry is rejected alone, with its place.

use super::entry::{self, unusable};
use super::field::Case;
use crate::diagnostic::{Code, Diagnostic, Severity, Span, nearest};
use crate::dialect::findings::{Findings, finding};
use crate::dialect::{DialectId, EventRow, GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Compat, Hook, Run};
use crate::source::{ReadConfig, Source};
use crate::syntax::{
    self, Entry, FaultKind, Format, Node, NodeValue, NotStrict, Parsed, SyntaxFault,
};

/// The words of one agent's files.
pub(in crate::dialect) struct Groups {
    /// The agent, in words.
    pub(in crate::dialect) agent: &'static str,
    pub(in crate::dialect) id: DialectId,
    /// How hooks stand in a file, for help.
    pub(in crate::dialect) shape: &'static str,
    /// The rule by which a hook is disarmed that cannot run.
    pub(in crate::dialect) rule: &'static str,
    /// Whether the case of a key of a group or handler counts.
    pub(in crate::dialect) case: Case,
    pub(in crate::dialect) rows: fn() -> &'static [EventRow],
    /// Whether a hook of an event that the agent does not have waits for one of that name; else it never runs.
    pub(in crate::dialect) is_open: bool,
    /// Keys beside the events, which hold something else.
    pub(in crate::dialect) beside: &'static [&'static str],
    /// Where the events stand in a file; what else is wrong with it is told.
    pub(in crate::dialect) find: for<'n> fn(&mut Reader<'_>, &'n Node) -> Option<&'n Node>,
    /// The types of handlers, with the field that each cannot do without. The first is the default.
    pub(in crate::dialect) types: &'static [(&'static str, &'static str)],
    /// The fields of a handler.
    pub(in crate::dialect) fields: &'static [&'static str],
    /// What is wrong with the matcher of a group: tells it.
    pub(in crate::dialect) matcher: fn(&mut Reader<'_>, &Entry, &Scope),
    /// What a handler of a type runs; the text is that of the field which the type cannot do without.
    pub(in crate::dialect) run: fn(&mut Reader<'_>, &Node, &str, String) -> Result<Run, String>,
    /// On what a handler runs, and on which terms; the error says why it never does.
    pub(in crate::dialect) terms:
        fn(&mut Reader<'_>, &Node, &Scope, &mut Hook) -> Result<(), String>,
}

/// What a handler inherits from where it stands.
#[derive(Clone, Debug)]
pub(in crate::dialect) struct Scope {
    /// The event as written.
    pub(in crate::dialect) event: EventName,
    /// What the agent's table says of it.
    pub(in crate::dialect) row: Option<&'static EventRow>,
    /// The matcher of the group as written.
    pub(in crate::dialect) matcher: String,
    /// Why nothing here runs.
    pub(in crate::dialect) off: Option<String>,
}

/// A file on its way from text to hooks.
pub(in crate::dialect) struct Reader<'a> {
    pub(in crate::dialect) source: &'a Source,
    pub(in crate::dialect) findings: Findings<'a>,
    pub(in crate::dialect) read: ReadConfig,
    /// Why the agent refuses the whole file, although it is well formed.
    pub(in crate::dialect) refused: Option<String>,
    groups: &'static Groups,
}

/// Reads `source`.
pub(in crate::dialect) fn read(
    groups: &'static Groups,
    source: &Source,
    format: Format,
) -> ReadConfig {
    let mut reader = Reader {
        source,
        findings: Findings::of(source),
        read: ReadConfig::default(),
        refused: None,
        groups,
    };
    let parsed = syntax::salvage(&source.text, format, GROUPS);
    reader.read.lost = broken::lost(source, &parsed);
    let Parsed { root, faults, .. } = parsed;
    for fault in &faults {
        reader.syntax(fault);
    }
    if let Some(root) = &root {
        reader.file(root);
    }
    // A list of which a part is lost replaces no other (C-71).
    if reader.read.lost.is_some() {
        reader.read.mentions.clear();
    }
    // The agent takes a strict text, without a byte order mark too.
    let fault = faults.iter().find(|it| it.kind != FaultKind::Empty);
    let why = fault.map(|it| it.message.clone()).or(reader.refused.take());
    if let (Compat::Exact, Some(why)) = (source.compat, why) {
        let because = format!("{} refuses the whole file, because {why}", groups.agent);
        reader.read.mentions.clear();
        reader.read.hooks.iter_mut().for_each(|it| it.disarm(because.clone(), groups.rule));
    }
    ReadConfig { diagnostics: reader.findings.into_list(), ..reader.read }
}

impl Reader<'_> {
    pub(in crate::dialect) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.findings.report(span, diagnostic);
    }

    /// The entry of a key by the agent's rules; `null` counts as absent.
    pub(in crate::dialect) fn entry<'n>(&self, node: &'n Node, key: &str) -> Option<&'n Entry> {
        self.groups.case.entry(node, key)
    }

    pub(in crate::dialect) fn flag(&mut self, node: &Node, key: &str) -> bool {
        self.findings.flag(self.groups.case.entry(node, key))
    }

    pub(in crate::dialect) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.findings.text(self.groups.case.entry(node, key)).map(str::to_owned)
    }

    fn syntax(&mut self, fault: &SyntaxFault) {
        let agent = self.groups.agent;
        let found = match fault.kind {
            FaultKind::Empty => finding(Code::EmptyFile, "the file is empty"),
            FaultKind::Broken | FaultKind::Limit => {
                self.read.unreadable = true;
                finding(
                    Code::NotStrictJson,
                    format!(
                        "{agent} refuses the whole file; of its hooks those run here that are whole: {}",
                        fault.message
                    ),
                )
            }
            FaultKind::NotStrict(NotStrict::ByteOrderMark) => {
                finding(Code::ByteOrderMark, fault.message.clone())
            }
            FaultKind::NotStrict(_) => finding(
                Code::NotStrictJson,
                format!("{agent} refuses the whole file; its hooks run here: {}", fault.message),
            ),
        };
        let found = found.label("here");
        let found = match &fault.help {
            Some(help) => found.help(help.clone()),
            None => found,
        };
        self.report(fault.span, found);
    }

    fn file(&mut self, root: &Node) {
        if root.as_object().is_none() {
            let message = format!("expected an object, found {}", root.kind());
            return self
                .report(root.span, finding(Code::NotAnObject, message).help(self.groups.shape));
        }
        for twice in root.duplicates() {
            let message = format!("`{}` is written twice: only the last one counts", twice.key);
            self.report(twice.again, finding(Code::DuplicateKeys, message));
        }
        let Some(hooks) = (self.groups.find)(self, root) else { return };
        match &hooks.value {
            NodeValue::Object(_) => self.events(hooks),
            NodeValue::Null => {}
            _ => {
                let message = format!("`hooks` takes an object, found {}", hooks.kind());
                let found = finding(Code::HooksNotObject, message).help(self.groups.shape);
                self.report(hooks.span, found);
            }
        }
    }

    /// Tells that an event stands where `hooks` is due.
    pub(in crate::dialect) fn bare(&mut self, root: &Node) {
        if let Some(bare) = root.entries().iter().find(|it| self.row(&it.key).is_some()) {
            let message =
                format!("`{}` stands at the top level, where no hook is looked for", bare.key);
            let found = finding(Code::MissingHooksWrapper, message).help(self.groups.shape);
            self.report(bare.key_span, found);
        }
    }

    fn row(&self, name: &str) -> Option<&'static EventRow> {
        (self.groups.rows)().iter().find(|row| row.name == name)
    }

    /// An object whose keys are events.
    pub(in crate::dialect) fn events(&mut self, map: &Node) {
        for (at, entry) in map.entries().iter().enumerate() {
            if self.groups.beside.contains(&entry.key.as_str()) {
                continue;
            }
            let again = map.entries().iter().skip(at + 1).any(|later| later.key == entry.key);
            let off = again.then(|| "its key is written again below".to_owned());
            self.event(entry, off);
        }
    }

    /// One event with its groups.
    fn event(&mut self, entry: &Entry, mut off: Option<String>) {
        let row = self.row(&entry.key);
        if row.is_none() {
            off = off.or(self.unknown_event(entry));
        }
        let event = EventName::new(row.map_or(entry.key.as_str(), |row| &*row.event));
        let scope = Scope { event: event.clone(), row, matcher: String::new(), off };
        match &entry.node.value {
            NodeValue::Array(groups) => {
                self.read.mentions.push(event);
                groups.iter().for_each(|group| self.group(group, &scope));
            }
            NodeValue::Null => self.read.mentions.push(event),
            _ => {
                let (key, kind) = (&entry.key, entry.node.kind());
                let message = format!("`{key}` takes an array of groups, found {kind}");
                let found = finding(Code::EventValueNotArray, message).help(self.groups.shape);
                self.report(entry.key_span, found);
                let because = "it does not stand in an array of groups".to_owned();
                if entry.node.as_object().is_some() {
                    let off = scope.off.or(Some(because));
                    self.group(&entry.node, &Scope { off, event, row, matcher: String::new() });
                }
            }
        }
    }

    /// Tells of an event that the agent does not have; why its hooks never run, if they do not.
    fn unknown_event(&mut self, entry: &Entry) -> Option<String> {
        let Groups { agent, id, is_open, .. } = *self.groups;
        let none = format!("{agent} has no event `{}`", entry.key);
        let found = match is_open {
            true => {
                finding(Code::UnknownEvent, format!("{none}; the hook waits for one of that name"))
            }
            false => finding(Code::UnknownEvent, none.clone())
                .weighing(Severity::Error)
                .label("never fires"),
        };
        let help = match nearest(&entry.key, (self.groups.rows)().iter().map(|row| &*row.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`tenterhook events --dialect {id}` lists the events"),
        };
        self.report(entry.key_span, found.help(help));
        (!is_open).then_some(none)
    }

    /// One group: a matcher and handlers.
    fn group(&mut self, node: &Node, scope: &Scope) {
        let Groups { shape, case, .. } = *self.groups;
        if node.as_object().is_none() {
            let message = format!("expected a group, found {}", node.kind());
            return self.report(node.span, finding(Code::GroupNotObject, message).help(shape));
        }
        let scope = self.scope(node, scope);
        let hooks = case.written(node, "hooks");
        if hooks.is_none() && self.is_handler(node) {
            let message = "a handler stands where a group is due: its inner `hooks` is missing";
            self.report(node.span, finding(Code::MissingInnerHooksArray, message).help(shape));
            let because = "it does not stand in the `hooks` of a group".to_owned();
            let scope = Scope { off: scope.off.or(Some(because)), ..scope };
            return self.handler(node, &scope);
        }
        let known = ["matcher", "hooks"];
        for entry in
            node.entries().iter().filter(|it| !known.iter().any(|key| case.is(&it.key, key)))
        {
            let otherwise = Some("a group has `matcher` and `hooks`");
            let code = Code::UnknownGroupField;
            entry::unknown_field(&mut self.findings, entry, code, "a group", &known, otherwise);
        }
        match hooks.map(|it| (&it.node.value, it)) {
            Some((NodeValue::Array(handlers), _)) if !handlers.is_empty() => {
                handlers.iter().for_each(|it| self.handler(it, &scope));
            }
            Some((NodeValue::Array(_) | NodeValue::Null, entry)) => {
                let message = "`hooks` is empty, so the group runs nothing";
                self.report(entry.key_span, finding(Code::EmptyInnerHooks, message));
            }
            Some((_, entry)) => {
                let kind = entry.node.kind();
                let message = format!("`hooks` takes an array of handlers, found {kind}");
                self.report(entry.key_span, finding(Code::InnerHooksNotArray, message).help(shape));
            }
            None => {
                let message = "the group has no `hooks`, so nothing runs";
                self.report(node.span, finding(Code::GroupWithoutHooks, message).help(shape));
            }
        }
    }

    /// Whether the node has fields that only handlers have.
    fn is_handler(&self, node: &Node) -> bool {
        let needed = self.groups.types.iter().map(|(_, needed)| *needed);
        needed.chain(["type"]).any(|key| self.groups.case.written(node, key).is_some())
    }

    /// The scope of a group: its matcher, and what is wrong with it.
    fn scope(&mut self, node: &Node, scope: &Scope) -> Scope {
        let Some(entry) = self.entry(node, "matcher") else { return scope.clone() };
        let Some(text) = entry.node.as_str() else {
            let kind = entry.node.kind();
            let message = format!("`matcher` takes a string, found {kind}");
            let found = finding(Code::MatcherNotString, message)
                .help("write the names as one string: `\"Edit|Write\"`");
            self.report(entry.key_span, found);
            let because = format!("its `matcher` is {kind}, which cannot be read");
            return Scope { off: scope.off.clone().or(Some(because)), ..scope.clone() };
        };
        let scope = Scope { matcher: text.to_owned(), ..scope.clone() };
        (self.groups.matcher)(self, entry, &scope);
        scope
    }

    /// One handler. A field that decides what runs, or on what, and cannot be read costs the handler; any other is ignored and
    /// the hook lives.
    fn handler(&mut self, node: &Node, scope: &Scope) {
        if node.as_object().is_none() {
            let message = format!("expected a handler, found {}", node.kind());
            let found = finding(Code::HandlerNotObject, message)
                .help("write `{\"type\": \"command\", \"command\": \"...\"}`");
            return self.report(node.span, found);
        }
        self.unknown_fields(node, scope);
        let (run, mut off) = match self.run(node) {
            Ok(run) => (run, scope.off.clone()),
            Err(why) => (unusable(why.clone()), scope.off.clone().or(Some(why))),
        };
        let Groups { id: dialect, rule, terms, .. } = *self.groups;
        let name = scope.row.map_or(scope.event.as_str(), |row| &*row.name);
        let word = entry::source_word(self.source);
        let id = entry::id(&mut self.findings, &word, name, &scope.matcher);
        let mut hook = entry::draft(self.source, id, dialect, scope.event.clone(), run);
        hook.place = Some(self.findings.place(node.span));
        off = off.or(terms(self, node, scope, &mut hook).err());
        if let Some(because) = off {
            hook.disarm(because, rule);
        }
        self.read.hooks.push(hook);
    }

    fn unknown_fields(&mut self, node: &Node, scope: &Scope) {
        let Groups { case, fields, .. } = *self.groups;
        // A handler that stands where its group is due has the group's matcher beside its own fields.
        let flat = scope.off.is_some();
        for field in node.entries() {
            let known = fields.iter().any(|it| case.is(&field.key, it));
            let is_groups = flat && case.is(&field.key, "matcher");
            if !known && !is_groups {
                let code = Code::UnknownHandlerField;
                entry::unknown_field(&mut self.findings, field, code, "a handler", fields, None);
            }
        }
    }

    /// What a handler runs, by its type and the field that the type cannot do without.
    fn run(&mut self, node: &Node) -> Result<Run, String> {
        let types = self.groups.types;
        let field = self.entry(node, "type");
        let kind = match field.map(|it| it.node.as_str()) {
            None | Some(Some("")) => types.first().map_or("", |(name, _)| name),
            Some(Some(kind)) => kind,
            Some(None) => {
                self.findings.text(field);
                return Err("its `type` is not a string".to_owned());
            }
        };
        let Some((_, needed)) = types.iter().find(|(name, _)| *name == kind) else {
            let span = field.map_or(node.span, |it| it.node.span);
            let names = || types.iter().map(|(name, _)| *name);
            let message = format!("no handler type is called `{kind}`");
            let help = match nearest(kind, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the types are {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.report(span, finding(Code::UnknownHandlerType, message).help(help));
            return Err(format!("no handler type is called `{kind}`"));
        };
        let text = self.text(node, needed).filter(|text| !text.trim().is_empty());
        let Some(text) = text else {
            let message = format!("the handler has no `{needed}`");
            let found = finding(Code::HandlerMissingField, message).label("never runs");
            self.report(node.span, found.help(format!("add `\"{needed}\": \"...\"`")));
            return Err(format!("it has no `{needed}`"));
        };
        (self.groups.run)(self, node, kind, text)
    }
}
