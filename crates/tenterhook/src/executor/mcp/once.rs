//! Which reply does a stream of events bring? One to each call: of several, none is handed on but one that says so, as of a
//! program that replies twice. Reads no reply beyond its number.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use rmcp::RoleClient;
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use tokio::time::{Instant, timeout_at};

use super::replies::Replies;

type Event = Result<Sse, SseError>;
type Events = BoxStream<'static, Event>;
type Message = RxJsonRpcMessage<RoleClient>;

/// How long a stream may stay open behind its reply before that is taken for the only one. Servers end it at once.
const LAST: Duration = Duration::from_millis(50);

/// The events of the answer to one message, with its reply at the end.
pub(super) fn once(events: Events) -> Events {
    let answered =
        Answered { events, replies: Replies::default(), held: None, due: VecDeque::new() };
    let next = |mut it: Answered| async move { it.next().await.map(|event| (event, it)) };
    stream::unfold(answered, next).boxed()
}

struct Answered {
    events: Events,
    replies: Replies,
    /// The event of the first reply, and until when a second one is waited for.
    held: Option<(Sse, Instant)>,
    due: VecDeque<Event>,
}

impl Answered {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Some(event);
            }
            let event = match &self.held {
                None => self.events.next().await,
                Some((_, until)) => timeout_at(*until, self.events.next()).await.ok().flatten(),
            };
            match event {
                Some(Ok(event)) => self.take(event),
                // The end of the stream, or of the wait, or what broke it off: nothing that was said before is lost.
                other if self.held.is_some() => {
                    self.release();
                    self.due.extend(other);
                }
                other => return other,
            }
        }
    }

    fn take(&mut self, event: Sse) {
        let data = event.data.as_deref().unwrap_or_default();
        let Ok(reply @ (Message::Response(_) | Message::Error(_))) = serde_json::from_str(data)
        else {
            return self.due.push_back(Ok(event));
        };
        // What was handed on is over: whoever made the call has gone on.
        if self.replies.keep(data.as_bytes(), reply).is_ok() {
            self.held.get_or_insert_with(|| (event, Instant::now() + LAST));
        }
    }

    fn release(&mut self) {
        let Some((event, _)) = self.held.take() else { return };
        for reply in self.replies.take() {
            let data = serde_json::to_string(&reply).ok();
            self.due.push_back(Ok(Sse { data, ..event.clone() }));
        }
    }
}
