//! Does the text of a script fit the machine and the agent? Looks for words of Bash that another
//! `sh` lacks, for programs that are missing, and for variables that no agent sets. Starts nothing.

use std::path::Path;
use std::sync::Arc;

use tenterhook::internal::discover;
use tenterhook_core::config::{Ruleset, Source};
use tenterhook_core::diagnostic::{Code, Diagnostic, Severity};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{
    Arming, Command, Hook, Invocation, Run, ScriptCommand, Shell, commands_of_shell_script,
};

use super::programs::Path as SearchPath;
use super::syntax::interpreter_name;

/// Commands of Bash that a plain `sh` does not have, each with what to write there.
const BASH_COMMANDS: &[(&str, &str)] = &[
    ("[[", "`[ ... ]`"),
    ("source", "`.`"),
    ("shopt", "no shell option"),
    ("declare", "`NAME=VALUE`"),
    ("mapfile", "`while read -r line`"),
    ("readarray", "`while read -r line`"),
    ("pushd", "`cd`"),
    ("popd", "`cd`"),
];

/// Texts of scripts that start Bash themselves.
const RESTARTS: &[&str] = &["BASH_VERSION", "exec bash", "exec /bin/bash", "exec /usr/bin/env"];

/// Commands with which a script asks whether a program is there.
const ASKS: &[&str] = &["command -v ", "command -V ", "which ", "type ", "type -P ", "hash "];

/// Variables that people expect and that no agent with events on standard input sets.
const NEVER_SET: &[&str] = &[
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_TOOL_ARGS",
    "CLAUDE_TOOL_INPUT_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "TOOL_INPUT",
    "TOOL_NAME",
    "TOOL_ARGS",
    "HOOK_INPUT",
    "CODEX_TOOL_INPUT",
    "GEMINI_TOOL_INPUT",
    "COPILOT_TOOL_INPUT",
    "QWEN_TOOL_INPUT",
];

/// Texts of scripts that read the event from standard input.
const READS_EVENT: &[&str] =
    &["stdin", "cat", "read ", "jq", "/dev/fd/0", "readFileSync(0", "input()", "STDIN", "<&0"];

/// Dialects whose hooks get the event on standard input and no variable for it.
const WITHOUT_VARIABLES: &[DialectId] = &[
    DialectId::CLAUDE,
    DialectId::CODEX,
    DialectId::COPILOT,
    DialectId::COPILOT_PASCAL,
    DialectId::GEMINI,
    DialectId::GOOSE,
    DialectId::QWEN,
];

/// A script that a hook starts.
struct HookScript<'a> {
    hook: &'a Hook,
    /// What has the text, for messages: the file name of the script, or the command.
    name: String,
    interpreter: String,
    text: &'a str,
    path: SearchPath,
}

/// Finds what is wrong with the texts of the scripts that hooks start (C-140, C-141, C-142).
pub(crate) fn find_script_mistakes(
    ruleset: &Ruleset,
    sources: &[Source],
    env: &[(String, String)],
) -> Vec<Diagnostic> {
    let armed = ruleset.hooks().iter().filter(|hook| hook.arming == Arming::Armed);
    let check = |hook: &Arc<Hook>| {
        let path = || SearchPath::for_hook(hook, env);
        if let Run::Command(Command { invocation: Invocation::Shell { text, shell }, .. }) =
            &hook.run
            && *shell == Shell::Sh
        {
            let (name, interpreter) = ("the command".to_owned(), "sh".to_owned());
            let line = HookScript { hook, name, interpreter, text, path: path() };
            let found = line.find_bash_command(&commands_of_shell_script(text));
            if found.is_some() {
                return Some(found.into_iter().collect());
            }
        }
        let place = hook.place.as_ref()?;
        let source = sources.iter().find(|source| source.name == place.file)?;
        let script = hook.script_file(&source.project, &source.home)?;
        let interpreter = interpreter_name(hook, &script, source)?;
        let text = discover::read_config_file(&script.path).ok()?;
        let name = format!("`{}`", script.path.file_name()?.to_string_lossy());
        let script = HookScript { hook, name, interpreter, text: &text, path: path() };
        Some(script.mistakes())
    };
    armed.filter_map(check).flatten().collect()
}

impl HookScript<'_> {
    fn mistakes(&self) -> Vec<Diagnostic> {
        let is_shell = matches!(self.interpreter.as_str(), "sh" | "dash" | "bash");
        let commands = if is_shell { commands_of_shell_script(self.text) } else { Vec::new() };
        let found = [
            self.find_bash_command(&commands),
            self.find_missing_program(&commands),
            self.find_program_without_which_it_passes(),
            self.find_variable_that_is_never_set(),
        ];
        found.into_iter().flatten().collect()
    }

    fn finding(&self, code: Code, severity: Severity, message: String) -> Diagnostic {
        Diagnostic::new(code, message, self.hook.place.clone()).with_severity(severity)
    }

    /// Reports a command of Bash in a script that a plain `sh` reads (C-140).
    fn find_bash_command(&self, commands: &[ScriptCommand]) -> Option<Diagnostic> {
        let shell = plain_shell(&self.interpreter, &self.path)?;
        if RESTARTS.iter().any(|text| self.text.contains(text)) {
            return None;
        }
        let is_used = |word: &str| match word {
            "[[" => has_double_bracket_test(self.text),
            word => commands.iter().any(|command| command.name == word),
        };
        let (word, instead) = BASH_COMMANDS.iter().find(|(word, _)| is_used(word))?;
        let message = format!(
            "{} uses `{word}`, a command of Bash, but `{}` is `{shell}` here and has none",
            self.name, self.interpreter
        );
        let found = self.finding(Code::ScriptSyntax, Severity::Error, message).label("fails");
        Some(found.help(format!("start it with `bash`, or write {instead}")))
    }

    /// Reports a program that the script starts, whatever happens, and that is not found (C-141).
    fn find_missing_program(&self, commands: &[ScriptCommand]) -> Option<Diagnostic> {
        let always = commands.iter().take_while(|command| !command.is_conditional);
        let name =
            always.map(|command| command.name.as_str()).find(|name| self.is_missing(name))?;
        let message = format!("{} starts `{name}`, which is not found here", self.name);
        let found = self.finding(Code::ProgramMissing, Severity::Warning, message);
        Some(found.label("not found").help(format!(
            "install it, or deny where `command -v {name}` finds none: the script goes on without"
        )))
    }

    /// Reports a line such as `command -v jq || exit 0` for a program that is missing: the script
    /// ends before it decides (C-141).
    fn find_program_without_which_it_passes(&self) -> Option<Diagnostic> {
        if !matches!(self.interpreter.as_str(), "sh" | "dash" | "bash") {
            return None;
        }
        let passes = self.text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
        let mut asked = passes.filter(|line| line.contains("|| exit 0")).filter_map(asked_program);
        let name = asked.find(|name| !self.path.has_program_of_shell(name))?;
        let message =
            format!("{} ends with 0 without `{name}`, which is not found here", self.name);
        let found = self.finding(Code::ProgramMissing, Severity::Warning, message);
        Some(found.label("never decides").help("install it, or write `|| exit 2`"))
    }

    fn is_missing(&self, name: &str) -> bool {
        let text = self.text;
        let is_asked = || ASKS.iter().any(|ask| text.contains(&format!("{ask}{name}")));
        let is_defined = || {
            ["()", " ()", "="].iter().any(|end| text.contains(&format!("{name}{end}")))
                || text.contains(&format!("function {name}"))
        };
        let changes_path = || text.contains("PATH=") || text.contains("PATH+=");
        !self.path.has_program_of_shell(name) && !is_asked() && !is_defined() && !changes_path()
    }

    /// Reports a variable that holds nothing, in a script that does not read the event (C-142).
    fn find_variable_that_is_never_set(&self) -> Option<Diagnostic> {
        let reads = READS_EVENT.iter().any(|text| self.text.contains(text));
        if reads || !WITHOUT_VARIABLES.contains(&self.hook.dialect) {
            return None;
        }
        let name = NEVER_SET.iter().find(|name| uses_variable(self.text, name))?;
        let message =
            format!("{} reads `{name}`, which is never set: it is always empty", self.name);
        let found = self.finding(Code::UndocumentedVariable, Severity::Warning, message);
        Some(found.help("the event arrives as JSON on standard input"))
    }
}

/// Returns the program that a line asks for: `command -v NAME`.
fn asked_program(line: &str) -> Option<&str> {
    let (_, rest) = ASKS.iter().find_map(|ask| line.split_once(ask))?;
    let name = rest.split([' ', '>', '&', '|', ';', ')']).next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Returns the name of the shell behind `sh`, unless it is one that knows the commands of Bash.
fn plain_shell(interpreter: &str, path: &SearchPath) -> Option<String> {
    if !matches!(interpreter, "sh" | "dash") {
        return None;
    }
    let file = path.find_file(interpreter).unwrap_or_else(|| Path::new("/bin").join(interpreter));
    let shell = file.canonicalize().ok()?.file_name()?.to_str()?.to_owned();
    (shell == "dash").then_some(shell)
}

/// Words after which a command begins.
const BEFORE_COMMAND: &[&str] = &["if", "elif", "while", "until", "then", "else", "do", "!"];

/// Returns `true` if a shell script has a command `[[`. Texts in quotes, comments and here-documents
/// have none.
fn has_double_bracket_test(script: &str) -> bool {
    let mut quote = None;
    let mut document: Option<String> = None;
    for line in script.lines() {
        if let Some(end) = &document {
            if line.trim_start_matches('\t') == end {
                document = None;
            }
            continue;
        }
        let mut chars = line.char_indices();
        while let Some((at, c)) = chars.next() {
            let (before, rest) = line.split_at(at);
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => drop(chars.next()),
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '#') if before.is_empty() || before.ends_with([' ', '\t']) => break,
                (None, '[') if rest.starts_with("[[ ") && is_command_start(before) => return true,
                (None, '<') if !before.ends_with('<') => {
                    document = document.or(here_document(rest))
                }
                (None, _) => {}
            }
        }
    }
    false
}

fn is_command_start(before: &str) -> bool {
    let before = before.trim_end();
    let last = before.rsplit([' ', '\t']).next().unwrap_or_default();
    before.is_empty()
        || before.ends_with(['&', '|', ';', '(', '{'])
        || BEFORE_COMMAND.contains(&last)
}

/// Returns the line that ends the here-document which begins at `text`, if one does.
fn here_document(text: &str) -> Option<String> {
    let word = text.strip_prefix("<<")?;
    let word = word.strip_prefix('-').unwrap_or(word).trim_start();
    let end = word.split([' ', '\t', ';', '|', '&', '>', ')']).next()?;
    let end = end.trim_matches(['"', '\'', '\\']);
    let is_word = end.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_word.then(|| end.to_owned())
}

/// Returns `true` if a script expands or looks up a variable and never assigns it. A default for it
/// shows that the script knows that it may be unset.
fn uses_variable(text: &str, name: &str) -> bool {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with(['#', '/', '*']));
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let mut used = false;
    for line in lines {
        for (at, _) in line.match_indices(name) {
            let before = line.get(..at).unwrap_or_default();
            let after = line.get(at + name.len()..).unwrap_or_default();
            if !is_end(after) || before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            if after.starts_with('=') || after.starts_with(" = ") || after.starts_with(":") {
                return false;
            }
            used |= before.ends_with(['$', '{'])
                || before.ends_with("process.env.")
                || ["environ[", "environ.get(", "getenv("]
                    .iter()
                    .any(|get| before.trim_end_matches(['"', '\'']).ends_with(get));
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::{has_double_bracket_test, uses_variable};

    /// C-140.
    #[test]
    fn double_brackets_are_a_command_where_a_shell_would_look_for_one() {
        for (text, expected) in [
            ("[[ $x == y ]]", true),
            ("if [[ -f x ]]; then", true),
            ("a && [[ b ]]", true),
            ("x=1\nwhile ! [[ a ]]; do", true),
            ("cat <<EOF\n[[ a ]]\nEOF\n[[ b ]]", true),
            ("x=$(( 1 << 2 ))\n[[ a ]]", true),
            ("cat <<< x\n[[ a ]]", true),
            ("cat <<'EOF'\n[[ a ]]\nEOF\n", false),
            ("cat <<-EOF\n\t[[ a ]]\n\tEOF\n", false),
            ("awk '\n[[ a ]]\n'", false),
            ("echo \"\n[[ a ]]\"", false),
            ("# [[ a ]]", false),
            ("echo [[ a ]]", false),
            ("case $x in [[:alpha:]]*) ;; esac", false),
            ("grep '[[ ' x", false),
        ] {
            assert_eq!(has_double_bracket_test(text), expected, "{text}");
        }
    }

    /// C-142.
    #[test]
    fn variable_is_used_where_it_is_expanded_and_not_assigned() {
        for (text, expected) in [
            ("echo \"$TOOL_NAME\"", true),
            ("echo ${TOOL_NAME}", true),
            ("x = os.environ['TOOL_NAME']", true),
            ("x = os.environ.get(\"TOOL_NAME\", '')", true),
            ("const x = process.env.TOOL_NAME;", true),
            ("echo \"${TOOL_NAME:-none}\"", false),
            ("TOOL_NAME=$(x)\necho $TOOL_NAME", false),
            ("const TOOL_NAME = f(); g(`${TOOL_NAME}`)", false),
            ("# $TOOL_NAME", false),
            ("echo $TOOL_NAMES", false),
            ("echo $MY_TOOL_NAME", false),
        ] {
            assert_eq!(uses_variable(text, "TOOL_NAME"), expected, "{text}");
        }
    }
}
