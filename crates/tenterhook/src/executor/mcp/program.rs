//! Describes the program of a server and its environment. Reads its configuration and the host's
//! environment; starts nothing.

use std::path::Path;

use tenterhook_process as process;

use super::connection::{Env, Start};
use super::withheld::{Withheld, is_secret_name};
use crate::executor::command::LISTED;
use crate::executor::confine::{ConfinedServer, GrantContext, apply_server_sandbox};
use tenterhook_core::hook::{Command, FIRING, Grants, Inherit, Invocation, around};
use tenterhook_core::request::variables::{Unset, expand_variables};
use tenterhook_core::source::{Server, ServerVariables};

/// The program of the configuration with its variables filled in, in an environment by the rules of
/// command hooks.
///
/// # Errors
///
/// If its configuration names a variable that is not set.
pub(super) fn process_of_server(
    start: &Start,
    command: &Command,
) -> Result<(process::Command, Withheld, Option<Box<ConfinedServer>>), Unset> {
    let Start { server, env, caller, scratch, pretended, .. } = start;
    let grants: Vec<&Grants> = server.sandbox.grants().into_iter().chain(caller).collect();
    let fill = |text: &str| fill_variables(server, text, env);
    let cwd = command.cwd.clone().unwrap_or_default();
    let mut described = match command.invocation() {
        Invocation::Argv { program, args } => {
            let args = args.iter().map(|arg| fill(arg)).collect::<Result<Vec<_>, _>>()?;
            process::Command::new(fill(program)?, args, cwd)
        }
        Invocation::Shell { text, .. } => process::Command::shell(text, cwd),
    };
    // A confined server sees only granted variables, whatever its agent promises.
    let inherit = if grants.is_empty() { command.inherit } else { Inherit::Listed };
    let is_granted = |name: &str| {
        !grants.is_empty()
            && grants.iter().all(|grant| grant.env.iter().any(|variable| variable == name))
    };
    let is_named = |name: &str| command.pass.iter().any(|text| text == name) || is_granted(name);
    let passes = |name: &str| match inherit {
        Inherit::All => !server.dialect.dialect().withholds_variable(name),
        Inherit::Listed => LISTED.contains(&name) || is_named(name),
    };
    let inherited = env
        .iter()
        .filter(|(name, _)| passes(name) && !command.env.iter().any(|(own, _)| own == name));
    let mut variables: Vec<(String, String)> = inherited.cloned().collect();
    for (name, value) in &command.env {
        variables.push((name.clone(), fill(value)?));
    }
    let withheld = values_to_withhold(start, command, &variables);
    variables.retain(|(name, _)| name != FIRING);
    variables.push((FIRING.to_owned(), around::firing_marks_for_server(&server.name, env)));
    described.env =
        variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    described.umask = None;
    let context = GrantContext {
        project: &server.project,
        cwd: &described.cwd.clone(),
        home: &server.home,
        env,
        scratch: scratch.as_deref(),
        granted: &[],
        pretended: *pretended,
    };
    let confined = apply_server_sandbox(server, &grants, &context, &mut described);
    Ok((described, withheld, confined))
}

/// Collects the values that no message may contain: those that the configuration gives the server,
/// and inherited ones that probably are secrets.
fn values_to_withhold(
    start: &Start,
    command: &Command,
    variables: &[(String, String)],
) -> Withheld {
    let Start { server, env, .. } = start;
    let is_given = |name: &String| {
        command.env.iter().any(|(own, _)| own == name) || command.pass.contains(name)
    };
    let given = variables.iter().filter(|(name, _)| is_given(name) || is_secret_name(name));
    // Values that fill its arguments are included.
    let texts: &[String] = match command.invocation() {
        Invocation::Argv { args, .. } => args,
        Invocation::Shell { .. } => &[],
    };
    let filled: Vec<String> =
        texts.iter().flat_map(|text| values_of_variables_in(server, text, env)).collect();
    let given = given.map(|(_, value)| value.as_str());
    let withheld = given.chain(filled.iter().map(String::as_str));
    Withheld::new(withheld.filter(|text| !is_path_value(text)))
}

/// Whether a value is a path, such as the project's. Paths are in every message, and are no
/// secrets.
fn is_path_value(value: &str) -> bool {
    let path = Path::new(value);
    path.is_absolute() && path.exists()
}

/// Returns the values of the variables that a text names.
fn values_of_variables_in(server: &Server, text: &str, env: &Env) -> Vec<String> {
    let mut found = Vec::new();
    if matches!(server.variables, ServerVariables::Everywhere) {
        // An unset variable is reported when the text is filled.
        let _ = expand_variables(text, |name| {
            let value = env_variable(env, name);
            found.extend(value.clone());
            value
        });
    }
    found
}

/// Returns a text of the configuration with its variables filled in.
pub(super) fn fill_variables(server: &Server, text: &str, env: &Env) -> Result<String, Unset> {
    match server.variables {
        ServerVariables::ListedInHeaders => Ok(text.to_owned()),
        ServerVariables::Everywhere => expand_variables(text, |name| env_variable(env, name)),
    }
}

fn env_variable(env: &Env, name: &str) -> Option<String> {
    env.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.clone())
}
