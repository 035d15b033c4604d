//! Reads one handler of Gen into a hook: what it runs, and on which terms (G-6, G-7). Knows no group and no file.
//!
//! A field that decides what runs, or on what, and cannot be read costs the handler; any other is ignored and the hook
//! lives. The agent reads keys in any case.

use std::time::Duration;

use super::config::{Reader, Scope};
use super::{events, matcher};
use crate::diagnostic::{Code, Severity, nearest};
use crate::dialect::findings::{finding, misspelt_place};
use crate::dialect::{DialectId, requests};
use crate::hook::{
    Command, Hook, HookId, Http, Inherit, Invocation, Layer, Prompt, Run, Shell, Wait,
};
use crate::matcher::{Condition, Matcher};
use crate::source::Source;
use crate::syntax::{Entry, Node};

/// The types of handlers, with the field that each cannot do without.
const TYPES: &[(&str, &str)] =
    &[("command", "command"), ("prompt", "prompt"), ("agent", "prompt"), ("http", "url")];

/// Every field of a handler.
const FIELDS: &[&str] = &[
    "type",
    "command",
    "prompt",
    "url",
    "if",
    "shell",
    "model",
    "async",
    "asyncRewake",
    "timeout",
    "statusMessage",
    "once",
    "headers",
    "allowedEnvVars",
];

/// How many tokens the answer of a model may have (G4.4).
const MAX_TOKENS: u32 = 4096;

/// How many turns an agent may take to look around: the system names no number, so it is Claude Code's.
const AGENT_TURNS: u32 = 50;

/// Longest matcher that is part of a hook's name.
const NAMED_MATCHER: usize = 40;

/// A field by its name, in any case; the last one if it is written twice.
pub(super) fn field<'n>(node: &'n Node, key: &str) -> Option<&'n Entry> {
    node.entries().iter().rev().find(|it| it.key.eq_ignore_ascii_case(key))
}

/// Whether the node has fields that only handlers have.
pub(super) fn is_one(node: &Node) -> bool {
    ["type", "command", "prompt", "url"].iter().any(|key| field(node, key).is_some())
}

impl Reader<'_> {
    pub(super) fn handler(&mut self, node: &Node, scope: &Scope) {
        if node.as_object().is_none() {
            let message = format!("expected a handler, found {}", node.kind());
            return self.report(
                node.span,
                finding(Code::HandlerNotObject, message)
                    .help("write `{\"type\": \"command\", \"command\": \"...\"}`"),
            );
        }
        self.unknown_fields(node, scope);
        let (run, mut off) = match self.run(node) {
            Ok(run) => (run, scope.off.clone()),
            Err(why) => (
                Run::Unusable { part: crate::hook::Unread::Entry, why: why.clone() },
                scope.off.clone().or(Some(why)),
            ),
        };
        let mut hook = Hook::new(self.id(scope), DialectId::GEN, scope.event.clone(), run);
        hook.layer = self.source.layer;
        hook.compat = self.source.compat;
        let means = matcher::read(scope.event.as_str(), &scope.matcher, self.source.compat);
        hook.matcher = Matcher::new(means.spec);
        let mut conditions: Vec<Condition> = means.condition.into_iter().collect();
        match self.condition(node, scope) {
            Ok(condition) => conditions.extend(condition),
            Err(why) => off = off.or(Some(why)),
        }
        let placed =
            conditions.into_iter().map(|it| it.at(&self.source.project, &self.source.home));
        hook.condition = Condition::all(placed.collect());
        hook.wait = self.wait(node);
        hook.timeout = self.timeout(node);
        hook.once = self.flag(node, "once");
        hook.status = self.text(node, "statusMessage").filter(|text| !text.is_empty());
        self.add(node.span, hook, off);
    }

    /// `project:PreToolUse:Bash:1`: where from, for what, and a number among equals.
    fn id(&mut self, scope: &Scope) -> HookId {
        let source = source_word(self.source);
        let matcher: String = match scope.matcher.as_str() {
            "" => "*".to_owned(),
            text => text.chars().take(NAMED_MATCHER).collect(),
        };
        let name = format!("{source}:{}:{matcher}", scope.event);
        let number = self.ordinal(&name);
        HookId::new(format!("{name}:{number}"))
    }

    fn unknown_fields(&mut self, node: &Node, scope: &Scope) {
        let known = |key: &str| FIELDS.iter().any(|it| it.eq_ignore_ascii_case(key));
        // A handler that stands where its group is due has the group's matcher beside its own fields.
        let flat = scope.off.is_some();
        for entry in node.entries() {
            if known(&entry.key) || flat && entry.key.eq_ignore_ascii_case("matcher") {
                continue;
            }
            let message = format!("a handler has no field `{}`: it is ignored", entry.key);
            let found = finding(Code::UnknownHandlerField, message);
            let found = match nearest(&entry.key, FIELDS.iter().copied()) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found,
            };
            self.report(entry.key_span, found);
        }
    }

    fn run(&mut self, node: &Node) -> Result<Run, String> {
        let kind = match field(node, "type").filter(|it| !it.node.is_null()) {
            None => "command",
            Some(entry) => match entry.node.as_str() {
                Some("") => "command",
                Some(kind) => kind,
                None => {
                    let message = format!("`type` takes a string, found {}", entry.node.kind());
                    self.report(entry.node.span, finding(Code::WrongFieldType, message));
                    return Err("its `type` is no string".to_owned());
                }
            },
        };
        let Some((_, needed)) = TYPES.iter().find(|(name, _)| *name == kind) else {
            let span = field(node, "type").map_or(node.span, |it| it.node.span);
            let names = || TYPES.iter().map(|(name, _)| *name);
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
        Ok(match kind {
            "http" => Run::Http(self.http(node, text)),
            "prompt" => Run::Prompt(self.prompt(node, text, None)),
            "agent" => Run::Prompt(self.prompt(node, text, Some(AGENT_TURNS))),
            _ => {
                let shell = self.shell(node);
                Run::Command(command(self.source, text, shell))
            }
        })
    }

    fn http(&mut self, node: &Node, url: String) -> Http {
        let headers = field(node, "headers").map(|it| it.node.entries()).unwrap_or_default();
        let text = |it: &Entry| Some((it.key.clone(), it.node.as_str()?.to_owned()));
        let names = field(node, "allowedEnvVars").and_then(|it| it.node.as_array());
        let names = names.into_iter().flatten().filter_map(Node::as_str);
        let http = Http {
            url,
            headers: headers.iter().filter_map(text).collect(),
            variables: names.map(str::to_owned).collect(),
            secret: None,
        };
        let span = field(node, "url").map_or(node.span, |it| it.node.span);
        for (span, found) in requests::check(&http, span, headers, "allowedEnvVars") {
            self.report(span, found);
        }
        http
    }

    fn prompt(&mut self, node: &Node, text: String, turns: Option<u32>) -> Prompt {
        let model = self.text(node, "model").filter(|it| !it.is_empty());
        if let (Some(found), Some(entry)) = (misspelt_place(&text), field(node, "prompt")) {
            self.report(entry.node.span, found);
        }
        Prompt { model, max_tokens: Some(MAX_TOKENS), turns, ..Prompt::new(text) }
    }

    /// Only `powershell` is another shell than `sh`, in any case and with spaces round it.
    fn shell(&mut self, node: &Node) -> Shell {
        let Some(text) = self.text(node, "shell") else { return Shell::Sh };
        match text.trim().to_lowercase().as_str() {
            "powershell" | "pwsh" => Shell::PowerShell,
            "" | "sh" => Shell::Sh,
            other => {
                let message = format!("no shell is called `{other}` here; `sh` runs this");
                let span = field(node, "shell").map_or(node.span, |it| it.node.span);
                self.report(
                    span,
                    finding(Code::UnknownShell, message)
                        .weighing(Severity::Warning)
                        .help("write `sh` or `powershell`"),
                );
                Shell::Sh
            }
        }
    }

    /// `if`, which holds on calls of tools alone (G-24).
    fn condition(&mut self, node: &Node, scope: &Scope) -> Result<Option<Condition>, String> {
        let Some(text) = self.text(node, "if").filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let span = field(node, "if").map_or(node.span, |it| it.node.span);
        if !events::is_about_tool(scope.event.as_str()) {
            let message =
                format!("`{}` is not about a tool call, so `if` never holds", scope.event);
            self.report(span, finding(Code::IfOutsideToolEvent, message).label("never runs"));
            return Err(format!("`if` never holds on `{}`", scope.event));
        }
        let condition = matcher::condition(&text);
        if let Some(fault) = condition.fault() {
            let message = format!("`if` never holds: {fault}");
            self.report(span, finding(Code::IfNeverHolds, message).label("never runs"));
        }
        Ok(Some(condition))
    }

    fn wait(&mut self, node: &Node) -> Wait {
        match (self.flag(node, "asyncRewake"), self.flag(node, "async")) {
            (true, _) => Wait::Rewake,
            (false, true) => Wait::Detached,
            (false, false) => Wait::Attached,
        }
    }

    /// Whole seconds; what is not above zero is the default.
    fn timeout(&mut self, node: &Node) -> Option<Duration> {
        let entry = field(node, "timeout").filter(|it| !it.node.is_null())?;
        let Some(seconds) = entry.node.as_f64() else {
            let message = format!("`timeout` takes seconds, found {}", entry.node.kind());
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
            return None;
        };
        if seconds.fract() != 0.0 {
            let message = "`timeout` takes whole seconds: Gen refuses the whole file";
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
        }
        let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|it| !it.is_zero());
        if timeout.is_none() {
            let message = "`timeout` is not above zero, so the default of 600 seconds counts";
            self.report(entry.node.span, finding(Code::NoEffect, message));
        } else if seconds >= 1000.0 {
            let message = format!("`timeout` is in seconds: this waits {} minutes", seconds / 60.0);
            self.report(
                entry.node.span,
                finding(Code::TimeoutLooksLikeMs, message)
                    .help(format!("if milliseconds were meant, write `{}`", seconds / 1000.0)),
            );
        }
        timeout
    }

    fn flag(&mut self, node: &Node, key: &str) -> bool {
        let Some(entry) = field(node, key).filter(|it| !it.node.is_null()) else { return false };
        entry.node.as_bool().unwrap_or_else(|| {
            let message = format!("`{key}` takes `true` or `false`, found {}", entry.node.kind());
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
            false
        })
    }

    fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        let entry = field(node, key).filter(|it| !it.node.is_null())?;
        if entry.node.as_str().is_none() {
            let message = format!("`{key}` takes a string, found {}", entry.node.kind());
            self.report(entry.node.span, finding(Code::WrongFieldType, message));
        }
        entry.node.as_str().map(str::to_owned)
    }
}

/// Where a hook comes from, in one word.
fn source_word(source: &Source) -> String {
    match (&source.plugin, source.layer) {
        (Some(plugin), _) => plugin.name.clone(),
        (None, Layer::Given) => {
            let path = std::path::Path::new(&*source.name);
            let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
            name.unwrap_or_else(|| "given".to_owned())
        }
        (None, layer) => layer.word().to_owned(),
    }
}

/// A text for a shell, with the host's whole environment (ruling 3). A plugin's root is told in variables, so that no path
/// is ever put into the text of a shell.
fn command(source: &Source, text: String, shell: Shell) -> Command {
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
