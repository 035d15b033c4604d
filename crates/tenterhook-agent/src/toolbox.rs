//! Which tools may the model call? The agent's own, and those that MCP servers offer. Asks servers what they offer, and runs a
//! permitted call of one; judges no call.

mod choice;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::conversation::{self, Call};
use crate::model::ToolSpec;
use crate::permission::Permit;
use crate::tool::{self, Output, failed_output};
use crate::underway::Underway;
use crate::update::Update;

/// How the names of tools of servers begin.
pub(crate) const PREFIX: &str = "mcp__";
/// How much of a result the model reads.
const RESULT: usize = 256 << 10;

/// A tool of a server, as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Served {
    /// Its description for the model.
    pub(crate) spec: ToolSpec,
    server: String,
    /// What the server calls it.
    tool: String,
}

impl Served {
    /// Returns everything that a model reads about the tool.
    fn model_text(&self) -> String {
        let ToolSpec { name, about, schema } = &self.spec;
        format!("{name}: {about}\n{schema}")
    }
}

/// The tools of one session. Cheap to clone; all agents of the session share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Toolbox {
    /// Whether servers are asked at all.
    is_closed: bool,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// For which servers they were listed.
    generation: u64,
    served: Vec<Served>,
}

impl Toolbox {
    /// Creates a toolbox with only the agent's own tools.
    pub(crate) fn without_servers() -> Self {
        Self { is_closed: true, ..Self::default() }
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the descriptions of all tools for the model.
    pub(crate) fn tool_specs(&self) -> Vec<ToolSpec> {
        let served = self.lock_state();
        tool::tool_specs().into_iter().chain(served.served.iter().map(|s| s.spec.clone())).collect()
    }

    /// Returns the server's tool that the model calls by this name.
    pub(crate) fn find_server_tool(&self, name: &str) -> Option<Served> {
        self.lock_state().served.iter().find(|s| s.spec.name == name).cloned()
    }

    /// Returns what the model reads about each server tool. Hooks judge these texts before the
    /// model reads them.
    pub(crate) fn server_tool_texts(&self) -> Vec<String> {
        self.lock_state().served.iter().map(Served::model_text).collect()
    }

    /// Removes the tools whose texts satisfy the predicate, and returns their number.
    pub(crate) fn remove_tools_by_text(&self, is: impl Fn(&String) -> bool) -> usize {
        let mut state = self.lock_state();
        let before = state.served.len();
        state.served.retain(|s| !is(&s.model_text()));
        before - state.served.len()
    }
}

impl Agent {
    /// Asks servers for their tools, if other servers are configured than at the last time. A
    /// server that fails is reported and does not affect the others (AG-51).
    pub(crate) async fn refresh_server_tools(&self) {
        let generation = self.hooks.servers_generation();
        if self.toolbox.is_closed || self.toolbox.lock_state().generation == generation {
            return;
        }
        let waits = "asking MCP servers what they offer";
        self.updates.send(Update::Status(Some(waits.to_owned())));
        let updates = self.updates.clone();
        // Even if the result is no longer awaited.
        let shown = Underway::new(move || updates.send(Update::Status(None)));
        let offers = self.hooks.server_offers().await;
        drop(shown);
        let (served, notes) = choice::choose_server_tools(offers);
        for note in notes {
            match note {
                choice::Note::Notice(text) => self.updates.send(Update::Notice(text)),
                choice::Note::Warning(text) => self.updates.warn("mcp", text),
            }
        }
        *self.toolbox.lock_state() = State { generation, served };
    }

    /// Runs a permitted call of one of the agent's own tools or of a server's.
    pub(crate) async fn run_permitted_tool(
        &self,
        permit: &Permit,
        place: &tool::Workplace,
    ) -> Output {
        let call = permit.permitted_call();
        match self.toolbox.find_server_tool(&call.tool) {
            Some(served) => self.call_server_tool(&served, call).await,
            None => tool::run_permitted_call(permit, place).await,
        }
    }

    async fn call_server_tool(&self, Served { server, tool, .. }: &Served, call: &Call) -> Output {
        let Some(input) = call.input.as_object() else {
            return failed_output("the arguments are not a JSON object");
        };
        let came = self.hooks.call_server_tool(server, tool, input).await;
        let is_error = came.is_err();
        let mut text = came.unwrap_or_else(|error| error.to_string());
        if text.len() > RESULT {
            conversation::truncate_text(&mut text, RESULT);
        }
        if is_error {
            return failed_output(text);
        }
        let response: Value = json!([{"type": "text", "text": text}]);
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        Output::Done { text, response }
    }
}
