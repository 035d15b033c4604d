//! Exits that the host takes: it ignores `SIGCHLD`, or waits for every child. A separate binary, because both are
//! properties of the whole process.
#![cfg(all(target_os = "linux", not(tenterhook_portable)))]
#![expect(unsafe_code, reason = "the disposition of a signal exists only as a raw call")]
#![expect(clippy::unwrap_used, reason = "what the test shares may fail it")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, test_kill_process, wait};
use tenterhook_process::{Cancel, Command, End, reset_inherited_signals, run_blocking};

const PATIENCE: Duration = Duration::from_secs(10);

/// Whether this kernel keeps an exit status that somebody else has reaped.
fn keeps() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(15))
}

/// Runs programs that deny, die and hang, many at once, and checks how each one is reported to have ended.
fn no_end_is_a_guess(what: &str) {
    let unknown = |end: &End| !keeps() && *end == End::Unknown;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..12 {
                    let end = run_blocking(Command::shell("exit 2", "/"), &Cancel::new()).end;
                    assert!(end == End::Exited(2) || unknown(&end), "{what}: {end:?}");
                }
            });
        }
    });
    let killed = run_blocking(Command::shell("kill -9 $$", "/"), &Cancel::new()).end;
    assert!(killed == End::Signalled(9) || unknown(&killed), "{what}: {killed:?}");
    let mut hangs = Command::shell("sleep 300", "/");
    hangs.timeout = Some(Duration::from_millis(50));
    assert_eq!(run_blocking(hangs, &Cancel::new()).end, End::TimedOut, "{what}");
}

/// The group is found by its leader's pidfd, though the leader is gone and its id may be anybody's.
fn no_process_is_left_behind(what: &str) {
    let report = run_blocking(
        Command::shell("sleep 300 >/dev/null 2>&1 & echo $!; exit 2", "/"),
        &Cancel::new(),
    );
    let pid = String::from_utf8(report.stdout.bytes).unwrap().trim().parse().unwrap();
    let until = Instant::now() + PATIENCE;
    while test_kill_process(Pid::from_raw(pid).unwrap()).is_ok() {
        assert!(Instant::now() < until, "{what}: it lives");
        std::thread::sleep(Duration::from_millis(2));
    }
}

///
#[test]
fn an_exit_that_the_host_takes_is_known_all_the_same() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    no_end_is_a_guess("ignored");
    no_process_is_left_behind("ignored");
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };

    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = wait(WaitOptions::NOHANG);
            }
        });
        let judged = std::panic::catch_unwind(|| {
            no_end_is_a_guess("reaped");
            no_process_is_left_behind("reaped");
        });
        over.store(true, Ordering::Relaxed);
        judged.unwrap();
    });

    // A program takes back what it inherited.
    // SAFETY: as above; all signals that can be are blocked in this thread.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
    reset_inherited_signals();
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let mask = |name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim_start_matches(':').trim(), 16).unwrap()
    };
    assert_eq!(mask("SigBlk"), 0);
    assert_eq!(mask("SigIgn") & 1 << (libc::SIGCHLD - 1), 0);
    let end = run_blocking(Command::shell("exit 2", "/"), &Cancel::new()).end;
    assert_eq!(end, End::Exited(2));
}
