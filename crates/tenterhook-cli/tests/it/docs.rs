//! What README and guides show is what the program says: every command line of theirs is run, and every output compared.

use std::fs;
use std::path::{Path, PathBuf};

use tenterhook_testkit::page;

use crate::fixture::Fixture;

/// How many blocks may be left out for good. What needs another language is played by `cargo e2e docs`.
const MAX_LEFT: usize = 23;

#[test]
fn every_page_shows_what_is_said() {
    let (mut run, mut left, mut wrong) = (0, Vec::new(), Vec::new());
    for name in page::pages(&root()) {
        let place = page::playground(&root(), &name, programs(), &[]).unwrap();
        let played = page::play(&fs::read_to_string(root().join(&name)).unwrap(), &place);
        run += played.run;
        left.extend(played.left.into_iter().map(|(line, why)| format!("{name}:{line}: {why}")));
        wrong.extend(played.wrong.into_iter().map(|why| format!("{name}, {why}")));
    }
    // Blocks that other suites play are not left out; `cargo e2e docs` lists the ones that no suite plays.
    left.retain(|text: &String| !text.contains(": needs "));
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(run > 35, "{run}");
    assert!(left.len() <= MAX_LEFT, "{}", left.join("\n"));
}

#[test]
fn the_guide_has_every_command_and_exit_code() {
    let guide = fs::read_to_string(root().join("docs/guide/cli.md")).unwrap();
    let help = Fixture::new().run(&["--help"], "").stdout;
    let (_, codes) = help.split_once("Exit codes:").unwrap();
    assert!(guide.contains(codes.trim_end()), "{codes}");
    let (commands, _) = help.split_once("\nOptions:").unwrap();
    let lines: Vec<&str> = commands.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(lines.len() > 25, "{help}");
    for line in lines {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "help" || guide.contains(&format!("## `{name}`")), "{name}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where the program lies that the pages are about.
fn programs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tenterhook")).parent().unwrap()
}
