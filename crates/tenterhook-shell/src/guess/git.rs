//! Finds the git aliases that a line defines, and the commands that git runs by them. Reads words
//! and variables; no file (S-71).

use super::super::word::{Word, quote_word};
use super::super::{Line, SimpleCommand};
use super::program::{Argument, split_arguments};
use super::remove_outer_quotes;

/// Most aliases of one line.
const MOST: usize = 16;
/// The section of git's settings that holds aliases, with its dot.
const LEAD: &str = "alias.";

/// An alias and its value.
pub(super) type Alias = (String, String);

/// Returns the aliases that a line defines: by `git -c`, `git config`, and by variables.
pub(super) fn defined_aliases(line: &Line) -> Vec<Alias> {
    let mut found = Vec::new();
    let variables = assigned_variables(line);
    let value_of =
        |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    for (name, value) in &variables {
        if let Some(number) = name.strip_prefix("GIT_CONFIG_KEY_")
            && let Some(alias) = value.strip_prefix(LEAD)
            && let Some(value) = value_of(&format!("GIT_CONFIG_VALUE_{number}"))
        {
            found.push((alias.to_owned(), value.to_owned()));
        }
        if *name == "GIT_CONFIG_PARAMETERS" {
            found.extend(parse_config_parameters(value));
        }
        if found.len() >= MOST {
            break;
        }
    }
    let all = line.commands.iter().filter(|command| is_git_command(command));
    for words in all.map(|command| &command.words) {
        for (at, word) in words.iter().enumerate() {
            let text = remove_outer_quotes(word);
            // Section names are case-insensitive.
            let at_lead = text.to_ascii_lowercase().find(LEAD);
            let parts = at_lead.and_then(|start| text.split_at_checked(start));
            let Some((before, rest)) = parts else { continue };
            let rest = rest.get(LEAD.len()..).unwrap_or_default();
            let next = || words.get(at + 1).map(remove_outer_quotes);
            let is_environment = before.contains("config-env")
                || at
                    .checked_sub(1)
                    .and_then(|at| words.get(at))
                    .is_some_and(|word| word.text == "--config-env");
            let (name, value) = match rest.split_once('=') {
                Some((name, variable)) if is_environment => (name, value_of(variable)),
                Some((name, value)) => (name, Some(value.trim_matches(['"', '\'']))),
                None => (rest, next()),
            };
            found.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        }
    }
    found.truncate(MOST);
    found
}

/// Returns the texts that a git command may run: the value of the alias that it names, with its
/// arguments, and each alias that it defines.
pub(super) fn alias_commands(command: &SimpleCommand, aliases: &[Alias]) -> Vec<String> {
    if aliases.is_empty() || !is_git_command(command) {
        return Vec::new();
    }
    let verb = split_arguments("git", &command.words).find_map(|(at, argument)| match argument {
        Argument::Operand(text) => Some((at, text)),
        Argument::Option(_) => None,
    });
    let called =
        verb.and_then(|(at, name)| {
            let (_, value) = aliases.iter().find(|(alias, _)| alias == name)?;
            let rest = command.words.get(at + 1..).unwrap_or_default().iter();
            let rest: Vec<String> =
                rest.map(|word: &Word| {
                    if word.is_dynamic() { word.source.clone() } else { quote_word(&word.text) }
                })
                .collect();
            Some(format!("{} {}", alias_to_shell_line(value), rest.join(" ")))
        });
    let defines = |(name, _): &&Alias| {
        let named = format!("{LEAD}{name}");
        command.words.iter().any(|word| word.text.contains(&named))
    };
    let defined = aliases.iter().filter(defines).map(|(_, value)| alias_to_shell_line(value));
    called.into_iter().chain(defined).map(|line| line.trim_end().to_owned()).collect()
}

/// Converts the value of an alias to a shell line: `!code` is a shell line already, every other
/// value is a git command.
fn alias_to_shell_line(value: &str) -> String {
    value.strip_prefix('!').map_or_else(|| format!("git {value}"), str::to_owned)
}

fn is_git_command(command: &SimpleCommand) -> bool {
    command.program_name() == Some("git")
}

/// Returns the variables that a line sets, also by `export` and `env`.
fn assigned_variables(line: &Line) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for command in &line.commands {
        found.extend(
            command
                .assignments
                .iter()
                .map(|one| (one.name.as_str(), remove_outer_quotes(&one.value))),
        );
        if matches!(command.program_name(), Some("export" | "declare" | "typeset" | "env" | "sudo"))
        {
            let pairs = command.words.iter().filter_map(|word| word.text.split_once('='));
            found.extend(pairs.map(|(name, value)| (name, value.trim_matches(['"', '\'']))));
        }
    }
    found
}

/// Parses the aliases in `GIT_CONFIG_PARAMETERS`: `'alias.p=push --force' 'a.b'='c'`.
fn parse_config_parameters(value: &str) -> Vec<Alias> {
    let value = value.trim_matches('"');
    let all = value.split(LEAD).skip(1).filter_map(|one| {
        let (name, rest) = one.split_once('=')?;
        let rest = rest.trim_start_matches('\'');
        Some((name.trim_matches('\'').to_owned(), rest.split('\'').next()?.to_owned()))
    });
    all.collect()
}
