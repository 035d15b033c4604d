//! The known agents, with one file each. Data; decides nothing.
//!
//! A relative path matches in any directory; `~/` is a home. A path that ends in `/` includes
//! everything in it; `*` matches any text in a name.

pub(crate) mod amp;
pub(crate) mod antigravity;
pub(crate) mod augment;
pub(crate) mod claude;
pub(crate) mod cline;
pub(crate) mod codewhale;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod crush;
pub(crate) mod cursor;
pub(crate) mod droid;
pub(crate) mod gemini;
pub(crate) mod gencode;
pub(crate) mod goose;
pub(crate) mod hermes;
mod hook_file;
pub(crate) mod ignis;
mod installation;
pub(crate) mod kilo;
pub(crate) mod kimi;
pub(crate) mod kiro;
pub(crate) mod language;
pub(crate) mod openclaw;
pub(crate) mod opencode;
pub(crate) mod pi;
pub(crate) mod qwen;
pub(crate) mod reasonix;
mod repository;
mod shared;
mod tenterhook;
pub(crate) mod vibe;
pub(crate) mod vscode;
pub(crate) mod windsurf;

pub use hook_file::{EntryValue, EventLists, Field, HookFile, JsonFile, Layout, Syntax, Wrapper};
pub use installation::{
    Approvals, Below, EnvFile, Event, Fallback, Form, Installation, Key, Pin, Plugin, PluginList,
    Protection, Scope, SwitchFile, Unhooked,
};
use installation::{
    FLAT_MCP_NAMES, env_file, gate_event, observer_event, overriding_env_file, tool_gate_event,
    tool_observer_event,
};
pub use shared::SharedFiles;
use tenterhook_shell::Language;

pub use repository::{CommandKey, Commands, Condition, Consent, RepositoryFile};

pub use self::{
    antigravity::AGENT as ANTIGRAVITY, augment::AGENT as AUGMENT, claude::AGENT as CLAUDE,
    cline::AGENT as CLINE, codex::AGENT as CODEX, copilot::AGENT as COPILOT, crush::AGENT as CRUSH,
    cursor::AGENT as CURSOR, droid::AGENT as DROID, gemini::AGENT as GEMINI, goose::AGENT as GOOSE,
    hermes::AGENT as HERMES, kilo::AGENT as KILO, kimi::AGENT as KIMI, kiro::AGENT as KIRO,
    openclaw::AGENT as OPENCLAW, opencode::AGENT as OPENCODE, pi::AGENT as PI, qwen::AGENT as QWEN,
    tenterhook::AGENT as TENTERHOOK, vibe::AGENT as VIBE, vscode::AGENT as VSCODE,
    windsurf::AGENT as WINDSURF,
};

/// An agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its name in flags and configs, which is also the name of its dialect, if any.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Whether its hooks were seen to work.
    pub evidence: Evidence,
    /// The names of its program, the usual one first.
    pub programs: &'static [&'static str],
    /// Packages and images that start it, unless they have the name of a program.
    pub packages: &'static [&'static str],
    /// Whether its name is a part of many English words, so that only the whole word means it.
    pub is_part_of_words: bool,
    /// The languages in which its shell tool may be written on Windows; empty where that is unknown (S-85).
    pub windows_shell: &'static [Language],
    /// Where it stores its sessions, if they can be read.
    pub sessions: Option<Sessions>,
    /// The files, variables and options that decide whether its hooks run.
    pub guarded: Guarded,
    /// What it runs of a project's files before and beside the tool calls of a session.
    pub repository_files: &'static [RepositoryFile],
    /// Hook files of other agents of which it runs hooks, too.
    pub reads: &'static [SharedFiles],
    /// How to register hooks with it; [`Installation::NONE`] if that is impossible.
    pub installation: Installation,
}

/// How the facts about an agent's hooks are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The unmodified agent was run, and its denials were seen to arrive.
    Played,
    /// The facts were only read: `install` needs `--experimental`, and `status` says so (BR-170).
    Read {
        /// Where they were read, for people, with the version or the date.
        source: &'static str,
    },
}

impl Evidence {
    /// Where the facts were read, if the agent was never run.
    #[must_use]
    pub const fn source_if_only_read(self) -> Option<&'static str> {
        match self {
            Self::Played => None,
            Self::Read { source } => Some(source),
        }
    }
}

/// Files, variables and options that decide whether an agent's hooks run, from its own
/// documentation.
#[derive(Clone, Copy, Debug)]
pub struct Guarded {
    /// Files that configure its hooks, whether they run, and its trust.
    pub files: &'static [&'static str],
    /// Variables that make it read different files, or skip files.
    pub variables: &'static [&'static str],
    /// Options that disable hooks, questions or trust checks, or make it read different files. An
    /// option with `=` has this effect only with that value.
    pub options: &'static [&'static str],
    /// Its commands that load code into its process, or keep its hooks from running, by their first
    /// words.
    pub commands: &'static [&'static [&'static str]],
    /// Directories of texts whose front matter may have hooks. Users let agents write them, so no
    /// tool call is denied for them; a sandbox does not allow writes there.
    pub texts: &'static [&'static str],
    /// Its tools that hand a text to another model, which changes the agent's settings.
    pub settings_tools: &'static [&'static str],
    /// How it loads modules that run inside it, if it has any.
    pub modules: Option<&'static Modules>,
}

/// Where an agent stores its sessions.
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    /// The variable that moves the directory in which they are.
    pub variable: Option<&'static str>,
    /// That directory below the person's home.
    pub home: &'static str,
    /// The directories of sessions below it, or a database.
    pub directories: &'static [&'static str],
}

impl Guarded {
    const NONE: Self = Self {
        files: &[],
        variables: &[],
        options: &[],
        commands: &[],
        texts: &[],
        settings_tools: &[],
        modules: None,
    };
}

/// How an agent loads modules.
#[derive(Clone, Copy, Debug)]
pub struct Modules {
    /// Files without which a folder is no plugin, written as in the table of agents.
    pub files: &'static [&'static str],
    /// Directories in which each directory may be a plugin.
    pub directories: &'static [&'static str],
    /// The file that makes such a directory a plugin.
    pub manifest: &'static str,
    /// Its commands that install, enable or load plugins, by their first arguments.
    pub commands: &'static [&'static [&'static str]],
    /// Its slash commands with the same effect.
    pub slash: &'static [&'static str],
    /// Settings with the same effect, as written on a command line.
    pub settings: &'static [&'static str],
    /// The arguments before a folder that make its program analyze the folder's modules without
    /// running them.
    pub validate: &'static [&'static str],
    /// Prefixes of the events and calls by which a module could silence hooks, or change their
    /// input.
    pub silencing: &'static [&'static str],
}

impl Agent {
    /// An agent of which nothing is known, from which the others differ.
    const NONE: Self = Self {
        name: "",
        title: "",
        evidence: Evidence::Played,
        programs: &[],
        packages: &[],
        is_part_of_words: false,
        windows_shell: &[],
        sessions: None,
        guarded: Guarded::NONE,
        repository_files: &[],
        reads: &[],
        installation: Installation::NONE,
    };

    /// The agent's main program name.
    #[must_use]
    pub fn program_name(&self) -> &'static str {
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
    &kilo::AGENT,
    &pi::AGENT,
    &openclaw::AGENT,
    &goose::AGENT,
    &qwen::AGENT,
    &cline::AGENT,
    &gemini::AGENT,
    &cursor::AGENT,
    &vscode::AGENT,
    &windsurf::AGENT,
    &antigravity::AGENT,
    &droid::AGENT,
    &vibe::AGENT,
    &hermes::AGENT,
    &kiro::AGENT,
    &kimi::AGENT,
    &amp::AGENT,
    &augment::AGENT,
    &crush::AGENT,
    &gencode::AGENT,
    &ignis::AGENT,
    &codewhale::AGENT,
    &reasonix::AGENT,
];

/// The agent whose program has this file name.
#[must_use]
pub fn agent_by_program(program: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.programs.contains(&program))
}

/// Iterates over what agents run of a project's files: the agent's name for people, and the file.
pub fn repository_files_by_agent() -> impl Iterator<Item = (&'static str, &'static RepositoryFile)>
{
    AGENTS.iter().flat_map(|agent| agent.repository_files.iter().map(|file| (agent.title, file)))
}

/// Iterates over the agents whose modules could silence hooks.
pub fn agents_with_modules() -> impl Iterator<Item = (&'static Agent, &'static Modules)> + Clone {
    AGENTS.iter().copied().filter_map(|agent| Some((agent, agent.guarded.modules?)))
}

/// Iterates over the agents into which `install` can write hooks that call Tenterhook.
pub fn agents_with_hook_installation() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().copied().filter(|agent| agent.installation.form != Form::Missing)
}

/// Finds the agent called `name`, if `install` can write hooks into it.
#[must_use]
pub fn agent_with_hook_installation(name: &str) -> Option<&'static Agent> {
    agents_with_hook_installation().find(|agent| agent.name == name)
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
