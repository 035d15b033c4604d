//! What a tool is, and which tools there are. No tool runs without a permit.

mod bash;
mod edit;
mod error;
mod read;
mod search;
pub(crate) mod task;
mod write;

use std::path::PathBuf;
use std::pin::Pin;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::conversation::Call;
use crate::file::Judged;
use crate::hooks::CommandSandbox;
use crate::model::ToolSpec;
use crate::permission::{Bars, Permit};
use error::ToolError;

/// What a tool does to the world: the permission mode asks for no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It only looks.
    Looks,
    /// It changes files.
    Writes,
    /// It runs what it is given.
    Runs,
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    /// It did what it should.
    Done {
        /// What the model reads.
        text: String,
        /// The same with its parts apart, for hooks.
        response: Value,
    },
    /// It did not.
    Failed {
        /// Why, for the model.
        why: String,
        /// The exit code, where a program ended with one.
        exit_code: Option<i32>,
    },
}

/// Where a tool works.
#[derive(Clone, Debug)]
pub(crate) struct Workplace {
    /// Relative paths start here.
    pub(crate) cwd: PathBuf,
    /// The environment of shell commands.
    pub(crate) env: Vec<(String, String)>,
    /// The sandbox of shell commands, where the person wants one.
    pub(crate) sandbox: Option<CommandSandbox>,
    /// The file or directory that the call names, as it was when that was judged.
    pub(crate) judged: Option<Judged>,
    /// What of the files that a tool comes to by itself is kept from the model.
    pub(crate) bars: Bars,
    /// Stops work in a separate thread; everything else ends when it is dropped.
    pub(crate) cancel: CancellationToken,
}

impl Workplace {
    /// Returns the file or directory that was judged. A tool may use no other one.
    fn judged_target(&self) -> Result<Judged, ToolError> {
        self.judged.clone().ok_or(ToolError::Circle)
    }
}

/// A tool call under way.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Output> + Send + 'a>>;

/// One tool.
pub(crate) trait Tool: Send + Sync {
    /// Returns the description of the tool for the model.
    fn spec(&self) -> ToolSpec;

    /// Returns the effect of the tool: whether it only reads, changes files, or runs what it is
    /// given.
    fn effect(&self) -> Effect;

    /// Runs the tool.
    fn run<'a>(&'a self, call: &'a Call, place: &'a Workplace) -> Running<'a>;
}

/// Every tool of this agent. One row is all that a new one needs.
static TOOLS: &[&dyn Tool] = &[
    &bash::Bash,
    &read::Read,
    &write::Write,
    &edit::Edit,
    &search::Glob,
    &search::Grep,
    &task::Task,
];

/// Where the agent's own helpers are looked for.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the tool with that name.
pub(crate) fn find_tool(name: &str) -> Option<&'static dyn Tool> {
    TOOLS.iter().find(|tool| tool.spec().name == name).copied()
}

/// Returns the descriptions of all tools for the model.
pub(crate) fn tool_specs() -> Vec<ToolSpec> {
    TOOLS.iter().map(|tool| tool.spec()).collect()
}

/// Runs a call that was permitted.
pub(crate) async fn run_permitted_call(permit: &Permit, place: &Workplace) -> Output {
    let call = permit.permitted_call();
    let Some(tool) = find_tool(&call.tool) else {
        return failed_output(format!("there is no tool `{}`", call.tool));
    };
    let place = Workplace { judged: permit.judged_file().cloned(), ..place.clone() };
    tool.run(call, &place).await
}

/// Creates the output of a failed call for the model.
pub(crate) fn failed_output(why: impl Into<String>) -> Output {
    Output::Failed { why: why.into(), exit_code: None }
}

/// Returns a text argument of a call.
pub(crate) fn text_argument<'a>(call: &'a Call, key: &str) -> Option<&'a str> {
    call.input.get(key).and_then(Value::as_str)
}
