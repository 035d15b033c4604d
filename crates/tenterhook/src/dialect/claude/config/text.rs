//! Is the text whole? What the agent refuses or passes over before it looks at a single entry.

use super::{Off, Reading, advice, error, warning};
use crate::diagnostic::{Diagnostic, Span};
use crate::dialect::claude::vocabulary::find_event;
use crate::syntax::{FaultKind, Node, NotStrict, Parsed, SyntaxFault};

impl Reading<'_> {
    /// Reports what the format forbids; what comes back is why the agent refuses the whole file (C-21).
    pub(super) fn syntax(&mut self, parsed: &Parsed) -> Option<Off> {
        let mut refused = None;
        let mut said: Vec<FaultKind> = Vec::new();
        for fault in &parsed.faults {
            if said.contains(&fault.kind) {
                continue;
            }
            said.push(fault.kind);
            let is_mark = fault.kind == FaultKind::NotStrict(NotStrict::ByteOrderMark);
            if !is_mark {
                self.read.unreadable = true;
                let because =
                    format!("Claude Code refuses the whole file, because {}", fault.message);
                refused = refused.or(Some(Off::new(because, "C-21")));
            }
            self.report(fault.span, self.syntax_finding(fault));
        }
        refused
    }

    fn syntax_finding(&self, fault: &SyntaxFault) -> Diagnostic {
        let help = fault.help.clone();
        let found = match fault.kind {
            FaultKind::NotStrict(NotStrict::ByteOrderMark) => {
                advice("byte-order-mark", fault.message.clone())
            }
            _ if self.kind.is_front_matter() => error(
                "broken-front-matter",
                format!("no hook of this file runs: {}", fault.message),
            ),
            FaultKind::Empty if self.source.text.trim().is_empty() => {
                warning("empty-file", "the file is empty")
            }
            _ => error("not-strict-json", format!("no hook of this file runs: {}", fault.message)),
        };
        let found = found.label("here");
        match help {
            Some(help) => found.help(help),
            None => found,
        }
    }

    /// Keys that were written twice: the agent keeps the last one (C-39).
    pub(super) fn duplicates(&mut self, root: &Node) {
        let hooks: Vec<Span> = root
            .entries()
            .iter()
            .filter(|it| it.key == "hooks" || find_event(&it.key).is_some())
            .map(|it| Span::new(it.key_span.start, it.node.span.end))
            .collect();
        for twice in root.duplicates() {
            let first = self.findings.place(twice.first);
            let message = format!("`{}` is written twice: only the last one counts", twice.key);
            let matters =
                hooks.iter().any(|it| it.start <= twice.again.start && twice.again.end <= it.end);
            let found = if matters {
                error("duplicate-keys", message)
            } else {
                advice("duplicate-keys", message)
            };
            let help = format!(
                "move what stands under the first one (line {}) into the last one",
                first.line
            );
            self.report(twice.again, found.help(help));
        }
    }
}
