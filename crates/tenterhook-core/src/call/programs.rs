//! What does a program do with the files and hosts that its words name? Reads `programs.txt`; knows no program itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Found;
use super::disarm::patch;
use super::hosts;
use super::path::Paths;
use super::view::View;

const TABLE: &str = include_str!("programs.txt");

/// The rows of each program, as they are written.
static ROWS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Vec<&str>> = HashMap::new();
    for row in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let program = row.split(' ').next().unwrap_or_default();
        rows.entry(program).or_default().push(row);
    }
    rows
});

/// The take of the directory in which a program runs, unless an option names a different one.
const AROUND: &str = "around";

/// How many times a path is put together and looked through until it stands in a list.
const WALKS: usize = 4;

/// One row of the table.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The program, and the subcommands that the row is about.
    pub(super) program: Vec<&'static str>,
    needs: Vec<&'static str>,
    does: Vec<Does>,
    valued: Vec<&'static str>,
    /// A line in which the first role is seen, and one in which it is not.
    #[cfg(test)]
    pub(super) examples: [&'static str; 2],
}

/// What happens to words, and which words these are.
#[derive(Debug)]
pub(super) struct Does {
    pub(super) role: &'static str,
    takes: Vec<&'static str>,
}

impl Row {
    fn parse(text: &'static str) -> Self {
        let mut fields = text.split('|').map(str::trim);
        let mut words = || fields.next().unwrap_or_default();
        let list = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let (program, needs) = (list(words()), list(words()));
        let does = words().split(',').filter_map(|part| {
            let (role, takes) = part.trim().split_once(' ')?;
            Some(Does { role, takes: list(takes) })
        });
        let does: Vec<Does> = does.collect();
        let options = does.iter().flat_map(|does| does.takes.iter().copied());
        let options = options.filter(|take| take.starts_with('-'));
        let valued = list(words()).into_iter().chain(options).collect();
        Self {
            program,
            needs,
            does,
            valued,
            #[cfg(test)]
            examples: [words(), words()],
        }
    }
}

/// Iterates over the rows that are about subcommands or roles, for the tests of the table.
#[cfg(test)]
pub(super) fn role_rows() -> impl Iterator<Item = (Row, &'static str)> {
    ROWS.values().flatten().map(|text| Row::parse(text)).filter_map(|row| {
        let role = row.does.first().map(|does| does.role)?;
        (role != "at").then_some((row, role))
    })
}

/// A command as the table looks at it: its program and what follows.
struct Invocation<'a> {
    name: &'a str,
    view: &'a View<'a>,
    /// How many arguments stand before the program's own: `-m MODULE` of Python.
    skipped: usize,
}

impl<'a> Invocation<'a> {
    fn from_view(view: &'a View<'a>) -> Self {
        match view.args.as_slice() {
            [option, module, ..] if view.name.starts_with("python") && option == "-m" => {
                Self { name: module, view, skipped: 2 }
            }
            _ => Self { name: &view.name, view, skipped: 0 },
        }
    }

    /// Returns the operands after the subcommands of a row; `None` if the subcommands are
    /// different.
    fn operands_after_subcommands(&self, row: &Row, valued: &[&str]) -> Option<Vec<&'a str>> {
        let mut operands = self.view.operands(valued).into_iter();
        // Python's `-m` is no operand, but its module is one.
        operands.by_ref().take(self.skipped / 2).for_each(drop);
        let subcommands = row.program.get(1..).unwrap_or_default();
        let named = subcommands.iter().all(|word| operands.next() == Some(word));
        let fed = self.view.fed.iter().map(String::as_str);
        named.then(|| operands.chain(fed).collect())
    }

    /// Whether a word of `needs` is among the arguments.
    fn has_needed_word(&self, word: &str) -> bool {
        let first = || self.view.args.first().map(String::as_str).unwrap_or_default();
        match word.strip_prefix("1:") {
            Some(letters) => !first().starts_with("--") && first().contains(letters),
            None => match word.strip_prefix('-').map(str::as_bytes) {
                Some(&[short]) => self.view.has_option(char::from(short), ""),
                _ => {
                    let is = |arg: &String| arg == word || is_option_with_value(arg, word);
                    self.view.args.iter().any(is)
                }
            },
        }
    }

    /// Whether the arguments have one of the words in `needs`, and none of those after `!`.
    fn has_needed_words(&self, needs: &[&str]) -> bool {
        let (not, any): (Vec<&str>, Vec<&str>) =
            needs.iter().partition(|word| word.starts_with('!'));
        let excluded = not.iter().filter_map(|word| word.strip_prefix('!'));
        (any.is_empty() || any.iter().any(|word| self.has_needed_word(word)))
            && !excluded.into_iter().any(|word| self.has_needed_word(word))
    }
}

/// Whether `arg` is `--option=value` of this long option.
fn is_option_with_value(arg: &str, option: &str) -> bool {
    option.starts_with("--") && arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
}

/// Notes the effects of a command that the table of programs lists.
pub(super) fn note_effects_listed_in_table(view: &View<'_>, paths: &Paths<'_>, found: &mut Found) {
    let invocation = Invocation::from_view(view);
    let Some(rows) = ROWS.get(invocation.name) else { return };
    let rows: Vec<Row> = rows.iter().map(|text| Row::parse(text)).collect();
    let whole = rows.iter().filter(|row| row.program.len() == 1);
    let common: Vec<&str> = whole.flat_map(|row| row.valued.iter().copied()).collect();
    let places = rows.iter().flat_map(|row| &row.does).filter(|does| does.role == "at");
    let places: Vec<&str> = places.flat_map(|does| view.option_values(&does.takes)).collect();
    let at = Target { view, paths, base: places.join("/") };
    for row in rows.iter().filter(|row| invocation.has_needed_words(&row.needs)) {
        let valued: Vec<&str> = common.iter().chain(&row.valued).copied().collect();
        let Some(operands) = invocation.operands_after_subcommands(row, &valued) else { continue };
        for does in &row.does {
            // Files are put where an option says, else around the program.
            let is_elsewhere = !view.option_values(&does.takes).is_empty();
            let taken =
                does.takes.iter().flat_map(|take| words_selected_by_take(take, view, &operands));
            for (take, word) in taken.filter(|(take, _)| *take != AROUND || !is_elsewhere) {
                at.note_word_in_role(does.role, take, word, found);
            }
        }
    }
}

/// Returns the words that a `take` of the table selects, each with that `take`.
fn words_selected_by_take<'a>(
    take: &'static str,
    view: &'a View<'_>,
    operands: &[&'a str],
) -> Vec<(&'static str, &'a str)> {
    let at = |index: usize| operands.get(index).copied().into_iter().collect::<Vec<_>>();
    let words: Vec<&str> = match take {
        "operands" => operands.to_vec(),
        "first" | "first:" | "image" => at(0),
        "second" | "second:" => at(1),
        "rest" => operands.iter().skip(1).copied().collect(),
        "last" => operands.iter().skip(1).last().copied().into_iter().collect(),
        "here" if operands.is_empty() => vec!["."],
        AROUND => vec!["."],
        "cloned" if operands.len() == 1 => at(0).into_iter().filter_map(cloned_directory).collect(),
        "cloned" => Vec::new(),
        "unread" if view.texts_given_to_command().any(|text| text.contains('\n')) => Vec::new(),
        "unread" => vec!["."],
        "here" => Vec::new(),
        "mounts" => view.args.iter().filter_map(|arg| mounted_path(arg)).collect(),
        // The file that a program reads by itself.
        _ if take.starts_with('=') => take.get(1..).into_iter().collect(),
        "patched" => view
            .texts_given_to_command()
            .filter(|text| text.contains('\n'))
            .flat_map(patched_files)
            .collect(),
        _ if take.starts_with('-') => {
            // `-out=FILE` of programs that write long options with one dash.
            view.option_values(&[take])
                .into_iter()
                .map(|word| word.trim_start_matches('='))
                .collect()
        }
        _ => match take.split_once(':') {
            Some(("after", mark)) => {
                view.args.iter().flat_map(|arg| words_after_mark(mark, arg)).collect()
            }
            Some(("typed", mark)) => view
                .texts_given_to_command()
                .flat_map(|text| words_typed_after_mark(mark, text))
                .collect(),
            Some(("quoted", mark)) => view
                .texts_given_to_command()
                .filter_map(|text| quoted_text_after_mark(mark, text))
                .collect(),
            Some(("cluster", letter)) => argument_after_cluster(letter, view).into_iter().collect(),
            _ => view.args.iter().filter_map(|arg| arg.strip_prefix(take)).collect(),
        },
    };
    words.into_iter().map(|word| (take, word)).collect()
}

/// Returns the directory that a clone of this address makes: its last part.
fn cloned_directory(address: &str) -> Option<&str> {
    let name = address.trim_end_matches('/').rsplit(['/', ':', '\\']).next()?;
    Some(name.strip_suffix(".git").unwrap_or(name))
}

/// Returns the path of this machine that a container mounts: `./x:/y`,
/// `type=bind,source=x,target=/y`.
fn mounted_path(text: &str) -> Option<&str> {
    let text = text.strip_prefix("--volume=").or(text.strip_prefix("--mount=")).unwrap_or(text);
    let named = text
        .split(',')
        .find_map(|part| part.strip_prefix("src=").or_else(|| part.strip_prefix("source=")));
    let is_path = |file: &&str| file.starts_with(['/', '~', '.', '$']);
    named.or_else(|| text.split_once(":/").map(|(file, _)| file).filter(is_path))
}

/// The files that a patch changes, without the `a/` and `b/` before them.
fn patched_files(text: &str) -> impl Iterator<Item = &str> {
    let named = patch::patch_file_names(text).filter(|name| *name != "/dev/null");
    let plain =
        named.map(|name| name.strip_prefix("a/").or(name.strip_prefix("b/")).unwrap_or(name));
    plain.filter(|name| !name.ends_with("Patch"))
}

/// Returns the second argument, if the first one is a cluster of letters that ends in `letter`.
fn argument_after_cluster<'a>(letter: &str, view: &'a View<'_>) -> Option<&'a str> {
    let [first, second, ..] = view.args.as_slice() else { return None };
    let letters = first.strip_prefix('-').unwrap_or(first);
    let is_cluster = letters.len() > 1 && letters.bytes().all(|b| b.is_ascii_alphabetic());
    (is_cluster && letters.ends_with(letter)).then_some(second)
}

/// Returns the words that follow `mark` in a text: the rest of its word if the mark ends in `=`,
/// else the next word.
fn words_after_mark<'a>(mark: &str, text: &'a str) -> Vec<&'a str> {
    if mark.ends_with('=') {
        return text.split_whitespace().filter_map(|word| word.strip_prefix(mark)).collect();
    }
    let is_mark = |word: &str| {
        word == mark || word.strip_suffix(mark).is_some_and(|before| before.ends_with('/'))
    };
    let words = text.split_whitespace().zip(text.split_whitespace().skip(1));
    let next = words.filter(|(word, _)| is_mark(word)).map(|(_, next)| next);
    next.map(|word| word.trim_matches(['"', '\'', ';'])).collect()
}

/// Returns the words that follow `mark` at the start of a typed command: `:w! FILE`, `.output
/// FILE`, `1,3w FILE`.
fn words_typed_after_mark<'a>(mark: &str, text: &'a str) -> Vec<&'a str> {
    let is_range = |c: char| ":%+,$".contains(c) || c.is_ascii_digit() || c.is_whitespace();
    let named = text.split(['\n', '|', ';']).filter_map(|command| {
        let rest = command.trim_start_matches(is_range).strip_prefix(mark)?;
        rest.starts_with(char::is_whitespace).then(|| rest.split_whitespace().next()).flatten()
    });
    named.map(|word| word.trim_matches(['\'', '"'])).collect()
}

/// The text between quotes that follows `mark`: `INTO OUTFILE 'FILE'`.
fn quoted_text_after_mark<'a>(mark: &str, text: &'a str) -> Option<&'a str> {
    let small = text.to_ascii_lowercase();
    small.match_indices(mark).find_map(|(at, _)| {
        let rest = text.get(at + mark.len()..)?;
        let inner = rest.trim_start().strip_prefix(['\'', '"'])?;
        (rest.len() > inner.len() + 1).then(|| inner.split(['\'', '"']).next()).flatten()
    })
}

/// Where the words of one command are put.
struct Target<'a> {
    view: &'a View<'a>,
    paths: &'a Paths<'a>,
    /// The directory from which its paths count, where an option names one.
    base: String,
}

impl Target<'_> {
    fn path_seen_from_project(&self, written: &str) -> Option<String> {
        let is_rooted = written.starts_with(['/', '~']) || self.base.is_empty();
        let path = if is_rooted { written.to_owned() } else { format!("{}/{written}", self.base) };
        let is_paid_for =
            self.view.meter.spend_steps_for_bytes(WALKS * (path.len() + self.view.cwd.len()));
        is_paid_for.then(|| self.paths.path_seen_from_project(&path, &self.view.cwd))
    }

    fn note_word_in_role(&self, role: &str, take: &str, word: &str, found: &mut Found) {
        if word.is_empty() {
            return;
        }
        if role == "hosts" {
            return found.hosts.extend(hosts_in_word(take, word));
        }
        if is_remote_path(word) {
            return;
        }
        let Some(path) = self.path_seen_from_project(word) else { return };
        match role {
            "reads" => drop(found.shows.insert(path)),
            "uses" => drop(found.reads.insert(path)),
            "deletes" => drop(found.deletes.insert(path)),
            "writes" => drop(found.writes.insert(path)),
            "below" => drop(found.written_trees.insert(path)),
            "fills" => {
                // What lies in a directory has names that the line does not say.
                let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                if take != "here" && !name.contains('.') {
                    found.writes.insert(format!("{path}/*"));
                }
                found.writes.insert(path);
            }
            _ => {}
        }
    }
}

/// Whether a word names a path on another machine or in an object store (`host:path`,
/// `s3://bucket`).
fn is_remote_path(word: &str) -> bool {
    let Some((host, path)) = word.split_once(':') else { return false };
    !host.is_empty() && !host.contains(['/', '=']) && !word.starts_with('~') && !path.is_empty()
        || word.contains("://")
}

/// The hosts that a word names.
fn hosts_in_word(take: &str, word: &str) -> Vec<String> {
    if word.contains("://") {
        return hosts::host_of_url(word).into_iter().collect();
    }
    let is_share = word.starts_with("//");
    // `user@host`, and `module/path@version` of Go.
    let word = match word.rsplit_once('@') {
        Some((before, _)) if before.contains('/') => before,
        Some((_, host)) => host,
        None => word.trim_start_matches("//"),
    };
    let head = || word.split([':', '/']).next().unwrap_or_default();
    let is_dotted = |part: &&str| part.contains('.') && !part.starts_with('.');
    let parts: Vec<&str> = match take {
        "first:" | "second:" => {
            Some(head()).filter(|_| is_share || is_remote_path(word)).into_iter().collect()
        }
        "image" => {
            Some(head()).filter(|_| word.contains('/')).filter(is_dotted).into_iter().collect()
        }
        "operands" => Some(head()).filter(is_dotted).into_iter().collect(),
        _ if word.contains(':') => word.split([':', ',', '/']).filter(is_dotted).collect(),
        _ => vec![head()],
    };
    let is_name = |part: &&str| !part.is_empty() && !part.starts_with('-');
    let named = parts.into_iter().filter(is_name).map(hosts::canonical_host);
    named.filter(|host| !hosts::is_local_host(host)).collect()
}
