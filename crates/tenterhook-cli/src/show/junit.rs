//! JUnit's XML as continuous integration reads it: the elements and attributes that `cargo nextest` writes. Decides nothing.

use std::fmt::Write as _;
use std::time::Duration;

/// The cases of one file.
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) name: String,
    /// Groups cases in most viewers.
    pub(crate) class: String,
    pub(crate) time: Option<Duration>,
    pub(crate) failure: Option<Failure>,
}

pub(crate) struct Failure {
    /// One line.
    pub(crate) message: String,
    pub(crate) text: String,
}

/// Renders a complete JUnit document, which ends with a line feed.
pub(crate) fn junit_document(name: &str, time: Duration, suites: &[Suite]) -> String {
    let cases = suites.iter().flat_map(|suite| &suite.cases);
    let (tests, failures) = count_failures_and_errors(cases);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        r#"<testsuites name="{}" tests="{tests}" skipped="0" failures="{failures}" errors="0" time="{}">"#,
        escape_xml(name),
        format_seconds(time),
    );
    for suite in suites {
        write_suite(suite, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

fn count_failures_and_errors<'a>(cases: impl Iterator<Item = &'a Case>) -> (usize, usize) {
    cases.fold((0, 0), |(tests, failures), case| {
        (tests + 1, failures + usize::from(case.failure.is_some()))
    })
}

fn write_suite(suite: &Suite, out: &mut String) {
    let (tests, failures) = count_failures_and_errors(suite.cases.iter());
    let _ = writeln!(
        out,
        r#"    <testsuite name="{}" tests="{tests}" skipped="0" errors="0" failures="{failures}">"#,
        escape_xml(&suite.name),
    );
    for case in &suite.cases {
        let (name, class) = (escape_xml(&case.name), escape_xml(&case.class));
        let _ = write!(out, r#"        <testcase name="{name}" classname="{class}""#);
        if let Some(time) = case.time {
            let _ = write!(out, r#" time="{}""#, format_seconds(time));
        }
        let Some(failure) = &case.failure else {
            out.push_str("/>\n");
            continue;
        };
        let (message, text) = (escape_xml(&failure.message), escape_xml(&failure.text));
        let _ = writeln!(out, ">\n            <failure message=\"{message}\">{text}</failure>");
        out.push_str("        </testcase>\n");
    }
    out.push_str("    </testsuite>\n");
}

fn format_seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Escapes a text for an attribute or an element. Characters that XML 1.0 cannot represent (section
/// 2.2) and terminal colours are removed.
fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in anstream::adapter::strip_str(text).to_string().chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader turns a bare one in an attribute into a blank.
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Case, Failure, Suite, escape_xml, junit_document};
    use std::time::Duration;

    #[test]
    fn characters_that_xml_cannot_hold_are_escaped_or_removed() {
        assert_eq!(
            escape_xml("a<b & \"c\"\n\u{1b}[31mred\u{1b}[0m\u{0}"),
            "a&lt;b &amp; &quot;c&quot;&#10;red"
        );
    }

    #[test]
    fn document_counts_cases_and_failures_of_all_suites() {
        let case = |failure| Case {
            name: "rm".to_owned(),
            class: "guard".to_owned(),
            time: Some(Duration::from_millis(1_500)),
            failure,
        };
        let failure =
            Failure { message: "not denied".to_owned(), text: "a.toml:1\nnot denied".to_owned() };
        let suite =
            Suite { name: "a.toml".to_owned(), cases: vec![case(None), case(Some(failure))] };
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="tenterhook" tests="2" skipped="0" failures="1" errors="0" time="2.000">
    <testsuite name="a.toml" tests="2" skipped="0" errors="0" failures="1">
        <testcase name="rm" classname="guard" time="1.500"/>
        <testcase name="rm" classname="guard" time="1.500">
            <failure message="not denied">a.toml:1&#10;not denied</failure>
        </testcase>
    </testsuite>
</testsuites>
"#;
        assert_eq!(junit_document("tenterhook", Duration::from_secs(2), &[suite]), expected);
    }
}
