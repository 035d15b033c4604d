//! Parses one of git's settings files as git does. Follows and opens nothing; skips what git would
//! refuse.

use std::iter::Peekable;
use std::rc::Rc;
use std::str::Chars;

/// One setting: `[section "sub"] name = value`, the section and the name in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Setting {
    /// Shared by all settings of the section, of which there may be many.
    pub(super) section: Rc<str>,
    pub(super) sub: Rc<str>,
    pub(super) name: String,
    pub(super) value: String,
}

/// The settings of the text, in order.
pub(super) fn parse_settings(text: &str) -> Vec<Setting> {
    let mut reader = text.chars().peekable();
    let (mut section, mut sub): (Rc<str>, Rc<str>) = ("".into(), "".into());
    let mut all = Vec::new();
    while let Some(next) = reader.peek().copied() {
        match next {
            '#' | ';' => skip_line(&mut reader),
            '[' => {
                let (name, below) = parse_section_header(&mut reader);
                (section, sub) = (name.into(), below.into());
            }
            c if c.is_alphanumeric() => {
                let (section, sub) = (Rc::clone(&section), Rc::clone(&sub));
                let (name, value) = parse_entry(&mut reader);
                all.push(Setting { section, sub, name, value });
            }
            _ => drop(reader.next()),
        }
    }
    all
}

type Reader<'t> = Peekable<Chars<'t>>;

fn skip_line(reader: &mut Reader<'_>) {
    let _ = reader.find(|c| *c == '\n');
}

/// Parses `[section "sub"]`, or the older form `[section.sub]`. An entry may follow on the same
/// line.
fn parse_section_header(reader: &mut Reader<'_>) -> (String, String) {
    let (mut name, mut sub, mut is_quoted) = (String::new(), String::new(), false);
    reader.next();
    while let Some(c) = reader.next() {
        match c {
            '\n' => break,
            ']' if !is_quoted => break,
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => sub.extend(reader.next()),
            _ if is_quoted => sub.push(c),
            _ => name.push(c),
        }
    }
    let name = name.trim().to_lowercase();
    match name.split_once('.') {
        Some((section, old)) if sub.is_empty() => (section.to_owned(), old.to_owned()),
        _ => (name, sub),
    }
}

/// Parses `name = value`; an entry without a value names no file.
fn parse_entry(reader: &mut Reader<'_>) -> (String, String) {
    let mut name = String::new();
    while let Some(c) = reader.next_if(|c| !matches!(c, '=' | '\n' | '#' | ';')) {
        name.push(c);
    }
    let value = match reader.next_if(|c| *c == '=') {
        Some(_) => parse_value(reader),
        None => String::new(),
    };
    (name.trim().to_lowercase(), value)
}

fn parse_value(reader: &mut Reader<'_>) -> String {
    let (mut value, mut is_quoted, mut end) = (String::new(), false, 0);
    while let Some(c) = reader.next() {
        match c {
            '\n' => break,
            '#' | ';' if !is_quoted => {
                skip_line(reader);
                break;
            }
            '"' => is_quoted = !is_quoted,
            '\\' => match reader.next() {
                Some('\n') | None => {}
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
            },
            _ if value.is_empty() && c.is_whitespace() && !is_quoted => {}
            _ => value.push(c),
        }
        // White space at the end is part of the value if it was quoted.
        if is_quoted || !c.is_whitespace() {
            end = value.len();
        }
    }
    value.truncate(end);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        for (text, expected) in [
            ("[core]\n\thooksPath = a b ; c\n", ("core", "", "hookspath", "a b")),
            ("[Include] path=x # y\n", ("include", "", "path", "x")),
            (
                "[includeIf \"gitdir:/a]b\"]\r\n path = \"x;y\" \r\n",
                ("includeif", "gitdir:/a]b", "path", "x;y"),
            ),
            (
                "[diff.One]\ntextconv = sh \\\n  \"a \\\"b\"",
                ("diff", "one", "textconv", "sh   a \"b"),
            ),
            ("# [a] b = c\n[d \"e\\\"f\"]\n# x\ng", ("d", "e\"f", "g", "")),
        ] {
            let (section, sub, name, value) = expected;
            let own = |name: &str| name.to_owned();
            let (section, sub) = (section.into(), sub.into());
            let expected = Setting { section, sub, name: own(name), value: own(value) };
            assert_eq!(parse_settings(text), [expected], "{text}");
        }
        for text in ["", "[", "[a", "[a \"", "a = \"", "a = \\", "=", "]\n=\n"] {
            let _ = parse_settings(text);
        }
    }
}
