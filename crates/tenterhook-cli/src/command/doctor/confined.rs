//! In what does each hook run here that starts a program? Asks the configuration and the machine; starts nothing.

use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::Engine;
use tenterhook_core::config::Source;
use tenterhook_core::hook::{Arming, Hook, Peers, Run, Sandbox};
use tenterhook_process::{Means, Tier};

use super::sources::contains_only_our_entries;
use crate::ambient::Here;
use crate::load::{Loaded, shorten_path};
use crate::show::layout::format_count;

/// A hook that starts a program.
pub(super) struct Program {
    name: String,
    /// Whether a person gave it that name.
    is_named: bool,
    /// The file of its entry, as people call it, and the line.
    place: Option<(String, usize)>,
    /// What it is left, in words.
    sandbox: String,
    runs: Runs,
}

/// What becomes of it on this machine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// No sandbox.
    Free,
    /// It would be confined, and runs with all rights where that cannot be had.
    Unconfined,
    In(Tier),
    /// It demands what is not to be had here.
    Not(Lack),
}

/// What a machine does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lack {
    Tier(Tier),
    /// The processes of root are not counted.
    Counting,
    /// Ports are not told apart.
    Ports,
}

impl Runs {
    fn from_sandbox(sandbox: &Sandbox, means: Means) -> Self {
        let Some(grants) = sandbox.grants() else { return Self::Free };
        let demanded = match grants.required_tier() {
            tenterhook_core::hook::Tier::T0 => Tier::T0,
            tenterhook_core::hook::Tier::T1 => Tier::T1,
            tenterhook_core::hook::Tier::T2 => Tier::T2,
        };
        let is_of_ports = matches!(grants.net, Peers::Tcp(_));
        match means.tier_for_requirement(demanded) {
            reached if reached < demanded => Self::Not(Lack::Tier(demanded)),
            Tier::T0 => Self::Unconfined,
            _ if grants.processes.is_some() && !means.processes => Self::Not(Lack::Counting),
            _ if is_of_ports && !means.can_limit_ports() => Self::Not(Lack::Ports),
            reached => Self::In(reached),
        }
    }

    /// Returns the name of this value in the JSON output.
    const fn name(self) -> &'static str {
        match self {
            Self::Free | Self::Unconfined => Tier::T0.name(),
            Self::In(tier) => tier.name(),
            Self::Not(_) => "none",
        }
    }
}

/// Returns the programs of all hooks and how each is confined, in the order in which they run. The
/// entries with which an agent's file calls Tenterhook are left out: the agent runs them.
pub(super) fn confined_programs(
    loaded: &Loaded,
    engine: &Engine,
    means: Means,
    here: &Here,
) -> Vec<Program> {
    let ruleset = engine.ruleset();
    let calls_us: Vec<&Source> =
        loaded.sources.iter().filter(|source| contains_only_our_entries(&source.text)).collect();
    let starts = |hook: &&Arc<Hook>| {
        let file = hook.place.as_ref().map(|at| &at.file);
        hook.arming == Arming::Armed
            && matches!(hook.run, Run::Command(_) | Run::Worker(_))
            && !calls_us.iter().any(|source| file == Some(&source.name))
    };
    let program = |hook: &Arc<Hook>| Program {
        name: hook.id.as_str().to_owned(),
        is_named: hook.configured_name().is_some(),
        place: hook.place.as_ref().map(|at| (shorten_path(&at.file, &here.roots), at.line)),
        sandbox: hook.sandbox.summary(),
        runs: Runs::from_sandbox(&hook.sandbox, means),
    };
    ruleset.hooks().iter().filter(starts).map(program).collect()
}

/// Returns a label and a sentence for each group of programs with the same file, sandbox and
/// result.
pub(super) fn summary_lines(all: &[Program], here: Tier) -> Vec<(&'static str, String)> {
    let mut groups: Vec<Vec<&Program>> = Vec::new();
    for program in all {
        match groups
            .iter_mut()
            .find(|group| group.iter().all(|other| other.is_in_same_group(program)))
        {
            Some(group) => group.push(program),
            None => groups.push(vec![program]),
        }
    }
    groups.iter().filter_map(|group| Some(group.first()?.summary_line(group, here))).collect()
}

impl Program {
    fn is_in_same_group(&self, other: &Self) -> bool {
        let file = |program: &Self| program.place.as_ref().map(|(file, _)| file.clone());
        file(self) == file(other) && self.sandbox == other.sandbox && self.runs == other.runs
    }

    fn summary_line(&self, group: &[&Self], here: Tier) -> (&'static str, String) {
        let whose = self.place.as_ref().map_or_else(String::new, |(file, _)| format!(" of {file}"));
        let who = format!("{}{whose}", display_names_of_group(group));
        let (runs, not_started) = match group.len() {
            1 => ("runs", "is not started: it demands"),
            _ => ("run", "are not started: they demand"),
        };
        let sandbox = &self.sandbox;
        match self.runs {
            Runs::Free => (Tier::T0.name(), format!("{who} {runs} with all your rights")),
            Runs::Unconfined => (
                Tier::T0.name(),
                format!("{who} {runs} with all your rights: nothing can be confined here"),
            ),
            Runs::In(tier) => (tier.name(), format!("{who} {runs} in `{sandbox}`")),
            Runs::Not(lack) => {
                let lacks = match lack {
                    Lack::Counting => "`processes`, which does not bind root".to_owned(),
                    Lack::Ports => "ports in `net`, which cannot be told apart here".to_owned(),
                    Lack::Tier(tier) => {
                        format!("{}, and {} is reached here", tier.name(), here.name())
                    }
                };
                ("none", format!("{who} {not_started} {lacks}"))
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let (file, line) = self.place.clone().unzip();
        json!({
            "name": self.name, "file": file, "line": line, "sandbox": self.sandbox,
            "runs_in": self.runs.name(),
        })
    }
}

/// Returns the names of a group: the first ones if it is large, and the number of hooks without a
/// name.
fn display_names_of_group(group: &[&Program]) -> String {
    const SHOWN: usize = 4;
    if !group.iter().all(|program| program.is_named) {
        return format_count(group.len(), "hook");
    }
    let quoted = |program: &&Program| format!("`{}`", program.name);
    let shown: Vec<String> = group.iter().take(SHOWN).map(quoted).collect();
    match group.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        1 => format!("{} and 1 more", shown.join(", ")),
        many => format!("{} and {many} others", shown.join(", ")),
    }
}
