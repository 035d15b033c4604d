//! A subagent whose calls no hook would see, with the pack of rules that asks before one starts: it
//! does not begin, and the model reads why and who can let it pass.

use tenterhook_core::event::tool::Tool;
use tenterhook_probe::{
    Agent, Call, Env, Event, Fixture, Front, FrontError, HookAnswer, Script, Step,
};

use super::Found;
use super::cases::Case;
use super::front::Tenterhook;

/// What the case is called, and what its subagent is asked to run.
const CASE: &str = "subagent-held";

/// What the model must have received: the reason, and what a person can do.
const WORDS: [&str; 2] = ["A subagent of this agent runs no hooks", "tenterhook allow once "];

/// Tenterhook with a pack of rules beside the hooks of the play.
struct Holding<'a> {
    with: &'a Tenterhook,
    pack: &'static str,
}

impl Front for Holding<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let output = self.with.run(&["rules", "add", self.pack], room, env)?;
        match output.status.success() {
            true => self.with.register(room, agent, env),
            false => Err(String::from_utf8_lossy(&output.stderr).into()),
        }
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        self.with.require_called_during_run(room)
    }
}

impl Case<'_> {
    /// The call that starts a subagent, in an agent that asks no hook about what that one does.
    pub(super) fn subagent_gap(&self) -> Result<Found, String> {
        let row = tenterhook_core::agents::agent_with_hook_installation(self.agent.name);
        let open =
            row.and_then(|row| row.installation.unhooked.iter().find(|u| u.tool == Tool::Agent));
        let (Some(front), Some(tool), Some(open)) = (self.front, self.agent.delegate, open) else {
            return Ok(Found::new());
        };
        let call = |name: &str, input| Step::Calls(vec![Call { name: name.to_owned(), input }]);
        let starts = call(tool.name, (tool.input)("SUBTASK please do what the model says"));
        // Some agents start it and go on; the end of the session ends it, too.
        let waits = call(self.agent.shell.name, (self.agent.shell.input)("sleep 3"));
        let sub = vec![Step::Calls(vec![self.call(CASE)])];
        let script = Script { main: vec![starts, waits], sub };
        let ways: Vec<_> =
            self.answers(Event::Before, HookAnswer::Deny, CASE).into_iter().collect();
        let front = Holding { with: front, pack: open.pack };
        let seen = self.play_with(&script, &ways, &[Event::Before], Some(&front))?;
        let fate = match seen.asked.iter().any(|a| !a.main) {
            true => format!("{}, began", seen.call_outcome(CASE, 0)),
            false => "did not begin".to_owned(),
        };
        let is_shown = WORDS.iter().all(|word| seen.model_received(word));
        Ok(vec![(CASE.to_owned(), format!("{fate}{}", if is_shown { ", shown" } else { "" }))])
    }
}
