//! What rules ask of their session, and what they change in it.

use super::*;

/// A history that is there already, or cannot be read.
#[derive(Debug)]
struct Given(Result<SessionHistory, UnusableHistory>);

impl HistoryReader for Given {
    fn read_history(&self) -> Result<SessionHistory, UnusableHistory> {
        self.0.clone()
    }
}

fn input(event: Event, history: Result<SessionHistory, UnusableHistory>) -> RuleInput {
    let history = Arc::new(LazyHistory::new(Arc::new(Given(history))));
    RuleInput::new(&Arc::new(event)).with_history(history)
}

const fn everything() -> CallQuestions {
    CallQuestions { calls: true, programs: true, writes: true }
}

/// The history after these calls and changes.
fn history(calls: &[(Event, CallEnd)], marks: &[Mark]) -> SessionHistory {
    let mut lines = HistoryLines::default();
    for (event, ended) in calls {
        let rule_input = RuleInput::new(&Arc::new(event.clone()));
        rule_input.note_call(*ended, everything(), &mut lines, &|| true);
    }
    marks.iter().for_each(|mark| lines.push_mark(mark));
    SessionHistory::read(format!("{}{}", SessionHistory::head(), lines.as_str())).unwrap()
}

fn holds_after(when: &str, event: Event, history: &SessionHistory) -> Result<bool, Unsettled> {
    let rule = Rule::new(when).deny("no");
    assert_eq!(rule.check(), [], "{when}");
    let rule_input = input(event, Ok(history.clone()));
    let answer = rule.evaluate(&rule_input, Incomplete::Unknown, &|| true)?;
    Ok(answer.is_some())
}

/// SS-10, SS-11, SS-12, SS-13, SS-14.
#[test]
fn rules_ask_for_labels_counters_calls_and_writes() {
    let read = call("Read", json!({ "file_path": "/srv/app/.env" }));
    let write = call("Write", json!({ "file_path": "/srv/app/send.sh", "content": "x" }));
    let (copy, push) = (bash("cp /etc/hosts build/out.txt"), bash("git push"));
    let unzip = bash("unzip a.zip -d /srv/other");
    let past = history(
        &[
            (read, CallEnd::Ran),
            (write, CallEnd::Passed),
            (copy, CallEnd::Passed),
            (unzip, CallEnd::Ran),
            (push, CallEnd::Failed),
        ],
        &[Mark::Label("secret read".into()), Mark::Count("pushes".into())],
    );
    for when in [
        r#"session.seen("secret read") && !session.seen("other")"#,
        r#"session.count("pushes") == 1 && session.count("x") == 0"#,
        "size(session.calls) == 5 && size(session.last(2)) == 2 && size(session.last(9)) == 5",
        r#"session.calls.count(c, c.kind == "shell") == 3"#,
        r#"session.calls.exists(c, c.ended == "failed" && "git" in c.programs)"#,
        r#"session.last(1).all(c, c.tool == "Bash" && c.ended == "failed")"#,
        r#"session.last(0) == [] && size(session.last(-1)) == 0"#,
        r#"session.wrote("/srv/app/send.sh") && session.wrote("../send.sh")"#,
        r#""send.sh" in session.writes && session.writes.exists(w, w.glob("*.txt"))"#,
        r#"call.reads.exists(f, session.wrote(f))"#,
        r#"session.wrote("/srv/other/deep/file") && !session.wrote("/srv/elsewhere")"#,
        r#"session.wrote("/srv/app/*.sh") && !session.wrote("/srv/none/*")"#,
        r#"session == "s1" && session.contains("s") && session.startsWith("s")"#,
        r#"["a", "b", "a"].count(x, x == "a") == 2 && !tool.failed"#,
    ] {
        assert_eq!(holds_after(when, bash("sh ../send.sh"), &past), Ok(true), "{when}");
    }
    let failed = Event { name: "PostToolUseFailure".into(), ..bash("git push") };
    assert!(holds("tool.failed", &failed) && !holds("tool.failed", &bash("x")));
}

/// SS-27: what a call unpacks, clones, copies or moves as a whole is written with all that is in it.
#[test]
fn written_directory_covers_what_is_below_it() {
    for (line, written, other) in [
        ("tar xf a.tar", "/srv/app/src/deep/x.sh", "/srv/x.sh"),
        ("tar -xzf a.tgz -C out", "/srv/app/src/out/x.sh", "/srv/app/src/x.sh"),
        (
            "cd out; curl -s https://x.example/a.tgz | tar xz",
            "/srv/app/src/out/a/x.sh",
            "/srv/app/src/x.sh",
        ),
        ("unzip -o a.zip", "/srv/app/src/x.sh", "/srv/y/x.sh"),
        ("unzip a.zip -d out", "/srv/app/src/out/x.sh", "/srv/app/src/x.sh"),
        ("cp -r /tmp/tools tools", "/srv/app/src/tools/x.sh", "/srv/app/src/x.sh"),
        ("cp -a /tmp/tools/. bin", "/srv/app/src/bin/x.sh", "/srv/app/src/x.sh"),
        ("cp -R /tmp/tools /opt/", "/opt/tools/x.sh", "/srv/app/src/tools/x.sh"),
        ("cp -t lib -r /tmp/tools", "/srv/app/src/lib/tools/x.sh", "/srv/app/src/lib/x.sh"),
        ("rsync -a /tmp/tools/ bin/", "/srv/app/src/bin/deep/x.sh", "/srv/app/src/x.sh"),
        ("mv /tmp/tools bin", "/srv/app/src/bin/x.sh", "/srv/app/src/x.sh"),
        ("git clone https://x.example/tools.git", "/srv/app/src/tools/x.sh", "/srv/app/src/x.sh"),
        (
            "git clone git@x.example:o/tools other",
            "/srv/app/src/other/x.sh",
            "/srv/app/src/tools/x.sh",
        ),
        ("gh repo clone o/tools", "/srv/app/src/tools/x.sh", "/srv/app/src/x.sh"),
        ("git apply x.diff", "/srv/app/src/x.sh", "/srv/x.sh"),
        ("patch -p1 < x.diff", "/srv/app/src/deep/x.sh", "/srv/x.sh"),
        ("git am x.patch", "/srv/app/src/x.sh", "/srv/x.sh"),
        // Only what it names.
        ("cp a.txt bin/", "/srv/app/src/bin/a.txt", "/srv/app/src/bin/x.sh"),
        ("mv a.sh bin/", "/srv/app/src/bin/a.sh", "/srv/app/src/bin/x.sh"),
        ("tar cf a.tar bin", "/srv/app/src/a.tar", "/srv/app/src/bin/x.sh"),
        ("unzip -l a.zip > list", "/srv/app/src/list", "/srv/app/src/x.sh"),
        (
            "git apply <<'E'\n--- a/x.sh\n+++ b/x.sh\n@@ -1 +1 @@\nE",
            "/srv/app/src/x.sh",
            "/srv/app/src/y.sh",
        ),
    ] {
        let past = history(&[(bash(line), CallEnd::Passed)], &[]);
        for (path, is_written) in [(written, true), (other, false)] {
            let found = holds_after(&format!("session.wrote({path:?})"), bash("ls"), &past);
            assert_eq!(found, Ok(is_written), "{line}: {path}");
        }
    }
}

/// SS-11: the call of the event, and what came after it, is not among the calls before it.
#[test]
fn own_call_is_not_among_the_calls_before() {
    let first = bash("git push").with("tool_use_id", "1");
    let second = bash("git push").with("tool_use_id", "2");
    let past = history(&[(first.clone(), CallEnd::Ran), (second.clone(), CallEnd::Ran)], &[]);
    assert_eq!(holds_after("size(session.calls) == 1", second, &past), Ok(true));
    assert_eq!(holds_after("size(session.calls) == 0", first, &past), Ok(true));
}

/// SS-13: of more files than are remembered, a gate does not know whether one was written.
#[test]
fn forgotten_files_are_in_doubt() {
    let many: Vec<(Event, CallEnd)> = (0..1_100)
        .map(|n| (call("Write", json!({ "file_path": format!("/srv/app/{n}") })), CallEnd::Passed))
        .collect();
    let past = history(&many, &[]);
    let found = |file: &str| {
        let one = holds_after(&format!("session.wrote({file:?})"), bash("x"), &past);
        let other = holds_after(&format!("{file:?} in session.writes"), bash("x"), &past);
        assert_eq!(one.as_ref().ok(), other.as_ref().ok());
        one
    };
    assert_eq!(found("1"), Ok(true));
    let Err(Unsettled::Failed(why)) = found("1099") else { panic!("it is not known") };
    assert!(why.contains("wrote more files than are remembered"), "{why}");
}

/// UG-4: tokens that are not known are unknown, also to a rule that handles the doubt of its line.
#[test]
fn tokens_that_are_not_known_are_unknown() {
    let none = SessionHistory::default();
    for when in ["usage.output_tokens > 5", "shell.complete && usage.context_share > 0.5"] {
        let Err(Unsettled::Failed(why)) = holds_after(when, bash("ls"), &none) else {
            panic!("{when}: it is not known")
        };
        assert!(why.contains("is not known of this session"), "{why}");
        let decided = format!("tool.name == 'X' && ({when})");
        assert_eq!(holds_after(&decided, bash("ls"), &none), Ok(false));
    }
    let mut known = bash("ls");
    known.within.facts.insert("usage".to_owned(), json!({ "output_tokens": 6 }));
    assert_eq!(holds_after("usage.output_tokens > 5", known, &none), Ok(true));
    let text = Rule::new("true").deny("{usage.output_tokens} tokens");
    assert_eq!(judge(&text, bash("ls")).unwrap().reason.as_deref(), Some("0 tokens"));
}

/// SS-21: what cannot be read is no empty history.
#[test]
fn unusable_history_has_no_value() {
    for when in [
        r#"session.seen("x")"#,
        r#"session.count("x") > 0"#,
        "size(session.calls) > 0",
        "session.last(1) != []",
        r#"session.wrote("x")"#,
        "size(session.writes) > 0",
        r#"!session.seen("x")"#,
    ] {
        let rule_input = input(bash("ls"), Err(UnusableHistory("it is torn".to_owned())));
        let answer = Rule::new(when).deny("no").evaluate_or_silent(&rule_input, &|| true);
        let Err(Unsettled::Failed(why)) = answer else { panic!("{when}: {answer:?}") };
        assert!(why.contains("it is torn"), "{why}");
    }
    let rule_input = input(bash("ls"), Err(UnusableHistory("it is torn".to_owned())));
    let other = Rule::new(r#"tool.name == "Bash""#).deny("no");
    assert!(other.evaluate_or_silent(&rule_input, &|| true).is_ok(), "it asks for nothing");
}

/// SS-1, SS-3.
#[test]
fn rule_leaves_its_changes_in_the_answer() {
    let rule = Rule::new("true").with_part(Part::Count, "n").with_part(Part::Label, "a b");
    let rule = rule.with_part(Part::Clear, "c");
    let answer = judge(&rule, bash("ls")).unwrap();
    let marks = [Mark::Clear("c".into()), Mark::Label("a b".into()), Mark::Count("n".into())];
    assert_eq!(answer.effects.marks, marks);
    let quiet = Rule::new("false").with_part(Part::Label, "a");
    assert!(judge(&quiet, bash("ls")).unwrap().effects.marks.is_empty());
    for name in ["", " ", " a", "a ", "{tool.name}", "a\nb", "\u{e9}", &"x".repeat(65)] {
        let rule = Rule::new("true").with_part(Part::Label, name);
        assert_eq!(rule.check().first().map(|flaw| flaw.code.name()), Some("bad-rule"), "{name}");
    }
}

/// T-10: an approval of a rule without changes of the session stays one.
#[test]
fn text_that_approvals_are_of_is_stable() {
    let rule = Rule::new("true").deny("no");
    let before = r#"Texts { when: "true", deny: Some("no"), ask: None, context: None, rewrite: None, doubt: None }"#;
    assert_eq!(format!("{rule:?}"), before);
    let labels = format!("{:?}", rule.with_part(Part::Label, "a"));
    assert!(labels.ends_with(r#"doubt: None, label: "a" }"#), "{labels}");
}

/// SS-15.
#[test]
fn rules_that_may_ask_for_calls_are_known() {
    let questions = |when: &str| Rule::new(when).deny("no").call_questions();
    let asks = |when: &str| questions(when).calls;
    assert!(asks("size(session.calls) > 1") && asks("session.last(1) == []"));
    assert!(asks(r#"session.wrote("x")"#) && asks(r#""x" in session . writes"#));
    assert!(!asks(r#"session.seen("x") && call.writes == []"#) || asks("session.writes == []"));
    assert!(!asks(r#"session.seen("x")"#) && !asks("call.writes == []"));
    assert!(Rule::new("true").deny("{session.last(1)}").call_questions().calls);
    let some = |programs, writes| CallQuestions { calls: true, programs, writes };
    assert_eq!(questions("size(session.calls) > 1"), some(false, false));
    assert_eq!(questions(r#"session.last(1).exists(c, "a" in c.programs)"#), some(true, false));
    assert_eq!(questions(r#"session.wrote("x")"#), some(false, true));
}

/// RU-30: mistakes are named, with what to write instead.
#[test]
fn mistakes_in_questions_to_the_session_are_named() {
    for (when, code, help) in [
        ("session.sen(\"x\")", "unknown-rule-name", "did you mean `seen`?"),
        ("session.cals == []", "unknown-rule-name", "did you mean `calls`?"),
        ("session.seen()", "bad-rule", "write it with a string"),
        ("session.seen(1)", "bad-rule", "write what gives a string"),
        ("session.last(\"x\") == []", "bad-rule", "write what gives a number"),
        ("session.count(\"x\")", "bad-rule", "compare it with something"),
        ("session.calls.exists(c, c.command == \"x\")", "unknown-rule-name", "there is"),
    ] {
        let found = flaws(when);
        let (given, _, said) = found.first().unwrap_or_else(|| panic!("{when}"));
        assert!(*given == code && said.starts_with(help), "{when}: {found:?}");
    }
}
