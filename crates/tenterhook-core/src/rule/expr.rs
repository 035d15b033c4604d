//! What a compiled expression is: a tree in which every name is resolved and every constant pattern is compiled.

use std::sync::Arc;

use super::cases::Cases;
use super::search::Search;
use super::vocabulary::{Do, Field, Member, SessionQuestion};

/// A compiled expression.
#[derive(Debug)]
pub(super) enum Expr {
    /// A value that is written down.
    Constant(Constant),
    /// A variable of a macro, by its place on the stack.
    Local(usize),
    /// A name of the event.
    Field(Field),
    /// A field of a record of the shell reader.
    Member(Box<Expr>, Member),
    /// A field of something that is only known when it is there.
    Get(Box<Expr>, Arc<str>),
    /// Whether there is such a field.
    Has(Box<Expr>, Arc<str>),
    /// Whether the event says anything under that name.
    Says(Field),
    /// `a[b]`
    Index(Box<[Expr; 2]>),
    /// `!a`
    Not(Box<Expr>),
    /// `-a`
    Negate(Box<Expr>),
    /// `a && b`
    And(Box<[Expr; 2]>),
    /// `a || b`
    Or(Box<[Expr; 2]>),
    /// `a ? b : c`
    If(Box<[Expr; 3]>),
    /// Any other operator.
    Binary(Operator, Box<[Expr; 2]>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{"a": b}`
    Map(Vec<(Expr, Expr)>),
    /// A macro over a list or over the keys of an object.
    Loop(Box<Loop>),
    /// A function.
    Call(Do, Vec<Expr>),
    /// `a || b || ...` about a command, sorted by its program.
    Cases(Box<Cases>),
    /// A function whose pattern is written down.
    Pattern(Box<Expr>, Box<Pattern>),
    /// A question to the session, with its argument.
    Session(SessionQuestion, Box<Expr>),
}

/// A value that is written down.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Arc<str>),
}

/// Operators that need both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    In,
}

/// A macro.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) kind: LoopKind,
    pub(super) range: Expr,
    /// The expression for each element, which stands on top of the stack.
    pub(super) body: Expr,
    /// For `map` with three arguments: which elements count.
    pub(super) only: Option<Expr>,
}

/// The macros over lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    Count,
}

/// A pattern that is compiled with the rule.
#[derive(Debug)]
pub(super) enum Pattern {
    Matches(Search),
    Find(Search),
    Glob(Glob),
}

/// A glob and whether it is held against the whole path.
#[derive(Debug)]
pub(super) struct Glob {
    pub(super) matcher: Search,
    pub(super) anchor: Anchor,
}

/// What a glob is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `*.pem`: the file name.
    Name,
    /// `src/**`: the path from the project on.
    Project,
    /// `~/.ssh/**`: the path from the home on.
    Home,
    /// `/etc/**`, `**/x`: the whole path.
    Root,
}
