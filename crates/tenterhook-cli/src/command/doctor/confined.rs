//! In what does each hook run here that starts a program? Asks the configuration and the machine; starts nothing.

use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::Engine;
use tenterhook_core::config::Source;
use tenterhook_core::hook::{Arming, Hook, Peers, Run, Sandbox};
use tenterhook_process::{Means, Tier};

use super::sources::is_ours_alone;
use crate::ambient::Here;
use crate::load::{Loaded, shorten};
use crate::show::layout::count;

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
    fn new(sandbox: &Sandbox, means: Means) -> Self {
        let Some(grants) = sandbox.grants() else { return Self::Free };
        let demanded = match grants.demands() {
            tenterhook_core::hook::Tier::T0 => Tier::T0,
            tenterhook_core::hook::Tier::T1 => Tier::T1,
            tenterhook_core::hook::Tier::T2 => Tier::T2,
        };
        let is_of_ports = matches!(grants.net, Peers::Tcp(_));
        match means.tier_for(demanded) {
            reached if reached < demanded => Self::Not(Lack::Tier(demanded)),
            Tier::T0 => Self::Unconfined,
            _ if grants.processes.is_some() && !means.processes => Self::Not(Lack::Counting),
            _ if is_of_ports && !means.narrows_ports() => Self::Not(Lack::Ports),
            reached => Self::In(reached),
        }
    }

    /// The word for it in the JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::Free | Self::Unconfined => Tier::T0.name(),
            Self::In(tier) => tier.name(),
            Self::Not(_) => "none",
        }
    }
}

/// All of them, in the order in which they run. What an agent's file has to call us is the agent's to run.
pub(super) fn programs(
    loaded: &Loaded,
    engine: &Engine,
    means: Means,
    here: &Here,
) -> Vec<Program> {
    let ruleset = engine.ruleset();
    let calls_us: Vec<&Source> =
        loaded.sources.iter().filter(|source| is_ours_alone(&source.text)).collect();
    let starts = |hook: &&Arc<Hook>| {
        let file = hook.place.as_ref().map(|at| &at.file);
        hook.arming == Arming::Armed
            && matches!(hook.run, Run::Command(_) | Run::Worker(_))
            && !calls_us.iter().any(|source| file == Some(&source.name))
    };
    let program = |hook: &Arc<Hook>| Program {
        name: hook.id.as_str().to_owned(),
        is_named: hook.own_name().is_some(),
        place: hook.place.as_ref().map(|at| (shorten(&at.file, &here.roots), at.line)),
        sandbox: hook.sandbox.summary(),
        runs: Runs::new(&hook.sandbox, means),
    };
    ruleset.hooks().iter().filter(starts).map(program).collect()
}

/// A lead and a sentence for each file and each end that its hooks meet.
pub(super) fn lines(all: &[Program], here: Tier) -> Vec<(&'static str, String)> {
    let mut groups: Vec<Vec<&Program>> = Vec::new();
    for program in all {
        match groups.iter_mut().find(|group| group.iter().all(|other| other.is_like(program))) {
            Some(group) => group.push(program),
            None => groups.push(vec![program]),
        }
    }
    groups.iter().filter_map(|group| Some(group.first()?.line(group, here))).collect()
}

impl Program {
    fn is_like(&self, other: &Self) -> bool {
        let file = |program: &Self| program.place.as_ref().map(|(file, _)| file.clone());
        file(self) == file(other) && self.sandbox == other.sandbox && self.runs == other.runs
    }

    fn line(&self, group: &[&Self], here: Tier) -> (&'static str, String) {
        let whose = self.place.as_ref().map_or_else(String::new, |(file, _)| format!(" of {file}"));
        let who = format!("{}{whose}", named(group));
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

    pub(super) fn value(&self) -> Value {
        let (file, line) = self.place.clone().unzip();
        json!({
            "name": self.name, "file": file, "line": line, "sandbox": self.sandbox,
            "runs_in": self.runs.name(),
        })
    }
}

/// The names of a group: the first ones if it is large, and the number of hooks without a name.
fn named(group: &[&Program]) -> String {
    const SHOWN: usize = 4;
    if !group.iter().all(|program| program.is_named) {
        return count(group.len(), "hook");
    }
    let quoted = |program: &&Program| format!("`{}`", program.name);
    let shown: Vec<String> = group.iter().take(SHOWN).map(quoted).collect();
    match group.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        1 => format!("{} and 1 more", shown.join(", ")),
        many => format!("{} and {many} others", shown.join(", ")),
    }
}
