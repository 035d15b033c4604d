//! Trust as a host sees it: which hooks run, which block, what is stored. Each test has its own
//! home and project.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use super::lock::LOCK;
use super::review::Change;
use super::*;
use crate::session::Session;
use crate::{Engine, Event};
use tenterhook_core::answer::Restraint;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Arming, Layer};

mod answers;
mod decisions;
mod declared;
mod identity;
mod loaded;
mod ownership;
mod pinned;
mod plugins;
mod property;
mod reports;
mod servers;
mod shown;
mod signatures;
mod signed;
mod worktree;

/// A project with a gate of Claude Code's, and a home.
struct Fixture {
    root: TempDir,
}

const GATE: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate.sh"}]}]}}"#;

/// Denies, with the words of the file beside it.
const SCRIPT: &str =
    "#!/bin/sh\n. \"$(dirname \"$0\")/lib/words.sh\"\necho \"$WORDS\" >&2\nexit 2\n";

impl Fixture {
    fn new() -> Self {
        let fixture = Self { root: tempfile::tempdir().expect("a directory") };
        fs::create_dir(fixture.home()).expect("a home");
        fixture.write(".claude/settings.json", GATE);
        fixture.write(".claude/hooks/gate.sh", SCRIPT);
        fixture.write(".claude/hooks/lib/words.sh", "WORDS='not here'\n");
        fixture
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, text).expect("a file");
        if name.ends_with(".sh") {
            executable(&path);
        }
    }

    fn trust(&self) -> Trust {
        let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
        Trust::at(self.home().join("state/tenterhook")).within(&[path])
    }

    fn source(&self, name: &str) -> Source {
        let path = self.project().join(name);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let dialect = if name.ends_with(".toml") { DialectId::NATIVE } else { DialectId::CLAUDE };
        let directory = path.parent().expect("a directory").to_owned();
        let source = Source::from_text(path.to_str().expect("text"), dialect, &text, directory);
        Source { layer: Layer::Project, project: self.project(), home: self.home(), ..source }
    }

    fn settings(&self) -> Source {
        self.source(".claude/settings.json")
    }

    /// A file with this text in the user's home.
    fn own_settings(&self, text: &str) -> Source {
        let path = self.home().join("settings.json");
        fs::write(&path, text).expect("a file");
        let source = Source { layer: Layer::User, text: text.into(), ..self.settings() };
        Source { name: path.to_string_lossy().into(), ..source }
    }

    fn approve(&self) {
        let trust = self.trust();
        trust.approve(&trust.review(&self.settings())).expect("an approval");
    }

    fn engine_of(
        &self,
        sources: impl IntoIterator<Item = Source>,
    ) -> (Engine, Vec<tenterhook_core::diagnostic::Diagnostic>) {
        let builder = Engine::builder().trust(self.trust());
        sources.into_iter().fold(builder, |all, source| all.source(source)).build()
    }

    /// What becomes of a call: the decision and its reasons.
    async fn call(&self) -> (Restraint, String) {
        let (engine, _) = self.engine_of([self.settings()]);
        self.call_of(&engine, &Session::default()).await
    }

    async fn call_of(&self, engine: &Engine, session: &Session) -> (Restraint, String) {
        let within = Surroundings {
            project: self.project(),
            home: self.home(),
            ..Surroundings::at(self.project())
        };
        let event = Event::pre_tool_use("Bash", json!({"command": "ls"})).within(&within);
        let outcome = engine.fire(event, session).await;
        (outcome.restraint, outcome.reason().unwrap_or_default())
    }

    fn states(&self) -> Vec<State> {
        self.trust().review(&self.settings()).entries.iter().map(|entry| entry.state).collect()
    }
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// T-10, T-14, T-20: nothing runs before approval; what is approved runs with what lies beside it;
/// any change of it holds.
#[tokio::test]
async fn a_gate_of_another_agent_is_off_then_runs_then_holds() {
    let fixture = Fixture::new();
    assert_eq!(fixture.call().await, (Restraint::Silent, String::new()));
    fixture.approve();
    assert_eq!(fixture.call().await, (Restraint::Deny, "not here".to_owned()));
    fixture.write(".claude/hooks/lib/words.sh", "WORDS='evil'; : > \"$CLAUDE_PROJECT_DIR/ran\"\n");
    let has_run = || fixture.project().join("ran").exists();
    let (restraint, reason) = fixture.call().await;
    assert_eq!(restraint, Restraint::Ask, "{reason}");
    assert!(reason.contains("is not what you approved"), "{reason}");
    assert!(reason.contains("`tenterhook trust`"), "{reason}");
    assert!(!has_run());
    fixture.approve();
    assert_eq!(fixture.call().await, (Restraint::Deny, "evil".to_owned()));
    assert!(has_run());
}

/// T-20: what was approved runs from its copy, whatever lies in the project by then.
#[tokio::test]
async fn what_runs_is_the_copy() {
    let fixture = Fixture::new();
    fixture.approve();
    let (engine, _) = fixture.engine_of([fixture.settings()]);
    fixture.write(".claude/hooks/gate.sh", "#!/bin/sh\nexit 0\n");
    fs::remove_dir_all(fixture.project().join(".claude/hooks/lib")).expect("removed");
    let session = Session::default();
    assert_eq!(fixture.call_of(&engine, &session).await, (Restraint::Deny, "not here".to_owned()));
}

/// T-22: a copy in which a byte was changed, added or removed is not used.
#[tokio::test]
async fn a_copy_that_was_changed_holds() {
    let fixture = Fixture::new();
    fixture.approve();
    let copies = fixture.home().join("state/tenterhook/trust/copies");
    let tree = fs::read_dir(&copies).expect("copies").next().expect("one").expect("one").path();
    let copy = tree.join(".claude/hooks/gate.sh");
    executable(&copy);
    let text = fs::read_to_string(&copy).expect("its text");
    let (first, rest) = text.split_at(text.len() - 2);
    for other in [
        "#!/bin/sh\nexit 0\n".to_owned(),
        format!("{first} {}", rest.get(1..).expect("a line's end")),
    ] {
        fs::write(&copy, &other).expect("another text");
        let (restraint, reason) = fixture.call().await;
        assert_eq!(restraint, Restraint::Ask, "{other:?}: {reason}");
        assert!(reason.contains("is not what was kept"), "{other:?}: {reason}");
        let (_, reported) = fixture.engine_of([fixture.settings()]);
        let reported: Vec<_> = reported.iter().map(ToString::to_string).collect();
        assert!(reported.iter().any(|text| text.contains("are held")), "{reported:?}");
    }
}

/// T-1, T-11: a guard of the person's own that others could have written is not off: it holds, and
/// says why.
#[cfg(unix)]
#[tokio::test]
async fn a_doubtful_guard_of_the_persons_own_holds() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    let path = fixture.project().join(".claude/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
    let source = Source {
        layer: Layer::User,
        project: fixture.root.path().join("other"),
        ..fixture.settings()
    };
    let (engine, reported) = fixture.engine_of([source]);
    let (restraint, reason) = fixture.call_of(&engine, &Session::default()).await;
    assert_eq!(restraint, Restraint::Ask, "{reason}");
    let message = reported.iter().map(ToString::to_string).collect::<String>();
    assert!(message.contains("may not be yours") && message.contains("chmod o-w"), "{message}");
    // A damaged file of doubtful origin still blocks (C-72).
    fixture.write(".claude/settings.json", "{\"hooks\": {\"PreToolUse\": [");
    let torn = Source {
        layer: Layer::User,
        project: fixture.root.path().join("other"),
        ..fixture.settings()
    };
    let (restraint, reason) =
        fixture.call_of(&fixture.engine_of([torn]).0, &Session::default()).await;
    assert_eq!(restraint, Restraint::Ask, "{reason}");
}

/// T-6: what lies behind a linked folder counts, and a link back to a folder round it does not lead
/// on without end.
#[cfg(unix)]
#[tokio::test]
async fn what_lies_behind_a_linked_folder_counts() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new();
    let shared = fixture.root.path().join("shared");
    fs::create_dir(&shared).expect("a directory");
    fs::write(shared.join("words.sh"), "WORDS='behind a link'\n").expect("a file");
    let hooks = fixture.project().join(".claude/hooks");
    fs::remove_dir_all(hooks.join("lib")).expect("removed");
    symlink(&shared, hooks.join("lib")).expect("a link");
    symlink(&hooks, hooks.join("round")).expect("a link");
    fixture.approve();
    assert_eq!(fixture.call().await, (Restraint::Deny, "behind a link".to_owned()));
    fs::write(shared.join("words.sh"), "WORDS='another'\n").expect("a file");
    assert_eq!(fixture.states(), [State::Changed]);
    let (restraint, reason) = fixture.call().await;
    assert!(restraint == Restraint::Ask && !reason.contains("another"), "{reason}");
}

/// T-17: the file that is judged does not say what is guarded.
#[tokio::test]
async fn a_gate_that_was_narrowed_or_removed_still_holds() {
    let fixture = Fixture::new();
    fixture.approve();
    for text in [GATE.replace("Bash", "Never"), "{}".to_owned(), "{\"hooks\": {}}".to_owned()] {
        fixture.write(".claude/settings.json", &text);
        let (restraint, reason) = fixture.call().await;
        assert_eq!(restraint, Restraint::Ask, "{text}: {reason}");
    }
}

/// T-12: the restraint comes with each call, its message once a session, once for all hooks of a
/// source.
#[tokio::test]
async fn the_message_comes_once_for_a_source() {
    let fixture = Fixture::new();
    let two = GATE.replace("}]}]}}", "}, {\"type\": \"command\", \"command\": \"./b.sh\"}]}]}}");
    fixture.write(".claude/settings.json", &two);
    fixture.approve();
    fixture.write(".claude/settings.json", &two.replace(".sh", ".sh x"));
    let (engine, reported) = fixture.engine_of([fixture.settings()]);
    assert_eq!(
        reported.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
        [tenterhook_core::diagnostic::Code::ChangedSinceApproved]
    );
    let session = Session::default();
    let event = || {
        let within = Surroundings::at(fixture.project());
        Event::pre_tool_use("Bash", json!({"command": "ls"})).within(&within)
    };
    let first = engine.fire(event(), &session).await;
    let second = engine.fire(event(), &session).await;
    assert_eq!((first.restraint, second.restraint), (Restraint::Ask, Restraint::Ask));
    assert_eq!((first.faults.len(), second.faults.len()), (1, 0), "{:?}", first.faults);
}

/// T-10, T-16: a native gate holds until there is one answer, and a no is remembered for exactly
/// what was shown. T-11.
#[tokio::test]
async fn a_native_gate_holds_until_there_is_an_answer() {
    let fixture = Fixture::new();
    let gate = "[hook.a]\non = 'PreToolUse'\nshell = 'exit 0'\non_failure = 'continue'\n";
    fixture.write("tenterhook.toml", gate);
    let source = || fixture.source("tenterhook.toml");
    let call = async || {
        let (engine, _) = fixture.engine_of([source()]);
        fixture.call_of(&engine, &Session::default()).await.0
    };
    // The hook's policy is laxer than `ask`, and is ignored.
    assert_eq!(call().await, Restraint::Ask);
    fixture.write("tenterhook.toml", &gate.replace("on_failure = 'continue'\n", ""));
    assert_eq!(call().await, Restraint::Deny);
    let trust = fixture.trust();
    trust.refuse(&trust.review(&source())).expect("an answer");
    assert_eq!(call().await, Restraint::Silent);
    fixture.write("tenterhook.toml", gate);
    assert_eq!(call().await, Restraint::Ask);
    trust.approve(&trust.review(&source())).expect("an answer");
    assert_eq!(call().await, Restraint::Silent);
}

/// T-13.
#[tokio::test]
async fn an_organisation_may_have_gates_of_strangers_hold() {
    let fixture = Fixture::new();
    let mut managed = fixture.source("tenterhook.toml");
    managed.text = "[trust]\nunapproved = 'hold'\n".into();
    for (layer, restraint) in [(Layer::Managed, Restraint::Ask), (Layer::User, Restraint::Silent)] {
        managed.layer = layer;
        let (engine, _) = fixture.engine_of([managed.clone(), fixture.settings()]);
        assert_eq!(fixture.call_of(&engine, &Session::default()).await.0, restraint, "{layer:?}");
    }
}

/// T-15: before approval no setting of a repository is in effect.
#[tokio::test]
async fn a_stranger_switches_nothing_and_a_broken_file_of_one_holds_nothing() {
    let fixture = Fixture::new();
    let user = Source { layer: Layer::User, ..fixture.settings() };
    fs::write(fixture.home().join("settings.json"), GATE).expect("a file");
    let user =
        Source { name: fixture.home().join("settings.json").to_string_lossy().into(), ..user };
    for text in ["{\"disableAllHooks\": true}", "{\"hooks\": {\"PreToolUse\": ["] {
        fixture.write(".claude/settings.json", text);
        let (engine, _) = fixture.engine_of([user.clone(), fixture.settings()]);
        let found = fixture.call_of(&engine, &Session::default()).await;
        assert_eq!(found, (Restraint::Deny, "not here".to_owned()), "{text}");
        let (engine, _) = fixture.engine_of([fixture.settings()]);
        assert_eq!(
            fixture.call_of(&engine, &Session::default()).await.0,
            Restraint::Silent,
            "{text}"
        );
    }
    fixture.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    let codes = |reported: Vec<tenterhook_core::diagnostic::Diagnostic>| {
        reported.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>()
    };
    let (_, reported) = fixture.engine_of([fixture.settings()]);
    assert!(
        codes(reported).contains(&"not-approved"),
        "it was not said that it counts for nothing"
    );
    fixture.approve();
    let (engine, reported) = fixture.engine_of([user, fixture.settings()]);
    assert_eq!(fixture.call_of(&engine, &Session::default()).await.0, Restraint::Silent);
    assert!(!codes(reported).contains(&"not-approved"));
    fixture.write(".claude/settings.json", "{\"disableAllHooks\": false}");
    let (_, reported) = fixture.engine_of([fixture.settings()]);
    assert!(codes(reported).contains(&"changed-since-approved"));
}

/// T-15: an unreadable native file may contain a gate, so it blocks.
#[tokio::test]
async fn a_native_file_that_cannot_be_read_holds_as_its_gates_would() {
    use tenterhook_core::source::Flaw;
    let fixture = Fixture::new();
    let lost = |source: Source| {
        let (why, help) = ("an I/O error".to_owned(), "mend the disk".to_owned());
        let flaw = Some(Flaw {
            why,
            help,
            kept: tenterhook_core::source::Completeness::Nothing,
            untrusted: None,
        });
        Source { text: "".into(), flaw, ..source }
    };
    let (engine, _) = fixture.engine_of([lost(fixture.source("tenterhook.toml"))]);
    let (restraint, reason) = fixture.call_of(&engine, &Session::default()).await;
    assert_eq!(restraint, Restraint::Deny);
    assert!(reason.contains("an I/O error"), "{reason}");
    let (engine, _) = fixture.engine_of([lost(fixture.settings())]);
    assert_eq!(fixture.call_of(&engine, &Session::default()).await.0, Restraint::Silent);
    let review = fixture.trust().review(&lost(fixture.source("tenterhook.toml")));
    assert!(
        !review.is_empty() && review.too_much().is_some_and(|text| text.contains("an I/O error"))
    );
}

/// T-15: what a native file lost may be a gate, however much of the file is well formed.
#[tokio::test]
async fn a_broken_native_file_without_an_approval_holds_calls_until_it_is_refused() {
    let fixture = Fixture::new();
    let gate = "[hook.a]\non = 'PreToolUse'\nmatch = 'Never'\nshell = 'exit 2'\n";
    let calls = async || {
        let (engine, _) = fixture.engine_of([fixture.source("tenterhook.toml")]);
        fixture.call_of(&engine, &Session::default()).await
    };
    for text in ["[hook.x\n".to_owned(), "a = \n".to_owned(), format!("{gate}[hook.x\n")] {
        fixture.write("tenterhook.toml", &text);
        let (restraint, reason) = calls().await;
        assert_eq!(restraint, Restraint::Deny, "{text}");
        assert!(reason.contains("its file cannot be read"), "{reason}");
        assert!(!fixture.trust().review(&fixture.source("tenterhook.toml")).is_empty(), "{text}");
    }
    let trust = fixture.trust();
    trust.refuse(&trust.review(&fixture.source("tenterhook.toml"))).expect("an answer");
    assert_eq!(calls().await.0, Restraint::Silent);
    for text in ["", "# nothing\n", gate] {
        fixture.write("tenterhook.toml", text);
        assert_eq!(calls().await.0, Restraint::Silent, "{text}");
    }
}

/// T-30: an approval that cannot be looked at was not taken back.
#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_is_not_forgotten() {
    let fixture = Fixture::new();
    fixture.approve();
    let sources = fixture.home().join("state/tenterhook/trust/sources");
    let aside = sources.with_extension("aside");
    fs::rename(&sources, &aside).expect("moved");
    // A link that leads to itself: no file in it is found, and none is absent.
    std::os::unix::fs::symlink(&sources, &sources).expect("a link");
    let trust = fixture.trust();
    let review = trust.review(&fixture.settings());
    assert!(review.unknown.is_some(), "an unreadable answer is taken for a missing one");
    trust.forget(&review).expect_err("it is there still");
    fs::remove_file(&sources).and_then(|()| fs::rename(&aside, &sources)).expect("put back");
    assert_eq!(fixture.states(), [State::Approved]);
}

/// T-30: an approval is not waited for without end.
#[test]
fn locked_approvals_are_given_up_after_a_while() {
    let fixture = Fixture::new();
    fixture.approve();
    let lock = fixture.home().join("state/tenterhook/trust/lock");
    let lock = fs::OpenOptions::new().write(true).open(lock).expect("the lock");
    lock.lock().expect("locked");
    let (trust, settings) = (fixture.trust(), fixture.settings());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let review = trust.review(&settings);
        sender.send(trust.forget(&review).map_err(|error| error.to_string()))
    });
    let forgotten = receiver.recv_timeout(std::time::Duration::from_secs(60)).expect("it gives up");
    let error = forgotten.expect_err("it is locked");
    assert!(error.contains("another process has locked"), "{error}");
    assert_eq!(fixture.states(), [State::Approved]);
}

/// T-30 to T-32: what cannot be believed is no approval, holds, and is not mended from what is left
/// of it. T-31.
#[tokio::test]
async fn a_store_that_cannot_be_believed_approves_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.approve();
    let sources = fixture.home().join("state/tenterhook/trust/sources");
    let record =
        fs::read_dir(&sources).expect("a directory").next().expect("one").expect("one").path();
    let whole = fs::read(&record).expect("a record");
    let is_held = async || fixture.call().await.0 == Restraint::Ask;
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode")
    };
    for cut in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(&record, &whole[..cut]).expect("a torn record");
        assert!(is_held().await, "{cut}");
        assert_eq!(fs::read(&record).expect("as it was").len(), cut);
    }
    fs::write(&record, &whole).expect("the record");
    for path in [&record, &sources, &fixture.home().join("state/tenterhook")] {
        let was = path.metadata().expect("its mode").permissions().mode();
        mode(path, was | 0o020);
        assert!(is_held().await, "{}", path.display());
        mode(path, was);
        assert_eq!(fixture.call().await.0, Restraint::Deny);
    }
    let aside = fixture.home().join("aside.json");
    fs::rename(&record, &aside).expect("moved");
    std::os::unix::fs::symlink(&aside, &record).expect("a link");
    assert!(is_held().await);
    // A record about a different source is not an answer about this one.
    fs::remove_file(&record).expect("removed");
    fs::write(&record, String::from_utf8_lossy(&whole).replace("settings.json", "other.json"))
        .expect("a record");
    mode(&record, 0o600);
    assert!(is_held().await);
    fixture.approve();
    assert_eq!(fixture.call().await.0, Restraint::Deny);
}

/// T-30: of two writers one wins, whole.
#[test]
fn two_writers_leave_one_whole_answer() {
    let fixture = Fixture::new();
    let (trust, source) = (fixture.trust(), fixture.settings());
    std::thread::scope(|threads| {
        for at in 0..4 {
            let (trust, source) = (&trust, &source);
            threads.spawn(move || {
                for _ in 0..25 {
                    let review = trust.review(source);
                    let done =
                        if at % 2 == 0 { trust.approve(&review) } else { trust.refuse(&review) };
                    done.expect("an answer");
                }
            });
        }
    });
    let state = trust.review(&source).state;
    assert!(matches!(state, State::Approved | State::Refused), "{state:?}");
    let left = fs::read_dir(fixture.home().join("state/tenterhook/trust/sources"))
        .expect("listed")
        .count();
    assert_eq!(left, 1);
}

/// T-6, T-7: a folder that exceeds the limit cannot be approved, and the error names the reason.
#[test]
fn a_folder_of_too_many_files_cannot_be_approved() {
    let fixture = Fixture::new();
    for at in 0..=pins::MOST_FILES {
        fs::write(fixture.project().join(format!(".claude/hooks/{at}")), "").expect("a file");
    }
    let trust = fixture.trust();
    let review = trust.review(&fixture.settings());
    let error = trust.approve(&review).expect_err("too much").to_string();
    assert!(error.contains("more than 2000 files"), "{error}");
}
