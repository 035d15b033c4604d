//! Decides whether an unlisted program starts a shell that reads its standard input. A table, and a
//! walk over words (S-67).

use super::super::word::{Word, WordKind};
use super::super::wrapper;
use super::program::has_subcommands;
use super::table::{is_subcommand_running_words, takes_text_operands};

/// Programs that start a shell, the words that make them do so, how many operands may follow, and their options with values.
const STARTING: &str = include_str!("shells.txt");

/// Returns whether the input of a command is code: one of its words is a shell without a script, or
/// starts one.
pub(super) fn runs_input_as_code(name: &str, words: &[Word]) -> bool {
    if takes_text_operands(name) || wrapper::is_shell_name(name) {
        return false;
    }
    let from = match has_subcommands(name) {
        true => words
            .iter()
            .position(|word| is_subcommand_running_words(&word.text))
            .map_or(words.len(), |at| at + 1),
        false => 1,
    };
    let rest = |at: usize| words.get(at..).unwrap_or_default();
    let mut behind = from..words.len().min(MOST_WORDS);
    matches_any_table_row(words)
        || behind.any(|at| is_shell_without_script(rest(at)) || matches_any_table_row(rest(at)))
}

/// Most words of a command that are examined as the start of a shell.
const MOST_WORDS: usize = 64;

/// Returns whether these words are a shell without code or a script, also within one word: `ssh h
/// 'cd x && bash -s'`.
fn is_shell_without_script(words: &[Word]) -> bool {
    let Some((word, rest)) = words.split_first() else { return false };
    if word.text.contains(char::is_whitespace) {
        let tokens: Vec<&str> = word.text.split_whitespace().collect();
        let bare = |at: usize| {
            let next = tokens.get(at + 1).copied();
            is_shell_name(tokens.get(at).copied().unwrap_or_default())
                && is_without_script_or_code(next)
        };
        return (0..tokens.len()).any(bare);
    }
    word.kind == WordKind::Literal
        && is_shell_name(&word.text)
        && is_without_script_or_code(rest.first().map(|word| word.text.as_str()))
}

fn is_shell_name(word: &str) -> bool {
    wrapper::is_shell_name(word.rsplit('/').next().unwrap_or_default())
}

/// Returns whether neither a script nor code follows a shell's name.
fn is_without_script_or_code(next: Option<&str>) -> bool {
    next.is_none_or(|next| {
        let is_option = next.starts_with('-') && !next.contains('c');
        is_option || next == "/dev/stdin" || next.starts_with(['&', '|', ';', ')', '\'', '"'])
    })
}

/// Returns whether a row of the table of programs that start shells matches these words.
fn matches_any_table_row(words: &[Word]) -> bool {
    let Some(name) = words.first() else { return false };
    let name = name.text.rsplit('/').next().unwrap_or_default();
    let rows = STARTING.lines().filter(|row| !row.starts_with('#'));
    let mut rows = rows.filter_map(|row| row.split_once(':'));
    rows.any(|(head, valued)| {
        let mut head = head.split(' ');
        head.next() == Some(name) && matches_row(head, valued, words.get(1..).unwrap_or_default())
    })
}

/// Returns whether the words after the name match those of the row, with at most its number of
/// operands.
fn matches_row<'h>(head: impl Iterator<Item = &'h str>, valued: &str, words: &[Word]) -> bool {
    let mut head: Vec<&str> = head.collect();
    let Some(most) = head.pop().and_then(|most| most.parse::<usize>().ok()) else { return false };
    let mut head = head.into_iter().peekable();
    let (mut operands, mut is_value) = (0, false);
    for word in words {
        let text = word.text.as_str();
        if std::mem::take(&mut is_value) {
            continue;
        }
        if text.starts_with('-') && text.len() > 1 {
            if matches!(text, "-c" | "--command" | "-C")
                && !valued.split(' ').any(|option| option == text)
            {
                return false;
            }
            is_value = valued.split(' ').any(|option| option == text);
            continue;
        }
        match head.next() {
            Some(wanted) if wanted == text => {}
            Some(_) => return false,
            None => operands += 1,
        }
    }
    head.peek().is_none() && operands <= most
}
