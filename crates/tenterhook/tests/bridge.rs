//! Is every agent told of an outcome in its own words, to the byte? Reads the tables of `conformance/bridge`.

#![expect(clippy::expect_used, reason = "a case that cannot be set up is a failure of the test")]

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use tenterhook::Outcome;
use tenterhook::answer::{Restraint, Stop};
use tenterhook::dialect::{DialectId, Reply, Roots};
use tenterhook::hook::HookId;
use tenterhook::outcome::Reason;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    agent: String,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    rule: Vec<String>,
    about: String,
    event: Map<String, Value>,
    #[serde(default)]
    outcome: Said,
    way_out: Option<String>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    exit: u8,
    #[serde(default)]
    warns: Vec<String>,
}

/// What hooks together said.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Said {
    decision: Option<String>,
    reason: Option<String>,
    stop: Option<String>,
    input: Option<Value>,
    prompt: Option<String>,
    output: Option<Value>,
    context: Vec<String>,
    messages: Vec<String>,
    env: Map<String, Value>,
    extra: Map<String, Value>,
}

impl Said {
    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        let words = [Restraint::Allow, Restraint::Ask, Restraint::Defer, Restraint::Deny];
        outcome.restraint = self.decision.as_ref().map_or(Restraint::Silent, |word| {
            *words.iter().find(|it| it.word() == Some(word)).expect("a decision")
        });
        let reason = |text: &String| Reason { hook: HookId::new("guard"), text: text.clone() };
        outcome.reasons = self.reason.iter().map(reason).collect();
        let effects = &mut outcome.effects;
        effects.stop = self.stop.clone().map(|reason| Stop { reason: Some(reason) });
        effects.updated_input = self.input.clone();
        effects.updated_prompt = self.prompt.clone();
        effects.updated_output = self.output.clone();
        effects.context = self.context.clone();
        effects.messages = self.messages.clone();
        effects.env = self.env.clone();
        effects.extra = self.extra.clone();
        outcome
    }
}

fn differences(agent: DialectId, case: &Case) -> Vec<String> {
    assert!(!case.rule.is_empty(), "{}: a case cites a rule", case.about);
    let dialect = agent.dialect();
    let event = match dialect.decode_event(&case.event, &Roots::default()) {
        Ok(event) => event,
        Err(fault) => return vec![fault.to_string()],
    };
    let reply = dialect
        .encode_outcome(&event, &case.outcome.outcome(), case.way_out.as_deref())
        .expect("an agent that calls");
    let line = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    let wanted = Reply {
        stdout: line(&case.stdout),
        stderr: case.stderr.clone(),
        exit: case.exit,
        warnings: reply.warnings.clone(),
    };
    let mut found = Vec::new();
    if reply != wanted {
        found.push(format!("expected {wanted:?}\n  got      {reply:?}"));
    }
    let told = |it: &String| reply.warnings.iter().any(|warning| warning.contains(it.as_str()));
    found.extend(case.warns.iter().filter(|it| !told(it)).map(|it| format!("no warning: {it}")));
    if case.warns.is_empty() != reply.warnings.is_empty() {
        found.push(format!("warnings: {:?}", reply.warnings));
    }
    found
}

#[test]
fn every_agent_is_told_in_its_own_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/bridge");
    let mut failures = Vec::new();
    let mut agents = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the tables can be listed") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let table: Table =
            toml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let agent = DialectId::find(&table.agent).expect("a dialect of this build");
        agents.push(agent);
        for case in &table.case {
            let found = differences(agent, case);
            failures.extend(found.iter().map(|it| format!("{agent}: {}\n  {it}", case.about)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let all = tenterhook::dialect::DIALECTS.iter().filter(|it| it.agent().is_some());
    for dialect in all {
        assert!(agents.contains(&dialect.id()), "{} has no table of cases", dialect.id());
    }
}
