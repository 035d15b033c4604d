//! What does a scripted program do? Draws it as a POSIX shell script that marks its runs and keeps what it was handed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde::Deserialize;

use super::quote::quote;
use super::tools::{self, Tool};

/// A program that says what the case says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    /// In a `when`: the text that the input must contain.
    pub contains: String,
    /// On standard output, as it stands.
    pub stdout: String,
    /// On standard error, as it stands.
    pub stderr: String,
    /// Its exit code: 0 where it says none. A worker that says none goes on.
    pub exit: Option<u8>,
    /// How long it takes before it speaks.
    pub sleep_ms: u64,
    /// Whether it is a worker, which says this to every line that it reads, with `{id}` for the number of the line's event.
    pub lines: bool,
    /// What it says instead where its input contains a text; the first that applies.
    pub when: Vec<Script>,
    /// The tools that it offers: with any, it is an MCP server over its standard streams, and nothing else counts.
    pub tools: BTreeMap<String, Tool>,
}

impl Script {
    /// Writes the program `name` into `directory`.
    pub(super) fn write(&self, name: &str, directory: &Path) -> io::Result<()> {
        if !self.tools.is_empty() {
            return tools::write(&self.tools, name, directory);
        }
        let base = directory.join(name);
        let base = quote(&base.to_string_lossy());
        let mut text = "#!/bin/sh\n".to_owned();
        // It may run several times at once: what it looks at is its own input, and what is kept is the last one.
        let (input, read) = if self.lines {
            text.push_str("while IFS= read -r line; do\n");
            let id = "id=${line#*'\"id\":'}; id=${id%%,*}";
            let read = format!("printf '%s\\n' \"$line\" >{base}.stdin\n{id}");
            (format!("{base}.stdin"), read)
        } else {
            let read = format!(
                "cat >{base}.$$ && cp {base}.$$ {base}.$$.kept && mv {base}.$$.kept {base}.stdin"
            );
            (format!("{base}.$$"), read)
        };
        // It has run when it was handed something: one that is started early, and never needed, leaves no mark.
        let _ = writeln!(text, "{read}\necho ran >>{base}.ran");
        for (at, when) in self.when.iter().enumerate() {
            let pattern = quote(&when.contains);
            let part = self.draw(when, &format!("{name}.{at}"), directory)?;
            let _ = writeln!(text, "if grep -qF -e {pattern} {input}; then\n{part}fi");
        }
        text.push_str(&self.draw(self, name, directory)?);
        text.push_str(if self.lines { "done\n" } else { "" });
        std::fs::write(directory.join(name), text)
    }

    /// What it does where it `says` this.
    fn draw(&self, says: &Script, name: &str, directory: &Path) -> io::Result<String> {
        let cat = if self.lines { "sed \"s/{id}/$id/g\"" } else { "cat" };
        let mut text = draw(says, cat, name, directory)?;
        let _ = match says.exit {
            None if self.lines => writeln!(text, "continue"),
            code => writeln!(text, "exit {}", code.unwrap_or(0)),
        };
        Ok(text)
    }
}

/// Texts lie in separate files, because no quoting of a shell carries every byte alike on every system.
fn draw(says: &Script, cat: &str, name: &str, directory: &Path) -> io::Result<String> {
    let mut text = String::new();
    if says.sleep_ms > 0 {
        let _ = writeln!(text, "sleep {}.{:03}", says.sleep_ms / 1000, says.sleep_ms % 1000);
    }
    for (said, stream, redirect) in [(&says.stdout, "stdout", ""), (&says.stderr, "stderr", " >&2")]
    {
        if said.is_empty() {
            continue;
        }
        let file = directory.join(format!("{name}.{stream}"));
        std::fs::write(&file, said)?;
        let _ = writeln!(text, "{cat} {}{redirect}", quote(&file.to_string_lossy()));
    }
    Ok(text)
}
