//! What dialects are made of: the parts that every agent's protocol has, written once. Knows no
//! agent's spelling; a dialect brings its tables.

pub(crate) mod answer;
pub(crate) mod call;
pub(crate) mod denial;
pub(crate) mod entry;
pub(crate) mod event;
pub(crate) mod field;
pub(crate) mod file;
pub(crate) mod groups;
pub(crate) mod lint;
pub(crate) mod plugin;
pub(crate) mod protocol;
pub(crate) mod reply;
pub(crate) mod reply_form;
pub(crate) mod request;
pub(crate) mod shape;
pub(crate) mod tool_result;
pub(crate) mod unread;
