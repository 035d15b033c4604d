//! Lints of readable hook files that all agents share: matchers that match nothing, and commands whose variables or
//! paths fail. An agent brings one table, [`Lints`]. Reports nothing itself and changes no hook.

mod command;
mod javascript;
mod matcher;
mod variables;

use crate::agents::AGENTS;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Subject;
use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::protocol::Subjects;
use crate::dialect::tools::ToolWords;
use crate::hook::Hook;
use crate::matcher::MatcherSpec;

pub(crate) use command::CommandText;
pub(crate) use javascript::{foreign_syntax_finding, javascript_fault};
pub(crate) use variables::find_variables as variables;

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
    /// Earlier or documented names that its matchers do not know, each with the present one.
    pub(crate) gone_names: &'static [(&'static str, &'static str)],
    /// How it calls a tool of an MCP server, with `SERVER` and `TOOL` in it.
    pub(crate) mcp: &'static str,
    /// The variables that it sets for hooks, and its variables that users set.
    pub(crate) variables: &'static [&'static str],
    /// Variables of a directory that the shell splits at spaces.
    pub(crate) paths: &'static [&'static str],
    /// Variables that files for this agent rely on and that are never set, beside those of every agent.
    pub(crate) never_set: &'static [&'static str],
    /// The key of a matcher.
    pub(crate) matcher_key: &'static str,
    /// How the agent's own variables begin.
    pub(crate) prefix: &'static str,
    /// Whether a handler may name a program with `args`, which no shell reads.
    pub(crate) has_args: bool,
    /// How a path of the project begins, for help.
    pub(crate) project: Option<&'static str>,
}

impl Lints {
    /// Creates the lints of an agent of which nothing else is known.
    pub(crate) const fn new(agent: &'static str) -> Self {
        Self {
            agent,
            tools: &[],
            old_names: &[],
            gone_names: &[],
            mcp: "mcp__SERVER__TOOL",
            variables: &[],
            paths: &[],
            never_set: &[],
            matcher_key: "matcher",
            prefix: "",
            has_args: false,
            project: None,
        }
    }
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
    /// Creates the description of an event whose table has no closed lists of values.
    pub(crate) const fn for_event(event: &'a str, subject: &Subject) -> Self {
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
    pub(crate) fn check_matcher(
        &self,
        about: About<'_>,
        text: &str,
        spec: &MatcherSpec,
    ) -> Vec<Diagnostic> {
        matcher::check_matcher(self, about, text, spec)
    }

    /// Checks the text of a command.
    pub(crate) fn check_command(&self, command: CommandText<'_>) -> Vec<Diagnostic> {
        command::check_command(self, command)
    }

    /// Returns why no event can select `hook`, with the `rule` that says so, if that is certain.
    pub(crate) fn why_hook_unreachable(
        &self,
        hook: &Hook,
        rule: &'static str,
    ) -> Option<(String, &'static str)> {
        let row = hook.dialect.dialect().event_row(&hook.event)?;
        let text = matcher_text(hook.matcher.spec())?;
        // The failure policy handles a matcher that does not compile, so it is not dead (S-3).
        hook.matcher.compile().ok()?;
        let about = About::for_event(&row.name, &row.subject);
        let found = self.check_matcher(about, &text, hook.matcher.spec());
        found.into_iter().find(says_hook_never_runs).map(|diagnostic| (diagnostic.message, rule))
    }

    /// Returns `true` if `word` has the agent's form for a tool of an MCP server.
    fn is_mcp_tool_name(&self, word: &str) -> bool {
        let (before, between) = self.mcp_name_parts();
        let rest = word.strip_prefix(before);
        rest.and_then(|rest| rest.split_once(between)).is_some_and(|(server, tool)| {
            !server.is_empty() && !tool.is_empty() && server != "mcp" && !server.starts_with('_')
        })
    }

    /// Returns the text before the server's name, and the text between it and the tool's name.
    fn mcp_name_parts(&self) -> (&'static str, &'static str) {
        let (before, rest) = self.mcp.split_once("SERVER").unwrap_or_default();
        (before, rest.strip_suffix("TOOL").unwrap_or_default())
    }

    /// Returns the agent's names of its tools.
    fn tool_names(&self, table: &'static [ToolWords]) -> Vec<&'static str> {
        let own = table.iter().flat_map(|tool| tool.own).copied();
        let old = self.old_names.iter().map(|(old, _)| *old);
        let names = self.tools.iter().copied().flatten().copied().chain(old).chain(own);
        names.filter(|name| self.present_name(name).is_none()).collect()
    }

    /// Returns the present name of a tool whose earlier name the matchers do not know.
    fn present_name(&self, name: &str) -> Option<&'static str> {
        let gone = self.gone_names.iter().find(|(gone, _)| *gone == name);
        gone.map(|(_, present)| *present)
    }
}

/// Returns `true` if the finding says with certainty that the hook never runs.
pub(crate) fn says_hook_never_runs(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && diagnostic.label == NEVER
}

/// Returns the matcher as people write it.
fn matcher_text(spec: &MatcherSpec) -> Option<String> {
    match spec {
        MatcherSpec::Any | MatcherSpec::Never(_) => None,
        MatcherSpec::Words(words) => Some(words.join("|")),
        MatcherSpec::Regex(text) => Some(without_anchors(text).to_owned()),
    }
}

/// Returns an expression without the anchors that an agent adds to it.
pub(crate) fn without_anchors(text: &str) -> &str {
    text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$")).unwrap_or(text)
}

/// Returns the agent whose name a variable begins with, such as `CODEX_HOME`.
fn agent_of_variable(variable: &str) -> Option<&'static str> {
    let (first, _) = variable.split_once('_')?;
    AGENTS.iter().find(|agent| agent.name.to_ascii_uppercase() == first).map(|agent| agent.title)
}

/// Creates the finding of a matcher such as `null`, which selects everything.
pub(crate) fn empty_matcher_finding(value: &str) -> Diagnostic {
    finding_without_location(
        Code::MatcherNotString,
        format!("`matcher` is `{value}`: the hooks run every time"),
    )
    .with_severity(Severity::Advice)
    .help("remove it, or write the names: `\"Edit|Write\"`")
}

#[cfg(test)]
mod tests;
