//! Reads one entry into hooks: one for each neutral event that its event covers (CW-20, CW-23).
//! Knows no other entry.

use std::collections::HashSet;
use std::time::Duration;

use super::super::condition::{Needs, Test};
use super::super::events::{self, Class, Spec};
use super::Reader;

use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
use crate::dialect::DialectId;
pub(crate) use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::lint::{CommandText, Lints};
use crate::event::EventName;
use crate::hook::{Command, Hook, HookId, Inherit, Invocation, OnFailure, Phase, Run, Shell, Wait};
use crate::matcher::Condition;
use crate::syntax::Node;
use crate::text;

/// What the lints of commands need to know of CodeWhale.
static LINTS: Lints = Lints {
    matcher_key: "condition",
    paths: &["DEEPSEEK_WORKSPACE"],
    project: Some("$DEEPSEEK_WORKSPACE"),
    ..Lints::new("CodeWhale")
};

/// The keys of an entry.
const KEYS: &[&str] =
    &["event", "command", "name", "condition", "timeout_secs", "background", "continue_on_error"];
/// The maximal length of a name, in characters.
const NAME_CAP: usize = 64;
/// The variables of hooks, without their prefix `DEEPSEEK_`.
const VARIABLES: &[&str] = &[
    "SESSION_ID",
    "WORKSPACE",
    "MODEL",
    "MODE",
    "TOTAL_TOKENS",
    "MESSAGE",
    "ERROR",
    "PREVIOUS_MODE",
    "TOOL_NAME",
    "TOOL_CALL_ID",
    "TOOL_ARGS",
    "TOOL_RESULT",
    "TOOL_SUCCESS",
    "TOOL_EXIT_CODE",
    "SESSION_COST",
];

/// Why a hook never runs, and the rule that says so; the first reason is kept.
type Off = Option<(String, &'static str)>;

impl Reader<'_> {
    pub(super) fn read_entry(&mut self, node: &Node) {
        if node.as_object().is_none() {
            let message = format!("an entry is a table, not {}", node.kind_with_article());
            let found = finding_without_location(Code::WrongType, message)
                .help("write `[[hooks.hooks]]`, or `[[hooks]]` in `hooks.toml`");
            return self.findings.report(node.span, found);
        }
        for field in node.entries().iter().filter(|entry| !KEYS.contains(&entry.key.as_str())) {
            let finding = self.unknown_key_finding(field, KEYS);
            self.findings.report(field.key_span, finding);
        }
        // Both fields are read before the check, so that all mistakes are reported at once.
        let (event, command) = (self.read_event(node), self.read_command(node));
        let (Some(event), Some(command)) = (event, command) else { return };
        self.report_unprefixed_variables(node, &command);
        self.lint_command(node, &command);
        let id = self.unique_hook_id(node, &event);
        let spec = events::find_by_config_name(&event).unwrap_or(&events::OBSERVER);
        let mut off = self.settings.off.then(|| ("`enabled` is false in its file".into(), "CW-26"));
        if spec.covers.is_empty() {
            off = off.or_else(|| Some((format!("CodeWhale has no event `{event}`"), "CW-22")));
        }
        let timeout = self.read_timeout(node, &mut off);
        let condition = self.read_condition(node, spec, &mut off);
        let wait = self.read_whether_event_waits(node, spec);
        let on_failure = self.read_failure_policy(node, spec, wait);
        let own = [event.as_str()];
        let covers = if spec.covers.is_empty() { own.as_slice() } else { spec.covers };
        for (at, neutral) in covers.iter().enumerate() {
            let id = if at == 0 { id.clone() } else { format!("{id}@{neutral}") };
            let run = Run::Command(self.build_command(&command));
            let event = EventName::from(*neutral);
            let mut hook = Hook::new(HookId::new(id), DialectId::CODEWHALE, event, run);
            hook.place = Some(self.findings.location(node.span));
            hook.layer = self.source.layer;
            hook.compat = self.source.compat;
            hook.phase = phase_of_class(spec.class);
            hook.condition.clone_from(&condition);
            hook.timeout = self.settings.timeout.or(timeout);
            (hook.wait, hook.on_failure) = (wait, on_failure);
            if let Some((because, rule)) = &off {
                hook.disarm(because.clone(), rule);
            }
            self.hooks.push(hook);
        }
    }

    fn read_event(&mut self, node: &Node) -> Option<String> {
        let Some(entry) = node.entry("event") else {
            let found = finding_without_location(Code::MissingEvent, "the entry has no `event`")
                .help("add `event = \"tool_call_before\"`; `tenterhook events` lists them");
            self.findings.report(node.span, found);
            return None;
        };
        let Some(event) = entry.node.as_str() else {
            self.report_wrong_type(Some(entry), "the name of an event in quotes");
            return None;
        };
        if events::find_by_config_name(event).is_none() {
            let help = nearest_word(event, events::EVENTS.iter().map(|event| event.name))
                .map_or_else(
                    || "`tenterhook events` lists the events".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
            let message = format!(
                "CodeWhale has no event `{event}`, and ignores every hook of a file that names it"
            );
            self.findings.report(
                entry.node.span,
                finding_without_location(Code::UnknownEvent, message)
                    .with_severity(Severity::Error)
                    .help(help),
            );
        }
        Some(event.to_owned())
    }

    fn read_command(&mut self, node: &Node) -> Option<String> {
        let Some(entry) = node.entry("command") else {
            let found =
                finding_without_location(Code::MissingCommand, "the entry has no `command`");
            self.findings
                .report(node.span, found.help("add `command = \"...\"`, a line for a shell"));
            return None;
        };
        let text = entry.node.as_str();
        match text {
            Some(text) if text.trim().is_empty() => {
                let found = finding_without_location(
                    Code::EmptyCommand,
                    "`command` is empty: there is nothing to run",
                );
                self.findings.report(entry.node.span, found.help("write a line for a shell"));
                return None;
            }
            Some(_) => {}
            None => self.report_wrong_type(Some(entry), "a line for a shell in quotes"),
        }
        text.map(str::to_owned)
    }

    fn build_command(&self, command: &str) -> Command {
        let invocation = Invocation::Shell { text: command.to_owned(), shell: Shell::Sh };
        let cwd = self.settings.directory.clone();
        Command { cwd, ..Command::new(invocation, Inherit::All) }
    }

    /// Returns the name of the entry, else its event; entries with the same name get a number
    /// (CW-29).
    fn unique_hook_id(&mut self, node: &Node, event: &str) -> String {
        let entry = node.entry("name");
        let given = entry.and_then(|entry| entry.node.as_str());
        if given.is_none() {
            self.report_wrong_type(entry, "a string in quotes");
        }
        let line = given.map(|text| text::clean(text, usize::MAX).text.replace(['\n', '\t'], " "));
        let line = line.map(|line| text::truncate_for_preview(line.trim(), NAME_CAP).shown);
        let name = line.filter(|line| !line.is_empty()).unwrap_or_else(|| event.to_owned());
        match self.findings.next_ordinal(&name) {
            1 => name,
            more => format!("{name}:{more}"),
        }
    }

    fn read_timeout(&mut self, node: &Node, off: &mut Off) -> Option<Duration> {
        let entry = node.entry("timeout_secs")?;
        let seconds = entry.node.as_u64();
        match seconds {
            Some(0) => {
                let message = "a timeout of zero leaves no time to run, so the hook never runs";
                let found = finding_without_location(Code::ZeroTimeout, message)
                    .help("leave it out, or give whole seconds");
                self.findings.report(entry.node.span, found);
                off.get_or_insert_with(|| ("its timeout is zero".to_owned(), "CW-24"));
            }
            Some(_) => {}
            None => self.report_wrong_type(Some(entry), "a whole number of seconds"),
        }
        seconds.filter(|n| *n > 0).map(Duration::from_secs)
    }

    /// Reads a boolean; `Err` if the value is not one.
    fn read_flag(&mut self, node: &Node, key: &str) -> Option<Result<bool, ()>> {
        let entry = node.entry(key)?;
        let read = entry.node.as_bool().ok_or(());
        if read.is_err() {
            self.report_wrong_type(Some(entry), "`true` or `false`");
        }
        Some(read)
    }

    /// Reads `background`. The event does not wait for a hook in the background, so the hook only
    /// observes (CW-S8); the agent always waits for `shell_env` hooks.
    fn read_whether_event_waits(&mut self, node: &Node, spec: &Spec) -> Wait {
        // An unreadable value must not disable a gate.
        let background = self.read_flag(node, "background") == Some(Ok(true));
        let Some(entry) = node.entry("background").filter(|_| background) else {
            return Wait::Attached;
        };
        // The agent documents `background` for submitted messages, so this is only advice.
        let severity = match spec.class {
            Class::Submit => Severity::Advice,
            Class::Observer | Class::Variables | Class::Gate => Severity::Warning,
        };
        let (wait, code, message) = match spec.class {
            Class::Observer => return Wait::Detached,
            Class::Variables => (
                Wait::Attached,
                Code::NoEffect,
                "CodeWhale always waits for `shell_env` hooks; `background` is ignored".to_owned(),
            ),
            Class::Submit | Class::Gate => (
                Wait::Detached,
                Code::BackgroundGate,
                format!("this hook runs in the background, so it only observes `{}`", spec.name),
            ),
        };
        let found = finding_without_location(code, message)
            .with_severity(severity)
            .help("leave `background` out");
        self.findings.report(entry.key_span, found);
        wait
    }

    /// Reads what happens if a gate fails or gives no answer (CW-S7).
    fn read_failure_policy(&mut self, node: &Node, spec: &Spec, wait: Wait) -> Option<OnFailure> {
        let given = self.read_flag(node, "continue_on_error")?;
        let steers = matches!(spec.class, Class::Submit | Class::Gate) && wait == Wait::Attached;
        if steers {
            let goes_on = given == Ok(true);
            return Some(if goes_on { OnFailure::Continue } else { OnFailure::Block });
        }
        if let (Ok(false), Some(entry)) = (given, node.entry("continue_on_error")) {
            let message = "this hook only observes, so its failure blocks nothing";
            let found = finding_without_location(Code::NoEffect, message)
                .help("leave `continue_on_error` out");
            self.findings.report(entry.key_span, found);
        }
        None
    }

    /// Reads the condition. A condition with a test that can never hold disarms the hook (CW-35);
    /// an unreadable one disarms it only if the hook cannot block (CW-36).
    fn read_condition(&mut self, node: &Node, spec: &Spec, off: &mut Off) -> Option<Condition> {
        let entry = node.entry("condition")?;
        let test: Test = self.read_test(&entry.node, 0);
        if test.has_unreadable_part() && !matches!(spec.class, Class::Submit | Class::Gate) {
            off.get_or_insert_with(|| ("its condition cannot be read".to_owned(), "CW-36"));
        }
        if let Some(needs) = test.missing_fact(spec) {
            self.findings.report(entry.node.span, condition_never_holds_finding(spec, needs));
            let because = format!("its condition can never hold on `{}`", spec.name);
            off.get_or_insert((because, "CW-35"));
        }
        test.into_condition()
    }

    /// Reports what fails in a command of any agent: foreign variables, and paths in one person's home.
    fn lint_command(&mut self, node: &Node, text: &str) {
        let Some(entry) = node.entry("command") else { return };
        // These have their own findings.
        let env: HashSet<String> = VARIABLES.iter().map(|name| (*name).to_owned()).collect();
        let layer = self.source.layer;
        let command = CommandText { text, shell: Shell::Sh, args: None, layer, env: &env };
        for found in LINTS.check_command(command) {
            self.findings.report(entry.node.span, found);
        }
    }

    /// Reports variables without the prefix of the agent: they are unset when the hook runs.
    fn report_unprefixed_variables(&mut self, node: &Node, command: &str) {
        let Some(entry) = node.entry("command") else { return };
        let continues = |at: usize| {
            let rest = command.get(at..).unwrap_or_default();
            rest.starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric())
        };
        for name in VARIABLES {
            let plain = format!("${name}");
            let mut plainly =
                command.match_indices(&plain).filter(|(at, text)| !continues(at + text.len()));
            if plainly.next().is_some() || command.contains(&format!("${{{name}}}")) {
                let found = finding_without_location(
                    Code::UnsetVariable,
                    format!("CodeWhale sets no `${name}`"),
                )
                .help(format!("did you mean `$DEEPSEEK_{name}`?"));
                self.findings.report(entry.node.span, found);
            }
        }
    }
}

const fn phase_of_class(class: Class) -> Phase {
    match class {
        Class::Submit => Phase::Rewrite,
        Class::Gate | Class::Variables => Phase::Decide,
        Class::Observer => Phase::Observe,
    }
}

fn condition_never_holds_finding(spec: &Spec, needs: Needs) -> Diagnostic {
    let (what, help) = match needs {
        Needs::Tool => {
            ("is about no tool", "conditions on tools belong to tool events and `on_error`")
        }
        Needs::ExitCode => {
            ("has no exit code", "`exit_code` belongs to `tool_call_after` and `on_error`")
        }
        Needs::Mode => ("has no mode", "remove the condition on the mode"),
    };
    let message =
        format!("`{}` {what}: the condition never holds, so the hook never runs", spec.name);
    finding_without_location(Code::ImpossibleCondition, message).help(help)
}
