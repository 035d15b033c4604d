//! The record of a watched child: what it asks for, also where it hides the failure, and that all
//! else is as without a record.

use std::path::Path;

use tenterhook_process::{Asked, Confinement, End, Net, Tier, Wish, available_sandbox_means};

use crate::confines::{play, system};
use crate::scene::Folder;

/// The tiers in which there is anything to watch here.
fn tiers() -> impl Iterator<Item = Tier> {
    [Tier::T1, Tier::T2]
        .into_iter()
        .filter(|tier| available_sandbox_means().highest_tier() >= *tier)
}

fn watched(tier: Tier) -> Confinement {
    Confinement { watched: true, ..system(tier) }
}

fn has(asked: &[Asked], program: &str, wish: &Wish) -> bool {
    asked.iter().any(|a| a.program == program && a.wish == *wish)
}

///
#[test]
fn silently_refused_access_is_recorded() {
    let folder = Folder::new();
    let (secret, log) = (folder.file("secret", "text"), folder.path().join("log"));
    let line = format!(
        "cat {0} 2>/dev/null; (echo x > {1}) 2>/dev/null; cd {2}; rm secret 2>/dev/null; exit 3",
        secret.display(),
        log.display(),
        folder.path().display()
    );
    for tier in tiers() {
        let played = play(&line, Some(watched(tier))).ended(End::Exited(3)).printed("");
        let asked = &played.report.asked;
        assert_eq!(played.report.tier, tier);
        assert!(has(asked, "cat", &Wish::Read(secret.clone())), "{asked:?}");
        assert!(has(asked, "sh", &Wish::Change(log.clone())), "{asked:?}");
        assert!(has(asked, "rm", &Wish::Change(secret.clone())), "by its directory: {asked:?}");
        assert!(secret.exists() && !log.exists());
        let unwatched = play(&line, Some(system(tier))).ended(End::Exited(3));
        assert_eq!(unwatched.report.asked, []);
    }
}

///
#[test]
fn connection_attempts_are_recorded_and_refused() {
    let python = |line: &str| format!("python3 -I -c '{line}' 2>/dev/null");
    if play(&python("pass"), None).report.end != End::Exited(0) {
        return;
    }
    let udp = python("import socket; socket.socket(2, 2).sendto(b\"x\", (\"127.0.0.1\", 53))");
    let tcp = python("import socket; socket.create_connection((\"127.0.0.1\", 444), 1)");
    for tier in tiers() {
        let played = play(&udp, Some(watched(tier))).ended(End::Exited(1));
        let reaches =
            |asked: &Asked| asked.program.starts_with("python") && asked.wish == Wish::Reach(None);
        assert!(played.report.asked.iter().any(reaches), "{:?}", played.report.asked);
        if available_sandbox_means().landlock < 4 {
            continue;
        }
        let ports = Confinement { net: Net::TcpTo(vec![443]), ..watched(tier) };
        let played = play(&tcp, Some(ports)).ended(End::Exited(1));
        let reaches = |asked: &Asked| asked.wish == Wish::Reach(Some(444));
        assert!(played.report.asked.iter().any(reaches), "{:?}", played.report.asked);
    }
}

/// Each call waits for who listens: neither many at a time nor one that is killed holds up the others.
///
#[test]
fn many_that_call_at_once_all_go_on() {
    let line = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do \
        (for j in 1 2 3 4 5; do cat /etc/passwd > /dev/null; done; echo done) & done; \
        (while :; do cat /etc/passwd; done > /dev/null 2>&1) & kill -9 $!; wait; echo end";
    for tier in tiers() {
        let played = play(line, Some(watched(tier))).ended(End::Exited(0));
        let text = String::from_utf8_lossy(&played.report.stdout.bytes).into_owned();
        assert_eq!(text.matches("done").count(), 16, "{text}");
        assert!(text.ends_with("end\n"));
        let asked = &played.report.asked;
        assert!(has(asked, "cat", &Wish::Read("/etc/passwd".into())), "{asked:?}");
        let cats = asked.iter().filter(|a| a.wish == Wish::Read("/etc/passwd".into()));
        assert_eq!(cats.count(), 1, "each thing once");
    }
}

#[test]
fn who_listens_ends_with_the_last_who_calls() {
    let threads = || {
        let all = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let name = |path: &Path| std::fs::read_to_string(path.join("comm")).unwrap_or_default();
        all.filter(|entry| name(&entry.path()).trim() == "watch").count()
    };
    if tiers().next().is_none() {
        return;
    }
    for _ in 0..20 {
        play("cat /etc/passwd > /dev/null", Some(watched(Tier::T1))).ended(End::Exited(0));
    }
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    // Other tests of this program watch meanwhile: at some moment none does.
    while threads() > 4 {
        assert!(std::time::Instant::now() < until, "{} listen", threads());
        std::thread::yield_now();
    }
}
