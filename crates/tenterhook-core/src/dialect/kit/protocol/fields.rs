//! The fields of an answer: one object that the agent accepts, read to the letter. What it would
//! ignore becomes a remark; what it would reject is an error. Lenient reading is the business of
//! `denial`.

use serde_json::{Map, Value};

use super::{Answers, Field, InvalidAnswer, Spec, Top, Universal, terminal};
use crate::answer::{Answer, Failure, Restraint, Stop};
use crate::diagnostic::Code;
use crate::dialect::kit::unread::Unread;
use crate::dialect::typed::{Type, check, filled, kind};
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
/// Reads an answer; the error says why the agent rejects it whole.
pub(super) fn read(
    answers: &Answers,
    spec: &Spec,
    event: &Event,
    name: &str,
    object: &Map<String, Value>,
    extent: Extent,
) -> Result<Answer, InvalidAnswer> {
    for (key, expected) in answers.top {
        check(object, key, *expected)?;
    }
    let decision = choice(object, "decision", DECISIONS)?;
    if answers.detaches() && object.get("async") == Some(&Value::Bool(true)) {
        return Ok(Answer { detached: true, ..Answer::default() });
    }
    (answers.refuses)(spec, object)?;
    let mut reader =
        Reader { answers, spec, event, name, answer: Answer::default(), unread: Unread::default() };
    reader.universal(object);
    reader.top_decision(decision, object);
    if let (Some(Value::Object(output)), Extent::Whole) = (object.get("hookSpecificOutput"), extent)
    {
        reader.hook_output(output)?;
    }
    reader.unknown(object, answers.top.iter().map(|(key, _)| *key), "")?;
    Ok(reader.into_answer())
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
    fn universal(&mut self, object: &Map<String, Value>) {
        if let Some(text) = filled(object, "systemMessage") {
            if self.spec.universal == Universal::Dropped {
                self.not_honoured("systemMessage");
            } else {
                self.answer.effects.messages.push(text.to_owned());
            }
        }
        if object.get("continue") == Some(&Value::Bool(false)) {
            let reason = filled(object, "stopReason");
            match self.spec.universal {
                Universal::All => {
                    self.answer.effects.stop = Some(Stop { reason: reason.map(str::to_owned) });
                }
                Universal::StopDenies => self.decide(Restraint::Deny, reason),
                Universal::NoStop | Universal::Dropped => self.not_honoured("continue"),
            }
        }
        if let Some(text) = filled(object, "terminalSequence") {
            if terminal::is_harmless(text) {
                self.push_extra("terminalSequence", text.into());
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
                self.push_extra(key, value.clone());
            }
        }
    }

    fn top_decision(&mut self, decision: Option<&str>, object: &Map<String, Value>) {
        let restraint = match (decision, self.spec.top) {
            (Some("block"), Top::Blocks | Top::BlocksOrApproves) => Restraint::Deny,
            (Some("approve"), Top::BlocksOrApproves) => Restraint::Allow,
            (Some("block"), Top::Ignored) => return self.not_honoured("decision"),
            // Elsewhere `approve` says what silence says.
            _ => return,
        };
        self.decide(restraint, filled(object, "reason"));
    }

    fn hook_output(&mut self, output: &Map<String, Value>) -> Result<(), InvalidAnswer> {
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
                check(output, key, field.expected())?;
                self.field(key, *field, value, output)?;
            }
        }
        let known = self.spec.fields.iter().map(|(key, _)| *key).chain(["hookEventName"]);
        self.unknown(output, known, "hookSpecificOutput.")
    }

    fn field(
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
                if let Some(word) = choice(output, key, words)? {
                    self.decide(restraint(word), filled(output, "permissionDecisionReason"));
                }
            }
            Field::Denial(words) => {
                if let Some("deny") = choice(output, key, words)? {
                    self.decide(Restraint::Deny, filled(output, "permissionDecisionReason"));
                }
            }
            Field::PermissionReason => {}
            Field::Behavior(_) => self.behavior(value)?,
            Field::Context if text().is_empty() => {}
            Field::Context => effects.context.push(text()),
            Field::Input => effects.updated_input = Some(value.clone()),
            Field::Output => self.output(key, value),
            Field::McpOutput => self.mcp_output(key, value),
            Field::Display => effects.updated_output = Some(value.clone()),
            Field::Watch => {
                let paths = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                effects.watch_paths = Some(paths.map(str::to_owned).collect());
            }
            Field::FirstMessage => effects.initial_user_message = Some(text()),
            Field::Retry => effects.retry = value.as_bool(),
            Field::Action => {
                if let Some(action) = choice(output, key, ACTIONS)? {
                    self.decide(restraint(action), None);
                }
                self.push_extra(key, value.clone());
            }
            Field::ExtraText | Field::ExtraFlag | Field::ExtraObject => {
                self.push_extra(key, value.clone());
            }
        }
        Ok(())
    }

    fn behavior(&mut self, value: &Value) -> Result<(), InvalidAnswer> {
        let Value::Object(decision) = value else { return Ok(()) };
        let known = self.answers.behavior;
        for (key, expected) in known {
            check(decision, key, *expected)?;
        }
        let Some(behavior) = choice(decision, "behavior", BEHAVIORS)? else {
            return Err(InvalidAnswer::NoBehavior);
        };
        self.decide(restraint(behavior), filled(decision, "message"));
        let effects = &mut self.answer.effects;
        if behavior == "allow" {
            effects.updated_input = decision.get("updatedInput").cloned();
            let updates = decision.get("updatedPermissions").and_then(Value::as_array);
            effects.updated_permissions = updates.cloned().unwrap_or_default();
        }
        if let Some(interrupt) = decision.get("interrupt") {
            self.push_extra("interrupt", interrupt.clone());
        }
        self.unknown(decision, known.iter().map(|(key, _)| *key), "hookSpecificOutput.decision.")
    }

    /// A built-in tool's output can only be replaced by a value of the same type: observed, a text
    /// for an object is ignored.
    fn output(&mut self, key: &str, value: &Value) {
        let original = self.event.payload.get("tool_response");
        let differs = original.is_some_and(|tool_response| kind(tool_response) != kind(value));
        if differs && !self.is_mcp() {
            let wanted = original.map_or("", kind);
            let message =
                format!("`{key}` must be {wanted}, as the tool's own output is; it was dropped");
            self.push_remark(Code::NotHonoured, message);
        } else {
            self.answer.effects.updated_output = Some(value.clone());
        }
    }

    fn mcp_output(&mut self, key: &str, value: &Value) {
        if !self.is_mcp() {
            let message = format!("`{key}` counts for MCP tools only; use `updatedToolOutput`");
            self.push_remark(Code::NotHonoured, message);
        } else if self.answer.effects.updated_output.is_none() {
            self.answer.effects.updated_output = Some(value.clone());
        }
    }

    fn is_mcp(&self) -> bool {
        self.event.text("tool_name").is_some_and(|name| name.starts_with("mcp__"))
    }

    /// If an answer has two decisions, the more restraining one wins.
    fn decide(&mut self, restraint: Restraint, reason: Option<&str>) {
        if restraint > self.answer.restraint {
            self.answer.restraint = restraint;
            self.answer.reason = reason.map(str::to_owned);
        }
    }

    fn into_answer(mut self) -> Answer {
        self.answer.remarks.extend(self.unread.remark());
        // A rewrite of an action that does not happen would only mislead the next reader.
        if matches!(self.answer.restraint, Restraint::Deny | Restraint::Defer) {
            self.answer.effects.updated_input = None;
        }
        self.answer
    }

    fn unknown<'k>(
        &mut self,
        object: &Map<String, Value>,
        known: impl Iterator<Item = &'k str> + Clone,
        path: &str,
    ) -> Result<(), InvalidAnswer> {
        for key in object.keys().filter(|key| !known.clone().any(|text| text == *key)) {
            if self.answers.is_closed {
                return Err(InvalidAnswer::UnknownKey { path: path.to_owned(), key: key.clone() });
            }
            let mut elsewhere = self.answers.events.iter().flat_map(|spec| spec.fields);
            let elsewhere = elsewhere.any(|(name, _)| name == key);
            if elsewhere && !path.is_empty() {
                self.not_honoured(key);
                continue;
            }
            self.unread.add(path, key, known.clone());
        }
        Ok(())
    }

    fn not_honoured(&mut self, key: &str) {
        let message = format!("`{}` does not honour `{key}`; it was ignored", self.name);
        self.push_remark(Code::NotHonoured, message);
    }

    fn push_remark(&mut self, code: Code, message: String) {
        self.answer.remarks.push(Failure::new(code, message));
    }

    fn push_extra(&mut self, key: &str, value: Value) {
        self.answer.effects.extra.insert(key.to_owned(), value);
    }
}

impl Field {
    const fn expected(self) -> Type {
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

/// The restraint that a decision word of any place means.
fn restraint(word: &str) -> Restraint {
    match word {
        "allow" | "approve" => Restraint::Allow,
        "ask" => Restraint::Ask,
        "defer" => Restraint::Defer,
        "deny" | "block" | "decline" | "cancel" => Restraint::Deny,
        _ => Restraint::Silent,
    }
}

/// The value of `key`, which must be one of `allowed`.
fn choice<'a>(
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
