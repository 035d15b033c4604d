//! What applies of a file that is of another place than where the agent works? Its gates, which restrain and do nothing else
//! (BR-19, C-94); and what it says binds only what is its own. Pure.

use super::statements::Statement;
use crate::answer::Power;
use crate::diagnostic::{Code, Diagnostic};
use crate::hook::{Hook, Layer, Phase, Run, Wait};
use crate::source::{ReadConfig, Source, Standing};

/// Disarms all hooks but the gates in each source of which only the gates apply, and removes the
/// servers that no gate calls.
pub(super) fn reduce_sources_to_gates(read: &mut [(Source, ReadConfig)]) {
    for (source, config) in read.iter_mut().filter(|(source, _)| do_only_gates_apply(source)) {
        let (because, rule) = match source.standing {
            Standing::Left => ("the session left its project, of which only gates apply", "BR-19"),
            _ => ("it lies in the account's home, of which only gates apply", "C-94"),
        };
        for hook in &mut config.hooks {
            hook.gates_only = true;
            if !is_gate_hook(hook) {
                hook.disarm(because.to_owned(), rule);
            }
        }
        // A server is started for a gate that calls it, and for no other reason.
        let hooks = &config.hooks;
        config
            .servers
            .retain(|server| hooks.iter().any(|hook| is_gate_calling_server(hook, &server.name)));
    }
}

/// Returns `true` if only the gates of a source apply, because it belongs to another place than the
/// agent's working directory. A native file in the account's home applies as a whole.
pub(super) fn do_only_gates_apply(source: &Source) -> bool {
    match source.standing {
        Standing::Usual | Standing::Moved => false,
        Standing::Account => source.dialect.dialect().policy_for_unreadable_file().is_some(),
        Standing::Left => true,
    }
}

/// Returns `true` if a hook can stop an action before it happens.
fn is_gate_hook(hook: &Hook) -> bool {
    let row = hook.dialect.dialect().event_row(&hook.event);
    let denies = row.is_some_and(|row| row.powers.has(Power::Deny) && row.is_before_effect());
    denies && hook.phase != Phase::Observe && hook.wait == Wait::Attached
}

/// Returns `true` if a hook is a gate that calls a tool of this MCP server.
fn is_gate_calling_server(hook: &Hook, server: &str) -> bool {
    hook.gates_only
        && is_gate_hook(hook)
        && matches!(&hook.run, Run::McpTool(tool) if *tool.server == *server)
}

/// Returns `true` if a statement may bind hooks of `source`, judged by their projects and homes.
/// Layers are judged elsewhere (C-16).
pub(super) fn may_bind_hooks_of(statement: &Statement, source: &Source) -> bool {
    let is_own = statement.seen_from == source.found_from_directory();
    match statement.standing {
        // Its project's file alone says so, and the agent works elsewhere.
        Standing::Left => is_own && is_project_layer(source.layer),
        Standing::Moved if source.standing == Standing::Account => false,
        _ => is_own || !is_project_layer(statement.layer) || !is_project_layer(source.layer),
    }
}

/// Returns `true` if sources of several projects or homes are read together, so that each statement
/// must be checked for what it binds.
pub(super) fn reads_several_projects(read: &[(Source, ReadConfig)]) -> bool {
    let mut projects = read
        .iter()
        .filter(|(source, _)| is_project_layer(source.layer))
        .map(|(source, _)| source.found_from_directory());
    let first = projects.next();
    read.iter().any(|(source, _)| source.standing != Standing::Usual)
        || projects.any(|project| Some(project) != first)
}

const fn is_project_layer(layer: Layer) -> bool {
    match layer {
        Layer::Project | Layer::Local | Layer::Plugin | Layer::Skill | Layer::Agent => true,
        Layer::Managed | Layer::Given | Layer::User | Layer::BuiltIn => false,
    }
}

/// Reports files of the account's home that are read because a variable moved the home (C-94).
pub(super) fn account_home_finding(read: &[(Source, ReadConfig)]) -> Option<Diagnostic> {
    let mut files = read.iter().map(|(source, _)| source);
    let first = files.find(|source| source.standing == Standing::Account)?;
    let message = format!(
        "`{}` is read as well: it lies in the home of your account, and a variable such as `HOME` or `XDG_CONFIG_HOME` names another place",
        first.name
    );
    let found = Diagnostic::new(Code::HomeMoved, message, None);
    Some(found.help("unset the variable, or see what sets it: `.envrc`, `mise.toml`, a container"))
}
