//! What did the person leave to an agent that the built-in rules deny? One call by its code, or all for a few minutes: said
//! in a terminal of their own, kept in one small file of theirs under the state directory.
//!
//! It judges no call: it is asked when a rule denies, and forgets what is used up or too old. Who may say so is the business
//! of the program that writes (`lineage` tells it who is an agent).

pub mod lineage;
mod store;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::discover;
pub use store::{Denied, Exemptions, Trouble};
use tenterhook_core::dialect::Roots;
use tenterhook_core::event::Event;
use tenterhook_core::event::tool::effect::canonical;

/// How long a denied call can be allowed by its code, and how long an allowed one waits to be made.
pub const ONCE: Duration = Duration::from_mins(10);
/// How long the rules rest when nobody says how long, and at most.
pub const PAUSE: Duration = Duration::from_mins(10);
/// The longest pause.
pub const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// What becomes of a denial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lifted {
    /// It stands; what the person can do, where that could be kept.
    No(Option<String>),
    /// It is lifted: why.
    Yes(String),
}

/// Where the state directory is in a home.
const USUAL: &str = ".local/state/tenterhook";

/// The state directory of a person, by their environment: `$XDG_STATE_HOME/tenterhook`, else `~/.local/state/tenterhook`.
#[must_use]
pub fn state_directory(env: &[(String, String)], home: &Path) -> PathBuf {
    let said = env.iter().find(|(name, _)| name == "XDG_STATE_HOME");
    let said = said.map(|(_, value)| PathBuf::from(value)).filter(|value| value.is_absolute());
    said.map_or_else(|| home.join(USUAL), |state| state.join("tenterhook"))
}

/// The same, but never one that a variable put into one of these projects, of which the first is where the program works (T-72): the
/// usual one is used instead. For a person who works in their home, it is in the project.
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

/// The usual directory of state of the user's account, where the system knows it.
#[must_use]
pub fn account_state_directory(roots: &Roots) -> Option<PathBuf> {
    roots.account_home.as_ref().map(|home| home.join(USUAL))
}

/// What a call is known by: its tool, its input and where it is made. The order of its fields makes no difference.
fn digest(event: &Event) -> String {
    let mut hasher = Sha256::new();
    for key in ["tool_name", "tool_input"] {
        let mut text = String::new();
        canonical(event.payload.get(key).unwrap_or(&Value::Null), &mut text);
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.update(event.within.cwd.to_string_lossy().as_bytes());
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The short name of a digest: letters and figures that nobody takes for another.
fn code(digest: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHJKMNPQRSTVWXYZ23456789";
    let number = u64::from_str_radix(digest.get(..16).unwrap_or_default(), 16).unwrap_or_default();
    let letter = |at: u32| {
        let index = (number / 30_u64.pow(at)) % 30;
        usize::try_from(index).ok().and_then(|index| LETTERS.get(index)).copied().unwrap_or(b'A')
    };
    (0..6).map(|at| char::from(letter(at))).collect()
}

/// One line that says what the call is, for the person who is to allow it.
fn line(event: &Event) -> String {
    let tool = event.payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let input = event.payload.get("tool_input").unwrap_or(&Value::Null);
    let command = input.get("command").and_then(Value::as_str).map(str::to_owned);
    let said = command.unwrap_or_else(|| input.to_string());
    let cut: String = said.chars().take(400).collect();
    let cut = if cut.len() < said.len() { format!("{cut}...") } else { cut };
    tenterhook_core::text::without_controls(&format!("{tool} {cut}")).replace('\n', " ")
}
