//! A callback of the host, as a value with a name. Called by its executor alone.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use super::named::DialectId;
use super::{Hook, HookId, Run};
use crate::answer::Answer;
use crate::event::{Event, EventName};

pub(crate) type Calling = Pin<Box<dyn Future<Output = Answer> + Send>>;
type Call = dyn Fn(Arc<Event>) -> Calling + Send + Sync;

/// A named async callback.
///
/// It must not block its thread: what computes for long belongs into `tokio::task::spawn_blocking`, whose handle it
/// awaits. It may be dropped wherever it waits.
#[derive(Clone)]
pub struct Function {
    name: Arc<str>,
    call: Arc<Call>,
}

impl Function {
    /// Wraps `call` under a name for messages.
    pub fn new<F, A>(name: &str, call: F) -> Self
    where
        F: Fn(Arc<Event>) -> A + Send + Sync + 'static,
        A: Future<Output = Answer> + Send + 'static,
    {
        Self { name: name.into(), call: Arc::new(move |event| Box::pin(call(event))) }
    }

    /// Calls the function with an event.
    pub fn call(&self, event: Arc<Event>) -> Calling {
        (self.call)(event)
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Hook {
    /// A closure as a hook on every `event`: it may deny, rewrite and add as a configured hook may. The event is
    /// [`PRE_TOOL_USE`](crate::event::PRE_TOOL_USE), or any other by its name, such as `"Stop"`.
    ///
    /// ```
    /// # use tenterhook_core as tenterhook;
    /// use tenterhook::{answer::Answer, event::PRE_TOOL_USE, hook::Hook};
    ///
    /// let no_force = Hook::on(PRE_TOOL_USE, |event| async move {
    ///     match event.tool().and_then(|tool| tool.input["command"].as_str()) {
    ///         Some(line) if line.contains("--force") => Answer::deny("push without --force"),
    ///         _ => Answer::default(), // no objection
    ///     }
    /// });
    /// assert_eq!(no_force.event.as_str(), PRE_TOOL_USE);
    /// ```
    ///
    /// The hook is called by where this stands, such as `main.rs:12:20`; [`Hook::with_name`] gives it another name, which it needs where
    /// one line makes several hooks. What a [`Function`] may do holds for `call`: it must not block its thread.
    ///
    /// # Errors
    ///
    /// A panic, and an answer that does not come in time, are faults and go to the failure policy: a gate blocks
    /// ([`Hook::on_failure`]).
    ///
    /// # Cancellation safety
    ///
    /// The future of `call` is dropped where it waits when its time is up, or when the future of the firing is dropped. No consent
    /// comes of that.
    #[must_use]
    #[track_caller]
    pub fn on<F, A>(event: impl Into<EventName>, call: F) -> Self
    where
        F: Fn(Arc<Event>) -> A + Send + Sync + 'static,
        A: Future<Output = Answer> + Send + 'static,
    {
        let caller = Location::caller();
        let file = Path::new(caller.file()).file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{file}:{}:{}", caller.line(), caller.column());
        let run = Run::Function(Function::new(&name, call));
        Self::new(HookId::new(name), DialectId::NATIVE, event.into(), run)
    }

    /// Sets the name of the hook, which people and models read.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Self {
        self.id = HookId::new(name);
        if let Run::Function(function) = &mut self.run {
            function.name = name.into();
        }
        self
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FN-8
    #[test]
    fn closure_is_named_by_its_line_until_it_is_named() {
        let closure = || Hook::on("Stop", |_| async { Answer::default() });
        let name = closure().id;
        assert!(name.as_str().starts_with("function.rs:"), "{name}");
        let named = closure().with_name("guard");
        assert_eq!(named.id.as_str(), "guard");
        assert!(matches!(&named.run, Run::Function(function) if function.name() == "guard"));
        assert_eq!((named.dialect, named.event.as_str()), (DialectId::NATIVE, "Stop"));
    }
}
