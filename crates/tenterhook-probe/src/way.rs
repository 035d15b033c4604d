//! The ways in which a hook says no, or means to: what it writes and how it ends. Data; nothing is run here.

use crate::agent::{AGENTS, Agent, Event, HookAnswer};

/// What a hook does for one call, as a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The event at which it does it.
    pub event: Event,
    /// Its name; calls name it as `WAY-NAME-END`, and `any` is for those that name none.
    pub name: String,
    /// The script.
    pub text: String,
    /// In which language it is: the ending of its file.
    pub language: &'static str,
}

impl Way {
    /// Makes a way from the text of a shell script.
    #[must_use]
    pub fn from_shell_script(event: Event, name: &str, text: impl Into<String>) -> Self {
        Self { event, name: name.to_owned(), text: text.into(), language: "sh" }
    }

    /// Makes a way that prints a text and exits with status 0.
    #[must_use]
    pub fn printing(event: Event, name: &str, text: &str) -> Self {
        Self::from_shell_script(event, name, command_that_prints(text))
    }

    pub(crate) fn script_file_name(&self) -> String {
        format!("{}.{}.{}", self.event.name(), self.name, self.language)
    }
}

/// Returns the text that shows that the model received the message.
#[must_use]
pub fn reason_marker(name: &str) -> String {
    format!("MARK-{name}-END")
}

/// Returns what a hook prints to deny in the agent's own format.
#[must_use]
pub fn denial_json(agent: &Agent, name: &str) -> Option<String> {
    (agent.answer)(Event::Before, HookAnswer::Deny, &reason_marker(name))
}

/// How a denial is spoilt, where `{deny}` is the denial, `{DENY}` with its word in capitals, `{yes}` a consent, `{reason}` its reason
/// and `{cut}` its beginning; a quote stands for itself.
pub const NEAR_MISSES: &[(&str, &str)] = &[
    ("deny", "out {deny}"),
    ("exit2", "err {reason}\nexit 2"),
    ("exit2-empty", "exit 2"),
    ("exit2-stdout", "out {reason}\nexit 2"),
    ("exit1", "err {reason}\nexit 1"),
    ("exit1-empty", "exit 1"),
    ("deny-exit1", "out {deny}\nexit 1"),
    ("deny-exit2", "out {deny}\nexit 2"),
    ("line-before", "out a line of a log\nout {deny}"),
    ("line-after", "out {deny}\nout a line of a log"),
    ("upper", "out {DENY}"),
    ("spaced", "out {spaced}"),
    ("no-reason", "out {bare}"),
    ("no-event-name", "out {nameless}"),
    ("wrong-event-name", "out {misnamed}"),
    ("decision-block", r#"out {"decision":"block","reason":"{reason}"}"#),
    ("decision-deny", r#"out {"decision":"deny","reason":"{reason}"}"#),
    ("top-level", r#"out {"permissionDecision":"deny","permissionDecisionReason":"{reason}"}"#),
    ("bom", "printf '\\357\\273\\277'\nout {deny}"),
    ("cut", "out {cut}"),
    ("twice-a-key", "out {twice}"),
    ("in-a-string", "out {quoted}"),
    ("in-a-list", "out [{deny}]"),
    ("fenced", "out ```json\nout {deny}\nout ```"),
    ("trailing-comma", "out {comma}"),
    ("extra-key", "out {extra}"),
    ("yes-then-no", "out {yes}\nout {deny}"),
    ("no-then-yes", "out {deny}\nout {yes}"),
    ("on-stderr", "err {deny}"),
    ("grandchild", "sleep 2 &\nerr {reason}\nexit 2"),
    ("async-then-no", "out {\"async\":true}\nout {deny}"),
    ("crash", "kill -9 $$"),
    ("missing", "exec /nonexistent/program"),
    ("slow", "sleep 30\nout {deny}"),
];

/// What a plugin of OpenCode can do to a call, in its own language: `{reason}` is the reason and `{new}` another command.
pub(crate) const OPENCODE_WAYS: &[(&str, &str)] = &[
    ("deny", "throw new Error('{reason}')"),
    ("throw-text", "throw '{reason}'"),
    ("reject", "return Promise.reject(new Error('{reason}'))"),
    ("throw-nothing", "throw undefined"),
    ("return-deny", "return { permissionDecision: 'deny', permissionDecisionReason: '{reason}' }"),
    ("return-false", "return false"),
    ("status-deny", "output.status = 'deny'"),
    ("args-replaced", "output.args = { command: '{new}', description: 'x' }"),
    ("args-emptied", "for (const key in output.args) delete output.args[key]"),
    ("rewrite", "output.args.command = '{new}'"),
    ("type-error", "null.x"),
];

/// What an extension of Pi can do to a call, in the same form.
pub(crate) const PI_WAYS: &[(&str, &str)] = &[
    ("deny", "return { block: true, reason: '{reason}' }"),
    ("deny-ends-run", "return { block: true, reason: '{reason}', terminate: true }"),
    ("throw-error", "throw new Error('{reason}')"),
    ("throw-text", "throw '{reason}'"),
    ("reject", "return Promise.reject(new Error('{reason}'))"),
    ("return-blocked", "return { blocked: true, reason: '{reason}' }"),
    ("return-block", "return { decision: 'block', reason: '{reason}' }"),
    ("return-deny", "return { permissionDecision: 'deny', permissionDecisionReason: '{reason}' }"),
    ("return-false", "return false"),
    ("return-cancel", "return { cancel: true, reason: '{reason}' }"),
    ("args-replaced", "event.input = { command: '{new}' }"),
    ("args-emptied", "for (const key in event.input) delete event.input[key]"),
    ("rewrite", "event.input.command = '{new}'"),
    ("type-error", "null.x"),
];

/// What a plugin of OpenClaw can do to a call, in the same form.
pub(crate) const OPENCLAW_WAYS: &[(&str, &str)] = &[
    ("deny", "return { block: true, blockReason: '{reason}' }"),
    ("throw-error", "throw new Error('{reason}')"),
    ("throw-text", "throw '{reason}'"),
    ("reject", "return Promise.reject(new Error('{reason}'))"),
    ("ask", "return { requireApproval: { title: 'x', description: '{reason}' } }"),
    ("other-reason", "return { block: true, reason: '{reason}' }"),
    ("block-text", "return { block: 'true', blockReason: '{reason}' }"),
    ("block-number", "return { block: 1, blockReason: '{reason}' }"),
    ("return-blocked", "return { blocked: true, reason: '{reason}' }"),
    ("return-block", "return { decision: 'block', reason: '{reason}' }"),
    ("return-deny", "return { permissionDecision: 'deny', permissionDecisionReason: '{reason}' }"),
    ("return-false", "return false"),
    ("return-text", "return 'deny'"),
    ("return-cancel", "return { cancel: true, reason: '{reason}' }"),
    ("args-replaced", "event.params.command = '{new}'"),
    ("args-emptied", "return { params: {} }"),
    ("rewrite", "return { params: { command: '{new}' } }"),
    ("type-error", "null.x"),
];

/// Calls that a denial must stop where the agent makes them in another way than one by one for a person.
const ELSEWHERE: &[&str] = &["ask", "subagent", "mcp", "parallel-1", "parallel-3", "prompt-block"];

/// Returns whether a way, or a call, of this name must block the call.
#[must_use]
pub fn must_block_call_named(name: &str) -> bool {
    // A plugin's way to change a call, and to empty it.
    let changes = ["rewrite", "args-emptied"].contains(&name);
    let is_in = |ways: &[(&str, &str)]| ways.iter().any(|way| way.0 == name);
    is_in(NEAR_MISSES)
        || (AGENTS.iter().any(|agent| is_in(agent.plugin_ways)) && !changes)
        || ELSEWHERE.contains(&name)
}

impl Way {
    /// Returns all almost correct denials in the agent's format; none if the agent runs no commands
    /// as hooks.
    #[must_use]
    pub fn near_miss_denials(agent: &Agent) -> Vec<Self> {
        let all = NEAR_MISSES.iter();
        all.filter_map(|(name, text)| Self::near_miss_denial(agent, name, text)).collect()
    }

    fn near_miss_denial(agent: &Agent, name: &str, text: &str) -> Option<Self> {
        let deny = denial_json(agent, name)?;
        let yes = (agent.answer)(Event::Before, HookAnswer::Allow, "fine")
            .unwrap_or_else(|| "{}".to_owned());
        Some(Self::spoilt_denial(name, text, &Denial { deny, yes, no: agent.no }))
    }

    /// Makes the way of [`NEAR_MISSES`] with this name and text from a denial.
    pub(crate) fn spoilt_denial(name: &str, text: &str, denial: &Denial) -> Self {
        let Denial { deny, yes, no } = denial;
        let word = format!("\"{no}\"");
        let reason = reason_marker(name);
        let forms = [
            ("{DENY}", deny.replace(&word, &word.to_uppercase())),
            ("{spaced}", deny.replace(&word, &format!("\" {no}\""))),
            ("{bare}", remove_denial_reason(deny)),
            ("{nameless}", deny.replace("\"hookEventName\":\"PreToolUse\",", "")),
            (
                "{misnamed}",
                deny.replace("\"hookEventName\":\"PreToolUse\"", "\"hookEventName\":\"Stop\""),
            ),
            ("{cut}", deny.trim_end_matches('}').to_owned()),
            (
                "{twice}",
                deny.replace(&word, &format!("\"allow\",{}", decision_key_and_value(deny, &word))),
            ),
            ("{quoted}", serde_json::Value::from(deny.as_str()).to_string()),
            ("{comma}", deny.replace('}', ",}")),
            ("{extra}", deny.replacen('{', "{\"unknownKey\":1,", 1)),
            ("{deny}", deny.clone()),
            ("{yes}", yes.clone()),
            ("{reason}", reason),
        ];
        let mut script = String::new();
        for line in text.lines() {
            let mut line = line.to_owned();
            for (sign, form) in &forms {
                line = line.replace(sign, form);
            }
            script.push_str(&match line.split_once(' ') {
                Some(("out", text)) => command_that_prints(text),
                Some(("err", text)) => command_that_prints_to_stderr(text),
                _ => line + "\n",
            });
        }
        Self::from_shell_script(Event::Before, name, script)
    }
}

/// What an agent's hook prints to deny and to consent, and the word for no in it.
pub(crate) struct Denial {
    pub(crate) deny: String,
    pub(crate) yes: String,
    pub(crate) no: &'static str,
}

/// Returns the key and the value of the decision, to be written twice.
fn decision_key_and_value(deny: &str, word: &str) -> String {
    let before = deny.split(word).next().unwrap_or_default();
    let key = before.trim_end_matches(':').rsplit(['{', ',']).next().unwrap_or_default();
    format!("{key}:{word}")
}

/// Returns the denial without the field that gives the reason.
fn remove_denial_reason(deny: &str) -> String {
    let Some(at) = deny.rfind(",\"") else { return deny.to_owned() };
    let (kept, dropped) = deny.split_at(at);
    kept.to_owned() + &"}".repeat(dropped.matches('}').count())
}

/// Returns a shell line that prints a text.
pub(crate) fn command_that_prints(text: &str) -> String {
    format!("printf '%s\\n' '{}'\n", text.replace('\'', r"'\''"))
}

/// Returns a shell line that prints a text to standard error.
pub(crate) fn command_that_prints_to_stderr(text: &str) -> String {
    command_that_prints(text).trim_end().to_owned() + " >&2\n"
}
