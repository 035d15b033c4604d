//! Which agent would start without its guard: by an option, by a variable that moves its home, by a separate command?

use std::rc::Rc;

use super::Here;
use crate::agents::{AGENTS, Agent};
use crate::call::Found;
use crate::call::view::View;
use crate::protect;

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
/// How variables of ours begin: they reach us through any agent.
const OWN_VARIABLES: &str = "TENTERHOOK_";
/// Commands of a shell that set or remove variables.
const DECLARERS: &[&str] = &["export", "declare", "typeset", "set", "setenv", "unset", "unsetenv"];
/// How options begin behind which a variable is set for what a program starts.
const CARRIED: &[&str] = &["--setenv=", "--env=", "-E", "-e"];
/// Words before a variable that set it, in files of shells and terminals.
const SETS: &[&str] = &["set", "setenv", "set-environment", "unset", "env.set"];

/// Notes the agents that a command starts without their guard, and the variables that it sets for
/// such a start later.
pub(super) fn note_agents_started_unguarded(
    here: &Here<'_>,
    views: &[View<'_>],
    found: &mut Found,
) {
    let view = here.view;
    if protect::sets_persistent_variables(&view.name, &view.args) {
        note_variables_of_later_programs(view, found);
    }
    if view.name == "env" {
        return note_emptied_environment(view, found);
    }
    let Some((agent, from)) = protect::find_launched_agent(&view.name, &view.args) else { return };
    let started = View {
        command: view.command,
        name: if from == 0 { view.name.clone() } else { agent.name.to_owned() },
        args: view.args.get(from..).unwrap_or_default().to_vec(),
        redirects: Rc::clone(&view.redirects),
        cwd: view.cwd.clone(),
        fed: Vec::new(),
        meter: view.meter,
    };
    note_agent_started_unguarded(&Here { view: &started, ..*here }, agent, views, found);
}

/// Notes an agent that a command starts without its guard, or that changes its own guard. `here` is
/// the command as if the agent were started directly.
fn note_agent_started_unguarded(
    here: &Here<'_>,
    agent: &Agent,
    views: &[View<'_>],
    found: &mut Found,
) {
    let view = here.view;
    let looks = view
        .args
        .iter()
        .all(|arg| matches!(arg.as_str(), "--version" | "-v" | "-V" | "--help" | "-h"));
    if looks && !view.args.is_empty() {
        return;
    }
    if let Some(option) =
        agent.find_unguarding_option(&view.args).or_else(|| loosening_setting(here))
    {
        found.unguarded.insert(format!("{} {option}", view.name));
    }
    let operands = view.operands(&[]);
    if let [what, does, ..] = operands.as_slice()
        && MANAGED.contains(what)
        && CHANGES.contains(&does.split('-').next().unwrap_or(does))
    {
        found.unguarded.insert(format!("{} {what} {does}", view.name));
    }
    let commands = agent.guarded.commands.iter();
    if let Some(command) = commands.copied().find(|command| operands.starts_with(command)) {
        found.unguarded.insert(format!("{} {}", view.name, command.join(" ")));
    }
    // Whatever the line assigns may be handed on: `HOME=/x; claude`, `export CODEX_HOME=/x && codex`.
    let assigned = views.iter().flat_map(assigned_variables);
    let moves =
        |name: &&str| agent.is_redirected_by_variable(name) || name.starts_with(OWN_VARIABLES);
    for name in assigned.filter(moves) {
        found.unguarded.insert(format!("{} with another {name}", view.name));
    }
}

/// Returns the variables that a command sets or removes, for itself or for later commands.
fn assigned_variables<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let own = view.command.assignments.iter().map(|assignment| assignment.name.as_str());
    let declares = DECLARERS.contains(&view.name.as_str());
    let carries = protect::passes_env_assignments(&view.name);
    let named = view.args.iter().filter(|arg| declares || carries && arg.contains('='));
    let named = named.map(|arg| {
        let before = CARRIED.iter().find_map(|option| arg.strip_prefix(option)).unwrap_or(arg);
        before.split('=').next().unwrap_or(before)
    });
    own.chain(named).collect()
}

/// Notes variables that are set for later programs: `tmux setenv CODEX_HOME /x`, `systemctl --user
/// set-environment PATH=/x`.
fn note_variables_of_later_programs(view: &View<'_>, found: &mut Found) {
    let names =
        view.args.iter().map(|arg| arg.split('=').next().unwrap_or(arg).trim_start_matches("env."));
    let imports = view.has_argument(&["import-environment"]);
    let moves =
        |name: &&str| protect::redirects_any_agent_config(name) || *name == "PATH" && !imports;
    if let Some(name) = names.into_iter().find(moves) {
        found.disarms.insert(format!("sets {name} for agents that start later"));
    }
}

/// Returns a setting that loosens the guard, on the command line or in a file that it names:
/// `--settings '{"disableAllHooks":true}'`, `-c hooks=[]`, `--disable hooks`.
fn loosening_setting<'a>(here: &'a Here<'_>) -> Option<&'a str> {
    let given = here.view.option_values(&["-c", "--config", "--disable", "--set"]);
    let files = here.view.option_values(&["--settings"]);
    let is_loose = |text: &&str| {
        let is_file = !text.trim_start().starts_with('{');
        let read = || here.paths.files?.read_text(&here.paths.to_absolute(text, &here.view.cwd));
        // What cannot be read may hold anything.
        if is_file { read().is_none_or(|text| loosens_guard(&text)) } else { loosens_guard(text) }
    };
    given.into_iter().find(|text| loosens_guard(text)).or_else(|| files.into_iter().find(is_loose))
}

/// Whether a setting disables hooks, permission prompts or the sandbox.
fn loosens_guard(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    small.contains("hook")
        || small.contains("bypasspermissions")
        || small.contains("danger-full-access")
        || small.contains("approval_policy") && small.contains("never")
        || small.contains("sandbox") && (small.contains("false") || small.contains("off"))
}

/// Notes an agent that is started with a changed environment: `env -i claude`, `env -u
/// CLAUDE_CONFIG_DIR claude`, `env HOME=/x npx @openai/codex`.
fn note_emptied_environment(view: &View<'_>, found: &mut Found) {
    let mut args = view.args.iter().enumerate();
    let program = loop {
        let Some((at, arg)) = args.next() else { return };
        match arg.as_str() {
            "-u" | "--unset" | "-C" | "--chdir" => drop(args.next()),
            arg if arg.starts_with('-') || arg.contains('=') => {}
            _ => break at,
        }
    };
    let (before, rest) = view.args.split_at_checked(program).unwrap_or_default();
    let Some((name, rest)) = rest.split_first() else { return };
    let file = name.rsplit('/').next().unwrap_or(name);
    let Some((agent, _)) = protect::find_launched_agent(file, rest) else { return };
    let empties = before.iter().any(|arg| {
        matches!(arg.as_str(), "-" | "--ignore-environment" | "--unset")
            || (arg.starts_with('-') && !arg.starts_with("--") && arg.contains(['i', 'u']))
            || arg.starts_with("--unset=")
            || arg.split_once('=').is_some_and(|(name, _)| agent.is_redirected_by_variable(name))
    });
    if empties {
        found.unguarded.insert(format!("{} without its environment", agent.name));
    }
}

/// Returns the variable that a text for a file of variables sets and that makes an agent read other
/// files. In files for containers (`.env`), `HOME` is that of the container.
pub(super) fn redirecting_variable(file: &str, text: &str) -> Option<&'static str> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let is_for_containers = name == ".env" || name.starts_with(".env.");
    // `printf` and JSON write the end of a line as a letter.
    let text = text.replace("\\n", "\n");
    let lines = || text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut own =
        protect::config_path_variables().filter(|name| !(is_for_containers && *name == "HOME"));
    own.find(|name| lines().any(|line| sets_variable(line, name)))
}

/// Whether a line sets a variable: `NAME=x`, `"NAME": "x"`, `set -gx NAME x`. A name that ends in
/// `*` is a prefix.
fn sets_variable(line: &str, name: &str) -> bool {
    let (name, is_beginning) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = line.split_at_checked(at).unwrap_or_default();
        let after = after.strip_prefix(name).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let after = if is_beginning { after.trim_start_matches(is_part) } else { after };
        if before.ends_with(is_part) || before.ends_with('$') || before.ends_with("${") {
            return false;
        }
        let after = after.trim_start_matches(['"', '\'', '\\', ' ']);
        let is_key = after.starts_with(':')
            && !after.starts_with(":-")
            && before.trim_end_matches(['"', '\\']).trim_end().ends_with(['{', ',', '"']);
        let is_key = is_key || after.starts_with(':') && before.trim().trim_matches('"').is_empty();
        let is_between = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
        let mut options =
            before.rsplit(is_between).filter(|word| !word.is_empty() && !word.starts_with('-'));
        after.starts_with('=') || is_key || options.next().is_some_and(|word| SETS.contains(&word))
    })
}

/// Whether a text for a startup file changes which programs are found, or how an agent is called.
pub(super) fn changes_program_lookup(text: &str) -> bool {
    let between = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let words = || text.split(between);
    let path = words().any(|word| {
        word == "PATH" || word == "path" || word == "fish_user_paths" || word == "fish_add_path"
    });
    let moves = |agent: &&Agent| {
        words().any(|word| {
            word.len() > 4
                && agent.is_redirected_by_variable(word)
                && word != "HOME"
                && !word.starts_with("XDG")
        })
    };
    // Others read these, too: to name one is usual, to set it is not.
    let sets = |name: &&str| {
        name.starts_with("XDG")
            && text.match_indices(name).any(|(at, _)| {
                let (before, after) = text.split_at_checked(at).unwrap_or_default();
                let after = after.strip_prefix(*name).unwrap_or_default();
                // `set -gx NAME value` of fish.
                let mut before = before
                    .rsplit(between)
                    .filter(|part| !part.is_empty() && !part.starts_with('-'));
                after.starts_with('=') || before.next() == Some("set")
            })
    };
    let renames = || {
        let defines = text.contains("alias") || text.contains("function") || text.contains("()");
        defines
            && AGENTS
                .iter()
                .flat_map(|agent| agent.programs)
                .any(|name| words().any(|word| word == *name))
    };
    path || AGENTS.iter().any(moves)
        || AGENTS.iter().flat_map(|agent| agent.guarded.variables).any(sets)
        || renames()
        || text.contains("tenterhook")
}
