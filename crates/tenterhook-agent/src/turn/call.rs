//! Runs one tool call: asks for consent, runs it and reports it to hooks; reports an interruption too.

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Role};
use crate::conversation::{Call, Came as Ended, ToolResult};
use crate::permission::{Permit, Refusal};
use crate::session::from_hook;
use crate::task_gate::{self, Came, TaskInfo};
use crate::tool::{self, Output, Workplace};
use crate::underway::Underway;
use crate::update::Update;

/// The result of a call that was stopped.
const CUT_SHORT: &str = "interrupted";

impl Agent {
    /// One call: consent, run and report to hooks. Returns beside its result the context, why all
    /// should end, and the file that it came to: nothing is learned from one that was refused or
    /// failed.
    pub(super) async fn run_tool(
        &self,
        call: Call,
    ) -> (ToolResult, Vec<String>, Option<String>, Option<PathBuf>) {
        self.updates.send(Update::ToolAsked(call.clone()));
        let wanted = call.input.clone();
        let held = Underway::begin(self.cut_short(call.clone()));
        let sought = self.permissions.seek(&self.permit_context(), call).await;
        held.over();
        let (permit, mut context) = match sought {
            Ok(permitted) => permitted,
            Err(Refusal { call, by, reason, stop, context, retry }) => {
                let again = if retry { "; a hook says that you may try it again" } else { "" };
                let text = format!("the call was refused: {reason}{again}");
                return (self.ended(&call, text, by, None), context, stop, None);
            }
        };
        let file = permit.judged().map(|j| j.path.clone());
        let call = permit.call().clone();
        self.tally.used_tool();
        self.updates.send(Update::ToolStarted(call.clone()));
        let shown = Underway::begin(self.cut_short(call.clone()));
        let underway = Underway::begin(self.interruption(call.clone()));
        let cancel = CancellationToken::new();
        let _ends = cancel.clone().drop_guard();
        let place = self.workplace(&call, cancel).await;
        let came = match (call.tool.as_str(), self.role) {
            (tool::task::NAME, Role::Main) => self.delegate(&call).await,
            ("Bash", _) if in_background(&call) => self.send_off(permit, place).await,
            _ => self.use_tool(&permit, &place).await.into(),
        };
        underway.over();
        context.extend(came.context);
        let (verdict, text, is_error) = match came.output {
            Output::Done { text, response } => {
                let verdict = self.hooks.after_tool(&call, &response).await;
                let text = verdict.output.as_ref().map_or(text, as_text);
                (verdict, text, false)
            }
            Output::Failed { why, exit_code } => {
                (self.hooks.tool_failed(&call, &why, exit_code).await, why, true)
            }
        };
        // What was done cannot be undone: an objection is for the model to read.
        context.extend(verdict.blocked);
        context.extend(verdict.context);
        shown.over();
        let file = file.filter(|_| !is_error && tool::text(&call, "file_path").is_some());
        let (ended, ran) = (if is_error { Ended::Failed } else { Ended::Ran }, call.input.clone());
        let ran = Some(ran).filter(|value| *value != wanted);
        (self.ended(&call, text, ended, ran), context, came.stop.or(verdict.stop), file)
    }

    /// Where a call runs; a shell command with what hooks set for it, and in its sandbox.
    async fn workplace(&self, call: &Call, cancel: CancellationToken) -> Workplace {
        let mut env = self.settings.env.clone();
        let mut sandbox = None;
        if call.tool == "Bash" {
            let set = self.hooks.shell_env(call).await;
            let beside = self.permissions.directories(|all| all.clone());
            sandbox = self.hooks.sandbox(&self.settings, beside, set.clone());
            env.extend(set);
        }
        let bars = self.permissions.bars(&self.permit_context());
        let cwd = self.settings.cwd.clone();
        Workplace { cwd, env, sandbox, judged: None, bars, cancel }
    }

    /// The update for the face where this call, or its hooks, are interrupted.
    fn cut_short(&self, call: Call) -> impl FnOnce() + use<> {
        let updates = self.updates.clone();
        move || {
            let result = ToolResult {
                id: call.id.clone(),
                text: CUT_SHORT.to_owned(),
                is_error: true,
                outcome: Some(Ended::Interrupted),
                ran_input: None,
            };
            updates.send(Update::ToolEnded { call, result });
        }
    }

    /// The event for hooks, beside the agent, where this call is interrupted.
    fn interruption(&self, call: Call) -> impl FnOnce() + use<> {
        let (hooks, steering) = (self.hooks.clone(), self.steering.clone());
        move || {
            // What they say of it reaches the model with the person's next words: who stops a turn wants no other one.
            hooks.tool_interrupted(&call, CUT_SHORT, move |verdict| {
                let context: Vec<_> = verdict.blocked.into_iter().chain(verdict.context).collect();
                if !context.is_empty() {
                    steering.add_later(from_hook(String::new(), context));
                }
            });
        }
    }

    /// Runs a shell command in the background; the agent gets a message when it ends.
    async fn send_off(&self, permit: Permit, place: Workplace) -> Came {
        let call = permit.call().clone();
        let line = tool::text(&call, "command").unwrap_or_default().to_owned();
        let task = TaskInfo { id: &call.id, subject: &line, description: &line };
        let context = match task_gate::may_begin(&self.hooks, task).await {
            Ok(context) => context,
            Err(came) => return came,
        };
        let hooks = self.hooks.clone();
        let (id, name) = (call.id.clone(), line.clone());
        // It outlives the turn that began it, and an interrupt of that.
        let place = Workplace { cancel: CancellationToken::new(), ..place };
        let begun = self.tasks.run(async move {
            let text = match tool::run(&permit, &place).await {
                Output::Done { text, .. } => {
                    format!("Background task {id} (`{name}`) is done:\n{text}")
                }
                Output::Failed { why, .. } => {
                    format!("Background task {id} (`{name}`) failed:\n{why}")
                }
            };
            let task = TaskInfo { id: &id, subject: &name, description: &name };
            task_gate::ended(&hooks, task, text).await
        });
        let output = if begun {
            let text =
                format!("task {} runs in the background; you get a message when it ends", call.id);
            Output::Done { response: json!({"backgroundTaskId": call.id}), text }
        } else {
            tool::failed("too many tasks run in the background: wait for one to end")
        };
        Came { output, context, stop: None }
    }

    fn ended(
        &self,
        call: &Call,
        text: String,
        outcome: Ended,
        ran_input: Option<Value>,
    ) -> ToolResult {
        let is_error = outcome != Ended::Ran;
        let (id, outcome) = (call.id.clone(), Some(outcome));
        let result = ToolResult { id, text, is_error, outcome, ran_input };
        self.updates.send(Update::ToolEnded { call: call.clone(), result: result.clone() });
        result
    }
}

fn in_background(call: &Call) -> bool {
    call.input.get("run_in_background").and_then(Value::as_bool) == Some(true)
}

fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
