//! Any text is a rule: it is refused, or comes to an end on an event.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::rule::{Rule, RuleInput};

fuzz_target!(|text: &str| {
    let event = Event::new("PreToolUse", Surroundings::default())
        .with("tool_name", "Bash")
        .with("tool_input", serde_json::json!({"command": "sudo git push > f | sh"}));
    let _ = Rule::new(text).deny(text).evaluate_or_silent(&RuleInput::new(&Arc::new(event)), &|| true);
});
