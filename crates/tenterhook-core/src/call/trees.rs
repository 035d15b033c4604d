//! Which directories would a line read with everything in them, and what does the program leave out there? By the words of
//! the line alone; looks at no disk.

mod table;

use std::collections::BTreeSet;

use tenterhook_shell::{Via, WordKind};

use super::files::{operands_after_pattern, prints_file_content};
use super::find::is_narrow_search;
use super::path::Paths;
use super::view::View;
use table::{EXECUTING, FD, LISTERS, READERS, Reader, When};

/// A directory that is read with everything in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tree {
    /// The directory, written as the paths of a footprint are.
    pub path: String,
    /// What the program leaves out there by itself.
    pub skips: Skips,
    /// Patterns of the file names that it reads; all of them if the list is empty.
    pub names: Vec<String>,
    /// Patterns of the names that the line leaves out.
    pub excluded: Vec<String>,
}

/// What a program leaves out of a directory that it walks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skips {
    /// Nothing.
    Nothing,
    /// What Git ignores.
    Ignored,
    /// That, and what is hidden.
    HiddenAndIgnored,
    /// Everything that is not in Git's index.
    Untracked,
}

/// Adds to `found` the directory trees that the commands of a line read.
pub(super) fn note_read_trees(views: &[View<'_>], paths: &Paths<'_>, found: &mut BTreeSet<Tree>) {
    let mut listed = Vec::new();
    let mut takes_names = false;
    for view in views.iter().take_while(|view| view.charge_for_reading()) {
        takes_names |= reads_unknown_files(view);
        match trees_listed_by_program(view, paths) {
            Some((trees, Listing::Read)) => found.extend(trees),
            Some((trees, Listing::Printed)) if view.is_output_consumed() => listed.extend(trees),
            Some(_) => {}
            None => found.extend(trees_read_by_program(view, paths)),
        }
    }
    if takes_names {
        found.extend(listed);
    }
}

/// Returns `true` if a directory is named relative to the project, so that its contents are listed
/// as read, as `DIRECTORY/*`.
pub(super) fn is_relative_to_project(path: &str) -> bool {
    !path.starts_with(['/', '~', '.']) && !path.contains(['*', '$', '`']) && !path.is_empty()
}

/// What a program does with the files that it comes upon.
enum Listing {
    /// It hands them to a program that reads them.
    Read,
    /// It prints their names.
    Printed,
}

/// Returns the directories whose file names a program lists, and what it does with the files;
/// `None` for any other program.
fn trees_listed_by_program(view: &View<'_>, paths: &Paths<'_>) -> Option<(Vec<Tree>, Listing)> {
    let tree = |path: &str, skips| tree_of_path(view, paths, path, skips);
    let (trees, listing) = match view.name.as_str() {
        "find" => {
            let starts = view.args.iter().map(String::as_str);
            let mut starts: Vec<&str> =
                starts.take_while(|arg| !arg.starts_with(['-', '(', '!'])).collect();
            if starts.is_empty() {
                starts.push(".");
            }
            let names = name_patterns_of_find(view);
            let trees = starts.into_iter().map(|start| tree(start, Skips::Nothing));
            (
                trees.map(|tree| Tree { names: names.clone(), ..tree }).collect(),
                use_of_listed_files(view),
            )
        }
        name if FD.contains(&name) => {
            let shows_all = view.has_option('H', "hidden")
                || view.has_option('I', "no-ignore")
                || view.has_option('u', "unrestricted");
            let skips = if shows_all { Skips::Nothing } else { Skips::HiddenAndIgnored };
            (
                default_to_current_dir(view.operands(&[]))
                    .into_iter()
                    .map(|path| tree(path, skips))
                    .collect(),
                use_of_listed_files(view),
            )
        }
        "git" if view.has_argument(&["ls-files"]) => {
            let skips =
                if view.has_option('o', "others") { Skips::Nothing } else { Skips::Untracked };
            (vec![tree(".", skips)], Listing::Printed)
        }
        name if LISTERS.contains(&name)
            && (view.has_option('a', "all") || view.has_option('A', "almost-all")) =>
        {
            let operands = default_to_current_dir(view.operands(&[]));
            (
                operands.into_iter().map(|path| tree(path, Skips::Nothing)).collect(),
                Listing::Printed,
            )
        }
        _ => return None,
    };
    Some((trees, listing))
}

/// Returns whether a program that lists files passes them to a program that reads them.
fn use_of_listed_files(view: &View<'_>) -> Listing {
    let programs = view.args.iter().zip(view.args.iter().skip(1));
    let mut run = programs.filter(|(option, _)| EXECUTING.contains(&option.as_str()));
    let reads = |program: &str| {
        let name = program.rsplit('/').next().unwrap_or_default();
        prints_file_content(name)
            || tenterhook_shell::wrapper_names().any(|wrapper| wrapper == name)
    };
    if run.any(|(_, program)| reads(program)) { Listing::Read } else { Listing::Printed }
}

/// Returns the name patterns to which a `find` is limited; empty if it may list other files too.
fn name_patterns_of_find(view: &View<'_>) -> Vec<String> {
    if !is_narrow_search(view) || view.has_argument(&["-o", "-or", ",", "!", "-not"]) {
        return Vec::new();
    }
    let pairs = view.args.iter().zip(view.args.iter().skip(1));
    let named = pairs.filter(|(test, _)| matches!(test.as_str(), "-name" | "-iname"));
    named.map(|(_, name)| name.clone()).take(1).collect()
}

/// Returns `true` if a command reads files that the line does not name.
fn reads_unknown_files(view: &View<'_>) -> bool {
    let handed = matches!(view.command.via.last(), Some(Via::Wrapper("xargs" | "parallel")));
    let expands = || view.command.words.iter().skip(1).any(|word| word.kind == WordKind::Expansion);
    prints_file_content(&view.name) && (handed || expands())
}

/// Returns the directories that a program of the table reads.
fn trees_read_by_program(view: &View<'_>, paths: &Paths<'_>) -> Vec<Tree> {
    if view.name == "git" {
        return trees_read_by_git(view, paths);
    }
    let name = view.name.as_str();
    let Some(reader) = READERS.iter().find(|reader| reader.programs.contains(&name)) else {
        return Vec::new();
    };
    if !reads_recursively(reader, view) {
        return Vec::new();
    }
    let everything = reader.shows_all.iter().any(|(short, long)| view.has_option(*short, long));
    let skips = if everything { Skips::Nothing } else { reader.skips };
    let operands: Vec<&str> = match reader.when {
        When::Searching(..) | When::Walking => default_to_current_dir(operands_after_pattern(view)),
        When::Bundled(_) => default_to_current_dir(view.operands(&[])),
        When::Given(..) | When::Word(_) | When::Always => view.operands(&[]),
    };
    let from = view.option_values(reader.starts);
    let placed = from.iter().flat_map(|from| {
        operands
            .iter()
            .filter(|path| !path.starts_with(['/', '~']))
            .map(move |path| format!("{from}/{path}"))
    });
    let all: Vec<String> = operands.iter().map(|path| (*path).to_owned()).chain(placed).collect();
    all.iter().map(|path| tree_of_path(view, paths, path, skips)).collect()
}

/// Returns `true` if a program of the table, called this way, goes through directories.
fn reads_recursively(reader: &Reader, view: &View<'_>) -> bool {
    let has = |options: &[(char, &str)]| {
        options.iter().any(|(short, long)| view.has_option(*short, long))
    };
    match reader.when {
        When::Always => true,
        When::Walking => !view.has_argument(&["--files", "--version", "--type-list"]),
        When::Given(options) => has(options),
        When::Searching(options) => {
            has(options) || view.option_values(&["-d", "--directories"]).contains(&"recurse")
        }
        When::Word(words) => view.has_argument(words),
        When::Bundled(letters) => {
            let first = view.args.first().map(String::as_str).unwrap_or_default();
            let bundle = !first.starts_with("--") && first.contains(letters);
            bundle || has(&[('c', "create"), ('r', "append"), ('u', "update")])
        }
    }
}

/// Returns the directories that a `git` command reads.
fn trees_read_by_git(view: &View<'_>, paths: &Paths<'_>) -> Vec<Tree> {
    let here = |skips| vec![tree_of_path(view, paths, ".", skips)];
    if view.has_argument(&["grep"]) {
        return match () {
            () if view.has_argument(&["--cached"]) => here(Skips::Untracked),
            () if view.has_argument(&["--no-index"]) => here(Skips::Nothing),
            () if view.has_argument(&["--untracked"]) => here(Skips::Ignored),
            () => here(Skips::Untracked),
        };
    }
    if view.has_argument(&["archive"]) {
        return here(Skips::Untracked);
    }
    if view.has_argument(&["diff"]) && view.has_argument(&["--no-index"]) {
        let operands = view.operands(&[]).into_iter().skip(1);
        return operands.map(|path| tree_of_path(view, paths, path, Skips::Nothing)).collect();
    }
    Vec::new()
}

/// Returns the operands, or `.` if the command has no operand.
fn default_to_current_dir(operands: Vec<&str>) -> Vec<&str> {
    if operands.is_empty() { vec!["."] } else { operands }
}

/// Builds the tree at `path`, with the name patterns and exclusions of the command's options.
fn tree_of_path(view: &View<'_>, paths: &Paths<'_>, path: &str, skips: Skips) -> Tree {
    let texts = |values: Vec<&str>| values.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let is_pattern = |text: &&str| !text.starts_with('!');
    let names = match view.name.as_str() {
        "rg" => view
            .option_values(&["-g", "--glob", "--iglob"])
            .into_iter()
            .filter(is_pattern)
            .collect(),
        "grep" | "egrep" | "fgrep" | "ggrep" => view.option_values(&["--include"]),
        _ => Vec::new(),
    };
    let excluded = match view.name.as_str() {
        "grep" | "egrep" | "fgrep" | "ggrep" | "tar" | "gtar" | "bsdtar" | "rsync" => {
            view.option_values(&["--exclude"])
        }
        _ => Vec::new(),
    };
    let path = if view.meter.spend_steps_for_bytes(path.len() + view.cwd.len()) {
        paths.path_seen_from_project(path, &view.cwd)
    } else {
        ".".to_owned()
    };
    Tree { path, skips, names: texts(names), excluded: texts(excluded) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::footprint_of;
    use super::*;

    fn trees(line: &str) -> Vec<(String, Skips)> {
        footprint_of(line).trees.into_iter().map(|tree| (tree.path, tree.skips)).collect()
    }

    /// AG-15.
    #[test]
    fn directory_read_with_everything_in_it_is_listed() {
        use Skips::{HiddenAndIgnored, Ignored, Nothing, Untracked};
        for (line, path, skips) in [
            ("grep -r x .", ".", Nothing),
            ("grep -Rn x src", "src", Nothing),
            ("grep -rn x", ".", Nothing),
            ("cd src && grep -r x", "src", Nothing),
            ("grep -d recurse x src", "src", Nothing),
            ("R=-r; grep $R x src", "src", Nothing),
            ("rg x", ".", HiddenAndIgnored),
            ("rg -uu x src", "src", Nothing),
            ("rg --hidden x", ".", Nothing),
            ("git grep x", ".", Untracked),
            ("git grep --untracked x", ".", Ignored),
            ("tar c .", ".", Nothing),
            ("tar -czf x.tgz src", "src", Nothing),
            ("tar -C src -cf - .", "src", Nothing),
            ("cp -r src /tmp/x", "src", Nothing),
            ("mv src other", "src", Nothing),
            ("find . -exec cat {} +", ".", Nothing),
            ("find src -type f | xargs cat", "src", Nothing),
            ("cat $(find src -type f)", "src", Nothing),
            ("find src | while read f; do cat \"$f\"; done", "src", Nothing),
            ("git ls-files | xargs cat", ".", Untracked),
            ("ls -A | xargs cat", ".", Nothing),
            ("fd -H . src -x cat", "src", Nothing),
        ] {
            let found = trees(line);
            assert!(found.contains(&(path.to_owned(), skips)), "{line}: {found:?}");
        }
    }

    /// AG-15.
    #[test]
    fn program_that_shows_no_contents_lists_no_directory() {
        for line in [
            "grep x src/a.rs",
            "find . -name x",
            "find . | wc -l",
            "find . -name '*.o' -exec rm {} +",
            "find . | grep x | head -3",
            "tar xf x.tar",
            "tar tf x.tar",
            "cp a b",
            "ls -la",
            "cat src/a.rs",
            "rg --files",
            "git status",
        ] {
            assert_eq!(trees(line), Vec::new(), "{line}");
        }
    }

    #[test]
    fn names_that_a_line_keeps_to_or_leaves_out_are_listed() {
        let tree = |line: &str| footprint_of(line).trees.first().cloned().unwrap();
        assert_eq!(tree("find . -name '*.rs' -exec cat {} +").names, ["*.rs"]);
        assert_eq!(tree("find . -name '*.rs' -o -name '*' -exec cat {} +").names, [""; 0]);
        assert_eq!(tree("grep -r --include='*.rs' x .").names, ["*.rs"]);
        assert_eq!(tree("grep -r --exclude=.env x .").excluded, [".env"]);
    }
}
