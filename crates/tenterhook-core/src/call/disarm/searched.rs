//! Which guards does a search come upon that removes or changes what it finds: `find ~/.config -delete`, `fd . ~ -x rm`? Looks at no disk.

use tenterhook_shell::Context;

use super::Here;
use super::rights::is_unreadable_file_mode;
use super::table::{NAME_TESTS, SEARCHERS};
use crate::call::Found;
use crate::call::find::start_directories_of_find;
use crate::call::view::View;
use crate::protect;

/// Programs that run a command with the words that they read.
const FEEDERS: &[&str] = &["xargs", "gxargs", "parallel", "rush"];

/// Programs that list the files in which they find something.
const LISTERS: &[&str] = &["grep", "egrep", "fgrep", "rg", "ag", "ack"];

/// Options of `fd` that are followed by a value.
const FD_VALUED: &[&str] = &[
    "--base-directory",
    "--search-path",
    "-C",
    "-d",
    "-e",
    "-t",
    "-E",
    "-S",
    "--type",
    "--extension",
    "--exclude",
    "--max-depth",
];

/// Fewest letters of a pattern that is meant for one file.
const LEAST_LETTERS: usize = 3;

pub(super) fn note_searched_guards(here: &Here<'_>, views: &[View<'_>], found: &mut Found) {
    let view = here.view;
    if LISTERS.contains(&view.name.as_str()) {
        let lists =
            view.has_option('l', "files-with-matches") && are_listed_files_changed(view, views);
        let searched = view.operands(&["-e", "-f", "-g"]).into_iter().skip(1);
        let around =
            searched.filter(|directory| lists && here.names_any_parent_of_guard(directory));
        return found.guards.extend(around.map(|directory| here.path_seen_from_project(directory)));
    }
    let Some((name, runs)) = SEARCHERS.iter().find(|(name, _)| *name == view.name) else { return };
    let is_find = !name.starts_with("fd");
    let behind = view.args.iter().map(String::as_str).skip_while(|arg| !runs.contains(arg));
    let behind: Vec<&str> = behind.skip(1).collect();
    let changes = match behind.as_slice() {
        // Files that can still be read are no loss.
        ["chmod", mode, ..] if view.has_argument(&["f"]) && !is_unreadable_file_mode(mode) => false,
        _ => protect::may_change_files(&behind.join(" ")),
    };
    let deletes = is_find && view.has_argument(&["-delete"]);
    if !(deletes || changes || are_listed_files_changed(view, views)) {
        return;
    }
    let searched: Vec<&str> =
        if is_find { start_directories_of_find(view) } else { fd_directories(view, runs) };
    let names = searched_names(view, runs, is_find);
    if is_find {
        let meant = |word: &&str| {
            here.names_part_of_guard(word)
                || protect::is_guard_directory(&here.path_seen_from_project(word))
        };
        let named = view.args.iter().map(|arg| arg.trim_start_matches("*/").trim_end_matches("/*"));
        found.guards.extend(
            named.filter(meant).filter(|_| deletes).map(|word| here.path_seen_from_project(word)),
        );
        found.guards.extend(patterns_matching_guards(here, &searched).filter(|_| deletes));
    }
    note_guards_below(here, &searched, &names, |name| pattern_of_name(view, is_find, name), found);
}

/// Notes the searched directories that hold a guard, or the searched names that such a directory
/// may have below it. No name is an excuse near the state directory.
fn note_guards_below(
    here: &Here<'_>,
    searched: &[&str],
    names: &[&str],
    pattern: impl Fn(&str) -> String,
    found: &mut Found,
) {
    let takes_all = names.iter().all(|name| is_any_name(name));
    let above = searched.iter().filter(|directory| here.names_any_parent_of_guard(directory));
    let above: Vec<String> =
        above.map(|directory| here.path_seen_from_project(directory)).collect();
    if !takes_all && !above.is_empty() {
        let is_guard = |name: &&str| {
            may_lead_to_guard(name)
                || !here.view.meter.spend_steps(name.len())
                || protect::may_match_state_name(&pattern(name))
        };
        found.guards.extend(names.iter().copied().filter(is_guard).map(str::to_owned));
    }
    let is_closed = |directory: &String| takes_all || protect::is_at_or_near_state(directory);
    found.guards.extend(above.into_iter().filter(is_closed));
}

fn is_any_name(name: &str) -> bool {
    name.chars().all(|c| "*.?^$/".contains(c))
}

/// Returns what a searched name is as a pattern of shells.
fn pattern_of_name(view: &View<'_>, is_find: bool, name: &str) -> String {
    if !is_find {
        let is_extension = view.option_values(&["-e", "--extension"]).contains(&name);
        return match is_extension {
            true => format!("*.{name}"),
            false => protect::pattern_of_regex(name, false),
        };
    }
    match view.option_values(&["-regex", "-iregex"]).contains(&name) {
        true => protect::pattern_of_regex(name, true),
        false => name.to_owned(),
    }
}

/// Whether the files that a command lists are changed by a different command: `| xargs rm`, `rm
/// $(...)`.
fn are_listed_files_changed(view: &View<'_>, views: &[View<'_>]) -> bool {
    let is_inside = view.command.context == Context::CommandSubstitution;
    let changes = |other: &View<'_>| {
        let is_feeder = FEEDERS.contains(&other.name.as_str());
        let line = || format!("{} {}", other.name, other.args.join(" "));
        let is_outside = is_inside
            && other.command.words.iter().any(|word| {
                word.source.contains(&format!("$({}", view.name))
                    || word.source.contains(&format!("`{}", view.name))
            });
        (is_feeder || is_outside) && protect::may_change_files(&line())
    };
    view.is_output_consumed() && view.meter.spend_steps(views.len()) && views.iter().any(changes)
}

/// Returns the names that a search looks for: the values of its tests, or the pattern of an `fd`.
fn searched_names<'a>(view: &'a View<'_>, runs: &[&str], is_find: bool) -> Vec<&'a str> {
    if is_find {
        // A name that is left out narrows nothing.
        let before = std::iter::once("").chain(view.args.iter().map(String::as_str));
        let tests = before.zip(&view.args).zip(view.args.iter().skip(1));
        let named = tests.filter(|((before, test), _)| {
            NAME_TESTS.contains(&test.as_str()) && !matches!(*before, "!" | "-not")
        });
        return named.map(|(_, name)| name.as_str()).collect();
    }
    let own = view.args.iter().map(String::as_str).take_while(|arg| !runs.contains(arg));
    let mut before = "";
    let mut found = Vec::new();
    for arg in own {
        let is_value = FD_VALUED.contains(&std::mem::replace(&mut before, arg));
        if !arg.starts_with('-') && !is_value {
            found.push(arg);
            break;
        }
    }
    let extensions = view.option_values(&["-e", "--extension"]);
    // A pattern that matches any name does not undo the extension.
    found.retain(|name| extensions.is_empty() || !is_any_name(name));
    found.extend(extensions);
    found
}

/// Whether a name that is searched for in a home directory is that of a guard or of a directory
/// above one.
fn may_lead_to_guard(name: &str) -> bool {
    let name = name.trim_start_matches(['*', '.', '^', '/']).trim_end_matches(['*', '$', '/']);
    let name = name.strip_suffix("/.").unwrap_or(name);
    !name.is_empty()
        && ["~/.", "~/.config/", "~/"].iter().any(|start| {
            protect::relation_of_path_to_guards(&format!("{start}{name}")) != protect::Hold::Nothing
        })
}

/// Returns the directories that an `fd` searches: the operands after its pattern, and the values of
/// its options.
fn fd_directories<'a>(view: &'a View<'_>, runs: &[&str]) -> Vec<&'a str> {
    let options = ["--base-directory", "--search-path", "-C"];
    let own = view.args.iter().take_while(|arg| !runs.contains(&arg.as_str()));
    let operands = own.filter(|arg| !arg.starts_with('-')).skip(1).map(String::as_str);
    let named: Vec<&str> = operands.chain(view.option_values(&options)).collect();
    if named.is_empty() { vec!["."] } else { named }
}

/// Iterates over the searched name patterns that match the name of a guard's file, if such a file
/// may be in a searched directory: `find . -name 'sett*.json' -delete`.
fn patterns_matching_guards(here: &Here<'_>, searched: &[&str]) -> impl Iterator<Item = String> {
    let is_there = searched.iter().any(|start| here.names_guard_or_parent(start));
    let letters = |name: &&str| {
        let stem = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
        stem.chars().filter(char::is_ascii_alphanumeric).count() >= LEAST_LETTERS
    };
    let names = here.view.option_values(&["-name", "-iname"]).into_iter().filter(letters);
    let fits = |name: &&str| {
        protect::guarded_file_names().any(|file| protect::shell_pattern_matches(name, file))
    };
    names.filter(move |_| is_there).filter(fits).map(str::to_owned)
}
