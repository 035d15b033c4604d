//! An agent's database as rows of JSON, in chronological order. The database is copied first: opening one that has a write-ahead
//! log writes files beside it, even to read.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, params};
use serde_json::{Map, Value};
use tenterhook::internal::discover;
use tenterhook_core::transcript::{Line, TranscriptAgent};

/// How often a copy is tried while somebody writes.
const TRIES: usize = 5;
/// The longest record, when it is decompressed.
const RECORD: u64 = 64 << 20;

/// Passes every row of sessions and their messages to `take`, until that returns false.
pub(super) fn read_rows(
    path: &Path,
    agent: TranscriptAgent,
    take: &mut dyn FnMut(Line<'_>) -> bool,
) -> io::Result<()> {
    let place = tempfile::Builder::new().prefix("tenterhook-read-").tempdir()?;
    let copy = copy_database(path, place.path())?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(copy, flags).map_err(io::Error::other)?;
    let mut out = Rows { number: 0, take, more: true };
    match agent {
        TranscriptAgent::OpenClaw => read_openclaw(&database, &mut out),
        TranscriptAgent::Hermes => read_hermes(&database, &mut out),
        _ => read_opencode(&database, &mut out),
    }
    .map_err(io::Error::other)
}

/// Copies the database and its log, as they were at one moment.
fn copy_database(path: &Path, place: &Path) -> io::Result<PathBuf> {
    let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
    let state = || -> Vec<Option<(u64, Option<SystemTime>)>> {
        ["", "-wal"]
            .iter()
            .map(|text| {
                fs::metadata(beside(text))
                    .ok()
                    .map(|metadata| (metadata.len(), metadata.modified().ok()))
            })
            .collect()
    };
    let copy = place.join("copy.db");
    for _ in 0..TRIES {
        let before = state();
        copy_file(path, &copy)?;
        let log = place.join("copy.db-wal");
        match copy_file(&beside("-wal"), &log) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => drop(fs::remove_file(&log)),
            copied => drop(copied?),
        }
        if state() == before {
            return Ok(copy);
        }
    }
    Err(io::Error::other("it is being written all the time"))
}

/// Copies a regular file, like `fs::copy`, but refuses a pipe, which would block.
fn copy_file(from: &Path, to: &Path) -> io::Result<u64> {
    io::copy(&mut discover::open(from)?.0, &mut fs::File::create(to)?)
}

/// Reads the database of OpenCode or Kilo.
fn read_opencode(database: &Connection, out: &mut Rows<'_>) -> rusqlite::Result<()> {
    out.push_table("session", "SELECT * FROM session ORDER BY time_created, id", database)?;
    let mut messages = database.prepare("SELECT * FROM message ORDER BY time_created, id")?;
    let mut parts = database.prepare("SELECT * FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut rows = messages.query([])?;
    while out.more
        && let Some(row) = rows.next()?
    {
        let id: String = row.get("id")?;
        let is_prompt =
            matches!(row.get_ref("data")?, ValueRef::Text(text) if is_user_message(text));
        if is_prompt {
            out.push_row("message", row)?;
        }
        let mut of = parts.query(params![id])?;
        while let Some(part) = of.next()? {
            out.push_row("part", part)?;
        }
        // A reply is over when its parts are.
        if !is_prompt {
            out.push_row("message", row)?;
        }
    }
    Ok(())
}

/// Reads the database of OpenClaw 2026.9.6, whose records are those of Pi. A long one is compressed.
fn read_openclaw(database: &Connection, out: &mut Rows<'_>) -> rusqlite::Result<()> {
    out.push_table("schema_meta", "SELECT app_version FROM schema_meta", database)?;
    let mut sessions = database.prepare(
        "SELECT session_id, session_key FROM session_windows ORDER BY created_at, session_id",
    )?;
    let mut events = database.prepare(
        "SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ?1 ORDER BY seq",
    )?;
    let mut rows = sessions.query([])?;
    while out.more
        && let Some(session) = rows.next()?
    {
        out.push_row("session_windows", session)?;
        let id: String = session.get("session_id")?;
        let mut events = events.query(params![id])?;
        while let Some(event) = events.next()? {
            match (event.get_ref("event_json")?, event.get_ref("event_zstd")?) {
                (ValueRef::Text(text), _) => out.push(Some(text)),
                (_, ValueRef::Blob(bytes)) => out.push(decompress(bytes).as_deref()),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Decompresses a record; `None` if it is too long or broken.
fn decompress(bytes: &[u8]) -> Option<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).ok()?;
    let mut record = Vec::new();
    decoder.take(RECORD + 1).read_to_end(&mut record).ok()?;
    (record.len() as u64 <= RECORD).then_some(record)
}

/// Reads the database of Hermes 0.19.0.
fn read_hermes(database: &Connection, out: &mut Rows<'_>) -> rusqlite::Result<()> {
    let sessions =
        "SELECT id, source, parent_session_id, cwd FROM sessions ORDER BY started_at, id";
    out.push_table("sessions", sessions, database)?;
    let messages = "SELECT session_id, role, content, tool_calls, tool_call_id, timestamp, finish_reason FROM messages ORDER BY id";
    out.push_table("messages", messages, database)
}

fn is_user_message(data: &[u8]) -> bool {
    let data: Option<Value> = serde_json::from_slice(data).ok();
    data.is_some_and(|value| value.get("role").and_then(Value::as_str) == Some("user"))
}

struct Rows<'a> {
    number: u64,
    take: &'a mut dyn FnMut(Line<'_>) -> bool,
    more: bool,
}

impl Rows<'_> {
    /// Passes on each row of a query.
    fn push_table(
        &mut self,
        table: &str,
        query: &str,
        database: &Connection,
    ) -> rusqlite::Result<()> {
        let mut query = database.prepare(query)?;
        let mut rows = query.query([])?;
        while self.more
            && let Some(row) = rows.next()?
        {
            self.push_row(table, row)?;
        }
        Ok(())
    }

    fn push(&mut self, bytes: Option<&[u8]>) {
        if self.more {
            self.number += 1;
            self.more = (self.take)(Line { number: self.number, bytes, is_whole: true });
        }
    }

    /// Passes on one row as one object, whatever columns its version has.
    fn push_row(&mut self, table: &str, row: &Row<'_>) -> rusqlite::Result<()> {
        if !self.more {
            return Ok(());
        }
        let mut object = Map::from_iter([("table".to_owned(), table.into())]);
        let names: Vec<String> = row.as_ref().column_names().map(str::to_owned).collect();
        for (at, name) in names.into_iter().enumerate() {
            let value = match row.get_ref(at)? {
                ValueRef::Null => continue,
                ValueRef::Integer(i) => i.into(),
                ValueRef::Real(real) => real.into(),
                ValueRef::Text(text) if name == "data" => serde_json::from_slice(text)
                    .unwrap_or_else(|_| String::from_utf8_lossy(text).into()),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                ValueRef::Blob(_) => continue,
            };
            object.insert(name, value);
        }
        self.push(Some(Value::Object(object).to_string().as_bytes()));
        Ok(())
    }
}
