//! Every agent that this project knows, one file each, and what each file says of its agent. Data:
//! decides nothing.
//!
//! A path without a start is one in any directory; `~/` is a home. A path that ends in `/` stands
//! for everything in it; `*` is any text in a name.

mod amp;
mod antigravity;
mod augment;
pub(crate) mod claude;
pub(crate) mod cline;
pub(crate) mod codewhale;
pub(crate) mod codex;
pub(crate) mod copilot;
mod cursor;
mod factory;
pub(crate) mod gemini;
pub(crate) mod gencode;
pub(crate) mod goose;
pub(crate) mod ignis;
mod installation;
mod kiro;
pub(crate) mod opencode;
pub(crate) mod qwen;
pub(crate) mod reasonix;
mod tenterhook;
mod windsurf;

pub use installation::{
    Below, ConfigPath, Event, Form, Installation, Key, Scope, SwitchFile, Unhooked,
};
use installation::{config_path, gate, observer, tool_gate, tool_observer};

/// An agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// What it is called here, and its dialect, where it has one.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its program is called, the usual name first.
    pub programs: &'static [&'static str],
    /// Packages and images by which it is started whose name is not the name of a program.
    pub packages: &'static [&'static str],
    /// What decides whether its hooks run.
    pub guarded: Guarded,
    /// How it is made to call; [`Installation::NONE`] where it cannot be.
    pub installation: Installation,
}

/// Files, variables and options that decide whether an agent's hooks run, from its own
/// documentation.
#[derive(Clone, Copy, Debug)]
pub struct Guarded {
    /// Files that say which hooks it has, whether they run, and whom it trusts.
    pub files: &'static [&'static str],
    /// Variables that make it read other files, or skip them.
    pub variables: &'static [&'static str],
    /// Options that switch hooks, questions or trust off, or make it read other files. With `=`,
    /// that value alone.
    pub options: &'static [&'static str],
    /// Directories of texts whose head may hold hooks. A person lets agents write them, so that no
    /// tool call is denied for them; a sandbox does not write there.
    pub texts: &'static [&'static str],
    /// Where it finds modules that run inside it, where it has such.
    pub modules: Option<&'static Modules>,
}

impl Guarded {
    const NONE: Self = Self { files: &[], variables: &[], options: &[], texts: &[], modules: None };
}

/// How one agent comes by modules.
#[derive(Clone, Copy, Debug)]
pub struct Modules {
    /// Files without which a folder is no plugin, written as in the table of agents.
    pub files: &'static [&'static str],
    /// Directories in which each directory may be a plugin.
    pub directories: &'static [&'static str],
    /// The file that makes such a directory a plugin.
    pub manifest: &'static str,
    /// Its commands that install, enable or load plugins, by their first words.
    pub commands: &'static [&'static [&'static str]],
    /// Its slash commands that do.
    pub slash: &'static [&'static str],
    /// Settings that do, as they are written on a command line.
    pub settings: &'static [&'static str],
    /// The words before a folder with which its program analyses the modules of that folder,
    /// without running them.
    pub validate: &'static [&'static str],
    /// How the names of events and calls begin with which a module could silence hooks, or change
    /// what they see.
    pub silencing: &'static [&'static str],
}

impl Agent {
    /// What its program is usually called.
    #[must_use]
    pub fn program(&self) -> &'static str {
        self.programs.first().copied().unwrap_or(self.name)
    }
}

/// Every agent.
pub static AGENTS: &[&Agent] = &[
    &tenterhook::AGENT,
    &claude::AGENT,
    &codex::AGENT,
    &copilot::AGENT,
    &opencode::AGENT,
    &goose::AGENT,
    &qwen::AGENT,
    &cline::AGENT,
    &gemini::AGENT,
    &cursor::AGENT,
    &windsurf::AGENT,
    &antigravity::AGENT,
    &factory::AGENT,
    &kiro::AGENT,
    &amp::AGENT,
    &augment::AGENT,
    &gencode::AGENT,
    &ignis::AGENT,
    &codewhale::AGENT,
    &reasonix::AGENT,
];

/// The agent whose program has that file name.
#[must_use]
pub fn agent_by_program(program: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.programs.contains(&program))
}

/// The agents whose modules could silence hooks.
pub fn with_modules() -> impl Iterator<Item = (&'static Agent, &'static Modules)> + Clone {
    AGENTS.iter().copied().filter_map(|agent| Some((agent, agent.guarded.modules?)))
}

/// The agents that can be made to call.
pub fn callers() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().copied().filter(|agent| !agent.installation.places.is_empty())
}

/// The agent of that name that can be made to call.
#[must_use]
pub fn caller(name: &str) -> Option<&'static Agent> {
    callers().find(|agent| agent.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_agents_are_unique() {
        let mut names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
