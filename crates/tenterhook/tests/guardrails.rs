//! The pack `guardrails` does what it says: its rules hold on every attack of the tables in every
//! form, and are silent on ordinary work. The tables stand in `conformance/guardrails`, for other
//! engines too.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod pack;
mod tables;

use tenterhook_core::answer::Restraint;
use tenterhook_core::rule::Rule;

use pack::rules;
use tables::{Guard, judge};

const PACK: &str = "guardrails";

fn guards() -> Vec<Guard> {
    tables::guards(PACK, rules(PACK))
}

/// RU-18.
#[test]
fn ordinary_work_goes_on() {
    let ordinary = tables::ordinary(PACK);
    assert!(ordinary.len() >= 1000, "only {}", ordinary.len());
    let rules = rules(PACK);
    let mut held: Vec<String> = Vec::new();
    for (place, rule_input) in &ordinary {
        for (name, rule) in &rules {
            let said =
                judge(rule, rule_input).unwrap_or_else(|why| panic!("{name} on {place}: {why}"));
            if said != Restraint::Silent {
                held.push(format!("{name} on {place}"));
            }
        }
    }
    assert!(held.is_empty(), "{} of {}:\n{}", held.len(), ordinary.len(), held.join("\n"));
}

/// RU-37: no line that somebody would write comes near to what it may cost.
#[test]
fn ordinary_work_costs_little() {
    let asks =
        Rule::new("size(call.commands) + size(call.writes) + size(call.code) < 0").deny("no");
    for (place, rule_input) in tables::ordinary(PACK) {
        judge(&asks, &rule_input).unwrap_or_else(|why| panic!("{place}: {why}"));
        assert!(rule_input.steps_spent() < 20_000, "{place}: {} steps", rule_input.steps_spent());
    }
}

/// RU-18.
#[test]
fn every_attack_is_held_up_in_every_form() {
    let (lost, count) = tables::lost(&guards());
    assert!(count > 10_000, "only {count}");
    assert!(lost.is_empty(), "{} of {count}:\n{}", lost.len(), lost.join("\n"));
}

/// RU-18, RU-61, SP-52, SP-7, SP-80.
#[test]
fn innocent_neighbours_pass_their_rule() {
    let false_denials = tables::false_denials(&guards());
    assert!(false_denials.is_empty(), "{}:\n{}", false_denials.len(), false_denials.join("\n"));
}

#[test]
fn every_table_has_a_rule() {
    let mut tables: Vec<String> = tables::tables(PACK)
        .join("attacks")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    tables.sort();
    let mut rules: Vec<String> = guards().into_iter().map(|guard| guard.name).collect();
    rules.sort();
    assert_eq!(tables, rules);
}
