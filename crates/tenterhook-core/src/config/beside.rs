//! What applies of a file that is of another place than where the agent works? Its gates, which restrain and do nothing else
//! (BR-19, C-94); and what it says binds only what is its own. Pure.

use super::statements::Statement;
use crate::answer::Power;
use crate::diagnostic::{Code, Diagnostic};
use crate::hook::{Hook, Layer, Phase, Run, Wait};
use crate::source::{ReadConfig, Source, Standing};

/// Leaves the gates of sources of which nothing else applies.
pub(super) fn keep_gates(read: &mut [(Source, ReadConfig)]) {
    for (source, config) in read.iter_mut().filter(|(source, _)| gates_only(source)) {
        let (because, rule) = match source.standing {
            Standing::Left => ("the session left its project, of which only gates apply", "BR-19"),
            _ => ("it lies in the account's home, of which only gates apply", "C-94"),
        };
        for hook in &mut config.hooks {
            hook.gates_only = true;
            if !is_gate(hook) {
                hook.disarm(because.to_owned(), rule);
            }
        }
        // A server is started for a gate that calls it, and for no other reason.
        let hooks = &config.hooks;
        config.servers.retain(|server| hooks.iter().any(|hook| calls(hook, &server.name)));
    }
}

/// Whether gates alone apply of a source: it is of another place than where the agent works. A file that was written for this program
/// applies as a whole in the account's home.
pub(super) fn gates_only(source: &Source) -> bool {
    match source.standing {
        Standing::Usual | Standing::Moved => false,
        Standing::Account => source.dialect.dialect().while_unread().is_some(),
        Standing::Left => true,
    }
}

/// Whether a hook can stop something before it is done.
fn is_gate(hook: &Hook) -> bool {
    let row = hook.dialect.dialect().row(&hook.event);
    let denies = row.is_some_and(|row| row.powers.has(Power::Deny) && row.is_before_effect());
    denies && hook.phase != Phase::Observe && hook.wait == Wait::Attached
}

fn calls(hook: &Hook, server: &str) -> bool {
    hook.gates_only
        && is_gate(hook)
        && matches!(&hook.run, Run::McpTool(tool) if *tool.server == *server)
}

/// Whether what a source says may bind hooks of a second source, by their projects and homes. Layers are judged elsewhere (C-16).
pub(super) fn binds(statement: &Statement, source: &Source) -> bool {
    let is_own = statement.seen_from == source.seen_from();
    match statement.standing {
        // Its project's file alone says so, and the agent works elsewhere.
        Standing::Left => is_own && is_of_project(source.layer),
        Standing::Moved if source.standing == Standing::Account => false,
        _ => is_own || !is_of_project(statement.layer) || !is_of_project(source.layer),
    }
}

/// Whether sources of several places are read together, so that each has to be asked what it binds.
pub(super) fn is_needed(read: &[(Source, ReadConfig)]) -> bool {
    let mut projects = read
        .iter()
        .filter(|(source, _)| is_of_project(source.layer))
        .map(|(source, _)| source.seen_from());
    let first = projects.next();
    read.iter().any(|(source, _)| source.standing != Standing::Usual)
        || projects.any(|project| Some(project) != first)
}

const fn is_of_project(layer: Layer) -> bool {
    match layer {
        Layer::Project | Layer::Local | Layer::Plugin | Layer::Skill | Layer::Agent => true,
        Layer::Managed | Layer::Given | Layer::User | Layer::BuiltIn => false,
    }
}

/// What people should know of files that are read because variables moved the home (C-94).
pub(super) fn of_account(read: &[(Source, ReadConfig)]) -> Option<Diagnostic> {
    let mut files = read.iter().map(|(source, _)| source);
    let first = files.find(|source| source.standing == Standing::Account)?;
    let message = format!(
        "`{}` is read as well: it lies in the home of your account, and a variable such as `HOME` or `XDG_CONFIG_HOME` names another place",
        first.name
    );
    let found = Diagnostic::new(Code::HomeMoved, message, None);
    Some(found.help("unset the variable, or see what sets it: `.envrc`, `mise.toml`, a container"))
}
