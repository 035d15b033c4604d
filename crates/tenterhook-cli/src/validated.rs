//! What does an agent's own analysis say of a module that could silence its hooks? `claude plugin validate` names the events and calls
//! of a module without running it. Kept by the bytes of the module's folder and the agent's version; `doctor` alone asks (T-120).

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use serde_json::Value;
use tenterhook::internal::discover;
use tenterhook::trust::Review;
use tenterhook_core::agents::{Agent, Modules};
use tenterhook_core::config::Source;
use tenterhook_process::{Cancel, Command, run_blocking};

use crate::ambient::Here;
use crate::command::status::installed_version;
use crate::silence;

/// Longest that an analysis may take: it starts the agent.
const LONGEST: Duration = Duration::from_secs(60);

/// Asks the agent to validate each module that it would load here, unless the result for the same
/// bytes is stored.
pub(crate) fn validate_modules(agent: &'static Agent, program: &Path, here: &Here) {
    let (Some(modules), Some(version)) = (agent.guarded.modules, installed_version(agent, here))
    else {
        return;
    };
    let of_agent = |source: &Source| source.dialect.as_str() == agent.name;
    for source in silence::silencer_module_sources(here).into_iter().filter(of_agent) {
        let review = here.trust_store().review(&source);
        if is_validated_harmless(agent, &review, here) {
            continue;
        }
        let Some(plugin) = &source.plugin else { continue };
        if run_agent_validation(program, modules, &plugin.root, here)
            .is_some_and(|analysis| analysis_finds_no_silencing(&analysis, modules))
        {
            // What cannot be kept is asked again.
            let _ = store_result(&stored_result_path(&review, here), &version);
        }
    }
}

/// Returns whether the installed version of the agent found nothing in these bytes that silences a
/// hook.
pub(crate) fn is_validated_harmless(agent: &Agent, review: &Review, here: &Here) -> bool {
    let kept = discover::read_config_file(&stored_result_path(review, here)).ok();
    kept.is_some_and(|kept| installed_version(agent, here).is_some_and(|version| *kept == *version))
}

fn stored_result_path(review: &Review, here: &Here) -> PathBuf {
    here.state.join("validated").join(review.digest.to_string())
}

fn store_result(path: &Path, version: &str) -> io::Result<()> {
    let directory = path.parent().ok_or(io::ErrorKind::NotFound)?;
    discover::create_private_dir(directory)?;
    fs::write(path, version)
}

/// Runs the agent's validation of a folder, and returns what it prints.
fn run_agent_validation(
    program: &Path,
    modules: &Modules,
    folder: &Path,
    here: &Here,
) -> Option<Value> {
    let path = here.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    // Whatever it writes at home is gone with this.
    let scratch = tempfile::tempdir().ok()?;
    let folder = folder.to_string_lossy();
    let words = modules.validate.iter().map(|word| (*word).to_owned()).chain([folder.into_owned()]);
    let mut command = Command::new(program, words, scratch.path());
    command.env =
        vec![("PATH".into(), path.into()), ("HOME".into(), scratch.path().as_os_str().to_owned())];
    command.timeout = Some(LONGEST);
    let report = run_blocking(command, &Cancel::new());
    serde_json::from_slice(&report.stdout.bytes).ok()
}

/// Returns whether an analysis is complete, and names nothing that could silence a hook.
fn analysis_finds_no_silencing(analysis: &Value, modules: &Modules) -> bool {
    let parts: Vec<&Value> = analysis["contents"].as_array().into_iter().flatten().collect();
    let analysed: Option<Vec<&Vec<Value>>> =
        parts.iter().map(|part| part["modules"].as_array()).collect();
    let all: Vec<&Value> = analysed.into_iter().flatten().flatten().collect();
    let has_errors =
        parts.iter().any(|part| part["errors"].as_array().is_none_or(|errors| !errors.is_empty()));
    analysis["success"] == true
        && !has_errors
        && !all.is_empty()
        && all.iter().all(|module| is_harmless_module(module, modules))
}

fn is_harmless_module(module: &Value, modules: &Modules) -> bool {
    let named = ["/uses/events", "/uses/calls", "/hooks"].map(|part| module.pointer(part));
    let Some(named) = named.into_iter().collect::<Option<Vec<_>>>() else { return false };
    let is_empty = |part: &str| {
        module.pointer(part).and_then(Value::as_array).is_some_and(|list| list.is_empty())
    };
    let nouns = ["/nouns/adds", "/nouns/withholds", "/nouns/replaces"];
    let changes_nothing = ["/uses/env/writes", "/nextTo"].into_iter().chain(nouns).all(is_empty);
    let mut texts = Vec::new();
    named.into_iter().for_each(|value| collect_strings(value, &mut texts));
    changes_nothing
        && !texts.iter().any(|text| modules.silencing.iter().any(|start| text.starts_with(start)))
}

fn collect_strings<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(all) => all.iter().for_each(|value| collect_strings(value, texts)),
        Value::Object(all) => all.values().for_each(|value| collect_strings(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
