//! Reads the sessions of Mistral Vibe 3.0.3: the entries of the last snapshot of its store, one a
//! line, and the journal after it. Judges nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::transcript::claude::replace_carried_if_new;
use crate::transcript::raw::{Ask, Content, Field, Unread, Within, borrowed_parts};
use crate::transcript::{Action, Call, Carried, Emit, Ended, Kind, ReadLine, Refuser};

borrowed_parts! {
    struct Line<'a> {
        /// Set in the file that names the snapshot, and in the one that describes the session.
        session_id: Field<'a>,
        environment: Within<Environment<'a>>,
        /// Set in a shown entry, and in a record of the journal.
        r#type: Field<'a>,
        #[serde(rename = "createdAt")]
        created: Field<'a>,
        detail: Within<Detail<'a>>,
        payload: Within<Payload<'a>>,
        /// Set in an entry of the conversation.
        source: Field<'a>,
        message: Within<Message<'a>>,
    }

    struct Environment<'a> {
        working_directory: Field<'a>,
    }

    /// What a notice says of a hook.
    #[serde(rename_all = "camelCase")]
    struct Detail<'a> {
        kind: Field<'a>,
        scope: Field<'a>,
        content: Field<'a>,
        tool_call_id: Field<'a>,
    }

    struct Message<'a> {
        role: Field<'a>,
        content: Content<'a, Part<'a>>,
        tool_call_id: Field<'a>,
        outcome: Field<'a>,
    }

    struct Part<'a> {
        r#type: Field<'a>,
        id: Field<'a>,
        name: Field<'a>,
        arguments: Within<Arguments<'a>>,
        /// The arguments as text, in the journal.
        arguments_json: Field<'a>,
        text: Field<'a>,
    }

    struct Arguments<'a> {
        value: Field<'a>,
    }

    struct Payload<'a> {
        result: Within<ActionResult<'a>>,
    }

    struct ActionResult<'a> {
        result: Within<Completion<'a>>,
    }

    /// An answer of the model, in the journal.
    struct Completion<'a> {
        parts: Content<'a, Part<'a>>,
    }

    struct ShellResult<'a> {
        returncode: Field<'a>,
    }
}

/// The tool that runs code of the model. Hooks are called for the calls of that code only.
const SCRIPT: &str = "run_typescript";

/// Reads one session.
#[derive(Default)]
pub(crate) struct Vibe {
    /// When hooks were called for a call.
    times: HashMap<String, i64>,
    denied: HashSet<String>,
}

impl ReadLine for Vibe {
    fn read_line(
        &mut self,
        text: &str,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) -> Result<(), Unread> {
        let line: Line<'_> = serde_json::from_str(text)?;
        if let Some(message) = line.message.as_object() {
            let is_prompt = line.source.string_value().as_deref() == Some("history");
            self.read_message(message, is_prompt, carried, emit);
            return Ok(());
        }
        if let Some(kind) = line.r#type.string_value() {
            self.read_entry(&kind, &line, carried, emit);
            return Ok(());
        }
        let id = line.session_id.string_value().ok_or(Unread)?;
        replace_carried_if_new(&mut carried.session, Some(&*id));
        carried.facts.session.clone_from(&carried.session);
        if id.starts_with("child-") {
            replace_carried_if_new(&mut carried.subagent, Some(&*id));
        }
        let environment = line.environment.as_object();
        let cwd = environment.and_then(|environment| environment.working_directory.string_value());
        replace_carried_if_new(&mut carried.cwd, cwd.as_deref());
        Ok(())
    }
}

impl Vibe {
    /// Reads an entry that is no message of the conversation.
    fn read_entry(&mut self, kind: &str, line: &Line<'_>, carried: &mut Carried, emit: Emit<'_>) {
        match kind {
            "notice" => {
                let created = line.created.integer_value();
                if let Some(detail) = line.detail.as_object() {
                    self.read_notice(detail, created, carried, emit);
                }
            }
            "action_result" => {
                let result =
                    line.payload.as_object().and_then(|payload| payload.result.as_object());
                let completion = result.and_then(|result| result.result.as_object());
                carried.time = None;
                for part in completion.map(|c| c.parts.as_list()).unwrap_or_default() {
                    self.emit_call(part, carried, emit);
                }
            }
            _ => {}
        }
    }

    fn read_notice(
        &mut self,
        detail: &Detail<'_>,
        created: Option<i64>,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) {
        let is_gate = detail.scope.string_value().as_deref() == Some("pre_tool");
        let Some(call) = detail.tool_call_id.string_value().filter(|_| is_gate) else { return };
        carried.time = created;
        match detail.kind.string_value().as_deref() {
            Some("hook_run_started") => {
                if let Some(created) = created {
                    self.times.insert(call.to_string(), created);
                }
                emit(carried.new_record(Action::Asked(call)));
            }
            Some("hook_completed") => {
                let content = detail.content.string_value().unwrap_or_default();
                if content.starts_with("Denied tool ") {
                    self.denied.insert(call.into_owned());
                }
            }
            _ => {}
        }
    }

    fn read_message(
        &mut self,
        message: &Message<'_>,
        is_prompt: bool,
        carried: &mut Carried,
        emit: Emit<'_>,
    ) {
        let parts = message.content.as_list();
        match message.role.string_value().as_deref() {
            Some("user") if is_prompt => {
                carried.time = None;
                let text: String =
                    parts.iter().filter_map(|part| part.text.string_value()).collect();
                emit(carried.new_record(Action::Prompt(text.into())));
            }
            Some("assistant") => {
                let is_call =
                    |part: &Part<'_>| part.r#type.string_value().as_deref() == Some("tool_call");
                for part in parts {
                    self.emit_call(part, carried, emit);
                }
                if !parts.iter().any(is_call) {
                    emit(carried.new_record(Action::Stop));
                }
            }
            Some("tool") => self.emit_call_end(message, carried, emit),
            Some("user" | "system") => {}
            role => carried.facts.count_record_of_unknown_kind(role.unwrap_or("message")),
        }
    }

    fn emit_call(&self, part: &Part<'_>, carried: &mut Carried, emit: Emit<'_>) {
        if part.r#type.string_value().as_deref() != Some("tool_call") {
            return;
        }
        let (Some(id), Some(tool)) = (part.id.string_value(), part.name.string_value()) else {
            return carried.facts.count_record_of_unknown_kind("tool_call");
        };
        carried.time = self.times.get(&*id).copied();
        let kind = if tool == SCRIPT { Kind::Script } else { Kind::Plain };
        carried.facts.has_scripts |= kind == Kind::Script;
        let value = part.arguments.as_object().and_then(|arguments| arguments.value.json_text());
        let input = match value {
            Some(value) => Cow::Borrowed(value),
            None => part.arguments_json.string_value().unwrap_or(Cow::Borrowed("{}")),
        };
        emit(carried.new_record(Action::Call(Call { id, tool, input, kind })));
    }

    fn emit_call_end(&self, message: &Message<'_>, carried: &Carried, emit: Emit<'_>) {
        let Some(call) = message.tool_call_id.string_value() else { return };
        let texts = message.content.as_list().iter().filter_map(|part| part.text.string_value());
        let text: String = texts.collect();
        let has_failed = message.outcome.string_value().as_deref() == Some("failure");
        let code = serde_json::from_str::<ShellResult<'_>>(&text)
            .ok()
            .and_then(|result| result.returncode.integer_value());
        let ended = match () {
            () if has_failed && self.denied.contains(&*call) => Err(Refuser::Hook),
            () if has_failed && text.contains(r#""name":"InvalidToolCall""#) => Ok(Ended::Refused),
            // The result of a tool is an object; the reason of a refusal is only a text.
            () if has_failed && !text.starts_with('{') => Err(Refuser::Unsaid),
            () if has_failed || code.is_some_and(|code| code != 0) => Ok(Ended::Failed),
            () => Ok(Ended::Ran),
        };
        emit(carried.new_record(match ended {
            Ok(ended) => Action::Result { call, ended },
            Err(by) => Action::Denial { call, by },
        }));
    }
}
