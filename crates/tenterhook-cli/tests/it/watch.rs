//! `--watch`: a change starts another round, and a signal ends it (TE-41).

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::fixture::Fixture;

/// TE-41.
#[test]
#[expect(clippy::disallowed_methods, reason = "the program is spoken with while it runs")]
fn a_change_starts_another_round() {
    for (args, first, second) in [
        (&["check", "--watch", "a.toml"][..], "no findings in 1 file", "1 error in 1 file"),
        (&["test", "--watch", "a.toml"], "1 case passed", "1 of 1 case failed"),
    ] {
        let fixture = Fixture::new();
        let good =
            "[hook.a]\non = 'Stop'\nshell = 'true'\ntest = { event = 'Stop', expect = 'silent' }\n";
        fixture.write("project/a.toml", good);
        let mut program = Command::new(env!("CARGO_BIN_EXE_tenterhook"))
            .args(args)
            .current_dir(fixture.path("project"))
            .env("HOME", fixture.path("home"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let mut until = |text: &str| lines.by_ref().any(|line| line.unwrap().contains(text));
        assert!(until(first), "{args:?}");
        let bad = good.replace("'silent'", "'ask'");
        let bad = if args[0] == "check" { bad.replace("shell", "shel") } else { bad };
        fixture.write("project/a.toml", &bad);
        assert!(until(second), "{args:?}");
        let kill = format!("kill -INT {}", program.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert_eq!(program.wait().unwrap().code(), Some(130), "{args:?}");
    }
}
