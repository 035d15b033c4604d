//! What the seed of CodeWhale says of a host: hooks of its user's own file, unmodified, in this agent.
#![expect(clippy::indexing_slicing, reason = "what tests share may fail them")]

mod gates;
mod messages;
mod observers;

use serde_json::Value;

use crate::fixture::Fixture;

/// A model that says hello, and keeps what it was asked.
const HELLO: &str = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";

/// One entry of a CodeWhale file.
fn entry(event: &str, command: &str, rest: &str) -> String {
    format!("[[hooks.hooks]]\nevent = \"{event}\"\ncommand = '''{command}'''\n{rest}\n")
}

/// A fixture whose user has these entries.
fn fixture(entries: &[String], script: &str) -> Fixture {
    let fixture = Fixture::new("", script);
    fixture.sandbox.write("~/.codewhale/config.toml", &entries.concat()).unwrap();
    fixture
}

/// The lines of a file of the project, as JSON.
fn lines(fixture: &Fixture, name: &str) -> Vec<Value> {
    let text = fixture.text(name);
    text.lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
