//! Do the files with hooks load, and does anybody trust them? Runs none of them.

use std::path::Path;
use std::sync::Arc;

use tenterhook::Engine;
use tenterhook::trust::{Origin, State, Trust};
use tenterhook_core::agents::{Agent, Form, agents_with_hook_installation};
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Code, Diagnostic, Severity};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{Arming, Command, Hook, Invocation, Run};
use tenterhook_core::install;

use super::finding::{Finding, Kind, Mend, path_for_shell};
use crate::ambient::Here;
use crate::command::install::files::is_agent_present;
use crate::load::{Loaded, shorten_path};
use crate::readers::{self, SharedHooks};
use crate::show::layout::format_count;

/// Returns the findings about the hook files that would be read from here, for the agents that call
/// Tenterhook.
pub(super) fn source_findings(
    calling: &[&'static Agent],
    loaded: &Loaded,
    engine: &Engine,
    here: &Here,
) -> Vec<Finding> {
    let errors =
        loaded.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut found: Vec<Finding> = errors.map(|error| diagnostic_finding(error, here)).collect();
    let trust = here.trust_store();
    found.extend(
        loaded.sources.iter().filter_map(|source| unapproved_source_finding(source, &trust, here)),
    );
    let twice =
        calling.iter().flat_map(|agent| duplicate_run_findings(agent, loaded, engine, here));
    found.extend(twice.collect::<Vec<_>>());
    for hidden in &loaded.find_unread_files(&here.roots) {
        let hooks = format_count(hidden.hooks, "hook");
        let what = format!("its {hooks} are not read here: {}", hidden.because);
        let mend =
            Mend::from_advice("move them to where they are read, or name the file with `--config`");
        found.push(Finding::new(Kind::SourceUnread, what, mend).with_location(
            &hidden.path,
            None,
            here,
        ));
    }
    found
}

/// Reports the files whose hooks an agent runs that is not their owner, if Tenterhook runs them
/// behind it, too (BR-172).
pub(super) fn shared_file_findings(calling: &[&'static Agent], here: &Here) -> Vec<Finding> {
    let calls = |agent: &Agent| calling.iter().any(|other| other.name == agent.name);
    let found = readers::find_shared_hooks(|agent| is_agent_present(agent, here), calls, here);
    let finding = |shared: &SharedHooks| {
        let Agent { name, title, evidence, installation, .. } = shared.reader;
        let flag = evidence.source_if_only_read().map_or("", |_| " --experimental");
        let mend = match installation.form == Form::Missing {
            true => Mend::from_advice("move them into `tenterhook.toml`, which runs them once"),
            false => Mend::from_advice(format!(
                "`tenterhook install {name}{flag} --only-own` leaves them to {title} alone"
            )),
        };
        let finding = Finding::new(Kind::RunsTwice, shared.description(), mend);
        finding.with_location(Path::new(&shared.path), None, here)
    };
    found.iter().filter(|shared| shared.is_run_twice).map(finding).collect()
}

fn unapproved_source_finding(source: &Source, trust: &Trust, here: &Here) -> Option<Finding> {
    let review = trust.review(source);
    let why = match (Trust::origin(source), review.state) {
        (Origin::Repository, State::Unknown) => "the file is not approved",
        (_, State::Changed) => "the file was changed since it was approved",
        _ => return None,
    };
    if review.is_empty() || contains_only_our_entries(&source.text) {
        return None;
    }
    let path = Path::new(&*source.name);
    let what = match review.entries.len() {
        0 => format!("its settings about hooks are ignored: {why}"),
        1 => format!("its hook does not run as written: {why}"),
        many => format!("its {many} hooks do not run as written: {why}"),
    };
    let mend = Mend::from_command(format!("tenterhook trust {}", path_for_shell(path, here)));
    Some(Finding::new(Kind::SourceNotApproved, what, mend).with_location(path, None, here))
}

/// Returns the shell text that a hook runs, if it runs one.
fn shell_text_of_hook(hook: &Hook) -> Option<&str> {
    match &hook.run {
        Run::Command(Command { invocation: Invocation::Shell { text, .. }, .. }) => Some(text),
        _ => None,
    }
}

/// Reports hooks that run twice: the agent runs the hooks in its own files and the bridge runs the
/// others (BR-30).
fn duplicate_run_findings(
    agent: &Agent,
    loaded: &Loaded,
    engine: &Engine,
    here: &Here,
) -> Vec<Finding> {
    let Some(id) = DialectId::agents().find(|dialect_id| dialect_id.as_str() == agent.name) else {
        return Vec::new();
    };
    let source_of = |hook: &Hook| {
        let file = &hook.place.as_ref()?.file;
        loaded.sources.iter().find(|source| source.name == *file)
    };
    let is_own =
        |hook: &Hook| source_of(hook).is_some_and(|source| id.dialect().loads_source(source));
    let armed =
        |hook: &&Arc<Hook>| hook.arming == Arming::Armed && shell_text_of_hook(hook).is_some();
    let ruleset = engine.ruleset();
    let (own, others): (Vec<_>, Vec<_>) =
        ruleset.hooks().iter().filter(armed).partition(|hook| is_own(hook));
    let mut found: Vec<Finding> = Vec::new();
    for other in others {
        let is_same = |hook: &&&Arc<Hook>| {
            hook.event == other.event && shell_text_of_hook(hook) == shell_text_of_hook(other)
        };
        let (Some(own), Some(place)) = (own.iter().find(is_same), &other.place) else { continue };
        let file = own.place.as_ref().map_or("", |location| &*location.file);
        let what = format!(
            "{} runs `{}` from {}, and the bridge runs it from this file, too",
            agent.title,
            shell_text_of_hook(other).unwrap_or_default(),
            shorten_path(file, &here.roots)
        );
        let mend = Mend::from_advice("take it out of one of the two files");
        let finding = Finding::new(Kind::RunsTwice, what, mend);
        let finding = finding.with_location(Path::new(&*place.file), Some(place.line), here);
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    found
}

/// Returns whether a text consists of what `install` wrote. The agent runs that itself and the
/// bridge never does, so there is nothing to approve.
pub(super) fn contains_only_our_entries(text: &str) -> bool {
    let calls = |agent: &Agent| {
        install::installed_events_and_commands(agent, text).is_ok_and(|i| !i.is_empty())
    };
    let others = |agent: &Agent| install::foreign_entries(agent, text).is_ok_and(|f| !f.is_empty());
    // A file of ours alone holds nothing else.
    let own = |agent: &Agent| {
        !agent.installation.form.is_shared_file()
            && text.contains(&format!("hook --agent {} ", agent.name))
            && install::find_foreign_part(agent, text).is_none()
    };
    agents_with_hook_installation().any(|caller| (calls(caller) && !others(caller)) || own(caller))
}

fn diagnostic_finding(diagnostic: &Diagnostic, here: &Here) -> Finding {
    let mend = match &diagnostic.place {
        // Its text is not what is wrong: `check` could say no more.
        _ if diagnostic.code == Code::ManagedFileExposed => {
            Mend::from_advice(diagnostic.help.as_deref().unwrap_or_default())
        }
        Some(place) => Mend::from_command(format!(
            "tenterhook check {}",
            path_for_shell(Path::new(&*place.file), here)
        )),
        None => Mend::from_command("tenterhook check"),
    };
    let finding = Finding::new(Kind::ConfigBroken, diagnostic.message.as_str(), mend);
    match &diagnostic.place {
        Some(place) => finding.with_location(Path::new(&*place.file), Some(place.line), here),
        None => finding,
    }
}
