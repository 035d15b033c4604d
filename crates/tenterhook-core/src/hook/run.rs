//! What a hook runs, as its entry configures it. Values only; `executor` has the executors.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tenterhook_shell::quote_word;

use super::function::Function;
use crate::diagnostic::Code;
pub use crate::request::interpolation::{Interpolation, Missing, OpenBrace};
use crate::rule::Rule;

/// What a command hook starts: a program, or a text for a shell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Invocation {
    /// A program with its arguments, no shell.
    Argv {
        /// The program, looked up in `PATH` when it has no slash.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// A text for a shell.
    Shell {
        /// The text.
        text: String,
        /// The shell.
        shell: Shell,
    },
}

/// The shells that configs can name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shell {
    /// `/bin/sh -c`, never a login shell.
    #[default]
    Sh,
    /// `bash -c`.
    Bash,
    /// The user's own shell as a login shell: `$SHELL -lc`, or `/bin/sh -lc` where no shell is
    /// named.
    Login,
    /// `pwsh -NoProfile -NonInteractive -Command`.
    PowerShell,
}

impl Shell {
    /// What `/bin/sh -c` runs in front of a line to start the user's own shell, which the
    /// environment of the hook names.
    pub const LOGIN: &'static str = r#"exec "${SHELL:-/bin/sh}" -lc "$0""#;
}

/// The variables that a command inherits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Inherit {
    /// The host's whole environment, as the dialect promises.
    All,
    /// A short list of names that programs cannot do without (R-6).
    #[default]
    Listed,
}

/// Whether a command's next process is started before it is needed, so that it only has to read and
/// to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prewarm {
    /// It is not.
    #[default]
    Never,
    /// It is, as it stands: it waits on its input.
    AsItStands,
    /// A Python interpreter is, which loads the script when the event comes and leaves without its
    /// long goodbye.
    Python,
    /// A Node interpreter is, with the script, and says its exit code before it is gone.
    Node,
}

/// The names of the forms of interpreters.
const FORMS: &[(&str, Prewarm)] = &[("python", Prewarm::Python), ("node", Prewarm::Node)];

impl Prewarm {
    /// Returns the form with this name.
    #[must_use]
    pub fn from_name(word: &str) -> Option<Self> {
        FORMS.iter().find(|(name, _)| *name == word).map(|(_, form)| *form)
    }

    /// Returns the name of an interpreter form; `None` for other forms.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        FORMS.iter().find(|(_, form)| *form == self).map(|(name, _)| *name)
    }
}

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What to start, as configured.
    pub invocation: Invocation,
    /// The command that is started in its place: the same, of copies of what was approved (T-20).
    pub copy: Option<Invocation>,
    /// The directory in which that copy lies, with what lies beside it.
    pub kept: Option<std::path::PathBuf>,
    /// The variables that it inherits.
    pub inherit: Inherit,
    /// Names that pass beside the list.
    pub pass: Vec<String>,
    /// Variables set only for this hook; they override all others.
    pub env: Vec<(String, String)>,
    /// Where it starts, when not in the event's `cwd`.
    pub cwd: Option<PathBuf>,
    /// Files and patterns of files that it says it runs on, beside those that its words name (T-8).
    pub files: Vec<PathBuf>,
    /// Whether the next process is started before it is needed.
    pub prewarm: Prewarm,
    /// Whether `${NAME}` in the words of a program without a shell stands for a variable; one that
    /// is not set stays as written.
    pub expands: bool,
}

/// A request to a server: the envelope is its body.
#[derive(Clone, PartialEq, Eq)]
pub struct Http {
    /// Where it goes.
    pub url: String,
    /// Headers beside the usual, with `$NAME` and `${NAME}` for variables of [`Http::variables`].
    pub headers: Vec<(String, String)>,
    /// The variables that headers may name; no other variable is sent.
    pub variables: Vec<String>,
    /// The variable that holds the secret with which requests are signed, if they are.
    pub secret: Option<String>,
    /// How variables are filled in.
    pub interpolation: Interpolation,
}

/// Without the values of headers and what may follow the host: some hold secrets as they are.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Http")
            .field("headers", &names)
            .field("variables", &self.variables)
            .field("secret", &self.secret)
            .finish_non_exhaustive()
    }
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The question, with `$ARGUMENTS` for the envelope.
    pub text: String,
    /// The model; `None` uses the host's default.
    pub model: Option<String>,
    /// How many tokens all its answers together may have; `None`: the executor's own bound.
    pub max_tokens: Option<u32>,
    /// Whether its consent applies; else it is dropped with a fault (A-41).
    pub may_allow: bool,
    /// Whether the turn goes on after its no, where its dialect would end the turn.
    pub goes_on: bool,
    /// How many turns it may take to look around with tools that read and search; `None`: no tools,
    /// one answer.
    pub turns: Option<u32>,
}

impl Prompt {
    /// A prompt with defaults for all other settings.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            model: None,
            max_tokens: None,
            may_allow: false,
            goes_on: false,
            turns: None,
        }
    }
}

/// A call of a tool of an MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    /// The server, as the host or its configuration calls it.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, with `${a.b}` for fields of the envelope.
    pub input: Map<String, Value>,
}

/// A program that lives as long as the session and answers one line with one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// How it is started.
    pub command: Command,
}

/// What runs a hook. A later version may have more executors.
#[derive(Clone, Debug)]
pub enum Run {
    /// A child process.
    Command(Command),
    /// A child process that serves the whole session.
    Worker(Worker),
    /// A request to a server.
    Http(Http),
    /// A question to a model.
    Prompt(Prompt),
    /// A call of an MCP tool.
    McpTool(McpTool),
    /// An expression over the event.
    Rule(Rule),
    /// A callback of the host.
    Function(Function),
    /// Nothing, because what it was made of cannot be read: its failure policy decides each time,
    /// so that a slip of the pen takes no gate away (C-60, C-72).
    Unusable {
        /// What cannot be read, for messages.
        part: Unread,
        /// The problem.
        why: String,
    },
}

/// What of a configuration cannot be read, so that a hook stands in for it which runs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unread {
    /// One entry, which was rejected (C-60).
    Entry,
    /// A file, or a part of one: it is unknown what it would forbid (C-72).
    File,
    /// An entry that is not approved in its present form: it can be read, and must not be run
    /// (T-11).
    Approval,
    /// A managed file that others than root may write: it can be read, and is not obeyed (C-89).
    Exposed,
}

impl Unread {
    /// Returns the name of the unread part, for messages.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::File => "file",
            Self::Approval => "approval",
            Self::Exposed => "exposed",
        }
    }

    /// Returns the fault code of the hook that replaces the unread part.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::Entry => Code::EntryUnusable,
            Self::File | Self::Exposed => Code::FileUnread,
            Self::Approval => Code::AwaitsApproval,
        }
    }

    /// Returns the number of the rule by which the failure policy decides.
    #[must_use]
    pub const fn spec_rule_number(self) -> &'static str {
        match self {
            Self::Entry => "C-60",
            Self::File => "C-72",
            Self::Approval => "T-11",
            Self::Exposed => "C-89",
        }
    }

    /// Returns the message that states the problem and its reason.
    #[must_use]
    pub fn problem_message(self, why: &str) -> String {
        match self {
            Self::Entry => format!("its entry cannot be used: {why}"),
            Self::File => format!("its file cannot be read: {why}"),
            Self::Exposed => format!("its file is not obeyed as a managed file: {why}"),
            Self::Approval => why.to_owned(),
        }
    }
}

impl Run {
    /// Returns a command that `/bin/sh -c` runs with the host's environment.
    #[must_use]
    pub fn from_shell_line(text: String) -> Self {
        let invocation = Invocation::Shell { text, shell: Shell::Sh };
        Self::Command(Command::new(invocation, Inherit::All))
    }

    /// Returns the name of the executor.
    #[must_use]
    pub const fn executor_name(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Worker(_) => "worker",
            Self::Http(_) => "http",
            Self::Prompt(Prompt { turns: None, .. }) => "prompt",
            Self::Prompt(Prompt { turns: Some(_), .. }) => "agent",
            Self::McpTool(_) => "mcp",
            Self::Rule(_) => "rule",
            Self::Function(_) => "function",
            Self::Unusable { .. } => "none",
        }
    }

    /// Returns true if the step runs inside the host's process, and mostly ends before a process
    /// could start.
    #[must_use]
    pub const fn runs_in_process(&self) -> bool {
        matches!(self, Self::Rule(_) | Self::Function(_))
    }

    /// Returns a description of what runs, in one line.
    #[must_use]
    pub fn one_line_description(&self) -> String {
        match self {
            Self::Command(command) => command.line(),
            Self::Worker(worker) => format!("worker {}", worker.command.line()),
            Self::Http(http) => format!("POST {}", http.url),
            Self::Prompt(prompt) => {
                format!("{}: {}", self.executor_name(), first_line(&prompt.text))
            }
            Self::McpTool(call) => format!("mcp {}/{}", call.server, call.tool),
            Self::Rule(rule) => format!("when {}", first_line(rule.when_expression())),
            Self::Function(function) => format!("function {}", function.name()),
            Self::Unusable { part: Unread::Entry, .. } => {
                "(nothing: its entry cannot be used)".to_owned()
            }
            Self::Unusable { part: Unread::File, .. } => {
                "(nothing: its file cannot be read)".to_owned()
            }
            Self::Unusable { part: Unread::Approval, .. } => {
                "(nothing: it is not approved as it stands)".to_owned()
            }
            Self::Unusable { part: Unread::Exposed, .. } => {
                "(nothing: others than root may write its file)".to_owned()
            }
        }
    }
}

impl Command {
    /// A command with defaults for all other settings.
    #[must_use]
    pub fn new(invocation: Invocation, inherit: Inherit) -> Self {
        Self {
            invocation,
            copy: None,
            kept: None,
            inherit,
            pass: Vec::new(),
            env: Vec::new(),
            cwd: None,
            files: Vec::new(),
            prewarm: Prewarm::Never,
            expands: false,
        }
    }

    /// Returns the program and its arguments, with the values of variables if it expands them.
    #[must_use]
    pub fn expanded_invocation<'a>(
        &self,
        variable: impl Fn(&str) -> Option<&'a str>,
    ) -> Cow<'_, Invocation> {
        match self.invocation() {
            Invocation::Argv { program, args } if self.expands => {
                let expand = |word: &String| expand_variables(word, &variable);
                let (program, args) = (expand(program), args.iter().map(expand).collect());
                Cow::Owned(Invocation::Argv { program, args })
            }
            invocation => Cow::Borrowed(invocation),
        }
    }

    /// Returns the configured invocation for an agent that expands nothing: a line for a shell if
    /// the words name variables.
    #[must_use]
    pub fn portable_invocation(&self) -> Cow<'_, Invocation> {
        match &self.invocation {
            Invocation::Argv { program, args } if self.expands => {
                let words: Vec<&String> = std::iter::once(program).chain(args).collect();
                if words.iter().all(|word| next_variable(word).is_none()) {
                    return Cow::Borrowed(&self.invocation);
                }
                let text = line_with_variables(&words);
                Cow::Owned(Invocation::Shell { text, shell: Shell::Sh })
            }
            invocation => Cow::Borrowed(invocation),
        }
    }

    /// Returns the program and its arguments.
    #[must_use]
    pub fn invocation(&self) -> &Invocation {
        self.copy.as_ref().unwrap_or(&self.invocation)
    }

    /// Returns the configured command as one line for people.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.invocation {
            Invocation::Shell { text, .. } => text.clone(),
            Invocation::Argv { program, args } => {
                let mut line = program.clone();
                for arg in args {
                    line.push(' ');
                    line.push_str(arg);
                }
                line
            }
        }
    }
}

/// Returns the line for a shell that starts these words, with the values of the variables that they
/// name.
fn line_with_variables(words: &[&String]) -> String {
    let word = |word: &&String| {
        let (mut line, mut rest) = (String::new(), word.as_str());
        while let Some((before, (name, behind))) = next_variable(rest) {
            let literal = if before.is_empty() { String::new() } else { quote_word(before) };
            line += &format!("{literal}\"${{{name}}}\"");
            rest = behind;
        }
        if !rest.is_empty() || line.is_empty() {
            line += &quote_word(rest);
        }
        line
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the first `${NAME}` of a variable, with the texts before and behind it.
fn next_variable(text: &str) -> Option<(&str, (&str, &str))> {
    let (before, after) = text.split_once("${")?;
    let (name, behind) = after.split_once('}')?;
    let is_name = name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    let is_name = is_name && name.starts_with(|first: char| !first.is_ascii_digit());
    is_name.then_some((before, (name, behind)))
}

/// Replaces each `${NAME}` by the value of the variable, if it has one.
fn expand_variables<'a>(text: &str, variable: impl Fn(&str) -> Option<&'a str>) -> String {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let named = after.split_once('}').filter(|(name, _)| !name.is_empty());
        let value = named.and_then(|(name, behind)| Some((variable(name)?, behind)));
        let (inserted, behind) = value.unwrap_or(("${", after));
        expanded.extend([before, inserted]);
        rest = behind;
    }
    expanded.push_str(rest);
    expanded
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HE-7: as `_expand_env_vars` of Hermes 0.19.0 does.
    #[test]
    fn variables_in_words_are_replaced_and_unset_ones_stay() {
        let invocation = Invocation::Argv {
            program: "${A}/x".to_owned(),
            args: ["${A}${B}", "${} ${A", "$A", "${A:-x}"].map(str::to_owned).to_vec(),
        };
        let variable = |name: &str| (name == "A").then_some("/a ${A}");
        let mut command = Command::new(invocation.clone(), Inherit::All);
        assert_eq!(*command.expanded_invocation(variable), invocation);
        command.expands = true;
        let expanded = Invocation::Argv {
            program: "/a ${A}/x".to_owned(),
            args: ["/a ${A}${B}", "${} ${A", "$A", "${A:-x}"].map(str::to_owned).to_vec(),
        };
        assert_eq!(*command.expanded_invocation(variable), expanded);
    }

    /// HE-7: `convert` keeps the meaning.
    #[test]
    fn words_with_variables_are_a_line_for_other_agents() {
        let args = ["${A}/b c", "x${A}${B}y", "$A", "${A:-x}", ""].map(str::to_owned).to_vec();
        let invocation = Invocation::Argv { program: "sh".to_owned(), args };
        let mut command = Command::new(invocation.clone(), Inherit::All);
        assert_eq!(*command.portable_invocation(), invocation);
        command.expands = true;
        let text = r#"sh "${A}"'/b c' x"${A}""${B}"y '$A' '${A:-x}' ''"#.to_owned();
        let line = Invocation::Shell { text, shell: Shell::Sh };
        assert_eq!(*command.portable_invocation(), line);
    }
}
