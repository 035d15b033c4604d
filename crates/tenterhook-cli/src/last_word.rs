//! What the program says where it cannot go on itself: a panic, no memory, no thread. Knows no hook.
//!
//! A caller that waits for the outcome of an event reads standard output and the exit code. A program that dies silently leaves
//! the outcome to chance, so the fallback reply is prepared before anything can go wrong, in the requested form.

use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tenterhook::{Event, Outcome};
use tenterhook_core::answer::Restraint;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::dialect::{DialectId, Reply};
use tenterhook_core::hook::HookId;
use tenterhook_core::outcome::{Fault, Reason};
use tenterhook_process::{LastWord, LastWords, Memory};

use crate::exit::Exit;
use crate::problem::Problem;
use crate::term::Term;

/// The memory allocator, which prints the fallback reply when memory runs out.
#[global_allocator]
static MEMORY: Memory<Allocator> = Memory(ALLOCATOR);

/// The system's gives memory back to the kernel as soon as it is free, and takes it again: half the time of a start with musl, a fifth of that of
/// 20,000 hooks with glibc.
#[cfg(target_os = "linux")]
type Allocator = mimalloc::MiMalloc;
#[cfg(target_os = "linux")]
const ALLOCATOR: Allocator = mimalloc::MiMalloc;

#[cfg(not(target_os = "linux"))]
type Allocator = std::alloc::System;
#[cfg(not(target_os = "linux"))]
const ALLOCATOR: Allocator = std::alloc::System;

/// In which form somebody waits for an outcome.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// A page for people.
    Page,
    /// One object.
    Object,
    /// One object a line; whose line it would be is not known here.
    Line,
    /// In the words of an agent that called for an event.
    Agent(DialectId, Box<Event>),
}

/// Whether a runtime is being created: a panic there is about the limits of this process. It is a static because every command
/// creates runtimes, and only the panic hook reads it; most of these commands have no caller that waits for an outcome.
static STARTING: AtomicBool = AtomicBool::new(false);

/// The reply to a caller that waits for the outcome of an event. All clones are one reply: it is sent once, by the command, the
/// watch or the panic hook.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallerReply(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// The form of the outcome, once the program knows that it fires an event: no other command has an outcome.
    form: RwLock<Option<Form>>,
    /// Whether the agent has its reply: a second object would override the first one.
    is_sent: AtomicBool,
}

/// From now on the program never ends silently. Call it before any thread is started.
///
/// Signals and the memory allocator cannot be given a value: what they print is a static of `tenterhook_process`, which the
/// reply replaces whenever it changes.
pub(crate) fn prepare_fallback_reply(words: &[String]) -> CallerReply {
    let reply = CallerReply::default();
    let on_panic = reply.clone();
    std::panic::set_hook(Box::new(move |panic| on_panic.deny_and_exit_after_panic(panic)));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let owes = |command| words.iter().take(GLOBAL).any(|word| *word == command);
    if !owes("fire") && !owes("hook") {
        return reply;
    }
    // That nothing may pass is known before anything else, and takes no memory to say.
    register_fallback_replies(|_, _| LastWord {
        code: Exit::Blocked.code(),
        ..LastWord::default()
    });
    // Which words of an agent are owed is known when they are read.
    let form = owes("fire").then(|| requested_form(&words));
    register_fallback_replies(|code, why| fallback_reply(form.as_ref(), code, why));
    reply
}

/// Among how many words the command stands: `--color` and its value may come before it.
const GLOBAL: usize = 3;

/// Returns the requested form, as far as it can be seen before the arguments are parsed.
fn requested_form(words: &[&str]) -> Form {
    let is_json = words.windows(2).any(|pair| pair == ["--format", "json"]);
    match (words.contains(&"--stream"), is_json || words.contains(&"--format=json")) {
        (true, _) => Form::Line,
        (false, true) => Form::Object,
        (false, false) => Form::Page,
    }
}

/// Returns the fallback reply in this form; if the form is unknown, only an exit code.
fn fallback_reply(form: Option<&Form>, code: Code, why: &str) -> LastWord {
    let denied = Reply { exit: Exit::Blocked.code(), ..Reply::default() };
    let words = form.map_or(denied, |form| encode_denial(form, code, why));
    LastWord {
        stdout: words.stdout.into_bytes(),
        stderr: format!("error: {why}\n{}", words.stderr).into_bytes(),
        code: words.exit,
    }
}

/// Registers what is printed when memory runs out or the program crashes.
fn register_fallback_replies(word: impl Fn(Code, &str) -> LastWord) {
    tenterhook_process::set_crash_messages(LastWords {
        exhausted: word(Code::OutOfMemory, "there is no memory left"),
        crashed: word(Code::Failed, CRASHED),
    });
}

/// A signal does not say why it came: who wants for memory may learn it so from a library, or from the kernel about a stack.
const CRASHED: &str = "tenterhook itself failed: a signal ended it, for a defect, or for want of memory or processor time";

/// Runs code that starts threads or runtimes. If a thread or descriptor is missing, some
/// constructors panic and then wait for ever for the threads that they got: such a panic is
/// reported as lack of resources.
pub(crate) fn report_panic_as_exhaustion<T>(make: impl FnOnce() -> T) -> T {
    STARTING.store(true, Ordering::Relaxed);
    let made = make();
    STARTING.store(false, Ordering::Relaxed);
    made
}

/// Why the agent does not receive a reply, as the rest of a sentence.
#[derive(Debug)]
enum Unread {
    /// Standard output is closed, or `/dev/null`.
    NoReader,
    Unwritten(std::io::Error),
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoReader => {
                f.write_str("has no reader, for standard output is closed or `/dev/null`")
            }
            Self::Unwritten(error) => write!(f, "cannot be written: {error}"),
        }
    }
}

/// Puts a reply onto standard output.
fn write_reply_to_stdout(reply: &[u8]) -> Result<(), Unread> {
    if reply.is_empty() {
        return Ok(());
    }
    if is_stdout_without_reader() {
        return Err(Unread::NoReader);
    }
    let mut stdout = std::io::stdout();
    let put = stdout.write_all(reply).and_then(|()| stdout.flush());
    put.map_err(Unread::Unwritten)
}

/// Returns whether no process reads the output. A stream that was closed at the start is `/dev/null` by
/// now.
#[cfg(unix)]
fn is_stdout_without_reader() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    let own = std::io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let own = own.and_then(|file| file.metadata());
    let null = std::fs::metadata("/dev/null");
    matches!((own, null), (Ok(own), Ok(null)) if own.file_type().is_char_device() && own.rdev() == null.rdev())
}

#[cfg(not(unix))]
const fn is_stdout_without_reader() -> bool {
    false
}

impl CallerReply {
    /// Sets the form of the fallback reply, before an event is fired.
    pub(crate) fn set_fallback_form(&self, form: Form) {
        register_fallback_replies(|code, why| fallback_reply(Some(&form), code, why));
        // The event, when it is read, may show that another agent calls.
        *self.0.form.write().unwrap_or_else(PoisonError::into_inner) = Some(form);
    }

    /// Returns the form in which the caller expects the reply, if one does.
    fn reply_form(&self) -> Option<Form> {
        self.0.form.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a reply to the agent, once; `None` if one was sent before, otherwise the exit code. A reply that cannot be written is
    /// lost, and silence with exit code 0 allows the call: for a gate, the exit code denies (BR-10).
    pub(crate) fn send(&self, reply: &Reply) -> Option<u8> {
        if self.0.is_sent.swap(true, Ordering::SeqCst) {
            return None;
        }
        // A closed stream has no reader; the exit code says what it can.
        let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
        let code = match write_reply_to_stdout(reply.stdout.as_bytes()) {
            Ok(()) => reply.exit,
            Err(why) => {
                let text = reply.stdout.trim_end();
                let _ = writeln!(std::io::stderr(), "error: the reply {why}: {text}");
                if self.is_gate_waiting() { Exit::Blocked.code() } else { reply.exit }
            }
        };
        // A second object would take the first one back.
        register_fallback_replies(|_, _| LastWord { code, ..LastWord::default() });
        Some(code)
    }

    /// Returns whether the caller waits for an event that must not proceed without an answer.
    fn is_gate_waiting(&self) -> bool {
        match self.reply_form() {
            Some(Form::Agent(agent, event)) => agent.may_precede_effect(event.name.as_str()),
            Some(Form::Page | Form::Object | Form::Line) | None => true,
        }
    }

    /// Starts a thread that denies after this time if no reply was sent, whatever this program is
    /// doing (BR-12).
    pub(crate) fn start_deadline_thread(&self, limit: Duration) -> std::io::Result<()> {
        let reply = self.clone();
        let watch = move || {
            std::thread::sleep(limit);
            if !reply.0.is_sent.load(Ordering::SeqCst) {
                let message = format!("no reply was found within {limit:?}");
                exit_process(reply.deny(Code::TimedOut, &message));
            }
        };
        std::thread::Builder::new().stack_size(WATCH_STACK).spawn(watch).map(drop)
    }

    /// Sends a denial, in the form that the caller expects.
    pub(crate) fn deny(&self, code: Code, message: &str) -> Exit {
        // A closed stream has no reader; the exit code says it.
        let _ = writeln!(std::io::stderr(), "error: {message}");
        self.send_denial(code, message)
    }

    /// Denies an event that no hook could see, in the form that the caller expects (E-10).
    pub(crate) fn deny_unseen_event(&self, code: Code, problem: &Problem, term: Term) -> Exit {
        term.print_problem(problem);
        self.send_denial(code, &problem.message)
    }

    fn send_denial(&self, code: Code, message: &str) -> Exit {
        let Some(form) = self.reply_form() else { return Exit::Blocked };
        let denial = encode_denial(&form, code, message);
        let code_sent = self.send(&denial);
        match form {
            Form::Agent(..) => Exit::Replied(code_sent.unwrap_or(denial.exit)),
            Form::Page | Form::Object | Form::Line => Exit::Blocked,
        }
    }

    /// Denies and ends the program: a panic on any thread may be that of a gate, and unwinding
    /// could wait for threads that were never created.
    fn deny_and_exit_after_panic(&self, panic: &PanicHookInfo<'_>) {
        let text = panic.payload_as_str().unwrap_or("without a message");
        let (code, message) = match (STARTING.load(Ordering::Relaxed), panic.location()) {
            (true, _) => (Code::OutOfResources, format!("hooks cannot be waited for: {text}")),
            (false, Some(at)) => {
                let file = at.file().rsplit('/').next().unwrap_or_default();
                (Code::Failed, format!("tenterhook itself failed: {text} ({file}:{})", at.line()))
            }
            (false, None) => (Code::Failed, format!("tenterhook itself failed: {text}")),
        };
        exit_process(self.deny(code, &message));
    }
}

/// Plenty for a thread that sleeps and then writes one object.
const WATCH_STACK: usize = 256 << 10;

#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the program ends here, on whatever thread it is; `main` may never hear of it"
)]
fn exit_process(exit: Exit) -> ! {
    std::process::exit(exit.code().into())
}

fn encode_denial(form: &Form, code: Code, message: &str) -> Reply {
    let outcome = denial_outcome(code, message);
    let stdout = match form {
        Form::Page => format!("\n  BLOCKED\n  {}\n", outcome.reason().unwrap_or_default()),
        Form::Object => format!("{:#}\n", encode_outcome(&outcome)),
        Form::Line => {
            let mut line = encode_outcome(&outcome);
            if let Value::Object(keys) = &mut line {
                keys.insert("id".to_owned(), Value::Null);
            }
            format!("{line}\n")
        }
        // Where nothing is at stake, silence is all that an agent needs: a denied end of a turn would never end.
        Form::Agent(agent, event) if !agent.may_precede_effect(event.name.as_str()) => {
            return Reply::default();
        }
        Form::Agent(agent, event) => {
            let reply = agent.dialect().encode_outcome(event, &outcome, None);
            return reply
                .unwrap_or_else(|| Reply { exit: Exit::Blocked.code(), ..Reply::default() });
        }
    };
    Reply { stdout, exit: Exit::Blocked.code(), ..Reply::default() }
}

/// Faults of events that no hook could see.
const UNSEEN: &[Code] = &[Code::UnreadableEvent, Code::DoubledKey];
/// Faults of events whose hooks could be asked, and were not or not to the end.
const UNJUDGED: &[Code] = &[Code::Cancelled, Code::IdInUse];

/// Returns the denying outcome of an event that no hook has judged.
pub(crate) fn denial_outcome(code: Code, message: &str) -> Outcome {
    let why = match code {
        code if UNSEEN.contains(&code) => "no hook could see it",
        code if UNJUDGED.contains(&code) => "no hook has judged it",
        _ => "no hook could be asked",
    };
    let text = format!("blocked, because {why}: {message}");
    let mut outcome = Outcome::without_answer();
    outcome.restraint = Restraint::Deny;
    outcome.reasons = vec![Reason { hook: HookId::new("tenterhook"), text }];
    outcome.faults = vec![Fault { code, hook: None, message: message.to_owned() }];
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    ///
    #[test]
    fn every_form_denies() {
        for form in [Form::Page, Form::Object, Form::Line] {
            let text = encode_denial(&form, Code::OutOfMemory, "there is no memory left").stdout;
            assert!(text.contains("no memory left"), "{text}");
            if form == Form::Page {
                assert!(text.contains("BLOCKED"), "{text}");
                continue;
            }
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(value["decision"], "deny", "{text}");
            assert_eq!(text.lines().count() == 1, form == Form::Line, "{text}");
        }
    }
}
