//! The record after the program ran: its firings, and with other writers.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::fixture::Fixture;

const HOOKS: &str = "[hook.no-force]\non = 'PreToolUse'\nif = 'Bash(git push *)'\nshell = 'echo no force >&2; exit 2'\n";
const RECORDS: &str = "home/.local/state/tenterhook/records";
pub(crate) const USER: &str = "home/.config/tenterhook/tenterhook.toml";

pub(crate) fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("project/tenterhook.toml", HOOKS);
    fixture
}

fn files(fixture: &Fixture) -> Vec<PathBuf> {
    let Ok(all) = fs::read_dir(fixture.path(RECORDS)) else { return Vec::new() };
    let mut all: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn records(fixture: &Fixture) -> Vec<Value> {
    let texts = files(fixture).into_iter().map(|file| fs::read_to_string(file).unwrap());
    let text: String = texts.collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a run says, without the times of day.
fn timeless(text: &str) -> String {
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
    time.replace_all(text, "[WHEN]").into_owned()
}

fn line(command: &str) -> String {
    json!({ "hook_event_name": "PreToolUse", "session_id": "s-1", "tool_name": "Bash", "tool_use_id": "call-1",
        "tool_input": { "command": command } })
    .to_string()
}

/// RE-1.
#[test]
fn a_firing_is_a_line_of_the_log() {
    let fixture = fixture();
    assert_eq!(fixture.run(&["fire", "-"], &line("git push -f")).code, 2);
    assert_eq!(fixture.run(&["fire", "-"], &line("ls")).code, 0);
    let [begin, deny, .., last] = &records(&fixture)[..] else { panic!("records") };
    assert_eq!((&begin["kind"], &begin["call"]), (&json!("begin"), &json!("call-1")));
    assert_eq!((&deny["decision"], &deny["begun"]), (&json!("deny"), &json!(1)));
    assert_eq!(deny["hooks"][0]["ended"], "exit 2");
    assert_eq!(last["decision"], "silent");
    let output = fixture.run(&["log"], "");
    assert_eq!(
        timeless(&output.stdout).replace(deny["code"].as_str().unwrap(), "[CODE]"),
        "    2 [WHEN]  PreToolUse        Bash      deny    no-force [TIME]  [CODE]\n    4 [WHEN]  PreToolUse        Bash      silent  - [TIME]\n",
        "{}",
        output.all()
    );
    for (args, count) in [
        (&["log", "--denied"][..], 1),
        (&["log", "--hook", "no-force"], 1),
        (&["log", "--event", "Stop"], 0),
        (&["log", "--session", "s-1"], 2),
        (&["log", "--session", "s-2"], 0),
        (&["log", "--since", "1h"], 2),
        (&["log", "--since", "2100-01-01"], 0),
    ] {
        assert_eq!(fixture.run(args, "").stdout.lines().count(), count, "{args:?}");
    }
    let output = fixture.run(&["log", "--format", "json", "--denied"], "");
    let firing: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&firing["seq"], &firing["tool"]), (&json!(2), &json!("Bash")));
    assert!(firing["payload"]["digest"].is_string() && firing["hash"].is_null(), "{firing:#}");
}

/// RE-7.
#[test]
fn record_names_host_user_agent_and_version() {
    let fixture = fixture();
    fixture.write("call.json", &line("git push -f"));
    fixture.shell(
        "AI_AGENT=claude-code_2-1-332_harness tenterhook hook --agent claude --event PreToolUse < ../call.json",
    );
    fixture.run(&["fire", "-"], &line("ls"));
    let all = records(&fixture);
    let callers: Vec<&Value> = all.iter().map(|record| &record["caller"]).collect();
    for caller in &callers {
        assert!(caller["host"].is_string() && caller["user"].is_string(), "{caller}");
    }
    let [begin, end, fired, ..] = &callers[..] else { panic!("records: {all:#?}") };
    for caller in [begin, end] {
        assert_eq!((&caller["agent"], &caller["version"]), (&json!("claude"), &json!("2.1.332")));
    }
    assert!(fired["agent"].is_null(), "{fired}");
    let output = fixture.run(&["log", "--agent", "claude", "--format", "json"], "");
    let firing: Value = serde_json::from_str(&output.stdout).unwrap();
    crate::fixture::fits_schema("log", &firing);
    assert_eq!(&firing["caller"], callers[1]);
    let text = fixture.run(&["log"], "").stdout;
    assert!(text.lines().next().unwrap().contains("  claude  "), "{text}");
    let text = fixture.run(&["explain", "--record", "2"], "").stdout;
    assert!(text.contains(", by claude 2.1.332 as "), "{text}");
}

/// RE-7: in a variable of Copilot, in the payload of Cline.
#[test]
fn version_that_an_agent_tells_is_recorded() {
    let fixture = fixture();
    for (agent, event, call, _) in crate::bridge::CALLS {
        let call = call.replace("\"clineVersion\":\"\"", "\"clineVersion\":\"3.17.5\"");
        fixture.write("call.json", &call);
        let args = format!("hook --agent {agent} --event {event} < ../call.json");
        fixture.shell(&format!("COPILOT_CLI_BINARY_VERSION=1.0.88 tenterhook {args}"));
        let caller = records(&fixture).last().unwrap()["caller"].clone();
        let version = match *agent {
            "copilot" | "copilot-pascal" => json!("1.0.88"),
            "cline" => json!("3.17.5"),
            _ => Value::Null,
        };
        assert_eq!((&caller["agent"], &caller["version"]), (&json!(agent), &version), "{caller}");
    }
}

/// RE-50.
#[test]
fn records_are_sent_to_the_socket_of_the_system_log() {
    let fixture = fixture();
    let path = fixture.path("home/log");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    socket.set_nonblocking(true).unwrap();
    fixture.write(USER, &format!("[record]\nsystem_log = 'journald'\nsocket = {path:?}\n"));
    assert_eq!(fixture.run(&["fire", "-"], &line("git push -f")).code, 2);
    let stored = records(&fixture);
    let mut buffer = vec![0; 1 << 16];
    for record in &stored {
        let length = socket.recv(&mut buffer).unwrap();
        let text = std::str::from_utf8(&buffer[..length]).unwrap();
        let message = text.lines().next().unwrap().strip_prefix("MESSAGE=").unwrap();
        assert_eq!(&serde_json::from_str::<Value>(message).unwrap(), record);
        assert!(text.contains("\nSYSLOG_IDENTIFIER=tenterhook\n"), "{text}");
    }
    assert_eq!(stored.len(), 2);
}

/// RE-53: firings of several users or hosts are told apart, and `-v` names a single one.
#[test]
fn log_names_user_and_host_if_there_are_several() {
    let fixture = fixture();
    fixture.run(&["fire", "-"], &line("ls"));
    let caller = records(&fixture)[0]["caller"].clone();
    let own = format!("{}@{}", caller["user"].as_str().unwrap(), caller["host"].as_str().unwrap());
    let log = |args: &[&str]| fixture.run(&[&["log"], args].concat(), "").stdout;
    assert!(!log(&[]).contains('@'), "{}", log(&[]));
    assert!(log(&["-v"]).contains(&own), "{}", log(&["-v"]));
    let file = std::fs::read_dir(fixture.path("home/.local/state/tenterhook/records"));
    let file = file.unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let (user, _) = own.split_once('@').unwrap();
    let other = text.replace(&format!("\"user\":\"{user}\""), "\"user\":\"eve\"");
    std::fs::write(&file, other).unwrap();
    fixture.run(&["fire", "-"], &line("ls"));
    let all = log(&[]);
    assert!(all.contains("  eve@") && all.contains(&format!("  {own}")), "{all}");
}

#[test]
fn each_hook_has_its_figures() {
    let fixture = fixture();
    for command in ["git push", "git push -f", "ls"] {
        fixture.run(&["fire", "-"], &line(command));
    }
    let stats = fixture.json(&["log", "--stats", "--format", "json"], "", 0);
    assert_eq!(stats["firings"], 3);
    let hook = &stats["hooks"][0];
    assert_eq!(
        (&hook["hook"], &hook["fired"], &hook["denials"]),
        (&json!("no-force"), &json!(2), &json!(2))
    );
    assert!(hook["p95_us"].as_u64() >= hook["p50_us"].as_u64());
    let output = fixture.run(&["log", "--stats"], "");
    assert!(timeless(&output.stdout).contains("no-force      2  [WHEN]"), "{}", output.all());

    let daily = fixture.json(&["log", "--stats", "--by-day", "--format", "json"], "", 0);
    let row = &daily["hooks"][0];
    assert_eq!(row["day"].as_str().map(str::len), Some("2026-11-28".len()), "{daily:#}");
    assert!(row["total_us"].as_u64() >= row["p95_us"].as_u64(), "{daily:#}");
    let text = fixture.run(&["log", "--stats", "--by-day"], "").stdout;
    assert!(text.contains("DAY") && text.contains("TIME") && text.contains("3 firings"), "{text}");
    assert_eq!(fixture.run(&["log", "--by-day"], "").code, 1);
}

/// A hook without a file has one name, though its command is not on record.
#[test]
fn hook_without_file_has_the_same_name_in_log_and_explain() {
    let fixture = Fixture::new();
    let hooks = json!([{ "type": "command", "command": "echo no;exit 2" }]);
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": hooks }] } });
    fixture.write("home/.claude/settings.json", &settings.to_string());
    let name = "echo no;exit 2";
    let fired = fixture.run(&["fire", "Bash", "ls"], "");
    assert_eq!(fired.code, 2, "{}", fired.all());
    for args in
        [&["log"][..], &["log", "--stats"], &["log", "--hook", name], &["explain", "--last"]]
    {
        let output = fixture.run(args, "");
        let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(name), "{args:?}: {}", output.all());
    }
    let records = std::fs::read_dir(fixture.path("home/.local/state/tenterhook/records")).unwrap();
    for record in records {
        let text = std::fs::read_to_string(record.unwrap().path()).unwrap();
        assert!(!text.contains("echo no"), "{text}");
    }
}

/// RE-4.
#[test]
fn unreadable_event_is_recorded() {
    let fixture = fixture();
    assert_eq!(fixture.run(&["fire", "-"], "{").code, 2);
    fixture.run(&["fire", "--stream"], "{\n");
    for record in records(&fixture) {
        assert_eq!((&record["decision"], &record["event"]), (&json!("deny"), &json!("")));
        assert_eq!(record["faults"], json!(["unreadable-event"]));
    }
    assert_eq!(records(&fixture).len(), 2);
    assert!(fixture.run(&["log"], "").stdout.contains("(unreadable)"));
}

/// RE-5.
#[test]
fn another_entry_is_another_hook() {
    let fixture = fixture();
    let identity = |hooks: &str| {
        fixture.write("project/tenterhook.toml", hooks);
        fixture.run(&["fire", "-"], &line("git push"));
        records(&fixture).last().unwrap()["hooks"][0]["identity"].as_str().unwrap().to_owned()
    };
    let first = identity(HOOKS);
    assert_eq!(identity(&format!("\n# moved\n{HOOKS}")), first);
    assert_ne!(identity(&HOOKS.replace("no force", "no force!")), first);
}

/// RE-11: also while each is denied something.
#[test]
fn twenty_processes_make_one_chain() {
    let fixture = fixture();
    std::thread::scope(|scope| {
        for at in 0..20 {
            let fixture = &fixture;
            scope.spawn(move || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
                command.args(["fire", "Bash", &format!("git push {at}")]);
                command
                    .current_dir(fixture.path("project"))
                    .env_clear()
                    .env("PATH", "/usr/bin:/bin");
                let output = command.env("HOME", fixture.path("home")).output().unwrap();
                assert_eq!(output.status.code(), Some(2));
            });
        }
    });
    let verified = fixture.json(&["log", "verify", "--format", "json"], "", 0);
    assert_eq!(
        (&verified["whole"], &verified["records"]),
        (&json!(true), &json!(40)),
        "{verified:#}"
    );
    assert_eq!(verified["open"], json!([]));
    let denied = records(&fixture).iter().filter(|record| record["decision"] == "deny").count();
    assert_eq!(denied, 20);
}

#[expect(clippy::disallowed_methods, reason = "what is killed is the program itself")]
/// RE-17: a caller that has an answer finds it on record, however the program that gave it ends.
#[test]
fn what_a_stream_has_answered_outlives_it() {
    let fixture = fixture();
    for answers in 1..6 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(["fire", "--stream"]).current_dir(fixture.path("project")).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("HOME", fixture.path("home"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        for at in 0..20 {
            let event = json!({ "id": at, "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_use_id": format!("{answers}-{at}"), "tool_input": { "command": "git push" } });
            writeln!(input, "{event}").unwrap();
        }
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let given: Vec<Value> = lines
            .by_ref()
            .take(answers)
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
            .collect();
        child.kill().unwrap();
        child.wait().unwrap();
        drop(input);
        let records = records(&fixture);
        for answer in given {
            let call = format!("{answers}-{}", answer["id"]);
            let is = |record: &&Value| record["kind"] == "end" && record["call"] == call.as_str();
            let end = records.iter().find(is).unwrap_or_else(|| panic!("{call} is lost"));
            assert_eq!(end["decision"], answer["decision"]);
        }
        assert_eq!(fixture.run(&["log", "verify"], "").code, 0);
    }
}

/// RE-22, C-77.
#[test]
fn a_repository_does_not_say_whether_it_is_recorded() {
    let fixture = fixture();
    let hooks = format!("[record]\nenabled = false\ncontent = 'full'\n{HOOKS}");
    fixture.write("project/tenterhook.toml", &hooks);
    fixture.run(&["fire", "-"], &line("git push"));
    assert_eq!(records(&fixture).len(), 2);
    assert!(records(&fixture).iter().all(|record| record["content"].is_null()));
    let found = fixture.run(&["check"], "");
    assert!(found.all().contains("record-not-heard"), "{}", found.all());
    // The user does, whichever files hooks are read from.
    fixture.write(USER, "[record]\nenabled = false\n");
    fixture.run(&["fire", "--config", "tenterhook.toml", "-"], &line("git push"));
    assert_eq!(records(&fixture).len(), 2);
    fixture.write(USER, "[record]\ndir = '~/audit'\n");
    fixture.run(&["fire", "--config", "tenterhook.toml", "-"], &line("git push"));
    assert_eq!(fs::read_dir(fixture.path("home/audit")).unwrap().count(), 1);
    assert_eq!(fixture.run(&["log"], "").stdout.lines().count(), 1);
}

/// RE-30.
#[test]
fn content_is_a_choice() {
    let fixture = fixture();
    let call = line("git push --password hunter22");
    for (content, has, lacks) in
        [("full", "hunter22", "[redacted]"), ("redacted", "[redacted]", "hunter22")]
    {
        fixture.write(USER, &format!("[record]\ncontent = '{content}'\n"));
        fixture.run(&["fire", "-"], &call);
        let records = records(&fixture);
        let [begin, end] = &records[records.len() - 2..] else { panic!("two") };
        let event = begin["content"]["event"].to_string();
        assert!(event.contains(has) && !event.contains(lacks), "{content}: {event}");
        assert_eq!(end["content"]["outcome"]["reason"], "no force");
    }
    fixture.write(USER, "[record]\ncontent = 'full'\n");
    fixture.run(&["fire", "-"], &line(&format!("git push {}", "x".repeat(300_000))));
    let records = records(&fixture);
    assert_eq!(records[records.len() - 2]["content"], json!({ "cut": true }));
}

/// RE-40, RE-42.
#[test]
fn a_changed_record_is_named_by_file_and_line() {
    let fixture = fixture();
    for _ in 0..3 {
        fixture.run(&["fire", "-"], &line("git push"));
    }
    let output = fixture.run(&["log", "verify"], "");
    assert!(
        output.code == 0 && output.stdout.starts_with("whole: 6 records in 1 file"),
        "{}",
        output.all()
    );
    let last =
        output.stdout.lines().find_map(|line| line.strip_prefix("last: ")).unwrap().to_owned();
    assert_eq!(fixture.run(&["log", "verify", "--head", &last], "").code, 0);
    let file = files(&fixture).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"decision\":\"deny\"", "\"decision\":\"ask!\"", 1)).unwrap();
    let output = fixture.run(&["log", "verify"], "");
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(
        output.stdout.contains(&format!("error: {name}:2: this is not as it was written")),
        "{}",
        output.all()
    );
    fs::remove_dir_all(fixture.path("home/.local/state/tenterhook")).unwrap();
    assert_eq!(fixture.run(&["log", "verify"], "").stdout, "nothing is on record\n");
    assert_eq!(fixture.run(&["log", "verify", "--head", &last], "").code, 1);
}

/// RE-44.
#[test]
fn the_last_firing_is_explained_without_an_event() {
    let fixture = fixture();
    let output = fixture.run(&["explain", "--last"], "");
    assert!(output.code == 1 && output.stderr.contains("nothing is on record"), "{}", output.all());
    fixture.run(&["fire", "-"], &line("git push -f"));
    let output = fixture.run(&["explain", "--last"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    for has in ["PreToolUse  Bash", "record 2", "deny after", "exit 2", "no content of this event"]
    {
        assert!(output.stdout.contains(has), "{has}: {}", output.all());
    }
    fixture.write(USER, "[record]\ncontent = 'full'\n");
    fixture.run(&["fire", "-"], &line("git push -f"));
    fixture.run(&["fire", "-"], &line("ls"));
    for number in ["3", "4"] {
        let output = fixture.run(&["explain", "--record", number], "");
        for has in ["record 4", "no force", "As the hooks stand now:", "git push -f", "runs"] {
            assert!(output.stdout.contains(has), "{has}: {}", output.all());
        }
    }
    let json = fixture.json(&["explain", "--last", "--format", "json"], "", 0);
    assert_eq!(json["record"]["decision"], "silent");
    assert_eq!(json["now"]["hooks"][0]["selected"], false);
    let output = fixture.run(&["explain", "--record", "77"], "");
    assert!(
        output.code == 1 && output.stderr.contains("no firing has the number 77"),
        "{}",
        output.all()
    );
}

/// RE-45.
#[test]
fn the_last_firing_becomes_a_case() {
    let fixture = fixture();
    fixture.run(&["fire", "-"], &line("git push -f"));
    let output = fixture.run(&["test", "--record"], "");
    assert!(output.code == 1 && output.stderr.contains("is not on record"), "{}", output.all());
    fixture.write(USER, "[record]\ncontent = 'full'\n");
    fixture.run(&["fire", "-"], &line("git push -f"));
    let output = fixture.run(&["test", "--record"], "");
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(
        output.stdout.contains("expect = \"deny\"") && output.stdout.contains("git push -f"),
        "{}",
        output.all()
    );
    let output = fixture.run(&["test"], "");
    assert!(output.code == 0 && output.stdout.contains("1 "), "{}", output.all());
}

/// RE-6: approvals, refusals and the exemptions from self-protection are on record for every later reader.
#[cfg(target_os = "linux")]
#[test]
fn what_a_person_says_of_their_guard_is_on_record() {
    let fixture = Fixture::new().unapproved();
    fixture.write("project/tenterhook.toml", "[hook.a]\non = 'PreToolUse'\nshell = 'exit 0'\n");
    let digest = |fixture: &Fixture| {
        let page = fixture.run(&["trust"], "").stdout;
        page.lines().find_map(|line| line.strip_prefix("review ")).unwrap().to_owned()
    };
    let shown = digest(&fixture);
    assert_eq!(fixture.run(&["trust", "--yes", &shown], "").code, 0);
    assert_eq!(fixture.run(&["untrust", "--yes", &shown], "").code, 0);
    assert_eq!(fixture.at_terminal(&["pause", "5m"]).code, 0);
    assert_eq!(fixture.at_terminal(&["pause", "--end"]).code, 0);
    let all = fixture.run(&["log", "--format", "json"], "").stdout;
    let records: Vec<Value> = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .inspect(|value| crate::fixture::fits_schema("log", value))
        .filter(|value| value["kind"] == "said")
        .map(|value| value["said"].clone())
        .collect();
    let what: Vec<_> = records.iter().filter_map(|value| value["what"].as_str()).collect();
    assert_eq!(what, ["approve", "forget", "pause", "pause end"]);
    let about = records[0]["about"].as_str().unwrap();
    assert!(about.ends_with("project/tenterhook.toml"), "{about}");
    assert_eq!(
        (&records[0]["digest"], &records[2]["about"]),
        (&records[1]["digest"], &json!("300"))
    );
    let text = fixture.run(&["log"], "").stdout;
    assert!(text.contains("you: approve") && text.contains("you: pause end"), "{text}");
    assert!(!fixture.run(&["log", "--event", "PreToolUse"], "").stdout.contains("you:"));
    assert_eq!(fixture.run(&["log", "verify"], "").code, 0);
    // Where a record is required and cannot be, nothing comes of it.
    fixture.write("home/records", "");
    fixture.write(
        USER,
        &format!("[record]\nrequired = true\ndir = {:?}\n", fixture.path("home/records")),
    );
    let refused = fixture.run(&["trust", "--yes", &shown], "");
    assert!(
        refused.code == 1 && refused.stderr.contains("nothing was changed"),
        "{}",
        refused.all()
    );
    assert_eq!(fixture.run(&["trust", "status"], "").code, 1);
}

/// RE-46: with and without content, in shadow, with faults, and for unreadable events; the test above covers decisions of a
/// person.
#[test]
fn every_line_of_the_log_has_its_form() {
    let hooks = "[hook.no]\non = 'PreToolUse'\nmatch = 'Bash'\nshell = 'echo no >&2; exit 2'\n\
        [hook.aside]\non = 'PreToolUse'\nmode = 'shadow'\nshell = 'echo aside >&2; exit 2'\n\
        [hook.broken]\non = 'PreToolUse'\nshell = 'exit 7'\n\
        [hook.other]\non = 'PreToolUse'\nmatch = 'Read'\nshell = 'true'\n";
    let mut kinds = std::collections::BTreeSet::new();
    for content in ["none", "redacted", "full"] {
        let fixture = Fixture::new();
        fixture.write("project/tenterhook.toml", hooks);
        fixture.write(USER, &format!("[record]\ncontent = '{content}'\n"));
        fixture.run(&["fire"], &line("git push"));
        fixture.run(&["fire"], "{ torn");
        fixture.run(&["fire", "Read", "a"], "");
        let logged = fixture.run(&["log", "--format", "json"], "");
        assert!(logged.stdout.lines().count() >= 2, "{}", logged.all());
        for line in logged.stdout.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            crate::fixture::fits_schema("log", &value);
            kinds.insert(value["kind"].as_str().unwrap().to_owned());
            let mut odd = value;
            odd["odd"] = true.into();
            assert!(std::panic::catch_unwind(|| crate::fixture::fits_schema("log", &odd)).is_err());
        }
    }
    assert!(kinds.contains("end"), "{kinds:?}");
}

/// RE-3: a hook is called by the script that it runs, which stays when an entry is added before it.
#[test]
fn log_names_a_hook_as_fire_does() {
    let fixture = Fixture::new();
    let entry = |script: &str| serde_json::json!({ "type": "command", "command": format!("~/.claude/hooks/{script}.sh") });
    let settings = |scripts: &[&str]| {
        let entries: Vec<_> = scripts.iter().map(|script| entry(script)).collect();
        let hooks = serde_json::json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": entries }] } });
        fixture.write("home/.claude/settings.json", &hooks.to_string());
    };
    for script in ["guard", "other"] {
        let path = fixture.path(&format!("home/.claude/hooks/{script}.sh"));
        fixture.write(&format!("home/.claude/hooks/{script}.sh"), "#!/bin/sh\nexit 0\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, mode).unwrap();
    }
    for scripts in [&["guard"][..], &["other", "guard"]] {
        settings(scripts);
        let output = fixture.run(&["fire", "Bash", "ls"], "");
        assert!(output.stdout.contains("guard.sh"), "{}", output.all());
    }
    for args in [&["log"][..], &["log", "--stats"], &["explain", "--last"]] {
        let output = fixture.run(args, "");
        let is_named = output.stdout.contains("guard.sh") || args == ["log"];
        assert!(is_named && output.stdout.contains(".sh"), "{args:?}: {}", output.all());
        assert!(!output.stdout.contains("user:PreToolUse"), "{args:?}: {}", output.all());
    }
    let stats = fixture.json(&["log", "--stats", "--format", "json"], "", 0);
    let fired = |name: &str| {
        stats["hooks"].as_array().unwrap().iter().find(|hook| hook["name"] == name).unwrap()["fired"].clone()
    };
    assert_eq!((fired("guard.sh"), fired("other.sh")), (2.into(), 1.into()), "{stats}");
    assert_eq!(fixture.run(&["log", "--hook", "guard.sh"], "").stdout.lines().count(), 2);
}
