//! A hook in the background that objects to a call after it ran: the model reads the objection with
//! a later event of its session.

use tenterhook_probe::{Agent, Call, Env, Fixture, Front, FrontError, Script, Step, reason_marker};

use super::Found;
use super::cases::Case;
use super::front::Tenterhook;

const CASE: &str = "background-wake";
/// The agents that are played.
const AGENTS: &[&str] = &["claude", "codex"];
/// A line of shell that ends once the background hook is on record, or by itself.
const UNTIL_ON_RECORD: &str = "i=0; while [ $i -lt 200 ] && ! grep -qs '\"late\",\"event\":\"PostToolUse\"' ../state/tenterhook/records/*.jsonl; do i=$((i+1)); sleep 0.1; done";

/// Tenterhook, with one hook in the background of the first call.
struct InBackground<'a>(&'a Tenterhook);

impl Front for InBackground<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let objection = reason_marker(CASE);
        let hook = format!(
            "[hook.slow]\non = \"PostToolUse\"\nspeaks = \"claude\"\nonce = true\nbackground = true\nwake = true\n\
             shell = \"sleep 1; echo '{objection}' >&2; exit 2\"\n"
        );
        Ok(self.0.enter_with_hooks(room, agent, env, &hook)?)
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        self.0.require_called_during_run(room)
    }
}

impl Case<'_> {
    /// The objection of a background hook reaches the model.
    pub(super) fn background(&self) -> Result<Found, String> {
        let Some(front) = self.front.filter(|_| AGENTS.contains(&self.agent.name)) else {
            return Ok(Found::new());
        };
        let wait = (self.agent.shell.input)(UNTIL_ON_RECORD);
        let wait = Call { name: self.agent.shell.name.to_owned(), input: wait };
        let main = vec![Step::Calls(vec![self.call(CASE)]), Step::Calls(vec![wait])];
        let script = Script { main, sub: Vec::new() };
        let seen = self.play_with(&script, &[], &[], Some(&InBackground(front)))?;
        let ran = seen.call_outcome(CASE, 0);
        let is_received = seen.model_received(&reason_marker(CASE));
        let objection = if is_received { "objection received" } else { "objection lost" };
        Ok(vec![(CASE.to_owned(), format!("{ran}, {objection}"))])
    }
}
