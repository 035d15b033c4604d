//! Holds the claude dialect against what the real agent was seen to do:
//! `conformance/observed/claude-code-*.json`.
//!
//! Matching goes through `plan::explain`, outcomes through real shells. Under `exact` the engine
//! must agree; without it the only differences are denials gained.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test may panic: that is how it fails"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;
use tenterhook_core::diagnostic::Code;

use serde_json::{Map, Value, json};
use tenterhook::executor::Ambient;
use tenterhook::{Engine, Event, Outcome, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::Compat;
use tenterhook_core::plan;

/// Where the observed agent's project was; its rules show that it lay under `/tmp`.
const PROJECT: &str = "/tmp/oracle/oproj";

fn observed(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("the table is JSON")
}

fn within(project: &str) -> Surroundings {
    Surroundings {
        session_id: "observed".to_owned(),
        cwd: project.into(),
        project: project.into(),
        home: "/home/user".into(),
        ..Surroundings::default()
    }
}

fn settings(event: &str, group: Value) -> String {
    json!({"hooks": {event: [group]}}).to_string()
}

fn source(text: &str, project: &str, compat: Compat) -> Source {
    let directory = PathBuf::from(project).join(".claude");
    let mut source = Source::from_text(".claude/settings.json", DialectId::CLAUDE, text, directory);
    source.project = project.into();
    source.compat = compat;
    source
}

/// `(rule, call)`: cells in which the wrapper rule selects more than the agent does (S-49).
fn wrapper_selects_more(rule: &str, command: &str) -> bool {
    /// Calls of the table that run `git status` behind a wrapper.
    const WRAPPED: &[&str] = &[
        "bash -c 'git status'",
        "sudo git status",
        "timeout 5 git status",
        "env git status",
        "nohup git status",
        "stdbuf -oL git status",
        "exec git status",
    ];
    /// Rules that `git status` meets.
    const MET: &[&str] = &["Bash(git:*)", "Bash(git *)", "Bash( git *)", "Bash(git*)"];
    WRAPPED.contains(&command) && MET.contains(&rule)
}

#[test]
fn exact_explains_what_the_agent_did_on_every_cell() {
    assert_eq!(cells_that_differ(Compat::Exact, |_, _, _| false), Vec::<String>::new());
}

#[test]
fn guarded_selects_more_only_behind_wrappers() {
    let more = |field: &str, rule: &str, command: &str| {
        field == "if" && wrapper_selects_more(rule, command)
    };
    assert_eq!(cells_that_differ(Compat::Guarded, more), Vec::<String>::new());
}

/// The cells in which `explain` says neither what the agent did nor, where `more` says so, more
/// than that.
fn cells_that_differ(compat: Compat, more: impl Fn(&str, &str, &str) -> bool) -> Vec<String> {
    let table = observed("claude-code-matching.json");
    let calls = table["calls"].as_array().expect("calls");
    let mut wrong = Vec::new();
    for rule in table["rules"].as_array().expect("rules") {
        let mut hook = json!({"type": "command", "command": "true"});
        let mut group = Map::new();
        if let Some(text) = rule["value"].as_str() {
            if rule["field"] == "if" {
                hook["if"] = json!(text);
            } else {
                group.insert("matcher".to_owned(), json!(text));
            }
        }
        group.insert("hooks".to_owned(), json!([hook]));
        let text = settings("PreToolUse", Value::Object(group));
        let (engine, _) = Engine::builder().source(source(&text, PROJECT, compat)).build();
        let session = Session::default();
        for (at, call) in calls.iter().enumerate() {
            let input = call["input"].to_string().replace("{project}", PROJECT);
            let event = Event::new("PreToolUse", within(PROJECT))
                .with("tool_name", call["tool"].clone())
                .with("tool_input", serde_json::from_str::<Value>(&input).expect("an input"));
            let explained = plan::explain(&engine.ruleset(), &session.view(&event.name), &event);
            let selected = explained.iter().any(|(_, because)| because.selected);
            let fired = rule["fires_on"].as_array().expect("calls").contains(&json!(at));
            let command = call["input"]["command"].as_str().unwrap_or_default();
            let (field, value) =
                (rule["field"].as_str(), rule["value"].as_str().unwrap_or_default());
            let more = more(field.unwrap_or_default(), value, command);
            if selected != (fired || more) {
                wrong.push(format!(
                    "{} {} on {at} {input}: {selected}",
                    rule["field"], rule["value"]
                ));
            }
        }
    }
    wrong
}

/// One observed case, set up in its directory.
struct Case {
    event: String,
    name: String,
    hook: Value,
    observed: Value,
    scratch: tempfile::TempDir,
}

impl Case {
    fn all() -> Vec<Self> {
        let table = observed("claude-code-outcomes.json");
        let cases = table["cases"].as_array().expect("cases");
        cases.iter().map(Self::new).collect()
    }

    fn new(case: &Value) -> Self {
        let scratch = tempfile::tempdir().expect("a directory");
        // The table shortens one long text; the hook had printed all of it.
        let long = "y".repeat(50_088);
        let stdout =
            case["hook"]["stdout"].as_str().unwrap_or_default().replace("…<50088 chars>…", &long);
        std::fs::write(scratch.path().join("out"), stdout).expect("written");
        std::fs::write(
            scratch.path().join("err"),
            case["hook"]["stderr"].as_str().unwrap_or_default(),
        )
        .expect("written");
        Self {
            event: case["event"].as_str().expect("an event").to_owned(),
            name: case["case"].as_str().expect("a name").to_owned(),
            hook: case["hook"].clone(),
            observed: case["observed"].clone(),
            scratch,
        }
    }

    fn command(&self) -> String {
        if let Some(command) = self.hook["cmd"].as_str() {
            return command.to_owned();
        }
        let end = match self.hook["code"].as_i64().unwrap_or_default() {
            -9 => "kill -9 $$".to_owned(),
            code => format!("exit {code}"),
        };
        let at = self.scratch.path().display();
        format!("cat >/dev/null; cat {at}/out; cat {at}/err >&2; {end}")
    }

    async fn fire(&self, compat: Compat, session: &Session) -> Outcome {
        let project = self.scratch.path().display().to_string();
        let mut hook = json!({"type": "command", "command": self.command()});
        if let Some(timeout) = self.hook.get("timeout") {
            hook["timeout"] = timeout.clone();
        }
        let text = settings(&self.event, json!({"hooks": [hook]}));
        let path = [("PATH", "/usr/local/bin:/usr/bin:/bin")];
        let ambient = Ambient::default().env(path).scratch(self.scratch.path());
        let (engine, _) =
            Engine::builder().source(source(&text, &project, compat)).ambient(ambient).build();
        let mut event = Event::new(self.event.as_str(), within(&project));
        for (key, value) in payload(&self.event) {
            event = event.with(key, value);
        }
        engine.fire(event, session).await
    }
}

fn payload(event: &str) -> Vec<(&'static str, Value)> {
    let call =
        || vec![("tool_name", json!("Bash")), ("tool_input", json!({"command": "echo RAN-ORIG"}))];
    match event {
        "PreToolUse" => call(),
        "PostToolUse" => {
            let mut call = call();
            call.push((
                "tool_response",
                json!({"stdout": "RAN-ORIG", "stderr": "", "interrupted": false}),
            ));
            call
        }
        "UserPromptSubmit" => vec![("prompt", json!("PROMPT-ORIG"))],
        "SessionStart" => vec![("source", json!("startup"))],
        _ => vec![("stop_hook_active", json!(false))],
    }
}

/// What the table shows of a case, in the words of an outcome.
#[derive(Debug, PartialEq)]
struct Seen {
    restraint: Restraint,
    stops: bool,
    rewritten: bool,
    marks: Vec<&'static str>,
}

/// The marks of hook texts that reach a model, a user or a tool.
const MARKS: &[&str] =
    &["MARK-r", "MARK-err", "MARK-ctx", "MARK-plain", "MARK-upd", "MARK-init", "MARK-stop"];

fn seen(case: &Case) -> Seen {
    let observed = &case.observed;
    let result = observed["tool_result_seen_by_model"]["content"].as_str().unwrap_or_default();
    let text = observed["hook_text_seen_by_model"].to_string();
    let printed = observed["printed"].as_str().unwrap_or_default();
    let ran = observed["tool_ran_with_original_input"] == true;
    let requests = observed["model_requests"].as_i64().unwrap_or_default();
    let rewritten = result == "MARK-upd";
    let stops = case.name == "continue-false" && !(case.event == "SessionStart" && requests == 1);
    let refused = match case.event.as_str() {
        "PreToolUse" => !ran && !rewritten && !stops,
        "PostToolUse" => text.contains("blocking error"),
        "UserPromptSubmit" => observed["prompt_reached_model"] == false,
        "Stop" => text.contains("feedback"),
        _ => false,
    };
    let restraint = match case.name.as_str() {
        // The agents ran headless: asking shows as a refusal. An allow shows as nothing at all.
        "ask" => Restraint::Ask,
        "allow" | "legacy-approve" | "updatedInput-partial" => Restraint::Allow,
        _ if refused => Restraint::Deny,
        _ => Restraint::Silent,
    };
    // The table cuts the text of system messages, so the name of the case stands for it.
    let text = format!(
        "{result} {text} {printed} {}",
        if text.contains("system: …") { &case.name } else { "" }
    );
    let in_system = [("context", "MARK-ctx"), ("exit0-plain-text", "MARK-plain")];
    let marks = MARKS.iter().copied().filter(|mark| {
        let whole = text.match_indices(mark).any(|(at, _)| {
            !text[at + mark.len()..].starts_with(|c: char| c.is_ascii_lowercase() && c != 'y')
        });
        whole
            || in_system.iter().any(|(name, hidden)| hidden == mark && text.ends_with(name))
            || (stops && *mark == "MARK-stop")
    });
    Seen { restraint, stops, rewritten, marks: marks.collect() }
}

fn observable(outcome: &Outcome) -> Seen {
    let effects = &outcome.effects;
    let texts = [
        if outcome.restraint > Restraint::Allow {
            outcome.reason().unwrap_or_default()
        } else {
            String::new()
        },
        effects.context.join("\n"),
        effects.stop.as_ref().and_then(|stop| stop.reason.clone()).unwrap_or_default(),
        effects.initial_user_message.clone().unwrap_or_default(),
        effects.updated_input.as_ref().map(Value::to_string).unwrap_or_default(),
        effects.updated_output.as_ref().map(Value::to_string).unwrap_or_default(),
    ]
    .join("\n");
    Seen {
        restraint: outcome.restraint,
        stops: effects.stop.is_some(),
        rewritten: effects.updated_input.is_some() || effects.updated_output.is_some(),
        marks: MARKS.iter().copied().filter(|mark| mentions(&texts, mark)).collect(),
    }
}

/// Whether `text` holds `mark` and not a longer word that begins with it.
fn mentions(text: &str, mark: &str) -> bool {
    text.match_indices(mark).any(|(at, _)| {
        !text[at + mark.len()..].starts_with(|c: char| c.is_ascii_lowercase() && c != 'y')
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exact_agrees_with_every_observed_outcome() {
    let mut wrong = Vec::new();
    for case in Case::all() {
        let outcome = case.fire(Compat::Exact, &Session::default()).await;
        let (expected, actual) = (seen(&case), observable(&outcome));
        if expected != actual {
            wrong.push(format!(
                "{} {}:\n  expected {expected:?}\n  actual {actual:?}\n  {outcome:?}",
                case.event, case.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guarded_gains_denials_and_loses_none() {
    let mut gained = Vec::new();
    let mut wrong = Vec::new();
    for case in Case::all() {
        let outcome = case.fire(Compat::Guarded, &Session::default()).await;
        let (expected, actual) = (seen(&case), observable(&outcome));
        let denial = actual.restraint == Restraint::Deny && expected.restraint != Restraint::Deny;
        // What looks like an answer and cannot be read as one is a question (A-43).
        let unclear = actual.restraint == Restraint::Ask
            && outcome.faults.iter().any(|fault| fault.code == Code::UnclearAnswer);
        if denial || unclear {
            gained.push(format!("{} {}", case.event, case.name));
        } else if expected != actual {
            wrong.push(format!(
                "{} {}:\n  expected {expected:?}\n  actual {actual:?}\n  {outcome:?}",
                case.event, case.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    let expected = ["deny-wrong-eventname", "invalid-json", "json-then-text"];
    assert_eq!(gained, expected.map(|text| format!("PreToolUse {text}")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_hook_that_never_relents_is_ended_by_the_cap() {
    let case = Case::all().into_iter().find(|case| case.name == "block-forever").expect("the case");
    // Nine requests to the model: the first answer, and one after each of eight blocks.
    assert_eq!(case.observed["model_requests"], 9);
    let session = Session::default();
    for _ in 0..8 {
        assert!(case.fire(Compat::Exact, &session).await.blocked());
    }
    assert!(!case.fire(Compat::Exact, &session).await.blocked());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leaked_pipe_delays_no_denial() {
    let case = Case::all()
        .into_iter()
        .find(|case| case.name == "bg-grandchild-holds-stdout")
        .expect("the case");
    let outcome = case.fire(Compat::Exact, &Session::default()).await;
    assert!(outcome.blocked());
    // The agent waited 4.8 seconds for the grandchild.
    assert!(outcome.steps[0].took < Duration::from_secs(3), "{:?}", outcome.steps);
}
