//! Finds the secrets in command lines: values of options, operands and standard input of the programs
//! in the tables (RE-31). Reads any text as a command line, so that it also finds those in output.

use std::ops::Range;

use super::names::{
    COMMANDS, CommandRow, HARMLESS_ENDS, NAMES, Operands, PRINTERS, READER_OPTIONS, READERS,
    SHORT_NAMES, VARIABLE_ENDS,
};
use super::tokens::{Command, Input, Token, split_commands};

/// The depth of quotes in quotes up to which commands are searched.
const DEEPEST: usize = 4;
/// Maximum number of lines of a here-document that are removed.
const MOST_LINES: usize = 100;

/// A part of a text that is a secret.
#[derive(Debug)]
pub(super) struct Secret {
    pub(super) range: Range<usize>,
    /// The start of the part that stays.
    pub(super) kept: String,
}

impl Secret {
    fn whole(token: &Token) -> Option<Self> {
        Self::after(token, "")
    }

    /// Returns the part of a token after `kept`; `None` if that only refers to a variable.
    fn after(token: &Token, kept: &str) -> Option<Self> {
        let value = token.text.strip_prefix(kept)?;
        let is_reference = value.starts_with('$') && !token.is_literal;
        let is_secret = !value.is_empty() && !is_reference;
        is_secret.then(|| Self { range: token.range.clone(), kept: kept.to_owned() })
    }
}

/// Returns the secrets in a text, in its order. They do not overlap.
pub(super) fn find_secrets(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    search_text_for_secrets(text, 0, 0, &mut found);
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut end = 0;
    found.retain(|secret| {
        let is_next = secret.range.start >= end;
        if is_next {
            end = secret.range.end;
        }
        is_next
    });
    found
}

fn search_text_for_secrets(text: &str, offset: usize, depth: usize, found: &mut Vec<Secret>) {
    let commands = split_commands(text);
    let mut add = |secrets: Vec<Secret>| {
        found.extend(secrets.into_iter().map(|secret| {
            let range = secret.range.start + offset..secret.range.end + offset;
            Secret { range, ..secret }
        }));
    };
    let mut before: Option<&Command> = None;
    for command in &commands {
        let rows = rows_for_command(command);
        add(secrets_of_options(command, &rows));
        add(rows.iter().flat_map(|(at, row)| secrets_of_operands(command, *at, row)).collect());
        if reads_secret(command) {
            add(input_of_command(command, text));
            let printer = before.filter(|_| command.is_piped);
            add(printer.map(|printer| printed_by_command(printer, text)).unwrap_or_default());
        }
        before = Some(command);
    }
    if depth < DEEPEST {
        for inner in commands
            .iter()
            .flat_map(|command| &command.tokens)
            .filter_map(|token| token.quoted.clone())
        {
            let start = inner.start;
            if let Some(quoted) = text.get(inner).filter(|quoted| quoted.contains([' ', '\n'])) {
                search_text_for_secrets(quoted, offset + start, depth + 1, found);
            }
        }
    }
}

/// Returns the rows for the programs of a command, each with the position of its program. Any token
/// may be the program, because others run programs, such as `sudo`.
fn rows_for_command(command: &Command) -> Vec<(usize, &'static CommandRow)> {
    let mut rows: Vec<(usize, &CommandRow)> = Vec::new();
    let mut is_seen = [false; COMMANDS.len()];
    for (at, token) in command.tokens.iter().enumerate() {
        let name = program_name(&token.text);
        // What follows a second place of a program follows the first one, too.
        for (row, is_seen) in COMMANDS.iter().zip(&mut is_seen) {
            if row.programs.contains(&name) && !std::mem::replace(is_seen, true) {
                let mut rest = command.tokens.iter().skip(at + 1);
                let is_followed = row.after.is_empty()
                    || rest.any(|token| row.after.contains(&token.text.as_str()));
                rows.extend(is_followed.then_some((at, row)));
            }
        }
    }
    rows
}

fn program_name(token: &str) -> &str {
    let name = token.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

/// How a token of a command line is an option with a secret.
enum Value<'a> {
    /// The next token is its value.
    Next,
    /// Its value follows this part of the token.
    After(&'a str),
}

fn secrets_of_options(command: &Command, rows: &[(usize, &CommandRow)]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut is_value = false;
    for (at, token) in command.tokens.iter().enumerate() {
        if std::mem::take(&mut is_value) {
            found.extend(Secret::whole(token));
            continue;
        }
        let of_rows = rows.iter().filter(|(program, _)| *program < at);
        let of_rows = of_rows.filter_map(|(_, row)| option_value(&token.text, row));
        match of_rows.chain(value_after_secret_name(&token.text)).next() {
            Some(Value::After(kept)) => found.extend(Secret::after(token, kept)),
            Some(Value::Next) => {
                let next = command.tokens.get(at + 1);
                is_value = next.is_some_and(|next| !next.text.starts_with("--"));
            }
            None => {}
        }
    }
    found
}

/// Returns where the value of a token is, if the token is an option of `row`.
fn option_value<'a>(token: &'a str, row: &CommandRow) -> Option<Value<'a>> {
    row.options.iter().find_map(|option| {
        if let Some(attached) = option.strip_suffix('*') {
            let is_longer = token.len() > attached.len() && token.starts_with(attached);
            return is_longer.then(|| token.get(..attached.len()).map(Value::After))?;
        }
        if option.ends_with(':') {
            return token
                .starts_with(option)
                .then(|| token.get(..option.len()).map(Value::After))?;
        }
        if token == *option {
            return Some(Value::Next);
        }
        let rest = token.strip_prefix(option);
        if option.len() > 2 {
            rest.filter(|rest| rest.starts_with('='))?;
            return token.get(..=option.len()).map(Value::After);
        }
        short_option_value(token, option, row.flags)
    })
}

/// Returns where the value of a token is, if it holds the short option after other letters of
/// `flags`, as in `-sSu`.
fn short_option_value<'a>(token: &'a str, option: &str, flags: &str) -> Option<Value<'a>> {
    let letter = option.strip_prefix('-')?;
    let cluster = token.strip_prefix('-')?;
    let rest = cluster.trim_start_matches(|char| flags.contains(char));
    match rest.strip_prefix(letter)? {
        "" => Some(Value::Next),
        value => token.get(..token.len() - value.len()).map(Value::After),
    }
}

/// Returns where the value of a token is, if its name announces a secret: `--api-key`,
/// `DB_PASSWORD=`.
fn value_after_secret_name(token: &str) -> Option<Value<'_>> {
    let end = token.find(['=', ':']);
    let name = end.map_or(token, |end| token.get(..end).unwrap_or_default());
    let is_option = name.starts_with('-');
    let bare = name.trim_start_matches('-');
    let is_name = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
    if bare.is_empty() || !bare.chars().all(is_name) {
        return None;
    }
    let is_secret = if is_option { is_secret_option(bare) } else { is_secret_variable(bare) };
    match end {
        Some(end) if is_secret && (is_option || token.get(end..)?.starts_with('=')) => {
            token.get(..=end).map(Value::After)
        }
        None if is_secret && is_option => Some(Value::Next),
        _ => None,
    }
}

fn is_secret_option(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_harmless = || HARMLESS_ENDS.iter().any(|end| name.ends_with(end));
    SHORT_NAMES.contains(&name.as_str())
        || NAMES.iter().any(|part| name.contains(part)) && !is_harmless()
}

fn is_secret_variable(name: &str) -> bool {
    // `PWD` is the working directory.
    let lower = name.to_ascii_lowercase();
    NAMES.iter().any(|part| lower.contains(part))
        || SHORT_NAMES.contains(&name)
        || VARIABLE_ENDS.iter().any(|end| lower.ends_with(end))
}

fn secrets_of_operands(command: &Command, program: usize, row: &CommandRow) -> Vec<Secret> {
    let is_operand = |token: &&Token| {
        !token.text.starts_with('-')
            && !row.after.contains(&token.text.as_str())
            && token.input == Input::No
    };
    let mut tokens = command.tokens.iter().skip(program + 1).filter(is_operand);
    match row.operands {
        Operands::No => Vec::new(),
        Operands::Last => tokens.next_back().and_then(Secret::whole).into_iter().collect(),
        Operands::All => tokens.filter_map(Secret::whole).collect(),
        Operands::Pairs => {
            let pair = |token: &Token| {
                let (name, _) = token.text.split_once('=')?;
                Secret::after(token, &format!("{name}="))
            };
            tokens.filter_map(pair).collect()
        }
    }
}

/// Returns whether a command reads a secret from standard input.
fn reads_secret(command: &Command) -> bool {
    let has = |wanted: &str| command.tokens.iter().any(|token| token.text == wanted);
    let is_reader = |(program, after): &(&str, &[&str])| {
        command.tokens.iter().any(|token| program_name(&token.text) == *program)
            && (after.is_empty() || after.iter().any(|token| has(token)))
    };
    READER_OPTIONS.iter().any(|option| has(option)) || READERS.iter().any(is_reader)
}

/// Returns the text that a command line gives a command as standard input.
fn input_of_command(command: &Command, text: &str) -> Vec<Secret> {
    let input = |token: &Token| match token.input {
        Input::No => None,
        Input::Text => Secret::whole(token),
        Input::End => here_document(token, text),
    };
    command.tokens.iter().filter_map(input).collect()
}

/// Returns the lines up to the one that is `end`.
fn here_document(end: &Token, text: &str) -> Option<Secret> {
    let end_line = end.text.trim_start_matches('-');
    let start = end.range.end + text.get(end.range.end..)?.find('\n')? + 1;
    let lines = text.get(start..)?.split_inclusive('\n').take(MOST_LINES);
    let body = lines.take_while(|line| line.trim() != end_line).map(str::len).sum::<usize>();
    let range = start..start + body;
    let is_last_line_whole = text.get(range.clone())?.ends_with('\n');
    let range = range.start..range.end - usize::from(is_last_line_whole);
    (!range.is_empty()).then(|| Secret { range, kept: String::new() })
}

/// Returns what a command prints: its input, or the operands of `echo` and the like.
fn printed_by_command(command: &Command, text: &str) -> Vec<Secret> {
    let is_printer =
        |token: &Token| PRINTERS.contains(&program_name(&token.text).to_ascii_lowercase().as_str());
    let Some(at) = command.tokens.iter().position(is_printer) else {
        return input_of_command(command, text);
    };
    let is_printed = |token: &&Token| !token.text.starts_with('-') && !token.text.starts_with('%');
    command.tokens.iter().skip(at + 1).filter(is_printed).filter_map(Secret::whole).collect()
}
