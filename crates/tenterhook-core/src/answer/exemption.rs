//! How the user exempts a call from the built-in rules, as rules, answers and steps carry it.
//! Stores nothing, and judges no call.

use std::fmt;

/// How the user let a call pass that a built-in rule denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// The user allowed this call once, which uses the permission up.
    AllowedOnce,
    /// The user paused the rules.
    Paused {
        /// How long the pause still lasts.
        seconds_left: u64,
    },
}

impl fmt::Display for Exemption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllowedOnce => f.write_str("the user allowed this call once"),
            Self::Paused { seconds_left } => {
                write!(f, "the user paused self-protection for {seconds_left} s more")
            }
        }
    }
}

/// Whether an exemption lifts a denial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lifted {
    /// The denial applies. Holds what the user can do about it.
    No(String),
    /// The denial is lifted.
    Yes(Exemption),
}
