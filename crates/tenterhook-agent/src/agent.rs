//! One agent: a conversation with a model, and what it may use. The main agent and every subagent are the same thing.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::conversation::{Message, ToolResult};
use crate::file::Judged;
use crate::gate::Seen;
use crate::hooks::Hooks;
use crate::instructions::{self, Instructions, Wanted};
use crate::model::Provider;
use crate::permission::{Permissions, PermitContext};
use crate::render::Renderer;
use crate::sandbox::Sandbox;
use crate::tally::Tally;
use crate::tasks::Tasks;
use crate::toolbox::Toolbox;
use crate::transcript::{Line, StoredSession, Transcript};
use crate::update::{Update, Updates};

/// How long a turn that does not stop, and text that is not shown yet, may hold up a person who leaves.
pub(crate) const LEAVING: Duration = Duration::from_millis(1500);

/// One agent.
pub(crate) struct Agent {
    pub(crate) role: Role,
    pub(crate) hooks: Hooks,
    pub(crate) updates: Updates,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) transcript: Transcript,
    pub(crate) steering: Steering,
    pub(crate) renderer: Renderer,
    pub(crate) tasks: Tasks,
    pub(crate) toolbox: Toolbox,
    pub(crate) tally: Tally,
    pub(crate) settings: Settings,
    /// The conversation so far.
    pub(crate) messages: Vec<Message>,
    /// How much of that hooks have let pass.
    pub(crate) seen: Seen,
    /// What the model was asked last, and what the person typed for that.
    pub(crate) typed: Option<(String, String)>,
    /// The model's text of an answer that is under way.
    pub(crate) unfinished: String,
    /// What came of the tools of a reply so far.
    pub(crate) done: Vec<ToolResult>,
    /// How many turns there were.
    pub(crate) turns: u64,
}

/// Which agent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The one that the person speaks to.
    Main,
    /// One that another agent gave a task.
    Sub,
}

/// The settings that describe an agent to its model.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Which model.
    pub(crate) model: String,
    /// The system prompt.
    pub(crate) system: String,
    /// What hooks add to it when the session starts.
    pub(crate) started: Vec<String>,
    /// The files that say how to work here.
    pub(crate) instructions: Vec<Instructions>,
    /// Where it works.
    pub(crate) cwd: PathBuf,
    /// Where the session was started.
    pub(crate) project: PathBuf,
    /// The user's home.
    pub(crate) home: PathBuf,
    /// The environment of its shell commands.
    pub(crate) env: Vec<(String, String)>,
    /// What its shell commands may touch.
    pub(crate) sandbox: Sandbox,
    /// Whether somebody is there who can answer questions.
    pub(crate) attended: bool,
    /// How long somebody is waited for.
    pub(crate) patience: Patience,
    /// How often one prompt may have the model asked.
    pub(crate) steps: u64,
}

/// How long somebody is waited for before hooks are asked to call them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For the answer to a question.
    pub(crate) question: Duration,
    /// For the next prompt.
    pub(crate) idle: Duration,
    /// How long the end of the session waits for hooks (AG-34).
    pub(crate) exit: Duration,
}

/// What reaches an agent while it works: texts that were judged already, and the wish to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steering {
    texts: Arc<Mutex<VecDeque<Message>>>,
    /// Messages to add to the next request that something else causes.
    later: Arc<Mutex<Vec<Message>>>,
    queued: Arc<AtomicUsize>,
    stop: Arc<Mutex<CancellationToken>>,
    /// Whether the turn takes no more input: its hooks run at its end.
    over: Arc<AtomicBool>,
}

impl Steering {
    /// Adds a message for the next call of the model.
    pub(crate) fn add_message(&self, message: Message) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push_back(message);
    }

    /// Adds a message that does not cause a call of the model. The next request carries it.
    pub(crate) fn add_message_without_model_call(&self, message: Message) {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    /// Sets the number of prompts that wait for the turn to end.
    pub(crate) fn set_queued_prompt_count(&self, waiting: usize) {
        self.queued.store(waiting, Ordering::Relaxed);
    }

    /// Returns the number of waiting messages: prompts for after the turn, and messages that came
    /// too late to steer it.
    pub(crate) fn pending_message_count(&self) -> usize {
        let late = self.texts.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.queued.load(Ordering::Relaxed) + late
    }

    /// Removes and returns every message that is due for the model.
    pub(crate) fn take_messages(&self) -> Vec<Message> {
        let mut all =
            std::mem::take(&mut *self.later.lock().unwrap_or_else(PoisonError::into_inner));
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(texts.drain(..));
        all
    }

    /// Removes and returns the first message that came too late to steer a turn. It starts a new
    /// turn, which the others steer.
    pub(crate) fn take_late_message(&self) -> Option<Message> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Cancels the current turn.
    pub(crate) fn cancel_turn(&self) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Returns the cancellation token of the current turn.
    pub(crate) fn cancellation_token(&self) -> CancellationToken {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Marks the turn as over, so that new messages wait for the next one. The returned token stops
    /// what observes the end.
    pub(crate) fn end_turn(&self) -> CancellationToken {
        self.over.store(true, Ordering::Release);
        self.replace_cancellation_token()
    }

    /// Returns whether there is a turn to steer.
    pub(crate) fn is_turn_open(&self) -> bool {
        !self.over.load(Ordering::Acquire)
    }

    /// Starts a turn, and returns its cancellation token.
    pub(crate) fn start_turn(&self) -> CancellationToken {
        self.over.store(false, Ordering::Release);
        self.replace_cancellation_token()
    }

    /// Replaces the cancellation token with a new one.
    fn replace_cancellation_token(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }
}

impl Settings {
    /// Returns the texts before the conversation, in addition to the agent's own system prompt.
    pub(crate) fn additional_system_texts(&self) -> impl Iterator<Item = String> {
        self.started
            .iter()
            .cloned()
            .chain(self.instructions.iter().map(Instructions::text_for_model))
    }
}

impl Agent {
    /// Adds a message to the conversation and its transcript.
    pub(crate) fn push_message(&mut self, message: Message) {
        self.record_originals_of_rewrites();
        self.write_transcript_line(&Line::Message(message.clone()));
        if matches!(message, Message::Assistant(_)) {
            self.seen.mark_model_message_seen(self.messages.len());
        }
        self.messages.push(message);
    }

    /// Writes the originals of what hooks rewrote to the transcript (AG-40).
    pub(crate) fn record_originals_of_rewrites(&self) {
        for result in self.hooks.take_rewrites() {
            self.write_transcript_line(&Line::Rewritten(result));
        }
    }

    /// Records in the transcript that the last messages were removed from the conversation.
    pub(crate) fn record_removed_messages(&self, last: usize) {
        if last > 0 {
            self.write_transcript_line(&Line::TakenBack { last });
        }
    }

    /// Adds a line to the transcript. Reports the first failure, and the first success after it
    /// (AG-31).
    fn write_transcript_line(&self, line: &Line) {
        let waited = self.transcript.waiting_line_count();
        match self.transcript.add_line_with_mode(line, self.permissions.mode().name()) {
            Err(error) if waited == 0 => {
                let path = self.transcript.path().display();
                let why = format!("`{path}` cannot be written: {error}; it waits until it can");
                self.updates.warn("transcript", why);
            }
            Ok(()) if waited > 0 => {
                let text =
                    format!("The transcript is written again, and {waited} lines that waited.");
                self.updates.send(Update::Notice(text));
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Clears the conversation, and records that in the transcript.
    pub(crate) fn clear_conversation(&mut self) {
        self.messages.clear();
        self.seen.forget_messages();
        self.tally.reset_conversation();
        self.write_transcript_line(&Line::Cut);
    }

    /// Drops the pending messages, which belong to the previous conversation.
    pub(crate) fn drop_pending_messages(&self) {
        self.hooks.drop_background_answers();
        drop(self.steering.take_messages());
    }

    /// Continues a session from its transcript. Returns a message for the user.
    pub(crate) fn resume_session(
        &mut self,
        stored: StoredSession,
        transcript: Transcript,
    ) -> String {
        let path = transcript.path().to_owned();
        self.hooks.switch_session(&stored.session_id(&path), &path);
        self.transcript = transcript;
        self.tally.reset_conversation();
        let mut note = format!("Going on with {} messages.", stored.messages.len());
        if stored.torn > 0 {
            note.push_str(&format!(" {} lines could not be read.", stored.torn));
        }
        self.seen = Seen::from_earlier_session(stored.messages.len());
        self.messages = stored.messages;
        note
    }

    /// Returns the context in which the calls of this agent are judged.
    pub(crate) fn permit_context(&self) -> PermitContext<'_> {
        PermitContext {
            hooks: &self.hooks,
            updates: &self.updates,
            toolbox: &self.toolbox,
            project: &self.settings.project,
            cwd: &self.settings.cwd,
            attended: self.settings.attended,
            patience: self.settings.patience.question,
        }
    }

    /// Reads the instruction files that apply from the start of the session.
    pub(crate) async fn load_start_instructions(&mut self, reason: &'static str) {
        let Settings { home, project, cwd, .. } = &self.settings;
        let root =
            cwd.ancestors().find(|ancestor| ancestor.join(".git").exists()).unwrap_or(project);
        let (root, found) =
            (root.to_owned(), instructions::start_instruction_files(home, root, cwd, reason));
        self.settings.instructions.clear();
        self.load_instruction_files(found, &root).await;
    }

    /// Reads the instruction files of the directories that contain a file of the project.
    pub(crate) async fn load_instructions_for_file(&mut self, file: &Path) {
        let project = self.settings.project.clone();
        // The file is given by where it is, so the project is, too.
        let real = Judged::resolve(&project).map_or_else(|| project.clone(), |j| j.path);
        self.load_instruction_files(
            instructions::instruction_files_for_file(&real, file),
            &project,
        )
        .await;
    }

    /// Reads these files and what they include, each once, unless the model must not see them
    /// (AG-11).
    async fn load_instruction_files(&mut self, found: Vec<Wanted>, root: &Path) {
        for wanted in found {
            let mut layer = vec![wanted];
            for _ in 0..=instructions::DEEPEST {
                let mut next = Vec::new();
                for wanted in layer {
                    if let Some(taken) = self.load_instruction_file(wanted, root).await {
                        next.extend(taken.included_files());
                        self.hooks.fire_instructions_loaded(&taken).await;
                        self.settings.instructions.push(taken);
                    }
                }
                layer = next;
            }
        }
    }

    async fn load_instruction_file(&self, wanted: Wanted, root: &Path) -> Option<Instructions> {
        let judged = Judged::resolve(&wanted.path).filter(Judged::exists)?;
        if self
            .settings
            .instructions
            .iter()
            .any(|instruction| judged.is_same_file_at(&instruction.path))
        {
            return None;
        }
        let root = (wanted.memory != instructions::USER).then_some(root);
        let path = wanted.path.clone();
        let taken = match self
            .permissions
            .judge_unrequested_read(&self.permit_context(), &path, root)
            .await
        {
            Ok(judged) => wanted.read_judged(&judged).map_err(|error| error.to_string()),
            Err(why) => Err(why.to_string()),
        };
        match taken {
            Ok(taken) => Some(taken),
            Err(why) => {
                let why = format!("`{}` is not read: {why}", path.display());
                self.updates.warn("instructions", why);
                None
            }
        }
    }
}
