//! Parses a text with `tree-sitter-bash` within the budget of one line, and knows the names of its
//! nodes (S-22).

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Point, Tree};

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_bash::LANGUAGE.into());

/// Returns the grammar's name of a node. Takes it from a table, because the library measures and
/// checks the name on each call.
pub(super) fn node_kind(node: Node<'_>) -> &'static str {
    static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let ids = 0..u16::try_from(LANGUAGE.node_kind_count()).unwrap_or(u16::MAX);
        ids.map(|id| LANGUAGE.node_kind_for_id(id).unwrap_or_default()).collect()
    });
    // The library's own kind for unreadable text is in no table.
    KINDS.get(usize::from(node.kind_id())).copied().unwrap_or("ERROR")
}

/// Most steps of one line (S-22), of the parser and of the reader: some 20 ms on a slow machine. A
/// plain line of full length takes two thirds of them; lines with little but `a;`, and lines with
/// deep repetitions, take more.
const MOST_STEPS: usize = 320_000;
/// The costs, in steps, of a text, a node of its tree, a progress report of the parser and a piece
/// of text for it. A report stands for a hundred operations; each takes longer while the parser
/// recovers from an error.
pub(super) const A_TEXT: usize = 64;
pub(super) const A_NODE: usize = 4;
const A_REPORT: usize = 128;
const AN_ATTEMPT: usize = 8 * A_REPORT;
const A_PIECE: usize = 8;
const AN_OPEN_PARAMETER: usize = 160;
const HERE_DOCUMENTS_A_STEP: usize = 64;
/// The parser gets the text in pieces of this size, so that its reading can be counted.
const PIECE: usize = 256;
/// Most bytes that the parser may read for one line, including repeated reading (S-22): its scanner
/// looks ahead without limit at each token, which is quadratic on hostile lines. A plain line is read
/// about three times.
const MOST_READ: usize = 1 << 20;
/// Counts the steps of a line and all code in it (S-22).
pub(super) struct Budget<'s> {
    read: Cell<usize>,
    steps: Cell<usize>,
    spend: &'s dyn Fn(usize) -> bool,
}

impl<'s> Budget<'s> {
    /// Makes a full budget. `spend` is called for every step, and returns whether it may be taken.
    pub(super) fn new(spend: &'s dyn Fn(usize) -> bool) -> Self {
        Self { read: Cell::new(0), steps: Cell::new(0), spend }
    }

    /// Counts steps, and returns whether they may be taken.
    pub(super) fn spend_steps(&self, steps: usize) -> Paid {
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
    /// The line has exceeded its budget.
    TooMuch,
    /// The caller's budget is exhausted.
    Cut,
}

/// Estimates the work that the parser's progress reports do not include (S-22): it goes through all
/// its symbols at each unclosed `${`, and stores all here-documents of one row with each of its
/// tokens.
pub(super) fn unreported_parser_work(text: &str) -> usize {
    let open = text.matches("${").count().saturating_sub(text.matches('}').count());
    let kept = text.lines().map(|row| row.matches("<<").count().pow(2) / HERE_DOCUMENTS_A_STEP);
    let all = kept.fold(open.saturating_mul(AN_OPEN_PARAMETER), usize::saturating_add);
    all.min(MOST_STEPS)
}

/// Parses a text, within the budget of the line.
pub(super) fn parse_text(text: &str, budget: &Budget<'_>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    // The grammar's scanner looks characters up in tables of 256 (`isdigit`), so a larger one is
    // read out of bounds and may crash the process. Bash treats such characters as ordinary ones,
    // like `.`, which keeps every offset (S-24).
    let masked: Vec<u8> =
        text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'.' }).collect();
    let mut pieces = |at: usize, _: Point| {
        budget.read.set(budget.read.get() + PIECE);
        // The next report receives the result.
        budget.spend_steps(A_PIECE);
        masked.get(at..masked.len().min(at + PIECE)).unwrap_or_default()
    };
    let mut progress = |state: &ParseState| {
        let steps = if state.has_error() { AN_ATTEMPT } else { A_REPORT };
        let is_paid = budget.spend_steps(steps) == Paid::Yes && budget.read.get() <= MOST_READ;
        if is_paid { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut pieces, None, Some(options))
}
