//! Does the exit code with which a script denies reach the agent? Reads scripts; starts none.

use std::sync::Arc;

use tenterhook::internal::discover;
use tenterhook_core::config::{Ruleset, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::hook::{Arming, DroppedScript, Hook};

use super::consequence::{Ending, consequence_of_ending};

/// The exit code with which scripts deny.
const DENIAL: i32 = 2;

/// Texts with which scripts end with that code.
const ENDS_WITH_DENIAL: &[&str] = &["exit 2", "exit(2", "Exit(2", "exitCode = 2", "exitCode=2"];

/// Texts of scripts that can also deny by an answer on stdout.
const ANSWERS: &[&str] = &[
    "permissionDecision",
    "decision",
    "\"continue\"",
    "\"block\"",
    "\"deny\"",
    "\"behavior\"",
    "cancel",
];

/// Longest part of a line that a finding quotes.
const LONGEST_QUOTE: usize = 40;

/// Finds each hook whose script denies by its exit code alone while its line drops that code (C-135).
pub(crate) fn find_dropped_denials(ruleset: &Ruleset, sources: &[Source]) -> Vec<Diagnostic> {
    let armed = ruleset.hooks().iter().filter(|hook| hook.arming == Arming::Armed);
    armed.filter_map(|hook| dropped_denial_finding(ruleset, sources, hook)).collect()
}

fn dropped_denial_finding(
    ruleset: &Ruleset,
    sources: &[Source],
    hook: &Arc<Hook>,
) -> Option<Diagnostic> {
    let place = hook.place.as_ref()?;
    let source = sources.iter().find(|source| source.name == place.file)?;
    let blocks = |code: i32| {
        consequence_of_ending(ruleset, hook, Ending::with_exit_code(code, "x")).blocks_everything()
    };
    let dropped = hook.dropped_exit_codes(&source.project, &source.home);
    let lost = dropped.into_iter().find(|script| {
        denies_by_exit_code_alone(script) && blocks(DENIAL) && !blocks(script.dropped.code)
    })?;
    let by = shorten(&lost.dropped.by);
    let name = lost.file.as_ref().and_then(|path| path.file_name());
    let name =
        name.map_or_else(|| shorten(&lost.dropped.command), |name| name.display().to_string());
    let message =
        format!("`{by}` drops the exit code of `{name}`, which denies by exit code {DENIAL} only");
    let help = format!("remove `{by}`, so that the line ends with the exit code of `{name}`");
    Some(
        Diagnostic::new(Code::ExitCodeDropped, message, Some(place.clone()))
            .label("never denies")
            .help(help),
    )
}

/// Returns `true` if a script, or a command without one, can end with a denial and has no other way to deny.
fn denies_by_exit_code_alone(script: &DroppedScript) -> bool {
    let text = match &script.file {
        Some(path) => discover::read_config_file(path).ok(),
        None => Some(script.dropped.command.as_str().into()),
    };
    text.is_some_and(|text| {
        let is_code = |line: &&str| !line.trim_start().starts_with(['#', '/', '*']);
        let is_denial = |line: &str| ENDS_WITH_DENIAL.iter().any(|end| has_whole_number(line, end));
        text.lines().filter(is_code).any(is_denial)
            && !ANSWERS.iter().any(|answer| text.contains(answer))
    })
}

/// Returns `true` if `line` contains `text`, which ends with a number, and no further digit behind it.
fn has_whole_number(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| {
        let rest = line.get(at + text.len()..).unwrap_or_default();
        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.')
    })
}

fn shorten(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST_QUOTE {
        return text;
    }
    format!("{}...", text.chars().take(LONGEST_QUOTE).collect::<String>())
}
