//! A hooked agent loop in one file: `docs/guide/embedding.md` walks through it.
//!
//! The model is a list of what it would say, the tool is the shell; everything about hooks is real.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::Path;

use serde_json::json;
use tenterhook::prelude::*;

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
    here: Surroundings,
}

impl Hooks {
    fn load(place: &Path, path: String) -> Self {
        let source = Source::given("tenterhook.toml", DialectId::NATIVE, HOOKS, place);
        // A library reads no environment: what hooks inherit is handed over.
        let ambient = Ambient::default().env([("PATH", path)]);
        let (engine, diagnostics) = Engine::builder().source(source).ambient(ambient).build();
        for diagnostic in diagnostics {
            println!("{diagnostic:#}");
        }
        let here = Surroundings::at(place).session("demo");
        Self { engine, session: Session::default(), here }
    }

    async fn fire(&self, event: Event) -> Decision {
        let name = event.name.clone();
        let outcome = self.engine.fire(event.within(&self.here), &self.session).await;
        for fault in &outcome.faults {
            println!("  [warn] {name}: {}", fault.message);
        }
        // A host with a real model also gives it `outcome.labelled_context()`.
        outcome.decision()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let place = std::env::temp_dir().join(format!("embed-minimal-{}", std::process::id()));
    std::fs::create_dir_all(&place)?;
    let hooks = Hooks::load(&place, "/usr/local/bin:/usr/bin:/bin".to_owned());

    // A prompt: hooks first, and their text is the only one that anybody uses.
    let typed = "count the files";
    let prompt = match hooks.fire(Event::user_prompt_submit(typed)).await {
        Decision::Proceed(rewrite) => rewrite.prompt_or(typed),
        held => {
            println!("not sent: {}", held.reason().unwrap_or_default());
            return Ok(());
        }
    };
    println!("user   {prompt}");

    for reply in MODEL {
        println!("model  {reply}");
        let Some(command) = reply.strip_prefix("$ ") else {
            // The model wants to end its turn: a hook may keep it at work, and its reason is the next user message.
            match hooks.fire(Event::stop(reply)).await {
                Decision::Denied(reason) => println!("hook   {reason}"),
                _ => break,
            }
            continue;
        };
        let call = json!({"command": command});
        match hooks.fire(Event::pre_tool_use("Bash", call.clone())).await {
            Decision::Proceed(rewrite) => println!("tool   ran {}", rewrite.input_or(call)),
            // Nobody sits here who could be asked, so the call does not run.
            Decision::Ask(reason, _) => println!("tool   a host asks its user here: {reason}"),
            Decision::Stopped(reason) => {
                println!("hook   the turn ends: {reason}");
                break;
            }
            refused => println!("tool   refused: {}", refused.reason().unwrap_or_default()),
        }
    }
    std::fs::remove_dir_all(&place)
}
