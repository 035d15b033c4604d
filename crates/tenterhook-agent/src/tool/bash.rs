//! Runs a shell command for the model, on the same supervised child processes as hooks.

use std::time::Duration;

use serde_json::json;
use tenterhook_process as process;

use super::{Effect, Output, Running, Tool, Workplace, failed_output, text_argument};
use crate::conversation::Call;
use crate::model::ToolSpec;

/// How long a command may take that says nothing itself.
const TIMEOUT: Duration = Duration::from_mins(2);

pub(super) struct Bash;

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Bash".into(),
            about: "Runs a shell command and returns what it prints.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command."},
                    "description": {"type": "string", "description": "What it does, in a few words."},
                    "timeout": {"type": "integer", "minimum": 1, "maximum": 600_000, "description": "How long it may take, in milliseconds."},
                    "run_in_background": {"type": "boolean", "description": "Go on without waiting; you get a message when it ends."}
                },
                "required": ["command"],
                "additionalProperties": false
            }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Runs
    }

    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a> {
        Box::pin(async move { run_command(call, place).await })
    }
}

async fn run_command(call: &Call, place: &Workplace) -> Output {
    let Some(line) = text_argument(call, "command") else {
        return failed_output("`command` is missing");
    };
    let mut command = process::Command::shell(line, &place.cwd);
    command.env = place.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let timeout = call.input.get("timeout").and_then(serde_json::Value::as_u64);
    command.timeout = Some(timeout.map_or(TIMEOUT, Duration::from_millis));
    command.umask = None;
    // Before the child, so that its directory for passing files is removed after it.
    let confined = place.sandbox.as_ref().map(|sandbox| sandbox.confine_command(&mut command));
    let (done, finished) = tokio::sync::oneshot::channel();
    // Dropped on every way out, and that ends what still runs.
    let _child = process::start_with_whole_input(command, |child| {
        child.on_finish(move |report| {
            let _ = done.send(report);
        });
    });
    let Ok(report) = finished.await else { return failed_output("its end was not reported") };
    let stdout = String::from_utf8_lossy(&report.stdout.bytes).into_owned();
    let stderr = String::from_utf8_lossy(&report.stderr.bytes).into_owned();
    let printed = [stdout.trim_end(), stderr.trim_end()].join("\n").trim().to_owned();
    let refused = confined
        .as_ref()
        .and_then(|confined_shell| confined_shell.refusal_in_output(printed.as_bytes()));
    let text = [printed, refused.map(|text| format!("({text})")).unwrap_or_default()].join("\n");
    let text = text.trim().to_owned();
    let exit_code = match &report.end {
        process::End::Exited(code) => Some(*code),
        _ => None,
    };
    let ended = match &report.end {
        process::End::Exited(0) => {
            let response = json!({
                "stdout": stdout, "stderr": stderr, "interrupted": false, "exit_code": 0,
            });
            let text = if text.is_empty() { "(no output)".to_owned() } else { text };
            return Output::Done { text, response };
        }
        process::End::Exited(code) => format!("exit code {code}"),
        process::End::Signalled(signal) => format!("ended by signal {signal}"),
        process::End::Unknown | process::End::Unread(_) => {
            "ended, but its exit status was lost".to_owned()
        }
        process::End::TimedOut => "it took longer than it may".to_owned(),
        process::End::Cancelled => "it was cancelled".to_owned(),
        process::End::NotStarted(error) => {
            let why = confined
                .as_ref()
                .and_then(|confined_shell| confined_shell.why_sandbox_prevented_start(error));
            format!("it was not started: {}", why.unwrap_or_else(|| error.to_string()))
        }
    };
    Output::Failed { why: format!("{ended}\n{text}").trim_end().to_owned(), exit_code }
}

#[cfg(test)]
mod tests {
    use tenterhook_testkit::Sandbox;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::hooks::CommandSandbox;
    use crate::permission::Bars;

    /// AG-54, AG-63.
    #[tokio::test]
    async fn no_command_runs_where_none_can_be_confined() {
        let room = Sandbox::new().unwrap();
        let place = Workplace {
            cwd: room.project(),
            env: room.env(),
            sandbox: Some(CommandSandbox::unavailable(&room)),
            judged: None,
            bars: Bars::default(),
            cancel: CancellationToken::new(),
        };
        let input = json!({"command": "echo x > ran"});
        let call = Call { id: "1".to_owned(), tool: "Bash".to_owned(), input };
        let Output::Failed { why, .. } = run_command(&call, &place).await else { panic!("it ran") };
        assert!(why.contains("cannot confine commands"), "{why}");
        assert!(!room.project().join("ran").exists());
    }
}
