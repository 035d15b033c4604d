//! Writes the reply to one outcome by the table of its agent. What the table has no words for
//! becomes the strongest restraint that it has, with a warning (BR-3 to BR-6).

use serde_json::{Map, Value};

use super::{EventReplies, InputFault, Part, Phrase, Replies, Reply};
use crate::answer::Power;
use crate::dialect::tools::by_neutral;
use crate::event::Event;
use crate::outcome::{Decision, Outcome, Rewrite};

/// What a reply is made of.
#[derive(Clone, Copy)]
pub(crate) struct ReplyInput<'a> {
    /// The agent's own name for the event.
    pub(crate) name: &'a str,
    /// The event.
    pub(crate) event: &'a Event,
    /// The outcome to report.
    pub(crate) outcome: &'a Outcome,
    /// How a person can allow an action that the agent cannot ask about.
    pub(crate) way_out: Option<&'a str>,
}

/// The reason of a hook that restrains without one.
const NO_REASON: &str = "a hook gave no reason";
/// The most characters of a warning.
const SHOWN: usize = 2_000;

/// Writes the reply.
pub(crate) fn write(replies: &Replies, input: ReplyInput<'_>) -> Reply {
    let unknown = EventReplies::empty("");
    let accepted = replies.event(input.name).unwrap_or(&unknown);
    let context = context_of(input.outcome);
    let mut writer = Writer {
        replies,
        accepted,
        input,
        object: Map::new(),
        warnings: Vec::new(),
        context,
        denies_by_exit: None,
    };
    writer.write_decision();
    writer.write_effects();
    writer.into_reply()
}

/// Each text in a block that names the hook whose words it is.
fn context_of(outcome: &Outcome) -> Vec<String> {
    let labelled = outcome.labelled_context();
    if labelled.is_empty() { outcome.effects.context.clone() } else { labelled }
}

/// A rewrite that the agent cannot take; the display is the reason of the denial that replaces it.
#[derive(Debug, thiserror::Error)]
enum Untaken {
    /// A changed tool call.
    #[error("{instead}")]
    Call {
        /// The changed call, for the model to make; empty if it cannot be written.
        instead: String,
    },
    /// A changed prompt.
    #[error(
        "A hook changed this prompt, and {agent} cannot take a changed one. Send this instead:\n{prompt}"
    )]
    Prompt {
        /// The agent's title.
        agent: &'static str,
        /// The changed prompt.
        prompt: String,
    },
}

struct Writer<'a> {
    replies: &'a Replies,
    accepted: &'a EventReplies,
    input: ReplyInput<'a>,
    object: Map<String, Value>,
    warnings: Vec<String>,
    /// The context for the model.
    context: Vec<String>,
    /// The reason of a denial that is no object.
    denies_by_exit: Option<String>,
}

impl Writer<'_> {
    fn write_decision(&mut self) {
        match self.input.outcome.decision() {
            Decision::Stopped { reason } => {
                if !self.write_reason(Power::Stop, &reason) {
                    self.warn_unsupported("end everything");
                    self.write_restraint(&reason);
                }
            }
            Decision::Denied { reason } => self.write_restraint(&reason),
            Decision::Deferred { reason } => {
                if !self.write_reason(Power::Defer, &reason) {
                    self.warn_unsupported("put the action off");
                    self.write_restraint(&reason);
                }
            }
            Decision::Ask { reason, rewrite } => self.ask(&reason, &rewrite),
            Decision::Proceed { rewrite } => match self.rewrite(&rewrite) {
                Err(untaken) => self.write_restraint(&untaken.to_string()),
                Ok(()) if self.input.outcome.consents() => {
                    // Where consent has no word, the agent's own rules decide, as they do without
                    // hooks.
                    self.write_reason(
                        Power::Allow,
                        &self.input.outcome.reason().unwrap_or_default(),
                    );
                }
                Ok(()) => {}
            },
        }
    }

    /// Denies; where the event takes no denial, with what restrains most there (BR-3).
    fn write_restraint(&mut self, reason: &str) {
        self.denies_by_exit = self.accepted.by_exit.then(|| reason.to_owned());
        if let Some(Value::Object(object)) = (self.accepted.denies)(self.input.event, reason) {
            self.object.extend(object);
            return;
        }
        if self.write_reason(Power::Deny, reason) {
            return;
        }
        for power in self.accepted.instead {
            if self.write_reason(*power, reason) {
                self.warn(format!(
                    "it takes no denial; the reply asks it to {} instead",
                    power.as_str()
                ));
                return;
            }
        }
        self.warn(format!("it takes no denial, and goes on; a hook denied: {reason}"));
        let text = format!("a hook denied this, and {} goes on: {reason}", self.replies.agent);
        if self.accepted.phrase(Power::Context).is_some() {
            self.context.push(text);
        }
    }

    /// Asks, about the action as rewritten; else denies, and says how a person lets it pass (BR-5).
    fn ask(&mut self, reason: &str, rewrite: &Rewrite) {
        if self.accepted.phrase(Power::Ask).is_none() {
            self.warn_unsupported("ask");
            let rewritten =
                self.describe_rewrite(rewrite).map(|text| format!("\n{text}")).unwrap_or_default();
            let way_out = self.input.way_out.map(|text| format!("\n{text}")).unwrap_or_default();
            let agent = self.replies.agent;
            let why = format!(
                "{reason}\nA person must be asked, and {agent} cannot ask here.{way_out}{rewritten}"
            );
            return self.write_restraint(&why);
        }
        match self.rewrite(rewrite) {
            Err(untaken) => self.write_restraint(&format!("{reason}\n{untaken}")),
            Ok(()) => {
                self.write_reason(Power::Ask, reason);
            }
        }
    }

    /// Replaces the original with the rewrite of the hooks (BR-4).
    fn rewrite(&mut self, rewrite: &Rewrite) -> Result<(), Untaken> {
        let input =
            rewrite.input.as_ref().filter(|input| self.event_field("tool_input") != Some(*input));
        if let Some(input) = input {
            let taken = match self.accepted.only_with_consent && !self.input.outcome.consents() {
                true => Err(InputFault::NoConsent),
                false => (self.accepted.input)(self.input.event, input),
            };
            let spoken = match (self.accepted.phrase(Power::Input), taken) {
                (Some(phrase), Ok(taken)) => {
                    self.write_phrase(phrase, "", Some(&taken));
                    true
                }
                (Some(_), Err(fault)) => {
                    self.warn(fault.to_string());
                    false
                }
                (None, _) => {
                    self.warn_unsupported("take a changed call");
                    false
                }
            };
            if !spoken {
                return Err(Untaken::Call {
                    instead: self.describe_rewrite(rewrite).unwrap_or_default(),
                });
            }
        }
        let prompt = rewrite
            .prompt
            .as_deref()
            .filter(|prompt| self.input.event.text("prompt") != Some(*prompt));
        let Some(prompt) = prompt else { return Ok(()) };
        if let Some(phrase) = self.accepted.phrase(Power::Prompt) {
            self.write_phrase(phrase, "", Some(&Value::from(prompt)));
            return Ok(());
        }
        if let Some(added) =
            self.added_context(prompt).filter(|_| self.accepted.phrase(Power::Context).is_some())
        {
            self.warn_unsupported("take a changed prompt; what was added is context");
            self.context.push(added);
            return Ok(());
        }
        self.warn_unsupported("take a changed prompt");
        Err(Untaken::Prompt { agent: self.replies.agent, prompt: prompt.to_owned() })
    }

    /// What a changed prompt says beside the original, where the original stands in it whole at an
    /// end.
    fn added_context(&self, prompt: &str) -> Option<String> {
        let original = self.input.event.text("prompt").filter(|text| !text.trim().is_empty())?;
        let added = prompt.strip_prefix(original).or_else(|| prompt.strip_suffix(original))?;
        Some(added.trim().to_owned())
    }

    /// The changed call, for the model to make.
    fn describe_rewrite(&self, rewrite: &Rewrite) -> Option<String> {
        let input = rewrite.input.as_ref()?;
        let name = self.input.event.text("tool_name").unwrap_or("the tool");
        // In the agent's own words, for its model is to make it.
        let words = by_neutral(self.replies.tools, name);
        let tool = words.and_then(|word| word.own.first()).unwrap_or(&name);
        let input = words.map_or_else(|| input.clone(), |word| word.own_input(input));
        let agent = self.replies.agent;
        Some(format!(
            "A hook changed this call, and {agent} cannot take a changed one here. Make this call instead: {tool} {input}"
        ))
    }

    fn write_effects(&mut self) {
        let effects = &self.input.outcome.effects;
        if let Some(output) = &effects.updated_output {
            self.value(Power::Output, output);
        }
        let context = std::mem::take(&mut self.context).join("\n");
        self.text(Power::Context, &context);
        self.text(Power::Message, &effects.messages.join("\n"));
        if !effects.updated_permissions.is_empty() && !self.input.outcome.consents() {
            self.warn("new rules come with consent alone".to_owned());
        } else if !effects.updated_permissions.is_empty() {
            self.value(Power::Permissions, &effects.updated_permissions.clone().into());
        }
        if let Some(paths) = &effects.watch_paths {
            self.value(Power::Watch, &paths.clone().into());
        }
        if let Some(text) = &effects.initial_user_message {
            self.text(Power::InitialMessage, text);
        }
        if let Some(retry) = effects.retry {
            self.value(Power::Retry, &retry.into());
        }
        if !effects.env.is_empty() {
            self.value(Power::Env, &Value::Object(effects.env.clone()));
        }
        for (key, value) in &effects.extra {
            match self.accepted.carries.iter().find(|(name, _)| name == key) {
                // What a decision said there stands.
                Some((_, path)) if self.has_path(path) => {}
                Some((_, path)) => {
                    // What belongs to an event's own part of the object stands beside the event's
                    // name.
                    if path.first() == Some(&OUTPUT) {
                        self.set(&[OUTPUT, "hookEventName"], self.input.name.into());
                    }
                    self.set(path, value.clone());
                }
                None => self.warn(format!("it has no `{key}`: {value}")),
            }
        }
    }

    fn text(&mut self, power: Power, text: &str) {
        if !text.is_empty() {
            self.value(power, &text.into());
        }
    }

    /// Says what is no restraint, or warns of it (BR-6).
    fn value(&mut self, power: Power, value: &Value) {
        match self.accepted.phrase(power) {
            Some(phrase) => self.write_phrase(phrase, "", Some(value)),
            None => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.warn(format!("it takes no `{}`: {text}", power.as_str()));
            }
        }
    }

    /// Says what restrains or consents, where there are words for it.
    fn write_reason(&mut self, power: Power, reason: &str) -> bool {
        let phrase = self.accepted.phrase(power);
        if let Some(phrase) = phrase {
            let reason = if reason.trim().is_empty() { NO_REASON } else { reason };
            self.write_phrase(phrase, reason, None);
        }
        phrase.is_some()
    }

    fn write_phrase(&mut self, phrase: Phrase, reason: &str, value: Option<&Value>) {
        for (path, part) in phrase {
            let value = match part {
                Part::Word(word) => (*word).into(),
                Part::Flag(flag) => (*flag).into(),
                Part::Event => self.input.name.into(),
                Part::Reason => reason.into(),
                Part::GivenText => self.add_to_output(path, value),
                _ => value.cloned().unwrap_or_default(),
            };
            self.set(path, value);
        }
    }

    /// A text that replaces an output, appended to a text that is already there, such as the reason
    /// of a denial.
    fn add_to_output(&self, path: &[&str], value: Option<&Value>) -> Value {
        let text = value.map_or_else(String::new, |value| {
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        });
        match path.first().and_then(|key| self.object.get(*key)).and_then(Value::as_str) {
            Some(output) if output != text => format!("{output}\n{text}").into(),
            _ => text.into(),
        }
    }

    fn set(&mut self, path: &[&str], value: Value) {
        let Some((last, above)) = path.split_last() else { return };
        let mut object = &mut self.object;
        for key in above {
            let inner = object.entry(*key).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { return };
            object = inner;
        }
        object.insert((*last).to_owned(), value);
    }

    fn has_path(&self, path: &[&str]) -> bool {
        let Some((last, above)) = path.split_last() else { return false };
        let mut object = Some(&self.object);
        for key in above {
            object = object.and_then(|object| object.get(*key)).and_then(Value::as_object);
        }
        object.is_some_and(|object| object.contains_key(*last))
    }

    fn event_field(&self, key: &str) -> Option<&Value> {
        self.input.event.payload.get(key)
    }

    fn warn_unsupported(&mut self, what: &str) {
        self.warn(format!("it cannot {what}"));
    }

    fn warn(&mut self, what: String) {
        let what: String = what.chars().take(SHOWN).collect();
        self.warnings.push(format!("{} on `{}`: {what}", self.replies.agent, self.input.name));
    }

    fn into_reply(self) -> Reply {
        if let Some(stderr) = self.denies_by_exit {
            return Reply { stderr, exit: 2, warnings: self.warnings, ..Reply::default() };
        }
        let stdout = match self.object.is_empty() {
            true => String::new(),
            false => format!("{}{}\n", self.replies.lead, Value::Object(self.object)),
        };
        Reply { stdout, warnings: self.warnings, ..Reply::default() }
    }
}

/// The part of the object that is an event's own.
const OUTPUT: &str = "hookSpecificOutput";
