//! The files that records stand in: one a day, a further one where a day has too much for one (RE-13, RE-14). Lists, names and
//! removes them; reads none.

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use jiff::civil::Date;

const ENDING: &str = ".jsonl";

/// One file: its day, and which of that day it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) day: Date,
    /// From 1.
    pub(super) part: u32,
}

impl Segment {
    pub(super) fn name(self) -> String {
        let Self { day, part } = self;
        if part == 1 { format!("{day}{ENDING}") } else { format!("{day}.{part}{ENDING}") }
    }

    pub(super) fn of(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(ENDING)?;
        let (day, part) = stem.split_once('.').unwrap_or((stem, "1"));
        let segment = Self { day: day.parse().ok()?, part: part.parse().ok()? };
        // One file has one name.
        (segment.name() == name).then_some(segment)
    }

    /// Where the next record goes that is written on `today`, when this one is `bytes` long. A day that lies behind, because
    /// the clock was set back, stays in this one: what comes later stands later (RE-15).
    pub(super) fn next(self, today: Date, bytes: u64, most: u64) -> Self {
        match today.cmp(&self.day) {
            Ordering::Greater => Self { day: today, part: 1 },
            _ if bytes >= most => Self { part: self.part.saturating_add(1), ..self },
            _ => self,
        }
    }
}

/// The files of a directory, the oldest first.
pub(super) fn list(directory: &Path) -> std::io::Result<Vec<Segment>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        all.extend(entry?.file_name().to_str().and_then(Segment::of));
    }
    all.sort_unstable();
    Ok(all)
}

/// Those that go when `newest` is begun, the oldest first: what is older than `days`, and what is more than `most` bytes
/// together with a full newest one.
pub(super) fn too_old(directory: &Path, newest: Segment, days: u32, most: u64) -> Vec<Segment> {
    let mut kept: u64 = 0;
    let mut is_over = false;
    let mut gone: Vec<Segment> = Vec::new();
    let older =
        list(directory).unwrap_or_default().into_iter().filter(|segment| *segment < newest).rev();
    for segment in older {
        let age = (newest.day - segment.day).get_days();
        let bytes = fs::symlink_metadata(directory.join(segment.name()))
            .map_or(0, |metadata| metadata.len());
        kept = kept.saturating_add(bytes);
        // What stands behind a gap would follow nothing.
        is_over |= kept > most || i64::from(age) >= i64::from(days);
        if is_over {
            gone.push(segment);
        }
    }
    gone.reverse();
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().expect("a day")
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["2026-11-22.jsonl", "2026-11-22.2.jsonl", "2026-01-02.17.jsonl"] {
            assert_eq!(Segment::of(name).map(Segment::name).as_deref(), Some(name));
        }
        for name in [
            "2026-11-22.1.jsonl",
            "2026-11-22.02.jsonl",
            "x.jsonl",
            "2026-11-22.json",
            "20261122.jsonl",
        ] {
            assert_eq!(Segment::of(name), None, "{name}");
        }
    }

    /// RE-13, RE-15.
    #[test]
    fn a_new_day_begins_a_file_and_an_earlier_one_does_not() {
        let at = Segment { day: day("2026-11-22"), part: 2 };
        assert_eq!(at.next(day("2026-11-22"), 10, 100), at);
        assert_eq!(at.next(day("2026-11-22"), 100, 100).part, 3);
        assert_eq!(at.next(day("2026-11-23"), 10, 100).name(), "2026-11-23.jsonl");
        assert_eq!(at.next(day("2020-01-01"), 10, 100), at);
    }

    /// RE-14.
    #[test]
    fn what_is_old_or_too_much_goes_oldest_first() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in [
            "2026-11-01.jsonl",
            "2026-11-20.jsonl",
            "2026-11-20.2.jsonl",
            "2026-11-21.jsonl",
            "other.txt",
        ] {
            fs::write(directory.path().join(name), [b'x'; 100]).expect("write");
        }
        let newest = Segment { day: day("2026-11-22"), part: 1 };
        let gone = |days, most| -> Vec<String> {
            too_old(directory.path(), newest, days, most).into_iter().map(Segment::name).collect()
        };
        assert_eq!(gone(30, 1000), [""; 0]);
        assert_eq!(gone(10, 1000), ["2026-11-01.jsonl"]);
        assert_eq!(gone(30, 250), ["2026-11-01.jsonl", "2026-11-20.jsonl"]);
        assert_eq!(gone(1, 1000).len(), 4);
    }
}
