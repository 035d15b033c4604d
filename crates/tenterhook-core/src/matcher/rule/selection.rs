//! How surely does a rule select a call, and why, or why not? Values only.

use std::fmt;

use tenterhook_shell::{Construct, Doubt, Via};

/// Whether, and how surely, a rule selects a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// It does not.
    Not(Miss),
    /// It does.
    Exact,
    /// It does, but only because doubt is restraint: this never carries an allow (S-41).
    Widened(Widening),
}

impl Selection {
    /// Returns true if the rule selects the call.
    #[must_use]
    pub fn is_selected(&self) -> bool {
        !matches!(self, Self::Not(_))
    }
}

/// Why a rule does not select a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// It is about another tool.
    Tool,
    /// Nothing in the input matches its pattern.
    Spec,
}

/// Why a rule selects a call that it does not exactly match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Widening {
    /// The agent does not read through this construct and fires (S-50).
    Construct(Construct),
    /// An expansion may turn the command into one that matches (S-48, S-51).
    Expansion,
    /// An expansion may turn the command into one that matches, but the agent reads it (S-51).
    ReadExpansion,
    /// The line could not be read in full (S-47).
    Unread(Doubt),
    /// The input lacks what the pattern is held against, or the form is not known (S-46).
    Input,
    /// The command that matches stands behind wrappers (S-49).
    Wrapper(Vec<Via>),
    /// The command matches but for where its options stand, or how far they are written out (S-35).
    Options,
    /// The command that matches stands behind a program that may run what it is handed (S-36).
    Guess {
        /// That program.
        program: String,
    },
}

impl Widening {
    /// Returns true if Claude Code itself would also fire: an exact reading keeps this widening
    /// (S-52).
    #[must_use]
    pub fn agent_also_fires(&self) -> bool {
        match self {
            Self::Construct(_) | Self::Expansion | Self::Input => true,
            Self::Unread(doubt) => {
                matches!(doubt, Doubt::Syntax { .. } | Doubt::TooLong | Doubt::TooDeep)
            }
            Self::ReadExpansion | Self::Wrapper(_) | Self::Options | Self::Guess { .. } => false,
        }
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "it is about another tool",
            Self::Spec => "nothing in the call matches it",
        })
    }
}

impl fmt::Display for Widening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Construct(construct) => write!(f, "the agent does not read through {construct}"),
            Self::Expansion | Self::ReadExpansion => f.write_str("an expansion may make it match"),
            Self::Unread(doubt) => write!(f, "{doubt}"),
            Self::Input => f.write_str("the input cannot be held against it"),
            Self::Wrapper(via) => {
                let via: Vec<_> = via.iter().map(ToString::to_string).collect();
                write!(f, "the command stands {}", via.join(", "))
            }
            Self::Options => f.write_str("the command matches but for its options"),
            Self::Guess { program } if program.is_empty() => {
                f.write_str("the line sets what a program runs by itself")
            }
            Self::Guess { program } => write!(f, "`{program}` may run the command that matches"),
        }
    }
}

/// Whether an allow of a hook that a rule selected may count (S-53).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Everything that the call would do matches the rule.
    Every,
    /// Something does not, or is not known.
    NotEvery {
        /// What, in one clause.
        reason: String,
    },
}
