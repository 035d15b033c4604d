//! `cargo e2e clients`: do the example clients of `fire --stream` report every outcome, and do the example workers and the
//! programs of the guide judge?
//! Needs Python and Node; Go where it is there. They are no part of `cargo test`, which needs Rust alone.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::{Report, tree};

mod guide;
mod stream;
mod workers;

/// The example MCP server: the line that each event is answered with begins so.
const SERVED: &[(&str, &str)] =
    &[("/p/.env", r#""decision":"deny""#), ("/p/main.rs", r#""decision":null"#)];

/// The example hook that needs Python, and brings its own test.
const TRANSLATOR: &str = "examples/hooks/ignis-translator.py";

pub(crate) fn run() -> Report {
    let root = tree::root();
    tree::build("tenterhook-cli")?;
    let binary = root.join("target/debug/tenterhook");
    let (mut said, mut holds) = (String::new(), true);
    let judged = [
        stream::judge_all(&root, &binary)?,
        workers::judge_all(&root, &binary)?,
        guide::judge_all(&root, &binary)?,
    ]
    .concat();
    for (name, judged) in judged {
        holds &= judged.is_ok();
        let _ = writeln!(said, "{name}: {}", judged.map_or_else(|error| error, str::to_owned));
    }
    let translator = translator(&root)?;
    holds &= translator;
    let found = if translator { "tests itself" } else { "fails its own test" };
    let _ = writeln!(said, "{TRANSLATOR}: {found}");
    let served = served(&root, &binary)?;
    holds &= served;
    let found = if served { "answers every call" } else { "does not answer as it should" };
    let _ = writeln!(said, "examples/mcp/policy.py: {found}");
    Ok((said, holds))
}

/// Whether the example MCP server is asked and answers, through the command line.
fn served(root: &Path, binary: &Path) -> Result<bool, String> {
    let event = |path: &str| {
        format!(
            r#"{{"event":"PreToolUse","tool":{{"name":"Read","input":{{"file_path":"{path}"}}}}}}"#
        )
    };
    let mut holds = true;
    for (path, expected) in SERVED {
        let input = root.join("target").join("mcp-event.json");
        std::fs::write(&input, event(path)).map_err(|error| error.to_string())?;
        let output = Command::new(binary)
            .args([
                "fire",
                "--format",
                "json",
                "--dialect",
                "native",
                "--config",
                "tenterhook.toml",
            ])
            .arg(&input)
            .current_dir(root.join("examples/mcp"))
            .output()
            .map_err(|error| format!("tenterhook cannot be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).replace(' ', "");
        holds &= text.contains(expected) && text.contains(r#""faults":[]"#);
    }
    Ok(holds)
}

/// Whether the translator holds its own test.
fn translator(root: &Path) -> Result<bool, String> {
    let output = Command::new("python3").args([TRANSLATOR, "--test"]).current_dir(root).output();
    let output = output.map_err(|error| format!("python3 cannot be run: {error}"))?;
    Ok(output.status.success())
}
