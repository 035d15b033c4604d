//! Which parts of a guard does git change: by the paths that a command names, and by the directory of its hooks?

use super::{Here, names};
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
    "update-index",
];

/// Options of git itself that are followed by a value.
const VALUED: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

/// Options of `git config` with which it only looks.
const LOOKS: &[&str] = &["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"];

/// Those with which it removes a setting, which names no value.
const UNSETS: &[&str] = &["--unset", "--unset-all", "unset"];

pub(super) fn look(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    if view.name != "git" {
        return;
    }
    if is_hooks_path(here) {
        found.disarms.insert("sets the directory of git's hooks".to_owned());
    }
    let operands = view.operands(VALUED);
    let Some((verb, operands)) = operands.split_first() else { return };
    if *verb == "clone" || *verb == "worktree" {
        let to = operands
            .iter()
            .filter(|it| here.is_part(it) || protect::is_home_of_guard(&here.seen(it)));
        found.guards.extend(to.map(|it| here.seen(it)));
    }
    // What leaves the index alone stays where it is.
    if !CHANGING.contains(verb)
        || view.says(&["--cached", "--dry-run", "-n"])
        || is_look(verb, operands)
    {
        return;
    }
    let trees = view.command.assignments.iter().filter(|set| set.name == "GIT_WORK_TREE");
    let trees = trees.map(|set| set.value.text.as_str());
    let at: Vec<&str> = trees.chain(view.values(&["-C", "--work-tree"])).collect();
    let join = |all: String, next: &&str| match next.starts_with(['/', '~']) {
        true => (*next).to_owned(),
        false => format!("{all}/{next}"),
    };
    let top = here.seen(&at.iter().fold(".".to_owned(), join));
    let is_above = || top.starts_with('~') && names::holds(&top, Hold::Parent, here.paths);
    if *verb == "clean" && (protect::is_home_of_guard(&top) || is_above()) {
        found.guards.insert(top);
    }
    for path in operands {
        let path = path.strip_prefix(":/").unwrap_or(path);
        let path = if path.starts_with(":(") {
            path.split_once(')').map_or(path, |(_, it)| it)
        } else {
            path
        };
        let written = at.iter().fold(String::new(), |all, it| format!("{all}{it}/")) + path;
        let seen = here.seen(&written);
        // What git keeps of the whole project is as it was committed; a directory of a guard is named for its own sake.
        let hold = protect::hold(&seen);
        if !path.is_empty() && (hold == Hold::Part || protect::is_home_of_guard(&seen)) {
            found.guards.insert(seen);
        }
    }
}

fn is_look(verb: &str, operands: &[&str]) -> bool {
    verb == "stash" && matches!(operands.first(), Some(&("list" | "show")))
}

/// `git config core.hooksPath x`, `git -c core.hooksPath=x`, `GIT_CONFIG_KEY_0=core.hooksPath git`.
fn is_hooks_path(here: &Here<'_>) -> bool {
    let view = here.view;
    let is = |text: &str| text.to_ascii_lowercase().contains("core.hookspath");
    let by_option =
        view.values(&["-c", "--config-env"]).iter().any(|it| is(it) && it.contains('='));
    let by_variable = view
        .command
        .assignments
        .iter()
        .any(|it| it.name.starts_with("GIT_CONFIG") && is(&it.value.text));
    let sets = view.says(&["config"])
        && view.args.iter().any(|it| is(it))
        && !view.says(LOOKS)
        && (view.says(UNSETS)
            || view.operands(VALUED).iter().skip_while(|word| !is(word)).count() > 1);
    by_option || by_variable || sets
}
