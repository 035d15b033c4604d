//! The hook engine for AI agents.
//!
//! At every step of an agent's life (a prompt is submitted, a tool is about to run, a turn ends) people want their own
//! programs to look, to refuse, to rewrite or to add what the model should know. Those programs are *hooks*. Every agent
//! grew its own engine for them and its own protocol. This crate is one engine that speaks them all: a host embeds it,
//! fires its events, and obeys one outcome.
//!
//! # A hooked host in one page
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
//! // The hooks that the user's agents would load, guarded: a repository runs nothing that the user did not approve.
//! let roots = discover::roots(&project, &home)?; // a program: `discover::roots_from_env()?`
//! # let roots = Roots { managed: None, ..roots };
//! let ambient = Ambient::default().env([("PATH", "/usr/bin:/bin")]);
//! let (engine, diagnostics) = Engine::discover(&roots).ambient(ambient).build();
//! for diagnostic in diagnostics {
//!     eprintln!("{diagnostic}"); // or people never learn that one of their hooks does nothing
//! }
//!
//! // Something is about to happen.
//! let call = serde_json::json!({"command": "sudo git push --force"});
//! let event = Event::pre_tool_use("Bash", call.clone()).within(&Surroundings::at(&project));
//!
//! // One session, for as long as the conversation lives.
//! let session = Session::default();
//! let outcome = engine.fire(event, &session).await;
//! match outcome.decision() {
//!     Decision::Proceed { rewrite, .. } => drop(rewrite.input_or(call)), // run this, not the original
//!     Decision::Ask { reason, .. } => println!("may the agent do that? {reason}"),
//!     Decision::Stopped { reason, .. } => println!("the turn ends: {reason}"),
//!     // The model reads why.
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
//! [`Engine::builder`] starts empty instead: a host hands its own hooks over, and texts that it keeps elsewhere,
//! as [`Source`](config::Source) and [`Hook`](hook::Hook).
//!
//! # The sentence
//!
//! An **event** is **planned** against the **hooks**, each step is handed its **envelope** and **run** by an executor,
//! each **report** is read into an **answer** and judged into a **verdict**, verdicts are **merged** into an
//! **outcome**, the session **settles** it, and the firing is **recorded**. [`Engine::fire_within`] is that sentence in
//! code, and each bold word is a module of this crate:
//!
//! | step | module | question |
//! |---|---|---|
//! | values | [`event`], [`hook`], `report`, [`answer`], [`outcome`] | what do the modules pass to each other? |
//! | reading | [`config`], [`discover`], [`dialect`] | which hooks exist, and what did a hook answer? |
//! | planning | [`matcher`], [`rule`], [`plan`] | which hooks run, and why are others skipped? |
//! | running | [`executor`] | what happened to each hook? |
//! | deciding | `verdict`, [`session`] | what does an answer mean, for this event and for the session? |
//! | reporting | [`text`], [`record`], [`diagnostic`] | what may a person or a model see? |
//! | order | [`engine`] | which step follows which? |
//!
//! # Features
//!
//! None is on by default: a host pays for what its hooks use. A hook whose executor is left out is a fault and goes to its failure
//! policy; it never means yes. Commands, workers and callbacks need no feature.
//!
//! | feature | brings | third-party crates |
//! |---|---|---|
//! | `rule` | hooks that are expressions, self-protection, `Engine::discover` with `trust` | `cel`, `regex-automata`, `regex-syntax`, `sha2`, `memchr` |
//! | `trust` | [`trust::Trust`]: a repository runs what was approved, from a copy | `ed25519-dalek`, `sha2`, `base64` |
//! | `http` | hooks that are requests | `hyper`, `hyper-util`, `tokio-rustls`, `rustls-platform-verifier`, `socket2`, `hmac`, `sha2`, `httpdate` |
//! | `model` | [`executor::model::ModelClient`] for `prompt` and `agent` hooks; includes `http` | `tower-service` |
//! | `mcp` | [`engine::Builder::connect`]: MCP servers that hooks call; includes `http` | `tower-service` |
//! | `record` | [`record::Journal`]: each firing in files, append-only | `jiff`, `sha2` |
//! | `env` | `discover::roots_from_env` and `Ambient::from_env`, for hosts that are programs | none |
//! | `prewarm-forms` | a Python or Node.js interpreter that waits for its event | none |
//! | `transcript` | [`transcript`]: recorded sessions of agents as events, and [`backtest`] | `jiff`, `memchr` |
//!
//! # Guarantees
//!
//! - **Restraint wins.** `deny > defer > ask > allow > silent`, whatever finishes first. An answer that tries to deny but
//!   slips (a log line before its JSON, `"DENY"`) denies, with a fault that says how to write it.
//! - **A gate that fails does not allow.** Crash, timeout, missing program and unreadable output go to
//!   the hook's failure policy, never to a default.
//! - **No hook is skipped silently.** [`plan::explain`] gives the reason why each hook runs or not;
//!   faults are part of the outcome.
//! - **A repository arms nothing by itself.** Its hooks run once the user approved exactly them, or where a host calls
//!   [`engine::Builder::trust_repositories_unasked`].
//! - **[`Engine::fire`] returns an outcome, never an error,** and dropping its future ends what it started.
//! - **The library prints nothing, reads no environment and never exits.** Paths, environment and clock come from the
//!   host, unless it asks for `discover::roots_from_env` and `Ambient::from_env` with the feature `env`.
//!
//! A host that obeys an outcome matches on [`Outcome::decision`], the one place that says whether the action happens, and
//! with what. A host that only asks [`Outcome::blocked`] runs what a hook wanted asked about, put off or stopped. What is
//! optional to honour is the rest: context, messages, and everything else in [`answer::Effects`].
//!
//! Semantic versioning covers the items that this documentation shows. Hidden items and all of
//! `tenterhook_core` are for the programs that are released with this crate, which require one exact
//! version of it. Any version may change them.

#[cfg(feature = "transcript")]
pub mod backtest;
pub mod discover;
pub mod engine;
pub mod executor;
#[cfg(feature = "rule")]
#[doc(hidden)]
pub mod exemptions;
#[doc(hidden)]
pub mod fuzzed;
pub mod prelude;
pub mod record;
pub mod session;
#[cfg(feature = "trust")]
pub mod trust;

// What hosts use, by name. The rest of each module is for the crates of Tenterhook, and is not promised.

pub mod answer {
    //! What a hook answers. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::answer::{
        Answer, Effects, Failure, Power, Powers, Restraint, Slip, SlipKind, Stop,
    };
}

pub mod config {
    //! Sources merged into one ruleset. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::config::*;
    #[doc(inline)]
    pub use tenterhook_core::config::{
        Content, Plugin, Reach, RecordTable, Ruleset, Server, Source,
    };
}

pub mod diagnostic {
    //! Findings about texts that people wrote. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::diagnostic::*;
    #[doc(inline)]
    pub use tenterhook_core::diagnostic::{Code, Diagnostic, Location, Severity, Span};
}

pub mod dialect {
    //! The protocols of agents. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::dialect::*;
    #[doc(inline)]
    pub use tenterhook_core::dialect::{Cap, DialectId, EventRow, Roots, Subject, Then};
}

pub mod event {
    //! The event in neutral words. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::event::tool::{Tool, ToolCall};
    #[doc(no_inline)]
    pub use tenterhook_core::event::*;
    #[doc(inline)]
    pub use tenterhook_core::event::{Event, EventName, PRE_TOOL_USE, Surroundings};
}

pub mod hook {
    //! One configured entry. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::hook::*;
    #[doc(inline)]
    pub use tenterhook_core::hook::{
        Arming, Command, Compat, Enforcement, Function, Hook, HookId, Http, Inherit, Invocation,
        Layer, McpTool, OnFailure, Phase, Prewarm, Program, Prompt, Run, Sandbox, Script, Shell,
        Unread, Wait, Worker,
    };
}

pub mod matcher {
    //! Patterns and conditions. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::matcher::*;
    #[doc(inline)]
    pub use tenterhook_core::matcher::{Condition, Matcher, MatcherSpec, PatternError};
}

pub mod outcome {
    //! What the host gets. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::outcome::{Decision, Ended, Fault, Outcome, Reason, Rewrite, Step};
}

pub mod plan {
    //! Which hooks run for an event, and why each other hook does not. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::plan::*;
    #[doc(inline)]
    pub use tenterhook_core::plan::{Because, explain};
}

pub mod rule {
    //! Hooks that are expressions over the event. Re-exported from `tenterhook_core`.

    #[doc(inline)]
    pub use tenterhook_core::rule::Rule;
    #[doc(no_inline)]
    pub use tenterhook_core::rule::*;
}

pub mod text {
    //! Hook text made safe to show and to inject. Re-exported from `tenterhook_core`.

    #[doc(no_inline)]
    pub use tenterhook_core::text::*;
    #[doc(inline)]
    pub use tenterhook_core::text::{CONTEXT_CAP, Clean, Removed, clean, label};
}

#[cfg(feature = "rule")]
#[doc(no_inline)]
pub use tenterhook_core::call;
#[cfg(feature = "transcript")]
#[doc(no_inline)]
pub use tenterhook_core::transcript;
#[doc(no_inline)]
pub use tenterhook_core::{
    agents, compat, install, merge, protect, report, request, settle, source, strict, syntax,
    verdict,
};

pub use engine::Engine;
#[doc(no_inline)]
pub use event::Event;
#[doc(no_inline)]
pub use outcome::Outcome;
pub use session::Session;
