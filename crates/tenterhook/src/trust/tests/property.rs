//! Changing any approved byte changes the digest, and changing anything else does not.

use proptest::prelude::*;

use super::*;

/// Files that say as much as their formats can.
const SETTINGS: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh", "if": "Bash(git *)", "timeout": 15, "async": false},
    {"type": "http", "url": "http://127.0.0.1:7/x", "headers": {"A": "b $C"}, "allowedEnvVars": ["C"]},
    {"type": "prompt", "prompt": "is it safe? $ARGUMENTS", "model": "m"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "make done"}]}]}}"#;
const NATIVE: &str = r#"
[event."deploy.before"]
gate = true
[source."settings.json"]
on_failure = "block"
[mcp.db]
run = ["python3", "server.py"]
[hook.worker]
on = ["PreToolUse", "deploy.before"]
match = "/^(Bash|Edit)$/"
worker = ["./guard.sh", "--strict"]
timeout = "15s"
on_failure = "ask"
env = { LEVEL = "3" }
[hook.rule]
on = "PreToolUse"
when = 'call.commands.exists(c, c.runs("git push"))'
deny = "not here"
[hook.asks]
on = "PreToolUse"
mcp = "db/check"
phase = "decide"
once = true
"#;

/// All that a source says, but for the lines at which it says it.
fn meaning(source: &Source) -> String {
    let mut read = source.dialect.dialect().read_config(source);
    for hook in &mut read.hooks {
        hook.place = None;
    }
    let servers: Vec<_> = read.servers.iter().map(|server| (&server.name, &server.reach)).collect();
    let rest = (&read.events, servers, read.unreadable, read.lost.map(|l| l.why));
    format!("{:?} {rest:?} {}", read.hooks, read.switches.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// T-3: for any change of any byte of a file that a hook runs, or that lies beside one, the
    /// state is not *approved*.
    #[test]
    fn any_other_byte_is_another_identity(file in 0_usize..2, at in 0_usize..200, flip in 1_u8..=255) {
        let fixture = Fixture::new();
        fixture.approve();
        prop_assert_eq!(fixture.states(), [State::Approved]);
        let path = fixture.project().join([".claude/hooks/gate.sh", ".claude/hooks/lib/words.sh"][file]);
        let mut bytes = fs::read(&path).expect("a file");
        let place = at % bytes.len();
        bytes[place] ^= flip;
        fs::write(&path, bytes).expect("a file");
        prop_assert!(fixture.states().iter().all(|state| *state == State::Changed));
    }

    /// T-3: so it is with any byte of the file that configures them, unless it is read as the same.
    #[test]
    fn any_other_byte_of_a_config_is_another_identity(native: bool, at in 0_usize..2000, flip in 1_u8..=255) {
        let fixture = Fixture::new();
        let (name, text) =
            if native { ("tenterhook.toml", NATIVE) } else { (".claude/settings.json", SETTINGS) };
        fixture.write(name, text);
        fixture.write("guard.sh", "#!/bin/sh\n");
        let trust = fixture.trust();
        trust.approve(&trust.review(&fixture.source(name))).expect("an approval");
        let approved = meaning(&fixture.source(name));
        prop_assert_eq!(trust.review(&fixture.source(name)).state, State::Approved);
        let mut bytes = text.as_bytes().to_vec();
        let place = at % bytes.len();
        bytes[place] ^= flip;
        let other = String::from_utf8_lossy(&bytes).into_owned();
        fs::write(fixture.project().join(name), &other).expect("a file");
        let review = trust.review(&fixture.source(name));
        prop_assert!(
            review.state != State::Approved || meaning(&fixture.source(name)) == approved,
            "{other}"
        );
    }
}

/// T-3: a mode, a link, a file that was not there, and the program that a name finds are inputs,
/// too.
#[cfg(unix)]
#[test]
fn what_is_no_byte_of_a_file_counts_as_well() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    type Change = fn(&Fixture);
    let changes: [(&str, Change); 5] = [
        ("its mode", |fixture| {
            let path = fixture.project().join(".claude/hooks/gate.sh");
            fs::set_permissions(path, fs::Permissions::from_mode(0o644)).expect("its mode");
        }),
        ("a neighbour", |fixture| fixture.write(".claude/hooks/sitecustomize.py", "")),
        ("a folder beside it", |fixture| {
            fixture.write(".claude/hooks/node_modules/x/index.js", "")
        }),
        ("a neighbour that is gone", |fixture| {
            fs::remove_file(fixture.project().join(".claude/hooks/lib/words.sh")).expect("removed");
        }),
        ("a link in its place", |fixture| {
            let path = fixture.project().join(".claude/hooks/lib/words.sh");
            fs::remove_file(&path).expect("removed");
            fixture.write("words.sh", "WORDS='elsewhere'\n");
            symlink(fixture.project().join("words.sh"), path).expect("a link");
        }),
    ];
    for (what, change) in changes {
        let fixture = Fixture::new();
        fixture.approve();
        change(&fixture);
        assert_eq!(fixture.states(), [State::Changed], "{what}");
    }
}
