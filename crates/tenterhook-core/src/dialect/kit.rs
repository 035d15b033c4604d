//! What dialects are made of: the parts that every agent's protocol has, written once. Knows no agent's spelling; a
//! dialect brings its tables.

pub(in crate::dialect) mod answer;
pub(in crate::dialect) mod call;
pub(in crate::dialect) mod denial;
pub(in crate::dialect) mod entry;
pub(in crate::dialect) mod event;
pub(in crate::dialect) mod field;
pub(in crate::dialect) mod file;
pub(in crate::dialect) mod groups;
pub(in crate::dialect) mod heard;
pub(in crate::dialect) mod protocol;
pub(in crate::dialect) mod reply;
pub(in crate::dialect) mod request;
pub(in crate::dialect) mod tool_result;
pub(in crate::dialect) mod unasked;
pub(in crate::dialect) mod unread;
