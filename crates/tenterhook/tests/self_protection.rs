//! The pack `self-protection` does what it says: its rules hold on every attempt of the tables in every form, and are silent
//! on ordinary work. The tables stand in `conformance/self-protection`, for other engines too.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod pack;
mod tables;

use std::sync::Arc;

use tenterhook::answer::Restraint;
use tenterhook::protect;
use tenterhook::rule::{Files, Rule, RuleInput};

use tables::{Guard, says};

fn rules() -> Vec<(String, Rule)> {
    pack::rules(protect::NAME)
}

fn guards() -> Vec<Guard> {
    tables::guards(protect::NAME, rules())
}

/// Patches beside the project are about its sources; elsewhere there are none.
#[derive(Debug)]
struct Patches;

impl Files for Patches {
    fn text(&self, path: &str) -> Option<String> {
        let own = path.strip_prefix("/home/u/project/").is_some_and(|it| it.ends_with(".patch"));
        own.then(|| "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n".to_owned())
    }

    fn behind_links(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix("/home/u/project/link")?;
        Some(format!("/home/u/project/.claude{rest}"))
    }
}

/// What the whole pack says of a call.
fn pack_says(rules: &[(String, Rule)], rule_input: &RuleInput) -> Option<String> {
    let said = |(name, rule): &(String, Rule)| {
        let said = says(rule, rule_input).unwrap_or_else(|why| panic!("{name}: {why}"));
        (said != Restraint::Silent).then(|| name.clone())
    };
    rules.iter().find_map(said)
}

#[test]
fn every_attempt_is_denied_in_every_form() {
    let (lost, count) = tables::lost(&guards());
    assert!(count > 5_000, "only {count}");
    assert!(lost.is_empty(), "{} of {count}:\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn innocent_neighbours_pass_their_rule() {
    let held = tables::held(&guards());
    assert!(held.is_empty(), "{}:\n{}", held.len(), held.join("\n"));
}

/// What is ordinary for guardrails is ordinary here.
#[test]
fn ordinary_work_goes_on() {
    let rules = rules();
    let mut ordinary = tables::ordinary("guardrails");
    ordinary.extend(tables::ordinary(protect::NAME));
    let ordinary: Vec<(String, RuleInput)> =
        ordinary.into_iter().map(|(place, it)| (place, it.looking(Arc::new(Patches)))).collect();
    let held: Vec<String> = ordinary
        .iter()
        .filter_map(|(place, it)| pack_says(&rules, it).map(|name| format!("{name} on {place}")))
        .collect();
    assert!(held.is_empty(), "{} of {}:\n{}", held.len(), ordinary.len(), held.join("\n"));
}

/// Nothing here asks: some agents cannot, and others answer by themselves.
#[test]
fn every_rule_denies() {
    for (name, rule) in rules() {
        assert!(rule.text(tenterhook::rule::Part::Deny).is_some(), "{name}");
        assert!(rule.text(tenterhook::rule::Part::Ask).is_none(), "{name}");
    }
}

/// SP-9: a link is where it leads.
#[test]
fn a_link_to_a_guard_is_the_guard() {
    let (rules, files) = (rules(), Arc::new(Patches));
    let write = |path: &str| {
        let input = serde_json::json!({ "file_path": path, "content": "{}" });
        let event = Arc::new(pack::call("Write", input));
        pack_says(&rules, &RuleInput::of(&event).looking(files.clone()))
    };
    assert!(write("link/settings.json").is_some());
    assert!(write("link/notes.md").is_none() && write("src/settings.json").is_none());
}

/// SP-4: what names no guard and hides nothing is not even read.
#[test]
fn most_ordinary_calls_are_not_read() {
    let (rules, ordinary) = (rules(), tables::ordinary("guardrails"));
    let is_read = |it: &&(String, RuleInput)| {
        pack_says(&rules, &it.1);
        it.1.spent() > 0
    };
    let read = ordinary.iter().filter(is_read).count();
    assert!(read * 3 < ordinary.len(), "{read} of {}", ordinary.len());
}
