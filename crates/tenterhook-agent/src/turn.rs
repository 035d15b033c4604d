//! One turn: the model is asked and its tools are run until it has nothing more to do. Reads like the loop that it is;
//! what a step means stands in the room that is named.

use futures_util::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Role};
use crate::conversation::{self, Author, Call, Message, Reply, ToolResult};
use crate::hooks::TurnEnd;
use crate::model::{Delta, ErrorKind, ModelError, Request, Stop, Usage};
use crate::permission::{Desk, Permit, Refusal};
use crate::session::from_hook;
use crate::tool::{self, Output, Workplace};
use crate::underway::Underway;
use crate::update::Update;

/// How long one answer may be.
const MAX_TOKENS: u32 = 8192;
/// What is said of a call that was stopped.
const CUT_SHORT: &str = "interrupted";

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ending {
    /// The model had nothing more to do.
    Done,
    /// A hook ended it: why.
    Stopped(String),
    /// The user stopped it.
    Interrupted,
    /// The model could not be reached.
    Failed(ModelError),
}

impl Ending {
    /// The word that `TurnComplete` says.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Done => "completed",
            Self::Stopped(_) => "stopped",
            Self::Interrupted => "interrupted",
            Self::Failed(_) => "failed",
        }
    }

    /// What went wrong.
    fn error(&self) -> Option<&str> {
        match self {
            Self::Done => None,
            Self::Stopped(reason) => Some(reason),
            Self::Interrupted => Some("interrupted"),
            Self::Failed(error) => Some(&error.message),
        }
    }
}

/// Whether a step lets the turn go on.
type Step<T = ()> = Result<T, Ending>;

impl Agent {
    /// Runs a turn on a prompt that is in the conversation already.
    pub(crate) async fn turn(&mut self, prompt: &str) -> Ending {
        self.turns += 1;
        let token = self.steering.token();
        if self.role == Role::Main {
            self.tally.begin_turn();
        }
        let ending = tokio::select! {
            // A tool that was stopped has failed, but the model is not to hear of it and go on.
            biased;
            () = token.cancelled() => Ending::Interrupted,
            ending = self.work(prompt) => ending,
        };
        self.keep_unfinished();
        self.mend();
        self.settle(&ending).await;
        ending
    }

    async fn work(&mut self, prompt: &str) -> Ending {
        match self.begin(prompt).await {
            Ok(()) => {}
            Err(ending) => return ending,
        }
        let mut kept_at_work = false;
        loop {
            for message in self.steering.take() {
                self.keep(message);
            }
            self.compact_if_full().await;
            let reply = match self.ask().await {
                Ok(reply) => reply,
                Err(ending) => return ending,
            };
            let step = if reply.calls.is_empty() {
                self.may_stop(&reply, &mut kept_at_work).await
            } else {
                self.run_tools(reply.calls).await
            };
            if let Err(ending) = step {
                return ending;
            }
        }
    }

    /// `TurnStart`, which blocks.
    async fn begin(&mut self, prompt: &str) -> Step {
        if self.role == Role::Sub {
            return Ok(());
        }
        let said = self.hooks.turn_started(prompt, self.turns).await;
        if let Some(reason) = said.blocked.or(said.stop) {
            return Err(Ending::Stopped(reason));
        }
        if !said.context.is_empty() {
            self.keep(Message::User {
                text: String::new(),
                context: said.context,
                author: Author::Hook,
            });
        }
        Ok(())
    }

    /// Asks the model once, as often as hooks want it asked again.
    async fn ask(&mut self) -> Step<Reply> {
        let system = loop {
            let prompt = self.last_user_text();
            let said = self.hooks.before_model(&prompt, &self.settings.model).await;
            if let Some(reason) = said.stop {
                return Err(Ending::Stopped(reason));
            }
            match said.blocked {
                None => break said.context,
                // Its words are a message, and the call is tried again; the engine counts, and ends it (ruling 32).
                Some(reason) => self.keep(Message::from(Author::Hook, reason)),
            }
        };
        let request = Request {
            system: [self.settings.preamble()]
                .into_iter()
                .chain(system)
                .collect::<Vec<_>>()
                .join("\n\n"),
            messages: self.messages.clone(),
            tools: tool::specs(),
            max_tokens: MAX_TOKENS,
        };
        self.tally.asks();
        let (reply, usage, stop) = self.hear(request).await.map_err(Ending::Failed)?;
        self.tally.called(usage);
        let all = self.tally.counts().session;
        self.hooks.fact("total_tokens", all.input + all.output);
        self.keep(Message::Assistant(reply.clone()));
        self.hooks.after_model(&reply.text, usage).await;
        if !reply.text.is_empty() {
            self.updates.tell(Update::Reply(reply.text.clone()));
            self.renderer.show(&reply.text);
        }
        self.is_whole(&reply, stop).map_err(Ending::Failed)?;
        Ok(reply)
    }

    /// Whether an answer can be worked with. One that was cut can where it calls tools: the model reads what became of those.
    fn is_whole(&self, reply: &Reply, stop: Stop) -> Result<(), ModelError> {
        let (kind, message) = match stop {
            Stop::Done => return Ok(()),
            Stop::Length => {
                let message = format!("the answer was cut at its limit of {MAX_TOKENS} tokens");
                if !reply.calls.is_empty() {
                    self.updates.warn("model", message);
                    return Ok(());
                }
                (ErrorKind::MaxTokens, message)
            }
            Stop::Refused(word) => {
                (ErrorKind::InvalidRequest, format!("the service refused to answer: `{word}`"))
            }
        };
        Err(ModelError { kind, message })
    }

    /// Listens to one answer to its end.
    async fn hear(&mut self, request: Request) -> Result<(Reply, Usage, Stop), ModelError> {
        let mut answer = self.provider.ask(request);
        let (mut reply, mut usage, mut stop) = (Reply::default(), Usage::default(), Stop::Done);
        while let Some(delta) = answer.next().await {
            match delta? {
                Delta::Text(text) => {
                    self.unfinished.push_str(&text);
                    self.updates.tell(Update::Text(text));
                }
                Delta::Reasoning(text) => {
                    reply.reasoning.push_str(&text);
                    self.updates.tell(Update::Reasoning(text));
                }
                Delta::Call(call) => reply.calls.push(call),
                Delta::Echo(echo) => reply.echo = Some(echo),
                Delta::Waits { why, wait } => {
                    self.updates.warn("model", format!("{why}; asked again in {wait:?}"));
                }
                Delta::End(cost, why) => (usage, stop) = (cost, why),
            }
        }
        reply.text = std::mem::take(&mut self.unfinished);
        Ok((reply, usage, stop))
    }

    /// The gate at the end: its words keep the agent at work.
    async fn may_stop(&mut self, reply: &Reply, kept_at_work: &mut bool) -> Step {
        let said = self.hooks.about_to_stop(&reply.text, *kept_at_work).await;
        if let Some(reason) = said.stop {
            return Err(Ending::Stopped(reason));
        }
        let Some(reason) = said.blocked else { return Err(Ending::Done) };
        *kept_at_work = true;
        self.keep(Message::User { text: reason, context: said.context, author: Author::Hook });
        Ok(())
    }

    /// Runs the tools of one reply, in their order.
    async fn run_tools(&mut self, calls: Vec<Call>) -> Step {
        self.done.clear();
        let mut context = Vec::new();
        let mut stop = None;
        for call in &calls {
            let (result, told, ends) = self.run_tool(call.clone()).await;
            if let Some(name) = tool::text(call, "file_path") {
                let file = self.settings.cwd.join(name);
                self.learn_from(&file).await;
            }
            self.done.push(result);
            context.extend(told);
            stop = stop.or(ends);
        }
        let said = self.hooks.batch_done(&calls).await;
        context.extend(said.context);
        let results = std::mem::take(&mut self.done);
        self.keep(Message::Tools { results, context });
        match said.blocked.or(said.stop).or(stop) {
            Some(reason) => Err(Ending::Stopped(reason)),
            None => Ok(()),
        }
    }

    /// One call: asked for, run, and told to hooks. What it gives beside its result is context, and why all should end.
    async fn run_tool(&self, call: Call) -> (ToolResult, Vec<String>, Option<String>) {
        let desk = Desk {
            hooks: &self.hooks,
            updates: &self.updates,
            project: &self.settings.project,
            cwd: &self.settings.cwd,
            attended: self.settings.attended,
            patience: self.settings.patience.question,
        };
        let (permit, mut context) = match self.permissions.seek(&desk, call).await {
            Ok(permitted) => permitted,
            Err(Refusal { call, reason, stop, context, retry }) => {
                let again = if retry { "; a hook says that you may try it again" } else { "" };
                let text = format!("the call was refused: {reason}{again}");
                return (self.ended(&call, text, true), context, stop);
            }
        };
        let call = permit.call().clone();
        self.tally.used_tool();
        self.updates.tell(Update::ToolStarted(call.clone()));
        let shown = Underway::begin(self.cut_short(call.clone()));
        let underway = Underway::begin(self.interruption(call.clone()));
        let mut env = self.settings.env.clone();
        if call.tool == "Bash" {
            env.extend(self.hooks.shell_env(&call).await);
        }
        let cancel = CancellationToken::new();
        let _ends = cancel.clone().drop_guard();
        let place = Workplace { cwd: self.settings.cwd.clone(), env, cancel };
        let output = match (call.tool.as_str(), self.role) {
            (tool::task::NAME, Role::Main) => self.delegate(&call).await,
            ("Bash", _) if in_background(&call) => self.send_off(permit, place).await,
            _ => tool::run(&permit, &place).await,
        };
        underway.over();
        let (said, text, is_error) = match output {
            Output::Done { text, response } => {
                let said = self.hooks.after_tool(&call, &response).await;
                let text = said.output.as_ref().map_or(text, as_text);
                (said, text, false)
            }
            Output::Failed { why } => (self.hooks.tool_failed(&call, &why).await, why, true),
        };
        // What was done cannot be undone: an objection is for the model to read.
        context.extend(said.blocked);
        context.extend(said.context);
        shown.over();
        (self.ended(&call, text, is_error), context, said.stop)
    }

    /// What the face is told where this call, or what hooks make of it, is stopped half-way.
    fn cut_short(&self, call: Call) -> impl FnOnce() + use<> {
        let updates = self.updates.clone();
        move || {
            let result =
                ToolResult { id: call.id.clone(), text: CUT_SHORT.to_owned(), is_error: true };
            updates.tell(Update::ToolEnded { call, result });
        }
    }

    /// What hooks are told, beside the agent, where this call is stopped half-way.
    fn interruption(&self, call: Call) -> impl FnOnce() + use<> {
        let (hooks, steering) = (self.hooks.clone(), self.steering.clone());
        move || {
            // What they say of it reaches the model with the person's next words: who stops a turn wants no other one.
            hooks.tool_interrupted(&call, CUT_SHORT, move |said| {
                let context: Vec<_> = said.blocked.into_iter().chain(said.context).collect();
                if !context.is_empty() {
                    steering.add_later(from_hook(String::new(), context));
                }
            });
        }
    }

    /// Runs a shell command in the background; the agent is told when it ends.
    async fn send_off(&self, permit: Permit, place: Workplace) -> Output {
        let call = permit.call().clone();
        let line = tool::text(&call, "command").unwrap_or_default().to_owned();
        if let Some(reason) = self.hooks.task_created(&call.id, &line, &line).await.blocked {
            return tool::failed(format!("the task was not created: {reason}"));
        }
        let hooks = self.hooks.clone();
        let (id, name) = (call.id.clone(), line.clone());
        // It outlives the turn that began it, and an interrupt of that.
        let place = Workplace { cancel: CancellationToken::new(), ..place };
        let begun = self.tasks.run(async move {
            let text = match tool::run(&permit, &place).await {
                Output::Done { text, .. } => {
                    format!("Background task {id} (`{name}`) is done:\n{text}")
                }
                Output::Failed { why } => {
                    format!("Background task {id} (`{name}`) failed:\n{why}")
                }
            };
            match hooks.task_completed(&id, &name, &name).await.blocked {
                Some(reason) => format!("{text}\nIt does not count as done: {reason}"),
                None => text,
            }
        });
        if !begun {
            return tool::failed("too many tasks run in the background: wait for one to end");
        }
        let text = format!("task {} runs in the background; you are told when it ends", call.id);
        Output::Done { response: json!({"backgroundTaskId": call.id}), text }
    }

    fn ended(&self, call: &Call, text: String, is_error: bool) -> ToolResult {
        let result = ToolResult { id: call.id.clone(), text, is_error };
        self.updates.tell(Update::ToolEnded { call: call.clone(), result: result.clone() });
        result
    }

    /// What was read of an answer that broke off stays said.
    fn keep_unfinished(&mut self) {
        let text = std::mem::take(&mut self.unfinished);
        if !text.trim().is_empty() {
            self.keep(Message::Assistant(Reply { text, ..Reply::default() }));
        }
    }

    /// Gives calls that were interrupted a result, because no model takes a conversation in which one lacks it.
    fn mend(&mut self) {
        let Some(Message::Assistant(reply)) = self.messages.last() else { return };
        if reply.calls.is_empty() {
            return;
        }
        // What hooks were heard of to the end is told; what was interrupted is not known.
        let mut open = reply.calls.iter().map(|call| call.id.clone()).collect();
        let results = std::mem::take(&mut self.done);
        self.keep(conversation::answered(&mut open, results, Vec::new()));
    }

    /// Tells hooks of an end that no gate has seen.
    async fn settle(&self, ending: &Ending) {
        if let Ending::Failed(error) = ending {
            self.hooks.stop_failed(error.kind, &error.message, &self.last_reply()).await;
            self.hooks.host_error(&error.message).await;
        }
        if self.role == Role::Sub && *ending != Ending::Done {
            let error = ending.error();
            self.hooks.subagent_broke_off(ending.word(), error, &self.last_reply()).await;
        }
    }

    /// Tells that a turn is over, the face first, then hooks: all state says so by now, and the queue waits.
    pub(crate) async fn turn_over(&self, ending: &Ending) {
        let error = ending.error();
        self.updates.tell(Update::TurnEnded { error: error.map(str::to_owned) });
        let end = TurnEnd {
            turn: self.turns,
            status: ending.word(),
            error,
            counts: self.tally.counts(),
            queued: self.steering.waiting(),
            last: &self.last_reply(),
        };
        self.hooks.turn_completed(&end).await;
    }

    fn last_user_text(&self) -> String {
        let user = |message: &Message| match message {
            Message::User { text, .. } => Some(text.clone()),
            Message::Assistant(_) | Message::Tools { .. } => None,
        };
        self.messages.iter().rev().find_map(user).unwrap_or_default()
    }

    /// What the model said last.
    pub(crate) fn last_reply(&self) -> String {
        let reply = |message: &Message| match message {
            Message::Assistant(reply) => Some(reply.text.clone()),
            Message::User { .. } | Message::Tools { .. } => None,
        };
        self.messages.iter().rev().find_map(reply).unwrap_or_default()
    }
}

fn in_background(call: &Call) -> bool {
    call.input.get("run_in_background").and_then(serde_json::Value::as_bool) == Some(true)
}

fn as_text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
