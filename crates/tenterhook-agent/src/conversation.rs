//! What was said: the messages of one conversation, as the transcript keeps them and the model reads them. Values only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum Message {
    /// The user's, or what stands in for it: a hook that keeps the agent at work, a task that ended.
    User {
        /// The final text: nothing else of a prompt is ever kept.
        text: String,
        /// What hooks add for the model, each block labelled with the hook whose words it is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        context: Vec<String>,
        /// Who wrote it.
        #[serde(default)]
        author: Author,
    },
    /// The model's.
    Assistant(Reply),
    /// What came of the tool calls of the reply before.
    Tools {
        /// One for each call, in their order.
        results: Vec<ToolResult>,
        /// What hooks add for the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        context: Vec<String>,
    },
}

/// Who wrote a user message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Author {
    /// The person at the keyboard, or on standard input.
    #[default]
    User,
    /// A hook that keeps the agent at work.
    Hook,
    /// The agent itself: a background task that ended, the summary of what was compacted.
    Agent,
}

/// What the model said in one call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// Its words.
    pub(crate) text: String,
    /// What it thought, where its service tells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) reasoning: String,
    /// The tools that it wants to call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<Call>,
    /// What its service wants to have back exactly as it said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) echo: Option<Echo>,
}

/// A reply in the words of the service that gave it, where those hold what a reply in ours does not: thoughts that it signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Echo {
    /// The service and the model: nobody else understands it.
    pub(crate) from: String,
    /// What it said.
    pub(crate) content: Value,
}

/// One tool call that the model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The model's name for it.
    pub(crate) id: String,
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments; a string where the model's were no JSON object.
    pub(crate) input: Value,
}

/// What came of one tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolResult {
    /// The call.
    pub(crate) id: String,
    /// What the model reads.
    pub(crate) text: String,
    /// Whether it failed or was refused.
    #[serde(default)]
    pub(crate) is_error: bool,
}

impl Message {
    /// A message of the user.
    pub(crate) fn user(text: impl Into<String>, context: Vec<String>) -> Self {
        Self::User { text: text.into(), context, author: Author::User }
    }

    /// A message in place of the user's.
    pub(crate) fn from(author: Author, text: impl Into<String>) -> Self {
        Self::User { text: text.into(), context: Vec::new(), author }
    }

    /// The user's words in it; empty where it is not the user's.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::User { text, .. } => text,
            Self::Assistant(_) | Self::Tools { .. } => "",
        }
    }

    /// About how long it is, in bytes.
    pub(crate) fn size(&self) -> usize {
        let all = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        match self {
            Self::User { text, context, .. } => text.len() + all(context),
            Self::Assistant(reply) => {
                let calls = reply.calls.iter().map(|call| call.input.to_string().len());
                reply.text.len() + reply.reasoning.len() + calls.sum::<usize>()
            }
            Self::Tools { results, context } => {
                results.iter().map(|it| it.text.len()).sum::<usize>() + all(context)
            }
        }
    }
}
