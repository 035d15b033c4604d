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
    "gsed",
    "fallocate",
    "setfattr",
    "patchelf",
    "strip",
    "upx",
];

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
