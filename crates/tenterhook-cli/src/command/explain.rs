//! `explain`: of every configured hook, whether it runs for an event, and why; of a rule, what it says. Starts nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook::engine::Builder;
use tenterhook::internal::executor::disk;
use tenterhook::session::View;
use tenterhook_core::answer::{Answer, Restraint};
use tenterhook_core::config::{Ruleset, is_own};
use tenterhook_core::dialect::{DialectId, EventLabel, EventRow};
use tenterhook_core::hook::{Arming, Enforcement, Hook, Layer, Run};
use tenterhook_core::plan::{self, Because};
use tenterhook_core::rule::RuleInput;

use super::log::firing::Firing;
use super::{lookup, print_json, recorded, what};
use crate::ambient::Here;
use crate::args::{Explain, Format};
use crate::exit::Exit;
use crate::load::{self, Loaded, Texts};
use crate::problem::Problem;
use crate::show::layout;
use crate::show::outcome::headline;
use crate::show::paint::{DIM, ERROR, GOOD, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

pub(crate) fn run(args: &Explain, here: &Here, term: Term) -> Result<Exit, Problem> {
    if args.last || args.record.is_some() {
        return of_record(args, recorded::find(args.record, here)?, here, term);
    }
    if let Some(firing) = recorded::by_code(&args.what, here)? {
        return of_record(args, firing, here, term);
    }
    if let Some(said) = lookup::find(&args.what, here)? {
        return lookup::print(&said, args.output.format, term);
    }
    let mut loaded = load::load(&args.which, here)?;
    let ruleset = ruleset(&mut loaded, args.agent, here);
    let asked = what::asked(&args.what, args.which.dialect, &ruleset.dialects(), &here.roots)?;
    loaded.announce(term, &here.roots);
    loaded.warn(term);
    let hooks = explained(&ruleset, &asked);
    match args.output.format {
        Format::Json => print_json(&to_json(&hooks), term)?,
        Format::Text => term.data(&to_text(&asked, &hooks, &loaded.texts, term.width()))?,
    }
    Ok(Exit::Good)
}

/// What came of a firing that is on record, and what the hooks as they stand now would make of its event.
fn of_record(args: &Explain, firing: Firing, here: &Here, term: Term) -> Result<Exit, Problem> {
    let event = recorded::event(&firing, here);
    let mut loaded = load::load(&args.which, here)?;
    let asked = event.map(|event| [(EventLabel::new(DialectId::NATIVE, &event.name), event)]);
    let now = asked.as_ref().map(|asked| {
        let ruleset = ruleset(&mut loaded, args.agent, here);
        loaded.warn(term);
        (asked, explained(&ruleset, asked))
    });
    match args.output.format {
        Format::Json => {
            let now = now.map(|(_, hooks)| to_json(&hooks));
            print_json(&json!({ "record": firing.json(), "now": now }), term)?;
        }
        Format::Text => {
            let width = term.width();
            let page = recorded::page(&firing, &here.roots, width);
            let rest = match now {
                Some((asked, hooks)) => {
                    format!(
                        "As the hooks stand now:\n\n{}",
                        to_text(asked, &hooks, &loaded.texts, width)
                    )
                }
                None => {
                    let text = format!(
                        "The record has no content of events and replies, so the reason why a hook did not run is unknown. \
                         To record it, {}.",
                        recorded::CHOICE
                    );
                    format!("{}\n", layout::wrap(&text, width).join("\n"))
                }
            };
            term.data(&format!("{page}\n{rest}"))?;
        }
    }
    Ok(Exit::Good)
}

/// The hooks as they stand, behind this agent where one is named.
fn ruleset(loaded: &mut Loaded, agent: Option<DialectId>, here: &Here) -> Arc<Ruleset> {
    if let Some(agent) = agent {
        loaded.behind(agent, here);
    }
    let behind = |builder: Builder| match agent {
        Some(agent) => builder.self_protection().behind(agent),
        None => builder.self_protection(),
    };
    loaded.engine(behind).ruleset()
}

/// Explains for every hook whether it runs for these events, of which no two have the same name. A hook for a different event
/// has the first one's answer.
fn explained(ruleset: &Ruleset, asked: &[Named]) -> Vec<Explained> {
    let mut hooks: Vec<Explained> = Vec::new();
    for (_, event) in asked {
        let input = RuleInput::new(&Arc::new(event.clone())).looking(disk());
        let all = plan::explain(ruleset, &View::default(), event).into_iter().enumerate();
        for (at, (hook, because)) in all {
            let is_for = hook.event == event.name;
            let explained = || {
                let row = ruleset.row(hook.dialect, &event.name);
                Explained { asked: ask(&hook, &row, &because, &input), hook, because }
            };
            match hooks.get_mut(at) {
                Some(before) if is_for => *before = explained(),
                Some(_) => {}
                None => hooks.push(explained()),
            }
        }
    }
    hooks.retain(|explained| !explained.is_idle_builtin());
    hooks
}

/// How many rules that do not hold have a row each.
const HANDFUL: usize = 5;

/// How long one rule may take to be asked.
const PATIENCE: Duration = Duration::from_secs(1);

/// A hook, whether it runs, and what it says where that can be known without running anything.
struct Explained {
    hook: Arc<Hook>,
    because: Because,
    asked: Option<Asked>,
}

impl Explained {
    /// A built-in rule that is on and does not match the event: the user did not ask for it, and it is part of every call.
    fn is_idle_builtin(&self) -> bool {
        let on = self.hook.arming == Arming::Armed;
        self.hook.layer == Layer::BuiltIn && on && !matches!(self.asked, Some(Asked::Holds(_)))
    }
}

/// What a rule says of the event.
enum Asked {
    Holds(Box<Answer>),
    DoesNot,
    Unknown(String),
}

/// A rule is pure: it can be asked at once. What any other hook says is known when it has run.
fn ask(hook: &Hook, row: &EventRow, because: &Because, input: &RuleInput) -> Option<Asked> {
    let Run::Rule(rule) = &hook.run else { return None };
    let until = Instant::now() + PATIENCE;
    let incomplete = hook.incomplete_lists(row);
    let judged = || rule.answer(input, incomplete, &|| Instant::now() < until);
    because.selected.then(judged).map(|judged| match judged.map(Option::unwrap_or_default) {
        Ok(answer) if answer == Answer::default() => Asked::DoesNot,
        Ok(answer) => Asked::Holds(Box::new(answer)),
        Err(unsettled) => Asked::Unknown(unsettled.failure().message),
    })
}

fn to_json(hooks: &[Explained]) -> Value {
    let hooks: Vec<Value> = hooks
        .iter()
        .enumerate()
        .map(|(ordinal, Explained { hook, because, asked })| {
            let said = match asked {
                Some(Asked::Holds(answer)) => Some(&**answer),
                _ => None,
            };
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "own_event": hook.own_event(),
                "selected": because.selected,
                "because": because.because,
                "rule": because.rule,
                "holds": match asked {
                    Some(Asked::Holds(_)) => Some(true),
                    Some(Asked::DoesNot) => Some(false),
                    Some(Asked::Unknown(_)) | None => None,
                },
                "mode": hook.enforcement.as_str(),
                "decision": said.and_then(|answer| decision(answer.restraint)),
                "reason": said.and_then(|answer| answer.reason.clone()),
            })
        })
        .collect();
    json!({ "hooks": hooks })
}

const fn decision(restraint: Restraint) -> Option<&'static str> {
    match restraint {
        Restraint::Silent => None,
        Restraint::Allow => Some("allow"),
        Restraint::Ask => Some("ask"),
        Restraint::Defer => Some("defer"),
        Restraint::Deny => Some("deny"),
    }
}

/// An event that is asked about, under the name by which it is.
type Named = (EventLabel, Event);

/// The events that are asked about, in one line.
fn heading(asked: &[Named], width: usize) -> String {
    let labels: Vec<String> = asked.iter().map(|(label, _)| label.to_string()).collect();
    let first = asked.first().map(|(_, event)| headline(event, &labels.join(", "), width));
    first.unwrap_or_default()
}

/// Whether a hook is for an event that is asked about.
fn is_asked(hook: &Hook, asked: &[Named]) -> bool {
    asked.iter().any(|(_, event)| event.name == hook.event)
}

/// Whether a hook is for an event that is asked about, and calls it otherwise than the heading does.
fn is_named_otherwise(hook: &Hook, asked: &[Named]) -> bool {
    let is_same = |(label, _): &Named| *label == hook.event_label();
    is_asked(hook, asked) && (asked.len() > 1 || !asked.iter().any(is_same))
}

fn to_text(asked: &[Named], hooks: &[Explained], texts: &Texts, width: usize) -> String {
    let (own, hooks): (Vec<&Explained>, Vec<&Explained>) =
        hooks.iter().partition(|explained| is_own(&explained.hook.run));
    let named = hooks.iter().any(|explained| is_named_otherwise(&explained.hook, asked));
    let from = |hook: &Hook| {
        let is_like = |other: &&&Explained| {
            other.hook.short_name() == hook.short_name()
                && from(&other.hook, texts) == from(hook, texts)
        };
        let column = hook.place.as_ref().map(|place| format!(":{}", place.column));
        let is_alone = hooks.iter().filter(is_like).count() < 2;
        format!("{}{}", from(hook, texts), column.filter(|_| !is_alone).unwrap_or_default())
    };
    let sources = hooks.iter().map(|explained| from(&explained.hook));
    let mut columns = vec![
        Column::new("", Give::Keep),
        Column::of_words("HOOK", hooks.iter().map(|explained| explained.hook.short_name())),
        Column::of_words("FROM", sources),
    ];
    let labels = hooks.iter().filter(|explained| is_asked(&explained.hook, asked));
    let labels = labels.map(|explained| explained.hook.event_label().to_string());
    columns.extend(named.then(|| Column::of_words("EVENT", labels)));
    columns.extend([Column::new("BECAUSE", Give::Wrap), Column::new("RULE", Give::Keep)]);
    let mut table = Table::new(&columns);
    let silent = |explained: &&&Explained| matches!(explained.asked, Some(Asked::DoesNot));
    // A pack of rules is counted; a handful is what somebody writes, and looks for here.
    let is_pack = hooks.iter().filter(silent).count() > HANDFUL;
    let folded = |explained: &&&Explained| is_pack && silent(explained);
    for hook in hooks.iter().filter(|explained| !folded(explained)) {
        let (mark, mark_style, style, because) = match &hook.asked {
            Some(Asked::Holds(answer)) => ("holds", WARNING, PLAIN, counted(&hook.hook, answer)),
            Some(Asked::Unknown(why)) => ("fails", ERROR, PLAIN, why.clone()),
            Some(Asked::DoesNot) => {
                ("-", DIM, DIM, "its `when` is false for this event".to_owned())
            }
            _ if hook.because.selected => ("runs", GOOD, PLAIN, hook.because.because.clone()),
            _ => ("-", DIM, DIM, hook.because.because.clone()),
        };
        let mut cells = vec![
            Cell::new(mark_style, mark),
            Cell::new(style, hook.hook.short_name()),
            Cell::new(DIM, from(&hook.hook)),
        ];
        // That a hook is for another event is why it does not run.
        let label = match is_asked(&hook.hook, asked) {
            true => hook.hook.event_label().to_string(),
            false => String::new(),
        };
        cells.extend(named.then(|| Cell::new(style, label)));
        cells.extend([Cell::new(style, because), Cell::new(DIM, hook.because.rule)]);
        table.row(cells);
    }
    let is_listed = hooks.iter().any(|explained| !folded(&explained));
    let table = if is_listed { format!("{}\n", table.render(width)) } else { String::new() };
    let own = skipped(&own, width);
    format!("{}\n\n{table}{}\n{own}", heading(asked, width), summary(&hooks))
}

/// The file and line of a hook; nothing for one that the program brings.
fn from(hook: &Hook, texts: &Texts) -> String {
    let place = hook.place.as_ref().filter(|_| hook.layer != Layer::BuiltIn);
    place.map_or_else(String::new, |at| format!("{}:{}", texts.shown(&at.file), at.line))
}

/// The entries with which agents call Tenterhook, in one line: they are no hooks of the user's (BR-31).
fn skipped(own: &[&Explained], width: usize) -> String {
    let files: BTreeSet<&str> = own
        .iter()
        .filter_map(|explained| explained.hook.place.as_ref())
        .map(|place| &*place.file)
        .collect();
    let verb = match own {
        [] => return String::new(),
        [_] => "calls",
        _ => "call",
    };
    let (entries, files) = (layout::entries(own.len()), layout::count(files.len(), "file"));
    let line = format!("skipped: {entries} in {files} that {verb} Tenterhook itself (BR-31)");
    format!("{}\n", paint(DIM, layout::flow(&line, width)))
}

/// What comes of a rule that holds.
fn counted(hook: &Hook, answer: &Answer) -> String {
    match &hook.enforcement {
        Enforcement::Shadow { because, .. } => {
            format!("{}; in shadow, so nothing of it counts: {because}", spoken(answer))
        }
        _ => spoken(answer),
    }
}

/// What a rule that holds says, in one sentence.
fn spoken(answer: &Answer) -> String {
    let effects = &answer.effects;
    let verb = match answer.restraint {
        Restraint::Deny => "denies",
        Restraint::Defer => "defers",
        Restraint::Ask => "asks",
        Restraint::Allow => "allows",
        Restraint::Silent if effects.updated_input.is_some() => "rewrites the input",
        Restraint::Silent => "adds context",
    };
    let words = answer.reason.clone().or_else(|| effects.context.first().cloned());
    words.map_or_else(|| verb.to_owned(), |words| format!("{verb}: {words}"))
}

/// How many hooks would run, and how many rules hold.
fn summary(hooks: &[&Explained]) -> String {
    let (rules, others): (Vec<&Explained>, Vec<&Explained>) =
        hooks.iter().copied().partition(|one| matches!(one.hook.run, Run::Rule(_)));
    let counted = |all: &[&Explained], is: fn(&Explained) -> bool, noun, verb| {
        let some = all.iter().filter(|hook| is(hook)).count();
        let nouns = if all.len() == 1 { "" } else { "s" };
        let verbs = if some == 1 || all.len() == 1 { "s" } else { "" };
        format!("{some} of {} {noun}{nouns} {verb}{verbs}", all.len())
    };
    let runs = counted(&others, |hook| hook.because.selected, "hook", "run");
    let held = counted(&rules, |hook| matches!(hook.asked, Some(Asked::Holds(_))), "rule", "hold");
    match (rules.is_empty(), others.is_empty()) {
        (true, _) => runs,
        (false, true) => held,
        (false, false) => format!("{runs}, {held}"),
    }
}
