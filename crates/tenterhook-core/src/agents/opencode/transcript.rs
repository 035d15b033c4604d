//! Reads the sessions of OpenCode 1.18 and of Kilo 7.7.9: rows of their databases, one JSON object per
//! row, and the output of `opencode export`. Judges nothing.

use std::collections::HashMap;
use std::sync::Arc;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{Ask, Field, Unread, borrowed_parts};
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Row<'a> {
        table: Field<'a>,
        id: Field<'a>,
        #[serde(alias = "parentID")]
        parent_id: Field<'a>,
        directory: Field<'a>,
        version: Field<'a>,
        message_id: Field<'a>,
        session_id: Field<'a>,
        time_created: Field<'a>,
        data: Field<'a>,
        info: Field<'a>,
        messages: Field<'a>,
    }

    struct Exported<'a> {
        info: Field<'a>,
        parts: Field<'a>,
    }

    struct Message<'a> {
        id: Field<'a>,
        role: Field<'a>,
        finish: Field<'a>,
        mode: Field<'a>,
    }

    struct Part<'a> {
        r#type: Field<'a>,
        text: Field<'a>,
        tool: Field<'a>,
        #[serde(rename = "callID")]
        call: Field<'a>,
        state: Field<'a>,
    }

    struct State<'a> {
        status: Field<'a>,
        input: Field<'a>,
        error: Field<'a>,
        time: Option<Time<'a>>,
    }

    struct Time<'a> {
        start: Field<'a>,
    }
}

/// Kinds of parts that record no event.
const OTHERS: &[&str] = &[
    "agent",
    "compaction",
    "file",
    "patch",
    "reasoning",
    "retry",
    "snapshot",
    "step-finish",
    "step-start",
    "subtask",
];

/// Tables that record no event.
const TABLES: &[&str] = &["event", "permission", "project", "session_share", "todo"];

#[derive(Clone)]
struct Session {
    id: Arc<str>,
    directory: Option<Arc<str>>,
    is_sub: bool,
}

/// The reader of one database or one export.
#[derive(Default)]
pub(crate) struct OpenCode {
    sessions: HashMap<String, Session>,
    /// Ids of the messages that the user wrote.
    prompts: std::collections::HashSet<String>,
}

impl ReadLine for OpenCode {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let row: Row<'_> = serde_json::from_str(text)?;
        if let Some(info) = row.info.json_text() {
            return self.read_export(info, row.messages.json_text().unwrap_or("[]"), carried, emit);
        }
        let table = row.table.string_value().ok_or(Unread)?;
        carried.time = row.time_created.integer_value();
        match &*table {
            "session" => self.read_session(&row, carried),
            "message" => {
                self.set_session(row.session_id.string_value().as_deref(), carried);
                let id = row.id.string_value().unwrap_or_default();
                if let Some(message) = row.data.deserialize_value::<Message<'_>>() {
                    self.read_message(&message, &id, carried, emit);
                }
            }
            "part" => {
                self.set_session(row.session_id.string_value().as_deref(), carried);
                let message = row.message_id.string_value().unwrap_or_default();
                match row.data.deserialize_value::<Part<'_>>() {
                    Some(part) => self.read_part(&part, &message, carried, emit),
                    None => carried.facts.count_record_of_unknown_kind("part"),
                }
            }
            table if TABLES.contains(&table) => {}
            table => carried.facts.count_record_of_unknown_kind(table),
        }
        Ok(())
    }
}

impl OpenCode {
    fn read_session(&mut self, row: &Row<'_>, carried: &mut Carried) {
        let Some(id) = row.id.string_value() else {
            return carried.facts.count_record_of_unknown_kind("session");
        };
        let session = Session {
            id: (*id).into(),
            directory: row.directory.string_value().as_deref().map(Into::into),
            is_sub: row.parent_id.string_value().is_some(),
        };
        replace_carried_if_new(&mut carried.facts.version, row.version.string_value().as_deref());
        if carried.facts.session.is_none() {
            carried.facts.session = Some(Arc::clone(&session.id));
        }
        self.sessions.insert(id.into_owned(), session);
    }

    /// Sets the session to which the records that follow belong.
    fn set_session(&self, id: Option<&str>, carried: &mut Carried) {
        let session = id.and_then(|id| self.sessions.get(id));
        carried.subagent =
            session.filter(|session| session.is_sub).map(|session| Arc::clone(&session.id));
        carried.cwd = session.and_then(|session| session.directory.clone());
        replace_carried_if_new(&mut carried.session, id);
    }

    fn read_export(
        &mut self,
        info: &str,
        messages: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let session: Row<'_> = serde_json::from_str(info)?;
        self.read_session(&session, carried);
        self.set_session(session.id.string_value().as_deref(), carried);
        for message in serde_json::from_str::<Vec<Exported<'_>>>(messages)? {
            let Some(info) = message.info.deserialize_value::<Message<'_>>() else {
                carried.facts.count_record_of_unknown_kind("message");
                continue;
            };
            let id = info.id.string_value().unwrap_or_default();
            let is_prompt = info.role.string_value().as_deref() == Some("user");
            if is_prompt {
                self.read_message(&info, &id, carried, emit);
            }
            for part in message.parts.deserialize_value::<Vec<Part<'_>>>().unwrap_or_default() {
                self.read_part(&part, &id, carried, emit);
            }
            if !is_prompt {
                self.read_message(&info, &id, carried, emit);
            }
        }
        Ok(())
    }

    fn read_message(
        &mut self,
        message: &Message<'_>,
        id: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) {
        replace_carried_if_new(&mut carried.mode, message.mode.string_value().as_deref());
        match message.role.string_value().as_deref() {
            Some("user") => drop(self.prompts.insert(id.to_owned())),
            _ if message.finish.string_value().as_deref() == Some("stop") => {
                emit(carried.new_record(Action::Stop))
            }
            _ => {}
        }
    }

    fn read_part(&mut self, part: &Part<'_>, message: &str, carried: &mut Carried, emit: Emit<'_>) {
        let kind = part.r#type.string_value().unwrap_or_default();
        match &*kind {
            "tool" => emit_call(part, carried, emit),
            "text" if self.prompts.contains(message) => {
                emit(
                    carried
                        .new_record(Action::Prompt(part.text.string_value().unwrap_or_default())),
                );
            }
            "text" => {}
            kind if OTHERS.contains(&kind) => {}
            kind => carried.facts.count_record_of_unknown_kind(kind),
        }
    }
}

fn emit_call(part: &Part<'_>, carried: &mut Carried, emit: Emit<'_>) {
    let (Some(id), Some(tool), Some(state)) = (
        part.call.string_value(),
        part.tool.string_value(),
        part.state.deserialize_value::<State<'_>>(),
    ) else {
        return carried.facts.count_record_of_unknown_kind("tool");
    };
    if let Some(start) = state.time.as_ref().and_then(|time| time.start.integer_value()) {
        carried.time = Some(start);
    }
    let is_unknown = tool == "invalid";
    let input = state.input.json_text().unwrap_or("{}").into();
    emit(carried.new_record(Action::Call(Call { id: id.clone(), tool, input, kind: Kind::Plain })));
    let words = state.error.string_value().unwrap_or_default();
    let by = match &*words {
        text if text.starts_with("The user has specified a rule") => Some(Refuser::Rule),
        text if text.starts_with("The user rejected permission") => Some(Refuser::Person),
        text if text.starts_with("Tool execution aborted") => Some(Refuser::Person),
        _ => None,
    };
    let ended = match state.status.string_value().as_deref() {
        _ if is_unknown => Ended::Refused,
        Some("completed") => Ended::Ran,
        Some("error") => Ended::Failed,
        // The tool was still running when the agent was killed.
        _ => return,
    };
    emit(carried.new_record(match by {
        Some(by) => Action::Denial { call: id, by },
        None => Action::Result { call: id, ended },
    }));
}
