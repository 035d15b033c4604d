//! The sessions of the reference agent. Judges nothing.

use std::borrow::Cow;

use serde::Deserialize;

use super::claude::carry;
use super::raw::{Ask, Field, Unread};
use super::{Call, Carried, Ended, Kind, Reads, Refuser, Tell, What};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    cwd: Field<'a>,
    #[serde(borrow, default)]
    version: Field<'a>,
    #[serde(borrow, default)]
    mode: Field<'a>,
    #[serde(borrow, default)]
    copied: Field<'a>,
    #[serde(borrow, default)]
    at: Field<'a>,
    #[serde(borrow, default)]
    role: Field<'a>,
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default)]
    calls: Field<'a>,
    #[serde(borrow, default)]
    results: Field<'a>,
}

#[derive(Deserialize)]
struct Wanted<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    tool: Field<'a>,
    #[serde(borrow, default)]
    input: Field<'a>,
}

#[derive(Deserialize)]
struct Came<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default)]
    is_error: Field<'a>,
    #[serde(borrow, default)]
    outcome: Field<'a>,
    #[serde(borrow, default)]
    ran_input: Field<'a>,
}

/// One file.
#[derive(Default)]
pub(super) struct Own;

impl Reads for Own {
    fn line(&mut self, text: &str, carried: &mut Carried, tell: Tell<'_>) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if let Some(at) = line.at.number() {
            carried.time = Some(at);
        }
        // It may change within a session.
        carry(&mut carried.mode, line.mode.text().as_deref());
        carried.is_copied = line.copied.yes();
        match line.r#type.text().as_deref() {
            Some("session") => {
                carry(&mut carried.session, line.id.text().as_deref());
                carry(&mut carried.cwd, line.cwd.text().as_deref());
                carry(&mut carried.facts.version, line.version.text().as_deref());
                carried.facts.session.clone_from(&carried.session);
            }
            Some("message") => message(&line, carried, tell),
            Some("cut" | "rewritten" | "taken_back") => {}
            Some(other) => carried.facts.unknown(other),
            None => return Err(Unread),
        }
        Ok(())
    }
}

fn message(line: &Line<'_>, carried: &mut Carried, tell: Tell<'_>) {
    match line.role.text().as_deref() {
        Some("user") => tell(carried.told(What::Prompt(line.text.text().unwrap_or_default()))),
        Some("assistant") => {
            let calls = line.calls.read::<Vec<Wanted<'_>>>().unwrap_or_default();
            if calls.is_empty() {
                tell(carried.told(What::Stop));
            }
            for call in calls {
                let (Some(id), Some(tool)) = (call.id.text(), call.tool.text()) else {
                    carried.facts.unknown("calls");
                    continue;
                };
                let input = Cow::Borrowed(call.input.json().unwrap_or("{}"));
                tell(carried.told(What::Call(Call { id, tool, input, kind: Kind::Plain })));
            }
        }
        Some("tools") => {
            for came in line.results.read::<Vec<Came<'_>>>().unwrap_or_default() {
                let Some(call) = came.id.text() else { continue };
                if let Some(input) = came.ran_input.json() {
                    tell(carried.told(What::Rewritten { call: call.clone(), input: input.into() }));
                }
                tell(carried.told(ended(call, &came)));
            }
        }
        other => carried.facts.unknown(other.unwrap_or("message")),
    }
}

/// How a call ended: by its word, or, of files before there was one, by its text.
fn ended<'a>(call: Cow<'a, str>, came: &Came<'_>) -> What<'a> {
    let text = came.text.text().unwrap_or_default();
    let by = match came.outcome.text().as_deref() {
        Some("denied_by_hook") => Some(Refuser::Hook),
        Some("denied_by_rule") => Some(Refuser::Rule),
        Some("denied_by_mode") => Some(Refuser::Mode),
        Some("denied_by_person" | "interrupted") => Some(Refuser::Person),
        Some(_) => None,
        None if text.starts_with("there is no tool ") => None,
        None if text.starts_with("the call was refused: ") => Some(Refuser::Unsaid),
        None if text == "it was interrupted" => Some(Refuser::Person),
        None => None,
    };
    if let Some(by) = by {
        return What::Denial { call, by };
    }
    let ended = match came.outcome.text().as_deref() {
        Some("unknown_tool" | "bad_input") => Ended::Refused,
        _ if came.is_error.yes() => Ended::Failed,
        _ => Ended::Ran,
    };
    What::Result { call, ended }
}
