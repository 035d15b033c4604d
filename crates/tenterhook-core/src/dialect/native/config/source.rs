//! `[source."~/.claude/settings.json"]`: rules for the hooks of another file (C-54).

use std::path::{Path, PathBuf};

use super::mode::MOVE;
use super::run::read_prewarm;
use super::{Reader, keys};
use crate::diagnostic::Code;
use crate::hook::{Compat, Layer, OnFailure};
use crate::source::{Govern, Switch};
use crate::syntax::Entry;

impl Reader<'_> {
    pub(super) fn read_source_table(&mut self, entry: &Entry) {
        let Some(fields) = self.read_checked_fields(entry, "a source", keys::SOURCE) else {
            return;
        };
        let Some(file) = self.path_of_governed_file(entry) else { return };
        if entry.node.entries().is_empty() {
            self.report(Code::NoEffect, entry.key_span, "this says nothing about the file").help =
                Some(
                    "add `on_failure`, `on_broken`, `compat`, `enabled`, `prewarm`, `mode` or `sandbox`"
                        .to_owned(),
                );
        }
        let sandbox = self.read_sandbox(&fields);
        let prewarm = fields.has_key("prewarm").then(|| read_prewarm(&fields));
        if prewarm.is_some_and(|prewarm| !prewarm.is_supported_by_build()) {
            self.report_unsupported_prewarm(&fields);
        }
        let place = Some(self.location_of(entry.key_span));
        self.out.switches.push(Switch::Govern(Govern {
            place,
            file,
            on_failure: fields.text("on_failure").and_then(failure_policy_of_word),
            on_broken: fields.text("on_broken").and_then(failure_policy_of_word),
            compat: fields.text("compat").map(|word| match word {
                "exact" => Compat::Exact,
                _ => Compat::Guarded,
            }),
            enabled: fields.flag("enabled"),
            sandbox,
            prewarm,
            mode: self.read_mode(&fields),
        }));
    }

    /// Reads `[trust]`: the treatment of unapproved gates (T-13), and the keys whose signatures arm
    /// hooks (T-50).
    pub(super) fn read_trust_table(&mut self, entry: &Entry) {
        let Some(fields) = self.read_checked_fields(entry, "the table", keys::TRUST) else {
            return;
        };
        let layer = self.source.layer;
        if fields.has_key("unapproved") && layer != Layer::Managed {
            let message = "`unapproved` has no effect here: it is read from managed files only";
            self.report(Code::ManagedKeyIgnored, fields.key_span("unapproved"), message).help =
                Some(MOVE.to_owned());
        } else if fields.text("unapproved") == Some("hold") {
            self.out.switches.push(Switch::HoldUnapproved);
        }
        if !fields.has_key("keys") {
            return;
        }
        let (good, bad): (Vec<_>, Vec<_>) =
            fields.strings("keys").into_iter().partition(|(text, _)| is_public_key(text));
        for (text, span) in &bad {
            let message = format!("`{text}` is not a valid key: nothing that it signed is armed");
            self.report(Code::BadKey, *span, message).help =
                Some("a key is what `tenterhook trust key FILE` prints: `ed25519:...`".to_owned());
        }
        if matches!(layer, Layer::Managed | Layer::User) {
            self.out.keys.extend(good.iter().map(|(text, _)| (*text).to_owned()));
        } else if bad.is_empty() {
            let message =
                "`keys` has no effect here: it is read from your own file and from managed files";
            self.report(Code::ManagedKeyIgnored, fields.key_span("keys"), message).help = Some(
                "move it to `~/.config/tenterhook/tenterhook.toml`, or leave it out".to_owned(),
            );
        }
    }

    fn path_of_governed_file(&mut self, entry: &Entry) -> Option<PathBuf> {
        let text = entry.key.as_str();
        let homeless = text.starts_with("~/") && self.source.home == Path::new("");
        let wrong = if text.is_empty() || text.ends_with('/') {
            "name a file"
        } else if homeless {
            "the home is not known here: write the whole path"
        } else {
            return Some(self.resolve_path(text));
        };
        self.report(
            Code::BadPath,
            entry.key_span,
            format!("`{text}` names no file that can be found"),
        )
        .help = Some(wrong.to_owned());
        None
    }
}

/// Returns the failure policy that a checked word names.
pub(super) fn failure_policy_of_word(word: &str) -> Option<OnFailure> {
    [OnFailure::Continue, OnFailure::Ask, OnFailure::Block]
        .into_iter()
        .find(|failure| failure.as_str() == word)
}

/// Returns `true` if a text has the form of a public key.
fn is_public_key(text: &str) -> bool {
    let digits = text.strip_prefix("ed25519:").and_then(|rest| rest.strip_suffix('='));
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    digits.is_some_and(|digit| digit.len() == 43 && digit.chars().all(is_digit))
}
