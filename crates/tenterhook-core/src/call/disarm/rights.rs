//! Does a command take rights to a guard away: of a part of it, or of a directory above it, without which it cannot be read?

use super::Here;
use super::table::RIGHTS;
use crate::call::Found;
use crate::call::view::View;
use crate::protect::{self, Hold};

/// Notes the guards whose owner or permissions a command changes, and the directories of guards
/// that it makes unreadable.
pub(super) fn note_guards_with_changed_rights(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let name = view.name.as_str();
    if !RIGHTS.contains(&name) {
        return;
    }
    let mut operands = view.operands(&[]);
    // `chmod -x FILE` has the rights among its options, `chmod --reference=X FILE` in another file.
    let by_option = name == "chmod"
        && view.args.iter().any(|arg| is_mode_removing_permissions(arg))
        || view.args.iter().any(|arg| arg.starts_with("--reference"));
    let has_mode = match name {
        "chmod" | "chown" | "chgrp" | "chflags" => !by_option,
        "chattr" => operands.first().is_some_and(|first| first.starts_with(['+', '='])),
        _ => false,
    };
    let mode = if has_mode && !operands.is_empty() { Some(operands.remove(0)) } else { None };
    // A program or a directory that gets its usual rights back loses nothing.
    let is_harmless =
        name == "chmod" && mode.is_some_and(|mode| matches!(mode, "+x" | "u+x" | "a+x"));
    if is_harmless {
        return;
    }
    let takes = where_guard_gets_unreadable(view, mode, here);
    let changed = operands.into_iter().filter(|word| {
        let seen = here.path_seen_from_project(word);
        here.names_part_of_guard(word)
            || protect::is_guard_directory(&seen)
            || takes == Takes::Above && here.names_shared_parent_of_guard(word)
            || takes == Takes::All && protect::relation_of_path_to_guards(&seen) != Hold::Nothing
            || takes == Takes::All && here.names_shared_parent_of_guard(word)
    });
    found.guards.extend(changed.map(|word| here.path_seen_from_project(word)));
}

/// In which directories that hold a guard a change of rights makes it unreadable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// In those outside of the project: there an agent has no reason to do so.
    Above,
    /// In all.
    All,
}

/// Returns in which directories that hold a guard this change of rights makes the guard unreadable.
fn where_guard_gets_unreadable(view: &View<'_>, mode: Option<&str>, here: &Here<'_>) -> Takes {
    let says = |marks: &[&str]| {
        view.args.iter().any(|arg| marks.iter().any(|mark| arg.to_ascii_lowercase().contains(mark)))
    };
    match view.name.as_str() {
        "chmod" => {
            let mut modes = view
                .args
                .iter()
                .filter(|arg| is_mode_removing_permissions(arg))
                .map(String::as_str)
                .chain(mode);
            let is_copied = view.args.iter().any(|arg| arg.starts_with("--reference"));
            if is_copied || modes.any(closes_directory_to_owner) {
                Takes::All
            } else {
                Takes::Nothing
            }
        }
        "chown" => match mode.map(|owner| owner.split([':', '.']).next().unwrap_or(owner)) {
            Some("") => Takes::Nothing,
            Some(owner) if owner.contains(['$', '`']) || is_home_owner(owner, here) => {
                Takes::Nothing
            }
            _ => Takes::Above,
        },
        "chattr" if mode.is_some() => Takes::Above,
        "chflags" if mode.is_some_and(|flags| !flags.starts_with("no")) => Takes::Above,
        "setfacl" if says(&[":-", ":0"]) => Takes::Above,
        "icacls" if says(&["/deny", "/remove", "/inheritance"]) => Takes::Above,
        _ => Takes::Nothing,
    }
}

/// Whether a name is that of the user whose home directory it is.
fn is_home_owner(owner: &str, here: &Here<'_>) -> bool {
    here.paths.home.rsplit('/').next() == Some(owner)
}

/// Whether an argument is a mode that takes away permissions: `-x`, `-rwx`.
fn is_mode_removing_permissions(arg: &str) -> bool {
    let letters = arg.strip_prefix('-').filter(|letters| !letters.is_empty());
    letters.is_some_and(|letters| letters.chars().all(|c| "rwxXst,+=".contains(c)))
}

/// Whether the owner of a directory can no longer read or enter it with that mode.
fn closes_directory_to_owner(mode: &str) -> bool {
    let (may_read, may_enter) = owner_may_read_and_enter(mode);
    !(may_read && may_enter)
}

/// Whether the owner of a file can no longer read it with that mode.
pub(super) fn is_unreadable_file_mode(mode: &str) -> bool {
    !owner_may_read_and_enter(mode).0
}

/// Returns whether the owner of a directory may read it and enter it with a mode, if both were
/// allowed before.
fn owner_may_read_and_enter(mode: &str) -> (bool, bool) {
    if mode.chars().all(|c| c.is_digit(8)) && !mode.is_empty() {
        let owner = mode.chars().rev().nth(2).and_then(|digit| digit.to_digit(8)).unwrap_or(0);
        return (owner & 4 == 4, owner & 1 == 1);
    }
    let (mut may_read, mut may_enter) = (true, true);
    for clause in mode.split(',') {
        let who = clause.find(['+', '-', '=']).unwrap_or(clause.len());
        let (who, operations) = clause.split_at_checked(who).unwrap_or_default();
        if !(who.is_empty() || who.contains(['u', 'a'])) {
            continue;
        }
        let mut operation = '+';
        for c in operations.chars() {
            match (operation, c) {
                (_, '=') => (operation, may_read, may_enter) = ('=', false, false),
                (_, '+' | '-') => operation = c,
                (_, 'r') => may_read = operation != '-',
                (_, 'x' | 'X') => may_enter = operation != '-',
                _ => {}
            }
        }
    }
    (may_read, may_enter)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP-52.
    #[test]
    fn mode_closes_a_directory_for_its_owner() {
        for mode in ["000", "0", "644", "0600", "u-x", "a-r", "-rx", "u=", "u=rw,go=", "-x", "077"]
        {
            assert!(closes_directory_to_owner(mode), "{mode}");
        }
        for mode in [
            "755",
            "0700",
            "2775",
            "u+x",
            "go-rwx",
            "u=rwX,go=rX",
            "a-x+X",
            "+x",
            "o=",
            "g+s",
            "-w",
            "a+rX",
            "500",
        ] {
            assert!(!closes_directory_to_owner(mode), "{mode}");
        }
    }
}
