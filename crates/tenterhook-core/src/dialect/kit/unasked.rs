//! Finds commands in a project's files that an agent runs without a tool call. A dialect brings a
//! table of files and keys. Pure: opens no file, and decides nothing about the commands.

use crate::syntax::{self, Entry, Format, Node};

/// One kind of file.
#[derive(Debug)]
pub(crate) struct UnaskedFile {
    /// Its path in the project: `*` is any name, and `**` any folders.
    pub(crate) path: &'static str,
    /// Where commands stand in it.
    pub(crate) commands: Commands,
}

/// Where commands stand in a file.
#[derive(Debug)]
pub(crate) enum Commands {
    /// In these places of a JSON file.
    Keys(&'static [Key]),
    /// In text between backticks behind `!`, and in fenced blocks with that mark.
    Lines(&'static str),
    /// The whole file is code that the agent loads.
    Module(&'static str),
}

/// A path of keys to a command (`*` is any key), and when the agent runs it.
pub(crate) type Key = (&'static [&'static str], &'static str);

/// A command: its line in the file, when the agent runs it, and the command.
pub(crate) type Unasked = (usize, String, String);

/// Reads the commands that the agent runs from one file without a tool call.
pub(crate) fn read_automatic_commands(file: &UnaskedFile, text: &str) -> Vec<Unasked> {
    match file.commands {
        Commands::Lines(when) => commands_in_markdown(text, when),
        Commands::Module(when) => {
            vec![(1, when.to_owned(), format!("{} lines of code", text.lines().count()))]
        }
        Commands::Keys(keys) => {
            let Some(root) = syntax::parse_by_format(text, Format::Json).root else {
                return Vec::new();
            };
            let mut found = Vec::new();
            for (path, when) in keys {
                visit_entries_at_key_path(&root, path, "", &mut |entry, names| {
                    let command = command_of_node(&entry.node);
                    let line = text.get(..entry.key_span.start).unwrap_or_default();
                    let line = 1 + line.matches('\n').count();
                    found.extend(
                        command.map(|command| (line, format!("`{names}`: {when}"), command)),
                    );
                });
            }
            found.sort();
            found
        }
    }
}

/// Calls `each` for every entry at the end of the path, also below a key that is written twice.
fn visit_entries_at_key_path(
    node: &Node,
    path: &[&str],
    names: &str,
    each: &mut dyn FnMut(&Entry, &str),
) {
    let Some((key, rest)) = path.split_first() else { return };
    for entry in node.entries().iter().filter(|entry| *key == "*" || entry.key == *key) {
        let dot = if names.is_empty() { "" } else { "." };
        let names = format!("{names}{dot}{}", entry.key);
        match rest.is_empty() {
            true => each(entry, &names),
            false => visit_entries_at_key_path(&entry.node, rest, &names, each),
        }
    }
}

/// Returns the command that a node holds: a text, a list of words, or the `command` and `args` of an
/// object.
fn command_of_node(node: &Node) -> Option<String> {
    if let Some(text) = node.as_str() {
        return Some(text.to_owned());
    }
    if let Some(words) = node.as_array() {
        let words: Vec<&str> = words.iter().filter_map(Node::as_str).collect();
        return (!words.is_empty()).then(|| words.join(" "));
    }
    let program = node.get("command")?.as_str()?;
    let words = node.get("args").and_then(Node::as_array).unwrap_or_default();
    let words = words.iter().filter_map(Node::as_str);
    Some(std::iter::once(program).chain(words).collect::<Vec<_>>().join(" "))
}

/// Returns the commands in a Markdown text: each line of a code block marked with `!`, and each
/// inline code span after `!`.
fn commands_in_markdown(text: &str, when: &str) -> Vec<Unasked> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in (1..).zip(text.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        if let Some(mark) = fence {
            in_block = !in_block && mark.starts_with('!');
            continue;
        }
        if in_block {
            found.push((number, when.to_owned(), line.trim().to_owned()));
            continue;
        }
        let commands = line.split("!`").skip(1).filter_map(|rest| rest.split_once('`'));
        found.extend(commands.map(|(command, _)| (number, when.to_owned(), command.to_owned())));
    }
    found.retain(|(_, _, command)| !command.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[Key] = &[
        (&["helper"], "at start"),
        (&["line", "command"], "always"),
        (&["servers", "*"], "at start"),
    ];

    /// T-65.
    #[test]
    fn commands_are_found_with_their_lines() {
        let file = UnaskedFile { path: "", commands: Commands::Keys(KEYS) };
        let text = "{\n \"line\": {\n  \"command\": \"a b\"},\n \"helper\": \"h\",\n \"other\": \"o\",\n \"servers\": {\n  \"x\": {\"command\": \"sh\", \"args\": [\"-c\", \"y\"]},\n  \"u\": {\"url\": \"http://a\"}}}";
        let found = read_automatic_commands(&file, text);
        let found: Vec<_> =
            found.iter().map(|(line, when, command)| (*line, &**when, &**command)).collect();
        let wanted = [
            (3, "`line.command`: always", "a b"),
            (4, "`helper`: at start", "h"),
            (7, "`servers.x`: at start", "sh -c y"),
        ];
        assert_eq!(found, wanted);
        assert!(
            read_automatic_commands(&file, "{").is_empty()
                && read_automatic_commands(&file, "").is_empty()
        );
    }

    /// T-65.
    #[test]
    fn lines_of_skills_are_found_in_text_and_in_blocks() {
        let file = UnaskedFile { path: "", commands: Commands::Lines("run") };
        let text = "---\nname: x\n---\nSee !`git status` and !`ls`.\n```!\ncurl x | sh\n```\n```sh\nnot run\n```\nWow! `no` and !`` and !`open\n";
        let found: Vec<_> = read_automatic_commands(&file, text)
            .into_iter()
            .map(|(line, _, command)| (line, command))
            .collect();
        let wanted = [(4, "git status"), (4, "ls"), (6, "curl x | sh")];
        assert_eq!(found, wanted.map(|(line, command)| (line, command.to_owned())));
    }
}
