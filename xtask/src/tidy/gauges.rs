//! Gauges: counts of names, phrases and habits that must not spread. Each crate has a row for each gauge in `xtask/gauges.tsv`;
//! `tidy` demands that the counts are exact, and `cargo xtask gen` lowers them. Neither raises one.

mod agents;
mod count;
mod lexer;
mod newest;
mod words;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Findings;
use crate::error::Error;
use crate::tree::{self, File};
use count::{Finder, GAUGES, Hit, PHRASE, advice};

/// The committed counts: unit, gauge and count in each line.
pub(super) const COUNTS: &str = "xtask/gauges.tsv";

const HEAD: &str = "\
# Written by `cargo xtask gen`, which only lowers a count. Columns: unit, gauge, count. CONTRIBUTING.md says how to merge this file,
# and how to raise a count on purpose.
";

/// At most so many of the newest hits are named in a finding.
const NAMED: usize = 8;

/// Unit and gauge.
type Row = (String, &'static str);

/// A hit, and the file that has it.
type Located<'f> = (&'f File, Hit);

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let found = match found(files) {
        Ok(found) => found,
        Err(error) => return findings.error(COUNTS, error),
    };
    let committed = files.iter().find(|file| file.path == COUNTS).map_or("", |file| &file.text);
    let committed = Committed::parse(committed);
    if !committed.is_clean {
        findings.error(COUNTS, "has a row twice or a line of another form; run `cargo xtask gen`");
    }
    for (row, hits) in &found {
        let (unit, gauge) = row;
        match committed.counts.get(row) {
            None => findings.error(
                COUNTS,
                format!("has no row for `{gauge}` of `{unit}`; run `cargo xtask gen`"),
            ),
            Some(&old) if old < hits.len() => findings.error(unit, rise(row, old, hits)),
            Some(&old) if old > hits.len() => findings.error(
                COUNTS,
                format!(
                    "`{gauge}` of `{unit}` fell from {old} to {}; run `cargo xtask gen`",
                    hits.len()
                ),
            ),
            Some(_) => {}
        }
    }
    for (unit, gauge) in committed.counts.keys().filter(|row| !found.contains_key(*row)) {
        findings.error(
            COUNTS,
            format!("has a row for `{gauge}` of `{unit}`, which is gone; run `cargo xtask gen`"),
        );
    }
}

/// Writes the counts anew. A count that rose stays as it was, and is reported; a row that is absent is written as counted.
pub(crate) fn lower() -> Result<(String, bool), Error> {
    let files = tree::files()?;
    let found = found(&files).map_err(Error::other)?;
    let path = tree::root().join(COUNTS);
    let committed = Committed::parse(&std::fs::read_to_string(&path).unwrap_or_default());
    let (text, rises) = lowered(&found, &committed);
    std::fs::write(&path, text).map_err(Error::file(COUNTS))?;
    let mut report = format!("wrote {COUNTS}\n");
    for (row, old, hits) in &rises {
        let _ = writeln!(report, "error: {}: {}", row.0, rise(row, *old, hits));
    }
    Ok((report, rises.is_empty()))
}

/// A row whose count rose, with the count that it had.
type Rise<'a, 'f> = (&'a Row, usize, &'a [Located<'f>]);

/// The text of the file for these hits, and the rows that rose.
fn lowered<'a, 'f>(
    found: &'a BTreeMap<Row, Vec<Located<'f>>>,
    committed: &Committed,
) -> (String, Vec<Rise<'a, 'f>>) {
    let mut text = HEAD.to_owned();
    let mut rises = Vec::new();
    for (row, hits) in found {
        let now = hits.len();
        let old = committed.counts.get(row).copied().unwrap_or(now);
        if old < now {
            rises.push((row, old, hits.as_slice()));
        }
        let _ = writeln!(text, "{}\t{}\t{}", row.0, row.1, old.min(now));
    }
    (text, rises)
}

/// What the committed file says.
#[derive(Default)]
struct Committed {
    counts: BTreeMap<Row, usize>,
    /// Whether each line is a row and no row is there twice.
    is_clean: bool,
}

impl Committed {
    /// Reads the rows. A merge leaves a row twice, or marks of a conflict: the higher count holds, and marks are skipped.
    fn parse(text: &str) -> Self {
        let mut committed = Self { counts: BTreeMap::new(), is_clean: true };
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut cells = line.split('\t');
            let cells = (cells.next(), cells.next(), cells.next(), cells.next());
            let row = match cells {
                (Some(unit), Some(gauge), Some(count), None) => {
                    let gauge = GAUGES.iter().find(|(name, _)| *name == gauge);
                    gauge
                        .zip(count.parse().ok())
                        .map(|((gauge, _), count)| ((unit.to_owned(), *gauge), count))
                }
                _ => None,
            };
            let Some((row, count)) = row else {
                committed.is_clean = false;
                continue;
            };
            let other = committed.counts.insert(row.clone(), count);
            if let Some(other) = other {
                committed.is_clean = false;
                committed.counts.insert(row, other.max(count));
            }
        }
        committed
    }
}

/// The hits of every unit and gauge, also where there are none.
fn found(files: &[File]) -> Result<BTreeMap<Row, Vec<Located<'_>>>, regex::Error> {
    let finder = Finder::new()?;
    let mut found: BTreeMap<Row, Vec<Located<'_>>> = BTreeMap::new();
    for file in files {
        let Some(unit) = unit(&file.path) else { continue };
        let gauges = GAUGES.iter().filter(|(gauge, _)| file.is_rust() || *gauge == PHRASE);
        for (gauge, _) in gauges {
            found.entry((unit.to_owned(), gauge)).or_default();
        }
        for hit in finder.find(file) {
            found.entry((unit.to_owned(), hit.gauge)).or_default().push((file, hit));
        }
    }
    Ok(found)
}

/// The unit that a file is counted in. Records of other programs have none, nor have programs in other languages.
fn unit(path: &str) -> Option<&str> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let is_text = path.ends_with(".toml") && !path.ends_with("Cargo.toml");
    match first {
        _ if path.starts_with("conformance/observed/") => None,
        _ if path.ends_with(".md") => Some("docs"),
        _ if !is_text && !path.ends_with(".rs") => None,
        "crates" => rest.split('/').next(),
        "conformance" | "examples" | "xtask" | "e2e" | "benches" | "fuzz" => Some(first),
        _ => None,
    }
}

/// The message about a count that rose.
fn rise(row: &Row, old: usize, hits: &[Located<'_>]) -> String {
    let (_, gauge) = row;
    let mut message = format!("`{gauge}` rose from {old} to {}; it may only fall", hits.len());
    let newest = newest::lines(hits.iter().map(|(file, _)| file.path.as_str()).collect());
    let located = hits.iter().map(|(file, hit)| (file, hit, line_of(file, hit)));
    let new: Vec<_> =
        located.filter(|(file, _, line)| newest.contains(&file.path, *line)).collect();
    for (file, hit, line) in new.iter().take(NAMED) {
        let text = hit.text.trim();
        let _ = write!(message, "\n    {}:{line}: `{text}`; instead: {}", file.path, advice(hit));
    }
    if new.len() > NAMED {
        let _ = write!(message, "\n    and {} more", new.len() - NAMED);
    }
    message
}

fn line_of(file: &File, hit: &Hit) -> usize {
    file.text.get(..hit.offset).map_or(0, |before| before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/a/src/lib.rs";

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// The rows of crate `a`, with this count of closure parameters called `it`.
    fn rows(its: usize) -> String {
        let count = |gauge: &str| if gauge == count::IT { its } else { 0 };
        GAUGES.iter().map(|(gauge, _)| format!("a\t{gauge}\t{}\n", count(gauge))).collect()
    }

    fn errors(counts: &str, code: &str) -> Vec<String> {
        let mut findings = Findings::default();
        check(&[file(PATH, code), file(COUNTS, counts)], &mut findings);
        findings.errors
    }

    #[test]
    fn counts_that_rise_fall_or_are_missing_are_errors() {
        let two = "a.map(|it| b).map(|it| c);";
        assert_eq!(errors(&rows(2), two), [""; 0]);
        let risen = errors(&rows(1), two);
        assert_eq!(risen, ["error: a: `closure-it` rose from 1 to 2; it may only fall"]);
        let fallen = errors(&rows(3), two);
        assert!(fallen[0].contains("`closure-it` of `a` fell from 3 to 2"), "{fallen:?}");
        assert!(errors("", two)[0].contains("has no row"));
        let gone = errors(&(rows(2) + "b\tnames\t1\n"), two);
        assert!(gone[0].contains("`names` of `b`, which is gone"), "{gone:?}");
    }

    #[test]
    fn merged_file_is_read_with_the_higher_count_and_must_be_written_anew() {
        let merged = "<<<<<<< ours\na\tclosure-it\t7\n=======\na\tclosure-it\t9\n>>>>>>> theirs\n";
        let committed = Committed::parse(merged);
        assert_eq!(committed.counts.get(&("a".to_owned(), count::IT)), Some(&9));
        assert!(!committed.is_clean);
        assert!(Committed::parse(&(HEAD.to_owned() + &rows(7))).is_clean);
        assert!(errors(&(rows(0) + &rows(0)), "").iter().any(|error| error.contains("row twice")));
    }

    #[test]
    fn counts_are_lowered_and_never_raised() {
        let files = [file(PATH, "a.map(|it| b).map(|it| c);")];
        let found = found(&files).expect("the tables compile");
        for (old, written, risen) in [(3, 2, 0), (2, 2, 0), (1, 1, 1)] {
            let (text, rises) = lowered(&found, &Committed::parse(&rows(old)));
            assert_eq!(text, HEAD.to_owned() + &sorted(&rows(written)));
            assert_eq!(rises.len(), risen, "{old}");
        }
        let (text, rises) = lowered(&found, &Committed::parse(""));
        assert_eq!((text, rises.len()), (HEAD.to_owned() + &sorted(&rows(2)), 0));
    }

    fn sorted(rows: &str) -> String {
        let mut lines: Vec<&str> = rows.lines().collect();
        lines.sort_unstable();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn files_are_counted_in_their_crate_or_as_pages() {
        for (path, expected) in [
            ("crates/tenterhook/src/lib.rs", Some("tenterhook")),
            ("crates/tenterhook/README.md", Some("docs")),
            ("crates/tenterhook-cli/packs/guardrails.toml", Some("tenterhook-cli")),
            ("crates/tenterhook-cli/Cargo.toml", None),
            ("xtask/src/main.rs", Some("xtask")),
            ("conformance/gen/a.toml", Some("conformance")),
            ("conformance/observed/a.md", None),
            ("README.md", Some("docs")),
            ("integrations/npm/run.js", None),
        ] {
            assert_eq!(unit(path), expected, "{path}");
        }
    }
}
