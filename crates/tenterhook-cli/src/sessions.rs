//! Where agents keep what they recorded, and what is in it: finds the files, opens them to read alone, and hands their lines to the
//! library's decoders. Writes nothing beside them, and decides nothing.

#[cfg(feature = "opencode")]
mod database;
mod find;
mod open;
mod store;

use std::path::PathBuf;

use jiff::Timestamp;
use tenterhook_core::transcript::{
    Decoder, EventContext, Facts, Line, Lines, TranscriptAgent, TranscriptRecord,
};

pub(crate) use find::find_sessions;

use crate::problem::Problem;

/// One file in which an agent recorded sessions.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) path: PathBuf,
    pub(crate) agent: TranscriptAgent,
    form: Form,
    pub(crate) bytes: u64,
    /// When it was written last.
    pub(crate) modified: Option<Timestamp>,
    /// Where the agent worked, where only the place of the file tells.
    cwd: Option<String>,
    subagent: Option<String>,
}

/// How a file holds its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A line each.
    Lines,
    /// The same, compressed with zstd.
    Compressed,
    /// One JSON object for all.
    Whole,
    /// Rows of a database.
    Database,
    /// The files of a store, of which this one names the last snapshot.
    Store,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) sessions: Vec<Session>,
    /// Files that look like sessions and are of no agent that is known here, and what cannot be read.
    pub(crate) strange: Vec<(PathBuf, String)>,
}

impl Session {
    /// Reads the whole file, and passes each record to `each` until that returns false.
    pub(crate) fn read_records(
        &self,
        each: &mut dyn FnMut(&TranscriptRecord<'_>) -> bool,
    ) -> Result<Facts, Problem> {
        let mut decoder = Decoder::new(self.agent)
            .with_cwd_and_subagent(self.cwd.as_deref(), self.subagent.as_deref());
        let mut more = true;
        let mut take = |line: Line<'_>| {
            decoder.decode_line(line, &mut |record| more = more && each(&record));
            more
        };
        let cannot = |error: std::io::Error| {
            Problem::new(format!("`{}` cannot be read: {error}", self.path.display()))
        };
        match self.form {
            Form::Lines | Form::Compressed => {
                let mut lines =
                    Lines::new(open::open_records(&self.path, self.form).map_err(cannot)?);
                while let Some(line) = lines.read_line().map_err(cannot)? {
                    if !take(line) {
                        break;
                    }
                }
            }
            Form::Whole => {
                let bytes = open::read_whole_file(&self.path).map_err(cannot)?;
                take(Line { number: 1, bytes: bytes.as_deref(), is_whole: true });
            }
            Form::Database => {
                database::read_rows(&self.path, self.agent, &mut take).map_err(cannot)?
            }
            Form::Store => store::read_store(&self.path, &mut take).map_err(cannot)?,
        }
        Ok(decoder.facts_so_far().clone())
    }

    /// Returns the session of the file's first record that names one; `None` for a database, which
    /// has many.
    pub(crate) fn first_session_id(&self) -> Option<String> {
        if self.form == Form::Database {
            return None;
        }
        let mut found = None;
        // A file that cannot be read has none; that is reported when its records are read.
        let _ = self.read_records(&mut |record| {
            found = record.session.as_deref().filter(|id| !id.is_empty()).map(str::to_owned);
            found.is_none()
        });
        found
    }

    /// Returns the context of the events in this file.
    pub(crate) fn event_context(&self, home: &std::path::Path) -> EventContext {
        EventContext {
            home: home.to_owned(),
            cwd: home.to_owned(),
            transcript: Some(self.path.clone()),
        }
    }
}

/// Stands in for the reader of databases in a build without it.
#[cfg(not(feature = "opencode"))]
mod database {
    use std::io;
    use std::path::Path;

    use tenterhook_core::transcript::{Line, TranscriptAgent};

    pub(super) fn read_rows(
        _: &Path,
        _: TranscriptAgent,
        _: &mut dyn FnMut(Line<'_>) -> bool,
    ) -> io::Result<()> {
        Err(io::Error::other(
            "this build has no reader for SQLite databases; install a package of `tenterhook`, or build it with `--features opencode`",
        ))
    }
}
