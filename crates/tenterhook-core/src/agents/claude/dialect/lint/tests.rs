//! Every finding has a file that shows it, and a page that explains it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use crate::diagnostic::Diagnostic;
use crate::dialect::DialectId;
use crate::dialect::claude::config;
use crate::hook::Layer;
use crate::source::Source;

/// Every code that a config of this agent can earn.
const CODES: &[&str] = &[
    "absolute-home-path-in-command",
    "async-on-gate",
    "broken-front-matter",
    "byte-order-mark",
    "command-not-string",
    "comment-key",
    "dead-matcher",
    "duplicate-keys",
    "empty-command",
    "empty-event-array",
    "empty-file",
    "empty-inner-hooks",
    "event-keyed-by-matcher",
    "event-value-is-object-not-array",
    "event-value-is-string",
    "event-value-not-array",
    "file-matcher-is-pattern",
    "foreign-tool-name-in-matcher",
    "group-is-string",
    "group-not-object",
    "group-without-hooks",
    "handler-is-string",
    "handler-missing-field",
    "handler-missing-type",
    "handler-not-object",
    "handler-type-not-accepted",
    "header-not-sent",
    "hooks-disabled",
    "hooks-elsewhere",
    "hooks-is-array",
    "hooks-is-string-list",
    "hooks-not-object",
    "hooks-object-not-hook-schema",
    "if-is-empty",
    "if-never-holds",
    "if-one-slash",
    "if-outside-tool-event",
    "if-prefix-on-path",
    "if-several-rules",
    "inner-hooks-not-array",
    "invalid-matcher",
    "managed-key-ignored",
    "matcher-ignored",
    "matcher-is-expression",
    "matcher-is-glob",
    "matcher-not-string",
    "missing-hooks-wrapper",
    "missing-inner-hooks-array",
    "misspelt-place",
    "not-an-object",
    "not-strict-json",
    "on-failure-ignored",
    "once-outside-skill",
    "permission-rule-in-matcher",
    "plugin-variable-outside-plugin",
    "relative-script-path",
    "timeout-looks-like-ms",
    "undocumented-variable",
    "unknown-event",
    "unknown-group-field",
    "unknown-handler-field",
    "unknown-handler-type",
    "unknown-on-failure",
    "unknown-shell",
    "unquoted-path-var",
    "unusable-header",
    "unusable-url",
    "user-config-in-shell",
    "wrong-case-event",
    "wrong-field-type",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cases() -> PathBuf {
    repository().join("conformance/check/claude")
}

fn expected() -> DocumentMut {
    let text = fs::read_to_string(cases().join("expect.toml")).expect("it is there");
    text.parse().expect("it is TOML")
}

fn check(file: &str, case: Option<&Item>) -> Vec<Diagnostic> {
    let text = fs::read_to_string(cases().join(file)).expect("the case is there");
    let word = |key: &str| case.and_then(|case| case.get(key)).and_then(Item::as_str);
    let name = word("as").unwrap_or(".claude/settings.json");
    let mut source = Source::from_text(name, DialectId::CLAUDE, &text, "/repo/.claude");
    let layers = [Layer::Plugin, Layer::Skill, Layer::Agent];
    let layer =
        word("layer").and_then(|word| layers.into_iter().find(|layer| layer.as_str() == word));
    source.layer = layer.unwrap_or(Layer::Project);
    config::read_config(&source).diagnostics
}

#[test]
fn each_case_shows_its_finding_at_its_line_and_no_other() {
    let mut wrong = Vec::new();
    for (file, case) in expected().iter() {
        let found = check(file, Some(case));
        let code = case["code"].as_str().expect("a code");
        let line = case["line"].as_integer().expect("a line");
        let severity = case["severity"].as_str().expect("a severity");
        let texts: Vec<String> = found
            .iter()
            .map(|diagnostic| {
                let line = diagnostic.place.as_ref().map_or(0, |place| place.line);
                format!("{} {} at line {line}", diagnostic.severity, diagnostic.code.name())
            })
            .collect();
        let expected = format!("{severity} {code} at line {line}");
        if !texts.contains(&expected) {
            wrong.push(format!("{file}: no {expected}, but {texts:?}"));
        }
        let also = case.get("also").and_then(Item::as_array);
        for other in found.iter().filter(|diagnostic| diagnostic.code.name() != code) {
            if !also.is_some_and(|array| {
                array.iter().any(|value| value.as_str() == Some(other.code.name()))
            }) {
                wrong.push(format!("{file}: unexpected {other:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// C-85 and what else is in order.
#[test]
fn a_sound_file_has_no_finding() {
    assert_eq!(check("sound.json", None), []);
}

#[test]
fn every_code_has_a_case_and_an_entry_in_the_book_and_both_have_no_other() {
    let expected = expected();
    let shown: BTreeSet<&str> =
        expected.iter().filter_map(|(_, case)| case.get("code")?.as_str()).collect();
    let codes: BTreeSet<&str> = CODES.iter().copied().collect();
    assert_eq!(shown, codes);
    let files = fs::read_dir(cases()).expect("cases").count();
    assert_eq!(files, expected.len() + 2, "each file is expected something of");
    let page = repository().join("docs/spec/diagnostics.md");
    let page = fs::read_to_string(page).expect("it is there");
    for code in CODES {
        let name = format!("`{code}`");
        let mut headings = page.lines().filter(|line| line.starts_with("### "));
        assert!(headings.any(|line| line.contains(&name)), "{code} has no entry");
    }
}

#[test]
fn messages_are_written_as_the_house_writes_them() {
    for (file, case) in expected().iter() {
        for diagnostic in check(file, Some(case)) {
            let first = diagnostic.message.chars().next().expect("a message");
            let capital = first.is_uppercase() && !diagnostic.message.starts_with("Claude Code");
            assert!(
                !capital && !diagnostic.message.ends_with('.'),
                "{}: {}",
                diagnostic.code.name(),
                diagnostic.message
            );
            let help = diagnostic.help.unwrap_or_default();
            assert!(
                !help.ends_with('.') && !help.contains('\n'),
                "{}: {help}",
                diagnostic.code.name()
            );
        }
    }
}

#[test]
fn whatever_is_cut_from_a_file_it_is_read() {
    let files = fs::read_dir(cases()).expect("cases").map(|entry| entry.expect("a case").path());
    for path in files.filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let text = fs::read_to_string(&path).expect("a text");
        for (at, letter) in text.char_indices().step_by(7) {
            let (before, after) = text.split_at(at);
            let rest = after.strip_prefix(letter).unwrap_or_default();
            let without = format!("{before}{rest}");
            let swapped = format!("{before}[{rest}");
            for torn in [before, &without, &swapped] {
                let source = Source::from_text("x.json", DialectId::CLAUDE, torn, "/x");
                let read = config::read_config(&source);
                let named = read
                    .diagnostics
                    .iter()
                    .all(|diagnostic| CODES.contains(&diagnostic.code.name()));
                assert!(named, "a code that is not in the book: {:?}", read.diagnostics);
            }
        }
    }
}
