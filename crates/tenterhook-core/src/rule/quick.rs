//! What does a plain expression say? Reads in one pass what most rules are made of: names, calls, texts, numbers, lists and
//! operators.
//!
//! The crate's parser takes some 500 microseconds for a rule of a dozen lines, which every start of the program would pay. So
//! this one reads ahead of it, and gives up (`None`) at whatever it is not sure of, mistakes above all: then the crate's decides,
//! and says where what is wrong. What it does read, it reads as the crate does (test `what_is_read_quickly_is_read_the_same`).

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, ListExpr, LiteralValue, SelectExpr};

/// Deepest nest of expressions that is read here.
const DEEPEST: usize = 24;

/// Names that are words of the language, or are kept for it.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The operators with two sides, each with its name in the tree, by how tightly they bind.
const LEVELS: &[&[(&str, &str)]] = &[
    &[
        ("<=", "_<=_"),
        ("<", "_<_"),
        (">=", "_>=_"),
        (">", "_>_"),
        ("==", "_==_"),
        ("!=", "_!=_"),
        ("in", "@in"),
    ],
    &[("+", "_+_"), ("-", "_-_")],
    &[("*", "_*_"), ("/", "_/_"), ("%", "_%_")],
];

/// Parses an expression that takes up all of `text`.
pub(super) fn parse_simple_expression(text: &str) -> Option<IdedExpr> {
    let mut reader = Reader { rest: text, depth: 0 };
    let root = reader.parse_conditional()?;
    reader.skip_blanks();
    reader.rest.is_empty().then_some(root)
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn skip_blanks(&mut self) {
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let blanks = self.rest.bytes().take_while(|byte| is_blank(*byte)).count();
        self.rest = self.rest.get(blanks..).unwrap_or_default();
    }

    fn peek_after_blanks(&mut self) -> Option<char> {
        self.skip_blanks();
        self.rest.chars().next()
    }

    /// Returns true if an operator with two sides may come next, other than `&&` and `||`.
    fn may_see_operator(&mut self) -> bool {
        self.skip_blanks();
        self.rest.as_bytes().first().is_some_and(|byte| b"<>=!i+-*/%".contains(byte))
    }

    /// Skips `sign` if it comes next.
    fn eat_token(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(sign);
        // `in` is a word, and no part of one.
        let rest = rest.filter(|rest| sign != "in" || !rest.starts_with(is_name_char));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn parse_conditional(&mut self) -> Option<IdedExpr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut value = self.parse_or()?;
        if self.eat_token("?") {
            let then = self.parse_or()?;
            let other = self.eat_token(":").then(|| self.parse_conditional())??;
            value = function_call_node("_?_:_", vec![value, then, other]);
        }
        self.depth -= 1;
        Some(value)
    }

    fn parse_or(&mut self) -> Option<IdedExpr> {
        let mut sides = vec![self.parse_and()?];
        while self.eat_token("||") {
            sides.push(self.parse_and()?);
        }
        balanced_operator_tree("_||_", sides)
    }

    fn parse_and(&mut self) -> Option<IdedExpr> {
        let mut sides = vec![self.parse_binary_level(LEVELS)?];
        while self.eat_token("&&") {
            sides.push(self.parse_binary_level(LEVELS)?);
        }
        balanced_operator_tree("_&&_", sides)
    }

    fn parse_binary_level(&mut self, levels: &[&[(&str, &str)]]) -> Option<IdedExpr> {
        let Some((level, tighter)) = levels.split_first() else { return self.parse_unary() };
        let mut left = self.parse_binary_level(tighter)?;
        while self.may_see_operator()
            && let Some((_, name)) = level.iter().find(|(sign, _)| self.eat_token(sign))
        {
            left = function_call_node(name, vec![left, self.parse_binary_level(tighter)?]);
        }
        Some(left)
    }

    fn parse_unary(&mut self) -> Option<IdedExpr> {
        if self.eat_token("!") {
            // Two of them are read otherwise.
            return (self.peek_after_blanks()? != '!')
                .then(|| Some(function_call_node("!_", vec![self.parse_member_access()?])))?;
        }
        // A `-` before a number is a part of it, or an operator: that is for the crate to say.
        (self.peek_after_blanks()? != '-').then(|| self.parse_member_access())?
    }

    fn parse_member_access(&mut self) -> Option<IdedExpr> {
        let mut value = self.parse_primary()?;
        loop {
            if self.eat_token(".") {
                let field = self.parse_name()?;
                value = if self.eat_token("(") {
                    method_call_node(field, Some(value.into()), self.parse_items_until(")")?)
                } else {
                    let operand = Box::new(value);
                    new_node(Expr::Select(SelectExpr {
                        operand,
                        field: field.to_owned(),
                        test: false,
                    }))
                };
            } else if self.eat_token("[") {
                let at = self.parse_conditional()?;
                value = self.eat_token("]").then(|| function_call_node("_[_]", vec![value, at]))?;
            } else {
                return Some(value);
            }
        }
    }

    fn parse_primary(&mut self) -> Option<IdedExpr> {
        match self.peek_after_blanks()? {
            '(' => {
                self.eat_token("(");
                let inner = self.parse_conditional()?;
                self.eat_token(")").then_some(inner)
            }
            '[' => {
                self.eat_token("[");
                Some(new_node(Expr::List(ListExpr::new(self.parse_items_until("]")?))))
            }
            '"' | '\'' => Some(literal_node(LiteralValue::String(self.parse_string()?.into()))),
            '0'..='9' => self.parse_integer(),
            _ => self.parse_name_or_call(),
        }
    }

    /// Parses values separated by commas up to `end`.
    fn parse_items_until(&mut self, end: &str) -> Option<Vec<IdedExpr>> {
        let mut items = Vec::new();
        if self.eat_token(end) {
            return Some(items);
        }
        loop {
            items.push(self.parse_conditional()?);
            if self.eat_token(end) {
                return Some(items);
            }
            self.eat_token(",").then_some(())?;
        }
    }

    /// Parses a name that is no reserved word.
    fn parse_name(&mut self) -> Option<&'t str> {
        self.skip_blanks();
        let end = self.rest.bytes().take_while(|byte| is_name_char(char::from(*byte))).count();
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        let begins = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
        (begins && !RESERVED.contains(&name)).then_some(name)
    }

    /// Parses `true`, `false`, a variable or a function call.
    fn parse_name_or_call(&mut self) -> Option<IdedExpr> {
        for (word, value) in [("true", true), ("false", false)] {
            if self.rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_name_char)) {
                self.eat_token(word);
                return Some(literal_node(LiteralValue::Boolean(value.into())));
            }
        }
        let name = self.parse_name()?;
        match self.rest.chars().next() {
            // Texts with letters before them, and messages.
            Some('"' | '\'') => None,
            _ if self.eat_token("(") => {
                Some(method_call_node(name, None, self.parse_items_until(")")?))
            }
            _ if self.peek_after_blanks() == Some('{') => None,
            _ => Some(new_node(Expr::Ident(name.to_owned()))),
        }
    }

    /// Parses a decimal integer.
    fn parse_integer(&mut self) -> Option<IdedExpr> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        if rest.starts_with(|c| is_name_char(c) || c == '.') {
            return None;
        }
        self.rest = rest;
        Some(literal_node(LiteralValue::Int(digits.parse::<i64>().ok()?.into())))
    }

    /// Parses a string on one line; a backslash may only escape a quote or a backslash.
    fn parse_string(&mut self) -> Option<String> {
        let mut signs = self.rest.chars();
        let quote = signs.next()?;
        // Three of them begin a text of many lines.
        if signs.clone().take(2).filter(|c| *c == quote).count() == 2 {
            return None;
        }
        let plain = |c: char| c == quote || matches!(c, '\\' | '\n' | '\r');
        if let Some((text, rest)) = signs.as_str().split_once(plain)
            && signs.as_str().get(text.len()..)?.starts_with(quote)
        {
            self.rest = rest;
            return Some(text.to_owned());
        }
        let mut text = String::new();
        loop {
            match signs.next()? {
                sign if sign == quote => break,
                '\\' => text.push(signs.next().filter(|c| matches!(c, '\\' | '"' | '\''))?),
                '\n' | '\r' => return None,
                sign => text.push(sign),
            }
        }
        self.rest = signs.as_str();
        Some(text)
    }
}

fn is_name_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

fn new_node(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

fn literal_node(value: LiteralValue) -> IdedExpr {
    new_node(Expr::Literal(value))
}

fn method_call_node(name: &str, target: Option<Box<IdedExpr>>, args: Vec<IdedExpr>) -> IdedExpr {
    new_node(Expr::Call(CallExpr { func_name: name.to_owned(), target, args }))
}

fn function_call_node(name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    method_call_node(name, None, args)
}

/// Builds a balanced tree of one operator over many sides, as the crate's parser does.
fn balanced_operator_tree(name: &str, mut sides: Vec<IdedExpr>) -> Option<IdedExpr> {
    if sides.len() < 2 {
        return sides.pop();
    }
    let right = sides.split_off(sides.len().div_ceil(2));
    Some(function_call_node(
        name,
        vec![balanced_operator_tree(name, sides)?, balanced_operator_tree(name, right)?],
    ))
}
