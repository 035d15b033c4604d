//! Which commands does a line of cmd hold? Operators, groups, `if` and `for`; words are read in `cmd_words`.

use super::super::read::{Code, Reader};
use super::super::{Context, Doubt};
use super::Language;
use super::argument::Argument;
use super::cursor::Cursor;
use super::{A_WORD, DEEPEST};

/// Reads a text as a line of cmd.
pub(in super::super) fn read(reader: &mut Reader<'_>, code: &Code<'_>) {
    let mut walker = CmdWalker {
        cursor: Cursor::new(code.text),
        context: code.context,
        reader,
        code,
        input: None,
        is_piped: false,
        is_stopped: false,
    };
    walker.line(false);
}

/// What has been read of one text.
pub(super) struct CmdWalker<'r, 's, 'c> {
    pub(super) reader: &'r mut Reader<'s>,
    pub(super) code: &'c Code<'c>,
    pub(super) cursor: Cursor<'c>,
    pub(super) context: Context,
    /// The text that the next command of a pipeline reads, and whether it reads something.
    pub(super) input: Option<String>,
    pub(super) is_piped: bool,
    pub(super) is_stopped: bool,
}

/// Conditions with one word.
const ONE_WORD: &[&str] = &["exist", "defined", "errorlevel", "cmdextversion"];

impl<'c> CmdWalker<'_, '_, 'c> {
    pub(super) fn fail(&mut self) {
        if !self.is_stopped {
            self.reader.syntax(self.code, self.cursor.at());
            self.is_stopped = true;
        }
    }

    pub(super) fn pay(&mut self, steps: usize) -> bool {
        self.is_stopped = self.is_stopped || !self.reader.pay(self.code, steps);
        !self.is_stopped
    }

    pub(super) fn blanks(&mut self) {
        loop {
            self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
            if !(self.cursor.eat("^\n") || self.cursor.eat("^\r\n")) {
                return;
            }
        }
    }

    /// Commands up to the end of the text, or of a group.
    fn line(&mut self, is_group: bool) {
        let mut first = self.reader.commands.len();
        let mut is_pipeline = false;
        loop {
            self.cursor.take_while(|c| " \t\r\n,;=@".contains(c));
            if !self.pay(A_WORD) {
                return;
            }
            match self.cursor.peek() {
                None if is_group => return self.fail(),
                None => return self.in_pipeline(first, is_pipeline),
                Some(')') if is_group => {
                    self.cursor.take();
                    return self.in_pipeline(first, is_pipeline);
                }
                Some(_) => {}
            }
            let start = self.cursor.at();
            self.command();
            self.blanks();
            if self.cursor.eat("&&")
                || self.cursor.eat("||")
                || self.cursor.eat("&")
                || self.cursor.eat("\n")
            {
                self.in_pipeline(first, is_pipeline);
                (first, is_pipeline) = (self.reader.commands.len(), false);
                (self.input, self.is_piped) = (None, false);
            } else if self.cursor.eat("|") {
                is_pipeline = true;
                self.is_piped = true;
            }
            if self.cursor.at() == start {
                return self.fail();
            }
        }
    }

    fn in_pipeline(&mut self, first: usize, is_pipeline: bool) {
        let context = self.context;
        let commands = self.reader.commands.iter_mut().skip(first).filter(|_| is_pipeline);
        for command in commands.filter(|command| command.context == context) {
            command.context = Context::Pipeline;
        }
    }

    /// Whether a word stands here, in any case.
    fn is_word(&self, word: &str) -> bool {
        let rest = self.cursor.rest();
        let found = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let behind = rest.get(word.len()..).and_then(|rest| rest.chars().next());
        found && behind.is_none_or(|c| " \t\r\n(/,;=&|".contains(c))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.cursor.eat(self.cursor.rest().get(..word.len()).unwrap_or_default());
        }
        found
    }

    /// One command, group, `if` or `for`.
    fn command(&mut self) {
        if self.reader.nest >= DEEPEST {
            self.reader.doubt(self.code, Doubt::TooDeep);
            self.is_stopped = true;
            return;
        }
        self.reader.nest += 1;
        self.cursor.take_while(|c| " \t@,;=".contains(c));
        if self.cursor.peek() == Some('(') {
            self.group();
        } else if self.cursor.peek() == Some(':') || self.is_word("rem") {
            self.cursor.skip_line();
        } else if self.eat_word("if") {
            self.conditional();
        } else if self.eat_word("for") {
            self.looped();
        } else {
            self.simple_command();
        }
        self.reader.nest -= 1;
    }

    /// `( ... )`, and where it writes.
    fn group(&mut self) {
        self.cursor.take();
        let outer = std::mem::replace(&mut self.context, Context::Subshell);
        self.line(true);
        self.context = outer;
        self.blanks();
        while let Some(redirect) = self.redirect() {
            self.reader.redirects.extend(redirect);
            self.blanks();
        }
    }

    /// `if [/i] [not] CONDITION command [else command]`
    fn conditional(&mut self) {
        let outer = std::mem::replace(&mut self.context, Context::Body);
        self.blanks();
        while self.eat_word("/i") || self.eat_word("not") {
            self.blanks();
        }
        let first = self.text();
        if first.is_empty() {
            self.fail();
        }
        let takes_one = ONE_WORD.contains(&first.to_ascii_lowercase().as_str());
        if takes_one || first.ends_with("==") {
            self.text();
        } else if !first.contains("==") {
            let operator = self.text();
            if operator == "==" || !operator.starts_with("==") {
                self.text();
            }
        }
        self.command();
        self.cursor.take_while(char::is_whitespace);
        if self.eat_word("else") {
            self.blanks();
            self.command();
        }
        self.context = outer;
    }

    /// `for [/f "options"] %x in (set) do command`
    fn looped(&mut self) {
        let outer = std::mem::replace(&mut self.context, Context::Body);
        let mut reads = false;
        self.blanks();
        while !self.is_stopped && !self.eat_word("in") {
            reads |= self.is_word("/f");
            if self.text().is_empty() {
                self.fail();
            }
            self.blanks();
        }
        self.blanks();
        if !self.cursor.eat("(") {
            self.fail();
        }
        let set = self.cursor.take_through(")").unwrap_or_default().trim();
        let quote = set.chars().next().filter(|c| reads && matches!(c, '\'' | '`'));
        if let Some(quote) = quote {
            self.run_text(set.trim_matches(quote), "for");
        }
        self.blanks();
        if self.eat_word("do") {
            self.blanks();
            self.command();
        } else {
            self.fail();
        }
        self.context = outer;
    }

    /// The next word as written; empty where the command ends.
    fn text(&mut self) -> String {
        self.blanks();
        self.cmd_word(false).map(|word: Argument| word.word.source).unwrap_or_default()
    }

    /// Reads code that stands in the line.
    pub(super) fn run_text(&mut self, text: &str, wrapper: &'static str) {
        let via =
            self.code.via.iter().cloned().chain([super::super::Via::Wrapper(wrapper)]).collect();
        self.reader.code(&Code {
            text,
            language: Language::Cmd,
            via: &via,
            context: self.context,
            depth: self.code.depth + 1,
            wrapper: Some(wrapper),
            ..*self.code
        });
    }
}
