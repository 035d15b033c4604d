//! Which hooks of an agent's files does another agent run, too, which of them run twice there, and
//! which never? Reads the files; runs nothing (BR-172).

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook_core::agents::{AGENTS, Agent, SharedFiles, agents_with_hook_installation};
use tenterhook_core::config::{Source, is_tenterhook_entry};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::Hook;

use crate::ambient::Here;
use crate::load::shorten_path;
use crate::show::layout::{format_count, to_safe_line};
use crate::show::paint::{BOLD, DIM, paint};

/// What an agent that does not own a file makes of its hooks.
#[derive(Debug)]
pub(crate) struct SharedHooks {
    pub(crate) reader: &'static Agent,
    /// The agent that the file belongs to.
    owner: &'static str,
    /// How the reader reads the file; `None` if it does not.
    row: Option<&'static SharedFiles>,
    /// The file, as it is shown.
    file: String,
    /// The path of the file.
    pub(crate) path: String,
    /// How many hooks of the user it has.
    hooks: usize,
    /// The events of the file for which the reader has none, by the owner's names.
    never: Vec<String>,
    /// Whether the reader runs an entry of ours in it.
    calls_tenterhook: bool,
    /// Whether Tenterhook runs these hooks behind the reader, which runs them itself.
    pub(crate) is_run_twice: bool,
}

/// Returns what agents on this machine make of hook files that they do not own. `is_present` tells
/// whether an agent is here, and `calls` whether its own files make it call Tenterhook.
pub(crate) fn find_shared_hooks(
    is_present: impl Fn(&Agent) -> bool,
    calls: impl Fn(&Agent) -> bool,
    here: &Here,
) -> Vec<SharedHooks> {
    let sources = discover::find(&here.roots).sources;
    let readers = AGENTS.iter().copied().filter(|agent| !agent.reads.is_empty());
    let mut found = Vec::new();
    for reader in readers.filter(|agent| is_present(agent)) {
        let calls_itself = calls(reader);
        for row in reader.reads {
            let owned = sources.iter().filter(|source| source.dialect.as_str() == row.owner);
            found.extend(owned.filter_map(|source| {
                let file = shown_file(source, here);
                let is_read = row.has_file(&file) && (!row.needs_matcher || has_matcher(source));
                is_read.then(|| {
                    shared_hooks_of_source(source, (reader, Some(row)), file, (calls_itself, here))
                })
            }));
        }
    }
    found.retain(|shared| shared.hooks > 0 || shared.calls_tenterhook);
    let is_left_out = |agent: &Agent| is_present(agent) && !calls(agent);
    found.extend(agents_that_run_none(&sources, is_left_out, here));
    found
}

/// Returns the agents that run no hook of a file which others share, and do not call Tenterhook
/// either. `is_left_out` tells whether an agent is here and does not call.
fn agents_that_run_none(
    sources: &[Source],
    is_left_out: impl Fn(&Agent) -> bool,
    here: &Here,
) -> Vec<SharedHooks> {
    let is_shared = |source: &&Source| {
        let mut rows = AGENTS.iter().flat_map(|agent| agent.reads);
        rows.any(|row| row.owner == source.dialect.as_str())
    };
    let mut found = Vec::new();
    for source in sources.iter().filter(is_shared) {
        let file = shown_file(source, here);
        let is_reader = |agent: &Agent| agent.reads.iter().any(|row| row.has_file(&file));
        let others = agents_with_hook_installation().filter(|agent| {
            agent.name != source.dialect.as_str() && is_left_out(agent) && !is_reader(agent)
        });
        found.extend(others.map(|agent| {
            shared_hooks_of_source(source, (agent, None), file.clone(), (false, here))
        }));
    }
    found.retain(|shared| shared.hooks > 0);
    found
}

/// Returns a file as it is shown: from the home, or from the working directory.
fn shown_file(source: &Source, here: &Here) -> String {
    let file = shorten_path(&source.name, &here.roots);
    file.strip_prefix("./").unwrap_or(&file).to_owned()
}

/// Returns whether some group of a settings file has a matcher.
fn has_matcher(source: &Source) -> bool {
    let root: Value = serde_json::from_str(&source.text).unwrap_or_default();
    let events = root.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let mut groups = events.filter_map(|(_, groups)| groups.as_array()).flatten();
    groups.any(|group| group.get("matcher").is_some())
}

fn shared_hooks_of_source(
    source: &Source,
    (reader, row): (&'static Agent, Option<&'static SharedFiles>),
    file: String,
    (calls_itself, here): (bool, &Here),
) -> SharedHooks {
    let all = source.dialect.dialect().read_config(source).hooks;
    let (ours, theirs): (Vec<Hook>, Vec<Hook>) =
        all.into_iter().partition(|hook| is_tenterhook_entry(&hook.run));
    let rows = source.dialect.dialect().event_rows();
    let is_run = |hook: &Hook| row.is_some_and(|row| row.events.contains(&hook.event.as_str()));
    let own_name = |hook: &Hook| {
        let row = rows.iter().find(|row| row.event == hook.event.as_str());
        row.map_or_else(|| hook.event.to_string(), |row| row.name.to_string())
    };
    let mut never: Vec<String> = theirs.iter().filter(|hook| !is_run(hook)).map(own_name).collect();
    never.sort();
    never.dedup();
    let calls_tenterhook = ours.iter().any(is_run);
    let id = DialectId::agents().find(|id| id.as_str() == reader.name);
    let loads = id.is_some_and(|id| id.dialect().loads_source(source));
    let only_own = here.only_own_hooks_marker_path(reader.name).exists();
    let is_run_twice =
        (calls_itself || calls_tenterhook) && !loads && !only_own && theirs.iter().any(is_run);
    SharedHooks {
        reader,
        owner: source.dialect.as_str(),
        row,
        file,
        path: source.name.to_string(),
        hooks: theirs.len(),
        never,
        calls_tenterhook,
        is_run_twice,
    }
}

impl SharedHooks {
    /// Describes what the reader makes of the file.
    pub(crate) fn description(&self) -> String {
        let Some(row) = self.row else {
            let hooks = format_count(self.hooks, "hook");
            let title = self.reader.title;
            return format!("{title} does not run its {hooks}, and does not call Tenterhook");
        };
        let mut parts = Vec::new();
        if self.hooks > 0 {
            parts.push(format!("also runs {}", format_count(self.hooks, "hook")));
        }
        if self.calls_tenterhook {
            parts.push("calls Tenterhook through it".to_owned());
        }
        if self.is_run_twice {
            parts.push("Tenterhook runs these hooks there a second time".to_owned());
        }
        if !self.never.is_empty() {
            parts.push(format!("never runs {}", self.never.join(", ")));
        }
        if row.ignores_matchers && self.hooks > 0 {
            parts.push("ignores matchers".to_owned());
        }
        if !row.denial.is_empty() && self.hooks > 0 {
            parts.push(row.denial.to_owned());
        }
        format!("{} {}", self.reader.title, parts.join("; "))
    }

    fn to_json(&self) -> Value {
        json!({
            "file": self.file, "owner": self.owner, "reader": self.reader.name,
            "hooks": self.hooks, "calls_tenterhook": self.calls_tenterhook,
            "twice": self.is_run_twice, "never": self.never,
            "ignores_matchers": self.row.is_some_and(|row| row.ignores_matchers),
        })
    }
}

pub(crate) fn shared_hooks_json(found: &[SharedHooks]) -> Vec<Value> {
    found.iter().map(SharedHooks::to_json).collect()
}

/// Renders the section of `status`; empty if no file has a second reader.
pub(crate) fn shared_hooks_text(found: &[SharedHooks]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let mut text = format!("{}\n", paint(BOLD, "Files that several agents read"));
    for shared in found {
        let file = to_safe_line(&shared.file);
        text.push_str(&format!("  {} {}\n", paint(DIM, file), shared.description()));
    }
    text.push('\n');
    text
}
