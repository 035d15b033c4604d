//! The schemas and the code say the same.

use crate::diagnostic::Code;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use jsonschema::{Validator, validator_for};
use serde_json::json;

use super::*;
use crate::answer::{Answer, Effects, Restraint, Stop};
use crate::dialect::native::config::keys::{self, Key, Shape};
use crate::dialect::native::{answer, config, encode_outcome, envelope};
use crate::dialect::{DIALECTS, Roots};
use crate::hook::HookId;
use crate::outcome::{Fault, Outcome, Reason, Step};
use crate::report::{End, Output, Report, StepOutput};
use crate::syntax::{self, Format};

fn validator(kind: Kind) -> Validator {
    validator_for(&parse_schema(kind)).expect("a schema")
}

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

fn toml(text: &str) -> Value {
    syntax::parse_by_format(text, Format::Toml).root.map(|root| root.to_json()).unwrap_or_default()
}

fn read_answer(text: &str) -> Answer {
    let said = StepOutput::Bytes { stdout: text.as_bytes().into(), stderr: Output::default() };
    answer::read_answer(
        super::super::table::built_in_row("PreToolUse").expect("a row"),
        &Report { said, ..Report::without_output(End::Exited(0), Duration::ZERO) },
        false,
    )
}

/// Every key of `table` is in the schema, with its words, and the schema has no other.
fn agrees(properties: &Value, table: &[Key]) {
    assert_eq!(names(properties), table.iter().map(|key| key.name).collect());
    for key in table {
        if let Shape::Choice(words) = key.shape {
            assert_eq!(properties[key.name]["enum"], json!(words), "{}", key.name);
        }
    }
}

#[test]
fn the_config_schema_has_the_keys_of_the_reader() {
    let schema = super::parse_schema(Kind::Config);
    let defs = &schema["$defs"];
    let hook = &defs["hook"]["anyOf"][1];
    agrees(&schema["properties"], keys::FILE);
    agrees(&hook["properties"], keys::HOOK);
    agrees(&defs["source"]["properties"], keys::SOURCE);
    agrees(&defs["sandbox"]["properties"], keys::SANDBOX);
    agrees(&defs["event"]["properties"], keys::EVENT);
    agrees(&defs["server"]["properties"], keys::SERVER);
    agrees(&defs["record"]["properties"], keys::RECORD);
    agrees(&defs["case"]["properties"], keys::TEST);
    let of_cases = super::parse_schema(Kind::Cases);
    agrees(&of_cases["properties"], keys::CASE_FILE);
    agrees(&of_cases["$defs"]["case"]["properties"], keys::CASE);
    let runs: Vec<&str> = hook["oneOf"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|value| value["required"][0].as_str())
        .collect();
    assert_eq!(runs, keys::RUN);
    let words: Vec<&str> = config::answer_words().map(|(word, _)| word).collect();
    let answers = &defs["event"]["properties"]["answers"]["items"]["enum"];
    assert_eq!(*answers, json!(words));
    let dialects: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.id().as_str()).collect();
    assert_eq!(hook["properties"]["speaks"]["enum"], json!(dialects));
}

#[test]
fn the_other_schemas_have_the_keys_of_the_code() {
    let answers = parse_schema(Kind::Answer);
    assert_eq!(names(&answers["properties"]), answer::KEYS.iter().map(|(key, _)| *key).collect());
    let events = parse_schema(Kind::Event);
    assert_eq!(names(&events["properties"]), envelope::KEYS.iter().copied().collect());
    let outcomes = parse_schema(Kind::Outcome);
    let encoded = encode_outcome(&Outcome::without_answer());
    let keys: Value = encoded.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(outcomes["required"], keys);
}

/// V-41.
#[test]
fn outcomes_fit_their_schema() {
    let mut schema = parse_schema(Kind::Outcome);
    tenterhook_testkit::schema::close_objects(&mut schema);
    let validator = validator_for(&schema).expect("a schema");
    let hook = HookId::new("h");
    let full = Outcome {
        restraint: Restraint::Deny,
        reasons: vec![Reason { hook: hook.clone(), text: "no".into() }],
        effects: Effects {
            context: vec!["a".into(), "b".into()],
            stop: Some(Stop { reason: None }),
            watch_paths: Some(Vec::new()),
            ..Effects::default()
        },
        faults: vec![Fault::new(&hook, Code::TimedOut, "late")],
        steps: vec![Step {
            hook,
            source: "f".into(),
            line: 1,
            executor: "command",
            ended: crate::outcome::Ended::Exited(0),
            took: Duration::from_micros(1234),
            verdict: Restraint::Silent,
            context: Vec::new(),
            rewrote: false,
            messages: Vec::new(),
            stopped: false,
            marks: Vec::new(),
            exemption: None,
            tier: None,
            shadow: Some(Box::new(Outcome::without_answer())),
        }],
    };
    let encoded = encode_outcome(&full);
    assert_eq!(encoded["steps"][0]["duration_ms"], json!(1.234));
    assert_eq!(encoded["stop"], json!({"reason": null}));
    for outcome in [encoded, encode_outcome(&Outcome::without_answer())] {
        validator.validate(&outcome).expect("fits");
    }
    assert!(!validator.is_valid(&json!({})));
}

#[test]
fn what_the_schema_refuses_the_reader_refuses_too() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/check/native");
    let validator = validator(Kind::Config);
    // Mistakes that a schema can see; the others need names, files or the event table.
    #[rustfmt::skip]
    let structural = ["unknown-key", "wrong-type", "bad-duration", "duration-without-unit", "unknown-word", "bad-name",
        "missing-run", "several-runs", "empty-run", "missing-event", "unknown-dialect", "bad-variable", "missing-key", "bad-key", "bad-grant"];
    for entry in std::fs::read_dir(samples).expect("the samples are there") {
        let path = entry.expect("an entry").path();
        let code = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if code == "broken-file" {
            continue;
        }
        let value = toml(&std::fs::read_to_string(&path).expect("a sample is text"));
        assert_eq!(!validator.is_valid(&value), structural.contains(&code.as_str()), "{code}");
    }
}

#[test]
fn events_and_answers_fit_their_schemas_as_they_fit_the_reader() {
    let events = validator(Kind::Event);
    let answers = validator(Kind::Answer);
    let native = &crate::dialect::native::NATIVE;
    #[rustfmt::skip]
    let table = [
        (true, json!({"event": "Stop"})),
        (true, json!({"v": 1, "event": "x.y", "session": {"id": "s", "mood": "good"}, "data": {}, "tool": {"name": "Bash"}})),
        (false, json!({"v": 2, "event": "Stop"})),
        (false, json!({"event": 1})),
        (false, json!({"event": "Stop", "promt": ""})),
        (false, json!({"event": "Stop", "tool": {"input": {}}})),
        (false, json!({"event": "Stop", "session": []})),
    ];
    for (fits, event) in table {
        let object = event.as_object().expect("an object");
        assert_eq!(events.is_valid(&event), fits, "{event}");
        let decoded = native.decode_event(object, &Roots::default());
        assert_eq!(decoded.is_ok(), fits, "{event}");
        if let Ok(event) = decoded {
            let body = native.encode_event(&event).body;
            events.validate(&serde_json::from_slice(&body).expect("json")).expect("fits");
        }
    }
    #[rustfmt::skip]
    let table = [
        (true, json!({})),
        (true, json!({"decision": "deny", "reason": "r", "context": ["a"], "stop": true, "input": null})),
        (false, json!({"decision": "DENY"})),
        (false, json!({"context": 1})),
        (false, json!({"env": {"A": 1}})),
        (false, json!({"input": "x"})),
    ];
    for (fits, json) in table {
        assert_eq!(answers.is_valid(&json), fits, "{json}");
        let answer = read_answer(&json.to_string());
        assert_eq!(answer.failure.is_none() && answer.slips.is_empty(), fits, "{json}");
    }
}
