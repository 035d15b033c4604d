//! What a page of documentation shows: its blocks, what they are for, and what comes out when each is played. Reads Markdown;
//! knows no engine.
//!
//! A block of `sh` is run, and of `console` run and compared. Comments before a block say what the reader knows from the text
//! around it:
//!
//! | comment | means |
//! |---|---|
//! | `<!-- file: NAME -->` | the block is written into this file |
//! | `<!-- output of: COMMAND -->` | the block is a part of what the command prints |
//! | `<!-- in: DIRECTORY -->` | it is run there |
//! | `<!-- ends with: CODE -->` | `tenterhook` ends with this code, which is no outcome's code |
//! | `<!-- needs: PROGRAM -->` | it is run where this program is there for certain |
//! | `<!-- unapproved: REASON -->` | the project's hooks are not approved before it is run |
//! | `<!-- not run: REASON -->` | it is not run |
//!
//! Elsewhere a reader has looked at their own hooks with `tenterhook trust`, as the pages say.

mod pages;
mod play;

pub use pages::{pages, playground};
pub use play::{Played, Playground, play};

/// What a comment says of the block after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// It is written into this file.
    File(String),
    /// It is a part of what this command prints.
    OutputOf(String),
    /// It is run in this directory.
    In(String),
    /// The program ends with this code in it.
    EndsWith(String),
    /// It is run where this program is there.
    Needs(String),
    /// The project's hooks are not approved, for this reason.
    Unapproved(String),
    /// It is not run, for this reason.
    NotRun(String),
}

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line of its fence, from one.
    pub line: usize,
    /// The text after the fence: `sh`, `console`, `toml cases`.
    pub info: String,
    /// Its text.
    pub text: String,
    /// What comments before it say.
    pub notes: Vec<Note>,
}

/// How a comment begins, and what is made of its rest.
type Marker = (&'static str, fn(String) -> Note);

const NOTES: &[Marker] = &[
    ("file:", Note::File),
    ("output of:", Note::OutputOf),
    ("in:", Note::In),
    ("ends with:", Note::EndsWith),
    ("needs:", Note::Needs),
    ("unapproved:", Note::Unapproved),
    ("not run:", Note::NotRun),
];

/// The fenced blocks of a page, in order. A comment counts for the next block, with nothing but blank lines between.
#[must_use]
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut notes = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let bare = line.trim_start();
        let Some(info) = bare.strip_prefix("```") else {
            match note(bare) {
                Some(note) => notes.push(note),
                None if bare.is_empty() => {}
                None => notes.clear(),
            }
            continue;
        };
        let indent = line.len() - bare.len();
        let inside = lines.by_ref().map(|(_, line)| line);
        let text: String = inside
            .take_while(|line| line.trim() != "```")
            .flat_map(|line| [line.get(indent..).unwrap_or_default(), "\n"])
            .collect();
        let info = info.trim().to_owned();
        blocks.push(Block { line: at + 1, info, text, notes: std::mem::take(&mut notes) });
    }
    blocks
}

fn note(line: &str) -> Option<Note> {
    let said = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    NOTES.iter().find_map(|(word, make)| Some(make(said.strip_prefix(word)?.trim().to_owned())))
}

/// The commands of a `console` block, each with what it prints.
#[must_use]
pub fn commands(console: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in console.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => {}
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_the_comments_before_it() {
        let page = "x\n<!-- in: a -->\nwords\n<!-- file: b.toml -->\n\n<!-- needs: node -->\n```toml cases\n[x]\n```\n  ```sh\n  ls\n  ```\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2);
        let [first, second] = found.as_slice() else { return };
        assert_eq!(
            (first.line, first.info.as_str(), first.text.as_str()),
            (7, "toml cases", "[x]\n")
        );
        assert_eq!(first.notes, [Note::File("b.toml".to_owned()), Note::Needs("node".to_owned())]);
        assert_eq!((second.text.as_str(), second.notes.as_slice()), ("ls\n", &[][..]));
    }

    #[test]
    fn a_console_has_commands_and_what_they_print() {
        let found = commands("$ a\nx\n\ny\n$ b\n");
        assert_eq!(
            found,
            [("a".to_owned(), "x\n\ny\n".to_owned()), ("b".to_owned(), String::new())]
        );
    }
}
