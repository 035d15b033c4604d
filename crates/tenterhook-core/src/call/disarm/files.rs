//! Which parts of a guard does a command change that the common tables do not tell of: directories that are replaced, editors,
//! archives?

use tenterhook_shell::strings::quoted_texts;

use super::Here;
use super::table::{CODED, EDITORS, RENAMERS, SOMETIMES, Sometimes, UNPACKERS};
use crate::call::path::Paths;
use crate::call::view::View;
use crate::call::{Found, literals};
use crate::protect;

/// Notes the guards that a program which changes files would change.
pub(super) fn note_guards_changed_by_program(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let name = view.name.as_str();
    let operands = || view.operands(&[]);
    if EDITORS.contains(&name) {
        // A directory that has another name holds nothing any more.
        let moved = |word: &str| RENAMERS.contains(&name) && here.names_any_parent_of_guard(word);
        let changed = operands()
            .into_iter()
            .filter(|operand| here.names_part_of_guard(operand) || moved(operand));
        found.guards.extend(changed.map(|text| here.path_seen_from_project(text)));
    }
    if CODED.contains(&name) {
        let paths = Paths { cwd: view.cwd.clone(), ..here.paths.clone() };
        for code in view.option_values(&["-c", "--cmd", "--eval", "-eval", "--execute", "+"]) {
            super::code::note_changed_guards(
                code,
                &quoted_texts(code),
                literals::has_writing_word(code),
                &paths,
                found,
            );
        }
    }
    if SOMETIMES
        .iter()
        .any(|row| row.programs.contains(&name) && changes_files_in_arguments(row, view))
    {
        let changed = view.args.iter().filter(|arg| here.names_part_of_guard(arg));
        found.guards.extend(changed.map(|arg| here.path_seen_from_project(arg)));
    }
    note_replaced_guard_directory(here, found);
    note_unpacked_guards(here, found);
    if matches!(name, "awk" | "gawk") && view.has_argument(&["inplace"])
        || name == "yq" && view.has_option('i', "inplace")
    {
        found.guards.extend(
            operands()
                .into_iter()
                .filter(|operand| here.names_part_of_guard(operand))
                .map(|operand| here.path_seen_from_project(operand)),
        );
    }
    // `sort -o FILE`, `gcc -o FILE`, `jq ... --output FILE`: whatever a program writes by an option.
    let options = ["-o", "--output", "--output-file", "--out", "--in-place"];
    let given =
        view.option_values(&options).into_iter().filter(|text| here.names_part_of_guard(text));
    found.guards.extend(given.map(|text| here.path_seen_from_project(text)));
}

/// Whether a program changes the files in its arguments here.
fn changes_files_in_arguments(row: &Sometimes, view: &View<'_>) -> bool {
    let looks = |arg: &String| {
        let small = arg.to_ascii_lowercase();
        row.looks.iter().any(|start| small.starts_with(start))
    };
    (row.with.is_empty() || view.has_argument(row.with)) && !view.args.iter().any(looks)
}

/// Notes a directory with a guard that a command replaces by a different one: `cp -r x .claude`, `mv x
/// .claude`, `ln -sfn x .claude`.
fn note_replaced_guard_directory(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let operands =
        view.operands(&["-t", "--target-directory", "-S", "--suffix", "-e", "--exclude"]);
    let whole = match view.name.as_str() {
        "cp" => {
            view.has_option('r', "recursive")
                || view.has_option('R', "recursive")
                || view.has_option('a', "archive")
        }
        "mv" | "ln" | "rsync" | "ditto" => true,
        "install" => false,
        _ => return,
    };
    let Some((to, from)) = operands.split_last() else { return };
    let to = view.option_values(&["-t", "--target-directory"]).first().copied().unwrap_or(to);
    let is_home = |path: &str| protect::is_guard_directory(path);
    // `ln -sfn x ~/.config`: the link is put in the place of the directory, and not into it.
    let replaces = view.name == "ln" && view.has_option('n', "no-dereference")
        || matches!(view.name.as_str(), "ln" | "mv") && view.has_option('T', "no-target-directory");
    let places = if here.has_unknown_arguments() { operands.as_slice() } else { &[to] };
    let above = places.iter().filter(|place| replaces && here.names_shared_parent_of_guard(place));
    found.guards.extend(above.map(|place| here.path_seen_from_project(place)));
    if whole && !to.ends_with('/') && is_home(&here.path_seen_from_project(to)) {
        found.guards.insert(here.path_seen_from_project(to));
    }
    for source in from.iter().filter(|from| {
        view.name != "cp" || !here.paths.is_harmless_copy_of_guard(from, to, &view.cwd)
    }) {
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let put = here.path_seen_from_project(&format!("{to}/{name}"));
        if (whole && is_home(&put))
            || protect::relation_of_path_to_guards(&put) == protect::Hold::Part
        {
            found.guards.insert(put);
        }
    }
}

/// Notes files that are unpacked into a guard, or taken from an archive under the name of one.
fn note_unpacked_guards(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let Some((name, options)) = UNPACKERS.iter().find(|(name, _)| *name == view.name) else {
        return;
    };
    let packs = match *name {
        "tar" | "bsdtar" | "gtar" => {
            let first = view.args.first().map(String::as_str).unwrap_or_default();
            let cluster = first.trim_start_matches('-');
            let plain = !first.starts_with("--") && cluster.contains('x');
            !(plain || view.has_option('x', "extract") || view.has_argument(&["--get"]))
        }
        "unzip" => {
            view.has_option('l', "list")
                || view.has_option('t', "test")
                || view.has_option('p', "pipe")
        }
        "7z" | "7za" => !view.has_argument(&["x", "e"]),
        "cpio" => !view.has_option('i', "extract"),
        _ => false,
    };
    if packs {
        return;
    }
    let into = view.option_values(options);
    let directory = |text: &&str| {
        let seen = here.path_seen_from_project(text);
        let is_shared_parent_of_guard = matches!(seen.as_str(), "~" | "/")
            || seen.starts_with("~/") && here.names_guard_or_parent(text);
        here.names_part_of_guard(text)
            || here.names_directory_of_guard(text)
            || is_shared_parent_of_guard
    };
    found.guards.extend(
        into.iter().filter(|text| directory(text)).map(|text| here.path_seen_from_project(text)),
    );
    let base = into.first().copied().unwrap_or(".");
    let valued: Vec<&str> = options.iter().copied().chain(["-f", "--file"]).collect();
    let members = view.operands(&valued).into_iter().skip(1);
    let members = members.map(|member| here.path_seen_from_project(&format!("{base}/{member}")));
    let named = members.filter(|member| {
        protect::relation_of_path_to_guards(member) == protect::Hold::Part
            || protect::is_guard_directory(member)
    });
    found.guards.extend(named);
}
