//! Reports one firing to the record: when it begins, and once how it ended, also if the host drops
//! it. Decides only, by the module `record`, whether an unrecorded firing may go on.

use std::sync::Arc;
use std::time::Instant;

use crate::record::{Late, Number, Record, Sink, Unrecorded};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Event;
use tenterhook_core::hook::Hook;
use tenterhook_core::outcome::Outcome;

/// One firing, as far as it is on record.
pub(super) struct Recording {
    /// The sink and the event; `None` if the firing is not recorded, or its end was reported.
    to: Option<(Arc<dyn Sink>, Arc<Event>)>,
    begun: Option<Number>,
    /// Why its beginning is not on record.
    lack: Option<Unrecorded>,
    is_before_effect: bool,
    since: Instant,
}

/// Reports the end of steps that outlive the event.
#[derive(Clone, Default)]
pub(super) struct Behind {
    to: Option<Arc<dyn Sink>>,
    begun: Option<Number>,
}

impl Recording {
    /// Records that `event` begins, if hooks are configured for it. An event without hooks is
    /// recorded only if it could have been denied (RE-1).
    pub(super) fn record_event_start(
        sink: Option<&Arc<dyn Sink>>,
        event: &Arc<Event>,
        is_hooked: bool,
    ) -> Self {
        let since = Instant::now();
        let is_before_effect = sink.is_some() && may_precede_effect(event);
        let to = sink.filter(|_| is_hooked || is_before_effect);
        let (begun, lack) = match to.filter(|_| is_hooked).map(|sink| sink.begin(event)) {
            None => (None, None),
            Some(Ok(number)) => (Some(number), None),
            Some(Err(lack)) => (None, Some(lack)),
        };
        let to = to.map(|sink| (Arc::clone(sink), Arc::clone(event)));
        Self { to, begun, lack, is_before_effect, since }
    }

    /// Whether the event must be denied because a record of it is required and could not be
    /// written. Then its hooks do not run either (RE-21).
    pub(super) fn must_deny_unrecorded_event(&self) -> bool {
        self.is_before_effect && self.lack.as_ref().is_some_and(|unrecorded| unrecorded.is_required)
    }

    /// Returns a handle that records the steps that end after the event.
    pub(super) fn late_step_recorder(&self) -> Behind {
        Behind { to: self.to.as_ref().map(|(sink, _)| Arc::clone(sink)), begun: self.begun }
    }

    /// Records the outcome. If that fails, the returned outcome reports it.
    pub(super) fn record_event_outcome(mut self, outcome: Outcome, hooks: &[Arc<Hook>]) -> Outcome {
        let took = self.since.elapsed();
        let Some((sink, event)) = self.to.take() else { return outcome };
        let record =
            Record { begun: self.begun, event: &event, outcome: Some(&outcome), hooks, took };
        match self.lack.take().map_or_else(|| sink.end(&record), Err) {
            Ok(()) => outcome,
            Err(lack) => lack.settle(outcome, self.is_before_effect),
        }
    }
}

/// Returns whether the event comes before an effect that a denial prevents.
pub(super) fn may_precede_effect(event: &Event) -> bool {
    DialectId::NATIVE.may_precede_effect(event.name.as_str())
}

impl Drop for Recording {
    /// The host dropped the firing.
    fn drop(&mut self) {
        if let Some((sink, event)) = self.to.take().filter(|_| self.begun.is_some()) {
            let took = self.since.elapsed();
            // No caller is left to receive the error.
            let _ = sink.end(&Record {
                begun: self.begun,
                event: &event,
                outcome: None,
                hooks: &[],
                took,
            });
        }
    }
}

impl Behind {
    /// Records a step that ended after its event.
    pub(super) fn record_late_step(
        &self,
        event: &Event,
        hook: &Arc<Hook>,
        outcome: Outcome,
    ) -> Outcome {
        let Some(sink) = &self.to else { return outcome };
        match sink.late(&Late { begun: self.begun, event, outcome: &outcome, hook }) {
            Ok(()) => outcome,
            Err(lack) => lack.settle(outcome, false),
        }
    }
}
