//! Reads the variables that a hook wrote into `CLAUDE_ENV_FILE` as lines of shell. Reads only plain
//! assignments; starts no shell.

use serde_json::{Map, Value};

/// The variables of the plain lines, and whether there is any other line.
pub(super) struct Variables {
    pub(super) set: Map<String, Value>,
    pub(super) left_over: bool,
}

pub(super) fn read_variables(text: &str) -> Variables {
    let mut variables = Variables { set: Map::new(), left_over: false };
    let lines = text.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match parse_assignment(line) {
            Some((name, value)) => {
                variables.set.insert(name.to_owned(), value.into());
            }
            None => variables.left_over = true,
        }
    }
    variables
}

/// Parses `export NAME=value` or `NAME=value`, if the value can be known without a shell.
fn parse_assignment(line: &str) -> Option<(&str, String)> {
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    let (name, value) = line.split_once('=')?;
    let starts = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    let plain = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    (starts && plain).then_some(())?;
    Some((name, unquote_word(value.trim_end_matches(';'))?))
}

/// Returns the text of a shell word, or `None` if only a shell can evaluate it.
fn unquote_word(word: &str) -> Option<String> {
    let mut value = String::with_capacity(word.len());
    let mut quote = None;
    let mut chars = word.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            (char, Some('\'')) => value.push(char),
            ('\'' | '"', None) => quote = Some(char),
            ('$' | '`', _) => return None,
            ('\\', None) => value.push(chars.next()?),
            ('\\', Some(_)) => match chars.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            (char, None) if char.is_whitespace() || "&|;<>()*?[~#".contains(char) => return None,
            (char, _) => value.push(char),
        }
    }
    quote.is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::read_variables;

    #[test]
    fn plain_lines_are_read_and_others_are_left_to_a_shell() {
        let read = read_variables(
            "export A=1\n# note\nB='two words'\nexport C=\"a \\\"b\\\" \\n\"\nexport D=a\\ b\n\n",
        );
        assert!(!read.left_over);
        let expected =
            serde_json::json!({"A": "1", "B": "two words", "C": "a \"b\" \\n", "D": "a b"});
        assert_eq!(serde_json::Value::Object(read.set), expected);
        for line in
            ["export PATH=\"$PATH:/x\"", "source x", "export A=`id`", "A='open", "A=1 ls", "1A=2"]
        {
            let read = super::read_variables(line);
            assert!(read.left_over && read.set.is_empty(), "{line}");
        }
    }
}
