//! Tests of expressions over a line that cannot be read whole (RU-40 to RU-44).

use super::*;

/// The value of the expression in a gate; `None` where it is unknown.
fn value(when: &str, line: &str) -> Option<bool> {
    let rule = Rule::new(when).deny("no");
    assert_eq!(rule.check(), [], "{when}");
    let rule_input = RuleInput::new(&Arc::new(bash(line)));
    match rule.evaluate(&rule_input, Incomplete::Unknown, &|| true) {
        Ok(answer) => Some(answer.is_some()),
        Err(Unsettled::Failed(why)) => {
            assert!(why.contains("so there may be more than the rule sees"), "{when}: {why}");
            None
        }
        Err(other) => panic!("{when}: {other:?}"),
    }
}

/// Reads `ls` and writes `f`; the program `$X` is not known.
const LINE: &str = "ls > f; $X push";

/// RU-44.
#[test]
fn what_depends_on_the_unread_part_is_unknown() {
    for (when, expected) in [
        (r#"shell.commands.exists(c, c.program == "ls")"#, Some(true)),
        (r#"shell.commands.exists(c, c.program == "rm")"#, None),
        (r#"call.commands.exists(c, c.runs("git push"))"#, None),
        (r#"!call.commands.exists(c, c.runs("git push"))"#, None),
        (r#"call.commands.all(c, c.program == "ls")"#, Some(false)),
        (r#"shell.commands.all(c, c.text != "rm")"#, None),
        (r#"shell.programs.exists_one(p, p == "ls")"#, None),
        (r#"(shell.programs + shell.programs).exists_one(p, p == "ls")"#, Some(false)),
        (r#""ls" in shell.programs"#, Some(true)),
        (r#""rm" in shell.programs"#, None),
        (r#""rm" in shell.programs.filter(p, p != "ls")"#, None),
        (r#""src/f" in call.writes.map(w, w)"#, Some(true)),
        (r#""g" in (["a"] + call.writes)"#, None),
        ("size(call.writes) > 0", None),
        (r#"call.writes == ["f"]"#, None),
        (r#"["f"] != shell.writes"#, None),
        (r#"call.writes[0] == "f""#, None),
        (r#"call.writes.join(" ") == "f""#, None),
        ("has(call.writes)", Some(true)),
        ("has(call.hosts)", None),
        (r#"call.reads.exists(r, r == "x") ? true : false"#, None),
        (r#"shell.commands[0].args.exists(a, a == "x")"#, None),
        ("tool.kind == 'shell'", Some(true)),
    ] {
        assert_eq!(value(when, LINE), expected, "{when}");
    }
}

/// RU-40.
#[test]
fn true_wins_over_unknown_in_or_and_false_in_and() {
    let unknown = r#"call.hosts.exists(h, h == "x")"#;
    for (other, or, and) in [("true", Some(true), None), ("false", None, Some(false))] {
        for (left, right) in [(unknown, other), (other, unknown)] {
            assert_eq!(value(&format!("{left} || {right}"), LINE), or, "{left} || {right}");
            assert_eq!(value(&format!("{left} && {right}"), LINE), and, "{left} && {right}");
        }
    }
}

/// RU-43.
#[test]
fn line_that_is_read_whole_leaves_nothing_unknown() {
    for line in ["ls", "", "ls \"$X\" \"$@\" > \"$Y\"", "eval \"$(ssh-agent -s)\""] {
        for when in [r#"call.commands.exists(c, c.runs("git push"))"#, "size(call.hosts) == 9"] {
            assert_eq!(value(when, line), Some(false), "{when}: {line}");
        }
    }
}

/// RU-60.
#[test]
fn computed_word_in_the_place_of_a_subcommand_is_unknown() {
    let push = r#"call.commands.exists(c, c.runs("git push") && c.flag("-f"))"#;
    for line in
        ["git $X -f", "git \"$X\" origin -f", "git ${X} -f", "git $(cat x) -f", "git -C . $X -f"]
    {
        assert_eq!(value(push, line), None, "{line}");
    }
    for line in [
        "git $X origin",
        "git status $X -f",
        "git -C $X status -f",
        "X=status; git $X -f",
        "for X in status log; do git $X -f; done",
        "g() { git \"$@\" -f; }; g status",
        "hub2 $X -f",
    ] {
        assert_eq!(value(push, line), Some(false), "{line}");
    }
    for line in ["X=push; git $X -f", "git $X; git push -f"] {
        assert_eq!(value(push, line), Some(true), "{line}");
    }
}

/// RU-41.
#[test]
fn expression_that_asks_about_doubt_takes_the_lists_as_they_are() {
    for doubt in
        ["shell.complete", "shell.doubt == ''", "'hidden' in call.code", "!has(shell.doubt)"]
    {
        let when = format!(r#"{doubt} && call.commands.exists(c, c.runs("git push"))"#);
        assert_eq!(value(&when, LINE), Some(false), "{when}");
    }
}

/// RU-42.
#[test]
fn rule_that_only_adds_context_takes_the_lists_as_they_are() {
    let rule = Rule::new(r#"shell.commands.exists(c, c.program == "rm")"#).context("careful");
    let rule_input = RuleInput::new(&Arc::new(bash(LINE)));
    assert_eq!(rule.evaluate(&rule_input, Incomplete::Unknown, &|| true), Ok(None));
}

/// RU-42.
#[test]
fn text_of_a_rule_that_holds_shows_the_list_as_it_is() {
    let rule =
        Rule::new(r#""src/f" in call.writes"#).deny("it writes {call.writes}, {size(call.writes)}");
    let rule_input = RuleInput::new(&Arc::new(bash(LINE)));
    let answer = rule.evaluate(&rule_input, Incomplete::Unknown, &|| true).unwrap().unwrap();
    assert_eq!(answer.reason.as_deref(), Some("it writes src/f, 1"));
    assert_eq!(answer.failure, None);
}

#[test]
fn call_that_is_not_followed_to_its_end_is_incomplete() {
    let line: String = (0..80).map(|at| format!("ssh h{at} 'a{at} b'\n")).collect();
    let rule_input = RuleInput::new(&Arc::new(bash(&line)));
    let rule = Rule::new("'hidden' in call.code").deny("no");
    let is_cut =
        rule.evaluate_or_silent(&rule_input, &|| true).unwrap().restraint == Restraint::Deny;
    assert_eq!(value("'x' in call.writes", &line), (!is_cut).then_some(false));
}
