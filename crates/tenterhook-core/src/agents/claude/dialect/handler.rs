//! Reads one handler into a hook: what it runs, and for which events. Knows no group and no file;
//! `handler/terms.rs` reads its other fields.
//!
//! If a field decides what runs, or for which events, and cannot be read, the handler is off
//! (C-24). Any other field that cannot be read is ignored, unless exact reading skips its handler
//! as the agent does (C-25).

mod content;
mod terms;

use super::accepted;
use super::config::{FileKind, Off, Reading, finding_without_location};
use super::lint;
use super::matcher_text;
use super::vocabulary::{COMMON_FIELDS, HandlerType, TYPES};
use crate::diagnostic::{Code, Severity, nearest_word};
use crate::dialect::DialectId;
use crate::dialect::kit::entry::{self, unusable_run};
use crate::dialect::kit::field::{Case, strings_of_array};
use crate::dialect::kit::protocol::{Spec, Subjects};
use crate::event::EventName;
use crate::hook::{Command, Compat, Hook, HookId, Inherit, Invocation, Run, Shell};
use crate::matcher::rule::Reading as RuleReading;
use crate::matcher::{Condition, Matcher, MatcherSpec};
use crate::syntax::{Node, NodeValue};

/// The values that a handler inherits from its group.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The event.
    pub(super) event: EventName,
    /// The event's row; `None` if the agent has no such event.
    pub(super) spec: Option<&'static Spec>,
    /// The matcher of the group.
    pub(super) matcher: MatcherSpec,
    /// The matcher as written.
    pub(super) matcher_text: Option<String>,
    /// The reason why no handler here runs.
    pub(super) off: Option<Off>,
    /// The nesting of the handler.
    pub(super) nesting: Nesting,
}

/// Whether a handler is in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// In a group, as the format requires.
    InGroup,
    /// In place of a group, with the fields of both.
    AsGroup,
}

impl Scope {
    /// Returns a copy of the scope that is off for this reason, unless it already has one.
    pub(super) fn with_off_reason(&self, off: Off) -> Self {
        Self { off: Some(self.off.clone().unwrap_or(off)), ..self.clone() }
    }

    /// Whether the event is about a tool call.
    fn is_tool_event(&self) -> bool {
        self.spec.is_none_or(|spec| spec.matcher_subjects() == Subjects::Tools)
    }
}

/// How many turns an `agent` hook may take.
const AGENT_TURNS: u32 = 50;

impl Reading<'_> {
    /// Reads one handler.
    pub(super) fn read_handler(&mut self, node: &Node, scope: &Scope) {
        match &node.value {
            NodeValue::Object(_) => {}
            NodeValue::String(text) => {
                let message = format!("expected a handler, found the text `{text}`");
                self.report_finding(
                    node.span,
                    finding_without_location(Code::HandlerIsString, message)
                        .help(lint::handler_example_help(text)),
                );
                let off = Off::new("it is a string where a handler is due", "C-22");
                return self.add_inert_misplaced_command(node, text, &scope.with_off_reason(off));
            }
            _ => {
                let message = format!("expected a handler, found {}", node.kind_with_article());
                self.report_finding(
                    node.span,
                    finding_without_location(Code::HandlerNotObject, message),
                );
                return;
            }
        }
        let mut off = scope.off.clone();
        let kind = self.read_handler_type(node, &mut off);
        self.check_handler_fields(node, kind, scope.nesting);
        let run = self.read_run(node, kind, &mut off);
        let event = self.handler_event(scope);
        let mut hook = Hook::new(self.next_hook_id(&event, scope), DialectId::CLAUDE, event, run);
        hook.layer = self.source.layer;
        hook.compat = self.source.compat;
        hook.matcher = Matcher::new(scope.matcher.clone());
        hook.condition = self.read_condition(node, scope, &mut off);
        hook.wait = self.read_whether_event_waits(node, scope);
        hook.timeout = self.read_timeout(node);
        hook.on_failure = self.read_failure_policy(node, scope, hook.wait);
        hook.once = self.read_once_flag(node);
        hook.status = self.read_text(node, "statusMessage");
        if let (Some(spec), Some(kind)) = (scope.spec, kind)
            && !kind.is_accepted_by_event(spec.accepts)
        {
            let message = format!("`{}` takes no `{}` handler", spec.name, kind.name);
            self.report_finding(
                node.span,
                finding_without_location(Code::HandlerTypeNotAccepted, message)
                    .label(lint::NEVER)
                    .help("use a `command` handler"),
            );
            off = off.or(Some(Off::new(
                format!("`{}` takes no `{}` handler", spec.name, kind.name),
                "C-31",
            )));
        }
        let off = off.or_else(|| self.report_skipped_entry(node, scope));
        let off = off.or_else(|| self.repeated_handler_off_reason(node, scope));
        hook.arming = Off::arming_from_reason(off);
        self.add_hook(node.span, hook);
    }

    /// Reports the value for which the agent skips an entry of an event that guards no permission.
    /// With exact reading, returns why the hook is off (C-25).
    fn report_skipped_entry(&mut self, node: &Node, scope: &Scope) -> Option<Off> {
        let guards = accepted::is_guarding_event(scope.event.as_str());
        if guards || !self.skips_wrong_entries || scope.spec.is_none() {
            return None;
        }
        let value = accepted::find_wrong_handler_value(node)?;
        let skips = "Claude Code skips the entry";
        if self.source.compat == Compat::Exact {
            self.findings.report_refused_value(&value, skips);
            return Some(Off::new(format!("{skips}: {}", value.sentence()), "C-25"));
        }
        self.findings.report_refused_value(&value, &format!("{skips}; its hook runs here"));
        None
    }

    /// Adds a misplaced command, which is shown and never runs.
    pub(super) fn add_inert_misplaced_command(
        &mut self,
        node: &Node,
        command: &str,
        scope: &Scope,
    ) {
        let run = Run::Command(
            self.build_command(Invocation::Shell { text: command.to_owned(), shell: Shell::Sh }),
        );
        let id = self.next_hook_id(&scope.event, scope);
        let mut hook = Hook::new(id, DialectId::CLAUDE, scope.event.clone(), run);
        hook.layer = self.source.layer;
        hook.compat = self.source.compat;
        hook.matcher = Matcher::new(scope.matcher.clone());
        hook.arming = Off::arming_from_reason(scope.off.clone());
        self.add_hook(node.span, hook);
    }

    /// Returns the event of a handler. `Stop` in a subagent's front matter is `SubagentStop`
    /// (C-32).
    fn handler_event(&self, scope: &Scope) -> EventName {
        match scope.event.as_str() {
            "Stop" if self.kind == FileKind::Agent => EventName::from("SubagentStop"),
            _ => scope.event.clone(),
        }
    }

    /// Builds an id such as `project:PreToolUse:Bash:1`: source, event, matcher and a number
    /// (C-34).
    fn next_hook_id(&mut self, event: &EventName, scope: &Scope) -> HookId {
        let matcher = match (&scope.matcher_text, &scope.matcher) {
            (_, MatcherSpec::Any) => "*".to_owned(),
            (Some(text), _) => text.clone(),
            (None, MatcherSpec::Words(words)) => words.join("|"),
            (None, MatcherSpec::Regex(text) | MatcherSpec::Never(text)) => text.clone(),
        };
        let source = entry::hook_origin(self.source);
        entry::next_hook_id(&mut self.findings, &source, event.as_str(), &matcher)
    }

    fn read_handler_type(
        &mut self,
        node: &Node,
        off: &mut Option<Off>,
    ) -> Option<&'static HandlerType> {
        let names = || TYPES.iter().map(|kind| kind.name);
        let Some(entry) = node.entry("type") else {
            self.report_finding(
                node.span,
                finding_without_location(Code::HandlerMissingType, "the handler has no `type`")
                    .label(lint::NEVER)
                    .help("write `\"type\": \"command\"`"),
            );
            off.get_or_insert(Off::new("it has no `type`", "C-24"));
            return HandlerType::find_type("command").filter(|_| node.get("command").is_some());
        };
        let Some(name) = entry.node.as_str() else {
            let message =
                format!("`type` takes a string, found {}", entry.node.kind_with_article());
            self.report_finding(
                entry.node.span,
                finding_without_location(Code::WrongFieldType, message),
            );
            off.get_or_insert(Off::new("its `type` is not a string", "C-24"));
            return None;
        };
        let found = HandlerType::find_type(name);
        if found.is_none() {
            let known: Vec<_> = names().map(|name| format!("`{name}`")).collect();
            let help = match nearest_word(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the types are {}", known.join(", ")),
            };
            let message = format!("no handler type is called `{name}`");
            self.report_finding(
                entry.node.span,
                finding_without_location(Code::UnknownHandlerType, message)
                    .label(lint::NEVER)
                    .help(help),
            );
            off.get_or_insert(Off::new(format!("no handler type is called `{name}`"), "C-24"));
        }
        found
    }

    fn check_handler_fields(
        &mut self,
        node: &Node,
        kind: Option<&'static HandlerType>,
        nesting: Nesting,
    ) {
        for entry in node.entries() {
            let key = entry.key.as_str();
            let known = match kind {
                Some(kind) => kind.has_field(key),
                None => TYPES.iter().any(|kind| kind.has_field(key)),
            };
            if known || key == "matcher" && nesting == Nesting::AsGroup {
                continue;
            }
            let of_type = kind.map_or_else(String::new, |kind| format!(" of type `{}`", kind.name));
            let message = format!("a handler{of_type} has no field `{key}`: it is ignored");
            let found = if lint::is_comment_field(key) {
                finding_without_location(Code::UnknownHandlerField, message)
                    .with_severity(Severity::Advice)
            } else {
                let own =
                    kind.into_iter().flat_map(|kind| kind.required.iter().chain(kind.optional));
                let near = nearest_word(key, own.chain(COMMON_FIELDS).copied());
                finding_without_location(Code::UnknownHandlerField, message)
                    .help(lint::unknown_handler_field_help(key, near))
            };
            self.report_finding(entry.key_span, found);
        }
        for field in kind.into_iter().flat_map(|kind| kind.required) {
            if node.get(field).is_none_or(Node::is_null) {
                let message = format!("the handler has no `{field}`");
                let help = format!("add `\"{field}\": \"...\"`");
                let found =
                    finding_without_location(Code::HandlerMissingField, message).label(lint::NEVER);
                self.report_finding(node.span, found.help(help));
            }
        }
    }

    fn read_run(
        &mut self,
        node: &Node,
        kind: Option<&'static HandlerType>,
        off: &mut Option<Off>,
    ) -> Run {
        let Some(kind) = kind else { return unusable_run("its type is not known") };
        for field in kind.required {
            if node.get(field).is_none_or(Node::is_null) {
                off.get_or_insert(Off::new(format!("it has no `{field}`"), "C-24"));
            }
        }
        let read = match kind.name {
            "http" => self.read_http(node).map(Run::Http),
            "prompt" => self.read_prompt(node, None).map(Run::Prompt),
            "agent" => self.read_prompt(node, Some(AGENT_TURNS)).map(Run::Prompt),
            "mcp_tool" => self.read_mcp_tool(node).map(Run::McpTool),
            _ => self
                .read_invocation(node)
                .map(|invocation| Run::Command(self.build_command(invocation))),
        };
        read.unwrap_or_else(|why| {
            let run = unusable_run(&*why.because);
            off.get_or_insert(why);
            run
        })
    }

    fn build_command(&self, invocation: Invocation) -> Command {
        let env = self.placeholders.plugin_variables();
        Command { env, ..Command::new(invocation, Inherit::All) }
    }

    /// Reads a program and its arguments if the handler has `args`, else a text for a shell (C-27).
    fn read_invocation(&mut self, node: &Node) -> Result<Invocation, Off> {
        let missing = || Off::new("it has no `command`", "C-24");
        let entry = Case::Counts.non_null_entry_of_key(node, "command").ok_or_else(missing)?;
        let Some(text) = entry.node.as_str() else {
            let message =
                format!("`command` takes a string, found {}", entry.node.kind_with_article());
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::CommandNotString, message)
                    .label(lint::NEVER)
                    .help("write one string, or the program in `command` and the rest in `args`"),
            );
            return Err(Off::new(
                format!("its `command` is {}", entry.node.kind_with_article()),
                "C-24",
            ));
        };
        if text.trim().is_empty() {
            let found = finding_without_location(Code::EmptyCommand, "`command` is empty")
                .label(lint::NEVER);
            self.report_finding(entry.node.span, found);
            return Err(Off::new("its `command` is empty", "C-24"));
        }
        let shell = self.read_shell(node);
        let args = match node.get("args").filter(|args| !args.is_null()) {
            None => None,
            Some(args) => Some(self.read_args(args)?),
        };
        for found in lint::command(self, text, shell, args.as_deref()) {
            self.report_finding(entry.node.span, found);
        }
        let put = &self.placeholders;
        Ok(match (args, shell) {
            (Some(args), _) => Invocation::Argv {
                program: put.replace_in_word(text),
                args: args.iter().map(|arg| put.replace_in_word(arg)).collect(),
            },
            (None, Shell::PowerShell) => {
                Invocation::Shell { text: put.replace_in_powershell_text(text), shell }
            }
            (None, _) if self.source.compat == Compat::Exact => {
                Invocation::Shell { text: text.to_owned(), shell }
            }
            (None, _) => Invocation::Shell { text: put.replace_in_shell_text(text), shell },
        })
    }

    fn read_args(&mut self, node: &Node) -> Result<Vec<String>, Off> {
        if let Some(args) = strings_of_array(node) {
            return Ok(args);
        }
        let message = "`args` takes an array of strings";
        let found = finding_without_location(Code::WrongFieldType, message).label(lint::NEVER);
        self.report_finding(node.span, found.help("write `\"args\": [\"...\"]`"));
        Err(Off::new("its `args` is not an array of strings", "C-24"))
    }

    fn read_shell(&mut self, node: &Node) -> Shell {
        let Some(entry) = Case::Counts.non_null_entry_of_key(node, "shell") else {
            return Shell::Sh;
        };
        match entry.node.as_str() {
            Some("bash") => Shell::Bash,
            Some("powershell") => Shell::PowerShell,
            _ => {
                let message = "`shell` takes `bash` or `powershell`; the default shell runs this";
                self.report_finding(
                    entry.node.span,
                    finding_without_location(Code::UnknownShell, message),
                );
                Shell::Sh
            }
        }
    }

    /// Reads `if`. On an event that is not about a tool call, a hook with `if` never runs (C-26).
    fn read_condition(
        &mut self,
        node: &Node,
        scope: &Scope,
        off: &mut Option<Off>,
    ) -> Option<Condition> {
        let entry = Case::Counts.non_null_entry_of_key(node, "if")?;
        let Some(text) = entry.node.as_str() else {
            let message =
                format!("`if` takes one permission rule, found {}", entry.node.kind_with_article());
            self.report_finding(
                entry.node.span,
                finding_without_location(Code::WrongFieldType, message).label(lint::NEVER),
            );
            off.get_or_insert(Off::new("its `if` is not a string", "C-24"));
            return None;
        };
        if !scope.is_tool_event() {
            let message =
                format!("`if` is about tool calls, and `{}` is not about one", scope.event);
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::IfOutsideToolEvent, message.clone())
                    .label(lint::NEVER)
                    .help("remove `if`, and test in the program"),
            );
            off.get_or_insert(Off::new(message, "C-26"));
        } else {
            for found in lint::condition(text, scope.matcher_text.as_deref()) {
                self.report_finding(entry.node.span, found);
            }
        }
        if text.trim().is_empty() {
            return None;
        }
        Some(
            Condition::rule(text, RuleReading::Claude)
                .with_base_and_home(&self.source.project, &self.source.home)
                .with_aliases(matcher_text::tool_aliases()),
        )
    }
}
