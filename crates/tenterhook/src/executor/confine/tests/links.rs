//! No link leads a grant out of a place in which somebody else makes links (X-17): tried by real programs.

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

/// A hook that may change a directory makes what a later grant names in it.
/// X-17.
#[tokio::test]
async fn a_hook_leads_its_own_later_grant_nowhere() {
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

/// Nor does what another hook of the same configuration makes in a directory of its own.
/// X-17.
#[tokio::test]
async fn a_hook_leads_the_grant_of_another_nowhere() {
    if !can() {
        return;
    }
    let scene = scene(&[("cache/in", true)]);
    let other =
        "[hook.other]\non = \"Stop\"\nshell = \"true\"\nsandbox = { write = [\"~/cache\"] }";
    let read = format!("sandbox = {{ read = [\"~/cache/in\"] }}\n{other}");
    refused(&scene, KEY, &read, GRANTED).await;
}

/// The same within the project: a directory that a hook may change holds links of its own making, wherever it lies.
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

/// What is opened unasked because programs lie there is brought by the project as well.
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

/// What an entry names by a whole path may lie in the project, where anything can be made of it.
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
            let outcome = scene.of(&run, &format!("{keys}\non_failure = \"continue\"")).await;
            assert_eq!(outcome.blocked(), works, "{keys}");
        }
    }
}

/// The project is known by where it lies, and not by what a grant calls it.
/// X-17.
#[tokio::test]
async fn another_name_of_the_project_is_the_project() {
    if !can() {
        return;
    }
    let scene = scene(&[("out", false)]);
    symlink(scene.sandbox.project(), scene.sandbox.home().join("app")).expect("a scene");
    let write = "sandbox = { write = [\"~/app/out\"] }";
    let granted = "sandbox = { write = [\"~/keys\"] }";
    refused(&scene, "echo x > \"$HOME/keys/new\"", write, granted).await;
}

/// A file that is no directory holds nothing, whatever it is called: the gate starts.
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
