//! Does a command end us: our process, our package, or by our own commands the guard that we are?

use super::Here;
use crate::call::Found;
use crate::call::view::View;
use crate::protect::{OWN_COMMANDS, PACKAGE};

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

pub(super) fn look(here: &Here<'_>, views: &[View<'_>], found: &mut Found) {
    let view = here.view;
    let name = view.name.as_str();
    if let Some(why) = own_command(here) {
        found.disarms.insert(why);
    }
    if MANAGERS.contains(&name) && view.says(REMOVES) && view.args.iter().any(|it| is_package(it)) {
        found.disarms.insert("removes the package of Tenterhook".to_owned());
    }
    let ends_by_name = BY_NAME.contains(&name) && view.args.iter().any(|it| may_be_us(it));
    let ends_service = matches!(name, "systemctl" | "launchctl" | "service" | "rc-service" | "sv")
        && view.says(ENDS)
        && view.args.iter().any(|it| it.contains(PACKAGE));
    // `kill $(pgrep tenterhook)`: the numbers come from a command of their own.
    let finds = |it: &View<'_>| {
        FINDERS.contains(&it.name.as_str()) && it.args.iter().any(|it| may_be_us(it))
    };
    let filters =
        |it: &View<'_>| it.name.ends_with("grep") && it.args.iter().any(|it| may_be_us(it));
    let ends_found = name == "kill"
        && !view.says(&["-0", "-l"])
        && views.iter().any(|it| finds(it) || filters(it));
    if ends_by_name || ends_service || ends_found {
        found.disarms.insert("ends Tenterhook".to_owned());
    }
    // `alias tenterhook=true`, `tenterhook() { :; }` last for a line; `hash -p` and `enable` do as well.
    if name == "alias" && view.args.iter().any(|it| it.starts_with("tenterhook=")) {
        found.disarms.insert("puts something else in the place of Tenterhook".to_owned());
    }
}

/// One of our own commands that loosens a guard.
fn own_command(here: &Here<'_>) -> Option<String> {
    let view = here.view;
    if view.name != PACKAGE && view.name != "tenterhook-cli" {
        return None;
    }
    if view.says(&["--help", "-h"]) {
        return None;
    }
    let operands = view.operands(&["--color", "--config", "--dialect"]);
    let is = |(words, looks): &&(&[&str], &[&str])| {
        let rest = operands.strip_prefix(*words);
        rest.is_some_and(|rest| !rest.first().is_some_and(|it| looks.contains(it)))
    };
    let (words, _) = OWN_COMMANDS.iter().find(is)?;
    Some(format!("runs `tenterhook {}`", words.join(" ")))
}

fn is_package(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.split(['@', '=']).next().unwrap_or(name);
    name == PACKAGE || name.strip_prefix(PACKAGE).is_some_and(|it| it.starts_with('-') || it == "*")
}

/// Whether a pattern of process names fits us.
fn may_be_us(pattern: &str) -> bool {
    let core = pattern.trim_start_matches('^').trim_end_matches(['$', '*', '.']);
    if core.starts_with('-') || core.len() < 3 {
        return false;
    }
    let bare = core.replace(['[', ']', '\\'], "");
    PACKAGE.contains(bare.as_str()) || bare.contains(PACKAGE) || bare.contains("tenter.*")
}
