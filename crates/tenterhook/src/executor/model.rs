//! What a host implements so that hooks can ask a model. Values and one trait; asks nothing itself.

use std::fmt;

/// Answers the questions of `prompt` and `agent` hooks.
pub trait Model: Send + Sync + fmt::Debug {}
