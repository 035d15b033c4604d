//! The hooks of a review as they would run after approval, for a comparison before it. Approves nothing.

use std::io;

use super::{Entry, Review, Trust, copies};
use tenterhook_core::hook::{Hook, Run, Worker};

impl Trust {
    /// The hooks of a review as they would run if it were approved, in its order, from copies that are made here; nothing is approved.
    ///
    /// # Errors
    ///
    /// Each entry has its own: its copy cannot be made.
    #[must_use]
    pub fn rehearse(&self, review: &Review) -> Vec<io::Result<Hook>> {
        let checked = copies::Checked::default();
        let copied = |entry: &Entry| {
            let mut hook = entry.hook.clone();
            let (Run::Command(command) | Run::Worker(Worker { command })) = &mut hook.run else {
                return Ok(hook);
            };
            let place = (&self.store, &checked);
            copies::redirect_command_to_copies(
                place,
                command,
                entry.files,
                &entry.pins,
                &review.project,
            )
            .map_err(io::Error::other)?;
            command.invocation = command.invocation().clone();
            Ok(hook)
        };
        review.entries.iter().map(copied).collect()
    }
}
