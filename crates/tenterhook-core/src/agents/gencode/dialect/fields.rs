//! Reads the fields of an answer as Gen does (G-32 to G-37). A field that the agent ignores, or
//! that the event does not have, becomes a remark; an answer that the agent rejects is an error.
//! Lenient reading is done by `kit::denial`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Failure, Power, Restraint};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::unread::Unread;
pub(crate) use crate::dialect::typed::{Type, TypeMismatch, check_field_type, non_empty_text};
use crate::event::Event;

type Table = &'static [(&'static str, Type)];

/// The fields at the top level of any answer.
const TOP: Table = &[
    ("continue", Type::Flag),
    ("stopReason", Type::Text),
    ("systemMessage", Type::Text),
    ("suppressOutput", Type::Flag),
    ("decision", Type::Text),
    ("reason", Type::Text),
    ("hookSpecificOutput", Type::Object),
    ("async", Type::Flag),
    ("asyncTimeout", Type::Any),
];
/// The fields of `hookSpecificOutput`.
const SPECIFIC: Table = &[
    ("hookEventName", Type::Text),
    ("permissionDecision", Type::Text),
    ("permissionDecisionReason", Type::Text),
    ("updatedInput", Type::Object),
    ("additionalContext", Type::Text),
    ("decision", Type::Object),
    ("watchPaths", Type::Texts),
    ("initialUserMessage", Type::Text),
    ("retry", Type::Flag),
    // The documentation of the protocol has these three here instead of a `decision` (G-34).
    ("behavior", Type::Text),
    ("message", Type::Text),
    ("updatedPermissions", Type::List),
];
/// The fields of a decision about a permission.
const DECISION: Table = &[
    ("behavior", Type::Text),
    ("updatedInput", Type::Object),
    ("updatedPermissions", Type::List),
    ("message", Type::Text),
    ("interrupt", Type::Flag),
];

/// The restraint that a decision stands for, spelt as in the agent.
pub(super) fn parse_decision(word: &str) -> Restraint {
    match word {
        "allow" => Restraint::Allow,
        "ask" => Restraint::Ask,
        "deny" => Restraint::Deny,
        _ => Restraint::Silent,
    }
}

/// The event that an answer names.
pub(super) fn answer_event_name(object: &Map<String, Value>) -> Option<&str> {
    let output = object.iter().find(|(key, _)| key.eq_ignore_ascii_case("hookSpecificOutput"))?.1;
    let named = output.as_object()?.iter();
    named
        .filter(|(key, _)| key.eq_ignore_ascii_case("hookEventName"))
        .find_map(|(_, name)| name.as_str())
        .filter(|name| !name.is_empty())
}

/// Reads an answer; the error says why the agent rejects all of it.
pub(super) fn read_answer_fields(
    event: &Event,
    row: &EventRow,
    object: &Map<String, Value>,
) -> Result<Answer, TypeMismatch> {
    let specific = SPECIFIC.iter().map(|(key, _)| format!("hookSpecificOutput.{key}"));
    let read = specific.chain(TOP.iter().map(|(key, _)| (*key).to_owned())).collect();
    let unread = Unread::new_for_read_fields(read);
    let mut reader = Reader { event, row, answer: Answer::default(), unread };
    let top = reader.collect_known_fields(object, TOP, "")?;
    reader.read_top_fields(&top);
    if let Some(Value::Object(output)) = top.get("hookSpecificOutput") {
        let output = reader.collect_known_fields(output, SPECIFIC, "hookSpecificOutput.")?;
        reader.read_specific_output(&output)?;
    }
    Ok(reader.into_answer())
}

struct Reader<'a> {
    event: &'a Event,
    row: &'a EventRow,
    answer: Answer,
    unread: Unread,
}

impl Reader<'_> {
    /// The known fields of an object under their documented names: the agent ignores the case of
    /// keys, and the last of several wins. Notes the other keys as unread.
    fn collect_known_fields(
        &mut self,
        object: &Map<String, Value>,
        known: Table,
        path: &str,
    ) -> Result<Map<String, Value>, TypeMismatch> {
        let mut fields = Map::new();
        for (key, value) in object {
            let Some((name, expected)) =
                known.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))
            else {
                self.unread.add_unread_key(path, (key, value), known.iter().map(|(name, _)| *name));
                continue;
            };
            if value.is_null() {
                continue;
            }
            fields.insert((*name).to_owned(), value.clone());
            check_field_type(&fields, name, *expected)?;
        }
        Ok(fields)
    }

    fn read_top_fields(&mut self, top: &Map<String, Value>) {
        if top.get("continue") == Some(&Value::Bool(false)) {
            let reason =
                non_empty_text(top, "stopReason").or_else(|| non_empty_text(top, "reason"));
            self.keep_stricter_decision(Restraint::Deny, reason);
        }
        if let Some(text) = non_empty_text(top, "systemMessage") {
            // The agent shows no text to the user alone, unless the event adds no context (G-37).
            let to_model = self.event_has_power(Power::Context);
            let effects = &mut self.answer.effects;
            let texts = if to_model { &mut effects.context } else { &mut effects.messages };
            texts.push(text.to_owned());
        }
        if top.contains_key("decision") {
            self.add_remark(
                Code::NotHonoured,
                "Gen reads no `decision` at the top level".to_owned(),
            );
        }
    }

    fn read_specific_output(&mut self, output: &Map<String, Value>) -> Result<(), TypeMismatch> {
        if let Some(word) = non_empty_text(output, "permissionDecision") {
            match parse_decision(word) {
                _ if !self.event_has_power(Power::Ask) => {
                    self.remark_ignored_key("permissionDecision")
                }
                Restraint::Silent => {
                    let message =
                        format!("`permissionDecision` is `{word}`, which is not a known value");
                    self.add_remark(Code::NotHonoured, message);
                }
                restraint => self.keep_stricter_decision(
                    restraint,
                    non_empty_text(output, "permissionDecisionReason"),
                ),
            }
        }
        let flat = output.contains_key("behavior") || output.contains_key("updatedPermissions");
        if let Some(input) = output.get("updatedInput").filter(|_| !flat)
            && self.honours_field_else_remarks(Power::Input, "updatedInput")
        {
            self.answer.effects.updated_input = Some(input.clone());
        }
        if let Some(text) = non_empty_text(output, "additionalContext")
            && self.honours_field_else_remarks(Power::Context, "additionalContext")
        {
            self.answer.effects.context.push(text.to_owned());
        }
        if let Some(paths) = output.get("watchPaths")
            && self.honours_field_else_remarks(Power::Watch, "watchPaths")
        {
            self.read_watch_paths(paths);
        }
        if let Some(text) = non_empty_text(output, "initialUserMessage")
            && self.honours_field_else_remarks(Power::InitialMessage, "initialUserMessage")
        {
            self.answer.effects.initial_user_message = Some(text.to_owned());
        }
        if let Some(retry) = output.get("retry").and_then(Value::as_bool)
            && self.honours_field_else_remarks(Power::Retry, "retry")
        {
            self.answer.effects.retry = Some(retry);
        }
        match output.get("decision") {
            Some(Value::Object(decision))
                if self.honours_field_else_remarks(Power::Permissions, "decision") =>
            {
                self.read_permission_decision(decision)
            }
            None if flat && self.honours_field_else_remarks(Power::Permissions, "behavior") => {
                let decision =
                    output.iter().filter(|(key, _)| DECISION.iter().any(|(name, _)| name == key));
                let decision = decision.map(|(key, value)| (key.clone(), value.clone())).collect();
                self.read_permission_decision(&decision)
            }
            _ => Ok(()),
        }
    }

    /// Reads the answer to a permission request, on that event alone (G-34).
    fn read_permission_decision(
        &mut self,
        decision: &Map<String, Value>,
    ) -> Result<(), TypeMismatch> {
        let decision =
            self.collect_known_fields(decision, DECISION, "hookSpecificOutput.decision.")?;
        match non_empty_text(&decision, "behavior").unwrap_or_default() {
            "deny" => {
                let reason = non_empty_text(&decision, "message").unwrap_or("denied by hook");
                self.keep_stricter_decision(Restraint::Deny, Some(reason));
            }
            "allow" => {
                self.keep_stricter_decision(Restraint::Allow, non_empty_text(&decision, "message"));
                if let Some(input) = decision.get("updatedInput") {
                    self.answer.effects.updated_input = Some(input.clone());
                }
                let updates = decision.get("updatedPermissions").and_then(Value::as_array);
                for update in updates.into_iter().flatten() {
                    self.read_permission_update(update);
                }
            }
            _ if decision.get("interrupt") == Some(&Value::Bool(true)) => {
                self.keep_stricter_decision(Restraint::Deny, non_empty_text(&decision, "message"));
            }
            word => {
                let message =
                    format!("`decision.behavior` is `{word}`, which is not a known value");
                self.add_remark(Code::NotHonoured, message);
            }
        }
        Ok(())
    }

    /// Reads one permission update. A string is a rule to allow for this session.
    fn read_permission_update(&mut self, update: &Value) {
        let updates = &mut self.answer.effects.updated_permissions;
        match update {
            Value::Object(fields) if fields.get("type").is_some_and(Value::is_string) => {
                updates.push(update.clone());
            }
            Value::String(rule) => {
                let (tool, content) = rule.split_once('(').unwrap_or((rule, ""));
                let content = content.strip_suffix(')').unwrap_or(content);
                updates.push(json!({
                    "type": "addRules",
                    "rules": [{"toolName": tool, "ruleContent": content}],
                    "behavior": "allow",
                    "destination": "session",
                }));
            }
            other => {
                let message = format!("a permission update needs a `type`; `{other}` was dropped");
                self.add_remark(Code::NotHonoured, message);
            }
        }
    }

    /// Reads the paths to watch; the agent ignores relative ones.
    fn read_watch_paths(&mut self, paths: &Value) {
        let mut watched = Vec::new();
        for path in paths.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
                watched.push(path.to_owned());
            } else {
                let message = format!("`{path}` in `watchPaths` is not absolute; it was dropped");
                self.add_remark(Code::NotHonoured, message);
            }
        }
        self.answer.effects.watch_paths = Some(watched);
    }

    /// Records a decision; the more restraining one of several wins.
    fn keep_stricter_decision(&mut self, restraint: Restraint, reason: Option<&str>) {
        if restraint > self.answer.restraint {
            self.answer.restraint = restraint;
            self.answer.reason = reason.map(str::to_owned);
        }
    }

    /// Whether the actual event honours the field, whatever event the answer names (G-35); if not,
    /// adds a remark.
    fn honours_field_else_remarks(&mut self, power: Power, key: &str) -> bool {
        let may = self.event_has_power(power);
        if !may {
            self.remark_ignored_key(key);
        }
        may
    }

    const fn event_has_power(&self, power: Power) -> bool {
        self.row.powers.has(power)
    }

    fn remark_ignored_key(&mut self, key: &str) {
        let message = format!("`{}` does not honour `{key}`", self.event.name);
        self.add_remark(Code::NotHonoured, message);
    }

    fn add_remark(&mut self, code: Code, message: String) {
        self.answer.remarks.push(Failure::new(code, message));
    }

    fn into_answer(mut self) -> Answer {
        self.answer.remarks.extend(self.unread.into_remark());
        // A denied action does not happen, so its rewrite is dropped.
        if self.answer.restraint == Restraint::Deny {
            self.answer.effects.updated_input = None;
            self.answer.effects.updated_permissions.clear();
        }
        self.answer
    }
}
