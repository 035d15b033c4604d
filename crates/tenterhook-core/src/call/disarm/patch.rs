//! Which files does a patch change? Its text is read where somebody may look, and what cannot be read is taken to change a
//! guard.

use memchr::memmem;

use super::Here;
use crate::call::Found;
use crate::call::path::Paths;
use crate::protect::{self, Hold};

/// The marks of lines that name a file, in every form of patch.
const MARKS: &[&str] = &[
    "+++ ",
    "--- ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Index: ",
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "*** ",
];

/// With these a patch is only looked at, or one that was begun is ended.
const LOOKS: &[&str] = &[
    "--check",
    "--stat",
    "--numstat",
    "--summary",
    "--dry-run",
    "--abort",
    "--skip",
    "--quit",
    "--help",
    "--version",
    "--show-current-patch",
];

pub(super) fn note_patched_guards(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    if view.has_argument(LOOKS) {
        return;
    }
    let git = [
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "-p",
        "--directory",
        "--exclude",
        "--include",
        "-U",
        "--whitespace",
    ];
    let operands = view.operands(&git);
    let (files, base): (Vec<&str>, Vec<&str>) = match (view.name.as_str(), operands.first()) {
        ("git", Some(&("apply" | "am"))) => {
            // The index alone is changed, and no file that an agent reads.
            if view.has_argument(&["--cached"]) {
                return;
            }
            (operands.iter().skip(1).copied().collect(), view.option_values(&["-C", "--directory"]))
        }
        ("patch" | "gpatch", _) => {
            let operands = view.operands(&["-p", "-d", "-i", "--input", "--directory", "-o", "-r"]);
            found.guards.extend(
                operands
                    .iter()
                    .filter(|operand| here.names_part_of_guard(operand))
                    .map(|operand| here.path_seen_from_project(operand)),
            );
            let given = view.option_values(&["-i", "--input"]);
            let given =
                if given.is_empty() { operands.into_iter().skip(1).collect() } else { given };
            (given, view.option_values(&["-d", "--directory"]))
        }
        ("apply_patch" | "applypatch", _) => (Vec::new(), Vec::new()),
        _ => return,
    };
    if base.iter().any(|text| {
        here.names_part_of_guard(text)
            || protect::is_guard_directory(&here.path_seen_from_project(text))
    }) {
        found.guards.extend(base.iter().map(|text| here.path_seen_from_project(text)));
    }
    for text in read_patch_texts(here, &files) {
        match text {
            Some(text) => note_guards_in_patch(&text, here.paths, &view.cwd, found),
            None => {
                found.guards.insert("a patch that cannot be read".to_owned());
            }
        }
    }
}

/// Returns the texts of the patches that a command applies; `None` for each that cannot be read,
/// such as one from a pipe.
fn read_patch_texts(here: &Here<'_>, files: &[&str]) -> Vec<Option<String>> {
    let view = here.view;
    let read = |file: &str| here.paths.files?.read_text(&here.paths.to_absolute(file, &view.cwd));
    let named: Vec<&str> = files.iter().copied().filter(|file| *file != "-").collect();
    if !named.is_empty() {
        return named.into_iter().map(read).collect();
    }
    let inputs = view.redirects.iter().filter(|(operator, _)| operator == "<");
    let mut found: Vec<Option<String>> = inputs.map(|(_, file)| read(file)).collect();
    let said = view
        .texts_given_to_command()
        .filter(|text| text.contains('\n') && MARKS.iter().any(|mark| text.contains(mark)));
    found.extend(said.map(|text| Some(text.to_owned())));
    // The input from a pipe is unknown before the run.
    if found.is_empty() { vec![None] } else { found }
}

/// Notes the guards that a patch changes when a patch tool applies it.
pub(super) fn note_guards_in_applied_patch(text: &str, paths: &Paths<'_>, found: &mut Found) {
    // Whole files come through here, most of which are no patch.
    let says = |mark: &str| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    if says("*** Begin Patch") || (says("\n+++ ") && says("\n@@")) {
        note_guards_in_patch(text, paths, &paths.cwd, found);
    }
}

/// Returns the files that a patch names, as they are written there.
pub(in crate::call) fn patch_file_names(text: &str) -> impl Iterator<Item = &str> {
    let named = text.lines().filter_map(|line| {
        let rest = MARKS.iter().find_map(|mark| line.strip_prefix(mark));
        rest.or_else(|| line.strip_prefix("diff --git ")?.split_once(" b/").map(|(_, name)| name))
    });
    named.map(|name| name.split('\t').next().unwrap_or(name).trim().trim_matches('"'))
}

fn note_guards_in_patch(text: &str, paths: &Paths<'_>, cwd: &str, found: &mut Found) {
    for name in patch_file_names(text) {
        // However many leading names are cut, the rest names the file.
        let cut =
            std::iter::successors(Some(name), |text| text.split_once('/').map(|(_, rest)| rest));
        let seen = cut.take(4).map(|text| paths.path_seen_from_project(text, cwd));
        let held: Vec<String> =
            seen.filter(|text| protect::relation_of_path_to_guards(text) == Hold::Part).collect();
        found.guards.extend(held.into_iter().take(1));
    }
}
