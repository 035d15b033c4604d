//! Which parts of a guard does a command change that the common tables do not tell of: directories that are replaced, rights,
//! editors, archives?

use super::Here;
use crate::call::Found;
use crate::protect;

/// Programs that change what their operands may be used for; the first operand says how.
const RIGHTS: &[&str] =
    &["chmod", "chown", "chgrp", "chattr", "setfacl", "chflags", "icacls", "xattr"];

/// Programs that change every file that they are handed.
const EDITORS: &[&str] = &[
    "vi",
    "vim",
    "nvim",
    "view",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "micro",
    "ed",
    "ex",
    "joe",
    "sponge",
    "dos2unix",
    "unix2dos",
    "sd",
    "srm",
    "rename",
    "gsed",
    "fallocate",
    "setfattr",
];

/// Programs that put files into a directory: how that one is named.
const UNPACKERS: &[(&str, &[&str])] = &[
    ("tar", &["-C", "--directory"]),
    ("bsdtar", &["-C", "--directory"]),
    ("gtar", &["-C", "--directory"]),
    ("unzip", &["-d"]),
    ("7z", &["-o"]),
    ("7za", &["-o"]),
    ("unar", &["-o"]),
    ("unrar", &[]),
    ("cpio", &["-D", "--directory"]),
    ("ar", &["--output"]),
    ("split", &[]),
    ("csplit", &["-f"]),
];

pub(super) fn look(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let name = view.name.as_str();
    let operands = || view.operands(&[]);
    if RIGHTS.contains(&name) {
        let changed = operands()
            .into_iter()
            .skip(1)
            .filter(|it| here.is_part(it) || protect::is_home_of_guard(&here.seen(it)));
        // Whoever gives a program or a directory back its usual rights takes nothing away.
        let harmless = view.says(&["+x", "u+x", "a+x"]);
        found.guards.extend(changed.filter(|_| !harmless).map(|it| here.seen(it)));
    }
    if EDITORS.contains(&name) {
        // A directory that has another name holds nothing any more.
        let moved = |it: &str| name == "rename" && protect::is_home_of_guard(&here.seen(it));
        let changed = operands().into_iter().filter(|it| here.is_part(it) || moved(it));
        found.guards.extend(changed.map(|it| here.seen(it)));
    }
    if (name == "mount" || name == "umount" || name == "fusermount")
        && operands().iter().any(|it| here.is_held(it))
    {
        found
            .guards
            .extend(operands().into_iter().filter(|it| here.is_held(it)).map(|it| here.seen(it)));
    }
    if name == "find" && view.says(&["-delete"]) {
        let meant = |it: &&str| here.is_part(it) || protect::is_home_of_guard(&here.seen(it));
        let named = view.args.iter().map(|it| it.trim_start_matches("*/").trim_end_matches("/*"));
        found.guards.extend(named.filter(meant).map(|it| here.seen(it)));
    }
    replaced(here, found);
    unpacked(here, found);
    if matches!(name, "awk" | "gawk") && view.says(&["inplace"])
        || name == "yq" && view.has('i', "inplace")
    {
        found
            .guards
            .extend(operands().into_iter().filter(|it| here.is_part(it)).map(|it| here.seen(it)));
    }
    // `sort -o FILE`, `gcc -o FILE`, `jq ... --output FILE`: whatever a program writes by an option.
    let options = ["-o", "--output", "--output-file", "--out", "--in-place"];
    let given = view.values(&options).into_iter().filter(|it| here.is_part(it));
    found.guards.extend(given.map(|it| here.seen(it)));
}

/// `cp -r x .claude`, `mv x .claude`, `ln -sfn x .claude`: another directory in the place of the one that holds a guard.
fn replaced(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let operands =
        view.operands(&["-t", "--target-directory", "-S", "--suffix", "-e", "--exclude"]);
    let whole = match view.name.as_str() {
        "cp" => {
            view.has('r', "recursive") || view.has('R', "recursive") || view.has('a', "archive")
        }
        "mv" | "ln" | "rsync" | "ditto" => true,
        "install" => false,
        _ => return,
    };
    let Some((to, from)) = operands.split_last() else { return };
    let to = view.values(&["-t", "--target-directory"]).first().copied().unwrap_or(to);
    let is_home = |path: &str| protect::is_home_of_guard(path);
    if whole && !to.ends_with('/') && is_home(&here.seen(to)) {
        found.guards.insert(here.seen(to));
    }
    for it in from
        .iter()
        .filter(|from| view.name != "cp" || !here.paths.is_copied_from_guard(from, to, &view.cwd))
    {
        let name = it.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let put = here.seen(&format!("{to}/{name}"));
        if (whole && is_home(&put)) || protect::hold(&put) == protect::Hold::Part {
            found.guards.insert(put);
        }
    }
}

/// What is unpacked into a guard, or taken from an archive by the name of one.
fn unpacked(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let Some((name, options)) = UNPACKERS.iter().find(|(it, _)| *it == view.name) else { return };
    let packs = match *name {
        "tar" | "bsdtar" | "gtar" => {
            let first = view.args.first().map(String::as_str).unwrap_or_default();
            let cluster = first.trim_start_matches('-');
            let plain = !first.starts_with("--") && cluster.contains('x');
            !(plain || view.has('x', "extract") || view.says(&["--get"]))
        }
        "unzip" => view.has('l', "list") || view.has('t', "test") || view.has('p', "pipe"),
        "7z" | "7za" => !view.says(&["x", "e"]),
        "cpio" => !view.has('i', "extract"),
        _ => false,
    };
    if packs {
        return;
    }
    let into = view.values(options);
    let directory = |it: &&str| {
        here.is_part(it) || here.is_home(it) || matches!(here.seen(it).as_str(), "~" | "/")
    };
    found.guards.extend(into.iter().filter(|it| directory(it)).map(|it| here.seen(it)));
    let base = into.first().copied().unwrap_or(".");
    let valued: Vec<&str> = options.iter().copied().chain(["-f", "--file"]).collect();
    let members = view.operands(&valued).into_iter().skip(1);
    let members = members.map(|it| here.seen(&format!("{base}/{it}")));
    let named = members
        .filter(|it| protect::hold(it) == protect::Hold::Part || protect::is_home_of_guard(it));
    found.guards.extend(named);
}
