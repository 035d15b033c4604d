//! Parses an event of a command line or a case: a short form, JSON, or a file. Fires nothing (TE-20).

use std::path::Path;

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook_core::diagnostic::nearest_word;
use tenterhook_core::dialect::tools::{ToolWords, find_tool_by_own_name};
use tenterhook_core::dialect::{
    DIALECTS, DialectId, EventLabel, EventRow, Roots, Subject, event_rows_named,
};
use tenterhook_core::event::{EventName, Surroundings};

use super::input::{self, Given, Lost};
use crate::problem::Problem;

/// Which key of its input a tool's one word means. Tools that are not here take JSON.
const INPUT_KEYS: &[(&str, &str)] = &[
    ("Bash", "command"),
    ("PowerShell", "command"),
    ("Read", "file_path"),
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
    ("WebFetch", "url"),
    ("WebSearch", "query"),
    ("Glob", "pattern"),
    ("Grep", "pattern"),
    ("Skill", "skill"),
];

/// Which field the text behind an event's name is, where it is not what its matchers are tested on.
const TEXT_KEYS: &[(&str, &str)] = &[
    ("UserPromptSubmit", "prompt"),
    ("UserPromptExpansion", "prompt"),
    ("UserPromptCommitted", "prompt"),
    ("Notification", "message"),
    ("TurnStart", "prompt"),
    ("PreModelCall", "prompt"),
    ("PostModelCall", "text"),
    ("Stop", "last_assistant_message"),
];

/// Parses the arguments after a command: `EVENT.json`, `-`, `{JSON}`, `TOOL INPUT`, `EVENT [TEXT]`,
/// or `EVENT TOOL INPUT`. Without arguments, reads standard input.
pub(crate) fn parse_event(
    what: &[String],
    dialect: DialectId,
    roots: &Roots,
) -> Result<Given, Lost> {
    let words: Vec<&str> = what.iter().map(String::as_str).collect();
    let said = match words.as_slice() {
        [] => return input::read_event(None, dialect, roots),
        [json] if json.trim_start().starts_with('{') => {
            return input::decode_event(json.as_bytes(), dialect, roots)
                .map_err(Lost::into_argument_error);
        }
        [name] if find_event_row(name, dialect).is_some() => {
            event_with_text(name, None, dialect, roots)
        }
        [file] => {
            return input::read_event(Some(Path::new(file)), dialect, roots)
                .map_err(|lost| with_spelling_hint(lost, file));
        }
        [tool, rest @ ..] if rest.len() > 1 && find_event_row(tool, dialect).is_none() => {
            let is_tool = INPUT_KEYS.iter().any(|(name, _)| name == tool);
            match nearest_event(tool).filter(|_| !is_tool) {
                Some(_) => Err(unknown_event_problem(tool)),
                None => Err(unquoted_input_problem(tool, rest)),
            }
        }
        [name, tool, input] => create_tool_event(name, tool, input, dialect, roots),
        [first, rest] => event_from_words(first, rest, dialect, roots),
        [name, rest @ ..] => Err(too_many_words_problem(name, rest.len())),
    };
    said.map(|event| Given { event, faults: Vec::new() }).map_err(Lost::NotGiven)
}

/// Parses the arguments after a command that is about every hook. Without a named dialect, an event
/// name stands for an event in each dialect of `here` that has it (E-13). No two events have the
/// same neutral name.
pub(crate) fn parse_events(
    what: &[String],
    dialect: Option<DialectId>,
    here: &[DialectId],
    roots: &Roots,
) -> Result<Vec<(EventLabel, Event)>, Lost> {
    let name = what.first().map_or("", String::as_str);
    let mut named = match dialect {
        Some(_) => Vec::new(),
        None => event_rows_named(name, here),
    };
    named.retain(|(_, row)| row.name == name);
    let mut asked: Vec<(EventLabel, Event)> = Vec::new();
    for (_, row) in &named {
        let mut words = what.to_vec();
        if let Some(first) = words.first_mut() {
            *first = row.event.to_string();
        }
        // What one agent's event takes, another's may not.
        let Ok(Given { event, .. }) = parse_event(&words, DialectId::NATIVE, roots) else {
            continue;
        };
        if asked.iter().all(|(_, other)| other.name != event.name) {
            asked.push((EventLabel::of_row(row), event));
        }
    }
    if asked.is_empty() {
        let first = named.first().map(|(id, _)| *id);
        let id = dialect.or(first).unwrap_or(DialectId::CLAUDE);
        let event = parse_event(what, id, roots)?.event;
        asked.push((EventLabel::new(id, &event.name), event));
    }
    Ok(asked)
}

/// Parses one line, as in a case: the first word is a tool or an event, the rest is its text,
/// unchanged. `on` is the event for a tool without one.
pub(crate) fn parse_event_line(
    words: &str,
    on: Option<&str>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let words = words.trim();
    let (first, rest) = split_first_word(words);
    if find_event_row(first, dialect).is_none() {
        if rest.is_empty() {
            return Err(unknown_event_problem(first));
        }
        return create_tool_event(on.unwrap_or("PreToolUse"), first, rest, dialect, roots);
    }
    let (tool, input) = split_first_word(rest);
    let about_tool = is_tool_event(first, dialect);
    match (about_tool, input) {
        (true, "") => Err(Problem::new(format!("`{words}` names no tool with its input"))
            .with_help(format!("write `{first} Bash ls`"))),
        (true, input) => create_tool_event(first, tool, input, dialect, roots),
        (false, _) => {
            event_with_text(first, Some(rest).filter(|rest| !rest.is_empty()), dialect, roots)
        }
    }
}

/// Returns whether a word is the name of an event.
pub(crate) fn is_event_name(word: &str, dialect: DialectId) -> bool {
    find_event_row(word, dialect).is_some()
}

/// Splits off the first word of a line.
pub(crate) fn split_first_word(words: &str) -> (&str, &str) {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    (first, rest.trim_start())
}

fn event_from_words(
    first: &str,
    rest: &str,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    match find_event_row(first, dialect) {
        None => create_tool_event("PreToolUse", first, rest, dialect, roots),
        Some(_) if is_tool_event(first, dialect) => {
            parse_event_line(&format!("{first} {rest}"), None, dialect, roots)
        }
        Some(_) => event_with_text(first, Some(rest), dialect, roots),
    }
}

/// Finds the event of that name, in the dialect's own spelling or in the neutral one.
fn find_event_row(name: &str, dialect: DialectId) -> Option<&'static EventRow> {
    let own = dialect.dialect().event_rows().iter().find(|row| row.name == name);
    let neutral = || {
        let mut rows = DIALECTS.iter().flat_map(|dialect| dialect.event_rows());
        rows.find(|row| row.event == name)
    };
    own.or_else(neutral)
}

fn is_tool_event(name: &str, dialect: DialectId) -> bool {
    find_event_row(name, dialect)
        .is_some_and(|row| matches!(row.subject, Subject::Tool(_) | Subject::Field("tool_name")))
}

fn event_with_text(
    name: &str,
    text: Option<&str>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let Some(row) = find_event_row(name, dialect) else { return Err(unknown_event_problem(name)) };
    if is_tool_event(name, dialect) {
        let message = format!("`{name}` is about a tool, and none was named");
        return Err(Problem::new(message).with_help(format!("write `{name} Bash 'ls'`")));
    }
    let event = Event::new(EventName::new(&*row.event), surroundings_from_roots(roots));
    let Some(text) = text else { return Ok(event) };
    let key = TEXT_KEYS.iter().find(|(event, _)| *event == row.event).map(|(_, key)| *key);
    let key = key.or(match &row.subject {
        Subject::Field(key) | Subject::FileName(key) | Subject::Model(key) => Some(*key),
        _ => None,
    });
    match key {
        Some(key) => Ok(event.with(key, text)),
        None => Err(Problem::new(format!("`{name}` takes no text"))
            .with_help(format!("leave it out, or write the event as JSON: `tenterhook events {name} --sample` prints one"))),
    }
}

/// Returns the problem that the input of a tool has to be one argument, quoted in the shell.
pub(crate) fn unquoted_input_problem(tool: &str, words: &[&str]) -> Problem {
    Problem::new(format!("`{tool}` is not an event, and the input of a tool is one word"))
        .with_help(format!("put it in quotes: `{tool} '{}'`", words.join(" ")))
}

fn too_many_words_problem(event: &str, words: usize) -> Problem {
    Problem::new(format!(
        "`{event}` has {words} words behind it, and takes a text, or a tool and its input"
    ))
    .with_help(format!("put what belongs together in quotes: `{event} Bash 'git push'`"))
}

fn unknown_event_problem(name: &str) -> Problem {
    let help = nearest_event(name).map_or_else(
        || "say what happens as `Bash 'ls'`, `Stop`, a file or JSON".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Problem::new(format!("no event is called `{name}`")).with_help(help)
}

/// Returns the event whose name is most similar to a misspelt one.
fn nearest_event(name: &str) -> Option<&'static str> {
    nearest_word(
        name,
        DIALECTS.iter().flat_map(|dialect| dialect.event_rows()).map(|row| &*row.event),
    )
}

fn surroundings_from_roots(roots: &Roots) -> Surroundings {
    Surroundings {
        cwd: roots.cwd.clone(),
        project: roots.cwd.clone(),
        home: roots.home.clone(),
        ..Surroundings::default()
    }
}

/// Creates the event `name` of an agent that calls `tool` with `input`.
fn create_tool_event(
    name: &str,
    tool: &str,
    input: &str,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let Some(row) = find_event_row(name, dialect) else { return Err(unknown_event_problem(name)) };
    let given: Option<Value> = serde_json::from_str(input).ok().filter(Value::is_object);
    let own = tool_by_own_name(&row.event, tool, dialect);
    let tool = own.map_or(tool, |own| own.neutral);
    let given = given.map(|input| own.map_or(input.clone(), |own| own.to_neutral_input(&input)));
    let key = INPUT_KEYS.iter().find(|(name, _)| *name == tool).map(|(_, key)| *key);
    let input = match (given, key) {
        (Some(object), _) => object,
        (None, Some("file_path")) => json!({ "file_path": roots.cwd.join(input) }),
        (None, Some(key)) => json!({ key: input }),
        (None, None) => {
            let near = nearest_word(tool, INPUT_KEYS.iter().map(|(name, _)| *name));
            let help = near.map_or_else(
                || format!("write it as one: `{tool} '{{\"key\": \"value\"}}'`"),
                |near| format!("did you mean `{near}`?"),
            );
            let problem = Problem::new(format!("the input of `{tool}` is not a JSON object"));
            return Err(problem.with_help(help));
        }
    };
    let event = Event::new(EventName::new(&*row.event), surroundings_from_roots(roots));
    Ok(event.with("tool_name", tool).with("tool_input", input))
}

/// Finds the tool that the agent of a dialect calls by this name on an event.
fn tool_by_own_name(event: &str, name: &str, dialect: DialectId) -> Option<&'static ToolWords> {
    let row = dialect.dialect().event_rows().iter().find(|row| row.event == event)?;
    match &row.subject {
        Subject::Tool(table) => find_tool_by_own_name(table, name),
        _ => None,
    }
}

/// Adds a hint to the error if a word that is not a file may have been meant as a tool or an event.
fn with_spelling_hint(lost: Lost, word: &str) -> Lost {
    let is_name = !word.contains(['/', '.']) && word.starts_with(|c: char| c.is_uppercase());
    match lost {
        Lost::NotGiven(problem) if is_name && problem.help.is_none() => {
            let is_tool = INPUT_KEYS.iter().any(|(tool, _)| *tool == word);
            let help = nearest_event(word).filter(|_| !is_tool).map_or_else(
                || format!("for a tool call, say its input too: `{word} INPUT`"),
                |near| format!("did you mean `{near}`?"),
            );
            let what = if is_tool {
                "a tool, and its input is missing"
            } else {
                "neither an event nor a file"
            };
            Lost::NotGiven(Problem::new(format!("`{word}` is {what}")).with_help(help))
        }
        lost => lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Roots {
        Roots { cwd: "/p".into(), ..Roots::default() }
    }

    fn parse(words: &[&str]) -> Result<Event, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let given = parse_event(&words, DialectId::CLAUDE, &roots());
        given.map(|g| g.event).map_err(|lost| Problem::from(lost).help.unwrap_or_default())
    }

    /// TE-20.
    #[test]
    fn a_tool_an_event_and_both_are_said_in_words() {
        for (words, name, key, value) in [
            (&["Bash", "rm -rf x"][..], "PreToolUse", "tool_input", json!({"command": "rm -rf x"})),
            (&["Read", "a.txt"], "PreToolUse", "tool_input", json!({"file_path": "/p/a.txt"})),
            (&["mcp__a__b", r#"{"c": 1}"#], "PreToolUse", "tool_input", json!({"c": 1})),
            (&["PostToolUse", "Bash", "ls"], "PostToolUse", "tool_name", "Bash".into()),
            (
                &["PostToolUse", "Bash ls -l"],
                "PostToolUse",
                "tool_input",
                json!({"command": "ls -l"}),
            ),
            (&["UserPromptSubmit", "fix it"], "UserPromptSubmit", "prompt", "fix it".into()),
            (&["SessionStart", "resume"], "SessionStart", "source", "resume".into()),
            (&[r#"{"hook_event_name": "Stop", "x": 1}"#], "Stop", "x", 1.into()),
        ] {
            let event = parse(words).expect("an event");
            assert_eq!(event.name.as_str(), name, "{words:?}");
            assert_eq!(event.payload.get(key), Some(&value), "{words:?}");
            if words.iter().all(|text| !text.starts_with('{')) {
                let joined = parse_event_line(&words.join(" "), None, DialectId::CLAUDE, &roots());
                assert_eq!(joined.expect("the same"), event, "{words:?}");
            }
        }
        assert_eq!(parse(&["Stop"]).expect("an event").name.as_str(), "Stop");
        let on = parse_event_line("Bash ls", Some("PostToolUse"), DialectId::CLAUDE, &roots());
        assert_eq!(on.expect("an event").name.as_str(), "PostToolUse");
    }

    /// TE-20: a tool may have the name that the dialect's agent has for it.
    #[test]
    fn own_name_of_a_tool_is_its_neutral_name() {
        let parse = |dialect: DialectId, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            parse_event(&words, dialect, &roots()).map_err(|_| "not an event").expect("one").event
        };
        for (dialect, words, tool, input) in [
            (DialectId::DROID, &["Execute", "ls"][..], "Bash", json!({"command": "ls"})),
            (
                DialectId::DROID,
                &["PreToolUse", "Create", "a"],
                "Write",
                json!({"file_path": "/p/a"}),
            ),
            (DialectId::GEMINI, &["run_shell_command", "ls"], "Bash", json!({"command": "ls"})),
            (DialectId::DROID, &["LS", r#"{"directory_path": "a"}"#], "LS", json!({"path": "a"})),
            (DialectId::DROID, &["Bash", "ls"], "Bash", json!({"command": "ls"})),
        ] {
            let event = parse(dialect, words);
            assert_eq!(event.text("tool_name"), Some(tool), "{words:?}");
            assert_eq!(event.payload.get("tool_input"), Some(&input), "{words:?}");
        }
    }

    /// TE-20.
    #[test]
    fn what_cannot_be_meant_is_said() {
        assert!(
            parse(&["PreToolUs", "Bash", "ls"]).expect_err("no event").contains("`PreToolUse`")
        );
        assert!(parse(&["Bash", "git", "push"]).expect_err("no quotes").contains("'git push'"));
        assert!(parse(&["Stopp"]).expect_err("no event").contains("`Stop`"));
        assert!(parse(&["Bash"]).expect_err("no input").contains("`Bash INPUT`"));
        assert!(parse(&["PreToolUse"]).expect_err("no tool").contains("PreToolUse Bash"));
        assert!(parse(&["Mystery", "words"]).expect_err("no JSON").contains("key"));
        assert!(parse_event_line("Bash", None, DialectId::CLAUDE, &roots()).is_err());
    }
}
