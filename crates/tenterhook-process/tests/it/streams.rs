//! Programs that read, write and close in every order (zoo 1-8, 13-16, 18, 19, 26, 31).

use std::time::Duration;

use tenterhook_process::{Cancel, Closed, Delivery, End, Output, run_in_background};

use crate::scene::{SHORT, SLACK, scene};

const MIB: usize = 1 << 20;

fn payload() -> Vec<u8> {
    vec![b'x'; MIB]
}

#[test]
fn zoo_01_reads_all_and_answers() {
    let played = scene("--read-all --stdout deny").stdin(payload()).play();
    assert_eq!(played.report.stdin, Delivery::Delivered);
    played.ended(End::Exited(0)).printed("deny\n").closed(Closed::Complete);
}

/// R-5.
#[test]
fn zoo_02_never_reads_its_input() {
    let played = scene("--stdout deny").stdin(payload()).play();
    assert!(matches!(played.report.stdin, Delivery::Refused { written } if written < MIB as u64));
    played.ended(End::Exited(0)).printed("deny\n");
}

#[test]
fn zoo_03_never_reads_and_sleeps() {
    let played = scene("--sleep-ms 30000").stdin(payload()).timeout(SHORT).play();
    assert!(matches!(played.report.stdin, Delivery::Refused { .. }));
    assert!(played.took >= SHORT);
    played.ended(End::TimedOut).within(SHORT);
}

#[test]
fn zoo_04_reads_one_byte() {
    scene("--read 1 --stdout deny").stdin(payload()).play().ended(End::Exited(0)).printed("deny\n");
}

/// R-5.
#[test]
fn zoo_05_closes_its_input() {
    let played = scene("--close-stdin --sleep-ms 200 --stdout deny").stdin(payload()).play();
    assert!(matches!(played.report.stdin, Delivery::Refused { .. }));
    played.ended(End::Exited(0)).printed("deny\n");
}

#[test]
fn zoo_06_writes_a_mebibyte_before_it_reads() {
    let script = "--fill 32 1048570 --read-all --stdout deny";
    let played = scene(script).stdin(payload()).play().ended(End::Exited(0));
    assert_eq!(played.report.stdin, Delivery::Delivered);
    assert_eq!(played.report.stdout.bytes.len(), MIB - 1);
    assert!(played.report.stdout.bytes.ends_with(b" deny\n"));
    played.closed(Closed::Complete);
}

#[test]
fn zoo_07_closes_its_output_and_sleeps() {
    let script = "--stdout deny --close-stdout --close-stderr --sleep-ms 30000";
    scene(script)
        .timeout(SHORT)
        .play()
        .ended(End::TimedOut)
        .printed("deny\n")
        .closed(Closed::Complete);
}

#[test]
fn zoo_08_a_dribble_does_not_extend_the_deadline() {
    let played = scene("--dribble 20").timeout(SHORT).play().ended(End::TimedOut).within(SHORT);
    assert!(played.report.stdout.bytes.len() > 1);
}

/// Somebody holds one stream for 30 s after the program has answered and gone.
fn held_by_a_child(script: &str) -> Output {
    let played = scene(script).play().ended(End::Exited(0)).printed("deny\n");
    let drain = played.report.times.drain;
    assert!(drain < SLACK, "drained for {drain:?}");
    if played.report.stderr.closed == Closed::Leaked
        || played.report.stdout.closed == Closed::Leaked
    {
        assert!(drain >= Duration::from_millis(100), "gave up after {drain:?}");
    }
    played.report.stdout
}

/// R-4.
#[test]
fn zoo_14_a_child_holds_stdout() {
    let stdout = held_by_a_child("--hold-stdout-ms 30000 --stdout deny");
    assert_eq!(stdout.closed, Closed::Leaked);
}

#[test]
fn zoo_15_a_child_holds_stderr_only() {
    let played = scene("--hold-stderr-ms 30000 --stdout deny").play().ended(End::Exited(0));
    assert_eq!(played.report.stderr.closed, Closed::Leaked);
    played.printed("deny\n").closed(Closed::Complete);
}

#[test]
fn zoo_16_a_child_that_holds_only_stdin_costs_nothing() {
    let played = scene("--hold-stdin-ms 30000 --stdout deny").stdin(payload()).play();
    assert!(played.report.times.drain < SLACK);
    assert!(matches!(played.report.stdin, Delivery::Refused { .. }));
    played.ended(End::Exited(0)).printed("deny\n").closed(Closed::Complete);
}

#[test]
fn zoo_18_a_child_holds_stdout_under_another_number() {
    let stdout = held_by_a_child("--hold-fd3-ms 30000 --stdout deny");
    assert_eq!(stdout.closed, Closed::Leaked);
}

#[test]
fn zoo_19_a_child_floods_after_the_exit() {
    let played = scene("--stdout deny --child-flood").play().ended(End::Exited(0));
    assert!(played.report.stdout.bytes.starts_with(b"deny\n"));
    assert!(played.report.stdout.bytes.len() <= MIB);
    played.closed(Closed::Leaked);
}

#[test]
fn zoo_26_half_an_answer_is_kept_and_the_hang_ends() {
    let script = r#"--raw '{"decision":"de' --sleep-ms 30000"#;
    scene(script).timeout(SHORT).play().ended(End::TimedOut).printed(r#"{"decision":"de"#);
}

#[test]
fn zoo_31_bytes_are_kept_raw() {
    let played = scene(r"--raw \xff\xfe\x00\x0d\n").play().ended(End::Exited(0));
    assert_eq!(played.report.stdout.bytes, b"\xff\xfe\0\r\n");
}

/// R-5.
#[test]
fn h14_the_end_of_input_is_seen() {
    for size in [0, 1, 65536, 65537, 3 * MIB] {
        let input = vec![b'a'; size];
        let played = scene("--echo-stdin")
            .with(|command| command.limits.stdout = 4 * MIB)
            .stdin(input.clone())
            .play()
            .ended(End::Exited(0));
        assert!(played.report.stdout.bytes == input, "{size} bytes");
        assert_eq!(played.report.stdin, Delivery::Delivered);
    }
}

/// R-4.
#[test]
fn h17_what_a_child_says_within_the_leak_grace_counts() {
    let played = scene("--late-child late --stdout early").with(|command| {
        command.limits.leak_grace = Duration::from_secs(10);
    });
    // The child's end closes the stream: the run does not wait for the whole grace.
    played.play().ended(End::Exited(0)).printed("early\nlate\n").closed(Closed::Complete);
}

#[test]
fn both_streams_are_kept_apart() {
    let played = scene("--stdout out --stderr err").play().ended(End::Exited(0)).printed("out\n");
    assert_eq!(played.report.stderr.bytes, b"err\n");
}

#[test]
fn h7_runs_at_once_do_not_hold_each_others_pipes() {
    // A copy of another run's input end would keep its `--echo-stdin` from ever ending.
    let (sender, receiver) = std::sync::mpsc::channel();
    for number in 0..64u8 {
        let sender = sender.clone();
        let scene = scene("--echo-stdin").stdin(vec![number; 200_000]);
        run_in_background(scene.command, &Cancel::new(), move |report| {
            sender.send((number, report)).unwrap()
        });
    }
    for _ in 0..64 {
        let (number, report) = receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!((report.end, report.stdin), (End::Exited(0), Delivery::Delivered));
        assert!(report.stdout.bytes == vec![number; 200_000]);
    }
}
