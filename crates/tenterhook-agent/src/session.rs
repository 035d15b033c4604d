//! A session from its first hook to its last: takes what a face says, runs one turn after the other. Draws nothing.

mod commands;
mod ending;
mod input_state;
mod listener;
mod steering_gate;

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, LEAVING};
use crate::command;
use crate::conversation::{Author, Message};
use crate::hooks::Hooks;
use crate::scratch_project::ScratchProject;
use crate::submission::Submission;
use crate::transcript::Line;
use crate::update::{Input, Update, Updates};
use crate::watch::Watch;
use ending::{Ending, LastTurn};
use input_state::InputState;
use listener::{Listener, submissions};

/// How often hooks may wake the agent without input from the person.
const WAKES: u32 = 8;

/// A session.
pub(crate) struct Session {
    /// The main agent.
    agent: Agent,
    /// Why it starts: a matcher subject of `SessionStart`.
    source: &'static str,
    /// What the repository is set up for first: a matcher subject of `Setup`.
    setup: Option<&'static str>,
    /// What waits for the turn to end.
    queue: VecDeque<Next>,
    /// Looks at files that hooks care about.
    watch: Watch,
    /// Whether somebody may still say something.
    input_state: InputState,
    /// How often hooks woke the agent since a person said something.
    woken: u32,
    /// Hooks let no session begin: why, and no prompt is taken (HO-8).
    shut: Option<String>,
    /// How long the end still waits for hooks.
    exit_wait: Duration,
    /// What the script brought along; it goes with the session.
    scratch_project: Option<ScratchProject>,
}

/// What waits for its turn.
#[derive(Debug)]
pub(crate) enum Next {
    /// A text that no hook has seen.
    Raw(Submission),
    /// A message that hooks have judged: they judge each text once.
    Judged(Message),
}

/// Why nothing more is to be done.
#[derive(Clone, Copy)]
struct Exit {
    /// The matcher subject of `SessionEnd`.
    reason: &'static str,
    /// Whether the person waits for no hook.
    is_hurried: bool,
}

impl Exit {
    /// Somebody leaves, and waits for hooks.
    const fn because(reason: &'static str) -> Self {
        Self { reason, is_hurried: false }
    }

    /// What an input says of leaving, if it does.
    const fn read(input: &Input) -> Option<Self> {
        match input {
            Input::Quit(reason) => Some(Self::because(reason)),
            Input::QuitNow => Some(Self { reason: "prompt_input_exit", is_hurried: true }),
            _ => None,
        }
    }
}

impl Session {
    /// A session that has not begun.
    pub(crate) fn new(agent: Agent, source: &'static str, setup: Option<&'static str>) -> Self {
        let watch = Watch::start(agent.hooks.clone(), agent.updates.clone());
        let exit_wait = agent.settings.patience.exit;
        Self {
            exit_wait,
            agent,
            source,
            setup,
            queue: VecDeque::new(),
            watch,
            input_state: InputState::Listening,
            woken: 0,
            shut: None,
            scratch_project: None,
        }
    }

    /// The same on the ground that a script brings, if it brings one.
    pub(crate) fn on(self, scratch_project: Option<ScratchProject>) -> Self {
        Self { scratch_project, ..self }
    }

    /// The home of the person, which a screen writes as `~`.
    pub(crate) fn home(&self) -> String {
        self.agent.settings.home.display().to_string()
    }

    /// Runs until the face leaves. The end happens once, here, whatever asks for it and however often.
    pub(crate) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        let status = show_status(&self.agent.hooks, &self.agent.updates);
        let leave = self.live(&mut inputs).await;
        self.keep_judged();
        let ending = Ending::new(leave, self.exit_wait, self.agent.settings.patience.exit);
        let Agent { hooks, updates, renderer, turns, transcript, .. } = self.agent;
        updates.send(Update::Leaving(Vec::new()));
        let shown = renderer.finish();
        match leave {
            // Shown messages are completed first; no later wait follows.
            Some(_) => drop(timeout(LEAVING, shown).await),
            None => tokio::select! {
                () = shown => {}
                _ = quit(&mut inputs) => {}
            },
        }
        for result in hooks.rewritten() {
            // A failed write is reported below.
            let _ = transcript.add(&Line::Rewritten(result));
        }
        ending.finish(&hooks, turns, &mut inputs).await;
        status.abort();
        let lost = transcript.flush();
        if lost > 0 {
            let path = transcript.path().display();
            updates.warn(
                "transcript",
                format!("{lost} lines are not in `{path}`: the file cannot be written"),
            );
        }
        updates.send(Update::Ended);
    }

    /// Stores the texts that hooks have agreed to but no turn took: they were announced as in.
    fn keep_judged(&mut self) {
        let judged = std::mem::take(&mut self.queue).into_iter().filter_map(|next| match next {
            Next::Judged(message) => Some(message),
            Next::Raw(_) => None,
        });
        let late = self.agent.steering.take();
        for message in judged.chain(late).filter(|message| message.is_by(Author::User)) {
            self.agent.keep(message);
        }
    }

    /// Everything between the first hook and the last; why it ends, where somebody left.
    async fn live(&mut self, inputs: &mut mpsc::UnboundedReceiver<Input>) -> Option<Exit> {
        if let Err(leave) = self.attend(inputs, async |session| session.begin().await).await {
            return Some(leave);
        }
        loop {
            // What came too late to steer a turn is the next prompt.
            let late = self.agent.steering.take_late().map(Next::Judged);
            let next = match late.or_else(|| self.queue.pop_front()) {
                Some(next) => next,
                None if self.input_state == InputState::Closed => match self.wake(inputs).await {
                    Ok(Some(next)) => next,
                    Ok(None) => return None,
                    Err(leave) => return Some(leave),
                },
                None => match self.wait(inputs).await {
                    Ok(Some(next)) => next,
                    Ok(None) => continue,
                    Err(leave) => return Some(leave),
                },
            };
            self.agent.updates.send(Update::Queued(submissions(&self.queue)));
            let Some(next) = self.bounded(next).and_then(|n| self.known(n)) else { continue };
            let command = match &next {
                Next::Raw(Submission { id, text }) => {
                    let command = command::read(text);
                    if command.is_some() {
                        self.agent.updates.send(Update::Obeyed(*id));
                    }
                    command
                }
                Next::Judged(_) => None,
            };
            let done = match command {
                None => self.serve(next, inputs).await,
                Some(Ok(command)) => {
                    self.attend(inputs, async |session| session.run_command(command).await).await
                }
                Some(Err(why)) => {
                    self.agent.updates.send(Update::Notice(why.to_string()));
                    Ok(())
                }
            };
            if let Err(leave) = done {
                return Some(leave);
            }
        }
    }

    /// Hooks that wake the agent again and again would have it at work for ever: from some time on, what they say waits for the
    /// person's next word.
    fn bounded(&mut self, next: Next) -> Option<Next> {
        match next {
            Next::Judged(message) if message.is_by(Author::Hook) => {
                self.woken += 1;
                if self.woken <= WAKES {
                    return Some(Next::Judged(message));
                }
                let why = format!("hooks woke the agent {WAKES} times in a row; this waits");
                self.agent.updates.warn("hooks", why);
                self.agent.steering.add_later(message);
                None
            }
            next => {
                self.woken = 0;
                Some(next)
            }
        }
    }

    /// Returns an unknown command: it is no prompt (AG-43).
    fn known(&self, next: Next) -> Option<Next> {
        let Next::Raw(Submission { id, text }) = next else { return Some(next) };
        let why = match command::read(&text) {
            Some(_) => None,
            None => self.agent.unknown_command(&text),
        };
        match why {
            Some(reason) => {
                self.agent.updates.send(Update::Refused { id: Some(id), text, reason });
                None
            }
            None => Some(Next::Raw(Submission { id, text })),
        }
    }

    /// `Setup` where it is asked for, and `SessionStart`, awaited before the first turn.
    async fn begin(&mut self) -> Result<(), Exit> {
        let agent = &mut self.agent;
        agent.updates.send(Update::Session {
            id: agent.hooks.session_id(),
            model: agent.settings.model.clone(),
            cwd: agent.settings.cwd.display().to_string(),
            transcript: agent.transcript.path().display().to_string(),
            sandbox: agent.settings.sandbox,
        });
        agent.updates.send(Update::Mode(agent.permissions.mode().name()));
        agent.tell_used();
        if let Some(scratch_project) =
            self.scratch_project.as_ref().filter(|context| !context.welcome.is_empty())
        {
            let text = scratch_project.welcome.clone();
            agent.updates.send(Update::Page { title: "Welcome".to_owned(), text });
        }
        let mut context = match self.setup.take() {
            Some(trigger) => agent.hooks.setup(trigger).await.context,
            None => Vec::new(),
        };
        agent.learn("session_start").await;
        let said = agent.hooks.session_started(self.source, &agent.settings.model).await;
        self.shut = said.blocked.or(said.stop);
        context.extend(said.context);
        agent.settings.started = context;
        // Servers are started where a session begins.
        if self.shut.is_none() {
            agent.look_for_tools().await;
        }
        self.queue.extend(said.initial.map(|text| Next::Raw(Submission::new(text))));
        self.watch.look().await;
        Ok(())
    }

    /// Returns the texts for a session that hooks did not let begin.
    fn turn_away(&mut self, next: Next, reason: String) {
        match next {
            Next::Raw(Submission { id, text }) => {
                self.agent.updates.send(Update::Refused { id: Some(id), text, reason });
            }
            Next::Judged(message) => self.agent.steering.add_later(message),
        }
    }

    /// Serves one prompt, while inputs are read.
    async fn serve(
        &mut self,
        next: Next,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<(), Exit> {
        if let Some(reason) = self.shut.clone() {
            self.turn_away(next, reason);
            return Ok(());
        }
        let (hooks, tasks) = (self.agent.hooks.clone(), self.agent.tasks.clone());
        let (door, exit_wait) = (sleep(LEAVING), self.wake_wait());
        let mut listener = Listener::start(&self.agent, &mut self.queue, &mut self.input_state);
        let (over, mut last) = (CancellationToken::new(), LastTurn::default());
        {
            let judged = listener.gate.judged();
            let work = async {
                let observers = turn(&mut self.agent, next).await;
                // Texts that were to steer the turn are judged to their end, and somebody may stop that, too.
                judged.await;
                over.cancel();
                if let Some(observers) = observers {
                    observers.await;
                }
            };
            tokio::pin!(work, door);
            loop {
                // The end waits for hooks that still observe the end of the last turn (HO-15).
                let is_last = over.is_cancelled() && listener.is_last();
                let until = last.until(is_last, listener.leaving, exit_wait);
                tokio::select! {
                    () = &mut work => break,
                    () = over.cancelled(), if !over.is_cancelled() => {}
                    () = sleep_until(until), if is_last => break,
                    // A task that ignores the stop delays nothing.
                    () = &mut door, if listener.leaving.is_some() => break,
                    late = input_state::late(&tasks, &hooks) => listener.take(late),
                    input = inputs.recv(), if !listener.gone => {
                        let stayed = listener.leaving.is_none();
                        listener.on_input(input);
                        if stayed && listener.leaving.is_some() {
                            door.as_mut().reset(Instant::now() + LEAVING);
                        }
                    }
                }
            }
        }
        let leaving = listener.leaving;
        self.exit_wait = self.exit_wait.saturating_sub(last.waited());
        if self.input_state == InputState::Listening {
            self.input_state = InputState::Waiting;
        }
        leaving.map_or(Ok(()), Err)
    }
}

/// Waits until somebody wants to leave.
async fn quit(inputs: &mut mpsc::UnboundedReceiver<Input>) -> Exit {
    while let Some(input) = inputs.recv().await {
        if let Some(leave) = Exit::read(&input) {
            return leave;
        }
    }
    // The input is closed, and nothing is urgent.
    std::future::pending().await
}

/// One prompt and its turn, stopped whenever the person says so.
/// Returns a future that waits for the hooks that observe its end.
async fn turn(agent: &mut Agent, next: Next) -> Option<impl Future<Output = ()> + use<>> {
    let stopped = agent.steering.renew();
    let text = match next {
        Next::Raw(submission) => match agent.take_in(submission, &stopped).await {
            Some(text) => text,
            None => return None,
        },
        Next::Judged(message) => {
            let text = message.text().to_owned();
            agent.keep(message);
            text
        }
    };
    agent.updates.send(Update::Loading(true));
    let ending = agent.turn(&text).await;
    let stopped = agent.steering.close();
    agent.updates.send(Update::Loading(false));
    // A person with a queued text may end the hooks that observe the end of the turn (AG-44).
    Some(agent.announce_turn_end(&ending, stopped))
}

/// Tells the face what hooks are doing, as they do it.
fn show_status(hooks: &Hooks, updates: &Updates) -> JoinHandle<()> {
    let (mut status, updates) = (hooks.status(), updates.clone());
    tokio::spawn(async move {
        while status.changed().await {
            updates.send(Update::Status(status.current()));
        }
    })
}

/// What a hook that ended in the background says to the model.
pub(crate) fn from_hook(text: String, context: Vec<String>) -> Message {
    Message::User { text, context, author: Author::Hook }
}
