//! Lints of readable hook files that all agents share: matchers that match nothing, and commands whose variables or
//! paths fail. An agent brings one table, [`Lints`]. Reports nothing itself and changes no hook.

mod command;
mod matcher;
mod variables;

use crate::agents::AGENTS;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Subject;
use crate::dialect::findings::finding;
use crate::dialect::kit::protocol::Subjects;
use crate::dialect::tools::ToolWords;
use crate::hook::Hook;
use crate::matcher::MatcherSpec;

pub(crate) use command::CommandText;
pub(crate) use variables::find as variables;

/// The label of a finding whose hook can never run.
pub(crate) const NEVER: &str = "never runs";

/// What the lints need to know of an agent.
pub(crate) struct Lints {
    /// The agent, in words.
    pub(crate) agent: &'static str,
    /// Names of its tools that its table of tools does not have.
    pub(crate) tools: &'static [&'static [&'static str]],
    /// Old names of its tools, each with the present one.
    pub(crate) old_names: &'static [(&'static str, &'static str)],
    /// How it calls a tool of an MCP server, with `SERVER` and `TOOL` in it.
    pub(crate) mcp: &'static str,
    /// The variables that it sets for hooks, and its variables that users set.
    pub(crate) variables: &'static [&'static str],
    /// Variables of a directory that the shell splits at spaces.
    pub(crate) paths: &'static [&'static str],
    /// Variables that files for this agent rely on and that are never set, beside those of every agent.
    pub(crate) never_set: &'static [&'static str],
    /// How the agent's own variables begin.
    pub(crate) prefix: &'static str,
    /// Whether a handler may name a program with `args`, which no shell reads.
    pub(crate) has_args: bool,
    /// How a path of the project begins, for help.
    pub(crate) project: Option<&'static str>,
}

/// What the matcher of a group is about, for lints.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    /// The event as written.
    pub(crate) event: &'a str,
    pub(crate) subjects: Subjects,
    /// The agent's table of tools.
    pub(crate) table: &'static [ToolWords],
}

impl<'a> About<'a> {
    /// The same for an event of a table without closed lists of values.
    pub(crate) const fn row(event: &'a str, subject: &Subject) -> Self {
        let (subjects, table): (_, &'static [ToolWords]) = match subject {
            Subject::None => (Subjects::None, &[]),
            Subject::Tool(table) => (Subjects::Tools, *table),
            _ => (Subjects::Open, &[]),
        };
        Self { event, subjects, table }
    }
}

impl Lints {
    /// Checks the matcher `text`, which the agent reads as `spec`.
    pub(crate) fn matcher(
        &self,
        about: About<'_>,
        text: &str,
        spec: &MatcherSpec,
    ) -> Vec<Diagnostic> {
        matcher::check(self, about, text, spec)
    }

    /// Checks the text of a command.
    pub(crate) fn command(&self, command: CommandText<'_>) -> Vec<Diagnostic> {
        command::check(self, command)
    }

    /// Why no event can select `hook`, whose matcher follows `rule`.
    pub(crate) fn unreachable(
        &self,
        hook: &Hook,
        rule: &'static str,
    ) -> Option<(String, &'static str)> {
        let row = hook.dialect.dialect().row(&hook.event)?;
        let text = written(hook.matcher.spec())?;
        // The failure policy handles a matcher that does not compile, so it is not dead (S-3).
        hook.matcher.compile().ok()?;
        let about = About::row(&row.name, &row.subject);
        let found = self.matcher(about, &text, hook.matcher.spec());
        found.into_iter().find(is_certain).map(|diagnostic| (diagnostic.message, rule))
    }

    /// Whether the agent calls a tool of an MCP server so.
    fn is_server_tool(&self, word: &str) -> bool {
        let (before, between) = self.mcp_parts();
        let rest = word.strip_prefix(before);
        rest.and_then(|rest| rest.split_once(between)).is_some_and(|(server, tool)| {
            !server.is_empty() && !tool.is_empty() && server != "mcp" && !server.starts_with('_')
        })
    }

    /// The text before the server and between it and its tool.
    fn mcp_parts(&self) -> (&'static str, &'static str) {
        let (before, rest) = self.mcp.split_once("SERVER").unwrap_or_default();
        (before, rest.strip_suffix("TOOL").unwrap_or_default())
    }

    /// The names that the agent has for its tools.
    fn names(&self, table: &'static [ToolWords]) -> Vec<&'static str> {
        let own = table.iter().flat_map(|tool| tool.own).copied();
        let old = self.old_names.iter().map(|(old, _)| *old);
        self.tools.iter().copied().flatten().copied().chain(old).chain(own).collect()
    }
}

/// Whether the hook of such a finding never runs.
pub(crate) fn is_certain(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && diagnostic.label == NEVER
}

/// The matcher as people write it.
fn written(spec: &MatcherSpec) -> Option<String> {
    match spec {
        MatcherSpec::Any | MatcherSpec::Never(_) => None,
        MatcherSpec::Words(words) => Some(words.join("|")),
        MatcherSpec::Regex(text) => Some(unanchored(text).to_owned()),
    }
}

/// An expression without the anchors that an agent adds to it.
pub(crate) fn unanchored(text: &str) -> &str {
    text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$")).unwrap_or(text)
}

/// The agent whose name a variable begins with, such as `CODEX_HOME`.
fn agent_of(variable: &str) -> Option<&'static str> {
    let (first, _) = variable.split_once('_')?;
    AGENTS.iter().find(|agent| agent.name.to_ascii_uppercase() == first).map(|agent| agent.title)
}

/// The finding of a matcher that is `null`, which selects everything.
pub(crate) fn null_matcher() -> Diagnostic {
    finding(Code::MatcherNotString, "`matcher` is `null`: the hooks run every time")
        .weighing(Severity::Advice)
        .help("remove it, or write the names: `\"Edit|Write\"`")
}

#[cfg(test)]
mod tests;
