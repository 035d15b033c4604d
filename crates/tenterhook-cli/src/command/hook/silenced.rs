//! Does the event after a tool call show that the call was kept from its gates? Compares it with what the gates were asked before
//! (BR-93 to BR-97). Decides nothing about the call, which has run.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;
use tenterhook::internal::discover;
use tenterhook::{Event, Outcome};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::tool::{Tool, ToolCall};
use tenterhook_core::outcome::{Decision, Fault};
use tenterhook_core::transcript::{Action, Decoder, Line, TranscriptAgent};

use crate::call_notes::{CallNotes, Effect, Note, Noted, now_millis, stable_text_hash};
use crate::session_store::SessionStore;
use crate::show::layout::to_safe_line;

/// How much of a transcript's end is read: a call stands a few lines before its end.
const TAIL: u64 = 256 << 10;

/// How much of a command is shown.
const SHOWN: usize = 80;

/// One event of an agent whose calls carry an id, and the notes of its session.
pub(super) struct CallCheck<'a> {
    event: &'a Event,
    agent: DialectId,
    notes: CallNotes,
    /// The call's id.
    call: &'a str,
}

impl<'a> CallCheck<'a> {
    /// Creates the check; `None` for an agent whose events before and after a call do not share an
    /// id.
    pub(super) fn new(event: &'a Event, agent: DialectId, kept: &SessionStore) -> Option<Self> {
        let call = event.text("tool_use_id").unwrap_or_default();
        let pairs = agent.dialect().pairs_tool_events();
        pairs.then(|| Self { event, agent, notes: kept.call_notes(), call })
    }

    /// Notes what the event shows about later calls, and returns the faults that it reveals about
    /// its own call. Run this before anything that may end the process: a call that is not noted
    /// looks like one whose gates did not run.
    pub(super) fn note_and_find_faults(&self) -> Vec<Fault> {
        match self.event.name.as_str() {
            "SessionStart" => self.notes.add_note(Note::Began),
            "UserPromptSubmit" if !self.prompt_id().is_empty() => {
                self.notes.add_note(Note::Prompt(self.prompt_id()));
            }
            "PreToolUse" if !self.call.is_empty() => {
                self.notes.add_note(Note::Asked(self.call, self.call_effect_hashes()));
            }
            "PostToolUse" if !self.call.is_empty() => return self.faults_after_call(),
            // An input that is wrong fails without a question to a gate; a denied call does not fail.
            "PostToolUseFailure" if !self.call.is_empty() => {
                let is_denied = self.notes.notes_about_call(self.call, self.prompt_id()).denied;
                return is_denied
                    .then(|| self.call_fault(Code::OverruledDenial))
                    .into_iter()
                    .collect();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Notes the reply, if it changes what a later event shows.
    pub(super) fn note_reply(&self, outcome: &Outcome) {
        let changes = outcome.effects.updated_input.is_some();
        let denies =
            matches!(outcome.decision(), Decision::Denied { .. } | Decision::Stopped { .. });
        match self.event.name.as_str() {
            "PreToolUse" if denies => self.notes.add_note(Note::Denied(self.call)),
            "PreToolUse" if changes => self.notes.add_note(Note::Changed(self.call)),
            // It carries no id.
            "PermissionRequest" if changes => {
                if let Some((effect, _)) = self.call_effect_hashes() {
                    self.notes.add_note(Note::ChangedEffect(effect));
                }
            }
            _ => {}
        }
    }

    fn prompt_id(&self) -> &str {
        self.event.within.facts.get("prompt_id").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns two hashes of what the call does: with complete paths, and with only their last
    /// parts.
    fn call_effect_hashes(&self) -> Option<Effect> {
        let call = self.event.tool()?;
        Some((
            stable_text_hash(&call.effect_text(true)?),
            stable_text_hash(&call.effect_text(false)?),
        ))
    }

    fn faults_after_call(&self) -> Vec<Fault> {
        let noted = self.notes.notes_about_call(self.call, self.prompt_id());
        if noted.asked.is_empty() {
            let is_sign = self.were_gates_registered(&noted);
            return is_sign.then(|| self.call_fault(Code::SilencedCall)).into_iter().collect();
        }
        let mut faults = Vec::new();
        if noted.denied {
            faults.push(self.call_fault(Code::OverruledDenial));
        }
        if !noted.changed && self.differs_from_gated_call(&noted) {
            faults.push(self.call_fault(Code::MaskedCall));
        }
        faults
    }

    /// Returns whether gates were registered when the call began: hooks may be added to a running
    /// session.
    fn were_gates_registered(&self, noted: &Noted) -> bool {
        if noted.from_the_start || noted.knows_prompt {
            return true;
        }
        let took = self.event.payload.get("duration_ms").and_then(Value::as_u64).unwrap_or(0);
        let began = now_millis().saturating_sub(took);
        noted.any_asked && noted.since.is_some_and(|since| since <= began)
    }

    /// Returns whether the call differs from the one that its gates saw, according to this event or
    /// to the transcript.
    fn differs_from_gated_call(&self, noted: &Noted) -> bool {
        // What a person changes in an editor is the text of a file; the transcript still holds what the model wanted.
        let response = self.event.payload.get("tool_response");
        let is_modified =
            response.and_then(|response| response.get("userModified")) == Some(&Value::Bool(true));
        let is_edit =
            self.event.tool().is_some_and(|call| matches!(call.tool(), Tool::Write | Tool::Edit));
        // A gate that was asked about no input at all was not asked about this one.
        let asked = |is_it: &dyn Fn(&Effect) -> bool| noted.asked.iter().flatten().any(is_it);
        let ran =
            self.call_effect_hashes().is_some_and(|(ran, _)| !asked(&|(effect, _)| *effect == ran));
        ran && !(is_modified && is_edit)
            || self
                .effect_hash_in_transcript()
                .is_some_and(|wanted| !asked(&|(_, bare)| *bare == wanted))
    }

    /// Returns the effect of this call as the model requested it, according to the transcript, with
    /// only the last parts of paths.
    fn effect_hash_in_transcript(&self) -> Option<u64> {
        let agent =
            TranscriptAgent::ALL.into_iter().find(|agent| agent.key() == self.agent.as_str())?;
        let text = read_last_lines(self.event.within.transcript.as_deref()?)?;
        let mut decoder = Decoder::new(agent);
        let mut wanted = None;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| line.contains(self.call));
        for (number, line) in lines {
            let bytes = Some(line.as_bytes());
            decoder.decode_line(Line { number, bytes, is_whole: true }, &mut |entry| {
                if let Action::Call(call) = &entry.action
                    && call.id == self.call
                {
                    let (name, input) = call.to_neutral(agent);
                    let effect = ToolCall { name: &name, input: &input }.effect_text(false);
                    wanted = effect.map(|effect| stable_text_hash(&effect));
                }
            });
        }
        wanted
    }

    fn call_fault(&self, code: Code) -> Fault {
        let agent = self.agent.dialect().calling_agent_title().unwrap_or_default();
        let what = match code {
            Code::SilencedCall => "ran, and no gate was asked about it",
            Code::OverruledDenial => "ran, although a gate denied it",
            _ => "ran, and its gates were asked about another input",
        };
        let message = format!(
            "{} {what}. A mod, a plugin or another hook of {agent} stands before the gates: end the session; `tenterhook status` \
             and `tenterhook doctor` list what can",
            self.call_text()
        );
        Fault { code, hook: None, message }
    }

    /// Describes the call for people.
    fn call_text(&self) -> String {
        let tool = to_safe_line(self.event.text("tool_name").unwrap_or_default());
        let input = self.event.payload.get("tool_input");
        let command = input.and_then(|input| input.get("command")).and_then(Value::as_str);
        let command =
            command.map(|text| to_safe_line(&text.chars().take(SHOWN).collect::<String>()));
        let command = command.map(|text| format!(" `{text}`")).unwrap_or_default();
        format!("the call {} (`{tool}`{command})", to_safe_line(self.call))
    }
}

#[cfg(test)]
mod tests;

/// Returns the complete lines at the end of a file.
fn read_last_lines(path: &Path) -> Option<String> {
    let (mut file, _) = discover::open(path).ok()?;
    let start = file.metadata().ok()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    match start {
        0 => Some(text.into_owned()),
        _ => text.split_once('\n').map(|(_, whole)| whole.to_owned()),
    }
}
