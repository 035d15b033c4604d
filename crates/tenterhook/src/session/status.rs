//! What a host may show while hooks run: the status of the newest one that has any. Pushed, never
//! polled.

use tokio::sync::watch;

/// The status messages of the steps under way, newest last.
#[derive(Clone, Debug)]
pub(super) struct Status {
    shown: watch::Sender<Vec<(u64, String)>>,
}

impl Default for Status {
    fn default() -> Self {
        Self { shown: watch::Sender::new(Vec::new()) }
    }
}

impl Status {
    /// Shows `message` until the returned guard is dropped. Returns `None` if there is no message.
    pub(super) fn show(&self, message: Option<&str>) -> Option<Shown> {
        let message = message.filter(|message| !message.is_empty())?;
        let mut number = 0;
        self.shown.send_modify(|shown| {
            number = shown.last().map_or(0, |(last, _)| last + 1);
            shown.push((number, message.to_owned()));
        });
        Some(Shown { status: self.clone(), number })
    }

    pub(super) fn subscribe(&self) -> StatusWatch {
        StatusWatch(self.shown.subscribe())
    }
}

/// A message that is being shown; dropping it takes it away.
#[derive(Debug)]
pub(crate) struct Shown {
    status: Status,
    number: u64,
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.status.shown.send_modify(|shown| shown.retain(|(number, _)| *number != self.number));
    }
}

/// Lets a host watch the status of a session.
#[derive(Clone, Debug)]
pub struct StatusWatch(watch::Receiver<Vec<(u64, String)>>);

impl StatusWatch {
    /// Returns the message to show now: that of the newest step that has one.
    #[must_use]
    pub fn current(&mut self) -> Option<String> {
        self.0.borrow_and_update().last().map(|(_, message)| message.clone())
    }

    /// Waits until the message may have changed; returns `false` when the session has ended. Cancel
    /// safe.
    pub async fn changed(&mut self) -> bool {
        self.0.changed().await.is_ok()
    }
}
