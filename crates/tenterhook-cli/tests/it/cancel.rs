//! A signal ends the run, its hooks, and what they left behind.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::fixture::Fixture;

#[test]
fn a_signal_ends_the_hooks_and_is_no_consent() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let fixture = Fixture::new();
        let mark = format!("7{}", std::process::id());
        fixture.write(
            "hooks.toml",
            &format!(
                "[hook.slow]\non = 'PreToolUse'\ntimeout = '60s'\nshell = '''\n(setsid sleep {mark} &)\necho up > up\nsleep {mark}\n'''\n"
            ),
        );
        fixture.write(
            "event.json",
            r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#,
        );
        // The signal is sent when the hook has said that it runs.
        let script = format!(
            "'{}' fire --config hooks.toml event.json & until test -e up; do sleep 0.02; done; kill -{signal} $!; wait $!",
            env!("CARGO_BIN_EXE_tenterhook")
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(fixture.path(""))
            .env("HOME", fixture.path("home"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let left = Command::new("pgrep").args(["-f", &format!("sleep {mark}")]).output();
        if let Ok(left) = left {
            assert!(left.stdout.is_empty(), "{signal}: {left:?}");
        }
    }
}
