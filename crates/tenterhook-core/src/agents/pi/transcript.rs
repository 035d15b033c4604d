//! Reads the sessions of Pi 1.6.0 and 0.73.1, and of OpenClaw 2026.9.6, which has the same records
//! in a database. Judges nothing.

use std::borrow::Cow;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{self, Ask, Content, Field, Unread, Within, borrowed_parts};
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Line<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        timestamp: Field<'a>,
        cwd: Field<'a>,
        message: Within<Message<'a>>,
        /// Set in a row of OpenClaw's database that is no record.
        table: Field<'a>,
        app_version: Field<'a>,
        session_id: Field<'a>,
        session_key: Field<'a>,
    }

    #[serde(rename_all = "camelCase")]
    struct Message<'a> {
        role: Field<'a>,
        content: Content<'a, Block<'a>>,
        stop_reason: Field<'a>,
        duration_ms: Field<'a>,
        tool_call_id: Field<'a>,
        is_error: Field<'a>,
        details: Within<Details<'a>>,
    }

    struct Block<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        name: Field<'a>,
        arguments: Field<'a>,
        text: Field<'a>,
    }

    /// What OpenClaw records of how a call ended.
    #[serde(rename_all = "camelCase")]
    struct Details<'a> {
        status: Field<'a>,
        denied_reason: Field<'a>,
        error: Field<'a>,
        exit_code: Field<'a>,
    }
}

/// Kinds of records that are no event.
const OTHERS: &[&str] = &[
    "branch_summary",
    "compaction",
    "context_edit",
    "custom",
    "custom_message",
    "label",
    "model_change",
    "session_info",
    "thinking_level_change",
    "usage",
];

/// Roles of messages that are no event. A line that the user typed behind `!` is no tool call.
const ROLES: &[&str] = &["bashExecution", "branchSummary", "compactionSummary", "custom", "system"];

/// How OpenClaw's errors begin where a hook failed, or asked and had no user to answer.
const HOOK_ERRORS: &[&str] =
    &["Tool call blocked because before_tool_call hook", "Plugin approval unavailable"];

/// Reads one file, or one database.
#[derive(Default)]
pub(crate) struct Pi {
    /// Whether each call that ran has a duration (Pi 1.6): an error without one is a refusal.
    has_durations: bool,
}

impl ReadLine for Pi {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if line.table.is_some() {
            read_row(&line, carried);
            return Ok(());
        }
        let kind = line.r#type.string_value().ok_or(Unread)?;
        carried.time = raw::parse_timestamp(line.timestamp.string_value().as_deref());
        match &*kind {
            "session" => {
                replace_carried_if_new(&mut carried.session, line.id.string_value().as_deref());
                replace_carried_if_new(&mut carried.cwd, line.cwd.string_value().as_deref());
                if carried.facts.session.is_none() {
                    carried.facts.session.clone_from(&carried.session);
                }
            }
            "message" => {
                let Some(message) = line.message.as_object() else { return Err(Unread) };
                self.read_message(message, carried, emit);
            }
            kind if OTHERS.contains(&kind) => {}
            kind => carried.facts.count_record_of_unknown_kind(kind),
        }
        Ok(())
    }
}

/// Reads a row of OpenClaw's database: its version, or the session of the records that follow.
fn read_row(line: &Line<'_>, carried: &mut Carried) {
    let version = line.app_version.string_value();
    replace_carried_if_new(&mut carried.facts.version, version.as_deref());
    let key = line.session_key.string_value().unwrap_or_default();
    carried.subagent = None;
    if key.contains(":subagent:") {
        let id = line.session_id.string_value();
        replace_carried_if_new(&mut carried.subagent, id.as_deref());
    }
}

impl Pi {
    fn read_message(&mut self, message: &Message<'_>, carried: &mut Carried, emit: Emit<'_>) {
        match message.role.string_value().as_deref() {
            Some("user") => {
                let text = match &message.content {
                    Content::Text(text) => Cow::Borrowed(&**text),
                    content => content
                        .as_list()
                        .iter()
                        .filter_map(|block| block.text.string_value())
                        .collect::<String>()
                        .into(),
                };
                emit(carried.new_record(Action::Prompt(text)));
            }
            Some("assistant") => {
                self.has_durations |= message.duration_ms.is_some();
                for block in message.content.as_list() {
                    if block.r#type.string_value().as_deref() == Some("toolCall") {
                        emit_call(block, carried, emit);
                    }
                }
                if message.stop_reason.string_value().as_deref() == Some("stop") {
                    emit(carried.new_record(Action::Stop));
                }
            }
            Some("toolResult") => self.emit_call_end(message, carried, emit),
            Some(role) if ROLES.contains(&role) => {}
            role => carried.facts.count_record_of_unknown_kind(role.unwrap_or("message")),
        }
    }

    fn emit_call_end(&self, message: &Message<'_>, carried: &Carried, emit: Emit<'_>) {
        let Some(call) = message.tool_call_id.string_value() else { return };
        let details = message.details.as_object();
        if !message.is_error.holds_true() {
            let code = details.and_then(|details| details.exit_code.integer_value());
            let ended = if code.unwrap_or(0) == 0 { Ended::Ran } else { Ended::Failed };
            return emit(carried.new_record(Action::Result { call, ended }));
        }
        let first = message.content.as_list().iter().find_map(|block| block.text.string_value());
        let text = first.unwrap_or_default();
        let is_refused = text.starts_with("Validation failed for tool ")
            || text.starts_with("Tool ") && text.ends_with(" not found");
        let error = details.and_then(|details| details.error.string_value()).unwrap_or_default();
        let is_blocked = details
            .is_some_and(|details| details.status.string_value().as_deref() == Some("blocked"));
        let reason = details.and_then(|details| details.denied_reason.string_value());
        let by = match reason.as_deref() {
            Some("plugin-before-tool-call") if is_blocked => Some(Refuser::Hook),
            _ if is_blocked => Some(Refuser::Unsaid),
            _ if HOOK_ERRORS.iter().any(|start| error.starts_with(start)) => Some(Refuser::Hook),
            // Pi has no rules and no modes that refuse calls; only extensions do.
            _ if self.has_durations && !is_refused && message.duration_ms.is_none() => {
                Some(Refuser::Hook)
            }
            _ => None,
        };
        let ended = if is_refused { Ended::Refused } else { Ended::Failed };
        emit(carried.new_record(match by {
            Some(by) => Action::Denial { call, by },
            None => Action::Result { call, ended },
        }));
    }
}

fn emit_call(block: &Block<'_>, carried: &mut Carried, emit: Emit<'_>) {
    let (Some(id), Some(tool)) = (block.id.string_value(), block.name.string_value()) else {
        return carried.facts.count_record_of_unknown_kind("toolCall");
    };
    let input = Cow::Borrowed(block.arguments.json_text().unwrap_or("{}"));
    emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
}
