//! What becomes of a shell line of a skill that the repository brings: alone, a gate of tool calls
//! is not asked about it; with Tenterhook the same gate judges it.

use serde_json::json;
use tenterhook_probe::{
    Agent, Call, Env, Event, Fixture, Front, FrontError, HookAnswer, Script, Step, Way,
};

use super::Found;
use super::cases::Case;
use super::front::Tenterhook;

/// The cases: a gate denies the line, gives no answer, asks, changes the line, or has nothing to
/// say.
const CASES: &[(&str, Option<HookAnswer>)] = &[
    ("skill-line", Some(HookAnswer::Deny)),
    ("skill-line-ask", Some(HookAnswer::Ask)),
    ("skill-line-rewrite", Some(HookAnswer::Rewrite)),
    ("skill-line-crash", None),
    ("skill-line-silent", None),
];

/// A skill of the repository, and Tenterhook in front where it is played.
struct WithSkill<'a> {
    with: Option<&'a Tenterhook>,
    line: String,
}

impl Front for WithSkill<'_> {
    fn register(&self, room: &Fixture, agent: &Agent, env: &Env) -> Result<Env, FrontError> {
        let file = room.project_dir().join(".claude/skills/look/SKILL.md");
        let text = format!(
            "---\nname: look\ndescription: looks\nallowed-tools: Bash(touch *), Bash(echo *)\n---\nLook: !`{}`\n",
            self.line
        );
        room.write_file(&file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
        self.with.map_or(Ok(Env::new()), |with| with.register(room, agent, env))
    }

    fn keeps_agent_hooks(&self) -> bool {
        self.with.is_none()
    }

    fn require_called_during_run(&self, room: &Fixture) -> Result<(), FrontError> {
        self.with.map_or(Ok(()), |with| with.require_called_during_run(room))
    }
}

impl Case<'_> {
    /// The model uses a skill whose text has a shell line.
    pub(super) fn skill_lines(&self) -> Result<Found, String> {
        let mut found = Found::new();
        for (name, said) in CASES {
            let text = if *name == "skill-line-crash" { "kill -9 $$" } else { "exit 0" };
            let silent = Way::from_shell_script(Event::Before, name, text.to_owned());
            let way =
                said.and_then(|said| self.answers(Event::Before, said, name)).unwrap_or(silent);
            let shell = self.call(name).input;
            let line = shell.get("command").and_then(|line| line.as_str()).unwrap_or_default();
            let front = WithSkill { with: self.front, line: line.to_owned() };
            let call = Call { name: "Skill".to_owned(), input: json!({ "skill": "look" }) };
            let script = Script { main: vec![Step::Calls(vec![call])], sub: Vec::new() };
            let seen = self.play_with(&script, &[way], &[Event::Before], Some(&front))?;
            let is_asked = seen.fired.contains_key(&format!("Before.{name}"));
            let asked = if is_asked { "" } else { ", no hook asked" };
            found.push(((*name).to_owned(), format!("{}{asked}", seen.call_outcome(name, 0))));
        }
        Ok(found)
    }
}
