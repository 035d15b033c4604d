//! `probe`: an agent that cannot be driven is said, and nothing is kept of it. Real ones are played by `cargo e2e agents`.

use crate::room::Room;

#[test]
fn an_agent_that_nobody_knows_how_to_drive_is_named_with_those_that_are_known() {
    let said = Room::new().run(&["probe", "nosuch"], "");
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(
        said.stderr.contains("`nosuch`") && said.stderr.contains("opencode"),
        "{}",
        said.stderr
    );
}

#[test]
fn an_agent_that_is_not_installed_is_said_with_its_package() {
    let said = Room::new().run(&["probe", "goose"], "");
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(said.stderr.contains("Goose is not on the PATH"), "{}", said.stderr);
}

#[test]
fn a_program_that_is_no_agent_never_asks_its_model_and_leaves_no_probe() {
    let room = Room::new();
    let absent = room.path("absent/agent").display().to_string();
    for program in ["/bin/echo", absent.as_str()] {
        let said = room.run(&["probe", "codex", "--program", program, "--format", "json"], "");
        assert_eq!(said.code, 1, "{program}: {}", said.stderr);
        assert!(said.stdout.is_empty(), "{program}: {}", said.stdout);
        assert!(said.stderr.contains("Codex CLI cannot be probed"), "{program}: {}", said.stderr);
    }
    assert!(!room.path("home/.local/state/tenterhook/probes").exists());
}
