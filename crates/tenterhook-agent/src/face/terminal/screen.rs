//! The state of the screen: all updates and the typed text. Pure; draws nothing and reads no clock.

mod answers;
mod calls;

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::block::{Block, Holder, ModelText, Placed, State, Tool};
use super::composer::Composer;
use super::outbox::{Outbox, Phase};
use super::question::{Choice, Question, Read};
use super::shown::{self, Pieces};
use super::view::View;
use crate::sandbox::Sandbox;
use crate::submission::{Submission, SubmissionId};
use crate::update::{Hold, Trace, Update, Used};

/// How many blocks are kept to scroll back to.
const BLOCKS: usize = 1000;
/// How many firings the panel keeps.
const TRACES: usize = 100;
/// After which delay the screen names the hooks that cause it.
const LONG: Duration = Duration::from_millis(300);
/// The events that hold up nothing which Esc stops.
const BESIDE: &[&str] = &["TurnComplete", "Notification"];
/// How far a page is.
const PAGE: isize = 10;

/// Everything on the screen.
pub(super) struct Screen {
    pub(super) composer: Composer,
    blocks: VecDeque<Placed>,
    /// The depth of the subagent that sent the last update.
    depth: usize,
    /// How many there were before these.
    dropped: usize,
    pub(super) traces: VecDeque<Trace>,
    /// What was sent and is not settled yet.
    pub(super) outbox: Outbox,
    /// The questions that wait, oldest first.
    pub(super) questions: VecDeque<Question>,
    /// Whether the panel of hooks is shown.
    pub(super) panel: bool,
    /// Where the person looks.
    pub(super) view: View,
    /// How far they have read the question.
    pub(super) read: Read,
    /// Which answer the arrows stand on.
    choice: Option<Choice>,
    /// Whether the box holds the reason for a no that was chosen by its number.
    has_reason: bool,
    pub(super) loading: bool,
    pub(super) used: Used,
    /// The permission mode.
    pub(super) mode: &'static str,
    /// What the commands of the model may touch.
    pub(super) sandbox: Sandbox,
    pub(super) status: Option<String>,
    pub(super) model: String,
    pub(super) cwd: String,
    /// The person pressed the key once that leaves when it is pressed again.
    pub(super) warned: bool,
    /// The person puts the program aside for a while.
    pub(super) aside: bool,
    /// The person has left; the session ends.
    pub(super) leaving: bool,
    /// The hooks that its end waits for.
    pub(super) awaited: Vec<String>,
    /// Since when something is under way.
    pub(super) since: Instant,
    pub(super) now: Instant,
    home: String,
    /// The hooks that delay something other than a call, and since when.
    pub(super) holds: Vec<(Hold, Instant)>,
    /// Whether what is long or was rewritten is shown whole.
    pub(super) open: bool,
    /// The model is in the middle of a message.
    streaming: Option<Pieces>,
    thinking: Option<Pieces>,
    /// Part of that message stands in an earlier block, because something came between.
    parted: bool,
}

impl Screen {
    /// Creates an empty screen for a user with this home directory.
    pub(super) fn new(home: &str, now: Instant) -> Self {
        Self {
            composer: Composer::default(),
            blocks: VecDeque::new(),
            depth: 0,
            dropped: 0,
            traces: VecDeque::new(),
            outbox: Outbox::default(),
            questions: VecDeque::new(),
            panel: false,
            view: View::default(),
            read: Read::default(),
            choice: None,
            has_reason: false,
            loading: false,
            used: Used::default(),
            mode: "",
            sandbox: Sandbox::Off,
            status: None,
            model: String::new(),
            cwd: String::new(),
            warned: false,
            aside: false,
            leaving: false,
            awaited: Vec::new(),
            since: now,
            now,
            home: home.to_owned(),
            holds: Vec::new(),
            open: false,
            streaming: None,
            thinking: None,
            parted: false,
        }
    }

    /// Returns whether work is in progress.
    pub(super) fn is_busy(&self) -> bool {
        self.loading || self.leaving || self.status.is_some() || !self.outbox.is_empty()
    }

    /// Returns whether Esc stops something. It does not stop a background hook.
    pub(super) fn can_esc_stop(&self) -> bool {
        let is_held = self.holds.iter().any(|(hold, _)| !BESIDE.contains(&&*hold.event.neutral));
        self.loading || is_held || !self.outbox.is_empty()
    }

    /// Returns whether the screen changes with time even if nothing happens.
    pub(super) fn changes_with_time(&self) -> bool {
        self.is_busy() || !self.questions.is_empty()
    }

    /// Sets the current time.
    pub(super) const fn set_current_time(&mut self, now: Instant) {
        self.now = now;
    }

    /// Runs a change that may start or end work, and records when the work started.
    fn track_busy_since<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.is_busy();
        let done = change(self);
        if !before && self.is_busy() {
            self.since = self.now;
        }
        done
    }

    /// Returns the longest delay that belongs to no call, once it lasts long enough to be read.
    pub(super) fn longest_hold_without_call(&self) -> Option<(&Hold, Instant)> {
        let (hold, since) = self.holds.first()?;
        (self.now.saturating_duration_since(*since) >= LONG).then_some((hold, *since))
    }

    /// Applies an update of the session to the screen.
    pub(super) fn apply_update(&mut self, update: Update) {
        self.track_busy_since(|screen| screen.dispatch_update(update));
    }

    fn dispatch_update(&mut self, update: Update) {
        match update {
            Update::Cleared => self.clear_conversation(),
            Update::Session { model, cwd, sandbox, .. } => {
                self.sandbox = sandbox;
                self.show_session_start(&model, &cwd);
            }
            Update::Prompt { id, text } => {
                self.outbox.remove_submission(id);
                self.push_block(Block::User(shown::safe_text(&text, shown::TEXT)));
            }
            Update::Refused { id, text, reason } => self.show_refusal(id, &text, &reason),
            Update::Obeyed(id) => self.outbox.remove_submission(id),
            Update::Queued(queue) => self.outbox.set_queue(&queue),
            Update::TakenBack(submission) => self.restore_withdrawn_text(&submission),
            Update::Mode(mode) => self.mode = mode,
            Update::Used(used) => self.used = used,
            Update::Loading(loading) => (self.loading, self.parted) = (loading, false),
            Update::Text(text) => self.append_model_text(&text),
            Update::Reasoning(text) => self.append_thought(&text),
            Update::Reply(text) => self.complete_reply(&text),
            Update::Rewrite { text, hooks } => {
                let by = shown::single_line(&hooks.join(", "));
                self.push_block(Block::Rewrite { by, text: shown::safe_text(&text, shown::TEXT) });
            }
            Update::ToolAsked(call) => {
                self.push_block(Block::Tool(Tool::new(&call, State::Delayed, self.now)));
            }
            Update::ToolStarted(call) => self.show_call_running(&call),
            Update::ToolEnded { call, result } => self.show_call_result(&call, &result),
            Update::Ask(ask) => {
                self.add_call_holder(&ask.id, Holder::Person);
                self.questions.push_back(Question::new(ask, self.now));
            }
            Update::AskVoid { id } => self.remove_question(&id),
            Update::Warn { event, reason } => {
                let text = format!("{event}: {}", reason.trim_end());
                self.push_block(Block::Warn(shown::safe_text(&text, shown::OUTPUT)));
            }
            Update::Notice(text) => {
                self.push_block(Block::Notice(shown::safe_text(&text, shown::OUTPUT)))
            }
            Update::Hooks(trace) => self.push_trace(trace),
            Update::Did(deed) => self.add_deed(&deed),
            Update::Delayed(hold) => self.add_hold(hold),
            Update::Released(hold) => self.remove_hold(hold),
            Update::Status(status) => {
                self.status = status.map(|status| shown::single_line(&status))
            }
            Update::TurnEnded { error } => self.end_turn(error),
            Update::Page { title, text } => self.push_page(&title, &text),
            Update::Within { update, .. } => self.dispatch_subagent_update(*update),
            Update::Leaving(hooks) => self.set_awaited_hooks(&hooks),
            Update::Ended | Update::Unanswered { .. } => {}
        }
    }

    /// Applies an update of a subagent, one level deeper.
    fn dispatch_subagent_update(&mut self, update: Update) {
        self.depth += 1;
        self.dispatch_update(update);
        self.depth -= 1;
    }

    /// Shows why a prompt was not sent, and puts its text back into the composer.
    fn show_refusal(&mut self, id: Option<SubmissionId>, text: &str, reason: &str) {
        self.outbox.remove_submission(id);
        self.push_block(Block::Refused(shown::safe_text(reason, shown::OUTPUT)));
        self.composer.restore_unsent(text);
    }

    fn push_page(&mut self, title: &str, text: &str) {
        let text = shown::safe_text(text.trim_end(), shown::TEXT);
        let text = text.replace(&format!("{}/", self.home), "~/");
        self.push_block(Block::Page { title: shown::single_line(title), text });
    }

    /// Sends the typed text, to begin in this phase.
    pub(super) fn submit_text(&mut self, phase: Phase) -> Option<Submission> {
        let submission = Submission::new(self.composer.take_text()?);
        if phase == Phase::Sending {
            self.view = View::default();
        }
        self.track_busy_since(|screen| screen.outbox.add_submission(submission.clone(), phase));
        Some(submission)
    }

    /// Gives the text of a withdrawn submission back to the user.
    fn restore_withdrawn_text(&mut self, submission: &Submission) {
        self.outbox.remove_submission(submission.id);
        self.composer.restore_unsent(&submission.text);
    }

    /// Records that the session is ending.
    pub(super) fn mark_leaving(&mut self) {
        if !self.leaving {
            (self.leaving, self.since) = (true, self.now);
        }
    }

    /// Sets the hooks that the end of the session waits for.
    fn set_awaited_hooks(&mut self, hooks: &[String]) {
        self.mark_leaving();
        self.awaited = hooks.iter().map(|hook| shown::single_line(hook)).collect();
    }

    /// Scrolls a page up or down: in the question if not all of it is visible, otherwise in the
    /// conversation.
    pub(super) fn scroll_by_one_page(&mut self, down: bool) {
        if !self.questions.is_empty() && !self.read.whole {
            let Read { from, page, .. } = self.read;
            self.read.from = if down { from + page } else { from.saturating_sub(page) };
        } else {
            self.view.scroll_up(if down { -PAGE } else { PAGE });
        }
    }

    /// Returns the blocks with their numbers, which never change.
    pub(super) fn numbered_blocks(&self) -> impl DoubleEndedIterator<Item = (usize, &Placed)> {
        self.blocks.iter().enumerate().map(|(at, block)| (self.dropped + at, block))
    }

    /// Clears the screen for a new conversation.
    fn clear_conversation(&mut self) {
        self.dropped += self.blocks.len();
        self.blocks.clear();
        self.view = View::default();
        (self.streaming, self.thinking, self.parted) = (None, None, false);
    }

    fn show_session_start(&mut self, model: &str, cwd: &str) {
        let cwd = match cwd.strip_prefix(&self.home) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => cwd.to_owned(),
        };
        (self.model, self.cwd) = (shown::single_line(model), shown::single_line(&cwd));
        let text = format!("{} works in {}. /help says what there is.", self.model, self.cwd);
        self.push_block(Block::Notice(text));
    }

    fn push_block(&mut self, block: Block) {
        self.parted |= self.streaming.is_some();
        (self.streaming, self.thinking) = (None, None);
        self.blocks.push_back(Placed { depth: self.depth, block });
        if self.blocks.len() > BLOCKS {
            self.blocks.pop_front();
            self.dropped += 1;
        }
    }

    fn append_model_text(&mut self, text: &str) {
        self.end_other_agents_text();
        let mut pieces = self.streaming.take().unwrap_or_else(|| {
            self.push_block(Block::Model(ModelText::default()));
            Pieces::default()
        });
        if let Some(Block::Model(model_text)) = self.last_block() {
            append_bounded(&mut model_text.text, &pieces.push_piece(text));
        }
        self.streaming = Some(pieces);
    }

    fn last_block(&mut self) -> Option<&mut Block> {
        self.blocks.back_mut().map(|block| &mut block.block)
    }

    /// Ends the streamed text if it belongs to another agent than the current one.
    fn end_other_agents_text(&mut self) {
        if self.blocks.back().is_some_and(|block| block.depth != self.depth) {
            self.parted |= self.streaming.is_some();
            (self.streaming, self.thinking) = (None, None);
        }
    }

    fn append_thought(&mut self, text: &str) {
        self.end_other_agents_text();
        let mut pieces = self.thinking.take().unwrap_or_else(|| {
            self.push_block(Block::Thought(String::new()));
            Pieces::default()
        });
        if let Some(Block::Thought(thought)) = self.last_block() {
            append_bounded(thought, &pieces.push_piece(text));
        }
        self.thinking = Some(pieces);
    }

    /// Replaces the streamed pieces of a reply with its complete text.
    fn complete_reply(&mut self, text: &str) {
        let parted = std::mem::take(&mut self.parted);
        if self.streaming.take().is_some()
            && !parted
            && let Some(Block::Model(model_text)) = self.last_block()
        {
            *model_text = ModelText::from_complete(shown::safe_text(text, shown::TEXT));
        }
    }

    fn end_turn(&mut self, error: Option<String>) {
        if let Some(error) = error {
            let text = format!("the turn ended: {error}");
            self.push_block(Block::Notice(shown::safe_text(&text, shown::OUTPUT)));
        }
    }

    fn push_trace(&mut self, mut trace: Trace) {
        for step in &mut trace.steps {
            step.hook = shown::single_line(&step.hook);
            step.ended = shown::single_line(&step.ended);
        }
        self.traces.push_back(trace);
        if self.traces.len() > TRACES {
            self.traces.pop_front();
        }
    }
}

/// Appends a piece to a text of limited length.
fn append_bounded(text: &mut String, piece: &str) {
    if text.len() < shown::TEXT {
        text.push_str(piece);
    }
}
