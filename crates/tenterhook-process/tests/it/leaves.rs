//! Descendants that leave their group or session (zoo 17, 21), in a library host that adopts
//! no orphans. `tests/adopts.rs` tests an adopting host, in a separate process.

use tenterhook_process::{Closed, End, Sweep};

use crate::scene::{SHORT, SLACK, kill, scene, tagged};

///
#[test]
fn zoo_17_a_daemon_that_holds_a_stream_is_reported() {
    let scene = scene("--setsid-daemon 30000 --stdout deny");
    let tag = scene.tag();
    let played = scene.play_with_survivors().ended(End::Exited(0)).printed("deny\n");
    let alive = tagged(&tag);
    alive.iter().copied().for_each(kill);
    assert_eq!(played.report.survivors, alive);
    assert_eq!(alive.len(), 1);
    played.closed(Closed::Leaked);
}

#[test]
fn zoo_17_a_silent_daemon_is_reported_to_those_who_ask() {
    let scene =
        scene("--quiet-daemon 30000 --stdout deny").with(|command| command.sweep = Sweep::Always);
    let tag = scene.tag();
    let played = scene.play_with_survivors().ended(End::Exited(0)).printed("deny\n");
    let alive = tagged(&tag);
    alive.iter().copied().for_each(kill);
    assert_eq!((played.report.survivors, alive.len()), (alive.clone(), 1));
}

#[test]
fn zoo_17_a_daemon_of_a_killed_run_is_reported() {
    let scene = scene("--quiet-daemon 30000 --sleep-ms 30000").timeout(SHORT);
    let tag = scene.tag();
    let played = scene.play_with_survivors().ended(End::TimedOut);
    let alive = tagged(&tag);
    alive.iter().copied().for_each(kill);
    assert_eq!((played.report.survivors, alive.len()), (alive.clone(), 1));
}

#[test]
fn zoo_21_a_chain_of_forks_in_the_group_ends_with_the_run() {
    let played = scene("--fork-chain 100000 --stdout deny").play().ended(End::Exited(0));
    assert!(played.report.stdout.bytes.starts_with(b"deny\n"));
    assert!(played.report.survivors.is_empty());
}

#[test]
fn zoo_21_a_chain_of_sessions_delays_nothing() {
    // Only adoption or a namespace catches it; here it ends by itself, after its 200 sessions.
    let played = scene("--setsid-chain 200 --stdout deny").play_with_survivors();
    assert!(played.report.times.drain < SLACK);
    played.ended(End::Exited(0)).printed("deny\n");
}

#[test]
fn a_silent_child_in_the_group_does_not_outlive_the_run() {
    let played = scene("--child-ms 30000 --stdout deny").play().ended(End::Exited(0));
    played.printed("deny\n").closed(Closed::Complete);
}

#[test]
fn a_group_of_its_own_in_the_session_is_found_and_ended() {
    // As a shell with job control makes them.
    let scene =
        scene("--child-group-ms 30000 --stdout deny").with(|command| command.sweep = Sweep::Always);
    let played = scene.play().ended(End::Exited(0)).printed("deny\n");
    assert_eq!(played.report.swept, 1);
    assert!(played.report.survivors.is_empty());
}
