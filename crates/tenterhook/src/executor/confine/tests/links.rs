//! No link redirects a grant out of a directory in which others create links (X-17): tests with
//! real programs.

use std::os::unix::fs::symlink;

use super::*;

/// A scene with a directory of keys in the home, and a link to it at each of these names.
#[expect(clippy::expect_used, reason = "a scene that cannot be made is a test that fails")]
fn scene(links: &[(&str, bool)]) -> Scene {
    let scene = Scene::new();
    let (home, project) = (scene.sandbox.home(), scene.sandbox.project());
    std::fs::create_dir(home.join("keys")).expect("a scene");
    std::fs::write(home.join("keys/id"), "key").expect("a scene");
    for (name, in_home) in links {
        let link = if *in_home { home.join(name) } else { project.join(name) };
        std::fs::create_dir_all(link.parent().expect("a place")).expect("a scene");
        symlink(home.join("keys"), link).expect("a scene");
    }
    scene
}

const KEY: &str = "cat \"$HOME/keys/id\"";
const GRANTED: &str = "sandbox = { read = [\"~/keys\"] }";

/// A hook creates a link in a directory that it may change, at a path of a later grant.
/// X-17.
#[tokio::test]
async fn hook_cannot_redirect_its_own_later_grant() {
    if !can() {
        return;
    }
    let scene = scene(&[("cache/in", true)]);
    let read = "sandbox = { write = [\"~/cache\"], read = [\"~/cache/in\"] }";
    refused(&scene, KEY, read, GRANTED).await;
    let write = "sandbox = { write = [\"~/cache\", \"~/cache/in\"] }";
    let granted = "sandbox = { write = [\"~/keys\"] }";
    refused(&scene, "echo x > \"$HOME/keys/new\"", write, granted).await;
}

/// Nor can a second hook of the same configuration do so in a directory that it may change.
/// X-17.
#[tokio::test]
async fn hook_cannot_redirect_the_grant_of_a_second_hook() {
    if !can() {
        return;
    }
    let scene = scene(&[("cache/in", true)]);
    let other =
        "[hook.other]\non = \"Stop\"\nshell = \"true\"\nsandbox = { write = [\"~/cache\"] }";
    let read = format!("sandbox = {{ read = [\"~/cache/in\"] }}\n{other}");
    refused(&scene, KEY, &read, GRANTED).await;
}

/// The same within the project: a hook may create links in any directory that it may change.
/// X-17.
#[tokio::test]
async fn a_link_leads_no_grant_from_one_place_of_the_project_to_another() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let project = scene.sandbox.project();
    for directory in ["out", "src"] {
        std::fs::create_dir(project.join(directory)).expect("a scene");
    }
    std::fs::write(project.join("src/key"), "key").expect("a scene");
    symlink("../src", project.join("out/res")).expect("a scene");
    let line = "echo x > src/new";
    let granted = "sandbox = { write = [\"$PROJECT/src\"] }";
    let own = "sandbox = { write = [\"$PROJECT/out\", \"$PROJECT/out/res\"] }";
    refused(&scene, line, own, granted).await;
    let other =
        "[hook.other]\non = \"Stop\"\nshell = \"true\"\nsandbox = { write = [\"$PROJECT/out\"] }";
    let write = format!("sandbox = {{ write = [\"$PROJECT/out/res\"] }}\n{other}");
    refused(&scene, line, &write, granted).await;
    let read =
        format!("sandbox = {{ profile = \"strict\", read = [\"$PROJECT/out/res\"] }}\n{other}");
    let granted = "sandbox = { profile = \"strict\", read = [\"$PROJECT/src\"] }";
    refused(&scene, "cat src/key", &read, granted).await;
}

/// Program directories are readable without a grant, but the project's author may create links
/// there.
/// X-17.
#[tokio::test]
async fn a_link_beside_the_programs_of_a_project_opens_nothing() {
    if !can() {
        return;
    }
    let mut scene = scene(&[(".venv/libexec", false), ("opt/lib", true)]);
    let (home, project) = (scene.sandbox.home(), scene.sandbox.project());
    let path = scene
        .sandbox
        .env()
        .into_iter()
        .find(|variable| variable.0 == "PATH")
        .map(|variable| variable.1);
    let path = path.unwrap_or_default();
    let path = format!("{}/.venv/bin:{}/opt/bin:{path}", project.display(), home.display());
    scene.more.push(("PATH".to_owned(), path));
    refused(&scene, KEY, STANDARD, GRANTED).await;
    refused(&scene, KEY, "sandbox = \"strict\"", GRANTED).await;
}

/// An absolute path of an entry may be in the project, where its author controls it.
/// X-17.
#[tokio::test]
async fn a_link_that_an_entry_names_opens_nothing() {
    if !can() {
        return;
    }
    let scene = scene(&[("data", false)]);
    let named = scene.sandbox.project().join("data/id");
    let line = "if cat \"$1\"; then echo works >&2; exit 2; fi";
    let run = format!("run = {}", json!(["/bin/sh", "-c", line, "sh", named]));
    for (keys, works) in [("sandbox = \"off\"", true), (STANDARD, false), (GRANTED, true)] {
        for (pretended, _) in cells() {
            scene.pretended.set(pretended);
            let outcome =
                scene.outcome_of(&run, &format!("{keys}\non_failure = \"continue\"")).await;
            assert_eq!(outcome.blocked(), works, "{keys}");
        }
    }
}

/// The project is recognized by its real path, and not by its name in a grant.
/// X-17.
#[tokio::test]
async fn project_is_recognized_by_any_name() {
    if !can() {
        return;
    }
    let scene = scene(&[("out", false)]);
    symlink(scene.sandbox.project(), scene.sandbox.home().join("app")).expect("a scene");
    let write = "sandbox = { write = [\"~/app/out\"] }";
    let granted = "sandbox = { write = [\"~/keys\"] }";
    refused(&scene, "echo x > \"$HOME/keys/new\"", write, granted).await;
}

/// A file in the place of a repository protects nothing, and the gate starts.
/// X-5.
#[tokio::test]
async fn a_pipe_in_the_place_of_a_repository_keeps_no_gate_from_its_start() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let place = scene.sandbox.project().join("out/r");
    std::fs::create_dir_all(&place).expect("a scene");
    std::fs::create_dir(scene.sandbox.project().join("out/free")).expect("a scene");
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    rustix::fs::mkfifoat(rustix::fs::CWD, place.join(".git"), mode).expect("a scene");
    for (pretended, tier) in cells() {
        scene.pretended.set(pretended);
        let keys = "sandbox = { write = [\"$PROJECT/out\"] }";
        assert_eq!(scene.works("echo x > out/free/new", keys).await, (true, Some(tier)));
    }
}
