//! The packs of rules and the calls that it is tried on, for every test of it. Judges nothing.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::{Hook, Run};
use tenterhook_core::protect;
use tenterhook_core::rule::Rule;

const GUARDRAILS: &str = include_str!("../../../tenterhook-cli/packs/guardrails.toml");

/// The folder of tables.
pub(crate) fn conformance() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

/// The rules of a pack, each with its name.
pub(crate) fn rules(pack: &str) -> Vec<(String, Rule)> {
    let text = if pack == protect::NAME { protect::PACK } else { GUARDRAILS };
    let mut source = Source::from_text("tenterhook.pack.toml", DialectId::NATIVE, text, "/nowhere");
    source.home = PathBuf::from("/home/u");
    let read = DialectId::NATIVE.dialect().read_config(&source);
    assert_eq!(read.diagnostics, []);
    let rule = |hook: Hook| match hook.run {
        Run::Rule(rule) => (hook.id.to_string(), rule),
        other => panic!("{} is not a rule but {other:?}", hook.id),
    };
    read.hooks.into_iter().map(rule).collect()
}

/// A call of a tool in a project of the user `u`.
pub(crate) fn call(tool: &str, input: Value) -> Event {
    let within = Surroundings {
        session_id: "s".to_owned(),
        cwd: "/home/u/project".into(),
        project: "/home/u/project".into(),
        home: "/home/u".into(),
        ..Surroundings::default()
    };
    Event::new("PreToolUse", within).with("tool_name", tool).with("tool_input", input)
}

/// A line for the shell.
pub(crate) fn bash(line: &str) -> Event {
    call("Bash", json!({ "command": line }))
}
