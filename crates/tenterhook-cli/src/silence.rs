//! What silences the hooks of an agent's settings here, or could? Reads files; decides nothing of how it is shown.

use std::path::Path;

use tenterhook::internal::discover;
use tenterhook::trust::State;
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Code, Severity};
use tenterhook_core::dialect::{DialectId, Silencer};

use crate::ambient::Here;
use crate::load::shorten_path;
use crate::validated;

/// Returns what silences the hooks of the agent of that name, or could. What the user approved is
/// returned as advice.
pub(crate) fn silencers_of_agent(name: &str, here: &Here) -> Vec<Silencer> {
    let Some(dialect) = DialectId::agents().find(|id| id.as_str() == name) else {
        return Vec::new();
    };
    let found = discover::find_silencers(dialect, &here.roots, &here.env);
    found.into_iter().map(|silencer| downgrade_if_approved(silencer, dialect, here)).collect()
}

/// Returns what silences the hooks of any agent, or could.
pub(crate) fn silencers_of_all_agents(here: &Here) -> Vec<Silencer> {
    DialectId::agents().flat_map(|dialect| silencers_of_agent(dialect.as_str(), here)).collect()
}

/// Returns the modules among the silencers, as sources that can be reviewed.
pub(crate) fn silencer_module_sources(here: &Here) -> Vec<Source> {
    let of_dialect = |dialect: DialectId| {
        let found = discover::find_silencers(dialect, &here.roots, &here.env).into_iter();
        let modules = found.filter(|silencer| silencer.finding.code == Code::ModCouldSilence);
        let sources = modules
            .filter_map(|module| discover::plugin_hooks_source(&module, dialect, &here.roots));
        sources.collect::<Vec<_>>()
    };
    DialectId::agents().flat_map(of_dialect).collect()
}

/// Downgrades a module to advice if its folder is unchanged since the user approved it, or the
/// agent found it harmless.
fn downgrade_if_approved(silencer: Silencer, dialect: DialectId, here: &Here) -> Silencer {
    let source = discover::plugin_hooks_source(&silencer, dialect, &here.roots)
        .filter(|_| silencer.finding.code == Code::ModCouldSilence);
    let Some(review) = source.map(|source| here.trust_store().review(&source)) else {
        return silencer;
    };
    let agent = tenterhook_core::agents::agent_with_hook_installation(dialect.as_str());
    match review.state {
        State::Approved => downgrade_to_advice(silencer, "you approved it as it stands"),
        _ if agent.is_some_and(|agent| validated::is_validated_harmless(agent, &review, here)) => {
            downgrade_to_advice(
                silencer,
                "the installed version finds no event and no call in it that could",
            )
        }
        _ => silencer,
    }
}

/// Turns a silencer into advice, and adds the reason.
pub(crate) fn downgrade_to_advice(silencer: Silencer, why: &str) -> Silencer {
    let message = format!("{} ({why})", silencer.finding.message);
    let finding = silencer.finding.with_severity(Severity::Advice);
    let finding = tenterhook_core::diagnostic::Diagnostic { message, help: None, ..finding };
    Silencer { finding, ..silencer }
}

pub(crate) fn has_error_severity(silencer: &Silencer) -> bool {
    silencer.finding.severity == Severity::Error
}

/// Returns the file and line of a silencer, for display.
pub(crate) fn file_and_line(silencer: &Silencer, here: &Here) -> String {
    let Some(place) = &silencer.finding.place else { return String::new() };
    format!("{}:{}", shorten_path(&place.file, &here.roots), place.line)
}

/// Returns the file that the finding is about.
pub(crate) fn source_of_silencer(silencer: &Silencer, here: &Here) -> Option<Source> {
    let file = &silencer.finding.place.as_ref()?.file;
    let text = discover::read_config_file(Path::new(&**file)).ok()?;
    Some(Source::from_text(file, DialectId::CLAUDE, &text, &here.roots.cwd))
}
