//! The tools of MCP servers, for the model: what servers offer, and one call of one. Judges neither, and fires nothing.

use std::time::Duration;

use serde_json::{Map, Value};
use tenterhook::executor::mcp::{Call, CallFault, Content, Servers};
use tokio::time::{Instant, timeout, timeout_at};

use super::Hooks;

/// How long a session waits for a server to start and to say what it offers.
const LISTING: Duration = Duration::from_secs(10);
/// How long a tool may take without an interrupt.
const CALL: Duration = Duration::from_mins(10);

/// A tool as its server describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerTool {
    /// What its server calls it.
    pub(crate) name: String,
    /// What it does, in the server's words.
    pub(crate) about: String,
    /// The JSON Schema of its arguments.
    pub(crate) schema: Map<String, Value>,
}

/// Why a server offers nothing, or a call of one of its tools failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error(transparent)]
    Unusable(#[from] CallFault),
    #[error("the server `{0}` did not say within {LISTING:?} what it offers")]
    SlowOffer(String),
    #[error("`{server}/{tool}` did not answer within {CALL:?}")]
    SlowCall { server: String, tool: String },
    /// The tool itself reports a failure, with this text.
    #[error("{text}")]
    Tool { text: String },
}

/// What a server offers, and whether that is not all.
pub(crate) type ServerOffer = Result<(Vec<ServerTool>, bool), ServerError>;

impl Hooks {
    /// Returns a number that changes when other servers are configured.
    pub(crate) fn servers_generation(&self) -> u64 {
        self.means.servers_generation()
    }

    /// Returns what each server offers to the model. All servers are asked at once.
    pub(crate) async fn server_offers(&self) -> Vec<(String, ServerOffer)> {
        let asked = self.means.server_names_for_model().into_iter().map(|name| async move {
            let offer = timeout(LISTING, self.means.configured_servers().offer(&name)).await;
            let offer = match offer {
                Ok(Ok(offer)) => {
                    let tools = offer.tools.into_iter().map(|tool| ServerTool {
                        name: tool.name,
                        about: tool.about,
                        schema: tool.schema,
                    });
                    Ok((tools.collect(), offer.is_cut))
                }
                Ok(Err(fault)) => Err(fault.into()),
                Err(_) => Err(ServerError::SlowOffer(name.clone())),
            };
            (name, offer)
        });
        futures_util::future::join_all(asked).await
    }

    /// Calls a tool of a server. Returns its text, or the reason why it failed.
    pub(crate) async fn call_server_tool(
        &self,
        server: &str,
        tool: &str,
        input: &Map<String, Value>,
    ) -> Result<String, ServerError> {
        let deadline = Instant::now() + CALL;
        let call = Call { server, tool, input, deadline, sandbox: None };
        let reply = match timeout_at(deadline, self.means.configured_servers().call(call)).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(fault)) => return Err(fault.into()),
            Err(_) => {
                let (server, tool) = (server.to_owned(), tool.to_owned());
                return Err(ServerError::SlowCall { server, tool });
            }
        };
        let texts = reply.content.into_iter().map(|content| match content {
            Content::Text(text) => text,
            Content::Other(kind) => format!("({kind}, which cannot be shown here)"),
        });
        let mut texts: Vec<String> = texts.collect();
        if texts.len() > 1
            && let Some(last) = texts.pop()
        {
            let repeated = repeats_earlier_text(&last, &texts.join("\n"));
            texts.extend((!repeated).then_some(last));
        }
        let text = texts.join("\n");
        if reply.is_error { Err(ServerError::Tool { text }) } else { Ok(text) }
    }
}

/// Returns whether an object only repeats the texts before it. Servers send the same content in
/// both forms, and a model pays for each.
fn repeats_earlier_text(last: &str, before: &str) -> bool {
    fn all_values_occur_in(value: &Value, before: &str) -> bool {
        match value {
            Value::String(text) => before.contains(text.as_str()),
            Value::Array(items) => items.iter().all(|value| all_values_occur_in(value, before)),
            Value::Object(fields) => {
                fields.values().all(|field| all_values_occur_in(field, before))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => before.contains(&value.to_string()),
        }
    }
    serde_json::from_str::<Value>(last)
        .is_ok_and(|value| value.is_object() && all_values_occur_in(&value, before))
}

#[cfg(test)]
mod tests {
    use super::repeats_earlier_text;

    #[test]
    fn what_is_said_twice_is_read_once() {
        assert!(repeats_earlier_text(r#"{"content":"a b","n":[2]}"#, "the 2: a b"));
        assert!(!repeats_earlier_text(r#"{"content":"a b","n":3}"#, "the 2: a b"));
        assert!(!repeats_earlier_text("a b", "a b"));
        assert!(!repeats_earlier_text(r#"["a"]"#, "a"));
    }
}
