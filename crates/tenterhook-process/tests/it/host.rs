//! What the host keeps, and what becomes of children when it goes (H6, H7, H32). Each plays in a
//! separate process: this test program, run again for one test.

use std::time::Duration;

use tenterhook_process::{
    Announce, Cancel, Command, End, TAG, run_blocking, run_in_background, wait_for_all_runs,
};

use crate::scene::{left, scene, tagged};

/// Tells a second run of this program that it is the host of a scene.
const HOST: &str = "PROCESS_TEST_HOST";

pub(crate) fn is_host() -> bool {
    own(HOST).is_some()
}

#[expect(clippy::disallowed_methods, reason = "the environment names the part of the second run")]
pub(crate) fn own(variable: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(variable)
}

/// Runs one test of this program as a separate host, with `tag` on all its descendants.
pub(crate) fn host(test: &str, tag: &str) -> Command {
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(own, [test, "--exact", "--nocapture", "--test-threads=1"], "/");
    command.env = vec![(HOST.into(), "yes".into()), (TAG.into(), tag.into())];
    command.timeout = Some(Duration::from_secs(60));
    command
}

fn fds() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn nothing_is_kept_after_many_runs() {
    if !is_host() {
        let report =
            run_blocking(host("host::nothing_is_kept_after_many_runs", "many"), &Cancel::new());
        assert_eq!(report.end, End::Exited(0), "{}", String::from_utf8_lossy(&report.stderr.bytes));
        return;
    }
    // All starters that there will ever be.
    let cancel = Cancel::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    for _ in 0..50 {
        let sender = sender.clone();
        run_in_background(scene("--exit 0").command, &cancel, move |report| {
            sender.send(report).unwrap()
        });
    }
    receiver.iter().take(50).for_each(drop);
    let each = || {
        for script in ["--stdout x", "--exit 3", "--kill-self 9", "--hold-stderr-ms 500"] {
            run_blocking(scene(script).stdin("some input").command, &Cancel::new());
        }
        run_blocking(
            scene("--sleep-ms 500").timeout(Duration::from_millis(5)).command,
            &Cancel::new(),
        );
        let mut announcing = Command::shell("exec >&- 2>&-; echo 0 >&3", "/");
        announcing.announce = Announce::OnDescriptor3;
        run_blocking(announcing, &Cancel::new());
        assert!(wait_for_all_runs(Duration::from_secs(10)), "its process is gone too");
        run_blocking(Command::new("/no/such", [] as [&str; 0], "/"), &Cancel::new());
    };
    each();
    let before = (fds(), threads());
    (0..10).for_each(|_| each());
    // A thread that has handed out its report is on its way to its end, here and before.
    let is_more = || fds() != before.0 || threads() > before.1;
    let until = std::time::Instant::now() + Duration::from_secs(10);
    while is_more() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!is_more(), "{before:?} became {:?}", (fds(), threads()));
    let children = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .flatten()
        .map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    assert_eq!(children.collect::<String>(), "", "zombies");
}

#[test]
fn h32_children_die_with_a_host_that_is_killed() {
    if is_host() {
        let mut command = scene("--sleep-ms 30000").command;
        command.env = vec![(TAG.into(), own(TAG).unwrap())];
        run_in_background(command, &Cancel::new(), |_| ());
        // The thread that asked for it may end; the host lives on until it is killed.
        std::thread::sleep(Duration::from_secs(30));
        return;
    }
    let tag = format!("killed-host-{}", std::process::id());
    let mut command = host("host::h32_children_die_with_a_host_that_is_killed", &tag);
    command.limits.grace = Duration::ZERO;
    let cancel = Cancel::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    run_in_background(command, &cancel, move |report| sender.send(report).unwrap());
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while tagged(&tag).len() < 2 {
        assert!(std::time::Instant::now() < until, "host and child did not come up");
        std::thread::sleep(Duration::from_millis(5));
    }
    cancel.cancel();
    let report = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!(report.end, End::Cancelled);
    assert!(left(&tag).is_empty());
}

#[test]
fn h6_a_child_outlives_the_thread_that_asked_for_it() {
    let child = std::thread::spawn(|| {
        tenterhook_process::start(scene("--read-line --stdout alive").command)
    });
    let child = child.join().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    child.write_stdin(*b"\n");
    let report = child.close_stdin_and_wait();
    assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(0), &b"alive\n"[..]));
}

#[test]
fn h2_descriptors_that_run_out_are_a_fault_of_that_run_only() {
    if !is_host() {
        let name = "host::h2_descriptors_that_run_out_are_a_fault_of_that_run_only";
        let report = run_blocking(host(name, "h2"), &Cancel::new());
        assert_eq!(report.end, End::Exited(0), "{}", String::from_utf8_lossy(&report.stderr.bytes));
        return;
    }
    let run = || run_blocking(scene("--exit 0").command, &Cancel::new());
    assert_eq!(run().end, End::Exited(0));
    let mut hoard = Vec::new();
    let files = rustix::process::Resource::Nofile;
    let limit = rustix::process::Rlimit { current: Some(64), ..rustix::process::getrlimit(files) };
    rustix::process::setrlimit(files, limit).unwrap();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        hoard.push(file);
    }
    let report = run();
    let fault = crate::scene::not_started(&report);
    assert_eq!((fault.step, fault.errno), (tenterhook_process::Step::Prepare, 24));
    // Given back within the 20 ms before the retry, in one of some tries on a busy machine.
    let recovered = (0..20).any(|_| {
        let given = hoard.split_off(hoard.len() - 20);
        let release = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            drop(given);
        });
        let report = run();
        release.join().unwrap();
        while let Ok(file) = std::fs::File::open("/dev/null") {
            hoard.push(file);
        }
        report.end == End::Exited(0)
    });
    assert!(recovered);
    drop(hoard);
    assert_eq!(run().end, End::Exited(0));
}
