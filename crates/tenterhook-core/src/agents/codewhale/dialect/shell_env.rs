//! Reads what a `shell_env` hook prints: lines of variables for a shell command (CW-S16). Expands
//! nothing.

use serde_json::{Map, Value};

/// The maximal length of one value, in bytes.
const VALUE_CAP: usize = 32 * 1024;
/// The maximal length of all names and values of one hook, in bytes.
const TOTAL_CAP: usize = 256 * 1024;

/// The variables, and the names that were dropped because their values are too long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Variables {
    pub(super) set: Map<String, Value>,
    pub(super) too_long: Vec<String>,
}

/// Reads lines `KEY=VALUE`; blank lines, comments and lines without `=` are ignored.
pub(super) fn parse_variables(stdout: &str) -> Variables {
    let mut variables = Variables::default();
    let mut total = 0;
    for (key, value) in stdout.lines().filter_map(parse_pair) {
        let size = key.len() + value.len();
        if value.len() > VALUE_CAP || total + size > TOTAL_CAP {
            variables.too_long.push(key.to_owned());
            continue;
        }
        total += size;
        variables.set.insert(key.to_owned(), value.into());
    }
    variables
}

fn parse_pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (key, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let (key, value) = (key.trim(), strip_quotes(value.trim()));
    let is_name = !key.is_empty() && !key.contains(|c: char| c.is_whitespace() || c.is_control());
    (is_name && !value.contains('\0')).then_some((key, value))
}

/// The value without one pair of quotes.
fn strip_quotes(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `parse_env_lines_handles_realistic_hook_output`, `..._drops_nul_bearing_entries`,
    /// `..._empty_when_no_assignments`.
    #[test]
    fn variable_lines_are_parsed_with_quotes_and_export() {
        let read = |text: &str| Value::Object(parse_variables(text).set);
        assert_eq!(
            read("A=1\nexport B='two words'\n# C=3\n\nD=\"x\"\n=empty\nno equals\n E = a=b \n"),
            json!({"A": "1", "B": "two words", "D": "x", "E": "a=b"})
        );
        assert_eq!(read("# nothing\n\n"), json!({}));
        assert_eq!(read("A=a\0b\nB\0=1\nSAFE=ok\nTWO WORDS=1\n"), json!({"SAFE": "ok"}));
        assert_eq!(read("A='half\nB=$HOME\nC='\n"), json!({"A": "'half", "B": "$HOME", "C": "'"}));
        assert_eq!(read("A=1\nA=2\n"), json!({"A": "2"}));
    }

    /// `parse_env_lines_bounds_values_and_the_aggregate`.
    #[test]
    fn values_and_their_sum_are_bounded() {
        let long = format!("LONG={}\nSAFE=ok\n", "x".repeat(VALUE_CAP + 1));
        assert_eq!(parse_variables(&long).too_long, ["LONG"]);
        assert_eq!(Value::Object(parse_variables(&long).set), json!({"SAFE": "ok"}));
        let many: String = (0..20).map(|n| format!("K{n}={}\n", "x".repeat(30_000))).collect();
        let read = parse_variables(&many);
        assert_eq!((read.set.len(), read.too_long.len()), (8, 12));
    }
}
