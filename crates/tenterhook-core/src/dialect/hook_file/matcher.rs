//! Translates a matcher into the names of another agent, and proposes texts for it.

use crate::dialect::servers::{self, NEUTRAL, ServerTool};
use crate::dialect::{Dialect, EventRow, Subject};
use crate::event::tool::names::{ToolWords, find_tool_by_neutral_name, find_tool_by_own_name};
use crate::matcher::{Matcher, MatcherSpec};

/// The texts before and behind the expression of an agent whose expressions match no tool of an
/// MCP server.
pub(crate) const OWN_TOOLS_ALONE: (&str, &str) = ("^(?!mcp__).*?(?:", ")");

/// Tools that many agents have, by their neutral names.
const COMMON_TOOLS: &[&str] = &[
    "Bash",
    "Read",
    "Write",
    "Edit",
    "LS",
    "Glob",
    "Grep",
    "WebFetch",
    "WebSearch",
    "Agent",
    NEUTRAL,
];

/// The expressions that match the tools of MCP servers; the first stands for all of them.
const ALL_SERVERS: &[&str] = &["^mcp__", "mcp__", "mcp__.*", "^mcp__.*", "^mcp__.*$"];

/// How an agent names the tools that an event is about.
#[derive(Clone, Copy)]
pub(super) struct ToolNames {
    table: &'static [ToolWords],
    /// The pattern of a tool of an MCP server.
    servers: &'static str,
}

/// A matcher in the names of another agent.
pub(super) struct Translated {
    pub(super) matcher: MatcherSpec,
    /// What it matches otherwise.
    pub(super) lost: Vec<String>,
    /// Names of tools of MCP servers that it matches.
    pub(super) server_tools: Vec<String>,
    /// The names of the other agent, if the subject is a tool.
    to: Option<ToolNames>,
}

impl ToolNames {
    /// Returns the names if the subject of an event is a tool; an agent without a table has the
    /// neutral names.
    pub(super) fn of_event(dialect: &Dialect, row: &EventRow) -> Option<Self> {
        let table: &[ToolWords] = match &row.subject {
            Subject::Tool(table) => table,
            Subject::Field("tool_name") => &[],
            _ => return None,
        };
        Some(Self { table, servers: dialect.matching.server_tool })
    }

    /// Returns the neutral name of a tool: the agent's own one if its table has none.
    fn neutral(self, own: &str) -> &str {
        find_tool_by_own_name(self.table, own).map_or(own, |tool| tool.neutral)
    }

    /// Returns the agent's names for its tools of a neutral name, for a matcher: the neutral one if
    /// its table has none.
    fn for_matcher(self, neutral: &str) -> Vec<&str> {
        let is_word = |name: &&str| name.chars().all(|char| is_name_char(char) || char == '-');
        let tools = self.table.iter().filter(|tool| tool.neutral == neutral);
        let names = tools.filter_map(|tool| {
            let word = tool.own.iter().find(|name| is_word(name));
            word.or(tool.own.first()).copied()
        });
        let names: Vec<&str> = names.collect();
        if names.is_empty() { vec![neutral] } else { names }
    }

    /// Returns the agent's name of a tool: the neutral one if its table has none.
    fn own(self, neutral: &str) -> &str {
        let own = find_tool_by_neutral_name(self.table, neutral).and_then(|tool| tool.own.first());
        own.map_or(neutral, |own| *own)
    }

    /// Returns all names for a tool by its neutral name.
    #[cfg(test)]
    pub(super) fn all_of_tool(self, neutral: &str) -> Vec<String> {
        match servers::parse_name(NEUTRAL, neutral) {
            Some(tool) => vec![tool.sample(self.servers)],
            None => self.for_matcher(neutral).into_iter().map(str::to_owned).collect(),
        }
    }

    /// Reads the name of a tool of an MCP server.
    fn server_tool(self, text: &str) -> Option<ServerTool<'_>> {
        let is_own = find_tool_by_own_name(self.table, text).is_some();
        servers::parse_name(self.servers, text).filter(|_| !is_own)
    }
}

/// Returns the matcher in the target's names of tools, and what it does not match there.
pub(super) fn translate_matcher(
    spec: &MatcherSpec,
    names: Option<(ToolNames, ToolNames)>,
) -> Translated {
    let spec = &plain(spec);
    let Some((from, to)) = names else {
        return Translated {
            matcher: spec.clone(),
            lost: Vec::new(),
            server_tools: Vec::new(),
            to: None,
        };
    };
    let mut translation = Translation { from, to, samples: Vec::new(), is_wider: false };
    let matcher = match spec {
        MatcherSpec::Words(words) => translation.translate_words(words),
        MatcherSpec::Regex(text) => MatcherSpec::Regex(translation.translate_expression(text)),
        other @ (MatcherSpec::Any | MatcherSpec::Never(_)) => other.clone(),
    };
    let mut lost = Vec::new();
    if translation.is_wider {
        lost.push(
            "names of servers cannot be said: the tools of other servers match, too".to_owned(),
        );
    }
    let is_regex = matches!(spec, MatcherSpec::Regex(_));
    lost.extend(is_regex.then(|| translation.differing_tools(spec, &matcher)).flatten());
    let there = Matcher::new(matcher.clone());
    let matches = |name: &str| there.matches(Some(name)) == Ok(true);
    let samples = translation.samples.into_iter().map(|(_, sample)| sample);
    let any = ServerTool::ANY.sample(to.servers);
    let server_tools: Vec<String> = samples.chain([any]).filter(|sample| matches(sample)).collect();
    Translated { matcher, lost, server_tools, to: Some(to) }
}

impl Translated {
    /// Returns `true` if it matches tools of MCP servers and no others.
    pub(super) fn is_about_servers_alone(&self) -> bool {
        let Some(to) = self.to.filter(|_| !self.server_tools.is_empty()) else { return false };
        let matcher = Matcher::new(self.matcher.clone());
        let tools = to.table.iter().map(|tool| tool.neutral).chain(COMMON_TOOLS.iter().copied());
        let mut others = tools.filter(|name| *name != NEUTRAL);
        !others.any(|neutral| matcher.matches(Some(to.own(neutral))) == Ok(true))
    }
}

/// A translation of one matcher.
struct Translation {
    from: ToolNames,
    to: ToolNames,
    /// Names of tools of the MCP servers that it names: here and there.
    samples: Vec<(String, String)>,
    /// Whether a translated name matches the tools of more servers.
    is_wider: bool,
}

impl Translation {
    fn translate_words(&mut self, words: &[String]) -> MatcherSpec {
        let mut names: Vec<String> = Vec::new();
        for word in words {
            for own in self.translate_name(word) {
                if !names.contains(&own) {
                    names.push(own);
                }
            }
        }
        // A server that an agent does not name is any server.
        match names.iter().any(|name| name.contains(".+")) {
            true => MatcherSpec::Regex(format!("^(?:{})$", names.join("|"))),
            false => MatcherSpec::Words(names),
        }
    }

    fn translate_name(&mut self, name: &str) -> Vec<String> {
        let Some(tool) = self.from.server_tool(name) else {
            let own = self.to.for_matcher(self.from.neutral(name));
            return own.into_iter().map(str::to_owned).collect();
        };
        self.samples.push((tool.sample(self.from.servers), tool.sample(self.to.servers)));
        if self.from.servers == self.to.servers {
            return vec![name.to_owned()];
        }
        let (text, is_wider) = tool.expression(self.to.servers);
        self.is_wider |= is_wider;
        vec![text]
    }

    /// Translates the names in a regular expression. An escaped letter is no name.
    fn translate_expression(&mut self, text: &str) -> String {
        let before = servers::beginning(self.from.servers);
        let (mut out, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            if first == '\\' {
                let length = rest.chars().take(2).map(char::len_utf8).sum();
                let (escape, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
                out.push_str(escape);
                rest = after;
                continue;
            }
            let is_of_server = !before.is_empty() && rest.starts_with(before);
            let skipped = if is_of_server { before.len() } else { 0 };
            let is_end = |char: char| !(is_name_char(char) || is_of_server && char == '-');
            let end = rest.get(skipped..).and_then(|rest| rest.find(is_end));
            let length = end.map_or(rest.len(), |end| skipped + end);
            if length == 0 || !first.is_ascii_alphabetic() {
                out.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
                continue;
            }
            let (name, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            match &self.translate_name(name)[..] {
                [own] => out.push_str(own),
                all => out.push_str(&format!("(?:{})", all.join("|"))),
            }
            rest = after;
        }
        out
    }

    /// Returns the tools that an expression matches by their name in one agent and not by that in
    /// the other, or the reverse.
    fn differing_tools(&self, spec: &MatcherSpec, translated: &MatcherSpec) -> Option<String> {
        let (from, to) = (self.from, self.to);
        let (here, there) = (Matcher::new(spec.clone()), Matcher::new(translated.clone()));
        let tools = from.table.iter().chain(to.table).map(|tool| tool.neutral);
        let tools = tools.map(|neutral| (neutral, from.own(neutral), to.own(neutral)));
        let servers = self.samples.iter().map(|(here, there)| (&**here, &**here, &**there));
        let mut differing: Vec<&str> = tools
            .chain(servers)
            .filter(|(_, own, other)| {
                here.matches(Some(own)).ok() != there.matches(Some(other)).ok()
            })
            .map(|(name, ..)| name)
            .collect();
        differing.sort_unstable();
        differing.dedup();
        if !differing.is_empty() {
            let names: Vec<String> = differing.iter().map(|name| format!("`{name}`")).collect();
            return Some(format!("the expression treats {} differently there", names.join(", ")));
        }
        // The text between a server and its tool is not translated without them.
        let is_left = |text: &str| text.contains("__") && !to.servers.contains("__");
        let is_left = matches!(translated, MatcherSpec::Regex(text) if is_left(text));
        is_left.then(|| {
            format!("a tool of an MCP server is `{}` there: check the expression", to.servers)
        })
    }
}

const fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Returns the simplest form of a matcher: words for an expression that lists whole names.
pub(super) fn plain(spec: &MatcherSpec) -> MatcherSpec {
    let MatcherSpec::Regex(text) = spec else { return spec.clone() };
    let mut text = text.as_str();
    if let Some(inner) = without_ends(text, OWN_TOOLS_ALONE) {
        text = inner;
    }
    if let Some(inner) = without_ends(text, ("^(?:", ")$")).filter(|inner| is_whole(inner)) {
        text = inner;
    }
    if let Some(inner) = without_ends(text, ("^(?:.*(?:", ").*)$")) {
        text = inner;
    }
    if ALL_SERVERS.contains(&text) {
        return MatcherSpec::Regex("^mcp__".to_owned());
    }
    let anchored = without_ends(text, ("^", "$"));
    let without_group = |text: &str| {
        let inner = text.strip_prefix("(?:").or_else(|| text.strip_prefix('('));
        let inner = inner.and_then(|rest| rest.strip_suffix(')'));
        inner.filter(|inner| !inner.contains(['(', ')'])).map(str::to_owned)
    };
    let is_list = |text: &str| {
        !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_-|:".contains(char))
    };
    if let Some(anchored) = anchored {
        let inner = without_group(anchored).unwrap_or_else(|| anchored.to_owned());
        // `^a|b$` is a beginning or an end.
        if is_list(&inner) && (inner != anchored || !inner.contains('|')) {
            return MatcherSpec::Words(inner.split('|').map(str::to_owned).collect());
        }
    }
    match text {
        "" | ".*" | "^.*$" => MatcherSpec::Any,
        _ => MatcherSpec::Regex(without_group(text).unwrap_or_else(|| text.to_owned())),
    }
}

fn without_ends<'a>(text: &'a str, (before, behind): (&str, &str)) -> Option<&'a str> {
    text.strip_prefix(before)?.strip_suffix(behind)
}

/// Returns `true` if an expression is one group between `^` and `$`.
fn is_whole(text: &str) -> bool {
    let inner = without_ends(text, ("^(?:", ")$")).or_else(|| without_ends(text, ("^(", ")$")));
    inner.is_some_and(|inner| !inner.contains(['(', ')', '\\', '[']))
}

/// Returns `true` if a matcher matches none of these names.
pub(super) fn matches_none(spec: &MatcherSpec, names: &[String]) -> bool {
    let matcher = Matcher::new(spec.clone());
    !names.is_empty() && !names.iter().any(|name| matcher.matches(Some(name)) == Ok(true))
}

/// The events of an agent for parts of the tools that a hook is about.
pub(super) struct Split {
    /// Which of the events the hook is about.
    pub(super) chosen: Vec<bool>,
    /// What differs.
    pub(super) lost: Vec<String>,
}

/// Decides which of several events a hook is about, given what each of them matches by neutral
/// names.
pub(super) fn split_by_event(
    spec: &MatcherSpec,
    from: Option<ToolNames>,
    parts: &[&MatcherSpec],
    agent: &str,
) -> Split {
    let spec = &plain(spec);
    let is_for_all = from.is_none() || *spec == MatcherSpec::Any;
    let from = from.unwrap_or(ToolNames { table: &[], servers: NEUTRAL });
    let names = tools_of_matchers(spec, from, parts);
    let wanted = Matcher::new(spec.clone());
    let is_wanted = |tool: &Tool| {
        is_for_all || tool.own.iter().any(|own| wanted.matches(Some(own)) == Ok(true))
    };
    let parts: Vec<Matcher> = parts.iter().map(|part| Matcher::new((*part).clone())).collect();
    let covers = |part: &Matcher, tool: &Tool| part.matches(Some(&tool.neutral)) == Ok(true);
    let is_chosen = |part: &Matcher| names.iter().any(|tool| is_wanted(tool) && covers(part, tool));
    let chosen: Vec<bool> = parts.iter().map(is_chosen).collect();
    let runs = |tool: &Tool| {
        let mut parts = parts.iter().zip(&chosen).filter(|(_, is_chosen)| **is_chosen);
        parts.any(|(part, _)| covers(part, tool))
    };
    let list = |is_listed: &dyn Fn(&Tool) -> bool| {
        let listed = names.iter().filter(|tool| is_listed(tool));
        listed.map(|tool| tool.shown()).collect::<Vec<_>>().join(", ")
    };
    let mut lost = Vec::new();
    if is_for_all {
        lost.push(format!("{agent} has events for {} alone", list(&runs)));
    }
    let missing = list(&|tool| !is_for_all && is_wanted(tool) && !runs(tool));
    if !missing.is_empty() {
        lost.push(format!("{agent} has no event for {missing}"));
    }
    // A second shell is a tool of few agents.
    let more = list(&|tool| !is_wanted(tool) && runs(tool) && tool.neutral != "PowerShell");
    if !more.is_empty() {
        lost.push(format!("{agent} also runs it on {more}"));
    }
    if lost.is_empty() && !chosen.contains(&true) {
        lost.push(format!("{agent} has no event for its tools"));
    }
    Split { chosen, lost }
}

/// A tool by its neutral name, with the names that the agent of a hook has for it.
struct Tool {
    neutral: String,
    own: Vec<String>,
}

impl Tool {
    fn shown(&self) -> String {
        match self.neutral == NEUTRAL {
            true => "other tools of MCP servers".to_owned(),
            false => format!("`{}`", self.neutral),
        }
    }
}

/// Returns the tools that matchers name, and common ones.
fn tools_of_matchers(spec: &MatcherSpec, from: ToolNames, parts: &[&MatcherSpec]) -> Vec<Tool> {
    let mut names: Vec<&str> = COMMON_TOOLS.to_vec();
    names.extend(from.table.iter().map(|tool| tool.neutral));
    for words in parts.iter().copied().chain([spec]) {
        if let MatcherSpec::Words(words) = words {
            names.extend(words.iter().map(|word| from.neutral(word)));
        }
    }
    let to = ToolNames { table: &[], servers: NEUTRAL };
    let mut translation = Translation { from, to, samples: Vec::new(), is_wider: false };
    match spec {
        MatcherSpec::Words(words) => drop(translation.translate_words(words)),
        MatcherSpec::Regex(text) => drop(translation.translate_expression(text)),
        MatcherSpec::Any | MatcherSpec::Never(_) => {}
    }
    names.retain(|name| *name == NEUTRAL || from.server_tool(name).is_none());
    names.sort_unstable();
    names.dedup();
    let own = |neutral: &str| match neutral == NEUTRAL {
        true => vec![ServerTool::ANY.sample(from.servers)],
        false => {
            let own = from.for_matcher(neutral).into_iter().chain([neutral]);
            own.map(str::to_owned).collect()
        }
    };
    let tools = names.iter().map(|name| Tool { neutral: (*name).to_owned(), own: own(name) });
    let of_servers = translation.samples.into_iter();
    let of_servers = of_servers.map(|(own, neutral)| Tool { neutral, own: vec![own] });
    of_servers.filter(|tool| tool.neutral != NEUTRAL).chain(tools).collect()
}

/// Returns `true` if two matchers match the same subjects, as far as their texts show.
pub(super) fn is_same_matcher(one: &MatcherSpec, other: &MatcherSpec) -> bool {
    match (plain(one), plain(other)) {
        (MatcherSpec::Words(mut one), MatcherSpec::Words(mut other)) => {
            one.sort();
            other.sort();
            one == other
        }
        (one, other) => one == other,
    }
}

/// Returns texts that an agent may read as this matcher, the plainest first; none for an event
/// without a subject.
pub(super) fn matcher_texts(spec: &MatcherSpec, row: &EventRow) -> Vec<Option<String>> {
    if row.subject == Subject::None {
        return vec![None];
    }
    match spec {
        MatcherSpec::Any | MatcherSpec::Never(_) => vec![None],
        MatcherSpec::Words(words) => {
            let list = words.join("|");
            let texts = [
                format!("^(?:{list})$"),
                format!("^({list})$"),
                // Mistral Vibe has globs, and expressions behind `re:`.
                format!("re:{list}"),
            ];
            [list].into_iter().chain(texts).map(Some).collect()
        }
        MatcherSpec::Regex(text) => {
            let whole = without_ends(text, ("^(?:", ")$")).filter(|inner| !inner.contains('('));
            let texts = [
                text.clone(),
                format!("(?:{text})"),
                format!(".*(?:{text}).*"),
                format!("/{text}/"),
                format!("re:{}", whole.map_or_else(|| format!(".*(?:{text}).*"), str::to_owned)),
                // Auggie has a word for the tools of all servers.
                "mcp:".to_owned(),
            ];
            texts.map(Some).to_vec()
        }
    }
}
