//! What hooks start, and what they do to their machine. A table; runs nothing.

use crate::chaos::plays::host;
use crate::chaos::row::Hook::{Fake, Python, Shell};
use crate::chaos::row::{CONFINED, ISOLATED, LIMITS, Limits, Row, denies, fails, hangs};

const FEW: Limits = Limits { processes: Some(200), ..LIMITS };
const LITTLE_MEMORY: Limits = Limits { address_space_kib: 512 << 10, ..LIMITS };
const SMALL_FILES: Limits = Limits { file_kib: 8 << 10, ..LIMITS };

const BOMB: &str = r"
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
";
/// Denies where the bomb went out at the number that it was granted.
const COUNTS: &str = r#"
import os, signal
count = 1
try:
    while True:
        if os.fork() == 0:
            signal.pause()
        count += 1
except OSError:
    pass
print('{deny}' if 30 < count <= 40 else '{allow}')
"#;
const EATS: &str = r#"
kept = []
while True:
    kept.append(bytearray(16 << 20))
"#;
const FILLS: &str = r#"
import os
with open(os.environ["TMPDIR"] + "/full", "wb") as file:
    while True:
        file.write(bytes(1 << 20))
        file.flush()
"#;
pub(super) const ROWS: &[Row] = &[
    denies(
        17,
        "setsid_daemon",
        Fake(&["--read-all", "--setsid-daemon", "30000", "--stdout", "{deny}"]),
    )
    .takes(500),
    denies(
        17,
        "double_fork",
        Fake(&["--read-all", "--quiet-daemon", "30000", "--stdout", "{deny}"]),
    )
    .takes(500),
    denies(
        17,
        "daemon_without_environment",
        Fake(&["--read-all", "--bare-daemon", "30000", "--stdout", "{deny}"]),
    )
    .takes(500),
    hangs(
        17,
        "daemon_of_a_hook_that_hangs",
        Fake(&["--setsid-daemon", "30000", "--sleep-ms", "30000"]),
    )
    .takes(500),
    hangs(20, "spawn_1000_children", Fake(&["--spawn", "1000", "--sleep-ms", "30000"])).takes(500),
    hangs(21, "fork_chain_respawner", Fake(&["--fork-chain", "100000", "--sleep-ms", "30000"]))
        .takes(500),
    hangs(
        21,
        "session_chain_respawner",
        Fake(&["--setsid-chain", "100000", "--sleep-ms", "30000"]),
    )
    .takes(500),
    hangs(22, "fork_bomb", Python(BOMB)).within(FEW).takes(1_000).also(host::still_starts),
    denies(22, "fork_bomb_at_its_number", Python(COUNTS))
        .granting(", processes = 40")
        .within(FEW)
        .in_cells(ISOLATED)
        .takes(1_000),
    fails(23, "mem_bomb", Python(EATS), &["exit-code", "signalled"])
        .within(LITTLE_MEMORY)
        .takes(3_000),
    fails(23, "mem_bomb_behind_a_limit_of_its_own", Python(EATS), &["exit-code", "signalled"])
        .granting(", memory = 268435456")
        .in_cells(CONFINED)
        .takes(3_000),
    denies(
        23,
        "mem_bomb_is_ended_before_its_host",
        Shell("[ $(cat /proc/self/oom_score_adj) -ge 800 ] && echo '{deny}'"),
    ),
    fails(25, "fill_disk", Python(FILLS), &["exit-code", "signalled"])
        .within(SMALL_FILES)
        .takes(2_000)
        .also(host::own_directory_is_gone),
];
