//! The messages of one conversation, as the transcript stores them and the model reads them. Values only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum Message {
    /// The user's, or a substitute: a hook that keeps the agent at work, a task that ended.
    User {
        /// The final text: nothing else of a prompt is ever a message.
        text: String,
        /// What hooks add for the model, each block labelled with the hook whose words it is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        context: Vec<String>,
        /// Its author.
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

/// The author of a user message.
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
    /// The service and the model: only they understand it.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolResult {
    /// The call.
    pub(crate) id: String,
    /// What the model reads.
    pub(crate) text: String,
    /// Whether it failed or was refused.
    #[serde(default)]
    pub(crate) is_error: bool,
    /// How it came to an end; unknown in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<Came>,
    /// What ran, where it is not what the model wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ran_input: Option<Value>,
}

/// How a tool call came to an end, for readers of the transcript: the model reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Came {
    /// It ran.
    Ran,
    /// It ran, and failed.
    Failed,
    /// There is no such tool.
    UnknownTool,
    /// The tool does not take its arguments.
    BadInput,
    /// A hook refused it, or made of it what does not fit.
    DeniedByHook,
    /// A rule of the person, or the danger of the place.
    DeniedByRule,
    /// The mode, or the lack of a user to ask.
    DeniedByMode,
    /// The person.
    DeniedByPerson,
    /// It was stopped half-way.
    Interrupted,
}

/// Cuts a text to at most `most` bytes at a character boundary, and marks the cut.
pub(crate) fn truncate_text(text: &mut String, most: usize) {
    const MARK: &str = " [cut]";
    text.truncate(text.floor_char_boundary(most.saturating_sub(MARK.len())));
    if most >= MARK.len() {
        text.push_str(MARK);
    }
}

/// Returns a result for each interrupted call.
pub(crate) fn interrupted_results<'a>(calls: impl IntoIterator<Item = &'a str>) -> Vec<ToolResult> {
    let result = |id: &str| ToolResult {
        id: id.to_owned(),
        text: "it was interrupted".to_owned(),
        is_error: true,
        outcome: Some(Came::Interrupted),
        ..ToolResult::default()
    };
    calls.into_iter().map(result).collect()
}

/// Repairs a conversation that a crash cut off: it begins with the user, each call has a result
/// right after it, and each result has a call.
pub(crate) fn repair_messages(messages: Vec<Message>) -> Vec<Message> {
    let (mut out, mut open) = (Vec::new(), Vec::new());
    for message in
        messages.into_iter().skip_while(|message| !matches!(message, Message::User { .. }))
    {
        if let Message::Tools { results, context } = message {
            out.push(tool_results_message(&mut open, results, context));
            continue;
        }
        push_interrupted_results(&mut open, &mut out);
        if let Message::Assistant(reply) = &message {
            open = reply.calls.iter().map(|call| call.id.clone()).collect();
        }
        out.push(message);
    }
    push_interrupted_results(&mut open, &mut out);
    out
}

/// Builds the message with the results of the open calls. Results of other calls are dropped, and a
/// call without a result is treated as interrupted.
pub(crate) fn tool_results_message(
    open: &mut Vec<String>,
    mut results: Vec<ToolResult>,
    context: Vec<String>,
) -> Message {
    results.retain(|result| open.contains(&result.id));
    open.retain(|id| !results.iter().any(|result| result.id == *id));
    results.extend(interrupted_results(open.iter().map(String::as_str)));
    open.clear();
    if results.is_empty() {
        return Message::User { text: String::new(), context, author: Author::Hook };
    }
    Message::Tools { results, context }
}

/// Adds an interrupted result for each call that is still open.
fn push_interrupted_results(open: &mut Vec<String>, out: &mut Vec<Message>) {
    let results = interrupted_results(open.iter().map(String::as_str));
    open.clear();
    if !results.is_empty() {
        out.push(Message::Tools { results, context: Vec::new() });
    }
}

impl Message {
    /// Creates a message of the user.
    pub(crate) fn from_user(text: impl Into<String>, context: Vec<String>) -> Self {
        Self::User { text: text.into(), context, author: Author::User }
    }

    /// Creates a message that another author wrote in place of the user.
    pub(crate) fn from_author(author: Author, text: impl Into<String>) -> Self {
        Self::User { text: text.into(), context: Vec::new(), author }
    }

    /// Returns whether this author wrote the message in place of the user.
    pub(crate) fn is_by_author(&self, by: Author) -> bool {
        matches!(self, Self::User { author, .. } if *author == by)
    }

    /// Returns the text of a user message; empty for any other message.
    pub(crate) fn user_text(&self) -> &str {
        match self {
            Self::User { text, .. } => text,
            Self::Assistant(_) | Self::Tools { .. } => "",
        }
    }

    /// Returns all texts of the message that a model reads.
    pub(crate) fn texts_that_model_reads(&self) -> Vec<String> {
        let mut all = match self {
            Self::User { text, context, .. } => [vec![text.clone()], context.clone()].concat(),
            Self::Assistant(reply) => {
                let calls = reply.calls.iter().map(|call| call.input.to_string());
                let echo = reply.echo.iter().map(|e| e.content.to_string());
                let own = [reply.reasoning.clone(), reply.text.clone()];
                own.into_iter().chain(calls).chain(echo).collect()
            }
            Self::Tools { results, context } => {
                let texts = results.iter().map(|result| result.text.clone());
                texts.chain(context.iter().cloned()).collect()
            }
        };
        all.retain(|text| !text.is_empty());
        all
    }

    /// Returns the texts of the message that can be cut.
    pub(crate) fn cuttable_texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::User { text, context, .. } => std::iter::once(text).chain(context).collect(),
            Self::Assistant(reply) => vec![&mut reply.text, &mut reply.reasoning],
            Self::Tools { results, context } => {
                results.iter_mut().map(|result| &mut result.text).chain(context).collect()
            }
        }
    }

    /// Returns the approximate size of the message in bytes.
    pub(crate) fn approximate_size(&self) -> usize {
        let all = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        match self {
            Self::User { text, context, .. } => text.len() + all(context),
            Self::Assistant(reply) => {
                let calls = reply.calls.iter().map(|call| call.input.to_string().len());
                reply.text.len() + reply.reasoning.len() + calls.sum::<usize>()
            }
            Self::Tools { results, context } => {
                results.iter().map(|result| result.text.len()).sum::<usize>() + all(context)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(calls: &[&str]) -> Message {
        let call =
            |id: &&str| Call { id: (*id).to_owned(), tool: "Read".to_owned(), input: Value::Null };
        Message::Assistant(Reply { calls: calls.iter().map(call).collect(), ..Reply::default() })
    }

    fn results(ids: &[&str]) -> Message {
        let result = |id: &&str| ToolResult {
            id: (*id).to_owned(),
            text: "ok".to_owned(),
            is_error: false,
            ..ToolResult::default()
        };
        Message::Tools { results: ids.iter().map(result).collect(), context: Vec::new() }
    }

    /// A request in short: `u` for the user, `a` for the model with its calls, and the results, good or bad.
    fn summary(messages: Vec<Message>) -> String {
        let word = |message: Message| match message {
            Message::User { .. } => "u".to_owned(),
            Message::Assistant(reply) => {
                reply.calls.iter().fold("a".to_owned(), |all, call| format!("{all} {}?", call.id))
            }
            Message::Tools { results, .. } => {
                let word = |result: &ToolResult| {
                    format!("{}{}", result.id, if result.is_error { "!" } else { "." })
                };
                results.iter().map(word).collect::<Vec<_>>().join(" ")
            }
        };
        repair_messages(messages).into_iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_a_crash_left_becomes_a_conversation_that_a_model_takes() {
        let user = || Message::from_user("hi", Vec::new());
        for (messages, wanted) in [
            (vec![user(), reply(&["a"]), results(&["a"]), reply(&[])], "u, a a?, a., a"),
            (vec![user(), reply(&["a", "b"])], "u, a a? b?, a! b!"),
            (vec![user(), reply(&["a"]), user()], "u, a a?, a!, u"),
            (vec![user(), reply(&["a", "b"]), results(&["b"]), user()], "u, a a? b?, b. a!, u"),
            (vec![user(), results(&["a"]), reply(&[])], "u, u, a"),
            (vec![user(), reply(&["a"]), results(&["x"])], "u, a a?, a!"),
            (vec![reply(&["a"]), results(&["a"]), user()], "u"),
            (vec![], ""),
        ] {
            assert_eq!(summary(messages), wanted);
        }
    }
}
