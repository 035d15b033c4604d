//! Finds calls that an earlier record has: files of forks, resumes and subagents begin with copies
//! of the calls of their parents (TR-5). Stores one number for each call.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Call, TranscriptAgent, TranscriptRecord};

/// The calls that were seen.
#[derive(Debug, Default)]
pub struct Copies {
    seen: HashSet<u128>,
}

impl Copies {
    /// Whether this file or an earlier file of the same agent has the call already.
    ///
    /// A copy has the same id, tool and input, and the same time or session: a fork has a new
    /// session and the same times, a subagent of Codex has its parent's session and new times. An
    /// id alone is not unique: agents share ids, and so do two sessions of an agent whose service
    /// numbers its calls.
    pub fn is_known_call_else_remember(
        &mut self,
        agent: TranscriptAgent,
        record: &TranscriptRecord<'_>,
        call: &Call<'_>,
    ) -> bool {
        let by_time = record.time.map(|time| ("time", Some(time), None, None));
        // The reference agent numbers its calls from 1 again when it resumes a session.
        let line = Some(record.line).filter(|_| agent == TranscriptAgent::Tenterhook);
        let by_session =
            record.session.as_deref().map(|session| ("session", None, Some(session), line));
        let seen = [by_time, by_session]
            .map(|id| id.is_some_and(|which| !self.seen.insert(call_key(agent, call, which))));
        record.is_copied || seen.contains(&true)
    }
}

fn call_key(agent: TranscriptAgent, call: &Call<'_>, which: impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, agent, &call.id, &call.tool, &call.input, &which).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
