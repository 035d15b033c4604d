//! Writes the reply to one outcome by the table of its agent. What the table has no words for
//! becomes the strongest restraint that it has, with a warning (BR-3 to BR-6).

use serde_json::{Map, Value, json};

use super::{EventReplies, InputFault, Part, Phrase, Replies, Reply};
use crate::answer::Power;
use crate::dialect::tools::find_tool_by_neutral_name;
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

/// Writes the reply to an outcome.
pub(crate) fn write_reply(replies: &Replies, input: ReplyInput<'_>) -> Reply {
    let unknown = EventReplies::empty("");
    let accepted = replies.event_replies(input.name).unwrap_or(&unknown);
    let context = context_blocks(input.outcome);
    let mut writer = Writer {
        replies,
        accepted,
        input,
        object: Map::new(),
        warnings: Vec::new(),
        context,
        denies_by_exit: None,
        text: String::new(),
    };
    writer.write_decision();
    writer.write_effects();
    writer.into_reply()
}

/// Returns each context text in a block that names the hook that wrote it.
fn context_blocks(outcome: &Outcome) -> Vec<String> {
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
    /// The context of an event that takes standard output as text.
    text: String,
}

impl Writer<'_> {
    fn write_decision(&mut self) {
        match self.input.outcome.decision() {
            Decision::Stopped { reason } => {
                if !self.try_write_decision(Power::Stop, &reason) {
                    self.warn_unsupported("end everything");
                    self.write_denial_or_substitute(&reason);
                }
            }
            Decision::Denied { reason } => self.write_denial_or_substitute(&reason),
            Decision::Deferred { reason } => {
                if !self.try_write_decision(Power::Defer, &reason) {
                    self.warn_unsupported("put the action off");
                    self.write_denial_or_substitute(&reason);
                }
            }
            Decision::Ask { reason, rewrite } => self.write_question(&reason, &rewrite),
            Decision::Proceed { rewrite } => match self.write_rewrite(&rewrite) {
                Err(untaken) => self.write_denial_or_substitute(&untaken.to_string()),
                Ok(()) if self.input.outcome.has_consent() => {
                    // Where consent has no word, the agent's own rules decide, as they do without
                    // hooks.
                    self.try_write_decision(
                        Power::Allow,
                        &self.input.outcome.reason().unwrap_or_default(),
                    );
                }
                Ok(()) => {}
            },
        }
    }

    /// Writes a denial; if the event takes none, the strictest restraint that it does take (BR-3).
    fn write_denial_or_substitute(&mut self, reason: &str) {
        self.denies_by_exit = self.accepted.by_exit.then(|| reason.to_owned());
        if let Some(Value::Object(object)) = (self.accepted.denies)(self.input.event, reason) {
            self.object.extend(object);
            return;
        }
        if self.try_write_decision(Power::Deny, reason) {
            return;
        }
        for power in self.accepted.instead {
            if self.try_write_decision(*power, reason) {
                self.push_warning(format!(
                    "it takes no denial; the reply asks it to {} instead",
                    power.as_str()
                ));
                return;
            }
        }
        self.push_warning(format!("it takes no denial, and goes on; a hook denied: {reason}"));
        let text = format!("a hook denied this, and {} goes on: {reason}", self.replies.agent);
        if self.accepted.phrase_for(Power::Context).is_some() {
            self.context.push(text);
        }
    }

    /// Writes a question about the action as rewritten. If the event cannot ask, it writes a denial
    /// that says how a person can allow the action (BR-5).
    fn write_question(&mut self, reason: &str, rewrite: &Rewrite) {
        if self.accepted.phrase_for(Power::Ask).is_none() {
            self.warn_unsupported("ask");
            let rewritten = self
                .describe_changed_call(rewrite)
                .map(|text| format!("\n{text}"))
                .unwrap_or_default();
            let way_out = self.input.way_out.map(|text| format!("\n{text}")).unwrap_or_default();
            let agent = self.replies.agent;
            let why = format!(
                "{reason}\nA person must be asked, and {agent} cannot ask here.{way_out}{rewritten}"
            );
            return self.write_denial_or_substitute(&why);
        }
        match self.write_rewrite(rewrite) {
            Err(untaken) => self.write_denial_or_substitute(&format!("{reason}\n{untaken}")),
            Ok(()) => {
                self.try_write_decision(Power::Ask, reason);
            }
        }
    }

    /// Writes the rewrite of the call or the prompt (BR-4).
    fn write_rewrite(&mut self, rewrite: &Rewrite) -> Result<(), Untaken> {
        let input = rewrite
            .input
            .as_ref()
            .filter(|input| self.event_payload_field("tool_input") != Some(*input));
        if let Some(input) = input {
            let taken = match self.accepted.only_with_consent && !self.input.outcome.has_consent() {
                true => Err(InputFault::NoConsent),
                false => (self.accepted.input)(self.input.event, input),
            };
            let spoken = match (self.accepted.phrase_for(Power::Input), taken) {
                (Some(phrase), Ok(taken)) => {
                    self.write_phrase(phrase, "", Some(&taken));
                    true
                }
                (Some(_), Err(fault)) => {
                    self.push_warning(fault.to_string());
                    false
                }
                (None, _) => {
                    self.warn_unsupported("take a changed call");
                    false
                }
            };
            if !spoken {
                return Err(Untaken::Call {
                    instead: self.describe_changed_call(rewrite).unwrap_or_default(),
                });
            }
        }
        let prompt = rewrite
            .prompt
            .as_deref()
            .filter(|prompt| self.input.event.text("prompt") != Some(*prompt));
        let Some(prompt) = prompt else { return Ok(()) };
        if let Some(phrase) = self.accepted.phrase_for(Power::Prompt) {
            self.write_phrase(phrase, "", Some(&Value::from(prompt)));
            return Ok(());
        }
        if let Some(added) = self
            .text_added_to_prompt(prompt)
            .filter(|_| self.accepted.phrase_for(Power::Context).is_some())
        {
            self.warn_unsupported("take a changed prompt; what was added is context");
            self.context.push(added);
            return Ok(());
        }
        self.warn_unsupported("take a changed prompt");
        Err(Untaken::Prompt { agent: self.replies.agent, prompt: prompt.to_owned() })
    }

    /// Returns what a changed prompt adds to the original, if the original is unchanged at its
    /// beginning or end.
    fn text_added_to_prompt(&self, prompt: &str) -> Option<String> {
        let original = self.input.event.text("prompt").filter(|text| !text.trim().is_empty())?;
        let added = prompt.strip_prefix(original).or_else(|| prompt.strip_suffix(original))?;
        Some(added.trim().to_owned())
    }

    /// Describes the changed call, for the model to make.
    fn describe_changed_call(&self, rewrite: &Rewrite) -> Option<String> {
        let input = rewrite.input.as_ref()?;
        let name = self.input.event.text("tool_name").unwrap_or("the tool");
        // In the agent's own words, for its model is to make it.
        let words = find_tool_by_neutral_name(self.replies.tools, name);
        let tool = words.and_then(|word| word.own.first()).unwrap_or(&name);
        let input = words.map_or_else(|| input.clone(), |word| word.to_agent_input(input));
        let agent = self.replies.agent;
        Some(format!(
            "A hook changed this call, and {agent} cannot take a changed one here. Make this call instead: {tool} {input}"
        ))
    }

    fn write_effects(&mut self) {
        let effects = &self.input.outcome.effects;
        if let Some(output) = &effects.updated_output {
            self.write_effect_value(Power::Output, output);
        }
        let context = std::mem::take(&mut self.context).join("\n");
        self.write_text_effect(Power::Context, &context);
        self.write_text_effect(Power::Message, &effects.messages.join("\n"));
        if !effects.updated_permissions.is_empty() && !self.input.outcome.has_consent() {
            self.push_warning("new rules come with consent alone".to_owned());
        } else if !effects.updated_permissions.is_empty() {
            self.write_effect_value(
                Power::Permissions,
                &effects.updated_permissions.clone().into(),
            );
        }
        if let Some(paths) = &effects.watch_paths {
            self.write_effect_value(Power::Watch, &paths.clone().into());
        }
        if let Some(text) = &effects.initial_user_message {
            self.write_text_effect(Power::InitialMessage, text);
        }
        if let Some(retry) = effects.retry {
            self.write_effect_value(Power::Retry, &retry.into());
        }
        if !effects.env.is_empty() {
            self.write_effect_value(Power::Env, &Value::Object(effects.env.clone()));
        }
        for (key, value) in &effects.extra {
            match self.accepted.carries.iter().find(|(name, _)| name == key) {
                // What a decision said there stands.
                Some((_, path)) if self.has_reply_value_at_path(path) => {}
                Some((_, path)) => {
                    // What belongs to an event's own part of the object stands beside the event's
                    // name.
                    if path.first() == Some(&OUTPUT) {
                        self.set_reply_value_at_path(
                            &[OUTPUT, "hookEventName"],
                            self.input.name.into(),
                        );
                    }
                    self.set_reply_value_at_path(path, value.clone());
                }
                None => self.push_warning(format!("it has no `{key}`: {value}")),
            }
        }
    }

    fn write_text_effect(&mut self, power: Power, text: &str) {
        if !text.is_empty() {
            self.write_effect_value(power, &text.into());
        }
    }

    /// Writes an effect that is not a restraint, or warns that the event does not take it (BR-6).
    fn write_effect_value(&mut self, power: Power, value: &Value) {
        match self.accepted.phrase_for(power) {
            Some([]) => value.as_str().unwrap_or_default().clone_into(&mut self.text),
            Some(phrase) => self.write_phrase(phrase, "", Some(value)),
            None => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.push_warning(format!("it takes no `{}`: {text}", power.as_str()));
            }
        }
    }

    /// Writes a restraint or a consent with its reason; returns `false` if the event has no phrase
    /// for it.
    fn try_write_decision(&mut self, power: Power, reason: &str) -> bool {
        let phrase = self.accepted.phrase_for(power);
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
                Part::GivenText => self.join_existing_output_and_text(path, value),
                Part::GivenInList(key) => json!([{ *key: value }]),
                _ => value.cloned().unwrap_or_default(),
            };
            self.set_reply_value_at_path(path, value);
        }
    }

    /// Returns the text of an output: `value` as text, after a text that is already there, such as
    /// the reason of a denial.
    fn join_existing_output_and_text(&self, path: &[&str], value: Option<&Value>) -> Value {
        let text = value.map_or_else(String::new, |value| {
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        });
        match path.first().and_then(|key| self.object.get(*key)).and_then(Value::as_str) {
            Some(output) if output != text => format!("{output}\n{text}").into(),
            _ => text.into(),
        }
    }

    fn set_reply_value_at_path(&mut self, path: &[&str], value: Value) {
        let Some((last, above)) = path.split_last() else { return };
        let mut object = &mut self.object;
        for key in above {
            let inner = object.entry(*key).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { return };
            object = inner;
        }
        object.insert((*last).to_owned(), value);
    }

    /// Returns `true` if the reply has a value at the path.
    fn has_reply_value_at_path(&self, path: &[&str]) -> bool {
        let Some((last, above)) = path.split_last() else { return false };
        let mut object = Some(&self.object);
        for key in above {
            object = object.and_then(|object| object.get(*key)).and_then(Value::as_object);
        }
        object.is_some_and(|object| object.contains_key(*last))
    }

    fn event_payload_field(&self, key: &str) -> Option<&Value> {
        self.input.event.payload.get(key)
    }

    fn warn_unsupported(&mut self, what: &str) {
        self.push_warning(format!("it cannot {what}"));
    }

    fn push_warning(&mut self, what: String) {
        let what: String = what.chars().take(SHOWN).collect();
        self.warnings.push(format!("{} on `{}`: {what}", self.replies.agent, self.input.name));
    }

    fn into_reply(self) -> Reply {
        if let Some(stderr) = self.denies_by_exit {
            return Reply { stderr, exit: 2, warnings: self.warnings, ..Reply::default() };
        }
        let stdout = match self.object.is_empty() {
            true if !self.text.is_empty() => self.text + "\n",
            true => self.replies.text((self.replies.silence)(self.input.name)),
            false => self.replies.text(&Value::Object(self.object).to_string()),
        };
        Reply { stdout, warnings: self.warnings, ..Reply::default() }
    }
}

/// The part of the object that is an event's own.
const OUTPUT: &str = "hookSpecificOutput";
