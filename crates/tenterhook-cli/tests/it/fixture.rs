//! A fixture for one test: home, project and environment; and the output of the program, fit for a snapshot.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tenterhook::trust::{Origin, State, Trust};
use tenterhook_core::agents::agents_with_hook_installation;
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::Layer;

/// Returns the names of the agents into which `install` can write hooks.
pub(crate) fn installable_agents() -> Vec<&'static str> {
    agents_with_hook_installation().map(|agent| agent.name).collect()
}

/// A temporary home and project.
pub(crate) struct Fixture {
    directory: TempDir,
    /// Whether the user approves what lies in the project before each run.
    approves: bool,
}

/// What a run said.
pub(crate) struct CliOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        for name in ["home", "project"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        Self { directory, approves: true }
    }

    /// The same, whose user approved nothing.
    pub(crate) fn unapproved(self) -> Self {
        Self { approves: false, ..self }
    }

    /// Approves the content of a directory of the fixture.
    pub(crate) fn approve(&self, directory: &str) {
        let cwd = self.path(directory);
        let repository =
            cwd.ancestors().find(|ancestor| ancestor.join(".git").exists()).map(Path::to_owned);
        let roots = Roots { repository, home: self.path("home"), cwd, ..Roots::default() };
        let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
        let trust = Trust::at(self.path("home/.local/state/tenterhook")).within(&[path]);
        for source in trust.find(&roots).sources {
            let review = trust.review(&source);
            // The home belongs to the user of the program, who may differ from the user of the test.
            let is_settled = Trust::origin(&source) == Origin::Own || source.layer == Layer::User;
            if !is_settled && review.state != State::Approved {
                // Where the state belongs to somebody else by now, what they said stands.
                let _ = trust.approve(&review);
            }
        }
    }

    /// A fixture with one Claude Code settings file in its project.
    pub(crate) fn with_settings(settings: &str) -> Self {
        let fixture = Self::new();
        fixture.write("project/.claude/settings.json", settings);
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs the program in the project, with this on standard input.
    pub(crate) fn run(&self, args: &[&str], stdin: &str) -> CliOutput {
        self.run_in("project", args, stdin)
    }

    pub(crate) fn run_in(&self, directory: &str, args: &[&str], stdin: &str) -> CliOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(args).env("PATH", "/usr/bin:/bin");
        self.run_command(command, directory, stdin)
    }

    /// The same with another file of the program.
    pub(crate) fn run_program(&self, program: &Path, args: &[&str], stdin: &str) -> CliOutput {
        let mut command = Command::new(program);
        command.args(args).env("PATH", "/usr/bin:/bin");
        self.run_command(command, "project", stdin)
    }

    /// Runs a line of shell in which `tenterhook` is the program.
    pub(crate) fn shell(&self, line: &str) -> CliOutput {
        let program = Path::new(env!("CARGO_BIN_EXE_tenterhook"));
        let directory = program.parent().unwrap().display();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).env("PATH", format!("{directory}:/usr/bin:/bin"));
        self.run_command(command, "project", "")
    }

    /// Removes the notes about calling agents, of which this test is one once it has called a hook:
    /// what runs next is the user's, beside the agent.
    pub(crate) fn forget_agents(&self) {
        let noted = self.path("home/.local/state/tenterhook/agents");
        if noted.exists() {
            fs::remove_dir_all(noted).unwrap();
        }
    }

    /// Runs the program in the project with a terminal for its standard input.
    #[cfg(target_os = "linux")]
    pub(crate) fn at_terminal(&self, args: &[&str]) -> CliOutput {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenterhook"));
        command.args(args).env("PATH", "/usr/bin:/bin");
        self.say_from(command, "project", Path::new(name.to_str().unwrap()))
    }

    fn run_command(&self, command: Command, directory: &str, stdin: &str) -> CliOutput {
        if self.approves {
            self.approve(directory);
        }
        let input = self.path("stdin");
        fs::write(&input, stdin).unwrap();
        self.say_from(command, directory, &input)
    }

    fn say_from(&self, mut command: Command, directory: &str, input: &Path) -> CliOutput {
        let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap();
        let path = path.to_owned();
        let output = command
            .current_dir(self.path(directory))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("home"))
            .stdin(Stdio::from(fs::File::open(input).unwrap()))
            .output()
            .unwrap();
        CliOutput {
            code: output.status.code().unwrap_or(-1),
            stdout: self.filter(&String::from_utf8(output.stdout).unwrap()),
            stderr: self.filter(&String::from_utf8(output.stderr).unwrap()),
        }
    }

    /// Runs a program of this fixture in the project as a user to whom file modes apply: root becomes another user.
    #[cfg(unix)]
    pub(crate) fn say_as_a_normal_user(&self, mut command: Command, stdin: &str) -> CliOutput {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        use std::os::unix::process::CommandExt;
        const NOBODY: u32 = 65534;
        let root = self.directory.path();
        if root.metadata().unwrap().uid() == 0 {
            fs::set_permissions(root, fs::Permissions::from_mode(0o755)).unwrap();
            self.approve("project");
            let mut all = vec![self.path("home")];
            while let Some(path) = all.pop() {
                chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
                if path.is_dir() {
                    all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                }
            }
            command.uid(NOBODY).gid(NOBODY);
        }
        self.run_command(command, "project", stdin)
    }

    /// The same, for a run that prints JSON and must end with `code`.
    pub(crate) fn json(&self, args: &[&str], stdin: &str, code: i32) -> Value {
        let output = self.run(args, stdin);
        assert_eq!(output.code, code, "{}\n{}", output.stdout, output.stderr);
        serde_json::from_str(&output.stdout).unwrap()
    }

    pub(crate) fn filter(&self, text: &str) -> String {
        let fixture = self.directory.path().to_str().unwrap();
        without_times(&text.replace(fixture, "[FIXTURE]"))
    }
}

impl CliOutput {
    /// The whole output, with its exit code.
    pub(crate) fn all(&self) -> String {
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Replaces `12.3 ms` and the blanks before it, which depend on how long the number is.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" ms") {
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if number.len() == before.len() {
            out.push_str(before);
            out.push_str(" ms");
        } else {
            out.push_str(number.trim_end_matches(' '));
            out.push_str(" [TIME]");
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Asserts that `value` has the form that `tenterhook schema NAME` prints.
pub(crate) fn fits_schema(name: &str, value: &Value) {
    let output = Fixture::new().run(&["schema", name], "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let mut schema: Value = serde_json::from_str(&output.stdout).unwrap();
    tenterhook_testkit::schema::close_objects(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{}\n{value:#}", wrong.join("\n"));
}

/// The directory of the repository's examples.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Puts a program in a place from which it is started. Another process writes it: what this one has open for writing, a test
/// beside this one hands to the process that it is just starting, and such a file cannot be started.
pub(crate) fn install(from: &Path, to: &Path) {
    let mut command = Command::new("install");
    let done = command.args(["-m", "755"]).args([from, to]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Copies a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
