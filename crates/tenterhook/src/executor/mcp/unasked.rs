//! How much may a server say that answers nothing (logs, notifications) before it counts as flooding? Counts; ends nobody.

use rmcp::RoleClient;
use rmcp::service::RxJsonRpcMessage;

/// So much.
const MOST: usize = 16 << 20;

/// What a line or a message counts beside its length: to look at an empty one costs time as well.
const LOOK: usize = 256;

/// What was said since the last answer.
#[derive(Debug, Default)]
pub(super) struct Unasked(usize);

impl Unasked {
    /// Notes that so many bytes came, and the message that they were, if any. `true` where it is too much now.
    pub(super) fn note(
        &mut self,
        size: usize,
        message: Option<&RxJsonRpcMessage<RoleClient>>,
    ) -> bool {
        self.0 = if message.is_some_and(answers) { 0 } else { self.0 + size + LOOK };
        self.0 > MOST
    }
}

/// Whether a message answers something.
pub(super) fn answers(message: &RxJsonRpcMessage<RoleClient>) -> bool {
    type Message = RxJsonRpcMessage<RoleClient>;
    matches!(message, Message::Response(_) | Message::Error(_))
}
