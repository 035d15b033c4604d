//! Compares a hook with the hook that an agent reads of its entry, field by field.

use std::borrow::Cow;

use super::entry::words_of_invocation;
use super::matcher::{Translated, is_same_matcher, matches_none};
use super::{NotWritten, Target, row_of_hook, selection_of_hook};
use crate::answer::{Failure, Power};
use crate::diagnostic::Code;
use crate::dialect::kit::lint::variables as find_variables;
use crate::dialect::{Dialect, EventRow, Subject};
use crate::hook::{
    Command, Hook, Inherit, Invocation, OnFailure, Phase, Run, Sandbox, Shell, Wait,
};
use crate::matcher::MatcherSpec;
use tenterhook_shell::quote_word;

/// The two hooks to compare.
struct Comparison<'a> {
    /// The hook as it was.
    hook: &'a Hook,
    /// Its event, as its own agent has it.
    from: &'a EventRow,
    /// The hook that the target reads.
    read: &'a Hook,
    /// Its event, as the target has it.
    row: &'a EventRow,
    target: Target<'a>,
    lost: Vec<String>,
}

/// Returns what `read`, the hooks that the target reads of an entry, lack of `hook`; the error says
/// why nothing of it runs. Without a matcher that is wanted, matchers are not compared.
pub(super) fn differences(
    hook: &Hook,
    row: &EventRow,
    read: &[Hook],
    target: Target<'_>,
    wanted: Option<&Translated>,
) -> Result<Vec<String>, NotWritten> {
    let agent = target.agent;
    let found = read.iter().find(|read| read.event == hook.event);
    let found = found.ok_or_else(|| NotWritten(format!("{agent} would read no hook of it")))?;
    if let Some((because, _)) = found.arming.disabled_reason() {
        return Err(NotWritten(format!("{agent} would not run it: {because}")));
    }
    if let Run::Unusable { part, why } = &found.run {
        let why = part.problem_message(why);
        return Err(NotWritten(format!("{agent} would not run it: {why}")));
    }
    let from = row_of_hook(hook).unwrap_or(row);
    let lost = Vec::new();
    let mut compared = Comparison { hook, from, read: found, row, target, lost };
    compared.compare_events(read);
    if let Some(wanted) = wanted {
        compared.compare_matchers(wanted)?;
    }
    compared.compare_runs();
    compared.compare_timeouts();
    compared.compare_failure_policies();
    compared.compare_options();
    compared.compare_powers();
    Ok(compared.lost)
}

impl Comparison<'_> {
    fn lose(&mut self, field: &str, what: impl std::fmt::Display) {
        self.lost.push(format!("`{field}`: {what}"));
    }

    fn compare_events(&mut self, read: &[Hook]) {
        let others = read.iter().filter(|read| read.event != self.hook.event);
        let others: Vec<String> = others.map(|read| format!("`{}`", read.event)).collect();
        if !others.is_empty() {
            let agent = self.target.agent;
            self.lose("event", format!("{agent} also runs it on {}", others.join(", ")));
        }
        // Where events of one tool are several events, the matcher says which.
        let rows = self.hook.dialect.dialect().event_rows().iter();
        let is_one_of_several = rows.filter(|row| row.event == self.from.event).count() > 1;
        if let Some(own) = self.hook.own_event.filter(|_| is_one_of_several)
            && !matches!(self.from.subject, Subject::Tool(_) | Subject::Field("tool_name"))
        {
            let (agent, event) = (self.target.agent, &self.row.name);
            self.lose("event", format!("{agent} runs it on each `{event}`, not only on `{own}`"));
        }
    }

    /// Compares matchers; the error says that the target would match nothing.
    fn compare_matchers(&mut self, translated: &Translated) -> Result<(), NotWritten> {
        let agent = self.target.agent;
        let wanted = translated.matcher.clone();
        for loss in &translated.lost {
            self.lose("matcher", loss);
        }
        let (got, _) = selection_of_hook(self.read);
        if is_same_matcher(&wanted, &got) {
            if matches_none(&got, &translated.server_tools) {
                let why = format!("{agent} runs it on no tool of an MCP server");
                if translated.is_about_servers_alone() {
                    return Err(NotWritten(format!("`matcher`: {why}")));
                }
                self.lose("matcher", why);
            }
            return Ok(());
        }
        let wanted = matcher_text(&wanted);
        match &got {
            MatcherSpec::Any => {
                let event = &self.row.name;
                self.lose(
                    "matcher",
                    format!("{agent} cannot say `{wanted}`: it runs on each `{event}`"),
                );
            }
            got => {
                self.lose("matcher", format!("{agent} reads `{wanted}` as `{}`", matcher_text(got)))
            }
        }
        Ok(())
    }

    fn compare_runs(&mut self) {
        let agent = self.target.agent;
        match (&self.hook.run, &self.read.run) {
            (Run::Command(wanted), Run::Command(got)) => {
                let wants = match got.expands {
                    true => Cow::Borrowed(&wanted.invocation),
                    false => wanted.portable_invocation(),
                };
                if !is_same_invocation(&wants, &got.invocation) {
                    self.lose(
                        "command",
                        format!("{agent} would run `{}`", line_of(&got.invocation)),
                    );
                }
                for loss in environment_losses(wanted, got, agent) {
                    self.lost.push(loss);
                }
                self.compare_project_variables(&wanted.invocation);
            }
            (Run::Http(wanted), Run::Http(got)) => {
                if (&wanted.url, &wanted.headers, &wanted.variables)
                    != (&got.url, &got.headers, &got.variables)
                {
                    self.lose("url", format!("{agent} would send another request"));
                }
                if wanted.secret.is_some() {
                    self.lose("secret", format!("{agent} sends requests without a signature"));
                }
            }
            (Run::Prompt(wanted), Run::Prompt(got)) => {
                if (&wanted.text, &wanted.model) != (&got.text, &got.model) {
                    self.lose(
                        "prompt",
                        format!("{agent} would ask another question, or another model"),
                    );
                }
                let differs = (wanted.max_tokens, wanted.may_allow, wanted.goes_on)
                    != (got.max_tokens, got.may_allow, got.goes_on);
                if differs {
                    self.lose("prompt", "`tokens`, `allow` and `goes_on` cannot be said");
                }
            }
            (Run::McpTool(wanted), Run::McpTool(got)) if wanted == got => {}
            _ => self.lose("command", format!("{agent} would run something else")),
        }
    }

    /// Names the variables of the project that the command needs and only its own agent sets.
    fn compare_project_variables(&mut self, invocation: &Invocation) {
        let (set, kept) = (
            self.hook.dialect.dialect().project_variables(),
            self.target.dialect.project_variables(),
        );
        let words = words_of_invocation(invocation);
        let used: Vec<&str> =
            words.iter().flat_map(|word| find_variables(word)).map(|found| found.name).collect();
        for name in set.iter().filter(|name| used.contains(name) && !kept.contains(name)) {
            let agent = self.target.agent;
            self.lose("command", format!("{agent} does not set `${name}`"));
        }
    }

    fn compare_timeouts(&mut self) {
        let wanted = self.hook.effective_timeout(self.from);
        if self.target.file.timeout().is_none() {
            if self.hook.timeout.is_some() {
                self.lose("timeout", format!("{wanted:?} here; {} knows none", self.target.agent));
            }
            return;
        }
        let default = || self.target.dialect.default_timeout(&self.read.run, self.row);
        let got = self.read.timeout.unwrap_or_else(default);
        if wanted != got {
            self.lose("timeout", format!("{wanted:?} here, {got:?} there"));
        }
    }

    /// Compares what a failure of a gate means: a program that cannot answer, and one that is too
    /// slow.
    fn compare_failure_policies(&mut self) {
        if !self.from.powers.has(Power::Deny) || self.hook.wait != Wait::Attached {
            return;
        }
        let own = self.hook.dialect.dialect();
        let policies = |failure: &Failure| {
            let policy = |hook: &Hook, row: &EventRow, dialect: &Dialect| {
                hook.on_failure
                    .unwrap_or_else(|| dialect.default_failure_policy(hook, row, failure))
            };
            (policy(self.hook, self.from, own), policy(self.read, self.row, self.target.dialect))
        };
        let fails = policies(&Failure::exit_code_failure(1, ""));
        let slow = policies(&Failure::new(Code::TimedOut, ""));
        let all = match fails == slow {
            true => vec![("a program that fails or is too slow", fails)],
            false => vec![("a program that fails", fails), ("a program that is too slow", slow)],
        };
        for (who, (wanted, got)) in all.into_iter().filter(|(_, (wanted, got))| wanted != got) {
            let text =
                format!("{who} {} here, and {} there", consequence(wanted), consequence(got));
            self.lose("on_failure", text);
        }
    }

    fn compare_options(&mut self) {
        let (hook, read, agent) = (self.hook, self.read, self.target.agent);
        let text = |hook: &Hook| selection_of_hook(hook).1.map(str::to_owned);
        match (text(hook), text(read)) {
            (Some(wanted), got) if got.as_ref() != Some(&wanted) => {
                self.lose("if", format!("{agent} cannot say `{wanted}`: it runs on more calls"));
            }
            (None, Some(got)) => self.lose("if", format!("it runs only if `{got}`")),
            _ => {}
        }
        for key in &hook.own_keys {
            self.lose(key, format!("{agent} has no such key"));
        }
        if hook.wait != read.wait {
            let text = match read.wait {
                Wait::Attached => "the event waits for it there",
                Wait::Detached | Wait::Rewake => "the event does not wait for it there",
            };
            self.lose("background", text);
        }
        if hook.once != read.once {
            self.lose("once", format!("{agent} runs it each time"));
        }
        if hook.status.is_some() && hook.status != read.status {
            self.lose("status", format!("{agent} shows no text of yours while it runs"));
        }
        if hook.phase != read.phase {
            self.lose(
                "phase",
                format!("it {} here, and {} there", act(hook.phase), act(read.phase)),
            );
        }
        if hook.answer_required && !read.answer_required {
            self.lose("answer", "an empty answer is consent there");
        }
        let is_confined = !matches!(hook.sandbox, Sandbox::Unsaid);
        if is_confined && hook.sandbox != read.sandbox {
            self.lose("sandbox", format!("{agent} runs it with its own rights"));
        }
    }

    /// Compares what answers can do on the event.
    fn compare_powers(&mut self) {
        let (from, to) = (self.from.powers, self.row.powers);
        let lost = Power::ALL.iter().filter(|(power, _)| from.has(*power) && !to.has(*power));
        let names: Vec<&str> = lost.map(|(_, name)| *name).collect();
        if !names.is_empty() {
            let text = format!(
                "on `{}`, {} ignores: {}",
                self.row.name,
                self.target.agent,
                names.join(", ")
            );
            self.lose("answer", text);
        }
    }
}

fn matcher_text(spec: &MatcherSpec) -> String {
    match spec {
        MatcherSpec::Any => "*".to_owned(),
        MatcherSpec::Words(words) => words.join("|"),
        MatcherSpec::Regex(text) => format!("/{text}/"),
        MatcherSpec::Never(why) => why.clone(),
    }
}

/// Returns what a policy does, as a verb.
const fn consequence(policy: OnFailure) -> &'static str {
    match policy {
        OnFailure::Continue => "lets the action go on",
        OnFailure::Ask => "makes the agent ask",
        OnFailure::Block => "blocks",
    }
}

/// Returns what a hook of a phase does, as a verb.
const fn act(phase: Phase) -> &'static str {
    match phase {
        Phase::Rewrite => "rewrites in turn",
        Phase::Decide => "decides",
        Phase::Observe => "observes",
    }
}

/// Returns `true` if two invocations start the same: a line in Bash may have been one for `sh`.
fn is_same_invocation(wanted: &Invocation, got: &Invocation) -> bool {
    match (wanted, got) {
        (
            Invocation::Shell { text: wanted, shell: Shell::Sh },
            Invocation::Shell { text: got, shell: Shell::Sh | Shell::Bash },
        ) => wanted == got,
        (Invocation::Shell { .. }, Invocation::Shell { .. }) if wanted == got => true,
        (
            Invocation::Shell { text: wanted, shell: Shell::Sh | Shell::Bash | Shell::Login },
            Invocation::Shell { text: got, shell: Shell::Sh | Shell::Bash | Shell::Login },
        ) if wanted == got && is_plain_command(wanted) => true,
        // No shell is needed to start the words of a path.
        (
            Invocation::Shell { text, shell: Shell::Sh | Shell::Bash },
            got @ Invocation::Argv { .. },
        ) if is_plain_path(text) => {
            words_of_invocation(got).iter().map(String::as_str).eq(text.split_whitespace())
        }
        // A shell that only starts the words.
        (wanted, Invocation::Shell { text, .. }) => *text == line_of(wanted),
        (wanted, got @ Invocation::Argv { .. }) => {
            words_of_invocation(wanted) == words_of_invocation(got)
        }
    }
}

/// Returns `true` if a line is plain words, which each of these shells runs alike.
fn is_plain_command(line: &str) -> bool {
    line.chars().all(|char| char.is_ascii_alphanumeric() || " ./_-+:,@%".contains(char))
}

/// Returns `true` if a line is plain words of which the first is a path: no word of the shell.
fn is_plain_path(line: &str) -> bool {
    is_plain_command(line) && line.split_whitespace().next().is_some_and(|word| word.contains('/'))
}

/// Returns an invocation as a line for a shell.
fn line_of(invocation: &Invocation) -> String {
    let words = words_of_invocation(invocation);
    words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" ")
}

/// Returns what a command does not get: variables, a directory, a limited environment.
fn environment_losses(wanted: &Command, got: &Command, agent: &str) -> Vec<String> {
    let mut lost = Vec::new();
    for (name, _) in wanted.env.iter().filter(|variable| !got.env.contains(variable)) {
        lost.push(format!("`env`: {agent} does not set `{name}`"));
    }
    if wanted.cwd.is_some() && wanted.cwd != got.cwd {
        lost.push(format!("`cwd`: {agent} starts it in another directory"));
    }
    if wanted.inherit == Inherit::Listed && got.inherit == Inherit::All {
        lost.push(format!("`pass`: {agent} hands all its variables on to it"));
    }
    if wanted.inherit == Inherit::All && got.inherit == Inherit::Listed {
        lost.push(format!("`pass`: {agent} hands few of its variables on to it"));
    }
    lost
}
