//! Reads an event from a file, from standard input, or from the words of a call. Fires nothing.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use serde_json::{Map, Value, json};
use tenterhook::Event;
use tenterhook::dialect::{DIALECTS, DialectId, Roots};
use tenterhook::event::Surroundings;

use crate::problem::Problem;

/// How large an event may be. A tool's output is in it, so this is generous.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Reads the event at `path`; standard input when it is `-` or missing.
pub(crate) fn event(
    path: Option<&Path>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    let path = path.filter(|it| *it != Path::new("-"));
    let bytes = match path {
        Some(path) => read(File::open(path)).map_err(|error| {
            Problem::new(format!("the event `{}` cannot be read: {error}", path.display()))
        })?,
        None if io::stdin().is_terminal() => {
            return Err(Problem::new("no event was given")
                .help("name a file, or pipe an event in: `tenterhook fire EVENT.json`"));
        }
        None => read(Ok(io::stdin()))
            .map_err(|error| Problem::new(format!("standard input cannot be read: {error}")))?,
    };
    decode(&bytes, dialect, roots)
}

fn read(source: io::Result<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is larger than 64 MiB"));
    }
    Ok(bytes)
}

/// Reads an event in the stdin form of `dialect`.
pub(crate) fn decode(bytes: &[u8], dialect: DialectId, roots: &Roots) -> Result<Event, Problem> {
    decode_map(&object(bytes)?, dialect, roots)
}

/// Reads a JSON object.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Problem> {
    // Editors on Windows put a mark before the text.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Problem::new(format!("the event is not valid JSON: {error}")))?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(Problem::new("the event is not a JSON object")),
    }
}

/// Reads an event from its object.
pub(crate) fn decode_map(
    map: &Map<String, Value>,
    dialect: DialectId,
    roots: &Roots,
) -> Result<Event, Problem> {
    dialect.dialect().decode_event(map, roots).map_err(|fault| {
        let help = match readers(map, roots) {
            Some(names) => format!("it reads as an event of {names}: say so with `--dialect`"),
            None => format!(
                "`tenterhook events --dialect {dialect}` lists the events; `--dialect` names another agent's"
            ),
        };
        Problem::new(format!("the event cannot be read as {dialect}: {fault}")).help(help)
    })
}

/// The dialects that could read such an event.
fn readers(map: &Map<String, Value>, roots: &Roots) -> Option<String> {
    let reads = DIALECTS.iter().filter(|it| it.decode_event(map, roots).is_ok());
    let names: Vec<String> = reads.map(|it| format!("`{}`", it.id())).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

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

/// The event of an agent that is about to call `tool` with `input`.
pub(crate) fn tool_call(tool: &str, input: &str, roots: &Roots) -> Result<Event, Problem> {
    let given: Option<Value> = serde_json::from_str(input).ok().filter(Value::is_object);
    let key = INPUT_KEYS.iter().find(|(name, _)| *name == tool).map(|(_, key)| *key);
    let input = match (given, key) {
        (Some(object), _) => object,
        (None, Some("file_path")) => json!({ "file_path": roots.cwd.join(input) }),
        (None, Some(key)) => json!({ key: input }),
        (None, None) => {
            return Err(Problem::new(format!("the input of `{tool}` is not a JSON object")).help(
                format!("write it as one: `tenterhook explain {tool} '{{\"key\": \"value\"}}'`"),
            ));
        }
    };
    let within = Surroundings {
        cwd: roots.cwd.clone(),
        project: roots.cwd.clone(),
        home: roots.home.clone(),
        ..Surroundings::default()
    };
    Ok(Event::new("PreToolUse", within).with("tool_name", tool).with("tool_input", input))
}
