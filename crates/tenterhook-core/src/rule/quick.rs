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

/// The expression that is all of `text`.
pub(super) fn read(text: &str) -> Option<IdedExpr> {
    let mut reader = Reader { rest: text, depth: 0 };
    let root = reader.expression()?;
    reader.blanks();
    reader.rest.is_empty().then_some(root)
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn next(&mut self) -> Option<char> {
        self.blanks();
        self.rest.chars().next()
    }

    /// Steps over `sign`, where it comes next.
    fn takes(&mut self, sign: &str) -> bool {
        self.blanks();
        let rest = self.rest.strip_prefix(sign);
        // `in` is a word, and no part of one.
        let rest = rest.filter(|rest| sign != "in" || !rest.starts_with(is_of_name));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expression(&mut self) -> Option<IdedExpr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut value = self.any()?;
        if self.takes("?") {
            let then = self.any()?;
            let other = self.takes(":").then(|| self.expression())??;
            value = call("_?_:_", vec![value, then, other]);
        }
        self.depth -= 1;
        Some(value)
    }

    fn any(&mut self) -> Option<IdedExpr> {
        let mut sides = vec![self.all()?];
        while self.takes("||") {
            sides.push(self.all()?);
        }
        balanced("_||_", sides)
    }

    fn all(&mut self) -> Option<IdedExpr> {
        let mut sides = vec![self.level(LEVELS)?];
        while self.takes("&&") {
            sides.push(self.level(LEVELS)?);
        }
        balanced("_&&_", sides)
    }

    fn level(&mut self, levels: &[&[(&str, &str)]]) -> Option<IdedExpr> {
        let Some((level, tighter)) = levels.split_first() else { return self.unary() };
        let mut left = self.level(tighter)?;
        while let Some((_, name)) = level.iter().find(|(sign, _)| self.takes(sign)) {
            left = call(name, vec![left, self.level(tighter)?]);
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<IdedExpr> {
        if self.takes("!") {
            // Two of them are read otherwise.
            return (self.next()? != '!').then(|| Some(call("!_", vec![self.member()?])))?;
        }
        // A `-` before a number is a part of it, or an operator: that is for the crate to say.
        (self.next()? != '-').then(|| self.member())?
    }

    fn member(&mut self) -> Option<IdedExpr> {
        let mut value = self.primary()?;
        loop {
            if self.takes(".") {
                let field = self.name()?;
                value = if self.takes("(") {
                    method(field, Some(value.into()), self.items(")")?)
                } else {
                    let operand = Box::new(value);
                    node(Expr::Select(SelectExpr { operand, field: field.to_owned(), test: false }))
                };
            } else if self.takes("[") {
                let at = self.expression()?;
                value = self.takes("]").then(|| call("_[_]", vec![value, at]))?;
            } else {
                return Some(value);
            }
        }
    }

    fn primary(&mut self) -> Option<IdedExpr> {
        match self.next()? {
            '(' => {
                self.takes("(");
                let inner = self.expression()?;
                self.takes(")").then_some(inner)
            }
            '[' => {
                self.takes("[");
                Some(node(Expr::List(ListExpr::new(self.items("]")?))))
            }
            '"' | '\'' => Some(literal(LiteralValue::String(self.text()?.into()))),
            '0'..='9' => self.number(),
            _ => self.named(),
        }
    }

    /// The values up to `end`, with commas between them.
    fn items(&mut self, end: &str) -> Option<Vec<IdedExpr>> {
        let mut items = Vec::new();
        if self.takes(end) {
            return Some(items);
        }
        loop {
            items.push(self.expression()?);
            if self.takes(end) {
                return Some(items);
            }
            self.takes(",").then_some(())?;
        }
    }

    /// A name that may be used for anything.
    fn name(&mut self) -> Option<&'t str> {
        self.blanks();
        let end = self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        let begins = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
        (begins && !RESERVED.contains(&name)).then_some(name)
    }

    fn named(&mut self) -> Option<IdedExpr> {
        for (word, value) in [("true", true), ("false", false)] {
            if self.rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_of_name)) {
                self.takes(word);
                return Some(literal(LiteralValue::Boolean(value.into())));
            }
        }
        let name = self.name()?;
        match self.rest.chars().next() {
            // Texts with letters before them, and messages.
            Some('"' | '\'') => None,
            _ if self.takes("(") => Some(method(name, None, self.items(")")?)),
            _ if self.next() == Some('{') => None,
            _ => Some(node(Expr::Ident(name.to_owned()))),
        }
    }

    /// A whole number as people write it.
    fn number(&mut self) -> Option<IdedExpr> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at_checked(end)?;
        if rest.starts_with(|c| is_of_name(c) || c == '.') {
            return None;
        }
        self.rest = rest;
        Some(literal(LiteralValue::Int(digits.parse::<i64>().ok()?.into())))
    }

    /// A text on one line, whose backslashes stand before quotes and backslashes.
    fn text(&mut self) -> Option<String> {
        let mut signs = self.rest.chars();
        let quote = signs.next()?;
        // Three of them begin a text of many lines.
        if signs.clone().take(2).filter(|c| *c == quote).count() == 2 {
            return None;
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

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

fn node(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

fn literal(value: LiteralValue) -> IdedExpr {
    node(Expr::Literal(value))
}

fn method(name: &str, target: Option<Box<IdedExpr>>, args: Vec<IdedExpr>) -> IdedExpr {
    node(Expr::Call(CallExpr { func_name: name.to_owned(), target, args }))
}

fn call(name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    method(name, None, args)
}

/// Many sides of one operator, as the crate's parser puts them: a tree that is as deep as it has to be.
fn balanced(name: &str, mut sides: Vec<IdedExpr>) -> Option<IdedExpr> {
    if sides.len() < 2 {
        return sides.pop();
    }
    let right = sides.split_off(sides.len().div_ceil(2));
    Some(call(name, vec![balanced(name, sides)?, balanced(name, right)?]))
}
