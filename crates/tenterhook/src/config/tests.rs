//! Tests of `config`.
