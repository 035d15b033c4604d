//! Which programs run, fetch and decode code, and which words of other languages do? Names only.

/// Shells of another language, which run what they read on their input when they are handed no script.
pub(super) const OTHER_SHELLS: &[&str] = &["pwsh", "powershell"];

/// The same for programs of other languages.
pub(super) const LANGUAGES: &[&str] =
    &["python", "node", "perl", "ruby", "php", "deno", "bun", "lua", "osascript"];

/// Programs that run their operands as code of this shell.
pub(super) const EVALUATORS: &[&str] = &["eval", "source", "."];

/// Programs that carry bytes between a socket and a program.
pub(super) const SOCKETS: &[&str] =
    &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "socat"];

/// Their options that put a program behind the socket.
pub(super) const HANDING_OVER: &[&str] =
    &["-e", "-c", "--exec", "--sh-exec", "-lvpe", "-nve", "-ve"];

/// What makes a program decode what it is handed.
pub(super) const DECODERS: &[(&str, &[&str])] = &[
    ("base64", &["-d", "-D", "--decode", "-di", "-id"]),
    ("gbase64", &["-d", "--decode"]),
    ("base32", &["-d", "--decode"]),
    ("basenc", &["-d", "--decode"]),
    ("openssl", &["-d"]),
    ("xxd", &["-r", "-rp"]),
    ("uudecode", &[]),
    ("rev", &[]),
    ("tr", &[]),
    ("gunzip", &[]),
    ("zcat", &[]),
    ("gzip", &["-d", "-dc", "-cd"]),
    ("bzcat", &[]),
    ("xzcat", &[]),
    ("unxz", &[]),
    ("unzip", &["-p"]),
    ("tar", &["-xO", "-xOf", "-xzO", "-xzOf", "-O", "--to-stdout"]),
    ("7z", &["-so"]),
    ("zstd", &["-d", "-dc", "-cd"]),
    ("zstdcat", &[]),
    ("rot13", &[]),
    ("gpg", &["-d", "--decrypt"]),
];

/// Decoders that people clean scripts with, too: what they write into a file is no secret.
pub(super) const CHANGERS: &[&str] =
    &["tr", "rev", "gunzip", "zcat", "gzip", "bzcat", "xzcat", "unxz"];

/// What code of another language decodes with.
pub(super) const DECODING: &[&str] = &[
    "b64decode",
    "b32decode",
    "b16decode",
    "fromhex",
    "unhexlify",
    "a2b_",
    "codecs.decode",
    "zlib.decompress",
    "marshal.loads",
    "'base64'",
    "\"base64\"",
    "'hex'",
    "\"hex\"",
    "atob(",
    "decode_base64",
    "MIME::Base64",
    "pack(\"H*\"",
    "pack('H*'",
    "pack \"H*\"",
    "unpack",
    "Base64.decode",
    "base64_decode",
    "hex2bin",
    "gzinflate",
    "str_rot13",
    "fromCharCode",
    "chr hex",
    "chr(hex",
    "chr(int(",
    "pack('H",
    "\\x",
];

/// Databases, which run what they read.
pub(super) const DATABASES: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "duckdb",
    "mongosh",
    "mongo",
    "redis-cli",
    "cypher-shell",
];

/// Programs that print what lies on another machine, and the words that make them do so.
pub(super) const PRINTING: &[(&str, &[&str])] = &[
    ("ssh", &[]),
    ("gh", &["gist", "api", "release"]),
    ("glab", &["api", "snippet"]),
    ("aws", &["s3"]),
    ("gsutil", &["cat", "cp"]),
    ("gcloud", &["storage"]),
    ("rclone", &["cat"]),
    ("az", &["storage"]),
    ("mc", &["cat"]),
];

/// How code of another language names what it reads.
pub(super) const READ: &[&str] =
    &["$_", "$0", "$1", "stdin", "STDIN", "readline", "input()", "gets", "<>", "/dev/fd/0"];

/// What such code runs the result with.
pub(super) const RUNNING: &[&str] = &[
    "exec(",
    "eval(",
    "eval ",
    "exec ",
    "system(",
    "system ",
    "popen",
    "spawn",
    "subprocess",
    "Function(",
    // `fetch(...).then(eval)`
    "(eval)",
    "(exec)",
];

/// Programs that run a file of recipes, which may be their input.
pub(super) const MAKERS: &[&str] = &["make", "gmake", "bmake"];

/// How it fetches.
pub(super) const FETCHED: &[&str] = &[
    "urlopen",
    "requests.get",
    "urllib",
    "http.get",
    "https.get",
    "fetch(",
    "httpx.get",
    "URI.open",
    "open-uri",
    "Net::HTTP",
    "LWP::",
    "HTTP::Tiny",
    "file_get_contents('http",
    "file_get_contents(\"http",
    "HTTParty",
    "aiohttp",
    "axios",
];

/// How code of another language loads what an address names.
pub(super) const LOADING: &[&str] = &[
    "import('http",
    "import(\"http",
    "import(`http",
    "from 'http",
    "from \"http",
    "importScripts('http",
];

/// Programs that hand their input to a shell elsewhere, where the last word names one.
pub(super) const REMOTE: &[&str] = &[
    "ssh",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "vagrant",
    "machinectl",
];

/// Programs that run their input now or later.
pub(super) const QUEUES: &[&str] = &["at", "batch", "parallel", "crontab"];

/// Programs that run what an address names, and the word behind which it stands.
pub(super) const FETCHING: &[(&str, &str)] = &[
    ("go", "run"),
    ("deno", "run"),
    ("deno", ""),
    ("bun", "run"),
    ("uv", "run"),
    ("pipx", "run"),
    ("jbang", ""),
    ("node", ""),
    ("nix", "run"),
    ("kotlin", ""),
    ("mshta", ""),
    ("regsvr32", ""),
];
