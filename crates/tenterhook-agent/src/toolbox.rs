//! Which tools may the model call? The agent's own, and those that MCP servers offer. Asks servers what they offer, and runs a
//! permitted call of one; judges no call.

mod choice;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::conversation::{self, Call};
use crate::model::ToolSpec;
use crate::permission::Permit;
use crate::tool::{self, Output, failed};
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
    /// All that a model reads of it.
    fn text(&self) -> String {
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
    /// One that holds the agent's own tools alone.
    pub(crate) fn closed() -> Self {
        Self { is_closed: true, ..Self::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The descriptions of all tools for the model.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let served = self.state();
        tool::specs().into_iter().chain(served.served.iter().map(|s| s.spec.clone())).collect()
    }

    /// The tool of a server that the model calls by this name.
    pub(crate) fn served(&self, name: &str) -> Option<Served> {
        self.state().served.iter().find(|s| s.spec.name == name).cloned()
    }

    /// What the model reads of the tools of servers, a text for each: words of others, which hooks judge before it does.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.state().served.iter().map(Served::text).collect()
    }

    /// Takes the tools away whose texts are these; how many those are.
    pub(crate) fn withdraw(&self, is: impl Fn(&String) -> bool) -> usize {
        let mut state = self.state();
        let before = state.served.len();
        state.served.retain(|s| !is(&s.text()));
        before - state.served.len()
    }
}

impl Agent {
    /// Asks servers what they offer, where others are configured than when they were asked last. One that cannot be used is reported,
    /// and costs no other (AG-51).
    pub(crate) async fn look_for_tools(&self) {
        let generation = self.hooks.servers_generation();
        if self.toolbox.is_closed || self.toolbox.state().generation == generation {
            return;
        }
        let waits = "asking MCP servers what they offer";
        self.updates.send(Update::Status(Some(waits.to_owned())));
        let updates = self.updates.clone();
        // Even if the result is no longer awaited.
        let shown = Underway::begin(move || updates.send(Update::Status(None)));
        let offers = self.hooks.offers().await;
        drop(shown);
        let (served, notes) = choice::choose(offers);
        for note in notes {
            match note {
                choice::Note::Notice(text) => self.updates.send(Update::Notice(text)),
                choice::Note::Warning(text) => self.updates.warn("mcp", text),
            }
        }
        *self.toolbox.state() = State { generation, served };
    }

    /// Runs a permitted call: of the agent's own tools, or of a server's.
    pub(crate) async fn use_tool(&self, permit: &Permit, place: &tool::Workplace) -> Output {
        let call = permit.call();
        match self.toolbox.served(&call.tool) {
            Some(served) => self.ask_server(&served, call).await,
            None => tool::run(permit, place).await,
        }
    }

    async fn ask_server(&self, Served { server, tool, .. }: &Served, call: &Call) -> Output {
        let Some(input) = call.input.as_object() else {
            return failed("the arguments are not a JSON object");
        };
        let came = self.hooks.call_server(server, tool, input).await;
        let is_error = came.is_err();
        let mut text = came.unwrap_or_else(|error| error.to_string());
        if text.len() > RESULT {
            conversation::shorten(&mut text, RESULT);
        }
        if is_error {
            return failed(text);
        }
        let response: Value = json!([{"type": "text", "text": text}]);
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        Output::Done { text, response }
    }
}
