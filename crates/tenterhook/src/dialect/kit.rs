//! What dialects are made of: the parts that every agent's protocol has, written once. Knows no agent's spelling; a
//! dialect brings its tables.

pub(in crate::dialect) mod denial;
