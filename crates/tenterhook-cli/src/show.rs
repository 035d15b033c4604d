//! How values look on a screen. Returns text; writes nothing.

pub(crate) mod diagnostic;
pub(crate) mod diff;
pub(crate) mod junit;
pub(crate) mod layout;
pub(crate) mod outcome;
pub(crate) mod paint;
pub(crate) mod sarif;
pub(crate) mod table;
