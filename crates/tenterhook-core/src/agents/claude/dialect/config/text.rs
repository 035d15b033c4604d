//! Checks the whole text: what the agent refuses or ignores before it reads an entry.

use super::{FileKind, Off, Reading};
use crate::diagnostic::{Code, Span};
use crate::dialect::claude::accepted;
use crate::dialect::claude::events::find_event;
use crate::dialect::kit::file::{report_repeated_key, syntax_finding};
use crate::dialect::kit::shape::RefusedValue;
use crate::hook::Compat;
use crate::syntax::{FaultKind, Node, NotStrict, Parsed};

impl Reading<'_> {
    /// Reports syntax errors. The agent refuses the whole file: in exact mode this returns the
    /// reason, otherwise the complete entries still run (C-21).
    pub(super) fn report_syntax_errors(&mut self, parsed: &Parsed) -> Option<Off> {
        let mut refused = None;
        let mut said: Vec<FaultKind> = Vec::new();
        for fault in &parsed.faults {
            // The agent reads JSON as JavaScript does (C-87).
            let is_taken = fault.kind == FaultKind::NotStrict(NotStrict::Javascript);
            if is_taken || said.contains(&fault.kind) {
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
            let code = match self.kind.is_front_matter() {
                true => Code::BrokenFrontMatter,
                false => Code::NotStrictJson,
            };
            self.report_finding(
                fault.span,
                syntax_finding("Claude Code", self.source, fault, code),
            );
        }
        refused
    }

    /// Returns the value for which the agent refuses a settings file. Files of plugins are not
    /// known to be refused.
    pub(super) fn find_refused_value(&self, root: &Node) -> Option<RefusedValue> {
        accepted::find_refused_value(root).filter(|_| self.is_settings(root) && !self.is_torn)
    }

    /// Whether the file is the settings of a person, a project or the machine.
    pub(super) fn is_settings(&self, root: &Node) -> bool {
        let is_named = root.get("name").is_some_and(|name| name.as_str().is_some());
        self.kind == FileKind::Settings && !is_named && !self.is_of_plugin
    }

    /// With exact reading, notes that the file is unreadable because of this value, and returns why
    /// no hook of it runs (C-24); `None` with guarded reading.
    pub(super) fn refuse_file_for_value(&mut self, value: &RefusedValue) -> Option<Off> {
        if self.source.compat != Compat::Exact {
            return None;
        }
        self.read.unreadable = true;
        let because = format!("Claude Code refuses the whole file: {}", value.sentence());
        Some(Off::new(because, "C-24"))
    }

    /// Reports repeated keys: the agent uses the last one (C-39).
    pub(super) fn report_duplicate_keys(&mut self, root: &Node) {
        let hooks: Vec<Span> = root
            .entries()
            .iter()
            .filter(|entry| entry.key == "hooks" || find_event(&entry.key).is_some())
            .map(|entry| Span::new(entry.key_span.start, entry.node.span.end))
            .collect();
        for twice in root.duplicate_keys() {
            let matters = hooks
                .iter()
                .any(|hook| hook.start <= twice.again.start && twice.again.end <= hook.end);
            report_repeated_key(&mut self.findings, &twice, matters);
        }
    }
}
