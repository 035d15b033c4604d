//! When a condition holds, how surely, and what it says where it does not.

use serde_json::json;

use super::*;
use crate::event::Surroundings;

fn bash(command: &str) -> Event {
    Event::new("PreToolUse", Surroundings::default())
        .with("tool_name", "Bash")
        .with("tool_input", json!({"command": command}))
}

#[test]
fn only_a_line_that_matches_wholly_may_carry_an_allow() {
    let condition = Condition::rule("Bash(git *)", Reading::Claude);
    let pick =
        |command: &str, compat| condition.pick(&MatchContext::for_event(&bash(command)), compat);
    for (command, guarded, exact) in [
        ("git status", "exactly", "exactly"),
        ("git status; rm -rf x", "widely", "exactly"),
        ("sudo git status", "widely", "no"),
        ("ls", "no", "no"),
    ] {
        for (compat, expected) in [(Compat::Guarded, guarded), (Compat::Exact, exact)] {
            let picked = match pick(command, compat) {
                Picked::No(_) => "no",
                Picked::Exactly => "exactly",
                Picked::Widely(_) => "widely",
                Picked::Failed(_) => "failed",
            };
            assert_eq!(picked, expected, "{command} {compat:?}");
        }
    }
}

#[test]
fn a_test_of_a_dialect_and_a_rule_hold_together_or_not_at_all() {
    let named = |text: &str| {
        Condition::custom(text, |event| match event.text("tool_name") {
            Some("Bash") => Picked::Exactly,
            _ => Picked::No("it is not a shell command".to_owned()),
        })
    };
    let rule = Condition::rule("Bash(git *)", Reading::Claude);
    let both = Condition::all(vec![named("shell"), rule]).expect("two of them");
    assert_eq!(both.text(), "shell and Bash(git *)");
    let pick = |command: &str| both.pick(&MatchContext::for_event(&bash(command)), Compat::Guarded);
    assert_eq!(pick("git status"), Picked::Exactly);
    assert!(matches!(pick("git status; ls"), Picked::Widely(_)));
    assert!(matches!(pick("ls"), Picked::No(_)));
    assert!(Condition::all(Vec::new()).is_none());
}

/// S-58, S-59.
#[cfg(feature = "rule")]
#[test]
fn an_expression_selects_and_one_without_a_value_fails() {
    let pick = |when: &str, command: &str| {
        let condition = Condition::when(Expression::new(when));
        condition.pick(&MatchContext::for_event(&bash(command)), Compat::Guarded)
    };
    let git = "shell.commands.exists(c, c.program == 'git')";
    assert_eq!(pick(git, "git status"), Picked::Exactly);
    for line in ["git status; rm -rf x", "git status | sh", "git log $(x)", "git log \"$(x\""] {
        assert!(matches!(pick(git, line), Picked::Widely(_)), "{line}");
    }
    assert!(matches!(pick(git, "ls"), Picked::No(_)));
    for when in ["tool.input.x == 1", "tool.nme == 'x'", "payload.words.exists(w, true)"] {
        assert!(matches!(pick(when, "ls"), Picked::Failed(_)), "{when}");
    }
}

/// A false test decides before an unknown one, and that before one that holds widely.
/// S-59.
#[test]
fn of_several_conditions_the_surest_decides() {
    let no = || Picked::No("no".to_owned());
    let wide = || Picked::Widely("wide".to_owned());
    let failed = || Picked::Failed("failed".to_owned());
    let yes = || Picked::Exactly;
    for (parts, of_all, of_any) in [
        (vec![yes(), wide()], wide(), yes()),
        (vec![yes(), failed(), wide()], failed(), yes()),
        (vec![wide(), failed()], failed(), wide()),
        (vec![failed(), wide()], failed(), wide()),
        (vec![failed(), no()], no(), failed()),
        (vec![no(), failed()], no(), failed()),
    ] {
        assert_eq!(combine_all(parts.clone().into_iter()), of_all, "{parts:?}");
        assert_eq!(combine_any(parts.clone().into_iter()), of_any, "{parts:?}");
    }
}

/// C-76: it is asked what this build can evaluate, however deep it lies.
#[test]
fn an_expression_is_found_wherever_it_lies() {
    let rule = || Condition::rule("Bash(git *)", Reading::Claude);
    let custom = || Condition::custom("shell", |_| Picked::Exactly);
    let when = || Condition::when(Expression::new("true"));
    let all = |parts| Condition::all(parts).expect("two of them");
    for (condition, asks) in [
        (rule(), false),
        (custom(), false),
        (when(), true),
        (all(vec![rule(), custom()]), false),
        (all(vec![rule(), when()]), true),
        (Condition::any("x", vec![rule(), custom()]), false),
        (Condition::any("x", vec![custom(), all(vec![rule(), when()])]), true),
    ] {
        assert_eq!(condition.contains_expression(), asks, "{condition:?}");
    }
}

/// S-52, S-55: `~` is the home that the event names, else the one that the configuration was read with.
#[test]
fn the_home_of_the_event_comes_before_that_of_the_configuration() {
    let condition = Condition::rule("Read(~/x)", Reading::Claude)
        .with_base_and_home(Path::new("/p"), Path::new("/home/configured"));
    let holds = |home: &str, file: &str| {
        let within = Surroundings { home: home.into(), ..Surroundings::at("/p") };
        let event = Event::new("PreToolUse", within)
            .with("tool_name", "Read")
            .with("tool_input", json!({ "file_path": file }));
        condition.pick(&MatchContext::for_event(&event), Compat::Exact) == Picked::Exactly
    };
    assert!(holds("/home/named", "/home/named/x"));
    assert!(!holds("/home/named", "/home/configured/x"));
    assert!(holds("", "/home/configured/x"));
}

#[test]
fn what_is_no_rule_never_holds_and_says_why() {
    let condition = Condition::rule("Bash(", Reading::Claude);
    let picked = condition.pick(&MatchContext::for_event(&bash("git")), Compat::Guarded);
    assert_eq!(picked, Picked::No("the parenthesis of `Bash` is not closed".to_owned()));
    assert!(condition.fault().is_some());
}

/// S-41: what people read of a rule that does not hold, or holds widely.
#[test]
fn a_rule_says_why_it_does_not_hold_or_only_widely() {
    for (rule, command, compat, text) in [
        ("Read(a)", "ls", Compat::Guarded, "it is about another tool"),
        ("Bash(git *)", "ls", Compat::Guarded, "nothing in the call matches it"),
        ("Bash(git push *)", "git $X", Compat::Guarded, "an expansion may make it match"),
        ("Bash(git push *)", "git $X", Compat::Exact, ""),
        ("Bash(git *)", "find . -exec git status", Compat::Guarded, "the command stands "),
        (
            "Bash(git push *)",
            "frob git push x",
            Compat::Guarded,
            "`frob` may run the command that matches",
        ),
        (
            "Bash(git push *)",
            "frob git push x",
            Compat::Exact,
            "`frob` may run the command that matches, which the agent does not look behind",
        ),
        (
            "Bash(git push *)",
            "PROMPT_COMMAND='git push'",
            Compat::Guarded,
            "the line sets what a program runs by itself",
        ),
    ] {
        let condition = Condition::rule(rule, Reading::Claude);
        let picked = condition.pick(&MatchContext::for_event(&bash(command)), compat);
        let found = match &picked {
            Picked::No(why) | Picked::Widely(why) | Picked::Failed(why) => why.as_str(),
            Picked::Exactly => "",
        };
        let is_said = if text.is_empty() { found.is_empty() } else { found.starts_with(text) };
        assert!(is_said, "{rule} {command} {compat:?}: {picked:?}");
    }
}

/// S-55: `/` is where the rule's file lies, and `~` a home where the event names none.
#[test]
fn a_rule_is_held_against_paths_from_where_it_stands() {
    let read = |path: &str| {
        Event::new("PreToolUse", Surroundings::at("/elsewhere"))
            .with("tool_name", "Read")
            .with("tool_input", json!({"file_path": path}))
    };
    for (rule, path, holds) in [
        ("Read(/src/**)", "/base/src/a", true),
        ("Read(/src/**)", "/elsewhere/src/a", false),
        ("Read(~/.ssh/**)", "/h/.ssh/id", true),
        ("Read(~/.ssh/**)", "/base/.ssh/id", false),
    ] {
        let condition = Condition::rule(rule, Reading::Native)
            .with_base_and_home("/base".as_ref(), "/h".as_ref());
        let picked = condition.pick(&MatchContext::for_event(&read(path)), Compat::Guarded);
        assert_eq!(picked == Picked::Exactly, holds, "{rule} {path}: {picked:?}");
    }
}

/// A tool that has another name now is meant by its old one.
#[test]
fn a_rule_holds_for_the_old_name_of_a_tool() {
    let event = Event::new("PreToolUse", Surroundings::default())
        .with("tool_name", "Agent")
        .with("tool_input", json!({"prompt": "p"}));
    let condition = Condition::rule("Task", Reading::Native);
    let pick =
        |condition: &Condition| condition.pick(&MatchContext::for_event(&event), Compat::Guarded);
    assert!(matches!(pick(&condition), Picked::No(_)));
    assert_eq!(pick(&condition.with_aliases(&[("Task", "Agent")])), Picked::Exactly);
}

/// C-53, C-118: how each part stands in a native file, and which stands in none.
#[test]
fn a_condition_is_written_part_by_part() {
    let custom = || Condition::custom("mode", |_| Picked::Exactly);
    let rule = Condition::rule("Bash(ls)", Reading::Native);
    let all = Condition::all(vec![rule, custom().with_native_toml("{ a = 1 }"), custom()]);
    let all = all.expect("three of them");
    let written: Vec<_> = all
        .native_parts()
        .into_iter()
        .map(|written| match written {
            Written::Rule(text) => format!("rule {text}"),
            Written::When(text) => format!("when {text}"),
            Written::Toml(text) => format!("toml {text}"),
            Written::Lost => "lost".to_owned(),
        })
        .collect();
    assert_eq!(written, ["rule Bash(ls)", "toml { a = 1 }", "lost"]);
}
