//! Reads the other fields of a handler: whether the event waits for it, its timeout, how often it
//! runs, and what a failure means.
//!
//! No such field decides what runs: one that cannot be read is ignored (C-25).

use std::time::Duration;

use super::Scope;
use crate::diagnostic::Code;
use crate::dialect::claude::config::{FileKind, Reading, finding_without_location};
use crate::dialect::kit::field::{Case, with_number_help};
use crate::hook::{OnFailure, Wait};
use crate::syntax::Node;

impl Reading<'_> {
    /// Reads `async` and `asyncRewake`: whether the event waits for the hook.
    pub(super) fn read_whether_event_waits(&mut self, node: &Node, scope: &Scope) -> Wait {
        let rewakes = self.read_flag(node, "asyncRewake");
        let detached = self.read_flag(node, "async");
        let key = if detached { "async" } else { "asyncRewake" };
        let gate = scope.spec.filter(|spec| spec.is_gate && scope.off.is_none());
        if let (Some(spec), Some(entry)) = (gate.filter(|_| detached || rewakes), node.entry(key)) {
            let message =
                format!("`{key}` on `{}`: what it answers comes too late to decide", spec.name);
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::AsyncOnGate, message)
                    .help(format!("remove `{key}` if this hook is to deny or to ask")),
            );
        }
        match (rewakes, detached) {
            (true, _) => Wait::Rewake,
            (false, true) => Wait::Detached,
            (false, false) => Wait::Attached,
        }
    }

    /// Reads the timeout in seconds, with fractions (C-37).
    pub(super) fn read_timeout(&mut self, node: &Node) -> Option<Duration> {
        let entry = Case::Counts.non_null_entry_of_key(node, "timeout")?;
        let seconds = entry.node.as_f64().filter(|seconds| *seconds > 0.0);
        let Some(timeout) = seconds.and_then(|number| Duration::try_from_secs_f64(number).ok())
        else {
            let message = "`timeout` takes a number of seconds above 0; the default counts";
            let found = finding_without_location(Code::WrongFieldType, message);
            self.report_finding(entry.node.span, with_number_help(entry, found, 1.0));
            return None;
        };
        self.findings.report_excessive_seconds(entry, timeout.as_secs_f64());
        Some(timeout)
    }

    /// Reads what happens if the hook gives no answer; an unknown value is read as `block` (C-35).
    pub(super) fn read_failure_policy(
        &mut self,
        node: &Node,
        scope: &Scope,
        wait: Wait,
    ) -> Option<OnFailure> {
        let entry = Case::Counts.non_null_entry_of_key(node, "onFailure")?;
        let said = match entry.node.as_str() {
            Some("continue") => OnFailure::Continue,
            Some("block") => OnFailure::Block,
            _ => {
                let message = "`onFailure` takes `block` or `continue`; this is read as `block`";
                self.report_finding(
                    entry.node.span,
                    finding_without_location(Code::UnknownOnFailure, message),
                );
                OnFailure::Block
            }
        };
        let ignored = scope.spec.is_some_and(|spec| spec.ignores_on_failure);
        if ignored || wait != Wait::Attached {
            let why = if ignored { "on this event" } else { "of a background hook" };
            let message = format!("`onFailure` is ignored {why}");
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::OnFailureIgnored, message),
            );
            return None;
        }
        Some(said)
    }

    /// Reads `once`, which has an effect only in a skill (C-28).
    pub(super) fn read_once_flag(&mut self, node: &Node) -> bool {
        if !self.read_flag(node, "once") {
            return false;
        }
        if self.kind == FileKind::Skill {
            return true;
        }
        if let Some(entry) = node.entry("once") {
            let message = "`once` counts only in the front matter of a skill: this runs every time";
            self.report_finding(
                entry.key_span,
                finding_without_location(Code::OnceOutsideSkill, message)
                    .help("remove it, or keep a marker file in the program"),
            );
        }
        false
    }

    pub(super) fn read_flag(&mut self, node: &Node, key: &str) -> bool {
        self.findings.read_flag(Case::Counts.non_null_entry_of_key(node, key))
    }

    pub(super) fn read_text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.findings.read_text(Case::Counts.non_null_entry_of_key(node, key)).map(str::to_owned)
    }
}
