//! Reads one handler of Gen: its command or request, its conditions and options (G-6, G-7). Knows
//! no group and no file.

use std::time::Duration;

use super::{events, matcher};
use crate::diagnostic::{Code, Severity};
pub(crate) use crate::dialect::findings::{finding_without_location, misspelt_placeholder_finding};
use crate::dialect::kit::entry::EntryFault;
use crate::dialect::kit::field::seconds_to_duration;
use crate::dialect::kit::file::{Reader, Scope};
use crate::dialect::requests;
use crate::hook::{Command, Hook, Http, Inherit, Invocation, Prompt, Run, Shell, Wait};
use crate::matcher::{Condition, Matcher};
use crate::source::Source;
use crate::syntax::{Entry, Node};

/// The maximal length of a model's answer, in tokens (G4.4).
const MAX_TOKENS: u32 = 4096;

/// The maximal number of turns of an agent. Gen documents none, so this is the limit of Claude
/// Code.
const AGENT_TURNS: u32 = 50;

/// Reads what a handler of type `kind` runs.
pub(super) fn read_run(
    reader: &mut Reader<'_>,
    node: &Node,
    kind: &str,
    text: String,
) -> Result<Run, EntryFault> {
    Ok(match kind {
        "http" => Run::Http(read_http(reader, node, text)),
        "prompt" => Run::Prompt(read_prompt(reader, node, text, None)),
        "agent" => Run::Prompt(read_prompt(reader, node, text, Some(AGENT_TURNS))),
        _ => {
            let shell = read_shell(reader, node);
            Run::Command(build_shell_command(reader.source, text, shell))
        }
    })
}

/// Sets the matcher, conditions, timeout and options of `hook`.
pub(super) fn read_options_into_hook(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
    hook: &mut Hook,
) -> Result<(), EntryFault> {
    let parsed =
        matcher::parse_matcher(scope.event_name().as_str(), &scope.matcher, reader.source.compat);
    hook.matcher = Matcher::new(parsed.spec);
    let mut conditions: Vec<Condition> = parsed.condition.into_iter().collect();
    let tested = read_condition(reader, node, scope).map(|condition| conditions.extend(condition));
    let source = reader.source;
    let anchored = conditions
        .into_iter()
        .map(|condition| condition.with_base_and_home(&source.project, &source.home));
    hook.condition = Condition::all(anchored.collect());
    hook.wait = match (reader.read_flag(node, "asyncRewake"), reader.read_flag(node, "async")) {
        (true, _) => Wait::Rewake,
        (false, true) => Wait::Detached,
        (false, false) => Wait::Attached,
    };
    hook.timeout = read_timeout(reader, node);
    hook.once = reader.read_flag(node, "once");
    hook.status = reader.read_text(node, "statusMessage").filter(|text| !text.is_empty());
    tested
}

fn read_http(reader: &mut Reader<'_>, node: &Node, url: String) -> Http {
    let headers = reader
        .non_null_entry(node, "headers")
        .map(|entry| entry.node.entries())
        .unwrap_or_default();
    let text = |entry: &Entry| Some((entry.key.clone(), entry.node.as_str()?.to_owned()));
    let names =
        reader.non_null_entry(node, "allowedEnvVars").and_then(|entry| entry.node.as_array());
    let names = names.into_iter().flatten().filter_map(Node::as_str);
    let http = Http {
        url,
        headers: headers.iter().filter_map(text).collect(),
        variables: names.map(str::to_owned).collect(),
        secret: None,
        interpolation: reader.source.dialect.dialect().interpolation(),
    };
    let span = reader.non_null_entry(node, "url").map_or(node.span, |entry| entry.node.span);
    for (span, found) in requests::check_http_request(&http, span, headers, "allowedEnvVars") {
        reader.report(span, found);
    }
    http
}

fn read_prompt(reader: &mut Reader<'_>, node: &Node, text: String, turns: Option<u32>) -> Prompt {
    let model = reader.read_text(node, "model").filter(|text| !text.is_empty());
    if let (Some(found), Some(entry)) =
        (misspelt_placeholder_finding(&text), reader.non_null_entry(node, "prompt"))
    {
        reader.report(entry.node.span, found);
    }
    Prompt { model, max_tokens: Some(MAX_TOKENS), turns, ..Prompt::new(text) }
}

/// The shell of a command: `powershell` in any case and with spaces around it, else `sh`.
fn read_shell(reader: &mut Reader<'_>, node: &Node) -> Shell {
    let Some(text) = reader.read_text(node, "shell") else { return Shell::Sh };
    match text.trim().to_lowercase().as_str() {
        "powershell" | "pwsh" => Shell::PowerShell,
        "" | "sh" => Shell::Sh,
        other => {
            let message = format!("unknown shell `{other}`; `sh` runs this command");
            let span =
                reader.non_null_entry(node, "shell").map_or(node.span, |entry| entry.node.span);
            let found = finding_without_location(Code::UnknownShell, message)
                .with_severity(Severity::Warning)
                .help("write `sh` or `powershell`");
            reader.report(span, found);
            Shell::Sh
        }
    }
}

/// Reads `if`, which holds only on tool calls (G-24).
fn read_condition(
    reader: &mut Reader<'_>,
    node: &Node,
    scope: &Scope,
) -> Result<Option<Condition>, EntryFault> {
    let Some(text) = reader.read_text(node, "if").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let span = reader.non_null_entry(node, "if").map_or(node.span, |entry| entry.node.span);
    if !events::is_tool_event(scope.event_name().as_str()) {
        let message =
            format!("`{}` is not about a tool call, so `if` never holds", scope.event_name());
        reader.report(
            span,
            finding_without_location(Code::IfOutsideToolEvent, message).label("never runs"),
        );
        return Err(EntryFault::ConditionNeverHolds { event: scope.event_name().to_string() });
    }
    let condition = matcher::tool_pattern_condition(&text);
    if let Some(fault) = condition.fault() {
        let message = format!("`if` never holds: {fault}");
        reader.report(
            span,
            finding_without_location(Code::IfNeverHolds, message).label("never runs"),
        );
    }
    Ok(Some(condition))
}

/// Reads the timeout in whole seconds; zero or a negative number selects the default.
fn read_timeout(reader: &mut Reader<'_>, node: &Node) -> Option<Duration> {
    let field = reader.non_null_entry(node, "timeout")?;
    let Some(number) = field.node.as_f64() else {
        reader.findings.report_wrong_type(field, "seconds");
        return None;
    };
    if number.fract() != 0.0 {
        let message = "`timeout` takes whole seconds: Gen refuses the whole file";
        reader.report(field.node.span, finding_without_location(Code::WrongFieldType, message));
    }
    let timeout = seconds_to_duration(number);
    if timeout.is_none() {
        let message = "`timeout` is not above zero, so the default of 600 seconds applies";
        reader.report(field.node.span, finding_without_location(Code::NoEffect, message));
    } else {
        reader.findings.report_excessive_seconds(field, number);
    }
    timeout
}

/// Builds a shell command with the whole environment of the host (ruling 3). The root of a plugin
/// is passed in variables, so that no path is inserted into the line.
fn build_shell_command(source: &Source, text: String, shell: Shell) -> Command {
    let mut env = Vec::new();
    let mut text = text;
    if let Some(plugin) = &source.plugin {
        let root = plugin.root.to_string_lossy().into_owned();
        let own: String = plugin.name.to_uppercase().replace(['-', '.'], "_");
        for prefix in ["GEN_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"] {
            env.push((prefix.to_owned(), root.clone()));
            env.push((format!("{prefix}_{own}"), root.clone()));
            if shell == Shell::PowerShell {
                text = text.replace(&format!("${{{prefix}}}"), &format!("${{env:{prefix}}}"));
            }
        }
    }
    Command { env, ..Command::new(Invocation::Shell { text, shell }, Inherit::All) }
}
