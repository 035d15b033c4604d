//! Programs that say too much (zoo 9, 10).

use tenterhook_process::{Closed, End};

use crate::scene::{SHORT, scene};

/// Resident bytes of this process.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}

///
#[test]
fn zoo_09_a_flood_of_stdout_is_counted_not_kept() {
    let before = resident();
    let played = scene("--flood stdout").timeout(SHORT).play().ended(End::TimedOut);
    let grown = resident().saturating_sub(before);
    assert_eq!(played.report.stdout.bytes.len(), 1 << 20);
    assert!(played.report.stdout.dropped > 1 << 20);
    // Other tests share this process; 1.4 GB is what keeping it all costs.
    assert!(grown < 64 << 20, "grew by {grown} bytes");
    played.closed(Closed::Truncated);
}

#[test]
fn zoo_09_a_flood_of_stderr_too() {
    let played = scene("--flood stderr").timeout(SHORT).play().ended(End::TimedOut);
    assert_eq!(played.report.stderr.bytes.len(), 256 << 10);
    assert_eq!(played.report.stderr.closed, Closed::Truncated);
}

///
#[test]
fn zoo_10_an_answer_after_200_mib_is_not_in_what_is_kept() {
    let played = scene("--fill 0 209715200 --stdout deny").play().ended(End::Exited(0));
    assert_eq!(played.report.stdout.bytes.len(), 1 << 20);
    assert_eq!(played.report.stdout.dropped, (200 << 20) + 5 - (1 << 20));
    played.closed(Closed::Truncated);
}

#[test]
fn a_limit_of_nothing_counts_everything() {
    let played =
        scene("--raw abc").with(|command| command.limits.stdout = 0).play().ended(End::Exited(0));
    assert_eq!((played.report.stdout.bytes.len(), played.report.stdout.dropped), (0, 3));
}
