//! Parses an event of a command line or a case: a short form, JSON, or a file. Fires nothing (TE-20).

use std::path::Path;

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook_core::diagnostic::nearest;
use tenterhook_core::dialect::{
    DIALECTS, DialectId, EventLabel, EventRow, Roots, Subject, events_named,
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

/// Reads what follows a command: `EVENT.json`, `-`, `{JSON}`, `TOOL INPUT`, `EVENT [TEXT]`, or `EVENT TOOL INPUT`. Nothing
/// at all is standard input.
pub(crate) fn given(what: &[String], dialect: DialectId, roots: &Roots) -> Result<Given, Lost> {
    let words: Vec<&str> = what.iter().map(String::as_str).collect();
    let said = match words.as_slice() {
        [] => return input::event(None, dialect, roots),
        [json] if json.trim_start().starts_with('{') => {
            return input::decode(json.as_bytes(), dialect, roots).map_err(Lost::wrong_call);
        }
        [name] if row(name, dialect).is_some() => event(name, None, dialect, roots),
        [file] => {
            return input::event(Some(Path::new(file)), dialect, roots)
                .map_err(|lost| meant(lost, file));
        }
        [tool, rest @ ..] if rest.len() > 1 && row(tool, dialect).is_none() => {
            Err(unquoted(tool, rest))
        }
        [name, tool, input] => tool_event(name, tool, input, dialect, roots),
        [first, rest] => pair(first, rest, dialect, roots),
        [name, rest @ ..] => Err(too_many(name, rest.len())),
    };
    said.map(|event| Given { event, faults: Vec::new() }).map_err(Lost::NotGiven)
}

/// Reads what follows a command that is about every hook: an event name that no dialect was named for is an event in each
/// dialect of `here` that has it (E-13). No two have the same neutral name.
pub(crate) fn asked(
    what: &[String],
    dialect: Option<DialectId>,
    here: &[DialectId],
    roots: &Roots,
) -> Result<Vec<(EventLabel, Event)>, Lost> {
    let name = what.first().map_or("", String::as_str);
    let mut named = match dialect {
        Some(_) => Vec::new(),
        None => events_named(name, here),
    };
    named.retain(|(_, row)| row.name == name);
    let mut asked: Vec<(EventLabel, Event)> = Vec::new();
    for (_, row) in &named {
        let mut words = what.to_vec();
        if let Some(first) = words.first_mut() {
            *first = row.event.to_string();
        }
        // What one agent's event takes, another's may not.
        let Ok(Given { event, .. }) = given(&words, DialectId::NATIVE, roots) else { continue };
        if asked.iter().all(|(_, other)| other.name != event.name) {
            asked.push((EventLabel::of_row(row), event));
        }
    }
    if asked.is_empty() {
        let first = named.first().map(|(id, _)| *id);
        let id = dialect.or(first).unwrap_or(DialectId::CLAUDE);
        let event = given(what, id, roots)?.event;
        asked.push((EventLabel::new(id, &event.name), event));
    }
    Ok(asked)
}

/// Reads one line of words, as a case has it: the first word is a tool or an event, the rest is its text as it stands.
/// `on` is the event of a tool that stands alone.
pub(crate) fn line(
    words: &str,
    on: Option<&str>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let words = words.trim();
    let (first, rest) = split(words);
    if row(first, dialect).is_none() {
        if rest.is_empty() {
            return Err(unknown(first));
        }
        return tool_event(on.unwrap_or("PreToolUse"), first, rest, dialect, roots);
    }
    let (tool, input) = split(rest);
    let about_tool = is_about_tool(first, dialect);
    match (about_tool, input) {
        (true, "") => Err(Problem::new(format!("`{words}` names no tool with its input"))
            .help(format!("write `{first} Bash ls`"))),
        (true, input) => tool_event(first, tool, input, dialect, roots),
        (false, _) => event(first, Some(rest).filter(|rest| !rest.is_empty()), dialect, roots),
    }
}

/// Whether a word is the name of an event.
pub(crate) fn is_event(word: &str, dialect: DialectId) -> bool {
    row(word, dialect).is_some()
}

/// The first word and the rest.
pub(crate) fn split(words: &str) -> (&str, &str) {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    (first, rest.trim_start())
}

fn pair(first: &str, rest: &str, dialect: DialectId, roots: &Roots) -> Result<Event, Problem> {
    match row(first, dialect) {
        None => tool_event("PreToolUse", first, rest, dialect, roots),
        Some(_) if is_about_tool(first, dialect) => {
            line(&format!("{first} {rest}"), None, dialect, roots)
        }
        Some(_) => event(first, Some(rest), dialect, roots),
    }
}

/// An event of that name, in the dialect's own spelling or in the neutral one.
fn row(name: &str, dialect: DialectId) -> Option<&'static EventRow> {
    let own = dialect.dialect().rows().iter().find(|row| row.name == name);
    let neutral = || {
        let mut rows = DIALECTS.iter().flat_map(|dialect| dialect.rows());
        rows.find(|row| row.event == name)
    };
    own.or_else(neutral)
}

fn is_about_tool(name: &str, dialect: DialectId) -> bool {
    row(name, dialect)
        .is_some_and(|row| matches!(row.subject, Subject::Tool(_) | Subject::Field("tool_name")))
}

fn event(
    name: &str,
    text: Option<&str>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let Some(row) = row(name, dialect) else { return Err(unknown(name)) };
    if is_about_tool(name, dialect) {
        let message = format!("`{name}` is about a tool, and none was named");
        return Err(Problem::new(message).help(format!("write `{name} Bash 'ls'`")));
    }
    let event = Event::new(EventName::new(&*row.event), within(roots));
    let Some(text) = text else { return Ok(event) };
    let key = TEXT_KEYS.iter().find(|(event, _)| *event == row.event).map(|(_, key)| *key);
    let key = key.or(match &row.subject {
        Subject::Field(key) | Subject::FileName(key) | Subject::Model(key) => Some(*key),
        _ => None,
    });
    match key {
        Some(key) => Ok(event.with(key, text)),
        None => Err(Problem::new(format!("`{name}` takes no text"))
            .help(format!("leave it out, or write the event as JSON: `tenterhook events {name} --sample` prints one"))),
    }
}

/// The input of a tool is one word, as a shell hands it over.
fn unquoted(tool: &str, words: &[&str]) -> Problem {
    Problem::new(format!("`{tool}` is not an event, and the input of a tool is one word"))
        .help(format!("put it in quotes: `{tool} '{}'`", words.join(" ")))
}

fn too_many(event: &str, words: usize) -> Problem {
    Problem::new(format!(
        "`{event}` has {words} words behind it, and takes a text, or a tool and its input"
    ))
    .help(format!("put what belongs together in quotes: `{event} Bash 'git push'`"))
}

fn unknown(name: &str) -> Problem {
    let help = nearest_event(name).map_or_else(
        || "say what happens as `Bash 'ls'`, `Stop`, a file or JSON".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Problem::new(format!("no event is called `{name}`")).help(help)
}

/// The event that a misspelt name is nearest to.
fn nearest_event(name: &str) -> Option<&'static str> {
    nearest(name, DIALECTS.iter().flat_map(|dialect| dialect.rows()).map(|row| &*row.event))
}

fn within(roots: &Roots) -> Surroundings {
    Surroundings {
        cwd: roots.cwd.clone(),
        project: roots.cwd.clone(),
        home: roots.home.clone(),
        ..Surroundings::default()
    }
}

/// The event `name` of an agent that calls `tool` with `input`.
fn tool_event(
    name: &str,
    tool: &str,
    input: &str,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let Some(row) = row(name, dialect) else { return Err(unknown(name)) };
    let given: Option<Value> = serde_json::from_str(input).ok().filter(Value::is_object);
    let key = INPUT_KEYS.iter().find(|(name, _)| *name == tool).map(|(_, key)| *key);
    let input = match (given, key) {
        (Some(object), _) => object,
        (None, Some("file_path")) => json!({ "file_path": roots.cwd.join(input) }),
        (None, Some(key)) => json!({ key: input }),
        (None, None) => {
            let near = nearest(tool, INPUT_KEYS.iter().map(|(name, _)| *name));
            let help = near.map_or_else(
                || format!("write it as one: `{tool} '{{\"key\": \"value\"}}'`"),
                |near| format!("did you mean `{near}`?"),
            );
            let problem = Problem::new(format!("the input of `{tool}` is not a JSON object"));
            return Err(problem.help(help));
        }
    };
    let event = Event::new(EventName::new(&*row.event), within(roots));
    Ok(event.with("tool_name", tool).with("tool_input", input))
}

/// A word that is no file may have been meant for a tool, or for an event.
fn meant(lost: Lost, word: &str) -> Lost {
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
            Lost::NotGiven(Problem::new(format!("`{word}` is {what}")).help(help))
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
        let given = given(&words, DialectId::CLAUDE, &roots());
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
                let joined = line(&words.join(" "), None, DialectId::CLAUDE, &roots());
                assert_eq!(joined.expect("the same"), event, "{words:?}");
            }
        }
        assert_eq!(parse(&["Stop"]).expect("an event").name.as_str(), "Stop");
        let on = line("Bash ls", Some("PostToolUse"), DialectId::CLAUDE, &roots());
        assert_eq!(on.expect("an event").name.as_str(), "PostToolUse");
    }

    /// TE-20.
    #[test]
    fn what_cannot_be_meant_is_said() {
        assert!(parse(&["Stopp"]).expect_err("no event").contains("`Stop`"));
        assert!(parse(&["Bash"]).expect_err("no input").contains("`Bash INPUT`"));
        assert!(parse(&["PreToolUse"]).expect_err("no tool").contains("PreToolUse Bash"));
        assert!(parse(&["Mystery", "words"]).expect_err("no JSON").contains("key"));
        assert!(line("Bash", None, DialectId::CLAUDE, &roots()).is_err());
    }
}
