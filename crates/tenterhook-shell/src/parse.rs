//! Parses a text with `tree-sitter-bash`, within what one line may cost, and knows the names of its nodes (S-22).

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point, Tree};

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_bash::LANGUAGE.into());

/// What the grammar calls a node. It is asked of every node several times, and the library measures and checks the name
/// anew whenever it is.
pub(super) fn kind(node: Node<'_>) -> &'static str {
    static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let ids = 0..u16::try_from(LANGUAGE.node_kind_count()).unwrap_or(u16::MAX);
        ids.map(|id| LANGUAGE.node_kind_for_id(id).unwrap_or_default()).collect()
    });
    // The library's own kind for what it could not read stands in no table.
    KINDS.get(usize::from(node.kind_id())).copied().unwrap_or("ERROR")
}

/// Most steps of one line (S-22), of the parser and of the reader: some 20 ms on a slow machine. A plain line of full length takes two
/// thirds of them; more take lines that hold little but `a;`, and those that repeat one thing in another.
const MOST_STEPS: usize = 320_000;
/// What a text to be read costs, a node of its tree, a progress report of the parser and a piece that is handed to it, in steps. A report
/// is a hundred operations; each takes longer where the parser tries to go on after what it could not read.
pub(super) const A_TEXT: usize = 64;
pub(super) const A_NODE: usize = 4;
const A_REPORT: usize = 128;
const AN_ATTEMPT: usize = 8 * A_REPORT;
const A_PIECE: usize = 8;
const AN_OPEN_PARAMETER: usize = 160;
const HERE_DOCUMENTS_A_STEP: usize = 64;
/// The parser is given the text in pieces of this size, so that its reading can be counted.
const PIECE: usize = 256;
/// Most bytes that the parser may read for one line, over and over (S-22): its scanner looks ahead as far as it likes
/// at each token, which is quadratic on hostile lines. A plain line is read about three times.
const MOST_READ: usize = 1 << 20;
/// Counts the steps, over the line and all code in it (S-22).
pub(super) struct Budget<'s> {
    read: Cell<usize>,
    steps: Cell<usize>,
    spend: &'s dyn Fn(usize) -> bool,
}

impl<'s> Budget<'s> {
    /// A budget of which nothing is used up; `spend` is told of every step, and says whether it may be taken.
    pub(super) fn new(spend: &'s dyn Fn(usize) -> bool) -> Self {
        Self { read: Cell::new(0), steps: Cell::new(0), spend }
    }

    /// Counts steps.
    pub(super) fn pay(&self, steps: usize) -> Paid {
        self.steps.set(self.steps.get().saturating_add(steps));
        match ((self.spend)(steps), self.steps.get() > MOST_STEPS) {
            (false, _) => Paid::Cut,
            (true, true) => Paid::TooMuch,
            (true, false) => Paid::Yes,
        }
    }
}

/// Whether steps may be taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Paid {
    /// They may.
    Yes,
    /// It is more than a line may cost.
    TooMuch,
    /// Whoever counts them has no more of them.
    Cut,
}

/// What the parser's reports do not count (S-22): it goes through all its symbols at each `${` without an end, and keeps all
/// here-documents of one row of text with each token of it.
pub(super) fn unreported(text: &str) -> usize {
    let open = text.matches("${").count().saturating_sub(text.matches('}').count());
    let kept = text.lines().map(|row| row.matches("<<").count().pow(2) / HERE_DOCUMENTS_A_STEP);
    let all = kept.fold(open.saturating_mul(AN_OPEN_PARAMETER), usize::saturating_add);
    all.min(MOST_STEPS)
}

/// Parses a text, within the budget of the line.
pub(super) fn parse(text: &str, budget: &Budget<'_>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    // The grammar's scanner looks characters up in tables of 256 (`isdigit`), so one above that is read out of bounds and
    // may end the process. To Bash such characters are ordinary ones; so is `.`, which keeps every offset (S-24).
    let masked: Vec<u8> =
        text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'.' }).collect();
    let mut pieces = |at: usize, _: Point| {
        budget.read.set(budget.read.get() + PIECE);
        // What comes of it, the next report hears.
        budget.pay(A_PIECE);
        masked.get(at..masked.len().min(at + PIECE)).unwrap_or_default()
    };
    let mut progress = |state: &ParseState| {
        let steps = if state.has_error() { AN_ATTEMPT } else { A_REPORT };
        let is_paid = budget.pay(steps) == Paid::Yes && budget.read.get() <= MOST_READ;
        if is_paid { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut pieces, None, Some(options))
}
