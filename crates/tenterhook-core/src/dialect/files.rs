//! Files that an agent loads beside its hook files: plugins with hooks, and MCP servers that hooks
//! call. Pure: the caller passes in the disk.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Roots;
use crate::diagnostic::Diagnostic;
use crate::hook::Layer;
use crate::source::{Flaw, Plugin, Server, Source};

/// Read access to the disk, given by the caller.
pub trait Disk {
    /// Returns the readable part of a file, and why it is not all of it; `None` if the file does
    /// not exist.
    fn read_file(&self, path: &Path) -> Option<(Arc<str>, Option<Flaw>)>;

    /// Returns the subdirectories of a directory, sorted.
    fn list_directories(&self, path: &Path) -> Vec<PathBuf>;
}

/// The plugins of an agent that count.
#[derive(Debug, Default)]
pub struct Plugins {
    /// Each with the files in which it configures hooks.
    pub active: Vec<(Plugin, Vec<PathBuf>)>,
    /// The file that says which there are, where it cannot be read and may name more.
    pub flawed: Option<(PathBuf, Flaw)>,
}

/// What silencers of an agent's hooks are looked for in.
#[derive(Clone, Copy)]
pub struct Scan<'a> {
    /// The agent's settings files, weakest first.
    pub settings: &'a [&'a Source],
    /// The directories from which files are found.
    pub roots: &'a Roots,
    /// The environment in which the agent would start.
    pub env: &'a [(String, String)],
    /// The files.
    pub disk: &'a dyn Disk,
}

impl fmt::Debug for Scan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").field("roots", self.roots).finish_non_exhaustive()
    }
}

/// Something in files that silences the hooks of an agent's settings, or could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silencer {
    /// What it is, its file and line, and what ends it.
    pub finding: Diagnostic,
    /// The layer of the file.
    pub layer: Layer,
    /// The plugin whose module it is, where it is one.
    pub plugin: Option<Plugin>,
}

/// Where an agent finds the MCP servers that it connects, and how it reads them.
#[derive(Debug)]
pub struct ServerFiles {
    /// The files of the managed, the user's and the project's servers, strongest layer first.
    pub files: fn(&Roots) -> Vec<(PathBuf, Layer)>,
    /// The file of a plugin's servers.
    pub of_plugin: fn(&Plugin) -> PathBuf,
    /// Reads the servers of a file. An entry that cannot be read is reported; the others are kept.
    pub read: fn(ServerFile<'_>, &Roots) -> ReadServers,
    /// The names of project servers that a source of hooks switches off.
    pub switched_off: fn(&Source) -> Vec<String>,
}

/// The servers of a file, and what is wrong with it.
pub type ReadServers = (Vec<Server>, Vec<Diagnostic>);

/// One text with servers.
#[derive(Clone, Copy, Debug)]
pub struct ServerFile<'a> {
    /// What people call it.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// The layer of the file.
    pub layer: Layer,
    /// The plugin that it belongs to.
    pub plugin: Option<&'a Plugin>,
}
