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
    /// The line of the conversation that was gathered as this one.
    const fn line(&self, at: usize) -> usize {
        self.to - 1 - at
    }

    /// Where a line of the block was gathered; it may have fewer than before, in a wider window.
    fn at(&self, line: usize) -> usize {
        (self.to - 1).saturating_sub(line).max(self.from)
    }
}

impl View {
    /// Looks so many lines further up.
    pub(super) const fn up(&mut self, lines: isize) {
        self.moved += lines;
    }

    /// Whether it ends with the conversation, so that no more of that is needed than is seen.
    pub(super) const fn at_end(&self) -> bool {
        self.held.is_none() && self.moved <= 0
    }

    /// How many lines are to lie below it, once the lines that were gathered reach the place where it is held.
    pub(super) fn wanted(&self, spans: &[Span], height: usize) -> Option<usize> {
        let top = match self.held {
            None => height,
            Some(place) => spans.iter().find(|span| span.block == place.block)?.at(place.line) + 1,
        };
        Some(top.saturating_add_signed(self.moved).saturating_sub(height))
    }

    /// The same with so many lines below it, where `spans` says which lines those above are.
    pub(super) fn settled(below: usize, spans: &[Span], top: usize) -> Self {
        if below == 0 {
            return Self::default();
        }
        let span = spans.iter().find(|span| (span.from..span.to).contains(&top));
        let held = span.map(|span| Anchor { block: span.block, line: span.line(top) });
        // A sent text that is not in the conversation yet belongs to no block: there only the end
        // is a fixed point.
        let moved = if held.is_none() { isize::try_from(below).unwrap_or(isize::MAX) } else { 0 };
        Self { held, moved, below }
    }
}
