//! How is a text written so that a shell reads it as that text?

/// A word that a shell reads as this text.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:@%,~".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A program and its arguments as a line.
pub(super) fn line_of<'t>(program: &str, args: impl Iterator<Item = &'t String>) -> String {
    let mut line = if program.ends_with(' ') { program.to_owned() } else { quoted(program) + " " };
    if program.is_empty() {
        line.clear();
    }
    for arg in args {
        line.push_str(&quoted(arg));
        line.push(' ');
    }
    line.trim_end().to_owned()
}
