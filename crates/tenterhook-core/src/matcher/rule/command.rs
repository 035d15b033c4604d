//! Does a command pattern select a line that was read, and does it cover the whole line?
//!
//! Holds the pattern against words without quotes, and against words as written; it never reads a line itself.

use std::borrow::Cow;

use tenterhook_shell::guess::{self, Languages};
use tenterhook_shell::{self as shell, Context, Doubt, Line, Parsed, SimpleCommand, WordKind};

use super::pattern::Stars;
use super::spelling::Spelling;
use super::{Covers, Miss, Reading, Selection, Widening};
use crate::event::meter::Meter;

/// The pattern of a rule like `Bash(git push *)`.
#[derive(Clone, Debug)]
pub(super) struct CommandPattern {
    /// The pattern without its open end.
    base: Stars,
    /// The pattern with its open end, after a word boundary (S-45).
    open: Option<Stars>,
    /// The program, where the pattern spells it out.
    program: Option<String>,
    /// Whether there is more than the program in it.
    extent: Extent,
    /// Its words, one by one, where it can be held against them.
    spelling: Option<Spelling>,
    /// Whether small letters are the same as capital ones.
    any_case: bool,
}

/// Deepest nest of programs that may run what they are handed (S-36).
const MOST_GUESSED: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Program,
    Arguments,
}

/// Assignments before a command that change which code it runs: with them, a command is not what its words say (S-53).
const TELLING: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5LIB",
    "PERL5OPT",
    "RUBYLIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "CLASSPATH",
    "GIT_EDITOR",
    "GIT_PAGER",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_EXEC_PATH",
    "GIT_SEQUENCE_EDITOR",
    "GIT_CONFIG_COUNT",
    "SSH_ASKPASS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "HOME",
    "SHELL",
];
/// Prefixes of such assignments.
const TELLING_PREFIXES: &[&str] = &["LD_", "DYLD_", "GIT_CONFIG_", "npm_config_", "CARGO_"];

impl CommandPattern {
    pub(super) fn new(spec: &str) -> Self {
        let spec: String = spec.split_whitespace().collect::<Vec<_>>().join(" ");
        let base = spec.strip_suffix(":*").or_else(|| spec.strip_suffix(" *"));
        let open = base.map(|base| Stars::new(&format!("{base} *")));
        let base = base.unwrap_or(&spec);
        let (first, rest) = base.split_once(' ').unwrap_or((base, ""));
        let extent = if rest.is_empty() { Extent::Program } else { Extent::Arguments };
        let program = (!first.contains('*')).then(|| first.to_owned());
        let spelling =
            program.as_ref().and_then(|_| Spelling::from_pattern_words(rest, open.is_some()));
        Self { program, extent, base: Stars::new(base), open, spelling, any_case: false }
    }

    /// Creates a pattern that ignores the case of commands.
    pub(super) fn new_case_insensitive(spec: &str) -> Self {
        Self { any_case: true, ..Self::new(&spec.to_lowercase()) }
    }

    fn matches_text(&self, text: &str) -> bool {
        let text = &*self.normalize_case(text);
        self.base.matches(text) || self.open.as_ref().is_some_and(|open| open.matches(text))
    }

    /// Returns the text in lower case if the pattern ignores case.
    fn normalize_case<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.any_case {
            true => Cow::Owned(text.to_lowercase()),
            false => Cow::Borrowed(text),
        }
    }

    /// Returns true if a command matches by its words, either without quotes or as written (S-45).
    fn matches_command_words(&self, command: &SimpleCommand) -> bool {
        !command.words.is_empty()
            && (self.matches_text(&command.unquoted_text()) || self.matches_text(&command.source()))
    }

    /// Whether an expansion in its arguments could make a command match (S-48).
    ///
    /// Only for a pattern that spells out the program, and a command that runs it: else `*rm*` would select every line
    /// with a variable in it.
    fn may_match_after_expansion(&self, command: &SimpleCommand) -> bool {
        let expands = command.words.iter().any(|word| word.kind == WordKind::Expansion);
        if !expands || !self.command_runs_pattern_program(command) {
            return false;
        }
        let texts: Vec<_> =
            command.words.iter().map(|word| self.normalize_case(&word.text)).collect();
        let mut parts = Vec::new();
        for (index, (word, text)) in command.words.iter().zip(&texts).enumerate() {
            // An expansion may be several words, or none.
            let unknown = word.kind == WordKind::Expansion;
            parts.extend((index > 0 && !unknown).then_some(Some(" ")));
            parts.push((!unknown).then_some(&**text));
        }
        [Some(&self.base), self.open.as_ref()]
            .into_iter()
            .flatten()
            .any(|stars| stars.may_match_with_unknown_parts(&parts))
    }

    /// Returns true if a command runs the program that the pattern spells out.
    fn command_runs_pattern_program(&self, command: &SimpleCommand) -> bool {
        let names = command.program_name().zip(self.program.as_deref());
        names.is_some_and(|(name, program)| {
            name == program || self.any_case && name.eq_ignore_ascii_case(program)
        })
    }

    /// Returns true if a command runs the program with the options and operands of the pattern, in
    /// another order or in combined options (S-35).
    fn matches_reordered_options(&self, command: &SimpleCommand) -> bool {
        self.spelling.as_ref().is_some_and(|spelling| {
            self.command_runs_pattern_program(command) && spelling.matches_command(command)
        })
    }

    /// The program that may run a command which matches, where the line hands it one (S-36).
    ///
    /// The name of a program alone is a word like any other: behind it there has to be more that matches, or an option.
    ///
    /// What it would cost too much to look at is in doubt.
    fn find_possible_inner_match(
        &self,
        line: &Line,
        depth: usize,
        meter: &Meter<'_>,
    ) -> Option<Widening> {
        let program = self.program.as_deref()?;
        let is_option = |command: &SimpleCommand| {
            command.words.get(1).is_some_and(|word| word.text.starts_with('-'))
        };
        let counts = |command: &SimpleCommand| {
            (self.extent == Extent::Arguments || is_option(command))
                && (self.matches_command_words(command) || self.matches_reordered_options(command))
        };
        let unread = || Some(Widening::Unread(Doubt::TooDeep));
        // Every word may be the start of a guess.
        if !line.commands.iter().all(|command| meter.spend_steps(command.size())) {
            return unread();
        }
        for guess in guess::guess_commands_in_line(line, &|name| name == program, Languages::Read) {
            let Some(inner) =
                shell::parse_line_with_budget(&guess.text, &|steps| meter.spend_steps(steps))
            else {
                return unread();
            };
            let found = || inner.commands.iter().any(counts);
            if found()
                || (depth > 0 && self.find_possible_inner_match(&inner, depth - 1, meter).is_some())
            {
                return Some(Widening::Guess { program: guess.program });
            }
        }
        None
    }

    /// Returns whether, and how exactly, the pattern selects a parsed shell line.
    pub(super) fn selection_of_line(
        &self,
        line: &Line,
        reading: Reading,
        meter: &Meter<'_>,
    ) -> Selection {
        if line.commands_as_written().any(|command| self.matches_command_words(command)) {
            return Selection::Exact;
        }
        match self.first_widening_reason(line, reading, meter) {
            Some(widening) => Selection::Widened(widening),
            None => Selection::Not(Miss::Spec),
        }
    }

    /// Returns the first reason to select a line that does not match exactly. Reasons that the
    /// agent shares come first (S-52).
    fn first_widening_reason(
        &self,
        line: &Line,
        reading: Reading,
        meter: &Meter<'_>,
    ) -> Option<Widening> {
        let doubt = match &line.parsed {
            Parsed::Full => None,
            // The set-up of a shell hides no command that anybody wrote (S-66).
            Parsed::Doubtful(doubt) => Some(doubt).filter(|doubt| doubt.may_hide_commands()),
        };
        let unread = |doubt: &Doubt| Widening::Unread(doubt.clone());
        let expands = || {
            reading == Reading::Claude
                && ((self.extent == Extent::Arguments
                    && line.commands_as_written().any(has_expansion))
                    || line.commands_as_written().any(has_command_substitution))
        };
        let behind = || {
            let mut commands = line.commands.iter().filter(|command| !command.via.is_empty());
            commands
                .find(|command| {
                    self.matches_command_words(command) || self.may_match_after_expansion(command)
                })
                .map(|command| command.via.to_vec())
        };
        let construct = line.constructs.first().filter(|_| reading == Reading::Claude);
        construct
            .map(|construct| Widening::Construct(*construct))
            .or_else(|| doubt.map(unread).filter(Widening::agent_also_fires))
            .or_else(|| {
                let is_read = || self.agent_reads_expansions(line);
                expands().then(|| match is_read() {
                    true => Widening::ReadExpansion,
                    false => Widening::Expansion,
                })
            })
            .or_else(|| behind().map(Widening::Wrapper))
            .or_else(|| {
                line.commands_as_written()
                    .any(|command| self.may_match_after_expansion(command))
                    .then_some(Widening::Expansion)
            })
            .or_else(|| {
                line.commands
                    .iter()
                    .any(|command| self.matches_reordered_options(command))
                    .then_some(Widening::Options)
            })
            .or_else(|| self.find_possible_inner_match(line, MOST_GUESSED, meter))
            .or_else(|| doubt.map(unread))
    }

    /// Returns true if Claude Code 2.1.332 reads all expansions of a line, so that none makes it
    /// match: variables whose values it knows, and, for a pattern of a program and any arguments,
    /// the output of one plain command as an argument (S-51).
    fn agent_reads_expansions(&self, line: &Line) -> bool {
        let is_inner = |command: &SimpleCommand| command.context == Context::CommandSubstitution;
        let is_alone = line.commands_as_written().filter(|command| !is_inner(command)).count() == 1;
        let reads_output = self.open.is_some() && self.extent == Extent::Program && is_alone;
        let assigned: Vec<&str> = line
            .commands_as_written()
            .flat_map(|command| command.assignments.iter())
            .filter(|assignment| assignment.value.kind == WordKind::Literal)
            .map(|assignment| assignment.name.as_str())
            .collect();
        let mut words = line.commands_as_written().flat_map(|command| command.words.iter());
        words.all(|word| {
            word.kind != WordKind::Expansion
                || has_only_known_variables(&word.source, &assigned)
                || reads_output && is_plain_command_substitution(&word.source)
        })
    }

    /// Returns whether every command of the line is known and matches as written (S-53).
    pub(super) fn covers_line(&self, line: &Line) -> Covers {
        let reason = match &line.parsed {
            Parsed::Doubtful(doubt) => Some(doubt.to_string()),
            Parsed::Full => {
                line.commands_as_written().find_map(|command| self.uncovered_reason(command))
            }
        };
        match reason {
            Some(reason) => Covers::NotEvery { reason },
            None => Covers::Every,
        }
    }

    fn uncovered_reason(&self, command: &SimpleCommand) -> Option<String> {
        let telling = command.assignments.iter().find(|assignment| {
            TELLING.contains(&assignment.name.as_str())
                || TELLING_PREFIXES.iter().any(|prefix| assignment.name.starts_with(prefix))
        });
        if let Some(assignment) = telling {
            return Some(format!("`{}` is set, which can change what runs", assignment.name));
        }
        // A blank in the program's name would make `"git push" x` look like `git push x`.
        let is_name =
            command.program_name().is_some_and(|name| !name.contains(char::is_whitespace));
        if is_name && self.matches_command_words(command) {
            return None;
        }
        match command.words.first() {
            Some(word) => Some(format!("`{}` does not match", word.source)),
            None => Some("a part of the line runs no program".to_owned()),
        }
    }
}

fn has_expansion(command: &SimpleCommand) -> bool {
    command.words.iter().any(|word| word.kind == WordKind::Expansion)
}

/// Returns true if the only expansions of a word are `$HOME` and variables that the line assigns.
fn has_only_known_variables(source: &str, assigned: &[&str]) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = source.split('$').skip(1).map(|rest| {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    });
    !source.contains('`') && names.all(|name| name == "HOME" || assigned.contains(&name))
}

/// Returns true if a word is one command substitution of a command of plain words, without quotes.
fn is_plain_command_substitution(source: &str) -> bool {
    let dollar = source.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let ticks = source.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '/' | '-');
    dollar.or(ticks).is_some_and(|inner| inner.chars().all(is_plain))
}

/// Returns true if the words of a command contain the output of another program.
fn has_command_substitution(command: &SimpleCommand) -> bool {
    let mut unknown = command.words.iter().filter(|word| word.kind == WordKind::Expansion);
    unknown.any(|word| word.source.contains("$(") || word.source.contains('`'))
}
