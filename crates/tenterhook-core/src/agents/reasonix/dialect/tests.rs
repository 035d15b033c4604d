//! Tests of the dialect: configs, payloads and answers.

mod answers;
mod configs;
mod payloads;
