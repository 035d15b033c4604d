//! Reads the hooks in `config.toml` of Kimi Code CLI, and in the manifests of its plugins (KM-1 to
//! KM-11): each table is one command for one event. Opens no file.

use std::path::Path;
use std::time::Duration;

use super::accepted::find_fault_of_entry;
use super::plugins::is_manifest;
use super::vocabulary::ROWS;
use crate::diagnostic::{Code, Severity};
use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::entry::{self, Fields, unusable_run};
use crate::dialect::kit::file::{self, File, Off, Reader, Rules, Scope};
use crate::dialect::kit::groups;
use crate::dialect::kit::lint::{Lints, javascript_fault};
use crate::dialect::{DialectId, Subject};
use crate::hook::{Compat, Run};
use crate::matcher::{Matcher, MatcherSpec};
use crate::source::{ReadConfig, Source};
use crate::syntax::{Format, Node};

static FILE: File = File {
    items: "tables",
    shape: "write `[[hooks]]`, and below it `event = \"PreToolUse\"` and `command = \"...\"`",
    rules: Rules::with_one_rule("KM-4"),
    takes_mark: true,
    lints: Some(&LINTS),
    find: read_entries,
    ..File::new("Kimi Code CLI", DialectId::KIMI, || &ROWS, read_entry)
};

/// A plugin's manifest, of which an entry with a fault is skipped alone (KM-5).
static MANIFEST: File = File {
    items: "objects",
    shape: r#"write `"hooks": [{"event": "PreToolUse", "command": "..."}]`"#,
    rules: Rules::with_one_rule("KM-5"),
    skips_items_alone: true,
    lints: Some(&LINTS),
    find: read_entries,
    ..File::new("Kimi Code CLI", DialectId::KIMI, || &ROWS, read_entry)
};

/// What the lints need to know of Kimi Code CLI, which sets variables for the hooks of plugins.
pub(super) static LINTS: Lints = Lints {
    tools: &[
        &["AgentSwarm", "CreateGoal", "GetGoal", "UpdateGoal", "SetGoalBudget", "WaitFor"],
        &["CronCreate", "CronDelete", "CronList", "TaskList", "TaskOutput", "TaskStop"],
        &["Skill", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"],
    ],
    variables: &["KIMI_CODE_HOME", "KIMI_PLUGIN_ROOT"],
    never_set: &["KIMI_PROJECT_DIR", "KIMI_TOOL_NAME", "KIMI_TOOL_INPUT"],
    ..Lints::new("Kimi Code CLI")
};

/// The keys of an entry. For any other, Kimi Code CLI ignores all entries.
pub(super) const KEYS: &[&str] = &["event", "matcher", "command", "timeout"];

const FIELDS: Fields = Fields {
    whose: "an entry",
    code: Code::UnknownEntryField,
    known: KEYS,
    foreign: &[
        ("type", "write `event`"),
        ("match", "write `matcher`"),
        ("name", "leave it out"),
        ("failmode", "leave it out: version 2.1.0 has no such key"),
    ],
};

/// Reads the hooks of a config file of Kimi Code CLI, or of a plugin's manifest.
pub(super) fn read_config(source: &Source) -> ReadConfig {
    match is_manifest(Path::new(&*source.name)) {
        true => file::read_config(&MANIFEST, source, Format::Json),
        false => file::read_config(&FILE, source, Format::Toml),
    }
}

/// Reads the list of entries. No other part of the file is read.
fn read_entries<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n Node> {
    let entries = root.get("hooks").and_then(Node::as_array).into_iter().flatten();
    for (at, node) in entries.enumerate() {
        let text_of = |key: &str| node.get(key).and_then(Node::as_str);
        let name = text_of("event").unwrap_or_default();
        let row = ROWS.iter().find(|row| row.name == name);
        let skips = reader.file.skips_items_alone && reader.source.compat == Compat::Exact;
        let fault = skips.then(|| find_fault_of_entry(at, node)).flatten();
        let off = fault.map(|fault| Off::new(fault.sentence(), "KM-5"));
        let scope = Scope::of_listed_entry(reader, (name, row), text_of("matcher"), off);
        read_entry(reader, node, &scope);
    }
    None
}

fn read_entry(reader: &mut Reader<'_>, node: &Node, scope: &Scope) {
    if !reader.is_object_else_reports(node, "a table", Code::EntryNotObject) {
        return;
    }
    FIELDS.report_unknown_fields(reader, node, &[]);
    let unknown_event = report_unknown_event(reader, node, scope);
    let never_matches = report_matcher(reader, node, scope);
    let (run, broken) = match groups::read_required_text(reader, node, "command") {
        Ok(text) => {
            let run = run_of_line(reader.source, text);
            groups::lint_command(reader, node, &run, &["command"]);
            (run, None)
        }
        Err(fault) => (unusable_run(fault.to_string()), Some(Off::new(fault.to_string(), "KM-4"))),
    };
    let mut hook = entry::new_hook(reader, node, &scope.name, &scope.matcher, scope, run);
    hook.matcher = Matcher::new(parse_matcher(&scope.matcher, reader.source.compat).0);
    hook.timeout = read_timeout(reader, node);
    let off = scope.off.clone().or(unknown_event).or(broken).or(never_matches);
    hook.arming = Off::arming_from_reason(off);
    reader.read.hooks.push(hook);
}

/// Returns the command of a line. A plugin's runs in its directory, with the directories that it may
/// need (KM-5).
fn run_of_line(source: &Source, line: String) -> Run {
    let mut run = Run::from_shell_line(line);
    if let (Run::Command(command), Some(plugin)) = (&mut run, &source.plugin) {
        command.cwd = Some(plugin.root.clone());
        command.env = [("KIMI_CODE_HOME", &plugin.data), ("KIMI_PLUGIN_ROOT", &plugin.root)]
            .map(|(name, path)| (name.to_owned(), path.to_string_lossy().into_owned()))
            .into();
    }
    run
}

/// Reports an event that Kimi Code CLI does not have, or no event; returns why the entry never runs.
fn report_unknown_event(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<Off> {
    if scope.row.is_some() {
        return None;
    }
    if let Some(event) = node.entry("event") {
        return reader.report_unknown_event(&scope.name, event.node.span);
    }
    let message = "the entry has no `event`";
    let found = finding_without_location(Code::MissingEvent, message);
    let found = found.with_severity(Severity::Error).label("never fires");
    reader.report(node.span, found.help("add `event = \"PreToolUse\"`"));
    Some(Off::new(message, "KM-4"))
}

/// Reports the matcher of an entry; returns why the entry never runs (KM-10, KM-11).
fn report_matcher(reader: &mut Reader<'_>, node: &Node, scope: &Scope) -> Option<Off> {
    let entry = node.entry("matcher")?;
    let (spec, broken) = parse_matcher(&scope.matcher, reader.source.compat);
    let about_nothing = scope.row.is_some_and(|row| row.subject == Subject::None);
    if broken.is_none() && about_nothing && Matcher::new(spec.clone()).matches(Some("")) != Ok(true)
    {
        let message = format!("a matcher on `{}` is tested on an empty text", scope.name);
        let found = finding_without_location(Code::DeadMatcher, message.clone());
        reader.report(entry.node.span, found.label("never runs").help("leave `matcher` out"));
        return Some(Off::new(message, "KM-11"));
    }
    if let Some(why) = broken {
        let message = format!("the matcher is not a valid regular expression: {why}");
        let found = finding_without_location(Code::InvalidMatcher, message);
        let help = "Kimi Code CLI never runs the hook; here the failure policy decides each time";
        reader.report(entry.node.span, found.help(help));
    } else if !about_nothing {
        groups::lint_matcher(reader, entry, scope, &spec);
    }
    None
}

/// Reads a matcher: a regular expression of JavaScript that may match anywhere in the subject.
fn parse_matcher(text: &str, compat: Compat) -> (MatcherSpec, Option<String>) {
    if text.is_empty() {
        return (MatcherSpec::Any, None);
    }
    let regex = MatcherSpec::Regex(text.to_owned());
    match (javascript_fault(text), compat) {
        (Some(why), Compat::Exact) => (MatcherSpec::Never(why.clone()), Some(why)),
        // The invalid expression stays, so that the hook fails on every event (S-3).
        (why, _) => (regex, why),
    }
}

fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    reader.findings.read_timeout_in_seconds(node.entry("timeout")?)
}
