//! Routes each response to its request, and counts what a server writes beside responses. Knows no transport and waits for
//! nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use super::rpc::{self, Message, Outcome, Reply};

/// How many bytes other than responses (logs, notifications) a server may write in a row.
const MOST: usize = 16 << 20;

/// The minimum cost of each message: reading an empty one takes time, too.
const LOOK: usize = 256;

/// The id of the first request, `initialize`.
pub(super) const HELLO: u64 = 0;

/// The requests of one connection that have no response yet.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Outcome>>,
    next: u64,
    /// Bytes that the server wrote since its last response.
    unasked: usize,
    is_closed: bool,
}

impl State {
    /// Whether a message is the response to a request that was made, even if it was cancelled
    /// since.
    fn is_response_to_request(&self, message: &Message) -> bool {
        matches!(message, Message::Reply(reply) if reply.id.is_some_and(|id| id < self.next))
    }
}

impl Calls {
    /// Returns the id of a new request, and the receiver of its response. After `close` the receiver fails at once.
    pub(super) fn begin_request(&self) -> (u64, oneshot::Receiver<Outcome>) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        let id = state.next;
        state.next += 1;
        if !state.is_closed {
            state.waiting.insert(id, sender);
        }
        (id, receiver)
    }

    /// Forgets a request. Returns `true` if it had no response yet.
    pub(super) fn cancel_request(&self, id: u64) -> bool {
        self.lock().waiting.remove(&id).is_some()
    }

    /// Parses a text that the server wrote. Returns `None` once the server has written too much
    /// besides responses (MC-41).
    pub(super) fn parse_messages_within_limit(&self, text: &[u8]) -> Option<Vec<Message>> {
        let messages = rpc::parse_messages(text);
        let mut state = self.lock();
        let looks = LOOK * messages.len().max(1);
        let is_answer = messages.iter().any(|message| state.is_response_to_request(message));
        state.unasked = if is_answer { 0 } else { state.unasked + text.len() + looks };
        (state.unasked <= MOST).then_some(messages)
    }

    /// Hands a response to its request. Returns our response if the message is a request of the
    /// server.
    pub(super) fn deliver_reply_or_answer_request(&self, message: Message) -> Option<Value> {
        match message {
            Message::Reply(reply) => self.deliver_reply(reply),
            Message::Request { id, method } => return Some(rpc::build_response(&id, &method)),
            Message::Notification => {}
        }
        None
    }

    /// Hands a response to its request. While `initialize` waits, no other request was made, so any
    /// other response is treated as a wrong answer to it.
    pub(super) fn deliver_reply(&self, reply: Reply) {
        let mut state = self.lock();
        let (id, outcome) = match (reply.id, reply.outcome) {
            (Some(HELLO), outcome) | (None, outcome @ Err(_)) => (HELLO, outcome),
            _ if state.waiting.contains_key(&HELLO) => (HELLO, Ok(Value::Null)),
            (Some(id), outcome) => (id, outcome),
            (None, Ok(_)) => return,
        };
        if let Some(sender) = state.waiting.remove(&id) {
            // A request that was given up a moment ago needs no response.
            let _ = sender.send(outcome);
        }
    }

    /// Fails all requests, now and later.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.waiting.clear();
    }

    /// Whether requests can still get responses.
    pub(super) fn is_open(&self) -> bool {
        !self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::executor::mcp::rpc::RpcError;

    fn reply(id: u64, result: u64) -> Reply {
        Reply { id: Some(id), outcome: Ok(json!(result)) }
    }

    /// Calls of a server that was greeted.
    fn greeted() -> Calls {
        let calls = Calls::default();
        let (id, mut hello) = calls.begin_request();
        assert_eq!(id, HELLO);
        calls.deliver_reply(reply(HELLO, 0));
        assert_eq!(hello.try_recv(), Ok(Ok(json!(0))));
        calls
    }

    /// MC-22.
    #[test]
    fn responses_out_of_order_reach_their_requests_and_others_reach_none() {
        let calls = greeted();
        let (one, mut first) = calls.begin_request();
        let (two, mut second) = calls.begin_request();
        calls.deliver_reply(reply(4711, 9));
        calls.deliver_reply(Reply { id: None, outcome: Err(RpcError(json!({}))) });
        calls.deliver_reply(Reply { id: None, outcome: Ok(json!(9)) });
        assert!(calls.deliver_reply_or_answer_request(Message::Notification).is_none());
        calls.deliver_reply(reply(two, 2));
        assert_eq!(second.try_recv(), Ok(Ok(json!(2))));
        first.try_recv().expect_err("it was not answered");
        calls.deliver_reply(reply(two, 3));
        calls.deliver_reply(reply(one, 1));
        assert_eq!(first.try_recv(), Ok(Ok(json!(1))));
        let (three, mut third) = calls.begin_request();
        assert!(calls.cancel_request(three) && !calls.cancel_request(three));
        calls.deliver_reply(reply(three, 3));
        third.try_recv().expect_err("it was given up");
    }

    /// MC-22.
    #[test]
    fn closed_connection_answers_nothing() {
        let calls = greeted();
        let (_, mut first) = calls.begin_request();
        calls.close();
        let (_, mut second) = calls.begin_request();
        first.try_recv().expect_err("closed");
        second.try_recv().expect_err("closed");
        assert!(!calls.is_open());
    }

    /// MC-20.
    #[test]
    fn first_response_is_the_answer_to_initialize() {
        let error = RpcError(json!({"code": -32700}));
        for (reply, outcome) in [
            (reply(HELLO, 7), Ok(json!(7))),
            (reply(9, 7), Ok(Value::Null)),
            (Reply { id: None, ..reply(0, 7) }, Ok(Value::Null)),
            (Reply { id: None, outcome: Err(error.clone()) }, Err(error)),
        ] {
            let calls = Calls::default();
            let (_, mut hello) = calls.begin_request();
            calls.deliver_reply(reply);
            assert_eq!(hello.try_recv(), Ok(outcome));
        }
    }

    /// MC-41, MC-22.
    #[test]
    fn response_to_a_request_that_was_not_made_counts_as_noise() {
        let text = |id: u64| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"{}"}}"#, "x".repeat(1 << 20))
        };
        let calls = greeted();
        for _ in 0..40 {
            assert!(calls.parse_messages_within_limit(text(HELLO).as_bytes()).is_some());
        }
        let most =
            (0..16).take_while(|_| calls.parse_messages_within_limit(text(7).as_bytes()).is_some());
        assert_eq!(most.count(), 15);
    }
}
