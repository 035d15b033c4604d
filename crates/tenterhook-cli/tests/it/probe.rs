//! `probe`: an agent that cannot be driven is reported, and nothing is stored about it. `cargo e2e agents` plays real ones.

use crate::fixture::Fixture;

#[test]
fn unknown_agent_is_refused_with_the_list_of_known_ones() {
    let output = Fixture::new().run(&["probe", "nosuch"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(
        output.stderr.contains("'nosuch'") && output.stderr.contains("opencode"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_agent_that_is_not_installed_is_said_with_its_package() {
    let output = Fixture::new().run(&["probe", "goose"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stderr.contains("Goose is not on the PATH"), "{}", output.stderr);
}

#[test]
fn a_program_that_is_no_agent_never_asks_its_model_and_leaves_no_probe() {
    let fixture = Fixture::new();
    let absent = fixture.path("absent/agent").display().to_string();
    for program in ["/bin/echo", absent.as_str()] {
        let output = fixture.run(&["probe", "codex", "--program", program, "--format", "json"], "");
        assert_eq!(output.code, 1, "{program}: {}", output.stderr);
        assert!(output.stdout.is_empty(), "{program}: {}", output.stdout);
        assert!(
            output.stderr.contains("Codex CLI cannot be probed"),
            "{program}: {}",
            output.stderr
        );
    }
    assert!(!fixture.path("home/.local/state/tenterhook/probes").exists());
}
