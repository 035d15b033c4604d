//! A child in parts: fed, listened to, given a deadline, let go.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use tenterhook_process::{
    Cancel, Closed, Command, Delivery, End, Flow, run_blocking, start, start_with_setup,
};
use tenterhook_testkit::fakehook;

use crate::scene::{SHORT, left, scene};

const PATIENCE: Duration = Duration::from_secs(10);

#[test]
fn a_child_waits_for_its_input_without_a_deadline() {
    let scene = scene("--read-line --stdout answer").with(|command| command.timeout = None);
    let child = start(scene.command);
    let (sender, receiver) = mpsc::channel();
    child.on_finish(move |report| sender.send(report).unwrap());
    assert!(receiver.recv_timeout(SHORT).is_err(), "nothing was asked yet");
    child.write_stdin(*b"question\n");
    let report = receiver.recv_timeout(PATIENCE).unwrap();
    assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(0), &b"answer\n"[..]));
    assert_eq!(report.stdin, Delivery::Delivered);
}

#[test]
fn a_waiting_child_is_handed_its_work_at_once() {
    let scene = scene("--read-all --stdout answer").with(|command| command.timeout = None);
    let child = start(scene.command);
    let (sender, receiver) = mpsc::channel();
    child.on_finish(move |report| sender.send(report).unwrap());
    child.write_all_input_with_deadline(*b"question\n", Some(Instant::now() + PATIENCE));
    let report = receiver.recv_timeout(PATIENCE).unwrap();
    assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(0), &b"answer\n"[..]));
    let late = start(crate::scene::scene("--sleep-ms 30000").command);
    late.write_all_input_with_deadline([], Some(Instant::now()));
    assert_eq!(late.close_stdin_and_wait().end, End::TimedOut);
}

#[test]
fn lines_arrive_while_the_child_lives() {
    let mut child = Command::shell("while read line; do echo \"got $line\"; done", "/");
    child.timeout = Some(PATIENCE);
    let child = start(child);
    let mut lines = child.lines();
    for word in ["one", "two", "three"] {
        child.write_stdin(format!("{word}\n").into_bytes());
        assert_eq!(lines.next(), Some(format!("got {word}").into_bytes()));
    }
    assert_eq!(lines.next_line_until(Instant::now() + Duration::from_millis(20)), None);
    let report = child.close_stdin_and_wait();
    assert_eq!(lines.next(), None);
    assert_eq!(report.stdout.bytes, b"got one\ngot two\ngot three\n");
    assert_eq!(report.end, End::Exited(0));
}

#[test]
fn a_listener_of_the_first_hour_hears_all_and_nothing_need_be_kept() {
    for _ in 0..50 {
        let scene = scene("--stdout one --stdout two").with(|command| command.limits.stdout = 0);
        let mut lines = None;
        let child = start_with_setup(scene.command, |child| lines = Some(child.lines()));
        let received: Vec<_> = lines.unwrap().collect();
        assert_eq!(received, [b"one".to_vec(), b"two".to_vec()]);
        assert_eq!(child.close_stdin_and_wait().stdout.dropped, 8);
    }
}

#[test]
fn a_deadline_can_come_later() {
    let scene = scene("--stdout here --sleep-ms 30000").with(|command| command.timeout = None);
    let child = start(scene.command);
    assert_eq!(child.lines().next(), Some(b"here".to_vec()));
    child.set_deadline(Some(Instant::now() + Duration::from_millis(100)));
    assert_eq!(child.close_stdin_and_wait().end, End::TimedOut);
}

#[test]
fn a_deadline_can_be_moved_and_lifted() {
    let child =
        start(scene("--sleep-ms 400 --stdout late").timeout(Duration::from_millis(200)).command);
    child.set_deadline(None);
    assert_eq!(child.close_stdin_and_wait().end, End::Exited(0));
}

#[test]
fn the_first_line_may_turn_a_run_into_one_in_the_background() {
    let scene = scene(r#"--stdout '{"async":true}' --sleep-ms 200 --stdout verdict"#);
    let tag = scene.tag();
    let child = start(scene.command);
    child.close_stdin();
    assert_eq!(child.lines().next(), Some(br#"{"async":true}"#.to_vec()));
    let (sender, receiver) = mpsc::channel();
    child.on_finish(move |report| sender.send(report).unwrap());
    child.detach();
    let report = receiver.recv_timeout(PATIENCE).unwrap();
    assert_eq!(report.stdout.bytes, b"{\"async\":true}\nverdict\n");
    assert!(left(&tag).is_empty());
}

#[test]
fn a_dropped_child_is_ended() {
    let scene = scene("--stdout here --sleep-ms 30000");
    let tag = scene.tag();
    let child = start(scene.command);
    let (sender, receiver) = mpsc::channel();
    child.on_finish(move |report| sender.send(report.end).unwrap());
    drop(child);
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), End::Cancelled);
    assert!(left(&tag).is_empty());
}

#[test]
fn a_detached_child_goes_on_until_its_token_is_pulled() {
    let scene = scene("--stdout here --sleep-ms 30000");
    let (cancel, tag) = (Cancel::new(), scene.tag());
    let child = start(scene.command);
    child.attach_cancel_token(&cancel);
    let mut lines = child.lines();
    let (sender, receiver) = mpsc::channel();
    child.on_finish(move |report| sender.send(report.end).unwrap());
    child.detach();
    assert_eq!(lines.next(), Some(b"here".to_vec()));
    assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
    cancel.cancel();
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), End::Cancelled);
    assert!(left(&tag).is_empty());
}

#[test]
fn the_report_waits_for_who_asks_late() {
    let child = start(scene("--stdout early").command);
    child.close_stdin();
    assert_eq!(child.lines().next(), Some(b"early".to_vec()));
    std::thread::sleep(SHORT);
    assert_eq!(child.close_stdin_and_wait().end, End::Exited(0));
}

#[test]
fn failed_start_is_in_the_report() {
    let child = start(Command::new("/no/such/program", [] as [&str; 0], "/"));
    child.write_stdin(*b"question");
    assert_eq!(child.lines().next(), None);
    assert!(matches!(child.close_stdin_and_wait().end, End::NotStarted(_)));
}

#[test]
fn a_reader_that_falls_behind_stops_the_child_and_loses_nothing() {
    let line = "x".repeat(1000);
    let script = format!("i=0; while [ $i -lt 4000 ]; do echo {line}; i=$((i+1)); done");
    let mut command = Command::shell(script, "/");
    command.limits.stdout = 10;
    command.timeout = Some(PATIENCE);
    let child = start(command);
    let lines = child.lines();
    // Four megabytes are written, one may wait.
    std::thread::sleep(SHORT);
    assert_eq!(lines.map(|line| assert_eq!(line.len(), 1000)).count(), 4000);
    let report = child.close_stdin_and_wait();
    assert_eq!((report.end, report.stdout.closed), (End::Exited(0), Closed::Truncated));
}

#[test]
fn panic_in_a_listener_affects_no_other_run() {
    let child = start(scene("--stdout one --stdout two").command);
    child.on_line(|_| -> Flow { panic!("on purpose") });
    let report = child.close_stdin_and_wait();
    assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(0), &b"one\ntwo\n"[..]));
}

#[test]
fn panic_in_a_callback_affects_no_other_run() {
    tenterhook_process::run_in_background(scene("--exit 3").command, &Cancel::new(), |_| {
        panic!("on purpose")
    });
    let report = run_blocking(scene("--exit 4").command, &Cancel::new());
    assert_eq!(report.end, End::Exited(4));
}

#[test]
fn a_long_input_is_fed_piece_by_piece() {
    let mut command = Command::new(fakehook(), ["--echo-stdin"], "/");
    command.limits.stdout = 8 << 20;
    let child = start(command);
    for piece in 0..=255u8 {
        child.write_stdin(vec![piece; 16 << 10]);
    }
    let report = child.close_stdin_and_wait();
    let expected: Vec<u8> = (0..=255u8).flat_map(|piece| vec![piece; 16 << 10]).collect();
    assert!(report.stdout.bytes == expected);
    assert_eq!(report.stdin, Delivery::Delivered);
}

#[cfg(all(target_os = "linux", not(tenterhook_portable)))]
#[test]
fn unread_input_is_not_counted_as_taken() {
    for (script, taken) in [("--read-line", 4), ("--exit 0", 0), ("--read-line --close-stdin", 4)] {
        let child = start(scene(script).stdin(*b"one\ntwo\n").command);
        let (sender, receiver) = mpsc::channel();
        child.on_finish(move |report| sender.send(report).unwrap());
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap().taken, taken, "{script}");
    }
    let read = scene("--read-all").stdin(*b"one\ntwo\n").play();
    assert_eq!(read.report.taken, 8);
}
