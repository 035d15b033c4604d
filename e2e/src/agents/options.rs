//! What was asked of `cargo e2e agents`. Reads words and two variables; decides nothing about agents.

use std::path::PathBuf;

use tenterhook_probe::{AGENTS, Agent};

use super::cases::Column;
use super::silenced;
use crate::tree;

/// Claude Code as npm gives it where Node is older than it wants.
pub(super) const CLAUDE_ON_OLD_NODE: &str = "2.1.197";

/// Pi as most people have it: its package, its version, and what it needs beside Node.
const PI_ON_OLD_NODE: (&str, &str, &[&str]) = ("@mariozechner/pi-coding-agent", "0.73.1", &[]);

/// What was asked.
#[derive(Debug)]
pub(super) struct Options {
    /// Where agents are installed.
    pub(super) cache: PathBuf,
    only: Vec<String>,
    proprietary: bool,
    /// All cases, or those that stand for the others.
    pub(super) whole: bool,
    pub(super) bless: bool,
    pub(super) columns: Vec<Column>,
    pub(super) times: usize,
    pub(super) jobs: usize,
    /// How many denials must arrive while the machine has four times more to do than it has cores; 0: not asked.
    pub(super) loaded: usize,
    /// The folder that keeps what was found of each agent, if a later run is to go on where this one ends.
    pub(super) resume: Option<PathBuf>,
    /// Prints what an agent said whose play went wrong.
    pub(super) verbose: bool,
}

const USAGE: &str = "usage: cargo e2e agents [NAME | NAME-VERSION]... [--whole] [--proprietary] [--bless] [--without | --with] [--times N] [--loaded N] [--jobs N] [--cache DIR] [--resume DIR]";

impl Options {
    #[expect(clippy::disallowed_methods, reason = "a program reads its own environment")]
    pub(super) fn read(args: &[&str]) -> Result<Self, String> {
        let cache = std::env::var_os("TENTERHOOK_AGENTS").map(PathBuf::from);
        let mut options = Self {
            cache: cache.unwrap_or_else(|| tree::root().join("target/agents")),
            only: Vec::new(),
            proprietary: std::env::var_os("TENTERHOOK_PROPRIETARY").is_some(),
            whole: false,
            bless: false,
            columns: vec![Column::Without, Column::With],
            times: 1,
            jobs: 3,
            loaded: 0,
            resume: None,
            verbose: false,
        };
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let mut value =
                || args.next().copied().ok_or(format!("`{word}` needs a value\n{USAGE}"));
            let number =
                |arg: &str| arg.parse().map_err(|_| format!("`{arg}` is no number\n{USAGE}"));
            match *word {
                "--whole" => options.whole = true,
                "--proprietary" | "--claude" => options.proprietary = true,
                "--bless" => (options.bless, options.whole) = (true, true),
                "--without" => options.columns = vec![Column::Without],
                "--with" => options.columns = vec![Column::With],
                "--verbose" => options.verbose = true,
                "--times" => options.times = number(value()?)?,
                "--loaded" => options.loaded = number(value()?)?,
                "--jobs" => options.jobs = number(value()?)?,
                "--cache" => options.cache = PathBuf::from(value()?),
                "--resume" => options.resume = Some(PathBuf::from(value()?)),
                name if AGENTS.iter().any(|agent| agent.name == without_version(name)) => {
                    options.only.push(name.to_owned())
                }
                _ => return Err(format!("`{word}` is neither an option nor an agent\n{USAGE}")),
            }
        }
        // What an agent does alone on a busy machine is not asked, and one that ends its run at a denial would be started a hundred times.
        if options.loaded > 0 && options.columns.len() > 1 {
            options.columns = vec![Column::With];
        }
        // Rounds and load are played to be played again.
        if options.resume.is_some() && (options.times > 1 || options.loaded > 0) {
            return Err(format!("`--resume` goes with neither `--times` nor `--loaded`\n{USAGE}"));
        }
        Ok(options)
    }

    /// The agents to play: who names one whose licence is not open has asked for it.
    pub(super) fn agents(&self) -> Vec<Agent> {
        let wanted = |agent: &&Agent| match self.only.is_empty() {
            true => agent.open || self.proprietary,
            false => self.only.iter().any(|name| without_version(name) == agent.name),
        };
        let mut agents: Vec<Agent> = AGENTS.iter().filter(wanted).copied().collect();
        if let Some(claude) = agents.iter().find(|agent| agent.name == "claude").copied() {
            let mut old = claude;
            old.version = CLAUDE_ON_OLD_NODE;
            agents.push(old);
            let mut new = claude;
            new.version = silenced::VERSION;
            agents.push(new);
        }
        if let Some(mut old) = agents.iter().find(|agent| agent.name == "pi").copied() {
            (old.package, old.version, old.beside) = PI_ON_OLD_NODE;
            agents.push(old);
        }
        let is_named = |agent: &Agent| {
            let with_version = format!("{}-{}", agent.name, agent.version);
            self.only.iter().any(|name| *name == agent.name || *name == with_version)
        };
        agents.retain(|agent| self.only.is_empty() || is_named(agent));
        agents
    }
}

/// The name of an agent that may be named with one of its versions, as in `claude-2.1.332`.
fn without_version(name: &str) -> &str {
    let is_version = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    name.rsplit_once('-').filter(|(_, version)| is_version(version)).map_or(name, |(name, _)| name)
}
