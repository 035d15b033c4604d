//! A plugin that loads after ours and changes each call: what it puts in the place of a judged call does not run.

use tenterhook_probe::{
    Agent, Env, Event, Fixture, Front, FrontError, REWRITTEN_LATER, Script, Step,
};

use super::Found;
use super::cases::Case;
use super::front::Tenterhook;

/// Tenterhook, and a plugin that is installed after it.
struct Followed<'a>(&'a Tenterhook);

impl Front for Followed<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        if let Some((path, text)) = agent.later_plugin {
            room.write_file(&room.home().join(path), text)?;
        }
        self.0.register(room, agent, env)
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        self.0.require_called_during_run(room)
    }
}

impl Case<'_> {
    /// A call that no hook denies, in an agent with such a plugin.
    pub(super) fn changed_later(&self) -> Result<Found, String> {
        let (Some(front), Some(_)) = (self.front, self.agent.later_plugin) else {
            return Ok(Found::new());
        };
        let main = vec![Step::Calls(vec![self.call(REWRITTEN_LATER)])];
        let script = Script { main, sub: Vec::new() };
        let seen = self.play_with(&script, &[], &[Event::Before], Some(&Followed(front)))?;
        Ok(vec![(REWRITTEN_LATER.to_owned(), seen.call_outcome(REWRITTEN_LATER, 0).to_string())])
    }
}
