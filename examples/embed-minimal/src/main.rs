//! A hooked agent loop in one file: `docs/guide/embedding.md` walks through it.
//!
//! The model is a list of what it would say, the tool is the shell; everything about hooks is real.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;
use tenterhook::prelude::*;

/// What the user wrote into `~/.config/tenterhook/tenterhook.toml`.
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

/// What a repository brings that the user cloned: it does not run, because the user did not approve it.
const CLONED: &str = r#"
[hook.stranger]
on = "PreToolUse"
if = "Bash(ls *)"
on_failure = "continue"
phase = "observe"
shell = "touch stranger-was-here"
"#;

/// What the model would say, one call after the other.
const MODEL: &[&str] =
    &["$ rm notes.txt", "$ ls", "$ git push", "I am done.", "$ echo tests pass", "Now I am done."];

/// The hooks of one session, and where it works.
struct Hooks {
    engine: Engine,
    session: Session,
    here: Surroundings,
}

impl Hooks {
    /// Loads the hooks that the user's agents would load in `project`, and shows what is wrong with them.
    fn load(home: &Path, project: &Path, path: String) -> io::Result<Self> {
        // A program whose user starts it: `discover::roots_from_env()` and `Ambient::from_env()`, with the feature `env`.
        let roots = Roots { managed: None, ..discover::roots(project, home)? };
        // A library reads no environment: what hooks inherit is handed over.
        let ambient = Ambient::default().env([("PATH", path)]);
        // A hook of the host itself is a closure.
        let no_push = Hook::on(PRE_TOOL_USE, |event| async move {
            match event.tool().and_then(|tool| tool.input.get("command")?.as_str()) {
                Some(line) if line.starts_with("git push") => {
                    Answer::deny("this host pushes nothing")
                }
                _ => Answer::default(),
            }
        });
        let builder = Engine::discover(&roots).ambient(ambient).hook(no_push.with_name("no-push"));
        let (engine, diagnostics) = builder.build();
        for diagnostic in diagnostics {
            println!("{diagnostic:#}");
        }
        let here = Surroundings::at(project).session("demo");
        Ok(Self { engine, session: Session::default(), here })
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
async fn main() -> io::Result<()> {
    let scratch = std::env::temp_dir().join(format!("embed-minimal-{}", std::process::id()));
    let (home, project) = (scratch.join("home"), scratch.join("project"));
    let config = home.join(".config/tenterhook");
    fs::create_dir_all(&config)?;
    fs::create_dir_all(&project)?;
    fs::write(config.join("tenterhook.toml"), HOOKS)?;
    fs::write(project.join("tenterhook.toml"), CLONED)?;
    let hooks = Hooks::load(&home, &project, "/usr/local/bin:/usr/bin:/bin".to_owned())?;

    // A prompt: hooks first, and their text is the only one that anybody uses.
    let typed = "count the files";
    let prompt = match hooks.fire(Event::user_prompt_submit(typed)).await {
        Decision::Proceed { rewrite, .. } => rewrite.prompt_or(typed),
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
                Decision::Denied { reason, .. } => println!("hook   {reason}"),
                _ => break,
            }
            continue;
        };
        let call = json!({"command": command});
        match hooks.fire(Event::pre_tool_use("Bash", call.clone())).await {
            Decision::Proceed { rewrite, .. } => println!("tool   ran {}", rewrite.input_or(call)),
            // This host has no user to ask, so the call does not run.
            Decision::Ask { reason, .. } => println!("tool   a host asks its user here: {reason}"),
            Decision::Stopped { reason, .. } => {
                println!("hook   the turn ends: {reason}");
                break;
            }
            Decision::Denied { reason, .. } | Decision::Deferred { reason, .. } => {
                println!("tool   refused: {reason}");
            }
        }
    }
    assert!(!project.join("stranger-was-here").exists(), "a repository ran a hook unasked");
    fs::remove_dir_all(&scratch)
}
