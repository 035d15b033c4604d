//! What the seed of CodeWhale says of a host: hooks of its user's own file, unmodified, in this agent.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

mod gates;
mod messages;
mod observers;

use serde_json::Value;

use crate::room::Room;

/// A model that says hello, and keeps what it was asked.
const HELLO: &str = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";

/// One entry of a CodeWhale file.
fn entry(event: &str, command: &str, rest: &str) -> String {
    format!("[[hooks.hooks]]\nevent = \"{event}\"\ncommand = '''{command}'''\n{rest}\n")
}

/// A room whose user has these entries.
fn room(entries: &[String], script: &str) -> Room {
    let room = Room::new("", script);
    room.sandbox.write("~/.codewhale/config.toml", &entries.concat()).unwrap();
    room
}

/// The lines of a file of the project, as JSON.
fn lines(room: &Room, name: &str) -> Vec<Value> {
    let text = room.text(name);
    text.lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
