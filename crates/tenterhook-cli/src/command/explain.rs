//! `explain`: of every configured hook, whether it runs for an event, and why; of a rule, what it says. Starts nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anstyle::Style;
use serde_json::{Value, json};
use tenterhook::Event;
use tenterhook::engine::Builder;
use tenterhook::internal::executor::disk_files;
use tenterhook::session::View;
use tenterhook_core::answer::{Answer, Restraint};
use tenterhook_core::config::{Ruleset, is_tenterhook_entry};
use tenterhook_core::dialect::{DialectId, EventLabel, EventRow};
use tenterhook_core::hook::{Arming, Enforcement, Hook, Layer, OnFailure, Run};
use tenterhook_core::plan::{self, Because};
use tenterhook_core::rule::{Part, RuleInput};

use super::log::firing::{Firing, Ran};
use super::{lookup, print_json, recorded, what};
use crate::ambient::Here;
use crate::args::{Explain, Format};
use crate::exit::Exit;
use crate::load::{self, Loaded, Texts};
use crate::problem::Problem;
use crate::reach;
use crate::show::layout;
use crate::show::outcome::event_headline;
use crate::show::paint::{DIM, ERROR, GOOD, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

pub(crate) fn run(args: &Explain, here: &Here, term: Term) -> Result<Exit, Problem> {
    if args.last || args.record.is_some() {
        return explain_recorded_firing(
            args,
            recorded::find_firing(args.record, here)?,
            here,
            term,
        );
    }
    let what = args.what.event_arguments();
    if let Some(firing) = recorded::find_firing_by_code(&what, here)? {
        return explain_recorded_firing(args, firing, here, term);
    }
    if let Some(said) = lookup::find_explained_entry(&what, here)? {
        return lookup::print_entry(&said, args.output.format, term);
    }
    recorded::refuse_mistyped_code(&what, here)?;
    let mut loaded = load::load_hooks(&args.which, here)?;
    let ruleset = current_ruleset(&mut loaded, args.agent, here);
    let asked = what::parse_events(&what, args.which.dialect, &ruleset.dialects(), &here.roots)?;
    loaded.announce_files(term, &here.roots);
    loaded.print_warnings(term);
    let hooks = explain_hooks(&ruleset, &asked);
    match args.output.format {
        Format::Json => print_json(&to_json(&hooks), term)?,
        Format::Text => term.print_data(&to_text(&asked, &hooks, &loaded.texts, term.width()))?,
    }
    Ok(Exit::Good)
}

/// Prints the result of a recorded firing, and what today's hooks would do with its event.
fn explain_recorded_firing(
    args: &Explain,
    firing: Firing,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    let event = recorded::event_of_firing(&firing, here);
    let mut loaded = load::load_hooks(&args.which, here)?;
    let asked = event.map(|event| [(EventLabel::new(DialectId::NATIVE, &event.name), event)]);
    let ruleset = current_ruleset(&mut loaded, args.agent, here);
    let now = asked.as_ref().map(|asked| {
        loaded.print_warnings(term);
        (asked, explain_hooks(&ruleset, asked))
    });
    match args.output.format {
        Format::Json => {
            let now = now.map(|(_, hooks)| to_json(&hooks));
            print_json(&json!({ "record": firing.to_json(), "now": now }), term)?;
        }
        Format::Text => {
            let width = term.width();
            let page = recorded::firing_page(&firing, &here.roots, width);
            let rest = match now {
                Some((asked, hooks)) => {
                    format!(
                        "As the hooks stand now:\n\n{}",
                        to_text(asked, &hooks, &loaded.texts, width)
                    )
                }
                None => {
                    let text = format!(
                        "The record has no content of this event, so it cannot show what today's hooks would do with it. \
                         To record it, {}.",
                        recorded::CHOICE
                    );
                    let texts = current_deny_texts(&firing, &ruleset);
                    let lines = texts.iter().chain([&text]);
                    let lines = lines.map(|text| layout::wrap_text(text, width).join("\n") + "\n");
                    lines.collect::<Vec<_>>().join("\n")
                }
            };
            term.print_data(&format!("{page}\n{rest}"))?;
        }
    }
    Ok(Exit::Good)
}

/// Returns what each rule that denied says now, for a record without reasons.
fn current_deny_texts(firing: &Firing, ruleset: &Ruleset) -> Vec<String> {
    let denied = firing.hook_runs().filter(|ran| ran.denied());
    let text = |ran: Ran<'_>| {
        let hook = ruleset.hooks().iter().find(|hook| hook.id.as_str() == ran.hook_id())?;
        let Run::Rule(rule) = &hook.run else { return None };
        let deny = rule.part_text(Part::Deny)?;
        Some(format!("`{}` says, as its file stands now: {deny}", ran.name()))
    };
    let mut texts: Vec<String> = denied.filter_map(text).collect();
    texts.dedup();
    texts
}

/// Returns today's hooks, as they apply behind an agent if one is named.
fn current_ruleset(loaded: &mut Loaded, agent: Option<DialectId>, here: &Here) -> Arc<Ruleset> {
    if let Some(agent) = agent {
        loaded.retain_own_hooks(agent, here);
    }
    let behind = |builder: Builder| match agent {
        Some(agent) => builder.self_protection().behind(agent),
        None => builder.self_protection(),
    };
    loaded.build_engine(behind).ruleset()
}

/// Explains for every hook whether it runs for these events, no two of which have the same name. A
/// hook for a different event gets the explanation for the first one.
fn explain_hooks(ruleset: &Ruleset, asked: &[Named]) -> Vec<Explained> {
    let mut hooks: Vec<Explained> = Vec::new();
    for (_, event) in asked {
        let input = RuleInput::new(&Arc::new(event.clone())).with_file_reader(disk_files());
        let all = plan::explain(ruleset, &View::default(), event).into_iter().enumerate();
        for (at, (hook, because)) in all {
            let is_for = hook.event == event.name;
            let explained = || {
                let row = ruleset.event_row(hook.dialect, &event.name);
                let policy = match hook.enforcement {
                    Enforcement::Shadow { .. } => OnFailure::Continue,
                    _ => reach::effective_on_failure(ruleset, &hook),
                };
                let asked = evaluate_if_rule(&hook, (&row, policy), &because, &input);
                Explained { asked, hook, because }
            };
            match hooks.get_mut(at) {
                Some(before) if is_for => *before = explained(),
                Some(_) => {}
                None => hooks.push(explained()),
            }
        }
    }
    hooks.retain(|explained| !explained.is_unmatched_builtin());
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
    /// Returns whether this is an enabled built-in rule that does not match the event. The user did
    /// not configure it, and every event has such rules.
    fn is_unmatched_builtin(&self) -> bool {
        let on = self.hook.arming == Arming::Armed;
        self.hook.layer == Layer::BuiltIn && on && !matches!(self.asked, Some(Asked::Holds(_)))
    }
}

/// What a rule says of the event.
enum Asked {
    Holds(Box<Answer>),
    DoesNot,
    /// It has no value: why, and what happens to the event then.
    Unknown {
        why: String,
        policy: OnFailure,
    },
}

/// Evaluates a hook that is a rule; rules are pure. The answer of any other hook is only known once
/// it has run.
fn evaluate_if_rule(
    hook: &Hook,
    (row, policy): (&EventRow, OnFailure),
    because: &Because,
    input: &RuleInput,
) -> Option<Asked> {
    let Run::Rule(rule) = &hook.run else { return None };
    let until = Instant::now() + PATIENCE;
    let incomplete = hook.incomplete_line_policy(row);
    let judged = || rule.evaluate(input, incomplete, &|| Instant::now() < until);
    because.selected.then(judged).map(|judged| match judged.map(Option::unwrap_or_default) {
        Ok(answer) if answer == Answer::default() => Asked::DoesNot,
        Ok(answer) => Asked::Holds(Box::new(answer)),
        Err(unsettled) => Asked::Unknown { why: unsettled.into_failure().message, policy },
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
                "own_event": hook.own_event_name(),
                "selected": because.selected,
                "because": because.because,
                "rule": because.rule,
                "holds": match asked {
                    Some(Asked::Holds(_)) => Some(true),
                    Some(Asked::DoesNot) => Some(false),
                    Some(Asked::Unknown { .. }) | None => None,
                },
                "mode": hook.enforcement.as_str(),
                "decision": said.and_then(|answer| decision_name(answer.restraint)),
                "reason": said.and_then(|answer| answer.reason.clone()),
            })
        })
        .collect();
    json!({ "hooks": hooks })
}

const fn decision_name(restraint: Restraint) -> Option<&'static str> {
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

/// Returns the events that the command is about, in one line.
fn requested_events_heading(asked: &[Named], width: usize) -> String {
    let labels: Vec<String> = asked.iter().map(|(label, _)| label.to_string()).collect();
    let first = asked.first().map(|(_, event)| event_headline(event, &labels.join(", "), width));
    first.unwrap_or_default()
}

/// Returns whether a hook is for one of the events that the command is about.
fn is_hook_for_requested_event(hook: &Hook, asked: &[Named]) -> bool {
    asked.iter().any(|(_, event)| event.name == hook.event)
}

/// Returns whether a hook is for one of these events, under a name that the heading does not show.
fn uses_event_name_not_shown(hook: &Hook, asked: &[Named]) -> bool {
    let is_same = |(label, _): &Named| *label == hook.event_label();
    is_hook_for_requested_event(hook, asked) && (asked.len() > 1 || !asked.iter().any(is_same))
}

fn to_text(asked: &[Named], hooks: &[Explained], texts: &Texts, width: usize) -> String {
    let (own, hooks): (Vec<&Explained>, Vec<&Explained>) =
        hooks.iter().partition(|explained| is_tenterhook_entry(&explained.hook.run));
    let named = hooks.iter().any(|explained| uses_event_name_not_shown(&explained.hook, asked));
    let from = |hook: &Hook| {
        let is_like = |other: &&&Explained| {
            other.hook.short_name() == hook.short_name()
                && hook_location(&other.hook, texts) == hook_location(hook, texts)
        };
        let column = hook.place.as_ref().map(|place| format!(":{}", place.column));
        let is_alone = hooks.iter().filter(is_like).count() < 2;
        format!(
            "{}{}",
            hook_location(hook, texts),
            column.filter(|_| !is_alone).unwrap_or_default()
        )
    };
    let sources = hooks.iter().map(|explained| from(&explained.hook));
    let mut columns = vec![
        Column::new("", Give::Keep),
        Column::wrapping_at_words(
            "HOOK",
            hooks.iter().map(|explained| explained.hook.short_name()),
        ),
        Column::wrapping_at_words("FROM", sources),
    ];
    let labels =
        hooks.iter().filter(|explained| is_hook_for_requested_event(&explained.hook, asked));
    let labels = labels.map(|explained| explained.hook.event_label().to_string());
    columns.extend(named.then(|| Column::wrapping_at_words("EVENT", labels)));
    columns.extend([Column::new("BECAUSE", Give::Wrap), Column::new("RULE", Give::Keep)]);
    let mut table = Table::new(&columns);
    let silent = |explained: &&&Explained| matches!(explained.asked, Some(Asked::DoesNot));
    // A pack of rules is counted; a handful is what somebody writes, and looks for here.
    let is_pack = hooks.iter().filter(silent).count() > HANDFUL;
    let folded = |explained: &&&Explained| is_pack && silent(explained);
    for hook in hooks.iter().filter(|explained| !folded(explained)) {
        let (mark, mark_style, style, because) = mark_text_styles_and_reason(hook);
        let mut cells = vec![
            Cell::new(mark_style, mark),
            Cell::new(style, hook.hook.short_name()),
            Cell::new(DIM, from(&hook.hook)),
        ];
        // That a hook is for another event is why it does not run.
        let label = match is_hook_for_requested_event(&hook.hook, asked) {
            true => hook.hook.event_label().to_string(),
            false => String::new(),
        };
        cells.extend(named.then(|| Cell::new(style, label)));
        cells.extend([Cell::new(style, because), Cell::new(DIM, hook.because.rule)]);
        table.push_row(cells);
    }
    let is_listed = hooks.iter().any(|explained| !folded(&explained));
    let table = if is_listed { format!("{}\n", table.render(width)) } else { String::new() };
    let own = skipped_entries_line(&own, width);
    format!("{}\n\n{table}{}\n{own}", requested_events_heading(asked, width), summary(&hooks))
}

/// Returns the mark of a hook, the styles of the mark and of its row, and the reason for the mark.
fn mark_text_styles_and_reason(explained: &Explained) -> (&'static str, Style, Style, String) {
    let because = &explained.because;
    match &explained.asked {
        Some(Asked::Holds(answer)) => {
            ("holds", WARNING, PLAIN, matched_rule_effect(&explained.hook, answer))
        }
        Some(Asked::Unknown { why, .. }) => ("fails", ERROR, PLAIN, why.clone()),
        Some(Asked::DoesNot) => ("-", DIM, DIM, "its `when` is false for this event".to_owned()),
        _ if because.selected => ("runs", GOOD, PLAIN, because.because.clone()),
        _ => ("-", DIM, DIM, because.because.clone()),
    }
}

/// Returns the file and line of a hook; an empty text for a built-in one.
fn hook_location(hook: &Hook, texts: &Texts) -> String {
    let place = hook.place.as_ref().filter(|_| hook.layer != Layer::BuiltIn);
    place.map_or_else(String::new, |at| format!("{}:{}", texts.display_name(&at.file), at.line))
}

/// Names the entries with which agents call Tenterhook, in one line: they are not hooks of the user
/// (BR-31).
fn skipped_entries_line(own: &[&Explained], width: usize) -> String {
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
    let (entries, files) =
        (layout::format_entry_count(own.len()), layout::format_count(files.len(), "file"));
    let line = format!("skipped: {entries} in {files} that {verb} Tenterhook itself (BR-31)");
    format!("{}\n", paint(DIM, layout::wrap_indented(&line, width)))
}

/// Describes the effect of a rule that matches.
fn matched_rule_effect(hook: &Hook, answer: &Answer) -> String {
    match &hook.enforcement {
        Enforcement::Shadow { because, .. } => {
            format!("{}; in shadow, so nothing of it counts: {because}", rule_answer_text(answer))
        }
        _ => rule_answer_text(answer),
    }
}

/// Describes the answer of a rule that matches, in one sentence.
fn rule_answer_text(answer: &Answer) -> String {
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

/// Summarizes how many hooks would run, and how many rules match.
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
    let counts = match (rules.is_empty(), others.is_empty()) {
        (true, _) => runs,
        (false, true) => held,
        (false, false) => format!("{runs}, {held}"),
    };
    format!("{counts}{}", undecided_rules_line(&rules))
}

/// Returns a line about what `fire` does because of rules that have no value; empty without any.
fn undecided_rules_line(rules: &[&Explained]) -> String {
    let count = |wanted: OnFailure| {
        let is = |one: &&&Explained| matches!(&one.asked, Some(Asked::Unknown { policy, .. }) if *policy == wanted);
        rules.iter().filter(is).count()
    };
    let line = |count, then| {
        let (rules, verb) = match count {
            1 => ("1 rule".to_owned(), "fails"),
            many => (format!("{many} rules"), "fail"),
        };
        format!("\n{rules} {verb}: {then}")
    };
    match (count(OnFailure::Block), count(OnFailure::Ask), count(OnFailure::Continue)) {
        (0, 0, 0) => String::new(),
        (0, 0, all) => line(all, "the event goes on without it"),
        (0, asks, _) => line(asks, "the user is asked, unless another hook denies"),
        (blocks, ..) => line(blocks, "the event is BLOCKED"),
    }
}
