//! What does the parenthesis of a rule say about the input of its tool, and does that select a call?

use serde_json::Value;

use super::call::Call;
use super::command::CommandPattern;
use super::file::FilePattern;
use super::pattern::Stars;
use super::selection::{Miss, Selection, Widening};
use super::{Reading, RuleFault};

/// What a rule says about the input.
#[derive(Clone, Debug)]
pub(super) enum Spec {
    /// Nothing.
    Any,
    /// A pattern of Bash commands.
    Command(CommandPattern),
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
    /// In any case: commands of PowerShell are written so.
    AnyCase,
    File,
    Domain,
    Field(&'static str),
}

/// How each tool's parenthesis is read; a tool that is not listed has only the parameter form (S-45).
const FAMILIES: &[(&str, Family)] = &[
    ("Bash", Family::Command),
    ("PowerShell", Family::AnyCase),
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

impl Spec {
    pub(super) fn parse(tool: &str, spec: &str) -> Result<Self, RuleFault> {
        let family = FAMILIES.iter().find(|(name, _)| *name == tool).map(|(_, family)| *family);
        let param = || match spec.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => {
                Self::Param(name.trim().to_owned(), Stars::new(value.trim()))
            }
            _ => Self::Opaque,
        };
        Ok(match family {
            Some(Family::Command) => Self::Command(CommandPattern::new(spec)),
            Some(Family::AnyCase) => Self::Command(CommandPattern::new_case_insensitive(spec)),
            Some(Family::File) => Self::File(Box::new(FilePattern::new(spec)?)),
            Some(Family::Domain) => match spec.strip_prefix("domain:") {
                Some(domain) => Self::Domain(Stars::new(&domain.trim().to_ascii_lowercase())),
                None => param(),
            },
            Some(Family::Field(field))
                if !spec.contains(':') || is_not_documented_parameter(spec) =>
            {
                Self::Field(field, Stars::new(spec))
            }
            Some(Family::Field(_)) | None => param(),
        })
    }

    /// Returns whether the specifier selects `call`, a call of its tool.
    pub(super) fn selection_of_call(&self, call: &Call<'_>, reading: Reading) -> Selection {
        match self {
            Self::Any => Selection::Exact,
            Self::Command(pattern) => match call.parsed_line() {
                Some(line) => pattern.selection_of_line(line, reading, &call.new_meter()),
                None => Selection::Widened(Widening::Input),
            },
            Self::File(pattern) => pattern.selection_of_path(call.tool, &call.places),
            Self::Domain(pattern) => selection_if_matched(
                call.first_text_field(&["url"])
                    .and_then(url_host)
                    .map(|host| pattern.matches(&host)),
            ),
            Self::Field(field, pattern) => selection_if_matched(
                call.first_text_field(&[field]).map(|text| pattern.matches(text)),
            ),
            Self::Param(name, pattern) => {
                selection_by_parameter(call.tool.input.get(name), pattern)
            }
            Self::Opaque => Selection::Widened(Widening::Input),
        }
    }
}

/// Returns true unless the specifier is a documented parameter such as `model:opus`: `plugin:skill`
/// names a skill of a plugin.
fn is_not_documented_parameter(spec: &str) -> bool {
    const PARAMS: &[&str] = &["skill", "args", "subagent_type", "model", "prompt", "description"];
    !spec.split_once(':').is_some_and(|(name, _)| PARAMS.contains(&name.trim()))
}

fn selection_if_matched(matched: Option<bool>) -> Selection {
    match matched {
        Some(true) => Selection::Exact,
        Some(false) => Selection::Not(Miss::Spec),
        None => Selection::Widened(Widening::Input),
    }
}

fn selection_by_parameter(value: Option<&Value>, pattern: &Stars) -> Selection {
    let text = match value {
        None | Some(Value::Null) => return Selection::Not(Miss::Spec),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Number(value)) => value.to_string(),
        Some(Value::Array(_) | Value::Object(_)) => return Selection::Widened(Widening::Input),
    };
    selection_if_matched(Some(pattern.matches(&text)))
}

/// Returns the host of a URL in lower case, without user, port and trailing dot.
fn url_host(url: &str) -> Option<String> {
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
