//! The modules that `install pi`, `install kilo` and `install opencode` write, run by Node with a stand-in for the agent. Without Node there is nothing to see.
#![cfg(unix)]

use crate::fixture::{CliOutput, Fixture};

/// Hands the extension an object to register with. Each test appends what happens then.
const STAND_IN: &str = r#"import extension from "./extension.mjs"
const on = {}
extension({ on: (name, handler) => (on[name] = handler), sendUserMessage: (text) => console.log("sent:", text) })
const ctx = {
  cwd: process.cwd(), hasUI: true, ui: { notify: (text) => console.log("shown:", text) },
  sessionManager: { getSessionId: () => "s", getSessionFile: () => undefined },
}
const caught = async (run) => { try { return await run() } catch (error) { return `thrown: ${error.message}` } }
"#;

const HOOKS: &str = r#"
[hook.deny]
on = "PreToolUse"
if = "Bash(rm *)"
shell = "echo 'not here' >&2; exit 2"
[hook.change]
on = "PreToolUse"
if = "Bash(npm *)"
shell = "printf '{\"input\":{\"command\":\"pnpm i\"}}'"
[hook.prompt]
on = "UserPromptSubmit"
shell = "grep -q secret && { echo 'no secrets' >&2; exit 2; }; exit 0"
[hook.failed]
on = "PostToolUseFailure"
shell = "printf '{\"context\":\"look at the log\"}'"
[hook.variables]
on = "ShellEnv"
shell = "printf '{\"env\":{\"A\":\"1\"}}'"
[hook.end]
on = "Stop"
shell = "printf '{\"decision\":\"deny\",\"reason\":\"run the tests\"}'"
"#;

/// Runs lines of JavaScript after the extension was loaded, or returns `None` without Node.
/// `program` takes the place of the program that the extension starts, unless it is empty.
fn play(lines: &str, program: &str) -> Option<CliOutput> {
    let fixture = Fixture::new();
    if fixture.shell("node --version").code != 0 {
        return None;
    }
    fixture.write("home/.config/tenterhook/tenterhook.toml", HOOKS);
    assert_eq!(fixture.run(&["install", "pi", "kilo", "opencode"], "").code, 0);
    for agent in ["kilo", "opencode"] {
        let place = fixture.path(&format!("home/.config/{agent}/plugin/tenterhook.js"));
        let plugin = std::fs::read_to_string(place).unwrap();
        fixture.write(&format!("project/{agent}.mjs"), &plugin);
    }
    let place = fixture.path("home/.pi/agent/extensions/zz-tenterhook.js");
    let mut text = std::fs::read_to_string(place).unwrap();
    if !program.is_empty() {
        let line = text.lines().find(|line| line.starts_with("const PROGRAM")).unwrap().to_owned();
        text = text.replace(&line, &format!("const PROGRAM = {program:?}"));
    }
    fixture.write("project/extension.mjs", &text);
    fixture.write("project/play.mjs", &format!("{STAND_IN}{lines}"));
    let output = fixture.shell("node play.mjs");
    assert_eq!(output.code, 0, "{}", output.all());
    Some(output)
}

const CALL: &str = r#"
const call = (command) => ({ toolName: "bash", toolCallId: "c", input: { command } })
"#;

/// PI-1, PI-5, PI-6.
#[test]
fn extension_applies_replies() {
    let lines = r#"
console.log(await caught(() => on.tool_call(call("rm x"), ctx)))
const npm = call("npm i")
console.log(await caught(() => on.tool_call(npm, ctx)), npm.input.command)
console.log(await caught(() => on.input({ text: "my secret", source: "interactive" }, ctx)))
console.log(await caught(() => on.input({ text: "hello", source: "interactive" }, ctx)))
const failed = { ...call("ls"), isError: true, content: [{ type: "text", text: "no such file" }] }
console.log(JSON.stringify(await on.tool_result(failed, ctx)))
console.log(await on.tool_result({ ...failed, isError: false }, ctx))
await on.agent_end({ messages: [{ stopReason: "stop" }] }, ctx)
await on.agent_end({ messages: [{ stopReason: "aborted" }] }, ctx)
console.log(await on.input({ text: "run the tests", source: "extension" }, ctx))
"#;
    let Some(output) = play(&format!("{CALL}{lines}"), "") else { return };
    let text = &output.stdout;
    assert!(text.starts_with("thrown: not here [tenterhook explain "), "{}", output.all());
    for part in [
        "undefined pnpm i\n",
        "shown: no secrets\n{ action: 'handled' }\nundefined\n",
        r#"{"content":[{"type":"text","text":"no such file"},{"type":"text","text":"<hook-output"#,
        "look at the log",
    ] {
        assert!(text.contains(part), "{part}\n{}", output.all());
    }
    assert!(text.ends_with("undefined\nsent: run the tests\nundefined\n"), "{}", output.all());
}

/// PI-4.
#[test]
fn call_that_was_judged_cannot_be_changed() {
    let lines = r#"
for (const change of [
  (input) => (input.command = "rm x"),
  (input) => delete input.command,
  (input) => (input.timeout = 1),
  (input) => (input.edits[0].newText = "y"),
]) {
  const event = call("ls")
  event.input.edits = [{ oldText: "a", newText: "b" }]
  await on.tool_call(event, ctx)
  console.log(await caught(() => change(event.input)))
}
"#;
    let Some(output) = play(&format!("{CALL}{lines}"), "") else { return };
    assert_eq!(output.stdout.matches("thrown: ").count(), 4, "{}", output.all());
}

/// KI-1, KI-4, BR-27.
#[test]
fn call_of_kilo_or_opencode_that_was_judged_cannot_be_changed() {
    let lines = r#"
for (const agent of ["kilo", "opencode"]) {
const hooks = await (await import(`./${agent}.mjs`)).default.server({ directory: process.cwd() })
const before = (args) => hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args })
const args = { command: "npm i" }
await before(args)
console.log(args.command, await caught(() => (args.command = "rm x")))
console.log(await caught(() => before({ command: "rm x" })))
const output = { env: {} }
await hooks["shell.env"]({ sessionID: "s", cwd: process.cwd() }, output)
console.log(output.env.A)
}
"#;
    let Some(output) = play(lines, "") else { return };
    let text = &output.stdout;
    for part in ["pnpm i thrown: Cannot assign", "\nthrown: not here [tenterhook explain ", "\n1\n"]
    {
        assert_eq!(text.matches(part).count(), 2, "{part}\n{}", output.all());
    }
}

/// BR-183.
#[test]
fn variable_that_switches_hooks_off_is_reported() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["install", "kilo"], "").code, 0);
    for (value, is_off) in [("", false), ("0", false), ("1", true), ("true", true)] {
        let status = fixture.shell(&format!("KILO_PURE={value} tenterhook status"));
        let says_so = status.stdout.contains("`KILO_PURE` in the environment");
        assert_eq!((says_so, status.code), (is_off, is_off.into()), "{value}: {}", status.all());
    }
    for (agent, variable) in
        [("amp", "AMP_DISABLE_PLUGINS"), ("crush", "CRUSH_GLOBAL_CONFIG"), ("kiro", "KIRO_HOME")]
    {
        let fixture = Fixture::new();
        assert_eq!(fixture.run(&["install", agent, "--experimental"], "").code, 0);
        let status = fixture.shell(&format!("{variable}=/elsewhere tenterhook status"));
        let says_so = status.stdout.contains(&format!("`{variable}` in the environment"));
        assert!(says_so && status.code == 1, "{agent}: {}", status.all());
    }
}

/// BR-183.
#[test]
fn variable_in_a_file_that_the_agent_loads_is_reported() {
    let cases = [
        ("hermes", "home/.hermes/.env", "HERMES_SAFE_MODE=1", "", true),
        ("hermes", "home/.hermes/.env", "HERMES_SAFE_MODE=0", "HERMES_SAFE_MODE=1", false),
        ("hermes", "home/.hermes/.op.env", "HERMES_SAFE_MODE=1", "", true),
        ("hermes", "home/.hermes/.op.env", "HERMES_SAFE_MODE=1", "HERMES_SAFE_MODE=0", false),
        ("hermes", "home/.hermes/.env", "HERMES_HOME=/elsewhere", "", true),
        ("hermes", "home/.hermes/.env", "HERMES_IGNORE_USER_CONFIG=1", "", false),
        ("hermes", "project/.env", "HERMES_SAFE_MODE=1", "", false),
        ("qwen", "home/.qwen/.env", "QWEN_CODE_SIMPLE=true", "", true),
        ("qwen", "home/.env", "QWEN_HOME=/elsewhere", "", true),
        ("qwen", "project/.env", "QWEN_CODE_SAFE_MODE=1", "", true),
        ("qwen", "project/.env", "QWEN_CODE_SAFE_MODE=1", "QWEN_CODE_SAFE_MODE=0", false),
        ("qwen", "project/.env", "QWEN_HOME=/elsewhere", "", false),
        ("vibe", "home/.vibe/.env", "VIBE_HOME=/elsewhere", "", true),
        ("openclaw", "home/.openclaw/.env", "OPENCLAW_CONFIG_PATH=/elsewhere", "", true),
    ];
    for (agent, file, line, environment, is_off) in cases {
        let fixture = Fixture::new();
        assert_eq!(fixture.run(&["install", agent], "").code, 0);
        fixture.write(file, &format!("A=1\n{line}\n"));
        let status = fixture.shell(&format!("{environment} tenterhook status"));
        let (name, _) = line.split_once('=').unwrap();
        let shown = file.replace("home/", "~/").replace("project/", "");
        let says_so = status.stdout.contains(&format!("`{name}` in "))
            && status.stdout.contains(&format!("{shown}: the agent runs no hooks"));
        assert_eq!((says_so, status.code), (is_off, is_off.into()), "{line}: {}", status.all());
    }
}

/// PI-4, KI-4: neither by a prototype, nor inside what was frozen before.
#[test]
fn call_holds_nothing_that_was_not_judged() {
    let lines = r#"
import kilo from "./kilo.mjs"
const hooks = await kilo.server({ directory: process.cwd() })
const args = JSON.parse('{"description": "x", "__proto__": {"command": "rm x"}}')
await hooks["tool.execute.before"]({ tool: "task", sessionID: "s", callID: "c" }, { args })
console.log(args.command)
const input = Object.freeze({ path: "a", edits: [{ oldText: "x", newText: "y" }] })
await on.tool_call({ toolName: "edit", toolCallId: "c", input }, ctx)
console.log(await caught(() => (input.edits[0].newText = "z")))
"#;
    let Some(output) = play(lines, "") else { return };
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.first(), Some(&"undefined"), "{}", output.all());
    assert!(lines[1].starts_with("thrown: "), "{}", output.all());
}

/// PI-3: without an answer, a call and a prompt are denied; the rest goes on.
#[test]
fn missing_answer_denies() {
    let lines = r#"
console.log(await caught(() => on.tool_call(call("ls"), ctx)))
console.log(await caught(() => on.input({ text: "hello", source: "interactive" }, ctx)))
console.log(await caught(() => on.tool_result({ ...call("ls"), content: [] }, ctx)))
await on.agent_end({ messages: [] }, ctx)
"#;
    for program in ["/nowhere/tenterhook", "/bin/false", "/bin/echo"] {
        let Some(output) = play(&format!("{CALL}{lines}"), program) else { return };
        let text = &output.stdout;
        assert!(text.starts_with("thrown: Tenterhook did not answer"), "{}", output.all());
        let rest = "shown: Tenterhook did not answer";
        assert!(text.contains(rest) && text.contains("{ action: 'handled' }"), "{}", output.all());
        assert!(text.ends_with("undefined\n"), "{}", output.all());
    }
}

/// PI-8: a list in the user's settings that excludes the extension is reported; one that excludes another is not.
#[test]
fn excluded_extension_is_reported() {
    let fixture = Fixture::new();
    let settings = "home/.pi/agent/settings.json";
    fixture.write(settings, "{\"extensions\": [\"!zz-*\"]}");
    let output = fixture.run(&["install", "pi"], "");
    let said = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("`extensions` in ~/.pi/agent/settings.json switches all"), "{said}");
    let status = fixture.run(&["status"], "");
    assert!(status.code == 1 && status.stdout.contains("switched off"), "{}", status.all());
    let doctor = fixture.run(&["doctor", "--no-fire", "pi"], "");
    assert!(doctor.code == 1 && doctor.stdout.contains("`extensions`"), "{}", doctor.all());
    fixture.write(settings, "{\"extensions\": [\"!other.ts\"]}");
    let status = fixture.run(&["status"], "");
    assert!(status.code == 0 && !status.stdout.contains("switched off"), "{}", status.all());
}

/// Hands the plugin of Amp an object to register with.
const AMP: &str = r#"import plugin from "./amp.mjs"
const on = {}
plugin({
  on: (name, handler) => (on[name] = handler),
  helpers: { filePathFromURI: (uri) => uri.fsPath },
  system: { workspaceRoot: { fsPath: process.cwd() } },
})
const thread = { id: "T-1" }
const ctx = {
  ui: { notify: async (text) => console.log("shown:", text) },
  thread: { cancel: async () => console.log("cancelled") },
}
const call = (tool, input) => on["tool.call"]({ tool, toolUseID: "t", input, thread }, ctx)
const say = (value) => console.log(JSON.stringify(value))
"#;

fn play_amp(lines: &str, program: &str) -> Option<CliOutput> {
    let fixture = Fixture::new();
    if fixture.shell("node --version").code != 0 {
        return None;
    }
    fixture.write("home/.config/tenterhook/tenterhook.toml", HOOKS);
    assert_eq!(fixture.run(&["install", "amp", "--experimental"], "").code, 0);
    let place = fixture.path("home/.config/amp/plugins/tenterhook.js");
    let mut text = std::fs::read_to_string(place).unwrap();
    if !program.is_empty() {
        let line = text.lines().find(|line| line.starts_with("const PROGRAM")).unwrap().to_owned();
        text = text.replace(&line, &format!("const PROGRAM = {program:?}"));
    }
    fixture.write("project/amp.mjs", &text);
    fixture.write("project/play.mjs", &format!("{AMP}{lines}"));
    let output = fixture.shell("node play.mjs");
    assert_eq!(output.code, 0, "{}", output.all());
    Some(output)
}

/// AM-1, AM-2, AM-3, AM-4, AM-5, AM-6, AM-7: with what npm `@ampcode/cli-linux-x64` 0.0.1790142911 gives a plugin and takes from it.
#[test]
fn plugin_of_amp_applies_replies() {
    let lines = r#"
say(await call("Bash", { cmd: "rm x" }))
say(await call("Bash", { cmd: "npm i", cwd: "/p" }))
say(await call("shell_command", { command: "npm i", workdir: "/p" }))
say(await call("Read", { path: "a" }))
say(await on["agent.start"]({ message: "my secret", id: 1, thread }, ctx))
say(await on["agent.start"]({ message: "hello", id: 2, thread }, ctx))
say(await on["tool.result"]({ tool: "Bash", toolUseID: "t", input: { cmd: "ls" }, status: "error", error: "no such file", thread }, ctx))
say((await on["tool.result"]({ tool: "Bash", toolUseID: "t", input: { cmd: "ls" }, status: "done", output: "x", thread }, ctx)) ?? null)
say(await on["agent.end"]({ message: "hello", id: 2, status: "done", messages: [], thread }, ctx))
say((await on["agent.end"]({ message: "hello", id: 2, status: "cancelled", messages: [], thread }, ctx)) ?? null)
"#;
    let Some(output) = play_amp(lines, "") else { return };
    let found: Vec<&str> = output.stdout.lines().collect();
    let denied = r#"{"action":"reject-and-continue","message":"not here [tenterhook explain "#;
    assert!(found[0].starts_with(denied), "{}", output.all());
    let rest = output.stdout.split_once('\n').unwrap().1;
    for part in [
        "{\"action\":\"modify\",\"input\":{\"cmd\":\"pnpm i\"}}\n{\"action\":\"modify\",\"input\":{\"command\":\"pnpm i\"}}\n{\"action\":\"allow\"}\n",
        "shown: no secrets\ncancelled\n{}\n{}\n{\"status\":\"error\",\"error\":\"no such file\\n<hook-output",
        "look at the log",
        "}\nnull\n{\"action\":\"continue\",\"userMessage\":\"run the tests\"}\nnull\n",
    ] {
        assert!(rest.contains(part), "{part}\n{}", output.all());
    }
}

/// AM-3, AM-4: without an answer, a call and a prompt are denied; the rest goes on.
#[test]
fn missing_answer_denies_in_amp() {
    let lines = r#"
say(await call("Bash", { cmd: "ls" }))
say(await on["agent.start"]({ message: "hello", id: 1, thread }, ctx))
say((await on["tool.result"]({ tool: "Bash", toolUseID: "t", input: {}, status: "done", output: "x", thread }, ctx)) ?? null)
say((await on["agent.end"]({ message: "hello", id: 1, status: "done", messages: [], thread }, ctx)) ?? null)
"#;
    for program in ["/nowhere/tenterhook", "/bin/false", "/bin/echo"] {
        let Some(output) = play_amp(lines, program) else { return };
        let text = &output.stdout;
        let denied = r#"{"action":"reject-and-continue","message":"Tenterhook did not answer"#;
        assert!(text.starts_with(denied), "{}", output.all());
        assert!(text.ends_with("cancelled\n{}\nnull\nnull\n"), "{}", output.all());
    }
}
