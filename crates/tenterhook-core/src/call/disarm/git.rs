//! Which parts of a guard does git change: by the paths that a command names, and by the directory of its hooks?

use super::Here;
use crate::call::Found;
use crate::protect::{self, Hold};

/// Commands that change the files they name.
const CHANGING: &[&str] = &[
    "checkout",
    "restore",
    "stash",
    "mv",
    "rm",
    "reset",
    "clean",
    "sparse-checkout",
    "switch",
    "update-index",
    "worktree",
];

/// Commands that change a whole working tree, and the options with which they do; always, where the list is empty.
const WHOLE: &[(&str, &[&str])] = &[
    ("clean", &[]),
    ("stash", &[]),
    ("reset", &["--hard", "--merge", "--keep"]),
    ("checkout", &["-f", "--force"]),
    ("switch", &["-f", "--force", "--discard-changes"]),
    ("read-tree", &["-u", "--reset"]),
    ("checkout-index", &["-f", "--force"]),
    ("sparse-checkout", &[]),
];

/// Words with which such a command leaves the working tree as it is, or brings back what it took.
const LEAVES: &[(&str, &[&str])] = &[
    ("stash", &["list", "show", "apply", "pop", "drop", "clear", "branch", "create", "store"]),
    ("sparse-checkout", &["list", "check-rules"]),
];

/// Options of git itself that are followed by a value.
const VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// Those and the ones of its commands.
const ALL_VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "-m",
    "--message",
    "-e",
    "--exclude",
    "-s",
    "--source",
    "--pathspec-from-file",
    "--conflict",
];

/// Options of `git config` with which it only looks.
const LOOKS: &[&str] = &["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"];

/// Those with which it removes a setting, which names no value.
const UNSETS: &[&str] = &["--unset", "--unset-all", "unset"];

/// Notes the guards that a git command would change.
pub(super) fn note_guards_changed_by_git(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    // `yadm` is git in the home.
    let is_at_home = view.name == "yadm";
    if view.name != "git" && !is_at_home {
        return;
    }
    if sets_hooks_path(here) {
        found.disarms.insert("sets the directory of git's hooks".to_owned());
    }
    let operands = view.operands(ALL_VALUED);
    let Some((verb, operands)) = operands.split_first() else { return };
    if *verb == "clone" || *verb == "worktree" {
        let to = operands.iter().filter(|operand| {
            here.names_part_of_guard(operand)
                || protect::is_guard_directory(&here.path_seen_from_project(operand))
        });
        found.guards.extend(to.map(|text| here.path_seen_from_project(text)));
    }
    // What leaves the index alone stays where it is.
    let is_of_index =
        *verb == "restore" && view.has_option('S', "staged") && !view.has_option('W', "worktree");
    if leaves_working_files_unchanged(here) || is_of_index || is_read_only_verb(verb, operands) {
        return;
    }
    let trees = view.command.assignments.iter().filter(|set| set.name == "GIT_WORK_TREE");
    let trees = trees.map(|set| set.value.text.as_str());
    let at: Vec<&str> = trees.chain(view.option_values(&["-C", "--work-tree"])).collect();
    let join = |all: String, next: &&str| match next.starts_with(['/', '~']) {
        true => (*next).to_owned(),
        false => format!("{all}/{next}"),
    };
    let start = if is_at_home { "~" } else { "." };
    let top = at.iter().fold(start.to_owned(), join);
    note_changed_working_tree(here, verb, operands, &top, found);
    if !CHANGING.contains(verb) {
        return;
    }
    for path in operands {
        let path = path.strip_prefix(":/").unwrap_or(path);
        let path = if path.starts_with(":(") {
            path.split_once(')').map_or(path, |(_, tail)| tail)
        } else {
            path
        };
        let path = if path.is_empty() { "." } else { path };
        let written = join(top.clone(), &path);
        let seen = here.path_seen_from_project(&written);
        // What git keeps of the whole project is as it was committed; a directory of a guard is named for its own sake.
        let hold = protect::relation_of_path_to_guards(&seen);
        if hold == Hold::Part
            || protect::is_guard_directory(&seen)
            || here.names_shared_parent_of_guard(&written)
        {
            found.guards.insert(seen);
        }
    }
}

/// Notes a git command that changes a whole working tree above a guard, outside of the project:
/// `git -C ~/.config clean -fdx`.
fn note_changed_working_tree(
    here: &Here<'_>,
    verb: &str,
    operands: &[&str],
    top: &str,
    found: &mut Found,
) {
    let view = here.view;
    let is_whole = |(name, options): &&(&str, &[&str])| {
        *name == verb
            && (options.is_empty()
                || view.has_argument(options)
                || options.contains(&"-f") && view.has_option('f', "force"))
    };
    let leaves = |(name, words): &&(&str, &[&str])| {
        *name == verb && operands.first().is_some_and(|word| words.contains(word))
    };
    // Paths say what of the tree is meant, and are looked at each.
    let names_paths = match verb {
        "stash" => operands.first().is_some_and(|word| *word == "push") && operands.len() > 1,
        "sparse-checkout" => false,
        "checkout" | "switch" | "reset" | "read-tree" => view.has_argument(&["--"]),
        _ => !operands.is_empty() && !here.has_unknown_arguments(),
    };
    if names_paths || WHOLE.iter().find(is_whole).is_none() || LEAVES.iter().any(|row| leaves(&row))
    {
        return;
    }
    if here.names_any_parent_of_guard(top) {
        found.guards.insert(here.path_seen_from_project(top));
    }
}

/// Whether git only shows what it would do, or changes only its index. The value of an option is
/// not an option.
fn leaves_working_files_unchanged(here: &Here<'_>) -> bool {
    let mut args = here.view.args.iter().map(String::as_str).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if ALL_VALUED.contains(&arg) {
            args.next();
        } else if matches!(arg, "--cached" | "--dry-run" | "-n") {
            return true;
        } else if arg.len() > 2 && arg.starts_with('-') && !arg.starts_with("--") {
            let cluster = arg.get(1..).unwrap_or_default();
            let is_cluster = cluster.bytes().all(|byte| b"fdrxXqn".contains(&byte));
            if is_cluster && cluster.contains('n') {
                return true;
            }
        }
    }
    false
}

fn is_read_only_verb(verb: &str, operands: &[&str]) -> bool {
    verb == "stash" && matches!(operands.first(), Some(&("list" | "show")))
}

/// Whether a command sets git's path of hooks: `git config core.hooksPath x`, `git -c
/// core.hooksPath=x`, `GIT_CONFIG_KEY_0=core.hooksPath git`.
fn sets_hooks_path(here: &Here<'_>) -> bool {
    let view = here.view;
    let is = |text: &str| text.to_ascii_lowercase().contains("core.hookspath");
    let by_option = view
        .option_values(&["-c", "--config-env"])
        .iter()
        .any(|text| is(text) && text.contains('='));
    let by_variable =
        view.command.assignments.iter().any(|assignment| {
            assignment.name.starts_with("GIT_CONFIG") && is(&assignment.value.text)
        });
    let sets = view.has_argument(&["config"])
        && view.args.iter().any(|arg| is(arg))
        && !view.has_argument(LOOKS)
        && (view.has_argument(UNSETS)
            || view.operands(VALUED).iter().skip_while(|word| !is(word)).count() > 1);
    by_option || by_variable || sets
}
