//! Is the agent stopped? Makes one call through each entry for a gate that only the canary rule denies, and looks for that denial
//! in the reply and on record.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use serde_json::{Value, json};
use tenterhook_core::agents::Agent;

use super::entries::{Entry, File};
use super::finding::{Finding, Kind, Mend};
use super::firing::{Response, call_through_entry, is_tool_gate_entry};
use crate::ambient::Here;
use crate::command::hook::canary;
use crate::command::log::firing::firings_from_entries;
use crate::command::log::read_all_entries;
use crate::load::shorten_path;
use crate::show::layout::format_duration;

/// A canary call through one entry.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    event: &'static str,
    /// The path of the entry's file, as people read it.
    file: String,
    path: String,
    took: Duration,
    /// The number of the denial on record.
    record: Option<u64>,
    /// The problem; `None` if the agent got the denial of the canary rule.
    pub(super) finding: Option<Finding>,
}

/// Makes a canary call through each entry of a file that is asked before a tool call.
pub(super) fn prove_entries(agent: &'static Agent, file: &File, here: &Here) -> Vec<Proof> {
    let gates = file.entries.iter().filter(|entry| is_tool_gate_entry(entry));
    gates.filter_map(|entry| prove_entry(agent, file, entry, here)).collect()
}

fn prove_entry(agent: &'static Agent, file: &File, entry: &Entry, here: &Here) -> Option<Proof> {
    let nonce = format!("{:016x}", RandomState::new().build_hasher().finish());
    let session = canary::session_id(&nonce);
    let line = canary::command_line(&nonce);
    let (took, response) = call_through_entry((agent, file, entry), (&session, &line), here)?;
    let is_canary = |text: &str| text.contains(&canary::denial_reason(&nonce));
    let wrong = match response {
        Response::Denied(why) if is_canary(&why) => None,
        Response::Replaced(command) if is_canary(&command) && !command.contains(&line) => None,
        Response::Replaced(_) => Some("the canary call would run, with another input".to_owned()),
        Response::Denied(why) => Some(format!("a different rule denied the canary call: {why}")),
        Response::Silence => Some("the canary call passed: no rule was asked".to_owned()),
        Response::Nothing(why) => Some(format!("the canary call got no answer: {why}")),
    };
    let finding = wrong.map(|what| {
        let mend = Mend::from_command(format!("tenterhook install {}", agent.name));
        Finding::new(Kind::NotProven, what, mend).with_location(&file.path, entry.line, here)
    });
    let path = file.path.display().to_string();
    Some(Proof {
        event: entry.event.name,
        file: shorten_path(&path, &here.roots),
        path,
        took,
        record: recorded_denial_number(&session, here),
        finding,
    })
}

/// Returns the number of the denial in a session on record.
fn recorded_denial_number(session: &str, here: &Here) -> Option<u64> {
    let mut firings = firings_from_entries(read_all_entries(here).ok()?).into_iter().rev();
    let denial = firings
        .find(|firing| firing.session_id() == Some(session) && firing.decision() == "deny")?;
    Some(denial.number())
}

impl Proof {
    pub(super) fn description(&self) -> String {
        let record = match self.record {
            Some(number) => format!("on record {number}"),
            None => "not on record".to_owned(),
        };
        let took = format_duration(self.took);
        format!("`{}` of {}: the canary call was denied in {took}, {record}", self.event, self.file)
    }

    pub(super) fn to_json(&self) -> Value {
        let ms = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX);
        json!({
            "event": self.event, "file": self.path, "denied": self.finding.is_none(),
            "record": self.record, "took_ms": ms,
        })
    }
}
