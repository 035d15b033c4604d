//! What programs do to their supervisor, one file per kind of misbehaviour.
//!
//! Real processes and real time. Every run carries a tag, and every test asserts that no process
//! with its tag is left.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "what tests share may fail them")]

mod announces;
mod calls;
mod confines;
mod ends;
mod floods;
mod host;
mod leaves;
mod namespaces;
mod parts;
mod roots;
mod scene;
mod signals;
mod starts;
mod streams;
mod watches;
