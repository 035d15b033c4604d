//! Which programs read directories with everything in them? Data only.

use super::Skips;

/// A program that goes through directories and reads what it comes upon.
pub(super) struct Reader {
    pub(super) programs: &'static [&'static str],
    pub(super) when: When,
    /// What it leaves out by itself.
    pub(super) skips: Skips,
    /// Options with which it leaves nothing out.
    pub(super) shows_all: &'static [(char, &'static str)],
    /// Options that name the directory from which its operands are meant.
    pub(super) starts: &'static [&'static str],
}

/// When a program goes through directories.
pub(super) enum When {
    /// Whenever an operand is one.
    Always,
    /// With one of these options; its operands are the directories.
    Given(&'static [(char, &'static str)]),
    /// With one of these words.
    Word(&'static [&'static str]),
    /// With one of these options; a pattern stands before the directories.
    Searching(&'static [(char, &'static str)]),
    /// Always; a pattern stands before the directories.
    Walking,
    /// Where its first word holds one of these letters.
    Bundled(&'static [char]),
}

const RECURSIVE: &[(char, &str)] = &[('r', "recursive"), ('R', "dereference-recursive")];
const COPYING: &[(char, &str)] = &[('r', "recursive"), ('R', "recursive"), ('a', "archive")];

const fn new_tree_reader(programs: &'static [&'static str], when: When) -> Reader {
    Reader { programs, when, skips: Skips::Nothing, shows_all: &[], starts: &[] }
}

/// Each of them.
pub(super) const READERS: &[Reader] = &[
    new_tree_reader(
        &["grep", "egrep", "fgrep", "zgrep", "zegrep", "zfgrep", "ggrep", "bzgrep", "xzgrep"],
        When::Searching(RECURSIVE),
    ),
    new_tree_reader(&["rgrep", "ack", "ugrep", "ug", "pt", "sift"], When::Walking),
    Reader {
        skips: Skips::HiddenAndIgnored,
        shows_all: &[('u', "unrestricted"), ('.', "hidden"), ('.', "no-ignore")],
        ..new_tree_reader(&["rg"], When::Walking)
    },
    Reader {
        skips: Skips::HiddenAndIgnored,
        shows_all: &[('u', "unrestricted"), ('a', "all-types"), ('u', "hidden")],
        ..new_tree_reader(&["ag"], When::Walking)
    },
    Reader {
        starts: &["-C", "--directory", "--cd"],
        ..new_tree_reader(&["tar", "gtar", "bsdtar"], When::Bundled(&['c', 'r', 'u']))
    },
    new_tree_reader(&["zip"], When::Given(&[('r', "recurse-paths"), ('R', "recurse-patterns")])),
    new_tree_reader(&["7z", "7za", "7zz", "7zr"], When::Word(&["a", "u"])),
    new_tree_reader(&["cp", "gcp", "scp", "rsync"], When::Given(COPYING)),
    new_tree_reader(&["diff", "gdiff", "zstd"], When::Given(RECURSIVE)),
    new_tree_reader(
        &["aws", "gsutil", "gcloud", "az"],
        When::Word(&["sync", "rsync", "--recursive", "-r"]),
    ),
    new_tree_reader(&["restic", "borg", "rclone", "asar"], When::Always),
    // These move files or give them a second name, by which they are read.
    new_tree_reader(&["mv", "ln", "ditto", "pax", "mksquashfs", "genisoimage"], When::Always),
];

/// Programs that list what is in a directory, its hidden files with `-a`.
pub(super) const LISTERS: &[&str] = &["ls", "dir", "exa", "eza"];

/// The names of `fd`.
pub(super) const FD: &[&str] = &["fd", "fdfind"];

/// Options behind which a program stands that is handed each file.
pub(super) const EXECUTING: &[&str] =
    &["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
