//! Which parts of a guard does code of another language change: by a text of it, by a path that is joined of several texts, and by a
//! directory that is removed, gets another name, or cannot be read any more? It parses no language.

use tenterhook_shell::strings;

use super::names;
use crate::call::Found;
use crate::call::path::Paths;
use crate::protect::{self, Hold};

/// Parts of code that changes files, beside those that the common tables know.
const CHANGES: &[&str] = &[
    "Write",
    "truncate",
    "Truncate",
    "chmod",
    "chown",
    "touch",
    "removeItem",
    "moveItem",
    "File.delete",
    "FileUtils.",
    "Files.delete",
    "Files.move",
    "file delete",
    "file copy",
    "delete POSIX file",
    "move POSIX file",
    "delete-file",
    "delete-directory",
    "call delete(",
    "').delete",
    "\").delete",
    "os.replace(",
    "file_put",
    "sink(",
    "saveRDS",
    "io.output",
    "inplace",
    "O_WRONLY",
    "O_RDWR",
    "O_TRUNC",
    "O_CREAT",
    ",?w",
    ",?a",
    ", ?w",
    "extractall",
    "unpack_archive",
    "urlretrieve",
    "->spew",
    "->append",
    "File.rm",
    "file.create",
    "file:delete",
    "spit ",
    "set print",
    "delete(\"",
    "delete('",
    "\").text",
    "delete from",
    "drop table",
    "insert into",
    " w]",
    " w+]",
    " a]",
];
/// Names of functions that change files, as whole words before a parenthesis or a text.
const CALLS: &[&str] = &["rm", "mv", "cp", "mkfifo", "mknod"];
/// Texts with which a file is opened to be changed.
const MODES: &[&str] = &["wb", "wt", "w+", "w+b", "ab", "at", "a+", "xb", "r+", "rb+", "r+b"];

/// Parts of code that removes, moves or closes a whole directory.
const WHOLE: &[&str] = &[
    "rename",
    "os.replace(",
    ".move(",
    "moveSync(",
    ".mv",
    "mv(",
    "move ",
    "move(",
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "remove_",
    "removedirs",
    "extractall",
    "unpack_archive",
    "remove(",
    "fs.rm(",
    "rm(",
    "rimraf",
    "removeItem",
    "moveItem",
    "file delete",
    "POSIX file",
    "call delete(",
    "rmove",
    "delete-directory",
    "unlink",
    "chmod",
    "chown",
];
/// Those with which a directory gets another name: the last text of several is that name.
const MOVES: &[&str] = &[
    "rename",
    "os.replace(",
    ".move(",
    "moveSync",
    "moveItem",
    "import move",
    " move",
    ".mv",
    "mv(",
];

/// Parts of code that asks for the home.
const HOMES: &[&str] = &[
    "expanduser",
    "home()",
    "homedir",
    "Dir.home",
    "HOME",
    "USERPROFILE",
    "path.expand",
    "env.home",
    "expand-file-name",
];

/// Functions that join texts to a path, in small letters.
const JOINERS: &[&str] =
    &["join", "path", "resolve", "joinpath", "expand_path", "pathname", "catfile"];

/// Parts of code that reads the words behind it.
const ARGUMENTS: &[&str] =
    &["argv", "ARGV", "commandArgs", "Deno.args", "ARGS", "fileinput", "arg["];

/// Most texts that one path is joined of.
const MOST_PARTS: usize = 6;

/// Notes the guards that code would change. `texts` are its string literals; `is_changing` is set
/// if the common tables know that it changes files.
pub(super) fn note_changed_guards(
    code: &str,
    texts: &[(usize, &str)],
    is_changing: bool,
    paths: &Paths<'_>,
    found: &mut Found,
) {
    if !is_changing && !changes_files(code, texts) {
        return;
    }
    let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let mut named: Vec<String> = join_adjacent_texts(code, texts);
    named.extend(texts.iter().map(|(_, text)| strip_perl_open_mode(text).to_owned()));
    // A text may be code, with texts in it.
    let nested = texts.iter().flat_map(|(_, text)| strings::quoted_texts(text));
    named.extend(nested.map(|(_, text)| strip_perl_open_mode(text).to_owned()));
    if says(&["chdir"]) {
        let all = || texts.iter().map(|(_, text)| *text).take(MOST_PARTS);
        named.extend(all().flat_map(|base| all().map(move |name| format!("{base}/{name}"))));
    }
    // The words of Tcl have no quotes, and Lua has brackets for some.
    let bare = unquoted_words(code, texts);
    named.extend(bare.iter().cloned());
    let is_home_known = says(HOMES);
    let in_home = |path: &String| as_home_path(path).filter(|_| is_home_known);
    for path in named.iter().cloned().chain(named.iter().filter_map(in_home)) {
        let seen = paths.path_seen_from_project(&path, &paths.cwd);
        if names::is_or_contains_guard(&seen, Hold::Part, paths) {
            found.guards.insert(seen);
        }
    }
    if !says(WHOLE) {
        return;
    }
    let calls = Calls::from_code(code);
    // A text that goes on in the next one names no directory by itself.
    let is_whole = |(at, text): (usize, &(usize, &str))| {
        (!is_continued_by_next_text(code, &calls, texts, at)).then(|| text.1.to_owned())
    };
    let mut texts: Vec<String> = texts.iter().enumerate().filter_map(is_whole).collect();
    texts.extend(bare);
    let sources = match texts.split_last() {
        Some((_, sources)) if says(MOVES) && !sources.is_empty() => sources,
        _ => &texts,
    };
    let joined = join_adjacent_texts(code, &strings::quoted_texts(code));
    let ways = sources.iter().chain(&joined).flat_map(|path| [Some(path.clone()), in_home(path)]);
    for path in ways.flatten() {
        let seen = paths.path_seen_from_project(&path, &paths.cwd);
        let is_shared_parent_of_guard =
            || names::is_shared_parent_of_guard(&paths.to_absolute(&path, &paths.cwd), paths);
        if protect::is_guard_directory(&seen)
            || looks_like_path(&path) && is_shared_parent_of_guard()
        {
            found.guards.insert(seen);
        }
    }
}

/// Returns the words of code in a language that writes texts without quotes.
fn unquoted_words(code: &str, texts: &[(usize, &str)]) -> Vec<String> {
    if !(texts.is_empty() || code.contains("[[")) {
        return Vec::new();
    }
    let is_end = |c: char| c.is_whitespace() || "[]{};()".contains(c);
    code.split(is_end).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The parentheses of code, found in one walk: where each is, and which one is open behind it.
struct Calls<'c> {
    code: &'c str,
    open: Vec<(usize, Option<usize>)>,
}

impl<'c> Calls<'c> {
    fn from_code(code: &'c str) -> Self {
        let mut stack = Vec::new();
        let mut open = Vec::new();
        for (at, paren) in code.match_indices(['(', ')']) {
            if paren == "(" {
                stack.push(at);
            } else {
                stack.pop();
            }
            open.push((at, stack.last().copied()));
        }
        Self { code, open }
    }

    /// Returns the end of the name of the call whose arguments contain the byte at `at`; empty if
    /// no call is open there.
    fn name_of_enclosing_call(&self, at: usize) -> &'c str {
        let before = self.open.partition_point(|(paren, _)| *paren < at);
        let last = before.checked_sub(1).and_then(|last| self.open.get(last));
        let open = last.and_then(|(_, open)| *open);
        let name = open.and_then(|open| self.code.get(..open)).unwrap_or_default();
        let length = name.bytes().rev().take_while(|byte| is_name_byte(*byte)).count();
        name.get(name.len() - length..).unwrap_or_default()
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Whether a text and the next one are parts of one path: `join('a', 'b')`, `Path('a') / 'b'`,
/// `'a/' + 'b'`.
fn is_continued_by_next_text(
    code: &str,
    calls: &Calls<'_>,
    texts: &[(usize, &str)],
    at: usize,
) -> bool {
    let Some(((start, text), (next, _))) = texts.get(at).zip(texts.get(at + 1)) else {
        return false;
    };
    let between = code.get(start + text.len() + 1..next.saturating_sub(1)).map(str::trim);
    let between = between.unwrap_or_default();
    let is_glue = between.chars().all(|c| c.is_whitespace() || ",/()+".contains(c));
    let joins = || {
        let called = calls.name_of_enclosing_call(start.saturating_sub(1)).to_ascii_lowercase();
        JOINERS.iter().any(|name| called.ends_with(name))
    };
    !between.is_empty()
        && is_glue
        && (between.contains(['/', '+']) || !between.contains(')') && joins())
}

/// Whether code takes the names of files from its arguments, and changes some of the files:
/// `open(sys.argv[1], 'w')`.
pub(super) fn changes_argument_files(
    code: &str,
    texts: &[(usize, &str)],
    is_changing: bool,
) -> bool {
    (is_changing || changes_files(code, texts)) && ARGUMENTS.iter().any(|word| code.contains(word))
}

/// Whether a script of `awk` prints into a file: `print > f`.
pub(super) fn prints_into_file(script: &str) -> bool {
    // The texts between quotes are printed.
    let script: String = script.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    script.match_indices("print").any(|(at, _)| {
        let rest = script.get(at..).unwrap_or_default();
        let end = rest.find([';', '}', '\n', '|']).unwrap_or(rest.len());
        let printed = rest.get(..end).unwrap_or_default();
        // A mark in parentheses compares.
        let plain = printed.rsplit(')').next().unwrap_or(printed);
        plain.contains('>') && !plain.contains(">=")
    })
}

/// Whether code contains a word with which files are changed.
fn changes_files(code: &str, texts: &[(usize, &str)]) -> bool {
    let is_call = |name: &&str| {
        code.match_indices(name).any(|(at, _)| {
            let (before, after) = code.split_at_checked(at).unwrap_or_default();
            let after = after.strip_prefix(name).unwrap_or_default();
            let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_word && after.trim_start().starts_with(['(', '"', '\''])
        })
    };
    let opens = |(_, text): &(usize, &str)| {
        MODES.contains(text)
            || text.starts_with(['>', '|'])
            || text.starts_with("+<")
            || text.starts_with("+>")
    };
    let replaces =
        || code.contains("Path(") && code.contains(").replace(") && !code.contains("read");
    CHANGES.iter().any(|word| code.contains(word))
        || CALLS.iter().any(is_call)
        || texts.iter().any(opens)
        || replaces()
        || code.contains("cat(") && code.contains("file")
}

/// Removes the characters with which Perl opens a file: `>FILE`.
fn strip_perl_open_mode(text: &str) -> &str {
    text.trim_start_matches(['>', '<', '+', '|']).trim_start()
}

/// Whether a text looks like a path, and not like a name or a single letter.
fn looks_like_path(text: &str) -> bool {
    text.starts_with(['/', '~', '.']) && !matches!(text, "/" | "." | "..")
}

/// Returns the path in the home directory, if the text may be joined to it: `/.config`, `.config`,
/// `$ENV{HOME}/.config`.
fn as_home_path(path: &str) -> Option<String> {
    let rest = path.rsplit_once('}').map_or(path, |(_, rest)| rest);
    let rest = rest.trim_start_matches('/');
    let is_name = |c: char| c.is_alphanumeric() || "._-/* ".contains(c);
    (!rest.is_empty() && !rest.starts_with('~') && rest.chars().all(is_name))
        .then(|| format!("~/{rest}"))
}

/// Returns the paths that adjacent texts form: `Path('a', 'b')`, `Path('a') / 'b'`, `'a/' + 'b'`.
fn join_adjacent_texts(code: &str, texts: &[(usize, &str)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut end = None;
    let (mut path, mut parts) = (String::new(), 0);
    for (start, text) in texts {
        let between = end.and_then(|end: usize| code.get(end + 1..start - 1)).map(str::trim);
        let is_glue = |between: &&str| {
            !between.is_empty() && between.chars().all(|c| c.is_whitespace() || ",/()+".contains(c))
        };
        match between.filter(is_glue).filter(|_| parts < MOST_PARTS) {
            Some(between) => {
                path.push_str(if between.contains('+') { "" } else { "/" });
                path.push_str(text);
                parts += 1;
                found.push(path.clone());
            }
            None => {
                path = (*text).to_owned();
                parts = 1;
            }
        }
        end = Some(start + text.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_shell::strings::quoted_texts;

    /// SP-55.
    #[test]
    fn text_that_goes_on_names_no_directory() {
        for (code, expected) in [
            ("rmtree(join(h, 'a', 'b'))", true),
            ("Path('a') / 'b'", true),
            ("x('a/' + 'b')", true),
            ("rename('a', 'b')", false),
            ("rmtree('a'); print('b')", false),
        ] {
            assert_eq!(
                is_continued_by_next_text(code, &Calls::from_code(code), &quoted_texts(code), 0),
                expected,
                "{code}"
            );
        }
    }

    #[test]
    fn texts_that_follow_one_another_make_a_path() {
        for (code, path) in [
            ("Path('a', 'b').write_text('{}')", "a/b"),
            ("Path('a') / 'b' / 'c'", "a/b/c"),
            ("os.path.join('a', 'b')", "a/b"),
            ("open('.cla' + 'ude/x')", ".claude/x"),
        ] {
            let found = join_adjacent_texts(code, &quoted_texts(code));
            assert!(found.iter().any(|found| found == path), "{code}: {found:?}");
        }
        let code = "open('a').write('b')";
        assert_eq!(join_adjacent_texts(code, &quoted_texts(code)), Vec::<String>::new());
    }

    /// SP-55.
    #[test]
    fn code_changes_files() {
        for code in [
            "os.replace('x', 'y')",
            "Path('x').replace('y')",
            "open(F, \">\", \"x\")",
            "open('x', 'r+')",
            "rm(\"x\")",
            "import {rm} from 'fs/promises'; await rm('x')",
        ] {
            assert!(changes_files(code, &quoted_texts(code)), "{code}");
        }
        for code in [
            "print(open('x').read().replace('a', 'b'))",
            "confirm('x')",
            "transform('x')",
            "console.log(require('./x').hooks)",
            "os.stat('x')",
        ] {
            assert!(!changes_files(code, &quoted_texts(code)), "{code}");
        }
    }

    /// SP-55.
    #[test]
    fn script_prints_into_a_file() {
        for script in
            ["{print > \"x\"}", "BEGIN{printf \"a\" >>f}", "{print ($1) > f}", "{print \"{}\" > f}"]
        {
            assert!(prints_into_file(script), "{script}");
        }
        for script in
            ["$3 > 5 {print}", "{print ($1 > 2)}", "{print; x = 1 > 0}", "{print $1 | \"sort\"}"]
        {
            assert!(!prints_into_file(script), "{script}");
        }
    }
}
