//! Hooks that are confined by their configuration: tests with real programs (X-1 to X-12).
//!
//! Each refusal is also tried without the sandbox: a command that always fails proves nothing.

mod ignis;
mod links;
mod protected;
mod reports;
mod shell;

use std::cell::Cell;

use serde_json::json;
use tenterhook_process::{Means, available_sandbox_means};
use tenterhook_testkit::Sandbox;

use crate::executor::Ambient;
use crate::{Engine, Event, Outcome, Session};
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::{Code, Severity};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::{Layer, Tier};

/// A project and a home, with a hook that denies when its line succeeds.
struct Scene {
    sandbox: Sandbox,
    /// Replaces what its machine can confine with, if that is less than this one can.
    pretended: Cell<Option<Means>>,
    explains: bool,
    layer: Layer,
    cwd: Option<std::path::PathBuf>,
    more: Vec<(String, String)>,
}

/// The command line's scratch directory.
const SCRATCH: &str = ".local/state/tenterhook/scratch";

impl Scene {
    #[expect(clippy::expect_used, reason = "a scene that cannot be made is a test that fails")]
    fn new() -> Self {
        let sandbox = Sandbox::new().expect("a scene");
        std::fs::write(sandbox.project().join("file"), "text").expect("a scene");
        std::fs::write(sandbox.home().join("secret"), "key").expect("a scene");
        std::fs::create_dir_all(sandbox.home().join(SCRATCH)).expect("a scene");
        let (pretended, explains) = (Cell::new(None), false);
        Self { sandbox, pretended, explains, layer: Layer::Given, cwd: None, more: Vec::new() }
    }

    /// The outcome of a hook with these keys whose line is `line`.
    async fn outcome(&self, line: &str, keys: &str) -> Outcome {
        self.outcome_of(&format!("shell = {}", json!(line)), keys).await
    }

    /// The outcome of a hook with these keys that runs `run`.
    async fn outcome_of(&self, run: &str, keys: &str) -> Outcome {
        let text = format!("[hook.h]\non = \"PreToolUse\"\n{run}\n{keys}\n");
        let mut env = self.sandbox.env();
        env.retain(|(name, _)| self.more.iter().all(|pair| pair.0 != *name));
        env.extend(self.more.clone());
        let scratch = Some(self.sandbox.home().join(SCRATCH));
        let pretended = self.pretended.get();
        let explains_denials = self.explains;
        let ambient = Ambient { env, scratch, pretended, explains_denials, ..Ambient::default() };
        let mut source =
            Source::from_text("tenterhook.toml", DialectId::NATIVE, &text, self.sandbox.project());
        source.home = self.sandbox.home();
        source.layer = self.layer;
        let (engine, found) =
            Engine::builder().ambient(ambient).source(source).trust_repositories_unasked().build();
        assert!(found.iter().all(|diagnostic| diagnostic.severity != Severity::Error), "{found:?}");
        let within = Surroundings {
            session_id: "s".to_owned(),
            cwd: self.cwd.clone().unwrap_or_else(|| self.sandbox.project()),
            project: self.cwd.clone().unwrap_or_else(|| self.sandbox.project()),
            home: self.sandbox.home(),
            ..Surroundings::default()
        };
        let event = Event::new("PreToolUse", within)
            .with("tool_name", "Bash")
            .with("tool_input", json!({"command": "ls"}));
        engine.fire(event, &Session::default()).await
    }

    /// Whether `line` works for a hook with these keys, and which tier confined it.
    async fn works(&self, line: &str, keys: &str) -> (bool, Option<Tier>) {
        let line = format!("if {line}; then echo works >&2; exit 2; fi");
        let outcome = self.outcome(&line, &format!("{keys}\non_failure = \"continue\"")).await;
        (outcome.blocked(), outcome.steps.first().and_then(|step| step.tier))
    }
}

fn can() -> bool {
    available_sandbox_means().highest_tier() >= tenterhook_process::Tier::T1
}

/// This machine's means, and those without Landlock, each with the tier that a hook gets by
/// default.
fn cells() -> Vec<(Option<Means>, Tier)> {
    let rooted = Means { landlock: 0, ..available_sandbox_means() };
    let of = |means: Means| {
        super::super::confine::from_process_tier(
            means.tier_for_requirement(tenterhook_process::Tier::T1),
        )
    };
    let all = [(None, of(available_sandbox_means())), (Some(rooted), of(rooted))];
    all.into_iter().filter(|(_, tier)| *tier > Tier::T0).collect()
}

/// `line`, the keys that refuse it, and those that allow it again.
async fn refused(scene: &Scene, line: &str, within: &str, granted: &str) {
    assert_eq!(scene.works(line, "sandbox = \"off\"").await, (true, None), "never works: {line}");
    for (pretended, tier) in cells() {
        // Only Landlock distinguishes ports.
        let is_of_ports = granted.contains("tcp:");
        if is_of_ports && !pretended.unwrap_or_else(available_sandbox_means).can_limit_ports() {
            continue;
        }
        scene.pretended.set(pretended);
        assert_eq!(scene.works(line, within).await, (false, Some(tier)), "reached: {line}");
        assert_eq!(scene.works(line, granted).await, (true, Some(tier)), "not granted: {line}");
    }
    scene.pretended.set(None);
}

const STANDARD: &str = "sandbox = \"standard\"";

async fn refused_with(scene: &Scene, line: &str, keys: &str, named: &str) {
    assert_eq!(scene.works(line, keys).await, (true, None));
    let standard = format!("{keys}{STANDARD}");
    for (pretended, tier) in cells() {
        scene.pretended.set(pretended);
        assert_eq!(scene.works(line, &standard).await, (false, Some(tier)));
        assert_eq!(scene.works(line, named).await, (true, Some(tier)));
    }
    scene.pretended.set(None);
}

/// X-1, X-2.
#[tokio::test]
async fn the_project_is_read_and_the_home_is_not() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    assert_eq!(scene.works("cat file", STANDARD).await, (true, Some(Tier::T1)));
    let home = "sandbox = { read = [\"~/secret\"] }";
    refused(&scene, "cat \"$HOME/secret\"", STANDARD, home).await;
    let project = "sandbox = { profile = \"strict\", read = [\"$PROJECT\"] }";
    refused(&scene, "cat file", "sandbox = \"strict\"", project).await;
}

/// X-4: the home is protected under any name, and a directory that an agent names opens nothing
/// outside the project.
#[cfg(unix)]
#[tokio::test]
async fn the_home_is_not_opened_by_another_name() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    let home = scene.sandbox.home();
    let link = home.with_extension("link");
    std::os::unix::fs::symlink(&home, &link).expect("a scene");
    std::fs::create_dir(home.join("keys")).expect("a scene");
    std::fs::write(home.join("keys/key"), "key").expect("a scene");
    let line = format!("cat \"{}/secret\"", home.display());
    for cwd in [link.clone(), home.join("keys/.."), home.clone()] {
        scene.cwd = Some(cwd.clone());
        assert!(scene.works(&line, "").await.0, "never works: {cwd:?}");
        assert_eq!(scene.works(&line, STANDARD).await, (false, Some(Tier::T1)), "{cwd:?}");
    }
    scene.cwd = None;
    for path in [link.display().to_string(), format!("{}/keys/..", home.display())] {
        scene.more = vec![("PATH".to_owned(), format!("/usr/bin:/bin:{path}"))];
        assert_eq!(scene.works(&line, STANDARD).await, (false, Some(Tier::T1)), "{path}");
    }
}

/// X-17: a name in the project grants what lies there, and not what is linked there later.
#[cfg(unix)]
#[tokio::test]
async fn a_link_in_the_project_leads_no_grant_out_of_it() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let (home, project) = (scene.sandbox.home(), scene.sandbox.project());
    std::os::unix::fs::symlink(&home, project.join("out")).expect("a scene");
    std::fs::create_dir(project.join("inner")).expect("a scene");
    std::os::unix::fs::symlink("inner", project.join("near")).expect("a scene");
    for key in ["$PROJECT/out", "$PROJECT/inner/../out", "out"] {
        let keys = format!("sandbox = {{ read = [\"{key}\"], write = [\"{key}\"] }}");
        for line in ["cat out/secret", "echo x > out/new"] {
            assert!(scene.works(line, "").await.0, "never works: {line}");
            assert_eq!(scene.works(line, &keys).await, (false, Some(Tier::T1)), "{key}: {line}");
        }
    }
    let near = "sandbox = { write = [\"$PROJECT/near\"] }";
    assert_eq!(scene.works("echo x > near/new", near).await, (true, Some(Tier::T1)));
    let outcome = scene.outcome("cat out/secret", STANDARD).await;
    let text = format!("[\"{}/secret\"]", home.canonicalize().expect("a home").display());
    assert!(
        outcome.faults.iter().any(|fault| fault.message.contains(&text)),
        "{:?}",
        outcome.faults
    );
}

/// X-18.
/// X-25.
#[tokio::test]
async fn attributes_are_granted_by_a_separate_key() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let write = "sandbox = { write = [\"$PROJECT/file\"] }";
    let granted = "sandbox = { write = [\"$PROJECT/file\"], attributes = true }";
    refused(&scene, "chmod 600 file", write, granted).await;
    let of_all = "sandbox = { attributes = true }";
    for (pretended, tier) in cells() {
        scene.pretended.set(pretended);
        // In a separate root a file that may not be changed keeps its mode as well.
        let changes = pretended.unwrap_or_else(available_sandbox_means).can_limit_files();
        assert_eq!(scene.works("chmod 600 file", of_all).await, (changes, Some(tier)));
    }
    scene.pretended.set(None);
    let outcome = scene.outcome("chmod 600 file", write).await;
    assert!(
        outcome.faults.iter().any(|fault| fault.message.contains(", attributes = true }`")),
        "{:?}",
        outcome.faults
    );
}

/// X-2: a program of a version manager is a script beside the program that it starts, and neither
/// is a secret.
#[tokio::test]
async fn program_on_the_path_reads_its_installation() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    let home = scene.sandbox.home();
    let file = |name: &str, text: &str| {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().expect("a place")).expect("a scene");
        std::fs::write(&path, text).expect("a scene");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("a scene");
    };
    file(".pyenv/shims/shimmed", "#!/bin/sh\nexec \"$HOME/.pyenv/libexec/real\"\n");
    file(".pyenv/libexec/real", "#!/bin/sh\ncat \"$HOME/.pyenv/version\"\n");
    file(".pyenv/version", "3");
    file("opt/bin/tool", "#!/bin/sh\ncat \"$HOME/opt/lib/tool/data\"\n");
    file("opt/lib/tool/data", "x");
    file("opt/secret", "x");
    file("bin/own", "#!/bin/sh\ncat \"$HOME/secret\"\n");
    let path = scene
        .sandbox
        .env()
        .into_iter()
        .find(|variable| variable.0 == "PATH")
        .map(|variable| variable.1);
    let home = home.display();
    let path =
        format!("{home}/.pyenv/shims:{home}/opt/bin:{home}/bin:{}", path.unwrap_or_default());
    scene.more.push(("PATH".to_owned(), path));
    for program in ["shimmed", "tool"] {
        assert_eq!(scene.works(program, STANDARD).await, (true, Some(Tier::T1)), "{program}");
    }
    let opt = "sandbox = { read = [\"~/opt\"] }";
    refused(&scene, "cat \"$HOME/opt/secret\"", STANDARD, opt).await;
    refused(&scene, "own", STANDARD, "sandbox = { read = [\"~/secret\"] }").await;
}

/// X-7: git exits if the user's settings exist and may not be read.
#[tokio::test]
async fn git_works_without_the_settings_of_a_person() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    std::fs::write(scene.sandbox.home().join(".gitconfig"), "[a]\n\tb = c\n").expect("a scene");
    assert_eq!(scene.works("git hash-object file", STANDARD).await, (true, Some(Tier::T1)));
    let read = "sandbox = { read = [\"~/.gitconfig\"] }";
    refused(&scene, "test \"$(git config a.b)\" = c", STANDARD, read).await;
}

/// X-3, X-6.
#[tokio::test]
async fn only_granted_files_and_the_scratch_directory_are_writable() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let write = "sandbox = { write = [\"$PROJECT\"] }";
    refused(&scene, "echo more >> file", STANDARD, write).await;
    let tmp = "echo x > \"$TMPDIR/own\" && cat \"$TMPDIR/own\"";
    assert_eq!(scene.works(tmp, STANDARD).await, (true, Some(Tier::T1)));
    let left = std::fs::read_dir(scene.sandbox.scripts()).expect("a scene").flatten();
    let left: Vec<_> =
        left.filter(|entry| entry.file_name().to_string_lossy().starts_with("tmp-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// X-7.
#[tokio::test]
async fn a_confined_hook_sees_the_variables_that_are_named() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    scene.more.push(("SECRET_KEY".to_owned(), "key".to_owned()));
    let claude = "speaks = \"claude\"\n";
    let line = "[ -n \"$SECRET_KEY\" ]";
    let named = format!("{claude}sandbox = {{ env = [\"SECRET_KEY\"] }}");
    refused_with(&scene, line, claude, &named).await;
}

/// X-8, X-9.
#[tokio::test]
async fn a_minimum_that_is_not_reached_is_a_failure_and_never_less() {
    let scene = Scene::new();
    scene.pretended.set(Some(Means::default()));
    let mark = scene.sandbox.project().join("ran");
    let line = format!("echo > {}", mark.display());
    // A gate that did not run: its policy decides.
    let outcome = scene.outcome(&line, STANDARD).await;
    assert!(outcome.blocked() && !mark.exists(), "{outcome:?}");
    let why = outcome
        .faults
        .iter()
        .find(|fault| fault.code == Code::NotStarted)
        .map(|fault| &*fault.message);
    assert!(why.is_some_and(|text| text.contains("isolation_min")), "{why:?}");
    let free = scene.outcome(&line, "sandbox = { isolation_min = \"T0\" }").await;
    assert!(!free.blocked() && mark.exists(), "{free:?}");
    assert_eq!(free.steps.first().and_then(|step| step.tier), Some(Tier::T0));
    assert!(free.faults.iter().any(|fault| fault.code == Code::Unconfined), "{free:?}");
    scene.pretended.set(None);
    let counted = scene.outcome("exit 0", "sandbox = { processes = 5 }").await;
    let counts = tenterhook_process::available_sandbox_means().processes && reaches_t2();
    assert_eq!(counted.blocked(), !counts, "{counted:?}");
}

fn is_there(name: &str) -> bool {
    std::path::Path::new("/usr/bin").join(name).exists()
}

fn reaches_t2() -> bool {
    tenterhook_process::available_sandbox_means().highest_tier() >= tenterhook_process::Tier::T2
}

/// X-22: for a hook that requires it, and a later hook that does not.
#[tokio::test]
async fn hook_that_requires_t2_leaves_no_daemon() {
    if !reaches_t2() || !is_there("setsid") {
        return;
    }
    let scene = Scene::new();
    let first = "test $PPID = 1 && (setsid sleep 30 > /dev/null 2>&1 &)";
    let t2 = "sandbox = { isolation_min = \"T2\" }";
    assert_eq!(scene.works(first, t2).await, (true, Some(Tier::T2)));
    let marked = scene.sandbox.home().display().to_string();
    let alive = std::fs::read_dir("/proc").expect("processes").flatten().filter(|entry| {
        let read = |name| std::fs::read(entry.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&read("environ")).contains(&marked)
            && String::from_utf8_lossy(&read("cmdline")).contains("sleep")
    });
    assert_eq!(alive.count(), 0);
    assert_eq!(scene.works(first, STANDARD).await, (false, Some(Tier::T1)));
}

/// X-9.
#[tokio::test]
async fn cpu_limit_kills_a_busy_loop() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let keys = "sandbox = { cpu = \"1s\" }\ntimeout = \"60s\"";
    let outcome = scene.outcome("while :; do :; done", keys).await;
    let ended = outcome.steps.first().map(|step| step.ended.to_string());
    assert!(ended.as_deref().is_some_and(|text| text.contains("signal")), "{ended:?}");
}

/// X-11: prewarmed commands and workers are confined like newly started ones.
#[tokio::test]
async fn a_worker_is_confined_as_a_command_is() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let secret = scene.sandbox.home().join("secret");
    let program = format!(
        r#"while read -r line; do id=${{line#*\"id\":}}; id=${{id%%,*}}
if cat {} >/dev/null 2>&1; then d='"deny"'; else d='"allow"'; fi
echo "{{\"id\":$id,\"answer\":{{\"decision\":$d}}}}"; done"#,
        secret.display()
    );
    for (keys, denies, tier) in
        [("sandbox = \"off\"", true, None), (STANDARD, false, Some(Tier::T1))]
    {
        let run = format!("worker = {}", json!(["/bin/sh", "-c", program]));
        let outcome = scene.outcome_of(&run, keys).await;
        assert_eq!(outcome.blocked(), denies, "{keys}: {outcome:?}");
        assert_eq!(outcome.steps.first().and_then(|step| step.tier), tier, "{outcome:?}");
    }
}

/// X-4: a hook whose project is the home must name the readable parts of it.
#[tokio::test]
async fn a_project_that_is_the_home_opens_nothing() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    scene.cwd = Some(scene.sandbox.home());
    refused(&scene, "cat secret", STANDARD, "sandbox = { read = [\"~/secret\"] }").await;
}

/// X-14: without a grant no socket is created; with one, only its port is reached.
#[tokio::test]
async fn only_granted_addresses_are_reached() {
    if !can() || !is_there("python3") {
        return;
    }
    let scene = Scene::new();
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a scene");
    let port = server.local_addr().expect("a scene").port();
    let line = format!(
        "/usr/bin/python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'"
    );
    let granted = format!("sandbox = {{ net = [\"tcp:{port}\"] }}");
    refused(&scene, &line, STANDARD, &granted).await;
    let other = if port == 443 { 444 } else { 443 };
    refused(&scene, &line, &format!("sandbox = {{ net = [\"tcp:{other}\"] }}"), &granted).await;
    refused(&scene, &line, STANDARD, "sandbox = { net = \"open\" }").await;
}

/// X-2: an entry of a repository grants nothing by naming it; the user's own entry grants what it
/// names, unless that contains the home.
#[tokio::test]
async fn an_entry_of_a_repository_opens_nothing_by_naming_it() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    let home = scene.sandbox.home().display().to_string();
    let line = "if cat \"$0\"; then echo works >&2; exit 2; fi";
    let named = |file: &str| format!("run = {}", json!(["/bin/sh", "-c", line, file]));
    let (secret, keys) =
        (format!("{home}/secret"), format!("{STANDARD}\non_failure = \"continue\""));
    assert!(scene.outcome_of(&named(&secret), &keys).await.blocked());
    scene.layer = Layer::Project;
    assert!(!scene.outcome_of(&named(&secret), &keys).await.blocked());
    let path = format!("{keys}\nenv = {{ PATH = \"/usr/bin:/bin:{home}/keys\" }}");
    std::fs::create_dir(scene.sandbox.home().join("keys")).expect("a scene");
    std::fs::write(scene.sandbox.home().join("keys/one"), "key").expect("a scene");
    let shell = format!("shell = {}", json!("if cat \"$HOME/keys/one\"; then exit 2; fi"));
    assert!(scene.outcome_of(&shell, "sandbox = \"off\"").await.blocked());
    assert!(!scene.outcome_of(&shell, &path).await.blocked());
    scene.layer = Layer::User;
    let around = line.replace("cat \"$0\"", "cat \"$0/secret\"");
    let around = format!("run = {}", json!(["/bin/sh", "-c", around, home]));
    assert!(!scene.outcome_of(&around, &keys).await.blocked());
}
