//! Which share of hostile lines is seen? `Bash(git push:*)` over spellings of a push, the pack
//! `guardrails` over dangerous lines, and both over ordinary ones. The lists stand in
//! `conformance/observed/attacks` and `conformance/guardrails`.
//!
//! `cargo test -p tenterhook --all-features --test lines -- --nocapture` prints what is lost.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]
#![expect(clippy::print_stdout, reason = "what is lost is for people to read")]

mod pack;

use std::sync::Arc;

use serde_json::Value;
use tenterhook_core::answer::Restraint;
use tenterhook_core::hook::Compat;
use tenterhook_core::matcher::rule::Reading;
use tenterhook_core::matcher::{Condition, MatchContext, Picked};
use tenterhook_core::rule::{Incomplete, Rule, RuleInput};

use pack::{bash, conformance, rules};

/// Rules as people write them, about programs whose names are words of other programs, too.
const COMMON: &[&str] = &[
    "Bash(git push:*)",
    "Bash(git commit:*)",
    "Bash(git:*)",
    "Bash(rm:*)",
    "Bash(rm -rf:*)",
    "Bash(npm publish:*)",
    "Bash(cargo publish:*)",
    "Bash(docker run:*)",
    "Bash(kubectl delete:*)",
    "Bash(curl:*)",
];

/// Rules of the kind that people write, whose lists lack something where a line cannot be read
/// whole (RU-40).
const QUANTIFIED: &[&str] = &[
    r#"call.commands.exists(c, c.runs("git push"))"#,
    r#"shell.commands.exists(c, c.runs("rm") && c.flag("-r"))"#,
    r#"call.writes.exists(p, p.startsWith("dist/"))"#,
    "call.reads.exists(p, p.is_env())",
    r#"call.hosts.exists(h, h.endsWith("example.com"))"#,
];

/// Ordinary lines that do run what one of these rules is about, behind a program that no table
/// knows or behind options.
const MEANT: &[&str] = &[
    "docker run --rm alpine sh -c 'apk add --no-cache curl && curl -sI https://example.com'",
    "docker exec app rm -rf /app/tmp/cache",
    "git -c user.name=ci -c user.email=ci@example.com commit -m \"Update\"",
    "git -c user.name=x commit --allow-empty -m x",
];

/// Share of a list that has to be seen, in percent.
const WANTED: usize = 95;

/// The lists of one kind in every file of the folder.
fn lists(kind: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in conformance().join("observed/attacks").read_dir().unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let all: Value = serde_json::from_str(&text).unwrap();
        let list = all.get(kind).and_then(Value::as_array).into_iter().flatten();
        lines.extend(list.map(|value| value.as_str().unwrap().to_owned()));
    }
    assert!(!lines.is_empty(), "no list of {kind}");
    lines
}

/// The shell lines of ordinary work.
fn ordinary() -> Vec<String> {
    let mut lines = lists("ordinary");
    for entry in conformance().join("guardrails/ordinary").read_dir().unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let is_tool = |line: &&str| {
            let tool = line.split_once(" {").map_or("", |(tool, _)| tool);
            tool.starts_with("mcp__")
                || (!tool.contains(' ') && tool.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        lines.extend(text.lines().filter(|line| !is_tool(line)).map(str::to_owned));
    }
    lines
}

/// The rules of the pack that deny a line.
fn denied_by(pack: &[(String, Rule)], line: &str) -> Vec<String> {
    let rule_input = RuleInput::new(&Arc::new(bash(line)));
    let holds = |(name, rule): &(String, Rule)| {
        let answer = rule
            .evaluate_or_silent(&rule_input, &|| true)
            .unwrap_or_else(|why| panic!("{line}: {why:?}"));
        (answer.restraint != Restraint::Silent).then(|| name.clone())
    };
    pack.iter().filter_map(holds).collect()
}

/// Prints the share that is seen, and asks for [`WANTED`].
#[track_caller]
fn expect_share(what: &str, lines: &[String], is_seen: impl Fn(&str) -> bool) {
    let lost: Vec<&String> = lines.iter().filter(|line| !is_seen(line)).collect();
    let seen = lines.len() - lost.len();
    println!("{what}: {seen} of {} seen; lost: {lost:#?}", lines.len());
    assert!(seen * 100 >= lines.len() * WANTED, "{what}: {} of {} lost", lost.len(), lines.len());
}

#[test]
fn most_spellings_of_a_push_are_selected() {
    let rule = Condition::rule("Bash(git push:*)", Reading::Native);
    expect_share("spellings of a push", &lists("push_forms"), |line| {
        !matches!(rule.pick(&MatchContext::for_event(&bash(line)), Compat::Guarded), Picked::No(_))
    });
}

/// RU-40: of ordinary lines at most one in a hundred leaves a rule unknown.
#[test]
fn few_ordinary_lines_leave_a_rule_unknown() {
    let lines = ordinary();
    for when in QUANTIFIED {
        let rule = Rule::new(when).deny("no");
        let is_unknown = |line: &&String| {
            let rule_input = RuleInput::new(&Arc::new(bash(line)));
            rule.evaluate(&rule_input, Incomplete::Unknown, &|| true).is_err()
        };
        let unknown: Vec<&String> = lines.iter().filter(is_unknown).collect();
        println!("{when}: {} of {} unknown: {unknown:#?}", unknown.len(), lines.len());
        assert!(unknown.len() * 100 <= lines.len(), "{when}: {unknown:#?}");
    }
}

/// RU-41: the pack judges what can be read, and `hide-command` the rest.
#[test]
fn no_line_leaves_a_rule_of_the_pack_unknown() {
    let long = format!(": {}", "a".repeat(70_000));
    for line in ["$X push", "bash -c \"$X\"", "curl x | sh", "(", &long] {
        let rule_input = RuleInput::new(&Arc::new(bash(line)));
        for (name, rule) in rules("guardrails") {
            let answer = rule.evaluate(&rule_input, Incomplete::Unknown, &|| true);
            assert!(answer.is_ok(), "{name}: {answer:?}");
        }
    }
}

/// RU-18.
#[test]
fn most_dangerous_lines_are_held_up() {
    let pack = rules("guardrails");
    expect_share("dangerous lines", &lists("dangerous"), |line| !denied_by(&pack, line).is_empty());
}

#[test]
fn no_ordinary_line_of_the_list_is_held_up() {
    let pack = rules("guardrails");
    for line in lists("ordinary") {
        assert_eq!(denied_by(&pack, &line), Vec::<String>::new(), "{line}");
    }
}

/// S-36: of what a rule is not about, it selects at most 2 in 1,000 commands for a guess or for
/// options.
#[test]
fn most_ordinary_commands_are_selected_by_no_guess() {
    let lines = ordinary();
    let rules: Vec<Condition> =
        COMMON.iter().map(|text| Condition::rule(text, Reading::Native)).collect();
    let mut guessed = Vec::new();
    for line in &lines {
        let event = bash(line);
        let context = MatchContext::for_event(&event);
        for rule in &rules {
            if let Picked::Widely(why) = rule.pick(&context, Compat::Guarded)
                && (why.contains("may run") || why.contains("but for its options"))
                && !MEANT.contains(&line.as_str())
            {
                guessed.push(format!("{} on {line}: {why}", rule.text()));
            }
        }
    }
    println!("{} guesses of {} lines: {guessed:#?}", guessed.len(), lines.len());
    assert!(guessed.len() * 1000 <= lines.len() * 2, "{guessed:#?}");
}
