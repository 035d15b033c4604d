//! Which calls were told before: forks, resumes and subagents begin with the calls of somebody else (TR-5). Keeps a number a call.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Agent, Call, Told};

/// The calls that were seen.
#[derive(Debug, Default)]
pub struct Copies {
    seen: HashSet<u128>,
}

impl Copies {
    /// Whether a call is one that was told before, in this file or in another one of the same agent.
    ///
    /// It is where id, tool and input are the same, and the time or the session too: a fork has another session and the same times,
    /// a subagent of Codex its parent's session and new times. An id alone is not unique between two agents, nor between two sessions
    /// of an agent whose service counts its calls.
    pub fn is_copy(&mut self, agent: Agent, record: &Told<'_>, call: &Call<'_>) -> bool {
        let at_once = record.time.map(|time| ("time", Some(time), None, None));
        // The reference agent counts its calls anew whenever it goes on with a session.
        let line = Some(record.line).filter(|_| agent == Agent::Tenterhook);
        let within =
            record.session.as_deref().map(|session| ("session", None, Some(session), line));
        let seen = [at_once, within]
            .map(|id| id.is_some_and(|which| !self.seen.insert(key(agent, call, which))));
        record.is_copied || seen.contains(&true)
    }
}

fn key(agent: Agent, call: &Call<'_>, which: impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, agent, &call.id, &call.tool, &call.input, &which).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
