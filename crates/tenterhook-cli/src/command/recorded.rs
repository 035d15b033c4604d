//! A firing that is on record, for commands that else want an event: which one, and what it was. Fires nothing.

use serde_json::Value;
use tenterhook::Event;
use tenterhook_core::diagnostic::nearest_word;
use tenterhook_core::dialect::{DialectId, Roots};

use super::log::firing::{Firing, Ran};
use super::log::{firing, read_all_entries};
use crate::ambient::Here;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};

/// How content comes to be on record.
pub(crate) const CHOICE: &str = "write `[record]` with `content = \"redacted\"` or `\"full\"` into \
    `~/.config/tenterhook/tenterhook.toml`; it applies from the next firing on";

/// Finds the firing with that number, or the last one.
pub(crate) fn find_firing(number: Option<u64>, here: &Here) -> Result<Firing, Problem> {
    let mut firings = firing::firings_from_entries(read_all_entries(here)?);
    let found = match number {
        Some(number) => firings.into_iter().find(|firing| firing.has_number(number)),
        None => {
            // A background step that ended late is not a firing.
            firings.retain(|firing| !firing.is_late_step());
            firings.pop()
        }
    };
    found.ok_or_else(|| match number {
        Some(number) => Problem::new(format!("no firing has the number {number} on record"))
            .with_help(
                "`tenterhook log` prints the numbers; what you did yourself (`you:`) is no firing",
            ),
        None => Problem::new("nothing is on record")
            .with_help("`tenterhook fire` records what it fires"),
    })
}

/// Finds the last firing with the code of a denied or held call; `None` if the text is not such a
/// code.
pub(crate) fn find_firing_by_code(what: &[String], here: &Here) -> Result<Option<Firing>, Problem> {
    let [text] = what else { return Ok(None) };
    let is_code = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_code || !text.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
        return Ok(None);
    }
    let firings = firing::firings_from_entries(read_all_entries(here)?).into_iter().rev();
    let is_wanted = |code: &str| code.eq_ignore_ascii_case(text);
    Ok(firings.into_iter().find(|firing| firing.denial_code().is_some_and(is_wanted)))
}

/// Returns an error if the only argument looks like the code of a denied call, and no file has that
/// name. The caller has found no such call.
pub(crate) fn refuse_mistyped_code(what: &[String], here: &Here) -> Result<(), Problem> {
    let [text] = what else { return Ok(()) };
    let is_code_like = (5..=7).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if !is_code_like || here.roots.cwd.join(text).exists() {
        return Ok(());
    }
    let firings = firing::firings_from_entries(read_all_entries(here)?);
    let mut codes: Vec<&str> = firings.iter().filter_map(Firing::denial_code).collect();
    codes.dedup();
    Err(unknown_code_problem(text, &codes))
}

/// How many of the latest codes an error names.
const LATEST: usize = 3;

/// Returns the error that no denied call has a code, with the codes that may be meant. `codes` are
/// those of denied calls, the latest last.
pub(crate) fn unknown_code_problem(code: &str, codes: &[&str]) -> Problem {
    let problem = Problem::new(format!("no denied call has the code `{code}`"));
    if let Some(near) = nearest_word(&code.to_ascii_uppercase(), codes.iter().copied()) {
        return problem.with_help(format!("did you mean `{near}`?"));
    }
    let latest: Vec<String> =
        codes.iter().rev().take(LATEST).map(|code| format!("`{code}`")).collect();
    problem.with_help(match latest.is_empty() {
        true => "the reason of a denial names its code, and so does `tenterhook log`".to_owned(),
        false => format!("the latest codes are {}; `tenterhook log` shows more", latest.join(", ")),
    })
}

/// Returns the event of a firing, if its content was recorded.
pub(crate) fn event_of_firing(firing: &Firing, here: &Here) -> Option<Event> {
    let map = firing.recorded_content("event")?.as_object()?;
    DialectId::NATIVE.dialect().decode_event(map, &here.roots).ok()
}

/// Renders the page about one recorded firing.
pub(crate) fn firing_page(firing: &Firing, roots: &Roots, width: usize) -> String {
    let name = paint(BOLD, layout::to_safe_line(firing.event_name()));
    let tool = firing
        .tool_name()
        .map(|tool| format!("  {}", layout::to_safe_line(tool)))
        .unwrap_or_default();
    let style = match firing.decision() {
        "deny" | "stop" => ERROR,
        "ask" | "defer" | "given up" | "no end" => WARNING,
        _ => GOOD,
    };
    let took = firing
        .duration()
        .map(|duration| format!(" after {}", layout::format_duration(duration)))
        .unwrap_or_default();
    let mut place = vec![format!("record {}", firing.number()), firing.local_end_time()];
    place.extend(
        firing.session_id().map(|session| format!("session {}", layout::to_safe_line(session))),
    );
    place.extend(firing.caller().map(|caller| format!("by {}", layout::to_safe_line(&caller))));
    place.extend(
        firing
            .cwd()
            .filter(|cwd| !cwd.is_empty())
            .map(|cwd| format!("in {}", layout::to_safe_line(cwd))),
    );
    let mut out = format!("{name}{tool}\n{}\n\n", paint(DIM, place.join(", ")));
    out.push_str(&format!("  {}{took}\n", paint(style, firing.display_decision())));
    for (key, text) in [
        ("reason", recorded_outcome_text(firing, "reason")),
        ("context", recorded_outcome_text(firing, "additionalContext")),
    ] {
        for line in text.iter().flat_map(|text| layout::wrap_text(text, width.saturating_sub(13))) {
            out.push_str(&format!("  {}  {line}\n", paint(DIM, format!("{key:<9}"))));
        }
    }
    let faults = firing.fault_codes();
    if !faults.is_empty() {
        out.push_str(&format!(
            "  {}  {}\n",
            paint(DIM, "faults   "),
            layout::to_safe_line(&faults.join(", "))
        ));
    }
    let hooks = hooks_table(firing, roots, width);
    if hooks.is_empty() { out } else { format!("{out}\n{hooks}") }
}

/// Returns a text of the recorded outcome, if its content was recorded.
fn recorded_outcome_text(firing: &Firing, key: &str) -> Option<String> {
    let said = firing.recorded_content("outcome")?.get(key).and_then(Value::as_str)?;
    Some(said.to_owned())
}

fn hooks_table(firing: &Firing, roots: &Roots, width: usize) -> String {
    let from = |ran: Ran<'_>| shorten_path(&ran.file_and_line(), roots);
    let mut table = Table::new(&[
        Column::wrapping_at_words("HOOK", firing.hook_runs().map(Ran::name)),
        Column::wrapping_at_words("FROM", firing.hook_runs().map(from)).moving_below(),
        Column::new("ENDED", Give::Wrap),
        Column::duration_column("TOOK"),
        Column::new("VERDICT", Give::Keep),
    ]);
    for ran in firing.hook_runs() {
        let style = if ran.was_run() { PLAIN } else { DIM };
        table.push_row([
            Cell::new(style, ran.name()),
            Cell::new(DIM, from(ran)),
            Cell::new(style, ran.how_it_ended()),
            Cell::new(style, layout::format_duration(ran.duration())),
            Cell::new(style, ran.display_verdict()),
        ]);
    }
    if firing.hook_runs().next().is_some() { table.render(width) } else { String::new() }
}
