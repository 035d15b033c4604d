//! Reads the fields of an answer as Gen does (G-32 to G-37). A field that the agent ignores, or
//! that the event does not have, becomes a remark; an answer that the agent rejects is an error.
//! Lenient reading is done by `kit::denial`.

use serde_json::{Map, Value, json};

use crate::answer::{Answer, Failure, Power, Restraint};
use crate::diagnostic::Code;
use crate::dialect::EventRow;
use crate::dialect::kit::unread::Unread;
pub(crate) use crate::dialect::typed::{Type, TypeMismatch, check, filled};
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
pub(super) fn restraint(word: &str) -> Restraint {
    match word {
        "allow" => Restraint::Allow,
        "ask" => Restraint::Ask,
        "deny" => Restraint::Deny,
        _ => Restraint::Silent,
    }
}

/// The event that an answer names.
pub(super) fn named_event(object: &Map<String, Value>) -> Option<&str> {
    let output = object.iter().find(|(key, _)| key.eq_ignore_ascii_case("hookSpecificOutput"))?.1;
    let named = output.as_object()?.iter();
    named
        .filter(|(key, _)| key.eq_ignore_ascii_case("hookEventName"))
        .find_map(|(_, name)| name.as_str())
        .filter(|name| !name.is_empty())
}

/// Reads an answer; the error says why the agent rejects all of it.
pub(super) fn read(
    event: &Event,
    row: &EventRow,
    object: &Map<String, Value>,
) -> Result<Answer, TypeMismatch> {
    let mut reader = Reader { event, row, answer: Answer::default(), unread: Unread::default() };
    let top = reader.fields(object, TOP, "")?;
    reader.read_top_fields(&top);
    if let Some(Value::Object(output)) = top.get("hookSpecificOutput") {
        let output = reader.fields(output, SPECIFIC, "hookSpecificOutput.")?;
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
    /// keys, and the last of several wins.
    fn fields(
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
                self.unread.add(path, key, known.iter().map(|(name, _)| *name));
                continue;
            };
            if value.is_null() {
                continue;
            }
            fields.insert((*name).to_owned(), value.clone());
            check(&fields, name, *expected)?;
        }
        Ok(fields)
    }

    fn read_top_fields(&mut self, top: &Map<String, Value>) {
        if top.get("continue") == Some(&Value::Bool(false)) {
            let reason = filled(top, "stopReason").or_else(|| filled(top, "reason"));
            self.decide(Restraint::Deny, reason);
        }
        if let Some(text) = filled(top, "systemMessage") {
            // The agent shows no text to the user alone, unless the event adds no context (G-37).
            let to_model = self.has(Power::Context);
            let effects = &mut self.answer.effects;
            let texts = if to_model { &mut effects.context } else { &mut effects.messages };
            texts.push(text.to_owned());
        }
        if top.contains_key("decision") {
            self.remark(Code::NotHonoured, "Gen reads no `decision` at the top level".to_owned());
        }
    }

    fn read_specific_output(&mut self, output: &Map<String, Value>) -> Result<(), TypeMismatch> {
        if let Some(word) = filled(output, "permissionDecision") {
            match restraint(word) {
                _ if !self.has(Power::Ask) => self.not_honoured("permissionDecision"),
                Restraint::Silent => {
                    let message =
                        format!("`permissionDecision` is `{word}`, which is not a known value");
                    self.remark(Code::NotHonoured, message);
                }
                restraint => self.decide(restraint, filled(output, "permissionDecisionReason")),
            }
        }
        let flat = output.contains_key("behavior") || output.contains_key("updatedPermissions");
        if let Some(input) = output.get("updatedInput").filter(|_| !flat)
            && self.may_set(Power::Input, "updatedInput")
        {
            self.answer.effects.updated_input = Some(input.clone());
        }
        if let Some(text) = filled(output, "additionalContext")
            && self.may_set(Power::Context, "additionalContext")
        {
            self.answer.effects.context.push(text.to_owned());
        }
        if let Some(paths) = output.get("watchPaths")
            && self.may_set(Power::Watch, "watchPaths")
        {
            self.watch(paths);
        }
        if let Some(text) = filled(output, "initialUserMessage")
            && self.may_set(Power::InitialMessage, "initialUserMessage")
        {
            self.answer.effects.initial_user_message = Some(text.to_owned());
        }
        if let Some(retry) = output.get("retry").and_then(Value::as_bool)
            && self.may_set(Power::Retry, "retry")
        {
            self.answer.effects.retry = Some(retry);
        }
        match output.get("decision") {
            Some(Value::Object(decision)) if self.may_set(Power::Permissions, "decision") => {
                self.permission(decision)
            }
            None if flat && self.may_set(Power::Permissions, "behavior") => {
                let decision =
                    output.iter().filter(|(key, _)| DECISION.iter().any(|(name, _)| name == key));
                let decision = decision.map(|(key, value)| (key.clone(), value.clone())).collect();
                self.permission(&decision)
            }
            _ => Ok(()),
        }
    }

    /// The answer to a permission request, on that event alone (G-34).
    fn permission(&mut self, decision: &Map<String, Value>) -> Result<(), TypeMismatch> {
        let decision = self.fields(decision, DECISION, "hookSpecificOutput.decision.")?;
        match filled(&decision, "behavior").unwrap_or_default() {
            "deny" => {
                let reason = filled(&decision, "message").unwrap_or("denied by hook");
                self.decide(Restraint::Deny, Some(reason));
            }
            "allow" => {
                self.decide(Restraint::Allow, filled(&decision, "message"));
                if let Some(input) = decision.get("updatedInput") {
                    self.answer.effects.updated_input = Some(input.clone());
                }
                let updates = decision.get("updatedPermissions").and_then(Value::as_array);
                for update in updates.into_iter().flatten() {
                    self.permission_update(update);
                }
            }
            _ if decision.get("interrupt") == Some(&Value::Bool(true)) => {
                self.decide(Restraint::Deny, filled(&decision, "message"));
            }
            word => {
                let message =
                    format!("`decision.behavior` is `{word}`, which is not a known value");
                self.remark(Code::NotHonoured, message);
            }
        }
        Ok(())
    }

    /// Reads one permission update. A string is a rule to allow for this session.
    fn permission_update(&mut self, update: &Value) {
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
                self.remark(Code::NotHonoured, message);
            }
        }
    }

    /// Reads the paths to watch; the agent ignores relative ones.
    fn watch(&mut self, paths: &Value) {
        let mut watched = Vec::new();
        for path in paths.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
                watched.push(path.to_owned());
            } else {
                let message = format!("`{path}` in `watchPaths` is not absolute; it was dropped");
                self.remark(Code::NotHonoured, message);
            }
        }
        self.answer.effects.watch_paths = Some(watched);
    }

    /// Records a decision; the more restraining one of several wins.
    fn decide(&mut self, restraint: Restraint, reason: Option<&str>) {
        if restraint > self.answer.restraint {
            self.answer.restraint = restraint;
            self.answer.reason = reason.map(str::to_owned);
        }
    }

    /// Whether the real event has the field, whatever event the answer names (G-35).
    fn may_set(&mut self, power: Power, key: &str) -> bool {
        let may = self.has(power);
        if !may {
            self.not_honoured(key);
        }
        may
    }

    const fn has(&self, power: Power) -> bool {
        self.row.powers.has(power)
    }

    fn not_honoured(&mut self, key: &str) {
        let message = format!("`{}` does not honour `{key}`; it was ignored", self.event.name);
        self.remark(Code::NotHonoured, message);
    }

    fn remark(&mut self, code: Code, message: String) {
        self.answer.remarks.push(Failure::new(code, message));
    }

    fn into_answer(mut self) -> Answer {
        self.answer.remarks.extend(self.unread.remark());
        // A denied action does not happen, so its rewrite is dropped.
        if self.answer.restraint == Restraint::Deny {
            self.answer.effects.updated_input = None;
            self.answer.effects.updated_permissions.clear();
        }
        self.answer
    }
}
