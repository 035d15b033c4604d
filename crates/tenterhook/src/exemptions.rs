//! Exemptions from the built-in rules that the user granted in a terminal: one denied call by its
//! code, or a pause of all rules for a few minutes. They are stored in one small file of the user
//! under the state directory.
//!
//! This module judges no call: a rule that denies asks it, and it drops exemptions that are used
//! up or expired. The program that grants an exemption decides whether its caller may do that
//! (`lineage` tells agents from people).

pub mod lineage;
mod store;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::discover;
pub use store::{Denied, Exemptions, Trouble};
pub use tenterhook_core::answer::Lifted;
use tenterhook_core::dialect::Roots;
use tenterhook_core::event::Event;
use tenterhook_core::event::tool::Tool;
use tenterhook_core::event::tool::effect::write_canonical_json;

/// How long the code of a denied call is valid, and how long an allowed call may still be made.
pub const ONCE: Duration = Duration::from_mins(10);
/// Default length of a pause.
pub const PAUSE: Duration = Duration::from_mins(10);
/// The longest pause.
pub const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// The state directory, relative to a home.
const USUAL: &str = ".local/state/tenterhook";

/// The user's state directory: `$XDG_STATE_HOME/tenterhook`, or `~/.local/state/tenterhook`.
#[must_use]
pub fn state_directory(env: &[(String, String)], home: &Path) -> PathBuf {
    let variable = env.iter().find(|(name, _)| name == "XDG_STATE_HOME");
    let state = variable.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute());
    state.map_or_else(|| home.join(USUAL), |state| state.join("tenterhook"))
}

/// As [`state_directory`], except that a variable cannot move the directory into a project (T-72).
///
/// If the directory lies in one of `projects`, the default in the home of the first project (the
/// one that the program works in) is used, unless that home is itself in the project.
#[must_use]
pub fn state_directory_outside<'r>(
    env: &[(String, String)],
    projects: impl Iterator<Item = &'r Roots>,
) -> PathBuf {
    let projects: Vec<&Roots> = projects.collect();
    let Some(first) = projects.first() else { return PathBuf::new() };
    let named = state_directory(env, &first.home);
    let own = first.account_home.as_ref().unwrap_or(&first.home);
    let usual = own.join(USUAL);
    let is_inside = |roots: &&Roots| {
        discover::is_in_project(roots, &named) && !discover::is_in_project(roots, own)
    };
    if named != usual && projects.iter().any(is_inside) { usual } else { named }
}

/// The default state directory in the home of the user's account, if the system knows that home.
#[must_use]
pub fn account_state_directory(roots: &Roots) -> Option<PathBuf> {
    roots.account_home.as_ref().map(|home| home.join(USUAL))
}

/// Returns the code of a call, which denials and the record show.
#[must_use]
pub fn exemption_code_of_call(event: &Event) -> String {
    exemption_code_from_digest(&call_digest(event))
}

/// Returns the line of a denial that no user can lift.
#[must_use]
pub fn explain_line(event: &Event) -> String {
    let code = exemption_code_of_call(event);
    format!("In a terminal: `tenterhook explain {code}` to see why.")
}

/// Adds the command that explains a denial to the first line of its reason: a screen may show no
/// other line (BR-125).
#[must_use]
pub fn with_explain_command(reason: &str, code: &str) -> String {
    let (first, rest) = reason.split_at(reason.find('\n').unwrap_or(reason.len()));
    format!("{} [tenterhook explain {code}]{rest}", first.trim_end()).trim_start().to_owned()
}

/// Fields of a shell command that change nothing of what it does: a model that repeats the command
/// words them anew.
const INCIDENTAL: &[&str] = &["description", "explanation", "timeout", "timeout_ms"];

/// Hashes a call: its tool, input and working directory. The order of JSON fields is irrelevant,
/// and so are the [`INCIDENTAL`] ones of a shell command (SP-21).
fn call_digest(event: &Event) -> String {
    let mut input = event.payload.get("tool_input").cloned().unwrap_or(Value::Null);
    let is_shell = event.tool().is_some_and(|call| call.tool() == Tool::Shell);
    if let Some(fields) = input.as_object_mut().filter(|_| is_shell) {
        fields.retain(|key, _| !INCIDENTAL.contains(&key.as_str()));
    }
    let mut hasher = Sha256::new();
    for value in [event.payload.get("tool_name").unwrap_or(&Value::Null), &input] {
        let mut text = String::new();
        write_canonical_json(value, &mut text);
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.update(event.within.cwd.to_string_lossy().as_bytes());
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The six-character code of a digest, without characters that look alike.
fn exemption_code_from_digest(digest: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHJKMNPQRSTVWXYZ23456789";
    let number = u64::from_str_radix(digest.get(..16).unwrap_or_default(), 16).unwrap_or_default();
    let letter = |at: u32| {
        let index = (number / 30_u64.pow(at)) % 30;
        usize::try_from(index).ok().and_then(|index| LETTERS.get(index)).copied().unwrap_or(b'A')
    };
    (0..6).map(|at| char::from(letter(at))).collect()
}

/// Describes the call in one line, for the user who may allow it.
fn describe_call(event: &Event) -> String {
    let tool = event.payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let input = event.payload.get("tool_input").unwrap_or(&Value::Null);
    let command = input.get("command").and_then(Value::as_str).map(str::to_owned);
    let full = command.unwrap_or_else(|| input.to_string());
    let cut: String = full.chars().take(400).collect();
    let cut = if cut.len() < full.len() { format!("{cut}...") } else { cut };
    tenterhook_core::text::remove_control_sequences(&format!("{tool} {cut}")).replace('\n', " ")
}
