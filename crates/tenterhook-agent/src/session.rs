//! A session from its first hook to its last: takes what a face says, runs one turn after the other. Draws nothing.

mod commands;

use std::collections::VecDeque;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::agent::{Agent, Steering};
use crate::command;
use crate::conversation::{Author, Message};
use crate::hooks::{Hooks, Late};
use crate::prompt;
use crate::update::{Input, Update, Updates};

/// A session.
pub(crate) struct Session {
    /// The main agent.
    pub(crate) agent: Agent,
    /// Why it starts: a matcher subject of `SessionStart`.
    pub(crate) source: &'static str,
    /// What the session is called.
    pub(crate) id: String,
    /// What waits for the turn to end.
    pub(crate) queue: VecDeque<Next>,
}

/// What waits for its turn.
#[derive(Debug)]
pub(crate) enum Next {
    /// A text that no hook has seen.
    Raw(String),
    /// A message that hooks have judged: they judge each text once.
    Judged(Message),
}

/// Why nothing more is to be done.
struct Leave(&'static str);

impl Session {
    /// Runs until the face leaves. Whoever leaves, and however often, the end happens once: here.
    pub(crate) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        let status = show_status(&self.agent.hooks, &self.agent.updates);
        self.begin().await;
        let Leave(reason) = loop {
            let next = match self.queue.pop_front() {
                Some(next) => next,
                None => match self.wait(&mut inputs).await {
                    Ok(next) => next,
                    Err(leave) => break leave,
                },
            };
            self.agent.updates.tell(Update::Queued(self.queue.len()));
            if let Next::Raw(text) = &next
                && let Some(command) = command::read(text)
            {
                match command {
                    Ok(command) => match self.obey(command).await {
                        Ok(()) => continue,
                        Err(leave) => break leave,
                    },
                    Err(why) => {
                        self.agent.updates.tell(Update::Notice(why));
                        continue;
                    }
                }
            }
            if let Err(leave) = self.serve(next, &mut inputs).await {
                break leave;
            }
        };
        let Agent { hooks, updates, renderer, turns, .. } = self.agent;
        renderer.finish().await;
        hooks.session_ended(reason, turns).await;
        status.abort();
        updates.tell(Update::Ended);
    }

    /// `SessionStart`, awaited before the first turn.
    async fn begin(&mut self) {
        let settings = &self.agent.settings;
        self.agent.updates.tell(Update::Session {
            id: self.id.clone(),
            model: settings.model.clone(),
            cwd: settings.cwd.display().to_string(),
        });
        self.agent.learn(if self.source == "compact" { "compact" } else { "session_start" }).await;
        let settings = &self.agent.settings;
        let said = self.agent.hooks.session_started(self.source, &settings.model).await;
        self.agent.settings.started = said.context;
        self.queue.extend(said.initial.map(Next::Raw));
    }

    /// Waits, idle, for what is to be done next: a person's words, or those of a hook that wakes the agent.
    async fn wait(&self, inputs: &mut mpsc::UnboundedReceiver<Input>) -> Result<Next, Leave> {
        loop {
            tokio::select! {
                input = inputs.recv() => match input {
                    Some(Input::Prompt(text) | Input::Queue(text)) => return Ok(Next::Raw(text)),
                    Some(Input::Interrupt) => {}
                    Some(Input::Quit(reason)) => return Err(Leave(reason)),
                    None => return Err(Leave("other")),
                },
                message = self.agent.tasks.ended() => return Ok(Next::Judged(message)),
                late = self.agent.hooks.late() => match late {
                    Late::Wakes(message) => return Ok(Next::Judged(message)),
                    // It wakes nobody, and is told with the next prompt.
                    Late::Tells(message) => self.agent.steering.add(message),
                    Late::Silent => {}
                },
            }
        }
    }

    /// Serves one prompt, while inputs go on to be heard.
    async fn serve(
        &mut self,
        next: Next,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<(), Leave> {
        let (hooks, steering) = (self.agent.hooks.clone(), self.agent.steering.clone());
        let (tasks, helm) = (self.agent.tasks.clone(), Helm::start(&self.agent));
        let mut leaving = None;
        {
            let work = turn(&mut self.agent, next);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    () = &mut work => break,
                    message = tasks.ended() => steering.add(message),
                    late = hooks.late() => match late {
                        Late::Wakes(message) | Late::Tells(message) => steering.add(message),
                        Late::Silent => {}
                    },
                    input = inputs.recv() => match input {
                        Some(Input::Interrupt) => steering.stop(),
                        Some(Input::Prompt(text)) => helm.steer(text),
                        Some(Input::Queue(text)) => self.queue.push_back(Next::Raw(text)),
                        Some(Input::Quit(reason)) => {
                            leaving = Some(Leave(reason));
                            steering.stop();
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
        helm.finish().await;
        // What came too late to steer this turn is the next prompt.
        for message in steering.take().into_iter().rev() {
            self.queue.push_front(Next::Judged(message));
        }
        leaving.map_or(Ok(()), Err)
    }
}

/// One prompt and its turn.
async fn turn(agent: &mut Agent, next: Next) {
    let text = match next {
        Next::Raw(text) => match agent.take_in(text).await {
            Some(text) => text,
            None => return,
        },
        Next::Judged(message) => {
            let text = message.text().to_owned();
            agent.keep(message);
            text
        }
    };
    agent.updates.tell(Update::Loading(true));
    agent.turn(&text).await;
    agent.updates.tell(Update::Loading(false));
}

/// Takes texts that are to steer the turn under way through their hooks, one after the other, and holds nobody up.
struct Helm {
    texts: mpsc::UnboundedSender<String>,
    worker: JoinHandle<()>,
}

impl Helm {
    fn start(agent: &Agent) -> Self {
        let (texts, mut receiver) = mpsc::unbounded_channel();
        let (hooks, updates) = (agent.hooks.clone(), agent.updates.clone());
        let steering: Steering = agent.steering.clone();
        let worker = tokio::spawn(async move {
            while let Some(text) = receiver.recv().await {
                if let Some(message) = prompt::steer(&hooks, &updates, text).await {
                    steering.add(message);
                }
            }
        });
        Self { texts, worker }
    }

    fn steer(&self, text: String) {
        // The worker ends only when this end of the channel is dropped.
        let _ = self.texts.send(text);
    }

    async fn finish(self) {
        drop(self.texts);
        let _ = self.worker.await;
    }
}

/// Tells the face what hooks are doing, as they do it.
fn show_status(hooks: &Hooks, updates: &Updates) -> JoinHandle<()> {
    let (mut status, updates) = (hooks.status(), updates.clone());
    tokio::spawn(async move {
        while status.changed().await {
            updates.tell(Update::Status(status.current()));
        }
    })
}

/// What a hook that ended in the background says to the model.
pub(crate) fn from_hook(text: String, context: Vec<String>) -> Message {
    Message::User { text, context, author: Author::Hook }
}
