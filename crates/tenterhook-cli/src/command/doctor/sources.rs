//! Do the files with hooks load, and does anybody trust them? Runs none of them.

use std::path::Path;

use tenterhook::diagnostic::{Diagnostic, Severity};
use tenterhook::install::{self, AGENTS, Agent};
use tenterhook::trust::{Origin, State, Trust};

use super::finding::{Finding, Kind, Mend};
use crate::ambient::Here;
use crate::load::{self, Whose, shorten};
use crate::show::words::count;

/// What is wrong with the files that would be read from here.
pub(super) fn findings(here: &Here) -> Vec<Finding> {
    let mut loaded = load::read(&[], Whose::Unsaid, here);
    let engine = loaded.engine(|builder| builder);
    drop(engine);
    let mut found: Vec<Finding> = loaded
        .diagnostics
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .map(|it| broken(it, here))
        .collect();
    let trust = here.trust();
    for source in &loaded.sources {
        let review = trust.review(source);
        let why = match (Trust::origin(source), review.state) {
            (Origin::Repository, State::Unknown) => "nobody approved it",
            (_, State::Changed) => "it was changed since it was approved",
            _ => continue,
        };
        if review.is_empty() || is_ours_alone(&source.text) {
            continue;
        }
        let hooks = count(review.entries.len(), "hook");
        let what = format!("its {hooks} do not run as written: {why}");
        let shown = shorten(&source.name, &here.roots);
        let mend = Mend::run(format!("tenterhook trust {shown}"));
        found.push(Finding::new(Kind::SourceNotApproved, what, mend).at(
            Path::new(&*source.name),
            None,
            here,
        ));
    }
    for hidden in &loaded.hidden {
        let what = format!(
            "its {} are read by nobody here: {}",
            count(hidden.hooks, "hook"),
            hidden.because
        );
        let shown = shorten(&hidden.path.to_string_lossy(), &here.roots);
        let mend = Mend::run(format!("tenterhook check --config {shown}"));
        found.push(Finding::new(Kind::SourceUnread, what, mend).at(&hidden.path, None, here));
    }
    found
}

/// What `install` wrote is for the agent to run, and the bridge never fires it: there is nothing to approve.
fn is_ours_alone(text: &str) -> bool {
    let calls = |it: &Agent| install::installed(it, text).is_ok_and(|it| !it.is_empty());
    let others = |it: &Agent| install::foreign(it, text).is_ok_and(|it| !it.is_empty());
    AGENTS.iter().any(|it| calls(it) && !others(it))
}

fn broken(it: &Diagnostic, here: &Here) -> Finding {
    let mend = match &it.place {
        Some(place) => Mend::run(format!("tenterhook check {}", shorten(&place.file, &here.roots))),
        None => Mend::run("tenterhook check"),
    };
    let finding = Finding::new(Kind::ConfigBroken, it.message.as_str(), mend);
    match &it.place {
        Some(place) => finding.at(Path::new(&*place.file), Some(place.line), here),
        None => finding,
    }
}
