//! What does a tool do, by its name and by the field that says which of its actions is meant? Reads names; looks at no file.

use serde_json::Value;

use super::table::{ACTIONS, TEXTS};
use super::verbs::VERBS;
use crate::event::tool::ToolCall;

/// What words of a name tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::call) enum Does {
    /// It shows something.
    Read,
    /// It changes a file.
    Change,
    /// It removes whole directories.
    Remove,
    /// It deals with whole directories: moves, removes, links or fills them.
    Whole,
    /// It reads one file and writes another.
    Copy,
    /// It runs lines of a shell.
    Shell,
    /// It types into a program that runs.
    Type,
    /// It hands texts to people or to a service.
    Talk,
}

/// Longest value of a field that can be the name of an action.
const LONGEST_ACTION: usize = 64;

/// The words of a tool's name and of its action, in small letters between underscores.
#[derive(Clone, Debug)]
pub(in crate::call) struct ToolName {
    /// The name without its server, and the action.
    own: String,
    /// The same with the server's name.
    whole: String,
    /// Whether the tool only reads: by its name, or by the action where no text is handed over.
    only_reads: bool,
}

impl ToolName {
    /// Splits the name of a tool, and the action that its input names, into words.
    pub(in crate::call) fn from_call(call: ToolCall<'_>) -> Self {
        let name = split_words(call.name.rsplit("__").next().unwrap_or(call.name));
        let (action, has_text) = action_and_whether_text(call.input);
        let reads = |name: &str| {
            name_says_effect(Does::Read, name) && !name_says_effect(Does::Change, name)
        };
        let own = format!("{name}{action}");
        let only_reads = reads(&own) || !has_text && reads(&action);
        Self { whole: format!("{}{action}", split_words(call.name)), own, only_reads }
    }

    /// Returns `true` if the name says that the tool changes nothing.
    pub(in crate::call) const fn only_reads(&self) -> bool {
        self.only_reads
    }

    /// Returns `true` if a word of the tool's name, or of its server's name, is the name of
    /// `program`.
    pub(in crate::call) fn names_program(&self, program: &str) -> bool {
        self.whole.contains(&format!("_{program}_"))
    }

    /// Returns `true` if a word of the name says that the tool has this effect.
    pub(in crate::call) fn says_tool_has_effect(&self, does: Does) -> bool {
        let name = match does {
            Does::Shell | Does::Type | Does::Talk => &self.whole,
            _ => &self.own,
        };
        name_says_effect(does, name)
    }
}

/// Returns the action that a field of the input names, split like a name, and whether a field holds
/// text for a file.
fn action_and_whether_text(input: &Value) -> (String, bool) {
    let (mut action, mut has_text) = (String::new(), false);
    for (key, value) in input.as_object().into_iter().flatten() {
        let key = normalize_key(key);
        has_text |= TEXTS.contains(&key.as_str());
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let value = value.as_str().filter(|_| ACTIONS.contains(&key.as_str())).unwrap_or_default();
        if !value.is_empty() && value.len() <= LONGEST_ACTION && value.chars().all(is_name) {
            action.push_str(&split_words(value));
        }
    }
    (action, has_text)
}

/// Returns `true` if a name, split into its words, says that the tool has this effect.
fn name_says_effect(does: Does, name: &str) -> bool {
    let rows = VERBS.iter().filter(|(row, _)| *row == does);
    rows.flat_map(|(_, verbs)| *verbs).any(|verb| contains_verb(verb, name))
}

/// Returns `true` if `name` contains the verb: as a whole word if the verb ends in `_` or has fewer
/// than 4 letters, anywhere if it has at least 6, else at the beginning of a word.
fn contains_verb(verb: &str, name: &str) -> bool {
    let begins = |verb: &str| {
        name.match_indices(verb)
            .any(|(at, _)| name.get(..at).is_some_and(|before| before.ends_with('_')))
    };
    match verb.len() {
        _ if verb.ends_with('_') => begins(verb),
        0..4 => begins(&format!("{verb}_")),
        4..6 => begins(verb),
        _ => name.contains(verb),
    }
}

/// Splits a name into lower-case words, each between underscores: `readFile`, `read-file` and
/// `read_file` are the same.
fn split_words(name: &str) -> String {
    let mut split = String::from("_");
    let mut is_after_small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && is_after_small {
            split.push('_');
        }
        is_after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        split.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    split.push('_');
    split
}

/// Returns the name of a field in lower case without dashes and underscores.
pub(in crate::call) fn normalize_key(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns `true` if the name of a field is one of `names`.
pub(in crate::call) fn key_is_one_of(key: &str, names: &[&str]) -> bool {
    names.contains(&normalize_key(key).as_str())
}

/// Returns `true` if a field names files: by its name, by `path` as a word of it, or by its last
/// word.
pub(in crate::call) fn is_path_key(key: &str) -> bool {
    use super::table::{PATH_ENDS, PATHS};
    let split = split_words(key);
    let last = split.trim_end_matches('_').rsplit('_').next().unwrap_or_default();
    key_is_one_of(key, PATHS) || split.contains("_path_") || PATH_ENDS.contains(&last)
}

/// Returns the value of the first of `names` that an object has.
pub(in crate::call) fn first_named_field<'a>(
    value: &'a Value,
    names: &[&str],
) -> Option<&'a Value> {
    let fields = value.as_object()?;
    let named = |name: &&str| {
        fields.iter().find(|(key, value)| !value.is_null() && normalize_key(key) == **name)
    };
    names.iter().find_map(named).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(name: &str, does: Does) -> bool {
        ToolName::from_call(ToolCall { name, input: &Value::Null }).says_tool_has_effect(does)
    }

    #[test]
    fn names_are_split_into_words() {
        for (name, words) in [
            ("readFile", "_read_file_"),
            ("read-file", "_read_file_"),
            ("LSP", "_lsp_"),
            ("TodoWrite", "_todo_write_"),
        ] {
            assert_eq!(split_words(name), words);
        }
    }

    #[test]
    fn verbs_are_words_of_a_name() {
        for name in
            ["mcp__fs__read_file", "readFile", "mcp__x__readfile", "LS", "mcp__git__git_add", "get"]
        {
            assert!(does(name, Does::Read), "{name}");
        }
        for name in ["mcp__x__spread", "widget", "mcp__x__target_write", "mcp__read__x", "static"] {
            assert!(!does(name, Does::Read), "{name}");
        }
        assert!(
            does("mcp__x__findandreplace", Does::Change)
                && does("mcp__fs__writeFiles", Does::Change)
        );
        assert!(does("mcp__slack__post", Does::Talk) && does("mcp__sh__run", Does::Shell));
    }

    #[test]
    fn fields_that_name_files_are_known_by_their_words() {
        for key in
            ["path", "file_path", "pathInProject", "relative_path", "outputFile", "dest_dir", "dst"]
        {
            assert!(is_path_key(key), "{key}");
        }
        for key in ["fileKey", "profile", "content", "name", "direction"] {
            assert!(!is_path_key(key), "{key}");
        }
    }
}
