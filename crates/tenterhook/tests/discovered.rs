//! What an embedder gets that follows the guide: hooks of the user run, and a repository that was
//! cloned runs nothing unasked.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test that cannot go on must fail")]

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use tenterhook::discover;
use tenterhook::engine::Builder;
use tenterhook::executor::Ambient;
use tenterhook::trust::Trust;
use tenterhook::{Engine, Outcome, Session};
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::dialect::Roots;
use tenterhook_core::event::{Event, Surroundings};
use tenterhook_core::hook::{Arming, Hook, HookId, Sandbox};

const PATH: &str = "/usr/bin:/bin";

/// A home and a cloned repository, each with Claude Code's settings.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().expect("a directory"));
        machine.write("home/.claude/settings.json", &settings("WebFetch", "echo own >&2; exit 2"));
        let theirs = settings("Bash", "touch ran; echo theirs >&2; exit 2");
        machine.write("repo/.claude/settings.json", &theirs);
        machine
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn roots(&self) -> Roots {
        let roots =
            tenterhook::discover::roots(self.0.path().join("repo"), self.0.path().join("home"));
        Roots { managed: None, ..roots.expect("absolute paths") }
    }

    fn has_run(&self) -> bool {
        self.0.path().join("repo/ran").exists()
    }

    async fn fire(&self, engine: &Engine, tool: &str, input: serde_json::Value) -> Outcome {
        let here = Surroundings::at(self.0.path().join("repo"));
        engine.fire(Event::pre_tool_use(tool, input).within(&here), &Session::default()).await
    }
}

fn settings(matcher: &str, command: &str) -> String {
    let hook = json!({"type": "command", "command": command});
    json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}}).to_string()
}

fn ambient() -> Ambient {
    Ambient::default().env([("PATH", PATH)])
}

fn is_of(source: &Source, root: &Path) -> bool {
    Path::new(&*source.name).starts_with(root)
}

fn repository_hooks(engine: &Engine, roots: &Roots) -> Vec<Hook> {
    let ruleset = engine.ruleset();
    let hooks = ruleset.hooks().iter().filter(|hook| {
        hook.place.as_ref().is_some_and(|place| Path::new(&*place.file).starts_with(&roots.cwd))
    });
    hooks.map(|hook| Hook::clone(hook)).collect()
}

/// The messages about unapproved hooks.
fn unapproved(diagnostics: &[Diagnostic]) -> Vec<&str> {
    let found = diagnostics.iter().filter(|found| found.code == Code::NotApproved);
    found.map(|found| &*found.message).collect()
}

/// T-99
#[tokio::test]
async fn discover_runs_hooks_of_user_and_approved_hooks_of_repository() {
    let machine = Machine::new();
    let roots = machine.roots();
    let (engine, diagnostics) = Engine::discover(&roots).ambient(ambient()).build();
    assert_eq!(unapproved(&diagnostics).len(), 1, "{diagnostics:?}");
    let fetched = machine.fire(&engine, "WebFetch", json!({"url": "https://example.com/"})).await;
    assert_eq!(fetched.reason().as_deref(), Some("own"));
    let listed = machine.fire(&engine, "Bash", json!({"command": "ls"})).await;
    assert!(!listed.blocked() && !machine.has_run(), "{listed:?}");
    // Self-protection.
    let settings = roots.home.join(".claude/settings.json");
    let write =
        machine.fire(&engine, "Write", json!({"file_path": settings, "content": "{}"})).await;
    assert!(write.blocked(), "{write:?}");

    let env = [("PATH".to_owned(), PATH.to_owned())];
    let trust = Trust::at(roots.home.join(".local/state/tenterhook")).within(&env);
    let sources = engine.find(&roots).sources;
    let theirs = sources.iter().find(|source| is_of(source, &roots.cwd)).expect("a source");
    trust.approve(&trust.review(theirs)).expect("an approval");
    assert!(unapproved(&engine.reload(&engine.find(&roots).sources)).is_empty());
    let [hook] = &repository_hooks(&engine, &roots)[..] else { panic!("one hook") };
    assert_eq!(hook.arming, Arming::Armed);
    assert!(matches!(hook.sandbox, Sandbox::In(_)), "it is confined: {:?}", hook.sandbox);
}

/// T-97: the sources alone, as they are found, arm nothing of a repository.
#[tokio::test]
async fn found_sources_arm_nothing_of_repository_without_method_that_says_so() {
    let machine = Machine::new();
    let builder = |roots: &Roots| -> Builder {
        Engine::builder().sources(discover::find(roots).sources).ambient(ambient())
    };
    let roots = machine.roots();
    let (engine, diagnostics) = builder(&roots).build();
    let [message] = unapproved(&diagnostics)[..] else { panic!("{diagnostics:?}") };
    assert!(message.ends_with("its hook does not run"), "{message}");
    assert!(!machine.fire(&engine, "Bash", json!({"command": "ls"})).await.blocked());
    assert!(!machine.has_run());
    assert_eq!(unapproved(&engine.reload(&engine.find(&roots).sources)).len(), 1, "after a reload");

    let (engine, diagnostics) = builder(&roots).trust_repositories_unasked().build();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert!(machine.fire(&engine, "Bash", json!({"command": "ls"})).await.blocked());
    assert!(machine.has_run());
}

/// T-98: an approval of another form is not believed: nothing runs, and a diagnostic says so.
#[tokio::test]
async fn approval_of_another_version_arms_nothing_and_is_reported() {
    let machine = Machine::new();
    let roots = machine.roots();
    let state = roots.home.join(".local/state/tenterhook");
    let trust = Trust::at(&state);
    let sources = trust.find(&roots).sources;
    let theirs = sources.iter().find(|source| is_of(source, &roots.cwd)).expect("a source");
    trust.approve(&trust.review(theirs)).expect("an approval");
    let kept = fs::read_dir(state.join("trust/sources")).expect("approvals");
    for path in kept.map(|entry| entry.expect("an entry").path()) {
        let text = fs::read_to_string(&path).expect("an approval");
        let older = text.replace("\"version\": 1", "\"version\": 0");
        assert_ne!(text, older);
        fs::write(&path, older).expect("an approval");
    }
    let (engine, diagnostics) = Engine::discover(&roots).ambient(ambient()).build();
    let found = diagnostics.iter().find(|found| found.code == Code::ApprovalUnusable);
    let found = found.expect("a diagnostic");
    assert!(found.message.contains("it is of version 0"), "{found:?}");
    let listed = machine.fire(&engine, "Bash", json!({"command": "ls"})).await;
    assert!(!machine.has_run(), "{listed:?}");
}

/// A hook that the host adds itself is its own.
#[test]
fn hooks_of_host_are_armed() {
    use tenterhook_core::answer::Answer;
    use tenterhook_core::hook::{Function, Run};
    let run = Run::Function(Function::new("own", |_| async { Answer::default() }));
    let hook = Hook::new(
        HookId::new("own"),
        tenterhook_core::dialect::DialectId::NATIVE,
        "Stop".into(),
        run,
    );
    let (engine, _) = Engine::builder().hook(hook).build();
    assert!(engine.ruleset().hooks().iter().all(|hook| hook.arming == Arming::Armed));
}
