//! Would the line run code that was not reviewed: downloaded, decoded, or hidden from the eye?

mod elsewhere;
mod hidden;
mod table;

use std::collections::{BTreeSet, HashMap, HashSet};

use tenterhook_shell::{self as shell, Context, Line, Parsed, Target, Via, WordKind};

use super::Found;
use super::hosts::{self, DOWNLOADERS};
use super::literals;
use super::view::{Redirected, View};
use crate::event::meter::Meter;
use hidden::has_hidden_code;
use table::{
    CHANGERS, DATABASES, DECODERS, DECODING, EVALUATORS, FETCHED, HANDING_OVER, LANGUAGES, LOADING,
    MAKERS, OTHER_SHELLS, PRINTING, QUEUES, READ, REMOTE, RUNNING, SOCKETS,
};

/// Most files with code from elsewhere that are followed.
const MOST_FETCHED: usize = 256;

/// Notes the kinds of code that a line runs and that is not written on it: piped, downloaded,
/// decoded or saved before.
pub(super) fn note_code_from_elsewhere(
    line: &Line,
    views: &[View<'_>],
    groups: &[Redirected],
    text: &str,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    if !views.iter().all(View::charge_for_reading) || !meter.spend_steps_for_bytes(8 * text.len()) {
        return;
    }
    let mut kinds = Kinds::default();
    kinds.add_piped_code(views);
    kinds.add_code_in_arguments(views);
    kinds.add_group_input_code(views, groups, meter);
    kinds.add_code_in_files(views, groups);
    kinds.add_decoding_code(views);
    kinds.add_remote_code(views, groups);
    kinds.add_code_in_variables(views);
    kinds.add_code_without_pipe(views);
    if has_hidden_code(line, views, text) {
        kinds.add_kind("hidden");
    }
    if is_fork_bomb(line, text) {
        kinds.add_kind("fork bomb");
    }
    found.code.extend(kinds.0.into_iter().map(str::to_owned));
}

/// The kinds of unread code of one line, and what the substitutions of its words bring, each read once.
#[derive(Default)]
struct Kinds(BTreeSet<&'static str>, HashMap<String, Vec<&'static str>>);

impl Kinds {
    fn add_kind(&mut self, kind: &'static str) {
        self.0.insert(kind);
    }

    /// Adds the kinds of code that the substitutions of a word bring.
    fn add_substituted_code(&mut self, source: &str, meter: &Meter<'_>) {
        if !meter.spend_steps_for_bytes(4 * source.len()) || !source.contains(['$', '`', '(']) {
            return;
        }
        let found =
            self.1.entry(source.to_owned()).or_insert_with(|| code_kinds_in_word(source, meter));
        self.0.extend(found.iter());
    }

    /// Adds code that a pipe brings, such as `curl ... | sh`: a command that fetches or decodes
    /// comes before one that runs its input.
    fn add_piped_code(&mut self, views: &[View<'_>]) {
        let mut before: BTreeSet<&'static str> = BTreeSet::new();
        let mut grouped: BTreeSet<&'static str> = BTreeSet::new();
        let mut is_fetched = false;
        for view in views {
            if runs_its_input(view) || runs_stdin_by_argument(view) {
                self.0.append(&mut before);
                // A group belongs to a pipeline only where what runs it stands in one.
                let mut grouped = std::mem::take(&mut grouped);
                if view.is_output_consumed() {
                    self.0.append(&mut grouped);
                }
            }
            if is_fetched && is_database_reading_input(view) {
                self.add_kind("downloaded");
            }
            is_fetched |= view.is_output_consumed() && DOWNLOADERS.contains(&view.name.as_str());
            before.extend(fetched_code_kind(view).filter(|_| view.is_output_consumed()));
            grouped.extend(fetched_code_kind(view).filter(|_| is_in_command_group(view)));
        }
    }

    /// Adds code from another machine: `python3 <(curl ...)`, and shells connected to one, such as
    /// `nc -e sh host 99` and `sh > /dev/tcp/host/99`.
    fn add_remote_code(&mut self, views: &[View<'_>], groups: &[Redirected]) {
        let connected = views.iter().any(|view| {
            SOCKETS.contains(&view.name.as_str()) && !hosts::contacted_hosts(view).is_empty()
        });
        let is_socket = |file: &str| file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/");
        let of_group = groups.iter().any(|(_, file)| is_socket(file));
        for view in views {
            let words = view.command.words.iter().filter(|word| word.source.starts_with("<("));
            for word in words.filter(|_| is_interpreter(&view.name)) {
                self.add_substituted_code(&word.source, view.meter);
            }
            let is_shell = is_shell_program(&view.name);
            let socket = of_group || view.redirects.iter().any(|(_, file)| is_socket(file));
            let hands_over = SOCKETS.contains(&view.name.as_str())
                && (view.has_argument(HANDING_OVER)
                    || view.args.iter().any(|arg| is_socat_exec_argument(arg)));
            // `sh -i 2>&1 | nc host 99`
            let talks =
                is_shell && view.is_output_consumed() && view.has_option('i', "") && connected;
            if (is_shell && socket) || hands_over || talks {
                self.add_kind("downloaded");
            }
        }
    }

    /// Adds code in arguments, such as `eval "$(curl ...)"`, `bash -c "$(...)"`, `bash <(curl
    /// ...)`, `sh <<< "$(...)"`.
    fn add_code_in_arguments(&mut self, views: &[View<'_>]) {
        for view in views {
            let own = view.command.words.iter().skip(1).filter(|_| takes_code_arguments(view));
            let reads =
                takes_code_arguments(view) || (is_interpreter(&view.name) && runs_its_input(view));
            let targets =
                view.command.redirects.iter().filter_map(|redirect| match &redirect.target {
                    Target::Word(word) => Some(word).filter(|_| reads),
                    Target::HereDocument { .. } | Target::Closed => None,
                });
            let all = own.chain(inline_code_words(view)).chain(targets);
            for word in all.filter(|word| word.kind == WordKind::Expansion) {
                self.add_substituted_code(&word.source, view.meter);
            }
        }
    }

    /// Adds code in the input of a group of commands, such as `a || sh < <(curl ...)`.
    fn add_group_input_code(
        &mut self,
        views: &[View<'_>],
        groups: &[Redirected],
        meter: &Meter<'_>,
    ) {
        if views.iter().any(takes_code_arguments) {
            let fed = groups.iter().filter(|(operator, _)| operator == "<");
            fed.for_each(|(_, file)| self.add_substituted_code(file, meter));
        }
    }

    /// Adds code that the line saves in a file and then runs, such as `curl -o x ... && sh x` and
    /// `base64 -d x > y; sh y`.
    fn add_code_in_files(&mut self, views: &[View<'_>], groups: &[Redirected]) {
        // `a || curl ... > x`: the file belongs to the list, and so does what is brought by any command of it.
        let bringing = |view: &View<'_>| {
            fetched_code_kind(view).filter(|_| !CHANGERS.contains(&view.name.as_str()))
        };
        let into = || groups.iter().filter(|(operator, _)| operator.starts_with('>'));
        let of_groups = views
            .iter()
            .filter_map(bringing)
            .flat_map(|kind| into().map(move |(_, file)| (kind, file.clone())));
        let mut fetched = Fetched::default();
        of_groups.take(MOST_FETCHED).for_each(|(kind, file)| fetched.add_fetched_file(kind, &file));
        for view in views {
            files_run_as_code(view)
                .for_each(|name| self.0.extend(fetched.kinds_fetched_into(name)));
            let Some(kind) = bringing(view) else { continue };
            if DOWNLOADERS.contains(&view.name.as_str()) {
                hosts::downloaded_files(view)
                    .iter()
                    .for_each(|file| fetched.add_fetched_file(kind, file));
            }
            let to = view.redirects.iter().filter(|(operator, _)| operator.starts_with('>'));
            to.for_each(|(_, file)| fetched.add_fetched_file(kind, file));
            view.option_values(&["-out"])
                .into_iter()
                .for_each(|file| fetched.add_fetched_file(kind, file));
        }
    }

    /// Adds code of another language that decodes and runs code, such as `python -c
    /// 'exec(base64.b64decode(...))'`.
    fn add_decoding_code(&mut self, views: &[View<'_>]) {
        for code in views.iter().flat_map(literals::inline_code) {
            let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
            // A shell whose ends are on another machine.
            if code.contains("socket") && says(&["/bin/sh", "/bin/bash", "'sh'", "\"sh\""]) {
                self.add_kind("downloaded");
            }
            if says(RUNNING) && says(DECODING) {
                self.add_kind("decoded");
            }
            if says(LOADING) || (says(RUNNING) && says(FETCHED)) {
                self.add_kind("downloaded");
            }
        }
    }
}

/// Files that hold code from elsewhere, by their names.
#[derive(Default)]
struct Fetched(HashMap<String, BTreeSet<&'static str>>);

impl Fetched {
    fn add_fetched_file(&mut self, kind: &'static str, file: &str) {
        self.0.entry(file_name(file).to_owned()).or_default().insert(kind);
    }

    fn kinds_fetched_into(&self, name: &str) -> impl Iterator<Item = &'static str> {
        self.0.get(name).into_iter().flatten().copied()
    }
}

/// Returns the names of the files that a command would run: its own, the arguments of an
/// interpreter, and its input.
fn files_run_as_code<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v str> {
    let by_name = view.command.via.iter().filter_map(|via| match via {
        Via::Path(path) => Some(file_name(path.trim_matches(['"', '\'']))),
        Via::Wrapper(_) | Via::Equivalent(_) => None,
    });
    let reads = takes_code_arguments(view) || is_interpreter(&view.name);
    let operand = view.operands(&["-c"]).into_iter().take(1);
    let fed = view.redirects.iter().filter(|(operator, _)| operator == "<");
    let read = operand.chain(fed.map(|(_, from)| from.as_str())).filter(move |_| reads);
    by_name.chain(read.map(file_name))
}

/// Returns the kind of code that a command would bring if its output were run.
fn fetched_code_kind(view: &View<'_>) -> Option<&'static str> {
    let name = view.name.as_str();
    let fetches = DOWNLOADERS.contains(&name) || SOCKETS.contains(&name);
    let operands = || view.operands(&[]);
    let prints = |(known, verbs): &(&str, &[&str])| {
        *known == name
            && operands().len() > 1
            && operands().iter().take(2).any(|verb| verbs.is_empty() || verbs.contains(verb))
    };
    if (fetches && (hosts::names_remote_host(view) || !hosts::contacted_hosts(view).is_empty()))
        || PRINTING.iter().any(prints)
    {
        return Some("downloaded");
    }
    let decodes = DECODERS.iter().any(|(known, options)| {
        *known == name
            && (options.is_empty() || view.args.iter().any(|arg| options.contains(&arg.as_str())))
    });
    let spelt = || {
        view.command
            .words
            .iter()
            .any(|word| word.source.contains("$'") && has_escaped_characters(&word.source))
    };
    let escapes = matches!(name, "printf" | "echo")
        && (view.args.iter().any(|arg| has_escaped_characters(arg)) || spelt());
    let prints = shell::strings::interpreter_code_options(name).is_some()
        && literals::inline_code(view)
            .iter()
            .any(|code| DECODING.iter().any(|text| code.contains(text)));
    (decodes || escapes || prints).then_some("decoded")
}

/// Whether a database runs what it reads: `curl ... | psql`.
fn is_database_reading_input(view: &View<'_>) -> bool {
    DATABASES.contains(&view.name.as_str())
        && view.is_output_consumed()
        && !["-c", "-f", "-e", "--command", "--file", "--execute"]
            .iter()
            .any(|option| view.has_argument(&[option]))
}

/// Whether code in a language runs the input that it reads: `perl -ne 'system($_)'`, `awk
/// '{system($0)}'`.
fn code_runs_its_input(view: &View<'_>) -> bool {
    let says = |code: &str, words: &[&str]| words.iter().any(|word| code.contains(word));
    view.is_output_consumed()
        && literals::inline_code(view).iter().any(|code| says(code, RUNNING) && says(code, READ))
}

/// Whether the program is a variable that `read` sets: `while read l; do $l; done`.
fn runs_variable_set_by_read(view: &View<'_>) -> bool {
    let program = view.command.words.first().map(|word| word.source.trim_matches('"'));
    let is_name = |name: &str| name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    let name = program.and_then(|source| source.strip_prefix('$'));
    is_in_command_group(view) && view.command.words.len() == 1 && name.is_some_and(is_name)
}

/// Whether a command is in a group, which may be a part of a pipeline: `{ curl ...; } | sh`.
fn is_in_command_group(view: &View<'_>) -> bool {
    let group = [Context::Subshell, Context::BraceGroup, Context::Body, Context::List];
    group.contains(&view.command.context)
}

/// Whether an argument of `socat` runs a program: `EXEC:/bin/sh`.
fn is_socat_exec_argument(arg: &str) -> bool {
    let arg = arg.to_ascii_lowercase();
    arg.starts_with("exec:") || arg.starts_with("system:")
}

/// Whether a text writes characters as numbers.
fn has_escaped_characters(text: &str) -> bool {
    let hex = text.matches("\\x").count();
    let octal = text
        .split('\\')
        .skip(1)
        .filter(|part| part.starts_with(|c: char| ('0'..='7').contains(&c)))
        .count();
    hex >= 2 || octal >= 2
}

pub(super) fn is_interpreter(name: &str) -> bool {
    LANGUAGES.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether a command runs the code that it reads from its input.
fn runs_its_input(view: &View<'_>) -> bool {
    let name = view.name.as_str();
    let operands = view.operands(&[]);
    if code_runs_its_input(view) || runs_variable_set_by_read(view) {
        return true;
    }
    if is_shell_program(name) {
        let from_input = matches!(operands.first(), None | Some(&"-" | &"/dev/stdin"));
        return (from_input || view.has_option('s', ""))
            && !view.has_option('c', "command")
            && !view.has_option('n', "version")
            || is_shell_behind_xargs(view);
    }
    if is_interpreter(name) {
        let says_code = |arg: &String| {
            shell::strings::interpreter_code_options(name)
                .is_some_and(|options| options.contains(&arg.as_str()))
                || arg == "-m"
        };
        return matches!(operands.first(), None | Some(&"-" | &"/dev/stdin"))
            && !view.args.iter().any(says_code)
            && !view.args.iter().any(|arg| arg.starts_with("--") || arg == "-V" || arg == "-v");
    }
    // `ssh host bash`, `docker exec -i x sh`, `parallel`, `at now`
    let last_is_shell =
        || operands.len() > 1 && operands.last().is_some_and(|operand| is_shell_program(operand));
    if REMOTE.contains(&name) {
        return last_is_shell() || (name == "ssh" && operands.len() == 1);
    }
    if QUEUES.contains(&name) {
        return !view.has_option('l', "list")
            && (name == "at" || operands.iter().all(|operand| *operand == "-"));
    }
    if name == "eval" {
        return view.command.words.iter().any(|word| word.kind == WordKind::Expansion);
    }
    if MAKERS.contains(&name) {
        return elsewhere::reads_makefile_from_stdin(view);
    }
    EVALUATORS.contains(&name) && operands.contains(&"/dev/stdin")
}

/// Runners of scripts that read one where they are handed `-`: `uv run -`, `deno run -`, `bun -`.
const DASH: &[&str] = &["uv", "deno", "bun", "tsx", "ts-node", "npx"];

/// Whether a command of a program such as `uv` or `deno` runs its input because of an argument:
/// `-`, `/dev/stdin`, or a bare `run`.
fn runs_stdin_by_argument(view: &View<'_>) -> bool {
    // The reader may have lost a dash behind `run`, and without one nothing is run.
    let bare = || view.operands(&[]) == ["run"];
    DASH.contains(&view.name.as_str()) && (view.has_argument(&["-", "/dev/stdin"]) || bare())
}

/// Returns the words after the options with which an interpreter takes code: `python -c "$(curl
/// ...)"`.
fn inline_code_words<'w>(view: &'w View<'_>) -> impl Iterator<Item = &'w shell::Word> + Clone {
    let options = shell::strings::interpreter_code_options(&view.name).unwrap_or_default();
    let words = view.command.words.iter();
    let pairs = words.clone().zip(words.skip(1));
    pairs.filter(|(option, _)| options.contains(&option.text.as_str())).map(|(_, code)| code)
}

/// Whether `xargs` hands code to a shell: `... | xargs -I{} sh -c '{}'`.
fn is_shell_behind_xargs(view: &View<'_>) -> bool {
    let xargs = view.command.via.last() == Some(&Via::Wrapper("xargs"));
    xargs
        && view.has_option('c', "command")
        && view.command.words.iter().any(|word| word.kind == WordKind::Expansion)
}

/// Whether the words or redirections of a command are code.
fn takes_code_arguments(view: &View<'_>) -> bool {
    EVALUATORS.contains(&view.name.as_str()) || is_shell_program(&view.name)
}

/// Returns the kinds of code that the substitutions of a word bring.
fn code_kinds_in_word(source: &str, meter: &Meter<'_>) -> Vec<&'static str> {
    let line =
        shell::parse_line_with_budget(&format!(": {source}"), &|steps| meter.spend_steps(steps));
    let Some(inner) = line else { return Vec::new() };
    let paths = super::path::Paths::default();
    let seen = super::follow::follow_line(&inner, &paths, meter);
    seen.views.iter().filter_map(fetched_code_kind).collect()
}

/// Whether a line defines and runs a fork bomb, such as `:(){ :|:& };:`: a function that pipes
/// itself into itself, in the background. The function must be called by a command of the line, so
/// that a text about a fork bomb does not match. If the line cannot be parsed, only its text is
/// compared.
fn is_fork_bomb(line: &Line, text: &str) -> bool {
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let programs: HashSet<&str> =
        line.commands.iter().filter_map(|command| command.program_name()).collect();
    let mut bodies = squeezed.split('{').skip(1);
    bodies.any(|body| {
        let Some((name, rest)) = body.split_once('|') else { return false };
        let again = rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('&'));
        again && !name.is_empty() && (line.parsed != Parsed::Full || programs.contains(name))
    })
}

fn is_shell_program(name: &str) -> bool {
    shell::is_shell_name(name) || OTHER_SHELLS.contains(&name)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
