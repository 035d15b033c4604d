//! What stands in `integrations/` does what it says, without the services that it is for.

use std::path::Path;

use crate::room::Room;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

#[test]
fn the_action_checks_and_tests() {
    let script = root().join("integrations/github-action/run.sh");
    let run = |room: &Room, env: &str| {
        let said = room.shell(&format!("{env} sh '{}'", script.display()));
        (said.code, said.stdout + &said.stderr)
    };
    let room = Room::new();
    room.write("project/.git/HEAD", "");
    let (code, said) = run(&room, "");
    assert_eq!(code, 0, "a repository without hooks is all right: {said}");
    let (code, said) = run(&room, "TEST=true");
    assert_eq!(code, 1, "unless cases are asked for: {said}");
    room.run(&["init"], "");
    let (code, said) = run(&room, "TEST=true");
    assert!(code == 0 && said.contains("3 cases passed"), "{said}");
    let file = std::fs::read_to_string(room.path("project/tenterhook.toml")).unwrap();
    room.write("project/tenterhook.toml", &file.replace("\"silent\"", "\"ask\""));
    let (code, said) = run(&room, "SARIF=out.sarif");
    assert!(code == 1 && said.contains("2 of 3 cases failed"), "{said}");
    let sarif = std::fs::read_to_string(room.path("project/out.sarif")).unwrap();
    assert!(sarif.contains("failed-case"), "{sarif}");
    assert_eq!(run(&room, "TEST=false").0, 0);
    room.write("project/my hooks.toml", "[hook.a]\non = 'Stop'\n");
    let (code, said) = run(&room, "TEST=false FILES='my hooks.toml'");
    assert!(code == 1 && said.contains("my hooks.toml"), "{said}");
}

/// The entries of the hooks for pre-commit are commands that there are.
#[test]
fn the_hooks_for_pre_commit_are_commands() {
    let text = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entries: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries, ["tenterhook check", "tenterhook test"]);
    let room = Room::new();
    for entry in entries {
        assert_eq!(room.shell(&format!("{entry} --help")).code, 0, "{entry}");
    }
}
