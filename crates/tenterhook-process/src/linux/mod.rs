//! The supervision of processes on Linux: what is shared by all runs of this host.
//!
//! Threads are made at the first run and live as long as the host: one supervisor, a few
//! starters, and a sweeper where one was needed.

mod announce;
mod clone;
mod confine;
mod enter;
mod exit;
mod granted_paths;
mod init;
mod keeper;
mod landlock;
mod launch;
mod leaving;
mod namespaces;
mod pidfd;
mod pipes;
mod pool;
mod post;
mod root;
mod run;
mod seccomp;
mod sigpipe;
mod stdin;
mod supervisor;
mod sweep;
mod watch;
mod without_links;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

use crate::command::Command;
use crate::inbox::Inbox;
use crate::report::{End, NotStarted, Report, Step};
pub(crate) use confine::{available_sandbox_means, sandbox_means_for_tier};
pub use keeper::{kill_descendants_on_exit, leave_descendants_on_exit};
pub(crate) use launch::Input;
use launch::Launched;
use pool::Pool;
use post::{Adopted, Message, Post, Source, encode_event};
pub(crate) use stdin::Stdin;
pub use sweep::adopt_orphans;

/// Whether a program can announce its exit.
pub(crate) const ANNOUNCES: bool = true;

/// What all runs share.
pub(crate) struct Host {
    process: Pid,
    post: Post,
    starters: Arc<Pool>,
    sweepers: Arc<Pool>,
    /// The searches that wait for a sweeper, with the ids of their runs.
    searches: Mutex<Vec<(u64, sweep::Search)>>,
}

/// Starts suspend their thread for as long as the kernel needs to execute a program. More threads
/// than cores would only take turns.
const STARTERS: std::ops::RangeInclusive<usize> = 2..=8;

fn shared_host() -> Result<&'static Arc<Host>, Errno> {
    static HOST: OnceLock<Arc<Host>> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    if let Some(host) = HOST.get() {
        // A copy of the host made by `fork` has no threads of ours: a run there would never end.
        return if host.process == getpid() { Ok(host) } else { Err(Errno::CHILD) };
    }
    // A failure is not kept: what was short may be there for the next run.
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(host) = HOST.get() {
        return Ok(host);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let starters = cores.clamp(*STARTERS.start(), *STARTERS.end());
    let made = Arc::new(Host {
        process: getpid(),
        post: Post::new()?,
        starters: Pool::new("process-start", starters),
        sweepers: Pool::new("process-sweep", 1),
        searches: Mutex::default(),
    });
    let supervised = made.clone();
    std::thread::Builder::new()
        .name("process-supervise".into())
        // Callers' code runs here too, and only the pages that it touches count.
        .stack_size(2 << 20)
        .spawn(move || supervisor::run_supervisor_thread(&supervised))
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))?;
    Ok(HOST.get_or_init(|| made))
}

/// Hands `command` to the starter threads.
pub(crate) fn submit_run(command: Command, input: Input, inbox: &Arc<Inbox>, stdin: &Arc<Stdin>) {
    let requested = Instant::now();
    if inbox.is_cancelled() {
        return inbox.deliver_report(Report::without_process(End::Cancelled, Duration::ZERO));
    }
    let submitted = shared_host().and_then(|host| {
        let start_by = requested + command.limits.start;
        let deadline = command.deadline;
        let (inbox, stdin) = (inbox.clone(), stdin.clone());
        host.post.push_message(Message::Expect {
            inbox: inbox.clone(),
            requested,
            start_by,
            deadline,
        });
        let look = start_by.min(requested + supervisor::STUCK);
        host.post.wake_at(deadline.map_or(look, |deadline| deadline.min(look)));
        let starter = host.clone();
        host.starters
            .submit_job(Box::new(move || start_run(&starter, command, input, inbox, stdin)))
    });
    if let Err(errno) = submitted {
        let fault = NotStarted {
            step: Step::Prepare,
            path: PathBuf::from("supervisor"),
            errno: errno.raw_os_error(),
        };
        inbox.deliver_report(Report::without_process(End::NotStarted(fault), requested.elapsed()));
    }
}

/// Starts `command` and hands it to the supervisor. Runs on a starter thread.
fn start_run(host: &Host, command: Command, input: Input, inbox: Arc<Inbox>, stdin: Arc<Stdin>) {
    let id = inbox.id;
    // Over while it waited for its turn.
    if inbox.is_cancelled() {
        return host.post.push_and_wake(Message::Failed(id, End::Cancelled));
    }
    if command.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        return host.post.push_and_wake(Message::Failed(id, End::TimedOut));
    }
    if inbox.is_reported() {
        return;
    }
    let launched = launch::launch_command(&command, input, id).and_then(|launched| {
        add_to_epoll(host, id, &launched).map_err(|errno| {
            kill_unsupervised_process(&launched);
            NotStarted {
                step: Step::Prepare,
                path: PathBuf::from("supervisor"),
                errno: errno.raw_os_error(),
            }
        })?;
        Ok(launched)
    });
    let mut launched = match launched {
        Ok(launched) => launched,
        Err(fault) => return host.post.push_and_wake(Message::Failed(id, End::NotStarted(fault))),
    };
    let own = command.timeout.map(|timeout| launched.executed + timeout);
    let due = [own, command.deadline].into_iter().flatten().min();
    // What did not fit into the pipe before the start, and what was fed meanwhile.
    let (first, written) = (command.stdin.clone(), launched.written);
    stdin.attach_pipe(launched.stdin.take(), first, written, input, &host.post);
    let adopted = Adopted { inbox: inbox.clone(), stdin, command, launched };
    host.post.push_message(Message::Adopt(Box::new(adopted)));
    if let Some(at) = due {
        host.post.wake_at(at);
    }
    // Looked at after the mail was left: an order that comes later brings its own bell.
    if inbox.has_orders() || inbox.is_reported() {
        host.post.wake_supervisor();
    }
}

/// Puts a started process into the supervisor's epoll set. Events that come before its mail are
/// ignored there, and announced again.
fn add_to_epoll(host: &Host, id: u64, launched: &Launched) -> Result<(), Errno> {
    let readable = epoll::EventFlags::IN;
    epoll::add(&host.post.epoll, &launched.stdout, encode_event(id, Source::Stdout), readable)?;
    epoll::add(&host.post.epoll, &launched.stderr, encode_event(id, Source::Stderr), readable)?;
    if let Some(announce) = &launched.announce {
        epoll::add(&host.post.epoll, announce, encode_event(id, Source::Announcement), readable)?;
    }
    if let Some(status) = &launched.status {
        epoll::add(&host.post.epoll, status, encode_event(id, Source::Status), readable)?;
    }
    epoll::add(&host.post.epoll, &launched.pidfd, encode_event(id, Source::Exit), readable)
}

/// Kills a process that cannot be supervised, because the kernel has no memory for its epoll
/// entries.
fn kill_unsupervised_process(launched: &Launched) {
    use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    // Both fail only where there is nothing left to do.
    let _ = kill_process_group(launched.pid, Signal::KILL);
    let _ = waitid(WaitId::Pid(launched.pid), WaitIdOptions::EXITED);
}

/// Tells the supervisor that the run `id` has orders.
pub(crate) fn notify_run_of_orders(id: u64) {
    if let Ok(host) = shared_host() {
        host.post.push_and_wake(Message::Nudge(id));
    }
}

/// Returns the report of a run about which nothing else is known.
pub(crate) fn unknown_failure_report() -> Report {
    let errno = Errno::IO.raw_os_error();
    let fault = NotStarted { step: Step::Prepare, path: PathBuf::from("supervisor"), errno };
    Report::without_process(End::NotStarted(fault), Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// Tells the supervisor of a run whose starter is stuck, and gives what is reported of it.
    fn stuck(deadline: Option<Instant>, start: Duration) -> (Arc<Inbox>, mpsc::Receiver<End>) {
        let (inbox, requested) = (Inbox::new(), Instant::now());
        let (sender, receiver) = mpsc::channel();
        inbox.on_report(Box::new(move |report| sender.send(report.end).unwrap()));
        let start_by = requested + start;
        let expect = Message::Expect { inbox: inbox.clone(), requested, start_by, deadline };
        shared_host().unwrap().post.push_and_wake(expect);
        (inbox, receiver)
    }

    #[test]
    fn a_start_that_never_comes_is_reported() {
        let (_, ends) = stuck(None, Duration::from_millis(20));
        match ends.recv_timeout(PATIENCE).unwrap() {
            End::NotStarted(fault) => assert_eq!(fault.errno, Errno::TIMEDOUT.raw_os_error()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_budget_and_a_cancel_do_not_wait_for_a_stuck_start() {
        let (_, ends) = stuck(Some(Instant::now()), PATIENCE * 10);
        assert_eq!(ends.recv_timeout(PATIENCE), Ok(End::TimedOut));
        let (inbox, ends) = stuck(None, PATIENCE * 10);
        assert!(inbox.push_order(crate::inbox::Order::Cancel));
        notify_run_of_orders(inbox.id);
        assert_eq!(ends.recv_timeout(PATIENCE), Ok(End::Cancelled));
    }

    #[test]
    fn a_process_that_starts_after_its_report_is_ended() {
        let (inbox, ends) = stuck(None, Duration::from_millis(1));
        ends.recv_timeout(PATIENCE).unwrap();
        let command = Command::new("/bin/sleep", ["30"], "/");
        let launched = launch::launch_command(&command, Input::Close, inbox.id).unwrap();
        let pid = launched.pid;
        let host = shared_host().unwrap();
        add_to_epoll(host, inbox.id, &launched).unwrap();
        let stdin = Stdin::new(inbox.id);
        host.post.push_and_wake(Message::Adopt(Box::new(Adopted {
            inbox,
            stdin,
            command,
            launched,
        })));
        let until = Instant::now() + PATIENCE;
        while rustix::process::test_kill_process(pid).is_ok() {
            assert!(Instant::now() < until, "it lives");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
