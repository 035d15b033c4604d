//! What silences the hooks of an agent's settings here, or could? Reads files; decides nothing of how it is shown.

use std::path::Path;

use tenterhook::internal::discover;
use tenterhook::trust::State;
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Code, Severity};
use tenterhook_core::dialect::{DialectId, Silencer};

use crate::ambient::Here;
use crate::load::shorten;
use crate::validated;

/// What silences the hooks of the agent of that name, or could, with what the person approved as advice.
pub(crate) fn of_agent(name: &str, here: &Here) -> Vec<Silencer> {
    let Some(dialect) = DialectId::agents().find(|id| id.as_str() == name) else {
        return Vec::new();
    };
    let found = discover::silencers(dialect, &here.roots, &here.env);
    found.into_iter().map(|silencer| weigh(silencer, dialect, here)).collect()
}

/// The same for every agent.
pub(crate) fn of_all(here: &Here) -> Vec<Silencer> {
    DialectId::agents().flat_map(|dialect| of_agent(dialect.as_str(), here)).collect()
}

/// The modules among them, as sources that can be reviewed.
pub(crate) fn modules(here: &Here) -> Vec<Source> {
    let of_dialect = |dialect: DialectId| {
        let found = discover::silencers(dialect, &here.roots, &here.env).into_iter();
        let modules = found.filter(|silencer| silencer.finding.code == Code::ModCouldSilence);
        let sources =
            modules.filter_map(|module| discover::source_of(&module, dialect, &here.roots));
        sources.collect::<Vec<_>>()
    };
    DialectId::agents().flat_map(of_dialect).collect()
}

/// A module whose folder stands as the person approved it is no error.
fn weigh(silencer: Silencer, dialect: DialectId, here: &Here) -> Silencer {
    let source = discover::source_of(&silencer, dialect, &here.roots)
        .filter(|_| silencer.finding.code == Code::ModCouldSilence);
    let Some(review) = source.map(|source| here.trust().review(&source)) else { return silencer };
    let agent = tenterhook_core::agents::caller(dialect.as_str());
    match review.state {
        State::Approved => as_advice(silencer, "you approved it as it stands"),
        _ if agent.is_some_and(|agent| validated::is_harmless(agent, &review, here)) => {
            as_advice(silencer, "the installed version finds no event and no call in it that could")
        }
        _ => silencer,
    }
}

/// The same, as something that the person may want to know, and why it is no more.
pub(crate) fn as_advice(silencer: Silencer, why: &str) -> Silencer {
    let message = format!("{} ({why})", silencer.finding.message);
    let finding = silencer.finding.weighing(Severity::Advice);
    let finding = tenterhook_core::diagnostic::Diagnostic { message, help: None, ..finding };
    Silencer { finding, ..silencer }
}

pub(crate) fn is_error(silencer: &Silencer) -> bool {
    silencer.finding.severity == Severity::Error
}

/// Its file and line, as people write them.
pub(crate) fn location(silencer: &Silencer, here: &Here) -> String {
    let Some(place) = &silencer.finding.place else { return String::new() };
    format!("{}:{}", shorten(&place.file, &here.roots), place.line)
}

/// The file that the finding is about.
pub(crate) fn source(silencer: &Silencer, here: &Here) -> Option<Source> {
    let file = &silencer.finding.place.as_ref()?.file;
    let text = discover::read(Path::new(&**file)).ok()?;
    Some(Source::given(file, DialectId::CLAUDE, &text, &here.roots.cwd))
}
