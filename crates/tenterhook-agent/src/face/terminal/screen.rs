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
use crate::submission::Submission;
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
    /// An empty one, for a person whose home this is.
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

    /// Whether something is under way.
    pub(super) fn busy(&self) -> bool {
        self.loading || self.leaving || self.status.is_some() || !self.outbox.is_empty()
    }

    /// Whether Esc stops something. It does not stop a hook in the background.
    pub(super) fn can_stop(&self) -> bool {
        let is_held = self.holds.iter().any(|(hold, _)| !BESIDE.contains(&&*hold.event.neutral));
        self.loading || is_held || !self.outbox.is_empty()
    }

    /// Whether something moves although nothing happens.
    pub(super) fn moves(&self) -> bool {
        self.busy() || !self.questions.is_empty()
    }

    /// Time goes on.
    pub(super) const fn tick(&mut self, now: Instant) {
        self.now = now;
    }

    /// Does what may begin or end something that is under way, and keeps the time since when.
    fn timed<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.busy();
        let done = change(self);
        if !before && self.busy() {
            self.since = self.now;
        }
        done
    }

    /// The longest delay that is no call's, once it lasts long enough to be read.
    pub(super) fn longest_hold(&self) -> Option<(&Hold, Instant)> {
        let (hold, since) = self.holds.first()?;
        (self.now.saturating_duration_since(*since) >= LONG).then_some((hold, *since))
    }

    /// Takes in what the runtime tells.
    pub(super) fn take(&mut self, update: Update) {
        self.timed(|screen| screen.apply(update));
    }

    fn apply(&mut self, update: Update) {
        match update {
            Update::Cleared => self.clear(),
            Update::Session { model, cwd, sandbox, .. } => {
                self.sandbox = sandbox;
                self.begun(&model, &cwd);
            }
            Update::Prompt { id, text } => {
                self.outbox.settle(id);
                self.push(Block::User(shown::text(&text, shown::TEXT)));
            }
            Update::Refused { id, text, reason } => {
                self.outbox.settle(id);
                self.push(Block::Refused(shown::text(&reason, shown::OUTPUT)));
                self.composer.give_back(&text);
            }
            Update::Obeyed(id) => self.outbox.settle(id),
            Update::Queued(queue) => self.outbox.set_queue(&queue),
            Update::TakenBack(submission) => self.taken_back(&submission),
            Update::Mode(mode) => self.mode = mode,
            Update::Used(used) => self.used = used,
            Update::Loading(loading) => (self.loading, self.parted) = (loading, false),
            Update::Text(text) => self.stream(&text),
            Update::Reasoning(text) => self.think(&text),
            Update::Reply(text) => self.replied(&text),
            Update::Rewrite { text, hooks } => {
                let by = shown::line(&hooks.join(", "));
                self.push(Block::Rewrite { by, text: shown::text(&text, shown::TEXT) });
            }
            Update::ToolAsked(call) => {
                self.push(Block::Tool(Tool::new(&call, State::Delayed, self.now)));
            }
            Update::ToolStarted(call) => self.started(&call),
            Update::ToolEnded { call, result } => self.ended(&call, &result),
            Update::Ask(ask) => {
                self.hold_call(&ask.id, Holder::Person);
                self.questions.push_back(Question::new(ask, self.now));
            }
            Update::AskVoid { id } => self.void(&id),
            Update::Warn { event, reason } => {
                let text = format!("{event}: {}", reason.trim_end());
                self.push(Block::Warn(shown::text(&text, shown::OUTPUT)));
            }
            Update::Notice(text) => self.push(Block::Notice(shown::text(&text, shown::OUTPUT))),
            Update::Hooks(trace) => self.fired(trace),
            Update::Did(deed) => self.did(&deed),
            Update::Delayed(hold) => self.add_hold(hold),
            Update::Released(hold) => self.released(hold),
            Update::Status(status) => self.status = status.map(|status| shown::line(&status)),
            Update::TurnEnded { error } => self.turn_ended(error),
            Update::Page { title, text } => self.show_page(&title, &text),
            Update::Within { update, .. } => {
                self.depth += 1;
                self.apply(*update);
                self.depth -= 1;
            }
            Update::Leaving(hooks) => self.wait_for(&hooks),
            Update::Ended | Update::Unanswered { .. } => {}
        }
    }

    fn show_page(&mut self, title: &str, text: &str) {
        let text = shown::text(text.trim_end(), shown::TEXT);
        let text = text.replace(&format!("{}/", self.home), "~/");
        self.push(Block::Page { title: shown::line(title), text });
    }

    /// Sends what was typed, to begin in this phase.
    pub(super) fn submit(&mut self, phase: Phase) -> Option<Submission> {
        let submission = Submission::new(self.composer.send()?);
        if phase == Phase::Sending {
            self.view = View::default();
        }
        self.timed(|screen| screen.outbox.add(submission.clone(), phase));
        Some(submission)
    }

    /// A text that waited is the person's again.
    fn taken_back(&mut self, submission: &Submission) {
        self.outbox.settle(submission.id);
        self.composer.give_back(&submission.text);
    }

    /// The person leaves.
    pub(super) fn leave(&mut self) {
        if !self.leaving {
            (self.leaving, self.since) = (true, self.now);
        }
    }

    /// The end of the session waits for these hooks.
    fn wait_for(&mut self, hooks: &[String]) {
        self.leave();
        self.awaited = hooks.iter().map(|hook| shown::line(hook)).collect();
    }

    /// Looks a page up or down: in the question, where not all of that is seen, else in the conversation.
    pub(super) fn page(&mut self, down: bool) {
        if !self.questions.is_empty() && !self.read.whole {
            let Read { from, page, .. } = self.read;
            self.read.from = if down { from + page } else { from.saturating_sub(page) };
        } else {
            self.view.up(if down { -PAGE } else { PAGE });
        }
    }

    /// The blocks with their numbers, which they keep.
    pub(super) fn numbered(&self) -> impl DoubleEndedIterator<Item = (usize, &Placed)> {
        self.blocks.iter().enumerate().map(|(at, block)| (self.dropped + at, block))
    }

    /// The conversation begins anew.
    fn clear(&mut self) {
        self.dropped += self.blocks.len();
        self.blocks.clear();
        self.view = View::default();
        (self.streaming, self.thinking, self.parted) = (None, None, false);
    }

    fn begun(&mut self, model: &str, cwd: &str) {
        let cwd = match cwd.strip_prefix(&self.home) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => cwd.to_owned(),
        };
        (self.model, self.cwd) = (shown::line(model), shown::line(&cwd));
        let text = format!("{} works in {}. /help says what there is.", self.model, self.cwd);
        self.push(Block::Notice(text));
    }

    fn push(&mut self, block: Block) {
        self.parted |= self.streaming.is_some();
        (self.streaming, self.thinking) = (None, None);
        self.blocks.push_back(Placed { depth: self.depth, block });
        if self.blocks.len() > BLOCKS {
            self.blocks.pop_front();
            self.dropped += 1;
        }
    }

    fn stream(&mut self, text: &str) {
        self.part();
        let mut pieces = self.streaming.take().unwrap_or_else(|| {
            self.push(Block::Model(ModelText::default()));
            Pieces::default()
        });
        if let Some(Block::Model(model_text)) = self.last_block() {
            grow(&mut model_text.text, &pieces.next(text));
        }
        self.streaming = Some(pieces);
    }

    fn last_block(&mut self) -> Option<&mut Block> {
        self.blocks.back_mut().map(|block| &mut block.block)
    }

    /// Words of one agent do not go on those of another.
    fn part(&mut self) {
        if self.blocks.back().is_some_and(|block| block.depth != self.depth) {
            self.parted |= self.streaming.is_some();
            (self.streaming, self.thinking) = (None, None);
        }
    }

    fn think(&mut self, text: &str) {
        self.part();
        let mut pieces = self.thinking.take().unwrap_or_else(|| {
            self.push(Block::Thought(String::new()));
            Pieces::default()
        });
        if let Some(Block::Thought(thought)) = self.last_block() {
            grow(thought, &pieces.next(text));
        }
        self.thinking = Some(pieces);
    }

    /// The words are complete: what came in pieces is shown as the whole that it is.
    fn replied(&mut self, text: &str) {
        let parted = std::mem::take(&mut self.parted);
        if self.streaming.take().is_some()
            && !parted
            && let Some(Block::Model(model_text)) = self.last_block()
        {
            *model_text = ModelText::whole(shown::text(text, shown::TEXT));
        }
    }

    fn turn_ended(&mut self, error: Option<String>) {
        if let Some(error) = error {
            let text = format!("the turn ended: {error}");
            self.push(Block::Notice(shown::text(&text, shown::OUTPUT)));
        }
    }

    fn fired(&mut self, mut trace: Trace) {
        for step in &mut trace.steps {
            step.hook = shown::line(&step.hook);
            step.ended = shown::line(&step.ended);
        }
        self.traces.push_back(trace);
        if self.traces.len() > TRACES {
            self.traces.pop_front();
        }
    }
}

/// Adds to a text that is bounded.
fn grow(text: &mut String, piece: &str) {
    if text.len() < shown::TEXT {
        text.push_str(piece);
    }
}
