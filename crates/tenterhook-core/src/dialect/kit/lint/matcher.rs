//! Lints of a matcher: one that matches nothing, or a condition, a glob or a rule in its place. Knows no agent.

use super::{About, Lints, NEVER, foreign_syntax_finding};
use crate::diagnostic::{Code, Diagnostic, Severity, nearest_word};
use crate::dialect::findings::finding_without_location;
use crate::dialect::kit::protocol::Subjects;
use crate::dialect::tools::find_tool_by_neutral_name;
use crate::matcher::{Matcher, MatcherSpec};

/// Texts that show that the user wrote a condition.
const EXPRESSION: &[&str] =
    &["==", "!=", "&&", " || ", " matches ", " contains ", "tool_input", "tool_name", "toolName"];

/// Texts that show that the user wrote a glob, or the filter of another system.
const GLOB: &[&str] = &["**", "tools:", "file_paths:", " AND ", " OR ", "*."];

/// Checks the matcher `text`, which the agent reads as `spec`.
pub(super) fn check_matcher(
    lints: &Lints,
    about: About<'_>,
    text: &str,
    spec: &MatcherSpec,
) -> Vec<Diagnostic> {
    if *spec == MatcherSpec::Any {
        return Vec::new();
    }
    let matcher = Matcher::new(spec.clone());
    let lint = Lint { lints, about, text, spec, matcher, known: lints.tool_names(about.table) };
    if matches!(spec, MatcherSpec::Regex(_))
        && about.subjects != Subjects::None
        && let Some(found) = foreign_syntax_finding(lints.agent, text)
    {
        return vec![found];
    }
    match (about.subjects, spec) {
        (Subjects::None, _) => vec![lint.ignored_matcher_finding()],
        (Subjects::Open, MatcherSpec::Regex(_)) => {
            lint.invalid_regex_finding().into_iter().collect()
        }
        (Subjects::Files, _) => lint.file_pattern_finding().into_iter().collect(),
        (Subjects::Tools, MatcherSpec::Words(words)) => lint.check_tool_names(words),
        (Subjects::Closed(known), MatcherSpec::Words(words)) => {
            lint.report_values_not_in_list(words, known)
        }
        (Subjects::Tools, MatcherSpec::Regex(_)) if text.chars().all(is_name_list_char) => {
            let words: Vec<String> = text.split('|').map(str::to_owned).collect();
            lint.check_tool_names(&words)
        }
        (Subjects::Tools, MatcherSpec::Regex(_)) => {
            let mut found: Vec<Diagnostic> =
                lint.dead_regex_finding(&lint.known).into_iter().collect();
            found.extend(lint.report_foreign_alternatives());
            found.extend(lint.path_filter_finding());
            found
        }
        (Subjects::Closed(known), MatcherSpec::Regex(_)) => {
            lint.dead_regex_finding(known).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns `true` for a character of an expression that only lists names.
fn is_name_list_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '|')
}

/// One matcher.
struct Lint<'a> {
    lints: &'a Lints,
    about: About<'a>,
    text: &'a str,
    spec: &'a MatcherSpec,
    /// Compiled once for all names.
    matcher: Matcher,
    /// The names of the agent's tools.
    known: Vec<&'static str>,
}

impl<'a> Lint<'a> {
    fn ignored_matcher_finding(&self) -> Diagnostic {
        let message = format!("`{}` ignores matchers: this runs every time", self.about.event);
        let found = finding_without_location(Code::MatcherIgnored, message);
        if matches!(self.text, ".*" | "^.*$" | ".+") {
            return found.with_severity(Severity::Advice).help("remove the matcher");
        }
        found.help("remove the matcher, and test in the program")
    }

    fn file_pattern_finding(&self) -> Option<Diagnostic> {
        let text = self.text;
        let is_pattern = text.contains(['*', '^', '$', '(', '[', '\\', '/']);
        is_pattern.then(|| {
            let message = format!("`{text}`: `FileChanged` watches files of exactly these names");
            finding_without_location(Code::FileMatcherIsPattern, message)
                .help("list the names, separated by `|`: `.env|.envrc`")
        })
    }

    /// Returns the finding for an expression that does not compile, by what the user probably
    /// meant.
    fn invalid_regex_finding(&self) -> Option<Diagnostic> {
        let why = self.matcher.compile().err()?;
        Some(self.wrong_syntax_finding().unwrap_or_else(|| {
            let message = format!("`{}` is not a valid regular expression: {why}", self.text);
            let found =
                finding_without_location(Code::InvalidMatcher, message).label("matches nothing");
            match why.remedy() {
                Some(remedy) => found.help(remedy),
                None => found,
            }
        }))
    }

    /// Returns the finding for a text that is neither a name nor an expression, by what the user
    /// probably meant.
    fn wrong_syntax_finding(&self) -> Option<Diagnostic> {
        let (text, key) = (self.text, self.lints.matcher_key);
        if let Some(tool) = self.tool_of_permission_rule() {
            let message = format!("`{text}` is a permission rule: as a matcher it matches nothing");
            let help = match self.about.table.is_empty() {
                true => format!(
                    "write `\"{key}\": \"{tool}\"`, and `\"if\": \"{text}\"` in the handler"
                ),
                false => {
                    format!("write `\"{key}\": \"{tool}\"`, and test the rest in the program")
                }
            };
            return Some(
                finding_without_location(Code::PermissionRuleInMatcher, message)
                    .label(NEVER)
                    .help(help),
            );
        }
        let rest = match self.about.table.is_empty() {
            true => "a permission rule in `if` of the handler",
            false => "test them in the program",
        };
        if EXPRESSION.iter().any(|pattern| text.contains(pattern)) {
            let message = "a matcher is a name or a regular expression, not a condition";
            return Some(
                finding_without_location(Code::MatcherIsExpression, message)
                    .with_severity(Severity::Error)
                    .label(NEVER)
                    .help(format!("write the tool in `{key}`; for its arguments, {rest}")),
            );
        }
        if GLOB.iter().any(|pattern| text.contains(pattern)) || text.starts_with('*') {
            let subject =
                if self.is_matcher_about_tools() { "the name of the tool" } else { "a word" };
            let message = format!("`{text}` looks like a glob: a matcher is tested on {subject}");
            let rest = match self.about.table.is_empty() {
                true => "for paths, a rule in `if`: `Edit(src/**)`",
                false => "test paths in the program",
            };
            let help = format!("write the tool in `{key}`; {rest}");
            return Some(
                finding_without_location(Code::MatcherIsGlob, message).label(NEVER).help(help),
            );
        }
        None
    }

    /// Returns the agent's name of the tool if the text is `Tool(...)` with a known tool.
    fn tool_of_permission_rule(&self) -> Option<&'a str> {
        let (tool, _) = self.text.split_once('(')?;
        let neutral = find_tool_by_neutral_name(self.about.table, tool)
            .and_then(|row| row.own.first().copied());
        let is_known = self.known.contains(&tool) || neutral.is_some() || RULED.contains(&tool);
        (self.text.ends_with(')') && is_known).then(|| neutral.unwrap_or(tool))
    }

    fn dead_regex_finding(&self, known: &[&str]) -> Option<Diagnostic> {
        if let Some(found) = self.invalid_regex_finding() {
            return Some(found);
        }
        let lives = known.iter().any(|subject| self.matches_subject(subject));
        if !lives && self.is_matcher_about_tools() && self.is_neutral_mcp_name_alone() {
            return Some(self.dead_tool_name_finding(self.text, &Dead::Server, true));
        }
        // The tools of MCP servers are unknown here.
        if lives || self.is_matcher_about_tools() && self.may_match_mcp_tool() {
            return None;
        }
        let neutral = self.about.table.iter().find(|row| self.matches_subject(row.neutral));
        if let Some(row) = neutral.filter(|_| self.wrong_syntax_finding().is_none()) {
            return Some(self.other_agents_name_finding(row.neutral, row.own.first().copied()));
        }
        Some(self.wrong_syntax_finding().unwrap_or_else(|| {
            finding_without_location(
                Code::DeadMatcher,
                format!("`{}` is found in {}", self.text, self.no_match_phrase()),
            )
            .label(NEVER)
            .help(self.dead_regex_help())
        }))
    }

    /// Returns what to write instead of an expression that matches nothing.
    fn dead_regex_help(&self) -> String {
        match self.text.split_once(':') {
            Some((tool, _)) if self.known.contains(&tool) => {
                format!("write `{tool}`, and test paths in the program")
            }
            _ => {
                let names = self.example_names();
                format!("a matcher is a list of names, `{names}`, or a regular expression")
            }
        }
    }

    /// Returns a list of two tools of the agent.
    fn example_names(&self) -> String {
        let own = |name| find_tool_by_neutral_name(self.about.table, name)?.own.first().copied();
        let names: Vec<&str> = ["Edit", "Write"].into_iter().filter_map(own).collect();
        match (self.about.table, names.is_empty()) {
            ([], _) => "Edit|Write".to_owned(),
            (_, true) => self.known.iter().take(2).copied().collect::<Vec<_>>().join("|"),
            _ => names.join("|"),
        }
    }

    fn matches_subject(&self, subject: &str) -> bool {
        self.matcher.matches(Some(subject)) == Ok(true)
    }

    fn may_match_mcp_tool(&self) -> bool {
        let (_, between) = self.lints.mcp_name_parts();
        let is_named =
            between != "_" && self.text.contains(between) && self.wrong_syntax_finding().is_none();
        let is_expression = EXPRESSION.iter().any(|pattern| self.text.contains(pattern));
        is_named || self.text.contains("mcp") && !is_expression || self.is_open_to_mcp_tool()
    }

    /// Returns `true` if the expression allows any text at the beginning, such as `.*publish.*`,
    /// and one of its words in the name of an MCP tool matches.
    fn is_open_to_mcp_tool(&self) -> bool {
        let (before, between) = self.lints.mcp_name_parts();
        let is_open = |part: &str| {
            let part = part.trim_start_matches(['^', '(', '?', ':']);
            part.starts_with(".*") || part.starts_with(".+")
        };
        let mut words = self.text.split(|c| !is_name_list_char(c) || c == '|');
        let matches = |word: &str| {
            let names = [format!("x{word}x"), format!("x{word}")];
            let tool = |name: &String| format!("{before}server{between}{name}");
            names.iter().any(|name| self.matches_subject(&tool(name)))
        };
        self.text.split('|').any(is_open) && words.any(|word| !word.is_empty() && matches(word))
    }

    /// Returns `true` if the expression begins as the neutral name of an MCP tool, and the agent's
    /// names of such tools do not.
    fn is_neutral_mcp_name_alone(&self) -> bool {
        let text = self.text.trim_start_matches(['^', '(']);
        text.starts_with("mcp__") && self.lints.mcp_name_parts().0 != "mcp__"
    }

    fn is_matcher_about_tools(&self) -> bool {
        self.about.subjects == Subjects::Tools
    }

    fn no_match_phrase(&self) -> &'static str {
        if self.is_matcher_about_tools() {
            "the name of no tool"
        } else {
            "none of the words that this event has"
        }
    }

    /// Returns the finding for another agent's tool name, for which Tenterhook runs the hook but
    /// the agent does not.
    fn other_agents_name_finding(&self, word: &str, own: Option<&str>) -> Diagnostic {
        let agent = self.lints.agent;
        let message = format!("{agent} has no tool `{word}`: only Tenterhook runs this hook");
        let found = finding_without_location(Code::ForeignToolNameInMatcher, message);
        match own {
            Some(own) => found.help(format!("{agent} calls it `{own}`")),
            None => found,
        }
    }

    fn check_tool_names(&self, words: &[String]) -> Vec<Diagnostic> {
        let dead: Vec<(&str, Dead<'_>)> = words
            .iter()
            .filter_map(|word| Some((word.as_str(), self.why_tool_name_is_dead(word)?)))
            .collect();
        // A union over agents is how one file serves several of them.
        let all = dead.len() == words.len();
        if all && words.is_empty() {
            return vec![empty_list_finding(self.text)];
        }
        // Beside the agent's own name, another agent's is there for that agent.
        let said = dead.into_iter().filter(|(_, dead)| all || !matches!(dead, Dead::OnlyHere(_)));
        said.map(|(word, dead)| self.dead_tool_name_finding(word, &dead, all)).collect()
    }

    /// Returns why a name in a list matches no tool; `None` if it matches one.
    fn why_tool_name_is_dead(&self, word: &str) -> Option<Dead<'static>> {
        let (lints, table) = (self.lints, self.about.table);
        if let Some(present) = lints.present_name(word) {
            return Some(Dead::OnlyHere(Some(present)));
        }
        let is_list = matches!(self.spec, MatcherSpec::Words(_));
        let is_found = |tool: &str| {
            tool == word
                || !is_list
                    && self.matches_subject(tool)
                    && matches_single_name(word, tool, self.spec)
        };
        if self.known.iter().any(|tool| is_found(tool)) || lints.is_mcp_tool_name(word) {
            return None;
        }
        let (before, between) = lints.mcp_name_parts();
        if word.starts_with("mcp__") {
            return (is_list || before != "mcp__").then_some(Dead::Server);
        }
        if let Some(row) = find_tool_by_neutral_name(table, word) {
            return Some(Dead::OnlyHere(row.own.first().copied()));
        }
        if !is_list && (between != "_" && word.contains(between) || word.starts_with("mcp_")) {
            return None;
        }
        let foreign = FOREIGN_TOOLS.iter().find(|(name, ..)| *name == word);
        if let Some((_, agent, neutral)) = foreign {
            let own =
                find_tool_by_neutral_name(table, neutral).and_then(|row| row.own.first().copied());
            let own = own.or_else(|| self.known.iter().copied().find(|tool| tool == neutral));
            return Some(Dead::Foreign { agent, own });
        }
        match self.known.iter().find(|tool| tool.eq_ignore_ascii_case(word)) {
            Some(tool) => Some(Dead::Case(tool)),
            None => Some(Dead::Unknown(nearest_word(word, self.known.iter().copied()))),
        }
    }

    fn dead_tool_name_finding(&self, word: &str, dead: &Dead<'_>, all: bool) -> Diagnostic {
        let agent = self.lints.agent;
        // Tenterhook may run a hook for the neutral name of an MCP tool.
        let runs_here = matches!(dead, Dead::Server) && self.lints.mcp_name_parts().0 != "mcp__";
        let runs = if all && !runs_here { NEVER } else { "matches nothing" };
        let (code, message, severity, help) = match dead {
            Dead::OnlyHere(own) => return self.other_agents_name_finding(word, *own),
            Dead::Case(tool) => (
                Code::DeadMatcher,
                format!("no tool is called `{word}`: case counts"),
                if all { Severity::Error } else { Code::DeadMatcher.severity() },
                Some(format!("write `{tool}`")),
            ),
            Dead::Server if runs_here => (
                Code::DeadMatcher,
                format!(
                    "{agent} calls no tool `{word}`: a tool of an MCP server is `{}`",
                    self.lints.mcp
                ),
                if all { Severity::Warning } else { Severity::Advice },
                None,
            ),
            Dead::Server => (
                Code::DeadMatcher,
                format!("`{word}` is the name of no tool: an MCP tool has its own behind it"),
                if all { Severity::Error } else { Code::DeadMatcher.severity() },
                Some(format!("write `{word}__.*` for every tool of that server")),
            ),
            Dead::Foreign { agent: other, own } => (
                Code::ForeignToolNameInMatcher,
                match *other == agent {
                    true => format!("no hook of {agent} is asked about `{word}`"),
                    false => format!("`{word}` is a tool of {other}"),
                },
                match (all, own) {
                    (true, Some(_)) if *other != agent => Severity::Error,
                    (true, _) => Severity::Warning,
                    (false, _) => Severity::Advice,
                },
                own.map(|own| format!("{agent} calls it `{own}`")),
            ),
            Dead::Unknown(near) => (
                Code::DeadMatcher,
                format!("{agent} has no tool `{word}`"),
                if all { Severity::Warning } else { Severity::Advice },
                near.map(|near| format!("did you mean `{near}`?")),
            ),
        };
        let found = finding_without_location(code, message).with_severity(severity).label(runs);
        match help {
            Some(help) => found.help(help),
            None => found,
        }
    }

    /// Reports tool names of other agents among the alternatives of an expression.
    fn report_foreign_alternatives(&self) -> Vec<Diagnostic> {
        let parts = self.text.split(['|', '(', ')', '^', '$']).filter(|part| !part.is_empty());
        let foreign = parts.filter_map(|part| match self.why_tool_name_is_dead(part) {
            Some(dead @ Dead::Foreign { .. }) if part.chars().all(is_name_list_char) => {
                Some(self.dead_tool_name_finding(part, &dead, false))
            }
            _ => None,
        });
        foreign.collect()
    }

    /// Reports a tool followed by a path pattern, such as `Write:*.ts`, among names that match.
    fn path_filter_finding(&self) -> Option<Diagnostic> {
        if self.matcher.compile().is_err() {
            return None;
        }
        let is_filtered = |part: &&str| {
            let (tool, filter) = part.split_once(':').unwrap_or_default();
            self.known.contains(&tool) && filter.contains('.') && !filter.contains(['(', '['])
        };
        let mut parts = self.text.split('|');
        let lives = self.known.iter().any(|subject| self.matches_subject(subject));
        let part = parts.find(is_filtered).filter(|_| lives)?;
        let tool = part.split(':').next().unwrap_or_default();
        let message =
            format!("`{part}` matches nothing: a matcher is tested on the name of the tool");
        let found = finding_without_location(Code::MatcherIsGlob, message).label("matches nothing");
        Some(found.help(format!("write `{tool}`, and test paths in the program")))
    }

    /// Reports the words of a matcher that are not among the event's `known` values.
    fn report_values_not_in_list(
        &self,
        words: &[String],
        known: &[&'static str],
    ) -> Vec<Diagnostic> {
        let dead: Vec<&String> =
            words.iter().filter(|word| !known.contains(&word.as_str())).collect();
        let all = dead.len() == words.len();
        if all && words.is_empty() {
            return vec![empty_list_finding(self.text)];
        }
        let runs = if all { NEVER } else { "matches nothing" };
        let finding = |word: &String| {
            let message = format!("`{}` never has `{word}`", self.about.event);
            let near = nearest_word(word, known.iter().copied());
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has `{}`", known.join("`, `")),
            };
            // New versions of the agent add values, so an unknown one proves little.
            let certain = all && near.is_some();
            let severity = if certain { Severity::Error } else { Severity::Warning };
            finding_without_location(Code::DeadMatcher, message)
                .with_severity(severity)
                .label(runs)
                .help(help)
        };
        dead.into_iter().map(finding).collect()
    }
}

/// Returns `true` if one name of a list matches `tool` by the rules of the whole expression.
fn matches_single_name(word: &str, tool: &str, spec: &MatcherSpec) -> bool {
    match spec {
        MatcherSpec::Regex(text) if text.starts_with("^(?:") => tool == word,
        _ => tool.contains(word),
    }
}

fn empty_list_finding(text: &str) -> Diagnostic {
    finding_without_location(Code::DeadMatcher, format!("`{text}` names nothing"))
        .with_severity(Severity::Error)
        .label(NEVER)
}

/// Why a name in a list matches nothing.
enum Dead<'a> {
    Case(&'a str),
    Server,
    Foreign {
        agent: &'a str,
        own: Option<&'a str>,
    },
    /// The neutral name of a tool that the agent calls otherwise.
    OnlyHere(Option<&'a str>),
    Unknown(Option<&'a str>),
}

/// Tools that permission rules name.
const RULED: &[&str] = &["Bash", "Read", "Write", "Edit", "WebFetch", "Grep", "Glob"];

/// Tool names of other agents, each with the agent and what Claude Code calls the tool.
const FOREIGN_TOOLS: &[(&str, &str, &str)] = &[
    ("apply_patch", "Codex", "Edit"),
    ("ApplyPatch", "Codex", "Edit"),
    ("local_shell", "Codex", "Bash"),
    ("exec_command", "Codex", "Bash"),
    ("unified_exec", "Codex", "Bash"),
    ("update_plan", "Codex", "TodoWrite"),
    ("shell", "Codex", "Bash"),
    ("run_shell_command", "Gemini CLI", "Bash"),
    ("read_file", "Gemini CLI", "Read"),
    ("read_many_files", "Gemini CLI", "Read"),
    ("write_file", "Gemini CLI", "Write"),
    ("replace", "Gemini CLI", "Edit"),
    ("search_file_content", "Gemini CLI", "Grep"),
    ("list_directory", "Gemini CLI", "Glob"),
    ("google_web_search", "Gemini CLI", "WebSearch"),
    ("web_fetch", "Gemini CLI", "WebFetch"),
    ("save_memory", "Gemini CLI", "Write"),
    ("edit_file", "another agent", "Edit"),
    ("create_file", "another agent", "Write"),
    ("str_replace", "another agent", "Edit"),
    ("str_replace_editor", "another agent", "Edit"),
    ("run_terminal_cmd", "Cursor", "Bash"),
    ("search_replace", "Cursor", "Edit"),
    ("run_command", "Windsurf", "Bash"),
    ("write_to_file", "Windsurf", "Write"),
    ("replace_file_content", "Windsurf", "Edit"),
    ("exec_shell", "CodeWhale", "Bash"),
];
