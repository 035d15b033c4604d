//! Which programs change files that they are handed, put files into a directory, or end what runs from a file? Names only.

/// Programs that change what their operands may be used for; the first operand says how.
pub(super) const RIGHTS: &[&str] =
    &["chmod", "chown", "chgrp", "chattr", "setfacl", "chflags", "icacls", "xattr"];

/// Programs that change every file that they are handed.
pub(super) const EDITORS: &[&str] = &[
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
    "prename",
    "perl-rename",
    "file-rename",
    "brename",
    "mmv",
    "zmv",
    "vidir",
    "gsed",
    "fallocate",
    "setfattr",
    "patchelf",
    "strip",
    "upx",
];

/// Those of them that run code, which may name other files.
pub(super) const CODED: &[&str] = &["vi", "vim", "nvim", "ex", "emacs", "emacsclient"];

/// Those of them that give files and directories other names.
pub(super) const RENAMERS: &[&str] =
    &["rename", "prename", "perl-rename", "file-rename", "brename", "mmv", "zmv", "vidir"];

/// A program that changes the files that it is handed only sometimes.
pub(super) struct Sometimes {
    pub(super) programs: &'static [&'static str],
    /// The words with which it does; always, where the list is empty.
    pub(super) with: &'static [&'static str],
    /// How words begin, in small letters, with which it only looks.
    pub(super) looks: &'static [&'static str],
}

/// Programs that change the files that they are handed with some of their words.
pub(super) const SOMETIMES: &[Sometimes] = &[
    Sometimes { programs: &["dasel"], with: &["put", "delete"], looks: &[] },
    Sometimes { programs: &["crudini"], with: &["--set", "--del", "--merge"], looks: &[] },
    Sometimes { programs: &["json"], with: &["-I", "-i"], looks: &[] },
    Sometimes { programs: &["jaq", "tomlq", "xq"], with: &["-i", "--in-place"], looks: &[] },
    Sometimes { programs: &["toml"], with: &["set", "unset"], looks: &[] },
    Sometimes { programs: &["plutil"], with: &["-replace", "-remove", "-insert"], looks: &[] },
    Sometimes { programs: &["defaults"], with: &["write", "delete"], looks: &[] },
    Sometimes {
        programs: &["sqlite3"],
        with: &[],
        looks: &["select", "-readonly", ".schema", ".tables", ".dump", "pragma table_info"],
    },
    // They put a packed file in the place of the one that they are handed.
    Sometimes {
        programs: &["gzip", "pigz", "xz", "bzip2", "lzma", "compress"],
        with: &[],
        looks: &["-c", "-k", "-l", "-t", "--keep", "--stdout", "--list", "--test"],
    },
];

/// Programs that put files into a directory: how that one is named.
pub(super) const UNPACKERS: &[(&str, &[&str])] = &[
    ("tar", &["-C", "--directory", "--one-top-level"]),
    ("bsdtar", &["-C", "--directory"]),
    ("gtar", &["-C", "--directory", "--one-top-level"]),
    ("unzip", &["-d"]),
    ("7z", &["-o"]),
    ("7za", &["-o"]),
    ("unar", &["-o"]),
    ("unrar", &[]),
    ("cpio", &["-D", "--directory"]),
    ("ar", &["--output"]),
    ("split", &[]),
    ("csplit", &["-f"]),
    ("wget", &["-P", "--directory-prefix"]),
    ("curl", &["--output-dir"]),
    ("aria2c", &["-d", "--dir"]),
    ("axel", &["-o"]),
];

/// Programs that put another file system in the place of a directory, or take one from there.
pub(super) const MOUNTERS: &[&str] = &[
    "mount",
    "umount",
    "fusermount",
    "fusermount3",
    "bindfs",
    "sshfs",
    "encfs",
    "gocryptfs",
    "cryfs",
    "s3fs",
    "gcsfuse",
    "mergerfs",
    "unionfs",
    "unionfs-fuse",
    "fuse-overlayfs",
    "squashfuse",
    "archivemount",
];

/// Programs that hand directories of this machine to what they start, and how they are named.
pub(super) const BINDERS: &[Binder] = &[
    Binder {
        programs: &["docker", "podman", "nerdctl", "container", "docker-compose"],
        options: &["-v", "--volume", "--mount"],
    },
    Binder {
        programs: &["bwrap"],
        options: &["--bind", "--bind-try", "--dev-bind", "--overlay-src"],
    },
    Binder { programs: &["systemd-nspawn"], options: &["--bind", "-D", "--directory"] },
    Binder { programs: &["singularity", "apptainer"], options: &["-B", "--bind"] },
    Binder { programs: &["proot"], options: &["-b", "--bind"] },
    Binder { programs: &["firejail"], options: &["--bind", "--private"] },
    Binder { programs: &["nsjail"], options: &["-B", "--bindmount"] },
];

/// A program that hands on directories.
pub(super) struct Binder {
    pub(super) programs: &'static [&'static str],
    /// The options whose value names one: `SOURCE:TARGET:ro`, `type=bind,source=SOURCE`, or the source alone.
    pub(super) options: &'static [&'static str],
}

/// Programs that search directories, and the options behind which they run a command for what they find.
pub(super) const SEARCHERS: &[(&str, &[&str])] = &[
    ("find", &["-exec", "-execdir", "-ok", "-okdir"]),
    ("gfind", &["-exec", "-execdir", "-ok", "-okdir"]),
    ("bfs", &["-exec", "-execdir", "-ok", "-okdir"]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
];

/// Tests of such programs that say which names are meant.
pub(super) const NAME_TESTS: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-lname",
    "-ilname",
    "-regex",
    "-iregex",
    "-samefile",
];
