//! Do the files with hooks load, and does anybody trust them? Runs none of them.

use std::path::Path;
use std::sync::Arc;

use tenterhook::Engine;
use tenterhook::agents::{Agent, Form, callers};
use tenterhook::config::Source;
use tenterhook::diagnostic::{Code, Diagnostic, Severity};
use tenterhook::dialect::DialectId;
use tenterhook::hook::{Arming, Command, Hook, Invocation, Run};
use tenterhook::install;
use tenterhook::trust::{Origin, State, Trust};

use super::finding::{Finding, Kind, Mend, typed};
use crate::ambient::Here;
use crate::load::{Loaded, shorten};
use crate::show::words::count;

/// What is wrong with the files that would be read from here, before these agents that call.
pub(super) fn findings(
    calling: &[&'static Agent],
    loaded: &Loaded,
    engine: &Engine,
    here: &Here,
) -> Vec<Finding> {
    let errors = loaded.diagnostics.iter().filter(|it| it.severity == Severity::Error);
    let mut found: Vec<Finding> = errors.map(|it| broken(it, here)).collect();
    let trust = here.trust();
    found.extend(loaded.sources.iter().filter_map(|it| not_approved(it, &trust, here)));
    let twice = calling.iter().flat_map(|it| runs_twice(it, loaded, engine, here));
    found.extend(twice.collect::<Vec<_>>());
    for hidden in &loaded.hidden {
        let hooks = count(hidden.hooks, "hook");
        let what = format!("its {hooks} are read by nobody here: {}", hidden.because);
        let mend =
            Mend::words("move them to where they are read, or name the file with `--config`");
        found.push(Finding::new(Kind::SourceUnread, what, mend).at(&hidden.path, None, here));
    }
    found
}

fn not_approved(source: &Source, trust: &Trust, here: &Here) -> Option<Finding> {
    let review = trust.review(source);
    let why = match (Trust::origin(source), review.state) {
        (Origin::Repository, State::Unknown) => "nobody approved the file",
        (_, State::Changed) => "the file was changed since it was approved",
        _ => return None,
    };
    if review.is_empty() || is_ours_alone(&source.text) {
        return None;
    }
    let path = Path::new(&*source.name);
    let what = match review.entries.len() {
        0 => format!("what it says of hooks does not count: {why}"),
        1 => format!("its hook does not run as written: {why}"),
        many => format!("its {many} hooks do not run as written: {why}"),
    };
    let mend = Mend::run(format!("tenterhook trust {}", typed(path, here)));
    Some(Finding::new(Kind::SourceNotApproved, what, mend).at(path, None, here))
}

/// What a hook runs, where its text says it.
fn text_of(hook: &Hook) -> Option<&str> {
    match &hook.run {
        Run::Command(Command { invocation: Invocation::Shell { text, .. }, .. }) => Some(text),
        _ => None,
    }
}

/// The agent runs what stands in its own files, the bridge the rest (BR-30): what stands in both runs as often.
fn runs_twice(agent: &Agent, loaded: &Loaded, engine: &Engine, here: &Here) -> Vec<Finding> {
    let Some(id) = DialectId::agents().find(|it| it.as_str() == agent.name) else {
        return Vec::new();
    };
    let source_of = |hook: &Hook| {
        let file = &hook.place.as_ref()?.file;
        loaded.sources.iter().find(|it| it.name == *file)
    };
    let is_own = |hook: &Hook| source_of(hook).is_some_and(|it| id.dialect().loads(it));
    let armed = |it: &&Arc<Hook>| it.arming == Arming::Armed && text_of(it).is_some();
    let ruleset = engine.ruleset();
    let (own, others): (Vec<_>, Vec<_>) =
        ruleset.hooks().iter().filter(armed).partition(|it| is_own(it));
    let mut found: Vec<Finding> = Vec::new();
    for other in others {
        let is_same = |it: &&&Arc<Hook>| it.event == other.event && text_of(it) == text_of(other);
        let (Some(own), Some(place)) = (own.iter().find(is_same), &other.place) else { continue };
        let file = own.place.as_ref().map_or("", |it| &*it.file);
        let what = format!(
            "{} runs `{}` from {}, and the bridge runs it from this file, too",
            agent.title,
            text_of(other).unwrap_or_default(),
            shorten(file, &here.roots)
        );
        let mend = Mend::words("take it out of one of the two files");
        let finding = Finding::new(Kind::RunsTwice, what, mend);
        let finding = finding.at(Path::new(&*place.file), Some(place.line), here);
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    found
}

/// What `install` wrote is for the agent to run, and the bridge never fires it: there is nothing to approve.
pub(super) fn is_ours_alone(text: &str) -> bool {
    let calls = |it: &Agent| install::installed(it, text).is_ok_and(|it| !it.is_empty());
    let others = |it: &Agent| install::foreign(it, text).is_ok_and(|it| !it.is_empty());
    // A file of ours alone holds nothing else.
    let own = |it: &Agent| {
        it.installation.form != Form::Groups
            && text.contains(&format!("hook --agent {} ", it.name))
            && install::stranger(it, text).is_none()
    };
    callers().any(|it| (calls(it) && !others(it)) || own(it))
}

fn broken(it: &Diagnostic, here: &Here) -> Finding {
    let mend = match &it.place {
        // Its text is not what is wrong: `check` could say no more.
        _ if it.code == Code::ManagedFileExposed => {
            Mend::words(it.help.as_deref().unwrap_or_default())
        }
        Some(place) => {
            Mend::run(format!("tenterhook check {}", typed(Path::new(&*place.file), here)))
        }
        None => Mend::run("tenterhook check"),
    };
    let finding = Finding::new(Kind::ConfigBroken, it.message.as_str(), mend);
    match &it.place {
        Some(place) => finding.at(Path::new(&*place.file), Some(place.line), here),
        None => finding,
    }
}
