//! Tests of the dialect, by direction.
