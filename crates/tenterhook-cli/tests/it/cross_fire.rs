//! A hook of every agent behind every agent that can call: its answer is passed on in the format of the caller, or as the most
//! restraining reply that the format has. The page prints the same table.

#![expect(clippy::indexing_slicing, reason = "what is not there is null")]

use std::fmt::Write as _;

use serde_json::{Value, json};
use tenterhook_testkit::at_once;

use crate::fixture::Fixture;

const PAGE: &str = include_str!("../../../../docs/guide/bridge-cross.md");

/// What a hook says of a call of `ls`.
const SAYS: [&str; 4] = ["deny", "ask", "change", "context"];

/// One format of hooks.
struct Format {
    title: &'static str,
    /// The agent by which such hooks are run without us, as `--agent` calls it.
    own: &'static [&'static str],
    /// Where the user's file stands in the home, and what is in it; `{hook}` is the line that runs the hook.
    file: (&'static str, &'static str),
    /// The output for each of [`SAYS`]; empty if the format cannot express it.
    says: [&'static str; 4],
}

const NESTED: [&str; 4] = [
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -l"}}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"use x"}}"#,
];

const GROUPS: &str =
    r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"{hook}"}]}]}}"#;

const FORMATS: &[Format] = &[
    Format {
        title: "native",
        own: &[],
        file: (
            ".config/tenterhook/tenterhook.toml",
            "[hook.one]\non = \"PreToolUse\"\nshell = \"{hook}\"\n",
        ),
        says: [
            r#"{"decision":"deny","reason":"not here"}"#,
            r#"{"decision":"ask","reason":"sure?"}"#,
            r#"{"input":{"command":"ls -l"}}"#,
            r#"{"context":"use x"}"#,
        ],
    },
    Format {
        title: "Claude Code",
        own: &["claude"],
        file: (".claude/settings.json", GROUPS),
        says: NESTED,
    },
    Format {
        title: "Codex CLI",
        own: &["codex"],
        file: (".codex/hooks.json", GROUPS),
        says: [NESTED[0], "", NESTED[2], NESTED[3]],
    },
    Format {
        title: "Copilot CLI",
        own: &["copilot"],
        file: (
            ".copilot/hooks/one.json",
            r#"{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"{hook}"}]}}"#,
        ),
        says: [
            r#"{"permissionDecision":"deny","permissionDecisionReason":"not here"}"#,
            r#"{"permissionDecision":"ask","permissionDecisionReason":"sure?"}"#,
            r#"{"modifiedArgs":{"command":"ls -l"}}"#,
            r#"{"additionalContext":"use x"}"#,
        ],
    },
    Format {
        title: "Goose",
        own: &["goose"],
        file: (".agents/plugins/one/hooks/hooks.json", GROUPS),
        says: [r#"{"decision":"block","reason":"not here"}"#, "", "", ""],
    },
    Format {
        title: "Qwen Code",
        own: &["qwen"],
        file: (".qwen/settings.json", GROUPS),
        says: [NESTED[0], NESTED[1], "", ""],
    },
    Format {
        title: "Cline",
        own: &["cline"],
        file: (".cline/hooks/PreToolUse", "#!/bin/sh\n{hook}\n"),
        says: [
            r#"{"cancel":true,"errorMessage":"not here"}"#,
            "",
            r#"{"overrideInput":{"commands":["ls -l"]}}"#,
            r#"{"contextModification":"use x"}"#,
        ],
    },
    Format {
        title: "Gemini CLI",
        own: &["gemini"],
        file: (
            ".gemini/settings.json",
            r#"{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"{hook}"}]}]}}"#,
        ),
        says: [
            r#"{"decision":"deny","reason":"not here"}"#,
            r#"{"decision":"ask","reason":"sure?"}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls -l"}}}"#,
            "",
        ],
    },
    Format {
        title: "Droid",
        own: &["droid"],
        file: (
            ".factory/hooks.json",
            r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"{hook}"}]}]}"#,
        ),
        says: NESTED,
    },
    Format {
        title: "Mistral Vibe",
        own: &["vibe"],
        file: (
            ".vibe/hooks.toml",
            "[[hooks]]\nname = \"one\"\ntype = \"pre_tool\"\ncommand = \"{hook}\"\n",
        ),
        says: [
            r#"{"decision":"deny","reason":"not here"}"#,
            "",
            r#"{"hook_specific_output":{"tool_input":{"command":"ls -l"}}}"#,
            "",
        ],
    },
    Format {
        title: "Kimi Code CLI",
        own: &["kimi"],
        file: (
            ".kimi-code/config.toml",
            "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"{hook}\"\n",
        ),
        says: [
            r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not here"}}"#,
            "",
            "",
            "",
        ],
    },
    Format {
        title: "Antigravity",
        own: &["antigravity"],
        file: (
            ".gemini/config/hooks.json",
            r#"{"one":{"PreToolUse":[{"hooks":[{"command":"{hook}"}]}]}}"#,
        ),
        says: [
            r#"{"decision":"deny","reason":"not here"}"#,
            r#"{"decision":"force_ask","reason":"sure?"}"#,
            "",
            "",
        ],
    },
    Format {
        title: "Windsurf",
        own: &["windsurf"],
        file: (
            ".codeium/windsurf/hooks.json",
            r#"{"hooks":{"pre_run_command":[{"command":"{hook}"}]}}"#,
        ),
        says: ["!not here", "", "", ""],
    },
    Format {
        title: "Kiro",
        own: &["kiro"],
        file: (
            ".kiro/hooks/a.json",
            r#"{"version":"v1","hooks":[{"name":"a","trigger":"PreToolUse","action":{"type":"command","command":"{hook}"}}]}"#,
        ),
        says: ["!not here", "", "", ""],
    },
    Format {
        title: "Auggie",
        own: &["augment"],
        file: (".augment/settings.json", GROUPS),
        says: [NESTED[0], "", NESTED[2], ""],
    },
    Format {
        title: "Cursor",
        own: &["cursor"],
        file: (
            ".cursor/hooks.json",
            r#"{"version":1,"hooks":{"preToolUse":[{"command":"{hook}"}]}}"#,
        ),
        says: [
            r#"{"permission":"deny","user_message":"not here"}"#,
            r#"{"permission":"ask","user_message":"sure?"}"#,
            r#"{"updated_input":{"command":"ls -l"}}"#,
            r#"{"additional_context":"use x"}"#,
        ],
    },
    Format {
        title: "Crush",
        own: &["crush"],
        file: (".config/crush/crush.json", r#"{"hooks":{"PreToolUse":[{"command":"{hook}"}]}}"#),
        says: [
            r#"{"decision":"deny","reason":"not here"}"#,
            "",
            r#"{"decision":"allow","updated_input":{"command":"ls -l"}}"#,
            r#"{"context":"use x"}"#,
        ],
    },
    Format {
        title: "Hermes",
        own: &["hermes"],
        file: (".hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - command: {hook}\n"),
        says: [r#"{"action":"block","message":"not here"}"#, "", "", ""],
    },
    Format { title: "Gen", own: &[], file: (".gen/settings.json", GROUPS), says: NESTED },
    Format {
        title: "Reasonix",
        own: &[],
        file: (".reasonix/settings.json", r#"{"hooks":{"PreToolUse":[{"command":"{hook}"}]}}"#),
        says: [
            "!not here",
            "",
            r#"{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"}}}"#,
            "",
        ],
    },
    Format {
        title: "ignis",
        own: &[],
        file: (
            ".ignis/hooks.json",
            r#"{"hooks":{"PreToolUse":[{"argv":["sh","-c","{hook}"],"sandbox":false}]}}"#,
        ),
        says: [
            "!not here",
            "",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"{\"command\":\"ls -l\"}"}}"#,
            "",
        ],
    },
    Format {
        title: "CodeWhale",
        own: &[],
        file: (
            ".codewhale/config.toml",
            "[[hooks.hooks]]\nevent = \"tool_call_before\"\ncommand = \"{hook}\"\n",
        ),
        says: [
            r#"{"decision":"deny","reason":"not here"}"#,
            r#"{"decision":"ask","reason":"sure?"}"#,
            r#"{"decision":"allow","updatedInput":{"command":"ls -l"}}"#,
            r#"{"decision":"allow","additionalContext":"use x"}"#,
        ],
    },
];

/// An agent that calls: its title, how `--agent` calls it, the event before a tool, and what it hands over.
type Caller = (&'static str, &'static str, &'static str, &'static str);

const AGENTS: &[Caller] = &[
    (
        "Claude Code",
        "claude",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Codex CLI",
        "codex",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/","tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Copilot CLI",
        "copilot",
        "preToolUse",
        r#"{"sessionId":"s","timestamp":1,"cwd":"/","toolName":"bash","toolArgs":{"command":"ls"}}"#,
    ),
    (
        "OpenCode",
        "opencode",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","agent":"opencode","cwd":"/","tool_name":"bash","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Kilo",
        "kilo",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","agent":"kilo","cwd":"/","tool_name":"bash","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Pi",
        "pi",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","agent":"pi","cwd":"/","tool_name":"bash","tool_input":{"command":"ls"}}"#,
    ),
    (
        "OpenClaw",
        "openclaw",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","agent":"openclaw","cwd":"/","tool_name":"exec","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Amp",
        "amp",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","agent":"amp","cwd":"/","tool_name":"shell_command","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Goose",
        "goose",
        "PreToolUse",
        r#"{"session_id":"s","event":"PreToolUse","working_dir":"/","tool_name":"shell","tool_call_id":"c","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Qwen Code",
        "qwen",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Cline",
        "cline",
        "PreToolUse",
        r#"{"clineVersion":"","taskId":"s","workspaceRoots":["/"],"hookName":"tool_call","tool_call":{"id":"c","name":"run_commands","input":{"commands":["ls"]}}}"#,
    ),
    (
        "Droid",
        "droid",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/","permission_mode":"auto-low","tool_name":"Execute","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Mistral Vibe",
        "vibe",
        "pre_tool",
        r#"{"session_id":"s","hook_event_name":"pre_tool","cwd":"/","tool_name":"file_system.bash","tool_call_id":"c","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Kimi Code CLI",
        "kimi",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/","client_type":"kimi_code_cli","tool_name":"Bash","tool_input":{"command":"ls"},"tool_call_id":"c"}"#,
    ),
    (
        "Antigravity",
        "antigravity",
        "PreToolUse",
        r#"{"conversationId":"s","workspacePaths":["/"],"toolCall":{"name":"run_command","args":{"CommandLine":"ls"}}}"#,
    ),
    (
        "Windsurf",
        "windsurf",
        "pre_run_command",
        r#"{"agent_action_name":"pre_run_command","trajectory_id":"s","tool_info":{"command_line":"ls","cwd":"/"}}"#,
    ),
    (
        "Kiro",
        "kiro",
        "PreToolUse",
        r#"{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/","tool_name":"execute_bash","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Auggie",
        "augment",
        "PreToolUse",
        r#"{"hook_event_name":"PreToolUse","conversation_id":"s","workspace_roots":["/"],"tool_name":"launch-process","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Cursor",
        "cursor",
        "preToolUse",
        r#"{"conversation_id":"s","hook_event_name":"preToolUse","cursor_version":"2.4.7","workspace_roots":["/"],"tool_name":"Shell","tool_input":{"command":"ls"}}"#,
    ),
    (
        "Crush",
        "crush",
        "PreToolUse",
        r#"{"event":"PreToolUse","session_id":"s","cwd":"/","tool_name":"bash","tool_input":{"command":"ls"}}"#,
    ),
    (
        "VS Code",
        "claude",
        "PreToolUse",
        r#"{"sessionId":"s","hookEventName":"PreToolUse","transcript_path":"/t.json","cwd":"/","tool_name":"run_in_terminal","tool_input":{"command":"ls"},"tool_use_id":"c"}"#,
    ),
    (
        "Hermes",
        "hermes",
        "pre_tool_call",
        r#"{"hook_event_name":"pre_tool_call","tool_name":"terminal","tool_input":{"command":"ls"},"session_id":"s","cwd":"/","extra":{"tool_call_id":"c"}}"#,
    ),
    (
        "Gemini CLI",
        "gemini",
        "BeforeTool",
        r#"{"session_id":"s","hook_event_name":"BeforeTool","cwd":"/","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
    ),
];

/// Runs one hook behind one agent; the reply.
fn fired(format: &Format, said: &str, agent: &Caller) -> String {
    let fixture = Fixture::new();
    let (words, code) = match said.strip_prefix('!') {
        Some(words) => (format!("printf %s '{words}' >&2"), 2),
        None => (format!("printf %s '{said}'"), 0),
    };
    fixture.write("home/hook.sh", &format!("cat >/dev/null\n{words}\nexit {code}\n"));
    let line = format!("sh {}", fixture.path("home/hook.sh").display());
    fixture.write(&format!("home/{}", format.file.0), &format.file.1.replace("{hook}", &line));
    let (_, name, event, payload) = agent;
    let reply = fixture.run(&["hook", "--agent", name, "--event", event], payload);
    let text = format!("{} behind {name}: {said}: {}", format.title, reply.stderr);
    if reply.code == 2 && ["windsurf", "kiro"].contains(name) {
        // These read a denial from the exit code alone.
        return json!({ "decision": "deny", "reason": reply.stderr }).to_string();
    }
    assert_eq!(reply.code, 0, "{text}");
    assert!(!reply.stdout.is_empty() || reply.stderr.contains("warning: "), "{text}");
    reply.stdout
}

/// What a reply makes of a call, in any agent's words.
fn restraint_of(reply: &str) -> &'static str {
    let reply = reply.trim().trim_start_matches("HOOK_CONTROL\t");
    if reply.is_empty() {
        return "a warning";
    }
    let reply: Value = serde_json::from_str(reply).unwrap();
    if reply == json!({ "decision": "ask" }) {
        // To Antigravity this says that no hook decides.
        return "a warning";
    }
    let inner = &reply["hookSpecificOutput"];
    let words = [
        &reply["decision"],
        &reply["action"],
        &reply["permission"],
        &reply["permissionDecision"],
        &inner["permissionDecision"],
    ];
    let is = |word: &str| words.iter().any(|value| **value == word);
    // Cline's soft denial: the call prints the reason and fails.
    let fails = reply["overrideInput"]["commands"][0].as_str();
    if is("deny") || is("block") || reply["cancel"] == json!(true) {
        return "deny";
    }
    if fails.is_some_and(|fail| fail.ends_with("exit 1")) {
        return "deny";
    }
    let text = reply.to_string();
    let added = [&reply["additionalContext"], &reply["contextModification"], &reply["context"]];
    let added =
        added.into_iter().chain([&reply["additional_context"], &inner["additionalContext"]]);
    match (
        is("ask") || is("force_ask"),
        text.contains("ls -l"),
        added.flat_map(Value::as_str).any(|text| text.contains("use x")),
    ) {
        (true, ..) => "ask",
        (_, true, _) => "change",
        (.., true) => "context",
        _ => "a message",
    }
}

/// The table of one thing that hooks say.
fn table(at: usize) -> String {
    let titles: Vec<&str> = AGENTS.iter().map(|agent| agent.0).collect();
    let mut table = format!("| hook | {} |\n", titles.join(" | "));
    let _ = writeln!(table, "|---{}|", "|---".repeat(AGENTS.len()));
    let formats: Vec<&Format> =
        FORMATS.iter().filter(|format| !format.says[at].is_empty()).collect();
    let rows = at_once::each(&formats, 2, |_, format| {
        let cell = |agent: &Caller| match format.own.contains(&agent.1) {
            true => "its own",
            false => restraint_of(&fired(format, format.says[at], agent)),
        };
        AGENTS.iter().map(cell).collect::<Vec<_>>().join(" | ")
    });
    for (format, row) in formats.iter().zip(rows) {
        let _ = writeln!(table, "| {} | {row} |", format.title);
    }
    table
}

/// BR-1, BR-3, BR-4, BR-5.
#[test]
fn a_hook_of_any_agent_counts_behind_any_other() {
    let tables: Vec<String> = (0..SAYS.len()).map(table).collect();
    let denials = tables[0].lines().skip(2).flat_map(|line| line.split('|').skip(2).map(str::trim));
    let lost = denials.filter(|denial| !matches!(*denial, "deny" | "its own" | ""));
    assert_eq!(lost.count(), 0, "{}", tables[0]);
    for (table, says) in tables.iter().zip(SAYS) {
        let wants = tables.join("\n");
        assert!(PAGE.contains(table), "the page has another table for `{says}`:\n{wants}");
    }
}

/// How agents call the tool `create` of the server `my_server`; the others are in the table of what they do not cover.
const SERVER_TOOLS: &[(&str, &str)] = &[
    ("codex", "mcp__my_server__create"),
    ("copilot", "my_server-create"),
    ("openclaw", "my_server__create"),
    ("amp", "mcp__my_server__create"),
    ("goose", "my_server__create"),
    ("qwen", "mcp__my_server__create"),
    ("droid", "my_server___create"),
    ("vibe", "mcp_my_server.create"),
    ("kimi", "mcp__my_server__create"),
    ("antigravity", "mcp_my_server_create"),
    ("kiro", "mcp_my_server_create"),
    ("crush", "mcp_my_server_create"),
    ("hermes", "mcp__my_server__create"),
    ("gemini", "mcp_my_server_create"),
];

/// CP-30, GM-22, OC-4, S-6.
#[test]
fn a_hook_for_the_tool_of_a_server_counts_behind_any_agent() {
    let format = Format {
        title: "Claude Code",
        own: &[],
        file: (
            ".claude/settings.json",
            r#"{"hooks":{"PreToolUse":[{"matcher":"mcp__my_server__create","hooks":[{"type":"command","command":"{hook}"}]}]}}"#,
        ),
        says: NESTED,
    };
    for (name, tool) in SERVER_TOOLS {
        let (title, _, event, payload) = AGENTS.iter().find(|agent| agent.1 == *name).unwrap();
        let mut payload: Value = serde_json::from_str(payload).unwrap();
        for place in ["/tool_name", "/toolName", "/toolCall/name", "/tool_call/name"] {
            if let Some(place) = payload.pointer_mut(place) {
                *place = (*tool).into();
            }
        }
        let payload: &'static str = payload.to_string().leak();
        let reply = fired(&format, NESTED[0], &(title, name, event, payload));
        assert_eq!(restraint_of(&reply), "deny", "{name}: {reply}");
    }
}
