//! What `fire` says where it cannot go on itself, or where its parent left it little. `cargo e2e starved` has the whole table.
#![cfg(target_os = "linux")]

use serde_json::Value;

use crate::fixture::Fixture;

const OBJECTS: &str =
    r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo no >&2; exit 2"}]}]}}"#;
/// The report if a signal ends it.
const CRASHED: &str = "a signal ended it, for a defect, or for want of memory";
const FIRE: &str = "exec tenterhook fire --config claude=hooks.json";

fn fixture(command: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("project/hooks.json", OBJECTS);
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
    });
    fixture.write("project/event.json", &event.to_string());
    fixture
}

/// R-19: an ignored signal is inherited, and with it the kernel takes every exit code.
#[test]
fn what_a_parent_ignored_loses_no_denial() {
    let fixture = fixture("ls");
    let output = fixture.shell(&format!("trap '' CHLD; {FIRE} --format json event.json"));
    let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &outcome["reason"]), (2, &Value::from("no")), "{}", output.all());
    assert_eq!(outcome["faults"], Value::Array(Vec::new()));
}

/// R-20: descriptors that last for the program and not for its hook.
#[test]
fn what_the_host_lacks_is_no_silence_of_its_hook() {
    let fixture = fixture("ls");
    let mut codes = Vec::new();
    for limit in 8..40 {
        let output = fixture.shell(&format!("ulimit -n {limit}; {FIRE} --format json event.json"));
        assert_ne!(output.code, 0, "{limit}: {}", output.all());
        let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_ne!(outcome["decision"], Value::Null, "{limit}: {}", output.all());
        codes.extend(outcome["faults"][0]["code"].as_str().map(str::to_owned));
    }
    assert!(codes.iter().any(|code| code == "out-of-resources"), "{codes:?}");
}

/// R-21: enough memory to start, and too little for a large event.
#[test]
fn where_memory_ends_the_answer_is_no() {
    // A search: shell lines of that length are given up by the built-in rules before.
    let fixture = fixture(&"a ".repeat(16 << 20));
    let event = std::fs::read_to_string(fixture.path("project/event.json")).unwrap();
    fixture.write("project/event.json", &event.replacen("\"Bash\"", "\"Grep\"", 1));
    let line = format!("ulimit -v 200000; {FIRE}");
    let out_of_memory = ("out-of-memory", "there is no memory left");
    // The C library takes memory for what each thread keeps for itself, and aborts where it gets none.
    let crashed = ("failed", CRASHED);
    // A stream is read while its threads start: one of them may be what memory ends for.
    let out_of_threads = ("out-of-resources", "hooks cannot be waited for");
    for (form, endings) in [
        ("--format json event.json", &[out_of_memory, crashed][..]),
        ("event.json", &[out_of_memory, crashed]),
        ("--stream < event.json", &[out_of_memory, out_of_threads, crashed]),
    ] {
        let output = fixture.shell(&format!("{line} {form}"));
        assert_eq!(output.code, 2, "{}", output.all());
        let ending = endings.iter().find(|(_, words)| output.stdout.contains(words));
        let Some((code, _)) = ending else { panic!("{}", output.all()) };
        if form != "event.json" {
            let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
            assert_eq!(outcome["decision"], "deny", "{}", output.all());
            assert_eq!(outcome["faults"][0]["code"], *code, "{}", output.all());
        }
    }
}

/// R-21: too few descriptors even to wait. What lacks threads needs another user, and stands in `cargo e2e starved`.
#[test]
fn a_single_thread_says_no() {
    let fixture = fixture("ls");
    for limit in 5..8 {
        let output = fixture.shell(&format!("ulimit -n {limit}; {FIRE} --format json event.json"));
        assert_eq!(output.code, 2, "{limit}: {}", output.all());
        let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(outcome["faults"][0]["code"], "out-of-resources", "{}", output.all());
    }
}

/// R-21: nothing can be written, and the hook is asked all the same.
#[test]
fn without_a_temporary_directory_hooks_are_asked() {
    let fixture = fixture("ls");
    let output = fixture.shell(&format!("TMPDIR=/proc/none {FIRE} --format json event.json"));
    let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &outcome["reason"]), (2, &Value::from("no")), "{}", output.all());
}

/// R-25: a hook that eats all memory is what the kernel ends, and not the program that has to say no.
#[test]
fn zoo_23_a_hook_goes_before_its_host_where_memory_ends() {
    let fixture = Fixture::new();
    let worker = r#"read -r it; it=${it#*'"id":'}
        echo "{\"id\":${it%%,*},\"error\":\"$(cat /proc/self/oom_score_adj)\"}"; read -r it"#;
    fixture.write("project/worker.sh", worker);
    for runs in
        ["shell = 'cat /proc/self/oom_score_adj >&2; exit 2'", "worker = ['sh', 'worker.sh']"]
    {
        fixture
            .write("project/tenterhook.toml", &format!("[hook.eats]\non = 'PreToolUse'\n{runs}\n"));
        let output =
            fixture.shell("exec tenterhook fire --config tenterhook.toml --format json Bash ls");
        assert!(output.stdout.contains("800"), "{}", output.all());
    }
}

/// R-21: an outcome that cannot be written lets nothing pass, whatever it is; 1 is a mishap to agents, which stops nothing.
#[test]
fn an_outcome_that_cannot_be_written_denies() {
    for form in ["", "--format json"] {
        let fixture = fixture("ls");
        let output = fixture.shell(&format!("{FIRE} {form} event.json >/dev/full"));
        assert_eq!(output.code, 2, "{}", output.all());
        fixture.write("project/hooks.json", "{\"hooks\":{}}");
        let output = fixture.shell(&format!("{FIRE} {form} event.json >/dev/full"));
        assert_eq!(output.code, 2, "{}", output.all());
        assert!(output.stderr.contains("standard output cannot be written"), "{}", output.all());
    }
}

/// R-21: what a library does that finds no memory, and the kernel with a stack that cannot grow. On which thread it happens is chance:
/// each of them has these signals open.
#[test]
fn a_crash_is_a_denial() {
    for signal in ["ABRT", "BUS", "FPE", "ILL", "SEGV", "SYS", "TRAP", "XCPU"] {
        let fixture = fixture("ls");
        let killing = format!("kill -{signal} $PPID; sleep 100");
        fixture.write("project/hooks.json", &OBJECTS.replace("echo no >&2; exit 2", &killing));
        let output = fixture.shell(&format!("{FIRE} --format json event.json"));
        assert_eq!(output.code, 2, "{signal}: {}", output.all());
        let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(outcome["decision"], "deny", "{signal}: {}", output.all());
        assert_eq!(outcome["faults"][0]["code"], "failed", "{signal}: {}", output.all());
        assert!(output.stdout.contains(CRASHED), "{signal}: {}", output.all());
    }
}

/// R-21: if the home of a user cannot be found, the missing hooks are reported.
#[test]
fn a_relative_home_is_no_home_without_hooks() {
    let fixture = fixture("ls");
    let output = fixture.shell(&format!("HOME=me {FIRE} --format json event.json"));
    let outcome: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &outcome["decision"]), (2, &Value::from("deny")), "{}", output.all());
    assert!(output.stderr.contains("`HOME` is `me`, a relative path"), "{}", output.all());
    let output = fixture.shell("HOME=me exec tenterhook check");
    assert_eq!(output.code, 1, "{}", output.all());
}
