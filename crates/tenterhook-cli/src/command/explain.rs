//! `explain`: of every configured hook, whether it runs for an event, and why.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook::executor::Ambient;
use tenterhook::hook::Hook;
use tenterhook::plan::{self, Because};
use tenterhook::session::View;

use super::{input, print_json};
use crate::ambient::Here;
use crate::args::{Explain, Format};
use crate::exit::Exit;
use crate::load;
use crate::problem::Problem;
use crate::show::outcome::{headline, hook_name};
use crate::show::paint::{DIM, GOOD, PLAIN};
use crate::show::table::{Cell, Column, Give, Table};
use crate::show::words;
use crate::term::Term;

pub(crate) fn run(args: &Explain, here: &Here, term: Term) -> Result<Exit, Problem> {
    let mut loaded = load::load(&args.which, here)?;
    let event = event(args, here)?;
    loaded.announce(term, &here.roots);
    let ruleset = loaded.engine(Ambient::default()).ruleset();
    loaded.warn(term);
    let hooks = plan::explain(&ruleset, &View::default(), &event);
    match args.output.format {
        Format::Json => print_json(&to_json(&hooks), term)?,
        Format::Text => term.data(&to_text(&event, &hooks, term.width()))?,
    }
    Ok(Exit::Good)
}

fn event(args: &Explain, here: &Here) -> Result<Event, Problem> {
    let roots = &here.roots;
    match args.what.as_slice() {
        [tool, words] => input::tool_call(tool, words, roots),
        [file] => input::event(Some(Path::new(file)), args.which.events(), roots)
            .map(|given| given.event)
            .map_err(|lost| {
                let problem = Problem::from(lost);
                let tool =
                    !file.contains(['/', '.']) && file.starts_with(|c: char| c.is_uppercase());
                if tool && problem.help.is_none() {
                    problem.help(format!(
                        "for a tool call, say its input too: `tenterhook explain {file} INPUT`"
                    ))
                } else {
                    problem
                }
            }),
        _ => Ok(input::event(None, args.which.events(), roots)?.event),
    }
}

fn to_json(hooks: &[(Arc<Hook>, Because)]) -> Value {
    let hooks: Vec<Value> = hooks
        .iter()
        .enumerate()
        .map(|(ordinal, (hook, because))| {
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "selected": because.selected,
                "because": because.because,
                "rule": because.rule,
            })
        })
        .collect();
    json!({ "hooks": hooks })
}

fn to_text(event: &Event, hooks: &[(Arc<Hook>, Because)], width: usize) -> String {
    let mut table = Table::new(&[
        Column::new("", Give::Keep),
        Column::new("HOOK", Give::Cut),
        Column::new("BECAUSE", Give::Wrap),
        Column::new("RULE", Give::Keep),
    ]);
    for (hook, because) in hooks {
        let (mark, style, text) =
            if because.selected { ("runs", GOOD, PLAIN) } else { ("-", DIM, DIM) };
        table.row([
            Cell::new(style, mark),
            Cell::new(text, hook_name(hook)),
            Cell::new(text, &*because.because),
            Cell::new(DIM, because.rule),
        ]);
    }
    let runs = hooks.iter().filter(|(_, it)| it.selected).count();
    let table = if hooks.is_empty() { String::new() } else { format!("{}\n", table.render(width)) };
    let verb = if runs == 1 { "runs" } else { "run" };
    let all = words::count(hooks.len(), "hook");
    format!("{}\n\n{table}{runs} of {all} {verb}\n", headline(event, width))
}
