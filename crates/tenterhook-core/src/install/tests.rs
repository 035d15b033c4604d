//! Tests that added entries can be removed to the byte from any text, and that registered texts are
//! pinned.

use super::*;
use crate::agents::{
    Agent, Form, Layout, agent_with_hook_installation, agents_with_hook_installation,
};

const PROGRAM: &str = "/usr/local/bin/tenterhook";

fn claude() -> &'static Agent {
    agent_with_hook_installation("claude").unwrap()
}

/// BR-60, BR-115: every layout that people write comes back.
#[test]
fn added_entries_are_removed_to_the_byte() {
    let user = r#"{"type": "command", "command": "mine"}"#;
    let group = format!(r#"{{"matcher": "Bash", "hooks": [{user}]}}"#);
    let mut texts: Vec<String> = Vec::new();
    let hooks = [
        "{}".to_owned(),
        "{ }".to_owned(),
        "{\n  }".to_owned(),
        "{\"PreToolUse\": []}".to_owned(),
        "{ \"PreToolUse\": [ ] }".to_owned(),
        "{\n    \"PreToolUse\": [\n    ]\n  }".to_owned(),
        format!("{{\"PreToolUse\":[{group}]}}"),
        format!(
            "{{\n    \"PreToolUse\": [\n      {group},\n      {group}\n    ],\n    \"Stop\": [ {group} ]\n  }}"
        ),
        format!("{{\n\t\t\"Mine\": [\n\t\t\t{group}\n\t\t]\n\t}}"),
        format!("{{\"Stop\":[{{\"hooks\":[]}}],\"SessionEnd\":[{group}]}}"),
    ];
    for hooks in &hooks {
        texts.push(format!("{{\"hooks\":{hooks}}}"));
        texts.push(format!("{{\n  \"a\": 1,\n  \"hooks\": {hooks},\n  \"z\": [1, 2]\n}}\n"));
        texts.push(format!("{{\n\t\"hooks\": {hooks}\n}}"));
        texts.push(format!("\u{feff}{{\"hooks\": {hooks}, \"z\": \"é\"}}\n\n"));
    }
    for text in [
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        "{\n\n}",
        "{\"a\":1}",
        "{\n    \"a\": {}\n}\n",
        "{\"hooks\":{}}",
    ] {
        texts.push(text.to_owned());
    }
    let crlf: Vec<String> = texts.iter().map(|text| text.replace('\n', "\r\n")).collect();
    for text in texts.into_iter().chain(crlf) {
        let with = add_own_entries(claude(), PROGRAM, Some(&text))
            .unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(
            installed_events_and_commands(claude(), &with).unwrap().len(),
            claude().installation.events.len(),
            "{with}"
        );
        assert_eq!(add_own_entries(claude(), PROGRAM, Some(&with)).unwrap(), with, "twice is once");
        assert_eq!(remove_own_entries(claude(), &with).unwrap().as_deref(), Some(&*text), "{with}");
        assert_eq!(
            foreign_entries(claude(), &with).unwrap(),
            foreign_entries(claude(), &text).unwrap()
        );
    }
}

/// BR-60: comments stay, for an agent that accepts them.
#[test]
fn comments_stay() {
    let gemini = agent_with_hook_installation("gemini").unwrap();
    for text in [
        "// mine\n{\n  // first\n  \"a\": 1 // one\n  // last\n}\n",
        "{ // c\n}",
        "{\"hooks\": { /* none, yet */ }}",
        "{\"hooks\": {\"BeforeTool\": [ // mine, too\n  {\"hooks\": []} /* , */ ]}}",
    ] {
        let with = add_own_entries(gemini, PROGRAM, Some(text)).unwrap();
        assert_eq!(remove_own_entries(gemini, &with).unwrap().as_deref(), Some(text), "{with}");
    }
}

/// BR-60, VI-50, KM-50: entries in a list of TOML tables are removed to the byte, and a second run
/// keeps their random names.
#[test]
fn tables_are_added_and_removed_to_the_byte() {
    let vibe = "[[hooks]]\nname = \"mine\"\ntype = \"pre_tool\"\ncommand = \"mine\" # why\n";
    check_tables("vibe", 3, vibe);
    check_tables("kimi", 11, "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"mine\" # why\n");
}

fn check_tables(name: &str, events: usize, mine: &str) {
    let agent = agent_with_hook_installation(name).unwrap();
    let texts = [
        String::new(),
        "\n".to_owned(),
        "# only a comment".to_owned(),
        "# a comment\n\n\n".to_owned(),
        mine.to_owned(),
        mine.trim_end().to_owned(),
        format!("\n{mine}\n{mine}\n\n# last"),
        format!("x = 1\n{mine}[other]\nkey = {{ a = 1 }}\n"),
    ];
    let crlf = texts.clone().map(|text| text.replace('\n', "\r\n"));
    for text in texts.into_iter().chain(crlf) {
        let with = add_own_entries(agent, PROGRAM, Some(&text)).unwrap();
        let digits = with.replace(RANDOM_DIGITS, "0123456789abcdef");
        assert_eq!(installed_events_and_commands(agent, &digits).unwrap().len(), events, "{with}");
        assert_eq!(
            add_own_entries(agent, PROGRAM, Some(&digits)).unwrap(),
            digits,
            "twice is once"
        );
        assert_eq!(remove_own_entries(agent, &digits).unwrap().as_deref(), Some(&*text), "{with}");
        let others = foreign_entries(agent, &text).unwrap();
        assert_eq!(foreign_entries(agent, &digits).unwrap(), others);
        let moved = add_own_entries(agent, "/elsewhere/tenterhook", Some(&digits)).unwrap();
        assert_eq!(moved, digits.replace(PROGRAM, "/elsewhere/tenterhook"), "a new path alone");
        let added = format!("{digits}\n{mine}");
        let left = remove_own_entries(agent, &added).unwrap().unwrap();
        assert_eq!(left, format!("{text}\n{mine}"), "what was added below stays");
        // It could change a judged call, so that ours go below it.
        let again = add_own_entries(agent, PROGRAM, Some(&added)).unwrap();
        assert_eq!(remove_own_entries(agent, &again).unwrap().as_deref(), Some(&*left));
        assert!(again.find(PROGRAM) > again.rfind("mine"), "{again}");
        assert_eq!(add_own_entries(agent, PROGRAM, Some(&again)).unwrap(), again);
    }
    let new = add_own_entries(agent, PROGRAM, None).unwrap();
    assert_eq!(remove_own_entries(agent, &new).unwrap(), None);
    for text in
        ["hooks = []", "hooks = [{ name = \"a\" }]", "[hooks]\na = 1", "hooks = \"a\"", "[[hooks]"]
    {
        let wrong = add_own_entries(agent, PROGRAM, Some(text)).unwrap_err();
        assert_eq!(wrong.line, 1, "{text}: {}", wrong.message);
    }
    let new_toml = add_own_entries(agent, PROGRAM, Some("a = { b = 1, }"));
    let layout = agent.installation.form.hook_file().unwrap().layout;
    assert_eq!(new_toml.is_ok(), layout == Layout::Tables { is_1_1: true });
}

/// BR-102, KM-4: one wrong value would switch off all entries, also ours.
#[test]
fn table_with_a_wrong_value_is_refused() {
    let kimi = agent_with_hook_installation("kimi").unwrap();
    let bad = "[[hooks]]\nevent = \"Stop\"\ncommand = \"a\"\ntimeout = 0\n";
    let wrong = add_own_entries(kimi, PROGRAM, Some(bad)).unwrap_err();
    assert_eq!((wrong.line, wrong.message.contains("hooks.0.timeout")), (4, true));
    let with = add_own_entries(kimi, PROGRAM, None).unwrap() + bad;
    assert!(installed_events_and_commands(kimi, &with).is_err());
    assert_eq!(remove_own_entries(kimi, &with).unwrap().as_deref(), Some(bad));
    let own = add_own_entries(kimi, PROGRAM, None).unwrap();
    let weak = own.replacen("timeout = 600", "timeout = 0", 1);
    assert_eq!(add_own_entries(kimi, PROGRAM, Some(&weak)).unwrap(), own);
}

/// BR-69, VI-50: an entry that was weakened or repeated is written again, under its name.
#[test]
fn weakened_table_is_written_again() {
    let vibe = agent_with_hook_installation("vibe").unwrap();
    let new = add_own_entries(vibe, PROGRAM, None).unwrap();
    let new = new.replace(RANDOM_DIGITS, "0123456789abcdef");
    for (from, to) in [
        ("strict = true", "strict = false"),
        ("timeout = 600", "timeout = 1"),
        ("strict = true\n", "strict = true\nmatch = \"edit\"\n"),
        (" || sh -c", " # sh -c"),
    ] {
        let weak = new.replacen(from, to, 1);
        assert_ne!(weak, new);
        assert_eq!(add_own_entries(vibe, PROGRAM, Some(&weak)).unwrap(), new, "{to}");
    }
    let twice = format!("{new}\n{new}");
    let events = installed_events_and_commands(vibe, &twice).unwrap();
    assert_eq!(events.len(), 6);
    let once = add_own_entries(vibe, PROGRAM, Some(&twice)).unwrap();
    assert_eq!(once.trim_end(), new.trim_end());
}

/// BR-62: the text of a table never changes.
#[test]
fn registered_table_never_changes() {
    let vibe = agent_with_hook_installation("vibe").unwrap();
    let new = add_own_entries(vibe, "/p/tenterhook", None).unwrap();
    let first = new.split("\n\n").next().unwrap();
    let wanted = r#"[[hooks]]
name = "tenterhook-@RANDOM@-pre_tool"
type = "pre_tool"
command = "/p/tenterhook hook --agent vibe --event pre_tool --within 590s || sh -c 'echo \"Tenterhook did not answer, so this is not done. Tell the user to install tenterhook again, or to take its hooks out of this agent.\" >&2; exit 2'"
timeout = 600
strict = true"#;
    assert_eq!(first, wanted);
}

/// BR-60: a file that `install` created is removed, also after the agent rewrote it.
#[test]
fn created_file_is_removed() {
    let with = add_own_entries(claude(), PROGRAM, None).unwrap();
    assert_eq!(remove_own_entries(claude(), &with).unwrap(), None);
    let json: serde_json::Value = serde_json::from_str(&with).unwrap();
    assert_eq!(remove_own_entries(claude(), &json.to_string()).unwrap(), None);
}

/// BR-60, BR-115: later edits by others stay, and Tenterhook's entries are found at any position.
#[test]
fn edits_made_since_survive() {
    let with = add_own_entries(claude(), PROGRAM, Some("{\"a\": 1}\n")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&with).unwrap();
    let mine = serde_json::json!({"type": "command", "command": "mine"});
    json["hooks"]["PreToolUse"][0]["hooks"].as_array_mut().unwrap().insert(0, mine.clone());
    json["hooks"]["Stop"].as_array_mut().unwrap().push(serde_json::json!({"hooks": [mine]}));
    let edited = format!("{json:#}");
    let left: serde_json::Value =
        serde_json::from_str(&remove_own_entries(claude(), &edited).unwrap().unwrap()).unwrap();
    let mine = serde_json::json!([{"hooks": [mine]}]);
    assert_eq!(left, serde_json::json!({"a": 1, "hooks": {"PreToolUse": mine, "Stop": mine}}));
    let again = add_own_entries(claude(), "/elsewhere/tenterhook", Some(&edited)).unwrap();
    assert_eq!(again, edited.replace(PROGRAM, "/elsewhere/tenterhook"), "a new path, nothing else");
}

/// C-87: an agent in JavaScript reads such a file, and no value of it is rewritten.
#[test]
fn what_only_javascript_takes_keeps_its_bytes() {
    let user = r#"{"type": "command", "command": "mine"}"#;
    for value in [r#""\ud800""#, "1e999", r#"["\ude00\ud83d", -1e999]"#] {
        let text =
            format!(r#"{{"x": {value}, "hooks": {{"PreToolUse": [{{"hooks": [{user}]}}]}}}}"#);
        for name in ["claude", "qwen", "gemini"] {
            let agent = agent_with_hook_installation(name).unwrap();
            let with = add_own_entries(agent, PROGRAM, Some(&text)).unwrap();
            assert_eq!(
                remove_own_entries(agent, &with).unwrap().as_deref(),
                Some(&*text),
                "{name}: {with}"
            );
        }
        assert!(
            add_own_entries(agent_with_hook_installation("codex").unwrap(), PROGRAM, Some(&text))
                .is_err(),
            "{value}"
        );
        let adopted =
            move_entries_to_tenterhook(claude(), &text).unwrap().expect("something to move");
        assert!(adopted.left.is_some_and(|text| text.contains(value)), "{value}");
        // Written elsewhere it would be another value.
        let own = text.replace("mine\"", &format!("mine\", \"x\": {value}"));
        assert_eq!(move_entries_to_tenterhook(claude(), &own).unwrap(), None, "{own}");
    }
}

/// BR-75: an entry of Cursor without a type is a command; what Tenterhook does not apply stays.
#[test]
fn entry_of_cursor_without_type_is_moved() {
    let cursor = agent_with_hook_installation("cursor").unwrap();
    let text = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "./a", "matcher": "Shell", "failClosed": true}, {"type": "prompt", "prompt": "?"}], "stop": [{"command": "./b", "loop_limit": 2}, {"type": "command", "command": "./c"}], "beforeShellExecution": [{"command": "./d"}]}}"#;
    let adopted = move_entries_to_tenterhook(cursor, text).unwrap().expect("something to move");
    let moved: serde_json::Value = serde_json::from_str(&adopted.moved).unwrap();
    assert_eq!(
        moved,
        serde_json::json!({"version": 1, "hooks": {
            "preToolUse": [{"command": "./a", "matcher": "Shell", "failClosed": true}],
            "stop": [{"type": "command", "command": "./c"}],
        }})
    );
    let left = adopted.left.as_deref().unwrap();
    let stays: Vec<_> =
        foreign_entries(cursor, left).unwrap().into_iter().map(|entry| entry.what).collect();
    assert_eq!(stays, ["prompt", "./b", "./d"]);
    // Claude Code runs no entry without a type.
    let without = r#"{"hooks": {"Stop": [{"hooks": [{"command": "./a"}]}]}}"#;
    assert_eq!(move_entries_to_tenterhook(claude(), without).unwrap(), None);
}

/// BR-63.
#[test]
fn what_the_agent_would_reject_is_left_alone() {
    for (name, text, line, column) in [
        ("claude", "{\n  \"a\": 1,\n}", 2, 9),
        ("claude", "{\n  // c\n}", 2, 3),
        ("claude", "{\n  \"hooks\": {},\n  \"hooks\": {}\n}", 3, 3),
        ("claude", "{\"hooks\": []}", 1, 11),
        ("claude", "{\"hooks\": {\"Stop\": {}}}", 1, 20),
        ("claude", "", 1, 1),
        ("claude", "[]", 1, 1),
        ("claude", "{\"a\": ", 1, 7),
        ("codex", "{\"$schema\": \"x\", \"hooks\": {}}", 1, 2),
        ("codex", "\u{feff}{}", 1, 1),
        ("qwen", "\u{feff}{}", 1, 1),
        ("claude", "{\"hooks\": {\"Mine\": [{}, {\"matcher\": [\"a\"]}]}}", 1, 37),
    ] {
        let wrong =
            add_own_entries(agent_with_hook_installation(name).unwrap(), PROGRAM, Some(text))
                .unwrap_err();
        assert_eq!((wrong.line, wrong.column), (line, column), "{text}: {}", wrong.message);
    }
}

/// BR-102: entries in a file that the agent refuses cover nothing: they are not added, and those
/// that are there can be removed.
#[test]
fn entries_in_a_file_that_the_agent_refuses_cover_nothing() {
    for (name, text, path, line) in [
        ("claude", "{\"model\": \"m\",\n  \"permissions\": []}", "`permissions`", 2),
        ("claude", "{\"permissions\": {\"allow\": \"Bash\"}}", "`permissions.allow`", 1),
        ("claude", "{\"env\": null}", "`env`", 1),
        (
            "claude",
            "{\"hooks\": {\"PreToolUse\": [\n{\"matcher\": null, \"hooks\": []}]}}",
            "`hooks.PreToolUse.0.matcher`",
            2,
        ),
        (
            "claude",
            "{\"hooks\": {\"PermissionRequest\": [{\"hooks\": [\n{\"command\": \"a\"}]}]}}",
            "`hooks.PermissionRequest.0.hooks.0.type`",
            2,
        ),
        (
            "codex",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [\n{\"command\": \"a\"}]}]}}",
            "`hooks.Stop.0.hooks.0.type`",
            2,
        ),
    ] {
        let agent = agent_with_hook_installation(name).unwrap();
        let wrong = add_own_entries(agent, PROGRAM, Some(text)).unwrap_err();
        assert!(wrong.message.contains(path) && wrong.line == line, "{text}: {wrong:?}");
        // The entries were there before the mistake.
        let sound = text
            .replace("null", "\"\"")
            .replace("{\"command\"", "{\"type\": \"command\", \"command\"");
        let sound =
            sound.replace("\"permissions\": []", "\"permissions\": {}").replace("\"Bash\"", "[]");
        let sound = sound.replace("\"env\": \"\"", "\"env\": {}");
        let with = add_own_entries(agent, PROGRAM, Some(&sound)).unwrap();
        assert!(!installed_events_and_commands(agent, &with).unwrap().is_empty(), "{with}");
        let broken = match name {
            "claude" => with.replacen('{', "{\"outputStyle\": 5, ", 1),
            _ => with.replacen('{', "{\"description\": 5, ", 1),
        };
        assert!(installed_events_and_commands(agent, &broken).is_err(), "{broken}");
        assert!(add_own_entries(agent, PROGRAM, Some(&broken)).is_err(), "{broken}");
        assert!(remove_own_entries(agent, &broken).is_ok(), "{broken}");
        assert!(
            installed_events_and_commands(agent_with_hook_installation("qwen").unwrap(), text)
                .is_ok()
        );
    }
}

/// BR-102: a wrong value in an entry of ours is replaced.
#[test]
fn own_entry_with_a_refused_value_is_rewritten() {
    let with = add_own_entries(claude(), PROGRAM, None).unwrap();
    let broken = with.replacen("\"block\"", "\"allow\"", 1);
    assert!(installed_events_and_commands(claude(), &broken).is_err(), "{broken}");
    assert_eq!(add_own_entries(claude(), PROGRAM, Some(&broken)).unwrap(), with);
}

/// A digest of the lines that are registered with each agent.
const REGISTERED: &[(&str, u64)] = &[
    ("claude", 0x0a33_6bac_6b23_b185),
    ("codex", 0x3971_5944_eef7_e4c3),
    ("copilot", 0x5847_2bfc_f0a4_daff),
    ("goose", 0xddaa_9a87_6aa2_2c10),
    ("qwen", 0x64ef_6019_5ff5_7d2d),
    ("cline", 0x0f6e_0013_375e_8515),
    ("gemini", 0x18e6_bc4a_f143_85f9),
    ("cursor", 0xe325_1b42_e2ac_1ffc),
    ("windsurf", 0xd2a6_6554_54c1_b7a5),
    ("antigravity", 0xfd58_afde_bcce_337e),
    ("droid", 0xa897_b72a_e3a5_d680),
    ("vibe", 0x3d03_a1e2_7095_7efb),
    ("hermes", 0x9b8d_6070_cfb4_2305),
    ("kiro", 0x5175_eda4_3cf0_9461),
    ("kimi", 0xac16_3d1c_7fa7_65b2),
    ("augment", 0xe547_740d_9569_e223),
    ("crush", 0x4e83_44ab_75fd_9729),
];

/// BR-62: an agent trusts a hook by its text, so what is registered never changes: not these words,
/// not their order.
#[test]
fn what_is_registered_never_changes() {
    let digests: Vec<_> = agents_with_hook_installation()
        .filter(|agent| !matches!(agent.installation.form, Form::Plugin(_)))
        .map(|agent| {
            let lines = agent.installation.events.iter();
            let text: String =
                lines.map(|event| hook_command_line(agent, event, PROGRAM) + "\n").collect();
            let digest: u64 = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            (agent.name, digest)
        })
        .collect();
    let codex = agent_with_hook_installation("codex").unwrap();
    let first = hook_command_line(codex, &codex.installation.events[0], PROGRAM);
    let wanted = "/usr/local/bin/tenterhook hook --agent codex --event PreToolUse --within 590s || sh -c 'echo \"Tenterhook did not answer, so this is not done. Tell the user to install tenterhook again, or to take its hooks out of this agent.\" >&2; exit 2'";
    assert_eq!(first, wanted);
    assert_eq!(digests, REGISTERED, "{digests:#x?}");
}

/// BR-62, BR-117: `uninstall` removes the module that an earlier version wrote, whatever its program.
#[test]
fn module_of_an_earlier_version_is_known() {
    let agent = agent_with_hook_installation("opencode").unwrap();
    let (_, text) = tenterhook_files_with_texts(agent, "/opt/it's/tenterhook").remove(0);
    let (start, rest) = text.split_once("const CHANGED").unwrap();
    let (start, _) = start.split_once("  // An assignment would").unwrap();
    let start = format!("{start}  Object.assign(target, source)\n}}\n\n");
    let (_, rest) = rest.split_once("\n}\n").unwrap();
    let (rest, _) = rest.split_once("\n/** The plugin, after which").unwrap();
    let earlier =
        format!("{start}{}\nexport default {{ id: \"tenterhook\", server }}\n", rest.trim_start());
    assert_eq!(find_foreign_part(agent, &earlier), None, "{earlier}");
    assert_eq!(find_foreign_part(agent, &text), None);
    let changed = find_foreign_part(agent, &earlier.replace("const GONE", "let mine\nconst GONE"));
    assert_eq!(changed.unwrap().what, "`let mine`");
}

/// BR-92.
#[test]
fn skill_lines_are_a_gate_of_claude_code_alone() {
    for row in agents_with_hook_installation() {
        let event =
            row.installation.events.iter().find(|event| event.name == "PreSkillShellCommand");
        assert_eq!(event.is_some_and(|event| event.gates), row.name == "claude", "{}", row.name);
    }
    let claude = agent_with_hook_installation("claude").unwrap();
    let text = add_own_entries(claude, PROGRAM, None).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entry = &settings["hooks"]["PreSkillShellCommand"][0]["hooks"][0];
    assert_eq!(entry["onFailure"], "block");
    assert!(entry["command"].as_str().unwrap().contains("exit 2"), "{entry}");
}

/// BR-31, BR-62: the bridge knows each of them for its own, wherever the program stands.
#[test]
fn what_is_registered_is_known_for_ours() {
    for program in [PROGRAM, "/home/é è/it's/tenterhook", "tenterhook", "C:\\bin\\tenterhook.exe"]
    {
        for agent in agents_with_hook_installation() {
            for event in agent.installation.events {
                assert!(
                    crate::config::is_tenterhook_entry_line(&hook_command_line(
                        agent, event, program
                    )),
                    "{program}"
                );
            }
        }
    }
}

/// BR-61: ours ends before the agent gives up.
#[test]
fn a_reply_comes_before_the_agent_gives_up() {
    for agent in agents_with_hook_installation() {
        for event in agent.installation.events {
            let line = hook_command_line(agent, event, PROGRAM);
            let (_, within) = line.split_once("--within ").unwrap();
            let within = within.split(' ').next().unwrap();
            let millis = match within.strip_suffix("ms") {
                Some(millis) => millis.parse::<u64>().unwrap(),
                None => within.trim_end_matches('s').parse::<u64>().unwrap() * 1000,
            };
            assert!(millis < event.seconds * 1000, "{line}");
        }
    }
}

/// BR-61: every event that is registered is one that the bridge knows, and no agent is left out.
#[test]
fn every_event_is_known_to_the_bridge() {
    use crate::dialect::DialectId;
    for agent in agents_with_hook_installation() {
        let id = DialectId::agents()
            .find(|dialect_id| dialect_id.as_str() == agent.name)
            .expect(agent.name);
        for event in agent.installation.events {
            let named = id.dialect().event_of_entry(event.name);
            let known = id.dialect().event_row(&named).is_some();
            assert!(known, "{}: {}", agent.name, event.name);
        }
    }
}

/// BR-75, BR-119: what is moved comes back, whatever stays, and only what the bridge runs as its
/// agent does is moved.
#[test]
fn what_is_moved_is_what_the_agent_would_run_and_comes_back() {
    let hook = |text: &str| format!("{{\"type\": \"command\", \"command\": \"{text}\"}}");
    let text = format!(
        r#"{{
  "hooks": {{
    "PreToolUse": [
      {{"matcher": "Bash", "hooks": [{a}, {{"type": "prompt", "prompt": "?"}}, {b}]}},
      {{"hooks": [{{"type": "command", "command": "c", "async": true}}]}}
    ],
    "Stop": [{{"hooks": [{d}]}}],
    "ConfigChange": [{{"hooks": [{e}]}}]
  }},
  "model": "m"
}}
"#,
        a = hook("a"),
        b = hook("b"),
        d = hook("d"),
        e = hook("e"),
    );
    let adopted = move_entries_to_tenterhook(claude(), &text).unwrap().expect("something to move");
    assert_eq!(adopted.count, 3);
    let moved: serde_json::Value = serde_json::from_str(&adopted.moved).unwrap();
    let command = |text| serde_json::json!({"type": "command", "command": text});
    assert_eq!(
        moved,
        serde_json::json!({"hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [command("a"), command("b")]}],
            "Stop": [{"hooks": [command("d")]}],
        }})
    );
    let left = adopted.left.as_deref().unwrap();
    let stays: Vec<_> =
        foreign_entries(claude(), left).unwrap().into_iter().map(|f| f.what).collect();
    assert_eq!(stays, ["prompt", "c", "e"]);
    assert_eq!(move_entries_to_tenterhook(claude(), left).unwrap(), None, "{left}");
    let back = restore_moved_entries(claude(), Some(left), &adopted.moved).unwrap();
    let all = |text: &str| {
        let mut all: Vec<_> = foreign_entries(claude(), text)
            .unwrap()
            .into_iter()
            .map(|f| (f.event, f.what))
            .collect();
        all.sort();
        all
    };
    assert_eq!(all(&back), all(&text), "{back}");
    // A file with nothing else is removed, and comes back.
    let alone = format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{}]}}]}}}}", hook("a"));
    let adopted = move_entries_to_tenterhook(claude(), &alone).unwrap().expect("something to move");
    assert_eq!(adopted.left, None);
    assert_eq!(all(&restore_moved_entries(claude(), None, &adopted.moved).unwrap()), all(&alone));
    // A user may have written a value that only JavaScript reads (C-87).
    let odd = adopted.moved.replacen('{', "{\"limit\": 1e999,", 1);
    let wrong = restore_moved_entries(claude(), Some(left), &odd).unwrap_err();
    assert!(wrong.message.contains("as it stands"), "{wrong:?}");
    // Disabled hooks would run after a move.
    let off = alone.replacen('{', "{\"disableAllHooks\": true, ", 1);
    assert!(
        move_entries_to_tenterhook(claude(), &off)
            .unwrap_err()
            .message
            .contains("`disableAllHooks`")
    );
}

/// AY-4: Antigravity ignores the case of keys, so that another spelling is the same key.
#[test]
fn key_in_another_case_is_the_key_of_antigravity() {
    let agent = agent_with_hook_installation("antigravity").unwrap();
    let switches = agent.installation.switches;
    let off = |text: &str| find_hook_switch(agent, switches, text).is_some_and(|found| found.off);
    assert!(off(r#"{"tenterhook": {"Enabled": false}}"#));
    assert!(!off(r#"{"tenterhook": {"Enabled": true}}"#));
    for own in [
        r#""PreToolUse": [], "pretooluse": []"#,
        r#""PreToolUse": [{"hooks": [{"command": "a", "Command": "b"}]}]"#,
    ] {
        let text = format!(r#"{{"tenterhook": {{{own}}}}}"#);
        let wrong = add_own_entries(agent, PROGRAM, Some(&text)).expect_err("a key stands twice");
        assert!(wrong.message.contains("in another case"), "{}", wrong.message);
    }
    // Names of hooks are not keys, and what is not ours is the user's.
    for text in [r#"{"A": {}, "a": {}}"#, r#"{"mine": {"PreToolUse": [], "pretooluse": []}}"#] {
        assert!(add_own_entries(agent, PROGRAM, Some(text)).is_ok(), "{text}");
    }
}

/// DR-9.
#[test]
fn organisation_can_switch_all_other_hooks_of_droid_off() {
    let droid = agent_with_hook_installation("droid").unwrap();
    let switch = droid.installation.protection.only_managed.expect("a switch");
    assert_eq!(switch.file, "etc/factory/settings.json");
    for (text, expected) in [
        (r#"{"allowManagedHooksOnly": true}"#, Some(true)),
        (r#"{"allowManagedHooksOnly": false}"#, Some(false)),
        (r#"{"hooks": {}}"#, None),
    ] {
        let found = find_hook_switch(droid, &[switch.key], text);
        assert_eq!(found.map(|found| found.off), expected, "{text}");
    }
}
