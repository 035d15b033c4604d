//! `mode` of one hook, of a file or of the built-in rules: whether the answers of hooks count; and
//! `[shadow]`: who may set it (SH-1 to SH-4).

use super::fields::Fields;
use super::{Reader, keys};
use crate::diagnostic::Code;
use crate::hook::enforcement::SHADOW;
use crate::hook::{Enforcement, Layer};
use crate::source::{ModeWord, Switch};
use crate::syntax::{Entry, Node};

/// What mends a key that only managed files have.
pub(super) const MOVE: &str = "move it to `/etc/tenterhook/tenterhook.toml`, or leave it out; \
    `check --as managed` checks a file that you will put there";

impl Reader<'_> {
    /// Returns the `mode` of a table, whose word was checked.
    pub(super) fn read_mode(&self, fields: &Fields<'_>) -> Option<ModeWord> {
        self.mode_from_node(fields.get("mode")?)
    }

    fn mode_from_node(&self, node: &Node) -> Option<ModeWord> {
        let shadow = node.as_str()? == SHADOW;
        Some(ModeWord { shadow, place: self.location_of(node.span) })
    }

    /// Returns the enforcement that an entry sets for itself.
    pub(super) fn read_enforcement(&self, fields: &Fields<'_>) -> Enforcement {
        match self.read_mode(fields) {
            None => Enforcement::Usual,
            Some(word) if !word.shadow => Enforcement::Enforced,
            Some(word) => Enforcement::Shadow {
                because: "the entry says `mode = \"shadow\"`".to_owned(),
                place: Some(word.place),
            },
        }
    }

    /// Reads `mode` at the top of the file, which applies to each hook without `mode`. In a file
    /// that cannot be parsed to its end it has no effect, because the rest of the file is unknown
    /// (C-71).
    pub(super) fn apply_file_mode(&mut self, entry: &Entry) {
        let before = self.error_count();
        self.check_value_shape(entry, keys::Shape::Choice(keys::MODES));
        let word = self.mode_from_node(&entry.node).filter(|word| word.shadow);
        let Some(word) = word.filter(|_| self.error_count() == before && self.out.lost.is_none())
        else {
            return;
        };
        for hook in &mut self.out.hooks {
            if hook.enforcement == Enforcement::Usual {
                hook.enforcement = Enforcement::Shadow {
                    because: "the file says `mode = \"shadow\"`".to_owned(),
                    place: Some(word.place.clone()),
                };
            }
        }
    }

    /// Reads `[shadow]`, which says whether other files may put hooks into shadow mode.
    pub(super) fn read_shadow_table(&mut self, entry: &Entry) {
        let Some(fields) = self.read_checked_fields(entry, "the table", keys::SHADOWS) else {
            return;
        };
        if self.source.layer != Layer::Managed {
            let message = "`[shadow]` has no effect here: it is read from managed files only";
            self.report(Code::ManagedKeyIgnored, entry.key_span, message).help =
                Some(MOVE.to_owned());
        } else if fields.flag("allowed") == Some(false) {
            self.out.switches.push(Switch::NoShadow);
        }
    }
}
