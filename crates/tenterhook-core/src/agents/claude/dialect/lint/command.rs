//! Lints of a command: a path that a space splits, a variable that is never set, a person's home.

use super::variables::{self, Variable};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::claude::config::{Reading, finding};
use crate::dialect::claude::vocabulary::{PHANTOM_VARIABLES, VARIABLES};
use crate::hook::{Layer, Shell};

/// Variables that hold a path which the agent chose.
const PATHS: &[&str] = &["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];

/// Directories under which homes lie.
const HOMES: &[&str] = &["/Users/", "/home/", "C:\\Users\\", "C:/Users/"];

/// Names under such a directory that are not a person's home.
const NO_HOMES: &[&str] = &["Shared", "Public", "linuxbrew"];

/// Checks the text of a command; `args` when no shell reads it.
pub(crate) fn check(
    reading: &Reading<'_>,
    text: &str,
    shell: Shell,
    args: Option<&[String]>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let words: Vec<&str> =
        std::iter::once(text).chain(args.into_iter().flatten().map(String::as_str)).collect();
    let variables: Vec<Variable<'_>> =
        words.iter().flat_map(|word| variables::find(word)).collect();
    if args.is_none() && shell != Shell::PowerShell {
        found.extend(unquoted(&variables));
        found.extend(user_config(text));
    }
    found.extend(phantoms(reading, text, &variables));
    found.extend(words.iter().find_map(|word| braces_only(word)));
    found.extend(outside_plugin(reading, &variables));
    found.extend(words.iter().find_map(|word| home(reading, word)));
    found.extend(words.iter().find_map(|word| relative(word)));
    found
}

fn unquoted(variables: &[Variable<'_>]) -> Option<Diagnostic> {
    let variable =
        variables.iter().find(|variable| variable.splits && PATHS.contains(&variable.name))?;
    let message = format!("`{}` is not quoted: a path with a space is split in two", variable.text);
    let help = format!("write `\"{}\"/...`, or use `args`", variable.text);
    Some(finding(Code::UnquotedPathVar, message).help(help))
}

/// Reports each variable that is never set, once.
fn phantoms(reading: &Reading<'_>, text: &str, variables: &[Variable<'_>]) -> Vec<Diagnostic> {
    let mut texts: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for variable in variables {
        if texts.contains(&variable.name) || is_set(reading, text, variable.name) {
            continue;
        }
        let is_phantom =
            PHANTOM_VARIABLES.contains(&variable.name) || variable.name.starts_with("CLAUDE_TOOL_");
        let is_own = variable.name.starts_with("CLAUDE_");
        let is_option = variable.name.starts_with("CLAUDE_PLUGIN_OPTION_")
            || variable.name.starts_with("CLAUDE_CODE_");
        let help = "the event arrives as JSON on standard input: \
                    `jq -r '.tool_input.file_path'` reads a field of it";
        if variable.is_template && variable.name != "user_config" {
            texts.push(variable.name);
            let message = format!("`{}` is not a variable: nothing replaces it", variable.text);
            found.push(finding(Code::UndocumentedVariable, message).help(help));
        } else if is_phantom && !variable.is_template {
            texts.push(variable.name);
            let message = format!("`{}` is never set: it is always empty", variable.text);
            found.push(finding(Code::UndocumentedVariable, message).help(help));
        } else if is_own && !is_option && !VARIABLES.contains(&variable.name) {
            texts.push(variable.name);
            let message = format!("Claude Code does not set `{}`", variable.text);
            found.push(
                finding(Code::UndocumentedVariable, message).weighing(Severity::Advice).help(help),
            );
        }
    }
    found
}

/// Whether the text, or the settings, set the variable.
fn is_set(reading: &Reading<'_>, text: &str, name: &str) -> bool {
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
    reading.env.contains(name) || text.match_indices(name).any(|(at, _)| assigned(at))
}

/// `{CLAUDE_PLUGIN_ROOT}`, without its `$`.
fn braces_only(word: &str) -> Option<Diagnostic> {
    PATHS.iter().find_map(|name| {
        let braces = format!("{{{name}}}");
        let (at, _) = word.match_indices(&braces).next()?;
        let before = word.get(..at).unwrap_or_default();
        let message = format!("`{braces}` is not replaced: its `$` is missing");
        (!before.ends_with('$')).then(|| {
            finding(Code::UndocumentedVariable, message).help(format!("write `${braces}`"))
        })
    })
}

fn user_config(text: &str) -> Option<Diagnostic> {
    text.contains("${user_config.").then(|| {
        finding(Code::UserConfigInShell, "`${user_config...}` is refused in a text for a shell")
            .help("use the variable `CLAUDE_PLUGIN_OPTION_<KEY>`, or `args`")
    })
}

fn outside_plugin(reading: &Reading<'_>, variables: &[Variable<'_>]) -> Option<Diagnostic> {
    let is_settings = matches!(
        reading.source.layer,
        Layer::User | Layer::Project | Layer::Local | Layer::Managed
    );
    let variable = variables.iter().find(|variable| {
        variable.name.starts_with("CLAUDE_PLUGIN_") && !variable.text.contains(":-") && is_settings
    })?;
    let message = format!("`{}` is set for hooks of plugins only", variable.text);
    Some(
        finding(Code::PluginVariableOutsidePlugin, message)
            .help("use `\"$CLAUDE_PROJECT_DIR\"/...`"),
    )
}

fn home(reading: &Reading<'_>, word: &str) -> Option<Diagnostic> {
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
    let is_private = matches!(reading.source.layer, Layer::User | Layer::Local);
    let severity = if is_private { Severity::Advice } else { Severity::Warning };
    Some(
        finding(Code::AbsoluteHomePathInCommand, message)
            .weighing(severity)
            .help("write `\"$HOME\"/...` or `\"$CLAUDE_PROJECT_DIR\"/...`"),
    )
}

/// Reports a path such as `.claude/hooks/x.sh`, which depends on the agent's working directory.
fn relative(word: &str) -> Option<Diagnostic> {
    let start = word.split_whitespace().find(|word| {
        let word = word.trim_start_matches(['"', '\'']);
        word.starts_with(".claude/") || word.starts_with("./.claude/")
    })?;
    // After a `cd` the path may well be right.
    if word.contains("cd ") {
        return None;
    }
    let message = format!("`{start}` is looked for where the agent works at that moment");
    Some(
        finding(Code::RelativeScriptPath, message).help("begin it with `\"$CLAUDE_PROJECT_DIR\"/`"),
    )
}
