//! A worker that denies force pushes: one line of JSON per event in, one line out. Logs go to standard error.
//!
//! `rustc -O no_force_push.rs`. Without a JSON crate it looks for words in the line itself, which may also deny a command
//! that only speaks of a force push; with `serde_json` it would read `event.tool.input.command`.

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let line = line?;
        // The line begins with `{"id":N,`; a worker that cannot find N has nothing to reply to.
        let Some(id) = line.strip_prefix(r#"{"id":"#).and_then(|rest| rest.split(',').next()) else {
            eprintln!("not a request: {line}");
            continue;
        };
        match is_force_push(&line) {
            true => writeln!(output, r#"{{"id":{id},"answer":{DENIAL}}}"#)?,
            false => writeln!(output, r#"{{"id":{id}}}"#)?,
        }
        // Flushed at once: a reply in a buffer is a reply that never came.
        output.flush()?;
    }
    Ok(())
}

const DENIAL: &str =
    r#"{"decision":"deny","reason":"push without --force, or ask a person to do it"}"#;

fn is_force_push(line: &str) -> bool {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    words.contains(&"push") && words.iter().any(|word| matches!(*word, "-f" | "--force"))
}
