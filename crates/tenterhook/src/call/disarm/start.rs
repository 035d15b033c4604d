//! Which agent would start without its guard: by an option, by a variable that moves its home, by a command of its own?

use super::Here;
use crate::call::Found;
use crate::call::view::View;
use crate::protect::{AGENTS, Agent, agent};

/// Commands of agents that change which hooks and plugins they have: what, and what is done with it.
const MANAGED: &[&str] = &[
    "plugin",
    "plugins",
    "hook",
    "hooks",
    "extension",
    "extensions",
    "features",
    "config",
    "trust",
];
const CHANGES: &[&str] =
    &["uninstall", "remove", "rm", "disable", "set", "unset", "delete", "add", "on"];

pub(super) fn look(here: &Here<'_>, views: &[View<'_>], found: &mut Found) {
    let view = here.view;
    if view.name == "env" {
        return emptied(view, found);
    }
    let Some(agent) = agent(&view.name) else { return };
    let looks = view
        .args
        .iter()
        .all(|it| matches!(it.as_str(), "--version" | "-v" | "-V" | "--help" | "-h"));
    if looks && !view.args.is_empty() {
        return;
    }
    if let Some(option) = agent.unguarded_by(&view.args).or_else(|| setting(view)) {
        found.unguarded.insert(format!("{} {option}", view.name));
    }
    let operands = view.operands(&[]);
    if let [what, does, ..] = operands.as_slice()
        && MANAGED.contains(what)
        && CHANGES.contains(does)
    {
        found.unguarded.insert(format!("{} {what} {does}", view.name));
    }
    // Whatever the line assigns may be handed on: `HOME=/x; claude`, `export CODEX_HOME=/x && codex`.
    let assigned = views.iter().flat_map(|it| {
        let own = it.command.assignments.iter().map(|it| it.name.as_str());
        let declares =
            matches!(it.name.as_str(), "export" | "declare" | "typeset" | "set" | "setenv");
        let said =
            it.args.iter().filter(move |_| declares).map(|it| it.split('=').next().unwrap_or(it));
        own.chain(said).collect::<Vec<_>>()
    });
    for name in assigned.filter(|it| agent.is_moved_by(it)) {
        found.unguarded.insert(format!("{} with another {name}", view.name));
    }
}

/// `--settings '{"disableAllHooks":true}'`, `-c hooks=[]`, `--disable hooks`: a setting that stands on the line.
fn setting<'a>(view: &'a View<'_>) -> Option<&'a str> {
    let given = view.values(&["-c", "--config", "--settings", "--disable", "--set"]);
    let loosens = |it: &&str| {
        let small = it.to_ascii_lowercase();
        small.contains("hook")
            || small.contains("bypasspermissions")
            || small.contains("approval_policy") && small.contains("never")
    };
    given.into_iter().find(loosens)
}

/// `env -i claude`, `env -u CLAUDE_CONFIG_DIR claude`, `env HOME=/x claude`.
fn emptied(view: &View<'_>, found: &mut Found) {
    let file = |it: &str| it.rsplit('/').next().unwrap_or_default().to_owned();
    let Some((at, agent)) =
        view.args.iter().enumerate().find_map(|(at, it)| Some((at, agent(&file(it))?)))
    else {
        return;
    };
    let before = view.args.get(..at).unwrap_or_default();
    let empties = before.iter().any(|it| {
        matches!(it.as_str(), "-" | "--ignore-environment" | "--unset")
            || (it.starts_with('-') && !it.starts_with("--") && it.contains(['i', 'u']))
            || it.starts_with("--unset=")
            || it.split_once('=').is_some_and(|(name, _)| agent.is_moved_by(name))
    });
    if empties {
        found.unguarded.insert(format!("{} without its environment", agent.name));
    }
}

/// Whether a text for a startup file changes which programs are found, or how an agent is called.
pub(super) fn changes_programs(text: &str) -> bool {
    let between = |it: char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
    let words = || text.split(between);
    let path = words()
        .any(|it| it == "PATH" || it == "path" || it == "fish_user_paths" || it == "fish_add_path");
    let moves = |agent: &Agent| {
        words().any(|it| {
            it.len() > 4 && agent.is_moved_by(it) && it != "HOME" && !it.starts_with("XDG")
        })
    };
    // Others read these, too: to name one is usual, to set it is not.
    let sets = |name: &&str| {
        name.starts_with("XDG")
            && text.match_indices(name).any(|(at, _)| {
                let (before, after) = text.split_at_checked(at).unwrap_or_default();
                let after = after.strip_prefix(*name).unwrap_or_default();
                // `set -gx NAME value` of fish.
                let mut before =
                    before.rsplit(between).filter(|it| !it.is_empty() && !it.starts_with('-'));
                after.starts_with('=') || before.next() == Some("set")
            })
    };
    let renames = || {
        let defines = text.contains("alias") || text.contains("function") || text.contains("()");
        defines
            && AGENTS.iter().flat_map(|it| it.programs).any(|name| words().any(|it| it == *name))
    };
    path || AGENTS.iter().any(moves)
        || AGENTS.iter().flat_map(|it| it.variables).any(sets)
        || renames()
        || text.contains("tenterhook")
}
