//! Does anything switch an agent's hooks off, in the files that `install` writes or in others? Reads files, strongest first.

use std::path::PathBuf;

use tenterhook::install::{self, Agent, Key, Scope, Switched};

use super::entries::{File, install_line, line_of};
use super::finding::{Finding, Kind, Mend};
use crate::ambient::Here;
use crate::command::install::files::{home, read};

/// Below which directory a file stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    AgentHome,
    Project,
    Root,
}

/// A switch in a file that `install` does not write.
struct Elsewhere {
    agent: &'static str,
    below: Below,
    file: &'static str,
    /// Where the switch stands in it, and the value that switches off.
    key: Key,
}

/// Those that are stronger than the person's and the project's own files, the strongest first.
const ELSEWHERE: &[Elsewhere] = &[
    Elsewhere {
        agent: "claude",
        below: Below::Project,
        file: ".claude/settings.local.json",
        key: (&["disableAllHooks"], true),
    },
    Elsewhere {
        agent: "codex",
        below: Below::Project,
        file: ".codex/config.toml",
        key: (&["features", "hooks"], false),
    },
    Elsewhere {
        agent: "codex",
        below: Below::AgentHome,
        file: "config.toml",
        key: (&["features", "hooks"], false),
    },
];

/// The organisation's word for: no hooks but its own. Claude Code has it in a file that `install` writes, too.
const ONLY_MANAGED: &[Elsewhere] = &[
    Elsewhere {
        agent: "claude",
        below: Below::Root,
        file: "etc/claude-code/managed-settings.json",
        key: (&["allowManagedHooksOnly"], true),
    },
    Elsewhere {
        agent: "codex",
        below: Below::Root,
        file: "etc/codex/requirements.toml",
        key: (&["allow_managed_hooks_only"], true),
    },
];

/// What a file says of all hooks of its agent.
struct Said {
    path: PathBuf,
    text: String,
    switched: Switched,
}

impl Elsewhere {
    fn said(&self, agent: &Agent, here: &Here) -> Option<Said> {
        let project = || here.roots.repository.clone().unwrap_or_else(|| here.roots.cwd.clone());
        let directory = match self.below {
            Below::AgentHome => home(agent, here),
            Below::Project => project(),
            Below::Root => PathBuf::from("/"),
        };
        let path = directory.join(self.file);
        let text = read(&path).ok().flatten()?;
        let switched = install::switched(&[self.key], &text)?;
        Some(Said { path, text, switched })
    }
}

pub(super) fn findings(agent: &'static Agent, files: &[File], here: &Here) -> Vec<Finding> {
    let off = switched_off(agent, files, here).into_iter();
    off.chain(only_managed(agent, files, here)).collect()
}

/// The strongest file that says anything of it is heard (BR-69).
fn switched_off(agent: &'static Agent, files: &[File], here: &Here) -> Option<Finding> {
    let in_file = |it: &File| {
        let switched = install::switched(agent.switches, &it.text)?;
        Some(Said { path: it.path.clone(), text: it.text.clone(), switched })
    };
    let (managed, others): (Vec<&File>, Vec<&File>) =
        files.iter().rev().partition(|it| it.scope == Scope::Managed);
    let elsewhere = ELSEWHERE.iter().filter(|it| it.agent == agent.name);
    let mut all = managed
        .into_iter()
        .filter_map(in_file)
        .chain(elsewhere.filter_map(|it| it.said(agent, here)))
        .chain(others.into_iter().filter_map(in_file));
    let said = all.next().filter(|it| it.switched.off)?;
    let what = format!("`{}` switches all hooks of {} off", said.switched.key, agent.title);
    let mend = Mend::words(format!("take `{}` out of the file", said.switched.key));
    Some(Finding::new(Kind::SwitchedOff, what, mend).at(&said.path, said.line(), here))
}

impl Said {
    /// Where the last word of the key stands, as JSON or TOML write it.
    fn line(&self) -> Option<usize> {
        let key = self.switched.key.rsplit('.').next().unwrap_or_default();
        line_of(&self.text, &format!("\"{key}\"")).or_else(|| {
            let is = |it: &str| {
                it.trim_start().split('=').next().is_some_and(|it| it.trim().ends_with(key))
            };
            self.text.lines().position(is).map(|at| at + 1)
        })
    }
}

fn only_managed(agent: &'static Agent, files: &[File], here: &Here) -> Option<Finding> {
    let ours: Vec<&File> = files.iter().filter(|it| !it.entries.is_empty()).collect();
    if ours.is_empty() || ours.iter().any(|it| it.scope == Scope::Managed) {
        return None;
    }
    let mut all = ONLY_MANAGED.iter().filter(|it| it.agent == agent.name);
    let said = all.find_map(|it| it.said(agent, here)).filter(|it| it.switched.off)?;
    let what = format!(
        "`{}`: your entries are not run, only those of the organisation",
        said.switched.key
    );
    let mend = match agent.places.iter().any(|it| it.scope == Scope::Managed) {
        true => install_line(agent, Scope::Managed),
        false => Mend::words("have your organisation register `tenterhook hook` there"),
    };
    Some(Finding::new(Kind::OnlyManaged, what, mend).at(&said.path, said.line(), here))
}
