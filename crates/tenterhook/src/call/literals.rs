//! What do the texts in the code of another language say? `python -c "shutil.rmtree('/')"` is not read as Python: its
//! quoted texts are looked at, beside words that tell what is done with them.

use super::Found;
use super::path::Paths;
use super::view::View;

/// Interpreters, and the options after which code stands.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("bun", &["-e"]),
    ("perl", &["-e", "-E", "-ne", "-pe"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
];

/// Words of code that runs a shell line.
const RUNS: &[&str] =
    &["system", "popen", "subprocess", "exec", "spawn", "child_process", "shell", "`"];
/// Words of code that removes a directory with everything in it.
const REMOVES: &[&str] = &[
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "remove_dir_all",
    "fs.rm(",
    "remove_tree",
    "rimraf",
];
/// Words of code that writes.
const WRITES: &[&str] = &[
    "write", "append", "copy", "move", "rename", "symlink", "unlink", "remove", "dump", "'w",
    "\"w", "'a", "\"a", "file_put", ">>",
];

/// Most shell lines that are read in one piece of code.
const MOST_LINES: usize = 16;

/// Whether a program is an interpreter, also as `python3.12`.
pub(super) fn interpreter(name: &str) -> Option<&'static [&'static str]> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|(known, _)| *known == plain).map(|(_, options)| *options)
}

/// The code that an interpreter is handed on its command line or in a here-document.
pub(super) fn code<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let Some(options) = interpreter(&view.name) else { return Vec::new() };
    let mut found = view.values(options);
    found.extend(view.texts().skip(view.args.len()));
    found
}

pub(super) fn look(view: &View<'_>, paths: &Paths, found: &mut Found) {
    for code in code(view) {
        let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
        let (runs, removes, writes) = (says(RUNS), says(REMOVES), says(WRITES));
        for (at, text) in quoted(code).into_iter().enumerate() {
            let path = || paths.seen(text, &view.cwd);
            if removes {
                found.deletes.insert(path());
            }
            if writes || removes {
                found.writes.insert(path());
            }
            if !text.contains(' ') {
                found.reads.insert(path());
            } else if runs && at < MOST_LINES {
                super::shell(&crate::shell::read(text), text, paths, found);
            }
        }
    }
}

/// The texts between quotes, as most languages write them.
fn quoted(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let quote = rest.get(at..=at).unwrap_or_default();
        let inner = rest.get(at + 1..).unwrap_or_default();
        let Some(end) = inner.find(quote) else { break };
        found.extend(inner.get(..end).filter(|it| !it.is_empty()));
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    found
}
