//! Splits a command as Hermes does, with Python's `shlex`: quotes and backslashes have their
//! meaning of a shell, and no other character has one (HE-7). Runs nothing.

use std::path::Path;

/// Returns the words of a command, with `~` at its beginning as the home; `None` if a quote is not
/// closed.
pub(super) fn split_command(text: &str, home: &Path) -> Option<Vec<String>> {
    let text = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.to_string_lossy())
        }
        _ => text.to_owned(),
    };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '\'' => read_quoted(&mut chars, word.get_or_insert_default())?,
            '"' => read_double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Reads to the closing quote, as written.
fn read_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '\'' => return Some(()),
            c => word.push(c),
        }
    }
}

/// Reads to the closing quote; a backslash escapes only a quote and a backslash.
fn read_double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '\\' => match chars.next()? {
                c @ ('"' | '\\') => word.push(c),
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HE-7: the results of `shlex.split(os.path.expanduser(text))` in Python 3.12.
    #[test]
    fn command_is_split_as_shlex_does() {
        for (text, expected) in [
            ("a  b\tc\nd", Some(&["a", "b", "c", "d"][..])),
            ("~/h.py x ~/y", Some(&["/home/u/h.py", "x", "~/y"])),
            ("sh -c 'a || b; c'", Some(&["sh", "-c", "a || b; c"])),
            (r"sh -c 'it'\''s'", Some(&["sh", "-c", "it's"])),
            (r#"a "b \" \\ \n $x" ''"#, Some(&["a", r#"b " \ \n $x"#, ""])),
            (r"a\ b \'c", Some(&["a b", "'c"])),
            ("a || b # c", Some(&["a", "||", "b", "#", "c"])),
            ("a 'b", None),
            ("a \"b", None),
            ("a \\", None),
            ("", Some(&[])),
        ] {
            let words = split_command(text, Path::new("/home/u"));
            let words = words.as_ref().map(|words| words.iter().map(String::as_str).collect());
            assert_eq!(words, expected.map(<[&str]>::to_vec), "{text}");
        }
    }
}
