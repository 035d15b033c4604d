//! Rules in tables.
