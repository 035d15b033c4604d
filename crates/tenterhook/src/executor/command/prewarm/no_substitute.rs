//! Replaces `substitute` in a build without the feature `prewarm-forms`: no code takes the place of
//! a script.

use std::path::Path;

use tenterhook_process as process;

use tenterhook_core::hook::Command;

/// No code is put into any interpreter.
#[derive(Debug, Default)]
pub(in crate::executor::command) struct Substitute(());

impl Substitute {
    /// Leaves every command unchanged.
    #[expect(clippy::unnecessary_wraps, reason = "with the feature, a form may not fit")]
    pub(super) const fn apply_to_command(
        _: &mut process::Command,
        _: &Command,
        _: Option<&Path>,
    ) -> Option<Self> {
        Some(Self(()))
    }
}
