//! Does a command end us: our process, our package, or by our own commands the guard that we are?

use super::Here;
use crate::call::Found;
use crate::call::view::View;
use crate::protect::{OWN_COMMANDS, OWN_OVERRIDES, PACKAGE};

/// Programs that install and remove packages.
const MANAGERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "cargo", "pip", "pip3", "pipx", "uv", "brew", "apt", "apt-get",
    "dpkg", "dnf", "yum", "rpm", "pacman", "yay", "apk", "zypper", "snap", "flatpak", "nix-env",
    "nix", "mise", "asdf", "port", "scoop", "choco", "winget", "volta", "conda", "gem", "aqua",
    "pkg", "python", "python3",
];

/// Words with which they remove.
const REMOVES: &[&str] = &[
    "uninstall",
    "remove",
    "rm",
    "un",
    "unlink",
    "r",
    "purge",
    "erase",
    "autoremove",
    "delete",
    "del",
    "-R",
    "-Rs",
    "-Rns",
    "-Rdd",
    "-e",
    "--erase",
    "-r",
    "-P",
    "--remove",
    "--purge",
    "--uninstall",
    "deactivate",
];

/// Programs that end processes by their names.
const BY_NAME: &[&str] = &["pkill", "killall", "killall5", "skill", "taskkill", "pkexec"];

/// Programs that find the numbers of processes by their names.
const FINDERS: &[&str] = &["pgrep", "pidof", "ps"];

/// Words with which services are ended.
const ENDS: &[&str] = &["stop", "disable", "kill", "mask", "unload", "bootout", "remove", "freeze"];

/// Notes what a command does to Tenterhook itself: it loosens a guard, or removes, replaces or
/// stops the program.
pub(super) fn note_tenterhook_disarmed(here: &Here<'_>, views: &[View<'_>], found: &mut Found) {
    let view = here.view;
    let name = view.name.as_str();
    if let Some(why) = loosening_command(here) {
        found.disarms.insert(why);
    }
    if MANAGERS.contains(&name)
        && view.has_argument(REMOVES)
        && view.args.iter().any(|arg| is_tenterhook_package(arg))
    {
        found.disarms.insert("removes the package of Tenterhook".to_owned());
    }
    if MANAGERS.contains(&name) && replaces_tenterhook(view) {
        found.disarms.insert("puts another package in the place of Tenterhook".to_owned());
    }
    let ends_by_name = BY_NAME.contains(&name) && finds_tenterhook_process(view);
    let ends_service = matches!(name, "systemctl" | "launchctl" | "service" | "rc-service" | "sv")
        && view.has_argument(ENDS)
        && view.args.iter().any(|arg| arg.contains(PACKAGE));
    // `kill $(pgrep tenterhook)`: the numbers come from another command.
    let finds =
        |view: &View<'_>| FINDERS.contains(&view.name.as_str()) && finds_tenterhook_process(view);
    let lists_lines = || views.iter().any(|view| view.name == "ps");
    let filters = |view: &View<'_>| {
        let may_be_us = |arg: &String| {
            may_match_tenterhook_name(arg) || may_match_tenterhook_line(arg) && lists_lines()
        };
        view.name.ends_with("grep") && view.args.iter().any(may_be_us)
    };
    let ends_found = name == "kill"
        && !view.has_argument(&["-0", "-l"])
        && views.iter().any(|view| finds(view) || filters(view));
    if ends_by_name || ends_service || ends_found {
        found.disarms.insert("ends Tenterhook".to_owned());
    }
    if name == "fuser"
        && view.has_option('k', "kill")
        && view.args.iter().any(|arg| here.names_part_of_guard(arg))
    {
        found.disarms.insert("ends Tenterhook".to_owned());
    }
    let replaces =
        name == "hash" && view.has_argument(&["-p"]) && view.args.iter().any(|arg| arg == PACKAGE);
    // `alias tenterhook=true`, `tenterhook() { :; }` last for a line; `hash -p` and `enable` do as well.
    if replaces || name == "alias" && view.args.iter().any(|arg| arg.starts_with("tenterhook=")) {
        found.disarms.insert("puts something else in the place of Tenterhook".to_owned());
    }
}

/// Returns the command of Tenterhook that loosens a guard, if this is one.
fn loosening_command(here: &Here<'_>) -> Option<String> {
    let view = here.view;
    if view.name != PACKAGE && view.name != "tenterhook-cli" {
        return None;
    }
    if view.has_argument(&["--help", "-h"]) {
        return None;
    }
    let operands = view.operands(&["--color", "--config", "--dialect"]);
    let is = |(words, looks): &&(&[&str], &[&str])| {
        let rest = operands.strip_prefix(*words);
        rest.is_some_and(|rest| !rest.first().is_some_and(|rest| looks.contains(rest)))
    };
    let overrides = |(_, options): &&(&[&str], &[&str])| view.has_argument(options);
    let begins = |(words, _): &&(&[&str], &[&str])| operands.starts_with(words);
    let (words, _) = OWN_COMMANDS
        .iter()
        .find(is)
        .or_else(|| OWN_OVERRIDES.iter().filter(overrides).find(begins))?;
    Some(format!("runs `tenterhook {}`", words.join(" ")))
}

/// Words with which a manager puts a package in the place of an installed one, or takes it from elsewhere.
const FORCES: &[&str] = &[
    "--force",
    "-f",
    "--force-reinstall",
    "--reinstall",
    "--overwrite",
    "--path",
    "--git",
    "--index",
    "--index-url",
    "-i",
    "--registry",
    "--find-links",
    "link",
    "ln",
];
/// Words with which a package is put elsewhere, where no agent finds it.
const ASIDE: &[&str] = &["--root", "--prefix", "--target", "-t"];

/// Whether a command installs another version of Tenterhook: `cargo install --force
/// tenterhook-cli`, `npm install -g tenterhook@file:x`, `npm link tenterhook`.
fn replaces_tenterhook(view: &View<'_>) -> bool {
    let is_install =
        view.has_argument(&["install", "i", "add", "link", "ln", "upgrade", "reinstall"]);
    let is_elsewhere =
        view.args.iter().any(|arg| ASIDE.contains(&arg.split('=').next().unwrap_or(arg)));
    let is_forced =
        view.args.iter().any(|arg| FORCES.contains(&arg.split('=').next().unwrap_or(arg)));
    let is_other = |arg: &String| {
        let rest = arg.strip_prefix(PACKAGE).and_then(|rest| rest.strip_prefix('@'));
        rest.is_some_and(|source| source.contains([':', '/']))
    };
    is_install
        && !is_elsewhere
        && (is_forced && view.args.iter().any(|arg| is_tenterhook_package(arg))
            || view.args.iter().any(is_other))
}

fn is_tenterhook_package(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.split(['@', '=']).next().unwrap_or(name);
    name == PACKAGE
        || name.strip_prefix(PACKAGE).is_some_and(|rest| rest.starts_with('-') || rest == "*")
}

/// Whether a program that searches for processes finds Tenterhook: by its name, or with `-f`
/// anywhere in its command line.
fn finds_tenterhook_process(view: &View<'_>) -> bool {
    let by_line = view.has_option('f', "full");
    view.args
        .iter()
        .any(|arg| may_match_tenterhook_name(arg) || by_line && may_match_tenterhook_line(arg))
}

/// Whether a pattern of process names may match Tenterhook.
fn may_match_tenterhook_name(pattern: &str) -> bool {
    let core = pattern.trim_start_matches('^').trim_end_matches(['$', '*', '.']);
    if core.starts_with('-') || core.len() < 3 {
        return false;
    }
    let bare = core.replace(['[', ']', '\\'], "");
    PACKAGE.contains(bare.as_str()) || bare.contains(PACKAGE) || bare.contains("tenter.*")
}

/// The line of our process as an agent starts it.
const OWN_LINE: &str = "tenterhook hook --agent";

/// Whether a pattern of command lines may match one of Tenterhook.
fn may_match_tenterhook_line(pattern: &str) -> bool {
    let bare = pattern
        .trim_start_matches(['^', '*', '.'])
        .trim_end_matches(['$', '*', '.'])
        .replace(['[', ']', '\\'], "");
    bare.len() >= 4 && !bare.starts_with('-') && OWN_LINE.contains(bare.as_str())
}
