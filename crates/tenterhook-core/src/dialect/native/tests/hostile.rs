//! Whatever stands in a file, an event or an answer: nothing panics, and no broken text consents or
//! changes anything.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{load, report, *};

/// Scraps of configs and answers, so that texts come near to being right.
fn scraps() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let words = prop::sample::select(vec![
        "[hook.a]\n", "[hook.b]\n", "[event.\"x.y\"]\n", "[source.\"~/x\"]\n", "on = ", "match = ", "if = ", "run = ", "shell = ",
        "timeout = ", "env = ", "test = ", "answers = ", "gate = true\n", "\"Bash(git *)\"\n", "[\"x\"]\n", "\"PreToolUse\"\n",
        "{ event = {}, expect = \"deny\" }\n", "5\n", "\"5s\"\n", "\"/(/\"\n", "\"\"\n", "[]\n", "{}\n", "true\n", "\n", "\u{feff}",
        "{\"decision\": ", "\"allow\"", "\"deny\"", "\"DENY\"", ", \"input\": {}", ", \"context\": \"c\"", "}", "[", "]", "\"", "{\"background\": true}\n",
        "{\"hookSpecificOutput\": ", "\"permissionDecision\": ", "{\"event\": \"Stop\"}", "\u{0}", "é",
    ]);
    prop_oneof![
        prop::collection::vec(words, 0..12).prop_map(|words| words.concat()),
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn configs_load_or_say_why(text in scraps()) {
        let read = load(&text);
        prop_assert!(read.diagnostics.iter().all(|diagnostic| diagnostic.help.is_some() && diagnostic.place.is_some()));
        let _ = read_cases_beside_hooks(&source(&text));
    }

    #[test]
    fn only_a_strict_object_changes_anything(text in scraps(), stderr in scraps(), exit in -1_i32..4) {
        let end = if exit < 0 { End::TimedOut } else { End::Exited(exit) };
        let answer = answer::read_answer(gate(), &report(end.clone(), &text, &stderr), false);
        let own = text.strip_prefix("{\"background\": true}\n").unwrap_or(&text);
        let strict = serde_json::from_str::<Map<String, Value>>(own.trim_start_matches('\u{feff}')).is_ok();
        let widens = answer.restraint == Restraint::Allow
            || answer.effects.updated_input.is_some()
            || !answer.effects.context.is_empty();
        prop_assert!(!widens || (strict && matches!(end, End::Exited(0 | 2))), "{text:?} {answer:?}");
        if end == End::Exited(2) {
            prop_assert_eq!(answer.restraint, Restraint::Deny);
        }
    }

    #[test]
    fn events_are_read_or_refused(text in scraps()) {
        if let Ok(object) = serde_json::from_str::<Map<String, Value>>(&text) {
            let _ = NATIVE.decode_event(&object, &Roots::default());
        }
    }
}
