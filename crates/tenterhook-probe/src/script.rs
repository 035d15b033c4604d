//! The turns of the scripted model. Plain values; `model` writes them in the form of a wire.

use serde_json::Value;

/// What the prompt of the main conversation contains: by it the model tells the conversation from a sub-agent's.
pub const MAIN: &str = "PROMPT-ORIG";

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name under which the agent offers the tool.
    pub name: String,
    /// Its arguments.
    pub input: Value,
}

/// One answer of the model.
#[derive(Clone, Debug)]
pub enum Step {
    /// Tools are called, all in one answer.
    Calls(Vec<Call>),
    /// A text, which ends the turn.
    Say(String),
}

/// All answers of a run. After the last one the model says [`Script::OVER`].
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The main conversation.
    pub main: Vec<Step>,
    /// Every conversation of a sub-agent.
    pub sub: Vec<Step>,
}

impl Script {
    /// What the model says when its script is over.
    pub const OVER: &str = "FINAL";

    /// Returns the answer number `at` of the main conversation or of a sub-agent's.
    pub(crate) fn step_at(&self, main: bool, at: usize) -> Step {
        let steps = if main { &self.main } else { &self.sub };
        steps.get(at).cloned().unwrap_or_else(|| Step::Say(Self::OVER.to_owned()))
    }
}
