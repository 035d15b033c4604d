//! Which line would a tool call run? A command comes as a text or as a list of words; any other form is unclear.
//! Reads no line (E-9).

use std::borrow::Cow;

use serde_json::Value;
use tenterhook_shell::quote_word;

use super::ToolCall;

/// Input fields that hold a command.
const KEYS: &[&str] = &["command", "cmd"];
/// What ends a word for a shell, or means something to it: a program whose name holds one is a line that was put into a list.
const NOT_IN_NAMES: &[char] =
    &[' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '$', '`', '\'', '"'];

const NO_WORDS: &str = "the command is neither a string nor an array of words";
const CUT_SHORT: &str = "the command has a NUL, where some programs end it and others go on";

/// The command of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command<'a> {
    /// The call has none.
    Missing,
    /// The line; of a list of words every line that it may be, one below the other.
    Line(Cow<'a, str>),
    /// It is unclear what the command runs, and why.
    Unclear(&'static str),
}

impl<'a> Command<'a> {
    /// Returns the command line; empty if it cannot be read.
    #[cfg(any(feature = "rule", test))]
    pub(crate) fn into_line(self) -> Cow<'a, str> {
        match self {
            Self::Line(line) => line,
            Self::Missing | Self::Unclear(_) => Cow::Borrowed(""),
        }
    }

    /// Returns the command without a borrow of its event.
    #[cfg(feature = "rule")]
    pub(crate) fn into_owned(self) -> Command<'static> {
        match self {
            Self::Missing => Command::Missing,
            Self::Line(line) => Command::Line(Cow::Owned(line.into_owned())),
            Self::Unclear(why) => Command::Unclear(why),
        }
    }
}

impl<'a> Command<'a> {
    /// Reads the command in the call's input.
    pub(crate) fn from_call(call: ToolCall<'a>) -> Self {
        let fields = match call.input {
            Value::Object(fields) => fields,
            Value::Null => return Command::Missing,
            _ => return Command::Unclear(NO_WORDS),
        };
        let mut given = KEYS.iter().filter_map(|key| fields.get(*key));
        match given.find(|field| !field.is_null()).or_else(|| fields.get("command")) {
            None => Command::Missing,
            Some(Value::String(line)) => Self::from_line(Cow::Borrowed(line)),
            Some(Value::Array(words)) => {
                let words: Option<Vec<_>> = words.iter().map(argument_text).collect();
                words.map_or(Self::Unclear(NO_WORDS), |words| {
                    Self::from_line(possible_command_lines(&words).into())
                })
            }
            Some(_) => Command::Unclear(NO_WORDS),
        }
    }

    fn from_line(line: Cow<'a, str>) -> Self {
        if line.contains('\0') { Self::Unclear(CUT_SHORT) } else { Self::Line(line) }
    }
}

/// Returns an argument as text, as a program would get it.
fn argument_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(_) | Value::Bool(_) => Some(Cow::Owned(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns every line that a list of words may be: the program with its arguments; the text after a
/// `-c`, whatever the program; and if the program is a line and not a name, all words joined as a
/// shell would get them.
fn possible_command_lines(words: &[Cow<'_, str>]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
    let mut lines = vec![quoted.join(" ")];
    if words.first().is_some_and(|word| word.contains(NOT_IN_NAMES)) {
        lines.push(words.join(" "));
    }
    let behind =
        words.iter().zip(words.iter().skip(1)).filter(|(option, _)| is_dash_c_option(option));
    lines.extend(behind.map(|(_, code)| code.clone().into_owned()));
    lines.join("\n")
}

/// Returns `true` for `-c`, also among other options: `-lc`.
fn is_dash_c_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    letters.contains('c') && letters.chars().all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn command(input: &Value) -> Command<'_> {
        Command::from_call(ToolCall { name: "Bash", input })
    }

    fn line(input: &Value) -> String {
        command(input).into_line().into_owned()
    }

    /// E-9.
    #[test]
    fn a_list_of_words_is_every_line_that_it_may_be() {
        for (words, lines) in [
            (json!(["git", "push"]), "git push"),
            (json!(["git", "commit", "-m", "a b"]), "git commit -m 'a b'"),
            (json!(["kill", -9, 1]), "kill -9 1"),
            (json!(["bash", "-lc", "git push"]), "bash -lc 'git push'\ngit push"),
            (json!(["mysh", "-c", "git push; ls"]), "mysh -c 'git push; ls'\ngit push; ls"),
            (json!(["git push", "-f"]), "'git push' -f\ngit push -f"),
            (json!(["echo", "a; rm -rf /"]), "echo 'a; rm -rf /'"),
            (json!([]), ""),
        ] {
            assert_eq!(line(&json!({ "command": words })), lines, "{words}");
            assert_eq!(line(&json!({ "cmd": words })), lines, "{words}");
        }
    }

    /// E-9, E-31.
    #[test]
    fn what_is_neither_a_text_nor_words_is_unclear() {
        for value in [json!(7), json!(true), Value::Null, json!({"a": 1}), json!(["a", ["b"]])] {
            assert_eq!(
                command(&json!({ "command": value })),
                Command::Unclear(NO_WORDS),
                "{value}"
            );
        }
        assert_eq!(command(&json!("git push")), Command::Unclear(NO_WORDS));
        assert_eq!(command(&json!(["git", "push"])), Command::Unclear(NO_WORDS));
        for value in [json!("r\0m -rf ~"), json!("rm -rf ~\0/x"), json!(["rm", "-rf", "~\0/x"])] {
            assert_eq!(
                command(&json!({ "command": value })),
                Command::Unclear(CUT_SHORT),
                "{value}"
            );
        }
        assert_eq!(command(&json!({})), Command::Missing);
        assert_eq!(command(&Value::Null), Command::Missing);
        assert_eq!(line(&json!({"command": null, "cmd": "ls"})), "ls");
        assert_eq!(line(&json!({"command": "ls", "cmd": "git push"})), "ls");
    }
}
