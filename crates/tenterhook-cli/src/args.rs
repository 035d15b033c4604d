//! What was typed: every command with its flags. What it means is the commands' business.

mod fire;
mod groups;
mod install;
mod installed;
mod log;
mod mistakes;
mod recorded;
mod rules;
mod schema;
mod testing;
mod trust;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use tenterhook_core::agents::Agent;
use tenterhook_core::dialect::DialectId;

use crate::exit;
pub(crate) use fire::{Explain, Fire, Hook};
pub(crate) use groups::command_with_grouped_help;
pub(crate) use install::{Install, ScopeArg, Status, Uninstall};
pub(crate) use log::{Log, LogDo};
pub(crate) use mistakes::known_mistake;
pub(crate) use recorded::{Backtest, BacktestFormat, PageContent, Reconcile, Transcripts};
pub(crate) use rules::{Rules, RulesDo};
pub(crate) use schema::{Schema, SchemaOf};
pub(crate) use testing::{Test, TestFormat};
pub(crate) use trust::{TrustArgs, TrustDo, TrustWhich};
pub(crate) use values::{Known, Named, Probed, parse_named_file};
use values::{
    dialect_parser, installable_agent_parser, parse_duration, probed_agent_parser,
    written_dialect_parser,
};

/// Check, explain and fire the hooks of AI agents.
#[derive(Debug, Parser)]
#[command(name = "tenterhook", version, after_help = exit::TABLE, max_term_width = 100)]
pub(crate) struct Cli {
    /// When to use colour
    #[arg(
        long,
        global = true,
        display_order = 900,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) color: Color,
    /// Show more, e.g. every place that was searched
    #[arg(short, long, global = true, display_order = 901)]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Parses the arguments of this process; `words` are the same, as text.
    pub(crate) fn from_process_arguments(words: &[String]) -> Result<Self, clap::Error> {
        if let Some(call) = installed::parse_installed_call(words) {
            return Ok(Self { color: Color::Auto, verbose: false, command: Command::Hook(call) });
        }
        Self::from_arg_matches(&command_with_grouped_help().try_get_matches()?)
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a first `tenterhook.toml` with one gate and its cases
    #[command(after_help = "Examples:\n  tenterhook init")]
    Init,
    /// Find mistakes in hook files, and hooks that can never run
    #[command(
        after_help = "Examples:\n  tenterhook check\n  tenterhook check .claude/settings.json\n  tenterhook check gen=hooks.json --format json\n  tenterhook check --as managed tenterhook.toml\n  tenterhook check --diff\n  tenterhook check --repo clone --format json\n  tenterhook check --watch"
    )]
    Check(Check),
    /// List the configured hooks
    #[command(
        after_help = "Examples:\n  tenterhook list\n  tenterhook list .claude/settings.json tenterhook.toml"
    )]
    List(List),
    /// Show for each hook whether it runs for an event, and why
    #[command(
        after_help = "Examples:\n  tenterhook explain Bash 'sudo git push -f'\n  tenterhook explain UserPromptSubmit 'fix the test'\n  tenterhook explain Stop --config .claude/settings.json\n  tenterhook explain dead-matcher\n  tenterhook explain K7QX2M\n  tenterhook explain --last"
    )]
    Explain(Explain),
    /// Fire an event: run its hooks and print the outcome
    #[command(
        after_help = "Examples:\n  tenterhook fire Bash 'rm -rf build'\n  tenterhook fire event.json --format json\n  tenterhook fire PostToolUse Bash ls --config tenterhook.toml"
    )]
    Fire(Fire),
    /// Answer an agent's event in the agent's format (agents run this)
    #[command(
        after_help = "Examples:\n  tenterhook hook --agent claude --event PreToolUse --within 55s\n  tenterhook hook --agent codex --event PreToolUse"
    )]
    Hook(Hook),
    /// Make an agent call Tenterhook, so that your hooks run there
    #[command(
        after_help = "Examples:\n  tenterhook install claude\n  tenterhook install --all --dry-run\n  tenterhook install codex --print"
    )]
    Install(Install),
    /// Remove from an agent's files what `install` wrote there
    #[command(
        after_help = "Examples:\n  tenterhook uninstall claude\n  tenterhook uninstall --all --dry-run\n  tenterhook uninstall --all --purge"
    )]
    Uninstall(Uninstall),
    /// Show which agents call Tenterhook, and which rules apply here
    #[command(after_help = exit::STATUS)]
    Status(Status),
    /// Find what keeps hooks from running here, and how to fix it
    #[command(
        after_help = "Exit codes of doctor:\n  0  nothing is found, or warnings alone\n  1  something keeps a hook from counting; with --prove: no agent is here, or an entry is not proven\n\nExamples:\n  tenterhook doctor\n  tenterhook doctor --prove\n  tenterhook doctor claude codex\n  tenterhook doctor --no-fire --format json\n  tenterhook doctor --report"
    )]
    Doctor(Doctor),
    /// Print recorded firings and their outcomes, or verify the record
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  tenterhook log --since 2h --denied\n  tenterhook log --stats\n  tenterhook log --follow --event PreToolUse\n  tenterhook log --shadow\n  tenterhook log verify"
    )]
    Log(Log),
    /// Turn a shadow hook into an enforcing one
    #[command(
        after_help = "Examples:\n  tenterhook promote no-force\n  tenterhook promote guardrails --diff\n  tenterhook promote .claude/settings.json"
    )]
    Promote(Promote),
    /// List the sessions that agents recorded here, with their sizes
    #[command(
        after_help = "Examples:\n  tenterhook transcripts\n  tenterhook transcripts --agent codex\n  tenterhook transcripts ~/.claude/projects --format json"
    )]
    Transcripts(Transcripts),
    /// Show what hooks would have done in recorded sessions
    #[command(
        after_help = "Examples:\n  tenterhook backtest\n  tenterhook backtest tenterhook.toml --since 30days --agent claude\n  tenterhook backtest new.toml --against tenterhook.toml\n  tenterhook backtest --sessions ~/.codex/sessions --format json\n  tenterhook backtest --since 30days --html yesterday.html"
    )]
    Backtest(Backtest),
    /// Test how an installed agent treats the answers of hooks
    #[command(
        after_help = "Most agents run offline, against a scripted model in a temporary home. The others need your account; without `--use-my-account`, `probe` only prints what it would do.\n\nExamples:\n  tenterhook probe codex\n  tenterhook probe goose --program ~/bin/goose --format json\n  tenterhook probe cursor\n  tenterhook probe cursor --use-my-account"
    )]
    Probe(Probe),
    /// Show which calls of recorded sessions no hook saw, and why
    #[command(
        after_help = "Examples:\n  tenterhook reconcile\n  tenterhook reconcile --agent codex --since 7days\n  tenterhook reconcile ~/.claude/projects --format json"
    )]
    Reconcile(Reconcile),
    /// Run the test cases of hooks
    #[command(
        after_help = "Examples:\n  tenterhook test\n  tenterhook test tenterhook.toml --only push\n  tenterhook test --mutate\n  tenterhook test --canaries .claude/settings.json\n  tenterhook test --format junit\n  tenterhook test --config .claude/settings.json --record Bash 'rm -rf build'"
    )]
    Test(Test),
    /// Review the hooks of a repository, and allow or refuse them
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  tenterhook trust\n  tenterhook trust .claude/settings.json\n  tenterhook trust status\n  tenterhook trust diff\n  tenterhook trust key ~/keys/hooks.key\n  tenterhook trust sign --key ~/keys/hooks.key"
    )]
    Trust(TrustArgs),
    /// Revoke trust in a repository's hooks
    #[command(
        after_help = "Examples:\n  tenterhook untrust\n  tenterhook untrust .claude/settings.json"
    )]
    Untrust(TrustWhich),
    /// Print hooks in the native format, and report what is lost
    #[command(
        after_help = "Examples:\n  tenterhook convert .claude/settings.json\n  tenterhook convert hooks.json --dialect ignis\n  tenterhook convert .claude/settings.json --to droid"
    )]
    Convert(Convert),
    /// List the events of a dialect and what a hook may do on each
    #[command(
        after_help = "Examples:\n  tenterhook events --dialect gen\n  tenterhook events PreToolUse --sample"
    )]
    Events(Events),
    /// List, show, add and remove packs of rules
    #[command(
        after_help = "Examples:\n  tenterhook rules show guardrails\n  tenterhook rules add guardrails --project\n  tenterhook rules remove guardrails"
    )]
    Rules(Rules),
    /// Let a denied call pass, once
    #[command(after_help = "Examples:\n  tenterhook allow once K7QX2M")]
    Allow(Allow),
    /// Pause self-protection for some minutes
    #[command(
        after_help = "Examples:\n  tenterhook pause\n  tenterhook pause 5m\n  tenterhook pause --end"
    )]
    Pause(Pause),
    /// Print the JSON Schema of a file, an event or a command's output
    #[command(after_help = "Examples:\n  tenterhook schema config")]
    Schema(Schema),
    /// Play a recorded agent session through the example hooks
    #[command(after_help = "Examples:\n  tenterhook demo\n  tenterhook demo --write examples")]
    Demo(Demo),
    /// Print a completion script for a shell
    #[command(after_help = "Examples:\n  tenterhook completions bash")]
    Completions(Completions),
    /// Write the manual pages into a directory
    #[command(name = "man", hide = true, after_help = "Examples:\n  tenterhook man share/man/man1")]
    Manual(Manual),
}

/// The output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// How closely the dialect is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatArg {
    /// Exactly what the agent itself would do, including what it loses
    Exact,
}

/// The ways to write an event.
const WHAT: &str = "EVENT.json | - | JSON | TOOL INPUT | EVENT [TEXT]";

#[derive(Clone, Debug, Args)]
pub(crate) struct Output {
    /// Output for people (text) or programs (json)
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub(crate) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Which {
    /// Read hooks from this file only; may be repeated
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) config: Vec<Named>,
    /// The dialect of the event [default: claude], and of named files that do not show theirs
    #[arg(long, value_name = "NAME", value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialect: Option<DialectId>,
    /// Follow the dialect exactly, including what the agent itself would lose
    #[arg(long, value_name = "HOW")]
    pub(crate) compat: Option<CompatArg>,
}

#[derive(Debug, Args)]
pub(crate) struct Allow {
    #[command(subcommand)]
    pub(crate) how: AllowHow,
}

/// How often the call may pass.
#[derive(Debug, Subcommand)]
pub(crate) enum AllowHow {
    /// Let the next call that is identical to the denied one pass, within 10 minutes
    Once {
        /// The code from the denial
        code: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Pause {
    /// How long to pause, at most an hour
    #[arg(value_name = "DURATION", value_parser = parse_duration, default_value = "10m")]
    pub(crate) length: Duration,
    /// End the pause now
    #[arg(long)]
    pub(crate) end: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Probe {
    /// The agent
    #[arg(value_name = "AGENT", value_parser = probed_agent_parser())]
    pub(crate) agent: Probed,
    /// The program of the agent [default: found on the PATH]
    #[arg(long, value_name = "PATH")]
    pub(crate) program: Option<PathBuf>,
    /// Run an agent that works only with your account; its model's requests may cost you money
    #[arg(long)]
    pub(crate) use_my_account: bool,
    /// How long one run with your account may take
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "3m")]
    pub(crate) run_timeout: Duration,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The agents to check [default: all that are found here]
    #[arg(value_name = "AGENT", value_parser = installable_agent_parser())]
    pub(crate) agents: Vec<&'static Agent>,
    /// Do not test the entries by calling them: no hook is run
    #[arg(long)]
    pub(crate) no_fire: bool,
    /// Print a Markdown report for a bug report: findings, files and last firings, without content of events or likely secrets.
    /// Names of files, hooks and tools stay: read it before you share it
    #[arg(long, conflicts_with = "format")]
    pub(crate) report: bool,
    /// Prove that agents are stopped: call through each gate's entry as its agent does, and see the denial of a rule for this call alone
    #[arg(long, conflicts_with_all = ["no_fire", "report"])]
    pub(crate) prove: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which_files").args(["files", "config"]).multiple(true))]
pub(crate) struct Check {
    /// The files to check [default: those that the agents would load from here]
    #[arg(value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) files: Vec<Named>,
    /// Fix unambiguous mistakes in place, and show the changes
    #[arg(long, conflicts_with = "watch")]
    pub(crate) fix: bool,
    /// Show what `--fix` would change, and change nothing
    #[arg(long, visible_alias = "dry-run")]
    pub(crate) diff: bool,
    /// Check again whenever a file changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// End with exit code 1 on warnings too
    #[arg(long)]
    pub(crate) strict: bool,
    /// A file to check (the same as naming it without `--config`)
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) config: Vec<Named>,
    /// The dialect of named files that do not show theirs by path or content
    #[arg(long, value_name = "NAME", value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialect: Option<DialectId>,
    /// Check the files as they would be read there, e.g. before an organisation ships its file [default: where they are]
    #[arg(long = "as", value_name = "SCOPE", requires = "which_files")]
    pub(crate) scope: Option<ScopeArg>,
    /// List what agents would run of a clone, hooks and other code; ends with exit code 1 if one may run unasked and is not accepted [default: here]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".",
        conflicts_with_all = ["which_files", "fix", "diff", "watch", "strict", "dialect"])]
    pub(crate) repo: Option<PathBuf>,
    /// Accept what agents run of this file or directory of the clone, or of the file with this SHA-256
    #[arg(long, value_name = "FILE|SHA256", requires = "repo")]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(mut_arg("dialect", |arg| arg.help("The dialect of named files that do not show theirs by path or content")))]
pub(crate) struct List {
    /// The files to list the hooks of [default: those that the agents would load from here]
    #[arg(value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) files: Vec<Named>,
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl Which {
    /// Returns the dialect of the events: the one given, or Claude's.
    pub(crate) fn event_dialect(&self) -> DialectId {
        self.dialect.unwrap_or(DialectId::CLAUDE)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Promote {
    /// A shadow hook, a pack, or a file with shadow hooks
    #[arg(value_name = "HOOK|PACK|FILE")]
    pub(crate) name: String,
    /// Show what would change, and change nothing
    #[arg(long, visible_alias = "dry-run")]
    pub(crate) diff: bool,
    /// Read hooks from this file only; may be repeated
    #[arg(long, value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) config: Vec<Named>,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The file to convert
    #[arg(value_name = "[DIALECT=]FILE", value_parser = parse_named_file)]
    pub(crate) file: Named,
    /// The format to write: `native`, or an agent with a file of hooks
    #[arg(long, value_name = "NAME", default_value = "native", value_parser = written_dialect_parser(), hide_possible_values = true)]
    pub(crate) to: DialectId,
    /// The format of the file [default: found by path and content]
    #[arg(long, value_name = "NAME", value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialect: Option<DialectId>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Events {
    /// One event, by its name in the dialect or its neutral name
    #[arg(value_name = "EVENT")]
    pub(crate) name: Option<String>,
    /// Print a sample event that can be fired, in the format that hooks receive
    #[arg(long, requires = "name")]
    pub(crate) sample: bool,
    /// The dialect
    #[arg(long, value_name = "NAME", default_value = DialectId::CLAUDE.as_str(), value_parser = dialect_parser(), hide_possible_values = true)]
    pub(crate) dialect: DialectId,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The directory; it is created if it is missing
    #[arg(value_name = "DIRECTORY")]
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Write the examples into a new directory and exit
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["mixed", "from"])]
    pub(crate) write: Option<PathBuf>,
    /// Play only hooks of five agents that answer the same call
    #[arg(long)]
    pub(crate) mixed: bool,
    /// Play the session and the hooks of a directory that `--write` created
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) from: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    /// Every command shows how it is called, and every such call is one.
    #[test]
    fn every_command_has_examples_that_are_right() {
        let all = <Cli as clap::CommandFactory>::command();
        for command in all.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // The lines above belong to other lists, e.g. the exit codes of doctor.
            let shown = help.split_once("Examples:").map_or("", |(_, tail)| tail);
            let examples: Vec<&str> = shown.lines().filter(|line| line.starts_with("  ")).collect();
            assert!(!examples.is_empty(), "{}", command.get_name());
            for example in examples {
                // No example has more than one word in quotes.
                let parts: Vec<&str> = example.split('\'').collect();
                let mut words: Vec<&str> = Vec::new();
                for (at, part) in parts.into_iter().enumerate() {
                    if at == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
                }
                Cli::try_parse_from(&words).unwrap_or_else(|why| panic!("{example}: {why}"));
                assert_eq!(words.get(1), Some(&command.get_name()), "{example}");
            }
        }
    }
}
