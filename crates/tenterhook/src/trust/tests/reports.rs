//! Reports about unapproved files: how many hooks, what happens to them, and how often it is
//! reported.

use super::*;

const NATIVE: &str = "tenterhook.toml";

fn messages(trust: Trust, source: Source) -> Vec<String> {
    let (_, reported) = Engine::builder().trust(trust).source(source).build();
    let of_trust = ["not-approved", "changed-since-approved"];
    let reported =
        reported.into_iter().filter(|diagnostic| of_trust.contains(&diagnostic.code.name()));
    reported.map(|diagnostic| diagnostic.message).collect()
}

/// T-14: the report gives the number of hooks, and whether calls are blocked.
#[test]
fn report_counts_unapproved_hooks_and_says_whether_calls_are_blocked() {
    let gate = |name: &str| format!("[hook.{name}]\non = 'PreToolUse'\nshell = 'exit 2'\n");
    let watch = |name: &str| format!("[hook.{name}]\non = 'PostToolUse'\nshell = 'true'\n");
    let off = format!("{}enabled = false\n", gate("z"));
    let held = "the calls that its gates match are held";
    for (text, count, approved, end) in [
        (gate("a"), "1 hook of", "is not approved", held),
        (gate("a") + &gate("b"), "2 hooks of", "are not approved", held),
        (gate("a") + &watch("b") + &off, "2 hooks of", "are not approved", held),
        (watch("a") + &off, "1 hook of", "is not approved", "it does not run"),
        (watch("a") + &watch("b"), "2 hooks of", "are not approved", "they do not run"),
    ] {
        let fixture = Fixture::new();
        fixture.write(NATIVE, &text);
        let reported = messages(fixture.trust(), fixture.source(NATIVE));
        let [reported] = reported.as_slice() else { panic!("{reported:?}") };
        assert!(reported.starts_with(count) && reported.ends_with(end), "{text}: {reported}");
        let came = format!("came with this project and {approved}: {end}");
        assert!(reported.contains(&came), "{reported}");
    }
}

/// T-14, T-10: the same for an approved source that changed.
#[test]
fn report_of_a_change_says_whether_calls_are_blocked() {
    for (event, end) in [
        ("PreToolUse", "is not what you approved: the calls that its gates match are held"),
        ("PostToolUse", "is not what you approved: its hooks do not run"),
    ] {
        let fixture = Fixture::new();
        let text = format!("[hook.a]\non = '{event}'\nshell = 'exit 0'\n");
        fixture.write(NATIVE, &text);
        let trust = fixture.trust();
        trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
        assert_eq!(messages(fixture.trust(), fixture.source(NATIVE)), [""; 0]);
        fixture.write(NATIVE, &text.replace("exit 0", "exit 1"));
        let texts = messages(fixture.trust(), fixture.source(NATIVE));
        assert!(texts.iter().all(|text| text.ends_with(end)) && texts.len() == 1, "{texts:?}");
    }
}

/// T-14: a source that blocks nothing is reported once for each repository if requested, else every
/// time.
#[test]
fn unapproved_source_without_gates_is_reported_once_when_requested() {
    let switch = "{\"disableAllHooks\": true}";
    let holds = "[hook.a]\non = 'PreToolUse'\nshell = 'exit 2'\n";
    for (name, text, again) in [
        (".claude/settings.json", GATE, 0),
        (".claude/settings.json", switch, 0),
        (NATIVE, holds, 1),
    ] {
        let fixture = Fixture::new();
        fixture.write(name, text);
        let reported = |trust: Trust| messages(trust, fixture.source(name)).len();
        assert_eq!([reported(fixture.trust()), reported(fixture.trust())], [1, 1], "{text}");
        let once = || reported(fixture.trust().telling_once());
        assert_eq!([once(), once()], [1, again], "{text}");
        assert_eq!(reported(fixture.trust()), 1, "{text}");
    }
}

/// T-14: hooks are reported before settings of the same file, and only one of the two.
#[test]
fn file_with_hooks_and_settings_reports_its_hooks() {
    let fixture = Fixture::new();
    let text = GATE.replacen('{', r#"{"disableAllHooks": false, "disabledMcpServers": [], "#, 1);
    fixture.write(".claude/settings.json", &text);
    let source = || fixture.source(".claude/settings.json");
    let first = messages(fixture.trust().telling_once(), source());
    assert!(matches!(&first[..], [text] if text.starts_with("1 hook of ")), "{first:?}");
    assert_eq!(messages(fixture.trust().telling_once(), source()), [""; 0]);
}

/// T-14, T-23: the same for the servers of a file, with their number.
#[test]
fn servers_are_reported_once_when_requested() {
    let fixture = Fixture::new();
    fixture.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}}}"#);
    let roots = Roots { cwd: fixture.project(), home: fixture.home(), ..Roots::default() };
    let reported = |trust: Trust| {
        let (_, reported) = trust.servers(&roots, &[]);
        reported.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    let first = reported(fixture.trust().telling_once());
    assert!(first.iter().all(|text| text.starts_with("1 MCP server of `")), "{first:?}");
    assert_eq!((first.len(), reported(fixture.trust().telling_once()).len()), (1, 0));
    fixture.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}"#);
    let each = reported(fixture.trust());
    assert!(each.iter().all(|text| text.starts_with("2 MCP servers of `")), "{each:?}");
    assert_eq!((each.len(), reported(fixture.trust()).len()), (1, 1));
}
