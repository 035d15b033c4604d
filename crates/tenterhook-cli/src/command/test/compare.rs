//! Does what came of a case agree with what it expects? Says every difference (TE-6, TE-7). Pure.

use regex::Regex;
use serde_json::Value;
use tenterhook_core::dialect::native::Expectation;

use super::play::Came;
use crate::show::layout::format_duration;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// What differs, in a word.
    pub(super) what: &'static str,
    pub(super) expected: String,
    pub(super) came: String,
}

/// Returns every difference between the expected and the actual result.
pub(super) fn differences(expected: &Expectation, came: &Came) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let mut differ = |what, expected: String, came: String| {
        found.push(Mismatch { what, expected, came });
    };
    let decision = match expected.stop {
        true => "stop",
        false => expected.decision.name().unwrap_or("silent"),
    };
    if decision != came.decision {
        let because = came.because.as_ref().map(|text| format!(", because {text}"));
        let reason = came.reason.as_ref().map(|reason| format!(": {reason}"));
        let why = because.or(reason).unwrap_or_default();
        differ("decision", decision.to_owned(), format!("{}{why}", came.decision));
    }
    let said = [
        ("reason", &expected.reason, came.reason.iter().cloned().collect::<Vec<_>>()),
        ("context", &expected.context, came.context.clone()),
    ];
    for (what, pattern, texts) in said {
        let Some(pattern) = pattern else { continue };
        let text = texts.join("\n");
        // An invalid expression was reported when the case was read.
        if !Regex::new(pattern).is_ok_and(|regex| regex.is_match(&text)) {
            let came = if text.is_empty() { "nothing".to_owned() } else { text };
            differ(what, format!("/{pattern}/"), came);
        }
    }
    if expected.rewrite.is_some() && expected.rewrite != came.rewrite {
        let shown =
            |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
        differ("rewrite", shown(&expected.rewrite), shown(&came.rewrite));
    }
    if let Some(limit) = expected.within.filter(|limit| came.took > *limit) {
        differ("time", format!("at most {}", format_duration(limit)), format_duration(came.took));
    }
    if let Some(background) =
        expected.background.filter(|background| *background != came.background)
    {
        let shown =
            |background| if background { "a hook runs in it" } else { "no hook runs in it" };
        differ("background", shown(background).to_owned(), shown(came.background).to_owned());
    }
    for fault in &came.faults {
        if !expected.faults.iter().any(|text| text == fault.code.name()) {
            differ("fault", "none".to_owned(), format!("{}: {}", fault.code, fault.message));
        }
    }
    for code in &expected.faults {
        if !came.faults.iter().any(|fault| fault.code.name() == code) {
            differ("fault", code.clone(), "none".to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use tenterhook_core::answer::Restraint;
    use tenterhook_core::diagnostic::Code;
    use tenterhook_core::outcome::Fault;

    use super::*;

    fn denied() -> Came {
        Came {
            decision: "deny",
            reason: Some("no force".to_owned()),
            context: vec!["one".to_owned(), "two".to_owned()],
            rewrite: Some(json!({"command": "x"})),
            took: Duration::from_millis(20),
            ..Came::default()
        }
    }

    fn whats(expected: &Expectation, came: &Came) -> Vec<&'static str> {
        differences(expected, came).iter().map(|difference| difference.what).collect()
    }

    /// TE-6, TE-7: one difference at a time.
    /// TE-16.
    #[test]
    fn every_part_of_an_expectation_is_held_to() {
        let exact = Expectation {
            reason: Some("^no".to_owned()),
            context: Some("two".to_owned()),
            rewrite: Some(json!({"command": "x"})),
            within: Some(Duration::from_millis(20)),
            ..Expectation::new(Restraint::Deny)
        };
        assert_eq!(whats(&exact, &denied()), [""; 0]);
        let text = |text: &str| Some(text.to_owned());
        for (expected, what) in [
            (Expectation { decision: Restraint::Ask, ..exact.clone() }, "decision"),
            (Expectation { stop: true, ..exact.clone() }, "decision"),
            (Expectation { reason: text("yes"), ..exact.clone() }, "reason"),
            (Expectation { context: text("three"), ..exact.clone() }, "context"),
            (Expectation { rewrite: Some("x".into()), ..exact.clone() }, "rewrite"),
            (Expectation { within: Some(Duration::from_millis(19)), ..exact.clone() }, "time"),
            (Expectation { background: Some(true), ..exact.clone() }, "background"),
            (Expectation { faults: vec!["timed-out".to_owned()], ..exact.clone() }, "fault"),
        ] {
            assert_eq!(whats(&expected, &denied()), [what]);
        }
        let background = Expectation { background: Some(true), ..exact.clone() };
        let aside = Came { background: true, ..denied() };
        assert_eq!(whats(&background, &aside), [""; 0]);
        assert_eq!(whats(&exact, &aside), [""; 0], "what is not named is not compared");
        let fault = Fault { code: Code::ExitCode, hook: None, message: String::new() };
        let faulty = Came { faults: vec![fault], ..denied() };
        assert_eq!(whats(&exact, &faulty), ["fault"]);
        let named = Expectation { faults: vec!["exit-code".to_owned()], ..exact };
        assert_eq!(whats(&named, &faulty), [""; 0]);
    }
}
