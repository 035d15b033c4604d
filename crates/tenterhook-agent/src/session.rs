//! A session from its first hook to its last: takes what a face says, runs one turn after the other. Draws nothing.

use std::collections::VecDeque;

use tokio::sync::mpsc;

use crate::agent::Agent;
use crate::conversation::Message;
use crate::prompt;
use crate::update::{Input, Update};

/// A session.
pub(crate) struct Session {
    /// The main agent.
    pub(crate) agent: Agent,
    /// Why it starts: a matcher subject of `SessionStart`.
    pub(crate) source: &'static str,
    /// What the session is called.
    pub(crate) id: String,
    /// What waits for the turn to end.
    pub(crate) queue: VecDeque<Queued>,
}

/// What waits for its turn.
#[derive(Debug)]
pub(crate) enum Queued {
    /// A text that no hook has seen.
    Raw(String),
    /// A message that hooks have judged: they judge each text once.
    Judged(Message),
}

impl Session {
    /// Runs until the face leaves.
    pub(crate) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        self.begin().await;
        let reason = loop {
            let next = match self.queue.pop_front() {
                Some(next) => next,
                None => match inputs.recv().await {
                    Some(Input::Prompt(prompt)) => Queued::Raw(prompt),
                    Some(Input::Interrupt) => continue,
                    Some(Input::Quit(reason)) => break reason,
                    None => break "other",
                },
            };
            if let Some(reason) = self.turn(next, &mut inputs).await {
                break reason;
            }
        };
        self.agent.hooks.session_ended(reason, self.agent.turns).await;
        self.agent.updates.tell(Update::Ended);
    }

    /// `SessionStart`, awaited before the first turn.
    async fn begin(&mut self) {
        let settings = &self.agent.settings;
        self.agent.updates.tell(Update::Session {
            id: self.id.clone(),
            model: settings.model.clone(),
            cwd: settings.cwd.display().to_string(),
        });
        let said = self.agent.hooks.session_started(self.source, &settings.model).await;
        for context in said.context {
            self.agent.settings.system.push_str("\n\n");
            self.agent.settings.system.push_str(&context);
        }
        self.queue.extend(said.initial.map(Queued::Raw));
    }

    /// One prompt and its turn, while inputs go on to be heard; why the person leaves, if one does.
    async fn turn(
        &mut self,
        next: Queued,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Option<&'static str> {
        let (hooks, updates) = (self.agent.hooks.clone(), self.agent.updates.clone());
        let steering = self.agent.steering.clone();
        let mut leaving = None;
        {
            let work = serve(&mut self.agent, next);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    () = &mut work => break,
                    input = inputs.recv() => match input {
                        Some(Input::Interrupt) => steering.stop(),
                        Some(Input::Quit(reason)) => {
                            leaving = Some(reason);
                            steering.stop();
                        }
                        Some(Input::Prompt(text)) => {
                            if let Some(message) = prompt::steer(&hooks, &updates, text).await {
                                steering.add(message);
                            }
                        }
                        // The face is gone, and what it asked for is done to the end.
                        None => {
                            work.as_mut().await;
                            break;
                        }
                    },
                }
            }
        }
        self.queue.extend(steering.take().into_iter().map(Queued::Judged));
        leaving
    }
}

async fn serve(agent: &mut Agent, next: Queued) {
    let text = match next {
        Queued::Raw(text) => match agent.take_in(text).await {
            Some(text) => text,
            None => return,
        },
        Queued::Judged(message) => {
            let text = message.text().to_owned();
            agent.keep(message);
            text
        }
    };
    agent.updates.tell(Update::Loading(true));
    agent.turn(&text).await;
    agent.updates.tell(Update::Loading(false));
}
