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
use listener::{Listener, queued_submissions};

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
    /// Creates a normal exit, which waits for hooks.
    const fn with_reason(reason: &'static str) -> Self {
        Self { reason, is_hurried: false }
    }

    /// Returns the exit that an input requests, if it requests one.
    const fn from_input(input: &Input) -> Option<Self> {
        match input {
            Input::Quit(reason) => Some(Self::with_reason(reason)),
            Input::QuitNow => Some(Self { reason: "prompt_input_exit", is_hurried: true }),
            _ => None,
        }
    }
}

impl Session {
    /// Creates a session that has not begun.
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

    /// Sets the scratch project of a script.
    pub(crate) fn with_scratch_project(self, scratch_project: Option<ScratchProject>) -> Self {
        Self { scratch_project, ..self }
    }

    /// Returns the home directory of the user, which a screen writes as `~`.
    pub(crate) fn home_path(&self) -> String {
        self.agent.settings.home.display().to_string()
    }

    /// Runs the session until the user interface ends it. The end happens exactly once, here.
    pub(crate) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        let status = forward_status(&self.agent.hooks, &self.agent.updates);
        let leave = self.run_until_exit(&mut inputs).await;
        self.store_judged_prompts();
        let ending = Ending::new(leave, self.exit_wait, self.agent.settings.patience.exit);
        let Agent { hooks, updates, renderer, turns, transcript, .. } = self.agent;
        updates.send(Update::Leaving(Vec::new()));
        let shown = renderer.finish();
        match leave {
            // Shown messages are completed first; no later wait follows.
            Some(_) => drop(timeout(LEAVING, shown).await),
            None => tokio::select! {
                () = shown => {}
                _ = wait_for_exit_request(&mut inputs) => {}
            },
        }
        for result in hooks.take_rewrites() {
            // A failed write is reported below.
            let _ = transcript.add_line(&Line::Rewritten(result));
        }
        ending.run_end_hooks(&hooks, turns, &mut inputs).await;
        status.abort();
        let lost = transcript.write_pending_lines();
        if lost > 0 {
            let path = transcript.path().display();
            updates.warn(
                "transcript",
                format!("{lost} lines are not in `{path}`: the file cannot be written"),
            );
        }
        updates.send(Update::Ended);
    }

    /// Stores the texts that hooks have agreed to but no turn used: they were announced as part of
    /// the conversation.
    fn store_judged_prompts(&mut self) {
        let judged = std::mem::take(&mut self.queue).into_iter().filter_map(|next| match next {
            Next::Judged(message) => Some(message),
            Next::Raw(_) => None,
        });
        let late = self.agent.steering.take_messages();
        for message in judged.chain(late).filter(|message| message.is_by_author(Author::User)) {
            self.agent.push_message(message);
        }
    }

    /// Runs everything between the first hook and the last. Returns the exit, if one was requested.
    async fn run_until_exit(
        &mut self,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Option<Exit> {
        let started =
            self.run_while_reading_inputs(inputs, async |session| session.start_session().await);
        if let Err(leave) = started.await {
            return Some(leave);
        }
        loop {
            // A message that came too late to steer a turn is the next prompt.
            let late = self.agent.steering.take_late_message().map(Next::Judged);
            let next = match late.or_else(|| self.queue.pop_front()) {
                Some(next) => next,
                None if self.input_state == InputState::Closed => {
                    match self.wait_for_wake(inputs).await {
                        Ok(Some(next)) => next,
                        Ok(None) => return None,
                        Err(leave) => return Some(leave),
                    }
                }
                None => match self.wait_for_prompt(inputs).await {
                    Ok(Some(next)) => next,
                    Ok(None) => continue,
                    Err(leave) => return Some(leave),
                },
            };
            self.agent.updates.send(Update::Queued(queued_submissions(&self.queue)));
            let next = self.limit_hook_wakes(next);
            let Some(next) = next.and_then(|next| self.reject_unknown_command(next)) else {
                continue;
            };
            let command = match &next {
                Next::Raw(Submission { id, text }) => {
                    let command = command::parse_command(text);
                    if command.is_some() {
                        self.agent.updates.send(Update::Obeyed(*id));
                    }
                    command
                }
                Next::Judged(_) => None,
            };
            let done = match command {
                None => self.run_prompt(next, inputs).await,
                Some(Ok(command)) => {
                    self.run_while_reading_inputs(inputs, async |session| {
                        session.run_command(command).await
                    })
                    .await
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

    /// Limits how often hooks wake the agent in a row. After that, their messages wait for the
    /// user's next prompt.
    fn limit_hook_wakes(&mut self, next: Next) -> Option<Next> {
        match next {
            Next::Judged(message) if message.is_by_author(Author::Hook) => {
                self.woken += 1;
                if self.woken <= WAKES {
                    return Some(Next::Judged(message));
                }
                let why = format!("hooks woke the agent {WAKES} times in a row; this waits");
                self.agent.updates.warn("hooks", why);
                self.agent.steering.add_message_without_model_call(message);
                None
            }
            next => {
                self.woken = 0;
                Some(next)
            }
        }
    }

    /// Refuses an unknown command, because it is not a prompt (AG-43). Returns anything else.
    fn reject_unknown_command(&self, next: Next) -> Option<Next> {
        let Next::Raw(Submission { id, text }) = next else { return Some(next) };
        let why = match command::parse_command(&text) {
            Some(_) => None,
            None => self.agent.unknown_command_error(&text),
        };
        match why {
            Some(reason) => {
                self.agent.updates.send(Update::Refused { id: Some(id), text, reason });
                None
            }
            None => Some(Next::Raw(Submission { id, text })),
        }
    }

    /// Fires `Setup` if it was requested, and `SessionStart`, and waits for both before the first
    /// turn.
    async fn start_session(&mut self) -> Result<(), Exit> {
        let agent = &mut self.agent;
        agent.updates.send(Update::Session {
            id: agent.hooks.session_id(),
            model: agent.settings.model.clone(),
            cwd: agent.settings.cwd.display().to_string(),
            transcript: agent.transcript.path().display().to_string(),
            sandbox: agent.settings.sandbox,
        });
        agent.updates.send(Update::Mode(agent.permissions.mode().name()));
        agent.report_usage();
        if let Some(scratch_project) =
            self.scratch_project.as_ref().filter(|context| !context.welcome.is_empty())
        {
            let text = scratch_project.welcome.clone();
            agent.updates.send(Update::Page { title: "Welcome".to_owned(), text });
        }
        let mut context = match self.setup.take() {
            Some(trigger) => agent.hooks.fire_setup(trigger).await.context,
            None => Vec::new(),
        };
        agent.load_start_instructions("session_start").await;
        let said = agent.hooks.fire_session_started(self.source, &agent.settings.model).await;
        self.shut = said.blocked.or(said.stop);
        context.extend(said.context);
        agent.settings.started = context;
        // Servers are started where a session begins.
        if self.shut.is_none() {
            agent.refresh_server_tools().await;
        }
        self.queue.extend(said.initial.map(|text| Next::Raw(Submission::new(text))));
        self.watch.refresh_watched_files().await;
        Ok(())
    }

    /// Refuses a prompt, because hooks did not let the session begin. A text that hooks have judged
    /// already waits for the next call of the model.
    fn refuse_prompt(&mut self, next: Next, reason: String) {
        match next {
            Next::Raw(Submission { id, text }) => {
                self.agent.updates.send(Update::Refused { id: Some(id), text, reason });
            }
            Next::Judged(message) => self.agent.steering.add_message_without_model_call(message),
        }
    }

    /// Runs one prompt while inputs are read.
    async fn run_prompt(
        &mut self,
        next: Next,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) -> Result<(), Exit> {
        if let Some(reason) = self.shut.clone() {
            self.refuse_prompt(next, reason);
            return Ok(());
        }
        let (hooks, tasks) = (self.agent.hooks.clone(), self.agent.tasks.clone());
        let (door, exit_wait) = (sleep(LEAVING), self.max_wait_for_wake());
        let mut listener = Listener::start(&self.agent, &mut self.queue, &mut self.input_state);
        let (over, mut last) = (CancellationToken::new(), LastTurn::default());
        {
            let judged = listener.gate.wait_until_judged();
            let work = async {
                let observers = run_turn(&mut self.agent, next).await;
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
                let is_last = over.is_cancelled() && listener.is_last_turn();
                let until = last.wait_deadline(is_last, listener.leaving, exit_wait);
                tokio::select! {
                    () = &mut work => break,
                    () = over.cancelled(), if !over.is_cancelled() => {}
                    () = sleep_until(until), if is_last => break,
                    // A task that ignores the stop delays nothing.
                    () = &mut door, if listener.leaving.is_some() => break,
                    late = input_state::next_late_result(&tasks, &hooks) => listener.add_late_result(late),
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
        self.exit_wait = self.exit_wait.saturating_sub(last.time_waited());
        if self.input_state == InputState::Listening {
            self.input_state = InputState::Waiting;
        }
        leaving.map_or(Ok(()), Err)
    }
}

/// Waits until an input requests the exit.
async fn wait_for_exit_request(inputs: &mut mpsc::UnboundedReceiver<Input>) -> Exit {
    while let Some(input) = inputs.recv().await {
        if let Some(leave) = Exit::from_input(&input) {
            return leave;
        }
    }
    // The input is closed, and nothing is urgent.
    std::future::pending().await
}

/// Runs the turn of one prompt, until it is stopped. Returns a future that waits for the hooks that
/// observe the end of the turn.
async fn run_turn(agent: &mut Agent, next: Next) -> Option<impl Future<Output = ()> + use<>> {
    let stopped = agent.steering.start_turn();
    let text = match next {
        Next::Raw(submission) => match agent.accept_prompt(submission, &stopped).await {
            Some(text) => text,
            None => return None,
        },
        Next::Judged(message) => {
            let text = message.user_text().to_owned();
            agent.push_message(message);
            text
        }
    };
    agent.updates.send(Update::Loading(true));
    let ending = agent.run_turn(&text).await;
    let stopped = agent.steering.end_turn();
    agent.updates.send(Update::Loading(false));
    // A person with a queued text may end the hooks that observe the end of the turn (AG-44).
    Some(agent.announce_turn_end(&ending, stopped))
}

/// Sends the status of hooks to the user interface whenever it changes.
fn forward_status(hooks: &Hooks, updates: &Updates) -> JoinHandle<()> {
    let (mut status, updates) = (hooks.watch_status(), updates.clone());
    tokio::spawn(async move {
        while status.changed().await {
            updates.send(Update::Status(status.current()));
        }
    })
}

/// Creates the message to the model of a hook that ended in the background.
pub(crate) fn hook_message(text: String, context: Vec<String>) -> Message {
    Message::User { text, context, author: Author::Hook }
}
