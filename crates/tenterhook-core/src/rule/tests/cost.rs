//! What a rule may cost is known before it is spent (RU-4, RU-31 to RU-36). Steps are counted; no clock is looked at.

use proptest::prelude::*;

use super::*;
use crate::event::meter::MOST_OF_EVENT;
use crate::rule::eval::MOST_STEPS;
use crate::rule::search::{Search, Written};

/// RU-39: together the rules of an event cost at most what one event may; a rule that is cut is a separate fault, and a rule that
/// costs little still answers.
#[test]
fn what_the_rules_of_an_event_cost_is_bounded_and_disarms_none() {
    let rule_input = RuleInput::new(&Arc::new(large()));
    let costly = Rule::new("payload.words.exists(w, payload.words.exists(v, v == w + '!'))");
    let costly = costly.deny("no");
    let cheap = Rule::new("tool.name == 'Bash'").deny("cheap");
    for at in 0..3 * MOST_OF_EVENT / MOST_STEPS {
        let Err(Unsettled::TooCostly(why)) = costly.evaluate_or_silent(&rule_input, &|| true)
        else {
            panic!("rule {at} was not cut");
        };
        let of_event = why.contains("asked of the event");
        assert_eq!(of_event, at >= MOST_OF_EVENT / MOST_STEPS, "rule {at}: {why}");
        let answer = cheap.evaluate_or_silent(&rule_input, &|| true).unwrap();
        assert_eq!(answer.restraint, Restraint::Deny);
    }
    assert!(rule_input.step_account().spent_steps() < MOST_OF_EVENT + MOST_OF_EVENT / 4);
}

/// An event with much of everything.
fn large() -> Event {
    let words: Vec<String> = (0..3000).map(|at| format!("w{at}")).collect();
    let fields: serde_json::Map<String, Value> =
        words.iter().map(|word| (word.clone(), json!(1))).collect();
    let line = format!("{} {}", "a -b > f; ".repeat(2000), "x ".repeat(4000));
    bash(&line)
        .with("words", words.clone())
        .with("fields", fields)
        .with("numbers", vec![7; 3000])
        .with("text", "ab".repeat(2000))
        .with("mixed", mixed(50_000))
}

fn long_paths() -> Event {
    call("X", json!({ "paths": vec![1; 3000], "file_paths": vec![2; 3000], "text": "x" }))
        .with("words", vec!["w"; 3000])
}

/// So many of the same, one behind the other.
fn chain(start: &str, link: &str, times: usize) -> String {
    format!("{start}{}", link.repeat(times))
}

fn is_given_up(rule: &Rule, event: Event, name: &str) {
    let answer = judge(rule, event);
    assert!(matches!(answer, Err(Unsettled::TooCostly(_))), "{name}: {answer:?}");
}

/// Each of these does more behind a name or an operator than it shows.
/// RU-32.
#[test]
fn whatever_multiplies_is_given_up() {
    for when in [
        // Lists that are put together for every element of a second list.
        "payload.fields.exists(a, payload.fields.exists(b, true) && false)",
        "payload.words.exists(w, size(shell.reads) > 0)",
        "payload.words.exists(w, size(shell.writes) > 9)",
        "payload.words.exists(w, size(shell.programs) == 0)",
        "payload.words.exists(w, size(call.writes + call.writes) == 7) || \
         payload.words.exists(w, size(shell.commands + shell.commands) == 7)",
        "shell.commands.filter(c, c.program == 'x')[0].words.exists(w, \
         size(shell.commands.filter(c, c.program == 'x')[0].operands) == 0)",
        "payload.words.exists(w, payload.words == payload.words && false)",
        "shell.commands.exists(c, shell.commands.exists(d, c == d && cwd == 'elsewhere'))",
        // Objects of a rule are looked through.
        "[payload.fields.with({'y': 1})].exists(m, payload.words.exists(w, m[w] == 2))",
        "[payload.fields.with({'y': 1})].exists(m, payload.words.exists(w, !(w in m)))",
        "[payload.fields.with({'y': 1})].exists(m, payload.words.exists(w, !has(m.w2999)))",
        // Texts and lists that grow.
        &format!("size({}) == 0", chain("[payload.text]", ".map(a, a + a)", 30)),
        &format!("size({}) == 0", chain("[payload.words]", ".map(a, a + a)", 40)),
        "payload.text.replace('a', payload.text).replace('a', payload.text) == ''",
        "payload.text.replace('', payload.text).replace('', payload.text) == ''",
        "payload.words.map(w, payload.text).join(payload.text).replace('a', payload.text) == ''",
        "payload.words.exists(w, size(payload.text.split('')) == 1)",
        "payload.words.exists(w, size(payload.text.split('a')) == 1)",
        "payload.words.exists(w, payload.text.lower().upper() == '')",
        // One list many times over: small to keep, endless to compare or to write.
        &format!("{l} == {l}", l = chain("[[1]]", ".map(a, [a, a])", 25)),
        &format!("string({}) == ''", chain("[[1]]", ".map(a, [a, a])", 50)),
        &format!("string({}) == ''", chain("[[1]]", ".map(a, {'x': a, 'y': a})", 30)),
        // Patterns.
        "payload.mixed.matches('(a|b)*a(a|b){300}c')",
        "payload.mixed.find('(a|b)*a(a|b){300}c') != ''",
        "payload.words.exists(w, payload.text.matches('a{900}'))",
        "payload.words.exists(w, carries_secret(payload.text))",
        "payload.words.exists(w, w.matches(w + w))",
        "payload.words.exists(w, w.glob(w + w))",
        "payload.words.exists(w, is_vital(payload.text))",
    ] {
        is_given_up(&Rule::new(when).deny("no"), large(), when);
    }
    for when in [
        "payload.words.exists(w, size(tool.paths) > 0)",
        "payload.words.exists(w, tool.path == 'x')",
    ] {
        is_given_up(&Rule::new(when).deny("no"), long_paths(), when);
    }
    let endless = chain("[[1]]", ".map(a, [a, a])", 50);
    is_given_up(&Rule::new("true").rewrite(&format!("{{'x': {endless}}}")), large(), "rewrite");
}

/// RU-4: the message is cut, however much there would be to say.
#[test]
fn a_text_without_an_end_is_cut() {
    let endless = chain("[[1]]", ".map(a, [a, a])", 50);
    let answer = judge(&Rule::new("true").deny(&format!("{{{endless}}}")), bash("ls")).unwrap();
    assert_eq!(answer.reason.map(|reason| reason.len()), Some(16 * 1024));
    let letters = json!({ "letters": "é".repeat(9000) });
    let said = Rule::new("true").deny("x{tool.input.letters}y");
    let reason = judge(&said, call("X", letters)).unwrap().reason.unwrap();
    assert!(reason.len() <= 16 * 1024 && reason.ends_with('é'), "{}", reason.len());
}

/// RU-4: each expression of a text is parsed, and a text has room for thousands.
#[test]
fn a_text_has_few_expressions() {
    let code =
        |text: &str| Rule::new("true").deny(text).check().first().map(|flaw| flaw.code.name());
    assert_eq!(code(&"{cwd}".repeat(32)), None);
    assert_eq!(code(&"{cwd}".repeat(33)), Some("rule-too-costly"));
    assert_eq!(code(&"x".repeat(16 * 1024 + 1)), Some("rule-too-costly"));
}

/// RU-36: a rule with a pattern from the event pays for its length, and the fault says so.
#[test]
fn a_pattern_from_the_event_is_bounded() {
    let with = |pattern: String| call("X", json!({ "pattern": pattern, "text": "aaa" }));
    let rule = Rule::new("tool.input.text.matches(tool.input.pattern)").deny("no");
    assert_eq!(judge(&rule, with("a+".to_owned())).unwrap().restraint, Restraint::Deny);
    let Err(Unsettled::TooCostly(why)) = judge(&rule, with("a".repeat(900_000))) else {
        panic!("not given up");
    };
    assert!(why.ends_with("has at most 1024 bytes, and this one has 900000"), "{why}");
    for pattern in ["((a{90}){90}){90}", r"(\w{50}){9}", "(?i)\\pL{99}"] {
        let answer = judge(&rule, with(pattern.to_owned()));
        assert!(matches!(answer, Err(Unsettled::Failed(_))), "{pattern}: {answer:?}");
    }
    let nest = format!("{}a{}", "(".repeat(500), ")".repeat(500));
    assert!(matches!(judge(&rule, with(nest)), Err(Unsettled::Failed(_))));
    let glob = Rule::new("tool.input.text.glob(tool.input.pattern)").deny("no");
    assert!(matches!(judge(&glob, with("*".repeat(2000))), Err(Unsettled::TooCostly(_))));
}

/// A megabyte is no bomb: what rules ask of large texts in earnest costs a part of what they have.
/// RU-32.
#[test]
fn large_texts_are_read() {
    let text = "a line of some log, as they come: 12 passed; 0 failed\n".repeat(20_000);
    let write = call("Write", json!({ "file_path": "x", "content": text }));
    for (when, holds) in [
        (r"tool.text.matches('(?i)\\berror\\b|warning')", false),
        ("tool.text.find('[1-9][0-9]* failed') == ''", true),
        ("tool.text.contains('no such thing') || tool.text.endsWith('x')", false),
        ("carries_secret(tool.text)", false),
        ("size(tool.text.split('\\n')) == 20001", true),
    ] {
        let answer = judge(&Rule::new(when).deny("no"), write.clone()).unwrap();
        assert_eq!(answer.restraint == Restraint::Deny, holds, "{when}");
    }
}

#[test]
fn a_text_falls_apart_into_its_characters() {
    for when in [
        "'a'.split('') == ['a']",
        "''.split('') == []",
        "'aé'.split('') == ['a', 'é']",
        "'a,b,'.split(',') == ['a', 'b', '']",
        "tool.command.lower().split('') == ['l', 's']",
    ] {
        assert!(holds(when, &bash("ls")), "{when}");
    }
}

/// `a` and `b` in an order that never comes again.
fn mixed(length: usize) -> String {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    };
    (0..length).map(|_| next()).collect()
}

/// What a search finds, whether it says that there is something, and what both cost.
fn search(pattern: &str, text: &str) -> (Option<String>, bool, usize) {
    let search = Search::compile(pattern, Written::InRule).unwrap();
    let spent = std::cell::Cell::new(0);
    let spend = |steps| {
        spent.set(spent.get() + steps);
        Ok(())
    };
    let found = search.find_first(text, &spend).unwrap().map(str::to_owned);
    (found, search.is_match(text, &spend).unwrap(), spent.get())
}

/// RU-33.
#[test]
fn a_search_costs_what_its_pattern_makes_of_the_text() {
    let text = "ab".repeat(50_000);
    let (_, _, plain) = search("abc", &text);
    assert!(plain < text.len(), "{plain}");
    let mixed = mixed(20_000);
    let (_, _, states) = search("(a|b)*a(a|b){300}c", &mixed);
    assert!(states > MOST_STEPS, "{states}");
    let (_, _, slow) = search(r"\b(a|b){300}c\b", &format!("é{mixed}"));
    assert!(slow > MOST_STEPS / 2, "{slow}");
}

const PIECES: &[&str] = &[
    "a",
    "b",
    ".",
    "\\w",
    "\\b",
    "^",
    "$",
    "(a|bc)",
    "[^a]",
    "\\s",
    "é",
    "(?i)B",
    "x*",
    "\\B",
    "a{2,3}",
    "(?-u:\\b)",
    "a*?",
    "\\d+",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The counted search finds what the `regex` crate finds.
    /// RU-33.
    #[test]
    fn a_counted_search_finds_the_same(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..6),
        text in "[abBcx é\n1]{0,40}",
    ) {
        let pattern = pieces.concat();
        if let Ok(regex) = regex::Regex::new(&pattern) {
            let expected = regex.find(&text).map(|regex| regex.as_str().to_owned());
            let (found, is_in, _) = search(&pattern, &text);
            prop_assert_eq!(is_in, expected.is_some(), "{}", &pattern);
            prop_assert_eq!(found.unwrap_or_default(), expected.unwrap_or_default(), "{}", pattern);
        }
    }
}
