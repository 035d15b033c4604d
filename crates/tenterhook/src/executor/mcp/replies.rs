//! Decides which replies reach their call. Two replies to one call are merged into an error, in
//! which a denial is still recognized. Pure: messages in, messages out.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::rpc::{Outcome, Reply, RpcError};

/// How many of the calls that were answered last are remembered.
const REMEMBERED: usize = 256;

/// The id of a call that was answered before.
#[derive(Debug, thiserror::Error)]
#[error("it replied to the call {0} twice, and was ended")]
pub(super) struct RepliedTwice(u64);

/// The replies of one server.
#[derive(Default)]
pub(super) struct Replies {
    /// The replies of the current write.
    kept: Vec<Pending>,
    /// The ids of calls that were answered.
    answered: VecDeque<u64>,
}

struct Pending {
    reply: Reply,
    /// Further replies to the same call.
    further: Vec<Outcome>,
}

impl Replies {
    /// Keeps a reply until the end of the write that brought it.
    ///
    /// # Errors
    ///
    /// If its call was answered before: the caller has gone on, and the server is no longer
    /// trusted.
    pub(super) fn keep_reply(&mut self, reply: Reply) -> Result<(), RepliedTwice> {
        if let Some(id) = reply.id.filter(|id| self.answered.contains(id)) {
            return Err(RepliedTwice(id));
        }
        let is_same = |kept: &&mut Pending| reply.id.is_some() && kept.reply.id == reply.id;
        match self.kept.iter_mut().find(is_same) {
            Some(kept) => kept.further.push(reply.outcome),
            None => self.kept.push(Pending { reply, further: Vec::new() }),
        }
        Ok(())
    }

    /// Ends the write, and returns the replies for their calls.
    pub(super) fn take_all(&mut self) -> Vec<Reply> {
        let kept = std::mem::take(&mut self.kept);
        self.answered.extend(kept.iter().filter_map(|kept| kept.reply.id));
        let forgotten = self.answered.len().saturating_sub(REMEMBERED);
        self.answered.drain(..forgotten);
        kept.into_iter().map(Pending::into_reply).collect()
    }
}

impl Pending {
    /// Returns the reply for its call. If the server replied twice, the result is a failed tool: no
    /// answer, in which a denial still applies (MC-6).
    fn into_reply(self) -> Reply {
        let Self { reply, further } = self;
        if further.is_empty() {
            return reply;
        }
        let why =
            json!({"type": "text", "text": "the server replied twice, and neither reply counts"});
        let all = std::iter::once(&reply.outcome).chain(&further).flat_map(texts_of_outcome);
        let content: Vec<Value> = std::iter::once(why).chain(all).collect();
        Reply { id: reply.id, outcome: Ok(json!({"content": content, "isError": true})) }
    }
}

/// Returns the texts of a result or an error.
fn texts_of_outcome(outcome: &Outcome) -> Vec<Value> {
    let text = |value: &Value| json!({"type": "text", "text": value.to_string()});
    match outcome {
        Ok(result) => {
            let listed = result.get("content").and_then(Value::as_array);
            let texts = listed.into_iter().flatten().filter(|block| block.get("text").is_some());
            texts.cloned().chain(result.get("structuredContent").map(text)).collect()
        }
        Err(RpcError(error)) => vec![text(error)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: u64, text: &str) -> Reply {
        let content = json!([{"type": "text", "text": text}]);
        Reply { id: Some(id), outcome: Ok(json!({"content": content})) }
    }

    /// MC-17.
    #[test]
    fn two_replies_to_one_call_become_an_error_with_both() {
        let mut replies = Replies::default();
        for (id, text) in [(1, "{}"), (2, "two"), (1, r#"{"decision":"deny"}"#)] {
            replies.keep_reply(reply(id, text)).unwrap();
        }
        let denial = json!({"message": "denied"});
        replies.keep_reply(Reply { id: Some(1), outcome: Err(RpcError(denial.clone())) }).unwrap();
        let handed = replies.take_all();
        let doubled = handed[0].outcome.as_ref().unwrap();
        assert_eq!((handed[0].id, &doubled["isError"]), (Some(1), &json!(true)));
        assert_eq!(doubled["content"][2]["text"], r#"{"decision":"deny"}"#);
        assert_eq!(doubled["content"][3]["text"], denial.to_string());
        assert_eq!(handed[1..], [reply(2, "two")]);
        assert!(replies.keep_reply(reply(3, "{}")).is_ok());
        assert!(replies.keep_reply(reply(2, "{}")).unwrap_err().to_string().contains("twice"));
    }
}
