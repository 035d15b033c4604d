//! The interactive face as a whole.
