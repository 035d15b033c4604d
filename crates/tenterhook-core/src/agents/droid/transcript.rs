//! Reads the sessions of Droid 0.225.2, which records its hooks beside the messages. Judges nothing.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{self, Ask, Content, Field, Unread, Within, borrowed_parts};
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Line<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        timestamp: Field<'a>,
        cwd: Field<'a>,
        reason: Field<'a>,
        message: Within<Message<'a>>,
    }

    #[serde(rename_all = "camelCase")]
    struct Message<'a> {
        role: Field<'a>,
        content: Content<'a, Block<'a>>,
        /// Present if not both the user and the model see the message.
        visibility: Field<'a>,
        hook_event_name: Field<'a>,
        hook_tool_call_id: Field<'a>,
        hook_results: Field<'a>,
    }

    struct Block<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        name: Field<'a>,
        input: Field<'a>,
        tool_use_id: Field<'a>,
        is_error: Field<'a>,
        content: Field<'a>,
        text: Field<'a>,
    }

    /// What a hook returned.
    #[serde(rename_all = "camelCase")]
    struct HookResult<'a> {
        exit_code: Field<'a>,
        stdout: Field<'a>,
    }

    #[serde(rename_all = "camelCase")]
    struct Output<'a> {
        r#continue: Field<'a>,
        hook_specific_output: Within<Specific<'a>>,
    }

    #[serde(rename_all = "camelCase")]
    struct Specific<'a> {
        permission_decision: Field<'a>,
    }
}

/// Kinds of records that are no event.
const OTHERS: &[&str] = &["agent_turn_outcome", "compaction_state", "todo_state"];

/// Reads one file.
#[derive(Default)]
pub(crate) struct Droid {
    /// The ids of calls that a hook denied, without a result yet.
    denied: HashSet<String>,
}

impl ReadLine for Droid {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let kind = line.r#type.string_value().ok_or(Unread)?;
        if let Some(time) = raw::parse_timestamp(line.timestamp.string_value().as_deref()) {
            carried.time = Some(time);
        }
        match &*kind {
            "session_start" => {
                replace_carried_if_new(&mut carried.session, line.id.string_value().as_deref());
                replace_carried_if_new(&mut carried.cwd, line.cwd.string_value().as_deref());
                carried.facts.session.clone_from(&carried.session);
            }
            "message" => {
                let Some(message) = line.message.as_object() else { return Err(Unread) };
                self.read_message(message, carried, emit);
            }
            "agent_turn_outcome" if line.reason.string_value().as_deref() == Some("completed") => {
                emit(carried.new_record(Action::Stop));
            }
            kind if OTHERS.contains(&kind) => {}
            kind => carried.facts.count_record_of_unknown_kind(kind),
        }
        Ok(())
    }
}

impl Droid {
    fn read_message(&mut self, message: &Message<'_>, carried: &mut Carried, emit: Emit<'_>) {
        if let Some(event) = message.hook_event_name.string_value() {
            if event == "PreToolUse" {
                self.read_hook(message, carried, emit);
            }
            return;
        }
        let is_prompt = message.role.string_value().as_deref() == Some("user")
            && message.visibility.json_text().is_none();
        if let Content::Text(text) = &message.content
            && is_prompt
        {
            return emit(carried.new_record(Action::Prompt(Cow::Borrowed(text))));
        }
        for block in message.content.as_list() {
            match block.r#type.string_value().as_deref() {
                Some("tool_use") => emit_call(block, carried, emit),
                Some("tool_result") => self.emit_call_end(block, carried, emit),
                Some("text") if is_prompt => {
                    let text = block.text.string_value().unwrap_or_default();
                    if !text.starts_with("<system-reminder>") {
                        emit(carried.new_record(Action::Prompt(text)));
                    }
                }
                _ => {}
            }
        }
    }

    fn read_hook(&mut self, message: &Message<'_>, carried: &Carried, emit: Emit<'_>) {
        let Some(call) = message.hook_tool_call_id.string_value() else { return };
        let results = message.hook_results.deserialize_value::<Vec<HookResult<'_>>>();
        if results.unwrap_or_default().iter().any(is_denial) {
            self.denied.insert(call.to_string());
        }
        emit(carried.new_record(Action::Asked(call)));
    }

    fn emit_call_end(&mut self, block: &Block<'_>, carried: &Carried, emit: Emit<'_>) {
        let Some(call) = block.tool_use_id.string_value() else { return };
        let is_denied = self.denied.remove(&*call);
        if !block.is_error.holds_true() {
            return emit(carried.new_record(Action::Result { call, ended: Ended::Ran }));
        }
        let text = block.content.escaped_string().unwrap_or_default();
        let by = match text {
            _ if is_denied => Some(Refuser::Hook),
            text if text.starts_with("Error: Exec ended early: insufficient permission") => {
                Some(Refuser::Mode)
            }
            _ => None,
        };
        let is_unknown = text.starts_with("Error: Not found: ");
        emit(carried.new_record(match by {
            Some(by) => Action::Denial { call, by },
            None if is_unknown => Action::Result { call, ended: Ended::Refused },
            None => Action::Result { call, ended: Ended::Failed },
        }));
    }
}

/// Returns whether Droid takes the answer of a hook before a tool for a denial.
fn is_denial(result: &HookResult<'_>) -> bool {
    if matches!(result.exit_code.integer_value(), Some(2 | 3)) {
        return true;
    }
    let stdout = result.stdout.string_value().unwrap_or_default();
    let Ok(output) = serde_json::from_str::<Output<'_>>(&stdout) else { return false };
    let decision = output.hook_specific_output.as_object();
    decision.is_some_and(|specific| {
        specific.permission_decision.string_value().as_deref() == Some("deny")
    }) || output.r#continue.json_text() == Some("false")
}

fn emit_call(block: &Block<'_>, carried: &mut Carried, emit: Emit<'_>) {
    let (Some(id), Some(tool)) = (block.id.string_value(), block.name.string_value()) else {
        return carried.facts.count_record_of_unknown_kind("tool_use");
    };
    let input = Cow::Borrowed(block.input.json_text().unwrap_or("{}"));
    emit(carried.new_record(Action::Call(Call { id, tool, input, kind: Kind::Plain })));
}
