//! A hooked agent loop in one file: `docs/guide/embedding.md` walks through it.
//!
//! The model is a list of what it would say, the tool is the shell; everything about hooks is real.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook::answer::Restraint;
use tenterhook::config::Source;
use tenterhook::dialect::DialectId;
use tenterhook::event::Surroundings;
use tenterhook::executor::Ambient;
use tenterhook::{Engine, Event, Session};

/// What a person put into `tenterhook.toml`; a real host finds the files with `tenterhook::discover`.
const HOOKS: &str = r#"
[hook.polite]
on = "UserPromptSubmit"
phase = "rewrite"
shell = '''echo '{"prompt": "please: count the files"}' '''

[hook.no-deletes]
on = "PreToolUse"
if = "Bash(rm *)"
shell = "echo 'nothing is deleted here' >&2; exit 2"

[hook.tests-first]
on = "Stop"
shell = "test -e tested || { touch tested; echo 'run the tests first' >&2; exit 2; }"
"#;

/// What the model would say, one call after the other.
const MODEL: &[&str] = &["$ rm -rf .", "$ ls", "I am done.", "$ echo tests pass", "Now I am done."];

/// The hooks of one session, and where it works.
struct Hooks {
    engine: Engine,
    session: Session,
    place: PathBuf,
}

impl Hooks {
    fn load(place: &Path, path: String) -> Self {
        let source = Source::given("tenterhook.toml", DialectId::NATIVE, HOOKS, place);
        // A library reads no environment: what hooks inherit is handed over.
        let ambient = Ambient { env: vec![("PATH".to_owned(), path)], ..Ambient::default() };
        let (engine, diagnostics) = Engine::builder().source(source).ambient(ambient).build();
        for diagnostic in diagnostics {
            println!("{}: {}", diagnostic.severity, diagnostic.message);
        }
        Self { engine, session: Session::default(), place: place.to_owned() }
    }

    async fn fire(&self, name: &str, payload: Value) -> tenterhook::Outcome {
        let (cwd, project) = (self.place.clone(), self.place.clone());
        let within =
            Surroundings { session_id: "demo".to_owned(), cwd, project, ..Surroundings::default() };
        let mut event = Event::new(name, within);
        event.payload = payload.as_object().cloned().unwrap_or_default();
        let outcome = self.engine.fire(event, &self.session).await;
        for fault in &outcome.faults {
            println!("  [warn] {name}: {}", fault.message);
        }
        outcome
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let place = std::env::temp_dir().join(format!("embed-minimal-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let hooks = Hooks::load(&place, "/usr/local/bin:/usr/bin:/bin".to_owned());

    // A prompt: hooks first, and their text is the only one that anybody uses.
    let outcome = hooks.fire("UserPromptSubmit", json!({"prompt": "count the files"})).await;
    if outcome.blocked() {
        println!("not sent: {}", outcome.reason().unwrap_or_default());
        return Ok(());
    }
    let prompt = outcome.effects.updated_prompt.unwrap_or_else(|| "count the files".to_owned());
    println!("user   {prompt}");

    for reply in MODEL {
        println!("model  {reply}");
        let Some(command) = reply.strip_prefix("$ ") else {
            // The model wants to stop: a hook may keep it at work, and its reason is the next user message.
            let outcome = hooks.fire("Stop", json!({"last_assistant_message": reply})).await;
            match outcome.reason().filter(|_| outcome.blocked()) {
                Some(reason) => println!("hook   {reason}"),
                None => break,
            }
            continue;
        };
        let call =
            json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "1"});
        let outcome = hooks.fire("PreToolUse", call).await;
        match outcome.restraint {
            Restraint::Deny => println!("tool   refused: {}", outcome.reason().unwrap_or_default()),
            Restraint::Ask | Restraint::Defer => println!("tool   a host asks its user here"),
            Restraint::Allow | Restraint::Silent => {
                // A host runs `outcome.effects.updated_input` where a hook rewrote the call.
                println!("tool   ran `{command}`");
            }
        }
    }
    std::fs::remove_dir_all(&place)
}
