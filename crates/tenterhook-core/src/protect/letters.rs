//! Can a call concern a guard at all? A cheap look at its letters, before anybody reads it; it may say yes too often, and no
//! only where nothing in the text names a guard or could spell one.

use crate::agents::{AGENTS, Agent};

/// Parts of words that name a guard beside the names and programs of agents ([`AGENTS`]), in lower case.
const NAMES: &[&str] = &[
    "agent",
    "ampcode",
    "codeium",
    "core.hooks",
    "crushr",
    "factory",
    "hook",
    "managed-settings",
    "settings.json",
    "tenter",
];

/// Directories that hold a guard beside much else, and whose names tell of none.
const HOLDERS: &[&[u8]] = &[
    b".cargo",
    b".config",
    b".github",
    b".local",
    b".npm-global",
    b"bin",
    b"documents",
    b"library",
];

/// Where a line may say what shells and agents that start later find: files, commands and variables.
const START: &[&str] = &[
    "bashrc",
    "bash_",
    "profile",
    "zshrc",
    "zshenv",
    "zlogin",
    "fish",
    "environment",
    "setenv",
    "xdg_",
];

/// Programs and words that change files, empty directories or end programs. Without one of them, a text that hides a name does no
/// harm. A test holds them to the table of what programs delete.
const CHANGERS: &[&str] = &[
    "7z",
    "7za",
    "7zz",
    "ac",
    "add-content",
    "appendalltext",
    "apptainer",
    "at",
    "attrib",
    "awk",
    "aws",
    "azcopy",
    "batch",
    "bindfs",
    "brename",
    "bsdtar",
    "btrfs",
    "buildah",
    "bun",
    "bunzip2",
    "bwrap",
    "bzip2",
    "chattr",
    "checkout",
    "checkout-index",
    "chezmoi",
    "chflags",
    "chgrp",
    "chmod",
    "chown",
    "clc",
    "clean",
    "clear-content",
    "clear-item",
    "clone",
    "cmd",
    "cmd.exe",
    "copy",
    "copy-item",
    "copyto",
    "cp",
    "cpi",
    "cpio",
    "createsymboliclink",
    "crontab",
    "curl",
    "dd",
    "del",
    "del-cli",
    "delete",
    "delete-directory",
    "delete-file",
    "deno",
    "destroy",
    "ditto",
    "docker",
    "ed",
    "elixir",
    "emacs",
    "emacsclient",
    "encfs",
    "erase",
    "erl",
    "eval",
    "ex",
    "expand-archive",
    "expect",
    "export-csv",
    "fd",
    "fdfind",
    "find",
    "ftp",
    "fuse-overlayfs",
    "fusermount",
    "fusermount3",
    "gawk",
    "gcp",
    "ghc",
    "gio",
    "gmv",
    "gocryptfs",
    "grm",
    "groovy",
    "gsutil",
    "gtar",
    "gtrash",
    "guile",
    "gunzip",
    "gzip",
    "icacls",
    "icm",
    "install",
    "invoke-command",
    "invoke-webrequest",
    "iwr",
    "julia",
    "kill",
    "killall",
    "kioclient",
    "kioclient5",
    "kioclient6",
    "lftp",
    "lha",
    "link",
    "ln",
    "lua",
    "luajit",
    "mawk",
    "mergerfs",
    "mi",
    "mirror",
    "mklink",
    "mmv",
    "mount",
    "move",
    "move-item",
    "movefile",
    "moveto",
    "mv",
    "nano",
    "nawk",
    "nerdctl",
    "new-item",
    "ni",
    "node",
    "nvim",
    "ocaml",
    "osascript",
    "out-file",
    "perl",
    "perl-rename",
    "php",
    "pigz",
    "pkill",
    "podman",
    "powershell",
    "premove",
    "prename",
    "psql",
    "purge",
    "pwsh",
    "python",
    "python3",
    "rar",
    "rclone",
    "rd",
    "read-tree",
    "reg",
    "remove",
    "remove-item",
    "ren",
    "rename",
    "rename-file",
    "rename-item",
    "reset",
    "restore",
    "ri",
    "rimraf",
    "rip",
    "rm",
    "rm-rf",
    "rmdir",
    "rmrf",
    "rni",
    "robocopy",
    "rscript",
    "rsync",
    "ruby",
    "runghc",
    "s5cmd",
    "safe-rm",
    "saps",
    "sc",
    "scala",
    "scheme",
    "sed",
    "set-acl",
    "set-content",
    "set-item",
    "set-itemproperty",
    "setfacl",
    "setx",
    "sh",
    "shred",
    "si",
    "singularity",
    "sparse-checkout",
    "sponge",
    "spps",
    "sqlite3",
    "srm",
    "sshfs",
    "start-process",
    "stash",
    "stop-process",
    "subvolume",
    "switch",
    "symlink",
    "sync",
    "systemd-nspawn",
    "tar",
    "taskkill",
    "tclsh",
    "tcpdump",
    "tee",
    "tee-object",
    "touch",
    "trash",
    "trash-cli",
    "trash-put",
    "truncate",
    "tshark",
    "umount",
    "unar",
    "uninstall",
    "unionfs-fuse",
    "unlink",
    "unxz",
    "unzip",
    "unzstd",
    "vi",
    "vidir",
    "vim",
    "wget",
    "wipe",
    "wish",
    "worktree",
    "write-region",
    "writeallbytes",
    "writealllines",
    "writealltext",
    "xargs",
    "xcopy",
    "xz",
    "yadm",
    "zip",
    "zmv",
    "zstd",
];

/// Programs that change what a file says they should, or run code that is spelt in another way.
const READERS: &[&str] = &[
    "am",
    "apply",
    "apply_patch",
    "encodedcommand",
    "frombase64string",
    "gpatch",
    "iex",
    "invoke-expression",
    "patch",
    "powershell",
    "powershell.exe",
    "pwsh",
    "pwsh.exe",
    "scriptblock",
];

/// Longest text that is looked through; a longer one may say anything.
const LONGEST: usize = 64 * 1024;

/// Returns true if a shell line may concern a guard: it names one, or it hides its targets and
/// changes something.
#[must_use]
pub fn may_concern_guard(line: &str) -> bool {
    if line.len() > LONGEST {
        return true;
    }
    let plain = strip_quotes_and_lowercase(line);
    if contains_guard_name(&plain) || contains_any_word(&plain, READERS) {
        return true;
    }
    // What a pattern, a variable, a substitution or a directory as a whole may stand for is unknown here.
    may_hide_paths(line, &plain) && has_file_changing_command(&plain)
}

/// Returns true if the text has a word that changes files or ends programs.
#[must_use]
pub fn may_change_files(text: &str) -> bool {
    text.len() > LONGEST || has_file_changing_command(&strip_quotes_and_lowercase(text))
}

/// Returns true if the text names a guard literally.
#[must_use]
pub fn names_guard_literally(text: &str) -> bool {
    text.len() > LONGEST || contains_guard_name(&strip_quotes_and_lowercase(text))
}

/// Returns the text in lower case, without the characters that shells remove from words: quotes,
/// backslashes, PowerShell's backtick and `^` of cmd.
fn strip_quotes_and_lowercase(text: &str) -> Vec<u8> {
    text.bytes()
        .filter(|byte| !matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'^'))
        .map(|byte| byte.to_ascii_lowercase())
        .collect()
}

fn contains_guard_name(plain: &[u8]) -> bool {
    let at_pair =
        |(at, pair): (usize, &[u8])| may_begin_guard_name(pair) && has_guard_name_at(plain, at);
    plain.windows(2).enumerate().any(at_pair)
}

/// The second letters of all names that begin with one letter, a bit for each: most of a long text is compared with no name.
#[expect(clippy::indexing_slicing, reason = "it is a constant: an index too far does not compile")]
const SECOND: [u32; 26] = {
    let mut second = [0; 26];
    let mut agent = 0;
    while agent < AGENTS.len() {
        let names = [&[AGENTS[agent].name], AGENTS[agent].programs];
        second =
            add_second_letters_of_names(add_second_letters_of_names(second, names[0]), names[1]);
        agent += 1;
    }
    add_second_letters_of_names(add_second_letters_of_names(second, NAMES), START)
};

#[expect(
    clippy::indexing_slicing,
    reason = "it makes a constant: an index too far does not compile"
)]
/// Adds to the set of each first letter the second letter of every name that begins with it.
const fn add_second_letters_of_names(mut second: [u32; 26], names: &[&str]) -> [u32; 26] {
    let mut name = 0;
    while name < names.len() {
        let letters = names[name].as_bytes();
        second[(letters[0] - b'a') as usize] |= 1 << (letters[1] - b'a');
        name += 1;
    }
    second
}

/// Returns true if a name may begin with these two letters.
fn may_begin_guard_name(pair: &[u8]) -> bool {
    let &[first, second] = pair else { return false };
    let letters = SECOND.get(usize::from(first.wrapping_sub(b'a'))).copied().unwrap_or_default();
    let bit = u32::from(second.wrapping_sub(b'a'));
    letters.checked_shr(bit).is_some_and(|n| n & 1 == 1)
}

/// Returns true if a name begins at this offset.
fn has_guard_name_at(plain: &[u8], at: usize) -> bool {
    let (before, rest) = plain.split_at_checked(at).unwrap_or_default();
    let starts = |name: &&str| rest.starts_with(name.as_bytes());
    let stands_alone = |text: &&str| {
        let end = rest.get(text.len()).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        end && before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric())
    };
    let is_of_agent = |agent: &&Agent| {
        let names = [agent.name];
        let mut names = names.iter().chain(agent.programs);
        names.any(|name| starts(name) && (!agent.is_part_of_words || stands_alone(name)))
    };
    NAMES.iter().chain(START).any(starts) || AGENTS.iter().any(is_of_agent)
}

/// Returns true if a line may name files that cannot be seen in it: it has words that the shell
/// expands, or directories that hold many files.
fn may_hide_paths(line: &str, plain: &[u8]) -> bool {
    let bytes = line.as_bytes();
    let computed = bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'*' | b'?' | b'[' | b'{' | b'`' => true,
        b'!' | b'@' => bytes.get(at + 1) == Some(&b'('),
        // A pattern of Bash, or the join of PowerShell: `'.cla' + 'ude'`.
        b'+' => {
            let before = bytes.get(..at).unwrap_or_default().trim_ascii_end();
            bytes.get(at + 1) == Some(&b'(') || before.ends_with(b"'") || before.ends_with(b"\"")
        }
        b'$' => {
            bytes.get(at + 1).is_some_and(|byte| !matches!(byte, b'?' | b'#' | b'!' | b' ' | b'"'))
        }
        _ => false,
    });
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b';' | b'|' | b'&' | b'=' | b'(' | b')' | b'<' | b'>' | b'+' | b',')
    };
    let holds = |word: &[u8]| {
        let mut parts = word.split(|byte| *byte == b'/').filter(|word| !word.is_empty());
        parts.next_back().is_some_and(|part| HOLDERS.contains(&part))
    };
    let rooted = |word: &[u8]| {
        matches!(word, [b'.'] | b"./" | [b'~' | b'/', ..] | [b'.', b'.', ..]) || holds(word)
    };
    computed || plain.split(ends).any(rooted) || changes_to_unnamed_directory(plain, &ends)
}

/// Returns true if a text changes to a directory that it does not name: `cd` alone means the home.
fn changes_to_unnamed_directory(plain: &[u8], ends: &dyn Fn(&u8) -> bool) -> bool {
    let words = plain.split(ends);
    let mut pairs = words.clone().zip(words.skip(1).chain([&b""[..]]));
    pairs.any(|(word, next)| {
        matches!(word, b"cd" | b"pushd") && matches!(next, b"" | b"-" | b"--")
            || matches!(word, b"popd" | b"yadm")
    })
}

fn has_file_changing_command(plain: &[u8]) -> bool {
    // A redirection into a file; `2>&1` and `>/dev/null` do not match.
    let text = || plain.iter().enumerate().filter(|(_, byte)| **byte == b'>');
    let file = |(at, _): (usize, &u8)| {
        let rest = plain.get(at + 1..).unwrap_or_default();
        let rest = rest.trim_ascii_start();
        !(rest.starts_with(b"&") || rest.starts_with(b"/dev/null") || rest.starts_with(b">"))
    };
    contains_any_word(plain, CHANGERS) || text().any(file)
}

/// Returns true if the text contains one of these words.
fn contains_any_word(plain: &[u8], words: &[&str]) -> bool {
    let ends = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    // Nearly always the first letter tells.
    let order = |text: &str, word: &[u8]| {
        let bytes = text.as_bytes();
        bytes.first().cmp(&word.first()).then_with(|| bytes.cmp(word))
    };
    let is_word = |word: &[u8]| words.binary_search_by(|text| order(text, word)).is_ok();
    // `python3.12`, `perl5.36`.
    let is_digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let stem = |word: &[u8]| {
        let end = word.iter().rposition(|byte| !is_digit(byte)).map_or(0, |at| at + 1);
        word.len() > end && word.get(..end).is_some_and(is_word)
    };
    plain.split(ends).any(|word| is_word(word) || stem(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        assert!([NAMES, CHANGERS, READERS].iter().all(|list| list.is_sorted()));
    }

    #[test]
    fn every_name_of_the_table_is_seen() {
        for agent in AGENTS {
            for text in agent.guarded.files.iter().chain(agent.programs) {
                assert!(names_guard_literally(text), "{}: {text}", agent.name);
            }
        }
    }

    /// SP-4, SP-50.
    #[test]
    fn what_concerns_no_guard_is_passed_over() {
        for line in [
            "ls -la",
            "cargo test --workspace 2>&1 | tail -5",
            "git status",
            "npm ci",
            "rm -rf target",
            "ls .github",
            "git commit -m 'mend the parser'",
            "cd src && cargo build; echo $?",
            "cd src && git clean -fdx",
            "echo done > out.txt",
        ] {
            assert!(!may_concern_guard(line), "{line}");
        }
        for line in [
            "rm -rf .c*",
            "rm -rf ~",
            "mv . ../x",
            "rm -rf .github",
            "cd; rm -rf Library",
            "cd && git clean -fdx",
            "git -C ~/.config clean -fdx",
            "python3.12 -c 'shutil.rmtree(x)' ~",
            "r\\m -rf .cl'au'de",
            "X=.cl; rm -rf ${X}aude",
            "pkill tent'er'hook",
            "echo 'export PATH=x' >> ~/.bashrc",
            "echo 'set -x PATH x' >> /home/u/.config/fish/config.fish",
            "cat .env | tee gen",
        ] {
            assert!(may_concern_guard(line), "{line}");
        }
    }
}
