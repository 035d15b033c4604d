//! Where do the commands and words of a command substitution end? Knows quotes and nesting, and expands nothing.
//!
//! Only for texts that `tenterhook-shell` has read already: it finds every command, and not which of them is nested in which.

/// Returns the index of the bracket that closes the one before `at`, or the end of the text.
pub(super) fn closing_bracket_index(text: &str, at: usize, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    let mut chars = Quoted::new(text, at);
    while let Some((position, c, is_quoted)) = chars.next_char() {
        if is_quoted {
            continue;
        }
        if c == open {
            depth += 1;
        } else if c == close {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return position,
            }
        }
    }
    text.len()
}

/// Splits a text into its simple commands, each as its words. Redirections are left out.
pub(super) fn split_commands(text: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut start: Option<usize> = None;
    let mut nested_until = 0;
    let mut chars = Quoted::new(text, 0);
    while let Some((at, c, is_quoted)) = chars.next_char() {
        if at < nested_until {
            continue;
        }
        if !is_quoted && c == '(' && text.get(..at).is_some_and(|before| before.ends_with('$')) {
            nested_until = closing_bracket_index(text, at + 1, '(', ')') + 1;
            continue;
        }
        let ends_word = !is_quoted && (c.is_whitespace() || ";|&".contains(c));
        if !ends_word {
            start = start.or(Some(at));
            continue;
        }
        // `&` of `2>&1` and `&>` belongs to a redirection.
        let redirects = c == '&' && text.get(..at).is_some_and(|before| before.ends_with('>'));
        if redirects || c == '&' && text.get(at + 1..).is_some_and(|rest| rest.starts_with('>')) {
            start = start.or(Some(at));
            continue;
        }
        push_word(&mut all, start.take().and_then(|from| text.get(from..at)));
        if ";|&\n".contains(c) && all.last().is_some_and(|command| !command.is_empty()) {
            all.push(Vec::new());
        }
    }
    push_word(&mut all, start.and_then(|from| text.get(from..)));
    all.retain(|command| !command.is_empty());
    all
}

fn push_word<'a>(all: &mut [Vec<&'a str>], word: Option<&'a str>) {
    let (Some(command), Some(word)) = (all.last_mut(), word) else { return };
    // The target of a redirection that stands apart from its operator.
    if command.last().is_some_and(|last| last.ends_with(['>', '<'])) {
        command.pop();
        return;
    }
    let plain = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    let is_redirection = plain.starts_with(['>', '<']);
    if is_redirection && !plain.ends_with(['>', '<']) {
        return;
    }
    command.push(word);
}

/// The characters of a text, and whether each is quoted.
struct Quoted<'a> {
    text: &'a str,
    at: usize,
    quote: Option<char>,
}

impl<'a> Quoted<'a> {
    const fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, quote: None }
    }

    fn next_char(&mut self) -> Option<(usize, char, bool)> {
        let at = self.at;
        let c = self.text.get(at..)?.chars().next()?;
        self.at += c.len_utf8();
        let is_quoted = match (self.quote, c) {
            (None, '\'' | '"') => {
                self.quote = Some(c);
                true
            }
            (Some(quote), _) if quote == c => {
                self.quote = None;
                true
            }
            (None | Some('"'), '\\') => {
                self.at += self.text.get(self.at..)?.chars().next().map_or(0, char::len_utf8);
                true
            }
            // A substitution within double quotes begins another level of quotes.
            (Some('"'), '(') if self.text.get(..at).is_some_and(|before| before.ends_with('$')) => {
                self.at = closing_bracket_index(self.text, at + 1, '(', ')') + 1;
                true
            }
            (quote, _) => quote.is_some(),
        };
        Some((at, c, is_quoted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_substitution_are_split_into_words() {
        for (text, expected) in [
            ("dirname \"$0\"", &[&["dirname", "\"$0\""][..]][..]),
            (
                "cd -- \"$(dirname \"$0\")/..\" >/dev/null 2>&1 && pwd -P",
                &[&["cd", "--", "\"$(dirname \"$0\")/..\""], &["pwd", "-P"]],
            ),
            (
                "CDPATH= cd \"$(cd x; pwd)\" > /dev/null; pwd",
                &[&["CDPATH=", "cd", "\"$(cd x; pwd)\""], &["pwd"]],
            ),
            ("echo 'a;b' | cat", &[&["echo", "'a;b'"], &["cat"]]),
        ] {
            assert_eq!(split_commands(text), expected, "{text}");
        }
    }

    #[test]
    fn the_closing_bracket_is_found_behind_quotes_and_nests() {
        let text = "$(a \"$(b ')')\" ')') x";
        assert_eq!(text.get(closing_bracket_index(text, 2, '(', ')')..), Some(") x"));
    }
}
