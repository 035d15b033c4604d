//! Which commands a person can type. Reads them; obeys none.

/// A command of the agent itself; every other text that begins with a slash is a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// What there is to type.
    Help,
    /// The hooks, and what can be done with them.
    Hooks(Hooks),
    /// Show or change the permission mode.
    Permissions(Option<String>),
    /// Take the permission rule of that number away.
    RemoveRule(usize),
    /// Make the conversation short, with instructions for what to keep.
    Compact(String),
    /// Forget the conversation.
    Clear,
    /// Show or change the model.
    Model(Option<String>),
    /// Go on with an earlier session.
    Resume(Option<String>),
    /// Go on in a copy of this session.
    Fork,
    /// Work in another directory.
    Cd(String),
    /// Let the agent work in one more directory.
    AddDir(String),
    /// Leave.
    Quit,
}

/// What `/hooks` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hooks {
    List,
    /// In the words of this agent, or of the one that is named.
    Events(String),
    /// Why the event or the call of that name ran which hooks.
    Explain(String),
    Reload,
    Enable(String),
    Disable(String),
}

/// Every command: its name, what may follow, what it does.
pub(crate) const TABLE: &[(&str, &str, &str)] = &[
    ("help", "", "what there is to type"),
    (
        "hooks",
        "[list|events|explain [EVENT|CALL]|reload|enable NAME|disable NAME]",
        "the hooks and what they did",
    ),
    ("permissions", "[MODE|remove N]", "the rules, and how much is done without asking"),
    ("compact", "[WHAT TO KEEP]", "make the conversation short"),
    ("clear", "", "forget the conversation"),
    ("model", "[NAME]", "which model answers"),
    ("resume", "[N|FILE]", "go on with an earlier session"),
    ("fork", "", "go on in a copy of this session"),
    ("cd", "DIRECTORY", "work somewhere else"),
    ("add-dir", "DIRECTORY", "let the agent change files there, too"),
    ("quit", "", "leave"),
];

/// Why a command cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("say which: `/permissions remove N`")]
    NoRuleNumber,
    #[error("say where: `/{command} DIRECTORY`")]
    NoDirectory { command: String },
    #[error("say which: `/hooks {action} NAME`")]
    NoHook { action: String },
    #[error("`/hooks {0}` is unknown: say list, events, explain, reload, enable or disable")]
    UnknownAction(String),
}

/// Parses a text as a command. Returns `None` for a prompt, and an error for a command with missing
/// arguments.
pub(crate) fn parse_command(text: &str) -> Option<Result<Command, CommandError>> {
    let rest = text.trim().strip_prefix('/')?;
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let args = args.trim();
    let some = || (!args.is_empty()).then(|| args.to_owned());
    Some(Ok(match name {
        "help" => Command::Help,
        "hooks" => return Some(parse_hooks_args(args).map(Command::Hooks)),
        "permissions" => match args.strip_prefix("remove") {
            Some(number) => match number.trim().parse() {
                Ok(number) => Command::RemoveRule(number),
                Err(_) => return Some(Err(CommandError::NoRuleNumber)),
            },
            None => Command::Permissions(some()),
        },
        "compact" => Command::Compact(args.to_owned()),
        "clear" => Command::Clear,
        "model" => Command::Model(some()),
        "resume" => Command::Resume(some()),
        "fork" => Command::Fork,
        "cd" | "add-dir" => match some() {
            Some(directory) if name == "cd" => Command::Cd(directory),
            Some(directory) => Command::AddDir(directory),
            None => {
                let command = name.to_owned();
                return Some(Err(CommandError::NoDirectory { command }));
            }
        },
        "quit" | "exit" => Command::Quit,
        _ => return None,
    }))
}

/// The message about an unknown command, with the most similar known one.
pub(crate) fn unknown_command_message(name: &str) -> String {
    let near = TABLE.iter().find(|(prefix, ..)| {
        prefix.starts_with(name)
            || name.starts_with(prefix)
            || prefix.chars().zip(name.chars()).filter(|(a, b)| a == b).count() + 1
                >= prefix.len().max(name.len())
    });
    let near = near.map(|(name, ..)| format!("; `/{name}` is one")).unwrap_or_default();
    format!("`/{name}` is no command{near}. /help says what there is")
}

fn parse_hooks_args(args: &str) -> Result<Hooks, CommandError> {
    let (action, name) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    let named = |make: fn(String) -> Hooks| match name.trim() {
        "" => Err(CommandError::NoHook { action: action.to_owned() }),
        name => Ok(make(name.to_owned())),
    };
    match action {
        "" | "list" => Ok(Hooks::List),
        "events" => Ok(Hooks::Events(name.trim().to_owned())),
        "explain" => Ok(Hooks::Explain(name.trim().to_owned())),
        "reload" => Ok(Hooks::Reload),
        "enable" => named(Hooks::Enable),
        "disable" => named(Hooks::Disable),
        _ => Err(CommandError::UnknownAction(action.to_owned())),
    }
}

/// What keys do, beside those that every line editor knows.
const KEYS: &[(&str, &str)] = &[
    ("Enter", "send; while a turn is under way, steer it"),
    ("Tab", "send when the turn is over; Up in an empty box takes it back"),
    ("Shift-Tab", "ask more or less: the next permission mode"),
    ("Esc", "stop what is under way"),
    ("Ctrl-C", "empty the line, stop, or (twice) leave"),
    ("Ctrl-J", "begin another line"),
    ("Up, Down", "what was sent before"),
    ("PageUp, PageDown", "look back and forth; read a long question"),
    ("End", "return to the end"),
    ("Ctrl-O", "open what is long or was rewritten, and close it"),
    ("F2, Ctrl-T", "show what hooks do"),
];

/// The page of `/help`.
pub(crate) fn help_page() -> String {
    let mut lines = Vec::new();
    for (name, args, about) in TABLE {
        let typed = format!("/{name} {args}");
        if typed.len() <= COLUMN {
            lines.push(format!("{typed:<COLUMN$}  {about}"));
        } else {
            lines.push(typed);
            lines.push(format!("{:COLUMN$}  {about}", ""));
        }
    }
    lines.push(String::new());
    lines.extend(KEYS.iter().map(|(key, about)| format!("{key:<COLUMN$}  {about}")));
    lines.join("\n")
}

/// How wide what is typed stands.
const COLUMN: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_and_prompt_are_distinguished() {
        assert_eq!(parse_command("/help"), Some(Ok(Command::Help)));
        assert_eq!(parse_command(" /cd  src "), Some(Ok(Command::Cd("src".to_owned()))));
        assert_eq!(
            parse_command("/hooks disable x"),
            Some(Ok(Command::Hooks(Hooks::Disable("x".to_owned()))))
        );
        assert!(matches!(parse_command("/cd"), Some(Err(_))));
        assert!(matches!(parse_command("/hooks bogus"), Some(Err(_))));
        assert_eq!(parse_command("/deploy prod"), None, "a command of a file is a prompt");
        assert_eq!(parse_command("help"), None);
    }

    #[test]
    fn every_command_of_the_table_is_read() {
        for (name, ..) in TABLE {
            assert!(parse_command(&format!("/{name} x")).is_some(), "{name}");
        }
    }
}
