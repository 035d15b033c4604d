//! What hooks must not read, reach or hold. A table; runs nothing.

use crate::chaos::plays::{host, privilege};
use crate::chaos::row::Hook::{Refused, Shell};
use crate::chaos::row::{ALL, CONFINED, Cell, ISOLATED, OPEN, PORTS, Row, denies, played};

const fn refused(number: u8, name: &'static str, tries: &'static str) -> Row {
    denies(number, name, Refused(tries)).in_cells(CONFINED).takes(1_000)
}

/// The same with a port of TCP granted: what else leads out stays shut.
const fn beside_a_port(name: &'static str, tries: &'static str) -> Row {
    refused(51, name, tries).granting(r#", net = ["tcp:443"]"#).in_cells(PORTS)
}

/// Where its parent is the host.
const UNISOLATED: &[Cell] = &[Cell::Landlock];
const UDP: &str = "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', 53))";
const FAST_OPEN: &str = "socket.socket(2, 1).sendto(b'x', 0x20000000, ('127.0.0.1', 443))";
const MPTCP: &str = "socket.socket(2, 1, 262).connect(('127.0.0.1', 443))";
const KEY: &str = "mkdir -p ~/.ssh; echo key >~/.ssh/id;";

pub(super) const ROWS: &[Row] = &[
    refused(30, "kill_parent", "os.kill(os.getppid(), signal.SIGKILL)").in_cells(UNISOLATED),
    refused(30, "ptrace_parent", "call('ptrace', 16, os.getppid(), 0, 0)"),
    refused(30, "stop_parent", "os.kill(os.getppid(), signal.SIGSTOP)").in_cells(UNISOLATED),
    // Its parent is process 1, on which a signal from within is lost.
    denies(30, "kill_first", Shell("kill -9 1; kill -STOP 1; kill -9 $PPID; echo '{deny}'"))
        .in_cells(ISOLATED),
    played(49, "setuid_program", ALL, "no privilege is gained in a sandbox", privilege::setuid),
    refused(50, "reads_a_key", "open('{home}/.ssh/id').read()").behind(KEY),
    refused(50, "lists_the_keys", "os.listdir('{home}/.ssh')").behind(KEY),
    refused(
        50,
        "reads_the_environment_of_its_host",
        "open('/proc/%d/environ' % os.getppid()).read()",
    ),
    denies(50, "dumps_its_environment", Shell("env | grep -q swordfish || echo '{deny}'")),
    refused(51, "exfil_tcp", "socket.socket(2, 1).connect(('127.0.0.1', 443))"),
    refused(51, "exfil_udp_dns", UDP),
    refused(51, "exfil_fast_open", FAST_OPEN),
    refused(51, "exfil_mptcp", MPTCP),
    refused(51, "exfil_unix_pathname", "socket.socket(1, 1).connect('/run/none.sock')"),
    refused(51, "exfil_unix_abstract", r"socket.socket(1, 1).connect('\0none')"),
    refused(51, "exfil_io_uring", "call(425, 1, ctypes.create_string_buffer(256))"),
    refused(51, "exfil_vsock", "socket.socket(40, 1)"),
    refused(51, "exfil_netlink", "socket.socket(16, 3, 0)"),
    beside_a_port("exfil_udp_beside_a_port", UDP),
    beside_a_port("exfil_fast_open_beside_a_port", FAST_OPEN),
    beside_a_port("exfil_mptcp_beside_a_port", MPTCP),
    denies(
        53,
        "fd_probe",
        Shell("[ \"$({fake} --list-fds | tr '\\n' ' ')\" = '0 1 2 ' ] && echo '{deny}'"),
    )
    .behind("exec 7</etc/passwd 8>/dev/null;"),
    denies(
        57,
        "leaves_temp_files",
        Shell("mkdir -p \"$TMPDIR/deep/er\"; echo x >\"$TMPDIR/deep/er/file\"; echo '{deny}'"),
    )
    .in_cells(CONFINED)
    .also(host::nothing_is_left),
    played(57, "leaves_temp_files", OPEN, "per-run directory removed", host::leaves_temp_files),
];
