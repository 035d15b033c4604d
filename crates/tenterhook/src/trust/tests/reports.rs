//! What a person hears of files that nobody approved: how many hooks, what becomes of them, and how often.

use super::*;

const NATIVE: &str = "tenterhook.toml";

fn messages(trust: Trust, source: Source) -> Vec<String> {
    let (_, reported) = Engine::builder().trust(trust).source(source).build();
    let of_trust = ["not-approved", "changed-since-approved"];
    let reported =
        reported.into_iter().filter(|diagnostic| of_trust.contains(&diagnostic.code.name()));
    reported.map(|diagnostic| diagnostic.message).collect()
}

/// T-14: how many hooks there are, and whether anything is held for them.
#[test]
fn it_is_said_how_many_hooks_do_not_run_and_what_is_held() {
    let gate = |name: &str| format!("[hook.{name}]\non = 'PreToolUse'\nshell = 'exit 2'\n");
    let watch = |name: &str| format!("[hook.{name}]\non = 'PostToolUse'\nshell = 'true'\n");
    let off = format!("{}enabled = false\n", gate("z"));
    let held = "the calls that its gates match are held";
    for (text, count, approved, end) in [
        (gate("a"), "1 hook of", "nobody approved it", held),
        (gate("a") + &gate("b"), "2 hooks of", "nobody approved them", held),
        (gate("a") + &watch("b") + &off, "2 hooks of", "nobody approved them", held),
        (watch("a") + &off, "1 hook of", "nobody approved it", "it does not run"),
        (watch("a") + &watch("b"), "2 hooks of", "nobody approved them", "they do not run"),
    ] {
        let room = Room::new();
        room.write(NATIVE, &text);
        let reported = messages(room.trust(), room.source(NATIVE));
        let [reported] = reported.as_slice() else { panic!("{reported:?}") };
        assert!(reported.starts_with(count) && reported.ends_with(end), "{text}: {reported}");
        let came = format!("came with this project, and {approved}: {end}");
        assert!(reported.contains(&came), "{reported}");
    }
}

/// T-14, T-10: so it is with what was approved and became another.
#[test]
fn it_is_said_whether_a_change_holds_anything() {
    for (event, end) in [
        ("PreToolUse", "is not what you approved: the calls that its gates match are held"),
        ("PostToolUse", "is not what you approved: its hooks do not run"),
    ] {
        let room = Room::new();
        let text = format!("[hook.a]\non = '{event}'\nshell = 'exit 0'\n");
        room.write(NATIVE, &text);
        let trust = room.trust();
        trust.approve(&trust.review(&room.source(NATIVE))).expect("an approval");
        assert_eq!(messages(room.trust(), room.source(NATIVE)), [""; 0]);
        room.write(NATIVE, &text.replace("exit 0", "exit 1"));
        let texts = messages(room.trust(), room.source(NATIVE));
        assert!(texts.iter().all(|text| text.ends_with(end)) && texts.len() == 1, "{texts:?}");
    }
}

/// T-14: what holds nothing is told once for a repository where that is asked for, and each time where it is not.
#[test]
fn unapproved_source_without_gates_is_reported_once_when_requested() {
    let switch = "{\"disableAllHooks\": true}";
    let holds = "[hook.a]\non = 'PreToolUse'\nshell = 'exit 2'\n";
    for (name, text, again) in [
        (".claude/settings.json", GATE, 0),
        (".claude/settings.json", switch, 0),
        (NATIVE, holds, 1),
    ] {
        let room = Room::new();
        room.write(name, text);
        let reported = |trust: Trust| messages(trust, room.source(name)).len();
        assert_eq!([reported(room.trust()), reported(room.trust())], [1, 1], "{text}");
        let once = || reported(room.trust().telling_once());
        assert_eq!([once(), once()], [1, again], "{text}");
        assert_eq!(reported(room.trust()), 1, "{text}");
    }
}

/// T-14, T-23: and so it is with the servers of a file, whose number is said.
#[test]
fn servers_are_reported_once_when_requested() {
    let room = Room::new();
    room.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#);
    let roots = Roots { cwd: room.project(), home: room.home(), ..Roots::default() };
    let reported = |trust: Trust| {
        let (_, reported) = trust.servers(&roots, &[]);
        reported.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    let first = reported(room.trust().telling_once());
    assert!(first.iter().all(|text| text.starts_with("1 MCP server of `")), "{first:?}");
    assert_eq!((first.len(), reported(room.trust().telling_once()).len()), (1, 0));
    room.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}"#);
    let each = reported(room.trust());
    assert!(each.iter().all(|text| text.starts_with("2 MCP servers of `")), "{each:?}");
    assert_eq!((each.len(), reported(room.trust()).len()), (1, 1));
}
