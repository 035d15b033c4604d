//! The lines of a session's history: how they are written and read. Knows nothing of what they mean.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{CallEnd, UnusableHistory};

/// One line of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line<'a> {
    Clear(Cow<'a, str>),
    Label(Cow<'a, str>),
    /// A counter, and how much is added.
    Count(Cow<'a, str>, u64),
    Call(WrittenCall<'a>),
    /// The result of a call, by the hash of its id.
    End(u64, CallEnd),
    Writes(Vec<Cow<'a, str>>),
    /// Files were written that are not remembered.
    Lacking(bool),
}

/// A call as its line has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCall<'a> {
    pub(super) id: u64,
    pub(super) tool: Cow<'a, str>,
    pub(super) kind: Cow<'a, str>,
    pub(super) programs: Vec<Cow<'a, str>>,
    pub(super) ended: CallEnd,
}

/// How the lines about calls begin, and those about files. They are most of a history, and few rules
/// ask for them.
pub(super) const CALL_LINES: &[&str] = &["{\"call\":", "{\"end\":"];
pub(super) const WRITE_LINES: &[&str] = &["{\"writes\":", "{\"lacking\":"];

/// Returns true if the line begins with one of `prefixes`.
pub(super) fn begins_with_any(line: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| line.starts_with(prefix))
}

impl<'a> Line<'a> {
    /// Parses a line.
    pub(super) fn parse(line: &'a str) -> Result<Self, UnusableHistory> {
        // The JSON reader takes ten times as long, and a history has hundreds of lines.
        if let Some(parsed) = Self::parse_usual_form(line) {
            return Ok(parsed);
        }
        let shown: String = line.chars().take(40).collect();
        serde_json::from_str(line)
            .map_err(|_| UnusableHistory(format!("its line `{}` is damaged", shown.escape_debug())))
    }

    /// Returns how the line of the call with that id begins.
    pub(super) fn call_prefix(id: u64) -> String {
        format!("{{\"call\":{{\"id\":{id},")
    }

    /// Parses a line as [`Self::push_to`] writes it; `None` if it has escapes or another form.
    fn parse_usual_form(line: &'a str) -> Option<Self> {
        let mut scanner = Scanner { rest: line };
        let mut begins_with = |prefix| scanner.skip(prefix).is_some();
        let parsed = if begins_with("{\"call\":") {
            Self::Call(scanner.take_call()?)
        } else if begins_with("{\"end\":[") {
            let id = scanner.take_number()?;
            scanner.skip(",")?;
            let ended = scanner.take_end()?;
            scanner.skip("]")?;
            Self::End(id, ended)
        } else if begins_with("{\"writes\":") {
            Self::Writes(scanner.take_texts()?)
        } else if begins_with("{\"label\":") {
            Self::Label(scanner.take_text()?)
        } else if begins_with("{\"clear\":") {
            Self::Clear(scanner.take_text()?)
        } else if begins_with("{\"count\":[") {
            let name = scanner.take_text()?;
            scanner.skip(",")?;
            let more = scanner.take_number()?;
            scanner.skip("]")?;
            Self::Count(name, more)
        } else {
            return None;
        };
        (scanner.rest == "}").then_some(parsed)
    }

    /// Appends the line to a text.
    pub(super) fn push_to(&self, text: &mut String) {
        // A line of texts and numbers can always be written.
        if let Ok(line) = serde_json::to_string(self) {
            text.push_str(&line);
            text.push('\n');
        }
    }
}

/// A line, as far as it was not read yet.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn skip(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// Takes a text without escapes.
    fn take_text(&mut self) -> Option<Cow<'a, str>> {
        self.skip("\"")?;
        let end = self.rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        self.skip("\"")?;
        Some(Cow::Borrowed(text))
    }

    fn take_texts(&mut self) -> Option<Vec<Cow<'a, str>>> {
        self.skip("[")?;
        let mut texts = Vec::new();
        while self.skip("]").is_none() {
            if !texts.is_empty() {
                self.skip(",")?;
            }
            texts.push(self.take_text()?);
        }
        Some(texts)
    }

    fn take_number(&mut self) -> Option<u64> {
        let end = self.rest.bytes().position(|byte| !byte.is_ascii_digit())?;
        let (digits, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        let is_usual = digits == "0" || !digits.starts_with('0');
        digits.parse().ok().filter(|_| is_usual)
    }

    fn take_end(&mut self) -> Option<CallEnd> {
        let label = self.take_text()?;
        CallEnd::ALL.into_iter().find(|end| end.label() == label)
    }

    fn take_call(&mut self) -> Option<WrittenCall<'a>> {
        self.skip("{\"id\":")?;
        let id = self.take_number()?;
        self.skip(",\"tool\":")?;
        let tool = self.take_text()?;
        self.skip(",\"kind\":")?;
        let kind = self.take_text()?;
        self.skip(",\"programs\":")?;
        let programs = self.take_texts()?;
        self.skip(",\"ended\":")?;
        let ended = self.take_end()?;
        self.skip("}")?;
        Some(WrittenCall { id, tool, kind, programs, ended })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<Line<'static>> {
        let call = |tool: &'static str, programs: &[&'static str]| {
            let programs = programs.iter().map(|name| Cow::Borrowed(*name)).collect();
            let (id, kind) = (u64::MAX, "shell".into());
            Line::Call(WrittenCall { id, tool: tool.into(), kind, programs, ended: CallEnd::Ran })
        };
        vec![
            Line::Clear("a b".into()),
            Line::Label("a/b".into()),
            Line::Count("n".into(), 0),
            Line::Count("n".into(), 907),
            call("Bash", &["git", "cargo"]),
            call("mcp__\u{e4}__x", &[]),
            Line::End(10, CallEnd::Denied),
            Line::Writes(vec!["/p/a".into(), "/p/b c".into()]),
            Line::Writes(Vec::new()),
        ]
    }

    /// SS-21: both readers take the same lines, and read the same in them.
    #[test]
    fn readers_agree_about_whole_and_damaged_lines() {
        for line in lines() {
            let mut text = String::new();
            line.push_to(&mut text);
            let text = text.trim_end();
            assert_eq!(Line::parse_usual_form(text).as_ref(), Some(&line), "{text}");
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (before, after) = text.split_at(at);
                let mut rest = after.chars();
                rest.next();
                let rest = rest.as_str();
                let damaged =
                    ["", "\"", "\\", "0", " ", "\u{1}", "}", ",", "]", "\u{e4}"].map(|more| {
                        [format!("{before}{more}{after}"), format!("{before}{more}{rest}")]
                    });
                for damaged in damaged.as_flattened().iter().chain([&before.to_owned()]) {
                    if let Some(parsed) = Line::parse_usual_form(damaged) {
                        let strict: Line<'_> = serde_json::from_str(damaged).expect(damaged);
                        assert_eq!(parsed, strict, "{damaged}");
                    }
                }
            }
        }
    }

    #[test]
    fn texts_with_escapes_are_read() {
        for line in [Line::Writes(vec!["/p/\"a\"\n\\".into()]), Line::Lacking(true)] {
            let mut text = String::new();
            line.push_to(&mut text);
            assert_eq!(Line::parse_usual_form(text.trim_end()), None);
            assert_eq!(Line::parse(text.trim_end()), Ok(line));
        }
    }
}
