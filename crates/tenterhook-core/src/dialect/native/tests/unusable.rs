//! The hooks that replace rejected entries (C-60 to C-62).

use super::*;
use crate::config::{Added, Ruleset, load as load_all};
use crate::event::{Event, Surroundings};
use crate::hook::{Arming, Layer};
use crate::plan;
use crate::settle::View;

fn ruleset(text: &str, layer: Layer) -> Ruleset {
    load_all(&[Source { layer, ..source(text) }], &Added::default(), None).ruleset
}

/// Whether the hook of a rejected entry is selected for a Bash call, and why.
fn weighed(entry: &str) -> Option<(bool, String)> {
    let ruleset = ruleset(entry, Layer::User);
    let mut event = Event::new("PreToolUse", Surroundings::default());
    let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    event.payload = payload.as_object().expect("an object").clone();
    let explained = plan::explain(&ruleset, &View::default(), &event);
    explained.into_iter().next().map(|(_, because)| (because.selected, because.because))
}

/// C-60, C-119.
#[test]
fn what_can_be_read_selects_and_what_cannot_widens() {
    let table = [
        ("match = 'Bash'", Some(true)),
        ("match = 'Read'", Some(false)),
        ("mtach = 'Read'", Some(true)),
        ("match = 'Re*d'", Some(true)),
        ("match = []", Some(true)),
        ("if = 'Bash(git *)'", Some(false)),
        ("if = 'Bash(git'", Some(true)),
        ("speaks = 'cluade'", Some(true)),
        ("enabled = false", Some(false)),
        ("enabled = 'no'", Some(true)),
        ("run = ['x']", Some(true)),
    ];
    for (line, expected) in table {
        let found =
            weighed(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\ntimeuot = '5s'\n{line}\n"));
        assert_eq!(found.map(|pair| pair.0), expected, "{line}");
    }
    let because = weighed("[hook.a]\non = ['PreToolUse', 5]\nshell = 'x'\n").expect("it is kept").1;
    assert_eq!(
        because,
        "its entry cannot be used (`on` is a string or an array of strings, not one that holds a number), so its failure policy decides"
    );
    assert_eq!(weighed("[hook.a]\nshell = 'x'\nenabled = false\n"), None);
}

/// C-61: what says no event that can be read may be a gate of any.
#[test]
fn an_entry_without_an_event_holds_calls() {
    for entry in [
        "[hook.a]\nshell = 'x'\n",
        "[hook.a]\non = 5\nshell = 'x'\n",
        "[hook.a]\non = []\nshell = 'x'\n",
        "[hook.a]\nonn = 'PreToolUse'\nshell = 'x'\n",
        "[hook.a]\non = ['Stop', 5]\nshell = 'x'\n",
        "[[hook]]\non = 'PreToolUse'\nshell = 'x'\n",
    ] {
        let held = ruleset(entry, Layer::User);
        let held = held
            .hooks()
            .iter()
            .filter(|hook| hook.is_hold_for_unread_file())
            .map(|hook| hook.event.as_str());
        assert_eq!(held.collect::<Vec<_>>(), CALLS, "{entry}");
    }
    let fine = ruleset("[hook.a]\non = 'Stop'\nshell = 'x'\ntimeuot = 1\n", Layer::User);
    assert!(fine.hooks().iter().all(|hook| !hook.is_hold_for_unread_file()));
}

/// C-60: if a mistake blocked every prompt, the user could not repair the file with an agent.
#[test]
fn a_mistake_holds_up_calls_and_events_of_ones_own_and_no_prompt() {
    let of = |event: &str| {
        let text = format!(
            "[event.'my.gate']\ngate = true\n[hook.a]\non = '{event}'\ntimeuot = 1\n\
            on_failure = 'block'\nshell = 'x'\n"
        );
        load(&text).hooks[0].on_failure
    };
    for held in CALLS.iter().chain(&["my.gate"]) {
        assert_eq!(of(held), Some(OnFailure::Block), "{held}");
    }
    for free in ["UserPromptSubmit", "TurnStart", "Stop", "SubagentStop", "ConfigChange"] {
        assert_eq!(of(free), Some(OnFailure::Continue), "{free}");
    }
}

const CALLS: [&str; 3] = ["PreToolUse", "PermissionRequest", "PreModelCall"];

/// C-60, C-120.
#[test]
fn a_name_or_a_table_that_is_wrong_loses_no_gate() {
    for (text, name) in [
        ("[hook.'no push!']\non = 'PreToolUse'\nshell = 'x'\n", "no-push"),
        ("[hook.'…']\non = 'PreToolUse'\nshell = 'x'\n", "unnamed"),
        ("[hooks.guard]\non = 'PreToolUse'\nshell = 'x'\n", "guard"),
        ("[guards.push]\non = 'PreToolUse'\nshell = 'x'\n", "push"),
        ("[guard]\non = 'PreToolUse'\nshell = 'x'\n", "guard"),
        ("[[hooks]]\non = 'PreToolUse'\nshell = 'x'\n", "hooks-1"),
        ("[[guard]]\non = 'PreToolUse'\nshell = 'x'\n", "guard-1"),
    ] {
        let read = load(text);
        assert_eq!(read.diagnostics.len(), 1, "{text}");
        let names: Vec<_> =
            read.hooks.iter().filter(|hook| unusable(hook)).map(|hook| hook.id.as_str()).collect();
        assert_eq!(names, [name]);
    }
    let twice = r#"{"hook": {"a": {"on": "Stop", "shell": "x"},
        "a": {"on": "PreToolUse", "on": "Stop", "match": "A", "match": "B", "shell": "y"}}}"#;
    let read = load(twice);
    let kept: Vec<_> = read
        .hooks
        .iter()
        .map(|hook| (hook.event.as_str(), hook.matcher.spec(), unusable(hook)))
        .collect();
    let any = &MatcherSpec::Any;
    assert_eq!(kept, [("Stop", any, false), ("PreToolUse", any, true), ("Stop", any, true)]);
}

/// C-60.
#[test]
fn the_policy_of_the_entry_stands_where_it_can_be_read() {
    let of = |line: &str| {
        let text = format!("[hook.a]\non = 'PreToolUse'\ntimeuot = 1\nshell = 'x'\n{line}\n");
        load(&text).hooks[0].on_failure
    };
    assert_eq!(of("on_failure = 'ask'"), Some(OnFailure::Ask));
    assert_eq!(of("on_failure = 'blcok'"), None);
    assert_eq!(of("speaks = 'claude'\non_failure = 'promised'"), Some(OnFailure::Block));
    let off = load("[hook.a]\non = 'PreToolUse'\nenabled = false\n");
    assert_ne!(off.hooks[0].arming, Arming::Armed);
}

/// C-72: in every layer, until the file was read once without an error (C-3).
#[test]
fn a_file_that_cannot_be_read_holds_calls() {
    for layer in [Layer::Managed, Layer::User, Layer::Project] {
        let gates = ruleset("[hook", layer);
        let events: Vec<_> = gates.hooks().iter().map(|hook| hook.event.as_str()).collect();
        assert_eq!(events, CALLS);
        assert!(gates.hooks().iter().all(|hook| hook.layer == layer && hook.on_failure.is_none()));
    }
    let good = ruleset("[hook.a]\non = 'Stop'\nshell = 'x'\n", Layer::Managed);
    let broken = Source { layer: Layer::Managed, ..source("[hook") };
    let kept = load_all(&[broken], &Added::default(), Some(&good)).ruleset;
    assert_eq!(kept.hooks().iter().map(|hook| hook.id.as_str()).collect::<Vec<_>>(), ["a"]);
}

/// C-71: entries that are whole live, one that is torn is one that cannot be used, and what reads
/// whole holds nothing more. C-40.
#[test]
fn of_a_torn_file_every_whole_entry_lives() {
    let good = "[hook.good]\non = 'PreToolUse'\nshell = 'x'\n";
    let lives = |rest: &str| {
        let ruleset = ruleset(&format!("{good}{rest}"), Layer::User);
        let mut hooks = ruleset.hooks().iter();
        let first = hooks.next().expect("a hook");
        assert_eq!((first.id.as_str(), unusable(first)), ("good", false), "{rest}");
        let (holds, others): (Vec<_>, Vec<_>) =
            hooks.partition(|hook| hook.is_hold_for_unread_file());
        let others = others.iter().map(|other| (other.event.to_string(), unusable(other)));
        (others.collect::<Vec<_>>(), holds.len())
    };
    let stop = |unusable| vec![("Stop".to_owned(), unusable)];
    let doubled = "[hook.b]\non = 'Stop'\nshell = 'x'\n[hook.b]\non = 'PreToolUse'\nshell = 'y'\n";
    let both = [stop(false), vec![("PreToolUse".to_owned(), true)]].concat();
    assert_eq!(lives(doubled), (both, 0));
    assert_eq!(lives("[hook.b]\non = 'Stop'\non = 'Stop'\nshell = 'x'\n"), (stop(true), 0));
    for torn in [
        "[hook.b]\non = 'Stop'\nshell = \"x",
        "[hook.b]\non = 'Stop'\nshell =\n",
        "[hook.b]\non = 'Stop'\nrun = ['x',\n",
        "[hook.b]\non = 'Stop'\nonce = true\n<<<<<<< HEAD\nshell = 'x'\n",
        "[hook.b]\non = 'Stop'\nshell = '''\n[hook.c]\non = 'Setup'\nshell = 'no'\n",
        "[hook.b]\non = 'Stop'\nshell = 'x'\n[hook.b.env]\nA = \n",
    ] {
        assert_eq!(lives(torn), (stop(true), 3), "{torn}");
    }
    for torn in ["[hook.b\non = 'Stop'\nshell = 'x'\n", "[hook.b]\non = ", "["] {
        assert_eq!(lives(torn), (Vec::new(), 3), "{torn}");
    }
}

/// C-62.
#[test]
fn a_declaration_that_cannot_be_used_keeps_its_gates() {
    let gate = |lines: &str| {
        let read = load(&format!("[event.'deploy.before']\n{lines}\n"));
        assert_eq!(read.diagnostics.len(), 1, "{lines}");
        let row = &read.events[0];
        assert!(!row.powers.has(Power::Allow), "{lines}");
        row.failure == OnFailure::Block && row.powers.has(Power::Deny)
    };
    for doubtful in ["gate = true\ntimeout = 5", "gaet = true", "gate = 1", "answers = ['dney']"] {
        assert!(gate(doubtful), "{doubtful}");
    }
    assert!(gate("gate = true\nanswers = ['ask']"));
    for clear in ["subject = 5", "gate = false\ntimeout = 5"] {
        assert!(!gate(clear), "{clear}");
    }
}

#[test]
fn rule_that_the_matcher_excludes_is_reported() {
    let finding = |selects: &str| {
        let read = load(&format!("[hook.a]\non = 'PreToolUse'\nshell = 'x'\n{selects}\n"));
        read.diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code.name(), diagnostic.message.clone()))
            .collect::<Vec<_>>()
    };
    let message = "`match` lets no `Edit` through, so this rule never holds".to_owned();
    assert_eq!(finding("match = 'Bash'\nif = 'Edit(x)'"), [("dead-condition", message)]);
    for fine in ["match = 'Bash|Edit'", "match = '/Ed/'", "match = ['Edit']", ""] {
        assert_eq!(finding(&format!("{fine}\nif = 'Edit(x)'")), []);
    }
}

/// C-17: a file of one name is read in the time of any other; its entries would be counted anew for
/// each, which is hours for a large one.
#[test]
fn many_entries_of_one_name_are_set_apart_in_their_order() {
    const MANY: usize = 12_000;
    let text = "[hook.a]\non = ['Stop', 'PreToolUse']\nshell = 'x'\n".repeat(MANY);
    let loaded = crate::config::load(&[source(&text)], &crate::config::Added::default(), None);
    let mut ids: Vec<&str> = loaded.ruleset.hooks().iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(&ids[..6], ["a", "a", "a@given", "a@given", "a@given.2", "a@given.2"]);
    ids.dedup();
    assert_eq!(ids.len(), MANY);
    assert_eq!(ids.last(), Some(&&*format!("a@given.{}", MANY - 1)));
}

/// C-40: what an editor puts before a text does not make it another format.
#[test]
fn json_behind_a_byte_order_mark_is_json() {
    let read = load("\u{feff}{\"hook\": {\"a\": {\"on\": \"Stop\", \"shell\": \"x\"}}}");
    let codes: Vec<_> = read.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
    assert_eq!((codes.as_slice(), read.hooks.len()), (&["not-strict-json"][..], 1));
}
