//! What is on the screen: everything that was told, and what is being typed. Pure; draws nothing and reads no clock.

use std::collections::VecDeque;

use tokio::time::Instant;

use super::composer::Composer;
use crate::conversation::{Call, ToolResult};
use crate::update::{Ask, Decision, Trace, Update};

/// How many blocks are kept to scroll back to.
const BLOCKS: usize = 2000;
/// How many firings the panel keeps.
const TRACES: usize = 100;

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    User(String),
    Model(String),
    Thought(String),
    Rewrite(String),
    Tool { call: Call, result: Option<ToolResult> },
    Warn(String),
    Notice(String),
    Refused(String),
    Page { title: String, text: String },
}

/// Everything on the screen.
pub(super) struct Screen {
    pub(super) composer: Composer,
    pub(super) blocks: VecDeque<Block>,
    pub(super) traces: VecDeque<Trace>,
    /// The questions that wait, oldest first.
    pub(super) asks: VecDeque<Ask>,
    /// Whether the panel of hooks is shown.
    pub(super) panel: bool,
    /// How many lines the view is above the end.
    pub(super) scroll: usize,
    pub(super) loading: bool,
    pub(super) queued: usize,
    pub(super) status: Option<String>,
    pub(super) model: String,
    pub(super) cwd: String,
    /// Since when something is under way.
    pub(super) since: Instant,
    pub(super) now: Instant,
    /// Whether the model is in the middle of a message.
    streaming: bool,
}

impl Screen {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            composer: Composer::default(),
            blocks: VecDeque::new(),
            traces: VecDeque::new(),
            asks: VecDeque::new(),
            panel: false,
            scroll: 0,
            loading: false,
            queued: 0,
            status: None,
            model: String::new(),
            cwd: String::new(),
            since: now,
            now,
            streaming: false,
        }
    }

    /// Whether something moves although nothing happens.
    pub(super) const fn moves(&self) -> bool {
        self.loading || self.status.is_some()
    }

    /// Time goes on.
    pub(super) const fn tick(&mut self, now: Instant) {
        self.now = now;
    }

    /// Takes in what the runtime tells.
    pub(super) fn take(&mut self, update: Update) {
        match update {
            Update::Session { model, cwd, .. } => (self.model, self.cwd) = (model, cwd),
            Update::Prompt { text } => self.push(Block::User(text)),
            Update::Refused { text, reason } => self.refused(&text, reason),
            Update::Queued(queued) => self.queued = queued,
            Update::Loading(loading) => self.load(loading),
            Update::Text(text) => self.stream(&text),
            Update::Reasoning(text) => self.think(&text),
            Update::Reply(_) => self.streaming = false,
            Update::Rewrite(text) => self.push(Block::Rewrite(text)),
            Update::ToolStarted(call) => self.push(Block::Tool { call, result: None }),
            Update::ToolEnded { call, result } => self.ended(call, result),
            Update::Ask(ask) => self.asks.push_back(ask),
            Update::AskVoid { id } => self.asks.retain(|ask| ask.id != id),
            Update::Warn { event, reason } => self.push(Block::Warn(format!("{event}: {reason}"))),
            Update::Notice(text) => self.push(Block::Notice(text)),
            Update::Hooks(trace) => {
                self.traces.push_back(trace);
                if self.traces.len() > TRACES {
                    self.traces.pop_front();
                }
            }
            Update::Status(status) => {
                if self.status.is_none() && !self.loading {
                    self.since = self.now;
                }
                self.status = status;
            }
            Update::TurnEnded { error } => {
                if let Some(error) = error {
                    self.push(Block::Notice(format!("the turn ended: {error}")));
                }
            }
            Update::Page { title, text } => self.push(Block::Page { title, text }),
            Update::Ended => {}
        }
    }

    /// Answers the oldest question.
    pub(super) fn decide(&mut self, decision: Decision) {
        if let Some(ask) = self.asks.pop_front() {
            // The question may have been answered elsewhere meanwhile.
            let _ = ask.decide.send(decision);
        }
    }

    fn push(&mut self, block: Block) {
        self.streaming = false;
        self.blocks.push_back(block);
        if self.blocks.len() > BLOCKS {
            self.blocks.pop_front();
        }
    }

    fn stream(&mut self, text: &str) {
        match self.blocks.back_mut() {
            Some(Block::Model(said)) if self.streaming => said.push_str(text),
            _ => {
                self.push(Block::Model(text.to_owned()));
                self.streaming = true;
            }
        }
    }

    fn think(&mut self, text: &str) {
        match self.blocks.back_mut() {
            Some(Block::Thought(thought)) => thought.push_str(text),
            _ => self.push(Block::Thought(text.to_owned())),
        }
    }

    fn ended(&mut self, call: Call, result: ToolResult) {
        let waiting = self.blocks.iter_mut().rev().find_map(|block| match block {
            Block::Tool { call: known, result } if known.id == call.id => Some(result),
            _ => None,
        });
        match waiting {
            Some(slot) => *slot = Some(result),
            None => self.push(Block::Tool { call, result: Some(result) }),
        }
    }

    /// A refused text goes back to where it was typed; where something else stands there, it is kept to be recalled.
    fn refused(&mut self, text: &str, reason: String) {
        self.push(Block::Refused(reason));
        if self.composer.text().is_empty() {
            self.composer.set(text);
        }
    }

    const fn load(&mut self, loading: bool) {
        if loading && !self.loading {
            self.since = self.now;
        }
        self.loading = loading;
    }
}
