//! The fixture of one play: a home, a project, a private tmux server, and the agent in it. Conditions are awaited by reading the
//! screen again and again until a deadline; nothing sleeps for a guessed time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tenterhook_testkit::Sandbox;

use crate::approve::approve;

/// How long something may take that should come at once: only a broken program, or a machine on its knees, needs it.
const PATIENCE: Duration = Duration::from_secs(40);
/// The text on the screen when a session in the project has begun.
const READY: &str = " works in ~/notes.";
/// How long between two looks.
const LOOK: Duration = Duration::from_millis(15);

/// A home and a project. In the home, so that the screen can say `~`.
#[derive(Debug)]
pub(crate) struct Fixture {
    sandbox: Sandbox,
    program: PathBuf,
    /// More variables for the agent.
    pub(crate) env: Vec<(&'static str, &'static str)>,
}

/// The agent in a terminal.
#[derive(Debug)]
pub(crate) struct Terminal<'a> {
    fixture: &'a Fixture,
    socket: PathBuf,
}

impl Fixture {
    pub(crate) fn new(program: &Path, hooks: &str, script: &str) -> Result<Self, String> {
        let sandbox = Sandbox::new().map_err(|error| error.to_string())?;
        let fixture = Self { sandbox, program: program.to_owned(), env: Vec::new() };
        fixture.write("tenterhook.toml", hooks)?;
        fixture.write("script.toml", script)?;
        // Its hooks write down what they hear, so that their person left them all rights.
        let rights = "[source.\"~/notes/tenterhook.toml\"]\nsandbox = \"off\"\n";
        let own = fixture.sandbox.write("~/.config/tenterhook/tenterhook.toml", rights);
        own.map_err(|error| error.to_string())?;
        Ok(fixture)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.sandbox.home().join("notes")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let written = self.sandbox.write(&format!("~/notes/{name}"), text);
        written.map(drop).map_err(|error| format!("{name}: {error}"))
    }

    /// Writes a file of the home.
    pub(crate) fn write_in_home(&self, name: &str, text: &str) -> Result<(), String> {
        let written = self.sandbox.write(&format!("~/{name}"), text);
        written.map(drop).map_err(|error| format!("{name}: {error}"))
    }

    /// The text of a file of the project; empty if the file does not exist.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap_or_default()
    }

    /// Makes the project a repository with one file.
    pub(crate) fn repository(&self) -> Result<(), String> {
        self.write("a.txt", "content of a")?;
        for args in [
            &["init", "-q"][..],
            &["add", "a.txt"],
            &["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"],
        ] {
            let mut git = Command::new("git");
            git.args(args).current_dir(self.project());
            done_in(git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.sandbox.home()))?;
        }
        Ok(())
    }

    /// The events that hooks have stored, each in a separate file.
    pub(crate) fn events(&self) -> Result<Vec<String>, String> {
        let directory = self.sandbox.home().join("events");
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some());
        files.map(|file| std::fs::read_to_string(file).map_err(|error| error.to_string())).collect()
    }

    /// The environment of the agent, and the words that start it; nothing of ours passes.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--model", "scripted:script.toml"]).args(args);
        command.current_dir(self.project()).env_clear().envs(self.sandbox.env());
        command.envs(self.env.iter().copied()).env("TERM", "tmux-256color");
        command
    }

    /// The person looked at the hooks of the project as they are now, and said yes.
    pub(crate) fn approve(&self) -> Result<(), String> {
        approve(&self.program.with_file_name("tenterhook"), &self.project(), &self.sandbox.env())
    }

    /// Starts the agent in a terminal of this size. What runs round it tells how it was left, and in which state.
    pub(crate) fn start(&self, size: (u16, u16), args: &[&str]) -> Result<Terminal<'_>, String> {
        self.start_until(size, args, READY)
    }

    /// The same, ready when these words are seen.
    pub(crate) fn start_until(
        &self,
        (columns, rows): (u16, u16),
        args: &[&str],
        ready: &str,
    ) -> Result<Terminal<'_>, String> {
        self.approve()?;
        let agent = self.command(args);
        let words = std::iter::once(agent.get_program()).chain(agent.get_args());
        let words: Vec<_> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
        let script = format!(
            "#!/bin/sh\nset -m\nstty -a >before\nsh -c 'echo $$ >pid; exec \"$@\"' sh {}\ncode=$?\n\
             while test $code = 148; do echo 'put aside'; read go; fg >/dev/null; code=$?; done\nstty -a >after\n\
             echo \"left with $code\"\nexec sleep 1000\n",
            words.join(" ")
        );
        self.write("run.sh", &script)?;
        let socket = self.sandbox.scripts().join("tmux");
        let terminal = Terminal { fixture: self, socket };
        let mut tmux = terminal.tmux(&["new-session", "-d", "-s", "t"]);
        tmux.args(["-x", &columns.to_string(), "-y", &rows.to_string(), "sh run.sh"]);
        tmux.current_dir(self.project()).env_clear();
        for (name, value) in agent.get_envs() {
            if let Some(value) = value {
                tmux.env(name, value);
            }
        }
        done(tmux)?;
        done(terminal.tmux(&["set-option", "-g", "remain-on-exit", "on"]))?;
        terminal.see(ready)?;
        Ok(terminal)
    }
}

impl Terminal<'_> {
    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(&self.socket).args(args);
        command
    }

    /// Types a text.
    pub(crate) fn types(&self, text: &str) -> Result<(), String> {
        done(self.tmux(&["send-keys", "-t", "t", "-l", "--", text])).map(drop)
    }

    /// Presses a key: `Enter`, `Escape`, `C-c`.
    pub(crate) fn press(&self, key: &str) -> Result<(), String> {
        done(self.tmux(&["send-keys", "-t", "t", key])).map(drop)
    }

    /// Types a text and sends it.
    pub(crate) fn submit(&self, text: &str) -> Result<(), String> {
        self.types(text)?;
        self.press("Enter")
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&self, (columns, rows): (u16, u16)) -> Result<(), String> {
        let (x, y) = (columns.to_string(), rows.to_string());
        done(self.tmux(&["resize-window", "-t", "t", "-x", &x, "-y", &y])).map(drop)
    }

    /// What tmux knows of the terminal.
    pub(crate) fn knows(&self, what: &str) -> Result<String, String> {
        let format = format!("#{{{what}}}");
        done(self.tmux(&["display-message", "-p", "-t", "t", &format]))
            .map(|text| text.trim().to_owned())
    }

    /// Takes the terminal away.
    pub(crate) fn kill(&self) -> Result<(), String> {
        done(self.tmux(&["kill-session", "-t", "t"])).map(drop)
    }

    /// The screen as text.
    pub(crate) fn screen(&self) -> Result<String, String> {
        done(self.tmux(&["capture-pane", "-p", "-t", "t"]))
    }

    /// The screen with the sequences that draw it.
    pub(crate) fn drawn(&self) -> Result<String, String> {
        done(self.tmux(&["capture-pane", "-p", "-e", "-t", "t"]))
    }

    /// Waits until the screen holds this text; the screen.
    pub(crate) fn see(&self, text: &str) -> Result<String, String> {
        self.until(&format!("`{text}`"), |screen| screen.contains(text))
    }

    /// Waits until this holds of the screen; the screen.
    pub(crate) fn until(&self, what: &str, is: impl Fn(&str) -> bool) -> Result<String, String> {
        let mut seen = String::new();
        awaited(|| {
            seen = self.screen()?;
            Ok(is(&seen))
        })
        .map_err(|why| format!("{what} is not seen{why}; the screen was\n{seen}"))?;
        Ok(seen)
    }

    /// Waits for a file of the project; its text.
    pub(crate) fn until_file(&self, name: &str) -> Result<String, String> {
        awaited(|| Ok(!self.fixture.text(name).is_empty())).map_err(|why| {
            format!("`{name}` is not written{why}\n{}", self.screen().unwrap_or_default())
        })?;
        Ok(self.fixture.text(name))
    }

    /// The process of the agent.
    pub(crate) fn pid(&self) -> Result<String, String> {
        self.until_file("pid").map(|file| file.trim().to_owned())
    }

    /// Sends the agent a signal.
    pub(crate) fn signal(&self, name: &str) -> Result<(), String> {
        let mut kill = Command::new("kill");
        kill.args(["-s", name, &self.pid()?]);
        done(kill).map(drop)
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // Where the play ended it already, there is nothing to end.
        let _ = self.tmux(&["kill-server"]).output();
    }
}

/// Looks until this holds.
pub(crate) fn awaited(mut holds: impl FnMut() -> Result<bool, String>) -> Result<(), String> {
    let until = Instant::now() + PATIENCE;
    loop {
        match holds() {
            Ok(true) => return Ok(()),
            Ok(false) if Instant::now() < until => std::thread::sleep(LOOK),
            Ok(false) => return Err(String::new()),
            Err(why) => return Err(format!(" ({why})")),
        }
    }
}

/// Whether a process is there, and no zombie.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Runs a command to its end; what it printed.
fn done(mut command: Command) -> Result<String, String> {
    done_in(&mut command)
}

fn done_in(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
