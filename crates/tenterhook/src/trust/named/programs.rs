//! Which words of a program are files? Tables: programs that run what they do not name, those whose words are no files, and
//! those that load files under names that they make up. Pure.

use tenterhook_shell::Word;
use tenterhook_shell::program::{Argument, has_subcommands};

/// Programs that run files which their arguments do not name, or code that they fetch.
pub(super) const RUNNERS: &[&str] = &[
    "bundle",
    "bunx",
    "cargo",
    "composer",
    "docker",
    "eslint",
    "go",
    "gradle",
    "grunt",
    "gulp",
    "invoke",
    "jest",
    "just",
    "lefthook",
    "lint-staged",
    "make",
    "mise",
    "mocha",
    "mvn",
    "nox",
    "npm",
    "npx",
    "nx",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "pre-commit",
    "pytest",
    "rake",
    "ssh",
    "task",
    "tox",
    "turbo",
    "uvx",
    "vitest",
    "yarn",
];

/// The same of programs that do so behind one word alone.
const RUNNING_VERBS: &[(&str, &[&str])] = &[
    ("bun", &["run", "test", "x"]),
    ("deno", &["task", "test"]),
    ("git", &["hook"]),
    ("node", &["--run", "--test"]),
    ("uv", &["tool"]),
];

/// Returns whether a program runs code that it finds itself; `words` begin with its name.
pub(in crate::trust) fn runs_unnamed_code(program: &str, words: &[Word]) -> bool {
    let verb = subcommand_index(program, words).and_then(|at| words.get(at + 1));
    let first = words.get(1);
    let is_verb = |word: &Word| {
        RUNNING_VERBS
            .iter()
            .any(|(name, verbs)| *name == program && verbs.contains(&word.text.as_str()))
    };
    RUNNERS.contains(&program)
        || first.into_iter().chain(verb).any(is_verb)
        || program == "git" && words.iter().skip(1).any(|word| is_git_command_setting(&word.text))
}

/// Returns whether `-c KEY=VALUE` sets something that git runs, or where git looks for it.
fn is_git_command_setting(word: &str) -> bool {
    let Some((key, value)) = word.split_once('=') else { return false };
    let key = key.trim_start_matches("-c").to_lowercase();
    value.starts_with('!')
        || key.contains('.') && RUNNING_KEYS.iter().any(|part| key.contains(part))
}

/// Returns whether code in an argument makes a program read a file or run a program.
fn code_loads_files(program: &str, code: &str) -> bool {
    let marks =
        CODE_MARKS.iter().find(|(names, _)| names.contains(&program)).map(|(_, marks)| *marks);
    let reads = |token: &str| token.ends_with(['r', 'R', 'e']) && !token.starts_with(['s', 'y']);
    marks.is_some_and(|marks| marks.iter().any(|mark| code.contains(mark)))
        || matches!(program, "sed" | "gsed")
            && code
                .split([' ', ';', '\n', '{'])
                .zip(code.split_whitespace().skip(1))
                .any(|(token, _)| reads(token))
}

/// Returns the index, among the words behind a program's name, of the one that says what the
/// program does.
fn subcommand_index(program: &str, words: &[Word]) -> Option<usize> {
    let mut arguments = tenterhook_shell::program::split_arguments(program, words);
    let operand = arguments.find(|(_, argument)| matches!(argument, Argument::Operand(_)));
    operand.and_then(|(at, _)| at.checked_sub(1))
}

/// Words of shells that run a file.
pub(super) const SOURCES: &[&str] = &[".", "source", "exec"];

/// Words of shells after which relative paths mean others.
pub(super) const ENTER: &[&str] = &["cd", "chdir", "pushd"];

/// Options that do the same for one program.
pub(super) const ENTER_OPTIONS: &[&str] =
    &["-C", "--chdir", "--cwd", "--directory", "--prefix", "--wd"];

/// Programs that run each file of a directory.
pub(super) const RUN_DIRECTORIES: &[&str] = &["run-parts"];

/// Programs whose words are text, and no files.
const TEXT: &[&str] = &[
    ":",
    "break",
    "continue",
    "echo",
    "exit",
    "false",
    "kill",
    "logger",
    "notify-send",
    "printf",
    "return",
    "say",
    "shift",
    "sleep",
    "true",
    "ulimit",
    "umask",
    "unset",
    "wait",
];

/// Programs that write the files which they name, and read nothing of them.
const WRITERS: &[&str] =
    &["mkdir", "mktemp", "rm", "rmdir", "tee", "touch", "truncate", "unlink", "mkfifo"];

/// Programs that write their last word from the others.
const COPIERS: &[&str] = &["cp", "install", "ln", "mv", "rsync"];

/// Programs whose first word is a pattern or a program, unless an option names it.
const PATTERNS: &[&str] = &[
    "ack", "ag", "awk", "egrep", "fgrep", "gawk", "grep", "gsed", "jq", "mawk", "nawk", "rg",
    "sed", "yq",
];

/// Subcommands of git whose words are files that it compares or records, and neither runs nor obeys.
const TRACKED: &[&str] = &[
    "add",
    "blame",
    "cat-file",
    "check-ignore",
    "checkout",
    "commit",
    "diff",
    "diff-index",
    "log",
    "ls-files",
    "ls-tree",
    "restore",
    "rev-parse",
    "rm",
    "show",
    "stash",
    "status",
];

/// Options that name a file which is written.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("curl", &["-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"]),
    ("sort", &["-o", "--output"]),
    ("wget", &["-O", "--output-document", "-o", "--output-file", "-a"]),
];

/// Parts of keys of git's configuration whose values it runs, or that lead to them.
const RUNNING_KEYS: &[&str] = &[
    "alias.",
    "askpass",
    "command",
    "driver",
    "editor",
    "external",
    "filter.",
    "fsmonitor",
    "helper",
    "hookspath",
    "include",
    "pager",
    "program",
    "proxy",
    "textconv",
];

/// Marks in the code of small languages that read files or run programs.
const CODE_MARKS: &[(&[&str], &[&str])] = &[
    (
        &["awk", "gawk", "mawk", "nawk"],
        &["getline", "system(", "system (", "@include", "@load", "| \"", "|\"", "|&"],
    ),
    (&["jq", "yq"], &["include ", "import ", "load("]),
];

/// Tests of files and texts.
const TESTS: &[&str] = &["[", "[[", "test"];

/// Returns the index of the pattern or the code, for programs that take one.
fn pattern_index(args: &[&str]) -> Option<usize> {
    // `-v NAME=VALUE` of `awk` stands before its program.
    let is_assignment = |at: usize, word: &str| {
        word.contains('=') && at.checked_sub(1).and_then(|at| args.get(at)) == Some(&"-v")
    };
    let mut all = args.iter().enumerate();
    all.find(|(at, word)| !(word.len() > 1 && word.starts_with('-') || is_assignment(*at, word)))
        .map(|(at, _)| at)
}

/// Returns whether the code in the arguments of a program makes it read a file or run a program.
pub(in crate::trust) fn inline_code_loads_files(program: &str, words: &[Word]) -> bool {
    let args: Vec<&str> = words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let names = args.iter().any(|word| is_pattern_option(word));
    match names {
        true => args.iter().any(|code| code_loads_files(program, code)),
        false => pattern_index(&args)
            .and_then(|at| args.get(at))
            .is_some_and(|code| code_loads_files(program, code)),
    }
}

/// Returns for each word behind a program's name whether it cannot be a file to pin; `words` begin
/// with the name.
pub(in crate::trust) fn which_words_are_not_files(program: &str, words: &[Word]) -> Vec<bool> {
    let args: Vec<&str> = words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let is_option = |word: &str| word.len() > 1 && word.starts_with('-');
    let all = TEXT.contains(&program) || WRITERS.contains(&program);
    let operand = pattern_index(&args);
    let verb = subcommand_index(program, words).filter(|_| has_subcommands(program));
    let is_tracked = program == "git"
        && verb.and_then(|at| args.get(at)).is_some_and(|verb| TRACKED.contains(verb));
    let is_pattern =
        PATTERNS.contains(&program) && !args.iter().any(|word| is_pattern_option(word));
    let outputs = OUTPUTS.iter().find(|(name, _)| *name == program).map(|(_, options)| *options);
    let skips = |at: usize, word: &str| {
        let before = at.checked_sub(1).and_then(|before| args.get(before)).copied();
        // `-f FILE` looks at a file; every other word of a test is a text.
        let is_text = TESTS.contains(&program)
            && before.is_none_or(|before| !(before.len() == 2 && is_option(before)));
        let is_output =
            before.is_some_and(|before| outputs.is_some_and(|options| options.contains(&before)));
        let is_target = COPIERS.contains(&program) && at > 0 && at + 1 == args.len();
        all || is_text
            || is_output
            || is_target
            || is_pattern && operand == Some(at)
            || verb == Some(at)
            || is_tracked && verb.is_some_and(|verb| at > verb) && !is_option(word)
    };
    args.iter().enumerate().map(|(at, word)| skips(at, word)).collect()
}

/// Returns whether an option means that a file or another word is the pattern: `-f`, `-qf`,
/// `--file=`, `-e`.
fn is_pattern_option(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => {
            ["file", "from-file", "regexp", "expression"].iter().any(|name| long.starts_with(name))
        }
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains(['f', 'e'])),
    }
}

/// How an interpreter finds what it runs where a word is not quite the name of a file.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::trust) struct Modules {
    programs: &'static [&'static str],
    /// The endings that it tries behind the word.
    pub(in crate::trust) endings: &'static [&'static str],
    /// The files of a directory that it runs.
    pub(in crate::trust) starts: &'static [&'static str],
}

const MODULES: &[Modules] = &[
    Modules {
        programs: &["node", "bun", "deno", "tsx", "ts-node"],
        endings: &[".js", ".json", ".node", ".cjs", ".mjs", ".ts", ".mts", ".tsx", ".jsx"],
        starts: &["package.json", "index.js", "index.json", "index.node", "index.mjs", "index.ts"],
    },
    Modules { programs: &["python", "pypy"], endings: &[".py"], starts: &["__main__.py"] },
    Modules { programs: &["ruby"], endings: &[".rb"], starts: &[] },
    Modules { programs: &["perl"], endings: &[".pm", ".pl"], starts: &[] },
    Modules { programs: &["php", "lua"], endings: &[".php", ".lua"], starts: &[] },
];

/// Returns how `program` finds the modules that it runs; `None` for a program that reads exactly
/// the file that it is given.
pub(super) fn module_search(program: &str) -> Option<&'static Modules> {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    MODULES.iter().find(|row| row.programs.contains(&plain))
}

/// Returns how the options in a variable, as `NAME=VALUE`, find what they load.
pub(super) fn module_search_of_variable(text: &str) -> Option<&'static Modules> {
    let (name, _) = text.split_once('=')?;
    let program = match name {
        "NODE_OPTIONS" => "node",
        "BUN_OPTIONS" => "bun",
        "RUBYOPT" => "ruby",
        _ => return None,
    };
    module_search(program)
}
