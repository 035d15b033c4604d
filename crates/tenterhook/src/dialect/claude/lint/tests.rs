//! Findings in tables.
