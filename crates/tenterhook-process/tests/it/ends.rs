//! How runs end, exactly (zoo 54), and many of them at once.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use tenterhook_process::{Cancel, End, Force, run_blocking, run_in_background};

use crate::scene::scene;

#[test]
fn zoo_54_every_exit_code_arrives() {
    let (sender, receiver) = mpsc::channel();
    for code in 0..=255 {
        let sender = sender.clone();
        run_in_background(
            scene(&format!("--exit {code}")).command,
            &Cancel::new(),
            move |report| {
                sender.send((code, report)).unwrap();
            },
        );
    }
    for _ in 0..=255 {
        let (code, report) = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(report.end, End::Exited(code));
        assert_eq!(report.force, Force::None);
        assert!(report.survivors.is_empty());
    }
}

#[test]
fn every_deadly_signal_arrives() {
    for signal in [1, 2, 3, 6, 9, 11, 13, 14, 15] {
        let played = scene(&format!("--kill-self {signal}")).play();
        played.ended(End::Signalled(signal));
    }
}

#[test]
fn times_add_up() {
    let played = scene("--sleep-ms 50").play().ended(End::Exited(0));
    let times = played.report.times;
    assert!(times.total() >= Duration::from_millis(50), "{times:?}");
    assert!(times.run > Duration::ZERO, "{times:?}");
    assert!(times.total() <= played.took, "{times:?}");
    assert_eq!(times.kill, Duration::ZERO);
}

#[test]
fn the_budget_of_the_caller_ends_a_run_too() {
    let deadline = Instant::now() + Duration::from_millis(200);
    let scene = scene("--sleep-ms 30000").with(|command| command.deadline = Some(deadline));
    scene.play().ended(End::TimedOut).within(Duration::from_millis(450));
}

#[test]
fn a_budget_that_is_spent_starts_nothing_for_long() {
    let scene = scene("--sleep-ms 30000").with(|command| command.deadline = Some(Instant::now()));
    scene.play().ended(End::TimedOut).within(Duration::from_millis(250));
}

#[test]
fn hundreds_of_sleepers_share_one_supervisor() {
    let (sender, receiver) = mpsc::channel();
    let cancel = Cancel::new();
    for _ in 0..300 {
        let sender = sender.clone();
        let command = scene("--sleep-ms 30000").timeout(Duration::from_secs(25)).command;
        run_in_background(command, &cancel, move |report| sender.send(report).unwrap());
    }
    // While they sleep, another run is not held up.
    let report = run_blocking(scene("--stdout quick").command, &Cancel::new());
    assert_eq!(report.stdout.bytes, b"quick\n");
    cancel.cancel();
    for _ in 0..300 {
        let report = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(report.end, End::Cancelled);
    }
}
