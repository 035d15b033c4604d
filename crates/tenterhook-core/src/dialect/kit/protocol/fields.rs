//! The fields of an answer: one object that the agent accepts, read to the letter. What it would
//! ignore becomes a remark; what it would reject is an error. Lenient reading is the business of
//! `denial`.

use serde_json::{Map, Value};

use super::{Answers, Field, InvalidAnswer, Spec, Top, Universal, terminal};
use crate::answer::{Answer, Failure, Restraint, Stop};
use crate::diagnostic::Code;
use crate::dialect::kit::unread::Unread;
use crate::dialect::typed::{Type, check_field_type, non_empty_text, value_kind};
use crate::event::Event;

/// Whether `hookSpecificOutput` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All fields count.
    Whole,
    /// Those of `hookSpecificOutput` do not.
    TopOnly,
}

/// The values of `decision` at the top level, valid on every event.
const DECISIONS: &[&str] = &["approve", "block"];
const BEHAVIORS: &[&str] = &["allow", "deny"];
const ACTIONS: &[&str] = &["accept", "decline", "cancel"];
/// Reads the answer in an object; the error says why the agent rejects the whole object.
pub(super) fn read_answer_object(
    answers: &Answers,
    spec: &Spec,
    event: &Event,
    name: &str,
    object: &Map<String, Value>,
    extent: Extent,
) -> Result<Answer, InvalidAnswer> {
    for (key, expected) in answers.top {
        check_field_type(object, key, *expected)?;
    }
    let decision = read_choice(object, "decision", DECISIONS)?;
    if answers.allows_detaching() && object.get("async") == Some(&Value::Bool(true)) {
        return Ok(Answer { detached: true, ..Answer::default() });
    }
    (answers.refuses)(spec, object)?;
    let unread = Unread::new_for_read_fields(paths_of_read_fields(answers, spec));
    let mut reader = Reader { answers, spec, event, name, answer: Answer::default(), unread };
    reader.read_universal_fields(object);
    reader.read_top_decision(decision, object);
    if let (Some(Value::Object(output)), Extent::Whole) = (object.get("hookSpecificOutput"), extent)
    {
        reader.read_hook_output(output)?;
    }
    reader.report_unknown_keys(object, answers.top.iter().map(|(key, _)| *key), "")?;
    Ok(reader.into_answer())
}

/// Returns the paths of the fields that an event reads, those of `hookSpecificOutput` first.
fn paths_of_read_fields(answers: &Answers, spec: &Spec) -> Vec<String> {
    let of_field = |(key, field): &(&str, Field)| match field {
        Field::Behavior(_) => {
            let inner = answers.behavior.iter();
            inner.map(|(name, _)| format!("hookSpecificOutput.{key}.{name}")).collect()
        }
        _ => vec![format!("hookSpecificOutput.{key}")],
    };
    let is_read = |key: &&str| *key != "decision" || spec.top != Top::Ignored;
    let top = answers.top.iter().map(|(key, _)| *key).filter(is_read).map(str::to_owned);
    spec.fields.iter().flat_map(of_field).chain(top).collect()
}

struct Reader<'a> {
    answers: &'a Answers,
    spec: &'a Spec,
    event: &'a Event,
    /// What the agent calls the event.
    name: &'a str,
    answer: Answer,
    unread: Unread,
}

impl Reader<'_> {
    fn read_universal_fields(&mut self, object: &Map<String, Value>) {
        if let Some(text) = non_empty_text(object, "systemMessage") {
            if self.spec.universal == Universal::Dropped {
                self.remark_ignored_key("systemMessage");
            } else {
                self.answer.effects.messages.push(text.to_owned());
            }
        }
        if object.get("continue") == Some(&Value::Bool(false)) {
            let reason = non_empty_text(object, "stopReason");
            match self.spec.universal {
                Universal::All => {
                    self.answer.effects.stop = Some(Stop { reason: reason.map(str::to_owned) });
                }
                Universal::StopDenies => self.raise_restraint(Restraint::Deny, reason),
                Universal::NoStop | Universal::Dropped => self.remark_ignored_key("continue"),
            }
        }
        if let Some(text) = non_empty_text(object, "terminalSequence") {
            if terminal::has_only_harmless_sequences(text) {
                self.add_extra_effect("terminalSequence", text.into());
            } else {
                self.push_remark(
                    Code::TerminalSequence,
                    "`terminalSequence` may hold a bell and the OSC sequences 0, 1, 2, 9, 99 and 777, nothing else; \
                     it was dropped"
                        .to_owned(),
                );
            }
        }
        for key in self.answers.carried {
            if let Some(value) = object.get(*key) {
                self.add_extra_effect(key, value.clone());
            }
        }
    }

    fn read_top_decision(&mut self, decision: Option<&str>, object: &Map<String, Value>) {
        let restraint = match (decision, self.spec.top) {
            (Some("block"), Top::Blocks | Top::BlocksOrApproves) => Restraint::Deny,
            (Some("approve"), Top::BlocksOrApproves) => Restraint::Allow,
            (Some("block"), Top::Ignored) => return self.remark_ignored_key("decision"),
            // Elsewhere `approve` says what silence says.
            _ => return,
        };
        self.raise_restraint(restraint, non_empty_text(object, "reason"));
    }

    fn read_hook_output(&mut self, output: &Map<String, Value>) -> Result<(), InvalidAnswer> {
        let named = output.get("hookEventName").and_then(Value::as_str);
        let own = if self.spec.name.is_empty() { self.event.name.as_str() } else { self.spec.name };
        if named != Some(own) {
            let event = own.to_owned();
            return Err(match named {
                Some(named) => InvalidAnswer::OtherEvent { named: named.to_owned(), event },
                None => InvalidAnswer::NoEventName { event },
            });
        }
        for (key, field) in self.spec.fields {
            if let Some(value) = output.get(*key) {
                check_field_type(output, key, field.expected_type())?;
                self.read_output_field(key, *field, value, output)?;
            }
        }
        let known = self.spec.fields.iter().map(|(key, _)| *key).chain(["hookEventName"]);
        self.report_unknown_keys(output, known, "hookSpecificOutput.")
    }

    fn read_output_field(
        &mut self,
        key: &str,
        field: Field,
        value: &Value,
        output: &Map<String, Value>,
    ) -> Result<(), InvalidAnswer> {
        let effects = &mut self.answer.effects;
        let text = || value.as_str().unwrap_or_default().to_owned();
        match field {
            Field::Permission(words) => {
                if let Some(word) = read_choice(output, key, words)? {
                    self.raise_restraint(
                        restraint_of_word(word),
                        non_empty_text(output, "permissionDecisionReason"),
                    );
                }
            }
            Field::Denial(words) => {
                if let Some("deny") = read_choice(output, key, words)? {
                    self.raise_restraint(
                        Restraint::Deny,
                        non_empty_text(output, "permissionDecisionReason"),
                    );
                }
            }
            Field::PermissionReason => {}
            Field::Behavior(_) => self.read_behavior(value)?,
            Field::Context if text().is_empty() => {}
            Field::Context => effects.context.push(text()),
            Field::Input => effects.updated_input = Some(value.clone()),
            Field::Output => self.read_tool_output(key, value),
            Field::McpOutput => self.read_mcp_output(key, value),
            Field::Display => effects.updated_output = Some(value.clone()),
            Field::Watch => {
                let paths = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                effects.watch_paths = Some(paths.map(str::to_owned).collect());
            }
            Field::FirstMessage => effects.initial_user_message = Some(text()),
            Field::Retry => effects.retry = value.as_bool(),
            Field::Action => {
                if let Some(action) = read_choice(output, key, ACTIONS)? {
                    self.raise_restraint(restraint_of_word(action), None);
                }
                self.add_extra_effect(key, value.clone());
            }
            Field::ExtraText | Field::ExtraFlag | Field::ExtraObject => {
                self.add_extra_effect(key, value.clone());
            }
        }
        Ok(())
    }

    fn read_behavior(&mut self, value: &Value) -> Result<(), InvalidAnswer> {
        let Value::Object(decision) = value else { return Ok(()) };
        let known = self.answers.behavior;
        for (key, expected) in known {
            check_field_type(decision, key, *expected)?;
        }
        let Some(behavior) = read_choice(decision, "behavior", BEHAVIORS)? else {
            return Err(InvalidAnswer::NoBehavior);
        };
        self.raise_restraint(restraint_of_word(behavior), non_empty_text(decision, "message"));
        let effects = &mut self.answer.effects;
        if behavior == "allow" {
            effects.updated_input = decision.get("updatedInput").cloned();
            let updates = decision.get("updatedPermissions").and_then(Value::as_array);
            effects.updated_permissions = updates.cloned().unwrap_or_default();
        }
        if let Some(interrupt) = decision.get("interrupt") {
            self.add_extra_effect("interrupt", interrupt.clone());
        }
        self.report_unknown_keys(
            decision,
            known.iter().map(|(key, _)| *key),
            "hookSpecificOutput.decision.",
        )
    }

    /// Reads the replacement of a built-in tool's output, which must have the same type: the agent
    /// was observed to ignore a text in place of an object.
    fn read_tool_output(&mut self, key: &str, value: &Value) {
        let original = self.event.payload.get("tool_response");
        let differs =
            original.is_some_and(|tool_response| value_kind(tool_response) != value_kind(value));
        if differs && !self.is_mcp_call() {
            let wanted = original.map_or("", value_kind);
            let message =
                format!("`{key}` must be {wanted}, as the tool's own output is; it was dropped");
            self.push_remark(Code::NotHonoured, message);
        } else {
            self.answer.effects.updated_output = Some(value.clone());
        }
    }

    fn read_mcp_output(&mut self, key: &str, value: &Value) {
        if !self.is_mcp_call() {
            let message = format!("`{key}` counts for MCP tools only; use `updatedToolOutput`");
            self.push_remark(Code::NotHonoured, message);
        } else if self.answer.effects.updated_output.is_none() {
            self.answer.effects.updated_output = Some(value.clone());
        }
    }

    fn is_mcp_call(&self) -> bool {
        self.event.text("tool_name").is_some_and(|name| name.starts_with("mcp__"))
    }

    /// Applies a decision; if an answer has two, the stricter one wins.
    fn raise_restraint(&mut self, restraint: Restraint, reason: Option<&str>) {
        if restraint > self.answer.restraint {
            self.answer.restraint = restraint;
            self.answer.reason = reason.map(str::to_owned);
        }
    }

    fn into_answer(mut self) -> Answer {
        self.answer.remarks.extend(self.unread.into_remark());
        // A rewrite of an action that does not happen would only mislead the next reader.
        if matches!(self.answer.restraint, Restraint::Deny | Restraint::Defer) {
            self.answer.effects.updated_input = None;
        }
        self.answer
    }

    fn report_unknown_keys<'k>(
        &mut self,
        object: &Map<String, Value>,
        known: impl Iterator<Item = &'k str> + Clone,
        path: &str,
    ) -> Result<(), InvalidAnswer> {
        for (key, value) in object {
            if known.clone().any(|text| text == key) {
                continue;
            }
            if self.answers.is_closed {
                return Err(InvalidAnswer::UnknownKey { path: path.to_owned(), key: key.clone() });
            }
            let mut elsewhere = self.answers.events.iter().flat_map(|spec| spec.fields);
            let elsewhere = elsewhere.any(|(name, _)| name == key);
            if elsewhere && !path.is_empty() {
                self.remark_ignored_key(key);
                continue;
            }
            self.unread.add_unread_key(path, (key, value), known.clone());
        }
        Ok(())
    }

    fn remark_ignored_key(&mut self, key: &str) {
        let message = format!("`{}` does not honour `{key}`", self.name);
        self.push_remark(Code::NotHonoured, message);
    }

    fn push_remark(&mut self, code: Code, message: String) {
        self.answer.remarks.push(Failure::new(code, message));
    }

    fn add_extra_effect(&mut self, key: &str, value: Value) {
        self.answer.effects.extra.insert(key.to_owned(), value);
    }
}

impl Field {
    const fn expected_type(self) -> Type {
        match self {
            Self::Permission(_)
            | Self::Denial(_)
            | Self::PermissionReason
            | Self::Context
            | Self::Display
            | Self::FirstMessage
            | Self::Action
            | Self::ExtraText => Type::Text,
            Self::Behavior(_) | Self::Input | Self::ExtraObject => Type::Object,
            Self::Retry | Self::ExtraFlag => Type::Flag,
            Self::Watch => Type::Texts,
            Self::Output | Self::McpOutput => Type::Any,
        }
    }
}

/// Returns the restraint that a decision word means in any position.
fn restraint_of_word(word: &str) -> Restraint {
    match word {
        "allow" | "approve" => Restraint::Allow,
        "ask" => Restraint::Ask,
        "defer" => Restraint::Defer,
        "deny" | "block" | "decline" | "cancel" => Restraint::Deny,
        _ => Restraint::Silent,
    }
}

/// Returns the value of `key`, which must be one of `allowed`.
fn read_choice<'a>(
    object: &'a Map<String, Value>,
    key: &str,
    allowed: &'static [&'static str],
) -> Result<Option<&'a str>, InvalidAnswer> {
    let Some(word) = object.get(key).and_then(Value::as_str) else { return Ok(None) };
    match allowed.contains(&word) {
        true => Ok(Some(word)),
        false => Err(InvalidAnswer::UnknownValue {
            key: key.to_owned(),
            value: word.to_owned(),
            allowed,
        }),
    }
}
