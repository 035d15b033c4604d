//! The texts that were sent and are not settled yet. Each stands here once, in one phase. Pure; draws nothing.

use super::shown;
use crate::submission::{Submission, SubmissionId};

/// How far a submission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// On its way to its hooks, which may rewrite or refuse it.
    Sending,
    /// It waits for the end of the turn.
    Queued,
}

/// A submission that is not settled.
#[derive(Debug)]
struct Pending {
    submission: Submission,
    /// What of it is shown.
    shown: String,
    phase: Phase,
}

/// All of them, in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct Outbox(Vec<Pending>);

impl Outbox {
    /// Adds a text with the phase in which it begins.
    pub(super) fn add_submission(&mut self, submission: Submission, phase: Phase) {
        let shown = shown::safe_text(&submission.text, shown::TEXT);
        self.0.push(Pending { submission, shown, phase });
    }

    /// Updates which submissions wait, and in which order. The others are on their way.
    pub(super) fn set_queue(&mut self, queue: &[Submission]) {
        for pending in &mut self.0 {
            pending.phase = Phase::Sending;
        }
        for submission in queue {
            self.remove_submission(submission.id);
            self.add_submission(submission.clone(), Phase::Queued);
        }
    }

    /// Removes a submission that was accepted, refused, executed or withdrawn.
    pub(super) fn remove_submission(&mut self, id: impl Into<Option<SubmissionId>>) {
        let id = id.into();
        self.0.retain(|pending| Some(pending.submission.id) != id);
    }

    /// Returns the shown texts of the submissions in this phase, in order.
    pub(super) fn shown_texts(&self, phase: Phase) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().filter(move |pending| pending.phase == phase).map(|pending| &*pending.shown)
    }

    /// Returns whether a submission is in this phase.
    pub(super) fn has_submission_in_phase(&self, phase: Phase) -> bool {
        self.shown_texts(phase).next().is_some()
    }

    /// Returns whether no submission is left.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phases(outbox: &Outbox) -> (Vec<&str>, Vec<&str>) {
        (outbox.shown_texts(Phase::Sending).collect(), outbox.shown_texts(Phase::Queued).collect())
    }

    /// AG-44.
    #[test]
    fn text_that_was_sent_and_then_queued_stands_once_and_is_settled_by_its_id() {
        let mut outbox = Outbox::default();
        let (first, second) = (Submission::new("same"), Submission::new("same"));
        outbox.add_submission(first.clone(), Phase::Sending);
        outbox.add_submission(second.clone(), Phase::Sending);
        outbox.set_queue(&[first.clone(), second.clone()]);
        assert_eq!(phases(&outbox), (vec![], vec!["same", "same"]));
        outbox.set_queue(std::slice::from_ref(&second));
        assert_eq!(phases(&outbox), (vec!["same"], vec!["same"]));
        outbox.remove_submission(second.id);
        assert_eq!(phases(&outbox), (vec!["same"], vec![]));
        outbox.remove_submission(second.id);
        assert_eq!(phases(&outbox), (vec!["same"], vec![]), "no other submission is removed");
        outbox.remove_submission(first.id);
        assert!(outbox.is_empty());
    }

    /// AG-44.
    #[test]
    fn queue_that_arrives_late_shows_texts_in_its_order() {
        let mut outbox = Outbox::default();
        let (sent, queued) = (Submission::new("sent"), Submission::new("queued"));
        outbox.add_submission(sent.clone(), Phase::Sending);
        outbox.add_submission(queued.clone(), Phase::Queued);
        outbox.set_queue(&[queued, sent]);
        assert_eq!(phases(&outbox), (vec![], vec!["queued", "sent"]));
    }
}
