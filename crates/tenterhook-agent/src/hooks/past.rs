//! What was fired in this session: the last events, and of each hook how often it ran, when last, and what came of it. Values.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use tenterhook::Event;
use tenterhook_core::hook::HookId;
use tenterhook_core::outcome::{Ended, Outcome, Step};

use super::report;

/// How many events are remembered: they hold what tools returned.
const EVENTS: usize = 64;

/// What was fired.
#[derive(Debug, Default)]
pub(super) struct Past {
    events: VecDeque<Event>,
    hooks: HashMap<HookId, Ran>,
}

/// How often a hook ran, and how the last time went.
#[derive(Clone, Debug)]
struct Ran {
    times: u64,
    at: Instant,
    came: String,
}

impl Past {
    /// Stores a fired event.
    pub(super) fn push_event(&mut self, event: &Event) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event.clone());
    }

    /// Stores the result of each step of this outcome that ran.
    pub(super) fn record_steps_that_ran(&mut self, outcome: &Outcome) {
        // A step that went to the background has not run yet: how it ends is reported later.
        let ran = |step: &&Step| step.ended.was_attempted() && step.ended != Ended::Detached;
        for step in outcome.steps.iter().filter(ran) {
            let came = format!("{} ({})", step_result_word(step, outcome), step.ended);
            let times = self.hooks.get(&step.hook).map_or(0, |hook| hook.times) + 1;
            self.hooks.insert(step.hook.clone(), Ran { times, at: Instant::now(), came });
        }
    }

    /// Describes whether a hook runs in the background, how often it ran, and its last result.
    pub(super) fn hook_summary(&self, hook: &HookId, is_running: bool) -> String {
        let running = "running in the background";
        let Some(ran) = self.hooks.get(hook) else {
            return if is_running { running } else { "has not fired yet" }.to_owned();
        };
        let times = if ran.times == 1 { "once".to_owned() } else { format!("{} times", ran.times) };
        let ago = ran.at.elapsed().as_secs();
        let now = if is_running { format!("{running}; ") } else { String::new() };
        format!("{now}fired {times}, last fired {ago} s ago: {}", ran.came)
    }

    /// Returns the last event that satisfies the predicate.
    pub(super) fn last_event(&self, is: impl Fn(&Event) -> bool) -> Option<Event> {
        self.events.iter().rev().find(|event| is(event)).cloned()
    }
}

/// Returns the result of a step in one word.
fn step_result_word(step: &Step, outcome: &Outcome) -> &'static str {
    match report::step_word(step) {
        "" if report::has_failed(step, outcome) => "failed",
        "" => "silent",
        word => word,
    }
}
