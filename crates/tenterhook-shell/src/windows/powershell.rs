//! Which statements does a text of PowerShell hold?
//!
//! Walks statements, pipelines and blocks; words are read in `words`, values in `expression`, and a command is finished in
//! `command`. Every block is read: the command that takes it may run it.

use std::collections::{HashMap, HashSet};

use super::super::read::{Code, Reader};
use super::super::word::Word;
use super::super::{Context, Doubt};
use super::argument::Argument;
use super::cursor::Cursor;
use super::equivalent::is_equivalent;
use super::{A_WORD, DEEPEST};

/// Commands that hand the files on that they list.
const LISTING: &[&str] = &["ls", "realpath", "find", "test"];
/// Most files that are handed on.
const MOST_PIPED: usize = 64;

/// Reads a text as PowerShell.
pub(in super::super) fn read(reader: &mut Reader<'_>, code: &Code<'_>) {
    let mut walker = Walker {
        cursor: Cursor::new(code.text),
        context: code.context,
        reader,
        code,
        variables: HashMap::new(),
        functions: HashSet::new(),
        aliases: HashMap::new(),
        input: None,
        is_piped: false,
        piped: Vec::new(),
        ran_code: false,
        is_stopped: false,
    };
    walker.statements(End::Text);
}

/// What a text, a block or a group ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Text,
    Brace,
    Paren,
}

impl End {
    const fn char(self) -> Option<char> {
        match self {
            Self::Text => None,
            Self::Brace => Some('}'),
            Self::Paren => Some(')'),
        }
    }
}

/// What a statement gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    /// The values, where the line says how many there are.
    pub(super) words: Option<Vec<Argument>>,
    /// Whether it is a table of names and values.
    pub(super) is_named: bool,
    /// Whether an operator made it.
    pub(super) is_computed: bool,
    /// Whether it is a block, which has been read.
    pub(super) is_block: bool,
}

impl Value {
    /// The text, where it is one that is known.
    pub(super) fn text(&self) -> Option<&str> {
        match self.words.as_deref()? {
            [word] if word.is_known() && !self.is_named => Some(word.text()),
            _ => None,
        }
    }
}

/// What has been read of one text.
pub(super) struct Walker<'r, 's, 'c> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) code: &'c Code<'c>,
    pub(super) cursor: Cursor<'c>,
    pub(super) context: Context,
    /// What the line sets; `None` where it may be several things.
    pub(super) variables: HashMap<String, Value>,
    pub(super) functions: HashSet<String>,
    pub(super) aliases: HashMap<String, String>,
    /// The text that the next command of a pipeline reads, and whether it reads something.
    pub(super) input: Option<String>,
    pub(super) is_piped: bool,
    /// The files that it is handed, as words of Bash.
    pub(super) piped: Vec<Word>,
    /// Whether a call ran code that stands in the line.
    pub(super) ran_code: bool,
    /// Whether nothing more is read.
    pub(super) is_stopped: bool,
}

impl<'c> Walker<'_, '_, 'c> {
    /// The line is not one that this reader is sure of.
    pub(super) fn fail(&mut self) {
        if !self.is_stopped {
            self.reader.syntax(self.code, self.cursor.at());
            self.is_stopped = true;
        }
    }

    /// Counts steps, and stops where they must not be taken.
    pub(super) fn pay(&mut self, steps: usize) -> bool {
        self.is_stopped = self.is_stopped || !self.reader.pay(self.code, steps);
        !self.is_stopped
    }

    /// Reads one level deeper, up to the bound.
    pub(super) fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.reader.nest >= DEEPEST {
            self.reader.doubt(self.code, Doubt::TooDeep);
            self.is_stopped = true;
            return T::default();
        }
        self.reader.nest += 1;
        let found = read(self);
        self.reader.nest -= 1;
        found
    }

    /// Blanks within a line: also a backtick at its end, and `<# #>`.
    pub(super) fn blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| matches!(c, ' ' | '\t' | '\u{a0}'));
            if self.cursor.eat("`\n") || self.cursor.eat("`\r\n") {
                continue;
            }
            if !self.cursor.starts("<#") {
                return;
            }
            if self.cursor.take_through("#>").is_none() {
                return self.fail();
            }
        }
    }

    /// The same, with ends of lines and comments.
    pub(super) fn lines(&mut self) {
        loop {
            self.blanks();
            match self.cursor.peek() {
                Some('\n' | '\r') => drop(self.cursor.take()),
                Some('#') => self.cursor.skip_line(),
                _ => return,
            }
        }
    }

    /// Statements up to an end, which is taken; the value of the last one.
    pub(super) fn statements(&mut self, end: End) -> Value {
        let mut count = 0;
        let mut value = Value::default();
        loop {
            self.lines();
            if self.is_stopped || !self.pay(A_WORD) {
                return Value::default();
            }
            match self.cursor.peek() {
                Some(';') => drop(self.cursor.take()),
                found if found == end.char() => {
                    self.cursor.take();
                    return if count == 1 { value } else { Value::default() };
                }
                None | Some('}' | ')') => {
                    self.fail();
                    return Value::default();
                }
                Some(_) => {
                    let start = self.cursor.at();
                    value = self.statement();
                    count += 1;
                    if self.cursor.at() == start {
                        self.fail();
                    }
                }
            }
        }
    }

    /// `{ ... }`, in this context.
    pub(super) fn block(&mut self, context: Context) {
        self.group('{', End::Brace, context);
    }

    /// `( ... )`
    pub(super) fn paren(&mut self, context: Context) -> Value {
        self.group('(', End::Paren, context)
    }

    fn group(&mut self, open: char, end: End, context: Context) -> Value {
        if self.cursor.peek() != Some(open) {
            self.fail();
            return Value::default();
        }
        self.cursor.take();
        let outer = std::mem::replace(&mut self.context, context);
        let input = self.input.take();
        let is_piped = std::mem::take(&mut self.is_piped);
        let value = self.deeper(|walker| walker.statements(end));
        self.context = outer;
        self.input = input;
        self.is_piped = is_piped;
        value
    }

    /// Whether nothing more of the statement follows.
    pub(super) fn is_at_end(&self) -> bool {
        matches!(self.cursor.peek(), None | Some('\n' | '\r' | ';' | '}' | ')' | '#'))
    }

    /// Pipelines between `&&` and `||`; the value, where it is one expression.
    pub(super) fn chain(&mut self) -> Value {
        let mut value = self.pipeline();
        loop {
            self.blanks();
            if self.is_stopped || !(self.cursor.eat("&&") || self.cursor.eat("||")) {
                break;
            }
            self.lines();
            value = Value::default();
            // `a || exit 1`
            self.leaving_word();
            if !self.is_at_end() {
                self.pipeline();
            }
        }
        // In the background.
        if self.cursor.peek() == Some('&') {
            self.cursor.take();
        }
        value
    }

    fn pipeline(&mut self) -> Value {
        let start = self.reader.commands.len();
        let mut elements = 0_usize;
        loop {
            let element = self.reader.commands.len();
            let value = self.element();
            elements += 1;
            self.blanks();
            let goes_on = self.cursor.peek() == Some('|') && self.cursor.second() != Some('|');
            if self.is_stopped || !goes_on {
                self.input = None;
                self.is_piped = false;
                self.piped.clear();
                self.in_pipeline(start, elements);
                return if elements == 1 { value } else { Value::default() };
            }
            self.cursor.take();
            self.input = value.text().map(str::to_owned);
            self.is_piped = true;
            self.pipe(element);
            self.lines();
        }
    }

    /// Notes which files a part of a pipeline hands on, for cmdlets and as `$_`; its commands begin at `first`.
    fn pipe(&mut self, first: usize) {
        let text = self.input.iter().map(|text| Argument::literal(text.as_str()).posix);
        let commands = self.reader.commands.get(first..).unwrap_or_default();
        let listing = commands.iter().rev().find(|command| {
            is_equivalent(command) && command.program().is_some_and(|name| LISTING.contains(&name))
        });
        let listed = listing.into_iter().flat_map(|command| command.words.iter().skip(1));
        let listed = listed.filter(|word| !word.text.starts_with('-')).cloned();
        self.piped = text.chain(listed).take(MOST_PIPED).collect();
        let words = self
            .piped
            .iter()
            .map(|posix| Argument { posix: posix.clone(), ..Argument::unknown("$_") });
        let words = Some(words.collect::<Vec<_>>()).filter(|words| !words.is_empty());
        self.variables.insert("_".to_owned(), Value { words, ..Value::default() });
    }

    /// The commands of a pipeline say so.
    fn in_pipeline(&mut self, start: usize, elements: usize) {
        if elements < 2 {
            return;
        }
        let context = self.context;
        let commands = self.reader.commands.iter_mut().skip(start);
        for command in commands.filter(|command| command.context == context) {
            command.context = Context::Pipeline;
        }
    }

    /// A command, or a value.
    fn element(&mut self) -> Value {
        self.blanks();
        if self.is_stopped || !self.pay(A_WORD) {
            return Value::default();
        }
        let second = self.cursor.second();
        match self.cursor.peek() {
            Some('&') => {
                self.cursor.take();
                self.blanks();
                self.invoked();
            }
            Some('.') if second.is_some_and(|c| c.is_whitespace() || "'\"${(".contains(c)) => {
                self.cursor.take();
                self.blanks();
                self.sourced();
            }
            Some(c) if self.is_value(c) => return self.expression(),
            Some(_) => self.command(),
            None => self.fail(),
        }
        Value::default()
    }

    /// Whether an element that begins so is a value.
    fn is_value(&self, first: char) -> bool {
        if "$@([{\"'+!,‘’‚‛“”„".contains(first) {
            return true;
        }
        let mut ahead = self.cursor;
        let word = ahead.take_while(|c| !c.is_whitespace() && !";|&(){},".contains(c));
        if first == '-' {
            return !word.starts_with("--") || word == "--";
        }
        // `7z x` is a command; `1..3` and `1kb` are values.
        let is_number = |c: char| c.is_ascii_digit() || "._+-*/%".contains(c);
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = word.get(number.len()..).unwrap_or_default().to_ascii_lowercase();
        first.is_ascii_digit()
            && number.chars().all(is_number)
            && ["", "kb", "mb", "gb", "tb", "l", "d"].contains(&unit.as_str())
            || first.is_ascii_digit() && word.contains("..")
    }
}
