//! The end of a session: how long are hooks waited for that still run, and when are they cut (AG-34)? Runs no turn.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::{Exit, Session, wait_for_exit_request};
use crate::agent::LEAVING;
use crate::hooks::Hooks;
use crate::update::Input;

/// How long hooks may take after a signal to leave: the sender waits little longer (AG-23).
const SIGNALLED: Duration = Duration::from_secs(2);
/// Which share of the time is left to `SessionEnd` when hooks were waited for that might wake the agent.
const RESERVED: u32 = 6;
/// The matcher subject of `SessionEnd` after a signal to leave.
const OUTSIDE: &str = "other";

/// How a session ends.
pub(super) struct Ending {
    /// Why, where somebody left.
    leave: Option<Exit>,
    /// How long hooks are waited for.
    wait: Duration,
    /// The same with what the last turn has used of it.
    whole: Duration,
}

/// How long the hooks that observe the end of the last turn are waited for before those of the session's end are started.
#[derive(Default)]
pub(super) struct LastTurn {
    /// When the last turn was over and nothing came after it.
    began: Option<Instant>,
}

impl LastTurn {
    /// Returns when the end of the session begins even if hooks of the last turn still run. A user
    /// who leaves gives them a moment.
    pub(super) fn wait_deadline(
        &mut self,
        is_last: bool,
        leave: Option<Exit>,
        wait: Duration,
    ) -> Instant {
        let now = Instant::now();
        let began = match is_last {
            true => *self.began.get_or_insert(now),
            false => now,
        };
        began
            + match leave {
                Some(Exit { is_hurried: true, .. } | Exit { reason: OUTSIDE, .. }) => {
                    Duration::ZERO
                }
                Some(_) => wait.min(LEAVING),
                None => wait,
            }
    }

    /// Returns how long the session waited for the hooks of the last turn.
    pub(super) fn time_waited(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }
}

impl Ending {
    /// Creates the end of a session that was left with `leave`, or that has nothing more to do,
    /// with this much time for its hooks.
    pub(super) fn new(leave: Option<Exit>, wait: Duration, whole: Duration) -> Self {
        let was_signalled = leave.is_some_and(|leave| leave.reason == OUTSIDE);
        Self { leave, wait: if was_signalled { wait.min(SIGNALLED) } else { wait }, whole }
    }

    /// Runs the last hooks and waits for all that run. If the user presses Ctrl-C again, ends them.
    pub(super) async fn run_end_hooks(
        self,
        hooks: &Hooks,
        turns: u64,
        inputs: &mut mpsc::UnboundedReceiver<Input>,
    ) {
        let Self { leave, mut wait, whole } = self;
        let began = Instant::now();
        let reason = leave.map_or(OUTSIDE, |leave| leave.reason);
        let is_hurried = leave.is_some_and(|leave| leave.is_hurried);
        let mut was_signalled = leave.is_some_and(|leave| leave.reason == OUTSIDE);
        let cut = {
            let work = async {
                hooks.fire_program_end(reason, turns).await;
                hooks.wait_for_running_hooks().await;
            };
            tokio::pin!(work);
            loop {
                tokio::select! {
                    biased;
                    () = &mut work => break None,
                    () = std::future::ready(()), if is_hurried => break Some(cut_by_user_reason()),
                    () = sleep_until(began + wait) => break Some(match was_signalled {
                        true => cut_by_signal_reason(wait),
                        false => cut_by_timeout_reason(whole),
                    }),
                    leave = wait_for_exit_request(inputs) => match leave {
                        Exit { is_hurried: true, .. } => break Some(cut_by_user_reason()),
                        Exit { reason: OUTSIDE, .. } => {
                            (wait, was_signalled) = (wait.min(began.elapsed() + SIGNALLED), true);
                        }
                        Exit { .. } => {}
                    },
                }
            }
        };
        if let Some(why) = cut {
            hooks.cut_running_hooks(&why).await;
        }
    }
}

/// Returns the message that the user did not wait for a hook.
fn cut_by_user_reason() -> String {
    "you left without waiting for it".to_owned()
}

/// Returns the message that the time after a signal was over.
fn cut_by_signal_reason(wait: Duration) -> String {
    format!("a signal leaves hooks {:.1} s", wait.as_secs_f64())
}

/// Returns the message that the time of the end was over, and which option gives hooks more.
fn cut_by_timeout_reason(whole: Duration) -> String {
    let seconds = whole.as_secs_f64();
    format!("the end waited {seconds:.1} s for hooks, and `--exit-wait` sets up to 60 s")
}

impl Session {
    /// Returns how long the session waits for hooks that might still wake the agent.
    pub(super) fn max_wait_for_wake(&self) -> Duration {
        self.exit_wait.saturating_sub(self.agent.settings.patience.exit / RESERVED)
    }
}
