//! Exits that a program announces before it is gone: when they are believed, and what becomes of who announced.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use tenterhook_process::{
    Announce, Cancel, Closed, Command, Delivery, End, Flow, Force, run_in_background,
    start_with_setup,
};

use crate::scene::{SHORT, Scene, left};

/// Closes both streams and announces exit code 3.
const LEAVE: &str = "exec >&- 2>&-; echo 3 >&3;";

/// A shell line that may announce.
fn line(text: &str) -> Scene {
    Scene::new(Command::shell(text.replace("LEAVE", LEAVE), "/")).with(|command| {
        command.announce = Announce::OnDescriptor3;
        command.env.push(("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()));
    })
}

/// PW-16.
#[test]
fn an_announced_exit_is_reported_before_the_process_is_gone() {
    let played = line("echo deny; echo why >&2; LEAVE sleep 30; exit 4").play();
    assert_eq!(played.report.stderr.bytes, b"why\n");
    assert_eq!(played.report.force, Force::None);
    played.ended(End::Exited(3)).printed("deny\n").closed(Closed::Complete).within(SHORT);
}

#[test]
fn all_that_was_said_before_is_in_the_report() {
    // Its own exit may be seen at the same time, and says the same.
    let played = line("head -c 1000000 /dev/zero; LEAVE exit 3").play().ended(End::Exited(3));
    assert_eq!(played.report.stdout.bytes.len(), 1_000_000);
}

/// PW-16.
#[test]
fn a_stream_that_somebody_holds_makes_the_real_exit_count() {
    let played = line("sleep 30 & LEAVE exit 4").play().ended(End::Exited(4));
    played.closed(Closed::Leaked);
    // Output after an announcement is not lost either.
    line("echo 3 >&3; sleep 0.05; echo late; exit 3")
        .play()
        .ended(End::Exited(3))
        .printed("late\n");
}

#[test]
fn what_is_no_exit_code_is_not_believed() {
    for code in ["300", "-1", "words", "", "0000"] {
        let text = format!("exec >&- 2>&-; echo '{code}' >&3; exit 4");
        line(&text).play().ended(End::Exited(4));
    }
    line("exec >&- 2>&-; printf 3 >&3; exit 4").play().ended(End::Exited(4));
}

#[test]
fn who_ends_without_a_word_ends_as_ever() {
    line("echo deny; exit 4").play().ended(End::Exited(4)).printed("deny\n");
    line("kill -9 $$").play().ended(End::Signalled(9));
}

/// PW-18.
#[test]
fn a_time_out_that_came_first_is_not_talked_away() {
    let played = line("trap 'LEAVE exit 0' TERM; while :; do sleep 0.01; done").timeout(SHORT);
    played.play().ended(End::TimedOut);
}

/// PW-16.
#[test]
fn descendants_end_with_who_announced() {
    // `play` looks whether anybody is left.
    line("sleep 30 >/dev/null 2>&1 & LEAVE exit 3").play().ended(End::Exited(3));
    line("(trap '' TERM; sleep 30) >/dev/null 2>&1 & LEAVE sleep 30").play().ended(End::Exited(3));
}

#[test]
fn unread_input_is_reported_after_an_announcement() {
    let played = line("LEAVE exit 3").stdin(vec![b'x'; 200_000]).play().ended(End::Exited(3));
    assert_eq!(played.report.taken, 0);
    assert!(matches!(played.report.stdin, Delivery::Refused { written } if written > 0));
}

#[test]
fn a_listener_who_paused_hears_the_rest() {
    let (sender, receiver) = mpsc::channel();
    let (line_sender, lines) = mpsc::channel();
    let child =
        start_with_setup(line("echo one; sleep 0.1; echo two; LEAVE sleep 30").command, |child| {
            child.on_line(move |line| {
                line_sender.send(line.to_vec()).unwrap();
                if line == b"one" { Flow::Pause } else { Flow::More }
            });
            child.on_finish(move |report| sender.send(report).unwrap());
        });
    let report = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(3), &b"one\ntwo\n"[..]));
    assert_eq!(lines.iter().collect::<Vec<_>>(), [b"one", b"two"]);
    drop(child);
}

#[test]
fn a_program_has_a_descriptor_3_only_to_announce() {
    // What it lists with is a descriptor too.
    let list = "echo /proc/$$/fd/*";
    let fds = |played: crate::scene::Played| {
        let text = String::from_utf8_lossy(&played.report.stdout.bytes).into_owned();
        text.split_whitespace().filter_map(|word| word.rsplit('/').next()?.parse().ok()).collect()
    };
    let announcing: Vec<u32> = fds(line(list).play());
    assert!(announcing.starts_with(&[0, 1, 2, 3]), "{announcing:?}");
    let plain = line(list).with(|command| command.announce = Announce::Never);
    let plain: Vec<u32> = fds(plain.play());
    assert_eq!(plain.len() + 1, announcing.len(), "{plain:?} {announcing:?}");
    line("echo 3 >&3 || exit 4")
        .with(|command| command.announce = Announce::Never)
        .play()
        .ended(End::Exited(4));
}

#[test]
fn hundreds_announce_at_once() {
    let (sender, receiver) = mpsc::channel();
    let mut tags = Vec::new();
    let until = Instant::now() + Duration::from_secs(60);
    for _ in 0..200 {
        let (scene, sender) = (line("echo deny; LEAVE sleep 30"), sender.clone());
        tags.push(scene.tag());
        run_in_background(scene.command, &Cancel::new(), move |report| {
            sender.send(report).unwrap()
        });
    }
    for _ in 0..200 {
        let report = receiver.recv_timeout(until - Instant::now()).unwrap();
        assert_eq!((report.end, &report.stdout.bytes[..]), (End::Exited(3), &b"deny\n"[..]));
    }
    assert!(tags.iter().all(|tag| left(tag).is_empty()));
}
