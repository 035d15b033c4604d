//! The names of the files of records: one a day, or several if one becomes too long (RE-13, RE-14).
//! Lists them; does not read them.

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use jiff::civil::Date;

const ENDING: &str = ".jsonl";

/// One file: its day, and its number in that day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) day: Date,
    /// From 1.
    pub(super) part: u32,
}

impl Segment {
    pub(super) fn file_name(self) -> String {
        let Self { day, part } = self;
        if part == 1 { format!("{day}{ENDING}") } else { format!("{day}.{part}{ENDING}") }
    }

    /// Parses a file name.
    pub(super) fn parse_file_name(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(ENDING)?;
        let (day, part) = stem.split_once('.').unwrap_or((stem, "1"));
        let segment = Self { day: day.parse().ok()?, part: part.parse().ok()? };
        // Reject other spellings of the same segment.
        (segment.file_name() == name).then_some(segment)
    }

    /// Returns the file for the next record on `today`, if this one is `bytes` long. If the clock
    /// was set back, records still go to this file, so that their order is kept (RE-15).
    pub(super) fn for_next_record(self, today: Date, bytes: u64, most: u64) -> Self {
        match today.cmp(&self.day) {
            Ordering::Greater => Self { day: today, part: 1 },
            _ if bytes >= most => Self { part: self.part.saturating_add(1), ..self },
            _ => self,
        }
    }
}

/// The files of a directory, oldest first.
pub(super) fn list_segments(directory: &Path) -> std::io::Result<Vec<Segment>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        all.extend(entry?.file_name().to_str().and_then(Segment::parse_file_name));
    }
    all.sort_unstable();
    Ok(all)
}

/// The files to remove when `newest` is created, oldest first: those older than `days`, and those
/// that exceed `most` bytes in total.
pub(super) fn segments_to_remove(
    directory: &Path,
    newest: Segment,
    days: u32,
    most: u64,
) -> Vec<Segment> {
    let mut total: u64 = 0;
    let mut is_over = false;
    let mut gone: Vec<Segment> = Vec::new();
    let older = list_segments(directory)
        .unwrap_or_default()
        .into_iter()
        .filter(|segment| *segment < newest)
        .rev();
    for segment in older {
        let age = (newest.day - segment.day).get_days();
        let bytes = fs::symlink_metadata(directory.join(segment.file_name()))
            .map_or(0, |metadata| metadata.len());
        total = total.saturating_add(bytes);
        // Remove everything older as well, so that the chain has no gap.
        is_over |= total > most || i64::from(age) >= i64::from(days);
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
    fn segment_names_are_parsed_strictly() {
        for name in ["2026-11-22.jsonl", "2026-11-22.2.jsonl", "2026-01-02.17.jsonl"] {
            assert_eq!(
                Segment::parse_file_name(name).map(Segment::file_name).as_deref(),
                Some(name)
            );
        }
        for name in [
            "2026-11-22.1.jsonl",
            "2026-11-22.02.jsonl",
            "x.jsonl",
            "2026-11-22.json",
            "20261122.jsonl",
        ] {
            assert_eq!(Segment::parse_file_name(name), None, "{name}");
        }
    }

    /// RE-13, RE-15.
    #[test]
    fn later_day_starts_a_new_file_and_an_earlier_one_does_not() {
        let at = Segment { day: day("2026-11-22"), part: 2 };
        assert_eq!(at.for_next_record(day("2026-11-22"), 10, 100), at);
        assert_eq!(at.for_next_record(day("2026-11-22"), 100, 100).part, 3);
        assert_eq!(at.for_next_record(day("2026-11-23"), 10, 100).file_name(), "2026-11-23.jsonl");
        assert_eq!(at.for_next_record(day("2020-01-01"), 10, 100), at);
    }

    /// RE-14.
    #[test]
    fn files_beyond_age_or_size_are_removed_oldest_first() {
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
            segments_to_remove(directory.path(), newest, days, most)
                .into_iter()
                .map(Segment::file_name)
                .collect()
        };
        assert_eq!(gone(30, 1000), [""; 0]);
        assert_eq!(gone(10, 1000), ["2026-11-01.jsonl"]);
        assert_eq!(gone(30, 250), ["2026-11-01.jsonl", "2026-11-20.jsonl"]);
        assert_eq!(gone(1, 1000).len(), 4);
    }
}
