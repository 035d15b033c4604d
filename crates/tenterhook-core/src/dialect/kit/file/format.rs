//! Reports syntax that the format of a file forbids, and what the agent does with such a file.
//! Knows no hook.

use super::Reader;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::findings::finding_without_location;
use crate::hook::Compat;
use crate::source::Source;
use crate::syntax::{FaultKind, NotStrict, Parsed, SyntaxFault};

impl Reader<'_> {
    /// Reports each kind of syntax fault once. The agent refuses such a file; here its intact parts
    /// run.
    pub(super) fn report_syntax_faults(&mut self, parsed: &Parsed) {
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
            self.report(fault.span, self.syntax_finding_for_agent(fault));
        }
    }

    fn syntax_finding_for_agent(&self, fault: &SyntaxFault) -> Diagnostic {
        let found = syntax_finding(self.file.agent, self.source, fault, Code::NotStrictJson);
        let refuses = match found.code {
            Code::ByteOrderMark => !self.file.takes_mark,
            code => code == Code::EmptyFile && self.file.is_strict,
        };
        if refuses { found.with_severity(Severity::Error) } else { found }
    }
}

/// Returns the part of a message that says what happens to a file that the agent refuses because of
/// one value.
pub(crate) fn refusal_of_whole_file_phrase(source: &Source, agent: &str) -> String {
    match source.compat {
        Compat::Exact => format!("{agent} refuses the whole file, so no hook of it runs"),
        Compat::Guarded => format!("{agent} refuses the whole file; its hooks run here"),
    }
}

/// Creates the finding of a syntax fault; `code` is used for a text that the agent cannot read.
pub(crate) fn syntax_finding(
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
            finding_without_location(Code::ByteOrderMark, fault.message.clone())
        }
        FaultKind::Empty if source.text.trim().is_empty() => {
            finding_without_location(Code::EmptyFile, "the file is empty")
        }
        _ => finding_without_location(code, format!("{whose}: {}", fault.message)),
    };
    let found = found.label("here");
    match &fault.help {
        Some(help) => found.help(help.clone()),
        None => found,
    }
}
