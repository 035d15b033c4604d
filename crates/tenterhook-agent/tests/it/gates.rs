//! Gates that deny at most once, and where their texts go.

use serde_json::Value;

use crate::fixture::{Fixture, Run};

fn count(run: &Run, event: &str, came: &str) -> usize {
    run.of_kind("hooks")
        .iter()
        .filter(|hook| hook["event"] == event && hook["came"] == came)
        .count()
}

fn warned(run: &Run, words: &str) -> bool {
    run.of_kind("warn").iter().any(|value| value["reason"].as_str().unwrap().contains(words))
}

/// Ruling 32: a refused call of the model is tried again with the reason as a message; the third refusal in a row ends the turn.
#[test]
fn a_refused_call_of_the_model_is_tried_again_and_ends_the_turn_at_last() {
    let settings =
        |script: &str| format!(r#"{{"hooks": {{"PreModelCall": [{{"command": "{script}"}}]}}}}"#);
    let script = "record = \"requests.jsonl\"\n[[reply]]\nrepeat = true\ntext = \"hello\"\n";
    let fixture = Fixture::new("", script);
    let refuse = settings("echo x >> tries.txt; echo 'say please' >&2; exit 2");
    fixture.sandbox.write(".reasonix/settings.json", &refuse).unwrap();
    let run = fixture.ask("hi", &[]);
    assert_eq!(fixture.text("tries.txt").lines().count(), 3);
    assert_eq!(fixture.text("requests.jsonl"), "", "the model was never asked");
    let error = run.of_kind("turn_ended")[0]["error"].as_str().unwrap();
    assert!(error.contains("in a row") && error.contains("say please"), "{error}");
    assert!(!warned(&run, "in a row"), "the end of a turn is reported where it ends, once (HO-10)");

    let fixture = Fixture::new("", script);
    let once = settings("if test ! -e tried; then touch tried; echo 'say please' >&2; exit 2; fi");
    fixture.sandbox.write(".reasonix/settings.json", &once).unwrap();
    let run = fixture.ask("hi", &[]);
    assert_eq!(run.of_kind("turn_ended")[0]["error"], Value::Null);
    assert!(fixture.text("requests.jsonl").contains("say please"));
}

/// HO-2: what a gate is not shown for its length, the model is not sent.
#[test]
fn what_a_gate_is_not_shown_is_not_sent() {
    let hooks =
        "[hook.see]\non = \"PreModelCall\"\nshell = \"cat >> seen.jsonl; echo >> seen.jsonl\"\n";
    let fixture = Fixture::new(hooks, "record = \"requests.jsonl\"\n[[reply]]\ntext = \"hello\"\n");
    let prompt = format!("{}the last words", "long ".repeat(60_000));
    let run = fixture.ask(&prompt, &[]);
    assert!(warned(&run, "are more than hooks are shown"));
    for kept in [fixture.text("seen.jsonl"), fixture.text("requests.jsonl")] {
        assert!(kept.contains("long long") && kept.contains("[cut]"), "{} bytes", kept.len());
        assert!(!kept.contains("the last words"));
    }
}

/// A gate at the end that never relents gives way after eight denials in a row, and says so.
#[test]
fn a_gate_that_never_relents_gives_way_with_a_notice() {
    let hooks = "[hook.never]\non = \"Stop\"\nshell = \"cat >> stops.jsonl; echo >> stops.jsonl; echo 'not yet' >&2; exit 2\"\n";
    let fixture = Fixture::new(hooks, "[[reply]]\nrepeat = true\ntext = \"done\"\n");
    let run = fixture.ask("work", &[]);
    assert_eq!(count(&run, "Stop", "deny"), 8);
    assert!(warned(&run, "denied 9 times in a row"));
    assert!(warned(&run, "not yet"));
    let notices = run.of_kind("notice");
    let gives_way = |notice: &&Value| notice.to_string().contains("in a row");
    assert_eq!(notices.iter().copied().filter(gives_way).count(), 0, "it is reported once (HO-10)");
    assert_eq!(run.of_kind("turn_ended")[0]["error"], Value::Null);
    let stops = fixture.text("stops.jsonl");
    let active: Vec<_> = stops
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["data"]["stop_hook_active"].clone()
        })
        .collect();
    assert_eq!(active.len(), 9);
    assert!(active[0] == false && active[1..].iter().all(|value| *value == true), "{active:?}");
}

/// A turn that a hook refuses does not reach the model, and what hooks say at its start does.
#[test]
fn turn_start_is_refused_or_gets_context() {
    let hooks = r#"
[hook.gate]
on = "TurnStart"
shell = '''if grep -q forbidden; then echo 'closed today' >&2; exit 2; fi; echo '{"context": "it is Sunday"}' '''
[hook.end]
on = "TurnComplete"
shell = "cat >> ends.jsonl"
"#;
    let fixture = Fixture::new(hooks, "record = \"requests.jsonl\"\n[[reply]]\ntext = \"hello\"\n");
    let run = fixture.ask("forbidden", &[]);
    assert_eq!(run.of_kind("turn_ended")[0]["error"], "closed today");
    assert_eq!(fixture.text("requests.jsonl"), "");
    assert!(fixture.text("ends.jsonl").contains("\"stopped\""));
    fixture.ask("hi", &[]);
    assert!(fixture.text("requests.jsonl").contains("it is Sunday"));
}

/// Hooks match the kind of failure.
#[test]
fn model_failure_is_matched_by_its_kind() {
    let hooks = r#"
[hook.limits]
on = "StopFailure"
match = "rate_limit"
shell = "cat >> limits.jsonl"
[hook.bills]
on = "StopFailure"
match = "billing_error"
shell = "cat >> bills.jsonl"
[hook.errors]
on = "HostError"
shell = "cat >> errors.jsonl"
"#;
    let fixture = Fixture::new(hooks, "[[reply]]\nerror = \"rate_limit\"\n");
    let run = fixture.ask("hi", &[]);
    assert_eq!(run.events(), ["StopFailure", "HostError"]);
    assert!(fixture.text("limits.jsonl").contains("rate_limit"));
    assert_eq!(fixture.text("bills.jsonl"), "");
    assert!(!fixture.text("errors.jsonl").is_empty());
}

/// A subagent is kept at work like its giver, and one that breaks off is reported, too.
#[test]
fn subagent_is_kept_at_work_and_a_broken_off_one_is_reported() {
    let hooks = r#"
[hook.more]
on = "SubagentStop"
shell = '''cat >> stops.jsonl; echo >> stops.jsonl; if test ! -e asked; then touch asked; echo 'look twice' >&2; exit 2; fi'''
"#;
    let script = r#"
[[reply]]
on = "delegate"
call = [{ tool = "Task", input = { description = "look", prompt = "look inside" } }]
[[reply]]
on = "look inside"
text = "seen once"
[[reply]]
on = "look twice"
text = "seen twice"
[[reply]]
on = "seen twice"
call = [{ tool = "Task", input = { description = "fail", prompt = "fall over" } }]
[[reply]]
on = "fall over"
error = "server_error"
[[reply]]
on = "failed"
text = "all done"
"#;
    let fixture = Fixture::new(hooks, script);
    let run = fixture.ask("delegate", &[]);
    let texts: Vec<_> =
        run.of_kind("reply").iter().map(|value| value["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["seen once", "seen twice", "all done"]);
    let stops = fixture.text("stops.jsonl");
    let texts: Vec<_> = stops
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["data"]["status"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(texts, ["completed", "completed", "failed"]);
}

/// Ruling 15: compaction may be refused, and what hooks say joins its instructions, by hand and by itself.
#[test]
fn compaction_may_be_refused_and_hooks_join_its_instructions() {
    let hooks = r#"
[hook.keep]
on = "PreCompact"
shell = '''if test -e locked; then echo 'not while it builds' >&2; exit 2; fi; echo '{"context": "keep the number"}' '''
[hook.see]
on = ["PreCompact", "PostCompact", "SessionStart", "InstructionsLoaded"]
shell = "cat >> life.jsonl; echo >> life.jsonl"
"#;
    let script = r#"
record = "requests.jsonl"
[[reply]]
on = "Sum up"
repeat = true
text = "the number is 41"
[[reply]]
repeat = true
text = "hello"
"#;
    let fixture = Fixture::new(hooks, script);
    fixture.sandbox.write("AGENTS.md", "be brief").unwrap();
    let mut run = fixture.start(&[]);
    run.prompt("hi");
    run.wait_for("turn_ended");
    fixture.sandbox.write("locked", "").unwrap();
    run.prompt("/compact");
    assert!(run.wait_for("page")["text"].as_str().unwrap().contains("not while it builds"));
    std::fs::remove_file(fixture.sandbox.project().join("locked")).unwrap();
    run.prompt("/compact and names");
    run.wait("compaction", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("compacted")
    });
    run.prompt(&"long ".repeat(130_000));
    run.wait("compaction", |line| {
        line["type"] == "notice" && line["text"].as_str().unwrap().contains("compacted")
    });
    run.wait_for("turn_ended");
    run.end();
    let requests: Vec<Value> = fixture
        .text("requests.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let asked: Vec<_> = requests
        .iter()
        .filter_map(|request| {
            request["messages"].as_array().unwrap().last().unwrap()["text"].as_str()
        })
        .filter(|text| text.contains("Sum up"))
        .collect();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|text| text.contains("keep the number")), "{asked:?}");
    assert!(asked[0].contains("and names"));
    assert!(requests.last().unwrap()["messages"].to_string().contains("the number is 41"));
    let life = fixture.text("life.jsonl");
    let values_of = |event: &str, key: &str| {
        let lines = life.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let lines = lines.filter(|line| line["event"] == event);
        lines.map(|line| line["data"][key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(values_of("PreCompact", "trigger"), ["manual", "manual", "auto"]);
    assert_eq!(values_of("PostCompact", "trigger"), ["manual", "auto"]);
    assert_eq!(values_of("SessionStart", "source"), ["startup", "compact", "compact"]);
    assert_eq!(
        values_of("InstructionsLoaded", "load_reason"),
        ["session_start", "compact", "compact"]
    );
}

const IN_WORKTREE: &str = r#"
[[reply]]
on = "delegate"
call = [{ tool = "Task", input = { description = "look", prompt = "look inside", isolation = "worktree" } }]
[[reply]]
on = "look inside"
call = [{ tool = "Read", input = { file_path = "a.txt" } }]
[[reply]]
on = "content of a"
text = "seen"
[[reply]]
on = "change inside"
call = [{ tool = "Write", input = { file_path = "b.txt", content = "new" } }]
[[reply]]
on = "wrote"
text = "written"
[[reply]]
repeat = true
text = "all done"
"#;

pub(crate) fn repository(fixture: &Fixture) {
    fixture.sandbox.write("a.txt", "content of a").unwrap();
    for args in [
        &["init", "-q"][..],
        &["add", "a.txt"],
        &["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"],
    ] {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(fixture.sandbox.project()).env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.env("HOME", fixture.sandbox.home()).status().unwrap().success());
    }
}

/// `TestWorktreeHooksFire`: a worktree of Git's comes and goes, and one with work in it stays and is reported.
#[test]
fn a_task_works_in_a_worktree_of_gits() {
    let hooks = "[hook.see]\non = [\"WorktreeCreate\", \"WorktreeRemove\"]\nshell = \"cat >> trees.jsonl; echo >> trees.jsonl\"\n";
    let fixture = Fixture::new(hooks, IN_WORKTREE);
    repository(&fixture);
    let run = fixture.ask("delegate", &[]);
    assert_eq!(run.events(), ["WorktreeCreate", "WorktreeRemove"]);
    let trees = fixture.text("trees.jsonl");
    let last: Value =
        serde_json::from_str(trees.lines().rfind(|line| !line.is_empty()).unwrap()).unwrap();
    let path = last["data"]["worktree_path"].as_str().unwrap();
    assert!(!std::path::Path::new(path).exists(), "it was removed");

    let fixture = Fixture::new(
        hooks,
        &IN_WORKTREE.replace("prompt = \"look inside\"", "prompt = \"change inside\""),
    );
    repository(&fixture);
    let run = fixture.ask("delegate", &["--permission-mode", "acceptEdits"]);
    assert_eq!(run.events(), ["WorktreeCreate"], "work is not thrown away");
    let result = run
        .of_kind("tool_result")
        .into_iter()
        .find(|tool_result| tool_result["tool"] == "Task")
        .unwrap();
    let text = result["text"].as_str().unwrap();
    let path = text.rsplit_once("worktree `").unwrap().1.split_once('`').unwrap().0;
    assert_eq!(std::fs::read_to_string(format!("{path}/b.txt")).unwrap(), "new");
    assert_eq!(fixture.text("b.txt"), "");
}

/// A hook may make the worktree, and then removes it; or refuse it, and no task runs.
#[test]
fn a_task_works_where_a_hook_says() {
    let hooks = r#"
[hook.make]
on = "WorktreeCreate"
shell = '''mkdir -p made; echo 'content of a' > made/a.txt; echo "{\"output\": \"$PWD/made\"}"'''
[hook.remove]
on = "WorktreeRemove"
shell = "rm -r made"
"#;
    let fixture = Fixture::new(hooks, IN_WORKTREE);
    let run = fixture.ask("delegate", &[]);
    assert_eq!(run.events(), ["WorktreeCreate", "WorktreeRemove"]);
    assert!(run.of_kind("tool_result").iter().all(|tool_result| tool_result["is_error"] == false));
    assert!(!fixture.sandbox.project().join("made").exists());

    let refuse = "[hook.no]\non = \"WorktreeCreate\"\nshell = \"echo 'no space' >&2; exit 2\"\n";
    let fixture = Fixture::new(refuse, IN_WORKTREE);
    let run = fixture.ask("delegate", &[]);
    let result = run.of_kind("tool_result")[0];
    assert!(result["text"].as_str().unwrap().contains("no space"), "{result}");
}
