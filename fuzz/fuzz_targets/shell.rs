//! Any text is a shell line: it is read in bounded time, and what each command says can be asked.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    let read = tenterhook_shell::parse_line(line);
    for command in read.commands_as_written() {
        let _ = (command.program_name(), command.unquoted_text(), command.source());
    }
});
