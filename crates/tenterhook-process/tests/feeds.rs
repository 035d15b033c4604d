//! The feeding thread writes the input itself. A separate binary: one test holds the supervisor of
//! the whole process, the other one changes how the process takes a signal.
#![cfg(all(target_os = "linux", not(tenterhook_portable)))]
#![expect(unsafe_code, reason = "how a process takes a signal is changed by a raw call")]

use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use tenterhook_process::{Command, Delivery, End, Flow, start};

const PATIENCE: Duration = Duration::from_secs(10);

/// One test at a time: a process that is being started holds a copy of all pipes for a moment.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_line_reaches_its_child_while_the_supervisor_is_busy() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // The number of a process comes again, and so would what an aborted run left.
    let age = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    let path = std::env::temp_dir().join(format!("process-fed-{}-{age}", std::process::id()));
    let line = format!("echo up; read word; echo \"$word\" > '{}'", path.display());
    let reader = start(Command::shell(line, "/"));
    assert_eq!(reader.lines().next(), Some(b"up".to_vec()), "it runs");
    let talker = start(Command::shell("echo busy; read end; true", "/"));
    let (held, wait) = (mpsc::channel(), mpsc::channel::<()>());
    let (begun, busy) = held;
    let (release, until) = wait;
    talker.on_line(move |_| {
        // Ends when the test does, whatever comes of it.
        begun.send(()).unwrap();
        assert!(until.recv_timeout(PATIENCE * 2).is_err());
        Flow::More
    });
    busy.recv_timeout(PATIENCE).unwrap();

    reader.write_stdin(*b"word\n");

    let give_up = Instant::now() + PATIENCE;
    while std::fs::read(&path).unwrap_or_default() != b"word\n" {
        assert!(Instant::now() < give_up, "the line waits for the supervisor");
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(release);
    assert_eq!(reader.close_stdin_and_wait().end, End::Exited(0));
    assert_eq!(talker.close_stdin_and_wait().end, End::Exited(0));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_closed_input_is_no_signal_for_a_host_that_would_die_of_it() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the default is set for a signal that nothing in this process handles.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let child = start(Command::shell("read word; exec 0<&-; echo closed; sleep 30", "/"));
    // Until the child has read, its end of the pipe may still be open here.
    child.write_stdin(*b"word\n");
    assert_eq!(child.lines().next(), Some(b"closed".to_vec()));

    child.write_stdin(*b"this is never read\n");

    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
    let blocked = u64::from_str_radix(blocked.trim(), 16).unwrap();
    assert_eq!(blocked & (1 << (libc::SIGPIPE - 1)), 0, "the mask of the thread is as it was");
    child.cancel();
    assert_eq!(child.close_stdin_and_wait().stdin, Delivery::Refused { written: 5 });
}
