//! Keeps an eye on files: those with hooks, and those that hooks asked to watch. Tells hooks what became of them, beside the
//! session and never in its way.

mod watcher;

use std::path::PathBuf;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::hooks::Hooks;
use crate::update::{Update, Updates};
use watcher::{Seen, Watcher};

/// The watch of one session. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    wishes: mpsc::UnboundedSender<oneshot::Sender<()>>,
    worker: JoinHandle<()>,
}

impl Watch {
    /// Starts to watch files. If the system cannot, a warning says so, and hooks fire for
    /// everything else.
    pub(crate) fn start(hooks: Hooks, updates: Updates) -> Self {
        let (wishes, receiver) = mpsc::unbounded_channel();
        let watcher = Watcher::open().map(|mut watcher| {
            watcher.look_at(files_to_watch(&hooks));
            watcher
        });
        let worker = tokio::spawn(async move {
            match watcher {
                Ok(watcher) => run_watcher(watcher, hooks, updates, receiver).await,
                Err(error) => hooks
                    .warn_about_event("FileChanged", format!("files cannot be watched: {error}")),
            }
        });
        Self { wishes, worker }
    }

    /// Updates which files are watched, after hooks asked for others or the working directory
    /// changed.
    pub(crate) async fn refresh_watched_files(&self) {
        let (done, looked) = oneshot::channel();
        // Without watched files there is nothing to await.
        if self.wishes.send(done).is_ok() {
            let _ = looked.await;
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

/// Returns all files to watch: config files, and the files that hooks ask to watch.
fn files_to_watch(hooks: &Hooks) -> Vec<PathBuf> {
    hooks.config_files().into_iter().map(|(path, _)| path).chain(hooks.watched_files()).collect()
}

async fn run_watcher(
    mut watcher: Watcher,
    hooks: Hooks,
    updates: Updates,
    mut wishes: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
) {
    let mut asked = hooks.observe_watch_requests();
    loop {
        tokio::select! {
            seen = watcher.next() => {
                for seen in seen {
                    report_file_change(&hooks, &updates, &seen).await;
                }
                watcher.look_at(files_to_watch(&hooks));
            }
            () = asked.wait_for_watch_request() => watcher.look_at(files_to_watch(&hooks)),
            wish = wishes.recv() => {
                let Some(done) = wish else { return };
                watcher.look_at(files_to_watch(&hooks));
                // The receiver may be gone meanwhile.
                let _ = done.send(());
            }
        }
    }
}

async fn report_file_change(hooks: &Hooks, updates: &Updates, seen: &Seen) {
    if let Some((_, source)) = hooks.config_files().into_iter().find(|(path, _)| *path == seen.path)
    {
        let shown = seen.path.display();
        match hooks.fire_config_changed(source, &seen.path).await {
            Some(reason) => updates.send(Update::Notice(format!(
                "`{shown}` changed, and the hooks stay as they were: {reason}"
            ))),
            None => updates.send(Update::Notice(format!(
                "`{shown}` changed. {}",
                hooks.reload_after_change(&seen.path).trim_end()
            ))),
        }
    }
    if hooks.watched_files().iter().any(|path| seen.path.starts_with(path)) {
        hooks.fire_file_changed(&seen.path, seen.change.name()).await;
    }
}
