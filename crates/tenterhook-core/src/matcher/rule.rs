//! Does one permission rule, `Tool` or `Tool(spec)`, select this tool call?
//!
//! Pure: compiled once, held against many calls, and whatever it is unsure of it selects, marked as widened, so that
//! the verdict stage can keep a widened selection from carrying an allow. It looks at no file and resolves no link.
//! Rules S-41 to S-57 of `docs/spec/matching-shell.md`.

mod call;
mod command;
mod file;
mod pattern;
mod selection;
mod spec;
mod spelling;

#[cfg(test)]
mod observed;
#[cfg(test)]
mod tests;

use self::pattern::Stars;
use self::spec::Spec;

pub use self::call::Call;
pub use self::file::PathAnchors;
pub use self::selection::{Covers, Miss, Selection, Widening};

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
        /// The text in place of the name.
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

    /// Returns the rule as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the tool that the rule names; `None` if it applies to several.
    #[must_use]
    pub fn tool_name(&self) -> Option<&str> {
        match &self.tool {
            ToolPattern::Name(name) => Some(name),
            ToolPattern::Every | ToolPattern::Mcp(_) => None,
        }
    }

    /// Returns advice about a valid rule (S-44).
    #[must_use]
    pub fn style_warnings(&self) -> Vec<RuleRemark> {
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

    /// Returns whether, and how exactly, the rule selects `call`.
    #[must_use]
    pub fn selection_of_call(&self, call: &Call<'_>, reading: Reading) -> Selection {
        if !self.tool.matches_tool(call) {
            return Selection::Not(Miss::Tool);
        }
        self.spec.selection_of_call(call, reading)
    }

    /// Returns whether everything that `call` would do matches the rule, so that an *allow* is safe
    /// (S-53).
    #[must_use]
    pub fn covers_call(&self, call: &Call<'_>) -> Covers {
        let reason = match (&self.spec, self.selection_of_call(call, Reading::Native)) {
            (_, Selection::Not(miss)) => miss.to_string(),
            (Spec::Command(pattern), _) => match call.parsed_line() {
                Some(line) => return pattern.covers_line(line),
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

    fn matches_tool(&self, call: &Call<'_>) -> bool {
        match self {
            Self::Every => true,
            Self::Name(name) => {
                name == call.tool.name
                    || call.canonical_tool_name(name) == call.canonical_tool_name(call.tool.name)
            }
            Self::Mcp(pattern) => pattern.matches(call.tool.name),
        }
    }
}
