//! Reports syntax that the format of a file forbids, and what the agent does with such a file.
//! Knows no hook.

use super::Reader;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::findings::finding;
use crate::hook::Compat;
use crate::source::Source;
use crate::syntax::{FaultKind, NotStrict, Parsed, SyntaxFault};

impl Reader<'_> {
    /// Tells what the format forbids, each kind of it once. The agent refuses such a file; here
    /// what is whole of it runs.
    pub(super) fn syntax(&mut self, parsed: &Parsed) {
        let mut said: Vec<FaultKind> = Vec::new();
        for fault in &parsed.faults {
            let is_taken = match fault.kind {
                FaultKind::NotStrict(NotStrict::Comment) => self.file.takes_comments,
                FaultKind::NotStrict(NotStrict::Javascript) => self.file.is_javascript,
                _ => false,
            };
            if is_taken || said.contains(&fault.kind) {
                continue;
            }
            said.push(fault.kind);
            let is_mark = fault.kind == FaultKind::NotStrict(NotStrict::ByteOrderMark);
            if !(is_mark && self.file.takes_mark) {
                self.refused.get_or_insert_with(|| fault.message.clone());
            }
            self.read.unreadable |= !matches!(fault.kind, FaultKind::NotStrict(_));
            self.report(fault.span, self.of_syntax(fault));
        }
    }

    fn of_syntax(&self, fault: &SyntaxFault) -> Diagnostic {
        let found = of_syntax(self.file.agent, self.source, fault, Code::NotStrictJson);
        let refuses = match found.code {
            Code::ByteOrderMark => !self.file.takes_mark,
            code => code == Code::EmptyFile && self.file.is_strict,
        };
        if refuses { found.weighing(Severity::Error) } else { found }
    }
}

/// What the format forbids, in words; `code` is that of a text which the agent cannot read.
pub(crate) fn of_syntax(
    agent: &str,
    source: &Source,
    fault: &SyntaxFault,
    code: Code,
) -> Diagnostic {
    let refuses = format!("{agent} refuses the whole file");
    let whose = match fault.kind {
        _ if source.compat == Compat::Exact => "no hook of this file runs".to_owned(),
        FaultKind::NotStrict(_) => format!("{refuses}; its hooks run here"),
        _ => format!("{refuses}; of its hooks those run here that are whole"),
    };
    let found = match fault.kind {
        FaultKind::NotStrict(NotStrict::ByteOrderMark) => {
            finding(Code::ByteOrderMark, fault.message.clone())
        }
        FaultKind::Empty if source.text.trim().is_empty() => {
            finding(Code::EmptyFile, "the file is empty")
        }
        _ => finding(code, format!("{whose}: {}", fault.message)),
    };
    let found = found.label("here");
    match &fault.help {
        Some(help) => found.help(help.clone()),
        None => found,
    }
}
