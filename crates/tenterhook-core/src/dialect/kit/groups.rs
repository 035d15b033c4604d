//! Reads hook files whose items are groups, as in Claude Code's settings: a group is a matcher with
//! its handlers. A dialect brings its words and what a handler runs. A bad entry is rejected alone,
//! with its place.

use super::entry::{self, EntryFault, Fields, unusable_run};
use super::file::{Off, Reader, Scope};
use super::lint::{self, About, CommandText};
use crate::diagnostic::{Code, nearest_word};
use crate::dialect::Subject;
use crate::dialect::findings::finding_without_location;
use crate::hook::{Command, Hook, Invocation, Run};
use crate::matcher::MatcherSpec;
use crate::syntax::{Entry, Format, Node, NodeValue};

/// The words of one agent's groups.
pub(crate) struct Groups {
    /// The types of handlers, with the field that each cannot do without.
    pub(crate) types: &'static [(&'static str, &'static str)],
    /// The type of a handler that names none; `None` if the agent skips such a handler.
    pub(crate) default_type: Option<&'static str>,
    /// The fields of a group beside `matcher` and `hooks`.
    pub(crate) more: &'static [&'static str],
    /// The fields of a handler.
    pub(crate) fields: Fields,
    /// Whether the agent takes this value of `matcher` for none.
    pub(crate) is_empty_matcher: fn(&Node) -> bool,
    /// Reports what is wrong with the matcher of a group.
    pub(crate) matcher: fn(&mut Reader<'_>, &Entry, &Scope),
    /// Reads what a handler of a type runs; the text is the value of the type's required field.
    pub(crate) run: fn(&mut Reader<'_>, &Node, &str, String) -> Result<Run, EntryFault>,
    /// Reads when a handler runs and with which options; the error says why it never runs.
    pub(crate) read_options:
        fn(&mut Reader<'_>, &Node, &Scope, &mut Hook) -> Result<(), EntryFault>,
}

/// The fields of a group.
const GROUP: Fields = Fields {
    whose: "a group",
    code: Code::UnknownGroupField,
    known: &["matcher", "hooks"],
    foreign: &[],
};

impl Groups {
    /// Reads one group: a matcher and its handlers.
    pub(crate) fn read_group(&self, reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
        let (shape, case) = (reader.shape_help(), reader.file.case);
        if !reader.is_object_else_reports(node, "a group", Code::GroupNotObject) {
            return;
        }
        let filter = reader.file.command_filter.and_then(|key| reader.read_text(node, key));
        let scope = Scope { command_filter: filter, ..self.read_group_scope(reader, node, scope) };
        let hooks = case.last_entry_of_key(node, "hooks");
        if hooks.is_none() && self.has_handler_fields(reader, node) {
            let message =
                "found a handler where a group is expected: put it into the `hooks` of a group";
            reader.report(
                node.span,
                finding_without_location(Code::MissingInnerHooksArray, message).help(shape),
            );
            let because = "it does not stand in the `hooks` of a group";
            let off = Off::new(because, reader.file.rules.misplaced);
            let scope = Scope { off: scope.off.or(Some(off)), ..scope };
            return self.read_handler(reader, node, &scope);
        }
        GROUP.report_unknown_fields(reader, node, self.more);
        match hooks.map(|hook| (&hook.node.value, hook)) {
            Some((NodeValue::Array(handlers), _)) if !handlers.is_empty() => {
                handlers.iter().for_each(|handler| self.read_handler(reader, handler, &scope));
            }
            Some((NodeValue::Array(_) | NodeValue::Null, entry)) => {
                let message = "`hooks` is empty, so the group runs nothing";
                reader.report(
                    entry.key_span,
                    finding_without_location(Code::EmptyInnerHooks, message),
                );
            }
            Some((_, entry)) => {
                let kind = entry.node.kind_with_article();
                let message = format!("`hooks` takes an array of handlers, found {kind}");
                reader.report(
                    entry.key_span,
                    finding_without_location(Code::InnerHooksNotArray, message).help(shape),
                );
            }
            None => {
                let message = "the group has no `hooks`, so nothing runs";
                reader.report(
                    node.span,
                    finding_without_location(Code::GroupWithoutHooks, message).help(shape),
                );
            }
        }
    }

    /// Returns `true` if the node has fields that only handlers have.
    fn has_handler_fields(&self, reader: &Reader<'_>, node: &Node) -> bool {
        let needed = self.types.iter().map(|(_, needed)| *needed);
        needed.chain(["type"]).any(|key| reader.file.case.last_entry_of_key(node, key).is_some())
    }

    /// Reads the scope of a group, with its matcher, and reports what is wrong with it.
    fn read_group_scope(&self, reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Scope {
        let Some(entry) = reader.file.case.last_entry_of_key(node, "matcher") else {
            return scope.clone();
        };
        if entry.node.is_null() || (self.is_empty_matcher)(&entry.node) {
            let value = entry.node.to_json().to_string();
            reader.report(entry.node.span, lint::empty_matcher_finding(&value));
            return scope.clone();
        }
        let Some(text) = entry.node.as_str() else {
            let kind = entry.node.kind_with_article();
            let message = format!("`matcher` takes a string, found {kind}");
            let found = finding_without_location(Code::MatcherNotString, message)
                .help("write the names as one string: `\"Edit|Write\"`");
            reader.report(entry.key_span, found);
            let because = format!("its `matcher` is {kind}, which cannot be read");
            let off = Off::new(because, reader.file.rules.item);
            return Scope { off: scope.off.clone().or(Some(off)), ..scope.clone() };
        };
        let scope = Scope { matcher: text.to_owned(), ..scope.clone() };
        (self.matcher)(reader, entry, &scope);
        scope
    }

    /// Reads one handler. If a field that decides what runs, or on what, cannot be read, the
    /// handler is unusable; any other invalid field is ignored.
    pub(crate) fn read_handler(&self, reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
        if !reader.is_object_else_reports(node, "a handler", Code::HandlerNotObject) {
            return;
        }
        // A handler that stands where its group is due has the group's matcher beside its own
        // fields.
        let others: &[&str] = if scope.off.is_some() { &["matcher"] } else { &[] };
        self.fields.report_unknown_fields(reader, node, others);
        let (run, broken) = match self.read_run(reader, node) {
            Ok(run) => {
                let keys = self.types.iter().map(|(_, key)| *key).collect::<Vec<_>>();
                lint_command(reader, node, &run, &keys);
                (run, None)
            }
            Err(fault) => (unusable_run(fault.to_string()), Some(fault)),
        };
        let name = scope.row.map_or(scope.name.as_str(), |row| &*row.name);
        let mut hook = entry::new_hook(reader, node, name, &scope.matcher, scope, run);
        let refused = (self.read_options)(reader, node, scope, &mut hook).err();
        let off =
            broken.or(refused).map(|fault| Off::new(fault.to_string(), reader.file.rules.item));
        hook.arming = Off::arming_from_reason(scope.off.clone().or(off));
        reader.read.hooks.push(hook);
    }

    /// Reads what a handler runs, by its type and the field that this type requires.
    fn read_run(&self, reader: &mut Reader<'_>, node: &Node) -> Result<Run, EntryFault> {
        let types = self.types;
        let field = reader.non_null_entry(node, "type");
        let kind = match (field.map(|field| field.node.as_str()), self.default_type) {
            (None | Some(Some("")), Some(kind)) => kind,
            (None, None) => return Err(report_missing_field(reader, node, "type", "command")),
            (Some(Some(kind)), _) => kind,
            (Some(None), _) => {
                reader.findings.read_text(field);
                return Err(EntryFault::TypeNotString);
            }
        };
        let Some((_, needed)) = types.iter().find(|(name, _)| *name == kind) else {
            let span = field.map_or(node.span, |field| field.node.span);
            let names = || types.iter().map(|(name, _)| *name);
            let fault = EntryFault::UnknownType { noun: "handler", name: kind.to_owned() };
            let help = match nearest_word(kind, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the types are {}", names().collect::<Vec<_>>().join(", ")),
            };
            let found = finding_without_location(Code::UnknownHandlerType, fault.to_string());
            reader.report(span, found.help(help));
            return Err(fault);
        };
        let text = read_required_text(reader, node, needed)?;
        (self.run)(reader, node, kind, text)
    }
}

/// Reports a matcher on an event that has nothing to match, unless its text is in `all` (the texts
/// that match everything). Otherwise reports a `broken` matcher, with `help`.
pub(crate) fn report_matcher_faults(
    reader: &mut Reader<'_>,
    entry: &Entry,
    scope: &Scope,
    all: &[&str],
    (spec, broken): (MatcherSpec, Option<String>),
    help: &str,
) {
    let about_nothing = scope.row.is_some_and(|row| row.subject == Subject::None);
    let found = if about_nothing && !all.contains(&scope.matcher.as_str()) {
        let message = format!("`{}` ignores its matcher: this runs every time", scope.name);
        finding_without_location(Code::MatcherIgnored, message)
            .help("remove it, and let the hook's program decide whether to act")
    } else if let Some(why) = broken {
        let message = format!("the matcher is not a valid regular expression: {why}");
        finding_without_location(Code::InvalidMatcher, message).help(help)
    } else if about_nothing {
        return;
    } else {
        return lint_matcher(reader, entry, scope, &spec);
    };
    reader.report(entry.node.span, found);
}

/// Reports a matcher that can be read and matches nothing.
pub(crate) fn lint_matcher(
    reader: &mut Reader<'_>,
    entry: &Entry,
    scope: &Scope,
    spec: &MatcherSpec,
) {
    lint_matcher_text(reader, entry, scope, &scope.matcher, spec);
}

/// Like [`lint_matcher`], for a matcher that stands in the entry of a hook.
pub(crate) fn lint_matcher_text(
    reader: &mut Reader<'_>,
    entry: &Entry,
    scope: &Scope,
    text: &str,
    spec: &MatcherSpec,
) {
    let (Some(lints), Some(row)) = (reader.file.lints, scope.row) else { return };
    for found in lints.check_matcher(About::for_event(&scope.name, &row.subject), text, spec) {
        reader.report(entry.node.span, found);
    }
}

/// Reports what is wrong with the text of a command, which is the value of one of `keys`.
pub(crate) fn lint_command(reader: &mut Reader<'_>, node: &Node, run: &Run, keys: &[&str]) {
    let (Some(lints), Run::Command(command)) = (reader.file.lints, run) else { return };
    let Command { invocation: Invocation::Shell { text, shell }, env, .. } = command else {
        return;
    };
    let written = keys.iter().filter_map(|key| reader.non_null_entry(node, key));
    let mut written = written.filter(|entry| entry.node.as_str() == Some(text.as_str()));
    let span = written.next().map_or(node.span, |entry| entry.node.span);
    let env = env.iter().map(|(name, _)| name.clone()).collect();
    let layer = reader.source.layer;
    let command = CommandText { text, shell: *shell, args: None, layer, env: &env };
    for found in lints.check_command(command) {
        reader.report(span, found);
    }
}

/// Reads a required text field of a handler. A handler without it is reported and never runs.
pub(crate) fn read_required_text(
    reader: &mut Reader<'_>,
    node: &Node,
    key: &'static str,
) -> Result<String, EntryFault> {
    if let Some(text) = reader.read_text(node, key).filter(|text| !text.trim().is_empty()) {
        return Ok(text);
    }
    Err(report_missing_field(reader, node, key, "..."))
}

/// Reports a required field that a handler lacks, with a `value` that it may have.
fn report_missing_field(
    reader: &mut Reader<'_>,
    node: &Node,
    key: &'static str,
    value: &str,
) -> EntryFault {
    let message = format!("the handler has no `{key}`");
    let found = finding_without_location(Code::HandlerMissingField, message).label("never runs");
    let help = match reader.format {
        Format::Toml => format!("add `{key} = \"{value}\"`"),
        Format::Yaml => format!("add `{key}: \"{value}\"`"),
        _ => format!("add `\"{key}\": \"{value}\"`"),
    };
    reader.report(node.span, found.help(help));
    EntryFault::MissingField { key }
}

/// Reports that handlers of this type never run, and returns `fault`.
pub(crate) fn report_type_that_never_runs(
    reader: &mut Reader<'_>,
    node: &Node,
    fault: EntryFault,
) -> Result<Run, EntryFault> {
    let found = finding_without_location(Code::HandlerTypeNotAccepted, fault.to_string())
        .label("never runs");
    reader.report(node.span, found.help("use a `command` handler"));
    Err(fault)
}
