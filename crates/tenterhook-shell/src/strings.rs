//! Finds texts in the code of other languages. Knows their quotes, and nothing else of their
//! syntax.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Interpreters, and the options that take code: `NAME, NAME: OPTION OPTION`.
const INTERPRETERS: &str = include_str!("interpreters.txt");

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
    "syscmd",
    "cmd(",
    "Command",
    "ProcessBuilder",
    "Process",
    "getline",
    "passthru",
    "qx",
    "proc_open",
    "callCommand",
    "os:cmd",
    "(sh ",
    "sh \"",
    "sh '",
    "| \"",
    "|\"",
    "\".!",
    "fork",
    "sub.call",
    "%x",
    "run-program",
    "run_program",
    "Sys.command",
];

/// Commands of a language that takes the words of a program without quotes (Tcl).
const BARE: &[&str] = &["spawn ", "exec ", "system "];

/// Names of arguments that may come between the program and its words: `Command("git", {args:
/// ["push"]})`.
const KEYS: &[&str] = &["args", "argv", "arguments", "command", "cmd", "null", "nil", "None", "c("];

type Rows = HashMap<&'static str, Vec<&'static str>>;

/// Returns the code options of an interpreter, also for names such as `python3.12`, or `None` for
/// other programs.
pub fn interpreter_code_options(name: &str) -> Option<&'static [&'static str]> {
    static ROWS: LazyLock<Rows> = LazyLock::new(|| {
        let rows = INTERPRETERS.lines().filter(|row| !row.starts_with('#'));
        let mut found = Rows::new();
        for (names, options) in rows.filter_map(|row| row.split_once(':')) {
            let options: Vec<&str> = options.split_whitespace().collect();
            found.extend(names.split(", ").map(|name| (name, options.clone())));
        }
        found
    });
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    ROWS.get(name).or_else(|| ROWS.get(plain)).map(Vec::as_slice)
}

/// Returns whether the first operand of a program is code of a special language.
pub fn takes_code_operand(name: &str) -> bool {
    SCRIPTED.contains(&name)
}

/// Returns whether code of a different language appears to run a shell line.
pub fn may_run_shell_line(code: &str) -> bool {
    RUNS.iter().any(|word| code.contains(word))
}

/// Returns the texts between quotes, as in most languages, with their positions.
pub fn quoted_texts(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code.get(from..).and_then(|rest| rest.find(['\'', '"', '`'])) {
        let start = from + at + 1;
        let quote = code.get(start - 1..start).unwrap_or_default();
        let inner = code.get(start..).unwrap_or_default();
        // The quotes of m4 differ from each other.
        let end = inner.find(quote).or_else(|| inner.find('\'').filter(|_| quote == "`"));
        let Some(end) = end else { break };
        found.extend(inner.get(..end).filter(|text| !text.is_empty()).map(|text| (start, text)));
        from = start + end + 1;
    }
    found.extend(operator_quoted_texts(code));
    found.extend(unquoted_tcl_commands(code));
    found
}

/// Returns the texts in the quoting operators of Ruby and Perl: `%q(git push)`, `qw{git push}`.
fn operator_quoted_texts(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(['%', 'q']).take(MOST_OPERATORS) {
        let before = code.get(..at).unwrap_or_default();
        let is_word = before.ends_with(|c: char| c.is_alphanumeric() || "_$@%.".contains(c));
        let rest = code.get(at + 1..).unwrap_or_default();
        let letters = rest.chars().take_while(|c| "qQwWxir".contains(*c)).count();
        let open = rest.get(letters..).and_then(|rest| rest.chars().next());
        let close = match open {
            Some('(') => ')',
            Some('[') => ']',
            Some('{') => '}',
            Some('<') => '>',
            Some(mark @ ('|' | '!' | '/' | '~')) => mark,
            _ => continue,
        };
        if letters > 1 || is_word {
            continue;
        }
        let start = at + 1 + letters + 1;
        let inner = code.get(start..).unwrap_or_default();
        let text = inner.split(close).next().filter(|text| text.len() < inner.len());
        found.extend(text.filter(|text| !text.trim().is_empty()).map(|text| (start, text)));
    }
    found
}

/// Most possible starts of quoting operators that are examined.
const MOST_OPERATORS: usize = 256;

/// Returns the unquoted commands in Tcl code: `exec git push`.
fn unquoted_tcl_commands(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for lead in BARE {
        for (at, _) in code.match_indices(lead).take(MOST_OPERATORS) {
            let start = at + lead.len();
            let rest = code.get(start..).unwrap_or_default();
            let end = rest.find(['\n', ';', ']', '}', '"', '\'']).unwrap_or(rest.len());
            let text = rest.get(..end).filter(|text| text.starts_with(char::is_alphabetic));
            found.extend(text.map(|text| (start, text.trim_end())));
        }
    }
    found
}

/// Returns the lines in lists of texts: `subprocess.run(["rm", "-rf", "/"])`, `spawn('rm', ['-rf',
/// '/'])`.
pub fn commands_from_lists(code: &str, all: &[(usize, &str)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut end = None;
    let mut count = 0;
    for (start, text) in all {
        let between = end.and_then(|end: usize| code.get(end + 1..start - 1)).unwrap_or(";");
        let joins = is_word_separator(between);
        let word = super::quote_word(text);
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
    // `execvp("git", ["git", "push"])` names the program twice.
    for line in &mut lines {
        if let Some((name, rest)) = line.split_once(' ')
            && rest.split(' ').next() == Some(name)
        {
            *line = rest.to_owned();
        }
    }
    lines
}

/// Returns whether this text may separate two words of one command.
fn is_word_separator(text: &str) -> bool {
    if text.len() > LONGEST_BETWEEN {
        return false;
    }
    let plain = KEYS.iter().fold(text.to_owned(), |text, key| text.replace(key, ""));
    let parts = plain.contains(',') || (!plain.is_empty() && plain.trim().is_empty());
    parts && plain.chars().all(|c| c.is_whitespace() || ",[({:=".contains(c))
}

/// Longest text between two words of one command.
const LONGEST_BETWEEN: usize = 64;
