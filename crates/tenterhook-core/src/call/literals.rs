//! What do the texts in the code of another language say? `python -c "shutil.rmtree('/')"` is not read as Python: its
//! quoted texts are looked at, beside words that tell what is done with them.

use tenterhook_shell::strings::{
    commands_from_lists, interpreter_code_options, may_run_shell_line, quoted_texts,
    takes_code_operand,
};

use super::Found;
use super::path::Paths;
use super::view::View;
use crate::event::meter::Meter;

/// Words of code that removes a directory with everything in it.
const REMOVES: &[&str] = &[
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r",
    "remove_dir_all",
    "fs.rm(",
    "remove_tree",
    "rimraf",
];
/// Words of code that writes.
const WRITES: &[&str] = &[
    "write", "append", "copy", "cpSync", "move", "rename", "symlink", "unlink", "remove", "dump",
    "'w", "\"w", "'a", "\"a", "file_put", ">>", "> \"", ">\"",
];
/// Words of code that gives a file a second name.
const LINKS: &[&str] = &[
    "os.link",
    "import link",
    "File.link",
    "FileUtils.ln",
    "link(",
    "link '",
    "link \"",
    "hardlink_to",
    "link_to",
    "linkSync",
];

/// The code that an interpreter is handed on its command line or in a here-document.
pub(super) fn inline_code<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    if takes_code_operand(&view.name) {
        return view.operands(&["-F", "-v", "-f"]).into_iter().take(1).collect();
    }
    let Some(options) = interpreter_code_options(&view.name) else { return Vec::new() };
    let mut found = view.option_values(options);
    found.extend(view.texts_given_to_command().skip(view.args.len()));
    found
}

/// What it costs to look whether a text names a part of a guard, in steps.
const A_TEXT: usize = 64;
/// How many words are looked for in code, and how often it is walked over beside.
const LOOKED_FOR: usize = 50;

/// Notes what the string literals in the inline code of a command show about its effects.
pub(super) fn note_inline_code_literals(view: &View<'_>, paths: &Paths<'_>, found: &mut Found) {
    let here = Paths { cwd: view.cwd.clone(), ..paths.clone() };
    for code in inline_code(view) {
        note_code_literals(code, &here, view.meter, found);
        if found.concerns && view.meter.spend_steps_for_bytes(LOOKED_FOR * code.len()) {
            super::disarm::note_guards_in_code_arguments(view, code, paths, found);
        }
    }
}

/// Notes what the string literals in a piece of code show about its effects.
pub(super) fn note_code_literals(
    code: &str,
    paths: &Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    // Each word of the lists is looked for in all of it.
    if !meter.spend_steps_for_bytes(LOOKED_FOR * code.len()) {
        return;
    }
    let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
    // To ask where a link leads gives nothing a name.
    let links = code.split("readlink").any(|code| LINKS.iter().any(|word| code.contains(word)));
    let (runs, removes, writes) = (may_run_shell_line(code), says(REMOVES), links || says(WRITES));
    let has_open = code.contains("open");
    let all = quoted_texts(code);
    if found.concerns && !meter.spend_steps(A_TEXT * all.len()) {
        return;
    }
    for text in all.iter().map(|(_, text)| *text) {
        if !meter.spend_steps_for_bytes(4 * (text.len() + paths.cwd.len())) {
            return;
        }
        // Perl's `open F, ">x"`
        let (text, opens) = match text.trim_start_matches(['+', '<']).strip_prefix('>') {
            Some(file) if has_open => (file.trim_start_matches('>').trim_start(), true),
            _ => (text.strip_prefix('<').unwrap_or(text).trim_start(), false),
        };
        let path = || paths.path_seen_from_project(text, &paths.cwd);
        if opens {
            found.writes.insert(path());
        }
        if removes {
            found.deletes.insert(path());
        }
        if writes || removes {
            found.writes.insert(path());
        }
        if !text.contains(' ') {
            found.shows.insert(path());
        } else if runs {
            super::note_inner_line(text, paths, meter, found);
        }
    }
    if runs {
        commands_from_lists(code, &all)
            .iter()
            .for_each(|line| super::note_inner_line(line, paths, meter, found));
    }
    if found.concerns {
        super::disarm::note_guards_changed_by_code(code, &all, writes || removes, paths, found);
    }
}

/// Whether code contains a word with which files are written or removed.
pub(super) fn has_writing_word(code: &str) -> bool {
    WRITES.iter().chain(REMOVES).any(|word| code.contains(word))
}
