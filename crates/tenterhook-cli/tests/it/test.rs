//! `test`: plays cases of hooks, and reports the ones that fail (TE-).

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::fixture::{Fixture, copy, fits_schema, install};

const RULES: &str = r#"
[hook.no-force]
on = "PreToolUse"
when = 'call.commands.exists(c, c.runs("git push") && c.flag("--force"))'
deny = "never by force"
test = [
  { event = "Bash git push --force", expect = "deny", reason = "force" },
  { name = "a lease is fine", event = "Bash git push --force-with-lease", expect = "silent" },
  { event = { tool = { name = "Bash", input = { command = "git push" } } }, expect = "silent" },
]

[hook.always]
on = "PreToolUse"
when = 'true'
deny = "always"
"#;

pub(crate) const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}
]}]}}"#;

pub(crate) const GUARD: &str = r#"#!/bin/sh
case "$(cat)" in
  *"rm -rf"*) echo "delete files by name" >&2; exit 2 ;;
esac
"#;

const CASES: &str = r#"
config = ".claude/settings.json"

[[case]]
event = "Bash rm -rf build"
expect = "deny"
reason = "by name"

[[case]]
hook = "guard.sh"
event = { hook_event_name = "PreToolUse", tool_name = "Bash", tool_input = { command = "ls" } }
expect = "silent"
"#;

/// A fixture with a guard in Claude Code's settings, and cases for it.
fn guarded(cases: &str) -> Fixture {
    let fixture = Fixture::with_settings(SETTINGS);
    program(&fixture, "project/.claude/hooks/guard.sh", GUARD);
    fixture.write("project/tenterhook.test.toml", cases);
    fixture
}

/// TE-16
#[test]
fn case_says_that_the_agent_runs_a_hook_in_the_background() {
    let command = r#"echo '{\"async\": true}'; echo no >&2; exit 2"#;
    let settings =
        format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"command": "{command}"}}]}}]}}}}"#);
    let case = |background: &str| {
        format!(
            "config = '.gen/settings.json'\n[[case]]\nevent = 'Bash ls'\nexpect = 'deny'\nbackground = {background}\n"
        )
    };
    for (background, code) in [("true", 0), ("false", 1)] {
        let fixture = Fixture::new();
        fixture.write("project/.gen/settings.json", &settings);
        fixture.write("project/tenterhook.test.toml", &case(background));
        let ran = fixture.run(&["test", "tenterhook.test.toml"], "");
        assert_eq!(ran.code, code, "{background}: {}", ran.all());
        assert_eq!(ran.stdout.contains("a hook runs in it"), code == 1, "{}", ran.all());
    }
}

pub(crate) fn program(fixture: &Fixture, name: &str, text: &str) {
    fixture.write("program", text);
    std::fs::create_dir_all(fixture.path(name).parent().unwrap()).unwrap();
    install(&fixture.path("program"), &fixture.path(name));
}

/// TE-1, TE-3.
#[test]
fn a_case_beside_a_hook_is_about_that_hook_alone() {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", RULES);
    let value = fixture.json(&["test", "--format", "json"], "", 0);
    fits_schema("test", &value);
    assert_eq!((&value["passed"], &value["failed"]), (&3.into(), &0.into()));
    assert_eq!(value["untested"], serde_json::json!(["always"]));
    assert_eq!(value["cases"][0]["decision"], "deny");
    fixture.write("project/after.toml", &RULES.replacen("PreToolUse", "PostToolUse", 1));
    let value = fixture.json(&["test", "--format", "json", "after.toml"], "", 0);
    assert_eq!(
        value["cases"][0]["see"],
        "tenterhook fire --config after.toml PostToolUse Bash 'git push --force'"
    );
}

/// TE-2, TE-5, TE-14.
#[test]
fn a_file_of_cases_tests_hooks_of_any_dialect() {
    for args in [&["test"][..], &["test", "tenterhook.test.toml"]] {
        let output = guarded(CASES).run(args, "");
        assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.starts_with("2 cases passed"), "{}", output.stdout);
    }
    // Without `config`, the hooks are the project's.
    let fixture = guarded(&CASES.replace("config = ", "# "));
    fixture
        .write("home/.claude/settings.json", &SETTINGS.replace("$CLAUDE_PROJECT_DIR", "/nowhere"));
    assert_eq!(fixture.run(&["test"], "").code, 0);
    let output = fixture.run(&["test", ".claude/settings.json"], "");
    assert_snapshot!(output.all(), @r"
exit 1
--- stdout
--- stderr
error: `.claude/settings.json` is a file of claude, which has no place for cases

hint: write them into `tenterhook.test.toml`; `tenterhook test --config
      .claude/settings.json --record Bash 'ls'` makes the first one
");
}

/// TE-9.
#[test]
fn a_failure_says_what_came_and_how_to_see_more() {
    let cases = CASES.replace("by name", "by hand").replace("\"silent\"", "\"ask\"");
    let fixture = guarded(&cases);
    let output = fixture.run(&["test"], "");
    assert_snapshot!(output.all(), @r#"
exit 1
--- stdout
FAIL  Bash rm -rf build  tenterhook.test.toml:4
      reason   expected /by hand/
               came delete files by name
      see      tenterhook fire --config .claude/settings.json Bash 'rm -rf build'

FAIL  guard.sh:
  {"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":
  {"command":"ls"}}  tenterhook.test.toml:9
      decision expected ask
               came silent
      see      tenterhook fire --config .claude/settings.json --dialect claude '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}'

2 of 2 cases failed in [TIME]
--- stderr
"#);
    let see = "fire --config .claude/settings.json Bash";
    let mut words: Vec<&str> = see.split(' ').collect();
    words.push("rm -rf build");
    assert_eq!(fixture.run(&words, "").code, 2);
    let json =
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    assert_eq!(fixture.run(&["fire", "--config", ".claude/settings.json", json], "").code, 0);
}

/// TE-4.
#[test]
fn a_hook_that_is_not_there_fails_its_case() {
    let output = guarded(&CASES.replace("guard.sh", "gard.sh")).run(&["test"], "");
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("no hook is called `gard.sh`"), "{}", output.stdout);
}

/// TE-8.
#[test]
fn a_wrong_case_fails_the_run() {
    let output = guarded(&CASES.replacen("\"deny\"", "\"denyy\"", 1)).run(&["test"], "");
    assert_eq!(output.code, 1);
    assert!(output.stdout.starts_with("1 case passed"), "{}", output.stdout);
    assert!(
        output.stderr.contains("unknown-word") && output.stderr.contains("did you mean `deny`?")
    );
}

/// TE-10.
#[test]
fn a_run_without_cases_fails() {
    let fixture = Fixture::with_settings("{}");
    let output = fixture.run(&["test"], "");
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("no cases were found"), "{}", output.stderr);
    let output = guarded(CASES).run(&["test", "--only", "nothing like it"], "");
    assert!(output.code == 1 && output.stderr.contains("nothing like it"), "{}", output.stderr);
    assert!(guarded(CASES).run(&["test", "--only", "rm -rf"], "").stdout.starts_with("1 case "));
}

/// TE-9: what others read.
#[test]
fn results_in_every_format() {
    let fixture = guarded(&CASES.replace("by name", "by hand"));
    let value = fixture.json(&["test", "--format", "json"], "", 1);
    fits_schema("test", &value);
    assert_eq!(value["cases"][0]["differences"][0]["what"], "reason");
    let sarif = fixture.json(&["test", "--format", "sarif"], "", 1);
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"], "failed-case");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results[0]["ruleId"], "failed-case");
    assert!(results[0]["message"]["text"].as_str().unwrap().contains("reason"), "{results:?}");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(results.len(), 1);
    assert_eq!(place["artifactLocation"]["uri"], "tenterhook.test.toml");
    assert_eq!(place["region"]["startLine"], 4);
    let junit = fixture.run(&["test", "--format", "junit"], "");
    assert!(junit.stdout.contains(r#"tests="2" skipped="0" failures="1""#), "{}", junit.stdout);
    assert!(junit.stdout.contains(r#"<testcase name="Bash rm -rf build""#), "{}", junit.stdout);
}

/// TE-11, TE-12, TE-13: a hook that writes beside itself, into its directory and into the temporary directory leaves nothing,
/// and no case sees files of a different case.
#[test]
fn each_case_has_a_directory_of_its_own() {
    let fixture = guarded(
        r#"
        copy = "rules"
        [[case]]
        event = "Read {project}/given/a"
        expect = "deny"
        reason = '^text of rules .project.$'
        files = { "given/a" = "text" }
        [[case]]
        event = "Read {project}/given/a"
        expect = "deny"
        reason = '^of rules'
        [[case]]
        event = "Read a"
        expect = "silent"
        files = { "../a" = "" }
        "#,
    );
    fixture.write("project/.claude/settings.json", &SETTINGS.replace("Bash", "Read"));
    fixture.write("project/rules/word", "rules");
    // One that is confined writes nowhere (TE-15).
    let own = fixture.path("project/.claude/settings.json");
    let own = format!("[source.'{}']\nsandbox = 'off'\n", own.display());
    fixture.write("home/.config/tenterhook/tenterhook.toml", &own);
    program(
        &fixture,
        "project/.claude/hooks/guard.sh",
        "#!/bin/sh\ncat > /dev/null\nhere=$(dirname \"$0\")\n[ -e \"$here/mark\" ] && exit 0\n: > \"$here/mark\"; : > mark; : > \"$TMPDIR/mark\"\n\
         echo \"$(cat given/a 2>/dev/null) of $(cat rules/word) $PWD\" >&2; exit 2\n",
    );
    let value = fixture.json(&["test", "--format", "json"], "", 1);
    let passed: Vec<_> =
        value["cases"].as_array().unwrap().iter().map(|case| &case["passed"]).collect();
    assert_eq!(passed, [&Value::from(true), &true.into(), &false.into()], "{value:#}");
    let why = value["cases"][2]["differences"][0]["came"].as_str().unwrap();
    assert!(why.contains("not the name of a file of the project"), "{why}");
    let left = |directory: &str| {
        let names = std::fs::read_dir(fixture.path(directory)).unwrap();
        names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(left("project/.claude/hooks"), ["guard.sh"]);
    assert!(!left("project").contains(&"mark".to_owned()));
    let mut home = left("home");
    home.sort();
    assert_eq!(home, [".config", ".local"], "the files above, and the store of approvals");
}

/// TE-31, TE-32.
/// TE-30.
#[test]
fn what_no_case_notices_is_said() {
    let fixture = guarded(&CASES.replace("reason = \"by name\"", ""));
    let output = fixture.run(&["test", "--mutate"], "");
    assert_snapshot!(output.all(), @r"
exit 1
--- stdout
guard.sh  .claude/settings.json:2
  2>/dev/null  what it says on standard error is lost

noticed: 3 of 4 ways to neuter a gate (1 gate)
hint: a gate needs a case that it denies, with its `reason`, and one that it lets pass
--- stderr
");
    assert_eq!(
        std::fs::read_to_string(fixture.path("project/.claude/hooks/guard.sh")).unwrap(),
        GUARD
    );
    assert_eq!(guarded(CASES).run(&["test", "--mutate"], "").code, 0);
    let output = guarded(&CASES.replace("\"silent\"", "\"ask\"")).run(&["test", "--mutate"], "");
    assert!(
        output.code == 1 && output.stderr.contains("1 case does not pass"),
        "{}",
        output.stderr
    );
    // A hook that no case runs is a gate all the same.
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", RULES);
    let value = fixture.json(&["test", "--mutate", "--format", "json"], "", 1);
    let gates = value["gates"].as_array().unwrap();
    assert_eq!((&gates[1]["hook"], &gates[1]["cases"]), (&"always".into(), &0.into()));
    assert_eq!(gates[0]["mutants"][0]["noticed"], true);
    fits_schema("test", &value);
}

/// TE-30: of 200 neutered guards at least 95 in a hundred are noticed.
#[test]
fn cases_notice_neutered_guards() {
    let fixture = Fixture::new();
    let guards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/neutered");
    copy(&guards, &fixture.path("project"));
    let line = "PATH=\"$PWD/bin:$PATH\" tenterhook test --mutate --format json";
    let output = fixture.shell(line);
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    let gates = value["gates"].as_array().unwrap().iter();
    let mutants: Vec<&Value> = gates.flat_map(|gate| gate["mutants"].as_array().unwrap()).collect();
    let noticed = mutants.iter().filter(|mutant| mutant["noticed"] == true).count();
    assert!(mutants.len() >= 200, "only {}", mutants.len());
    assert!(noticed * 100 >= mutants.len() * 95, "{noticed} of {}", mutants.len());
}

/// TE-33.
#[test]
fn the_pack_stops_no_ordinary_call() {
    let fixture = Fixture::new();
    fixture.run(&["rules", "add", "guardrails", "--project"], "");
    let value = fixture.json(&["test", "--canaries", "--format", "json"], "", 0);
    assert_eq!(value, serde_json::json!({ "calls": 200, "stopped": [] }));
    fits_schema("test", &value);
}

/// TE-33.
#[test]
fn a_stopped_call_is_said() {
    let fixture = guarded(CASES);
    let output = fixture.run(&["test", "--canaries"], "");
    assert_eq!(output.code, 1);
    assert!(
        output.stdout.contains("deny  rm -rf target\n      guard.sh: delete files by name\n"),
        "{}",
        output.stdout
    );
}

/// TE-40.
#[test]
fn what_is_recorded_holds() {
    let fixture = Fixture::with_settings(SETTINGS);
    program(&fixture, "project/.claude/hooks/guard.sh", GUARD);
    let event = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"it's \\ \"rm -rf\" {here}"},"cwd":"[PROJECT]"}"#;
    let event = event.replace("[PROJECT]", fixture.path("project").to_str().unwrap());
    for what in
        [&["Bash", "rm -rf build"][..], &["Bash ls"], &["PostToolUse", "Bash", "ls"], &[&event]]
    {
        let mut args = vec!["test", "--config", ".claude/settings.json", "--record"];
        args.extend(what);
        let output = fixture.run(&args, "");
        let is_one_word = what == ["Bash ls"];
        assert_eq!(
            output.code,
            i32::from(is_one_word),
            "{what:?}: {}{}",
            output.stdout,
            output.stderr
        );
    }
    let cases = std::fs::read_to_string(fixture.path("project/tenterhook.test.toml")).unwrap();
    assert_snapshot!(cases, @r#"
#:schema https://tenterhook.dev/schema/v1/cases.json
config = [".claude/settings.json"]

[[case]]
event = "Bash rm -rf build"
expect = "deny"
reason = "delete files by name"

[[case]]
event = "PostToolUse Bash ls"
expect = "silent"

[[case]]
event = '''{"session_id":"","transcript_path":"","cwd":"{project}","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"it's \\ \"rm -rf\" {here}"}}'''
expect = "deny"
reason = "delete files by name"
"#);
    let output = fixture.run(&["test"], "");
    assert!(
        output.stdout.starts_with("3 cases passed"),
        "{cases}\n{}{}",
        output.stdout,
        output.stderr
    );
    let output = fixture.run(&["test", ".claude/settings.json", "--record", "Stop"], "");
    assert!(output.code == 1 && output.stderr.contains("one file of cases"), "{}", output.stderr);
}

const DENIES_RM: &str = "[hook.a]\non = 'PreToolUse'\nwhen = 'call.commands.exists(c, c.runs(\"rm\"))'\ndeny = 'no rm'\n";

/// TE-43: what is recorded is what the file of cases plays from then on.
#[test]
fn record_refuses_hooks_that_the_file_of_cases_does_not_name() {
    let fixture = Fixture::new();
    fixture.write("project/a.toml", DENIES_RM);
    fixture.write("project/b.toml", &DENIES_RM.replace("rm", "ls"));
    let record = |args: &[&str], call: &str| {
        fixture.run(&[&["test"], args, &["--record", "Bash", call]].concat(), "")
    };
    assert_eq!(record(&["--config", "a.toml"], "rm x").code, 0);
    let before = std::fs::read_to_string(fixture.path("project/tenterhook.test.toml")).unwrap();
    for config in [&["--config", "b.toml"][..], &["--config", "a.toml", "--config", "b.toml"]] {
        let output = record(config, "ls");
        assert_eq!((output.code, &*output.stdout), (1, ""), "{}", output.stderr);
        assert!(output.stderr.contains("tests `a.toml`, not"), "{}", output.stderr);
    }
    let after = std::fs::read_to_string(fixture.path("project/tenterhook.test.toml")).unwrap();
    assert_eq!(before, after);
    // The same file under a different spelling, and a separate file of cases.
    assert_eq!(record(&["--config", "./a.toml"], "ls").code, 0);
    let output = record(&["b.test.toml", "--config", "b.toml"], "ls");
    assert!(output.stdout.contains("expect = \"deny\""), "{}{}", output.stdout, output.stderr);
    let output = fixture.run(&["test", "tenterhook.test.toml", "b.test.toml"], "");
    assert!(output.stdout.starts_with("3 cases passed"), "{}{}", output.stdout, output.stderr);
}

/// TE-43: hooks of the home decide in no case of a project, so they decide in no recording.
#[test]
fn record_asks_the_hooks_that_a_replay_asks() {
    let fixture = Fixture::new();
    fixture.write("home/.config/tenterhook/tenterhook.toml", DENIES_RM);
    fixture.write("project/tenterhook.toml", &DENIES_RM.replace("rm", "ls"));
    let output = fixture.run(&["test", "--record", "Bash", "rm x"], "");
    assert!(output.stdout.contains("expect = \"silent\""), "{}", output.all());
    assert!(fixture.run(&["test"], "").stdout.starts_with("1 case passed"));
    let config = "~/.config/tenterhook/tenterhook.toml";
    let of_home = fixture.path("home/.config/tenterhook/tenterhook.toml");
    let args = ["test", "home.test.toml", "--config", of_home.to_str().unwrap(), "--record"];
    let output = fixture.run(&[&args[..], &["Bash", "rm x"]].concat(), "");
    assert!(output.stdout.contains("expect = \"deny\""), "{}", output.all());
    let cases = std::fs::read_to_string(fixture.path("project/home.test.toml")).unwrap();
    assert!(cases.contains(&format!("config = [\"{config}\"]")), "{cases}");
    assert_eq!(fixture.run(&["test", "home.test.toml"], "").code, 0);
}

/// TE-33: of a file of cases, the hooks that it is about; and a broken file is not a good one.
#[test]
fn canaries_of_a_file_of_cases_ask_its_hooks() {
    let fixture = Fixture::new();
    fixture.write(
        "project/all.toml",
        &DENIES_RM.replace("call.commands.exists(c, c.runs(\"rm\"))", "true"),
    );
    fixture.write("project/x.test.toml", "config = 'all.toml'\n");
    for args in [&["x.test.toml"][..], &["--config", "x.test.toml"], &["all.toml"]] {
        let output = fixture.run(&[&["test", "--canaries"], args].concat(), "");
        let last = "200 of 200 ordinary calls stopped by 1 hook\n";
        assert!(output.code == 1 && output.stdout.ends_with(last), "{args:?}: {}", output.all());
    }
    fixture.write(
        "project/broken.toml",
        &format!("{}\n[hook.b]\non = 'PreToolUse'\n", DENIES_RM.replace("rm", "rrm")),
    );
    assert_eq!(fixture.run(&["test", "--canaries", "broken.toml"], "").code, 1);
}

/// TE-33: a server that is not there would hold each call up.
#[test]
fn canaries_skip_hooks_that_ask_a_model_or_server() {
    let fixture = Fixture::new();
    let asked = "[hook.a]\non = 'PreToolUse'\nhttp = 'http://127.0.0.1:1/'\n[hook.b]\non = 'PreToolUse'\nprompt = 'is it good?'\n";
    fixture.write("project/tenterhook.toml", asked);
    let rule = "[hook.c]\non = 'PreToolUse'\nwhen = 'false'\ndeny = 'no'\n";
    fixture.write("project/all.toml", &format!("{asked}{rule}"));
    let output = fixture.run(&["test", "--canaries", "all.toml"], "");
    assert_eq!((output.code, &*output.stdout), (0, "0 of 200 ordinary calls stopped by 1 hook\n"));
    assert!(output.stderr.contains("2 hooks that ask a model or a server"), "{}", output.stderr);
    let output = fixture.run(&["test", "--canaries"], "");
    assert_eq!((output.code, &*output.stdout), (1, ""));
    assert!(
        output.stderr.contains("there is no hook to send the calls through"),
        "{}",
        output.stderr
    );
}

/// The calls are those of the tables.
#[test]
fn every_canary_is_an_ordinary_call() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let calls = std::fs::read_to_string(root.join("src/command/test/canaries.txt")).unwrap();
    let ordinary = root.join("../../conformance/guardrails/ordinary").read_dir().unwrap();
    let ordinary: String =
        ordinary.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    let known: std::collections::HashSet<&str> = ordinary.lines().collect();
    assert_eq!(calls.lines().count(), 200);
    for call in calls.lines() {
        assert!(known.contains(call), "{call}");
    }
}

/// TE-42: a repository's hooks are not run by a command that names none of them; rules start nothing.
#[test]
fn a_bare_test_runs_nothing_of_a_strangers_repository() {
    let fixture = guarded(CASES).unapproved();
    for args in
        [&["test"][..], &["test", "--canaries"], &["test", "--mutate"], &["test", "--record", "-"]]
    {
        let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
        let output = fixture.run(args, event);
        assert_eq!(output.code, 1, "{args:?}: {}", output.all());
        assert!(output.stderr.contains("is not approved"), "{args:?}: {}", output.all());
        assert!(!output.stdout.contains("passed"), "{args:?}: {}", output.all());
    }
    assert_eq!(fixture.run(&["test", "tenterhook.test.toml"], "").code, 0);
    let rules = Fixture::new().unapproved();
    rules.write(
        "project/tenterhook.toml",
        "[hook.no]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\ntest = [{ event = 'Bash ls', expect = 'deny' }]\n",
    );
    assert_eq!(rules.run(&["test"], "").code, 0);
}

/// TE-2: a file of cases is not read as a file of hooks, and the message says where it belongs.
#[test]
fn a_file_of_cases_is_not_checked_as_hooks() {
    let fixture = Fixture::new();
    fixture.write(
        "project/tenterhook.test.toml",
        "[[case]]\nevent = \"Bash ls\"\nexpect = \"proceed\"\n",
    );
    let output = fixture.run(&["check", "tenterhook.test.toml"], "");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("`tenterhook test tenterhook.test.toml`"), "{}", output.all());
}

/// TE-15: a test that passes where the hook fails in use proves nothing.
#[test]
#[cfg(target_os = "linux")]
fn a_case_gives_a_hook_no_more_than_it_has_when_it_is_fired() {
    const HOOK: &str = "[hook.note]\non = 'PreToolUse'\nshell = 'echo x >notes/x || exit 2'\n";
    const CASE: &str = "[[hook.note.test]]\nevent = 'Bash ls'\nexpect = 'silent'\n";
    let fixture = Fixture::new();
    fixture.write("project/notes/.keep", "");
    let play = |more: &str, own: &str| {
        fixture.write("project/tenterhook.toml", &format!("{HOOK}{more}\n{CASE}"));
        fixture.write("home/.config/tenterhook/tenterhook.toml", own);
        let copied = "config = ['tenterhook.toml']\ncopy = ['notes']\n[[case]]\nevent = 'Bash ls'\nexpect = 'silent'\n";
        fixture.write("project/notes.test.toml", copied);
        let fired = fixture.run(&["fire", "Bash", "ls"], "");
        let output = fixture.run(&["test", "notes.test.toml"], "");
        assert_eq!(output.code == 0, fired.code == 0, "{}{}", output.all(), fired.all());
        output
    };
    let doctor = fixture.run(&["doctor", "--format", "json"], "").stdout;
    let doctor: serde_json::Value = serde_json::from_str(&doctor).unwrap();
    let can = doctor["kernel"]["tier"] != "T0" && doctor["kernel"]["tier"].is_string();
    let output = play("", "");
    if can {
        assert_eq!(output.code, 1, "{}", output.all());
        assert!(output.stdout.contains("sandbox-refused"), "{}", output.all());
        assert!(output.stdout.contains("tenterhook fire Bash ls\n"), "{}", output.all());
    }
    assert_eq!(play("sandbox = { write = ['$PROJECT/notes'] }", "").code, 0);
    assert_eq!(play("sandbox = 'off'", "").code, 0);
    let own = format!(
        "[source.'{}']\nsandbox = 'off'\n",
        fixture.path("project/tenterhook.toml").display()
    );
    assert_eq!(play("", &own).code, 0);
}
