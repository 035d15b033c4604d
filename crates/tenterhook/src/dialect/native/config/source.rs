//! `[source."~/.claude/settings.json"]`: rules for the hooks of another file (C-54).

use std::path::{Path, PathBuf};

use super::run::prewarm;
use super::{Reader, keys};
use crate::diagnostic::Code;
use crate::hook::{Compat, Layer, OnFailure};
use crate::source::{Govern, Switch};
use crate::syntax::Entry;

impl Reader<'_> {
    pub(super) fn govern(&mut self, entry: &Entry) {
        let Some(fields) = self.fields(entry, "a source", keys::SOURCE) else { return };
        let Some(file) = self.governed(entry) else { return };
        if entry.node.entries().is_empty() {
            self.report(Code::NoEffect, entry.key_span, "this says nothing about the file").help =
                Some(
                    "add `on_failure`, `on_broken`, `compat`, `enabled`, `prewarm` or `mode`"
                        .to_owned(),
                );
        }
        let prewarm = fields.has("prewarm").then(|| prewarm(&fields));
        if prewarm.is_some_and(|it| !it.is_built()) {
            self.form_left_out(&fields);
        }
        let place = Some(self.place_of(entry.key_span));
        self.out.switches.push(Switch::Govern(Govern {
            place,
            file,
            on_failure: fields.text("on_failure").and_then(on_failure),
            on_broken: fields.text("on_broken").and_then(on_failure),
            compat: fields.text("compat").map(|word| match word {
                "exact" => Compat::Exact,
                _ => Compat::Guarded,
            }),
            enabled: fields.flag("enabled"),
            prewarm,
            mode: self.mode(&fields),
        }));
    }

    /// `[trust]`: what becomes of gates that nobody approved (T-13).
    pub(super) fn trust(&mut self, entry: &Entry) {
        let Some(fields) = self.fields(entry, "the table", keys::TRUST) else { return };
        let holds = fields.text("unapproved") == Some("hold");
        if self.source.layer != Layer::Managed {
            let message = "`trust` counts in a managed file alone: it says nothing here";
            self.report(Code::ManagedKeyIgnored, entry.key_span, message).help =
                Some("put it into the managed file, or remove it".to_owned());
        } else if holds {
            self.out.switches.push(Switch::HoldUnapproved);
        }
    }

    fn governed(&mut self, entry: &Entry) -> Option<PathBuf> {
        let text = entry.key.as_str();
        let homeless = text.starts_with("~/") && self.source.home == Path::new("");
        let wrong = if text.is_empty() || text.ends_with('/') {
            "name a file"
        } else if homeless {
            "the home is not known here: write the whole path"
        } else {
            return Some(self.path(text));
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

/// The policy that a checked word names.
pub(super) fn on_failure(word: &str) -> Option<OnFailure> {
    [OnFailure::Continue, OnFailure::Ask, OnFailure::Block].into_iter().find(|it| it.word() == word)
}
