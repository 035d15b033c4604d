//! `transcripts`: the samples of real agents are listed as the index beside them says, and nothing is written beside them.
#![cfg_attr(
    feature = "opencode",
    expect(clippy::indexing_slicing, reason = "what is not there fails the test")
)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::fixture::{Fixture, fits_schema};

pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/observed/transcripts")
}

/// A copy of the samples, in which OpenCode's rows are in a database with a write-ahead log, as the agent leaves it. A build that
/// cannot read the database has none.
pub(crate) fn copied(fixture: &Fixture) -> PathBuf {
    let place = fixture.path("samples");
    fs::create_dir(&place).unwrap();
    for entry in fs::read_dir(samples()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("opencode") {
            #[cfg(feature = "opencode")]
            database(&place.join("opencode.db"), &fs::read_to_string(entry.path()).unwrap());
        } else {
            fs::copy(entry.path(), place.join(name)).unwrap();
        }
    }
    place
}

#[cfg(feature = "opencode")]
fn database(path: &Path, rows: &str) {
    let made = path.with_extension("made");
    let database = rusqlite::Connection::open(&made).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
             CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
             CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);",
        )
        .unwrap();
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let table = row["table"].as_str().unwrap();
        let columns: &[&str] = match table {
            "session" => &["id", "parent_id", "directory", "version", "time_created"],
            "message" => &["id", "session_id", "time_created", "data"],
            _ => &["id", "message_id", "session_id", "time_created", "data"],
        };
        let values = columns.iter().map(|column| match &row[*column] {
            Value::String(text) => rusqlite::types::Value::Text(text.clone()),
            Value::Number(number) => rusqlite::types::Value::Integer(number.as_i64().unwrap()),
            Value::Null => rusqlite::types::Value::Null,
            object => rusqlite::types::Value::Text(object.to_string()),
        });
        let marks = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", columns.join(", "));
        database.execute(&sql, rusqlite::params_from_iter(values)).unwrap();
    }
    // As an agent leaves it that runs: nothing of it is in the database yet, all of it in the log.
    let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    fs::copy(&made, path).unwrap();
    fs::copy(log(&made), log(path)).unwrap();
    drop(database);
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", made.display()));
    }
}

/// TR-1, TR-7: every count of the index, through the program.
#[test]
fn every_count_is_that_of_the_index() {
    let fixture = Fixture::new();
    let place = copied(&fixture);
    let names = |place: &Path| {
        let mut names: Vec<_> = fs::read_dir(place)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (
                    entry.file_name(),
                    entry.metadata().unwrap().len(),
                    entry.metadata().unwrap().modified().unwrap(),
                )
            })
            .collect();
        names.sort();
        names
    };
    let before = names(&place);
    let said = fixture.run(&["transcripts", place.to_str().unwrap(), "--format", "json"], "");
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_eq!(names(&place), before, "nothing is written beside them");
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    fits_schema("transcripts", &said);
    let files = said["files"].as_array().unwrap();
    let index = fs::read_to_string(samples().join("index.tsv")).unwrap();
    let mut rows = 0;
    let is_read = |row: &&str| cfg!(feature = "opencode") || !row.starts_with("opencode");
    let expected: Vec<&str> =
        index.lines().skip(1).filter(|row| !row.contains(".meta.json")).filter(is_read).collect();
    for row in &expected {
        let fields: Vec<&str> = row.split('\t').collect();
        let name = match fields[0] {
            name if name.starts_with("opencode") => "opencode.db",
            name => name,
        };
        let file = files
            .iter()
            .find(|file| file["file"].as_str().unwrap().ends_with(&format!("/{name}")))
            .expect(row);
        let number = |at: usize| fields[at].parse::<u64>().unwrap();
        assert_eq!(file["agent"], fields[1], "{row}");
        // Gemini's files do not say their version.
        assert!(file["version"] == fields[2] || fields[1] == "Gemini CLI", "{row}");
        assert_eq!(file["calls"], number(3), "{row}");
        assert_eq!(file["denied"], number(4), "{row}");
        assert_eq!(file["subagent_calls"], number(5), "{row}");
        assert_eq!(file["unknown_records"], 0, "{row}");
        assert!(file["first"].is_string() && file["last"].is_string(), "{row}");
        rows += 1;
    }
    assert_eq!((rows, files.len()), (expected.len(), expected.len()));
    assert_eq!(expected.len(), if cfg!(feature = "opencode") { 16 } else { 15 });
    assert_eq!(said["sum"]["copied"], 24);
    assert_eq!(said["sum"]["days"], 1);
}

/// TR-1: a compressed rollout says what it said before.
#[test]
fn compressed_rollouts_are_read() {
    let fixture = Fixture::new();
    let text = fs::read(samples().join("codex-0.169.0-gpt5-main-resumed.jsonl")).unwrap();
    let bytes =
        ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
    fs::create_dir_all(fixture.path("home/.codex/archived_sessions")).unwrap();
    fs::write(fixture.path("home/.codex/archived_sessions/rollout-x.jsonl.zst"), bytes).unwrap();
    let said = fixture.run(&["transcripts", "--format", "json"], "");
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((&said["files"][0]["calls"], &said["files"][0]["denied"]), (&20.into(), &2.into()));
}

/// TR-3: a file that is not a session is reported, and the others are read.
#[test]
fn what_cannot_be_read_is_said() {
    let fixture = Fixture::new();
    let place = fixture.path("samples");
    fs::create_dir(&place).unwrap();
    fs::copy(samples().join("claude-2.1.330-simple.jsonl"), place.join("a.jsonl")).unwrap();
    fixture.write("samples/b.jsonl", "{\"x\":1}\n");
    fs::write(place.join("c.jsonl.zst"), [0x28, 0xb5, 0x2f, 0xfd, 9, 9, 9]).unwrap();
    fs::write(place.join("opencode.db"), "no database").unwrap();
    let output = fixture.run(&["transcripts", place.to_str().unwrap(), "--format", "json"], "");
    assert_eq!(output.code, 0);
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["files"].as_array().unwrap().len(), 1);
    assert_eq!(json["left_out"].as_array().unwrap().len(), 3, "{}", output.stdout);
    assert_eq!(output.stderr.matches("warning:").count(), 3, "{}", output.stderr);
    let output = fixture.run(&["transcripts", "nowhere"], "");
    assert_eq!(output.code, 1);
}

/// TR-3.
#[cfg(not(feature = "opencode"))]
#[test]
fn this_build_without_sqlite_names_the_feature_that_reads_the_database() {
    let fixture = Fixture::new();
    fixture.write("home/.local/share/opencode/opencode.db", "SQLite format 3");
    let output = fixture.run(&["transcripts"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stderr.contains("`--features opencode`"), "{}", output.stderr);
}

/// A call of Claude Code, or of Qwen Code.
fn call(agent: &str, session: &str, id: &str, time: &str, command: &str) -> String {
    let line = match agent {
        "claude" => {
            serde_json::json!({"type": "assistant", "sessionId": session, "version": "2.1.330", "cwd": "/p", "timestamp": time,
            "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}})
        }
        _ => {
            serde_json::json!({"type": "message", "role": "assistant", "text": "", "at": 1_763_600_000_000_u64,
            "calls": [{"id": id, "tool": "Bash", "input": {"command": command}}]})
        }
    };
    format!("{line}\n")
}

fn listed(fixture: &Fixture) -> Value {
    let output = fixture.run(&["transcripts", "s", "--format", "json"], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("transcripts", &value);
    value
}

/// TR-3: while somebody writes a file, each reader finds a beginning of it: whole lines, and at most one half.
#[test]
fn a_file_that_is_being_written_is_read_as_far_as_it_is() {
    use std::io::Write;
    let fixture = Fixture::new();
    fixture.write("project/s/a.jsonl", "");
    let path = fixture.path("project/s/a.jsonl");
    let lines: Vec<String> = (0..400)
        .map(|i| call("claude", "s", &format!("toolu_{i}"), "2026-11-20T09:00:00Z", "ls"))
        .collect();
    let all = lines.concat();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
            // By pieces that end anywhere.
            for piece in all.as_bytes().chunks(997) {
                file.write_all(piece).unwrap();
                std::thread::yield_now();
            }
            drop(done);
        });
        let mut before = 0;
        while is_done.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let json = listed(&fixture);
            let Some(file) = json["files"].get(0) else { continue };
            let calls = file["calls"].as_u64().unwrap();
            assert!(calls >= before && calls <= 400, "{file}");
            assert!(file["unknown_records"].as_u64().unwrap() <= 1, "{file}");
            before = calls;
        }
    });
    assert_eq!(listed(&fixture)["files"][0]["calls"], 400);
}

/// TR-5: two agents that give the same id to two calls made two calls; so did one agent in two sessions.
#[test]
fn agents_that_share_an_id_share_no_call() {
    let fixture = Fixture::new();
    let time = "2026-11-20T09:00:00Z";
    fixture.write("project/s/a.jsonl", &call("claude", "s", "call-1", time, "ls"));
    fixture
        .write("project/s/c.jsonl", &call("claude", "t", "call-1", "2026-11-20T10:00:00Z", "ls"));
    let own = r#"{"type":"session","id":"s","model":"m","cwd":"/p","at":1763600000000}"#;
    fixture
        .write("project/s/b.jsonl", &format!("{own}\n{}", call("own", "s", "call-1", time, "ls")));
    let json = listed(&fixture);
    assert_eq!((&json["sum"]["calls"], &json["sum"]["copied"]), (&3.into(), &0.into()), "{json:#}");
}

/// TR-1: lines count in their order, whatever their clocks say; the first and the last time are those that are there.
#[test]
fn clocks_that_go_backwards_move_nothing() {
    let fixture = Fixture::new();
    let times = [
        "2026-11-20T12:00:00Z",
        "2026-11-20T09:00:00Z",
        "1969-01-01T00:00:00Z",
        "no time",
        "9999-12-31T23:59:59Z",
    ];
    let lines: String = times
        .iter()
        .enumerate()
        .map(|(at, time)| call("claude", "s", &format!("toolu_{at}"), time, "ls"))
        .collect();
    fixture.write("project/s/a.jsonl", &lines);
    let json = listed(&fixture);
    let file = &json["files"][0];
    assert_eq!((&file["calls"], &file["copied"]), (&5.into(), &0.into()));
    assert_eq!(file["first"], "1969-01-01T00:00:00Z");
    assert!(file["last"].is_string(), "{file}");
    fixture
        .write("project/hooks.toml", "[hook.a]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'no'\n");
    let page = [
        "backtest",
        "native=hooks.toml",
        "--sessions",
        "s",
        "--html",
        "page.html",
        "--format",
        "json",
    ];
    let json: Value = serde_json::from_str(&fixture.run(&page, "").stdout).unwrap();
    fits_schema("backtest", &json);
    let lines: Vec<u64> = json["groups"][0]["examples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|example| example["line"].as_u64().unwrap())
        .collect();
    assert_eq!((&json["calls"], lines), (&5.into(), vec![1, 2, 3]));
}

const DROID: &str = r#"{"type":"session_start","id":"d","cwd":"/p","hostId":"h"}
{"type":"message","timestamp":"2026-11-28T20:00:02Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Execute","input":{"command":"ls"}}]}}
"#;
const PI: &str = r#"{"type":"session","version":3,"id":"p","timestamp":"2026-11-28T20:00:00Z","cwd":"/p"}
{"type":"message","timestamp":"2026-11-28T20:00:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}]}}
"#;

/// The store of a session of Mistral Vibe: a snapshot with one call, a chunk of an earlier one, and a journal with one call.
const VIBE: &[(&str, &str)] = &[
    ("CURRENT", r#"{"generation":"01","session_id":"v","store_format":"mistral.vibe/v1"}"#),
    ("meta.json", r#"{"session_id": "v", "environment": {"working_directory": "/p"}}"#),
    (
        "generations/01/manifest.json",
        r#"{"checkpoint":{"chunks":["b"]},"projection_state":{"chunks":[]},"recovery_journal_segment":{"path":"journal/2.jsonl"}}"#,
    ),
    (
        "chunks/a.json",
        r#"[{"message":{"role":"assistant","content":[{"type":"tool_call","id":"old","name":"bash","arguments":{"value":{}}}]}}]"#,
    ),
    (
        "chunks/b.json",
        r#"[{"message":{"role":"assistant","content":[{"type":"tool_call","id":"c1","name":"bash","arguments":{"value":{"command":"ls"}}}]}}]"#,
    ),
    (
        "journal/1.jsonl",
        r#"{"type":"action_result","payload":{"result":{"result":{"parts":[{"type":"tool_call","id":"c0","name":"bash","arguments_json":"{}"}]}}}}"#,
    ),
    (
        "journal/2.jsonl",
        r#"{"type":"action_result","payload":{"result":{"result":{"parts":[{"type":"tool_call","id":"c2","name":"bash","arguments_json":"{\"command\":\"rm x\"}"}]}}}}"#,
    ),
];

/// Returns the agent, session, calls and calls of subagents of each file.
fn facts_of_files(json: &Value) -> Vec<(String, String, u64, u64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut facts: Vec<_> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let calls = |key: &str| file[key].as_u64().unwrap();
            (text(&file["agent"]), text(&file["session"]), calls("calls"), calls("subagent_calls"))
        })
        .collect();
    facts.sort();
    facts
}

/// TR-9, TR-41: the sessions are found where each agent keeps them.
#[test]
fn sessions_of_droid_pi_and_vibe_are_found() {
    let fixture = Fixture::new();
    fixture.write("home/.factory/sessions/-p/d.jsonl", DROID);
    fixture.write("home/.pi/agent/sessions/--p--/p.jsonl", PI);
    for (file, text) in VIBE {
        fixture.write(&format!("home/.vibe/logs/session/unified/v/{file}"), text);
    }
    let output = fixture.run(&["transcripts", "--format", "json"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("transcripts", &json);
    let expected = [("Droid", "d", 1), ("Mistral Vibe", "v", 2), ("Pi", "p", 1)]
        .map(|(agent, session, calls)| (agent.to_owned(), session.to_owned(), calls, 0));
    assert_eq!(facts_of_files(&json), expected);
}

/// TR-9: a name in the store that leads out of it is not followed.
#[test]
fn store_with_a_path_for_a_name_is_not_read() {
    let fixture = Fixture::new();
    let store = "home/.vibe/logs/session/unified/v";
    fixture.write(&format!("{store}/CURRENT"), r#"{"generation":"../x","store_format":"m"}"#);
    let manifest = r#"{"checkpoint":{"chunks":[]},"projection_state":{"chunks":[]},"recovery_journal_segment":{"path":"2.jsonl"}}"#;
    for file in ["generations/01/manifest.json", "x/manifest.json", "journal/2.jsonl"] {
        fixture.write(&format!("{store}/{file}"), manifest);
    }
    let output = fixture.run(&["transcripts", "--format", "json"], "");
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["left_out"].as_array().unwrap().len(), 1, "{}", output.stdout);
    assert!(output.stderr.contains("is no name"), "{}", output.stderr);
}

/// TR-9, TR-41: the databases are found where each agent keeps them; a compressed record is read.
#[cfg(feature = "opencode")]
#[test]
fn databases_of_kilo_openclaw_and_hermes_are_found() {
    let fixture = Fixture::new();
    let create = |path: &str, sql: &str| {
        let path = fixture.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let database = rusqlite::Connection::open(path).unwrap();
        database.execute_batch(sql).unwrap();
        database
    };
    create(
        "home/.local/share/kilo/kilo.db",
        r#"CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
           CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
           CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
           INSERT INTO session VALUES ('k', NULL, '/p', '7.7.9', 1);
           INSERT INTO message VALUES ('m', 'k', 1, '{"role":"assistant"}');
           INSERT INTO part VALUES ('p', 'm', 'k', 1, '{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls"}}}');"#,
    );
    let openclaw = create(
        "home/.openclaw/agents/main/agent/openclaw-agent.sqlite",
        r#"CREATE TABLE schema_meta (app_version TEXT);
           CREATE TABLE session_windows (session_id TEXT, session_key TEXT, created_at INTEGER);
           CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);
           INSERT INTO schema_meta VALUES ('2026.9.6');
           INSERT INTO session_windows VALUES ('o', 'agent:main:main', 1);
           INSERT INTO transcript_events VALUES ('o', 0, '{"type":"session","version":4,"id":"o","timestamp":"2026-11-28T20:00:00Z","cwd":"/p"}', NULL);"#,
    );
    let record = r#"{"type":"message","timestamp":"2026-11-28T20:00:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"exec","arguments":{"command":"ls"}}]}}"#;
    let fastest = ruzstd::encoding::CompressionLevel::Fastest;
    let compressed = ruzstd::encoding::compress_to_vec(record.as_bytes(), fastest);
    openclaw
        .execute("INSERT INTO transcript_events VALUES ('o', 1, NULL, ?1)", [compressed])
        .unwrap();
    fixture.write("home/.openclaw/agents/main/agent/openclaw-agent.sqlite.lock.sqlite", "x");
    create(
        "home/.hermes/state.db",
        r#"CREATE TABLE sessions (id TEXT, source TEXT, parent_session_id TEXT, cwd TEXT, started_at REAL);
           CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT, tool_call_id TEXT, timestamp REAL, finish_reason TEXT);
           INSERT INTO sessions VALUES ('h', 'cli', NULL, '/p', 1.0), ('t', 'subagent', 'h', NULL, 2.0);
           INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES
             ('h', 'assistant', '[{"id":"c","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]', 1795896002.5),
             ('t', 'assistant', '[{"id":"c","function":{"name":"terminal","arguments":"{\"command\":\"a\"}"}}]', 1795896003.5);"#,
    );
    let output = fixture.run(&["transcripts", "--format", "json"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let json: Value = serde_json::from_str(&output.stdout).unwrap();
    fits_schema("transcripts", &json);
    let expected = [("Hermes", "h", 2, 1), ("Kilo", "k", 1, 0), ("OpenClaw", "o", 1, 0)]
        .map(|(agent, session, calls, sub)| (agent.to_owned(), session.to_owned(), calls, sub));
    assert_eq!(facts_of_files(&json), expected);
}
