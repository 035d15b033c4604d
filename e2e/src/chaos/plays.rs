//! Rows that are more than one firing, and what is looked at after one. Gathers them; judges nothing itself.

pub(super) mod clock;
pub(super) mod codes;
pub(super) mod files;
pub(super) mod host;
pub(super) mod http;
pub(super) mod isolation;
pub(super) mod killed;
pub(super) mod privilege;
pub(super) mod recursion;
pub(super) mod stream;
pub(super) mod streams;
pub(super) mod texts;
pub(super) mod workers;
