//! `log --stats`: of each hook, on each day or on all, when it fired last, how often, how long it took, and what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anstyle::Style;
use serde_json::{Value, json};

use super::firing::Firing;
use crate::ambient::Here;
use crate::args::{Format, Log};
use crate::command::print_json;
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{DIM, ERROR, PLAIN, WARNING};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

/// What one hook has done.
#[derive(Debug, Default)]
struct Sum {
    id: String,
    from: String,
    last: String,
    last_at: Value,
    took: Vec<Duration>,
    total: Duration,
    denials: usize,
    faults: usize,
}

impl Sum {
    /// Returns the duration that `percent` of the runs did not exceed.
    fn duration_percentile(&self, percent: usize) -> Duration {
        let at = (self.took.len() * percent).div_ceil(100).saturating_sub(1);
        self.took.get(at).copied().unwrap_or_default()
    }
}

/// What each hook has done, by the day (empty if days are not told apart), its name and its file. Its id counts the entries before it,
/// so it may change when one is added.
type Hooks = BTreeMap<(String, String, String), Sum>;

pub(super) fn run(
    firings: impl Iterator<Item = Firing>,
    args: &Log,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    let mut hooks = Hooks::new();
    let mut count = 0;
    for firing in firings {
        count += usize::from(!firing.is_late_step());
        for ran in
            firing.hook_runs().filter(|hook| hook.was_run() && hook.how_it_ended() != "detached")
        {
            let day = if args.by_day { firing.local_end_day() } else { String::new() };
            let key = (day, ran.name().to_owned(), ran.config_file().to_owned());
            let sum = hooks.entry(key).or_default();
            (sum.id, sum.from) =
                (ran.hook_id().to_owned(), shorten_path(&ran.file_and_line(), &here.roots));
            sum.last = firing.local_end_time();
            sum.last_at = firing.end_time().map(|time| time.to_string()).into();
            sum.took.push(ran.duration());
            sum.total += ran.duration();
            sum.denials += usize::from(ran.denied());
            sum.faults += ran.fault_count();
        }
    }
    hooks.values_mut().for_each(|hook| hook.took.sort_unstable());
    match args.output.format {
        Format::Json => print_json(&to_json(count, &hooks), term)?,
        Format::Text if args.by_day => {
            term.print_data(&to_daily_text(count, &hooks, term.width()))?;
        }
        Format::Text => term.print_data(&to_text(count, &hooks, term.width()))?,
    }
    Ok(Exit::Good)
}

fn to_json(firings: usize, hooks: &Hooks) -> Value {
    let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    let hooks = hooks.iter().map(|((day, name, file), sum)| {
        let mut row = json!({
            "hook": sum.id,
            "name": name,
            "source": file,
            "fired": sum.took.len(),
            "last_fired": sum.last_at,
            "p50_us": micros(sum.duration_percentile(50)),
            "p95_us": micros(sum.duration_percentile(95)),
            "denials": sum.denials,
            "faults": sum.faults,
            "total_us": micros(sum.total),
        });
        if let Value::Object(fields) = &mut row
            && !day.is_empty()
        {
            fields.insert("day".to_owned(), day.as_str().into());
        }
        row
    });
    json!({ "firings": firings, "hooks": hooks.collect::<Value>() })
}

fn to_text(firings: usize, hooks: &Hooks, width: usize) -> String {
    let mut table = Table::new(&[
        Column::new("HOOK", Give::Fold),
        Column::right_aligned("FIRED"),
        Column::new("LAST FIRED", Give::Keep),
        Column::duration_column("P50"),
        Column::duration_column("P95"),
        Column::right_aligned("DENIALS"),
        Column::right_aligned("FAULTS"),
    ]);
    for ((_, name, _), sum) in hooks {
        table.push_row([
            Cell::new(PLAIN, name.as_str()),
            Cell::new(PLAIN, sum.took.len().to_string()),
            Cell::new(DIM, sum.last.as_str()),
            Cell::new(PLAIN, layout::format_duration(sum.duration_percentile(50))),
            Cell::new(PLAIN, layout::format_duration(sum.duration_percentile(95))),
            count_cell(sum.denials, ERROR),
            count_cell(sum.faults, WARNING),
        ]);
        table.add_note(0, Cell::new(DIM, sum.from.as_str()));
    }
    let text = if hooks.is_empty() { String::new() } else { format!("{}\n", table.render(width)) };
    format!("{text}{}\n", totals(firings, hooks))
}

/// Renders one row for each day and hook.
fn to_daily_text(firings: usize, hooks: &Hooks, width: usize) -> String {
    let mut table = Table::new(&[
        Column::new("DAY", Give::Keep),
        Column::new("HOOK", Give::Fold),
        Column::right_aligned("FIRED"),
        Column::duration_column("TIME"),
        Column::duration_column("P50"),
        Column::duration_column("P95"),
        Column::right_aligned("DENIALS"),
        Column::right_aligned("FAULTS"),
    ]);
    let mut last = "";
    for ((day, name, _), sum) in hooks {
        let shown = if day == last { "" } else { day };
        last = day;
        table.push_row([
            Cell::new(DIM, shown),
            Cell::new(PLAIN, name.as_str()),
            Cell::new(PLAIN, sum.took.len().to_string()),
            Cell::new(PLAIN, layout::format_duration(sum.total)),
            Cell::new(PLAIN, layout::format_duration(sum.duration_percentile(50))),
            Cell::new(PLAIN, layout::format_duration(sum.duration_percentile(95))),
            count_cell(sum.denials, ERROR),
            count_cell(sum.faults, WARNING),
        ]);
    }
    let text = if hooks.is_empty() { String::new() } else { format!("{}\n", table.render(width)) };
    format!("{text}{}\n", totals(firings, hooks))
}

/// Renders a count, in `style` unless it is zero.
fn count_cell(count: usize, style: Style) -> Cell {
    match count {
        0 => Cell::new(DIM, "0"),
        _ => Cell::new(style, count.to_string()),
    }
}

/// Counts the firings and the hooks.
fn totals(firings: usize, hooks: &Hooks) -> String {
    let names: BTreeSet<_> = hooks.keys().map(|(_, name, file)| (name, file)).collect();
    let firings = layout::format_count(firings, "firing");
    format!("{firings}, {}", layout::format_count(names.len(), "hook"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_runs_did_not_take_longer() {
        let took = (1..=20).map(Duration::from_millis).collect();
        let sum = Sum { took, ..Sum::default() };
        assert_eq!(sum.duration_percentile(50), Duration::from_millis(10));
        assert_eq!(sum.duration_percentile(95), Duration::from_millis(19));
        let one = Sum { took: vec![Duration::from_millis(7)], ..Sum::default() };
        assert_eq!(
            (one.duration_percentile(50), one.duration_percentile(95)),
            (one.took[0], one.took[0])
        );
        assert_eq!(Sum::default().duration_percentile(95), Duration::ZERO);
    }
}
