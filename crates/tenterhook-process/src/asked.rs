//! What a watched child asked its kernel for: facts, whatever came of it.

use std::path::PathBuf;

/// One thing that a watched program, or one that it started, asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// The program that asked, by the name that the kernel has of it: 15 bytes at most.
    pub program: String,
    /// What it asked for.
    pub wish: Wish,
}

/// What a program wants of its machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// To read what is there.
    Read(PathBuf),
    /// To make, change or remove it.
    Change(PathBuf),
    /// To execute it.
    Execute(PathBuf),
    /// To talk to somebody: at a TCP port, or by means that have none.
    Reach(Option<u16>),
}
