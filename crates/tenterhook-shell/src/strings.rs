//! Which texts stand in the code of another language? Its quotes are known, and nothing else of it.

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

/// Whether a program is an interpreter, also as `python3.12`.
pub fn interpreter(name: &str) -> Option<&'static [&'static str]> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|(known, _)| *known == plain).map(|(_, options)| *options)
}

/// Whether the first operand of a program is code of a language of its own.
pub fn is_scripted(name: &str) -> bool {
    SCRIPTED.contains(&name)
}

/// Whether code of another language looks as if it ran a shell line.
pub fn runs_lines(code: &str) -> bool {
    RUNS.iter().any(|word| code.contains(word))
}

/// The texts between quotes, as most languages write them, and where they begin.
pub fn texts(code: &str) -> Vec<(usize, &str)> {
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
pub fn listed(code: &str, all: &[(usize, &str)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut end = None;
    let mut count = 0;
    for (start, text) in all {
        let between = end.and_then(|end: usize| code.get(end + 1..start - 1)).unwrap_or(";");
        let joins = between.contains(',')
            && between.chars().all(|c| c.is_whitespace() || ",[(".contains(c));
        let word = super::quote(text);
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
