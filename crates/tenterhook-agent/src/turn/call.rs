//! Runs one tool call: asks for consent, runs it and reports it to hooks; reports an interruption too.

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Role};
use crate::conversation::{Call, Came as Ended, ToolResult};
use crate::permission::{Permit, Refusal};
use crate::session::hook_message;
use crate::task_gate::{self, Came, TaskInfo};
use crate::tool::{self, Output, Workplace};
use crate::underway::Underway;
use crate::update::Update;

/// The result of a call that was stopped.
const CUT_SHORT: &str = "interrupted";

impl Agent {
    /// Runs one call: permission, execution and events. Returns its result, the context, the reason
    /// to stop, and the file that it used; a refused or failed call has none.
    pub(super) async fn run_tool_call(
        &self,
        call: Call,
    ) -> (ToolResult, Vec<String>, Option<String>, Option<PathBuf>) {
        self.updates.send(Update::ToolAsked(call.clone()));
        let wanted = call.input.clone();
        let held = Underway::new(self.interrupt_update_closure(call.clone()));
        let sought = self.permissions.request_permit(&self.permit_context(), call).await;
        held.disarm();
        let (permit, mut context) = match sought {
            Ok(permitted) => permitted,
            Err(Refusal { call, by, reason, stop, context, retry }) => {
                let again = if retry { "; a hook says that you may try it again" } else { "" };
                let text = format!("the call was refused: {reason}{again}");
                return (self.finish_call(&call, text, by, None), context, stop, None);
            }
        };
        let file = permit.judged_file().map(|j| j.path.clone());
        let call = permit.permitted_call().clone();
        self.tally.count_tool_call();
        self.updates.send(Update::ToolStarted(call.clone()));
        let shown = Underway::new(self.interrupt_update_closure(call.clone()));
        let underway = Underway::new(self.interrupt_event_closure(call.clone()));
        let cancel = CancellationToken::new();
        let _ends = cancel.clone().drop_guard();
        let place = self.prepare_workplace(&call, cancel).await;
        let came = match (call.tool.as_str(), self.role) {
            (tool::task::NAME, Role::Main) => self.delegate_task(&call).await,
            ("Bash", _) if wants_background(&call) => {
                self.run_command_in_background(permit, place).await
            }
            _ => self.run_permitted_tool(&permit, &place).await.into(),
        };
        underway.disarm();
        context.extend(came.context);
        let (verdict, text, is_error) = match came.output {
            Output::Done { text, response } => {
                let verdict = self.hooks.fire_after_tool(&call, &response).await;
                let text = verdict.output.as_ref().map_or(text, value_to_text);
                (verdict, text, false)
            }
            Output::Failed { why, exit_code } => {
                (self.hooks.fire_tool_failed(&call, &why, exit_code).await, why, true)
            }
        };
        // What was done cannot be undone: an objection is for the model to read.
        context.extend(verdict.blocked);
        context.extend(verdict.context);
        shown.disarm();
        let file = file.filter(|_| !is_error && tool::text_argument(&call, "file_path").is_some());
        let (ended, ran) = (if is_error { Ended::Failed } else { Ended::Ran }, call.input.clone());
        let ran = Some(ran).filter(|value| *value != wanted);
        (self.finish_call(&call, text, ended, ran), context, came.stop.or(verdict.stop), file)
    }

    /// Returns the directory and surroundings of a call; a shell command gets the variables that
    /// hooks set, and its sandbox.
    async fn prepare_workplace(&self, call: &Call, cancel: CancellationToken) -> Workplace {
        let mut env = self.settings.env.clone();
        let mut sandbox = None;
        if call.tool == "Bash" {
            let set = self.hooks.fire_for_shell_command_env(call).await;
            let beside = self.permissions.read_or_change_added_directories(|all| all.clone());
            sandbox = self.hooks.command_sandbox(&self.settings, beside, set.clone());
            env.extend(set);
        }
        let bars = self.permissions.rules_that_restrict_reads(&self.permit_context());
        let cwd = self.settings.cwd.clone();
        Workplace { cwd, env, sandbox, judged: None, bars, cancel }
    }

    /// Returns a closure that sends the result of this call to the user interface when the call is
    /// interrupted.
    fn interrupt_update_closure(&self, call: Call) -> impl FnOnce() + use<> {
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

    /// Returns a closure that fires the event for hooks, in the background, when this call is
    /// interrupted.
    fn interrupt_event_closure(&self, call: Call) -> impl FnOnce() + use<> {
        let (hooks, steering) = (self.hooks.clone(), self.steering.clone());
        move || {
            // What they say of it reaches the model with the person's next words: who stops a turn wants no other one.
            hooks.fire_tool_interrupted(&call, CUT_SHORT, move |verdict| {
                let context: Vec<_> = verdict.blocked.into_iter().chain(verdict.context).collect();
                if !context.is_empty() {
                    steering.add_message_without_model_call(hook_message(String::new(), context));
                }
            });
        }
    }

    /// Runs a shell command in the background. The agent gets a message when it ends.
    async fn run_command_in_background(&self, permit: Permit, place: Workplace) -> Came {
        let call = permit.permitted_call().clone();
        let line = tool::text_argument(&call, "command").unwrap_or_default().to_owned();
        let task = TaskInfo { id: &call.id, subject: &line, description: &line };
        let context = match task_gate::judge_task_start(&self.hooks, task).await {
            Ok(context) => context,
            Err(came) => return came,
        };
        let hooks = self.hooks.clone();
        let (id, name) = (call.id.clone(), line.clone());
        // It outlives the turn that began it, and an interrupt of that.
        let place = Workplace { cancel: CancellationToken::new(), ..place };
        let begun = self.tasks.spawn_task(async move {
            let text = match tool::run_permitted_call(&permit, &place).await {
                Output::Done { text, .. } => {
                    format!("Background task {id} (`{name}`) is done:\n{text}")
                }
                Output::Failed { why, .. } => {
                    format!("Background task {id} (`{name}`) failed:\n{why}")
                }
            };
            let task = TaskInfo { id: &id, subject: &name, description: &name };
            task_gate::background_task_message(&hooks, task, text).await
        });
        let output = if begun {
            let text =
                format!("task {} runs in the background; you get a message when it ends", call.id);
            Output::Done { response: json!({"backgroundTaskId": call.id}), text }
        } else {
            tool::failed_output("too many tasks run in the background: wait for one to end")
        };
        Came { output, context, stop: None }
    }

    fn finish_call(
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

fn wants_background(call: &Call) -> bool {
    call.input.get("run_in_background").and_then(Value::as_bool) == Some(true)
}

fn value_to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
