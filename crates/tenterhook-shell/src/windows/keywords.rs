//! Which words of PowerShell stand before blocks and values? Conditions, loops, functions and their like.

use super::super::Context;
use super::A_WORD;
use super::powershell::{Value, Walker};

/// Words before a block, with a condition in parentheses.
const CONDITIONS: &[&str] =
    &["if", "elseif", "while", "until", "switch", "foreach", "for", "catch"];
/// Words before a block.
const BLOCKS: &[&str] = &[
    "else",
    "do",
    "try",
    "finally",
    "begin",
    "process",
    "end",
    "trap",
    "data",
    "dynamicparam",
    "clean",
];
/// Words before a name and a block.
const FUNCTIONS: &[&str] = &["function", "filter", "workflow"];
/// Words before a value.
const VALUES: &[&str] = &["return", "throw", "exit"];
/// Words that end a loop, and may name it.
const LEAVING: &[&str] = &["break", "continue"];
/// Words of definitions that are not read.
const UNREAD: &[&str] = &["class", "enum", "using", "configuration"];

impl Walker<'_, '_, '_> {
    /// The word that begins here, in lower case.
    fn keyword(&self) -> String {
        let mut ahead = self.cursor;
        let word = ahead.take_while(|c| c.is_ascii_alphabetic()).to_ascii_lowercase();
        let ends = ahead.peek().is_none_or(|c| " \t\r\n;({[}$#'\")|".contains(c));
        if ends { word } else { String::new() }
    }

    /// `exit`, `return` and `throw` before a value.
    pub(super) fn leaving_word(&mut self) {
        if VALUES.contains(&self.keyword().as_str()) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.blanks();
        }
    }

    pub(super) fn statement(&mut self) -> Value {
        let keyword = self.keyword();
        let is = |list: &[&str]| list.contains(&keyword.as_str());
        if is(CONDITIONS) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.conditional(&keyword);
        } else if is(BLOCKS) && self.is_before_block(keyword.len()) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.type_names();
            self.block(Context::Body);
        } else if is(FUNCTIONS) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.function();
        } else if is(VALUES) {
            self.leaving_word();
            if !self.is_at_end() {
                return self.chain();
            }
        } else if is(LEAVING) {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.blanks();
            self.cursor.take_while(|c| c.is_ascii_alphanumeric());
        } else if keyword == "param" {
            self.cursor.take_while(|c| c.is_ascii_alphabetic());
            self.lines();
            self.paren(Context::Body);
        } else if is(UNREAD) {
            self.fail();
        } else {
            return self.chain();
        }
        Value::default()
    }

    /// Whether a block follows the word, perhaps behind the names of types: `process` may be a command, too.
    fn is_before_block(&self, word: usize) -> bool {
        let behind = self.cursor.rest().get(word..).unwrap_or_default().trim_start();
        behind.starts_with(['{', '['])
    }

    /// `[System.Exception], [x]`
    fn type_names(&mut self) {
        loop {
            self.lines();
            match self.cursor.peek() {
                Some('[') if self.cursor.take_through("]").is_some() => {}
                Some(',') => drop(self.cursor.take()),
                _ => return,
            }
        }
    }

    /// A condition and a block: `if (x) { }`, `foreach ($f in x) { }`, `switch -regex (x) { a { } }`.
    fn conditional(&mut self, keyword: &str) {
        if keyword == "catch" {
            self.type_names();
            return self.block(Context::Body);
        }
        self.lines();
        while keyword == "switch" && self.cursor.peek() == Some('-') {
            self.cursor.take_while(|c| !c.is_whitespace() && c != '(');
            self.lines();
        }
        self.paren(Context::Body);
        self.lines();
        match self.cursor.peek() {
            Some('{') if keyword == "switch" => self.clauses(),
            Some('{') => self.block(Context::Body),
            // `do { } while (x)`
            _ if matches!(keyword, "while" | "until") => {}
            _ => self.fail(),
        }
    }

    /// `{ 'a' { ... } default { ... } }`
    fn clauses(&mut self) {
        self.cursor.take();
        loop {
            self.lines();
            if !self.pay(A_WORD) {
                return;
            }
            match self.cursor.peek() {
                Some('}') => {
                    self.cursor.take();
                    return;
                }
                Some('{') => self.block(Context::Body),
                Some(';') => drop(self.cursor.take()),
                None => return self.fail(),
                Some(_) => {
                    let start = self.cursor.at();
                    self.word();
                    if self.cursor.at() == start {
                        return self.fail();
                    }
                }
            }
        }
    }

    /// `function NAME (parameters) { ... }`
    fn function(&mut self) {
        self.blanks();
        let name = self.cursor.take_while(|c| !c.is_whitespace() && !"({".contains(c));
        self.functions.insert(name.to_ascii_lowercase());
        self.lines();
        if self.cursor.peek() == Some('(') {
            self.paren(Context::Function);
            self.lines();
        }
        self.block(Context::Function);
    }
}
