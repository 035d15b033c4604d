//! The plugin that `install openclaw` writes, run by Node with a stand-in for OpenClaw, and the file that lists it. Without Node
//! there is nothing to see of the plugin.
#![cfg(unix)]

use crate::fixture::{CliOutput, Fixture};

/// Hands the plugin an object to register with. Each test appends what happens then.
const STAND_IN: &str = r#"import plugin from "./plugin.mjs"
const on = {}
const options = {}
let result
const api = {
  registrationMode: "full",
  on: (name, handler, given) => ((on[name] = handler), (options[name] = given)),
  registerAgentToolResultMiddleware: (handler) => (result = handler),
}
plugin.register(api)
const ctx = { sessionId: "s", runId: "r", workspaceDir: process.cwd() }
const call = (command) => ({ toolName: "exec", toolCallId: "c", params: { command, workdir: "." } })
const json = (value) => JSON.stringify(value, (key, value) => (value === undefined ? "UNDEFINED" : value))
"#;

const HOOKS: &str = r#"
[hook.deny]
on = "PreToolUse"
if = "Bash(rm *)"
shell = "echo 'not here' >&2; exit 2"
[hook.ask]
on = "PreToolUse"
if = "Bash(git push*)"
shell = "printf '{\"decision\":\"ask\",\"reason\":\"sure?\"}'"
[hook.change]
on = "PreToolUse"
if = "Bash(npm *)"
shell = "printf '{\"input\":{\"command\":\"pnpm i\"}}'"
[hook.prompt]
on = "UserPromptSubmit"
shell = "grep -q secret && { echo 'no secrets' >&2; exit 2; }; printf '{\"context\":\"use x\"}'"
[hook.failed]
on = "PostToolUseFailure"
shell = "printf '{\"context\":\"look at the log\"}'"
[hook.end]
on = "Stop"
shell = "printf '{\"decision\":\"deny\",\"reason\":\"run the tests\"}'"
"#;

const PLACE: &str = "home/.openclaw/tenterhook/index.js";

/// Runs lines of JavaScript after the plugin was registered, or returns `None` without Node.
/// `program` takes the place of the program that the plugin starts, unless it is empty.
fn play(lines: &str, program: &str) -> Option<CliOutput> {
    let fixture = Fixture::new();
    if fixture.shell("node --version").code != 0 {
        return None;
    }
    fixture.write("home/.config/tenterhook/tenterhook.toml", HOOKS);
    assert_eq!(fixture.run(&["install", "openclaw"], "").code, 0);
    let mut text = std::fs::read_to_string(fixture.path(PLACE)).unwrap();
    if !program.is_empty() {
        let line = text.lines().find(|line| line.starts_with("const PROGRAM")).unwrap().to_owned();
        text = text.replace(&line, &format!("const PROGRAM = {program:?}"));
    }
    fixture.write("project/plugin.mjs", &text);
    fixture.write("project/play.mjs", &format!("{STAND_IN}{lines}"));
    let output = fixture.shell("node play.mjs");
    assert_eq!(output.code, 0, "{}", output.all());
    Some(output)
}

/// OC-1, OC-6.
#[test]
fn plugin_answers_about_calls() {
    let lines = r#"
for (const line of ["rm x", "ls", "npm i", "git push"]) {
  console.log(json(await on.before_tool_call(call(line), ctx)))
}
console.log(options.before_tool_call.priority, options.before_tool_call.timeoutMs)
"#;
    let Some(output) = play(lines, "") else { return };
    let lines: Vec<&str> = output.stdout.lines().collect();
    let expected = [
        r#"{"block":true,"blockReason":"not here"#,
        r#"{"params":{"command":"ls","workdir":"."}}"#,
        // What the model sent is no longer there.
        r#"{"params":{"workdir":"UNDEFINED","command":"pnpm i"}}"#,
        r#"{"params":{"command":"git push","workdir":"."},"requireApproval":{"title":"Tenterhook: exec","description":"sure?","#,
        "-Infinity 600000",
    ];
    assert_eq!(lines.len(), expected.len(), "{}", output.all());
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}\n{}", output.all());
    }
}

/// OC-7, OC-8: a prompt is judged once a run, and what the plugin sends itself is not judged.
#[test]
fn plugin_answers_about_prompts_and_ends() {
    let lines = r#"
console.log(json(await on.before_prompt_build({ prompt: "hello", messages: [] }, ctx)))
console.log(await on.before_agent_run({ prompt: "use x\n\nhello" }, ctx))
console.log(json(await on.before_agent_finalize({}, ctx)))
console.log(await on.before_agent_run({ prompt: "go on: run the tests" }, { ...ctx, runId: "r3" }))
const other = { ...ctx, runId: "r2" }
console.log(await on.before_prompt_build({ prompt: "my secret", messages: [] }, other))
console.log(json(await on.before_agent_run({ prompt: "my secret" }, other)))
const failed = { toolName: "exec", args: { command: "ls" }, isError: true, result: { content: [{ type: "text", text: "gone" }] } }
console.log(json(await result(failed, ctx)))
console.log(await result({ ...failed, isError: false }, ctx))
console.log(await result({ ...failed, result: { ...failed.result, details: { deniedReason: "x" } } }, ctx))
"#;
    let Some(output) = play(lines, "") else { return };
    let lines: Vec<&str> = output.stdout.lines().collect();
    let expected = [
        r#"{"prependContext":"<hook-output"#,
        "undefined",
        r#"{"action":"revise","reason":"run the tests"}"#,
        "undefined",
        "undefined",
        r#"{"outcome":"block","reason":"no secrets","message":"no secrets"}"#,
        r#"{"result":{"content":[{"type":"text","text":"gone"},{"type":"text","text":"<hook-output"#,
        "undefined",
        "undefined",
    ];
    assert_eq!(lines.len(), expected.len(), "{}", output.all());
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}\n{}", output.all());
    }
}

/// OC-7: an earlier prompt vouches for no other one.
#[test]
fn prompt_that_holds_an_earlier_one_is_judged() {
    let lines = r#"
for (const [first, second, runId] of [["", "my secret", "r1"], ["a", "a secret", "r2"], ["et", "secret", undefined]]) {
  const run = { ...ctx, runId }
  console.log(await on.before_agent_run({ prompt: first }, run))
  console.log(json(await on.before_agent_run({ prompt: second }, run)))
}
await on.before_agent_finalize({}, ctx)
console.log(await on.before_agent_run({ prompt: "run the tests" }, ctx))
console.log(json(await on.before_agent_run({ prompt: "secret, run the tests" }, { ...ctx, runId: "r4" })))
"#;
    let Some(output) = play(lines, "") else { return };
    let denied = r#"{"outcome":"block","reason":"no secrets","message":"no secrets"}"#;
    let expected = ["undefined", denied].repeat(4);
    assert_eq!(output.stdout.lines().collect::<Vec<_>>(), expected, "{}", output.all());
}

/// OC-7: without an answer, a call and a prompt are denied; the rest goes on.
#[test]
fn missing_answer_denies() {
    let lines = r#"
console.log(json(await on.before_tool_call(call("ls"), ctx)))
console.log(await on.before_prompt_build({ prompt: "hello", messages: [] }, ctx))
console.log(json(await on.before_agent_run({ prompt: "hello" }, ctx)))
console.log(await result({ toolName: "exec", result: { content: [] } }, ctx))
console.log(await on.before_agent_finalize({}, ctx))
"#;
    for program in ["/nowhere/tenterhook", "/bin/false", "/bin/echo"] {
        let Some(output) = play(lines, program) else { return };
        let lines: Vec<&str> = output.stdout.lines().collect();
        assert!(
            lines[0].starts_with(r#"{"block":true,"blockReason":"Tenterhook did not answer"#),
            "{}",
            output.all()
        );
        assert!(
            lines[2].starts_with(r#"{"outcome":"block","reason":"Tenterhook did not answer"#),
            "{}",
            output.all()
        );
        assert_eq!([lines[1], lines[3], lines[4]], ["undefined"; 3], "{}", output.all());
    }
}

/// OC-9.
#[test]
fn plugin_ends_a_run_that_would_call_no_handler() {
    let lines = r#"
const register = (mode, words) => {
  process.argv = ["node", "openclaw", ...words]
  process.exit = () => console.log("ended", ...words)
  plugin.register({ ...api, registrationMode: mode })
}
delete globalThis[Symbol.for("tenterhook.openclaw.loaded")]
register("discovery", ["plugins", "list"])
register("discovery", ["agent", "exec", "hi"])
register("discovery", ["--no-color", "agent", "exec", "hi"])
register("discovery", ["--profile", "agent", "agent", "exec", "hi"])
register("discovery", ["agent", "--message", "exec"])
register("full", ["agent", "--local", "--message", "exec"])
register("discovery", ["agent", "exec", "hi"])
"#;
    let Some(output) = play(lines, "") else { return };
    assert_eq!(
        output.stdout,
        "ended agent exec hi\nended --no-color agent exec hi\nended --profile agent agent exec hi\n"
    );
    assert_eq!(output.stderr.matches("Tenterhook ended this run").count(), 3, "{}", output.all());
}

const LIST: &str = "home/.openclaw/openclaw.json";

/// A list as a person writes it.
const BEFORE: &str = "// mine\n{\n  plugins: {\n    allow: ['voice-call', /* last */],\n  },\n  agents: { $include: './agents.json5' },\n}\n";

/// OC-2: to the byte, and without notes, too.
#[test]
fn plugin_is_listed_and_removed_again() {
    for lose_notes in [false, true] {
        let fixture = Fixture::new();
        fixture.write(LIST, BEFORE);
        let output = fixture.run(&["install", "openclaw"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        let listed = std::fs::read_to_string(fixture.path(LIST)).unwrap();
        let folder = fixture.path("home/.openclaw/tenterhook").display().to_string();
        for part in ["// mine", "/* last */", "allowConversationAccess", &folder, "\"tenterhook\""]
        {
            assert!(listed.contains(part), "{part}\n{listed}");
        }
        assert_eq!(
            fixture.run(&["install", "openclaw"], "").stdout.matches("nothing to change").count(),
            1
        );
        let status = fixture.run(&["status"], "");
        assert!(status.stdout.contains("calls Tenterhook"), "{}", status.all());
        if lose_notes {
            std::fs::remove_dir_all(fixture.path("home/.local/state/tenterhook/installed"))
                .unwrap();
        }
        let output = fixture.run(&["uninstall", "openclaw"], "");
        assert_eq!(output.code, 0, "{}", output.all());
        assert!(!fixture.path("home/.openclaw/tenterhook").exists());
        let after = std::fs::read_to_string(fixture.path(LIST)).unwrap();
        match lose_notes {
            false => assert_eq!(after, BEFORE),
            true => {
                assert!(!after.contains("tenterhook") && after.contains("/* last */"), "{after}")
            }
        }
    }
}

/// OC-2: a file that did not exist is gone again.
#[test]
fn list_that_install_created_is_removed() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["install", "openclaw"], "").code, 0);
    assert!(fixture.path(LIST).exists());
    assert_eq!(fixture.run(&["uninstall", "openclaw"], "").code, 0);
    assert!(!fixture.path("home/.openclaw").exists());
}

/// OC-2: nothing is written where the list cannot be edited safely.
#[test]
fn list_with_includes_is_refused() {
    let fixture = Fixture::new();
    fixture.write(LIST, "{\n  $include: './base.json5',\n}\n");
    let output = fixture.run(&["install", "openclaw"], "");
    assert_ne!(output.code, 0);
    assert!(output.stderr.contains("openclaw.json:2:3: `$include`"), "{}", output.all());
    assert!(!fixture.path("home/.openclaw/tenterhook").exists());
}

/// OC-3.
#[test]
fn setting_against_the_plugin_is_reported() {
    for (from, to, key) in [
        ("\"enabled\": true", "\"enabled\": false", "plugins.entries.tenterhook.enabled"),
        (
            "allowConversationAccess",
            "other",
            "plugins.entries.tenterhook.hooks.allowConversationAccess",
        ),
        ("/tenterhook\"", "/elsewhere\"", "plugins.load.paths"),
    ] {
        let fixture = Fixture::new();
        assert_eq!(fixture.run(&["install", "openclaw"], "").code, 0);
        let listed = std::fs::read_to_string(fixture.path(LIST)).unwrap();
        fixture.write(LIST, &listed.replacen(from, to, 1));
        let status = fixture.run(&["status"], "");
        assert!(status.stdout.contains("does not call Tenterhook"), "{}", status.all());
        assert!(status.stdout.contains(key), "{}", status.all());
        let doctor = fixture.run(&["doctor", "openclaw"], "");
        assert!(doctor.all().contains(key), "{}", doctor.all());
    }
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["install", "openclaw"], "").code, 0);
    std::fs::remove_file(fixture.path("home/.openclaw/tenterhook/package.json")).unwrap();
    let status = fixture.run(&["status"], "");
    assert!(status.stdout.contains("does not call Tenterhook"), "{}", status.all());
    let doctor = fixture.run(&["doctor", "openclaw"], "");
    assert!(doctor.all().contains("package.json"), "{}", doctor.all());
}
