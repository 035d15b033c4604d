//! An MCP server whose tools hooks can call.

use std::path::PathBuf;

use crate::diagnostic::Location;
use crate::hook::named::DialectId;
use crate::hook::{Command, Http, Layer, Sandbox};

/// An MCP server whose tools hooks can call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What hooks call it.
    pub name: String,
    /// In whose format it is configured: which variables its program inherits.
    pub dialect: DialectId,
    /// Where its entry may name variables.
    pub variables: ServerVariables,
    /// Whose configuration it is.
    pub layer: Layer,
    /// How it is reached.
    pub reach: Reach,
    /// What of the machine its program may touch.
    pub sandbox: Sandbox,
    /// The project that it serves.
    pub project: PathBuf,
    /// The person's home.
    pub home: PathBuf,
    /// Where it is configured.
    pub place: Option<Location>,
}

/// Where the entry of a server may name variables of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerVariables {
    /// In all its texts, as `${NAME}` or `${NAME:-default}` (MC-13).
    Everywhere,
    /// In its headers alone, and only those that it lists (HT-20).
    ListedInHeaders,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It is a program, spoken to by its standard streams. It starts where the command says, or not at all.
    Program(Command),
    /// It answers at an address (streamable HTTP).
    Address(Http),
    /// It never runs: it differs from the approved one, for this reason. A gate that calls it was not asked (T-23).
    Withheld(String),
}

impl Reach {
    /// Returns a description of the server for people, in one line.
    #[must_use]
    pub fn one_line_description(&self) -> String {
        match self {
            Self::Program(command) => command.line(),
            Self::Address(http) => http.url.clone(),
            Self::Withheld(why) => format!("(nothing: {why})"),
        }
    }
}
