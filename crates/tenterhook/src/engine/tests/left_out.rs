//! Hooks whose executor this build leaves out.

use super::*;
use crate::Session;
use tenterhook_core::source::Source;

/// C-76: such a hook fires, and is no consent.
#[tokio::test]
async fn this_build_without_rules_settles_a_rule_by_its_policy() {
    let text = "[hook.a]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'x'\n";
    let source = Source::from_text("t.toml", DialectId::NATIVE, text, "/p");
    let (engine, found) = Engine::builder().source(source).build();
    let codes: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code.name()).collect();
    assert_eq!(codes, ["left-out"]);
    let event = Event::pre_tool_use("Bash", json!({"command": "ls"}));
    let outcome = engine.fire(event.within(&Surroundings::at("/")), &Session::default()).await;
    assert!(outcome.blocked(), "{outcome:?}");
}
