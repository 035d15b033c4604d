//! Which programs do what rules ask about? Names only, in order: the arguments of an unknown program are looked at
//! where it names one of them.

/// The programs, sorted.
const JUDGED: &[&str] = &[
    "aws",
    "az",
    "base64",
    "bash",
    "blkdiscard",
    "chmod",
    "chown",
    "crontab",
    "curl",
    "dash",
    "dd",
    "docker",
    "dropdb",
    "eval",
    "find",
    "gcloud",
    "gh",
    "git",
    "halt",
    "helm",
    "kill",
    "killall",
    "kubectl",
    "mke2fs",
    "mkfs",
    "mkfs.btrfs",
    "mkfs.ext4",
    "mkfs.vfat",
    "mkfs.xfs",
    "mongosh",
    "mv",
    "mysql",
    "mysqladmin",
    "npx",
    "pkill",
    "podman",
    "poweroff",
    "psql",
    "pulumi",
    "python",
    "python3",
    "reboot",
    "redis-cli",
    "rimraf",
    "rm",
    "sh",
    "shred",
    "shutdown",
    "sqlite3",
    "sudo",
    "tee",
    "terraform",
    "tofu",
    "truncate",
    "unlink",
    "wget",
    "wipefs",
    "xargs",
    "zsh",
];

/// Whether rules ask about a program.
pub(super) fn is_program_named_by_rules(name: &str) -> bool {
    JUDGED.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order() {
        assert!(JUDGED.is_sorted());
    }
}
