//! The requests that a host sends to `fire --stream` beside its events: parses them and encodes their replies. Fires no event.
//!
//! A request is an object with one key, and optionally an `id`. Events have more keys, so that no event is taken for a request.

use serde_json::{Map, Value, json};
use tenterhook_core::config::Ruleset;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::{DialectId, Whole};
use tenterhook_core::event::EventName;
use tenterhook_core::hook::{Arming, Hook, HookId, Layer, Run};
use tenterhook_core::outcome::Fault;

use crate::problem::Problem;

/// The version of the protocol: the one that events and answers name in `v`.
const PROTOCOL: u32 = 1;

/// The requests, as the greeting lists them.
const NAMES: [&str; 4] = ["hello", "cancel", "reload", "status"];

/// A request of a host.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Request {
    /// The version and the capabilities of this program.
    Hello,
    /// End the hooks of the open event with this `id`.
    Cancel(Value),
    /// Read the hook files again.
    Reload,
    /// Report the state now; with `follows`, also whenever the status message changes.
    Status { follows: bool },
}

/// Returns the name of the request that an object contains; `None` if the object is an event.
pub(super) fn request_name(object: &Whole) -> Option<&'static str> {
    let mut keys = object.fields.keys().filter(|key| *key != "id");
    let key = keys.next().filter(|_| keys.next().is_none())?;
    NAMES.into_iter().find(|name| name == key)
}

impl Request {
    /// Parses the request `name` of `object`.
    ///
    /// # Errors
    ///
    /// The message says what is wrong with the request, and what to write instead.
    pub(super) fn parse(name: &str, object: &Whole) -> Result<Self, Problem> {
        if let Some(key) = object.twice.first() {
            return Err(Problem::new(format!(
                "`{key}` occurs twice in the request: it is unclear which value applies"
            )));
        }
        let value = object.fields.get(name).unwrap_or(&Value::Null);
        let wrong = |expected: &str| {
            Err(Problem::new(format!(
                "`{name}` is `{value}` in the request: write {expected} instead"
            )))
        };
        match (name, value) {
            ("hello", Value::Bool(true)) => Ok(Self::Hello),
            ("reload", Value::Bool(true)) => Ok(Self::Reload),
            ("status", Value::Bool(true)) => Ok(Self::Status { follows: false }),
            ("status", Value::String(text)) if text == "follow" => {
                Ok(Self::Status { follows: true })
            }
            ("status", _) => wrong("`true` or `\"follow\"`"),
            ("cancel", Value::Null) => wrong("the `id` of an open event"),
            ("cancel", id) => Ok(Self::Cancel(id.clone())),
            _ => wrong("`true`"),
        }
    }
}

/// How many hooks are in effect.
#[derive(Clone, Copy, Default)]
pub(super) struct HookCounts {
    all: usize,
    /// Those of self-protection among them, which no file of the host configures.
    built_in: usize,
}

impl HookCounts {
    pub(super) fn of_ruleset(ruleset: &Ruleset) -> Self {
        let hooks = ruleset.hooks();
        let built_in = hooks.iter().filter(|hook| hook.layer == Layer::BuiltIn).count();
        Self { all: hooks.len(), built_in }
    }
}

/// The result of a reload.
pub(super) struct Reloaded {
    /// How many hooks are in effect now.
    pub(super) hooks: HookCounts,
    /// Why hooks are skipped or hold their calls (V-49).
    pub(super) unusable: Vec<Fault>,
    /// Why the files could not be read; the previous hooks stay in effect.
    pub(super) error: Option<String>,
}

/// The state of a stream.
#[derive(Default)]
pub(super) struct State {
    pub(super) hooks: HookCounts,
    /// The ids of the events that have no outcome yet.
    pub(super) open: Vec<Value>,
    /// The events and hooks of the background steps that have not ended.
    pub(super) background: Vec<(EventName, HookId)>,
    /// The status message of the newest running hook that has one.
    pub(super) message: Option<String>,
}

/// Encodes the greeting: the version and the capabilities of this program.
pub(super) fn hello_json(dialect: DialectId, max_open: usize) -> Value {
    json!({ "hello": {
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": PROTOCOL,
        "dialect": dialect.as_str(),
        "requests": NAMES,
        "max_open": max_open,
    } })
}

/// Encodes the reply to a cancellation: whether the event was open.
pub(super) fn cancel_json(id: &Value, was_open: bool) -> Value {
    json!({ "cancel": { "id": id, "open": was_open } })
}

/// Encodes the reply to a reload.
pub(super) fn reload_json(reloaded: &Reloaded, faults: &[Fault]) -> Value {
    let faults: Value = faults.iter().chain(&reloaded.unusable).map(fault_json).collect();
    let HookCounts { all, built_in } = reloaded.hooks;
    json!({ "reload": { "hooks": all, "built_in": built_in, "error": reloaded.error, "faults": faults } })
}

/// Returns the fault of each hook that is skipped or holds its calls, because it is not approved,
/// or because its entry or file cannot be read.
pub(super) fn faults_of_unusable_hooks(ruleset: &Ruleset) -> Vec<Fault> {
    let fault = |hook: &Hook| {
        let (code, message) = match (&hook.arming, &hook.run) {
            (Arming::Unapproved { because, .. }, _) => (Code::AwaitsApproval, because.clone()),
            (Arming::Armed, Run::Unusable { part, why }) => {
                (part.code(), part.problem_message(why))
            }
            _ => return None,
        };
        Some(Fault { code, hook: Some(hook.id.clone()), message })
    };
    ruleset.hooks().iter().filter_map(|hook| fault(hook)).collect()
}

fn fault_json(fault: &Fault) -> Value {
    let hook = fault.hook.as_ref().map(|hook| hook.as_str());
    json!({ "code": fault.code, "hook": hook, "message": fault.message })
}

/// Encodes the state of a stream.
pub(super) fn status_json(state: &State) -> Value {
    let step = |(event, hook): &(EventName, HookId)| json!({ "event": event.as_str(), "hook": hook.as_str() });
    let background: Value = state.background.iter().map(step).collect();
    json!({ "status": {
        "hooks": state.hooks.all,
        "built_in": state.hooks.built_in,
        "open": state.open,
        "background": background,
        "message": state.message,
    } })
}

/// Adds the `id` of the request to its reply.
pub(super) fn with_id(id: Value, reply: Value) -> Value {
    let mut line = Map::from_iter([("id".to_owned(), id)]);
    if let Value::Object(keys) = reply {
        line.extend(keys);
    }
    Value::Object(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::input;

    fn parse(text: &str) -> Option<Result<Request, Problem>> {
        let object = input::parse_object(text.as_bytes()).unwrap();
        request_name(&object).map(|name| Request::parse(name, &object))
    }

    /// V-45.
    #[test]
    fn object_with_other_keys_is_an_event() {
        for event in [
            r#"{"event": "Stop", "cancel": 1}"#,
            r#"{"hook_event_name": "Stop", "reload": true}"#,
            r#"{"cancel": 1, "status": true}"#,
            r#"{"id": 1}"#,
            r#"{"stop": true}"#,
            "{}",
        ] {
            assert!(parse(event).is_none(), "{event}");
        }
        let cancel = parse(r#"{"id": 1, "cancel": "a"}"#).unwrap().unwrap();
        assert_eq!(cancel, Request::Cancel(json!("a")));
        assert_eq!(parse(r#"{"hello": true}"#).unwrap().unwrap(), Request::Hello);
    }

    /// V-45.
    #[test]
    fn wrong_value_is_named_with_the_right_one() {
        for (text, expected) in [
            (r#"{"cancel": null}"#, "the `id` of an open event"),
            (r#"{"reload": "now"}"#, "write `true` instead"),
            (r#"{"hello": 1}"#, "write `true` instead"),
            (r#"{"status": false}"#, "`true` or `\"follow\"`"),
            (r#"{"cancel": 1, "cancel": 2}"#, "occurs twice"),
            (r#"{"id": 1, "id": 2, "cancel": 2}"#, "occurs twice"),
        ] {
            let error = parse(text).unwrap().unwrap_err().message;
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
