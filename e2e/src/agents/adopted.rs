//! Hooks that a person wrote into an agent's own file, after `install --adopt` has moved them: each runs once, and its answer
//! takes effect.

use tenterhook_probe::{Agent, Env, Event, Fixture, Front, FrontError, Script, Step, Way};

use super::Found;
use super::cases::Case;
use super::front::Tenterhook;

/// Agents whose hooks stand in a file of settings, from which they can be moved.
const MOVED: &[&str] = &["claude", "codex", "qwen", "gemini"];

/// A denial as it is documented, and two that these agents lose.
const WAYS: &[&str] = &["deny", "line-before", "upper"];

/// Tenterhook, installed behind the hooks that are there.
struct Adopting<'a>(&'a Tenterhook);

impl Front for Adopting<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        Ok(self.0.install(room, agent, env, &["--adopt"])?)
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        self.0.require_called_during_run(room)
    }

    fn keeps_agent_hooks(&self) -> bool {
        true
    }
}

impl Case<'_> {
    /// Hooks in the agent's own file and words, which were moved.
    pub(super) fn adopted(&self) -> Result<Found, String> {
        let Some(front) = self.front.filter(|_| MOVED.contains(&self.agent.name)) else {
            return Ok(Found::new());
        };
        let mut ways = Way::near_miss_denials(self.agent);
        ways.retain(|way| WAYS.contains(&way.name.as_str()));
        let mut found = Found::new();
        for way in ways {
            let name = way.name.clone();
            let script =
                Script { main: vec![Step::Calls(vec![self.call(&name)])], sub: Vec::new() };
            let front = Adopting(front);
            let seen = self.play_with(&script, &[way], &[Event::Before], Some(&front))?;
            let asked = seen.fired.get(&format!("Before.{name}")).copied().unwrap_or_default();
            let times = if asked == 1 { "once".to_owned() } else { format!("{asked} times") };
            found.push((
                format!("adopted-{name}"),
                format!("{}, asked {times}", seen.call_outcome(&name, 0)),
            ));
        }
        Ok(found)
    }
}
