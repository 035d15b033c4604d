//! The files that the program hands to its hooks: out of reach of other hooks, whatever these may write (X-6).

use tenterhook_process::{Tier, available_sandbox_means};

use crate::fixture::Fixture;

/// Tries what is asked of it, and denies where all of it is so.
const TRIES: &str = r#"
case $TMPDIR in "$HOME"/.local/state/tenterhook/scratch/*) ;; *) exit 0 ;; esac
echo x >"$TMPDIR/own" || exit 0
echo x >"$HOME/made/beside" || exit 0
mkdir "$TMPDIR/../../other" 2>/dev/null && exit 0
mv "$TMPDIR" "$TMPDIR.gone" 2>/dev/null && exit 0
echo "all is as it should be" >&2
exit 2
"#;

#[test]
fn no_grant_reaches_the_directory_of_another_hook() {
    if available_sandbox_means().highest_tier() < Tier::T1 {
        return;
    }
    let fixture = Fixture::new();
    fixture.write("project/tries.sh", TRIES);
    fixture.write("home/made/file", "");
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.tries]\non = 'PreToolUse'\nrun = ['/bin/sh', 'tries.sh']\nsandbox = { write = ['~', '/tmp'] }\npass = ['HOME']\n",
    );
    let output = fixture.run(&["fire", "Bash", "ls"], "");
    assert!(output.stdout.contains("all is as it should be"), "{}", output.all());
    let scratch = std::fs::read_dir(fixture.path("home/.local/state/tenterhook/scratch")).unwrap();
    assert_eq!(scratch.count(), 0, "what is left of a run");
}

/// X-6: if there is no better directory, a warning says so, and the hook runs.
#[test]
fn missing_state_directory_is_reported() {
    let fixture = Fixture::new();
    fixture.write("home/.local/state/tenterhook/scratch", "a file");
    fixture.write(
        "home/.config/tenterhook/tenterhook.toml",
        "[hook.no]\non = 'PreToolUse'\nshell = 'echo no >&2; exit 2'\n",
    );
    let output = fixture.run(&["fire", "Bash", "ls"], "");
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("the files of hooks lie in"), "{}", output.all());
}

/// X-6: a call for which no hook may write makes no directory: to remove it would cost the agent milliseconds.
#[test]
fn directory_of_hooks_is_made_only_where_one_may_write() {
    let fixture = Fixture::new();
    fixture.write("home/.local/state/tenterhook/scratch", "a file");
    let call = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    for (hook, is_made) in [
        ("when = 'false'\ndeny = 'no'", false),
        ("when = 'true'\ncontext = 'a note'", true),
        ("shell = 'true'", true),
    ] {
        let config = format!("[hook.h]\non = 'PreToolUse'\n{hook}\n");
        fixture.write("home/.config/tenterhook/tenterhook.toml", &config);
        let output = fixture.run(&["hook", "--agent", "claude", "--event", "PreToolUse"], call);
        let is_reported = output.stderr.contains("the files of hooks lie in");
        assert_eq!(is_reported, is_made, "{hook}: {}", output.all());
    }
}
