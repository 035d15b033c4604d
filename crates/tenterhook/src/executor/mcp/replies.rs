//! Which replies may be handed on? Of a call that was replied to twice, none: both are made into one that says so, in which a
//! denial can still be made out. Pure: messages in, messages out.

use std::collections::VecDeque;

use rmcp::RoleClient;
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Value, json};

/// How many of the calls that were answered last are remembered.
const REMEMBERED: usize = 256;

/// The replies of one server.
#[derive(Default)]
pub(super) struct Replies {
    /// What one write has brought so far.
    kept: Vec<Kept>,
    /// The numbers of calls that were answered.
    answered: VecDeque<Value>,
}

struct Kept {
    id: Value,
    reply: RxJsonRpcMessage<RoleClient>,
    /// What its reply holds, and what every further one does.
    contents: Vec<Value>,
    is_doubled: bool,
}

impl Replies {
    /// Keeps a reply until the end of the write that brought it.
    ///
    /// # Errors
    ///
    /// That its call was answered before: whoever made it has gone on, and the server cannot be believed any more.
    pub(super) fn keep(
        &mut self,
        line: &[u8],
        reply: RxJsonRpcMessage<RoleClient>,
    ) -> Result<(), String> {
        let value: Value = serde_json::from_slice(line).unwrap_or_default();
        let id = value.get("id").cloned().unwrap_or_default();
        if self.answered.contains(&id) {
            return Err(format!("it replied to the call {id} twice, and was ended"));
        }
        let contents = contents(&value);
        match self.kept.iter_mut().find(|it| it.id == id) {
            Some(kept) => {
                kept.is_doubled = true;
                kept.contents.extend(contents);
            }
            None => self.kept.push(Kept { id, reply, contents, is_doubled: false }),
        }
        Ok(())
    }

    /// The write is over: what may be handed on.
    pub(super) fn take(&mut self) -> Vec<RxJsonRpcMessage<RoleClient>> {
        let kept = std::mem::take(&mut self.kept);
        self.answered.extend(kept.iter().map(|it| it.id.clone()));
        let forgotten = self.answered.len().saturating_sub(REMEMBERED);
        self.answered.drain(..forgotten);
        kept.into_iter().map(Kept::handed_on).collect()
    }
}

impl Kept {
    /// A doubled reply is a tool that failed: no answer, in which a denial counts all the same (MC-6).
    fn handed_on(self) -> RxJsonRpcMessage<RoleClient> {
        if !self.is_doubled {
            return self.reply;
        }
        let why =
            json!({"type": "text", "text": "the server replied twice, and neither reply counts"});
        let content: Vec<Value> = std::iter::once(why).chain(self.contents).collect();
        let result = json!({"content": content, "isError": true});
        let message = json!({"jsonrpc": "2.0", "id": self.id, "result": result});
        serde_json::from_value(message).unwrap_or(self.reply)
    }
}

/// The texts of a reply, be it a result or an error.
fn contents(reply: &Value) -> Vec<Value> {
    let text = |text: String| json!({"type": "text", "text": text});
    let result = reply.get("result");
    let listed = result.and_then(|it| it.get("content")).and_then(Value::as_array);
    let texts = listed.into_iter().flatten().filter(|it| it.get("text").is_some()).cloned();
    let structured = result.and_then(|it| it.get("structuredContent")).map(Value::to_string);
    let error = reply.get("error").map(Value::to_string);
    texts.chain(structured.map(text)).chain(error.map(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: u64, text: &str) -> Vec<u8> {
        let content = json!([{"type": "text", "text": text}]);
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}}).to_string().into()
    }

    fn keep(replies: &mut Replies, line: &[u8]) -> Result<(), String> {
        replies.keep(line, serde_json::from_slice(line).unwrap())
    }

    /// MC-17.
    #[test]
    fn of_two_replies_to_one_call_neither_counts_and_none_is_lost() {
        let mut replies = Replies::default();
        for (id, text) in [(1, "{}"), (2, "two"), (1, r#"{"decision":"deny"}"#)] {
            keep(&mut replies, &reply(id, text)).unwrap();
        }
        let handed: Vec<Value> =
            replies.take().iter().map(|it| serde_json::to_value(it).unwrap()).collect();
        assert_eq!(handed.len(), 2);
        assert_eq!((&handed[0]["id"], &handed[0]["result"]["isError"]), (&json!(1), &json!(true)));
        assert_eq!(handed[0]["result"]["content"][2]["text"], r#"{"decision":"deny"}"#);
        assert_eq!(handed[1]["result"]["content"][0]["text"], "two");
        assert!(keep(&mut replies, &reply(3, "{}")).is_ok());
        assert!(keep(&mut replies, &reply(2, "{}")).unwrap_err().contains("twice"));
    }
}
