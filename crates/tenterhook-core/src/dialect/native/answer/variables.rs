//! Reads the lines of an env file (V-9). Expands nothing: what a hook writes is what the shell of
//! the agent gets.

use serde_json::{Map, Value};

/// `KEY=VALUE` lines, an `export` before them and one pair of quotes round the value allowed. Other
/// lines are not ours.
pub(super) fn read(lines: &str) -> Map<String, Value> {
    lines.lines().filter_map(pair).collect()
}

fn pair(line: &str) -> Option<(String, Value)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    is_name(name).then(|| (name.to_owned(), unquoted(value).into()))
}

/// Whether a shell takes this for the name of a variable.
fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}
