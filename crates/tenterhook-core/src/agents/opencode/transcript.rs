//! Reads the sessions of OpenCode 1.18: rows of its database, one JSON object per row, and the
//! output of `opencode export`. Judges nothing.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::transcript::claude::carry;
pub(crate) use crate::transcript::raw::{Ask, Field, Unread};
pub(crate) use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    table: Field<'a>,
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default, alias = "parentID")]
    parent_id: Field<'a>,
    #[serde(borrow, default)]
    directory: Field<'a>,
    #[serde(borrow, default)]
    version: Field<'a>,
    #[serde(borrow, default)]
    message_id: Field<'a>,
    #[serde(borrow, default)]
    session_id: Field<'a>,
    #[serde(borrow, default)]
    time_created: Field<'a>,
    #[serde(borrow, default)]
    data: Field<'a>,
    #[serde(borrow, default)]
    info: Field<'a>,
    #[serde(borrow, default)]
    messages: Field<'a>,
}

#[derive(Deserialize)]
struct Exported<'a> {
    #[serde(borrow, default)]
    info: Field<'a>,
    #[serde(borrow, default)]
    parts: Field<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Field<'a>,
    #[serde(borrow, default)]
    role: Field<'a>,
    #[serde(borrow, default)]
    finish: Field<'a>,
    #[serde(borrow, default)]
    mode: Field<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    r#type: Field<'a>,
    #[serde(borrow, default)]
    text: Field<'a>,
    #[serde(borrow, default)]
    tool: Field<'a>,
    #[serde(borrow, default, rename = "callID")]
    call: Field<'a>,
    #[serde(borrow, default)]
    state: Field<'a>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, default)]
    status: Field<'a>,
    #[serde(borrow, default)]
    input: Field<'a>,
    #[serde(borrow, default)]
    error: Field<'a>,
    #[serde(borrow, default)]
    time: Option<Time<'a>>,
}

#[derive(Deserialize)]
struct Time<'a> {
    #[serde(borrow, default)]
    start: Field<'a>,
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
    fn line(&mut self, text: &str, carried: &mut Carried, emit: Emit<'_>) -> Result<(), Unread> {
        let row: Row<'_> = serde_json::from_str(text)?;
        if let Some(info) = row.info.json() {
            return self.export(info, row.messages.json().unwrap_or("[]"), carried, emit);
        }
        let table = row.table.text().ok_or(Unread)?;
        carried.time = row.time_created.number();
        match &*table {
            "session" => self.session(&row, carried),
            "message" => {
                self.set_session(row.session_id.text().as_deref(), carried);
                let id = row.id.text().unwrap_or_default();
                if let Some(message) = row.data.read::<Message<'_>>() {
                    self.message(&message, &id, carried, emit);
                }
            }
            "part" => {
                self.set_session(row.session_id.text().as_deref(), carried);
                let message = row.message_id.text().unwrap_or_default();
                match row.data.read::<Part<'_>>() {
                    Some(part) => self.part(&part, &message, carried, emit),
                    None => carried.facts.unknown("part"),
                }
            }
            table if TABLES.contains(&table) => {}
            table => carried.facts.unknown(table),
        }
        Ok(())
    }
}

impl OpenCode {
    fn session(&mut self, row: &Row<'_>, carried: &mut Carried) {
        let Some(id) = row.id.text() else { return carried.facts.unknown("session") };
        let session = Session {
            id: (*id).into(),
            directory: row.directory.text().as_deref().map(Into::into),
            is_sub: row.parent_id.text().is_some(),
        };
        carry(&mut carried.facts.version, row.version.text().as_deref());
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
        carry(&mut carried.session, id);
    }

    fn export(
        &mut self,
        info: &str,
        messages: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let session: Row<'_> = serde_json::from_str(info)?;
        self.session(&session, carried);
        self.set_session(session.id.text().as_deref(), carried);
        for message in serde_json::from_str::<Vec<Exported<'_>>>(messages)? {
            let Some(info) = message.info.read::<Message<'_>>() else {
                carried.facts.unknown("message");
                continue;
            };
            let id = info.id.text().unwrap_or_default();
            let is_prompt = info.role.text().as_deref() == Some("user");
            if is_prompt {
                self.message(&info, &id, carried, emit);
            }
            for part in message.parts.read::<Vec<Part<'_>>>().unwrap_or_default() {
                self.part(&part, &id, carried, emit);
            }
            if !is_prompt {
                self.message(&info, &id, carried, emit);
            }
        }
        Ok(())
    }

    fn message(&mut self, message: &Message<'_>, id: &str, carried: &mut Carried, emit: Emit<'_>) {
        carry(&mut carried.mode, message.mode.text().as_deref());
        match message.role.text().as_deref() {
            Some("user") => drop(self.prompts.insert(id.to_owned())),
            _ if message.finish.text().as_deref() == Some("stop") => {
                emit(carried.record(Action::Stop))
            }
            _ => {}
        }
    }

    fn part(&mut self, part: &Part<'_>, message: &str, carried: &mut Carried, emit: Emit<'_>) {
        let kind = part.r#type.text().unwrap_or_default();
        match &*kind {
            "tool" => call(part, carried, emit),
            "text" if self.prompts.contains(message) => {
                emit(carried.record(Action::Prompt(part.text.text().unwrap_or_default())));
            }
            "text" => {}
            kind if OTHERS.contains(&kind) => {}
            kind => carried.facts.unknown(kind),
        }
    }
}

fn call(part: &Part<'_>, carried: &mut Carried, emit: Emit<'_>) {
    let (Some(id), Some(tool), Some(state)) =
        (part.call.text(), part.tool.text(), part.state.read::<State<'_>>())
    else {
        return carried.facts.unknown("tool");
    };
    if let Some(start) = state.time.as_ref().and_then(|time| time.start.number()) {
        carried.time = Some(start);
    }
    let is_unknown = tool == "invalid";
    let input = state.input.json().unwrap_or("{}").into();
    emit(carried.record(Action::Call(Call { id: id.clone(), tool, input, kind: Kind::Plain })));
    let words = state.error.text().unwrap_or_default();
    let by = match &*words {
        text if text.starts_with("The user has specified a rule") => Some(Refuser::Rule),
        text if text.starts_with("The user rejected permission") => Some(Refuser::Person),
        text if text.starts_with("Tool execution aborted") => Some(Refuser::Person),
        _ => None,
    };
    let ended = match state.status.text().as_deref() {
        _ if is_unknown => Ended::Refused,
        Some("completed") => Ended::Ran,
        Some("error") => Ended::Failed,
        // The tool was still running when the agent was killed.
        _ => return,
    };
    emit(carried.record(match by {
        Some(by) => Action::Denial { call: id, by },
        None => Action::Result { call: id, ended },
    }));
}
