//! What came of cases: for people, for programs, and in the forms of those who show tests and findings (TE-9, TE-10).

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::native::{Case, Happens};

use super::fixture::{fill, fill_text};
use super::mutant::gates;
use super::play::Came;
use super::{Played, Results, runs};
use crate::args::TestFormat;
use crate::command::print_json;
use crate::command::what::split;
use crate::problem::Problem;
use crate::show::junit::{self, Suite};
use crate::show::layout::{count, flow, line, time, wrap};
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, HELP, paint};
use crate::show::sarif::{self, Finding, Level};
use crate::term::Term;

pub(super) fn print(results: &Results, format: TestFormat, term: Term) -> Result<(), Problem> {
    match format {
        TestFormat::Text => term.data(&to_text(results, term.width())),
        TestFormat::Json => print_json(&to_json(results), term),
        TestFormat::Junit => term.data(&to_junit(results)),
        TestFormat::Sarif => print_json(&to_sarif(results), term),
    }
}

/// The event of a case, as short as it can be said.
pub(super) fn event(case: &Case) -> String {
    match &case.event {
        Happens::Words(words) => words.clone(),
        Happens::Form(form) => Value::from(form.clone()).to_string(),
    }
}

/// What people call a case: its name, or what happens.
fn name(case: &Case) -> String {
    if case.name.is_empty() { event(case) } else { case.name.clone() }
}

fn location(result: &Played) -> (String, usize) {
    let place = &result.job.case.place;
    (result.job.suite.texts.shown(&place.file).to_owned(), place.line)
}

/// Every difference in a line: what, what was expected, what came.
fn differences(result: &Played) -> Vec<(&'static str, String, String)> {
    match &result.came {
        Err(problem) => {
            let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            vec![("case", "that it can be played".to_owned(), format!("{problem}{help}"))]
        }
        Ok(_) => {
            let differences = result.mismatches.iter();
            differences
                .map(|difference| {
                    (difference.what, difference.expected.clone(), difference.came.clone())
                })
                .collect()
        }
    }
}

/// The command that shows more of a case.
fn see(result: &Played) -> String {
    let suite = &result.job.suite;
    let mut command = "tenterhook fire".to_owned();
    // A file that is named is taken for the caller's own, and its hooks would not be refused what they were here.
    let refused = |came: &Came| came.faults.iter().any(|fault| fault.code == Code::SandboxRefused);
    let is_named = !(suite.sandboxes.are_here() && result.came.as_ref().is_ok_and(refused));
    for source in suite.sources.iter().filter(|_| is_named) {
        command.push_str(&format!(" --config {}", quoted(suite.texts.shown(&source.name))));
    }
    match &result.job.case.event {
        Happens::Words(words) => {
            let words = fill_text(words, &suite.roots);
            let (first, rest) = split(&words);
            // A tool stands alone where its event is the usual one.
            let on = result
                .job
                .case
                .on
                .as_deref()
                .filter(|text| *text != "PreToolUse" && *text != first);
            let on = on.map(|text| format!(" {text}")).unwrap_or_default();
            command.push_str(&format!("{on} {first}"));
            if !rest.is_empty() {
                command.push_str(&format!(" {}", quoted(rest)));
            }
        }
        Happens::Form(form) => {
            let mut form = form.clone();
            if let Some(on) = &result.job.case.on {
                form.entry("event").or_insert_with(|| on.as_str().into());
            }
            let json = fill(&form.into(), &suite.roots).to_string();
            command.push_str(&format!(" --dialect {} {}", suite.dialect, quoted(&json)));
        }
    }
    command
}

/// A word as a shell takes it for itself.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=+,:@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn to_text(results: &Results, columns: usize) -> String {
    let mut out = String::new();
    for result in results.played.iter().filter(|result| !result.passed()) {
        failure(result, columns, &mut out);
    }
    let all = results.played.len();
    let failed = results.played.iter().filter(|result| !result.passed()).count();
    let (style, sum) = match failed {
        0 => (GOOD, format!("{} passed", count(all, "case"))),
        _ => (ERROR, format!("{failed} of {} failed", count(all, "case"))),
    };
    out.push_str(&format!("{} in {}\n", paint(style, sum), time(results.took)));
    let untested = untested(results);
    if !untested.is_empty() {
        let text = format!("no case runs {}", untested.join(", "));
        for text in wrap(&text, columns) {
            out.push_str(&format!("{}\n", paint(DIM, text)));
        }
    }
    out
}

/// The gates that no case ran.
fn untested(results: &Results) -> Vec<String> {
    let runs = runs(&results.played);
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for suite in &results.suites {
        for hook in gates(suite) {
            let at = suite.places.get(&hook.id);
            if !at.is_some_and(|location| runs.contains_key(location)) && seen.insert(at) {
                names.push(hook.short_name());
            }
        }
    }
    names
}

fn failure(result: &Played, columns: usize, out: &mut String) {
    let (file, at) = location(result);
    let case = &result.job.case;
    let hook = case.hook.as_ref().map(|hook_id| format!("{hook_id}: ")).unwrap_or_default();
    let head = format!("{hook}{}", line(&name(case)));
    let lead = "FAIL  ";
    let place = format!("{file}:{at}");
    let head: Vec<String> = wrap(&head, columns.saturating_sub(lead.len()));
    let head = head.iter().map(|text| paint(BOLD, text)).collect::<Vec<_>>().join("\n      ");
    let text = format!("{}{head}  {}", paint(ERROR, lead), paint(DIM, place));
    out.push_str(&format!("{}\n", flow(&text, columns)));
    if !case.name.is_empty() {
        labelled("event", &event(case), columns, out);
    }
    for (what, expected, came) in differences(result) {
        labelled(what, &format!("expected {expected}"), columns, out);
        labelled("", &format!("came     {came}"), columns, out);
    }
    // Not wrapped: it is there to be copied.
    out.push_str(&format!("      {} {}\n\n", paint(HELP, "see     "), line(&see(result))));
}

fn labelled(label: &str, text: &str, columns: usize, out: &mut String) {
    const INSET: usize = 15;
    for (at, text) in wrap(text, columns.saturating_sub(INSET)).iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        let line = format!("      {} {text}", paint(HELP, format!("{label:8}")));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn to_json(results: &Results) -> Value {
    let case = |result: &Played| {
        let (file, at) = location(result);
        let case = &result.job.case;
        let differences: Vec<Value> = differences(result)
            .into_iter()
            .map(|(what, expected, came)| json!({ "what": what, "expected": expected, "came": came }))
            .collect();
        json!({
            "name": name(case),
            "hook": case.hook.as_ref().map(|hook_id| hook_id.as_str()),
            "file": file,
            "line": at,
            "event": event(case),
            "passed": result.passed(),
            "differences": differences,
            "decision": result.came.as_ref().ok().map(|c| c.decision),
            "reason": result.came.as_ref().ok().and_then(|c| c.reason.clone()),
            "took_ms": result.came.as_ref().ok().map(|c| c.took.as_secs_f64() * 1e3),
            "see": see(result),
        })
    };
    let failed = results.played.iter().filter(|result| !result.passed()).count();
    json!({
        "cases": results.played.iter().map(case).collect::<Vec<_>>(),
        "passed": results.played.len() - failed,
        "failed": failed,
        "untested": untested(results),
    })
}

/// All differences of a case as one text.
fn message(result: &Played) -> String {
    let lines = differences(result).into_iter();
    let lines =
        lines.map(|(what, expected, came)| format!("{what}: expected {expected}, came {came}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn to_junit(results: &Results) -> String {
    let suites: Vec<Suite> = results
        .suites
        .iter()
        .map(|suite| Suite {
            name: suite.shown.clone(),
            cases: results
                .played
                .iter()
                .filter(|played| Arc::ptr_eq(&played.job.suite, suite))
                .map(junit_case)
                .collect(),
        })
        .collect();
    junit::document("tenterhook", results.took, &suites)
}

fn junit_case(played: &Played) -> junit::Case {
    let failure = || {
        let (file, at) = location(played);
        let message = message(played);
        junit::Failure {
            text: format!("{file}:{at}\n{message}\nsee: {}", see(played)),
            message: message.lines().next().unwrap_or_default().to_owned(),
        }
    };
    let case = &played.job.case;
    junit::Case {
        name: name(case),
        class: case.hook.as_ref().map_or("all", |hook| hook.as_str()).to_owned(),
        time: played.came.as_ref().ok().map(|came| came.took),
        failure: (!played.passed()).then(failure),
    }
}

/// A finding for each case that failed.
fn to_sarif(results: &Results) -> Value {
    const RULE: &str = "failed-case";
    let finding = |played: &Played| {
        let (file, line) = location(played);
        Finding {
            rule: RULE.to_owned(),
            level: Level::Error,
            message: format!("{}: {}", name(&played.job.case), message(played)),
            file,
            line,
        }
    };
    let failed = results.played.iter().filter(|played| !played.passed());
    let findings: Vec<Finding> = failed.map(finding).collect();
    sarif::log("tenterhook", &[(RULE, "FailedCase")], &findings)
}
