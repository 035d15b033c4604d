//! Lints of a command: a path that a space splits, a variable that is never set, a person's home. Knows no agent.

use std::collections::HashSet;

use super::variables::{self, Variable};
use super::{Lints, agent_of_variable};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::findings::finding_without_location;
use crate::hook::{Layer, Shell};

/// Directories under which homes lie.
const HOMES: &[&str] = &["/Users/", "/home/", "C:\\Users\\", "C:/Users/"];

/// Names under such a directory that are not a person's home.
const NO_HOMES: &[&str] = &["Shared", "Public", "linuxbrew"];

/// Variables that files of every agent rely on and that are never set.
const NEVER_SET: &[&str] = &[
    "TOOL_INPUT",
    "TOOL_NAME",
    "TOOL_OUTPUT",
    "TOOL_RESPONSE",
    "TOOL_RESULT",
    "HOOK_INPUT",
    "HOOK_EVENT",
    "workspaceFolder",
    "workspaceRoot",
];

/// Endings of the names of directories that agents set, by which another agent's is known.
const DIRECTORIES: &[&str] = &["_PROJECT_DIR", "_PLUGIN_ROOT", "_PLUGIN_DATA", "_PROJECT_ROOT"];

/// A command as its file has it.
#[derive(Clone, Copy)]
pub(crate) struct CommandText<'a> {
    pub(crate) text: &'a str,
    pub(crate) shell: Shell,
    /// The arguments, when no shell reads the command.
    pub(crate) args: Option<&'a [String]>,
    /// Whose file it is.
    pub(crate) layer: Layer,
    /// Variables that the file itself sets.
    pub(crate) env: &'a HashSet<String>,
}

impl<'a> CommandText<'a> {
    /// Iterates over the command and its arguments.
    pub(crate) fn all_texts(self) -> impl Iterator<Item = &'a str> + Clone {
        std::iter::once(self.text).chain(self.args.into_iter().flatten().map(String::as_str))
    }

    /// Returns `true` if a POSIX shell reads the command.
    pub(crate) fn is_read_by_posix_shell(self) -> bool {
        self.args.is_none() && self.shell != Shell::PowerShell
    }
}

/// Checks the text of a command.
pub(super) fn check_command(lints: &Lints, command: CommandText<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let variables: Vec<Variable<'_>> =
        command.all_texts().flat_map(variables::find_variables).collect();
    if command.is_read_by_posix_shell() {
        found.extend(find_unquoted_path(lints, command.text, &variables));
        found.extend(find_single_quoted_path(lints, command.text));
        found.extend(find_powershell_variable(command.text, &variables));
    }
    found.extend(find_unset_variables(lints, command, &variables));
    found.extend(command.all_texts().find_map(|word| find_missing_dollar(lints, word)));
    found.extend(
        command.all_texts().find_map(|word| find_path_in_personal_home(lints, command.layer, word)),
    );
    found
}

/// Reports a path variable that is not quoted.
fn find_unquoted_path(lints: &Lints, text: &str, variables: &[Variable<'_>]) -> Option<Diagnostic> {
    let splits = |variable: &&Variable<'_>| variable.splits && lints.paths.contains(&variable.name);
    let inner: Vec<Variable<'_>> =
        inner_shell_script(text).map(variables::find_variables).unwrap_or_default();
    let variable = variables.iter().find(splits).or_else(|| inner.iter().find(splits))?;
    let message = format!("`{}` is not quoted: a path with a space is split in two", variable.text);
    let help = format!("write `\"{}\"/...`{}", variable.text, or_use_args_hint(lints));
    Some(finding_without_location(Code::UnquotedPathVar, message).help(help))
}

fn or_use_args_hint(lints: &Lints) -> &'static str {
    if lints.has_args { ", or use `args`" } else { "" }
}

/// Returns the text in single quotes after `sh -c`, which another shell reads.
fn inner_shell_script(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("sh -c '")?;
    rest.split('\'').next()
}

/// Reports `'$NAME/...'` as a program or its first argument: the shell does not replace it.
fn find_single_quoted_path(lints: &Lints, text: &str) -> Option<Diagnostic> {
    let is_path = |rest: &str| {
        let braced = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (name, after) =
            braced.unwrap_or_else(|| rest.split_at(variables::variable_name_prefix(rest).len()));
        lints.paths.contains(&name) && after.starts_with('/')
    };
    let (at, _) = text.match_indices("'$").find(|(at, _)| {
        let before = text.get(..*at).unwrap_or_default();
        let is_start = before.is_empty() || before.ends_with(' ');
        let is_script = before.trim_end().ends_with("-c");
        let is_inside = before.matches('\'').count() % 2 == 1 || before.contains('"');
        is_start && !is_script && !is_inside && text.get(*at + 2..).is_some_and(is_path)
    })?;
    let word = text.get(at + 1..)?.split('\'').next()?;
    let name = word.split('/').next().unwrap_or(word);
    let message = format!("`{name}` is in single quotes: the shell does not replace it");
    let found =
        finding_without_location(Code::UnquotedPathVar, message).with_severity(Severity::Error);
    Some(found.help(format!("write `\"{word}\"`")))
}

/// Reports `$env:NAME`, which only PowerShell replaces.
fn find_powershell_variable(text: &str, variables: &[Variable<'_>]) -> Option<Diagnostic> {
    // A command that starts PowerShell hands the variable on.
    if ["powershell", "pwsh"].iter().any(|program| text.contains(program)) {
        return None;
    }
    let variable = variables.iter().find(|variable| {
        variable.name == "env" && variable.after.starts_with(':') && !variable.is_literal
    })?;
    let name = variables::variable_name_prefix(variable.after.get(1..).unwrap_or_default());
    if name.is_empty() {
        return None;
    }
    let message =
        format!("`$env:{name}` is a variable of PowerShell: this shell does not replace it");
    Some(
        finding_without_location(Code::UndocumentedVariable, message)
            .help(format!("write `\"${name}\"`")),
    )
}

/// Reports each variable that is never set, once.
fn find_unset_variables(
    lints: &Lints,
    command: CommandText<'_>,
    variables: &[Variable<'_>],
) -> Vec<Diagnostic> {
    let mut texts: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for variable in variables {
        let (name, text) = (variable.name, variable.text);
        if texts.contains(&name) || is_variable_set(command.env, command.text, name) {
            continue;
        }
        let help = "the event arrives as JSON on standard input: \
                    `jq -r '.tool_input.file_path'` reads a field of it";
        let never_set = !lints.variables.contains(&name)
            && (NEVER_SET.contains(&name)
                || lints.never_set.contains(&name)
                || name.starts_with("CLAUDE_TOOL_"));
        let diagnostic = if variable.is_template && name != "user_config" {
            let message = format!("`{text}` is not a variable: nothing replaces it");
            finding_without_location(Code::UndocumentedVariable, message).help(help)
        } else if let Some(found) = find_foreign_directory_variable(lints, command.text, variable) {
            found
        } else if never_set && !variable.is_template {
            let message = format!("`{text}` is never set: it is always empty");
            finding_without_location(Code::UndocumentedVariable, message).help(help)
        } else if is_unset_own_variable(lints, name) {
            let message = format!("{} does not set `{text}`", lints.agent);
            let found = finding_without_location(Code::UndocumentedVariable, message);
            found.with_severity(Severity::Advice).help(help)
        } else {
            continue;
        };
        texts.push(name);
        found.push(diagnostic);
    }
    found
}

/// Returns `true` if a variable has the agent's prefix but the agent does not set it.
fn is_unset_own_variable(lints: &Lints, name: &str) -> bool {
    let is_option = name.starts_with("CLAUDE_PLUGIN_OPTION_") || name.starts_with("CLAUDE_CODE_");
    !lints.prefix.is_empty()
        && name.starts_with(lints.prefix)
        && !is_option
        && !lints.variables.contains(&name)
}

/// Reports a directory variable that another agent sets. A command that tests it, or has a default
/// for it, serves several agents.
fn find_foreign_directory_variable(
    lints: &Lints,
    text: &str,
    variable: &Variable<'_>,
) -> Option<Diagnostic> {
    let name = variable.name;
    let is_directory = DIRECTORIES.iter().any(|ending| name.ends_with(ending));
    let is_own = lints.variables.contains(&name);
    let has_default = variable.text.contains(":-") || variable.text.contains(":+");
    let is_tested = ["[ ", "[[ ", "test ", "if "].iter().any(|word| text.contains(word));
    if !is_directory || is_own || has_default || is_tested || text.contains(&format!("{{{name}:")) {
        return None;
    }
    let other = agent_of_variable(name)?;
    let message = match other == lints.agent {
        true => return None,
        false => {
            format!("`{}` is a variable of {other}: {} does not set it", variable.text, lints.agent)
        }
    };
    let found = finding_without_location(Code::UndocumentedVariable, message);
    Some(match lints.project {
        Some(project) => found.help(format!("write `\"{project}\"/...`")),
        None => found,
    })
}

/// Returns `true` if the text or the settings set the variable.
fn is_variable_set(env: &HashSet<String>, text: &str, name: &str) -> bool {
    let assigned = |at: usize| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).unwrap_or_default();
        let starts = before.is_none_or(|c| !(c.is_ascii_alphanumeric() || "_$".contains(c)));
        let read = text.get(..at).is_some_and(|text| {
            let words: Vec<&str> = text.split_whitespace().rev().take(3).collect();
            words.contains(&"read") || words.contains(&"for")
        });
        starts && (after.starts_with('=') && !after.starts_with("==") || read)
    };
    env.contains(name) || text.match_indices(name).any(|(at, _)| assigned(at))
}

/// Reports a directory variable in braces without its `$`.
fn find_missing_dollar(lints: &Lints, word: &str) -> Option<Diagnostic> {
    lints.paths.iter().find_map(|name| {
        let braces = format!("{{{name}}}");
        let (at, _) = word.match_indices(&braces).next()?;
        let before = word.get(..at).unwrap_or_default();
        let message = format!("`{braces}` is not replaced: its `$` is missing");
        (!before.ends_with('$')).then(|| {
            finding_without_location(Code::UndocumentedVariable, message)
                .help(format!("write `${braces}`"))
        })
    })
}

/// Reports a path in the home directory of one user.
fn find_path_in_personal_home(lints: &Lints, layer: Layer, word: &str) -> Option<Diagnostic> {
    let of = |root: &str| {
        word.match_indices(root).find_map(|(at, _)| {
            let before = word.get(..at).and_then(|word| word.chars().next_back());
            let user = word.get(at + root.len()..)?.split(['/', '\\', ' ', '"', '\'']).next()?;
            let legal = user.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
            let starts = before.is_none_or(|c| !(c.is_alphanumeric() || "$}~._-".contains(c)));
            (starts && legal && !user.is_empty() && !NO_HOMES.contains(&user))
                .then(|| format!("{root}{user}"))
        })
    };
    let home = HOMES.iter().find_map(|root| of(root))?;
    let message = format!("`{home}` is one person's home: this breaks for everybody else");
    let is_private = matches!(layer, Layer::User | Layer::Local);
    let severity = if is_private { Severity::Advice } else { Severity::Warning };
    let help = match lints.project {
        Some(project) => format!("write `\"$HOME\"/...` or `\"{project}\"/...`"),
        None => "write `\"$HOME\"/...`".to_owned(),
    };
    Some(
        finding_without_location(Code::AbsoluteHomePathInCommand, message)
            .with_severity(severity)
            .help(help),
    )
}
