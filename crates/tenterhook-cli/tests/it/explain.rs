//! `explain`: whether each hook runs, and why.

use insta::assert_snapshot;
use serde_json::json;

use crate::fixture::{Fixture, fits_schema};

const SETTINGS: &str = r#"{"hooks": {
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(git push *)", "command": "./guard.sh"}]},
    {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./style.sh"}]}
  ],
  "Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]
}}"#;

#[test]
fn a_call_in_words() {
    let fixture = Fixture::with_settings(SETTINGS);
    let output = fixture.run(&["explain", "Bash", "sudo git push -f"], "");
    assert_snapshot!(output.all(), @r##"
exit 0
--- stdout
PreToolUse  Bash  sudo git push -f

        HOOK      FROM                     BECAUSE                          RULE
  runs  guard.sh  .claude/settings.json:3  `Bash` names `Bash`, and its     S-9
                                           condition `Bash(git push *)`
                                           may be met, so it runs, but
                                           cannot allow: the command
                                           stands behind `sudo`
  -     style.sh  .claude/settings.json:4  `Bash` is not one of             S-1
                                           `Write|Edit`
  -     done.sh   .claude/settings.json:6  it is for `Stop`                 P-2

1 of 3 hooks runs
--- stderr
reading .claude/settings.json (claude, project)
"##);
}

#[test]
fn two_hooks_are_never_the_same_row() {
    let entry = r#"{"type":"command","command":"./guard.sh"}"#;
    let settings =
        format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{entry},{entry}]}}]}}}}"#);
    let output = Fixture::with_settings(&settings).run(&["explain", "Bash", "ls"], "").stdout;
    let rows: Vec<&str> = output.lines().filter(|line| line.contains("guard.sh")).collect();
    assert!(rows.len() == 2 && rows[0] != rows[1], "{output}");
}

#[test]
fn explain_without_an_event_says_how_to_give_one() {
    let output = Fixture::with_settings(SETTINGS).run(&["explain"], "");
    assert_eq!(output.code, 1);
    assert!(
        output.stderr.contains("write the event, such as `Bash 'git push'`"),
        "{}",
        output.stderr
    );
}

#[test]
fn as_json_in_configured_order() {
    let fixture = Fixture::with_settings(SETTINGS);
    let args = ["explain", "--format", "json", "Write", "notes.md"];
    let value = fixture.json(&args, "", 0);
    fits_schema("explain", &value);
    let hooks = value["hooks"].as_array().unwrap();
    let selected: Vec<_> = hooks.iter().map(|hook| hook["selected"].as_bool().unwrap()).collect();
    assert_eq!(selected, [false, true, false]);
    let ordinals: Vec<_> = hooks.iter().map(|hook| hook["ordinal"].as_u64().unwrap()).collect();
    assert_eq!(ordinals, [0, 1, 2]);
}

#[test]
fn an_event_from_a_file_and_from_a_pipe() {
    let fixture = Fixture::with_settings(SETTINGS);
    let event = json!({"hook_event_name": "Stop", "stop_hook_active": false}).to_string();
    fixture.write("project/event.json", &event);
    let from_file = fixture.run(&["explain", "event.json"], "");
    let from_pipe = fixture.run(&["explain", "-"], &event);
    assert_eq!(from_file.stdout, from_pipe.stdout);
    assert!(from_file.stdout.ends_with("1 of 3 hooks runs\n"), "{}", from_file.stdout);
}

#[test]
fn a_tool_without_its_input_is_asked_for_it() {
    let fixture = Fixture::with_settings(SETTINGS);
    assert_snapshot!(fixture.run(&["explain", "Bash"], "").all(), @r##"
exit 1
--- stdout
--- stderr
error: `Bash` is a tool, and its input is missing

hint: for a tool call, say its input too: `Bash INPUT`
"##);
    assert_snapshot!(fixture.run(&["explain", "Mystery", "words"], "").all(), @r##"
exit 1
--- stdout
--- stderr
error: the input of `Mystery` is not a JSON object

hint: write it as one: `Mystery '{"key": "value"}'`
"##);
}

#[test]
fn what_is_wrong_takes_a_line_each_and_leads_to_check() {
    let fixture = Fixture::with_settings(
        r#"{"hooks": {"preToolUse": [{"hooks": [{"type": "command", "command": "true", "timeout": 5000}]}]}}"#,
    );
    let output = fixture.run(&["explain", "Bash", "ls"], "");
    assert_snapshot!(output.stderr, @r"
reading .claude/settings.json (claude, project)
error: .claude/settings.json:1: no event is called `preToolUse`: case counts
warning: 1 further finding
hint: `tenterhook check` shows the places and says what to write
");
}

/// A rule is pure, so it is asked. A handful that do not hold are listed, and a pack of them is counted.
#[test]
fn rules_are_asked_and_those_that_do_not_hold_are_folded() {
    let fixture = Fixture::new();
    fixture.write(
        "project/tenterhook.toml",
        r#"
[hook.no-sudo]
on = "PreToolUse"
when = "'sudo' in shell.programs"
deny = "Do it without sudo."

[hook.no-curl]
on = "PreToolUse"
when = "'curl' in shell.programs"
ask = "Fetch it?"

[hook.style]
on = "PostToolUse"
run = ["true"]
"#,
    );
    assert_snapshot!(fixture.run(&["explain", "Bash", "sudo make"], "").all(), @r##"
exit 0
--- stdout
PreToolUse  Bash  sudo make

         HOOK     FROM                BECAUSE                             RULE
  holds  no-sudo  tenterhook.toml:2   denies: Do it without sudo.         S-1
  -      no-curl  tenterhook.toml:7   its `when` is false for this event  S-1
  -      style    tenterhook.toml:12  it is for `PostToolUse`             P-2

0 of 1 hook runs, 1 of 2 rules holds
--- stderr
reading tenterhook.toml (native, project)
"##);
    let value = fixture.json(&["explain", "--format", "json", "Bash", "sudo make"], "", 0);
    fits_schema("explain", &value);
    let held: Vec<_> =
        value["hooks"].as_array().unwrap().iter().map(|hook| &hook["holds"]).collect();
    assert_eq!(json!(held), json!([true, false, null]));
    assert_eq!(value["hooks"][0]["decision"], "deny");
    let pack = (0..5)
        .map(|at| format!("[hook.h{at}]\non = \"PreToolUse\"\nwhen = \"false\"\ndeny = \"no\"\n"));
    fixture.write("project/pack.toml", &pack.collect::<String>());
    let pack = ["--config", "pack.toml"];
    let few = fixture.run(&[&["explain"], &pack[..], &["Bash", "ls"]].concat(), "").stdout;
    assert!(few.contains("h4") && few.ends_with("0 of 5 rules hold\n"), "{few}");
    let all = [&["explain", "--config", "tenterhook.toml"], &pack[..], &["Bash", "ls"]].concat();
    let many = fixture.run(&all, "").stdout;
    assert!(
        !many.contains("h4") && many.ends_with("0 of 1 hook runs, 0 of 7 rules hold\n"),
        "{many}"
    );
}

/// A word in capitals that is no number is an event or a tool, whatever tables of the specification begin with it.
#[test]
fn an_event_is_no_code() {
    let fixture = Fixture::new();
    for (word, text) in [
        ("PostToolUse", "`PostToolUse` is about a tool, and none was named"),
        ("Foo", "`Foo` is neither an event nor a file"),
        ("Bash", "`Bash` is a tool, and its input is missing"),
        ("Stopp", "did you mean `Stop`?"),
    ] {
        let output = fixture.run(&["explain", word], "");
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{word}: {}", output.all());
        assert!(output.stderr.contains(text), "{word}: {}", output.stderr);
    }
}

/// RU-42: a rule that cannot read the line restrains, and the summary says so.
#[test]
fn line_that_cannot_be_read_is_summarized_as_blocked() {
    let fixture = Fixture::new();
    fixture.write(
        "project/tenterhook.toml",
        "[hook.a]\non = 'PreToolUse'\nwhen = \"'npm' in shell.programs\"\ndeny = 'no'\n",
    );
    let line = "git push '";
    let output = fixture.run(&["explain", "Bash", line], "");
    assert!(
        output.stdout.ends_with("0 of 1 rule holds\n1 rule fails: the event is BLOCKED\n"),
        "{}",
        output.all()
    );
    assert_eq!(fixture.run(&["fire", "Bash", line], "").code, 2);
    let output = fixture.run(&["explain", "Bash", "ls"], "");
    assert!(output.stdout.ends_with("0 of 1 rule holds\n"), "{}", output.all());
}
