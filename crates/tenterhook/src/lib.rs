//! The hook engine for AI agents.
//!
//! A *hook* is a program that a user runs at a step of an agent: a prompt is submitted, a tool is
//! about to run, a turn ends. It can deny the step, change its input, or add context for the model.
//! Each agent has its own hook engine and its own protocol. This crate is one engine for all of
//! these protocols: a host embeds it, fires events, and applies one outcome for each event.
//!
//! # Example
//!
#![cfg_attr(all(feature = "rule", feature = "trust"), doc = "```")]
#![cfg_attr(not(all(feature = "rule", feature = "trust")), doc = "```ignore")]
//! use tenterhook::prelude::*;
//!
//! # let scratch = tempfile::tempdir()?;
//! # let (home, project) = (scratch.path().join("home"), scratch.path().join("project"));
//! # std::fs::create_dir_all(home.join(".config/tenterhook"))?;
//! # std::fs::create_dir(&project)?;
//! # std::fs::write(home.join(".config/tenterhook/tenterhook.toml"), r#"
//! #     [hook.no-force-push]
//! #     on = "PreToolUse"
//! #     if = "Bash(git push *--force*)"
//! #     shell = "echo 'push without --force' >&2; exit 2"
//! # "#)?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! // Load the hooks that the user's agents would load. Hooks of a repository need the user's approval.
//! let roots = discover::roots(&project, &home)?; // a program: `discover::roots_from_env()?`
//! # let roots = Roots { managed: None, ..roots };
//! let ambient = Ambient::default().env([("PATH", "/usr/bin:/bin")]);
//! let (engine, diagnostics) = Engine::discover(&roots).ambient(ambient).build();
//! for diagnostic in diagnostics {
//!     eprintln!("{diagnostic}"); // shows users which of their hooks cannot run
//! }
//!
//! // The agent is about to run a tool.
//! let call = serde_json::json!({"command": "sudo git push --force"});
//! let event = Event::pre_tool_use("Bash", call.clone()).within(&Surroundings::at(&project));
//!
//! // A conversation has one session.
//! let session = Session::default();
//! let outcome = engine.fire(event, &session).await;
//! match outcome.decision() {
//!     Decision::Proceed { rewrite, .. } => drop(rewrite.input_or(call)), // run this, not the original
//!     Decision::Ask { reason, .. } => println!("may the agent do that? {reason}"),
//!     Decision::Stopped { reason, .. } => println!("the turn ends: {reason}"),
//!     // The model reads the reason.
//!     Decision::Denied { reason, .. } | Decision::Deferred { reason, .. } => {
//!         assert_eq!(reason, "push without --force");
//!     }
//! }
//! # assert!(outcome.blocked());
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`Engine::builder`] starts without hooks. The host adds its own: config texts as
//! [`Source`](config::Source), and single hooks as [`Hook`](hook::Hook).
//!
//! # From event to outcome
//!
//! The engine **plans** an **event**: it selects the **hooks** to run. An executor **runs** each of
//! them with an **envelope** as its input, and returns a **report**. The engine reads each report
//! into an **answer**, judges the answer into a **verdict**, and **merges** all verdicts into one
//! **outcome**. The session **settles** the outcome, and the firing is **recorded**.
//! [`Engine::fire_within`] is this sequence in code.
//!
//! | part | modules | question |
//! |---|---|---|
//! | values | [`event`], [`hook`], [`answer`], [`outcome`] | What do the modules pass to each other? |
//! | configuration | [`config`], [`discover`], [`dialect`] | Which hooks are there, and which protocol does each use? |
//! | selection | [`matcher`], [`rule`], [`plan`] | Which hooks run, and why are the others skipped? |
//! | execution | [`executor`] | How does each kind of hook run? |
//! | state | [`session`] | What does the outcome mean for the next events? |
//! | reports | [`text`], [`record`], [`diagnostic`] | What do people and models see? |
//! | sequence | [`engine`] | In which order do these steps happen? |
//!
//! # Features
//!
//! No feature is on by default, so a host compiles only what its hooks use. If the executor of a hook
//! is not compiled in, the hook fails, and its failure policy decides; it never allows an action.
//! Commands, workers and callbacks need no feature.
//!
//! | feature | adds | third-party crates |
//! |---|---|---|
//! | `rule` | hooks that are expressions, self-protection, `Engine::discover` with `trust` | `cel`, `regex-automata`, `regex-syntax`, `sha2`, `memchr` |
//! | `trust` | [`trust::Trust`]: hooks of a repository run from a copy that the user approved | `ed25519-dalek`, `sha2`, `base64` |
//! | `http` | hooks that are HTTP requests | `hyper`, `hyper-util`, `tokio-rustls`, `rustls-platform-verifier`, `socket2`, `hmac`, `sha2`, `httpdate` |
//! | `model` | [`executor::model::ModelClient`] for `prompt` and `agent` hooks; includes `http` | `tower-service` |
//! | `mcp` | [`engine::Builder::connect`]: MCP servers that hooks call; includes `http` | `tower-service` |
//! | `record` | [`record::Journal`]: append-only files that record each firing | `jiff`, `sha2` |
//! | `env` | `discover::roots_from_env` and `Ambient::from_env`, for hosts that are programs | none |
//! | `prewarm-forms` | a Python or Node.js interpreter that waits for its event | none |
//! | `transcript` | [`backtest`]: runs hooks on recorded events | `jiff`, `memchr` |
//!
//! # Guarantees
//!
//! - **The strictest answer wins.** `deny > defer > ask > allow > silent`, in whichever order the
//!   hooks finish. An answer that tries to deny but breaks the protocol (a log line before its JSON,
//!   `"DENY"`) denies, with a fault that shows how to write it.
//! - **A gate that fails does not allow.** After a crash, a timeout, a missing program or unreadable
//!   output, the hook's failure policy decides.
//! - **No hook is skipped silently.** [`plan::explain`] gives the reason why each hook runs or not.
//!   The outcome lists all faults.
//! - **A repository cannot enable its own hooks.** They run after the user approved exactly these
//!   hooks, or if the host calls [`engine::Builder::trust_repositories_unasked`].
//! - **[`Engine::fire`] returns an outcome, never an error.** Dropping its future ends the processes
//!   that it started.
//! - **The library never prints, exits or reads the environment.** The host passes paths,
//!   environment and clock. Exceptions: `discover::roots_from_env` and `Ambient::from_env`, behind
//!   the feature `env`.
//!
//! A host matches on [`Outcome::decision`], which alone states whether the action happens, and with
//! which input. Do not decide by [`Outcome::blocked`] alone: it is also false if a hook asks the
//! user, defers the call or stops the turn. The rest is optional: context, messages, and the other
//! fields of [`answer::Effects`].
//!
//! # Stability
//!
//! This documentation lists the whole interface for hosts. Semantic versioning covers all of it, and
//! nothing else. The hidden module `internal` and the crate `tenterhook_core` are for the programs
//! that are released with this crate. Any version may change them, so these programs require exactly
//! one version.

#![cfg_attr(
    not(all(
        feature = "mcp",
        feature = "model",
        feature = "record",
        feature = "transcript",
        feature = "trust"
    )),
    expect(
        rustdoc::broken_intra_doc_links,
        reason = "the table of features links items of features that are off"
    )
)]

#[cfg(feature = "transcript")]
pub mod backtest;
pub mod discover;
pub mod engine;
pub mod executor;
#[cfg(feature = "rule")]
mod exemptions;
mod fuzzed;
// Hidden because only the programs that are released with this crate use it, and no version keeps
// it stable.
#[doc(hidden)]
pub mod internal;
pub mod prelude;
pub mod record;
pub mod session;
#[cfg(feature = "trust")]
pub mod trust;

// The pure items that hosts use, by name. The crates of Tenterhook import pure items from
// `tenterhook_core`. Items with `no_inline` are only named here: signatures of listed items use them.

pub mod answer {
    //! Answers of hooks. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::answer::{
        Answer, Effects, Failure, Power, Powers, Restraint, Slip, SlipKind, Stop,
    };
}

pub mod config {
    //! Sources merged into one ruleset. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::config::{
        Content, Plugin, Reach, RecordTable, Ruleset, Server, Source,
    };
    #[doc(no_inline)]
    pub use tenterhook_core::{
        config::Stage,
        source::{Flaw, Standing, SystemLog},
    };
}

pub mod diagnostic {
    //! Findings about configuration files. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::diagnostic::{Code, Diagnostic, Location, Severity, Span};
}

pub mod dialect {
    //! The protocols of agents. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::dialect::Dispatch;
    #[doc(inline)]
    pub use tenterhook_core::dialect::{Cap, DialectId, EventRow, Roots, Subject, Then};
}

pub mod event {
    //! Events, independent of any agent. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::event::tool::{Tool, ToolCall};
    #[doc(inline)]
    pub use tenterhook_core::event::{Event, EventName, PRE_TOOL_USE, Surroundings};
}

pub mod hook {
    //! Hooks and their settings. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::hook::{
        Arming, Command, Compat, Enforcement, Function, Hook, HookId, Http, Inherit, Invocation,
        Layer, McpTool, OnFailure, Phase, Prewarm, Program, Prompt, Run, Sandbox, Script, Shell,
        Unread, Wait, Worker,
    };
    #[doc(no_inline)]
    pub use tenterhook_core::{
        hook::{Grants, Tier, Want},
        request::interpolation::Interpolation,
    };
}

pub mod matcher {
    //! Patterns and conditions. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::matcher::rule::{Reading, RuleFault};
    #[doc(inline)]
    pub use tenterhook_core::matcher::{Condition, Matcher, MatcherSpec, PatternError};
    #[doc(no_inline)]
    pub use tenterhook_core::matcher::{MatchContext, Picked};
}

pub mod outcome {
    //! The result of an event. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::outcome::{Decision, Ended, Fault, Outcome, Reason, Rewrite, Step};
}

pub mod plan {
    //! Which hooks run for an event, and why the others do not. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::plan::{Because, explain};
}

pub mod rule {
    //! Hooks that are expressions over the event. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::rule::Rule;
    #[doc(no_inline)]
    pub use tenterhook_core::rule::{Doubt, Flaw, Incomplete, Part, RuleInput, Unsettled};
}

pub mod text {
    //! Hook text made safe to show and to inject. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::text::{CONTEXT_CAP, Clean, Removed, clean, label};
}

pub use engine::Engine;
#[doc(no_inline)]
pub use event::Event;
#[doc(no_inline)]
pub use outcome::Outcome;
pub use session::Session;
