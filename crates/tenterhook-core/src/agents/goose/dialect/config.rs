//! Reads the `hooks.json` of a Goose plugin (GO-2 to GO-12): the command of each handler, its
//! matcher, timeout and failure policy. Opens no file.

use super::vocabulary;
use crate::diagnostic::{Code, Severity};
use crate::dialect::DialectId;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{EntryFault, Fields};
use crate::dialect::kit::file::{self, File, Reader, Rules, Scope};
use crate::dialect::kit::groups::{self, Groups};
use crate::dialect::kit::lint::Lints;
use crate::hook::{Command, Compat, Hook, Inherit, Invocation, OnFailure, Run, Shell};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Entry, Format, Node};

static FILE: File = File {
    shape: r#"write `{"hooks": {"PreToolUse": [{"matcher": "shell", "hooks": [{"type": "command", "command": "..."}]}]}}`"#,
    rules: Rules::with_one_rule("GO-3"),
    lints: Some(&LINTS),
    ..File::new(
        "Goose",
        DialectId::GOOSE,
        || &vocabulary::ROWS,
        |reader, node, scope| GROUPS.read_group(reader, node, scope),
    )
};

/// What the lints need to know of Goose: the tools of its requests in three runs of 1.52.0, with all
/// built-in extensions, whose other tools have the name of the extension before `__`.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["tree", "analyze", "load", "load_skill", "todo_write"],
        &["execute_typescript", "list_functions", "get_function_details"],
    ],
    gone_names: &[
        ("developer__shell", "shell"),
        ("developer__text_editor", "edit"),
        ("text_editor", "edit"),
    ],
    mcp: "SERVER__TOOL",
    variables: &["PLUGIN_ROOT"],
    paths: &["PLUGIN_ROOT"],
    never_set: &["GOOSE_PLUGIN_ROOT", "GOOSE_PROJECT_DIR"],
    ..Lints::new("Goose")
};

static GROUPS: Groups = Groups {
    types: &[("command", "command")],
    default_type: Some("command"),
    more: &[],
    fields: Fields {
        whose: "a handler",
        code: Code::UnknownHandlerField,
        known: &["type", "command", "timeout", "on_failure"],
        foreign: &[("onfailure", "write `on_failure`")],
    },
    is_empty_matcher: |_| false,
    matcher: check_matcher,
    run: |reader, _, _, text| {
        let root = reader.source.directory.parent().unwrap_or(&reader.source.directory);
        let env = vec![("PLUGIN_ROOT".to_owned(), root.to_string_lossy().into_owned())];
        let invocation = Invocation::Shell { text, shell: Shell::Sh };
        Ok(Run::Command(Command { env, ..Command::new(invocation, Inherit::All) }))
    },
    read_options: read_options_into_hook,
};

/// Reads the hooks of a config file of Goose.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    file::read_config(&FILE, source, Format::Json)
}

/// Reads a matcher: a regular expression that may match anywhere in the subject. `*` is not a valid
/// expression, so Goose never runs the hook; a guarded reading matches everything.
fn parse_matcher(scope: &Scope, compat: Compat) -> (MatcherSpec, Option<String>) {
    let text = scope.matcher.as_str();
    let regex = MatcherSpec::Regex(text.to_owned());
    let why = match text {
        "" => return (MatcherSpec::Any, None),
        "*" => Some("`*` repeats nothing".to_owned()),
        _ => Matcher::new(regex.clone()).compile().err().map(|why| why.to_string()),
    };
    match (why, compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        (why, _) if text == "*" => (MatcherSpec::Any, why),
        (why, _) => (regex, why),
    }
}

fn check_matcher(reader: &mut Reader<'_>, entry: &Entry, scope: &Scope) {
    let read = parse_matcher(scope, reader.source.compat);
    let help = "Goose silently skips this hook; remove `matcher` to match everything";
    groups::report_matcher_faults(reader, entry, scope, &[""], read, help);
}

fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    hook.matcher = Matcher::new(parse_matcher(scope, reader.source.compat).0);
    hook.on_failure = read_failure_policy(reader, node);
    hook.timeout = reader
        .non_null_entry(node, "timeout")
        .and_then(|entry| reader.findings.read_timeout_in_seconds(entry));
    Ok(())
}

/// Reads `on_failure`. Goose silently drops the whole file if the value is unknown (GO-9); a
/// guarded reading treats an unknown value as `block`.
fn read_failure_policy(reader: &mut Reader<'_>, node: &Node) -> Option<OnFailure> {
    let field = reader.non_null_entry(node, "on_failure")?;
    match field.node.as_str() {
        Some("allow") => Some(OnFailure::Continue),
        Some("block") => Some(OnFailure::Block),
        _ => {
            let message =
                "`on_failure` takes `allow` or `block`; any other value makes Goose drop the file";
            let found = finding_without_location(Code::UnknownOnFailure, message)
                .with_severity(Severity::Error);
            let found = found.help("here it is read as `block`");
            reader.report(field.node.span, found);
            reader
                .refused
                .get_or_insert_with(|| "its `on_failure` has an unknown value".to_owned());
            Some(OnFailure::Block)
        }
    }
}
