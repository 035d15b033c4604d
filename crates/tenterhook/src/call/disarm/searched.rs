//! Which guards does a search come upon that removes or changes what it finds: `find ~/.config -delete`, `fd . ~ -x rm`? Looks at no disk.

use super::Here;
use super::table::{NAME_TESTS, SEARCHERS};
use crate::call::Found;
use crate::call::find::starts;
use crate::call::view::View;
use crate::protect;

/// Programs that run a command with the words that they read.
const FEEDERS: &[&str] = &["xargs", "gxargs", "parallel", "rush"];

/// Fewest letters of a pattern that is meant for one file.
const LEAST_LETTERS: usize = 3;

pub(super) fn look(here: &Here<'_>, views: &[View<'_>], found: &mut Found) {
    let view = here.view;
    let Some((name, runs)) = SEARCHERS.iter().find(|(name, _)| *name == view.name) else { return };
    let is_find = !name.starts_with("fd");
    let behind = view.args.iter().skip_while(|arg| !runs.contains(&arg.as_str()));
    let changes = protect::may_change(&behind.map(String::as_str).collect::<Vec<_>>().join(" "));
    let deletes = is_find && view.says(&["-delete"]);
    // `find ~/.config -type f | xargs rm`
    let feeds = || {
        let is_feeder = |other: &View<'_>| FEEDERS.contains(&other.name.as_str());
        let changes = |other: &View<'_>| protect::may_change(&other.args.join(" "));
        view.feeds() && views.iter().any(|other| is_feeder(other) && changes(other))
    };
    if !(deletes || changes || feeds()) {
        return;
    }
    let searched: Vec<&str> = if is_find { starts(view) } else { directories(view, runs) };
    if is_find {
        let meant = |word: &&str| here.is_part(word) || protect::is_home_of_guard(&here.seen(word));
        let named = view.args.iter().map(|arg| arg.trim_start_matches("*/").trim_end_matches("/*"));
        found.guards.extend(named.filter(meant).filter(|_| deletes).map(|word| here.seen(word)));
        found.guards.extend(by_name(here, &searched).filter(|_| deletes));
    }
    if !is_narrow(view, is_find) {
        let above = searched.into_iter().filter(|directory| here.is_around(directory));
        found.guards.extend(above.map(|directory| here.seen(directory)));
    }
}

/// The directories that an `fd` searches: what stands behind its pattern, and the values of its options.
fn directories<'a>(view: &'a View<'_>, runs: &[&str]) -> Vec<&'a str> {
    let options = ["--base-directory", "--search-path", "-C"];
    let own = view.args.iter().take_while(|arg| !runs.contains(&arg.as_str()));
    let operands = own.filter(|arg| !arg.starts_with('-')).skip(1).map(String::as_str);
    operands.chain(view.values(&options)).collect()
}

/// Whether a search is for certain names; those that may be any are none.
fn is_narrow(view: &View<'_>, is_find: bool) -> bool {
    let is_any = |name: &str| name.chars().all(|c| "*.?^$/".contains(c));
    let tests = view.args.iter().zip(view.args.iter().skip(1));
    let mut names = tests.filter(|(test, _)| NAME_TESTS.contains(&test.as_str()));
    let named = match is_find {
        true => names.any(|(_, name)| !is_any(name)),
        false => view.says(&["-e", "--extension"]),
    };
    let pattern = || view.operands(&[]).first().is_some_and(|pattern| !is_any(pattern));
    named || !is_find && pattern()
}

/// `find . -name 'sett*.json' -delete`: a pattern that fits the name of a guard's file, where such a file may lie.
fn by_name<'a>(here: &'a Here<'_>, searched: &[&str]) -> impl Iterator<Item = String> {
    let is_there = searched.iter().any(|start| here.is_held(start));
    let letters = |name: &&str| {
        let stem = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
        stem.chars().filter(char::is_ascii_alphanumeric).count() >= LEAST_LETTERS
    };
    let names = here.view.values(&["-name", "-iname"]).into_iter().filter(letters);
    let fits = |name: &&str| protect::file_names().any(|file| protect::is_match(name, file));
    names.filter(move |_| is_there).filter(fits).map(str::to_owned)
}
