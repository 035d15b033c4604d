//! Reads the sessions of Gemini CLI 0.61, and the single objects of versions before 0.40. Gemini
//! CLI repeats a message when it adds fields to it. Judges nothing.

use std::collections::HashSet;

use serde::Deserialize;

use crate::transcript::claude::carry;
pub(crate) use crate::transcript::raw::{self, Ask, Field, Unread};
pub(crate) use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, default)]
    session_id: Field<'a>,
    #[serde(borrow, default)]
    kind: Field<'a>,
    #[serde(borrow, default)]
    directories: Field<'a>,
    #[serde(borrow, default, rename = "$set")]
    set: Field<'a>,
    #[serde(borrow, default)]
    messages: Field<'a>,
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    timestamp: Field<'a>,
    #[serde(borrow, default)]
    content: Field<'a>,
    #[serde(borrow, default)]
    tool_calls: Field<'a>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    name: Field<'a>,
    #[serde(borrow, default)]
    args: Field<'a>,
    #[serde(borrow, default)]
    status: Field<'a>,
    #[serde(borrow, default)]
    result: Field<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default, rename = "functionResponse")]
    response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
struct FunctionResponse<'a> {
    #[serde(borrow, default)]
    error: Field<'a>,
}

/// Kinds of messages that record no event.
const OTHERS: &[&str] = &["error", "info", "warning"];

/// The reader of one session file.
#[derive(Default)]
pub(crate) struct Gemini {
    /// Ids of the messages and calls that were reported: a resumed session repeats them.
    seen: HashSet<String>,
}

impl ReadLine for Gemini {
    fn line(&mut self, text: &str, carried: &mut Carried, emit: Emit<'_>) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if let Some(set) = line.set.json() {
            let set: Line<'_> = serde_json::from_str(set)?;
            return self.messages(&set, carried, emit);
        }
        if line.r#type.is_some() {
            self.message(&line, carried, emit);
            return Ok(());
        }
        let Some(session) = line.session_id.text() else { return Err(Unread) };
        carry(&mut carried.session, Some(&session));
        if line.kind.text().as_deref() == Some("subagent") && carried.subagent.is_none() {
            carry(&mut carried.subagent, Some(&session));
        }
        if carried.cwd.is_none() {
            let directories = line.directories.read::<Vec<String>>().unwrap_or_default();
            carry(&mut carried.cwd, directories.first().map(String::as_str));
        }
        carried.facts.session.clone_from(&carried.session);
        self.messages(&line, carried, emit)
    }
}

impl Gemini {
    fn messages(
        &mut self,
        line: &Line<'_>,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let Some(messages) = line.messages.json() else { return Ok(()) };
        for message in serde_json::from_str::<Vec<Line<'_>>>(messages)? {
            self.message(&message, carried, emit);
        }
        Ok(())
    }

    fn message(&mut self, message: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let kind = message.r#type.text().unwrap_or_default();
        carried.time = raw::time(message.timestamp.text().as_deref());
        let id = message.id.text().unwrap_or_default();
        match &*kind {
            "user" => self.prompt(message, &id, carried, emit),
            "gemini" => {
                let calls = message.tool_calls.read::<Vec<ToolCall<'_>>>().unwrap_or_default();
                let is_last =
                    calls.is_empty() && message.content.text().is_some_and(|text| !text.is_empty());
                if is_last && self.seen.insert(id.into_owned()) {
                    emit(carried.record(Action::Stop));
                }
                for call in &calls {
                    self.call(call, carried, emit);
                }
            }
            kind if OTHERS.contains(&kind) => {}
            kind => carried.facts.unknown(kind),
        }
    }

    fn prompt(&mut self, message: &Line<'_>, id: &str, carried: &Carried, emit: Emit<'_>) {
        let parts = message.content.read::<Vec<Part<'_>>>().unwrap_or_default();
        let texts = parts.iter().filter_map(|part| part.text.text());
        let text = message.content.text().map_or_else(|| texts.collect(), String::from);
        if !text.is_empty()
            && !text.starts_with("<session_context>")
            && self.seen.insert(id.to_owned())
        {
            emit(carried.record(Action::Prompt(text.into())));
        }
    }

    fn call(&mut self, call: &ToolCall<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let (Some(id), Some(tool)) = (call.id.text(), call.name.text()) else {
            return carried.facts.unknown("toolCalls");
        };
        if !self.seen.insert(id.to_string()) {
            return;
        }
        let input = call.args.json().unwrap_or("{}").into();
        emit(carried.record(Action::Call(Call { id: id.clone(), tool, input, kind: Kind::Plain })));
        let parts = call.result.read::<Vec<Part<'_>>>().unwrap_or_default();
        let error =
            parts.iter().find_map(|part| part.response.as_ref()?.response.as_ref()?.error.text());
        let words = error.unwrap_or_default();
        let by = match (call.status.text().as_deref(), &*words) {
            (Some("cancelled"), _) => Some(Refuser::Person),
            (_, text) if text.starts_with("Tool execution blocked:") => Some(Refuser::Hook),
            (_, text) if text.starts_with("Tool execution denied by policy") => Some(Refuser::Rule),
            _ => None,
        };
        let is_unknown = words.starts_with("Tool \"") && words.contains("not found")
            || words.starts_with("params ");
        emit(carried.record(match by {
            Some(by) => Action::Denial { call: id, by },
            None if is_unknown => Action::Result { call: id, ended: Ended::Refused },
            None if call.status.text().as_deref() == Some("error") => {
                Action::Result { call: id, ended: Ended::Failed }
            }
            None => Action::Result { call: id, ended: Ended::Ran },
        }));
    }
}
