//! An envelope that is written when it is first read: rules and callbacks read only the event, and
//! writing an envelope costs more than most of them do.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use tenterhook_core::dialect::{DialectId, Envelope};
use tenterhook_core::event::Event;

/// The envelope of one event in one dialect. The first access writes it; later ones reuse it.
pub(crate) struct Sealed {
    event: Arc<Event>,
    dialect: DialectId,
    opened: OnceLock<Envelope>,
}

impl Sealed {
    /// Creates the envelope of `event` in `dialect`.
    #[must_use]
    pub(crate) const fn new(event: Arc<Event>, dialect: DialectId) -> Self {
        Self { event, dialect, opened: OnceLock::new() }
    }

    /// Returns the dialect in which the envelope is written.
    #[must_use]
    pub(crate) const fn dialect(&self) -> DialectId {
        self.dialect
    }
}

impl Deref for Sealed {
    type Target = Envelope;

    fn deref(&self) -> &Envelope {
        self.opened.get_or_init(|| self.dialect.dialect().encode_event(&self.event))
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({})", self.dialect)
    }
}
