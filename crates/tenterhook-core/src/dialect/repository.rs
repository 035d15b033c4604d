//! Finds the commands that an agent runs of a project's file, at the keys that a table of the agent
//! names. Pure: opens no file, and decides nothing about the commands.

use crate::agents::{Commands, Condition, RepositoryFile};
use crate::diagnostic::Span;
use crate::syntax::{self, Entry, Format, Node};

/// A command that an agent runs of a project's file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepositoryCommand {
    /// Its line in the file, from 1.
    pub line: usize,
    /// When the agent runs it.
    pub when: String,
    /// The command, or a description of the code.
    pub text: String,
    /// Whether it is a hook.
    pub is_hook: bool,
}

/// The keys by which an entry of hooks names what it runs or asks, on any system and in any case.
const HANDLER_KEYS: &[&str] = &[
    "command",
    "commandWindows",
    "command_windows",
    "exec",
    "argv",
    "run",
    "bash",
    "powershell",
    "windows",
    "linux",
    "osx",
    "url",
];

/// Reads the commands that an agent runs of a file with this text.
#[must_use]
pub fn read_repository_commands(file: &RepositoryFile, text: &str) -> Vec<RepositoryCommand> {
    match file.commands {
        Commands::Lines(when, quotes) => commands_in_markdown(text, when, quotes),
        Commands::Code(when) => vec![describe_code(text, when)],
        Commands::Keys(keys) => {
            let root = match parse(file.path, text) {
                Ok(root) => root,
                Err(unreadable) => return unreadable,
            };
            let mut found = Vec::new();
            for key in keys {
                let start = KeyPosition::default();
                visit_nodes_at_key_path(&root, key.path, start, &mut |node, place| {
                    let is_met = |command: &String| is_met(key.condition, command, &place.selected);
                    let command = command_of_node(node).filter(is_met);
                    found.extend(command.map(|command| RepositoryCommand {
                        line: line_of(text, place.span.unwrap_or(node.span)),
                        when: format!("`{}`: {}", place.names, key.when),
                        text: command,
                        is_hook: false,
                    }));
                });
            }
            found.sort();
            found
        }
        Commands::Hooks(path) => {
            let root = match parse(file.path, text) {
                Ok(root) => root,
                Err(unreadable) => return unreadable,
            };
            let mut found = Vec::new();
            visit_nodes_at_key_path(&root, path, KeyPosition::default(), &mut |node, _| {
                collect_handlers(node, None, text, &mut found);
            });
            found.sort();
            found
        }
    }
}

/// Parses a file by the ending of its path. A file that cannot be parsed is returned as a command,
/// because an agent may read more of it.
fn parse(path: &str, text: &str) -> Result<Node, Vec<RepositoryCommand>> {
    let ending = path.rsplit('.').next().unwrap_or_default();
    let format = match ending {
        "toml" => Format::Toml,
        "md" => Format::FrontMatter,
        _ => Format::Json,
    };
    let parsed = syntax::parse_by_format(text, format);
    // A text without front matter, or an empty file, configures nothing.
    let is_broken =
        parsed.fatal_fault().is_some_and(|fault| fault.kind != syntax::FaultKind::Empty);
    parsed.root.ok_or_else(|| {
        let broken =
            describe_code(text, "the file is not well formed: what runs of it is not known");
        is_broken.then_some(broken).into_iter().collect()
    })
}

fn describe_code(text: &str, when: &str) -> RepositoryCommand {
    let lines = text.lines().count();
    RepositoryCommand {
        line: 1,
        when: when.to_owned(),
        text: format!("{lines} {} of code", if lines == 1 { "line" } else { "lines" }),
        is_hook: false,
    }
}

fn line_of(text: &str, span: Span) -> usize {
    1 + text.get(..span.start).unwrap_or_default().matches('\n').count()
}

/// Returns `true` if a command meets the condition. `selected` are the entries that `*` selected on
/// the way to it.
fn is_met(condition: Condition, command: &str, selected: &[&Node]) -> bool {
    match condition {
        Condition::Always => true,
        // With a key that is written twice, parsers differ: each value must be the one that switches off.
        Condition::Unless(flag, value) => !selected.iter().any(|entry| {
            let mut values = entry.entries().iter().filter(|entry| entry.key == flag).peekable();
            values.peek().is_some() && values.all(|entry| entry.node.as_bool() == Some(value))
        }),
        Condition::If(keys, wanted) => selected.iter().any(|entry| {
            let mut is_wanted = false;
            visit_nodes_at_key_path(entry, keys, KeyPosition::default(), &mut |node, _| {
                is_wanted |= node.as_str() == Some(wanted);
            });
            is_wanted
        }),
        Condition::NoPrefix(prefixes) => !prefixes.iter().any(|prefix| command.starts_with(prefix)),
        Condition::Prefix(prefix) => command.starts_with(prefix),
        Condition::Containing(parts) => parts.iter().any(|part| command.contains(part)),
        Condition::NoneOf(texts) => !texts.contains(&command),
    }
}

/// Where a node is: the keys that lead to it, the span of the last one, and the nodes that `*`
/// selected on the way.
#[derive(Clone, Default)]
struct KeyPosition<'a> {
    names: String,
    span: Option<Span>,
    selected: Vec<&'a Node>,
}

impl<'a> KeyPosition<'a> {
    /// Returns the place of an entry below this one, which this key selected.
    fn with_entry(&self, entry: &'a Entry, key: &str) -> Self {
        let dot = if self.names.is_empty() { "" } else { "." };
        let names = format!("{}{dot}{}", self.names, entry.key);
        let mut selected = self.selected.clone();
        selected.extend((key == "*").then_some(&entry.node));
        Self { names, span: Some(entry.key_span), selected }
    }

    /// Returns the place of an element of the list here.
    fn with_element(&self, element: &'a Node) -> Self {
        let mut selected = self.selected.clone();
        selected.push(element);
        Self { span: Some(element.span), selected, ..self.clone() }
    }
}

/// Calls `each` for every node at the end of the path, also below a key that is written twice. `*`
/// passes the elements of a list as well.
fn visit_nodes_at_key_path<'a>(
    node: &'a Node,
    path: &[&str],
    place: KeyPosition<'a>,
    each: &mut dyn FnMut(&'a Node, KeyPosition<'a>),
) {
    let Some((key, rest)) = path.split_first() else { return each(node, place) };
    for entry in node.entries().iter().filter(|entry| *key == "*" || entry.key == *key) {
        visit_nodes_at_key_path(&entry.node, rest, place.with_entry(entry, key), each);
    }
    for element in node.as_array().unwrap_or_default().iter().filter(|_| *key == "*") {
        visit_nodes_at_key_path(element, rest, place.with_element(element), each);
    }
}

/// Collects the handlers at or below a node: whatever names a command or an address. `event` is the
/// key that last led here.
fn collect_handlers(
    node: &Node,
    event: Option<&str>,
    text: &str,
    found: &mut Vec<RepositoryCommand>,
) {
    for element in node.as_array().unwrap_or_default() {
        collect_handlers(element, event, text, found);
    }
    let mut handlers = node.entries().iter().filter(|entry| is_handler(entry)).peekable();
    let has_handler = handlers.peek().is_some();
    let named = || ["event", "type"].iter().find_map(|key| node.get(key)?.as_str());
    found.extend(handlers.filter_map(|entry| {
        let takes_args = ["command", "exec"].iter().any(|key| entry.key.eq_ignore_ascii_case(key));
        let with_args = takes_args.then(|| command_with_args(&entry.node, node)).flatten();
        Some(RepositoryCommand {
            line: line_of(text, entry.key_span),
            when: match event.or_else(named) {
                Some(event) => format!("as a hook of `{event}`"),
                None => "as a hook".to_owned(),
            },
            text: with_args.or_else(|| command_of_node(&entry.node))?,
            is_hook: true,
        })
    }));
    let trigger = node.get("trigger").and_then(Node::as_str);
    for entry in node.entries().iter().filter(|entry| !is_handler(entry)) {
        // The keys inside a group or a handler are no names of events.
        let is_event = !has_handler && entry.key != "hooks";
        let event = trigger.or(if is_event { Some(entry.key.as_str()) } else { event });
        collect_handlers(&entry.node, event, text, found);
    }
}

fn is_handler(entry: &Entry) -> bool {
    let is_list = || {
        entry.node.as_array().is_some_and(|words| words.iter().all(|word| word.as_str().is_some()))
    };
    HANDLER_KEYS.iter().any(|key| entry.key.eq_ignore_ascii_case(key))
        && (entry.node.as_str().is_some() || is_list())
}

/// Returns the command that a node holds: a text, a list of words, the `command` and `args` of an
/// object, or `true`, which switches on what its key names.
fn command_of_node(node: &Node) -> Option<String> {
    if node.as_bool() == Some(true) {
        return Some("true".to_owned());
    }
    if let Some(text) = node.as_str() {
        return Some(text.to_owned());
    }
    if let Some(words) = node.as_array() {
        let words: Vec<&str> = words.iter().filter_map(Node::as_str).collect();
        return (!words.is_empty()).then(|| words.join(" "));
    }
    command_with_args(node.get("command")?, node)
}

/// Returns a program with the `args` of the object that names it.
fn command_with_args(program: &Node, node: &Node) -> Option<String> {
    let program = command_of_node(program)?;
    let words = node.get("args").and_then(Node::as_array).unwrap_or_default();
    let words = words.iter().filter_map(Node::as_str);
    Some(std::iter::once(program.as_str()).chain(words).collect::<Vec<_>>().join(" "))
}

/// Returns the commands in a Markdown text: each line of a code block marked with `!`, and each
/// inline text between the quotes after `!`.
fn commands_in_markdown(
    text: &str,
    when: &str,
    [open, close]: [char; 2],
) -> Vec<RepositoryCommand> {
    let open = format!("!{open}");
    let command = |line, text: &str| RepositoryCommand {
        line,
        when: when.to_owned(),
        text: text.to_owned(),
        is_hook: false,
    };
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in (1..).zip(text.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        if let Some(mark) = fence {
            in_block = !in_block && mark.starts_with('!');
            continue;
        }
        if in_block {
            found.push(command(number, line.trim()));
            continue;
        }
        let commands = line.split(&open).skip(1).filter_map(|rest| rest.split_once(close));
        found.extend(commands.map(|(text, _)| command(number, text)));
    }
    found.retain(|command| !command.text.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{CommandKey, Consent};

    const fn key(path: &'static [&'static str], when: &'static str) -> CommandKey {
        CommandKey { path, when, condition: Condition::Always }
    }

    const KEYS: &[CommandKey] = &[
        key(&["helper"], "at start"),
        key(&["line", "command"], "always"),
        key(&["servers", "*"], "at start"),
    ];

    fn read(path: &'static str, commands: Commands, text: &str) -> Vec<(usize, String, String)> {
        let file = RepositoryFile { path, commands, consent: Consent::Unasked };
        let found = read_repository_commands(&file, text).into_iter();
        found.map(|command| (command.line, command.when, command.text)).collect()
    }

    /// T-65.
    #[test]
    fn commands_are_found_with_their_lines() {
        let text = "{\n \"line\": {\n  \"command\": \"a b\"},\n \"helper\": \"h\",\n \"other\": \"o\",\n \"servers\": {\n  \"x\": {\"command\": \"sh\", \"args\": [\"-c\", \"y\"]},\n  \"u\": {\"url\": \"http://a\"}}}";
        let wanted = [
            (3, "`line.command`: always", "a b"),
            (4, "`helper`: at start", "h"),
            (7, "`servers.x`: at start", "sh -c y"),
        ];
        let wanted = wanted.map(|(line, when, text)| (line, when.to_owned(), text.to_owned()));
        assert_eq!(read("x.json", Commands::Keys(KEYS), text), wanted);
        assert!(read("x.json", Commands::Keys(KEYS), "").is_empty());
        let toml = "[[servers]]\nname = 'a'\ncommand = 'b'\n";
        let [(1, _, command)] = &read("x.toml", Commands::Keys(KEYS), toml)[..] else { panic!() };
        assert_eq!(command, "b");
    }

    /// T-194.
    #[test]
    fn command_whose_condition_is_not_met_is_left_out() {
        let read = |path, condition, text| {
            let keys: &[CommandKey] = &[CommandKey { path, when: "w", condition }];
            let keys: &'static [CommandKey] = Box::leak(keys.into());
            let found = read("x.json", Commands::Keys(keys), text);
            found.into_iter().map(|(_, _, command)| command).collect::<Vec<_>>()
        };
        let off = Condition::Unless("enabled", false);
        let servers = r#"{"enabled": false, "s": {"a": {"command": "a", "enabled": false},
            "b": {"command": "b", "enabled": true}, "c": {"command": "c", "enabled": "false"},
            "d": {"command": "d", "enabled": false, "enabled": true}, "e": {"command": "e"}}}"#;
        assert_eq!(read(&["s", "*"], off, servers), ["b", "c", "d", "e"]);
        assert_eq!(read(&["s", "*", "command"], off, servers), ["b", "c", "d", "e"]);
        let tasks = r#"{"tasks": [{"command": "a", "run": {"on": "open"}}, {"command": "b"}]}"#;
        assert_eq!(read(&["tasks", "*"], Condition::If(&["run", "on"], "open"), tasks), ["a"]);
        let list = r#"{"l": ["!a", "-b", "c", ["d", {"command": "no"}], {"source": "e"}]}"#;
        assert_eq!(read(&["l", "*"], Condition::NoPrefix(&["!", "-"]), list), ["c", "d"]);
        assert_eq!(read(&["l", "*"], Condition::Prefix("!"), list), ["!a"]);
        assert_eq!(read(&["l", "*"], Condition::Containing(&["a", "b"]), list), ["!a", "-b"]);
        assert_eq!(read(&["l", "*"], Condition::NoneOf(&["!a", "c"]), list), ["-b", "d"]);
        assert_eq!(read(&["l", "*", "source"], Condition::Always, list), ["e"]);
    }

    /// T-190.
    #[test]
    fn hooks_are_found_in_each_form_of_file() {
        let hooks = Commands::Hooks(&["hooks"]);
        let of = |event: &str| format!("as a hook of `{event}`");
        for (path, commands, text, line, when, command) in [
            // Groups of handlers, a list of handlers, and a map at the root.
            (
                "x.json",
                hooks,
                "{\"hooks\": {\"Stop\": [{\"matcher\": \"*\",\n\"hooks\": [{\"command\": \"a\"}]}]}}",
                2,
                of("Stop"),
                "a",
            ),
            ("x.json", hooks, "{\"hooks\": {\"stop\": [{\"bash\": \"a\"}]}}", 1, of("stop"), "a"),
            // Keys of one system, in another case, and a program without a shell.
            ("x.json", hooks, "{\"hooks\": {\"Stop\": [{\"osx\": \"a\"}]}}", 1, of("Stop"), "a"),
            (
                "x.json",
                hooks,
                "{\"hooks\": {\"Stop\": [{\"Command\": \"a\"}]}}",
                1,
                of("Stop"),
                "a",
            ),
            (
                "x.json",
                hooks,
                "{\"hooks\": {\"stop\": [{\"exec\": \"a\", \"args\": [\"b\"]}]}}",
                1,
                of("stop"),
                "a b",
            ),
            (
                "x.json",
                hooks,
                "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"http\", \"url\": \"https://a\"}]}]}}",
                1,
                of("Stop"),
                "https://a",
            ),
            (
                "x.json",
                Commands::Hooks(&[]),
                "{\"Stop\": [{\"hooks\": [{\"command\": \"a\", \"args\": [\"b\"]}]}]}",
                1,
                of("Stop"),
                "a b",
            ),
            (
                "x.json",
                Commands::Hooks(&[]),
                "{\"n\": {\"Stop\": [{\"command\": \"a\"}]}}",
                1,
                of("Stop"),
                "a",
            ),
            (
                "x.json",
                hooks,
                r#"{"hooks": [{"trigger": "Stop", "action": {"command": "a"}}]}"#,
                1,
                of("Stop"),
                "a",
            ),
            (
                "x.toml",
                hooks,
                "[[hooks]]\ntype = \"pre_tool\"\ncommand = \"a\"\n",
                3,
                of("pre_tool"),
                "a",
            ),
            (
                "x.md",
                hooks,
                "---\nname: n\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: a\n---\n",
                7,
                of("Stop"),
                "a",
            ),
        ] {
            assert_eq!(read(path, commands, text), [(line, when, command.to_owned())], "{text}");
        }
        assert!(read("x.json", hooks, "{\"hooks\": {}, \"env\": {\"command\": \"a\"}}").is_empty());
        assert!(read("x.md", hooks, "# No front matter\n").is_empty());
    }

    /// T-190: an agent may read what this reader refuses.
    #[test]
    fn file_that_is_not_well_formed_is_listed() {
        for (path, text) in [("x.json", "{\"hooks\": "), ("x.toml", "[[hooks")] {
            let [(1, when, _)] = &read(path, Commands::Hooks(&["hooks"]), text)[..] else {
                panic!("{path}")
            };
            assert!(when.contains("not well formed"), "{when}");
        }
    }

    /// T-65.
    #[test]
    fn lines_of_skills_are_found_in_text_and_in_blocks() {
        let text = "---\nname: x\n---\nSee !`git status` and !`ls`.\n```!\ncurl x | sh\n```\n```sh\nnot run\n```\nWow! `no` and !`` and !`open\n";
        let found = read("x.md", Commands::Lines("run", ['`', '`']), text);
        let braces =
            read("x.toml", Commands::Lines("run", ['{', '}']), "prompt = \"a !{ls} !`no`\"");
        assert_eq!(braces, [(1, "run".to_owned(), "ls".to_owned())]);
        let found: Vec<_> =
            found.iter().map(|(line, _, command)| (*line, command.as_str())).collect();
        assert_eq!(found, [(4, "git status"), (4, "ls"), (6, "curl x | sh")]);
    }
}
