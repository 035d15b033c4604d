//! A verdict that is allocated only when it is not silent: most rules are silent at every call.
//! Judges nothing.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use tenterhook_core::verdict::Verdict;

/// The verdict of one step; silent until it is written to.
#[derive(Debug, Default)]
pub(super) struct LazyVerdict(Option<Box<Verdict>>);

impl LazyVerdict {
    /// The verdict, or `None` if it is silent.
    pub(super) fn into_verdict_unless_silent(self) -> Option<Verdict> {
        self.0.map(|verdict| *verdict).filter(|verdict| !verdict.has_no_effect())
    }
}

impl From<Verdict> for LazyVerdict {
    fn from(verdict: Verdict) -> Self {
        Self(Some(Box::new(verdict)))
    }
}

impl Deref for LazyVerdict {
    type Target = Verdict;

    fn deref(&self) -> &Verdict {
        static SILENT: LazyLock<Verdict> = LazyLock::new(Verdict::without_effect);
        self.0.as_deref().unwrap_or(&SILENT)
    }
}

impl DerefMut for LazyVerdict {
    fn deref_mut(&mut self) -> &mut Verdict {
        self.0.get_or_insert_with(|| Box::new(Verdict::without_effect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::answer::Restraint;

    #[test]
    fn what_was_written_is_read_and_silence_stays_silent() {
        let mut verdict = LazyVerdict::default();
        assert_eq!(*verdict, Verdict::without_effect());
        assert_eq!(LazyVerdict::default().into_verdict_unless_silent(), None);
        assert_eq!(LazyVerdict::from(Verdict::without_effect()).into_verdict_unless_silent(), None);
        verdict.restraint = Restraint::Deny;
        assert_eq!(
            verdict.into_verdict_unless_silent().map(|verdict| verdict.restraint),
            Some(Restraint::Deny)
        );
    }
}
