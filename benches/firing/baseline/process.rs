//! The raw way: the same program started by `posix_spawn` with two pipes, its input written, its output read, waited for.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Runs `program` once, as barely as it can be done and still hand over an input and get an answer.
///
/// `std` takes `posix_spawn` for a command with an absolute path and no directory of its own.
pub(crate) fn raw(program: &std::path::Path, args: &[&str], input: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    let child = Command::new(program)
        .args(args)
        // A hook inherits next to nothing here, and interpreters start differently with what the caller has in his.
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return answer };
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read is as good a baseline.
        let _ = stdin.write_all(input);
    }
    if let Some(mut stdout) = child.stdout.take() {
        let _ = stdout.read_to_end(&mut answer);
    }
    let _ = child.wait();
    answer
}
