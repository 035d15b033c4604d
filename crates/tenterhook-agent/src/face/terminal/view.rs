//! Where the person looks: at the end, whatever comes, or at a place that stays while more comes below it. Pure.

/// What part of the conversation is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    /// The block at its top. `None`: it ends with the conversation.
    held: Option<Anchor>,
    /// How many lines further up the person has gone since it was drawn.
    moved: isize,
    /// How many lines lie below it.
    pub(super) below: usize,
}

/// A line of the conversation, however many come after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Anchor {
    /// Which block, counted from the first of the session.
    block: usize,
    /// Which of its lines.
    line: usize,
}

/// Which of the lines that were gathered, from the last upwards, are those of one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) block: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Span {
    /// Returns which line of the block was gathered at this index.
    const fn line_of_index(&self, at: usize) -> usize {
        self.to - 1 - at
    }

    /// Returns the index at which a line of the block was gathered. The block may have fewer lines
    /// than before, in a wider window.
    fn index_of_line(&self, line: usize) -> usize {
        (self.to - 1).saturating_sub(line).max(self.from)
    }
}

impl View {
    /// Scrolls this many lines up.
    pub(super) const fn scroll_up(&mut self, lines: isize) {
        self.moved += lines;
    }

    /// Returns whether the view shows the end of the conversation, so that only the visible lines
    /// are needed.
    pub(super) const fn is_at_end(&self) -> bool {
        self.held.is_none() && self.moved <= 0
    }

    /// Returns how many lines should be below the view, or `None` if the anchor of the view is not
    /// among the gathered lines.
    pub(super) fn wanted_lines_below(&self, spans: &[Span], height: usize) -> Option<usize> {
        let top = match self.held {
            None => height,
            Some(place) => {
                spans.iter().find(|span| span.block == place.block)?.index_of_line(place.line) + 1
            }
        };
        Some(top.saturating_add_signed(self.moved).saturating_sub(height))
    }

    /// Creates the view with this many lines below it. `spans` gives the block of each line above
    /// them.
    pub(super) fn from_lines_below(below: usize, spans: &[Span], top: usize) -> Self {
        if below == 0 {
            return Self::default();
        }
        let span = spans.iter().find(|span| (span.from..span.to).contains(&top));
        let held = span.map(|span| Anchor { block: span.block, line: span.line_of_index(top) });
        // A sent text that is not in the conversation yet belongs to no block: there only the end
        // is a fixed point.
        let moved = if held.is_none() { isize::try_from(below).unwrap_or(isize::MAX) } else { 0 };
        Self { held, moved, below }
    }
}
