//! The language of rules, sentence by sentence, and its bounds.

mod cost;
mod doubt;
mod laws;
mod lines;
mod outline;
mod session;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::Event;
use crate::answer::{Answer, Effects, Restraint};
use crate::event::Surroundings;

fn within() -> Surroundings {
    Surroundings {
        session_id: "s1".to_owned(),
        cwd: "/srv/app/src".into(),
        project: "/srv/app".into(),
        home: "/home/me".into(),
        ..Surroundings::default()
    }
}

fn call(tool: &str, input: Value) -> Event {
    Event::new("PreToolUse", within()).with("tool_name", tool).with("tool_input", input)
}

fn bash(line: &str) -> Event {
    call("Bash", json!({ "command": line }))
}

fn judge(rule: &Rule, event: Event) -> Result<Answer, Unsettled> {
    assert_eq!(rule.check(), [], "{rule:?}");
    rule.evaluate_or_silent(&RuleInput::new(&Arc::new(event)), &|| true)
}

/// Whether the expression holds.
fn holds(when: &str, event: &Event) -> bool {
    let answer = judge(&Rule::new(when).deny("no"), event.clone());
    answer.unwrap_or_else(|why| panic!("{when}: {why:?}")).restraint == Restraint::Deny
}

fn flaws(when: &str) -> Vec<(&'static str, String, String)> {
    let rule = Rule::new(when).deny("no");
    let flaw = |flaw: &Flaw| {
        (flaw.code.name(), when.get(flaw.at.clone()).unwrap().to_owned(), flaw.help.clone())
    };
    rule.check().iter().map(flaw).collect()
}

/// RU-10, RU-13, RU-14, RU-15.
#[test]
fn a_rule_knows_the_tool_and_the_line_that_it_runs() {
    let push = bash("cd x && sudo git -C sub push -uf origin > /tmp/log");
    for when in [
        r#"tool.name == "Bash" && tool.kind == "shell""#,
        r#"tool.command.matches("git .*push")"#,
        r#""git" in shell.programs && shell.complete"#,
        r#"shell.commands.exists(c, c.runs("git push") && c.flag("-f"))"#,
        r#"shell.commands.exists(c, c.program == "sudo" && c.args[0] == "git")"#,
        r#"shell.commands.exists(c, c.wrapped && c.via == ["sudo"])"#,
        r#"shell.commands.filter(c, c.wrapped)[0].operands == ["push", "origin"]"#,
        r#"shell.writes == ["/tmp/log"] && shell.reads.size() == 0"#,
        r#"shell.commands.all(c, c.known) && !shell.commands.exists_one(c, c.program == "ls")"#,
        r#"cwd == project + "/src" && home == "/home/me" && session == "s1""#,
        r#"size(shell.commands) == 3 && shell.commands.map(c, c.program)[0] == "cd""#,
    ] {
        assert!(holds(when, &push), "{when}");
    }
}

/// S-35, RU-13.
/// RU-47.
#[test]
fn value_of_an_option_is_no_flag() {
    for (line, flag, has) in [
        ("git commit -m -n", "-n", false),
        ("git commit --message --no-verify", "--no-verify", false),
        ("git commit -m x -n", "-n", true),
        ("git commit -nm x", "-n", true),
        ("git -C x commit -n", "-n", true),
        ("git commit -m x -- -n", "-n", false),
        ("rm -rf x", "-r", true),
    ] {
        let when = format!("shell.commands[0].flag(\"{flag}\")");
        assert_eq!(holds(&when, &bash(line)), has, "{line} {flag}");
    }
}

/// S-35.
#[test]
fn flags_may_be_cut_short() {
    for (line, when, expected) in [
        ("git reset --har", r#"shell.commands[0].flag("--hard")"#, true),
        ("git push --forc", r#"shell.commands[0].flag("--force")"#, true),
        ("rm --rec x", r#"shell.commands[0].flag("--recursive")"#, true),
        ("git reset --", r#"shell.commands[0].flag("--hard")"#, false),
        ("git reset --h", r#"shell.commands[0].flag("--hard")"#, false),
        ("npm x --forc", r#"shell.commands[0].flag("--force")"#, false),
        ("git --attr-source HEAD push", r#"shell.commands[0].runs("git push")"#, true),
        ("docker compose -f x down", r#"shell.commands[0].runs("docker compose down")"#, true),
    ] {
        assert_eq!(holds(when, &bash(line)), expected, "{line}");
    }
}

/// S-35.
#[test]
fn what_begins_with_a_plus_is_an_option_of_few() {
    for (line, when) in [
        ("git push origin +main", r#"shell.commands[0].operands == ["push", "origin", "+main"]"#),
        ("chmod +x run.sh", r#"shell.commands[0].operands == ["+x", "run.sh"]"#),
        ("cargo +nightly publish", r#"shell.commands[0].runs("cargo publish")"#),
        ("set +e", r#"shell.commands[0].operands == []"#),
    ] {
        assert!(holds(when, &bash(line)), "{line}");
    }
}

/// RU-14: a line with a redirection writes.
#[test]
fn redirections_are_seen_wherever_they_stand() {
    for line in
        ["a > f", "a && b > f", "{ a; } >> f", "(a) 2> f", "sudo a &> f", "bash -c 'a >| f'"]
    {
        assert!(holds(r#"shell.writes == ["f"] && shell.reads == []"#, &bash(line)), "{line}");
    }
    let own = bash("a 2> f < g << X\nbody\nX");
    for when in [
        r#"shell.commands[0].redirects.exists(r, r.op == ">" && r.target == "f" && r.descriptor == "2")"#,
        r#"shell.commands[0].redirects.exists(r, r.op == "<<" && r.target.contains("body"))"#,
        r#"shell.reads == ["g"] && shell.writes == ["f"]"#,
    ] {
        assert!(holds(when, &own), "{when}");
    }
}

/// RU-11: a rule over what the event does not say is false, not a fault.
#[test]
fn what_the_event_does_not_say_is_empty() {
    let read = call("Read", json!({ "file_path": "src/main.rs" }));
    for when in [
        r#"tool.command.matches("rm -rf")"#,
        r#"tool.command != """#,
        "!shell.complete",
        r#"shell.commands.exists(c, true)"#,
        r#"tool.url.startsWith("http")"#,
        r#"prompt.contains("x")"#,
        "has(tool.command)",
        "has(tool.input.command)",
    ] {
        assert!(!holds(when, &read), "{when}");
    }
    assert!(holds("has(tool.path) && has(tool.input.file_path)", &read));
    assert!(holds(r#"event == "Stop" && tool.name == """#, &Event::new("Stop", within())));
}

/// RU-20: who asks only for the tool reads no line.
#[test]
fn a_line_is_read_when_a_rule_asks_for_it_and_once() {
    let rule_input = RuleInput::new(&Arc::new(bash("git push")));
    let judge =
        |when| Rule::new(when).deny("no").evaluate_or_silent(&rule_input, &|| true).unwrap();
    judge("tool.name == 'Bash' || shell.complete");
    assert!(rule_input.line.get().is_none());
    judge("shell.complete");
    let first: *const _ = rule_input.line.get().unwrap();
    judge("'git' in shell.programs");
    assert!(std::ptr::eq(first, rule_input.line.get().unwrap()));
}

/// RU-16, RU-17.
#[test]
fn paths_are_read_by_their_letters() {
    let read = call("Read", json!({ "file_path": "../.env" }));
    for when in [
        "tool.path.inside(project) && !tool.path.inside(cwd)",
        r#"tool.path.resolve() == "/srv/app/.env""#,
        r#"is_secret(tool.path) && is_secret("~/.ssh/id_ed25519") && is_secret("$HOME/.aws/credentials")"#,
        r#"!is_secret(".env.example") && !is_secret("~/.ssh/known_hosts") && !is_secret("src/key.rs")"#,
        r#"glob(tool.path, ".env*") && tool.path.glob("*.env") && !tool.path.glob("src/**")"#,
        r#"glob("~/.config/x/y", "~/.config/**") && glob("/etc/passwd", "/etc/*")"#,
        r#"glob("main.rs", "src/*.rs") && glob("a/b.rs", "**/*.rs")"#,
        r#"basename("/a/b/c.rs") == "c.rs" && dirname("/a/b/c.rs") == "/a/b" && extension("c.rs") == "rs""#,
        r#"!inside("/srv/apple", project) && !inside("", project) && !inside("x", "")"#,
        r#"carries_secret("key ghp_0123456789abcdefghijABCDEFGHIJ012345") && !carries_secret("ghp_")"#,
    ] {
        assert!(holds(when, &read), "{when}");
    }
}

/// RU-12.
#[test]
fn what_a_call_puts_somewhere_is_its_text() {
    let edits = json!({ "file_path": "a", "edits": [
        { "old_string": "gone", "new_string": "one" },
        { "old_string": "gone", "new_string": "two" },
    ]});
    assert!(holds(r#"tool.text == "one\ntwo""#, &call("MultiEdit", edits)));
    let files = json!({ "edits": [{ "filePath": "a", "newString": "x" }, { "filePath": "b" }] });
    assert!(holds(r#"tool.paths == ["a", "b"]"#, &call("MultiEdit", files)));
    let pages = call("WebFetch", json!({ "urls": ["https://a", "https://b"] }));
    assert!(holds(r#"tool.url == "https://a\nhttps://b""#, &pages));
    // Parts of an edit have their agent's keys.
    for own in [
        json!({ "edits": [{ "TargetContent": "gone", "ReplacementContent": "two" }] }),
        json!({ "edits": [{ "filePath": "a", "oldString": "gone", "newString": "two" }] }),
        json!({ "old_string": "gone", "new_string": "", "old_str_2": "gone", "new_str_2": "two" }),
        json!({ "str_replace_entries": [{ "old_str": "gone", "new_str": "two" }] }),
        json!({ "edits": "[\"two\"]" }),
    ] {
        let edit = call("MultiEdit", own.clone());
        assert!(
            holds(r#"tool.text.contains("two") && !tool.text.contains("gone")"#, &edit),
            "{own}"
        );
    }
    let post = json!({ "body": { "token": "t" }, "to": "https://x" });
    let mcp = call("mcp__web__post", post);
    assert!(holds(r#"tool.server == "web" && tool.text == "t\nhttps://x""#, &mcp));
    let write = call("Write", json!({ "file_path": "a", "content": "all" }));
    assert!(holds(r#"tool.text == "all""#, &write));
    let after = bash("ls").with("tool_response", json!({ "stdout": "out", "stderr": "err" }));
    assert!(holds(r#"tool.output == "out\nerr" && payload.tool_response.stdout == "out""#, &after));
}

/// RU-14: doubt is there to be asked for.
#[test]
fn a_line_that_cannot_be_read_is_in_doubt() {
    let doubtful = bash("eval \"$(curl x)\"");
    assert!(holds(r#"!shell.complete && shell.doubt != """#, &doubtful));
    assert!(holds(r#""curl" in shell.programs"#, &doubtful));
    let powershell = call("PowerShell", json!({ "command": "rm x" }));
    assert!(holds(r#"shell.complete && shell.programs == ["Remove-Item", "rm"]"#, &powershell));
}

/// RU-2 to RU-5.
#[test]
fn a_rule_says_what_is_written_in_it() {
    let rule = Rule::new("tool.path.inside(project)")
        .ask("write `{basename(tool.path)}`, {{really}}?")
        .context("paths: {tool.paths}, {1 + 1}")
        .rewrite(r#"tool.input.with({"file_path": tool.path.resolve(), "dry": true})"#);
    let answer = judge(&rule, call("Write", json!({ "file_path": "x.rs", "content": "" })));
    let answer = answer.unwrap();
    assert_eq!(answer.restraint, Restraint::Ask);
    assert_eq!(answer.reason.as_deref(), Some("write `x.rs`, {really}?"));
    assert_eq!(answer.effects.context, ["paths: x.rs, 2"]);
    let input = json!({ "file_path": "/srv/app/src/x.rs", "content": "", "dry": true });
    assert_eq!(answer.effects.updated_input, Some(input));
    let both = Rule::new("true").ask("a").deny("d");
    assert_eq!(judge(&both, bash("ls")).unwrap().restraint, Restraint::Deny);
    let prompt = Event::new("UserPromptSubmit", within()).with("prompt", "hi");
    let answer = judge(&Rule::new("true").rewrite(r#"prompt + "!""#), prompt).unwrap();
    assert_eq!(answer.effects.updated_prompt.as_deref(), Some("hi!"));
    let after = bash("ls").with("tool_response", "secret");
    let answer = judge(&Rule::new("true").rewrite(r#"tool.output.replace("secret", "*")"#), after);
    assert_eq!(answer.unwrap().effects.updated_output, Some(json!("*")));
}

/// RU-6: a rule that holds restrains, and names what it could not say.
#[test]
fn what_holds_restrains_though_the_rest_has_no_value() {
    const HOLE: &str = "{tool.input.missing}";
    let holds = || Rule::new("tool.name == 'Bash'");
    for (rule, restraint, reason) in [
        (holds().deny(&format!("no {HOLE} by {{tool.name}}")), Restraint::Deny, "no ... by Bash"),
        (holds().deny("no").context(HOLE), Restraint::Deny, "no"),
        (holds().ask("sure?").rewrite("tool.input.missing"), Restraint::Ask, "sure?"),
        (holds().ask("sure?").context("kept").rewrite("[1]"), Restraint::Ask, "sure?"),
    ] {
        let answer = judge(&rule, bash("ls")).unwrap();
        assert_eq!((answer.restraint, answer.reason.as_deref()), (restraint, Some(reason)));
        assert_eq!(answer.effects, Effects::default(), "{reason}");
        assert_eq!(answer.failure.unwrap().code.name(), "rule-failed", "{reason}");
    }
    let silent = judge(&holds().context(HOLE), bash("ls"));
    assert!(matches!(silent, Err(Unsettled::Failed(_))), "{silent:?}");
}

/// RU-3, RU-30: a problem is reported before the rule runs, at its place, with the nearest name.
#[test]
fn what_is_wrong_is_found_when_the_rule_is_compiled() {
    let table: &[(&str, &str, &str, &str)] = &[
        ("tol.name == \"x\"", "unknown-rule-name", "tol", "did you mean `tool`?"),
        ("é == 1 || true", "bad-rule", "", ""),
        ("'é' == tool.comand", "unknown-rule-name", "comand", "did you mean `command`?"),
        (
            "shell.commands.exists(c, c.porgram == 'x')",
            "unknown-rule-name",
            "porgram",
            "did you mean `program`?",
        ),
        ("shell.commands.exists(c, c.has('-f'))", "bad-rule", "(", "c.flag(\"-f\")"),
        ("tool.path.insde(project)", "unknown-rule-name", "insde", "did you mean `inside`?"),
        ("tool.name", "bad-rule", "tool.name", ""),
        ("tool.name == 3", "bad-rule", "==", ""),
        ("tool.name.matches('(')", "bad-rule-pattern", "'('", ""),
        ("tool.name.matches('a', 'b')", "bad-rule", "(", ""),
        ("tool.name ==", "bad-rule", "", ""),
        ("tool", "bad-rule", "tool", ""),
        ("1u == 1u", "bad-rule", "1u", ""),
    ];
    for (when, code, at, help) in table {
        let found = flaws(when);
        let [(found_code, found_at, found_help)] = &found[..] else { panic!("{when}: {found:?}") };
        assert_eq!((found_code, found_at.as_str()), (code, *at), "{when}: {found:?}");
        assert!(found_help.contains(help), "{when}: {found:?}");
    }
    assert_eq!(Rule::new("true").check()[0].code.name(), "empty-rule");
    assert_eq!(Rule::new("true").deny(" ").check()[0].code.name(), "empty-rule");
    let rule = Rule::new("true").deny("a {tool.nme}");
    let flaw = &rule.check()[0];
    assert_eq!((flaw.part, flaw.code.name()), (Part::Deny, "unknown-rule-name"));
    assert_eq!(Rule::new("true").deny("a } b").check()[0].at, 2..3);
}

/// RU-35: an error that nothing makes up for is a fault that quotes the expression.
#[test]
fn an_expression_without_a_value_is_a_fault() {
    let fails = |when: &str| match judge(&Rule::new(when).deny("no"), bash("ls")) {
        Err(Unsettled::Failed(why)) => why,
        other => panic!("{when}: {other:?}"),
    };
    let why = fails("tool.input.missing == 'x'");
    assert_eq!(why, "`tool.input.missing == 'x'`: there is no key `missing`; ask `has(...)` first");
    fails("shell.commands[9].program == ''");
    fails("tool.input.command > 3");
    fails("1 / 0 == 1");
    fails("9223372036854775807 + 1 == 0");
    fails("tool.input.command");
    fails("false || tool.input.x");
    assert!(holds("tool.input.x || true", &bash("ls")));
    assert!(!holds("tool.input.x && false", &bash("ls")));
    assert!(holds("[1, 2].exists(x, x == 2 || tool.input.y)", &bash("ls")));
}

/// RU-31 to RU-34: RU-32, RU-33, RU-34.
#[test]
fn cost_is_bounded_before_and_while_a_rule_runs() {
    let code = |when: &str| flaws(when).first().map(|(code, ..)| *code);
    let nest = |open: &str, close: &str, times| {
        format!("{}true{}", open.repeat(times), close.repeat(times))
    };
    for times in [25, 100, 4000, 10_000] {
        assert_eq!(code(&nest("(", ")", times)), Some("rule-too-costly"), "{times}");
        assert_eq!(code(&nest("[", "]", times)), Some("rule-too-costly"), "{times}");
        assert_eq!(code(&"(".repeat(times)), Some("rule-too-costly"), "{times}");
    }
    for times in [400, 10_000] {
        for part in ["!", "-", "1+", "true?true:", "a.", "a&&", "1<", "a()."] {
            let found = code(&format!("{}a", part.repeat(times)));
            assert_eq!(found, Some("rule-too-costly"), "{part} {times}");
        }
    }
    // Strings that the scanner and the grammar see differently hide no nest from the parser's own bound.
    for start in ["\"", "'\n", "\"\\q", "r\"\\\"\"", "b'\\400"] {
        assert!(!flaws(&format!("{start}{}", "(".repeat(4000))).is_empty(), "{start}");
    }
    let deep = "[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))";
    assert_eq!(code(deep), Some("rule-too-costly"));
    assert_eq!(code(r"tool.name.matches('\\w{1000}{1000}')"), Some("bad-rule-pattern"));
    let words: Vec<String> = (0..3000).map(|at| at.to_string()).collect();
    let long = call("X", json!({ "words": words }));
    let when = "tool.input.words.exists(a, tool.input.words.exists(b, a + 'x' == b))";
    let answer = judge(&Rule::new(when).deny("no"), long.clone());
    assert!(matches!(answer, Err(Unsettled::TooCostly(_))), "{answer:?}");
    let rule = Rule::new(when).deny("no");
    let answer = rule.evaluate_or_silent(&RuleInput::new(&Arc::new(long)), &|| false);
    assert_eq!(answer, Err(Unsettled::OutOfTime));
}

/// E-9, RU-38.
#[test]
fn a_command_that_is_a_list_is_judged_and_one_that_is_neither_has_no_value() {
    let words = |words: Value| call("Bash", json!({ "command": words }));
    for (words, when) in [
        (words(json!(["git", "push"])), r#"tool.command == "git push""#),
        (words(json!(["bash", "-lc", "git push"])), r#""git" in shell.programs"#),
        (words(json!(["mysh", "-c", "rm -rf /x"])), r#""/x" in call.deletes"#),
        (words(json!(["rm", "-rf", "/x y"])), r#""/x y" in call.deletes"#),
        (words(json!(["rm -rf /x"])), r#""/x" in call.deletes"#),
    ] {
        assert!(holds(when, &words), "{when}: {words:?}");
    }
    for unclear in
        [words(json!(7)), words(Value::Null), words(json!({})), call("Bash", json!("ls"))]
    {
        for when in
            ["tool.command == ''", "shell.complete", "size(call.writes) == 0", "shell.doubt == ''"]
        {
            let answer = judge(&Rule::new(when).deny("no"), unclear.clone());
            let Err(Unsettled::Failed(why)) = answer else { panic!("{when}: {answer:?}") };
            assert!(why.contains("neither a string nor an array of words"), "{why}");
        }
        assert!(holds("tool.name == 'Bash'", &unclear));
    }
}
