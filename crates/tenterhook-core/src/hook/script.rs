//! Which file a command or a worker starts, where its text shows that. Reads the text alone, and looks at no file.
//!
//! For findings such as "this file does not exist": it says nothing where it is not sure.

use std::path::{Path, PathBuf};

use tenterhook_shell::{self as shell, Context, DroppedExitCode, Parsed, Word, WordKind};

use super::{Command, Hook, Invocation, Run, Shell, Worker};

/// A file that a command starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The file.
    pub path: PathBuf,
    /// Whether it is started itself, so that it must be executable, and not read by an interpreter.
    pub is_program: bool,
}

/// Programs whose first file argument is what runs.
pub const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "node", "bun", "deno", "tsx", "python", "python3", "uv", "ruby",
    "perl", "php", "pwsh",
];

/// Options after which no file runs.
pub const INLINE: &[&str] = &["-c", "-e", "-m", "-p", "-r", "--eval", "--print", "-lc", "-ec"];

/// How the names of scripts end.
pub const ENDINGS: &[&str] = &[
    ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".pl", ".php",
    ".ps1",
];

/// Variables in which agents name the project.
pub const PROJECT_VARIABLES: &[&str] = &[
    "AUGMENT_PROJECT_DIR",
    "CLAUDE_PROJECT_DIR",
    "COPILOT_PROJECT_DIR",
    "CRUSH_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "DROID_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "TENTERHOOK_PROJECT_DIR",
];

/// Characters that would change how a shell reads a path that is put into its text.
const SPECIAL: &[char] = &['"', '\'', '$', '`', '\\', '\n', '*', '?', '[', ';', '&', '|', '(', ')'];

impl Hook {
    /// Returns the file that the hook starts for a `project` and a `home`; `None` if that is
    /// unknown before it runs.
    #[must_use]
    pub fn script_file(&self, project: &Path, home: &Path) -> Option<Script> {
        let (Run::Command(command) | Run::Worker(Worker { command })) = &self.run else {
            return None;
        };
        self.script_from_base(command.cwd.as_deref().unwrap_or(project), project, home)
    }

    /// Returns the programs that the hook certainly starts and that are found by name; none if that
    /// is unknown before it runs.
    #[must_use]
    pub fn certain_programs(&self, project: &Path, home: &Path) -> Vec<Program> {
        let (Run::Command(command) | Run::Worker(Worker { command })) = &self.run else {
            return Vec::new();
        };
        let text = match &command.invocation {
            Invocation::Argv { program, args } => {
                let words = literal_words(program, args);
                let program = started_program(&words)
                    .and_then(|started| started.to_named_program(false, true));
                return program.into_iter().collect();
            }
            Invocation::Shell { shell: Shell::PowerShell, .. } => return Vec::new(),
            Invocation::Shell { text, .. } => expand_known_variables(text, command, project, home),
        };
        text.map_or_else(Vec::new, |text| unconditional_programs(&text))
    }

    /// Returns the commands of the hook's line whose exit code does not reach the agent, each with the script that it
    /// starts.
    #[must_use]
    pub fn dropped_exit_codes(&self, project: &Path, home: &Path) -> Vec<DroppedScript> {
        let Run::Command(command) = &self.run else { return Vec::new() };
        let Invocation::Shell { text, shell } = &command.invocation else { return Vec::new() };
        if *shell == Shell::PowerShell {
            return Vec::new();
        }
        let Some(line) = expand_known_variables(text, command, project, home) else {
            return Vec::new();
        };
        let base = command.cwd.as_deref().unwrap_or(project);
        let mut dropped = shell::find_dropped_exit_codes(&line);
        dropped.extend(
            inner_shell_line(&line).iter().flat_map(|line| shell::find_dropped_exit_codes(line)),
        );
        let with_script = |dropped: DroppedExitCode| {
            let words = parse_single_command(&dropped.command);
            let file = words.and_then(|words| find_script_file(&words));
            let file = file.map(|(path, _)| join_path(base, &path));
            DroppedScript { file, dropped }
        };
        dropped.into_iter().map(with_script).collect()
    }

    /// Like [`Self::script_file`], for a hook that starts in the directory `base`.
    pub fn script_from_base(&self, base: &Path, project: &Path, home: &Path) -> Option<Script> {
        let (Run::Command(command) | Run::Worker(Worker { command })) = &self.run else {
            return None;
        };
        let words = match &command.invocation {
            Invocation::Argv { program, args } => literal_words(program, args),
            Invocation::Shell { shell: Shell::PowerShell, .. } => return None,
            Invocation::Shell { text, .. } => {
                parse_single_command(&expand_known_variables(text, command, project, home)?)?
            }
        };
        find_script_file(&words)
            .map(|(path, is_program)| Script { path: join_path(base, &path), is_program })
    }
}

fn literal_words(program: &String, args: &[String]) -> Vec<Word> {
    std::iter::once(program).chain(args).map(Word::literal).collect()
}

/// The program that the words of a command start, behind `env`, and its arguments.
struct Started<'a> {
    /// Its name or path.
    name: &'a str,
    args: &'a [Word],
    by_env: bool,
}

fn literal(word: &Word) -> Option<&str> {
    (word.kind == WordKind::Literal).then_some(&*word.text)
}

/// Returns what the words of a command start; `None` if they do not show it.
fn started_program(words: &[Word]) -> Option<Started<'_>> {
    let (program, args) = words.split_first()?;
    let name = literal(program)?;
    if file_name(name) != "env" {
        return Some(Started { name, args, by_env: false });
    }
    let is_setting = |word: &&Word| matches!(&*word.text, "-i" | "-S") || word.text.contains('=');
    let (program, args) = args.get(args.iter().take_while(is_setting).count()..)?.split_first()?;
    let name = literal(program).filter(|name| !name.starts_with('-'))?;
    Some(Started { name, args, by_env: true })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

impl Started<'_> {
    /// Returns `true` for an interpreter that is found by its name, or has an absolute path.
    fn is_interpreter(&self) -> bool {
        let is_found = self.name.starts_with('/') || !self.name.contains('/');
        is_found && INTERPRETERS.contains(&file_name(self.name))
    }

    /// Returns the program if it is found by its name or is an interpreter: any other path is the
    /// script itself.
    fn to_named_program(&self, by_shell: bool, is_alone: bool) -> Option<Program> {
        let is_named = self.is_interpreter() || !self.name.contains('/');
        let by_shell = by_shell || self.by_env;
        is_named.then(|| Program { name: self.name.to_owned(), by_shell, is_alone })
    }

    /// Returns the script that the interpreter reads.
    fn script_argument(&self) -> Option<&str> {
        let args = self.args;
        if !self.is_interpreter() || args.iter().any(|arg| INLINE.contains(&&*arg.text)) {
            return None;
        }
        let script =
            args.iter().find(|arg| ENDINGS.iter().any(|ending| arg.text.ends_with(ending)))?;
        // The word before it may be an option that takes a file.
        let is_first = args
            .iter()
            .take_while(|arg| *arg != script)
            .all(|arg| is_option_or_run_subcommand(&arg.text));
        literal(script).filter(|_| is_first)
    }
}

/// A program that a command finds by its name, or an interpreter by its absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name or the path.
    pub name: String,
    /// Whether a shell or `env` looks for it, and ends with 127 where it finds none.
    pub by_shell: bool,
    /// Whether the hook is this one command and nothing else, so that its end is the hook's.
    pub is_alone: bool,
}

/// A command whose exit code does not reach the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedScript {
    /// The script that it starts.
    pub file: Option<PathBuf>,
    /// The command, and what drops its exit code.
    pub dropped: DroppedExitCode,
}

/// Returns the line of `bash -c 'LINE'` if that is the whole command.
fn inner_shell_line(line: &str) -> Option<String> {
    let words = parse_single_command(line)?;
    let [program, option, inner, ..] = words.as_slice() else { return None };
    let is_shell = program.kind == WordKind::Literal && shell::is_shell_name(&program.text);
    let is_line = matches!(&*option.text, "-c" | "-lc" | "-ec") && inner.kind == WordKind::Literal;
    (is_shell && is_line).then(|| inner.text.clone())
}

/// Returns the words of a line that is a single command.
fn parse_single_command(text: &str) -> Option<Vec<Word>> {
    let line = shell::parse_line(text);
    let mut written = line.commands_as_written();
    let command = written.next().filter(|command| command.context == Context::TopLevel)?;
    let is_alone = written.next().is_none() && line.parsed == Parsed::Full;
    is_alone.then(|| command.words.to_vec())
}

/// Returns the programs that a line runs unconditionally; those in lists and bodies may depend on
/// other commands.
fn unconditional_programs(text: &str) -> Vec<Program> {
    let line = shell::parse_line(text);
    if line.parsed != Parsed::Full
        || line.commands_as_written().any(|command| command.context == Context::Function)
    {
        return Vec::new();
    }
    let is_alone = line.commands_as_written().count() == 1;
    line.commands_as_written()
        .filter(|command| matches!(command.context, Context::TopLevel | Context::Pipeline))
        .filter_map(|command| started_program(&command.words)?.to_named_program(true, is_alone))
        .collect()
}

/// A command that the text of a shell script names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptCommand {
    /// Its name, as the shell looks it up.
    pub name: String,
    /// Whether another command decides if it runs.
    pub is_conditional: bool,
}

/// Returns the commands in the text of a shell script, in its order, without those of functions and
/// those with a path; none if the text cannot be parsed.
#[must_use]
pub fn commands_of_shell_script(text: &str) -> Vec<ScriptCommand> {
    let script = shell::parse_line(text);
    if script.parsed != Parsed::Full {
        return Vec::new();
    }
    let always = [Context::TopLevel, Context::Pipeline, Context::CommandSubstitution];
    let commands =
        script.commands_as_written().filter(|command| command.context != Context::Function);
    let named = commands.filter_map(|command| {
        let word = command.words.first().filter(|word| word.kind == WordKind::Literal)?;
        let is_conditional = !always.contains(&command.context);
        Some(ScriptCommand { name: word.text.clone(), is_conditional })
    });
    named.filter(|command| !command.name.contains('/')).collect()
}

/// Replaces the variables whose values are known; `None` if a value has special characters.
pub fn expand_known_variables(
    text: &str,
    command: &Command,
    project: &Path,
    home: &Path,
) -> Option<String> {
    let mut values = vec![("HOME", home.to_str()?.to_owned())];
    let project = project.to_str()?;
    values.extend(PROJECT_VARIABLES.iter().map(|name| (*name, project.to_owned())));
    values.extend(command.env.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let mut text = text.to_owned();
    for (name, value) in &values {
        if value.is_empty() || !text.contains(name) {
            continue;
        }
        if value.contains(SPECIAL) {
            return None;
        }
        text = text.replace(&format!("${{{name}}}"), value);
        text = text.replace(&format!("${{{name}:-.}}"), value);
        text = text.replace(&format!("${name}/"), &format!("{value}/"));
        text = text.replace(&format!("\"${name}\""), &format!("\"{value}\""));
    }
    match text.strip_prefix("~/") {
        Some(rest) if !home.as_os_str().is_empty() => Some(format!("{}/{rest}", home.to_str()?)),
        _ => Some(text),
    }
}

/// Returns the script file among the words of a command, and whether it is the program itself.
fn find_script_file(words: &[Word]) -> Option<(String, bool)> {
    let started = started_program(words)?;
    match started.script_argument() {
        Some(script) => Some((script.to_owned(), false)),
        None => started.name.contains('/').then(|| (started.name.to_owned(), true)),
    }
}

/// Joins a path to the directory in which a command starts, unless it begins with a drive of
/// Windows or a variable: then the file is elsewhere.
fn join_path(base: &Path, path: &str) -> PathBuf {
    let is_drive =
        matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    if is_drive || path.starts_with('$') { PathBuf::from(path) } else { base.join(path) }
}

fn is_option_or_run_subcommand(word: &str) -> bool {
    word == "run" || word.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::hook::{HookId, Inherit};

    fn script(invocation: Invocation) -> Option<(String, bool)> {
        let env = vec![("CLAUDE_PLUGIN_ROOT".to_owned(), "/p".to_owned())];
        let command = Command { env, ..Command::new(invocation, Inherit::All) };
        let hook =
            Hook::new(HookId::new("x"), DialectId::CLAUDE, "Stop".into(), Run::Command(command));
        let found = hook.script_file(Path::new("/my work"), Path::new("/home/a"))?;
        Some((found.path.display().to_string(), found.is_program))
    }

    /// C-143.
    #[test]
    fn a_plain_command_shows_its_file_and_everything_else_shows_none() {
        for (text, expected) in [
            ("\"$CLAUDE_PROJECT_DIR\"/guard.sh x", Some(("/my work/guard.sh", true))),
            ("\"${CLAUDE_PROJECT_DIR}/guard.sh\"", Some(("/my work/guard.sh", true))),
            ("\"$FACTORY_PROJECT_DIR\"/guard.sh", Some(("/my work/guard.sh", true))),
            ("A=1 ./guard", Some(("/my work/./guard", true))),
            ("python3 -u \"${CLAUDE_PLUGIN_ROOT}/a.py\" b.py", Some(("/p/a.py", false))),
            ("uv run --script tools/a.py", Some(("/my work/tools/a.py", false))),
            ("/usr/bin/python3 -u a.py", Some(("/my work/a.py", false))),
            ("/usr/bin/env python3 a.py", Some(("/my work/a.py", false))),
            ("env -i A=1 ./guard", Some(("/my work/./guard", true))),
            ("/bin/bash -c 'x.sh'", Some(("/bin/bash", true))),
            ("venv/bin/python a.py", Some(("/my work/venv/bin/python", true))),
            ("env python3 -c x.py", None),
            ("env -u A x.py", None),
            ("~/guard.sh", Some(("/home/a/guard.sh", true))),
            ("jq -r .x", None),
            ("bash -c 'x.sh'", None),
            ("node --require a.js b.js", Some(("/my work/a.js", false))),
            ("./a && ./b", None),
            ("[ -x ./a ] && ./a", None),
            ("$UNKNOWN/a.sh", None),
            ("cat x.sh", None),
            ("((", None),
        ] {
            let invocation = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
            let expected = expected.map(|(path, is)| (path.to_owned(), is));
            assert_eq!(script(invocation), expected, "{text}");
        }
        let argv = Invocation::Argv { program: "node".into(), args: vec!["/a b/x.mjs".into()] };
        assert_eq!(script(argv), Some(("/a b/x.mjs".to_owned(), false)));
    }

    #[test]
    fn project_variables_of_every_dialect_are_known() {
        for dialect in crate::dialect::DIALECTS {
            for name in dialect.project_variables() {
                assert!(PROJECT_VARIABLES.contains(name), "{name}");
            }
        }
    }

    #[test]
    fn a_worker_shows_its_file_too() {
        let argv = Invocation::Argv { program: "python3".into(), args: vec!["w.py".into()] };
        let run = Run::Worker(Worker { command: Command::new(argv, Inherit::All) });
        let hook = Hook::new(HookId::new("x"), DialectId::NATIVE, "Stop".into(), run);
        let found = hook.script_file(Path::new("/p"), Path::new("/h")).unwrap();
        assert_eq!((found.path, found.is_program), ("/p/w.py".into(), false));
    }
}
