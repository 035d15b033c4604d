//! Whatever a line repeats, working out what it would do costs steps by its length, and never more than an event may (RU-37).
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use tenterhook::Event;
use tenterhook_core::event::Surroundings;
use tenterhook_core::rule::{Rule, RuleInput};

/// Most steps for a byte and for a line without any, and most for one event: to read its line, and to work out the call.
const A_BYTE: usize = 256 + 320;
const A_LINE: usize = 40_000 + 100_000;
const AN_EVENT: usize = 320_000 + 800_000 + 100_000;
/// How long the line is that repeats the fuzzer's input.
const LONG: usize = 4 * 1024;

fn cost(line: &str) -> usize {
    let event = Event::new("PreToolUse", Surroundings::default())
        .with("tool_name", "Bash")
        .with("tool_input", json!({ "command": line }));
    let rule_input = RuleInput::new(&Arc::new(event));
    let rule = Rule::new("shell.complete && call.code == ['x'] || call.writes == ['x']").deny("no");
    let _ = rule.evaluate_or_silent(&rule_input, &|| true);
    rule_input.steps_spent()
}

fuzz_target!(|part: &str| {
    let long = part.repeat((LONG / part.len().max(1)).max(1));
    for line in [part, &long] {
        let spent = cost(line);
        assert!(spent <= AN_EVENT, "{spent} steps");
        assert!(
            spent <= A_LINE + A_BYTE * line.len(),
            "{} steps a byte",
            spent / line.len().max(1)
        );
    }
});
