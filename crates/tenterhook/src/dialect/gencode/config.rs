//! Reads one settings file of Gen, or a plugin's manifest: its events, groups, and what is wrong with them (G-4, G-5).
//! Handlers are read in `handler.rs`. A bad entry is rejected alone: the agent skips the whole file.

use super::{events, handler, matcher};
use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::dialect::findings::{Findings, finding};
use crate::dialect::{GROUPS, broken};
use crate::event::EventName;
use crate::hook::{Compat, Hook};
use crate::source::{ReadConfig, Source};
use crate::syntax::{
    self, Entry, FaultKind, Format, Node, NodeValue, NotStrict, Parsed, SyntaxFault,
};

/// How hooks stand in a file.
const SHAPE: &str = r#"write `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "..."}]}]}}`"#;

/// Reads `source`.
pub(super) fn read(source: &Source) -> ReadConfig {
    let mut reader = Reader { source, findings: Findings::of(source), read: ReadConfig::default() };
    let parsed = syntax::salvage(&source.text, Format::Json, GROUPS);
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
    let exact = source.compat == Compat::Exact;
    if let (true, Some(fault)) = (exact, faults.iter().find(|it| is_refused(it))) {
        let because = format!("Gen refuses the whole file, because {}", fault.message);
        reader.read.mentions.clear();
        reader.read.hooks.iter_mut().for_each(|it| it.disarm(because.clone(), "G-4"));
    }
    ReadConfig { diagnostics: reader.findings.into_list(), ..reader.read }
}

/// Whether the agent refuses the file: it takes strict JSON, without a byte order mark too.
fn is_refused(fault: &SyntaxFault) -> bool {
    fault.kind != FaultKind::Empty
}

/// What a handler inherits from where it stands.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) event: EventName,
    /// The matcher of the group as written.
    pub(super) matcher: String,
    /// Why nothing here runs.
    pub(super) off: Option<String>,
}

/// A file on its way from text to hooks.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    findings: Findings<'a>,
    read: ReadConfig,
}

impl Reader<'_> {
    pub(super) fn report(&mut self, span: Span, diagnostic: Diagnostic) {
        self.findings.report(span, diagnostic);
    }

    /// Adds a hook that stands at `span`.
    pub(super) fn add(&mut self, span: Span, mut hook: Hook, off: Option<String>) {
        hook.place = Some(self.findings.place(span));
        if let Some(because) = off {
            hook.disarm(because, "G-4");
        }
        self.read.hooks.push(hook);
    }

    pub(super) fn ordinal(&mut self, name: &str) -> usize {
        self.findings.ordinal(name)
    }

    fn syntax(&mut self, fault: &SyntaxFault) {
        let found = match fault.kind {
            FaultKind::Empty => finding(Code::EmptyFile, "the file is empty"),
            FaultKind::Broken | FaultKind::Limit => {
                self.read.unreadable = true;
                finding(
                    Code::NotStrictJson,
                    format!(
                        "Gen refuses the whole file; of its hooks those run here that are whole: {}",
                        fault.message
                    ),
                )
            }
            FaultKind::NotStrict(NotStrict::ByteOrderMark) => {
                finding(Code::ByteOrderMark, fault.message.clone())
            }
            FaultKind::NotStrict(_) => finding(
                Code::NotStrictJson,
                format!("Gen refuses the whole file; its hooks run here: {}", fault.message),
            ),
        };
        let found = found.label("here");
        self.report(
            fault.span,
            match &fault.help {
                Some(help) => found.help(help.clone()),
                None => found,
            },
        );
    }

    fn file(&mut self, root: &Node) {
        if root.as_object().is_none() {
            let message = format!("expected an object, found {}", root.kind());
            return self.report(root.span, finding(Code::NotAnObject, message).help(SHAPE));
        }
        for twice in root.duplicates() {
            let message = format!("`{}` is written twice: only the last one counts", twice.key);
            self.report(twice.again, finding(Code::DuplicateKeys, message));
        }
        let Some(hooks) = root.get("hooks") else {
            let bare = root.entries().iter().find(|it| events::find(&it.key).is_some());
            if let Some(bare) = bare {
                let message =
                    format!("`{}` stands at the top level, where no hook is looked for", bare.key);
                self.report(bare.key_span, finding(Code::MissingHooksWrapper, message).help(SHAPE));
            }
            return;
        };
        match &hooks.value {
            // A plugin's manifest may name a file, which is a source of its own, or hold what such a file would.
            NodeValue::String(_) if self.is_manifest() => {}
            NodeValue::Object(_) if self.is_manifest() && hooks.get("hooks").is_some() => {
                hooks.get("hooks").into_iter().for_each(|it| self.events(it));
            }
            NodeValue::Object(_) => self.events(hooks),
            NodeValue::Null => {}
            _ => {
                let message = format!("`hooks` takes an object, found {}", hooks.kind());
                self.report(hooks.span, finding(Code::HooksNotObject, message).help(SHAPE));
            }
        }
    }

    fn is_manifest(&self) -> bool {
        self.source.name.ends_with("plugin.json")
    }

    fn events(&mut self, map: &Node) {
        for (at, entry) in map.entries().iter().enumerate() {
            let again = map.entries().iter().skip(at + 1).any(|later| later.key == entry.key);
            let off = again.then(|| "its key is written again below".to_owned());
            self.event(entry, off);
        }
    }

    /// One event with its groups. An event that is mentioned replaces weaker layers, with nothing too (G-2).
    fn event(&mut self, entry: &Entry, off: Option<String>) {
        if events::find(&entry.key).is_none() {
            self.unknown_event(entry);
        }
        let event = EventName::new(entry.key.as_str());
        let scope = Scope { event: event.clone(), matcher: String::new(), off };
        match &entry.node.value {
            NodeValue::Array(groups) => {
                self.read.mentions.push(event);
                groups.iter().for_each(|group| self.group(group, &scope));
            }
            NodeValue::Null => self.read.mentions.push(event),
            _ => {
                let message = format!(
                    "`{}` takes an array of groups, found {}",
                    entry.key,
                    entry.node.kind()
                );
                self.report(entry.key_span, finding(Code::EventValueNotArray, message).help(SHAPE));
                let because = "it does not stand in an array of groups".to_owned();
                if entry.node.as_object().is_some() {
                    self.group(
                        &entry.node,
                        &Scope { off: scope.off.or(Some(because)), event, matcher: String::new() },
                    );
                }
            }
        }
    }

    /// Names of events are open (ruling 13): the hook is armed for an event of that name.
    fn unknown_event(&mut self, entry: &Entry) {
        let message =
            format!("Gen has no event `{}`; the hook waits for one of that name", entry.key);
        let found = finding(Code::UnknownEvent, message);
        let help = match nearest(&entry.key, events::ROWS.iter().map(|row| &*row.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`tenterhook events --dialect gen` lists the events".to_owned(),
        };
        self.report(entry.key_span, found.help(help));
    }

    /// One group: a matcher and handlers.
    fn group(&mut self, node: &Node, scope: &Scope) {
        if node.as_object().is_none() {
            let message = format!("expected a group, found {}", node.kind());
            return self.report(node.span, finding(Code::GroupNotObject, message).help(SHAPE));
        }
        let scope = self.matcher(node, scope);
        let known = |key: &str| ["matcher", "hooks"].iter().any(|it| key.eq_ignore_ascii_case(it));
        let flat = handler::field(node, "hooks").is_none() && handler::is_one(node);
        if flat {
            let message = "a handler stands where a group is due: its inner `hooks` is missing";
            self.report(node.span, finding(Code::MissingInnerHooksArray, message).help(SHAPE));
            let because = "it does not stand in the `hooks` of a group".to_owned();
            let scope = Scope { off: scope.off.or(Some(because)), ..scope };
            return self.handler(node, &scope);
        }
        for entry in node.entries().iter().filter(|it| !known(&it.key)) {
            let message = format!("a group has no field `{}`: it is ignored", entry.key);
            let help = match nearest(&entry.key, ["matcher", "hooks"]) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a group has `matcher` and `hooks`".to_owned(),
            };
            self.report(entry.key_span, finding(Code::UnknownGroupField, message).help(help));
        }
        match handler::field(node, "hooks").map(|it| (&it.node.value, it)) {
            Some((NodeValue::Array(handlers), _)) if !handlers.is_empty() => {
                handlers.iter().for_each(|it| self.handler(it, &scope));
            }
            Some((NodeValue::Array(_) | NodeValue::Null, entry)) => {
                let message = "`hooks` is empty, so the group runs nothing";
                self.report(entry.key_span, finding(Code::EmptyInnerHooks, message));
            }
            Some((_, entry)) => {
                let message =
                    format!("`hooks` takes an array of handlers, found {}", entry.node.kind());
                self.report(entry.key_span, finding(Code::InnerHooksNotArray, message).help(SHAPE));
            }
            None => {
                let message = "the group has no `hooks`, so nothing runs";
                self.report(node.span, finding(Code::GroupWithoutHooks, message).help(SHAPE));
            }
        }
    }

    /// The scope of a group: its matcher, and what is wrong with it.
    fn matcher(&mut self, node: &Node, scope: &Scope) -> Scope {
        let entry = handler::field(node, "matcher").filter(|it| !it.node.is_null());
        let Some(entry) = entry else { return scope.clone() };
        let Some(text) = entry.node.as_str() else {
            let kind = entry.node.kind();
            let message = format!("`matcher` takes a string, found {kind}");
            self.report(
                entry.key_span,
                finding(Code::MatcherNotString, message)
                    .help("write the names as one string: `\"Edit|Write\"`"),
            );
            let because = format!("its `matcher` is {kind}, which cannot be read");
            return Scope { off: scope.off.clone().or(Some(because)), ..scope.clone() };
        };
        let means = matcher::read(scope.event.as_str(), text, self.source.compat);
        let about_nothing = events::find(scope.event.as_str())
            .is_some_and(|row| row.subject == crate::dialect::Subject::None);
        if about_nothing && !matches!(text, "" | "*") {
            let message = format!("`{}` has nothing that a matcher is tested on", scope.event);
            self.report(
                entry.node.span,
                finding(Code::MatcherIgnored, message)
                    .help("Gen never runs the hooks of this group; here they run every time"),
            );
        }
        if let Some(why) = &means.broken {
            let message = format!("the matcher is no regular expression: {why}");
            self.report(
                entry.node.span,
                finding(Code::InvalidMatcher, message)
                    .help("until it is mended, the hook's failure policy decides each time"),
            );
        }
        if means.ambiguous {
            let message = "this is read as a regular expression, not as a tool and its argument";
            self.report(
                entry.node.span,
                finding(Code::MatcherIsExpression, message)
                    .help("for the arguments of one tool, write one group for each of them"),
            );
        }
        Scope { matcher: text.to_owned(), ..scope.clone() }
    }
}
