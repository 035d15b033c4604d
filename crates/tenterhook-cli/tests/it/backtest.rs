//! `backtest`: rules are asked about what agents recorded, programs never run again, and no secret gets out.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{Fixture, fits_schema};
use crate::transcripts::{copied, samples};

const HOOKS: &str = r#"
[hook.deny]
on = "PreToolUse"
when = 'shell.commands.exists(c, c.runs("echo DENYHOOK"))'
deny = "no"
[hook.script]
on = "PreToolUse"
match = "Write"
shell = "touch ran"
"#;

fn backtest(fixture: &Fixture, args: &[&str]) -> Value {
    let output = fixture.run(&[&["backtest"], args, &["--format", "json"]].concat(), "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("backtest", &value);
    value
}

/// BT-1, BT-3, BT-4.
#[test]
fn rules_are_asked_and_scripts_are_not() {
    let fixture = Fixture::new();
    let place = copied(&fixture);
    fixture.write("project/hooks.toml", HOOKS);
    let json = backtest(&fixture, &["native=hooks.toml", "--sessions", place.to_str().unwrap()]);
    let groups = json["groups"].as_array().unwrap();
    let of = |shape: &str| {
        groups
            .iter()
            .find(|group| group["shape"] == shape)
            .map_or(0, |group| group["calls"].as_u64().unwrap())
    };
    // Two of Claude Code and one of its subagent, one of Codex and two of its subagent, two of Copilot, one of Gemini, two of
    // Qwen; a fork's copy is skipped. One more of Claude Code has computed words, `echo $(seq 1 20000)`: the rule may deny it.
    assert_eq!(of("Bash echo"), 12, "{groups:#?}");
    assert!(groups.iter().all(|group| group["hook"] == "deny" && group["verdict"] == "deny"));
    assert!(
        groups[0]["examples"][0]["line"].is_u64() && groups[0]["examples"][0]["time"].is_string()
    );
    assert_eq!(json["not_replayed"][0]["hook"], "script");
    assert!(json["not_replayed"][0]["events"].as_u64().unwrap() > 3);
    assert_eq!(json["copied"], 24);
    // OpenCode's calls add one more reason.
    let reasons = if cfg!(feature = "opencode") { 2 } else { 1 };
    assert_eq!(json["not_judged"].as_object().unwrap().len(), reasons, "{}", json["not_judged"]);
    assert!(!fixture.path("project/ran").exists());
    let only = backtest(
        &fixture,
        &["native=hooks.toml", "--sessions", place.to_str().unwrap(), "--agent", "codex"],
    );
    assert_eq!(only["files"], 4);
    let none = backtest(
        &fixture,
        &["native=hooks.toml", "--sessions", place.to_str().unwrap(), "--since", "2100-01-01"],
    );
    assert_eq!((&none["calls"], &none["groups"]), (&0.into(), &json!([])));
}

/// BT-5.
#[test]
fn two_sets_of_hooks_are_compared() {
    let fixture = Fixture::new();
    let place = samples();
    fixture.write("project/old.toml", HOOKS);
    fixture.write("project/new.toml", &HOOKS.replace("deny = ", "ask = "));
    let args =
        ["native=new.toml", "--against", "native=old.toml", "--sessions", place.to_str().unwrap()];
    let json = backtest(&fixture, &args);
    let groups = json["groups"].as_array().unwrap();
    assert!(
        !groups.is_empty()
            && groups.iter().all(|group| group["before"] == "deny" && group["verdict"] == "ask")
    );
    let same = backtest(
        &fixture,
        &["native=old.toml", "--against", "native=old.toml", "--sessions", place.to_str().unwrap()],
    );
    assert_eq!(same["groups"], json!([]));
}

/// BT-9: forks and their originals are read at the same time, and what is a copy of what is the same in every run.
#[test]
fn every_run_says_the_same() {
    let fixture = Fixture::new();
    let all = "[hook.all]\non = \"PreToolUse\"\nwhen = 'true'\ndeny = \"no {tool.name}\"\n";
    fixture.write("project/all.toml", all);
    let session = |name: &str, from: usize| -> String {
        let call =
            |id| line(id, "2026-11-20T09:00:05Z", "echo").replace("\"s\"", &format!("{name:?}"));
        (from..from + 30).map(|id| call(id) + "\n").collect()
    };
    // Each begins with what the one before it said.
    for fork in 0..24 {
        let text = session(&format!("s{fork}"), fork * 10);
        fixture.write(&format!("project/forks/{fork:02}.jsonl"), &text);
        let file = fs::File::open(fixture.path(&format!("project/forks/{fork:02}.jsonl"))).unwrap();
        let at = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(fork as u64);
        file.set_modified(at).unwrap();
    }
    let run = || {
        let output = fixture.run(&["backtest", "native=all.toml", "--sessions", "forks"], "");
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.stdout
    };
    let first = run();
    // The first file tells of 30 calls, each other one of 10 that are new.
    assert!(first.contains("260 calls in 24 sessions of 24 files"), "{first}");
    assert!(first.contains("forks/00.jsonl:1\n"), "{first}");
    for _ in 0..10 {
        assert_eq!(run(), first);
    }
}

/// BT-6: agents name their sessions without asking each other.
#[test]
fn agents_that_share_a_name_of_a_session_share_none() {
    let fixture = Fixture::new();
    fixture.write("project/hooks.toml", HOOKS);
    let codex = "codex-0.169.0-gpt5-main-resumed.jsonl";
    let text = fs::read_to_string(samples().join(codex)).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let name = first["payload"]["id"].as_str().unwrap();
    fixture.write("project/both/codex.jsonl", &text);
    let call = line(1, "2026-11-20T09:00:05Z", "echo DENYHOOK");
    let call = call.replace("\"s\"", &format!("{name:?}"));
    fixture.write("project/both/claude.jsonl", &format!("{call}\n"));
    let json = backtest(&fixture, &["native=hooks.toml", "--sessions", "both"]);
    assert_eq!((&json["files"], &json["sessions"]), (&2.into(), &2.into()));
    assert_eq!(json["sessions_touched"], 2);
}

/// BT-10: a summary says how many hooks were asked.
#[test]
fn summary_says_how_many_hooks_were_asked() {
    let fixture = Fixture::new();
    fixture.write("project/s/a.jsonl", &line(1, "2026-11-20T09:00:05Z", "git push -f"));
    let script = "[hook.script]\non = 'PreToolUse'\nshell = 'exit 2'\n";
    let rule = "[hook.rule]\non = 'PreToolUse'\nwhen = 'false'\ndeny = 'no'\n";
    fixture.write("project/script.toml", script);
    fixture.write("project/both.toml", &format!("{script}{rule}"));
    fixture.write("project/rule.toml", rule);
    for (file, expected, hints) in [
        ("script.toml", "the 1 hook for them was not asked, so the result is unknown", true),
        (
            "both.toml",
            "0 sessions of them (0 %) would have been touched (1 of 2 hooks were asked)",
            true,
        ),
        ("rule.toml", "0 sessions of them (0 %) would have been touched", false),
    ] {
        let output = fixture.run(&["backtest", file, "--sessions", "s"], "");
        let text = output.stdout.replace("\n  ", " ");
        assert!(text.contains(expected), "{file}: {text}");
        assert_eq!(output.stderr.contains("--run-scripts"), hints, "{file}: {}", output.stderr);
    }
}

/// BT-10.
#[test]
fn scripts_run_in_a_sandbox_that_only_reads() {
    let fixture = Fixture::new();
    let calls = ["git push -f", "ls", "pwd"];
    let calls: Vec<String> =
        (0..).zip(calls).map(|(id, call)| line(id, "2026-11-20T09:00:05Z", call)).collect();
    fixture.write("project/s/a.jsonl", &calls.join("\n"));
    fixture.write("project/deny.txt", "push");
    let shell = "touch ran; touch \"$HOME/ran\"; grep -qf deny.txt && exit 2; exit 0";
    fixture.write("project/a.toml", &format!("[hook.a]\non = 'PreToolUse'\nshell = '{shell}'\n"));
    let args = ["backtest", "a.toml", "--sessions", "s", "--format", "json", "--run-scripts"];
    if tenterhook_process::available_sandbox_means().highest_tier() < tenterhook_process::Tier::T1 {
        let output = fixture.run(&args, "");
        assert!(output.code == 1 && output.stderr.contains("no sandbox"), "{}", output.all());
        return;
    }
    let all = fixture.json(&args, "", 0);
    fits_schema("backtest", &all);
    assert_eq!(all["hooks"], json!([{ "hook": "a", "said": { "deny": 1, "silent": 2 } }]));
    assert_eq!((&all["groups"][0]["verdict"], &all["not_replayed"]), (&"deny".into(), &json!([])));
    assert!(!fixture.path("project/ran").exists() && !fixture.path("home/ran").exists());
    let output = fixture.run(&["backtest", "a.toml", "--sessions", "s", "--run-scripts=2"], "");
    assert!(
        output.stdout.contains("a: not asked, it would act again (1 of its events)"),
        "{}",
        output.stdout
    );
    assert!(output.stderr.contains("the limit of 2 runs was reached"), "{}", output.stderr);
}

fn line(id: usize, time: &str, command: &str) -> String {
    json!({
        "type": "assistant", "uuid": format!("u{id}"), "sessionId": "s", "timestamp": time, "cwd": "/p", "version": "2.1.330",
        "message": { "role": "assistant", "content": [
            { "type": "tool_use", "id": format!("toolu_{id}"), "name": "Bash", "input": { "command": command } },
        ] },
    })
    .to_string()
}

/// BT-6: in no output of any form, wherever it stood.
#[test]
fn no_secret_leaves_a_transcript() {
    let fixture = Fixture::new();
    let key = "ghp_".to_owned() + &"aB3".repeat(12);
    let lines = [
        line(1, "2026-11-22T10:00:00Z", &format!("echo DENYHOOK {key}")),
        line(2, "2026-11-22T09:00:00Z", &format!("echo DENYHOOK --password hunter22 {key}")),
        json!({ "type": key.clone(), "sessionId": "s" }).to_string(),
        format!("{{\"type\":\"{key}"),
    ];
    fixture.write("home/.claude/projects/p/s.jsonl", &lines.join("\n"));
    fixture.write("project/hooks.toml", HOOKS);
    for format in ["text", "json", "sarif"] {
        let said = fixture.run(&["backtest", "native=hooks.toml", "--format", format], "");
        assert_eq!(said.code, 0, "{}", said.stderr);
        for secret in [key.as_str(), "hunter22"] {
            assert!(
                !said.stdout.contains(secret) && !said.stderr.contains(secret),
                "{format}: {}",
                said.stdout
            );
        }
        assert!(said.stdout.contains("redacted"), "{format}: {}", said.stdout);
    }
    let said = fixture.run(&["transcripts", "--format", "json"], "");
    assert!(!said.stdout.contains(&key), "{}", said.stdout);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    // Clocks may run backwards.
    assert_eq!(said["files"][0]["first"], "2026-11-22T09:00:00Z");
    assert_eq!(said["files"][0]["unknown_records"], 2);
}

/// BT-7.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the program is played from outside")]
#[test]
fn what_is_cut_short_says_so() {
    use std::process::{Command, Stdio};

    let fixture = Fixture::new();
    // Its end is never reached: the program is asked to end while it waits for one more line.
    let text: String =
        (0..20_000).map(|i| line(i, "2026-11-22T10:00:00Z", "echo DENYHOOK") + "\n").collect();
    for file in 0..40 {
        fixture.write(
            &format!("home/.claude/projects/p/{file}.jsonl"),
            &text.replace("toolu_", &format!("toolu_{file}_")),
        );
    }
    fixture.write("project/hooks.toml", HOOKS);
    let child = Command::new(env!("CARGO_BIN_EXE_tenterhook"))
        .args(["backtest", "native=hooks.toml", "--format", "json"])
        .current_dir(fixture.path("project"))
        .env_clear()
        .env("HOME", fixture.path("home"))
        .env("PATH", "/usr/bin:/bin")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        caught.and_then(|text| u64::from_str_radix(text, 16).ok()).is_some_and(|n| n & 2 != 0)
    };
    while !catches() {
        std::thread::yield_now();
    }
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["cut_short"], true);
    assert!(json["calls"].as_u64().unwrap() < 800_000);
}

/// BT-8, BT-40.
#[test]
fn a_page_is_whole_and_holds_no_secret() {
    let fixture = Fixture::new();
    let secret = "ghp_".to_owned() + &"aB3dE6gH9".repeat(4);
    let call = json!({"type": "assistant", "sessionId": format!("s-{secret}"), "version": "2.1.330", "cwd": format!("/w/{secret}"),
        "timestamp": "2026-11-20T09:00:05Z", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1",
            "name": "Bash", "input": {"command": format!("echo DENYHOOK {secret} </script><img src=x>")}}]}});
    fixture.write("project/s/a.jsonl", &format!("{call}\n"));
    let deny = "[hook.deny]\non = \"PreToolUse\"\nwhen = 'tool.input.command.contains(\"DENY\")'\ndeny = \"not { tool.input.command }\"\n";
    fixture.write("project/hooks.toml", deny);
    let args = ["backtest", "native=hooks.toml", "--sessions", "s", "--html", "page.html"];
    let page = |more: &[&str]| {
        let output = fixture.run(&[&args, more].concat(), "");
        assert_eq!(output.code, 0, "{}", output.stderr);
        fs::read_to_string(fixture.path("project/page.html")).unwrap()
    };
    let redacted = page(&[]);
    assert!(redacted.contains("echo DENYHOOK") && !redacted.contains(&secret), "{redacted}");
    assert_eq!(
        redacted.matches("</script>").count(),
        2,
        "no text ends the element that it stands in"
    );
    for outside in ["http://", "https://", "src=\"", "href=", "import ", "url("] {
        assert!(!redacted.contains(outside), "{outside}");
    }
    let none = page(&["--content", "none"]);
    assert!(!none.contains("DENYHOOK") && !none.contains(&secret), "{none}");
    let full = page(&["--content", "full"]);
    assert!(full.contains(&secret) && full.contains("may hold secrets"));
    fixture.write("project/mine.html", "mine");
    let output = fixture
        .run(&["backtest", "native=hooks.toml", "--sessions", "s", "--html", "mine.html"], "");
    assert_eq!(
        (output.code, fs::read_to_string(fixture.path("project/mine.html")).unwrap().as_str()),
        (1, "mine")
    );
}
