//! Tests of `merge`.
