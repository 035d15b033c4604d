//! `events`: the event table of a dialect.

use serde_json::{Value, json};
use tenterhook_core::diagnostic::nearest_word;
use tenterhook_core::dialect::{EventLabel, EventRow, Subject};

use super::{print_json, sample};
use crate::ambient::Here;
use crate::args::{Events, Format};
use crate::exit::Exit;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

pub(crate) fn run(args: &Events, here: &Here, term: Term) -> Result<Exit, Problem> {
    let all = args.dialect.dialect().event_rows();
    let rows = match &args.name {
        None => all,
        Some(name) => std::slice::from_ref(find_row(name, all, args)?),
    };
    if args.sample {
        let samples =
            rows.iter().map(|row| sample::sample_input(row, args.dialect, &here.roots.cwd));
        for sample in samples {
            print_json(&sample, term)?;
        }
        return Ok(Exit::Good);
    }
    match args.output.format {
        Format::Json => {
            let rows: Vec<Value> = rows.iter().map(event_row_json).collect();
            print_json(&json!({ "dialect": args.dialect.as_str(), "events": rows }), term)?;
        }
        Format::Text => term.print_data(&to_text(rows, term.width()))?,
    }
    Ok(Exit::Good)
}

/// Returns the row of an event, by the dialect's name for it or by the neutral name.
fn find_row<'a>(name: &str, rows: &'a [EventRow], args: &Events) -> Result<&'a EventRow, Problem> {
    let known = || rows.iter().flat_map(|row| [&*row.name, &*row.event]);
    rows.iter().find(|row| row.name == name || row.event == name).ok_or_else(|| {
        let dialect = args.dialect;
        let help = nearest_word(name, known()).map_or_else(
            || format!("`tenterhook events --dialect {dialect}` lists the events"),
            |near| format!("did you mean `{near}`?"),
        );
        Problem::new(format!("{dialect} has no event `{name}`")).with_help(help)
    })
}

fn matcher_subject(row: &EventRow) -> Option<String> {
    match &row.subject {
        Subject::None => None,
        Subject::Field(key) => Some((*key).to_owned()),
        Subject::Declared(key) => Some(key.to_string()),
        Subject::Tool(_) => Some("tool".to_owned()),
        Subject::FileName(key) => Some(format!("name of {key}")),
        Subject::Model(key) => Some(format!("name of the model in {key}")),
        _ => None,
    }
}

fn power_names(row: &EventRow) -> Vec<&'static str> {
    row.powers.iter().map(tenterhook_core::answer::Power::as_str).collect()
}

fn event_row_json(row: &EventRow) -> Value {
    json!({
        "name": row.name,
        "event": row.event,
        "matcher": matcher_subject(row),
        "may": power_names(row),
        "timeout": row.timeout.as_secs_f64(),
        "on_failure": row.failure.as_str(),
        "cap": row.cap.map(|cap| cap.denials),
        "when": row.when,
    })
}

fn to_text(rows: &[EventRow], width: usize) -> String {
    let mut table = Table::new(&[
        Column::wrapping_at_words(
            "EVENT",
            rows.iter().map(|row| EventLabel::of_row(row).to_string()),
        ),
        Column::new("MATCHER ON", Give::Keep),
        Column::right_aligned("TIMEOUT"),
        Column::new("A HOOK MAY", Give::Wrap),
    ]);
    for row in rows {
        let may = power_names(row).join(", ");
        let block =
            if row.failure == tenterhook_core::hook::OnFailure::Continue { "" } else { " !" };
        table.push_row([
            Cell::new(BOLD, format!("{}{block}", EventLabel::of_row(row))),
            matcher_subject(row).unwrap_or_else(|| "-".to_owned()).into(),
            layout::format_duration(row.timeout).into(),
            if may.is_empty() { "observe".into() } else { may.into() },
        ]);
        if !row.when.is_empty() {
            table.add_note(0, Cell::new(DIM, &*row.when));
        }
    }
    let marked = rows.iter().any(|row| row.failure != tenterhook_core::hook::OnFailure::Continue);
    let legend = if marked {
        let text = "! a gate that gives no answer blocks or asks, unless its config says otherwise";
        layout::wrap_indented(text, width) + "\n"
    } else {
        String::new()
    };
    format!("{}\n{}\n{legend}", table.render(width), layout::format_count(rows.len(), "event"))
}
