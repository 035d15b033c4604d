//! Which programs read, write, copy and change the files that they are handed? Names only.

/// Programs that do not show or copy what is in the files that they are handed.
pub(super) const NO_READERS: &[&str] = &[
    "",
    ".",
    ":",
    "[",
    "[[",
    "alias",
    "ansible",
    "ansible-playbook",
    "age",
    "aws",
    "az",
    "basename",
    "bg",
    "break",
    "cargo",
    "cd",
    "chattr",
    "chflags",
    "chgrp",
    "chmod",
    "chown",
    "code",
    "continue",
    "curl",
    "dd",
    "declare",
    "df",
    "direnv",
    "dirname",
    "docker",
    "docker-compose",
    "dotenv",
    "du",
    "echo",
    "emacs",
    "exit",
    "export",
    "false",
    "fg",
    "file",
    "gcloud",
    "gh",
    "git",
    "glab",
    "go",
    "gradle",
    "helm",
    "help",
    "history",
    "jobs",
    "kill",
    "kubectl",
    "let",
    "ln",
    "local",
    "ls",
    "make",
    "man",
    "md5sum",
    "mkdir",
    "mount",
    "mv",
    "mvn",
    "nano",
    "nerdctl",
    "nft",
    "npm",
    "npx",
    "open",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "popd",
    "poetry",
    "printf",
    "pushd",
    "pwd",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "rm",
    "rmdir",
    "set",
    "setfacl",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shift",
    "shred",
    "sleep",
    "sops",
    "source",
    "ssh",
    "ssh-add",
    "ssh-copy-id",
    "ssh-keygen",
    "stat",
    "systemctl",
    "tee",
    "tenterhook",
    "terraform",
    "test",
    "tofu",
    "touch",
    "tree",
    "true",
    "truncate",
    "type",
    "umask",
    "unlink",
    "unset",
    "uv",
    "vi",
    "vim",
    "visudo",
    "wait",
    "wc",
    "wget",
    "which",
    "yarn",
];

/// Programs whose first operand is a pattern or a script, unless it comes by `-e` or `-f`.
pub(super) const PATTERN_FIRST: &[&str] = &[
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "sed", "gsed", "awk", "gawk", "mawk",
    "nawk", "jq", "yq", "tr", "perl",
];

/// Those of them whose `-e` sets the exit code.
pub(super) const EXIT_STATUS: &[&str] = &["jq", "yq"];

/// Programs that divide, format or erase disks; with `-l` they only look.
pub(super) const DISK_TOOLS: &[&str] = &["fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted"];

/// The same for programs that do so only where an argument starts with one of these texts.
pub(super) const DISK_CHANGERS: &[(&str, &[&str])] = &[
    ("mke2fs", &[]),
    ("mkdosfs", &[]),
    ("mkntfs", &[]),
    ("newfs", &[]),
    ("nwipe", &[]),
    ("scrub", &[]),
    ("sg_format", &[]),
    ("zerofree", &[]),
    ("pvcreate", &[]),
    ("pvremove", &[]),
    ("badblocks", &["-w", "-sw", "-vw", "-svw", "-wsv", "-ws"]),
    ("hdparm", &["--security-erase", "--trim-sector"]),
    ("nvme", &["format", "sanitize"]),
    ("mdadm", &["--zero-superblock", "--create", "-C"]),
    ("zpool", &["create", "destroy", "labelclear"]),
];

/// Programs that remove their operands with everything in them.
pub(super) const DELETERS: &[&str] = &[
    "rimraf",
    "trash",
    "trash-put",
    "trash-cli",
    "srm",
    "wipe",
    "rip",
    "del",
    "del-cli",
    "rm-rf",
    "premove",
    "rmrf",
    "safe-rm",
];

/// Programs that copy all operands to the last one.
pub(super) const COPIERS: &[&str] = &["cp", "mv", "ln", "install", "rsync", "scp", "ditto"];

/// Programs that change files in place with `-i`.
pub(super) const IN_PLACE: &[&str] = &["sed", "gsed", "perl", "ruby"];

/// Programs that give other owners or rights to their operands after the first.
pub(super) const RIGHTS: &[&str] = &["chmod", "chown", "chgrp", "setfacl", "chflags"];

/// Options that are followed by a value, by the programs that have them.
const VALUED: &[(&[&str], &[&str])] = &[
    (&["cp", "mv", "ln", "ditto"], &["-t", "--target-directory", "-S", "--suffix"]),
    (&["install"], &["-t", "--target-directory", "-m", "--mode", "-o", "--owner", "-g", "--group"]),
    (
        &["scp", "rsync"],
        &["-i", "-e", "-P", "-F", "-o", "-J", "-c", "-l", "-S", "--exclude", "--include"],
    ),
    (&["touch", "truncate", "shred"], &["-d", "-t", "-r", "-s", "--size", "-n", "--reference"]),
];

/// The options of a program that are followed by a value.
pub(super) fn options_with_value(name: &str) -> &'static [&'static str] {
    VALUED.iter().find(|(names, _)| names.contains(&name)).map_or(&[], |(_, valued)| *valued)
}
