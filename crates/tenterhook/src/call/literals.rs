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
    ("osascript", &["-e"]),
    ("Rscript", &["-e"]),
    ("julia", &["-e", "-E"]),
    ("expect", &["-c"]),
    ("tsx", &["-e", "--eval"]),
];

/// Programs whose first operand is code that may run a shell line.
const SCRIPTED: &[&str] = &["awk", "gawk", "mawk", "nawk"];

/// Words of code that runs a shell line.
const RUNS: &[&str] = &[
    "system",
    "popen",
    "subprocess",
    "exec",
    "spawn",
    "child_process",
    "shell",
    "`",
    "run(",
    "open3",
];
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

/// Whether a program is an interpreter, also as `python3.12`.
pub(super) fn interpreter(name: &str) -> Option<&'static [&'static str]> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|(known, _)| *known == plain).map(|(_, options)| *options)
}

/// The code that an interpreter is handed on its command line or in a here-document.
pub(super) fn code<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    if SCRIPTED.contains(&view.name.as_str()) {
        return view.operands(&["-F", "-v", "-f"]).into_iter().take(1).collect();
    }
    let Some(options) = interpreter(&view.name) else { return Vec::new() };
    let mut found = view.values(options);
    found.extend(view.texts().skip(view.args.len()));
    found
}

pub(super) fn look(view: &View<'_>, paths: &Paths, found: &mut Found) {
    let here = Paths { cwd: view.cwd.clone(), ..paths.clone() };
    for code in code(view) {
        let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
        let (runs, removes, writes) = (says(RUNS), says(REMOVES), says(WRITES));
        let all = quoted(code);
        for text in all.iter().map(|(_, text)| *text) {
            let path = || paths.seen(text, &view.cwd);
            if removes {
                found.deletes.insert(path());
            }
            if writes || removes {
                found.writes.insert(path());
            }
            if !text.contains(' ') {
                found.reads.insert(path());
            } else if runs {
                super::inner(text, &here, found);
            }
        }
        if runs {
            listed(code, &all).iter().for_each(|line| super::inner(line, &here, found));
        }
    }
}

/// The texts between quotes, as most languages write them, and where they begin.
fn quoted(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code.get(from..).and_then(|rest| rest.find(['\'', '"', '`'])) {
        let start = from + at + 1;
        let quote = code.get(start - 1..start).unwrap_or_default();
        let inner = code.get(start..).unwrap_or_default();
        let Some(end) = inner.find(quote) else { break };
        found.extend(inner.get(..end).filter(|it| !it.is_empty()).map(|it| (start, it)));
        from = start + end + 1;
    }
    found
}

/// The lines that lists of texts stand for: `subprocess.run(["rm", "-rf", "/"])`, `spawn('rm', ['-rf', '/'])`.
fn listed(code: &str, all: &[(usize, &str)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut end = None;
    let mut count = 0;
    for (start, text) in all {
        let between = end.and_then(|end: usize| code.get(end + 1..start - 1)).unwrap_or(";");
        let joins = between.contains(',')
            && between.chars().all(|c| c.is_whitespace() || ",[(".contains(c));
        let word = super::quoted::quoted(text);
        match lines.last_mut() {
            Some(line) if joins => {
                line.push(' ');
                line.push_str(&word);
                count += 1;
            }
            _ => {
                if count == 0 {
                    lines.pop();
                }
                lines.push(word);
                count = 0;
            }
        }
        end = Some(start + text.len());
    }
    if count == 0 {
        lines.pop();
    }
    lines
}
