//! Faults about what a confined hook was refused, with the line that grants it: tests
//! with real programs.

use super::*;

///
#[tokio::test]
async fn refusal_is_reported_with_the_line_that_grants_it() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    for directory in [".git", "src"] {
        std::fs::create_dir(scene.sandbox.project().join(directory)).expect("a scene");
    }
    std::fs::write(scene.sandbox.project().join("src/old"), "a").expect("a scene");
    std::fs::create_dir(scene.sandbox.home().join("keys")).expect("a scene");
    for (line, expected) in [
        ("cat \"$HOME/secret\"", "read = [\""),
        (
            "touch $PWD/notes",
            "make it once, and `sandbox = { write = [\"$PROJECT/notes\"] }` in its entry",
        ),
        ("echo x >> file", "`sandbox = { write = [\"$PROJECT/file\"] }` in its entry"),
        ("touch src/new", "write = [\"$PROJECT/src\"]"),
        ("sed -i s/a/b/ src/old", "{ write = [\"$PROJECT/src\"], attributes = true }"),
        ("chmod 600 file", "attributes = true }` in its entry"),
        ("sed -i s/a/b/ file", "`sandbox = \"off\"` in its entry"),
        ("echo x > .git/index.lock", "`sandbox = \"off\"` in its entry"),
        ("echo x > \"$HOME/keys/new\"", "/keys\"]"),
        ("touch .git/config", "which no key grants"),
        ("echo \"curl: (6) Could not resolve host: example.com\" >&2", "net = \"open\""),
        (
            "echo \"curl: (7) Failed to connect to h port 8080: Couldn't connect to server\" >&2",
            "`sandbox = { net = [\"tcp:8080\"] }` in its entry",
        ),
    ] {
        let line = format!("{line}; exit 0");
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            let outcome = scene.outcome(&line, STANDARD).await;
            let reported: Vec<_> =
                outcome.faults.iter().filter(|fault| fault.code == Code::SandboxRefused).collect();
            assert_eq!(reported.len(), 1, "{line} in {tier:?}: {outcome:?}");
            // If ports cannot be distinguished, a port needs a grant for all of them.
            let narrows = pretended.unwrap_or_else(available_sandbox_means).can_limit_ports();
            let expected =
                if expected.contains("tcp:") && !narrows { "net = \"open\"" } else { expected };
            assert!(reported.iter().all(|fault| fault.message.contains(expected)), "{reported:?}");
        }
        let bare = scene.outcome(&line, "sandbox = \"off\"").await;
        assert!(bare.faults.iter().all(|fault| fault.code != Code::SandboxRefused), "{bare:?}");
    }
}

/// missing files and granted files were not refused, whatever a program prints about them.
#[tokio::test]
async fn what_is_not_there_was_not_refused() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    std::fs::create_dir(scene.sandbox.project().join("src")).expect("a scene");
    for line in [
        "rm src/none",
        "rm none",
        "mv none src/",
        "cat none",
        "cat /none",
        "echo 'ENOENT /usr /etc/passwd' >&2",
    ] {
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            let outcome = scene.outcome(&format!("{line}; exit 0"), STANDARD).await;
            let reported = outcome.faults.iter().any(|fault| fault.code == Code::SandboxRefused);
            assert!(!reported, "{line} in {tier:?}: {outcome:?}");
        }
    }
}

/// a grant that namespaces alone cannot narrow is rejected, and the message names what
/// to write instead.
#[tokio::test]
async fn a_grant_that_would_be_more_starts_nothing() {
    let without_landlock = Means { landlock: 0, ..available_sandbox_means() };
    if without_landlock.highest_tier() < tenterhook_process::Tier::T2 {
        return;
    }
    let scene = Scene::new();
    scene.pretended.set(Some(without_landlock));
    let fifo = scene.sandbox.home().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(fifo).status().expect("it runs").success());
    for (grant, expected) in [
        ("net = [\"tcp:443\"]", "write `net = \"open\"` or `net = \"none\"`"),
        ("write = [\"/proc/sys\"]", "grant all of `/proc` in `read`"),
        ("read = [\"~/fifo\"]", "grant that in `write`"),
    ] {
        let outcome = scene.outcome("exit 0", &format!("sandbox = {{ {grant} }}")).await;
        let why = outcome.faults.iter().find(|fault| fault.code == Code::NotStarted);
        let why = why.map(|fault| &*fault.message).unwrap_or_default();
        assert!(outcome.blocked() && why.contains(expected), "{grant}: {why}");
    }
}

/// the program that asked is named, even if it prints nothing, and one line grants all of it.
#[tokio::test]
async fn every_refusal_is_reported_when_requested() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    scene.explains = true;
    let secret = scene.sandbox.home().join("secret");
    let line = format!(
        "mkdir -p {1} 2>/dev/null; rm -f {1}/none; cat {0} 2>/dev/null; cat {0} 2>/dev/null; (echo > $PWD/deep/made) 2>/dev/null; \
         ls {1} > /dev/null 2>&1; (: > /dev/tty) 2>/dev/null; ls > /dev/null; echo > $TMPDIR/own; exit 0",
        secret.display(),
        scene.sandbox.home().display()
    );
    std::fs::create_dir(scene.sandbox.project().join("deep")).expect("a scene");
    for (pretended, _) in cells() {
        scene.pretended.set(pretended);
        let outcome = scene.outcome(&line, STANDARD).await;
        let refused = outcome.faults.iter().filter(|fault| fault.code == Code::SandboxRefused);
        let texts: Vec<&str> = refused.map(|fault| &*fault.message).collect();
        assert_eq!(texts.len(), 4, "{texts:#?}");
        assert!(texts[0].contains("`cat` read") && texts[0].contains("secret"), "{texts:#?}");
        assert!(texts[1].contains("`sh` change") && texts[1].contains("deep"), "{texts:#?}");
        assert!(texts[2].contains("`ls` read") && texts[2].contains("no line"), "{texts:#?}");
        assert!(texts[3].contains("secret\"], write = [\"$PROJECT/deep\"]"), "{texts:#?}");
        assert!(texts[3].ends_with("but for what opens the whole home"), "{texts:#?}");
    }
    scene.explains = false;
    let silent = scene.outcome(&line, STANDARD).await;
    assert!(silent.faults.is_empty(), "{silent:?}");
}

/// the suggested line includes earlier grants, because it replaces the old line.
#[tokio::test]
async fn suggested_line_keeps_earlier_grants() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let keys = "sandbox = { read = [\"~/a\"], net = [\"tcp:443\"] }";
    for (line, expected) in [
        ("cat \"$HOME/secret\"", "/a\", \""),
        (
            "echo 'connect EPERM 127.0.0.1:8080' >&2",
            "/a\"], net = [\"tcp:443\", \"tcp:8080\"] }` in its entry",
        ),
    ] {
        let outcome = scene.outcome(&format!("{line}; exit 0"), keys).await;
        let reported = outcome.faults.iter().find(|fault| fault.code == Code::SandboxRefused);
        assert!(
            reported.is_some_and(|fault| fault.message.contains(expected)),
            "{line}: {outcome:?}"
        );
    }
    // A granted port that does not answer is a different problem.
    let line = "echo 'curl: (7) Failed to connect to h port 443: Could not connect' >&2";
    let outcome = scene.outcome(line, keys).await;
    assert!(outcome.faults.iter().all(|fault| fault.code != Code::SandboxRefused), "{outcome:?}");
}
