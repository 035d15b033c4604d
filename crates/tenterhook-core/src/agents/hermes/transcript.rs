//! Reads the sessions of Hermes 0.19.0: rows of its database, one JSON object per row. Judges nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{Ask, Field, Unread, borrowed_parts};
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Row<'a> {
        table: Field<'a>,
        id: Field<'a>,
        source: Field<'a>,
        parent_session_id: Field<'a>,
        cwd: Field<'a>,
        session_id: Field<'a>,
        role: Field<'a>,
        content: Field<'a>,
        /// A list, as text.
        tool_calls: Field<'a>,
        tool_call_id: Field<'a>,
        /// In seconds, with a fraction.
        timestamp: Field<'a>,
        finish_reason: Field<'a>,
    }

    struct ToolCall<'a> {
        id: Field<'a>,
        function: Option<Function<'a>>,
    }

    struct Function<'a> {
        name: Field<'a>,
        /// An object, as text.
        arguments: Field<'a>,
    }
}

#[derive(Clone)]
struct Session {
    cwd: Option<Arc<str>>,
    is_sub: bool,
}

/// The tool whose results always have more fields than `error`, unless a hook denied it.
const SHELL: &str = "terminal";

/// Reads one database.
#[derive(Default)]
pub(crate) struct Hermes {
    sessions: HashMap<String, Session>,
    /// The ids of calls of the shell without a result yet.
    shells: HashSet<String>,
}

impl ReadLine for Hermes {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let row: Row<'_> = serde_json::from_str(text)?;
        match row.table.string_value().as_deref() {
            Some("sessions") => self.read_session(&row, carried),
            Some("messages") => self.read_message(&row, carried, emit),
            Some(table) => carried.facts.count_record_of_unknown_kind(table),
            None => return Err(Unread),
        }
        Ok(())
    }
}

impl Hermes {
    fn read_session(&mut self, row: &Row<'_>, carried: &mut Carried) {
        let Some(id) = row.id.string_value() else {
            return carried.facts.count_record_of_unknown_kind("sessions");
        };
        // A subagent works where its parent does, and its row does not say where.
        let parent = row.parent_session_id.string_value();
        let parent = parent.as_deref().and_then(|parent| self.sessions.get(parent));
        let own = row.cwd.string_value().as_deref().map(Into::into);
        let session = Session {
            cwd: own.or_else(|| parent.and_then(|parent| parent.cwd.clone())),
            is_sub: row.source.string_value().as_deref() == Some("subagent"),
        };
        if carried.facts.session.is_none() {
            carried.facts.session = Some((*id).into());
        }
        self.sessions.insert(id.into_owned(), session);
    }

    fn read_message(&mut self, row: &Row<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let seconds = row.timestamp.deserialize_value::<f64>();
        #[expect(clippy::cast_possible_truncation, reason = "a time; the cast saturates")]
        let time = seconds.map(|seconds| (seconds * 1000.0) as i64);
        carried.time = time;
        let id = row.session_id.string_value();
        let session = id.as_deref().and_then(|id| self.sessions.get(id));
        carried.cwd = session.and_then(|session| session.cwd.clone());
        carried.subagent = None;
        if session.is_some_and(|session| session.is_sub) {
            replace_carried_if_new(&mut carried.subagent, id.as_deref());
        }
        replace_carried_if_new(&mut carried.session, id.as_deref());
        match row.role.string_value().as_deref() {
            Some("user") => {
                let text = row.content.string_value().unwrap_or_default();
                emit(carried.new_record(Action::Prompt(text)));
            }
            Some("assistant") => {
                self.emit_calls(row, carried, emit);
                if row.finish_reason.string_value().as_deref() == Some("stop") {
                    emit(carried.new_record(Action::Stop));
                }
            }
            Some("tool") => self.emit_call_end(row, carried, emit),
            Some("system") => {}
            role => carried.facts.count_record_of_unknown_kind(role.unwrap_or("messages")),
        }
    }

    fn emit_calls(&mut self, row: &Row<'_>, carried: &mut Carried, emit: Emit<'_>) {
        let Some(calls) = row.tool_calls.string_value() else { return };
        let Ok(calls) = serde_json::from_str::<Vec<ToolCall<'_>>>(&calls) else {
            return carried.facts.count_record_of_unknown_kind("tool_calls");
        };
        for call in calls {
            let function = call.function.as_ref();
            let name = function.and_then(|function| function.name.string_value());
            let (Some(id), Some(tool)) = (call.id.string_value(), name) else {
                carried.facts.count_record_of_unknown_kind("tool_calls");
                continue;
            };
            if tool == SHELL {
                self.shells.insert(id.to_string());
            }
            let arguments = function.and_then(|function| function.arguments.string_value());
            let input = arguments.unwrap_or(Cow::Borrowed("{}"));
            emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
        }
    }

    fn emit_call_end(&mut self, row: &Row<'_>, carried: &Carried, emit: Emit<'_>) {
        let Some(call) = row.tool_call_id.string_value() else { return };
        let is_shell = self.shells.remove(&*call);
        let text = row.content.string_value().unwrap_or_default();
        emit(carried.new_record(match call_end_or_refuser(&text, is_shell) {
            Ok(ended) => Action::Result { call, ended },
            Err(by) => Action::Denial { call, by },
        }));
    }
}

/// Returns how a call ended, or what refused it, by its result.
fn call_end_or_refuser(text: &str, is_shell: bool) -> Result<Ended, Refuser> {
    if text.starts_with("Tool '") && text.contains("' does not exist.") {
        return Ok(Ended::Refused);
    }
    if text.starts_with("[Tool execution cancelled") {
        return Err(Refuser::Person);
    }
    let Ok(result) = serde_json::from_str::<HashMap<&str, Field<'_>>>(text) else {
        let has_failed = text.starts_with("Error executing tool ");
        return Ok(if has_failed { Ended::Failed } else { Ended::Ran });
    };
    let field = |key: &str| result.get(key).copied().flatten();
    let error = field("error").string_value();
    match error {
        _ if field("status").string_value().as_deref() == Some("blocked") => Err(Refuser::Unsaid),
        Some(error) if is_shell && result.len() == 1 => {
            match error.starts_with("Tool execution failed") {
                true => Ok(Ended::Failed),
                false => Err(Refuser::Hook),
            }
        }
        Some(_) => Ok(Ended::Failed),
        None if field("exit_code").integer_value().is_some_and(|code| code != 0) => {
            Ok(Ended::Failed)
        }
        None => Ok(Ended::Ran),
    }
}
