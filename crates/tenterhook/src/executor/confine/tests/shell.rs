//! A host's own programs in the profile that its user chose: tests with real shells.

use std::path::{Path, PathBuf};

use tenterhook_process as process;
use tenterhook_testkit::Sandbox;

use super::can;
use crate::executor::Ambient;
use crate::executor::confine::Shell;
use tenterhook_core::hook::Profile;

/// A home, a project in it, and how the host that works there sees them.
struct Host {
    room: Sandbox,
    profile: Profile,
    project: PathBuf,
    pretended: Option<tenterhook_process::Means>,
}

impl Host {
    #[expect(clippy::expect_used, reason = "a scene that cannot be made is a test that fails")]
    fn new(profile: Profile) -> Self {
        let room = Sandbox::new().expect("a scene");
        for (file, text) in [
            ("src/file", "text"),
            ("tree/.git", "gitdir: x"),
            ("guard.sh", ""),
            ("~/secret", "key"),
            ("~/beside/file", ""),
        ] {
            room.write(file, text).expect("a scene");
        }
        let project = room.project();
        Self { room, profile, project, pretended: None }
    }

    /// How a line ended, what it printed, and the reported refusal.
    #[expect(clippy::expect_used, reason = "who does not report is a test that fails")]
    async fn ran(&self, line: &str) -> (process::End, String, Option<String>) {
        let mut ambient = Ambient::default().env(self.room.env()).scratch(self.room.scripts());
        ambient.env.push(("API_KEY".to_owned(), "key".to_owned()));
        ambient.pretended = self.pretended;
        let mut described = process::Command::shell(line, &self.project);
        let confined = Shell {
            profile: self.profile,
            ambient: &ambient,
            home: &self.room.home(),
            project: &self.project,
            beside: &[self.room.home().join("beside")],
            never: &[self.room.project().join("guard.sh")],
            set: &[("SET".to_owned(), "set".to_owned())],
        }
        .apply_sandbox(&mut described);
        let (done, finished) = tokio::sync::oneshot::channel();
        let _child = process::start_with_whole_input(described, |child| {
            child.on_finish(move |report| drop(done.send(report)));
        });
        let report = finished.await.expect("a report");
        let printed = [report.stdout.bytes, report.stderr.bytes].concat();
        let reported = match &report.end {
            process::End::NotStarted(error) => confined.why_sandbox_prevented_start(error),
            _ => confined.refusal_in_output(&printed),
        };
        (report.end, String::from_utf8_lossy(&printed).into_owned(), reported)
    }

    async fn works(&self, line: &str) -> bool {
        self.ran(line).await.0 == process::End::Exited(0)
    }
}

///
#[tokio::test]
async fn a_shell_changes_the_project_and_nothing_beside_it() {
    if !can() {
        return;
    }
    let host = Host::new(Profile::Standard);
    for line in [
        "cat src/file",
        "echo x > src/new && mv src/new src/newer && rm src/newer",
        "echo x > $TMPDIR/it",
        "echo x > \"$HOME/beside/file\"",
        "[ \"$SET$API_KEY\" = set ]",
    ] {
        assert!(host.works(line).await, "{line}: {:?}", host.ran(line).await);
    }
    let secret = host.room.home().join("secret").display().to_string();
    for (line, reported) in [
        ("cat \"$HOME/secret\"", secret.as_str()),
        ("cd / && cat \"$HOME/secret\"", &secret),
        ("echo x > \"$HOME/new\"", "did not let the command change"),
        ("echo x > guard.sh", "lets no command change"),
        ("echo x > tenterhook.toml", "lets no command change"),
        ("mkdir -p \"$HOME/beside/.claude\"", "lets nothing be made"),
        ("echo x > tree/.git", "tree/.git"),
        (
            "printf 'failed to open: %s\\n\\nCaused by:\\n  Permission denied (os error 13)\\n' $PWD/Cargo.lock; false",
            "Cargo.lock",
        ),
        ("cd /proc && echo 'cat: /proc/1/environ: Permission denied'; false", ""),
    ] {
        let (end, printed, refused) = host.ran(line).await;
        assert_ne!(end, process::End::Exited(0), "{line}");
        let refused = refused.unwrap_or_default();
        assert_eq!(refused.is_empty(), reported.is_empty(), "{line}: {refused}");
        assert!(
            refused.contains(reported) && !printed.contains("key\n"),
            "{line}: {printed}{refused}"
        );
        assert!(
            !refused.contains("sandbox = "),
            "what would grant it is not the model's: {refused}"
        );
    }
}

///
#[tokio::test]
async fn a_shell_in_strict_changes_nothing() {
    if !can() {
        return;
    }
    let host = Host::new(Profile::Strict);
    for (line, works) in [
        ("cat src/file", true),
        ("echo x > $TMPDIR/it", true),
        ("echo x > src/file", false),
        ("echo x > \"$HOME/beside/file\"", false),
        ("cat \"$HOME/secret\"", false),
    ] {
        assert_eq!(host.works(line).await, works, "{line}");
    }
}

///
#[cfg(unix)]
#[tokio::test]
async fn a_shell_whose_project_is_the_home_is_given_none_of_it() {
    if !can() {
        return;
    }
    let mut host = Host::new(Profile::Standard);
    let link = host.room.home().with_extension("link");
    std::os::unix::fs::symlink(host.room.home(), &link).expect("a scene");
    let above = host.room.home().parent().map(Path::to_path_buf).expect("a scene");
    for project in [host.room.home(), link, above] {
        host.project = project;
        assert!(host.works("true").await);
        for line in ["cat \"$HOME/secret\"", "echo x > \"$HOME/secret\"", "echo x > \"$HOME/new\""]
        {
            assert!(!host.works(line).await, "{line} in {:?}", host.project);
        }
    }
}

///
#[tokio::test]
async fn a_shell_is_not_started_where_it_cannot_be_confined() {
    let mut host = Host::new(Profile::Standard);
    host.pretended = Some(Default::default());
    let (end, _, reported) = host.ran("echo x > src/ran").await;
    assert!(matches!(end, process::End::NotStarted(_)), "{end:?}");
    let reported = reported.expect("why");
    assert!(
        reported.contains("cannot confine commands") && !reported.contains("isolation_min"),
        "{reported}"
    );
    assert!(!host.project.join("src/ran").exists());
}
