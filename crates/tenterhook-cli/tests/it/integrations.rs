//! The files in `integrations/` work, without the services that they are for.

use std::path::Path;

use crate::fixture::Fixture;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

#[test]
fn the_action_checks_and_tests() {
    let script = root().join("integrations/github-action/run.sh");
    let run = |fixture: &Fixture, env: &str| {
        let said = fixture.shell(&format!("{env} sh '{}'", script.display()));
        (said.code, said.stdout + &said.stderr)
    };
    let fixture = Fixture::new();
    fixture.write("project/.git/HEAD", "");
    let (code, said) = run(&fixture, "");
    assert_eq!(code, 0, "a repository without hooks is all right: {said}");
    let (code, said) = run(&fixture, "TEST=true");
    assert_eq!(code, 1, "unless cases are asked for: {said}");
    fixture.run(&["init"], "");
    let (code, said) = run(&fixture, "TEST=true");
    assert!(code == 0 && said.contains("4 cases passed"), "{said}");
    let file = std::fs::read_to_string(fixture.path("project/tenterhook.toml")).unwrap();
    fixture.write("project/tenterhook.toml", &file.replace("\"silent\"", "\"ask\""));
    let (code, said) = run(&fixture, "SARIF=out.sarif");
    assert!(code == 1 && said.contains("2 of 4 cases failed"), "{said}");
    let sarif = std::fs::read_to_string(fixture.path("project/out.sarif")).unwrap();
    assert!(sarif.contains("failed-case"), "{sarif}");
    assert_eq!(run(&fixture, "TEST=false").0, 0);
    fixture.write("project/my hooks.toml", "[hook.a]\non = 'Stop'\n");
    let (code, said) = run(&fixture, "TEST=false FILES='my hooks.toml'");
    assert!(code == 1 && said.contains("my hooks.toml"), "{said}");
}

/// The entries of the hooks for pre-commit are commands that there are.
#[test]
fn the_hooks_for_pre_commit_are_commands() {
    let text = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entries: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("entry: ")).collect();
    assert_eq!(entries, ["tenterhook check", "tenterhook test"]);
    let fixture = Fixture::new();
    for entry in entries {
        assert_eq!(fixture.shell(&format!("{entry} --help")).code, 0, "{entry}");
    }
}
