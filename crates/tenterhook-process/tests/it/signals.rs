//! Programs that will not go, or go too far (zoo 11-13, 20, 24, 27-29).

use std::time::Duration;

use tenterhook_process::{Cancel, End, Force, run_in_background};

use crate::scene::{SHORT, SLACK, left, scene};

const GRACE: Duration = Duration::from_millis(250);

#[test]
fn a_polite_program_ends_at_term() {
    let played = scene("--sleep-ms 30000").timeout(SHORT).play().ended(End::TimedOut);
    assert_eq!(played.report.force, Force::Term);
}

#[test]
fn h26_term_gives_time_for_a_farewell() {
    let played = scene("--on-term bye --sleep-ms 30000").timeout(SHORT).play();
    assert_eq!(played.report.force, Force::Term);
    played.ended(End::TimedOut).printed("bye\n");
}

///
#[test]
fn zoo_11_ignores_term() {
    let played = scene("--ignore-term --sleep-ms 30000").timeout(SHORT).play();
    assert_eq!(played.report.force, Force::Kill);
    assert!(played.took >= SHORT + GRACE);
    played.ended(End::TimedOut).within(SHORT + GRACE);
}

#[test]
fn zoo_12_ignores_everything() {
    let played = scene("--ignore-all --sleep-ms 30000").timeout(SHORT).play();
    assert_eq!(played.report.force, Force::Kill);
    played.ended(End::TimedOut).within(SHORT + GRACE);
}

#[test]
fn zoo_13_stops_itself() {
    scene("--stop-self --sleep-ms 30000").timeout(SHORT).play().ended(End::TimedOut);
}

///
#[test]
fn h27_a_stopped_program_handles_its_term() {
    let played = scene("--on-term bye --stop-self --sleep-ms 30000").timeout(SHORT).play();
    played.ended(End::TimedOut).printed("bye\n");
}

#[test]
fn zoo_20_a_thousand_children() {
    let played = scene("--spawn 1000 --stdout ready --sleep-ms 30000")
        .timeout(Duration::from_secs(2))
        .play()
        .ended(End::TimedOut);
    assert!(played.report.survivors.is_empty());
}

#[test]
fn zoo_24_a_tight_loop() {
    scene("--spin").timeout(SHORT).play().ended(End::TimedOut).within(SHORT);
}

#[test]
fn zoo_27_a_crash_leaves_no_core() {
    scene("--print-limit 'Max core' --kill-self 11").play().ended(End::Signalled(11)).printed(
        "Max core file size        0                    0                    bytes     \n",
    );
}

#[test]
fn zoo_28_what_was_said_before_a_kill_is_kept_and_so_is_the_kill() {
    scene("--stdout allow --kill-self 9").play().ended(End::Signalled(9)).printed("allow\n");
}

///
#[test]
fn zoo_29_kills_its_own_group_and_not_its_host() {
    scene("--stdout deny --kill-group").play().ended(End::Signalled(9)).printed("deny\n");
}

#[test]
fn child_that_ignores_term_delays_no_other_run() {
    // The leader dies of TERM at once, its child would live on.
    let played = scene("--ignore-term --hold-stdout-ms 30000 --on-term bye --sleep-ms 30000")
        .timeout(SHORT)
        .play();
    played.ended(End::TimedOut).printed("bye\n").within(SHORT + GRACE);
}

#[test]
fn h37_cancel_takes_the_same_way() {
    let scene = scene("--ignore-term --stdout ready --sleep-ms 30000");
    let (tag, cancel) = (scene.tag(), Cancel::new());
    let (sender, receiver) = std::sync::mpsc::channel();
    run_in_background(scene.command, &cancel, move |report| sender.send(report).unwrap());
    std::thread::sleep(SHORT);
    cancel.cancel();
    let report = receiver.recv_timeout(SLACK).unwrap();
    assert_eq!((report.end, report.force), (End::Cancelled, Force::Kill));
    assert_eq!(report.stdout.bytes, b"ready\n");
    assert!(left(&tag).is_empty());
}

#[test]
fn a_pulled_token_starts_nothing() {
    let cancel = Cancel::new();
    cancel.cancel();
    let report = tenterhook_process::run_blocking(scene("--sleep-ms 30000").command, &cancel);
    assert_eq!((report.end, report.pid), (End::Cancelled, None));
}

#[test]
fn one_token_cancels_many_runs_from_any_moment() {
    let cancel = Cancel::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut tags = Vec::new();
    for _ in 0..20 {
        let sender = sender.clone();
        let scene = scene("--sleep-ms 30000");
        tags.push(scene.tag());
        run_in_background(scene.command, &cancel, move |report| sender.send(report).unwrap());
    }
    // Some of them run, one or two are being started, the others wait for their turn.
    cancel.cancel();
    for _ in 0..20 {
        let report = receiver.recv_timeout(SLACK).unwrap();
        assert_eq!(report.end, End::Cancelled);
    }
    for tag in tags {
        assert!(left(&tag).is_empty());
    }
}
