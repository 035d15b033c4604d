//! What stands in the place of a script in a build without the feature `prewarm-forms`: nothing.

use std::path::Path;

use tenterhook_process as process;

use tenterhook_core::hook::Command;

/// No code is put into any interpreter.
#[derive(Debug, Default)]
pub(in crate::executor::command) struct StandIn(());

impl StandIn {
    /// Every command is started as it stands.
    #[expect(clippy::unnecessary_wraps, reason = "with the feature, a form may not fit")]
    pub(super) const fn enter(
        _: &mut process::Command,
        _: &Command,
        _: Option<&Path>,
    ) -> Option<Self> {
        Some(Self(()))
    }
}
