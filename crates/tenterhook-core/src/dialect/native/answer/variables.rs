//! Reads the lines of an env file (V-9). Expands nothing: what a hook writes is what the shell of
//! the agent gets.

use serde_json::{Map, Value};

/// Reads `KEY=VALUE` lines, optionally after `export` and with one pair of quotes around the value.
/// Other lines are ignored.
pub(super) fn read_env_lines(lines: &str) -> Map<String, Value> {
    lines.lines().filter_map(parse_assignment).collect()
}

fn parse_assignment(line: &str) -> Option<(String, Value)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    is_shell_variable_name(name).then(|| (name.to_owned(), strip_quotes(value).into()))
}

/// Returns `true` if a shell accepts this as the name of a variable.
fn is_shell_variable_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

fn strip_quotes(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}
