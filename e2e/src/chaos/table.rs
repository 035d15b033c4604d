//! The report about the rows: a table, and whether all is well; plays nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::judge::Seen;
use super::row::{Cell, Row};

/// What came of one row in one cell.
pub(super) struct Line {
    pub(super) row: Row,
    pub(super) cell: Cell,
    pub(super) seen: Result<Seen, String>,
    pub(super) took: Duration,
}

/// How far this machine can confine, as the program itself finds by trying.
pub(super) struct Means {
    landlock: u64,
    seccomp: bool,
    namespaces: bool,
    roots: bool,
    tier: String,
}

impl Means {
    pub(super) fn ask(program: &Path) -> Result<Self, String> {
        let home = tempfile::tempdir().map_err(|error| error.to_string())?;
        let output = Command::new(program)
            .args(["doctor", "--format", "json"])
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .output()
            .map_err(|error| format!("`doctor` cannot be run: {error}"))?;
        let said: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("`doctor` cannot be read: {error}"))?;
        let kernel = said.get("kernel").ok_or("`doctor` says nothing of the kernel")?;
        let word = |key: &str| kernel.get(key).cloned().unwrap_or_default();
        Ok(Self {
            landlock: word("landlock").as_u64().unwrap_or(0),
            seccomp: word("seccomp") == true,
            namespaces: word("namespaces") == true,
            roots: word("roots") == true,
            tier: word("tier").as_str().unwrap_or("T0").to_owned(),
        })
    }

    /// Why a cell cannot be played here.
    pub(super) fn cannot(&self, cell: Cell) -> Option<String> {
        let has_landlock = self.seccomp && self.landlock >= 3;
        let has = match cell {
            Cell::Off | Cell::Engine => true,
            Cell::Landlock => has_landlock,
            Cell::Namespaces => self.seccomp && self.namespaces && self.roots,
            Cell::Both => has_landlock && self.namespaces,
        };
        (!has).then(|| format!("this machine reaches {} (Landlock {})", self.tier, self.landlock))
    }

    fn head(&self, tried: &str) -> String {
        let Self { landlock, seccomp, namespaces, roots, tier } = self;
        format!(
            "this machine: Landlock {landlock}, filter of calls: {seccomp}, namespaces: {namespaces}, roots: {roots}, tier {tier}; tried: {tried}\n"
        )
    }

    /// A feature of this machine that no row tried, in one of the rows that it is for.
    fn untried(&self, wanted: &[(Row, Cell)], lines: &[Line]) -> Option<String> {
        let tried = |row: &Row, cell: Cell| {
            lines.iter().any(|line| {
                line.row.name == row.name
                    && line.row.number == row.number
                    && line.cell == cell
                    && !matches!(line.seen, Ok(Seen::NotHere(_)))
            })
        };
        let here = |pair: &&(Row, Cell)| pair.1.confines() && self.cannot(pair.1).is_none();
        let (row, cell) = wanted.iter().filter(here).find(|(row, cell)| !tried(row, *cell))?;
        Some(format!("{} was not tried in {}, which this machine has", row.name, cell.name()))
    }
}

/// Prints all lines, and says whether nothing fails and everything was tried that could be.
pub(super) fn print(means: &Means, lines: &[Line], wanted: &[(Row, Cell)]) -> (String, bool) {
    let mut cells: Vec<&str> = lines.iter().map(|line| line.cell.name()).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut output = means.head(&cells.join(", "));
    let _ = writeln!(
        output,
        "{:>3} {:36} {:4} {:44} {:>6}  got",
        "row", "name", "cell", "required", "ms"
    );
    lines.iter().for_each(|line| output.push_str(&line.text()));
    let count = |is: fn(&Line) -> bool| lines.iter().filter(|line| is(line)).count();
    let failing = count(Line::fails);
    let _ = writeln!(
        output,
        "{} plays: {} as required, {} less than required and documented, {} not played here, {failing} failing",
        lines.len(),
        count(|line| matches!(line.seen, Ok(Seen::Holds(_)))),
        count(|line| matches!(line.seen, Ok(Seen::Documented(_)))),
        count(|line| matches!(line.seen, Ok(Seen::NotHere(_)))),
    );
    let untried = means.untried(wanted, lines);
    if let Some(untried) = &untried {
        let _ = writeln!(output, "NOT TRIED: {untried}");
    }
    let wavering = wavering(lines);
    wavering.iter().for_each(|text| output.push_str(&format!("NOT THE SAME EACH TIME: {text}\n")));
    // Failures come again at the end of the long table, where a reader sees them.
    lines.iter().filter(|line| line.fails()).for_each(|line| output.push_str(&line.text()));
    (output, failing == 0 && untried.is_none() && wavering.is_empty())
}

/// Rows that were played several times and did not end in the same way.
fn wavering(lines: &[Line]) -> Vec<String> {
    let mut seen: BTreeMap<String, &'static str> = BTreeMap::new();
    let mut wavering = Vec::new();
    for line in lines {
        let key = format!("{} {} in {}", line.row.number, line.row.name, line.cell.name());
        let kind = line.kind();
        if seen.insert(key.clone(), kind).is_some_and(|text| text != kind)
            && !wavering.contains(&key)
        {
            wavering.push(key);
        }
    }
    wavering
}

impl Line {
    const fn kind(&self) -> &'static str {
        match self.seen {
            Ok(Seen::Holds(_)) => "holds",
            Ok(Seen::Documented(_)) => "documented",
            Ok(Seen::NotHere(_)) => "not played",
            Ok(Seen::Late(_)) => "LATE",
            Err(_) => "FAILS",
        }
    }

    /// Whether it did what is required, too late.
    pub(super) const fn is_late(&self) -> bool {
        matches!(self.seen, Ok(Seen::Late(_)))
    }

    fn fails(&self) -> bool {
        self.is_late() || self.seen.is_err()
    }

    fn text(&self) -> String {
        let number = match self.row.number {
            0 => "in".to_owned(),
            number => number.to_string(),
        };
        let got = match &self.seen {
            Ok(Seen::Holds(got)) => got.clone(),
            Ok(Seen::Documented(got)) => format!("documented: {got}"),
            Ok(Seen::NotHere(why)) => format!("not played here: {why}"),
            Ok(Seen::Late(why)) => format!("LATE, also by itself: {why}"),
            Err(why) => format!("FAILS: {why}"),
        };
        let (name, cell, ms) = (self.row.name, self.cell.name(), self.took.as_millis());
        format!("{number:>3} {name:36} {cell:4} {:44} {ms:>6}  {got}\n", self.row.requires())
    }
}
