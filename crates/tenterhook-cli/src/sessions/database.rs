//! OpenCode's database as rows of JSON, in chronological order. The database is copied first: opening one that has a write-ahead
//! log writes files beside it, even to read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row, params};
use serde_json::{Map, Value};
use tenterhook::internal::discover;
use tenterhook_core::transcript::Line;

/// How often a copy is tried while somebody writes.
const TRIES: usize = 5;

/// Passes every row of sessions, messages and parts to `take`, until that returns false.
pub(super) fn read_rows(path: &Path, take: &mut dyn FnMut(Line<'_>) -> bool) -> io::Result<()> {
    let place = tempfile::Builder::new().prefix("tenterhook-read-").tempdir()?;
    let copy = copy_database(path, place.path())?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(copy, flags).map_err(io::Error::other)?;
    read_all_tables(&database, take).map_err(io::Error::other)
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

fn read_all_tables(
    database: &Connection,
    take: &mut dyn FnMut(Line<'_>) -> bool,
) -> rusqlite::Result<()> {
    let mut out = Rows { number: 0, take, more: true };
    let mut sessions = database.prepare("SELECT * FROM session ORDER BY time_created, id")?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        out.push_row("session", row)?;
    }
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
        self.number += 1;
        let text = Value::Object(object).to_string();
        let line = Line { number: self.number, bytes: Some(text.as_bytes()), is_whole: true };
        self.more = (self.take)(line);
        Ok(())
    }
}
