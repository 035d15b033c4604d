//! Which sessions are there to go on with? Their files, when they were last written, and what they began with.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Line;
use crate::conversation::{Author, Message};
use crate::{file, hooks};

/// How many are listed.
const MOST: usize = 30;
/// How much of a file is read for its first words.
const HEAD: u64 = 256 << 10;
/// How many characters of them are shown.
const WORDS: usize = 60;

/// Returns the transcripts in the same directory, the last written first, without those of
/// subagents.
pub(crate) fn sibling_transcripts(path: &Path) -> Vec<(SystemTime, PathBuf)> {
    let entries =
        path.parent().and_then(|parent| std::fs::read_dir(parent).ok()).into_iter().flatten();
    let of_session = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_suffix(".jsonl").is_some_and(|stem| !stem.contains('.'))
    };
    let mut found: Vec<_> = entries
        .flatten()
        .filter(|entry| of_session(&entry.path()))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    found.sort();
    found.reverse();
    found.truncate(MOST);
    found
}

/// Returns a page that lists the transcripts: number, date, first words, file.
pub(crate) fn transcripts_page(own: &Path) -> String {
    let mut lines = Vec::new();
    for (at, (written, path)) in sibling_transcripts(own).iter().enumerate() {
        // `Sun, 06 Nov 1994 08:49:37 GMT`: the day and the time of it.
        let date = httpdate::fmt_http_date(*written);
        let date = date.get(5..22).unwrap_or(&date);
        let this = if path == own { "  (this session)" } else { "" };
        lines.push(format!("{:>2}  {date}  {}{this}", at + 1, first_prompt_words(path)));
        lines.push(format!("{:4}{}", "", path.display()));
    }
    lines.push(String::new());
    lines.push("`/resume N` goes on with one of them, `/resume FILE` with any other.".to_owned());
    lines.join("\n")
}

/// Returns the beginning of the user's first prompt.
fn first_prompt_words(path: &Path) -> String {
    let Ok(file) = file::open(path) else { return "(cannot be read)".to_owned() };
    let lines = BufReader::new(file.take(HEAD)).lines().map_while(Result::ok);
    let mut texts = lines.filter_map(|line| match serde_json::from_str(&line) {
        Ok(Line::Message(Message::User { text, author: Author::User, .. })) => Some(text),
        _ => None,
    });
    let Some(text) = texts.find(|text| !text.trim().is_empty()) else {
        return "(no messages)".to_owned();
    };
    let text = hooks::strip_control_text(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(WORDS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Transcript;

    /// AG-45.
    #[test]
    fn session_line_has_its_date_and_first_words() {
        let room = tenterhook_testkit::Sandbox::new().unwrap();
        let [one, two] = ["one.jsonl", "two.jsonl"].map(|text| room.project().join(text));
        let transcript = Transcript::open(&one).unwrap();
        transcript
            .add_line(&Line::Message(Message::from_user("find the\n bug \u{1b}[2Jnow", Vec::new())))
            .unwrap();
        transcript.add_line(&Line::Message(Message::from_user("and then", Vec::new()))).unwrap();
        Transcript::open(&two).unwrap();
        Transcript::open(&one.with_extension("call-1.jsonl")).unwrap();
        assert_eq!(sibling_transcripts(&one).len(), 2, "a subagent has no separate line");
        let page = transcripts_page(&two);
        assert!(page.contains("find the bug now\n"), "{page}");
        assert!(page.contains("(no messages)  (this session)"), "{page}");
        assert!(page.contains(" GMT") || page.contains(':'), "{page}");
    }
}
