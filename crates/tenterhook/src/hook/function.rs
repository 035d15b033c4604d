//! A callback of the host, as a value with a name. Called by its executor alone.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::answer::Answer;
use crate::event::Event;

pub(crate) type Calling = Pin<Box<dyn Future<Output = Answer> + Send>>;
type Call = dyn Fn(Arc<Event>) -> Calling + Send + Sync;

/// The example of the guide is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guide/executors/function.md")]
struct Guide;

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
    /// Wraps `call` under a name that people see.
    pub fn new<F, A>(name: &str, call: F) -> Self
    where
        F: Fn(Arc<Event>) -> A + Send + Sync + 'static,
        A: Future<Output = Answer> + Send + 'static,
    {
        Self { name: name.into(), call: Arc::new(move |event| Box::pin(call(event))) }
    }

    /// Calls it for an event.
    pub(crate) fn call(&self, event: Arc<Event>) -> Calling {
        (self.call)(event)
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}
