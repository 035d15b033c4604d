//! One firing on its way to the record: told when it begins, told once how it ended, also when the host gave it up. Decides
//! nothing but what the room `record` says of a firing that is not on it.

use std::sync::Arc;
use std::time::Instant;

use crate::record::{Late, Number, Record, Sink, Unrecorded};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Event;
use tenterhook_core::hook::Hook;
use tenterhook_core::outcome::Outcome;

/// One firing, as far as it is on record.
pub(super) struct Recording {
    /// Where to; `None` where nothing is recorded, or nothing is left to tell.
    to: Option<(Arc<dyn Sink>, Arc<Event>)>,
    begun: Option<Number>,
    /// Why its beginning is not on record.
    lack: Option<Unrecorded>,
    is_before_effect: bool,
    since: Instant,
}

/// Where the steps that outlive the event tell their end.
#[derive(Clone, Default)]
pub(super) struct Behind {
    to: Option<Arc<dyn Sink>>,
    begun: Option<Number>,
}

impl Recording {
    /// `event` was handed over. It begins something where hooks are configured for it, and is nothing to record where there are
    /// none that could have held it up either (RE-1).
    pub(super) fn begin(sink: Option<&Arc<dyn Sink>>, event: &Arc<Event>, is_hooked: bool) -> Self {
        let since = Instant::now();
        let is_before_effect = sink.is_some() && DialectId::NATIVE.is_at_stake(event.name.as_str());
        let to = sink.filter(|_| is_hooked || is_before_effect);
        let (begun, lack) = match to.filter(|_| is_hooked).map(|sink| sink.begin(event)) {
            None => (None, None),
            Some(Ok(number)) => (Some(number), None),
            Some(Err(lack)) => (None, Some(lack)),
        };
        let to = to.map(|sink| (Arc::clone(sink), Arc::clone(event)));
        Self { to, begun, lack, is_before_effect, since }
    }

    /// Whether nothing of the event may happen: its hooks are not asked either (RE-21).
    pub(super) fn holds(&self) -> bool {
        self.is_before_effect && self.lack.as_ref().is_some_and(|unrecorded| unrecorded.is_required)
    }

    /// For the steps that end later.
    pub(super) fn behind(&self) -> Behind {
        Behind { to: self.to.as_ref().map(|(sink, _)| Arc::clone(sink)), begun: self.begun }
    }

    /// The outcome is known: it is on record when this returns, or says that it is not.
    pub(super) fn end(mut self, outcome: Outcome, hooks: &[Arc<Hook>]) -> Outcome {
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

impl Drop for Recording {
    /// The host gave the firing up.
    fn drop(&mut self) {
        if let Some((sink, event)) = self.to.take().filter(|_| self.begun.is_some()) {
            let took = self.since.elapsed();
            // Nobody is left to be told that it is not on record.
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
    /// A step ended behind its event.
    pub(super) fn tell(&self, event: &Event, hook: &Arc<Hook>, outcome: Outcome) -> Outcome {
        let Some(sink) = &self.to else { return outcome };
        match sink.late(&Late { begun: self.begun, event, outcome: &outcome, hook }) {
            Ok(()) => outcome,
            Err(lack) => lack.settle(outcome, false),
        }
    }
}
