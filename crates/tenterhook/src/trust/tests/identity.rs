//! Tests of which settings of an entry change its identity.

use super::*;

/// SH-14: a gate of a repository that takes the force from itself is not the gate that was
/// approved.
#[tokio::test]
async fn a_hook_in_shadow_is_another_one() {
    let fixture = Fixture::new();
    let gate = "[hook.gate]\non = \"PreToolUse\"\nwhen = \"true\"\ndeny = \"no\"\n";
    fixture.write("tenterhook.toml", gate);
    let source = || fixture.source("tenterhook.toml");
    let trust = fixture.trust();
    trust.approve(&trust.review(&source())).expect("an approval");
    for (text, found) in [
        (format!("mode = \"shadow\"\n{gate}"), vec!["changed-since-approved"]),
        (format!("{gate}mode = \"shadow\"\n"), vec!["changed-since-approved"]),
        (gate.to_owned(), Vec::new()),
    ] {
        fixture.write("tenterhook.toml", &text);
        let (engine, reported) = fixture.engine_of([source()]);
        let (restraint, _) = fixture.call_of(&engine, &Session::default()).await;
        assert_eq!(restraint, Restraint::Deny, "{text}");
        assert_eq!(
            reported.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
            found,
            "{text}"
        );
    }
}

///
#[tokio::test]
async fn a_hook_in_another_sandbox_is_another_one() {
    let fixture = Fixture::new();
    let gate = "[hook.gate]\non = \"PreToolUse\"\nshell = \"exit 2\"\n";
    let within = |word: &str| format!("{gate}sandbox = {word}\n");
    let source = || fixture.source("tenterhook.toml");
    let trust = fixture.trust();
    for (approved, then, changed) in [
        (gate.to_owned(), within("\"off\""), true),
        (within("\"strict\""), within("\"standard\""), true),
        (within("\"standard\""), within("{ write = [\"$PROJECT\"] }"), true),
        (within("{ net = [\"tcp:443\"] }"), within("{ net = \"open\" }"), true),
        (within("\"standard\""), within("{ isolation_min = \"T0\" }"), true),
        (within("\"standard\""), within("{ profile = \"standard\" }"), false),
    ] {
        fixture.write("tenterhook.toml", &approved);
        trust.approve(&trust.review(&source())).expect("an approval");
        fixture.write("tenterhook.toml", &then);
        let (_, diagnostics) = fixture.engine_of([source()]);
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
        assert_eq!(
            codes.contains(&"changed-since-approved"),
            changed,
            "{approved} -> {then}: {codes:?}"
        );
    }
}

/// T-3: each thing that an entry says, and that a file says beside its entries, is part of what is
/// approved.
#[test]
fn whatever_is_said_is_part_of_the_identity() {
    let fixture = Fixture::new();
    let digest = |text: &str| {
        fixture.write("tenterhook.toml", text);
        let source = fixture.source("tenterhook.toml");
        let read = source.dialect.dialect().read_config(&source);
        assert!(!read.unreadable, "{text}: {:?}", read.diagnostics);
        fixture.trust().review(&source).digest
    };
    let hook = |run: &str| format!("[hook.gate]\non = 'PreToolUse'\n{run}\n");
    let gate = |more: &str| hook(&format!("shell = 'exit 2'\n{more}"));
    for (one, other) in [
        (gate(""), gate("").replace("hook.gate", "hook.other")),
        (gate(""), gate("").replace("PreToolUse", "PostToolUse")),
        (gate(""), gate("match = 'Bash'")),
        (gate("match = 'Bash'"), gate("match = 'Edit'")),
        (gate("match = '/^Bash/'"), gate("match = '/^Edit/'")),
        (gate("if = 'Bash(ls)'"), gate("if = 'Bash(rm)'")),
        (gate(""), gate("timeout = '1s'")),
        (gate("on_failure = 'ask'"), gate("on_failure = 'block'")),
        (gate(""), gate("answer = 'required'")),
        (gate(""), gate("phase = 'observe'")),
        (gate(""), gate("background = true")),
        (gate(""), gate("enabled = false")),
        (gate(""), gate("once = true")),
        (gate(""), gate("status = 'looks'")),
        (gate(""), gate("prewarm = true")),
        (gate("cwd = 'a'"), gate("cwd = 'b'")),
        (gate("env = { A = '1' }"), gate("env = { A = '2' }")),
        (gate("pass = ['A']"), gate("pass = ['B']")),
        (gate("files = ['a.txt']"), gate("files = ['b.txt']")),
        (gate("sandbox = { read = ['/a'] }"), gate("sandbox = { read = ['/b'] }")),
        (gate("sandbox = { write = ['/a'] }"), gate("sandbox = { write = ['/b'] }")),
        (hook("run = ['./a']"), hook("run = ['./b']")),
        (hook("run = ['a', 'b']"), hook("run = ['a', 'c']")),
        (hook("worker = ['a']"), hook("run = ['a']")),
        (hook("http = 'https://a.example'"), hook("http = 'https://b.example'")),
        (hook("prompt = 'is it?'"), hook("prompt = 'is it not?'")),
        (hook("when = 'true'\ndeny = 'no'"), hook("when = 'false'\ndeny = 'no'")),
        (hook("when = 'true'\ndeny = 'no'"), hook("when = 'true'\nask = 'no'")),
        (
            "[source.'a.json']\nenabled = false\n".into(),
            "[source.'b.json']\nenabled = false\n".into(),
        ),
        (
            "[source.'a.json']\non_failure = 'ask'\n".into(),
            "[source.'a.json']\non_failure = 'block'\n".into(),
        ),
        ("[event.a]\ngate = true\n".into(), "[event.b]\ngate = true\n".into()),
        ("[mcp.a]\nrun = ['a']\n".into(), "[mcp.a]\nrun = ['b']\n".into()),
        (
            "[mcp.a]\nurl = 'https://a.example'\n".into(),
            "[mcp.a]\nurl = 'https://b.example'\n".into(),
        ),
    ] {
        assert_ne!(digest(&one), digest(&other), "{one}\n{other}");
        assert_eq!(digest(&one), digest(&format!("# a remark\n{one}")), "{one}");
    }
}
