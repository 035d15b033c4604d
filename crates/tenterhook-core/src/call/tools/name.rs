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
    pub(in crate::call) fn new(call: ToolCall<'_>) -> Self {
        let name = split(call.name.rsplit("__").next().unwrap_or(call.name));
        let (action, has_text) = action(call.input);
        let reads =
            |name: &str| names_action(Does::Read, name) && !names_action(Does::Change, name);
        let own = format!("{name}{action}");
        let only_reads = reads(&own) || !has_text && reads(&action);
        Self { whole: format!("{}{action}", split(call.name)), own, only_reads }
    }

    /// Whether it changes nothing, as far as the name tells.
    pub(in crate::call) const fn only_reads(&self) -> bool {
        self.only_reads
    }

    /// Whether a word of the name, or of its server's, is that of a program.
    pub(in crate::call) fn is_of(&self, program: &str) -> bool {
        self.whole.contains(&format!("_{program}_"))
    }

    /// Whether a word of the name tells that the tool does this.
    pub(in crate::call) fn does(&self, does: Does) -> bool {
        let name = match does {
            Does::Shell | Does::Type | Does::Talk => &self.whole,
            _ => &self.own,
        };
        names_action(does, name)
    }
}

/// The action that a field of an input names, split as a name, and whether a field holds a text for a file.
fn action(input: &Value) -> (String, bool) {
    let (mut action, mut has_text) = (String::new(), false);
    for (key, value) in input.as_object().into_iter().flatten() {
        let key = plain(key);
        has_text |= TEXTS.contains(&key.as_str());
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let value = value.as_str().filter(|_| ACTIONS.contains(&key.as_str())).unwrap_or_default();
        if !value.is_empty() && value.len() <= LONGEST_ACTION && value.chars().all(is_name) {
            action.push_str(&split(value));
        }
    }
    (action, has_text)
}

/// Whether a name, split into its words, tells that the tool does this.
fn names_action(does: Does, name: &str) -> bool {
    let rows = VERBS.iter().filter(|(row, _)| *row == does);
    rows.flat_map(|(_, verbs)| *verbs).any(|verb| is_in(verb, name))
}

/// Whether a verb is a word of a name: all of a word where it ends in `_` or has fewer than 4 letters, any part where it has at
/// least 6, else the beginning of a word.
fn is_in(verb: &str, name: &str) -> bool {
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

/// A name as its words in small letters, each between underscores: `readFile`, `read-file`, `read_file`.
fn split(name: &str) -> String {
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

/// A field's name without its capitals, dashes and underscores.
pub(in crate::call) fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a field's name is one of these.
pub(in crate::call) fn is_one_of(key: &str, names: &[&str]) -> bool {
    names.contains(&plain(key).as_str())
}

/// Whether a field names files: by its name, by `path` as a word of it, or by its last word.
pub(in crate::call) fn is_path_key(key: &str) -> bool {
    use super::table::{PATH_ENDS, PATHS};
    let split = split(key);
    let last = split.trim_end_matches('_').rsplit('_').next().unwrap_or_default();
    is_one_of(key, PATHS) || split.contains("_path_") || PATH_ENDS.contains(&last)
}

/// The text of a field, where an object has one of these names; the first of the names that is there.
pub(in crate::call) fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    let fields = value.as_object()?;
    let named =
        |name: &&str| fields.iter().find(|(key, value)| !value.is_null() && plain(key) == **name);
    names.iter().find_map(named).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(name: &str, does: Does) -> bool {
        ToolName::new(ToolCall { name, input: &Value::Null }).does(does)
    }

    #[test]
    fn names_are_split_into_words() {
        for (name, words) in [
            ("readFile", "_read_file_"),
            ("read-file", "_read_file_"),
            ("LSP", "_lsp_"),
            ("TodoWrite", "_todo_write_"),
        ] {
            assert_eq!(split(name), words);
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
