//! Files that an entry declares (T-8): what of them counts, and from where they run.

use super::*;

/// A gate that reads a policy beside itself, a rule in a folder, and runs a program that its words
/// hide.
const NATIVE: &str = r#"
[hook.gate]
on = "PreToolUse"
run = ["sh", "guard.sh"]
files = ["policy.txt", "rules/*.rule", "vendor/**/*.inc", "assets"]
"#;
const GUARD: &str = "read -r words <\"$(dirname \"$0\")/policy.txt\"\n\
    . \"$(dirname \"$0\")/vendor/a/b/deep.inc\"\n\
    for rule in \"$(dirname \"$0\")\"/rules/*.rule; do words=\"$words $(cat \"$rule\")\"; done\n\
    echo \"$words $DEEP $(cat \"$(dirname \"$0\")/assets/a/text\")\" >&2\nexit 2\n";

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    for (name, text) in [
        ("tenterhook.toml", NATIVE),
        ("guard.sh", GUARD),
        ("policy.txt", "policy\n"),
        ("rules/one.rule", "one"),
        ("rules/beside.txt", "no rule"),
        ("vendor/a/b/deep.inc", "DEEP=deep\n"),
        ("assets/a/text", "asset"),
    ] {
        fixture.write(name, text);
    }
    fixture
}

fn source(fixture: &Fixture) -> Source {
    fixture.source("tenterhook.toml")
}

fn approve(fixture: &Fixture) {
    let trust = fixture.trust();
    trust.approve(&trust.review(&source(fixture))).expect("an approval");
}

fn state(fixture: &Fixture) -> State {
    fixture.trust().review(&source(fixture)).entries.first().expect("the hook").state
}

/// T-8, T-20: what is declared is kept in its tree and found there, whatever lies in the project by
/// then.
#[tokio::test]
async fn what_is_declared_runs_from_the_copy() {
    let fixture = fixture();
    approve(&fixture);
    let (engine, reported) = fixture.engine_of([source(&fixture)]);
    assert!(reported.is_empty(), "{reported:?}");
    for name in ["policy.txt", "rules/one.rule", "vendor/a/b/deep.inc", "assets/a/text"] {
        fixture.write(name, "evil\n");
    }
    let answer = fixture.call_of(&engine, &Session::default()).await;
    assert_eq!(answer, (Restraint::Deny, "policy one deep asset".to_owned()));
}

/// T-8: a byte, a mode, a file that comes and one that goes are another identity; what no pattern
/// names is not.
#[test]
fn any_change_of_what_is_declared_is_another_identity() {
    type Change = fn(&Fixture);
    let changes: [(&str, Change); 7] = [
        ("a file's byte", |fixture| fixture.write("policy.txt", "Policy\n")),
        ("a pattern's byte", |fixture| fixture.write("rules/one.rule", "onE")),
        ("a byte far below", |fixture| fixture.write("vendor/a/b/deep.inc", "DEEP=deeP\n")),
        ("a folder's byte", |fixture| fixture.write("assets/a/text", "asseT")),
        ("a mode", |fixture| executable(&fixture.project().join("policy.txt"))),
        ("one that came", |fixture| fixture.write("rules/two.rule", "")),
        ("one that is gone", |fixture| {
            fs::remove_file(fixture.project().join("rules/one.rule")).expect("removed");
        }),
    ];
    for (what, change) in changes {
        let fixture = fixture();
        approve(&fixture);
        assert_eq!(state(&fixture), State::Approved, "{what}");
        change(&fixture);
        assert_eq!(state(&fixture), State::Changed, "{what}");
    }
    let fixture = fixture();
    approve(&fixture);
    fixture.write("rules/beside.txt", "another");
    fixture.write("vendor/a/b/deep.txt", "another");
    assert_eq!(state(&fixture), State::Approved);
}

/// T-8: a changed list of files makes a new entry, and the approved gate blocks.
#[tokio::test]
async fn a_shorter_list_is_another_entry() {
    let fixture = fixture();
    approve(&fixture);
    fixture.write("tenterhook.toml", &NATIVE.replace("\"policy.txt\", ", ""));
    assert_eq!(state(&fixture), State::Changed);
    let (engine, _) = fixture.engine_of([source(&fixture)]);
    let (restraint, reason) = fixture.call_of(&engine, &Session::default()).await;
    assert_eq!(restraint, Restraint::Deny);
    assert!(reason.contains("is not what you approved"), "{reason}");
}

/// T-8: a word that is a declared file is run from the copy, too, although nothing else says that
/// it is a file.
#[tokio::test]
async fn a_declared_word_is_the_copy() {
    for (run, files, name) in [
        ("run = ['awk', '-f', 'deny.rules']", "deny.rules", "deny.rules"),
        ("shell = 'awk -f deny.rules'", "deny.rules", "deny.rules"),
        ("run = ['awk', '-f', 'rules/deny.rules']", "rules", "rules/deny.rules"),
        ("shell = 'awk -f rules/deny.rules'", "rules/*", "rules/deny.rules"),
    ] {
        let fixture = Fixture::new();
        fixture.write(
            "tenterhook.toml",
            &format!("[hook.gate]\non = 'PreToolUse'\n{run}\nfiles = ['{files}']\n"),
        );
        let program = "BEGIN { print \"approved\" > \"/dev/stderr\"; exit 2 }\n";
        fixture.write(name, program);
        approve(&fixture);
        let (engine, _) = fixture.engine_of([source(&fixture)]);
        fixture.write(name, &program.replace("approved", "evil"));
        let answer = fixture.call_of(&engine, &Session::default()).await;
        assert_eq!(answer, (Restraint::Deny, "approved".to_owned()), "{run} {files}");
    }
}

/// T-5, T-7, T-8, T-132: a pattern that finds no file is reported; one that scans too many files
/// cannot be approved.
#[test]
fn a_pattern_that_finds_nothing_or_too_much_is_said() {
    let fixture = fixture();
    fixture.write("tenterhook.toml", &NATIVE.replace("*.rule", "*.rules"));
    let review = fixture.trust().review(&source(&fixture));
    let unpinned = review.entries.first().map(|entry| entry.pins.unpinned.clone());
    assert_eq!(unpinned, Some(vec!["`rules/*.rules`, which names no file".to_owned()]));
    for at in 0..=pins::MOST_FILES {
        fs::write(fixture.project().join(format!("rules/{at}.rules")), "").expect("a file");
    }
    let why = fixture.trust().review(&source(&fixture)).too_much();
    assert_eq!(why.as_deref(), Some("it lies among more than 2000 files"));
}

/// What `files` with this pattern pins, and why it is too much, if it is.
fn found(fixture: &Fixture, pattern: &str) -> (Vec<String>, Option<String>) {
    let text = "[hook.gate]\non = 'PreToolUse'\nrun = ['gate']\n";
    fixture.write("tenterhook.toml", &format!("{text}files = ['{pattern}']\n"));
    let review = fixture.trust().review(&source(fixture));
    let files = review.entries.iter().flat_map(|entry| &entry.pins.files);
    let below =
        |path: &Path| path.strip_prefix(fixture.project()).unwrap_or(path).display().to_string();
    (files.map(|file| below(&file.path)).collect(), review.too_much())
}

/// T-8: a pattern reaches as far as it says, and one whose folder is not there finds nothing.
#[test]
fn a_pattern_reaches_as_far_as_it_says() {
    let fixture = Fixture::new();
    for name in ["a/x.inc", "a/b/x.inc", "a/b/c/x.inc", "a/b/c/y.txt"] {
        fixture.write(name, "");
    }
    for (pattern, files) in [
        ("a/*.inc", &["a/x.inc"][..]),
        ("a/*/x.inc", &["a/b/x.inc"]),
        ("a/*/*/x.inc", &["a/b/c/x.inc"]),
        ("a/**/x.inc", &["a/b/c/x.inc", "a/b/x.inc", "a/x.inc"]),
        ("a/b/*.txt", &[]),
        ("nowhere/*.inc", &[]),
    ] {
        let files = files.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(found(&fixture, pattern), (files, None), "{pattern}");
    }
}

/// T-7, T-8: it is held against so many files, and followed so deep, and no further.
#[cfg(unix)]
#[test]
fn a_pattern_is_held_against_so_much_and_no_more() {
    for (deep, is_too_deep) in [(pins::DEEPEST, false), (pins::DEEPEST + 1, true)] {
        let fixture = Fixture::new();
        fixture.write(&format!("v/{}x.inc", "d/".repeat(deep)), "");
        let (_, why) = found(&fixture, "v/**/*.inc");
        assert_eq!(why.is_some_and(|text| text.contains("folders deep")), is_too_deep, "{deep}");
    }
    // A hundred links to one folder are a hundred folders: 20,000 entries with few files.
    let fixture = Fixture::new();
    for at in 0..199 {
        fixture.write(&format!("all/{at}"), "");
    }
    fs::create_dir(fixture.project().join("v")).expect("a directory");
    for at in 0..100 {
        let link = fixture.project().join(format!("v/{at}"));
        std::os::unix::fs::symlink(fixture.project().join("all"), link).expect("a link");
    }
    assert_eq!(found(&fixture, "v/**/*.inc"), (vec![], None));
    fixture.write("v/more", "");
    let why = found(&fixture, "v/**/*.inc").1.unwrap_or_default();
    assert!(why.contains("`v/**/*.inc` is held against more than 20000 files"), "{why}");
}
