//! Reads `[protect]`: exemptions from the built-in rules, and whether these rules may be suspended
//! (C-69).

use super::{Reader, keys};
use crate::diagnostic::Code;
use crate::source::Protect;
use crate::syntax::Entry;

/// Longest pattern.
const LONGEST: usize = 512;

impl Reader<'_> {
    pub(super) fn read_protect_table(&mut self, entry: &Entry) {
        let Some(fields) = self.read_checked_fields(entry, "`protect`", keys::PROTECT) else {
            return;
        };
        let mut writable = Vec::new();
        for (text, span) in fields.strings("writable") {
            let plain = text.chars().all(|c| !c.is_control() && !matches!(c, '"' | '\\'));
            let whole = matches!(text.trim_matches(['*', '/', '~', '.']), "");
            if text.len() > LONGEST || !plain || whole {
                let message =
                    format!("`{text}` is no pattern of files that can be left to an agent");
                self.report(Code::BadPath, span, message).help =
                    Some("name files, such as `.claude/settings.json` or `~/.codex/**`".to_owned());
            } else {
                writable.push(text.to_owned());
            }
        }
        let place = Some(self.location_of(entry.key_span));
        let mode = self.read_mode(&fields);
        let writable = fields.has_key("writable").then_some(writable);
        self.out.protect = Some(Protect { writable, pause: fields.flag("pause"), mode, place });
    }
}
