//! Which files would a command read, write, delete, or give other rights?
//!
//! Reading is the rule and not reading the exception: a program that is not known is taken to read
//! what it is handed, because the list of programs that can print a file has no end.

mod table;
mod used;

use tenterhook_shell::{Via, wrapper_names};

use super::Found;
use super::path::Paths;
use super::path_kind::{holds_credentials, is_system_directory};
use super::programs;
use super::view::{Redirected, View};
use crate::event::meter::Meter;
use table::{
    COPIERS, DELETERS, DISK_CHANGERS, DISK_TOOLS, EXIT_STATUS, IN_PLACE, NO_READERS, PATTERN_FIRST,
    RIGHTS, options_with_value,
};

pub(super) fn note_files(view: &View<'_>, paths: &Paths<'_>, found: &mut Found) {
    let here = Here { view, paths };
    note_redirects(&view.redirects, &view.cwd, paths, view.meter, found);
    here.note_reads(found);
    here.note_files_needed_to_run(found);
    here.note_writes(found);
    here.note_deletes(found);
    here.note_changed_files_not_named(found);
    programs::note_effects_listed_in_table(view, paths, found);
    if RIGHTS.contains(&view.name.as_str()) {
        // What `find` and `xargs` hand on is everything that lies there.
        let handed = view.fed.iter().map(String::as_str);
        found.rights.extend(here.paths_seen_from_project(handed));
        if view.has_option('R', "recursive") {
            found
                .rights
                .extend(here.paths_seen_from_project(view.operands(&[]).into_iter().skip(1)));
        }
    }
}

/// Long options whose value is the pattern or the script.
const LONG_PATTERNS: &[&str] = &["--regexp", "--file", "--expression", "--from-file"];

/// Where the pattern of an option stands.
enum Pattern {
    Attached,
    Next,
}

/// Returns where the pattern or script follows if a cluster of short options takes one: `-rne X`,
/// `-pe1`.
fn pattern_taken_by_option(program: &str, arg: &str) -> Option<Pattern> {
    let letters = arg.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    // The rest of these is a value of another kind: `-tpdf`, `-i.before`, `-vf=1`.
    let is_value = letters.starts_with(['t', 'g', 'A', 'B', 'C', 'm', 'd', 'v', 'F', 'M'])
        || letters.starts_with("i.");
    let is_mark = |c: char| c == 'f' || (c == 'e' && !EXIT_STATUS.contains(&program));
    let at = letters.find(is_mark).filter(|_| !is_value)?;
    Some(if at + 1 == letters.len() { Pattern::Next } else { Pattern::Attached })
}

/// Returns the operands after the pattern, or all of them if the pattern is the value of an option.
pub(super) fn operands_after_pattern<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let mut valued = vec!["-m", "-A", "-B", "-C", "-g", "--glob", "-t", "--arg"];
    if view.name.ends_with("awk") {
        valued.extend(["-F", "-v"]);
    }
    valued.extend(LONG_PATTERNS);
    let mut by_option = view.has_argument(LONG_PATTERNS) || view.has_argument(&["--files"]);
    for arg in view.args.iter().take_while(|arg| *arg != "--") {
        match pattern_taken_by_option(&view.name, arg) {
            Some(Pattern::Next) => valued.push(arg),
            Some(Pattern::Attached) => {}
            None => continue,
        }
        by_option = true;
    }
    let operands = view.operands(&valued).into_iter();
    operands.skip(usize::from(!by_option)).collect()
}

/// Whether a program prints or copies the content of the files in its arguments.
pub(super) fn prints_file_content(name: &str) -> bool {
    !NO_READERS.contains(&name) && !wrapper_names().any(|wrapper| wrapper == name)
}

/// Whether a program copies files into a directory under their own names, by the name or the path
/// of the program.
pub(super) fn is_copy_program(program: &str) -> bool {
    program.rsplit('/').next().is_some_and(|name| COPIERS.contains(&name))
}

/// How many times a path is put together and looked through until it stands in a list.
const WALKS: usize = 4;

/// Notes the files of redirections.
pub(super) fn note_redirects(
    redirects: &[Redirected],
    cwd: &str,
    paths: &Paths<'_>,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    for (operator, file) in redirects {
        if !meter.spend_steps_for_bytes(WALKS * (file.len() + cwd.len())) {
            return;
        }
        let is_number = file.chars().all(|c| c.is_ascii_digit() || c == '-');
        if is_number || file.starts_with("<(") || file.starts_with(">(") {
            continue;
        }
        let path = paths.path_seen_from_project(file, cwd);
        if matches!(operator.as_str(), "<" | "<>") {
            found.shows.insert(path.clone());
        }
        if operator != "<" && operator != "<&" {
            found.writes.insert(path);
        }
    }
}

/// One command and the places that its paths are seen from.
struct Here<'a> {
    view: &'a View<'a>,
    paths: &'a Paths<'a>,
}

impl Here<'_> {
    fn path_seen_from_project(&self, written: &str) -> String {
        if !self.view.meter.spend_steps_for_bytes(WALKS * (written.len() + self.view.cwd.len())) {
            return String::new();
        }
        self.paths.path_seen_from_project(written, &self.view.cwd)
    }

    fn paths_seen_from_project<'t>(&self, written: impl Iterator<Item = &'t str>) -> Vec<String> {
        written
            .filter(|text| !text.is_empty())
            .map(|text| self.path_seen_from_project(text))
            .collect()
    }

    fn note_reads(&self, found: &mut Found) {
        let name = self.view.name.as_str();
        let in_place = IN_PLACE.contains(&name) && self.view.has_option('i', "in-place");
        let skipped = !prints_file_content(name);
        let args: Vec<&str> = match name {
            "git" => git_printed_files(self.view),
            "curl" | "wget" => curl_uploaded_files(self.view),
            "aws" | "gcloud" | "az" | "gh" | "glab" => super::hosts::uploaded_files(self.view),
            "mv" | "ln" => self.view.operands(options_with_value(name)),
            "dd" => self.view.args.iter().filter_map(|arg| arg.strip_prefix("if=")).collect(),
            _ if in_place => {
                let changed =
                    self.paths_seen_from_project(operands_after_pattern(self.view).into_iter());
                return found.reads.extend(changed);
            }
            _ if skipped => return,
            _ if COPIERS.contains(&name) => {
                let mut operands = self.view.operands(options_with_value(name));
                if self.view.option_values(&["-t", "--target-directory"]).is_empty() {
                    operands.pop();
                }
                operands
            }
            _ if PATTERN_FIRST.contains(&name) => operands_after_pattern(self.view),
            // `node --env-file=.env x.js` is `source .env`: it hands the values on and shows none.
            // Excluded files are not read.
            _ => self
                .view
                .args
                .iter()
                .map(String::as_str)
                .filter(|arg| !arg.starts_with("--env-file") && !arg.starts_with("--exclude="))
                .collect(),
        };
        let fed = self.view.fed.iter().map(String::as_str);
        let base = self.view.option_values(&["-C"]).last().copied().filter(|_| name == "git");
        for path in args.into_iter().chain(fed).flat_map(paths_in_argument) {
            let placed = base.filter(|_| !path.starts_with(['/', '~']));
            found.shows.insert(match placed {
                Some(base) => self.path_seen_from_project(&format!("{base}/{path}")),
                None => self.path_seen_from_project(path),
            });
        }
    }

    fn note_writes(&self, found: &mut Found) {
        let name = self.view.name.as_str();
        let operands = || self.view.operands(options_with_value(name));
        if name.starts_with("mkfs") {
            found.writes.extend(self.paths_seen_from_project(operands().into_iter()));
            found
                .writes
                .extend(self.paths_seen_from_project(self.view.fed.iter().map(String::as_str)));
        }
        if DISK_CHANGERS
            .iter()
            .any(|(text, words)| *text == name && has_argument_with_any_prefix(self.view, words))
        {
            found.writes.extend(self.paths_seen_from_project(operands().into_iter()));
        }
        if DISK_TOOLS.contains(&name)
            && !self.view.has_option('l', "list")
            && !self.view.has_argument(&["print"])
        {
            found.writes.extend(self.paths_seen_from_project(operands().into_iter()));
        }
        if COPIERS.contains(&name) {
            self.note_files_written_by_copy(found);
        }
        if name == "mv" {
            found.writes.extend(self.paths_seen_from_project(operands().into_iter()));
        }
        if matches!(name, "curl" | "wget") {
            found.writes.extend(self.paths_seen_from_project(
                super::hosts::downloaded_files(self.view).iter().map(String::as_str),
            ));
        }
    }

    /// Notes the files that a copy writes: the last operand or the directory of `-t`, and the name
    /// of each source in it.
    fn note_files_written_by_copy(&self, found: &mut Found) {
        let mut operands = self.view.operands(options_with_value(&self.view.name));
        let fed = self.view.fed.iter().map(String::as_str);
        let directory = !self.view.option_values(&["-t", "--target-directory"]).is_empty();
        let appended =
            matches!(self.view.command.via.last(), Some(Via::Wrapper("xargs" | "parallel")));
        if !directory && appended {
            // An appended argument takes the last place, or the first where a placeholder says so.
            let all = operands.iter().copied().chain(fed);
            let all = self.paths_seen_from_project(all);
            if self.is_rsync_with_deletion() {
                found.deletes.extend(all.iter().cloned());
            }
            found.writes.extend(all);
            return;
        }
        let targets = self.view.option_values(&["-t", "--target-directory"]);
        let Some(to) = targets.first().copied().or_else(|| operands.pop()) else { return };
        found.writes.insert(self.path_seen_from_project(to));
        let is_copy = |from: &&str| {
            self.view.name == "cp" && self.paths.is_harmless_copy_of_guard(from, to, &self.view.cwd)
        };
        for from in operands.into_iter().filter(|from| !is_copy(from)) {
            let name = from.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            found.writes.insert(self.path_seen_from_project(&format!("{to}/{name}")));
            if self.may_copy_directory(from) {
                // Whether `to` exists is not known: the copy is `to` itself, or lies in it.
                found.written_trees.insert(self.path_seen_from_project(&format!("{to}/{name}")));
                if !directory {
                    found.written_trees.insert(self.path_seen_from_project(to));
                }
            }
        }
        if self.is_rsync_with_deletion() {
            found.deletes.insert(self.path_seen_from_project(to));
        }
    }

    /// Whether the program copies or moves `from` with everything in it if it is a directory. A name
    /// with a dot is that of a file, unless an option asks for directories.
    fn may_copy_directory(&self, from: &str) -> bool {
        let name = from.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        match self.view.name.as_str() {
            "ditto" => true,
            "mv" => !name.trim_start_matches('.').contains('.'),
            "cp" | "rsync" | "scp" => {
                let options = [('r', "recursive"), ('R', "recursive"), ('a', "archive")];
                options.iter().any(|(short, long)| self.view.has_option(*short, long))
            }
            _ => false,
        }
    }

    fn is_rsync_with_deletion(&self) -> bool {
        self.view.name == "rsync" && self.view.args.iter().any(|arg| arg.starts_with("--del"))
    }

    fn note_deletes(&self, found: &mut Found) {
        let view = self.view;
        let all = |operands: Vec<&str>| self.paths_seen_from_project(operands.into_iter());
        match view.name.as_str() {
            "rm" if view.has_option('r', "recursive") || view.has_option('R', "recursive") => {
                found.deletes.extend(all(view.operands(&[])));
                found
                    .deletes
                    .extend(self.paths_seen_from_project(view.fed.iter().map(String::as_str)));
            }
            // Without `-r` a directory stays; keys do not, nor does what somebody meant to go.
            "rm" | "unlink" | "shred" => {
                let operands = view.operands(options_with_value(&view.name));
                let lost = |text: &String| is_system_directory(text) || holds_credentials(text);
                found.deletes.extend(all(operands).into_iter().filter(lost));
                let searched = view.command.via.last() == Some(&Via::Wrapper("find"));
                let fed = view.fed.iter().map(String::as_str).filter(|_| searched);
                found.deletes.extend(self.paths_seen_from_project(fed));
            }
            "find" if view.has_argument(&["-delete"]) => {
                let narrow = super::find::is_narrow_search(view);
                let starts = super::find::start_directories_of_find(view).into_iter();
                let starts = starts.filter(|start| !narrow || *start == "/");
                found.deletes.extend(self.paths_seen_from_project(starts));
            }
            "tar" | "gtar" if view.has_argument(&["--remove-files"]) => {
                let base = view.option_values(&["-C", "--directory"]).into_iter().fold(
                    String::new(),
                    |base, next| match next.starts_with(['/', '~']) {
                        true => format!("{next}/"),
                        false => format!("{base}{next}/"),
                    },
                );
                let packed = view.operands(&["-f", "-C", "--file", "--directory"]).into_iter();
                let packed = packed.map(|path| match path.starts_with(['/', '~']) {
                    true => path.to_owned(),
                    false => format!("{base}{path}"),
                });
                let packed: Vec<String> = packed.collect();
                found
                    .deletes
                    .extend(self.paths_seen_from_project(packed.iter().map(String::as_str)));
            }
            name if DELETERS.contains(&name) => found.deletes.extend(all(view.operands(&[]))),
            "mv" => {
                let mut operands = view.operands(options_with_value(&view.name));
                if view.option_values(&["-t", "--target-directory"]).is_empty() {
                    operands.pop();
                }
                found.deletes.extend(all(operands));
                let fed = view.fed.iter().map(String::as_str);
                let fed = fed.filter(|path| path.starts_with(['/', '~']));
                found.deletes.extend(self.paths_seen_from_project(fed));
            }
            _ => {}
        }
    }

    /// Notes the files that a program changes without naming them.
    fn note_changed_files_not_named(&self, found: &mut Found) {
        let view = self.view;
        let written: &[&str] = match view.name.as_str() {
            "crontab" if !view.has_option('l', "list") => &["/var/spool/cron/crontabs"],
            "at" | "batch" if !view.has_option('l', "list") => &["/var/spool/at"],
            "visudo" => &["/etc/sudoers"],
            "useradd" | "adduser" | "chpasswd" | "vipw" => &["/etc/passwd"],
            _ => &[],
        };
        found.writes.extend(written.iter().map(|text| (*text).to_owned()));
        let loads = match view.name.as_str() {
            "launchctl" => view.has_argument(&["load", "bootstrap", "submit", "enable"]),
            "systemctl" => view.has_argument(&["enable", "link", "edit"]),
            "diskutil" => view.args.iter().any(|arg| arg.to_lowercase().contains("erase")),
            _ => false,
        };
        let disk = if view.name == "diskutil" { "/dev/" } else { "" };
        let operands = view.operands(&[]).into_iter().skip(1);
        let named = operands
            .filter(|operand| loads && (operand.contains('/') || operand.starts_with("disk")));
        found
            .writes
            .extend(named.map(|text| self.path_seen_from_project(&format!("{disk}{text}"))));
    }
}

/// Whether an argument starts with one of these texts; with none of them, always.
fn has_argument_with_any_prefix(view: &View<'_>, starts: &[&str]) -> bool {
    starts.is_empty()
        || view.args.iter().any(|arg| starts.iter().any(|start| arg.starts_with(start)))
}

/// Returns the operands of git's subcommands that print a file outside of the repository's data.
fn git_printed_files<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    if view.has_argument(&["add"]) && view.has_option('f', "force") {
        return view.operands(&["-C", "-c"]).into_iter().skip(1).collect();
    }
    if !view.has_argument(&[
        "show",
        "diff",
        "cat-file",
        "hash-object",
        "blame",
        "annotate",
        "apply",
        "format-patch",
        "log",
        "whatchanged",
    ]) {
        return Vec::new();
    }
    let is_log = view.has_argument(&["log", "whatchanged"]);
    if is_log
        && !view.has_option('p', "patch")
        && !view.has_option('u', "")
        && !view.has_option('L', "")
    {
        return Vec::new();
    }
    let operands = view.operands(&["-C", "-c", "-m"]).into_iter().skip(1);
    let lines = view.option_values(&["-L"]);
    operands.chain(lines).map(|word| word.rsplit_once(':').map_or(word, |(_, path)| path)).collect()
}

/// Returns the files that curl and wget send, and those that curl reads through `file:`.
fn curl_uploaded_files<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let data = [
        "-d",
        "--data",
        "--data-binary",
        "--data-ascii",
        "--data-urlencode",
        "--json",
        "-F",
        "--form",
    ];
    let whole =
        ["-T", "--upload-file", "--post-file", "--body-file", "-K", "--config", "-b", "--cookie"];
    let mut found: Vec<&str> = view.option_values(&whole);
    let headers = view.option_values(&["-H", "--header"]).into_iter();
    found.extend(headers.filter_map(|header| header.strip_prefix('@')));
    let marked = view.option_values(&data).into_iter();
    found.extend(marked.filter_map(|text| text.split_once(['@', '<']).map(|(_, file)| file)));
    found.extend(view.args.iter().filter_map(|arg| arg.strip_prefix("file://")));
    found
}

/// Returns the paths that an argument may contain: itself, what follows `=` or `@`, and a `file:`
/// address.
fn paths_in_argument(arg: &str) -> impl Iterator<Item = &str> {
    let is_path = |arg: &&str| {
        let rooted = arg.starts_with(['/', '~', '.', '$']);
        !arg.is_empty()
            && !arg.contains('\n')
            && !arg.contains("://")
            && (rooted || !arg.contains(' '))
    };
    let option = arg.starts_with('-');
    let whole = Some(arg).filter(|_| !option);
    let value = arg.split_once(['=', '@']).map(|(_, value)| value.trim_start_matches('@'));
    let file = arg.strip_prefix("file://");
    // A remote place (`host:file`) is not a file of this machine, but `docker -v` and `git show`
    // write it that way.
    whole.into_iter().chain(value).chain(file).filter(is_path)
}
