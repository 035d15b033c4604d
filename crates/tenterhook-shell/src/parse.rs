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

/// Most progress reports of the parser for one line (S-22). A report is a hundred steps; a plain line of full length
/// makes 3,200.
const MOST_STEPS: usize = 20_000;
/// Most steps of the reader's own work for one line (S-22): words that are copied for what stands behind a wrapper, above
/// all. A plain line of full length takes a tenth of it.
const MOST_WORK: usize = 4_000_000;
/// What a text to be read costs, a node of its tree, a progress report and a piece that is handed to the parser, in steps.
pub(super) const A_TEXT: usize = 256;
pub(super) const A_NODE: usize = 4;
const A_REPORT: usize = 128;
const A_PIECE: usize = 8;
/// The parser is given the text in pieces of this size, so that its reading can be counted.
const PIECE: usize = 256;
/// Most bytes that the parser may read for one line, over and over (S-22): its scanner looks ahead as far as it likes
/// at each token, which is quadratic on hostile lines. A plain line is read about three times.
const MOST_READ: usize = 1 << 20;
/// What the parser has used up, over the line and all code in it (S-22).
pub(super) struct Budget<'s> {
    read: Cell<usize>,
    steps: usize,
    work: usize,
    spend: &'s dyn Fn(usize) -> bool,
}

impl<'s> Budget<'s> {
    /// A budget of which nothing is used up; `spend` is told of every step, and says whether it may be taken.
    pub(super) fn new(spend: &'s dyn Fn(usize) -> bool) -> Self {
        Self { read: Cell::new(0), steps: 0, work: 0, spend }
    }

    /// Counts steps of the reader's own work, beside the parser's.
    pub(super) fn pay(&mut self, steps: usize) -> Paid {
        self.work = self.work.saturating_add(steps);
        match ((self.spend)(steps), self.work > MOST_WORK) {
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

/// Parses a text, within the budget of the line.
pub(super) fn parse(text: &str, budget: &mut Budget<'_>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    // The grammar's scanner looks characters up in tables of 256 (`isdigit`), so one above that is read out of bounds and
    // may end the process. To Bash such characters are ordinary ones; so is `.`, which keeps every offset (S-24).
    let masked: Vec<u8> =
        text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'.' }).collect();
    let Budget { read, steps, spend, .. } = budget;
    let mut pieces = |at: usize, _: Point| {
        read.set(read.get() + PIECE);
        // What comes of it, the next report hears.
        spend(A_PIECE);
        masked.get(at..masked.len().min(at + PIECE)).unwrap_or_default()
    };
    let mut progress = |_: &ParseState| {
        *steps += 1;
        let is_spent = !spend(A_REPORT) || read.get() > MOST_READ || *steps > MOST_STEPS;
        if is_spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut pieces, None, Some(options))
}
