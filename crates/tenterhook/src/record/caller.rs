//! Whose calls a journal records: the host, the user, and the agent that called (RE-7). Does not read
//! the environment, which anyone can set.

use std::sync::LazyLock;

use serde_json::Value;
use tenterhook_process::internal::{account_name, host_name};

use super::entry::{Body, insert_field};

/// The names of the host and of the account that this process runs as.
static MACHINE: LazyLock<[Option<String>; 2]> = LazyLock::new(|| [host_name(), account_name()]);

/// The agent that calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    /// Its name; `None` if no agent calls, or its name is unknown.
    pub(super) agent: Option<String>,
    /// Its version, if it tells it.
    pub(super) version: Option<String>,
}

impl Caller {
    /// Returns the caller as recorded.
    pub(super) fn to_json(&self) -> Value {
        let [host, user] = &*MACHINE;
        let mut body = Body::new();
        for (key, text) in
            [("host", host), ("user", user), ("agent", &self.agent), ("version", &self.version)]
        {
            if let Some(text) = text {
                insert_field(&mut body, key, text.as_str());
            }
        }
        Value::Object(body)
    }
}
