//! Judges an event that the agent's table does not have as the event for which the entry of the
//! gate is registered, or denies it (BR-17). Knows no hook and no reply.

use serde_json::{Map, Value};

use super::typed::{self, Type};
use super::{Dialect, EventFault, EventLabel, EventRow, Roots, Subject};
use crate::answer::Power;
use crate::event::tool::Tool;
use crate::event::{Event, EventName};

/// The keys under which agents write the name of an event.
const NAME_KEYS: &[&str] = &["hook_event_name", "event", "hookName"];

/// The fields, beside the one that matchers are tested on, without which a gate cannot judge an
/// event of that neutral name.
const REQUIRED: &[(&str, &str, Type)] = &[
    ("PreToolUse", "tool_input", Type::Object),
    ("PreSkillShellCommand", "tool_input", Type::Object),
    ("PermissionRequest", "tool_input", Type::Object),
    ("UserPromptSubmit", "prompt", Type::Text),
    ("PreModelCall", "llm_request", Type::Object),
];

impl Dialect {
    /// Reads an event that the agent's table does not have as `claimed`, the event for which the
    /// entry is registered, with a message that has both names; `None` where the agent knows the
    /// event, and where an entry for `claimed` cannot deny (BR-17).
    ///
    /// # Errors
    ///
    /// When the payload lacks a field that `claimed` requires: which, with both names.
    pub fn decode_as_claimed_event(
        &self,
        json: &Map<String, Value>,
        claimed: &EventName,
        roots: &Roots,
    ) -> Result<Option<(Event, String)>, EventFault> {
        let is_gate = self.accepted_powers(claimed).is_some_and(|powers| powers.has(Power::Deny));
        let (true, Some(row)) = (is_gate, self.event_row(claimed)) else { return Ok(None) };
        // An event without a name, or that cannot be read, has no other name.
        let Ok(unknown) = self.decode_event(json, roots).map(|event| event.name) else {
            return Ok(None);
        };
        if self.event_row(&unknown).is_some() {
            return Ok(None);
        }
        let own = EventLabel::new(self.id(), claimed).own();
        let agent = self.calling_agent_title().unwrap_or_default();
        let message = format!("`{unknown}` is no event of {agent}");
        let fault = |cause: EventFault| EventFault::NotAsRegistered {
            name: unknown.to_string(),
            agent,
            registered: own.to_string(),
            cause: Box::new(cause),
        };
        let event = self
            .decode_event(&replace_event_name(json, &unknown, &row.name), roots)
            .map_err(&fault)?;
        match missing_gate_field(row, &event) {
            Some(cause) => Err(fault(cause)),
            None => Ok(Some((
                event,
                format!("{message}; it is judged as `{own}`, for which this entry is registered"),
            ))),
        }
    }
}

/// The keys under which agents send the command of a shell call.
const COMMANDS: &[&str] = &["command", "commands", "cmd"];

impl Dialect {
    /// Returns a fault for what no gate can do without, if an event that can be denied lacks it: the
    /// command of a shell call, the input of a call about a file or an address, or the text of a
    /// prompt (BR-112).
    #[must_use]
    pub fn missing_subject_of_gate(&self, event: &Event) -> Option<EventFault> {
        self.accepted_powers(&event.name).filter(|powers| powers.has(Power::Deny))?;
        let has_one =
            |keys: &[&str], of: &Map<String, Value>| keys.iter().any(|key| of.contains_key(*key));
        let input = event.payload.get("tool_input");
        let is_missing = match (event.name.as_str(), event.tool().map(|call| call.tool())) {
            ("UserPromptSubmit", _) => event.text("prompt").is_none().then_some("prompt"),
            ("PreToolUse", Some(Tool::Shell)) => match input {
                None | Some(Value::Null) => Some("command"),
                Some(Value::Object(input)) => (!has_one(COMMANDS, input)).then_some("command"),
                // A text or a list may be the command; which, the rules look at.
                Some(_) => None,
            },
            ("PreToolUse", Some(Tool::Read | Tool::Write | Tool::Edit | Tool::Fetch)) => {
                (!input.is_some_and(Value::is_object)).then_some("tool_input")
            }
            _ => None,
        };
        is_missing.map(|key| EventFault::NoField { key })
    }
}

/// Returns the payload with each mention of the event name `unknown` replaced by `own`.
fn replace_event_name(
    json: &Map<String, Value>,
    unknown: &EventName,
    own: &str,
) -> Map<String, Value> {
    let mut fields = json.clone();
    for key in NAME_KEYS {
        if let Some(value) = fields.get_mut(*key)
            && value == unknown.as_str()
        {
            *value = own.into();
        }
    }
    fields
}

/// Returns a fault for a field that a gate needs and the event lacks, if the event may precede
/// something that cannot be undone (E-10).
fn missing_gate_field(row: &EventRow, event: &Event) -> Option<EventFault> {
    if !row.is_before_effect() {
        return None;
    }
    let subject = match &row.subject {
        Subject::None => None,
        Subject::Tool(_) => Some("tool_name"),
        Subject::Field(key) | Subject::FileName(key) | Subject::Model(key) => Some(*key),
        Subject::Declared(_) => None,
    };
    let required = REQUIRED.iter().filter(|(name, ..)| *name == row.event);
    let required = required.map(|(_, key, expected)| (*key, *expected));
    let mut fields = subject.map(|key| (key, Type::Text)).into_iter().chain(required);
    fields.find_map(|(key, expected)| match event.payload.contains_key(key) {
        true => typed::check_field_type(&event.payload, key, expected).err().map(EventFault::from),
        false => Some(EventFault::NoField { key }),
    })
}
