//! What hooks do with their streams. A table; runs nothing.

use crate::chaos::plays::streams;
use crate::chaos::row::Hook::Fake;
use crate::chaos::row::{ALL, READING_MS, Required, Row, denies, fails, hangs, played};

const MEBIBYTE: usize = 1 << 20;

/// Standard output that is longer than what is kept.
const TOO_MUCH: &[&str] = &["output-too-large"];

pub(super) const ROWS: &[Row] = &[
    denies(1, "ok_deny", Fake(&["--read-all", "--stdout", "{deny}"])),
    denies(2, "never_reads_stdin", Fake(&["--stdout", "{deny}"])).padded(MEBIBYTE),
    hangs(3, "never_reads_and_sleeps", Fake(&["--sleep-ms", "30000"])).padded(MEBIBYTE),
    denies(4, "reads_1_byte", Fake(&["--read", "1", "--stdout", "{deny}"])).padded(MEBIBYTE),
    denies(5, "closes_stdin", Fake(&["--close-stdin", "--sleep-ms", "200", "--stdout", "{deny}"]))
        .padded(MEBIBYTE),
    fails(
        6,
        "writes_before_reading_1MB",
        Fake(&["--fill", "32", "1048576", "--read-all", "--stdout", "{deny}"]),
        TOO_MUCH,
    )
    .padded(MEBIBYTE),
    denies(
        6,
        "writes_before_reading_under_cap",
        Fake(&["--fill", "32", "900000", "--read-all", "--stdout", "{deny}"]),
    )
    .padded(MEBIBYTE),
    hangs(
        7,
        "closes_stdout_then_sleeps",
        Fake(&["--stdout", "{deny}", "--close-stdout", "--close-stderr", "--sleep-ms", "30000"]),
    )
    // It must have said so before its time is over.
    .given(5_000)
    .or(Required::DenyWith(&["timed-out"])),
    hangs(8, "dribble", Fake(&["--dribble", "100"])),
    hangs(9, "flood_stdout", Fake(&["--flood", "stdout"]))
        .or(Required::Policy(&["timed-out", "output-too-large"]))
        .takes(READING_MS)
        .flat(),
    hangs(9, "flood_stderr", Fake(&["--flood", "stderr"])).flat(),
    fails(
        10,
        "flood_200MB_then_deny",
        Fake(&["--fill", "0", "209715200", "--stdout", "{deny}"]),
        TOO_MUCH,
    )
    .takes(READING_MS)
    .flat(),
    denies(14, "bg_child_holds_stdout", Fake(&["--hold-stdout-ms", "30000", "--stdout", "{deny}"])),
    denies(
        15,
        "bg_child_holds_stderr_only",
        Fake(&["--hold-stderr-ms", "30000", "--stdout", "{deny}"]),
    ),
    denies(
        16,
        "bg_child_holds_stdin_only",
        Fake(&["--hold-stdin-ms", "30000", "--stdout", "{deny}"]),
    )
    .padded(MEBIBYTE),
    played(18, "dup_fd3", ALL, "deny in time, the leak is reported", streams::held_as_3),
    denies(19, "grandchild_floods_after_exit", Fake(&["--stdout", "{deny}", "--child-flood"]))
        .or(Required::DenyWith(&["text-after-answer", "output-too-large"]))
        .takes(READING_MS)
        .flat(),
];
