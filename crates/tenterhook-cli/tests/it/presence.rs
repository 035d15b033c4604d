//! Reports about an agent that is on the machine only in part, or in more than one version.
#![cfg(unix)]

use serde_json::Value;

use crate::fixture::{CliOutput, Fixture, fits_schema};

/// Puts a program of an agent with a version into a folder of the home.
fn put_program(fixture: &Fixture, folder: &str, program: &str, version: &str) {
    fixture.write(
        &format!("home/{folder}/package.json"),
        &format!("{{\"name\": \"x\", \"version\": \"{version}\"}}"),
    );
    fixture.write("agent", &format!("#!/bin/sh\necho {version}\n"));
    std::fs::create_dir_all(fixture.path(&format!("home/{folder}/bin"))).unwrap();
    let place = fixture.path(&format!("home/{folder}/bin/{program}"));
    crate::fixture::install(&fixture.path("agent"), &place);
}

/// Runs a line with the programs of these folders first on `PATH`.
fn run(fixture: &Fixture, folders: &[&str], line: &str) -> CliOutput {
    let path = |folder: &&str| fixture.path(&format!("home/{folder}/bin")).display().to_string();
    let folders: Vec<String> = folders.iter().map(path).collect();
    fixture.shell(&format!("PATH={}:$PATH tenterhook {line}", folders.join(":")))
}

fn joined_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// BR-180.
#[test]
fn agent_of_which_a_part_is_missing_is_reported() {
    // Neither is there.
    let fixture = Fixture::new();
    let text = joined_lines(&fixture.run(&["install", "codex"], "").stderr);
    assert!(text.contains("note: Codex CLI is not here: no `codex` on `PATH`"), "{text}");
    // Its directory alone.
    let fixture = Fixture::new();
    fixture.write("home/.codex/config.toml", "");
    let expected = "`codex` is not on `PATH`; only `~/.codex` is here";
    let text = joined_lines(&fixture.run(&["install", "codex"], "").stderr);
    assert!(text.contains(expected), "{text}");
    for line in [&["status"][..], &["doctor", "--no-fire"]] {
        let text = joined_lines(&fixture.run(line, "").stdout);
        assert!(text.contains(expected), "{text}");
    }
    // Its program alone.
    let fixture = Fixture::new();
    put_program(&fixture, "lib", "codex", "0.169.0");
    let expected = "`codex` is on `PATH`, and was not started yet: no `~/.codex`";
    for (line, code) in [("status", 1), ("doctor --no-fire", 1), ("install codex", 0)] {
        let output = run(&fixture, &["lib"], line);
        let text = joined_lines(&output.all());
        assert!(output.code == code && text.contains(expected), "{line}: {text}");
    }
    // All of it.
    for line in ["status", "doctor --no-fire", "install codex"] {
        let text = joined_lines(&run(&fixture, &["lib"], line).all());
        assert!(!text.contains("on `PATH`"), "{line}: {text}");
    }
}

/// BR-181.
#[test]
fn several_versions_of_an_agent_are_reported() {
    let fixture = Fixture::new();
    fixture.write("home/.claude/settings.json", "{}");
    put_program(&fixture, "new", "claude", "2.1.332");
    put_program(&fixture, "old", "claude", "2.1.197");
    let expected =
        "`PATH` starts 2.1.332 (`~/new/bin/claude`); also there: 2.1.197 (`~/old/bin/claude`)";
    let both = ["new", "old"];
    let install = run(&fixture, &both, "install claude");
    assert!(joined_lines(&install.stderr).contains(expected), "{}", install.all());
    let status = joined_lines(&run(&fixture, &both, "status").stdout);
    assert!(status.contains(expected), "{status}");
    assert!(status.contains("skills and commands call no hook (version 2.1.197"), "{status}");
    let output = run(&fixture, &both, "status --format json");
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("status", &value);
    let programs = &value["agents"][0]["installed"]["programs"];
    assert_eq!(programs[1]["version"], "2.1.197", "{programs}");
    let output = run(&fixture, &both, "doctor --no-fire --format json");
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("doctor", &value);
    let kinds = value["findings"].as_array().unwrap().iter().map(|finding| &finding["kind"]);
    assert!(kinds.into_iter().any(|kind| kind == "several-versions"), "{value:#}");
    // The same program under two names, and the same version twice, are one.
    std::os::unix::fs::symlink(fixture.path("home/new"), fixture.path("home/same")).unwrap();
    put_program(&fixture, "again", "claude", "2.1.332");
    for folders in [&["new", "same"][..], &["new", "again"]] {
        let text = joined_lines(&run(&fixture, folders, "status").stdout);
        assert!(!text.contains("also there"), "{text}");
    }
}
