//! How does a program meet a machine whose kernel lacks a call? The call is taken away from it, by a filter that answers in its place.
//! Knows no play.

use std::path::Path;
use std::process::Command;

/// Becomes a program behind a filter that answers calls of these numbers with an error.
pub(crate) const FILTER: &str = r#"
import ctypes, os, struct, sys
numbers, error, line = [int(it) for it in sys.argv[1].split(",")], int(sys.argv[2]), sys.argv[3:]
code = lambda op, true, false, value: struct.pack("HBBI", op, true, false, value)
steps = [code(0x20, 0, 0, 0)]
for at, number in enumerate(numbers):
    steps.append(code(0x15, len(numbers) - at, 0, number))
steps += [code(0x06, 0, 0, 0x7fff0000), code(0x06, 0, 0, 0x00050000 | error)]
text = ctypes.create_string_buffer(b"".join(steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(text)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
os.execv(line[0], line)
"#;
/// `landlock_create_ruleset`, `_add_rule`, `_restrict_self`: the same numbers on every machine.
pub(crate) const LANDLOCK: &str = "444,445,446";
/// How a kernel answers that does not know a call.
pub(crate) const ENOSYS: u32 = 38;

/// A program on such a machine.
pub(crate) fn behind(numbers: &str, error: u32, program: &Path) -> Command {
    let mut command = Command::new("/usr/bin/python3");
    command.args(["-I", "-c", FILTER, numbers, &error.to_string()]).arg(program);
    command
}
