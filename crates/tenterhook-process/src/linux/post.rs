//! How other threads reach the supervisor: mail, a bell, an alarm clock, and its epoll set.
//!
//! A start costs the supervisor no wake-up: the starter puts the descriptors into the epoll set
//! and sets the alarm itself, and its mail is read when the first of them stirs.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

use super::launch::Launched;
use super::stdin::Stdin;
use super::sweep::Swept;
use crate::command::Command;
use crate::inbox::Inbox;
use crate::report::End;

/// A message to the supervisor.
pub(crate) enum Message {
    /// A run was asked for; it must have started, or be over, at this moment.
    Expect { inbox: Arc<Inbox>, requested: Instant, start_by: Instant, deadline: Option<Instant> },
    /// It has started.
    Adopt(Box<Adopted>),
    /// It was not started.
    Failed(u64, End),
    /// It has orders.
    Nudge(u64),
    /// What was found of its descendants.
    Swept(u64, Swept),
}

/// A started process on its way to the supervisor.
pub(crate) struct Adopted {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) stdin: Arc<Stdin>,
    pub(crate) command: Command,
    pub(crate) launched: Launched,
}

/// What stirred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    Stdout,
    Stderr,
    Exit,
    Announcement,
    Status,
}

/// Encodes the data of an epoll event: the run in the high bits, the source in the low three.
pub(crate) fn encode_event(id: u64, source: Source) -> epoll::EventData {
    let source = match source {
        Source::Stdin => 0,
        Source::Stdout => 1,
        Source::Stderr => 2,
        Source::Exit => 3,
        Source::Announcement => 4,
        Source::Status => 5,
    };
    epoll::EventData::new_u64(id << 3 | source)
}

/// Decodes the data of an epoll event. Run 0 does not exist: it stands for the wake-up descriptor
/// and the timer.
pub(crate) fn decode_event(data: epoll::EventData) -> (u64, Source) {
    let source = match data.u64() & 7 {
        0 => Source::Stdin,
        1 => Source::Stdout,
        2 => Source::Stderr,
        3 => Source::Exit,
        4 => Source::Announcement,
        _ => Source::Status,
    };
    (data.u64() >> 3, source)
}

/// The mark of the bell.
pub(crate) const BELL: (u64, Source) = (0, Source::Stdin);
/// The mark of the alarm.
pub(crate) const ALARM: (u64, Source) = (0, Source::Exit);

/// The supervisor's side door.
pub(crate) struct Post {
    pub(crate) epoll: OwnedFd,
    mail: Mutex<Vec<Message>>,
    bell: OwnedFd,
    alarm: OwnedFd,
    /// When the alarm rings next.
    set_to: Mutex<Option<Instant>>,
}

impl Post {
    pub(crate) fn new() -> Result<Self, Errno> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let alarm = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, &bell, encode_event(BELL.0, BELL.1), epoll::EventFlags::IN)?;
        epoll::add(&epoll, &alarm, encode_event(ALARM.0, ALARM.1), epoll::EventFlags::IN)?;
        Ok(Self { epoll, mail: Mutex::default(), bell, alarm, set_to: Mutex::default() })
    }

    /// Queues a message that the supervisor reads when it wakes up next.
    pub(crate) fn push_message(&self, message: Message) {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    /// Queues a message and wakes the supervisor.
    pub(crate) fn push_and_wake(&self, message: Message) {
        self.push_message(message);
        self.wake_supervisor();
    }

    /// Wakes the supervisor.
    pub(crate) fn wake_supervisor(&self) {
        // The only failure is a counter at its maximum, where it is ringing already.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    pub(crate) fn take_messages(&self) -> Vec<Message> {
        std::mem::take(&mut *self.mail.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resets the wake-up descriptor.
    pub(crate) fn clear_wakeup(&self) {
        let mut count = [0; 8];
        // Nothing to read means that it did not ring.
        let _ = rustix::io::read(&self.bell, &mut count);
    }

    /// Resets the timer.
    pub(crate) fn clear_timer(&self) {
        let mut set_to = self.set_to.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = [0; 8];
        // A failure to read means that it was set again in between: then it rings again.
        if rustix::io::read(&self.alarm, &mut count).is_ok() {
            *set_to = None;
        }
    }

    /// Sets the timer to `at`, unless it fires earlier anyway. It is never set later: one needless
    /// wake-up is cheaper than a call per run.
    pub(crate) fn wake_at(&self, at: Instant) {
        let mut set_to = self.set_to.lock().unwrap_or_else(PoisonError::into_inner);
        if set_to.is_some_and(|earlier| earlier <= at) {
            return;
        }
        // Zero would switch it off.
        let left = at.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
        let value = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        if timerfd_settime(&self.alarm, TimerfdTimerFlags::empty(), &once).is_ok() {
            *set_to = Some(at);
        }
    }
}
