//! `log verify`: is the record whole, and what does that prove?

use serde_json::json;
use tenterhook::internal::record::{Report, verify_records};

use crate::ambient::Here;
use crate::args::{Format, Known};
use crate::command::print_json;
use crate::exit::Exit;
use crate::journal;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{ERROR, GOOD, paint};
use crate::term::Term;

/// What the files alone cannot prove.
const UNPROVEN: &str = "A user who can write both the records and their head could have rewritten all of them undetected. \
    Keep the last number and digest somewhere else, and give them to `tenterhook log verify --head`.";

pub(super) fn run(
    known: Option<&Known>,
    format: Format,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    let place = journal::journal_location(here);
    let known = known.map(|k| (k.seq, k.digest.as_str()));
    let report = verify_records(&place, known).map_err(|error| Problem::new(error.to_string()))?;
    match format {
        Format::Json => print_json(&to_json(&report), term)?,
        Format::Text => {
            let records = place.records.display().to_string();
            term.print_data(&to_text(&report, &records, known.is_some(), term.width()))?;
        }
    }
    Ok(if report.problems.is_empty() { Exit::Good } else { Exit::Wrong })
}

fn to_json(report: &Report) -> serde_json::Value {
    let problems = report
        .problems
        .iter()
        .map(|problem| json!({ "file": problem.file, "line": problem.line, "what": problem.what }));
    json!({
        "whole": report.problems.is_empty(),
        "records": report.records,
        "files": report.files,
        "first": report.span.map(|(first, _)| first),
        "last": report.span.map(|(_, last)| last),
        "digest": report.last,
        "problems": problems.collect::<serde_json::Value>(),
        "notes": report.notes,
        "open": report.open,
    })
}

fn to_text(report: &Report, records: &str, is_known: bool, width: usize) -> String {
    let mut out = String::new();
    let mut paragraph = |text: &str| {
        out.push_str(&layout::wrap_text(text, width).join("\n"));
        out.push('\n');
    };
    for problem in &report.problems {
        let place = match (problem.file.is_empty(), problem.line) {
            (true, _) => String::new(),
            (false, 0) => format!("{}: ", problem.file),
            (false, line) => format!("{}:{line}: ", problem.file),
        };
        paragraph(&format!("{} {place}{}", paint(ERROR, "error:"), problem.what));
    }
    report.notes.iter().for_each(|note| paragraph(note));
    if let [_, ..] = report.open.as_slice() {
        let numbers: Vec<String> = report.open.iter().map(u64::to_string).collect();
        paragraph(&format!(
            "{} without an end: under way, killed before there was a decision, or not to be recorded any more ({})",
            layout::format_count(report.open.len(), "firing"),
            numbers.join(", ")
        ));
    }
    let counted = format!(
        "{} in {}, {records}",
        layout::format_count(usize::try_from(report.records).unwrap_or(usize::MAX), "record"),
        layout::format_count(report.files, "file"),
    );
    match (report.problems.len(), &report.last, report.span) {
        (0, Some(digest), Some((_, last))) => {
            paragraph(&format!("{} {counted}", paint(GOOD, "whole:")));
            paragraph(&format!("last: {last}:{digest}"));
            if !is_known {
                paragraph("");
                paragraph(UNPROVEN);
            }
        }
        (0, ..) => paragraph("nothing is on record"),
        (problems, ..) => {
            paragraph(&format!("{}: {counted}", layout::format_count(problems, "problem")))
        }
    }
    out
}
