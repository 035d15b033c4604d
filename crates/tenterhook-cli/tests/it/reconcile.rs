//! `reconcile`: every call that no hook saw is found, and none that one saw.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tenterhook_core::transcript::{
    Action, Copies, Decoder, Ended, Kind, Lines, Refuser, TranscriptAgent,
};

use crate::fixture::{Fixture, fits_schema};
use crate::transcripts::samples;

/// The calls of the samples that a hook would be asked about: file, session, tool, id.
fn calls() -> Vec<[String; 4]> {
    let mut copies = Copies::default();
    let mut calls = Vec::new();
    let mut refused = BTreeSet::new();
    let mut names: Vec<_> =
        fs::read_dir(samples()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in
        names.iter().filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
    {
        let text = fs::read(path).unwrap();
        let agent =
            TranscriptAgent::recognize_by_line(text.split(|byte| *byte == b'\n').next().unwrap())
                .unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut decoder = Decoder::new(agent);
        let mut lines = Lines::new(&text[..]);
        while let Some(line) = lines.read_line().unwrap() {
            decoder.decode_line(line, &mut |record| match &record.action {
                Action::Call(call)
                    if call.kind != Kind::Script
                        && !copies.is_known_call_else_remember(agent, &record, call) =>
                {
                    let session = record.session.as_deref().unwrap_or_default().to_owned();
                    calls.push([
                        file.clone(),
                        session,
                        call.to_neutral(agent).0,
                        call.id.to_string(),
                    ]);
                }
                Action::Result { call, ended: Ended::Refused } => {
                    refused.insert((file.clone(), call.to_string()));
                }
                // Qwen asks its rules first.
                Action::Denial { call, by: Refuser::Rule } if agent == TranscriptAgent::Qwen => {
                    refused.insert((file.clone(), call.to_string()));
                }
                _ => {}
            });
        }
    }
    calls.retain(|[file, .., id]| !refused.contains(&(file.clone(), id.clone())));
    calls
}

fn record(fixture: &Fixture, calls: &[&[String; 4]]) {
    let lines = calls.iter().enumerate().map(|(at, [file, session, tool, id])| {
        let mut record = json!({ "v": 1, "seq": at, "kind": "end", "time": "2026-11-22T00:00:00Z", "event": "PreToolUse",
            "session": session, "tool": tool, "decision": "silent" });
        // As their hooks receive them: Qwen invents an id, Gemini and Copilot have none.
        let id = match file.split('-').next() {
            Some("qwen") => format!("toolu_{at}"),
            Some("gemini" | "copilot") => String::new(),
            _ => id.clone(),
        };
        if let Some(fields) = record.as_object_mut() {
            fields.insert("call".to_owned(), id.into());
        }
        format!("{record}\n")
    });
    fixture
        .write("home/.local/state/tenterhook/records/2026-11-22.jsonl", &lines.collect::<String>());
}

fn reconcile(fixture: &Fixture, place: &Path) -> Value {
    let output = fixture.run(&["reconcile", place.to_str().unwrap(), "--format", "json"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("reconcile", &value);
    value
}

/// RC-1, RC-2, RC-3: each seventh call is taken out of the record, of every agent, and exactly those are found.
#[test]
fn every_seeded_gap_is_found() {
    let calls = calls();
    // What Copilot itself says of its hooks would fill the gaps; its file is looked at without that.
    let fixture = Fixture::new();
    let place = fixture.path("samples");
    fs::create_dir(&place).unwrap();
    for entry in fs::read_dir(samples()).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        let kept = text.lines().filter(|line| !line.contains("\"type\":\"hook.start\""));
        fs::write(
            place.join(entry.file_name()),
            kept.map(|line| format!("{line}\n")).collect::<String>(),
        )
        .unwrap();
    }
    for offset in 0..7 {
        let (mut kept, mut seeded) = (Vec::new(), Vec::new());
        for (at, call) in calls.iter().enumerate() {
            if at % 7 == offset { seeded.push(call) } else { kept.push(call) }
        }
        record(&fixture, &kept);
        let json = reconcile(&fixture, &place);
        assert_eq!(json["unseen"], seeded.len(), "{offset}: {json:#}");
        assert_eq!(json["seen"], kept.len(), "{offset}");
        assert!(json["refused_before_hooks"].as_u64().unwrap() > 20, "{offset}");
        let found: BTreeSet<(String, String)> = json["gaps"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|gap| gap["places"].as_array().unwrap())
            .map(|location| {
                let file = Path::new(location["file"].as_str().unwrap())
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                (file, location["call"].as_str().unwrap().to_owned())
            })
            .collect();
        for [file, _, tool, id] in seeded {
            // Where order joins, another call of the same tool is missed; where ids do, this one.
            let is_exact =
                ["claude", "codex", "opencode"].iter().any(|prefix| file.starts_with(prefix));
            assert!(
                !is_exact || found.contains(&(file.clone(), id.clone())),
                "{offset}: {file} {tool} {id}"
            );
        }
    }
}

/// The causes of the calls of a recorded session that no hook would hear of, one for each kind: of Bash, and of the rest.
fn calls_without_firing(fixture: &Fixture, sample: &str) -> (Vec<String>, Vec<String>) {
    let said = reconcile(fixture, &samples().join(sample));
    let word = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).unwrap().to_owned();
    assert_eq!(word(&said, "by"), "configuration");
    let gaps = said.get("gaps").and_then(Value::as_array).unwrap();
    let causes = |of_bash: bool| {
        let gaps = gaps.iter().filter(|gap| (word(gap, "tool") == "Bash") == of_bash);
        let mut causes: Vec<String> = gaps.map(|gap| word(gap, "cause")).collect();
        causes.sort();
        causes.dedup();
        causes
    };
    (causes(true), causes(false))
}

const CLAUDE: &str = "claude-2.1.330-main-resumed.jsonl";

/// RC-4: a hook is asked where the agent calls us, or starts the hook itself.
#[test]
fn without_records_the_configuration_tells() {
    let fixture = Fixture::new();
    let hook = "[hook.bash]\non = \"PreToolUse\"\nmatch = \"Bash\"\nshell = \"true\"\n";
    fixture.write("project/tenterhook.toml", hook);
    let (bash, rest) = calls_without_firing(&fixture, CLAUDE);
    assert_eq!((bash, rest), (vec!["not_called".to_owned()], vec!["not_matched".to_owned()]));

    let output = fixture.run(&["install", "claude"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let (bash, rest) = calls_without_firing(&fixture, CLAUDE);
    assert_eq!((bash, rest), (Vec::new(), vec!["not_matched".to_owned()]));
}

/// RC-4: a hook in the agent's own file needs no bridge, and no other agent runs it.
#[test]
fn an_agents_own_hooks_cover_its_own_calls() {
    let fixture = Fixture::new();
    fixture.write(
        "home/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
    );
    assert_eq!(calls_without_firing(&fixture, CLAUDE), (Vec::new(), Vec::new()));
    let (bash, _) = calls_without_firing(&fixture, "codex-0.169.0-gpt5.5-main.jsonl");
    assert_eq!(bash, ["not_called"]);
}

/// RC-11: what is on record of a session, and that its gates are not.
#[test]
fn session_with_records_of_other_events_alone_is_named() {
    let fixture = Fixture::new();
    fixture
        .write("project/tenterhook.toml", "[hook.bash]\non = \"PreToolUse\"\nshell = \"true\"\n");
    let sample = samples().join(CLAUDE);
    let gaps = reconcile(&fixture, &sample)["gaps"].clone();
    let session = gaps[0]["places"][0]["session"].as_str().unwrap().to_owned();
    assert_eq!(fixture.run(&["install", "claude"], "").code, 0);
    let lines = |events: &[(&str, &str)]| {
        let line = |(at, (event, session)): (usize, &(&str, &str))| {
            let record = json!({ "v": 1, "seq": at, "kind": "end", "time": "2026-11-22T00:00:00Z", "event": event,
                "session": session, "tool": "Bash", "call": format!("x{at}"), "decision": "silent" });
            format!("{record}\n")
        };
        let text: String = events.iter().enumerate().map(line).collect();
        fixture.write("home/.local/state/tenterhook/records/2026-11-22.jsonl", &text);
    };
    let says = |text: &str| {
        let said = fixture.run(&["reconcile", sample.to_str().unwrap()], "");
        let all = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(text), "{text}: {all}");
        all
    };
    assert!(says("nothing is on record: these are").contains("0 of which none would hear"));
    lines(&[("SessionStart", &session), ("Stop", &session), ("Stop", &session)]);
    let named = format!(
        "session `{session}`: on record are SessionStart (1), Stop (2), and no `PreToolUse`"
    );
    let all = says("no `PreToolUse` is on record: these are");
    assert!(all.contains(&named) && !all.contains("nothing is on record"), "{all}");
    let page = reconcile(&fixture, &sample);
    assert_eq!(
        page["sessions_without_gates"],
        json!([{ "session": session, "on_record": { "SessionStart": 1, "Stop": 2 } }])
    );
    let causes: Vec<&str> =
        page["gaps"].as_array().unwrap().iter().map(|gap| gap["cause"].as_str().unwrap()).collect();
    assert!(
        causes.iter().all(|cause| *cause == "no_gate_on_record") && !causes.is_empty(),
        "{causes:?}"
    );
    // The same where gates of another session are on record.
    lines(&[("PreToolUse", "another"), ("PostToolUse", &session)]);
    says(&format!("session `{session}`: on record are PostToolUse (1), and no `PreToolUse`"));
    // And a session with its gates is not named.
    lines(&[("PreToolUse", &session), ("Stop", &session)]);
    assert_eq!(reconcile(&fixture, &sample)["sessions_without_gates"], json!([]));
}
