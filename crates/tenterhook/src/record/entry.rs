//! Builds the fields of a record (RE-2 to RE-5, RE-30). [`FIELDS`] lists every field; a test
//! compares it with the specification. Opens no file.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::chain::sha256_text;
use super::identity::Identities;
use super::{Late, Number, Record, redact};
use tenterhook_core::answer::Exemption;
#[cfg(feature = "rule")]
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::event::Event;
use tenterhook_core::event::tool::ToolCall;
use tenterhook_core::hook::{Hook, Run};
use tenterhook_core::outcome::{Outcome, Step};
use tenterhook_core::source::Content;

/// The fields of a record, in order.
pub(super) type Body = Map<String, Value>;

/// Every field of every kind of record, as a path.
#[cfg(test)]
pub(super) const FIELDS: &[&str] = &[
    "v",
    "seq",
    "prev",
    "hash",
    "kind",
    "time",
    "pid",
    "caller.host",
    "caller.user",
    "caller.agent",
    "caller.version",
    "engine",
    "begun",
    "event",
    "session",
    "agent",
    "tool",
    "call",
    "cwd",
    "payload.digest",
    "payload.bytes",
    "effect.digest",
    "content.event",
    "content.outcome",
    "content.cut",
    "decision",
    "code",
    "exemption",
    "took_us",
    "rewrote",
    "reasons[].hook",
    "reasons[].digest",
    "reasons[].bytes",
    "hooks[].hook",
    "hooks[].name",
    "hooks[].identity",
    "hooks[].dialect",
    "hooks[].layer",
    "hooks[].source",
    "hooks[].line",
    "hooks[].executor",
    "hooks[].ended",
    "hooks[].took_us",
    "hooks[].verdict",
    "hooks[].exemption",
    "hooks[].rewrote",
    "hooks[].stopped",
    "hooks[].session",
    "hooks[].tier",
    "hooks[].shadow.decision",
    "hooks[].shadow.rewrote",
    "hooks[].shadow.context",
    "hooks[].shadow.reasons",
    "hooks[].shadow.faults",
    "hooks[].faults",
    "faults",
    "said.what",
    "said.about",
    "said.digest",
    "unsent.records",
    "recovered.torn",
    "recovered.missing",
    "recovered.head",
    "through.seq",
    "through.hash",
    "files",
];

/// Builds the records of a firing.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyBuilder<'a> {
    pub(super) content: Content,
    /// Maximum length of the content.
    pub(super) most: usize,
    pub(super) identities: &'a Identities,
}

impl BodyBuilder<'_> {
    /// The record of the start of a firing.
    pub(super) fn body_of_event_start(&self, event: &Event) -> Body {
        let mut body = common_fields("begin", event);
        self.add_event_facts(&mut body, event);
        body
    }

    /// Adds the facts of the event, which only the first record of a firing contains.
    fn add_event_facts(&self, body: &mut Body, event: &Event) {
        insert_field(body, "engine", env!("CARGO_PKG_VERSION"));
        insert_field(body, "cwd", event.within.cwd.to_string_lossy());
        let payload = serde_json::to_vec(&event.payload).unwrap_or_default();
        insert_field(body, "payload", digest_and_length(&payload));
        if let Some(digest) = event.tool().and_then(|call| effect_digest(&call)) {
            insert_field(body, "effect", json!({ "digest": digest }));
        }
        let payload = || {
            let body = DialectId::NATIVE.dialect().encode_event(event).body;
            serde_json::from_slice(&body).unwrap_or_default()
        };
        self.add_content_if_wanted(body, "event", payload);
    }

    /// The record of the outcome of a firing.
    pub(super) fn body_of_event_outcome(&self, record: &Record<'_>) -> Body {
        let mut body = common_fields("end", record.event);
        match record.begun {
            Some(Number(begun)) => insert_field(&mut body, "begun", begun),
            None => self.add_event_facts(&mut body, record.event),
        }
        insert_field(
            &mut body,
            "decision",
            record.outcome.map_or("given up", Outcome::decision_word),
        );
        #[cfg(feature = "rule")]
        let is_held = |outcome: &Outcome| outcome.restraint >= Restraint::Ask;
        #[cfg(feature = "rule")]
        if record.event.tool().is_some() && record.outcome.is_some_and(is_held) {
            insert_field(
                &mut body,
                "code",
                crate::exemptions::exemption_code_of_call(record.event),
            );
        }
        insert_field(&mut body, "took_us", duration_micros(record.took));
        if let Some(outcome) = record.outcome {
            let steps = outcome.steps.iter().enumerate();
            let hooks = steps.map(|(at, step)| {
                let hook = record.hooks.get(at);
                self.step_json(
                    step,
                    hook.map(|hook| (&**hook, self.identities.cached_hook_digest(hook))),
                    outcome,
                )
            });
            let hooks = hooks.collect();
            self.add_outcome(&mut body, outcome, hooks);
        }
        body
    }

    /// The record of a step that ended after its event.
    pub(super) fn body_of_late_step(&self, late: &Late<'_>) -> Body {
        let mut body = common_fields("late", late.event);
        if let Some(Number(begun)) = late.begun {
            insert_field(&mut body, "begun", begun);
        }
        insert_field(&mut body, "decision", late.outcome.decision_word());
        let hook = || (&**late.hook, self.identities.cached_hook_digest(late.hook));
        let steps = late.outcome.steps.iter();
        let hooks = steps.map(|step| self.step_json(step, Some(hook()), late.outcome)).collect();
        self.add_outcome(&mut body, late.outcome, hooks);
        body
    }

    fn add_outcome(&self, body: &mut Body, outcome: &Outcome, hooks: Value) {
        if let Some(exemption) = outcome.steps.iter().find_map(|step| step.exemption) {
            insert_field(body, "exemption", exemption_name(exemption));
        }
        insert_field(body, "rewrote", outcome.is_rewritten());
        insert_field(body, "reasons", reasons_json(outcome));
        insert_field(body, "hooks", hooks);
        insert_field(
            body,
            "faults",
            outcome.faults.iter().map(|fault| fault.code.name()).collect::<Value>(),
        );
        self.add_content_if_wanted(body, "outcome", || encode_outcome(outcome));
    }

    fn step_json(
        &self,
        step: &Step,
        hook: Option<(&Hook, std::sync::Arc<str>)>,
        outcome: &Outcome,
    ) -> Value {
        let mut fields = Map::new();
        insert_field(&mut fields, "hook", step.hook.as_str());
        if let Some((hook, identity)) = hook {
            if let Some(name) = recorded_program_name(hook) {
                insert_field(&mut fields, "name", name);
            }
            insert_field(&mut fields, "identity", &*identity);
            insert_field(&mut fields, "dialect", hook.dialect.as_str());
            insert_field(&mut fields, "layer", hook.layer.as_str());
        }
        if !step.source.is_empty() {
            insert_field(&mut fields, "source", step.source.as_str());
            insert_field(&mut fields, "line", step.line);
        }
        insert_field(&mut fields, "executor", step.executor);
        insert_field(&mut fields, "ended", step.ended.to_string());
        insert_field(&mut fields, "took_us", duration_micros(step.took));
        insert_field(&mut fields, "verdict", step.verdict.name().unwrap_or("silent"));
        if let Some(exemption) = step.exemption {
            insert_field(&mut fields, "exemption", exemption_name(exemption));
        }
        for (key, is) in [("rewrote", step.rewrote), ("stopped", step.stopped)] {
            if is {
                insert_field(&mut fields, key, true);
            }
        }
        if !step.marks.is_empty() {
            let marks = step.marks.iter().map(|mark| Value::from(mark.description()));
            insert_field(&mut fields, "session", marks.collect::<Value>());
        }
        if let Some(tier) = step.tier {
            insert_field(&mut fields, "tier", tier.as_str());
        }
        if let Some(shadow) = &step.shadow {
            insert_field(&mut fields, "shadow", shadow_outcome_json(shadow));
        }
        let own = outcome.faults.iter().filter(|fault| fault.hook.as_ref() == Some(&step.hook));
        let faults: Vec<Value> = own.map(|fault| fault.code.name().into()).collect();
        if !faults.is_empty() {
            insert_field(&mut fields, "faults", faults);
        }
        Value::Object(fields)
    }

    /// Adds content if the settings ask for it; replaces it by `cut` if it is too long (RE-30).
    fn add_content_if_wanted(&self, body: &mut Body, key: &str, payload: impl FnOnce() -> Value) {
        let payload = match self.content {
            Content::Nothing => return,
            Content::Redacted => redact::redact_value(payload()),
            Content::Full => payload(),
        };
        let (key, payload) = match payload.to_string().len() <= self.most {
            true => (key, payload),
            false => ("cut", true.into()),
        };
        if let Some(content) = body.entry("content").or_insert_with(|| json!({})).as_object_mut() {
            insert_field(content, key, payload);
        }
    }
}

/// The fields that every record of a firing has.
fn common_fields(kind: &str, event: &Event) -> Body {
    let mut body = Map::new();
    insert_field(&mut body, "kind", kind);
    insert_field(&mut body, "event", event.name.as_str());
    let agent = event.within.facts.get("agent_id").and_then(Value::as_str);
    for (key, text) in [
        (
            "session",
            Some(event.within.session_id.as_str()).filter(|session_id| !session_id.is_empty()),
        ),
        ("agent", agent),
        ("tool", event.text("tool_name")),
        ("call", event.text("tool_use_id")),
    ] {
        if let Some(text) = text {
            insert_field(&mut body, key, text);
        }
    }
    body
}

/// Returns the digest of what a call does, without what its agent adds to the input; `None` if
/// calls of this tool cannot be compared.
#[must_use]
pub fn effect_digest(call: &ToolCall<'_>) -> Option<String> {
    call.effect_text(false).map(|effect| sha256_text(effect.as_bytes()))
}

/// Returns how records name the way in which the user lifted a denial.
const fn exemption_name(exemption: Exemption) -> &'static str {
    match exemption {
        Exemption::AllowedOnce => "allowed once",
        Exemption::Paused { .. } => "paused",
    }
}

/// The hooks that gave the reasons of an outcome, with the digest and length of each reason.
fn reasons_json(outcome: &Outcome) -> Value {
    let reasons = outcome.reasons.iter().map(|reason| {
        let mut object = digest_and_length(reason.text.as_bytes());
        insert_field(&mut object, "hook", reason.hook.as_str());
        Value::Object(object)
    });
    reasons.collect()
}

/// The outcome that a shadow hook alone would have had (SH-8).
fn shadow_outcome_json(outcome: &Outcome) -> Value {
    let mut object = Map::new();
    insert_field(&mut object, "decision", outcome.decision_word());
    if outcome.is_rewritten() {
        insert_field(&mut object, "rewrote", true);
    }
    if !outcome.effects.context.is_empty() {
        insert_field(&mut object, "context", true);
    }
    if !outcome.reasons.is_empty() {
        insert_field(&mut object, "reasons", reasons_json(outcome));
    }
    if !outcome.faults.is_empty() {
        insert_field(
            &mut object,
            "faults",
            outcome.faults.iter().map(|fault| fault.code.name()).collect::<Value>(),
        );
    }
    Value::Object(object)
}

/// The length and digest of content that is not itself recorded.
fn digest_and_length(bytes: &[u8]) -> Body {
    let mut object = Map::new();
    insert_field(&mut object, "digest", sha256_text(bytes));
    insert_field(&mut object, "bytes", bytes.len());
    object
}

fn duration_micros(took: Duration) -> u64 {
    took.as_micros().try_into().unwrap_or(u64::MAX)
}

pub(super) fn insert_field(body: &mut Body, key: &str, value: impl Into<Value>) {
    body.insert(key.to_owned(), value.into());
}

/// The name of the program that a hook without its own name runs. The rest of its command may hold a secret, so it stays off the
/// record.
fn recorded_program_name(hook: &Hook) -> Option<String> {
    let is_program = matches!(hook.run, Run::Command(_) | Run::Worker(_));
    let name = hook.program_name().filter(|_| is_program && hook.configured_name().is_none())?;
    (redact::redact_value(name.clone().into()) == name.as_str()).then_some(name)
}
