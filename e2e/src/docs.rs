//! `cargo e2e docs`: do the pages with examples in Python and Node show the real output? The other pages are a test of the
//! command line, which needs Rust alone.

use std::fmt::Write as _;

use tenterhook_testkit::page;

use crate::{Report, tree};

/// The languages that are asked for; a machine without them is at fault.
const NEEDED: &[&str] = &["python3", "node"];

pub(crate) fn run() -> Report {
    let root = tree::root();
    tree::build("tenterhook-cli")?;
    tree::build("tenterhook-agent")?;
    let programs = root.join("target/debug");
    let (mut said, mut run, mut holds) = (String::new(), 0, true);
    for name in page::pages(&root) {
        let text = std::fs::read_to_string(root.join(&name))
            .map_err(|error| format!("{name}: {error}"))?;
        let place = page::playground(&root, &name, &programs, NEEDED)
            .map_err(|error| format!("{name}: {error}"))?;
        let played = page::play(&text, &place);
        run += played.run;
        holds &= played.wrong.is_empty();
        for why in played.wrong {
            let _ = writeln!(said, "{name}, {why}");
        }
        for (line, why) in played.left {
            let _ = writeln!(said, "{name}:{line} is not run: {why}");
        }
    }
    let _ = writeln!(said, "{run} blocks of the pages were run");
    Ok((said, holds))
}
