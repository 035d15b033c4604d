//! The raw way: the same program started by `posix_spawn` with two pipes, its input written, its output read, waited for.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs `program` once, as barely as it can be done and still hand over an input and get an answer.
///
/// `std` takes `posix_spawn` for a command with an absolute path and no working directory.
pub(crate) fn raw(program: &Path, args: &[&str], input: &[u8]) -> Vec<u8> {
    let Some(mut child) = start(program, args) else { return Vec::new() };
    hand_over(&mut child, input);
    finish(child)
}

/// The same for `count` of them, by the one thread that calls: all are started before the first is read.
pub(crate) fn several(count: u32, program: &Path, args: &[&str], input: &[u8]) -> usize {
    let mut children: Vec<_> = (0..count).filter_map(|_| start(program, args)).collect();
    children.iter_mut().for_each(|child| hand_over(child, input));
    children.into_iter().map(|child| finish(child).len()).sum()
}

fn start(program: &Path, args: &[&str]) -> Option<Child> {
    Command::new(program)
        .args(args)
        // A hook inherits next to nothing here, and interpreters start differently with what the caller has in his.
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

fn hand_over(child: &mut Child, input: &[u8]) {
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read is as good a baseline.
        let _ = stdin.write_all(input);
    }
}

fn finish(mut child: Child) -> Vec<u8> {
    let mut answer = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        let _ = stdout.read_to_end(&mut answer);
    }
    let _ = child.wait();
    answer
}
