//! What came of cases: for people, for programs, and in the forms of those who show tests and findings (TE-9, TE-10).

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::native::{Case, Happens};

use super::fixture::{fill_placeholders, fill_placeholders_in_text};
use super::mutant::gate_hooks;
use super::play::Came;
use super::{Played, Results, count_runs_per_hook};
use crate::args::TestFormat;
use crate::command::print_json;
use crate::command::what::split_first_word;
use crate::problem::Problem;
use crate::show::junit::{self, Suite};
use crate::show::layout::{format_count, format_duration, to_safe_line, wrap_indented, wrap_text};
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, HELP, paint};
use crate::show::sarif::{self, Finding, Level};
use crate::term::Term;

pub(super) fn print_report(
    results: &Results,
    format: TestFormat,
    term: Term,
) -> Result<(), Problem> {
    match format {
        TestFormat::Text => term.print_data(&to_text(results, term.width())),
        TestFormat::Json => print_json(&to_json(results), term),
        TestFormat::Junit => term.print_data(&to_junit(results)),
        TestFormat::Sarif => print_json(&to_sarif(results), term),
    }
}

/// Returns the event of a case, as short as possible.
pub(super) fn event_text(case: &Case) -> String {
    match &case.event {
        Happens::Words(words) => words.clone(),
        Happens::Form(form) => Value::from(form.clone()).to_string(),
    }
}

/// Returns the display name of a case: its name, or its event.
fn case_name(case: &Case) -> String {
    if case.name.is_empty() { event_text(case) } else { case.name.clone() }
}

fn case_location(result: &Played) -> (String, usize) {
    let place = &result.job.case.place;
    (result.job.suite.texts.display_name(&place.file).to_owned(), place.line)
}

/// Returns a row for each difference: what differs, the expected and the actual value.
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

/// Returns the command that shows more about a case.
fn details_command(result: &Played) -> String {
    let suite = &result.job.suite;
    let mut command = "tenterhook fire".to_owned();
    // A file that is named is taken for the caller's own, and its hooks would not be refused what they were here.
    let refused = |came: &Came| came.faults.iter().any(|fault| fault.code == Code::SandboxRefused);
    let is_named =
        !(suite.sandboxes.is_current_project() && result.came.as_ref().is_ok_and(refused));
    for source in suite.sources.iter().filter(|_| is_named) {
        command.push_str(&format!(
            " --config {}",
            shell_quote(suite.texts.display_name(&source.name))
        ));
    }
    match &result.job.case.event {
        Happens::Words(words) => {
            let words = fill_placeholders_in_text(words, &suite.roots);
            let (first, rest) = split_first_word(&words);
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
                command.push_str(&format!(" {}", shell_quote(rest)));
            }
        }
        Happens::Form(form) => {
            let mut form = form.clone();
            if let Some(on) = &result.job.case.on {
                form.entry("event").or_insert_with(|| on.as_str().into());
            }
            let json = fill_placeholders(&form.into(), &suite.roots).to_string();
            command.push_str(&format!(" --dialect {} {}", suite.dialect, shell_quote(&json)));
        }
    }
    command
}

/// Quotes a word for the shell.
fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=+,:@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn to_text(results: &Results, columns: usize) -> String {
    let mut out = String::new();
    for result in results.played.iter().filter(|result| !result.has_passed()) {
        push_failure(result, columns, &mut out);
    }
    let all = results.played.len();
    let failed = results.played.iter().filter(|result| !result.has_passed()).count();
    let (style, sum) = match failed {
        0 => (GOOD, format!("{} passed", format_count(all, "case"))),
        _ => (ERROR, format!("{failed} of {} failed", format_count(all, "case"))),
    };
    out.push_str(&format!("{} in {}\n", paint(style, sum), format_duration(results.took)));
    let untested = untested_gates(results);
    if !untested.is_empty() {
        let text = format!("no case runs {}", untested.join(", "));
        for text in wrap_text(&text, columns) {
            out.push_str(&format!("{}\n", paint(DIM, text)));
        }
    }
    out
}

/// Returns the gates that no case ran.
fn untested_gates(results: &Results) -> Vec<String> {
    let runs = count_runs_per_hook(&results.played);
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for suite in &results.suites {
        for hook in gate_hooks(suite) {
            let at = suite.places.get(&hook.id);
            if !at.is_some_and(|location| runs.contains_key(location)) && seen.insert(at) {
                names.push(hook.short_name());
            }
        }
    }
    names
}

fn push_failure(result: &Played, columns: usize, out: &mut String) {
    let (file, at) = case_location(result);
    let case = &result.job.case;
    let hook = case.hook.as_ref().map(|hook_id| format!("{hook_id}: ")).unwrap_or_default();
    let head = format!("{hook}{}", to_safe_line(&case_name(case)));
    let lead = "FAIL  ";
    let place = format!("{file}:{at}");
    let head: Vec<String> = wrap_text(&head, columns.saturating_sub(lead.len()));
    let head = head.iter().map(|text| paint(BOLD, text)).collect::<Vec<_>>().join("\n      ");
    let text = format!("{}{head}  {}", paint(ERROR, lead), paint(DIM, place));
    out.push_str(&format!("{}\n", wrap_indented(&text, columns)));
    if !case.name.is_empty() {
        push_labelled("event", &event_text(case), columns, out);
    }
    for (what, expected, came) in differences(result) {
        push_labelled(what, &format!("expected {expected}"), columns, out);
        push_labelled("", &format!("came     {came}"), columns, out);
    }
    // Not wrapped: it is there to be copied.
    out.push_str(&format!(
        "      {} {}\n\n",
        paint(HELP, "see     "),
        to_safe_line(&details_command(result))
    ));
}

fn push_labelled(label: &str, text: &str, columns: usize, out: &mut String) {
    const INSET: usize = 15;
    for (at, text) in wrap_text(text, columns.saturating_sub(INSET)).iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        let line = format!("      {} {text}", paint(HELP, format!("{label:8}")));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn to_json(results: &Results) -> Value {
    let case = |result: &Played| {
        let (file, at) = case_location(result);
        let case = &result.job.case;
        let differences: Vec<Value> = differences(result)
            .into_iter()
            .map(|(what, expected, came)| json!({ "what": what, "expected": expected, "came": came }))
            .collect();
        json!({
            "name": case_name(case),
            "hook": case.hook.as_ref().map(|hook_id| hook_id.as_str()),
            "file": file,
            "line": at,
            "event": event_text(case),
            "passed": result.has_passed(),
            "differences": differences,
            "decision": result.came.as_ref().ok().map(|c| c.decision),
            "reason": result.came.as_ref().ok().and_then(|c| c.reason.clone()),
            "took_ms": result.came.as_ref().ok().map(|c| c.took.as_secs_f64() * 1e3),
            "see": details_command(result),
        })
    };
    let failed = results.played.iter().filter(|result| !result.has_passed()).count();
    json!({
        "cases": results.played.iter().map(case).collect::<Vec<_>>(),
        "passed": results.played.len() - failed,
        "failed": failed,
        "untested": untested_gates(results),
    })
}

/// Returns all differences of a case as one text.
fn failure_message(result: &Played) -> String {
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
    junit::junit_document("tenterhook", results.took, &suites)
}

fn junit_case(played: &Played) -> junit::Case {
    let failure = || {
        let (file, at) = case_location(played);
        let message = failure_message(played);
        junit::Failure {
            text: format!("{file}:{at}\n{message}\nsee: {}", details_command(played)),
            message: message.lines().next().unwrap_or_default().to_owned(),
        }
    };
    let case = &played.job.case;
    junit::Case {
        name: case_name(case),
        class: case.hook.as_ref().map_or("all", |hook| hook.as_str()).to_owned(),
        time: played.came.as_ref().ok().map(|came| came.took),
        failure: (!played.has_passed()).then(failure),
    }
}

/// Returns a SARIF log with a finding for each case that failed.
fn to_sarif(results: &Results) -> Value {
    const RULE: &str = "failed-case";
    let finding = |played: &Played| {
        let (file, line) = case_location(played);
        Finding {
            rule: RULE.to_owned(),
            level: Level::Error,
            message: format!("{}: {}", case_name(&played.job.case), failure_message(played)),
            file,
            line,
        }
    };
    let failed = results.played.iter().filter(|played| !played.has_passed());
    let findings: Vec<Finding> = failed.map(finding).collect();
    sarif::sarif_log("tenterhook", &[(RULE, "FailedCase")], &findings)
}
