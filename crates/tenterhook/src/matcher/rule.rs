//! Does one permission rule, `Tool` or `Tool(spec)`, select this tool call?
//!
//! Pure: compiled once, held against many calls, and whatever it is unsure of it selects, marked as widened, so that
//! the verdict stage can keep a widened selection from carrying an allow. It looks at no file and resolves no link.
//! Rules S-41 to S-57 of `docs/spec/matching-shell.md`.

mod command;
mod file;
mod pattern;

#[cfg(test)]
mod observed;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use self::command::CommandPattern;
use self::file::FilePattern;
use self::pattern::Stars;
use crate::event::tool::ToolCall;
use crate::shell::{self, Construct, Doubt, Line, Via};

pub use self::file::Places;

/// Longest rule that is compiled, in bytes: far above any that a person writes, and low enough for one glob (S-42).
const LONGEST_RULE: usize = 4096;

/// One permission rule, ready to be held against tool calls.
#[derive(Clone, Debug)]
pub struct Rule {
    text: String,
    tool: ToolPattern,
    spec: Spec,
}

/// Which tools a rule is about.
#[derive(Clone, Debug)]
enum ToolPattern {
    /// All: the empty rule.
    Every,
    /// One, by name.
    Name(String),
    /// Every tool of an MCP server (`mcp__memory`), or a pattern of MCP tools (`mcp__memory__read_*`).
    Mcp(Stars),
}

/// What a rule says about the input.
#[derive(Clone, Debug)]
enum Spec {
    /// Nothing.
    Any,
    /// A pattern of Bash commands.
    Command(CommandPattern),
    /// A pattern of lines in a shell whose language is not read here.
    ForeignCommand(CommandPattern),
    /// A pattern of paths.
    File(Box<FilePattern>),
    /// A pattern of hosts (`domain:example.com`).
    Domain(Stars),
    /// A pattern of the input field that names what is run (`Skill(commit)`).
    Field(&'static str, Stars),
    /// A pattern of any input field (`Tool(param:value)`).
    Param(String, Stars),
    /// Not a form that is known for this tool.
    Opaque,
}

/// How the parenthesis of a tool is read.
#[derive(Clone, Copy)]
enum Family {
    Command,
    ForeignCommand,
    File,
    Domain,
    Field(&'static str),
}

/// How each tool's parenthesis is read; a tool that is not listed has only the parameter form (S-45).
const FAMILIES: &[(&str, Family)] = &[
    ("Bash", Family::Command),
    ("PowerShell", Family::ForeignCommand),
    ("Read", Family::File),
    ("Write", Family::File),
    ("Edit", Family::File),
    ("MultiEdit", Family::File),
    ("NotebookEdit", Family::File),
    ("NotebookRead", Family::File),
    ("Glob", Family::File),
    ("Grep", Family::File),
    ("LS", Family::File),
    ("WebFetch", Family::Domain),
    ("Skill", Family::Field("skill")),
    ("Agent", Family::Field("subagent_type")),
    ("Task", Family::Field("subagent_type")),
];

/// Why a text is no rule. In the reading of the observed agent such a rule never selects anything (S-43).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    /// `Bash(`
    #[error("the parenthesis of `{tool}` is not closed")]
    Unclosed {
        /// The text before the parenthesis.
        tool: String,
    },
    /// `(git *)`
    #[error("the rule names no tool before its parenthesis")]
    NoTool,
    /// `*`, `Read|Bash`: a pattern, where the name of one tool is due.
    #[error("`{text}` is not the name of a tool: a rule names exactly one tool")]
    NotATool {
        /// What stands where the name is due.
        text: String,
    },
    /// A path pattern that does not compile.
    #[error("`{glob}` is not a path pattern: {cause}")]
    Glob {
        /// The pattern.
        glob: String,
        /// The words of the compiler.
        cause: String,
    },
    /// Over the length that is compiled.
    #[error("the rule is longer than {LONGEST_RULE} bytes")]
    TooLong,
}

/// A rule that is legal and yet probably not what was meant (S-44).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleRemark {
    /// `Bash(a)|Bash(b)`: read as one rule of the first tool, whose pattern contains the rest.
    LooksLikeAList,
    /// `Read(/tmp/**)`: one slash anchors at the directory of the settings file, two at the root.
    OneSlash,
    /// The form in parentheses is not known for this tool, so every call of the tool is selected.
    UnknownForm,
}

/// Whose reading of a command line decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// What the line says.
    Native,
    /// What Claude Code was seen to fire on, which is more (S-50).
    Claude,
}

/// Whether, and how surely, a rule selects a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// It does not.
    Not(Miss),
    /// It does.
    Exact,
    /// It does, but only because doubt is restraint: this never carries an allow (S-41).
    Widened(Widening),
}

impl Selection {
    /// Whether the call is selected at all.
    #[must_use]
    pub fn is_selected(&self) -> bool {
        !matches!(self, Self::Not(_))
    }
}

/// Why a rule does not select a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// It is about another tool.
    Tool,
    /// Nothing in the input matches its pattern.
    Spec,
}

/// Why a rule selects a call that it does not exactly match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Widening {
    /// The agent does not read through this construct and fires (S-50).
    Construct(Construct),
    /// An expansion may turn the command into one that matches (S-48, S-51).
    Expansion,
    /// The line could not be read in full (S-47).
    Unread(Doubt),
    /// The input lacks what the pattern is held against, or the form is not known (S-46).
    Input,
    /// The command that matches stands behind wrappers (S-49).
    Wrapper(Vec<Via>),
}

impl Widening {
    /// Whether Claude Code itself would fire, too: what a reading that is exact for that agent keeps (S-52).
    #[must_use]
    pub fn is_agents_own(&self) -> bool {
        match self {
            Self::Construct(_) | Self::Expansion | Self::Input => true,
            Self::Unread(doubt) => {
                matches!(doubt, Doubt::Syntax { .. } | Doubt::TooLong | Doubt::TooDeep)
            }
            Self::Wrapper(_) => false,
        }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "it is about another tool",
            Self::Spec => "nothing in the call matches it",
        })
    }
}

impl fmt::Display for Widening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Construct(construct) => write!(f, "the agent does not read through {construct}"),
            Self::Expansion => f.write_str("an expansion may make it match"),
            Self::Unread(doubt) => write!(f, "{doubt}"),
            Self::Input => f.write_str("the input cannot be held against it"),
            Self::Wrapper(via) => {
                let via: Vec<_> = via.iter().map(ToString::to_string).collect();
                write!(f, "the command stands {}", via.join(", "))
            }
        }
    }
}

/// Whether an allow of a hook that a rule selected may count (S-53).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Everything that the call would do matches the rule.
    Every,
    /// Something does not, or is not known.
    NotEvery {
        /// What, in one clause.
        reason: String,
    },
}

/// One tool call as rules see it; its command line is read once, at the first rule that asks.
#[derive(Debug)]
pub struct Call<'a> {
    tool: ToolCall<'a>,
    places: Places<'a>,
    aliases: &'a [(&'a str, &'a str)],
    line: Arc<OnceLock<Option<Line>>>,
}

impl<'a> Call<'a> {
    /// A call that is made at these places; `aliases` are pairs of an old tool name and the present one.
    #[must_use]
    pub fn new(tool: ToolCall<'a>, places: Places<'a>, aliases: &'a [(&'a str, &'a str)]) -> Self {
        Self { tool, places, aliases, line: Arc::new(OnceLock::new()) }
    }

    /// The same call as another rule sees it; the line that was read for one is read for both.
    #[must_use]
    pub fn placed<'b>(&'b self, places: Places<'b>, aliases: &'b [(&'b str, &'b str)]) -> Call<'b> {
        Call { tool: self.tool, places, aliases, line: Arc::clone(&self.line) }
    }

    /// The command line, read; `None` where the input holds none.
    pub fn line(&self) -> Option<&Line> {
        self.line.get_or_init(|| self.field(COMMAND_KEYS).map(shell::read)).as_ref()
    }

    /// The first of these fields that is a text.
    fn field(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.tool.input.get(key).and_then(Value::as_str))
    }

    fn canonical<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
    }
}

/// Input fields that hold a command line.
const COMMAND_KEYS: &[&str] = &["command", "cmd"];

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// Where the text is no rule; see [`RuleFault`].
    pub fn parse(text: &str) -> Result<Self, RuleFault> {
        let text = text.trim();
        if text.len() > LONGEST_RULE {
            return Err(RuleFault::TooLong);
        }
        let (tool, spec) = match text.split_once('(') {
            // The last parenthesis closes, as in the observed agent: `Bash(a)|Bash(b)` is one rule of Bash.
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(spec) => (tool.trim(), Some(spec.trim())),
                None => return Err(RuleFault::Unclosed { tool: tool.trim().to_owned() }),
            },
            None => (text, None),
        };
        if tool.is_empty() && spec.is_some() {
            return Err(RuleFault::NoTool);
        }
        let spec = match spec {
            None | Some("" | "*") => Spec::Any,
            Some(spec) => Spec::parse(tool, spec)?,
        };
        Ok(Self { text: text.to_owned(), tool: ToolPattern::parse(tool)?, spec })
    }

    /// The rule as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tool that it names; `None` where it is about several.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match &self.tool {
            ToolPattern::Name(name) => Some(name),
            ToolPattern::Every | ToolPattern::Mcp(_) => None,
        }
    }

    /// What a person should be told about a legal rule (S-44).
    #[must_use]
    pub fn remarks(&self) -> Vec<RuleRemark> {
        let is_path = matches!(self.spec, Spec::File(_));
        let one_slash = self.text.contains("(/") && !self.text.contains("(//");
        [
            (self.text.contains(")|"), RuleRemark::LooksLikeAList),
            (is_path && one_slash, RuleRemark::OneSlash),
            (matches!(self.spec, Spec::Opaque), RuleRemark::UnknownForm),
        ]
        .into_iter()
        .filter_map(|(applies, remark)| applies.then_some(remark))
        .collect()
    }

    /// Whether the rule selects `call`.
    #[must_use]
    pub fn select(&self, call: &Call<'_>, reading: Reading) -> Selection {
        if !self.tool.matches(call) {
            return Selection::Not(Miss::Tool);
        }
        match &self.spec {
            Spec::Any => Selection::Exact,
            Spec::Command(pattern) => match call.line() {
                Some(line) => pattern.select(line, reading),
                None => Selection::Widened(Widening::Input),
            },
            Spec::ForeignCommand(pattern) => match call.field(COMMAND_KEYS) {
                Some(line) => pattern.select_foreign(line),
                None => Selection::Widened(Widening::Input),
            },
            Spec::File(pattern) => pattern.select(call.tool, &call.places),
            Spec::Domain(pattern) => {
                found(call.field(&["url"]).and_then(host).map(|host| pattern.matches(&host)))
            }
            Spec::Field(field, pattern) => {
                found(call.field(&[field]).map(|text| pattern.matches(text)))
            }
            Spec::Param(name, pattern) => select_param(call.tool.input.get(name), pattern),
            Spec::Opaque => Selection::Widened(Widening::Input),
        }
    }

    /// Whether everything that `call` would do matches the rule, so that an allow may count (S-53).
    #[must_use]
    pub fn covers(&self, call: &Call<'_>) -> Covers {
        let reason = match (&self.spec, self.select(call, Reading::Native)) {
            (_, Selection::Not(miss)) => miss.to_string(),
            (Spec::Command(pattern), _) => match call.line() {
                Some(line) => return pattern.covers(line),
                None => Widening::Input.to_string(),
            },
            (_, Selection::Exact) => return Covers::Every,
            (_, Selection::Widened(widening)) => widening.to_string(),
        };
        Covers::NotEvery { reason }
    }
}

impl ToolPattern {
    fn parse(name: &str) -> Result<Self, RuleFault> {
        let legal = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        if name.is_empty() {
            return Ok(Self::Every);
        }
        match name.strip_prefix("mcp__") {
            Some(rest) if rest.chars().all(|c| legal(c) || c == '*') => {
                let is_server = !rest.contains("__") && !rest.contains('*');
                let all = if is_server { format!("{name}__*") } else { name.to_owned() };
                Ok(Self::Mcp(Stars::new(&all)))
            }
            None if name.chars().all(legal) => Ok(Self::Name(name.to_owned())),
            _ => Err(RuleFault::NotATool { text: name.to_owned() }),
        }
    }

    fn matches(&self, call: &Call<'_>) -> bool {
        match self {
            Self::Every => true,
            Self::Name(name) => {
                name == call.tool.name || call.canonical(name) == call.canonical(call.tool.name)
            }
            Self::Mcp(pattern) => pattern.matches(call.tool.name),
        }
    }
}

impl Spec {
    fn parse(tool: &str, spec: &str) -> Result<Self, RuleFault> {
        let family = FAMILIES.iter().find(|(name, _)| *name == tool).map(|(_, family)| *family);
        let param = || match spec.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => {
                Self::Param(name.trim().to_owned(), Stars::new(value.trim()))
            }
            _ => Self::Opaque,
        };
        Ok(match family {
            Some(Family::Command) => Self::Command(CommandPattern::new(spec)),
            Some(Family::ForeignCommand) => Self::ForeignCommand(CommandPattern::new(spec)),
            Some(Family::File) => Self::File(Box::new(FilePattern::new(spec)?)),
            Some(Family::Domain) => match spec.strip_prefix("domain:") {
                Some(domain) => Self::Domain(Stars::new(&domain.trim().to_ascii_lowercase())),
                None => param(),
            },
            Some(Family::Field(field)) if !spec.contains(':') || plugin_name(spec) => {
                Self::Field(field, Stars::new(spec))
            }
            Some(Family::Field(_)) | None => param(),
        })
    }
}

/// `plugin:skill` names a skill of a plugin; `model:opus` is a parameter. Only the documented parameters are taken.
fn plugin_name(spec: &str) -> bool {
    const PARAMS: &[&str] = &["skill", "args", "subagent_type", "model", "prompt", "description"];
    !spec.split_once(':').is_some_and(|(name, _)| PARAMS.contains(&name.trim()))
}

fn found(matched: Option<bool>) -> Selection {
    match matched {
        Some(true) => Selection::Exact,
        Some(false) => Selection::Not(Miss::Spec),
        None => Selection::Widened(Widening::Input),
    }
}

fn select_param(value: Option<&Value>, pattern: &Stars) -> Selection {
    let text = match value {
        None | Some(Value::Null) => return Selection::Not(Miss::Spec),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Number(value)) => value.to_string(),
        Some(Value::Array(_) | Value::Object(_)) => return Selection::Widened(Widening::Input),
    };
    found(Some(pattern.matches(&text)))
}

/// The host of a URL, in lower case, without user, port and final dot.
fn host(url: &str) -> Option<String> {
    let rest = url.trim().split_once("://").map_or(url.trim(), |(_, rest)| rest);
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next()?,
        None => host.split(':').next()?,
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    (!host.is_empty()).then_some(host)
}
