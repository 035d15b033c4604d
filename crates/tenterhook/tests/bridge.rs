//! Checks the reply to each agent, byte for byte. Reads the tables of `conformance/bridge`.

#![expect(clippy::expect_used, reason = "a case that cannot be set up is a failure of the test")]

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use tenterhook::{Event, Outcome};
use tenterhook_core::answer::{Restraint, Stop};
use tenterhook_core::dialect::{DialectId, EventFault, Reply, Roots};
use tenterhook_core::event::EventName;
use tenterhook_core::hook::HookId;
use tenterhook_core::outcome::Reason;

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
    /// The event for which the entry is registered, where the agent has no event of the payload's
    /// name.
    claimed: Option<String>,
    /// What the message says where the event cannot be judged as the claimed one.
    #[serde(default)]
    refused: Vec<String>,
    #[serde(default)]
    outcome: MergedAnswers,
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

/// The merged answers of the hooks.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MergedAnswers {
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
    permissions: Vec<Value>,
    watch: Option<Vec<String>>,
    first_message: Option<String>,
    retry: Option<bool>,
}

impl MergedAnswers {
    fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::without_answer();
        let words = [Restraint::Allow, Restraint::Ask, Restraint::Defer, Restraint::Deny];
        outcome.restraint = self.decision.as_ref().map_or(Restraint::Silent, |word| {
            *words.iter().find(|restraint| restraint.name() == Some(word)).expect("a decision")
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
        effects.updated_permissions = self.permissions.clone();
        effects.watch_paths = self.watch.clone();
        effects.initial_user_message = self.first_message.clone();
        effects.retry = self.retry;
        outcome
    }
}

/// The event as it is judged.
fn read_event(agent: DialectId, case: &Case) -> Result<Event, EventFault> {
    let (dialect, roots) = (agent.dialect(), Roots::default());
    let event = dialect.decode_event(&case.event, &roots)?;
    let Some(name) = &case.claimed else { return Ok(event) };
    let claimed = EventName::new(name.as_str());
    let judged = dialect.decode_as_claimed_event(&case.event, &claimed, &roots)?;
    Ok(judged.map_or(event, |(judged, _)| judged))
}

fn differences(agent: DialectId, case: &Case) -> Vec<String> {
    assert!(!case.rule.is_empty(), "{}: a case cites a rule", case.about);
    let dialect = agent.dialect();
    let event = match read_event(agent, case) {
        Ok(event) => event,
        Err(fault) if !case.refused.is_empty() => {
            let message = fault.to_string();
            let absent = case.refused.iter().filter(|part| !message.contains(part.as_str()));
            return absent.map(|part| format!("no `{part}` in: {message}")).collect();
        }
        Err(fault) => return vec![fault.to_string()],
    };
    if !case.refused.is_empty() {
        return vec![format!("judged as {event:?}")];
    }
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
    let is_shown =
        |text: &String| reply.warnings.iter().any(|warning| warning.contains(text.as_str()));
    found.extend(
        case.warns.iter().filter(|text| !is_shown(text)).map(|text| format!("no warning: {text}")),
    );
    if case.warns.is_empty() != reply.warnings.is_empty() {
        found.push(format!("warnings: {:?}", reply.warnings));
    }
    found
}

#[test]
fn each_agent_receives_its_own_form() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/bridge");
    let mut failures = Vec::new();
    let mut agents = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the tables can be listed") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let table: Table =
            toml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let agent =
            DialectId::agents().find(|agent| agent.as_str() == table.agent).expect("an agent");
        agents.push(agent);
        for case in &table.case {
            let found = differences(agent, case);
            failures.extend(found.iter().map(|text| format!("{agent}: {}\n  {text}", case.about)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for agent in DialectId::agents() {
        assert!(agents.contains(&agent), "{agent} has no table of cases");
    }
}

/// BR-13, BR-111: the payloads of each agent under the word for each other one.
#[test]
fn call_is_recognized_by_its_form_despite_the_claimed_agent() {
    let folders = [
        ("claude-code", None),
        ("codex", None),
        ("copilot-cli-camel", Some(DialectId::COPILOT)),
        ("copilot-cli-pascal", Some(DialectId::COPILOT_PASCAL)),
        ("gemini-cli", Some(DialectId::GEMINI)),
        ("qwen-code", Some(DialectId::QWEN)),
        ("droid", Some(DialectId::DROID)),
        ("mistral-vibe", Some(DialectId::VIBE)),
        ("hermes", Some(DialectId::HERMES)),
        ("kimi-code", Some(DialectId::KIMI)),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed/payloads");
    let mut seen = 0;
    for (folder, agent) in folders {
        for entry in std::fs::read_dir(root.join(folder)).expect("the payloads can be listed") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let event: Map<String, Value> = serde_json::from_str(&text).expect("an object");
            let is_shown = DialectId::from_event_form(&event, DialectId::GOOSE);
            seen += 1;
            // A request for a permission has one form in both of Copilot's.
            let both = event.contains_key("hookName") && folder.starts_with("copilot");
            let known = match agent {
                Some(_) if both => is_shown == Some(DialectId::COPILOT),
                Some(agent) => is_shown == Some(agent),
                // Claude Code and Codex speak alike: between them what was claimed counts.
                None => {
                    let own = if folder == "codex" { DialectId::CODEX } else { DialectId::CLAUDE };
                    let claimed = DialectId::from_event_form(&event, own).unwrap_or(own);
                    claimed == own
                        && is_shown.is_some_and(|dialect_id| {
                            dialect_id == own || dialect_id == DialectId::CLAUDE
                        })
                }
            };
            assert!(known, "{}: {is_shown:?}", path.display());
            // The name of the event, which some versions send beside, changes nothing about the
            // form.
            if agent == Some(DialectId::COPILOT) {
                let mut named = event.clone();
                named.insert("hook_event_name".to_owned(), "preToolUse".into());
                assert_eq!(
                    DialectId::from_event_form(&named, DialectId::GOOSE),
                    agent,
                    "{named:?}"
                );
            }
        }
    }
    assert!(seen > 60, "{seen}");
}
