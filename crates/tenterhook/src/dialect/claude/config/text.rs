//! Is the text whole? What the agent refuses or passes over before it looks at a single entry.

use super::{Off, Reading, finding};
use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::dialect::claude::events::find_event;
use crate::hook::Compat;
use crate::syntax::{FaultKind, Node, NotStrict, Parsed, SyntaxFault};

impl Reading<'_> {
    /// Reports what the format forbids. The agent refuses the whole file, and so does who follows it exactly: what comes
    /// back is why. Else what is whole of it runs (C-21).
    pub(super) fn syntax(&mut self, parsed: &Parsed) -> Option<Off> {
        let mut refused = None;
        let mut said: Vec<FaultKind> = Vec::new();
        for fault in &parsed.faults {
            if said.contains(&fault.kind) {
                continue;
            }
            said.push(fault.kind);
            let is_mark = fault.kind == FaultKind::NotStrict(NotStrict::ByteOrderMark);
            let is_exact = self.source.compat == Compat::Exact;
            let is_whole = matches!(fault.kind, FaultKind::NotStrict(_));
            self.read.unreadable |= !is_mark && (is_exact || !is_whole);
            if !is_mark && is_exact {
                let because =
                    format!("Claude Code refuses the whole file, because {}", fault.message);
                refused = refused.or(Some(Off::new(because, "C-21")));
            }
            self.report(fault.span, self.syntax_finding(fault, is_exact));
        }
        refused
    }

    fn syntax_finding(&self, fault: &SyntaxFault, is_exact: bool) -> Diagnostic {
        let help = fault.help.clone();
        let whose = match fault.kind {
            _ if is_exact => "no hook of this file runs",
            FaultKind::NotStrict(_) => "Claude Code refuses the whole file; its hooks run here",
            _ => "Claude Code refuses the whole file; of its hooks those run here that are whole",
        };
        let found = match fault.kind {
            FaultKind::NotStrict(NotStrict::ByteOrderMark) => {
                finding(Code::ByteOrderMark, fault.message.clone())
            }
            FaultKind::Empty if self.source.text.trim().is_empty() => {
                finding(Code::EmptyFile, "the file is empty")
            }
            _ if self.kind.is_front_matter() => {
                finding(Code::BrokenFrontMatter, format!("{whose}: {}", fault.message))
            }
            _ => finding(Code::NotStrictJson, format!("{whose}: {}", fault.message)),
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
                finding(Code::DuplicateKeys, message)
            } else {
                finding(Code::DuplicateKeys, message).weighing(Severity::Advice)
            };
            let help = format!(
                "move what stands under the first one (line {}) into the last one",
                first.line
            );
            self.report(twice.again, found.help(help));
        }
    }
}
