//! Which path does a text of a tool's input stand for? By its letters: addresses of files, variables for the home, separators of
//! Windows. Looks at no file.

use std::borrow::Cow;

/// Longest text that can be a path.
const LONGEST: usize = 4 * 1024;

/// Schemes whose addresses name no file of this machine.
const REMOTE: &[&str] = &[
    "data",
    "ftp",
    "ftps",
    "git",
    "gs",
    "http",
    "https",
    "javascript",
    "mailto",
    "s3",
    "sftp",
    "ssh",
    "urn",
    "ws",
    "wss",
];

/// How a home is written where no shell fills it in.
const HOMES: &[&str] = &["$HOME", "${HOME}", "$env:HOME", "%USERPROFILE%", "$env:USERPROFILE"];

/// Returns the path that a text stands for; `None` if the text has several lines or is an address
/// of another machine.
pub(in crate::call) fn path_in_text(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    // Programs end a path at its first NUL, and some take its quotes away.
    let text = text.split('\0').next().unwrap_or_default();
    let bare = text.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    let text = bare.unwrap_or(text);
    if text.is_empty() || text.len() > LONGEST || text.contains('\n') {
        return None;
    }
    let path = match split_scheme(text) {
        Some((scheme, _)) if REMOTE.contains(&scheme.to_ascii_lowercase().as_str()) => return None,
        Some((_, rest)) => percent_decode(path_of_address(rest)),
        None if has_percent_escapes(text) => {
            Cow::Owned(percent_decode(&percent_decode(text)).into_owned())
        }
        None => Cow::Borrowed(text),
    };
    Some(normalize_path(path))
}

/// Returns `true` if a path has percent-encoded dots or slashes, encoded once or twice.
fn has_percent_escapes(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    ["%2e", "%2f", "%5c", "%252e", "%252f"].iter().any(|code| small.contains(code))
}

/// Splits an address into its scheme and the rest. A single letter is a drive, not a scheme.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let is_address =
        rest.starts_with("//") || scheme.eq_ignore_ascii_case("file") || REMOTE.contains(&scheme);
    (is_scheme && is_address).then_some((scheme, rest))
}

/// Returns the part of an address after its host and before its query.
fn path_of_address(rest: &str) -> &str {
    let path = match rest.strip_prefix("//") {
        Some(rest) if rest.starts_with(['/', '.', '~']) => rest,
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(rest),
        None => rest,
    };
    path.split(['?', '#']).next().unwrap_or(path)
}

/// Replaces percent escapes such as `%2E` with the characters that they encode.
fn percent_decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(code) => {
                bytes.push(code);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Returns the path with `/` as separator, `~` for the home directory, and without a line number at
/// its end.
fn normalize_path(path: Cow<'_, str>) -> Cow<'_, str> {
    let home = HOMES.iter().find_map(|home| path.strip_prefix(home));
    let home = home
        .filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
        .map(|rest| format!("~{rest}"));
    let path = home.map_or(path, Cow::Owned);
    let path = if path.contains('\\') { Cow::Owned(path.replace('\\', "/")) } else { path };
    let is_line = |c: char| c.is_ascii_digit() || c == ':';
    let end = path.trim_end_matches(is_line).len();
    match path.get(end..) {
        Some(line) if line.starts_with(':') && line.len() > 1 => {
            Cow::Owned(path.get(..end).unwrap_or_default().to_owned())
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_for_the_path_that_it_spells() {
        for (text, path) in [
            ("a/b.rs", "a/b.rs"),
            (" /a/b ", "/a/b"),
            ("file:///a/b", "/a/b"),
            ("file://localhost/a/b", "/a/b"),
            ("file:/a/b", "/a/b"),
            ("file:.claude/x", ".claude/x"),
            ("file://.claude/x", ".claude/x"),
            ("file:///a/%2Eb%2", "/a/.b%2"),
            ("file:///a/b#L1", "/a/b"),
            ("vscode-file://vscode-app/a/b", "/a/b"),
            ("$HOME/x", "~/x"),
            ("${HOME}", "~"),
            ("$HOMES/x", "$HOMES/x"),
            (".claude\\settings.json", ".claude/settings.json"),
            ("C:\\a", "C:/a"),
            ("/a/b.rs:12:3", "/a/b.rs"),
            ("a:b", "a:b"),
            ("%2Eclaude%2Fx", ".claude/x"),
            ("%252Eclaude/x", ".claude/x"),
            ("a/100%.txt", "a/100%.txt"),
            ("a/b\0.txt", "a/b"),
            ("'a/b'", "a/b"),
        ] {
            assert_eq!(path_in_text(text).as_deref(), Some(path), "{text}");
        }
        for text in ["", "a\nb", "https://example.com/a", "HTTP://x/y", "data:text/plain,x"] {
            assert_eq!(path_in_text(text), None, "{text}");
        }
    }
}
