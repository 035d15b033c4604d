//! Starts that fail, and what a child finds when it starts (zoo 43, 48, 53; H1-H10).

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use tenterhook_process::{Command, End, Privileges, Program, Resource, Shell, Step, TAG};
use tenterhook_testkit::fakehook;

use crate::scene::{Folder, Scene, not_started, scene};

const NOENT: i32 = 2;
const E2BIG: i32 = 7;
const NOEXEC: i32 = 8;
const ACCES: i32 = 13;
const INVAL: i32 = 22;
const TXTBSY: i32 = 26;

/// Plays a start that fails: step, error number, path.
fn refused(command: Command) -> (Step, i32, String) {
    let played = Scene::new(command).play();
    let fault = not_started(&played.report);
    assert_eq!(played.report.pid, None);
    (fault.step, fault.errno, fault.path.display().to_string())
}

fn program(path: impl AsRef<Path>) -> Command {
    Command::new(path.as_ref(), [] as [&str; 0], "/")
}

///
#[test]
fn h1_a_missing_program() {
    let lost = |path: &str| (Step::Execute, NOENT, path.to_owned());
    assert_eq!(refused(program("/no/such/program")), lost("/no/such/program"));
    assert_eq!(refused(program("no-such-program")), (Step::Find, NOENT, "no-such-program".into()));
    assert_eq!(refused(program("")), (Step::Find, NOENT, String::new()));
}

///
#[test]
fn zoo_48_files_that_are_no_programs() {
    let folder = Folder::new();
    let text = folder.program("text", "deny\n");
    assert_eq!(refused(program(&text)).1, NOEXEC);
    let orphan = folder.program("orphan", "#!/no/such/interpreter\n");
    assert_eq!(refused(program(&orphan)), (Step::Execute, NOENT, orphan.display().to_string()));
    let plain = folder.file("plain", "#!/bin/sh\n");
    assert_eq!(refused(program(&plain)).1, ACCES);
    assert_eq!(refused(program(folder.path())).1, ACCES);
}

#[test]
fn h1_words_that_cannot_be_passed() {
    let nul = Command::new("/bin/true", ["a\0b"], "/");
    assert_eq!(refused(nul), (Step::Read, INVAL, "a\0b".into()));
    let mut named = program("/bin/true");
    named.env = vec![("A=B".into(), "c".into())];
    assert_eq!(refused(named), (Step::Read, INVAL, "A=B".into()));
    let big = Command::new("/bin/true", ["x".repeat(4 << 20)], "/");
    assert_eq!(refused(big), (Step::Execute, E2BIG, "/bin/true".into()));
}

///
#[test]
fn h3_a_missing_directory_is_never_replaced_silently() {
    let gone = || Command::new(fakehook(), ["--print-cwd"], "/no/such/directory");
    assert_eq!(refused(gone()), (Step::Directory, NOENT, "/no/such/directory".into()));
    let mut relative = gone();
    relative.cwd = "usr".into();
    assert_eq!(refused(relative), (Step::Directory, INVAL, "usr".into()));

    let mut replaced = gone();
    replaced.fallback_cwd = Some("/usr".into());
    let played = Scene::new(replaced).play().ended(End::Exited(0)).printed("/usr\n");
    assert_eq!(played.report.cwd_substituted.as_deref(), Some(Path::new("/usr")));
}

#[test]
fn zoo_43_deletes_its_directory() {
    let folder = Folder::new();
    let run = |script: &str| {
        let path = folder.path().to_path_buf();
        scene(script).with(|command| {
            command.cwd = path;
            command.fallback_cwd = Some("/".into());
        })
    };
    let temporary = std::env::temp_dir().display().to_string();
    run("--remove-cwd --stdout deny")
        .env("TMPDIR", &temporary)
        .play()
        .ended(End::Exited(0))
        .printed("deny\n");
    let next = run("--stdout next").play().ended(End::Exited(0)).printed("next\n");
    assert_eq!(next.report.cwd_substituted.as_deref(), Some(Path::new("/")));
}

#[test]
fn h4_a_program_that_is_being_written_is_waited_for() {
    let folder = Folder::new();
    let path = folder.path().join("busy");
    std::fs::copy("/bin/true", &path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    let writer = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    // Held for good: the time for retries passes, then it is reported.
    assert_eq!(refused(program(&path)).1, TXTBSY);
    drop(writer);
    // Released in time: it starts. Tried several times, because a busy machine may wake too late.
    let started = (0..20).any(|_| {
        let writer = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        let release = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(10));
            drop(writer);
        });
        let played = Scene::new(program(&path)).play();
        release.join().unwrap();
        played.report.end == End::Exited(0)
    });
    assert!(started, "twenty writers were let go in time, and none was waited for");
}

/// HO-22, R-1.
#[test]
fn zoo_53_only_the_three_streams_are_open() {
    // A careless host: a descriptor that is not close-on-exec.
    let file = std::fs::File::open("/dev/null").unwrap();
    let careless = rustix::io::dup(&file).unwrap();
    rustix::io::fcntl_setfd(&careless, rustix::io::FdFlags::empty()).unwrap();
    scene("--list-fds").play().ended(End::Exited(0)).printed("0\n1\n2\n");
    drop(careless);
}

#[test]
fn h8_the_environment_is_what_was_given() {
    let played = scene("--print-env-all").env("A", "b").play().ended(End::Exited(0));
    let text = String::from_utf8(played.report.stdout.bytes).unwrap();
    let names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
    assert_eq!(names, ["A", TAG]);
}

/// HO-22, R-1.
#[test]
fn h10_signals_mask_and_session_are_fresh() {
    let played = scene("--print-status SigBlk --print-status SigIgn --tty --print-umask").play();
    // The standard library of `fakehook` itself ignores PIPE, signal 13, and glibc's `posix_spawn` its own signals 32 and 33.
    let ignored = if cfg!(tenterhook_portable) { 0x1_8000_1000_u64 } else { 0x1000 };
    let text = format!("SigBlk:\t{:016x}\nSigIgn:\t{ignored:016x}\nno terminal\n077\n", 0);
    played.ended(End::Exited(0)).printed(&text);
    let shell = Scene::new(Command::shell("cut -d' ' -f5,6,7 /proc/$$/stat; echo $$", "/"));
    let played = shell.env("PATH", "/usr/bin:/bin").play().ended(End::Exited(0));
    let text = String::from_utf8(played.report.stdout.bytes).unwrap();
    let [group, session, terminal, pid] =
        text.split_whitespace().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((group, session, terminal), (pid, pid, "0"));
}

#[test]
fn h10_a_shell_dies_of_a_closed_pipe() {
    // With PIPE ignored, as Rust hosts have it, `yes` would complain about a broken pipe.
    let command = Command::shell("yes | head -n 1; echo done", "/");
    let played = Scene::new(command).play().ended(End::Exited(0)).printed("y\ndone\n");
    assert!(played.report.stderr.bytes.is_empty());
}

/// HO-22.
#[test]
fn a_umask_can_be_kept() {
    let mut command = Command::new(fakehook(), ["--print-umask"], "/");
    command.umask = Some(0o027);
    Scene::new(command).play().ended(End::Exited(0)).printed("027\n");
}

///
#[test]
fn h9_a_shell_line_runs_in_the_given_shell_without_its_profile() {
    let home = Folder::new();
    home.file(".profile", "echo profile\n");
    home.file(".bashrc", "echo bashrc\n");
    for shell in ["/bin/sh", "bash"] {
        let mut command = Command::shell("echo \"$0 says $((1+1))\" | tr a-z A-Z", "/");
        let text = "echo $((1+1))".into();
        command.program = Program::Shell { shell: Shell::posix(shell), text };
        let scene = Scene::new(command).env("HOME", home.path().to_str().unwrap());
        scene.play().ended(End::Exited(0)).printed("2\n");
    }
}

#[test]
fn a_program_is_found_in_the_path_of_the_child() {
    let folder = Folder::new();
    folder.program("greet", "#!/bin/sh\necho hello $1\n");
    let command = || Command::new("greet", ["you"], "/");
    let found = Scene::new(command()).env("PATH", folder.path().to_str().unwrap());
    found.play().ended(End::Exited(0)).printed("hello you\n");
    assert_eq!(refused(command()).0, Step::Find);

    let mut relative = Command::new("./greet", ["me"], folder.path());
    relative.fallback_cwd = Some("/".into());
    Scene::new(relative).play().ended(End::Exited(0)).printed("hello me\n");
}

#[test]
fn limits_are_set_when_asked_for() {
    let limited = scene("--print-limit 'Max open' --print-status NoNewPrivs").with(|command| {
        command.resources = vec![(Resource::OpenFiles, 33), (Resource::FileSize, 1 << 20)];
        command.privileges = Privileges::NoNew;
        command.oom_score_adj = Some(800);
    });
    limited.play().ended(End::Exited(0)).printed(
        "Max open files            33                   33                   files     \nNoNewPrivs:\t1\n",
    );
    let command = Command::shell("cat /proc/self/oom_score_adj", "/");
    let scene = Scene::new(command).with(|command| command.oom_score_adj = Some(801));
    scene.play().ended(End::Exited(0)).printed("801\n");
}

#[test]
fn the_fault_reads_as_a_sentence() {
    let played = Scene::new(program("/no/such/program")).play();
    assert_eq!(
        not_started(&played.report).to_string(),
        "cannot execute `/no/such/program`: No such file or directory (os error 2)",
    );
}
