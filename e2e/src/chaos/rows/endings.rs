//! How hooks end, or do not: time, signals, exit codes, starts. A table; runs nothing.

use crate::chaos::plays::{clock, codes};
use crate::chaos::row::Hook::{Entry, Fake, Python, Shell};
use crate::chaos::row::{ALL, CONFINED, Required, Row, denies, fails, hangs, played};

const SIGNALLED: &[&str] = &["signalled"];
const NOT_STARTED: &[&str] = &["not-started"];

/// The engine has a terminal, as in an agent.
const TERMINAL: &str = r#"exec /usr/bin/python3 -c 'import fcntl, os, pty, sys, termios
os.setsid()
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
os.close(os.open("/dev/tty", os.O_RDWR))
os.set_inheritable(master, True)
os.execv(sys.argv[1], sys.argv[1:])' {fire}"#;

pub(super) const ROWS: &[Row] = &[
    hangs(11, "ignores_sigterm", Fake(&["--ignore-term", "--sleep-ms", "30000"])),
    hangs(12, "ignores_all_signals", Fake(&["--ignore-all", "--sleep-ms", "30000"])),
    hangs(13, "stops_itself", Fake(&["--stop-self", "--sleep-ms", "30000"])),
    hangs(24, "tight_cpu_loop", Fake(&["--spin"])),
    fails(24, "tight_cpu_loop_behind_a_limit", Fake(&["--spin"]), SIGNALLED)
        .granting(r#", cpu = "1s""#)
        .in_cells(CONFINED)
        .takes(4_000),
    hangs(
        26,
        "partial_json_then_hang",
        Fake(&["--raw", r#"{"decision":"de"#, "--sleep-ms", "30000"]),
    ),
    hangs(26, "allow_then_hang", Fake(&["--stdout", "{allow}", "--sleep-ms", "30000"])),
    fails(27, "exit_by_sigsegv", Fake(&["--kill-self", "11"]), SIGNALLED).also(codes::no_core),
    fails(
        28,
        "allow_then_kill_self",
        Fake(&["--stdout", "{allow}", "--kill-self", "9"]),
        SIGNALLED,
    ),
    fails(29, "kills_own_group", Fake(&["--stdout", "{deny}", "--kill-group"]), &[])
        .or(Required::DenyOr(SIGNALLED)),
    fails(48, "enoexec", Entry(r#"run = ["{project}/plain"]"#), NOT_STARTED)
        .also(codes::says_what_failed)
        .behind("printf 'echo no\n' >plain; chmod 755 plain;"),
    fails(48, "missing_interpreter", Entry(r#"run = ["{project}/script"]"#), NOT_STARTED)
        .also(codes::says_what_failed)
        .behind("printf '#!/none/interpreter\n' >script; chmod 755 script;"),
    fails(48, "missing_program", Entry(r#"run = ["{project}/none"]"#), NOT_STARTED)
        .also(codes::says_what_failed),
    played(54, "exit_codes_0_to_255", ALL, "0 silent, 2 denies, others -> deny", codes::every_code),
    denies(55, "exit0_deny_json", Fake(&["--stdout", "{deny}", "--exit", "0"])),
    fails(
        55,
        "exit2_allow_json",
        Fake(&["--stdout", "{allow}", "--exit", "2"]),
        &["answer-against-exit"],
    ),
    fails(55, "exit1_deny_json", Fake(&["--stdout", "{deny}", "--exit", "1"]), &[])
        .or(Required::DenyWith(&["wrong-exit-code"])),
    fails(55, "exit1_allow_json", Fake(&["--stdout", "{allow}", "--exit", "1"]), &["exit-code"]),
    denies(56, "slow_start", Shell("sleep 2; exec {fake} --stdout '{deny}'")).takes(2_250),
    played(
        56,
        "slow_start_past_the_budget",
        ALL,
        "timed-out -> deny at 1 s of 10",
        codes::slow_start,
    ),
    played(63, "clock_step", ALL, "deadlines unaffected", clock::steps_back).given(1_500),
    denies(
        52,
        "tty_grab",
        Python(
            r#"
import errno, fcntl, os, sys, termios
try:
    os.open("/dev/tty", os.O_RDWR)
    sys.exit("a terminal")
except OSError as error:
    assert error.errno in (errno.ENXIO, errno.EACCES, errno.ENOENT), error
for fd in range(3):
    try:
        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
        sys.exit("typed")
    except OSError:
        pass
print('{deny}')
"#,
        ),
    )
    .behind(TERMINAL)
    .takes(1_000),
];
