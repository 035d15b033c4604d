//! Parses the command line of `tenterhook hook` in the form that `install` writes, without Clap: building the definitions of all commands would
//! cost each call of an agent more than its rules do. Leaves every other command line to Clap.

use super::fire::Hook;
use super::values::{find_calling_agent, parse_duration, parse_named_file};

/// Parses `hook` and its flags, each with a value. Returns `None` for every command line that is
/// wrong or that Clap may read differently: then Clap parses it.
pub(super) fn parse_installed_call(words: &[String]) -> Option<Hook> {
    let (command, words) = words.split_first()?;
    if command != "hook" {
        return None;
    }
    let (mut agent, mut event, mut within, mut aside) = (None, None, None, None);
    let (mut config, mut words) = (Vec::new(), words.iter().map(String::as_str));
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some(pair) => pair,
            None => (word, words.next()?),
        };
        if !is_plain_value(value) {
            return None;
        }
        match flag {
            "--agent" => set_once(&mut agent, find_calling_agent(value))?,
            "--event" => set_once(&mut event, Some(value.to_owned()))?,
            "--within" => set_once(&mut within, parse_duration(value).ok())?,
            "--config" => config.push(parse_named_file(value).ok()?),
            "--aside" => set_once(&mut aside, value.parse().ok())?,
            _ => return None,
        }
    }
    Some(Hook { agent: agent?, event: event?, within, config, aside })
}

/// Returns whether Clap takes this word for a value wherever it stands. A replacement character may
/// stand for bytes that are not UTF-8, which Clap refuses.
fn is_plain_value(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('-') && !word.contains(char::REPLACEMENT_CHARACTER)
}

/// Sets the value of a flag. Returns `None` if there is no value, or if the flag was given before.
fn set_once<T>(flag: &mut Option<T>, value: Option<T>) -> Option<()> {
    let given_before = flag.replace(value?);
    given_before.is_none().then_some(())
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;
    use tenterhook_core::dialect::DialectId;

    use super::super::{Cli, Color, Command, command_with_grouped_help};
    use super::*;

    fn split_words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    /// Returns what Clap reads, if it is a call without global flags.
    fn call_read_by_clap(words: &[String]) -> Option<Hook> {
        let words = ["tenterhook".to_owned()].into_iter().chain(words.iter().cloned());
        let matches = command_with_grouped_help().try_get_matches_from(words).ok()?;
        match Cli::from_arg_matches(&matches).ok()? {
            Cli { color: Color::Auto, verbose: false, command: Command::Hook(hook) } => Some(hook),
            _ => None,
        }
    }

    #[test]
    fn the_lines_that_install_writes_are_read_without_clap() {
        for agent in DialectId::agents() {
            let line = format!("hook --agent {agent} --event PreToolUse --within 55s");
            assert!(parse_installed_call(&split_words(&line)).is_some(), "{line}");
        }
        for line in [
            "hook --agent=codex --event=Stop --config=a.toml --config claude=b.json",
            "hook --agent codex --event Stop --aside 7",
        ] {
            assert!(parse_installed_call(&split_words(line)).is_some(), "{line}");
        }
    }

    /// All lines with up to two flags of this list after each start, in each order.
    #[test]
    fn every_line_that_is_read_without_clap_means_the_same_to_clap() {
        const START: &[&str] =
            &["hook", "hook --agent codex", "fire", "hook --agent codex --event Stop"];
        const FLAGS: &[&str] = &[
            "--agent codex",
            "--agent=claude",
            "--agent Codex",
            "--agent native",
            "--event PreToolUse",
            "--event=a=b",
            "--event=-x",
            "--event -x",
            "--event",
            "--event=",
            "--within 5s",
            "--within=5",
            "--within 0s",
            "--config a.toml",
            "--config=native=a.toml",
            "--config klaude=a",
            "--aside 7",
            "--aside +7",
            "--aside=-7",
            "--aside 18446744073709551616",
            "--ev Stop",
            "-v",
            "--verbose=1",
            "--help",
            "--",
            "word",
            "\u{fffd}",
            "--event \u{fffd}",
        ];
        let mut read = 0;
        let more = || FLAGS.iter().copied().chain([""]);
        for start in START {
            for (first, second) in more().flat_map(|first| more().map(move |next| (first, next))) {
                let line = format!("{start} {first} {second}");
                let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                let Some(call) = parse_installed_call(&words) else { continue };
                let expected = call_read_by_clap(&words).expect(&line);
                assert_eq!(format!("{call:?}"), format!("{expected:?}"), "{line}");
                read += 1;
            }
        }
        assert!(read > 50, "only {read} lines were read without Clap");
    }
}
