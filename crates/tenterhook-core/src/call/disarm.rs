//! Finds whether a call changes an agent's guard, starts an agent without its guard, or ends a
//! guard otherwise: kills a process, removes a package, changes a setting.
//!
//! Looks no further unless the call's text mentions something that may be part of a guard
//! (`protect`), or one of its words may be a link to a file of a guard.

mod code;
mod files;
mod git;
mod link;
mod modules;
mod mounts;
mod names;
mod own;
pub(super) mod patch;
mod rights;
mod searched;
mod start;
mod table;
mod tools;

use std::borrow::Cow;

use tenterhook_shell::Via;
use tenterhook_shell::strings::{quoted_texts, takes_code_operand};

use super::Found;
use super::path::Paths;
use super::view::View;
use crate::event::meter::Meter;
use crate::event::tool::{Tool, ToolCall};
use crate::protect::{self, Hold};

/// Access to the disk, if the host gives it. It is needed because a patch names its targets inside a
/// file. The default methods look at nothing on the disk but links.
pub trait Files: std::fmt::Debug + Send + Sync {
    /// Returns the text of a file, or `None` if it is not a file or is too long.
    fn read_text(&self, path: &str) -> Option<String>;
    /// Resolves the links on a path, as far as it exists; `None` if there is no link on it.
    fn resolve_links(&self, path: &str) -> Option<String>;
    /// Whether a path may be a second name of a file: a part of it after `base` is a link, or its
    /// file has hard links. `base` is a directory above `path` that is not checked; if it is empty,
    /// the whole path is.
    fn may_be_second_name(&self, _base: &str, path: &str) -> bool {
        self.resolve_links(path).is_some()
    }
    /// Returns the other names of a file that has several, among the files in `directories`
    /// (recursively, if the directory ends in `/`).
    fn hard_links(&self, _path: &str, _directories: &dyn Fn() -> Vec<String>) -> Vec<String> {
        Vec::new()
    }
    /// Returns the names of the entries of a directory.
    fn directory_entries(&self, _directory: &str) -> Vec<String> {
        Vec::new()
    }
    /// Returns the path of the running program, which is a part of the guard; `None` if the host
    /// does not give it.
    fn own_program_path(&self) -> Option<&str> {
        None
    }
    /// Whether the path is an existing directory; `None` if the host does not look.
    fn is_directory(&self, _path: &str) -> Option<bool> {
        None
    }
}

/// One command of the line, and what resolves its paths.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) paths: &'a Paths<'a>,
}

impl Here<'_> {
    fn path_seen_from_project(&self, written: &str) -> String {
        self.paths.path_seen_from_project(written, &self.view.cwd)
    }

    /// Whether a word names a part of a guard.
    fn names_part_of_guard(&self, written: &str) -> bool {
        names::is_or_contains_guard(&self.path_seen_from_project(written), Hold::Part, self.paths)
    }

    /// Whether a word names a part of a guard, or a directory that contains one.
    fn names_guard_or_parent(&self, written: &str) -> bool {
        names::is_or_contains_guard(&self.path_seen_from_project(written), Hold::Parent, self.paths)
    }

    /// Whether a word names a directory outside of the project that contains a guard among much
    /// else, such as the home directory or `~/.config`.
    fn names_shared_parent_of_guard(&self, written: &str) -> bool {
        names::is_shared_parent_of_guard(
            &self.paths.to_absolute(written, &self.view.cwd),
            self.paths,
        )
    }

    /// Whether `xargs` or `parallel` appends arguments that are unknown.
    fn has_unknown_arguments(&self) -> bool {
        matches!(self.view.command.via.last(), Some(Via::Wrapper("xargs" | "parallel")))
    }

    /// Whether a word names a directory that contains a guard, mostly (`.claude`) or among much
    /// else (`~/.config`); not the project itself.
    fn names_any_parent_of_guard(&self, written: &str) -> bool {
        self.names_directory_of_guard(written) || self.names_shared_parent_of_guard(written)
    }

    /// Whether a word names a directory that contains mostly a guard, such as `.claude`.
    fn names_directory_of_guard(&self, written: &str) -> bool {
        let seen = self.path_seen_from_project(written);
        let is_linked_home = || {
            names::resolve_path_links(&seen, self.paths)
                .is_some_and(|path| protect::is_guard_directory(&path))
        };
        protect::is_guard_directory(&seen) || is_linked_home()
    }
}

/// Notes the guards that the commands of a line would change.
pub(super) fn note_guards_changed_by_line(
    views: &[View<'_>],
    paths: &Paths<'_>,
    found: &mut Found,
) {
    for view in views.iter().take_while(|view| view.charge_for_reading()) {
        let here = Here { view, paths };
        files::note_guards_changed_by_program(&here, found);
        rights::note_guards_with_changed_rights(&here, found);
        searched::note_searched_guards(&here, views, found);
        mounts::note_mounted_guards(&here, found);
        link::note_links_to_guards(&here, found);
        git::note_guards_changed_by_git(&here, found);
        patch::note_patched_guards(&here, found);
        own::note_tenterhook_disarmed(&here, views, found);
        start::note_agents_started_unguarded(&here, views, found);
        modules::note_loaded_modules(&here, found);
    }
}

/// Checks the text that is written to files. A startup file or a git setting concerns the guard
/// only if its text does. `text` is computed last: such files are rare, and it may be long.
pub(super) fn note_guard_in_written_text<'t>(text: impl Fn() -> Cow<'t, str>, found: &mut Found) {
    let sets_hooks = || text().to_ascii_lowercase().contains("hookspath");
    if found.writes.iter().any(|text| protect::is_git_config(text)) && sets_hooks() {
        found.disarms.insert("sets the directory of git's hooks".to_owned());
    }
    let startup = found.writes.iter().find(|text| protect::is_startup_file(text));
    if let Some(file) = startup.filter(|_| start::changes_program_lookup(&text())) {
        found.disarms.insert(format!("changes in {file} where programs are searched for"));
    }
    let variables = found.writes.iter().find(|path| protect::is_environment_file(path));
    if let Some((file, name)) =
        variables.and_then(|file| Some((file, start::redirecting_variable(file, &text())?)))
    {
        found.disarms.insert(format!("sets {name} in {file} for agents that start there"));
    }
}

/// Notes the guards that code of another language would change. `texts` are its string literals;
/// `is_changing` is set if the code is known to change files.
pub(super) fn note_guards_changed_by_code(
    code: &str,
    texts: &[(usize, &str)],
    is_changing: bool,
    paths: &Paths<'_>,
    found: &mut Found,
) {
    code::note_changed_guards(code, texts, is_changing, paths, found);
}

/// If the code of a command changes files given as arguments, adds the arguments that are parts of a
/// guard.
pub(super) fn note_guards_in_code_arguments(
    view: &View<'_>,
    code: &str,
    paths: &Paths<'_>,
    found: &mut Found,
) {
    let is_scripted = takes_code_operand(&view.name);
    let texts = quoted_texts(code);
    let changes = match is_scripted {
        true => code::prints_into_file(code),
        false => {
            code::changes_argument_files(code, &texts, super::literals::has_writing_word(code))
        }
    };
    if !changes {
        return;
    }
    let values = view.args.iter().filter_map(|arg| arg.split_once('=').map(|(_, value)| value));
    let words = view.args.iter().map(String::as_str).chain(values);
    let texts = texts.iter().map(|(_, text)| *text).filter(|_| is_scripted);
    let here = Here { view, paths };
    let named = words.chain(texts).filter(|word| *word != code && here.names_part_of_guard(word));
    found.guards.extend(named.map(|word| here.path_seen_from_project(word)));
}

/// Notes the guards that a call of any tool but the shell would change.
pub(super) fn note_guards_changed_by_call(
    call: ToolCall<'_>,
    paths: &Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    modules::note_slash_command(call, found);
    tools::note_guards_changed_by_tool(call, paths, meter, found);
}

/// What it costs to look for a file among those of all guards and on the disk, in steps.
const A_FILE: usize = 64;

/// Checks the files that were found: files that are written inside a guard, and deleted directories
/// that contain one. If the meter runs out of steps, nothing is added here: the meter stays cut,
/// and the whole reading fails (RU-37).
pub(super) fn note_guards_in_found_files(paths: &Paths<'_>, meter: &Meter<'_>, found: &mut Found) {
    let files = found.writes.len() + found.deletes.len() + found.rights.len();
    if !meter.spend_steps(A_FILE.saturating_mul(files)) {
        return;
    }
    let mut guards = std::mem::take(&mut found.guards);
    let is = |path: &String, least: Hold| names::is_or_contains_guard(path, least, paths);
    guards.extend(found.writes.iter().filter(|text| is(text, Hold::Part)).cloned());
    guards.extend(found.writes.iter().filter(|path| modules::is_plugin_file(path, paths)).cloned());
    guards.extend(found.deletes.iter().filter(|text| is(text, Hold::Parent)).cloned());
    let rights = |text: &&String| is(text, Hold::Part) || protect::is_guard_directory(text);
    guards.extend(found.rights.iter().filter(rights).cloned());
    found.guards = guards;
}

/// The length in bytes up to which texts of an input are also checked together. A longer text is
/// checked alone.
const LONGEST_WORD: usize = 256;

/// Whether a call may concern a guard at all: the cheap check before everything else (SP-4, SP-25).
pub(super) fn may_concern_guard(call: ToolCall<'_>, line: Option<&str>, paths: &Paths<'_>) -> bool {
    let may =
        |text: &str| protect::may_concern_guard(text) || names::may_mention_guard(text, paths);
    match (call.tool(), line) {
        (Tool::Shell, Some(line)) => {
            may(line)
                || super::tools::named_directory(call.input).is_some_and(|path| may(&path))
                || names::call_runs_above_guard(paths) && protect::may_change_files(line)
        }
        (Tool::Read | Tool::Search | Tool::Fetch | Tool::Agent, _) => false,
        (Tool::Write | Tool::Edit, _) => true,
        _ if modules::is_slash_command_tool(call.name) => true,
        _ => {
            let mut concerns = tools::may_tool_concern_guard(call);
            // A directory may stand in one field and what is done there in another.
            let mut all = String::new();
            tools::visit_texts(call.input, 0, &mut |text| {
                concerns = concerns || may(text);
                if text.len() <= LONGEST_WORD {
                    all.extend([text, " "]);
                }
            });
            concerns || protect::may_concern_guard(&all)
        }
    }
}
