//! Can the interpreter of a script parse it? Lets the interpreter parse the text and run nothing of it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenterhook::internal::{discover, executor::script_interpreter, executor::shebang_text};
use tenterhook_core::config::{Ruleset, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic};
use tenterhook_core::hook::{Arming, Command, Hook, Invocation, Run, Script};
use tenterhook_process::{self as process, Cancel, End, run_blocking};

use super::Missing;
use super::consequence::{Consequence, Ending, consequence_of_ending};
use super::interpreter::EnvShebang;
use super::programs::Path as SearchPath;

/// An interpreter that can parse a script without running it.
struct Parser {
    names: &'static [&'static str],
    arguments: &'static [&'static str],
    /// Whether it gets the path of the script, whose name and directory decide how it is read;
    /// otherwise the text arrives on its standard input.
    takes_path: bool,
    /// Whether it reads the CR of Windows line ends as part of a command.
    keeps_carriage_returns: bool,
    /// The exit code with which the interpreter ends when it runs a script with an error.
    code: i32,
    /// Texts of scripts that change the grammar.
    grammar: &'static [&'static str],
}

/// Shells keep their own rules on `-n`; `-I` keeps Python from reading the directory and the environment.
const PARSERS: &[Parser] = &[
    Parser {
        names: &["sh", "bash", "dash"],
        arguments: &["-n"],
        takes_path: false,
        keeps_carriage_returns: true,
        code: 2,
        grammar: &["extglob", "alias"],
    },
    Parser {
        names: &["python", "python3"],
        arguments: &["-I", "-S", "-c", PYTHON],
        takes_path: false,
        keeps_carriage_returns: false,
        code: 1,
        grammar: &[],
    },
    Parser {
        names: &["node"],
        arguments: &["--check"],
        takes_path: true,
        keeps_carriage_returns: false,
        code: 1,
        grammar: &[],
    },
];

const PYTHON: &str = "import ast, sys\ntry: ast.parse(sys.stdin.buffer.read())\n\
     except SyntaxError as e: sys.exit(f'line {e.lineno}: {e.msg}')";

/// Longest that one script, and all of them, may take.
const LONGEST: Duration = Duration::from_secs(2);
const LONGEST_OF_ALL: Duration = Duration::from_secs(10);

/// Finds each hook whose script its interpreter cannot parse (C-136).
pub(crate) fn find_unparsable_scripts(
    ruleset: &Ruleset,
    sources: &[Source],
    env: &[(String, String)],
) -> Vec<Missing> {
    let end = Instant::now() + LONGEST_OF_ALL;
    let mut parsed: HashMap<(PathBuf, PathBuf), Option<String>> = HashMap::new();
    let armed = ruleset.hooks().iter().filter(|hook| hook.arming == Arming::Armed);
    let check = |hook: &Arc<Hook>| {
        let place = hook.place.as_ref()?;
        let source = sources.iter().find(|source| source.name == place.file)?;
        let script = hook.script_file(&source.project, &source.home)?;
        let name = interpreter_name(hook, &script, source)?;
        if name == "node" && !is_plain_javascript(hook, &script) {
            return None;
        }
        let parser = PARSERS.iter().find(|parser| parser.names.contains(&name.as_str()))?;
        let program = SearchPath::from_env(env).find_file(&name)?;
        // A program of the project would run because somebody checks the project.
        if is_program_inside_project(&program, &source.project) || Instant::now() > end {
            return None;
        }
        let key = (program.clone(), script.path.clone());
        let error =
            parsed.entry(key).or_insert_with(|| parse_script(parser, &program, &script.path));
        let ending = Ending::with_exit_code(parser.code, &name);
        let consequence = consequence_of_ending(ruleset, hook, ending);
        Some(Missing {
            diagnostic: unparsable_script_finding(
                hook,
                &script,
                &name,
                error.as_ref()?,
                parser,
                consequence,
            ),
            consequence: Some(consequence),
            hook: Some(hook.id.clone()),
        })
    };
    armed.filter_map(check).collect()
}

fn unparsable_script_finding(
    hook: &Hook,
    script: &Script,
    name: &str,
    error: &str,
    parser: &Parser,
    consequence: Consequence,
) -> Diagnostic {
    let label = consequence.label();
    let message = format!("`{}` has a syntax error: {error}", script.path.display());
    let help = format!("correct it: `{name}` ends with exit code {}, which {label}", parser.code);
    Diagnostic::new(Code::ScriptSyntax, message, hook.place.clone()).label(label).help(help)
}

/// Returns `true` if Node reads the script by its own rules: no option on the line, such as a
/// loader, and no other language changes how.
fn is_plain_javascript(hook: &Hook, script: &Script) -> bool {
    let extension = script.path.extension().and_then(|extension| extension.to_str());
    let has_option = match &hook.run {
        Run::Command(Command { invocation: Invocation::Shell { text, .. }, .. }) => {
            text.contains("node -") || text.contains("NODE_OPTIONS")
        }
        _ => true,
    };
    !has_option && matches!(extension, Some("js" | "mjs" | "cjs"))
}

/// Returns the name of the program that reads the script.
pub(super) fn interpreter_name(hook: &Hook, script: &Script, source: &Source) -> Option<String> {
    if !script.is_program {
        let programs = hook.certain_programs(&source.project, &source.home);
        return programs.into_iter().next().filter(|program| program.is_alone).map(|p| p.name);
    }
    let line = shebang_text(&script.path)?;
    match EnvShebang::parse(&line) {
        Some(env) => Some(env.program),
        None => {
            let interpreter = script_interpreter(&script.path)?;
            Path::new(&interpreter).file_name()?.to_str().map(str::to_owned)
        }
    }
}

fn is_program_inside_project(program: &Path, project: &Path) -> bool {
    let (program, project) = (program.canonicalize(), project.canonicalize());
    program.is_ok_and(|program| project.is_ok_and(|project| program.starts_with(project)))
}

/// Returns the first error that the interpreter reports for the text of a script.
fn parse_script(parser: &Parser, program: &Path, script: &Path) -> Option<String> {
    let text = discover::read_config_file(script).ok()?;
    if parser.grammar.iter().any(|word| text.contains(word)) {
        return None;
    }
    if parser.keeps_carriage_returns && has_windows_line_ends(&text) {
        return Some("its lines end with CR LF; save it with the line ends of Unix".to_owned());
    }
    let arguments = parser.arguments.iter().map(OsStr::new);
    let path = parser.takes_path.then_some(script.as_os_str());
    let mut command = process::Command::new(program, arguments.chain(path), "/");
    command.stdin = Arc::from(if parser.takes_path { &[] } else { text.as_bytes() });
    command.timeout = Some(LONGEST);
    let report = run_blocking(command, &Cancel::new());
    let errors = String::from_utf8_lossy(&report.stderr.bytes).into_owned();
    let first = errors.lines().find(|line| !line.trim().is_empty())?;
    if !matches!(report.end, End::Exited(code) if code != 0) {
        return None;
    }
    match parser.takes_path {
        true => node_syntax_error(&errors),
        false => Some(strip_interpreter_name(program, first)),
    }
}

/// Returns `true` if a shell script was saved with the line ends of Windows.
fn has_windows_line_ends(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && text.matches("\r\n").count() == ends
}

/// Returns the line and the message of a syntax error that Node reports: `FILE:LINE`, the line, and
/// the error further below. Any other error says nothing about the text.
fn node_syntax_error(errors: &str) -> Option<String> {
    let mut lines = errors.lines();
    let (_, line) = lines.next()?.rsplit_once(':')?;
    let error = lines.find_map(|line| line.strip_prefix("SyntaxError: "))?;
    line.parse::<u32>().is_ok().then(|| format!("line {line}: {error}"))
}

/// Removes the name of the interpreter from its message: `line 3: syntax error ...`.
fn strip_interpreter_name(program: &Path, message: &str) -> String {
    let name = program.display().to_string();
    let message = message.strip_prefix(&name).unwrap_or(message);
    let message = message.trim_start_matches([':', ' ']);
    // Some shells print only the number of the line.
    match message.split_once(": ") {
        Some((line, error)) if line.parse::<u32>().is_ok() => format!("line {line}: {error}"),
        _ => message.to_owned(),
    }
}
