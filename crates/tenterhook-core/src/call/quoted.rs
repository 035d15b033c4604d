//! How is a text written so that a shell reads it as that text?

use tenterhook_shell::quote;

/// A program and its arguments as a line.
pub(super) fn line_of<'t>(program: &str, args: impl Iterator<Item = &'t String>) -> String {
    let mut line = if program.ends_with(' ') { program.to_owned() } else { quote(program) + " " };
    if program.is_empty() {
        line.clear();
    }
    for arg in args {
        line.push_str(&quote(arg));
        line.push(' ');
    }
    line.trim_end().to_owned()
}
