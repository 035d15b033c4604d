//! The commands in groups, as `--help` and the manual page list them. Parses nothing.

use clap::{Command, CommandFactory};

use super::Cli;
use crate::show::layout::display_width;
use crate::show::paint::paint;

/// The title of each group, and its commands in the order in which they are shown.
const GROUPS: &[(&str, &[&str])] = &[
    ("Write hooks", &["init", "check", "test", "convert", "events", "schema", "demo"]),
    ("Run hooks", &["install", "uninstall", "fire", "hook"]),
    ("Look at hooks", &["list", "explain", "status", "doctor", "probe"]),
    ("Protect", &["rules", "trust", "untrust", "allow", "pause"]),
    ("Records and sessions", &["log", "promote", "backtest", "transcripts", "reconcile"]),
    ("Other", &["completions", "help"]),
];

/// Returns the definition of the command line. Its help page lists the commands in groups.
pub(crate) fn command_with_grouped_help() -> Command {
    let command = Cli::command();
    let list = grouped_command_list(&command);
    let title_style = *command.get_styles().get_header();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n{}\n{{options}}{{after-help}}",
        paint(title_style, "Options:")
    ))
}

/// Renders the commands below the titles of their groups.
fn grouped_command_list(command: &Command) -> String {
    let width =
        command.get_subcommands().map(|sub| display_width(sub.get_name())).max().unwrap_or(0);
    let (title_style, name_style) =
        (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut out = String::new();
    for (title, names) in GROUPS {
        out.push_str(&format!("\n{}\n", paint(*title_style, format!("{title}:"))));
        for name in *names {
            let about = about_line_of_command(command, name);
            out.push_str(&format!(
                "  {}  {about}\n",
                paint(*name_style, format!("{name:<width$}"))
            ));
        }
    }
    out
}

/// Returns the line that describes a command.
fn about_line_of_command(command: &Command, name: &str) -> String {
    match command.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        // Clap adds `help` when it parses.
        None => "Print this page, or the help of a command".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_in_one_group() {
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let mut names: Vec<&str> = visible.map(Command::get_name).chain(["help"]).collect();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(names, grouped);
    }

    #[test]
    fn every_line_of_the_list_fits_80_columns() {
        let list = anstream::adapter::strip_str(&grouped_command_list(&Cli::command())).to_string();
        for line in list.lines() {
            assert!(display_width(line) <= 80, "{line}");
        }
    }
}
