//! Reads the sessions of Gemini CLI 0.61, and the single objects of versions before 0.40. Gemini
//! CLI repeats a message when it adds fields to it. Judges nothing.

use std::collections::HashSet;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{self, Ask, Field, Unread, borrowed_parts};
use crate::transcript::usage::UsageForm;
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

/// Where a transcript has the tokens of an answer (0.61.0). An answer is written again, with the
/// same id, when its calls are known.
pub(crate) static USAGE: UsageForm = UsageForm {
    marker: "\"tokens\":",
    id: "/id",
    output: &["/tokens/output", "/tokens/thoughts"],
    is_total: false,
    context: &["/tokens/total"],
    window: "",
    windows: &[1_048_576],
    side: "",
};

borrowed_parts! {
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        session_id: Field<'a>,
        kind: Field<'a>,
        directories: Field<'a>,
        #[serde(rename = "$set")]
        set: Field<'a>,
        messages: Field<'a>,
        id: Field<'a>,
        r#type: Field<'a>,
        timestamp: Field<'a>,
        content: Field<'a>,
        tool_calls: Field<'a>,
    }

    struct ToolCall<'a> {
        id: Field<'a>,
        name: Field<'a>,
        args: Field<'a>,
        status: Field<'a>,
        result: Field<'a>,
    }

    struct Part<'a> {
        text: Field<'a>,
        #[serde(rename = "functionResponse")]
        response: Option<Response<'a>>,
    }

    struct Response<'a> {
        response: Option<FunctionResponse<'a>>,
    }

    struct FunctionResponse<'a> {
        error: Field<'a>,
    }
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
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if let Some(set) = line.set.json_text() {
            let set: Line<'_> = serde_json::from_str(set)?;
            return self.emit_messages(&set, carried, emit);
        }
        if line.r#type.is_some() {
            self.emit_message(&line, carried, emit);
            return Ok(());
        }
        let Some(session) = line.session_id.string_value() else { return Err(Unread) };
        replace_carried_if_new(&mut carried.session, Some(&session));
        if line.kind.string_value().as_deref() == Some("subagent") && carried.subagent.is_none() {
            replace_carried_if_new(&mut carried.subagent, Some(&session));
        }
        if carried.cwd.is_none() {
            let directories =
                line.directories.deserialize_value::<Vec<String>>().unwrap_or_default();
            replace_carried_if_new(&mut carried.cwd, directories.first().map(String::as_str));
        }
        carried.facts.session.clone_from(&carried.session);
        self.emit_messages(&line, carried, emit)
    }
}

impl Gemini {
    fn emit_messages(
        &mut self,
        line: &Line<'_>,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let Some(messages) = line.messages.json_text() else { return Ok(()) };
        for message in serde_json::from_str::<Vec<Line<'_>>>(messages)? {
            self.emit_message(&message, carried, emit);
        }
        Ok(())
    }

    fn emit_message(&mut self, message: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let kind = message.r#type.string_value().unwrap_or_default();
        carried.time = raw::parse_timestamp(message.timestamp.string_value().as_deref());
        let id = message.id.string_value().unwrap_or_default();
        match &*kind {
            "user" => self.emit_prompt(message, &id, carried, emit),
            "gemini" => {
                let calls =
                    message.tool_calls.deserialize_value::<Vec<ToolCall<'_>>>().unwrap_or_default();
                let is_last = calls.is_empty()
                    && message.content.string_value().is_some_and(|text| !text.is_empty());
                if is_last && self.seen.insert(id.into_owned()) {
                    emit(carried.new_record(Action::Stop));
                }
                for call in &calls {
                    self.emit_call(call, carried, emit);
                }
            }
            kind if OTHERS.contains(&kind) => {}
            kind => carried.facts.count_record_of_unknown_kind(kind),
        }
    }

    fn emit_prompt(&mut self, message: &Line<'_>, id: &str, carried: &Carried, emit: Emit<'_>) {
        let parts = message.content.deserialize_value::<Vec<Part<'_>>>().unwrap_or_default();
        let texts = parts.iter().filter_map(|part| part.text.string_value());
        let text = message.content.string_value().map_or_else(|| texts.collect(), String::from);
        if !text.is_empty()
            && !text.starts_with("<session_context>")
            && self.seen.insert(id.to_owned())
        {
            emit(carried.new_record(Action::Prompt(text.into())));
        }
    }

    fn emit_call(&mut self, call: &ToolCall<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let (Some(id), Some(tool)) = (call.id.string_value(), call.name.string_value()) else {
            return carried.facts.count_record_of_unknown_kind("toolCalls");
        };
        if !self.seen.insert(id.to_string()) {
            return;
        }
        let input = call.args.json_text().unwrap_or("{}").into();
        emit(carried.new_record(Action::Call(Call {
            id: id.clone(),
            tool,
            input,
            kind: Kind::Plain,
        })));
        let parts = call.result.deserialize_value::<Vec<Part<'_>>>().unwrap_or_default();
        let error = parts
            .iter()
            .find_map(|part| part.response.as_ref()?.response.as_ref()?.error.string_value());
        let words = error.unwrap_or_default();
        let by = match (call.status.string_value().as_deref(), &*words) {
            (Some("cancelled"), _) => Some(Refuser::Person),
            (_, text) if text.starts_with("Tool execution blocked:") => Some(Refuser::Hook),
            (_, text) if text.starts_with("Tool execution denied by policy") => Some(Refuser::Rule),
            _ => None,
        };
        let is_unknown = words.starts_with("Tool \"") && words.contains("not found")
            || words.starts_with("params ");
        emit(carried.new_record(match by {
            Some(by) => Action::Denial { call: id, by },
            None if is_unknown => Action::Result { call: id, ended: Ended::Refused },
            None if call.status.string_value().as_deref() == Some("error") => {
                Action::Result { call: id, ended: Ended::Failed }
            }
            None => Action::Result { call: id, ended: Ended::Ran },
        }));
    }
}
