//! How the forms of interpreters are started. `cargo e2e prewarm` tests the substitute code with
//! real interpreters.

use super::*;

#[tokio::test]
async fn python_form_is_prewarmed_with_a_substitute_and_starts_cold_without() {
    // `cargo e2e prewarm` tests the substitute code with an interpreter; this tests how it is
    // started.
    let python =
        "#!/bin/sh\nread -r event\nfor word; do printf '<%.8s>' \"$word\" >&2; done\nexit 2\n";
    let scene = Scene::new(
        "[hook.h]\non = \"PreToolUse\"\nrun = [\"./bin/python3\", \"-u\", \"a b.py\", \"-x\"]\nprewarm = \"python\"\n",
    );
    let path = scene.sandbox.write("bin/python3", python).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, executable).unwrap();
    assert_eq!(scene.fire("ls").await.reason().as_deref(), Some("<-u><a b.py><-x>"));
    scene.waiting(1).await;
    let reason = scene.fire("ls").await.reason().unwrap();
    assert!(reason.starts_with("<-u><-c><# Waits "), "{reason}");
    assert!(reason.ends_with("><a b.py><-x>"), "{reason}");
}

/// Reads its event, denies with its arguments, announces its exit if it can, and exits slowly.
const SLOW_NODE: &str = "#!/bin/sh\nread -r event\nfor word; do printf '<%s>' \"$word\" >&2; done\n\
                         test -e /proc/$$/fd/3 && exec >&- 2>&- && echo 2 >&3 && sleep 30\nexit 2\n";

const NODE_HOOK: &str = "[hook.h]\non = \"PreToolUse\"\nrun = [\"./bin/node\", \"--no-warnings\", \"a b.mjs\", \"-x\"]\nprewarm = \"node\"\n";

/// A scene whose `node` is a shell script: `cargo e2e prewarm` tests the real one.
fn with_slow_node(scene: Scene) -> Scene {
    let path = scene.sandbox.write("bin/node", SLOW_NODE).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, executable).unwrap();
    scene
}

/// The preload files in a directory.
#[cfg(target_os = "linux")]
fn preloads(directory: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|extension| extension == "cjs")).collect()
}

/// PW-15.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_form_of_node_answers_when_its_exit_is_announced() {
    let scene = with_slow_node(Scene::new(NODE_HOOK));
    let plain = "<--no-warnings><a b.mjs><-x>";
    assert_eq!(scene.fire("ls").await.reason().as_deref(), Some(plain));
    for _ in 0..2 {
        scene.waiting(1).await;
        let path = preloads(&scene.sandbox.scripts()).pop().unwrap();
        let expected = format!("<--no-warnings><--require><{}><a b.mjs><-x>", path.display());
        let began = Instant::now();
        let outcome = scene.fire("ls").await;
        assert!(began.elapsed() < PATIENCE, "its report waited for its end");
        assert_eq!((outcome.reason(), outcome.faults), (Some(expected), vec![]));
        assert!(!path.exists());
    }
    scene.waiting(1).await;
    let scripts = scene.sandbox.scripts();
    scene.session.end();
    until(|| preloads(&scripts).is_empty()).await;
}

/// PW-15.
#[tokio::test]
async fn node_without_a_channel_is_prewarmed_unchanged() {
    let sandbox = Sandbox::new().unwrap();
    let ambient = Ambient { env: sandbox.env(), ..Ambient::default() };
    let builder = Engine::builder().ambient(ambient).source(source(&sandbox, NODE_HOOK));
    let (engine, _) = builder.build();
    let scene = with_slow_node(Scene { sandbox, engine, session: Session::default() });
    for _ in 0..2 {
        let outcome = scene.fire("ls").await;
        assert_eq!(outcome.reason().as_deref(), Some("<--no-warnings><a b.mjs><-x>"));
        scene.waiting(1).await;
    }
    assert_eq!(scene.session.spare_processes(), 1);
}
