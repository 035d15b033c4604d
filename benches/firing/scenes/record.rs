//! What a record costs, against a raw write of the same bytes to a file that stays open, and what it would cost to sync each.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::Write;

use tenterhook::internal::record::read;
use tenterhook::record::{Journal, Sink};
use tenterhook_core::config::RecordTable;

use super::event;
use crate::sample::{Sample, Table};

const TIMES: usize = 2_000;

/// One record of an ordinary call.
pub(crate) fn record(table: &mut Table) {
    const NAME: &str = "one record";
    const REACH: &str = "50 us";
    let measured = || -> std::io::Result<(Sample, Sample, Sample)> {
        let state = tempfile::tempdir()?;
        let whole = RecordTable::default();
        let journal = Journal::below(state.path(), &whole).ok_or(std::io::ErrorKind::Other)?;
        let event = event();
        let begin = || drop(black_box(journal.begin(&event)));
        begin();
        let files = read::list_record_files(journal.location())?;
        let line = std::fs::read(files.first().ok_or(std::io::ErrorKind::NotFound)?)?;
        let raw = open(&state.path().join("raw"))?;
        let write = || drop(black_box((&raw).write(&line)));
        let (ours, raws) = Sample::pair(TIMES, begin, write);
        let synced = Sample::take(TIMES / 10, || {
            drop(black_box((&raw).write(&line).and_then(|_| raw.sync_data())));
        });
        Ok((ours, raws, synced))
    };
    match measured() {
        Ok((ours, raws, synced)) => {
            let base = ("a raw write", raws.median());
            table.against(NAME.to_owned(), ours, base, REACH);
            table.against("a raw write, synced".to_owned(), synced, base, "");
        }
        Err(why) => table.skip(NAME, &why.to_string(), REACH),
    }
}

fn open(path: &std::path::Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}
