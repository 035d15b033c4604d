//! Plays the blocks of a page, one after the other, in one playground: what one leaves behind, the next one finds.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Block, Note, blocks, commands};
use crate::Sandbox;

/// Where a page is played, and with what.
#[derive(Debug)]
pub struct Playground {
    sandbox: Sandbox,
    /// The directory of the program that the page is about.
    programs: PathBuf,
    /// The programs beside it that are there for certain.
    has: Vec<String>,
}

/// What came of a page.
#[derive(Debug, Default)]
pub struct Played {
    /// How many blocks were run or compared.
    pub run: usize,
    /// Those that were not, with the reason: their line, and why.
    pub left: Vec<(usize, String)>,
    /// What was not as the page says.
    pub wrong: Vec<String>,
}

/// Why a block does not do what its page says.
#[derive(Debug, thiserror::Error)]
enum PlayError {
    #[error("`sh` cannot be run: {0}")]
    Shell(#[source] io::Error),
    #[error("{name}: {source}")]
    Write { name: String, source: io::Error },
    #[error("`tenterhook` ended with {code}:\n{output}")]
    ExitCode { code: String, output: String },
    #[error("a program or a file is missing: {stderr}")]
    Missing { stderr: String },
    #[error("a block with commands is neither played nor says why")]
    Unexplained,
    #[error("$ {command}\n--- the page says\n{expected}\n--- it prints\n{printed}\n{stderr}")]
    Differs { command: String, expected: String, printed: String, stderr: String },
}

/// Exit codes of the program that a page may run into without saying so: proceed, blocked, ask.
const FINE: &[&str] = &["0", "2", "3"];

impl Playground {
    /// An empty project in which `programs` come first on the path.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new(programs: &Path, has: &[&str]) -> io::Result<Self> {
        let sandbox = Sandbox::new()?;
        sandbox.write(".git/HEAD", "ref: refs/heads/main\n")?;
        std::fs::create_dir_all(sandbox.project().with_file_name("new").join(".git"))?;
        let has = has.iter().map(|&text| text.to_owned()).collect();
        Ok(Self { sandbox, programs: programs.to_owned(), has })
    }

    /// Its project.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.sandbox.project()
    }

    /// Writes a file of the project; `~/` stands for the home.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.sandbox.write(name, text)?;
        if text.starts_with("#!") { install(&path) } else { Ok(()) }
    }

    /// A function of the program's name, which notes how each run of it ended.
    fn noting(&self) -> String {
        let real = self.programs.join("tenterhook");
        let codes = self.codes();
        format!(
            "tenterhook() {{ '{}' \"$@\"; set -- $?; echo $1 >>'{}'; return $1; }}\n",
            real.display(),
            codes.display()
        )
    }

    fn codes(&self) -> PathBuf {
        self.sandbox.scripts().join("codes")
    }

    /// Says yes to the hooks of a directory's project, as a reader does who has looked at them.
    fn approve(&self, directory: &str) -> Result<(), PlayError> {
        let all = "for it in $(tenterhook trust status | grep -oE '[0-9a-f]{64}'); do tenterhook trust --yes $it; done";
        self.run(all, directory).map(drop)
    }

    /// Runs lines of shell; what they print, what they complain of, and how the program ended each time.
    fn run(&self, text: &str, directory: &str) -> Result<(String, String, Vec<String>), PlayError> {
        let _ = std::fs::remove_file(self.codes());
        let path = format!(
            "{}:{}:/usr/local/bin:/usr/bin:/bin",
            self.sandbox.scripts().display(),
            self.programs.display()
        );
        let output = Command::new("/bin/sh")
            .args(["-c", &(self.noting() + text)])
            .current_dir(self.project().join(directory))
            .env_clear()
            .envs(self.sandbox.env())
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()
            .map_err(PlayError::Shell)?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let codes = std::fs::read_to_string(self.codes()).unwrap_or_default();
        Ok((said(&output.stdout), said(&output.stderr), codes.lines().map(str::to_owned).collect()))
    }
}

/// Plays a page.
#[must_use]
pub fn play(page: &str, playground: &Playground) -> Played {
    let mut played = Played::default();
    for block in blocks(page) {
        match one(&block, playground) {
            Ok(Did::Run) => played.run += 1,
            Ok(Did::Left(why)) => played.left.push((block.line, why)),
            Ok(Did::Nothing) => {}
            Err(why) => played.wrong.push(format!("line {}: {why}", block.line)),
        }
    }
    played
}

enum Did {
    Run,
    Left(String),
    Nothing,
}

fn one(block: &Block, playground: &Playground) -> Result<Did, PlayError> {
    let (mut directory, mut fine, mut approves) = ("", FINE.to_vec(), true);
    for note in &block.notes {
        match note {
            Note::NotRun(why) => return Ok(Did::Left(why.clone())),
            Note::Needs(program) if !playground.has.contains(program) => {
                return Ok(Did::Left(format!("needs {program}")));
            }
            Note::Needs(_) => {}
            Note::Unapproved(_) => approves = false,
            Note::File(name) => {
                playground
                    .write(name, &block.text)
                    .map_err(|source| PlayError::Write { name: name.clone(), source })?;
                return Ok(Did::Nothing);
            }
            Note::OutputOf(command) => {
                playground.approve("")?;
                return output_of(command, &block.text, playground);
            }
            Note::In(name) => directory = name,
            Note::EndsWith(code) => fine.push(code),
        }
    }
    if approves {
        playground.approve(directory)?;
    }
    match block.info.as_str() {
        "console" => console(block, directory, playground),
        "sh" => {
            let (stdout, stderr, codes) = playground.run(&block.text, directory)?;
            let bad = codes.iter().find(|code| !fine.contains(&code.as_str()));
            let lost =
                stderr.contains(": not found") || stderr.contains("No such file or directory");
            match bad {
                Some(code) => {
                    Err(PlayError::ExitCode { code: code.clone(), output: stdout + &stderr })
                }
                None if lost => Err(PlayError::Missing { stderr }),
                None => Ok(Did::Run),
            }
        }
        // What looks like commands and their output is played, or says why not.
        _ if block.text.starts_with("$ ") => Err(PlayError::Unexplained),
        _ => Ok(Did::Nothing),
    }
}

/// Whether each command prints the text under it.
fn console(block: &Block, directory: &str, playground: &Playground) -> Result<Did, PlayError> {
    for (command, expected) in commands(&block.text) {
        let (stdout, stderr, _) = playground.run(&command, directory)?;
        let (printed, expected) = (plain(&stdout), plain(&expected));
        if printed != expected {
            return Err(PlayError::Differs { command, expected, printed, stderr });
        }
    }
    Ok(Did::Run)
}

/// Whether a text is a part of what a command prints; a line of `...` stands for any other lines.
fn output_of(command: &str, text: &str, playground: &Playground) -> Result<Did, PlayError> {
    let (stdout, stderr, _) = playground.run(command, "")?;
    let (printed, expected) = (plain(&stdout), plain(text));
    let mut rest = printed.as_str();
    let mut next = |part: &str| {
        let found = rest.find(part.trim_matches('\n'))?;
        rest = rest.get(found..)?;
        Some(())
    };
    match expected.split("\n...\n").all(|part| next(part).is_some()) {
        true => Ok(Did::Run),
        false => Err(PlayError::Differs { command: command.to_owned(), expected, printed, stderr }),
    }
}

/// A text without what differs from run to run: how long something took, with the blanks before it, and the seconds at which
/// a line of the demo begins.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" ms") {
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_time = number.len() < before.len();
        out.push_str(if is_time { number.trim_end_matches(' ') } else { before });
        out.push_str(if is_time { " TIME" } else { " ms" });
        rest = after;
    }
    out.push_str(rest);
    let line = |line: &str| {
        let seconds =
            line.strip_prefix(' ').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let line = seconds
            .map_or(line, |text| text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
        line.trim_end().to_owned()
    };
    out.lines().map(line).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Makes a file a program. Another process writes it: what this one has open for writing, a test beside it hands to the process
/// that it is just starting, and such a file cannot be started.
fn install(path: &Path) -> io::Result<()> {
    let text = path.with_extension("text");
    std::fs::rename(path, &text)?;
    let done = Command::new("install").args(["-m", "755"]).args([&text, path]).status()?;
    std::fs::remove_file(text)?;
    if done.success() { Ok(()) } else { Err(io::Error::other("`install` failed")) }
}
