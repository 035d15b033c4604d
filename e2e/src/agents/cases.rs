//! The cases: what the model calls, what hooks answer, and what a run shows. The table has the
//! expected results.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tenterhook_core::agents;
use tenterhook_probe::{
    Agent, Call, Event, Front, HookAnswer, Mode, Play, Script, Seen, Step, Way, find_agent,
    reason_marker, run_agent,
};
use tenterhook_process::Cancel;

use super::Found;
use super::front::{DIALECT, Tenterhook};
use super::load;
use super::options::Options;
use super::silenced;
use crate::tree;

/// Whether Tenterhook stands in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Without,
    With,
}

impl Column {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Without => "without us",
            Self::With => "with us",
        }
    }
}

/// The cases that represent all near misses in a short run.
const SHORT: &[&str] =
    &["deny", "exit2", "exit2-empty", "line-before", "upper", "crash", "silent", "ask", "rewrite"];

/// Ways that are no denial.
const OTHERS: &[(&str, HookAnswer)] =
    &[("ask", HookAnswer::Ask), ("rewrite", HookAnswer::Rewrite), ("context", HookAnswer::Context)];

/// Whether it is one of them in the agent's own file, from which it was moved; those have no column
/// without us.
pub(super) fn is_moved(case: &str) -> bool {
    case.starts_with("adopted-")
}

/// How many times a stop hook objects that never stops to object.
const STUBBORN: usize = 12;

/// One agent in one column.
pub(super) struct Case<'a> {
    pub(super) agent: &'a Agent,
    pub(super) program: &'a Path,
    pub(super) column: Column,
    /// Tenterhook in front of the agent, if it is.
    pub(super) front: Option<&'a Tenterhook>,
    pub(super) options: &'a Options,
}

impl Case<'_> {
    /// Everything that is asked for.
    pub(super) fn play_all(&self) -> Result<Found, String> {
        if self.options.loaded > 0 {
            return self.loaded();
        }
        // This version plays only the cases that it adds.
        if self.agent.version == silenced::VERSION {
            let mut found = self.silenced()?;
            found.extend(self.switched_off()?);
            found.extend(self.chains()?);
            return Ok(found);
        }
        let mut found = self.calls(&self.ways())?;
        found.extend(self.elsewhere()?);
        found.extend(self.adopted()?);
        found.extend(self.subagent_gap()?);
        found.extend(self.changed_later()?);
        if self.options.whole {
            found.extend(self.contexts()?);
            found.extend(self.prompt()?);
            found.extend(self.stop()?);
            found.extend(self.vendor()?);
            found.extend(self.background()?);
            found.extend(self.shadow()?);
            found.extend(self.managed()?);
            // A newer version of Claude Code plays it, see above.
            if self.agent.name != agents::CLAUDE.name {
                found.extend(self.switched_off()?);
            }
            found.extend(self.chains()?);
        }
        Ok(found)
    }

    /// All ways of the event before a tool.
    fn ways(&self) -> Vec<Way> {
        let plugin = self.is_plugin();
        let mut ways: Vec<Way> = if plugin {
            let ways = self.agent.plugin_ways.iter().map(|(name, text)| {
                let text =
                    text.replace("{reason}", &reason_marker(name)).replace("{new}", &new(name));
                Way { language: "js", ..Way::from_shell_script(Event::Before, name, text) }
            });
            ways.collect()
        } else {
            Way::near_miss_denials(self.spoken())
        };
        if !plugin {
            ways.extend(
                OTHERS.iter().filter_map(|(name, said)| self.answers(Event::Before, *said, name)),
            );
        }
        ways.push(Way::from_shell_script(Event::Before, "silent", "exit 0"));
        if !self.options.whole {
            ways.retain(|way| SHORT.contains(&way.name.as_str()));
        }
        ways
    }

    /// The agent in whose words the hooks speak.
    fn spoken(&self) -> &Agent {
        match self.front {
            Some(_) => find_agent(DIALECT).unwrap_or(self.agent),
            None => self.agent,
        }
    }

    /// Whether its hooks are functions and not commands: so it is without us.
    fn is_plugin(&self) -> bool {
        self.column == Column::Without && !self.agent.plugin_ways.is_empty()
    }

    /// A hook that prints an answer in its agent's protocol.
    pub(super) fn answers(&self, event: Event, answer: HookAnswer, name: &str) -> Option<Way> {
        let text = if answer == HookAnswer::Rewrite { new(name) } else { reason_marker(name) };
        let printed = (self.spoken().answer)(event, answer, &text)?;
        Some(Way::printing(event, name, &printed))
    }

    /// One call a way, one after the other; where the run ends at one of them, the others are
    /// played in another run.
    fn calls(&self, ways: &[Way]) -> Result<Found, String> {
        let mut found = Found::new();
        let mut rest = ways;
        while !rest.is_empty() {
            let main = rest.iter().map(|way| Step::Calls(vec![self.call(&way.name)])).collect();
            let seen = self.play(&Script { main, sub: Vec::new() }, ways, &[Event::Before])?;
            let reached = rest.len().min(seen.main_answer_count() + 1);
            for (step, way) in rest.iter().take(reached).enumerate() {
                found.push((way.name.clone(), seen.call_outcome(&way.name, step).to_string()));
            }
            rest = rest.get(reached..).unwrap_or_default();
        }
        Ok(found)
    }

    /// Denials where they are forgotten: in a batch, in an MCP tool, in a sub-agent.
    fn elsewhere(&self) -> Result<Found, String> {
        let names = ["parallel-1", "parallel-2", "parallel-3", "mcp", "subagent"];
        let deny = |name: &&str| {
            if self.is_plugin() {
                let text = self.agent.plugin_ways.iter().find(|way| way.0 == "deny")?.1;
                let text = text.replace("{reason}", &reason_marker(name));
                return Some(Way {
                    language: "js",
                    ..Way::from_shell_script(Event::Before, name, text)
                });
            }
            self.answers(Event::Before, HookAnswer::Deny, name)
        };
        let ways: Vec<Way> =
            names.iter().filter(|name| **name != "parallel-2").filter_map(deny).collect();
        let mut main =
            vec![Step::Calls(names.iter().take(3).map(|name| self.call(name)).collect())];
        if let Some(name) = self.agent.mcp {
            let input = json!({ "text": "WAY-mcp-END" });
            main.push(Step::Calls(vec![Call { name: name.to_owned(), input }]));
        }
        if let Some(tool) = self.agent.delegate {
            let input = (tool.input)("SUBTASK please do what the model says");
            main.push(Step::Calls(vec![Call { name: tool.name.to_owned(), input }]));
            // Some agents start it and go on; the end of the session ends it, too.
            let input = (self.agent.shell.input)("sleep 3");
            main.push(Step::Calls(vec![Call { name: self.agent.shell.name.to_owned(), input }]));
        }
        let sub = vec![Step::Calls(vec![self.call("subagent")])];
        let seen = self.play(&Script { main, sub }, &ways, &[Event::Before])?;
        let mut found = Found::new();
        for (step, name) in [0, 0, 0, 1, 2].into_iter().zip(names) {
            let has = match name {
                "mcp" => self.agent.mcp.is_some(),
                "subagent" => self.agent.delegate.is_some(),
                _ => true,
            };
            if !has {
                continue;
            }
            let unhooked = !seen.fired.contains_key(&format!("Before.{name}"));
            let began = name != "subagent" || seen.asked.iter().any(|a| !a.main);
            let fate = seen.call_outcome(name, step).to_string();
            let fate = match (began, unhooked) {
                (false, _) => "did not begin".to_owned(),
                (true, true) => format!("{fate}, no hook asked"),
                (true, false) => fate,
            };
            found.push((name.to_owned(), fate));
        }
        Ok(found)
    }

    /// What reaches the model of what hooks want it to know.
    fn contexts(&self) -> Result<Found, String> {
        let rows = [
            (Event::Session, HookAnswer::Context, "session-context"),
            (Event::Prompt, HookAnswer::Context, "prompt-context"),
            (Event::After, HookAnswer::Context, "after-context"),
            (Event::After, HookAnswer::Deny, "after-block"),
        ];
        let ways: Vec<Way> = rows
            .iter()
            .filter_map(|(event, said, name)| {
                let way = self.answers(*event, *said, name)?;
                // Sessions and prompts name no way.
                let any = matches!(event, Event::Session | Event::Prompt);
                Some(if any { Way { name: "any".to_owned(), ..way } } else { way })
            })
            .collect();
        let main = ["after-context", "after-block"].map(|text| Step::Calls(vec![self.call(text)]));
        let script = Script { main: main.to_vec(), sub: Vec::new() };
        let events = [Event::Session, Event::Prompt, Event::After];
        let seen = self.play(&script, &ways, &events)?;
        let arrival = |name: &str| {
            if seen.model_received(&reason_marker(name)) { "received" } else { "lost" }.to_owned()
        };
        Ok(rows.iter().map(|(_, _, name)| ((*name).to_owned(), arrival(name))).collect())
    }

    /// A prompt that is blocked.
    fn prompt(&self) -> Result<Found, String> {
        let Some(way) = self.answers(Event::Prompt, HookAnswer::Deny, "prompt-block") else {
            return Ok(Found::new());
        };
        let way = Way { name: "any".to_owned(), ..way };
        let seen = self.play(&Script::default(), &[way], &[Event::Prompt])?;
        let fate = if seen.asked.is_empty() { "stopped" } else { "ran" };
        Ok(vec![("prompt-block".to_owned(), fate.to_owned())])
    }

    /// A stop that is objected to once, and one that is objected to without end.
    fn stop(&self) -> Result<Found, String> {
        let Some(way) = self.answers(Event::Stop, HookAnswer::Deny, "stop") else {
            return Ok(Found::new());
        };
        let mut found = Found::new();
        for (name, times) in [("stop-once", 1), ("stop-stubborn", STUBBORN)] {
            let text = format!("[ \"$nth\" -le {times} ] || exit 0\n{}", way.text);
            let way = Way::from_shell_script(Event::Stop, "any", text);
            let seen = self.play(&Script::default(), &[way], &[Event::Stop])?;
            let more = seen.asked.len().saturating_sub(1);
            let text = if seen.model_received(&reason_marker("stop")) { ", shown" } else { "" };
            found.push((name.to_owned(), format!("went on {more} times{text}")));
        }
        Ok(found)
    }

    /// The rewriter of the examples, written once: the model that wanted `npm` must hear of `pnpm`,
    /// from its result or its denial.
    fn vendor(&self) -> Result<Found, String> {
        if self.front.is_none() {
            return Ok(Found::new());
        }
        let hook = tree::root().join("examples/rewriter/tidy-commands.sh");
        let hook = std::fs::read_to_string(hook).map_err(|error| error.to_string())?;
        // Its project is of `pnpm`.
        let way =
            Way::from_shell_script(Event::Before, "any", format!(": >pnpm-lock.yaml\n{hook}"));
        let input = (self.agent.shell.input)("npm ci");
        let call = Call { name: self.agent.shell.name.to_owned(), input };
        let script = Script { main: vec![Step::Calls(vec![call])], sub: Vec::new() };
        let seen = self.play(&script, &[way], &[Event::Before])?;
        // What ran in its place, or what the denial carries; a model may hear of `pnpm` from its
        // agent, too. The command that ran instead, or the reason of the denial; the agent may
        // mention `pnpm`, too.
        let texts = ["pnpm: ", "pnpm install --frozen-lockfile", "This project uses pnpm."];
        let arrival =
            if texts.iter().any(|text| seen.model_received(text)) { "received" } else { "lost" };
        Ok(vec![("vendor-rewriter".to_owned(), arrival.to_owned())])
    }

    /// Many denials, one call each; the caller keeps the machine busy meanwhile.
    fn loaded(&self) -> Result<Found, String> {
        let wanted = self.options.loaded;
        let names: Vec<String> = (1..=wanted).map(|i| format!("load-{i}")).collect();
        let ways: Vec<Way> = names
            .iter()
            .filter_map(|name| self.answers(Event::Before, HookAnswer::Deny, name))
            .collect();
        Ok(vec![load::arrived(&self.calls(&ways)?, wanted)])
    }

    pub(super) fn call(&self, way: &str) -> Call {
        self.agent.shell_call_creating_mark_file(way)
    }

    fn play(&self, script: &Script, ways: &[Way], events: &[Event]) -> Result<Seen, String> {
        self.play_with(script, ways, events, self.front.map(|tenterhook| tenterhook as &dyn Front))
    }

    pub(super) fn play_with(
        &self,
        script: &Script,
        ways: &[Way],
        events: &[Event],
        front: Option<&dyn Front>,
    ) -> Result<Seen, String> {
        let path = path(self.program);
        let seen = run_agent(&Play {
            agent: self.agent,
            program: self.program,
            path: &path,
            scratch: &std::env::temp_dir(),
            mode: Mode::Bypass,
            script,
            ways,
            events,
            timeout: if front.is_some() { 15 } else { 5 },
            within: Duration::from_secs(300),
            front,
            cancel: &Cancel::new(),
        })
        .map_err(|error| error.to_string())?;
        if self.options.verbose {
            for request in &seen.asked {
                eprintln_asked(request);
            }
        }
        let blocked = events == [Event::Prompt];
        if seen.asked.is_empty() && !blocked {
            return Err(format!(
                "the model was never asked ({:?})\n{}",
                seen.end,
                seen.last_printed_lines()
            ));
        }
        Ok(seen)
    }
}

fn eprintln_asked(asked: &tenterhook_probe::Asked) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "main {} step {}: {}", asked.main, asked.step, asked.body);
}

/// The command that a hook's rewrite puts in the place of the original.
fn new(way: &str) -> String {
    format!("touch marks/new.{way} && echo new")
}

/// The `PATH` of an agent: its own Node first, if it was installed with one.
#[expect(clippy::disallowed_methods, reason = "agents find Node on the `PATH` of this process")]
fn path(program: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    match program.parent().filter(|folder| folder.join("node").exists()) {
        Some(folder) => format!("{}:{path}", folder.display()),
        None => path,
    }
}
