//! Does a command give a guard's file a second name? Whatever is written by that name afterwards is written into the guard (SP-26).

use super::Here;
use crate::call::Found;

/// An option: its letter and its long name.
type Switch = (char, &'static str);

/// Programs that link files: with one of these options or always if the list is empty.
const LINKERS: &[(&[&str], &[Switch])] = &[
    (&["ln", "gln", "link"], &[]),
    (&["cp", "gcp"], &[('l', "link"), ('s', "symbolic-link")]),
    (&["pax", "cpio"], &[('l', "link")]),
];

/// Options of copying programs whose value is a directory of files that are linked.
const LINKED_FROM: &[&str] = &["--link-dest"];

/// Letters of options that take what follows them as their value.
const VALUED: &[char] = &['t', 'S'];

/// Options that copy a directory with everything in it.
const WHOLE: &[Switch] = &[('r', "recursive"), ('R', "recursive"), ('a', "archive")];

/// Notes the guards to which a command gives a second name, by a link or a copy made of hard links.
pub(super) fn note_links_to_guards(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let is_second_name = |written: &&str| {
        here.names_part_of_guard(written) || here.names_directory_of_guard(written)
    };
    let linked_from = view.option_values(LINKED_FROM).into_iter().filter(is_second_name);
    found.guards.extend(linked_from.map(|written| here.path_seen_from_project(written)));
    let named = LINKERS.iter().find(|(programs, _)| programs.contains(&view.name.as_str()));
    let Some((_, options)) = named else { return };
    if !options.is_empty() && !options.iter().any(|option| has_option(here, *option)) {
        return;
    }
    let into = ["-t", "--target-directory"];
    let mut sources = view.operands(&["-t", "--target-directory", "-S", "--suffix"]);
    // The last operand is the new name. What it replaces is judged as what the command writes.
    if sources.len() > 1 && view.option_values(&into).is_empty() {
        sources.pop();
    }
    sources.extend(view.fed.iter().map(String::as_str));
    // A copy of a directory that is made of hard links holds a second name of each file in it.
    let is_whole = !options.is_empty() && WHOLE.iter().any(|option| has_option(here, *option));
    let linked = sources.into_iter().filter(|written| {
        is_second_name(written) || is_whole && here.names_guard_or_parent(written)
    });
    found.guards.extend(linked.map(|written| here.path_seen_from_project(written)));
}

/// Whether a command has an option, in a cluster of letters or by its long name, which may be
/// abbreviated.
fn has_option(here: &Here<'_>, (letter, long): Switch) -> bool {
    let options = here.view.args.iter().take_while(|arg| *arg != "--");
    options.filter_map(|arg| arg.strip_prefix('-')).any(|option| match option.strip_prefix('-') {
        Some(name) => !name.is_empty() && long.starts_with(name.split('=').next().unwrap_or(name)),
        None => option.chars().take_while(|c| !VALUED.contains(c)).any(|c| c == letter),
    })
}
