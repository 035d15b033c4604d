//! How is a text written so that a shell reads it as that text?

use tenterhook_shell::quote_word;

/// Returns a program and its arguments as a shell line, with quotes.
pub(super) fn quote_command_line<'t>(
    program: &str,
    args: impl Iterator<Item = &'t String>,
) -> String {
    let mut line =
        if program.ends_with(' ') { program.to_owned() } else { quote_word(program) + " " };
    if program.is_empty() {
        line.clear();
    }
    for arg in args {
        line.push_str(&quote_word(arg));
        line.push(' ');
    }
    line.trim_end().to_owned()
}
