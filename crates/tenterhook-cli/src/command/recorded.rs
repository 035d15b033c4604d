//! A firing that is on record, for commands that else want an event: which one, and what it was. Fires nothing.

use serde_json::Value;
use tenterhook::Event;
use tenterhook_core::dialect::{DialectId, Roots};

use super::log::firing::{Firing, Ran};
use super::log::{entries, firing};
use crate::ambient::Here;
use crate::load::shorten;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};

/// How content comes to be on record.
pub(crate) const CHOICE: &str = "write `[record]` with `content = \"redacted\"` or `\"full\"` into \
    `~/.config/tenterhook/tenterhook.toml`; it applies from the next firing on";

/// The firing of that number, or the last one.
pub(crate) fn find(number: Option<u64>, here: &Here) -> Result<Firing, Problem> {
    let mut firings = firing::all(entries(here)?);
    let found = match number {
        Some(number) => firings.into_iter().find(|firing| firing.is(number)),
        None => {
            // A background step that ended late is not a firing.
            firings.retain(|firing| !firing.is_late());
            firings.pop()
        }
    };
    found.ok_or_else(|| match number {
        Some(number) => Problem::new(format!("no firing has the number {number} on record")).help(
            "`tenterhook log` prints the numbers; what you did yourself (`you:`) is no firing",
        ),
        None => {
            Problem::new("nothing is on record").help("`tenterhook fire` records what it fires")
        }
    })
}

/// The last firing with the code of a call that was held; `None` where the text is no such code.
pub(crate) fn by_code(what: &[String], here: &Here) -> Result<Option<Firing>, Problem> {
    let [text] = what else { return Ok(None) };
    let is_code = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_code || !text.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
        return Ok(None);
    }
    let firings = firing::all(entries(here)?).into_iter().rev();
    let is_wanted = |code: &str| code.eq_ignore_ascii_case(text);
    Ok(firings.into_iter().find(|firing| firing.code().is_some_and(is_wanted)))
}

/// The event of a firing, where its content is on record.
pub(crate) fn event(firing: &Firing, here: &Here) -> Option<Event> {
    let map = firing.content("event")?.as_object()?;
    DialectId::NATIVE.dialect().decode_event(map, &here.roots).ok()
}

/// The page about one recorded firing.
pub(crate) fn page(firing: &Firing, roots: &Roots, width: usize) -> String {
    let name = paint(BOLD, layout::line(firing.event()));
    let tool = firing.tool().map(|tool| format!("  {}", layout::line(tool))).unwrap_or_default();
    let style = match firing.decision() {
        "deny" | "stop" => ERROR,
        "ask" | "defer" | "given up" | "no end" => WARNING,
        _ => GOOD,
    };
    let took = firing
        .took()
        .map(|duration| format!(" after {}", layout::time(duration)))
        .unwrap_or_default();
    let mut place = vec![format!("record {}", firing.number()), firing.shown_time()];
    place.extend(firing.session().map(|session| format!("session {}", layout::line(session))));
    place.extend(
        firing.cwd().filter(|cwd| !cwd.is_empty()).map(|cwd| format!("in {}", layout::line(cwd))),
    );
    let mut out = format!("{name}{tool}\n{}\n\n", paint(DIM, place.join(", ")));
    out.push_str(&format!("  {}{took}\n", paint(style, firing.decision())));
    for (key, text) in [
        ("reason", outcome_text(firing, "reason")),
        ("context", outcome_text(firing, "additionalContext")),
    ] {
        for line in text.iter().flat_map(|text| layout::wrap(text, width.saturating_sub(13))) {
            out.push_str(&format!("  {}  {line}\n", paint(DIM, format!("{key:<9}"))));
        }
    }
    let faults = firing.faults();
    if !faults.is_empty() {
        out.push_str(&format!(
            "  {}  {}\n",
            paint(DIM, "faults   "),
            layout::line(&faults.join(", "))
        ));
    }
    let hooks = hooks(firing, roots, width);
    if hooks.is_empty() { out } else { format!("{out}\n{hooks}") }
}

/// What hooks said, where that is on record.
fn outcome_text(firing: &Firing, key: &str) -> Option<String> {
    let said = firing.content("outcome")?.get(key).and_then(Value::as_str)?;
    Some(said.to_owned())
}

fn hooks(firing: &Firing, roots: &Roots, width: usize) -> String {
    let from = |ran: Ran<'_>| shorten(&ran.source(), roots);
    let mut table = Table::new(&[
        Column::of_words("HOOK", firing.hooks().map(Ran::name)),
        Column::of_words("FROM", firing.hooks().map(from)),
        Column::new("ENDED", Give::Wrap),
        Column::time("TOOK"),
        Column::new("VERDICT", Give::Keep),
    ]);
    for ran in firing.hooks() {
        let style = if ran.ran() { PLAIN } else { DIM };
        table.row([
            Cell::new(style, ran.name()),
            Cell::new(DIM, from(ran)),
            Cell::new(style, ran.ended()),
            Cell::new(style, layout::time(ran.took())),
            Cell::new(style, ran.shown_verdict()),
        ]);
    }
    if firing.hooks().next().is_some() { table.render(width) } else { String::new() }
}
