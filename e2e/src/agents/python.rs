//! Gets pinned agents from PyPI, each into a separate virtual environment. Runs none of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tenterhook_probe::Agent;

/// The interpreters to try, the newest first.
const INTERPRETERS: &[&str] = &["python3.13", "python3.12", "python3"];
/// A file in an environment that is whole: one cannot be renamed, as its scripts name its path.
const WHOLE: &str = "tenterhook-whole";
/// Prints what a package requires, one a line.
const REQUIREMENTS: &str = "import importlib.metadata as m, sys
print('\\n'.join(r for r in m.requires(sys.argv[1]) or [] if 'extra ==' not in r))";

/// Returns the program of an agent, installed where it is not there yet.
pub(super) fn installed_program(
    agent: &Agent,
    package: &str,
    cache: &Path,
) -> Result<PathBuf, String> {
    let folder = cache.join(format!("{package}-{}", agent.version));
    let program = folder.join("bin").join(agent.program);
    if folder.join(WHOLE).is_file() && program.is_file() {
        return Ok(program);
    }
    let _ = fs::remove_dir_all(&folder);
    create_environment(&folder)?;
    // A package may pin a version that is gone, so what it requires is installed by a list.
    install(&folder, &["--no-deps".to_owned(), format!("{package}=={}", agent.version)])?;
    let python = folder.join("bin/python");
    let required = run(Command::new(&python).args(["-c", REQUIREMENTS, package]))?;
    let required = String::from_utf8_lossy(&required.stdout).into_owned();
    let list = folder.join("requirements.txt");
    write_file(&list, &replace_requirements(&required, agent.beside))?;
    install(&folder, &["-r".to_owned(), list.display().to_string()])?;
    write_file(&folder.join(WHOLE), "")?;
    match program.is_file() {
        true => Ok(program),
        false => Err(format!("there is no `{}` in {}", agent.program, folder.display())),
    }
}

fn create_environment(folder: &Path) -> Result<(), String> {
    let mut why = String::new();
    for interpreter in INTERPRETERS {
        match run(Command::new(interpreter).args(["-m", "venv"]).arg(folder)) {
            Ok(_) => return Ok(()),
            Err(error) => {
                let _ = write!(why, "{interpreter}: {error}; ");
            }
        }
    }
    Err(format!("no virtual environment can be made: {why}"))
}

fn install(folder: &Path, args: &[String]) -> Result<(), String> {
    let python = folder.join("bin/python");
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(args);
    run(&mut command).map(drop).map_err(|error| format!("pip does not install it: {error}"))
}

/// Returns the requirements, with each of `others` in place of the one of the same name.
fn replace_requirements(required: &str, others: &[&str]) -> String {
    let name_of = |line: &str| -> String {
        line.chars().take_while(|char| char.is_alphanumeric() || "-_.".contains(*char)).collect()
    };
    let mut text = String::new();
    for line in required.lines() {
        let other = others.iter().find(|other| name_of(other) == name_of(line));
        let _ = writeln!(text, "{}", other.unwrap_or(&line));
    }
    text
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let line = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(line.to_owned())
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
