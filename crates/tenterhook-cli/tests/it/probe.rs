//! `probe`: an agent that cannot be driven is said, and nothing is kept of it. Real ones are played by `cargo e2e agents`.

use crate::room::Room;

#[test]
fn an_agent_that_nobody_knows_how_to_drive_is_named_with_those_that_are_known() {
    let output = Room::new().run(&["probe", "nosuch"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(
        output.stderr.contains("`nosuch`") && output.stderr.contains("opencode"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_agent_that_is_not_installed_is_said_with_its_package() {
    let output = Room::new().run(&["probe", "goose"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stderr.contains("Goose is not on the PATH"), "{}", output.stderr);
}

#[test]
fn a_program_that_is_no_agent_never_asks_its_model_and_leaves_no_probe() {
    let room = Room::new();
    let absent = room.path("absent/agent").display().to_string();
    for program in ["/bin/echo", absent.as_str()] {
        let output = room.run(&["probe", "codex", "--program", program, "--format", "json"], "");
        assert_eq!(output.code, 1, "{program}: {}", output.stderr);
        assert!(output.stdout.is_empty(), "{program}: {}", output.stdout);
        assert!(
            output.stderr.contains("Codex CLI cannot be probed"),
            "{program}: {}",
            output.stderr
        );
    }
    assert!(!room.path("home/.local/state/tenterhook/probes").exists());
}
