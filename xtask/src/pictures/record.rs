//! `cargo xtask pictures --record`: plays a real Claude Code in tmux, offline against a scripted model, until a hook denies its forced
//! push, and returns that part of the screen with its colours. Draws nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use tenterhook_probe::{Agent, Call, Model, Script, Step, find_agent};

use crate::error::Error;
use crate::tree;

/// The version of Claude Code that is recorded. Older ones ask about an event of `tenterhook install` that they do not know.
const VERSION: &str = "2.1.332";

/// The size of the terminal, in characters.
const COLUMNS: &str = "84";
const ROWS: &str = "30";

/// The prompt that a person types.
const PROMPT: &str = "push my branch, with force";

/// The call that the model makes, and its text after the denial.
const CALL: &str = "git push --force origin main";
const ANSWER: &str = "The push was blocked. I will push to a branch of my own instead.";

/// The hook of the person.
const HOOK: &str = r#"[hook.no-force-push]
on = "PreToolUse"
when = 'call.commands.exists(c, c.runs("git push") && (c.flag("-f") || c.flag("--force")))'
deny = "Do not force-push here. Push to a branch of your own instead."
"#;

/// The longest wait for the screen to change.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time between two keys, or two looks at the screen: a key that comes too early is lost.
const LOOK: Duration = Duration::from_millis(500);

/// Records the screen.
pub(super) fn record() -> Result<String, Error> {
    let agent = find_agent("claude").ok_or_else(|| invalid("the probe has no Claude Code"))?;
    let terminal = Terminal::new(&installed(agent)?)?;
    let push = Call {
        name: agent.shell.name.to_owned(),
        input: json!({ "command": CALL, "description": "Push the branch" }),
    };
    // The prompt lacks the mark of the main conversation, so that the model plays the part for all others.
    let steps = vec![Step::Calls(vec![push]), Step::Say(ANSWER.to_owned())];
    let script = Script { main: Vec::new(), sub: steps };
    let model = Model::start(script, agent.shell.name).map_err(Error::other)?;
    terminal.write(".config/tenterhook/tenterhook.toml", HOOK)?;
    terminal.write(".claude.json", &terminal.state().to_string())?;
    let tenterhook = tree::root().join("target/debug/tenterhook");
    run(terminal.command(&tenterhook, &model).args(["install", agent.name]))?;
    terminal.play(&model)?;
    terminal.part()
}

/// Returns the program, which `cargo e2e agents` installs.
#[expect(clippy::disallowed_methods, reason = "set by the person who records")]
fn installed(agent: &Agent) -> Result<PathBuf, Error> {
    let cache = std::env::var_os("TENTERHOOK_AGENTS").map(PathBuf::from);
    let package = agent.package.trim_start_matches('@').replace('/', "-");
    let program = cache
        .unwrap_or_else(|| tree::root().join("target/agents"))
        .join(format!("{package}-{VERSION}"))
        .join("node_modules/.bin")
        .join(agent.program);
    match program.exists() {
        true => Ok(program),
        false => Err(invalid(&format!(
            "{} does not exist: `cargo e2e agents {}-{VERSION}` installs it",
            program.display(),
            agent.name
        ))),
    }
}

/// A home with a project, and a terminal in it.
struct Terminal {
    home: PathBuf,
    program: PathBuf,
}

impl Terminal {
    fn new(program: &Path) -> Result<Self, Error> {
        let home = tree::root().join("target/recording");
        let _ = std::fs::remove_dir_all(&home);
        let terminal = Self { home, program: program.to_owned() };
        std::fs::create_dir_all(terminal.project().join(".git")).map_err(Error::other)?;
        Ok(terminal)
    }

    /// Below the home, so that the screen shows no path of this machine.
    fn project(&self) -> PathBuf {
        self.home.join("shop")
    }

    /// Writes a file of the home, and the directories above it.
    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.home.join(name);
        let parent = path.parent().unwrap_or(&self.home);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(Error::file(&path))
    }

    /// Returns the state of a person who answered the questions of the first start. The theme has the colours of the terminal.
    fn state(&self) -> serde_json::Value {
        let project = self.project().display().to_string();
        json!({
            "hasCompletedOnboarding": true,
            "theme": "dark-ansi",
            "projects": { project: { "hasTrustDialogAccepted": true, "projectOnboardingSeenCount": 9 } },
        })
    }

    /// A command in the project, with the environment of the agent.
    fn command(&self, program: &Path, model: &Model) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project()).env_clear().envs([
            ("HOME", self.home.display().to_string()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("ANTHROPIC_BASE_URL", model.base_url()),
            ("ANTHROPIC_AUTH_TOKEN", "x".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ]);
        command
    }

    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(self.home.join("tmux")).args(args);
        command
    }

    /// Starts the agent, submits the prompt, waits for the answer, and shows the whole reason.
    fn play(&self, model: &Model) -> Result<(), Error> {
        let mut start = self.command(Path::new("tmux"), model);
        start.args(["-u", "-f", "/dev/null", "-S"]).arg(self.home.join("tmux"));
        start.args(["new-session", "-d", "-s", "t", "-x", COLUMNS, "-y", ROWS]);
        start.arg(format!("'{}' --permission-mode default", self.program.display()));
        run(&mut start)?;
        self.press_until(&["C-u", PROMPT], |screen| screen.contains(PROMPT))?;
        self.press_until(&["Enter"], |screen| screen.contains(ANSWER))?;
        self.press_until(&["C-o"], |screen| screen.contains("tenterhook explain"))
    }

    /// Presses keys again and again until the screen is as expected.
    fn press_until(&self, keys: &[&str], is_expected: impl Fn(&str) -> bool) -> Result<(), Error> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            for key in keys {
                run(self.tmux(&["send-keys", "-t", "t"]).arg(key))?;
            }
            std::thread::sleep(LOOK);
            if is_expected(&self.screen(&[])?) {
                return Ok(());
            }
        }
        Err(invalid(&format!("{keys:?} did not help; the screen is\n{}", self.screen(&[])?)))
    }

    fn screen(&self, args: &[&str]) -> Result<String, Error> {
        run(self.tmux(&["capture-pane", "-p", "-t", "t"]).args(args))
    }

    /// Returns the screen from the prompt to the answer, with the sequences that colour it.
    fn part(&self) -> Result<String, Error> {
        let (plain, coloured) = (self.screen(&[])?, self.screen(&["-e"])?);
        let line_with = |text: &str| plain.lines().position(|line| line.contains(text));
        let (Some(first), Some(last)) = (line_with(PROMPT), line_with(ANSWER)) else {
            return Err(invalid(&format!("the screen has no prompt and answer:\n{plain}")));
        };
        let lines: Vec<&str> = coloured.lines().skip(first).take(last + 1 - first).collect();
        Ok(format!("\u{1b}[0m{}\u{1b}[0m\n", lines.join("\n")))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Without a session there is no server to end.
        let _ = self.tmux(&["kill-server"]).output();
    }
}

/// Runs a command to its end and returns its output.
fn run(command: &mut Command) -> Result<String, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(Error::spawn(&program))?;
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(Error::other),
        false => Err(Error::failed(program, &output.stderr)),
    }
}

fn invalid(message: &str) -> Error {
    Error::Invalid(message.to_owned())
}
