//! Cases beside hooks, and files of cases: which are read, and the diagnostics of unusable ones.

use super::*;

/// C-56, TE-1.
#[test]
fn cases_are_kept() {
    let text = "[hook.a]\non = 'PreToolUse'\nrun = ['x']\n[[hook.a.test]]\nname = 'n'\nevent = { tool = { name = 'Bash' } }\nexpect = 'silent'\n";
    clean(text);
    let cases = read_cases_beside_hooks(&source(text));
    assert_eq!(cases.len(), 1);
    assert_eq!((cases[0].expect.decision, cases[0].place.line), (Restraint::Silent, 4));
    assert_eq!(cases[0].on.as_deref(), Some("PreToolUse"));
}

/// TE-2, TE-4, TE-6.
#[test]
fn a_file_of_cases_is_read_with_every_key() {
    let text = r#"
        config = ["a.toml", "claude=b.json"]
        dialect = "claude"
        copy = "lib"
        [[case]]
        name = "n"
        hook = "a"
        event = "Bash git push -f"
        expect = "deny"
        reason = "force"
        context = "c+"
        rewrite = { command = "x" }
        within = "2s"
        background = true
        faults = ["exit-code"]
        files = { "a/b" = "text" }
        [[case]]
        event = { hook_event_name = "Stop" }
        expect = "stop"
        "#;
    let file = read_case_file(&source(text));
    assert_eq!(file.diagnostics, []);
    assert_eq!((file.config.len(), file.copy.len(), file.dialect), (2, 1, Some(DialectId::CLAUDE)));
    let [first, second] = file.cases.as_slice() else { panic!("{:?}", file.cases) };
    assert_eq!(first.hook, Some(HookId::new("a")));
    assert_eq!(first.event, Happens::Words("Bash git push -f".into()));
    let expected = Expectation {
        decision: Restraint::Deny,
        stop: false,
        reason: Some("force".into()),
        context: Some("c+".into()),
        rewrite: Some(json!({ "command": "x" })),
        within: Some(Duration::from_secs(2)),
        background: Some(true),
        faults: vec!["exit-code".into()],
    };
    assert_eq!(first.expect, expected);
    assert_eq!(first.files, [("a/b".to_owned(), "text".to_owned())]);
    assert!(second.expect.stop && second.hook.is_none(), "{second:?}");
}

/// TE-8.
#[test]
fn a_case_that_cannot_be_used_is_said_and_left_out() {
    for (text, code) in [
        ("case = [{ event = 'Stop' }]", "missing-key"),
        ("case = [{ event = 'Stop', expect = 'no' }]", "unknown-word"),
        ("case = [{ event = 'Stop', expect = 'deny', reason = '(' }]", "bad-expression"),
        ("case = [{ event = 'Stop', expect = 'deny', faults = ['exitcode'] }]", "unknown-word"),
        ("case = [{ event = 1, expect = 'deny' }]", "wrong-type"),
        ("case = [{ event = 'Stop', expect = 'deny', when = '' }]", "unknown-key"),
        ("dialect = 'klaude'", "unknown-dialect"),
        ("tests = []", "unknown-key"),
        ("case = [", "broken-file"),
    ] {
        let file = read_case_file(&source(text));
        assert_eq!(file.cases, [], "{text}");
        let codes: Vec<_> =
            file.diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect();
        assert_eq!(codes, [code], "{text}");
    }
}
