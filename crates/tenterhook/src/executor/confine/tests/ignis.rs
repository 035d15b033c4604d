//! The default grants of ignis to its hooks, tested by real programs (I-37). They include `/tmp`,
//! so the scene lies elsewhere.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::can;
use crate::executor::Ambient;
use crate::{Engine, Event, Outcome, Session};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Layer, Tier};

/// A home with a hook of ignis, and a project beside it.
struct Scene {
    root: TempDir,
    pretended: Option<tenterhook_process::Means>,
}

impl Scene {
    #[expect(clippy::expect_used, reason = "a scene that cannot be made is a test that fails")]
    fn new() -> Self {
        let root = tempfile::tempdir_in("/dev/shm").expect("a directory outside of `/tmp`");
        for name in ["home/.ignis/hooks", "home/other", "project"] {
            fs::create_dir_all(root.path().join(name)).expect("a directory");
        }
        fs::write(root.path().join("home/other/secret"), "key").expect("a file");
        fs::write(root.path().join("home/.ignis/hooks/words"), "words").expect("a file");
        Self { root, pretended: None }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The outcome of hooks that run these lines.
    async fn outcome(&self, lines: &[&str], keys: &str) -> Outcome {
        let entry = |line: &&str| format!(r#"{{"argv": ["sh", "-c", {}]{keys}}}"#, json!(line));
        self.outcome_of(&lines.iter().map(entry).collect::<Vec<_>>()).await
    }

    /// The outcome of hooks with these entries.
    #[expect(clippy::expect_used, reason = "a scene that cannot be made is a test that fails")]
    async fn outcome_of(&self, entries: &[String]) -> Outcome {
        let text = format!(r#"{{"hooks": {{"UserPromptSubmit": [{}]}}}}"#, entries.join(", "));
        let directory = self.at("home/.ignis");
        let name = directory.join("hooks.json");
        let source =
            Source::from_text(name.to_str().expect("text"), DialectId::IGNIS, &text, directory);
        let source = Source { layer: Layer::User, home: self.at("home"), ..source };
        let env = vec![
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
            ("HOME".to_owned(), self.at("home").to_string_lossy().into_owned()),
        ];
        let ambient = Ambient { env, pretended: self.pretended, ..Ambient::default() };
        let (engine, _) = Engine::builder().ambient(ambient).source(source).build();
        let within = Surroundings {
            cwd: self.at("project"),
            project: self.at("project"),
            home: self.at("home"),
            ..Surroundings::default()
        };
        let event = Event::new("UserPromptSubmit", within).with("prompt", "hi");
        engine.fire(event, &Session::default()).await
    }

    /// Whether `line` works, and which tier confined its hook.
    async fn works(&self, line: &str, keys: &str) -> (bool, Option<Tier>) {
        let line = format!("if {line}; then echo works >&2; exit 2; fi");
        let outcome = self.outcome(&[&line], keys).await;
        (outcome.blocked(), outcome.steps.first().and_then(|step| step.tier))
    }
}

const OFF: &str = r#", "sandbox": false"#;

/// `sandboxed_hook_cannot_write_outside_tmpdir`, `sandboxed_hook_cannot_write_to_target_tmpdir`,
/// `sandboxed_hook_cannot_read_outside_allowlist`, each also without a sandbox.
/// I-37.
#[tokio::test]
async fn what_the_agent_does_not_list_is_shut() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    for line in [
        "touch \"$HOME/other/made\"",
        "touch made",
        "cat \"$HOME/other/secret\"",
        "ls \"$HOME\"",
        "ls .",
        "echo '{}' > \"$HOME/.ignis/hooks.json\"",
        "echo more >> \"$HOME/.ignis/hooks/words\"",
    ] {
        assert_eq!(scene.works(line, OFF).await, (true, None), "{line}");
        assert_eq!(scene.works(line, "").await, (false, Some(Tier::T1)), "{line}");
    }
}

/// `sandboxed_hook_can_write_to_actual_tmp`, `sandboxed_hook_can_read_system_libs`, and what the
/// agent documents about the network.
/// I-37.
#[tokio::test]
async fn what_the_agent_lists_is_open() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let reaches = format!("bash -c ': < /dev/tcp/127.0.0.1/{port}'");
    for line in [
        "it=$(mktemp -p /tmp) && rm \"$it\"",
        "it=$(mktemp -p /var/tmp) && rm \"$it\"",
        "ls /usr/lib",
        "cat /dev/null",
        &reaches,
    ] {
        assert_eq!(scene.works(line, OFF).await, (true, None), "{line}");
        assert_eq!(
            scene.works(line, r#", "env": ["LANG"]"#).await,
            (true, Some(Tier::T1)),
            "{line}"
        );
    }
}

/// X-10: an entry of this agent cannot grant, so the suggested line belongs to its file, and keeps
/// the agent's default grants.
#[tokio::test]
async fn refusal_is_reported_with_every_path_that_the_agent_lists() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let outcome = scene.outcome(&["cat \"$HOME/other/secret\"; exit 0"], "").await;
    let reported = outcome.faults.iter().find(|fault| fault.code.name() == "sandbox-refused");
    let message = reported.map(|fault| fault.message.clone()).unwrap_or_default();
    let (secret, file) = (scene.at("home/other/secret"), scene.at("home/.ignis/hooks.json"));
    let line = format!(
        "`sandbox = {{ profile = \"strict\", read = [\"/tmp\", \"/var/tmp\", {secret:?}], \
         write = [\"/tmp\", \"/var/tmp\"], net = \"open\", isolation_min = \"T0\" }}` \
         below `[source.{file:?}]` in `~/.config/tenterhook/tenterhook.toml`"
    );
    assert!(message.contains(&line), "{message}\n{line}");
}

/// A program reads its installation; one that is found by name has no directory.
/// I-37.
#[tokio::test]
async fn the_directory_of_a_program_is_its_own() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let program = scene.at("home/.ignis/hooks/hook.sh");
    fs::write(&program, "#!/bin/sh\ncat \"${0%/*}/words\" >&2 && exit 2\n").expect("a hook");
    executable(&program);
    let own = |keys: &str| format!(r#"{{"argv": [{}]{keys}}}"#, json!(program));
    if !scene.outcome_of(&[own(OFF)]).await.blocked() {
        // No program can be started from there: it is mounted `noexec`.
        return;
    }
    assert!(scene.outcome_of(&[own("")]).await.blocked());
    let through = format!(r#"{{"argv": ["sh", {}]}}"#, json!(program));
    let outcome = scene.outcome_of(&[through]).await;
    assert!(!outcome.reason().unwrap_or_default().contains("words"), "{:?}", outcome.reason());
}

#[expect(clippy::expect_used, reason = "a scene that cannot be made is a test that fails")]
fn executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// `success_returns_mutated_with_enforced_status`, `exit_2_is_blocked_with_enforced_status`,
/// `malformed_json_is_soft_failed_with_enforced_status`,
/// `missing_binary_is_soft_failed_with_disabled_status`, `passthrough_keeps_status_field`,
/// `chain_of_two_hooks_propagates_sandbox_status`, `disabled_status_when_sandbox_opt_out`: the
/// recorded tier is the one of its process, whatever it printed.
/// I-37.
#[tokio::test]
async fn tier_is_recorded_however_the_hook_ends() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let rewrites = r#"echo '{"hookSpecificOutput": {"updatedInput": "other"}}'"#;
    for line in [rewrites, "exit 2", "echo '{'", "true"] {
        let outcome = scene.outcome(&[line, line], "").await;
        let tiers: Vec<_> = outcome.steps.iter().map(|step| step.tier).collect();
        let all = if line == "exit 2" { 1 } else { 2 };
        assert_eq!(
            tiers.iter().filter(|tier| **tier == Some(Tier::T1)).count(),
            all,
            "{line}: {tiers:?}"
        );
        let off = scene.outcome(&[line], OFF).await;
        assert_eq!(off.steps.first().and_then(|step| step.tier), None, "{line}");
    }
}

/// `unconfined_warning_emitted_when_kernel_sandbox_unavailable`, `disabled_does_not_emit_unconfined_warning`.
/// I-37.
#[tokio::test]
async fn machine_without_sandbox_runs_the_hook_and_reports_it_once() {
    let scene = Scene { pretended: Some(Default::default()), ..Scene::new() };
    for (keys, expected) in [("", 1), (OFF, 0)] {
        let outcome = scene.outcome(&["exit 2", "true"], keys).await;
        let count = outcome.faults.iter().filter(|fault| fault.code.name() == "unconfined").count();
        assert_eq!((outcome.blocked(), count), (true, expected), "{keys}: {:?}", outcome.faults);
    }
}
