//! `completions` and `man`: the script that makes a shell complete command lines of `tenterhook`, the answers to that script, and the
//! manual pages. Runs no hook.

use std::ffi::OsString;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{EnvCompleter, Shells};
use tenterhook_core::config::is_tenterhook_entry;
use tenterhook_core::dialect::DIALECTS;

use super::log;
use crate::ambient::{COMPLETION_SHELL, Here};
use crate::args::{self, Completions, Manual, Which};
use crate::exit::Exit;
use crate::pack::PACKS;
use crate::problem::Problem;
use crate::term::Term;
use crate::{ambient, load};

/// The values of one argument that depend on this machine or that its parser does not list.
struct Values {
    /// The command, and its subcommand if it has one.
    command: &'static [&'static str],
    /// The name of the argument's field.
    argument: &'static str,
    list: fn() -> Vec<String>,
    /// Whether a path may be written instead.
    or_path: bool,
}

const fn argument_values(
    command: &'static [&'static str],
    argument: &'static str,
    list: fn() -> Vec<String>,
) -> Values {
    Values { command, argument, list, or_path: false }
}

const fn argument_values_or_path(
    command: &'static [&'static str],
    argument: &'static str,
    list: fn() -> Vec<String>,
) -> Values {
    Values { command, argument, list, or_path: true }
}

/// How many codes of denials are offered.
const CODES: usize = 5;

const VALUES: &[Values] = &[
    argument_values(&["hook"], "event", event_names),
    argument_values(&["fire"], "event", event_names),
    argument_values_or_path(&["fire"], "what", event_names),
    argument_values(&["explain"], "event", event_names),
    argument_values_or_path(&["explain"], "what", event_names),
    argument_values(&["events"], "name", event_names),
    argument_values(&["log"], "event", event_names),
    argument_values(&["log"], "hook", hook_names),
    argument_values(&["allow", "once"], "code", denial_codes),
    argument_values(&["test"], "only", hook_names),
    argument_values_or_path(&["promote"], "name", hook_and_pack_names),
    argument_values(&["rules", "show"], "pack", pack_names),
    argument_values(&["rules", "show"], "rule", pack_rule_names),
    argument_values(&["rules", "add"], "pack", pack_names),
    argument_values(&["rules", "remove"], "pack", pack_names),
];

/// Prints the completion script of a shell. The script calls this program for the candidates.
pub(crate) fn run(args: &Completions, term: Term) -> Result<Exit, Problem> {
    let shell = args.shell.to_string();
    let script = Shells::builtins().completer(&shell).and_then(registration_script);
    let Some(script) = script else {
        return Err(Problem::new(format!("there are no completions for {shell}")));
    };
    term.print_data(&script)?;
    Ok(Exit::Good)
}

fn registration_script(shell: &dyn EnvCompleter) -> Option<String> {
    let (name, mut script) = ("tenterhook", Vec::new());
    shell.write_registration(COMPLETION_SHELL, name, name, name, &mut script).ok()?;
    String::from_utf8(script).ok()
}

/// Answers a completion script, if one calls: it sets a variable and writes `--` before the words.
/// An agent that hands on the variable writes no `--`, so its call stays a call.
pub(crate) fn answer_completion_script(words: &[String], term: Term) -> Option<Exit> {
    let (first, words) = words.split_first()?;
    let shell = ambient::completion_shell().filter(|_| first == "--" && !words.is_empty())?;
    let shells = Shells::builtins();
    let shell = shells.completer(&shell)?;
    let (mut command, mut answer) = (command_with_candidates(), Vec::new());
    command.build();
    let words = words.iter().map(OsString::from).collect();
    let cwd = Here::from_env().ok().map(|here| here.roots.cwd);
    let written = shell.write_complete(&mut command, words, cwd.as_deref(), &mut answer);
    let printed = written.is_ok() && term.print_data(&String::from_utf8_lossy(&answer)).is_ok();
    Some(if printed { Exit::Good } else { Exit::Wrong })
}

/// Returns the command line with the candidates of each argument.
fn command_with_candidates() -> Command {
    let command = with_path_completion(args::command_with_grouped_help());
    VALUES
        .iter()
        .fold(command, |command, values| add_value_candidates(command, values.command, values))
}

/// Makes arguments that take a file complete paths. The parser of `DIALECT=FILE` does not say so.
fn with_path_completion(command: Command) -> Command {
    let takes_file = |arg: &Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        names.iter().any(|name| name.ends_with("FILE"))
    };
    let hint = |arg: Arg| if takes_file(&arg) { arg.value_hint(ValueHint::AnyPath) } else { arg };
    command.mut_args(hint).mut_subcommands(with_path_completion)
}

fn add_value_candidates(command: Command, path: &[&str], values: &'static Values) -> Command {
    match path.split_first() {
        Some((name, rest)) => {
            command.mut_subcommand(name, |sub| add_value_candidates(sub, rest, values))
        }
        None => command
            .mut_arg(values.argument, |arg| arg.add(ArgValueCompleter::new(Candidates(values)))),
    }
}

/// The candidates of one argument.
struct Candidates(&'static Values);

impl ValueCompleter for Candidates {
    fn complete(&self, current: &std::ffi::OsStr) -> Vec<CompletionCandidate> {
        let written = current.to_string_lossy();
        let names = (self.0.list)().into_iter().filter(|name| name.starts_with(&*written));
        let names = names.map(CompletionCandidate::new);
        match self.0.or_path {
            true => names.chain(PathCompleter::any().complete(current)).collect(),
            false => names.collect(),
        }
    }
}

/// Returns the events of all dialects, sorted.
fn event_names() -> Vec<String> {
    let rows = DIALECTS.iter().flat_map(|dialect| dialect.event_rows());
    sorted_names(rows.map(|row| row.name.to_string()))
}

/// Returns the names of the hooks that are read from here, sorted, without entries of Tenterhook
/// itself.
fn hook_names() -> Vec<String> {
    let Ok(here) = Here::from_env() else { return Vec::new() };
    let which = Which { config: Vec::new(), dialect: None, compat: None };
    let Ok(mut loaded) = load::load_hooks(&which, &here) else { return Vec::new() };
    let ruleset = loaded.build_engine(|builder| builder).ruleset();
    let hooks = ruleset.hooks().iter().filter(|hook| !is_tenterhook_entry(&hook.run));
    sorted_names(hooks.map(|hook| hook.short_name()))
}

/// Returns the codes of the last denials, the newest first.
fn denial_codes() -> Vec<String> {
    let entries = Here::from_env().ok().and_then(|here| log::read_all_entries(&here).ok());
    let firings = log::firing::firings_from_entries(entries.unwrap_or_default());
    let mut codes: Vec<String> = Vec::new();
    for code in firings.iter().rev().filter_map(log::firing::Firing::denial_code) {
        if codes.len() < CODES && codes.iter().all(|known| known != code) {
            codes.push(code.to_owned());
        }
    }
    codes
}

fn pack_names() -> Vec<String> {
    PACKS.iter().map(|pack| pack.name.to_owned()).collect()
}

fn hook_and_pack_names() -> Vec<String> {
    sorted_names(hook_names().into_iter().chain(pack_names()))
}

/// Returns the rules of all packs, sorted.
fn pack_rule_names() -> Vec<String> {
    sorted_names(PACKS.iter().flat_map(|pack| pack.rules()).map(|rule| rule.name.to_owned()))
}

fn sorted_names(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Writes a manual page for the program and for each command into a directory.
pub(crate) fn write_manual(args: &Manual) -> Result<Exit, Problem> {
    let cannot = |error| Problem::new(format!("the manual pages cannot be written: {error}"));
    std::fs::create_dir_all(&args.directory).map_err(cannot)?;
    clap_mangen::generate_to(args::command_with_grouped_help(), &args.directory).map_err(cannot)?;
    Ok(Exit::Good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_argument_exists() {
        command_with_candidates().debug_assert();
    }

    #[test]
    fn lists_that_need_no_file_have_values() {
        for list in [event_names, pack_names, pack_rule_names] {
            assert!(!list().is_empty());
        }
    }
}
