//! What does a program complain of in what it printed? Reads its lines as programs word them; looks at no file and knows no sandbox.

use std::cell::OnceCell;

/// How programs say that the system refused something.
const REFUSALS: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "permissionerror",
    "cross-device link",
    "insufficient permission",
];

/// How they say that nobody can change what they name, whoever asks.
const CLOSED_TO_CHANGES: &[&str] = &["read-only file system", "erofs"];

/// How they say that nothing is there. In a root of its own a program does not find what it is not granted.
const ABSENCES: &[&str] =
    &["no such file", "directory nonexistent", "enoent", "filenotfounderror", ": not found"];

/// How they say that a name was not looked up.
const UNKNOWN_NAMES: &[&str] = &[
    "could not resolve",
    "unable to resolve",
    "name resolution",
    "name or service not known",
    "getaddrinfo",
    " enotfound",
    "eai_again",
];

/// How they say that nobody was reached.
const UNREACHED: &[&str] = &[
    "network is unreachable",
    "failed to connect",
    "couldn't connect",
    "could not connect",
    "unable to connect",
    "cannot connect",
    "trying to connect",
    "new connection",
    "connect eperm",
    "connect eacces",
    "connect: ",
    "socket: operation not permitted",
    "creating socket",
    "/dev/tcp/",
    "/dev/udp/",
];

/// What somebody says who was reached, or might have been.
const REACHED: &[&str] = &["connection refused", "econnrefused", "timed out"];

/// How they say that they wanted to change what they name.
const CHANGES: &[&str] = &[
    "cannot create",
    "cannot touch",
    "cannot remove",
    "cannot move",
    "create file",
    "create directory",
    "unable to create",
    "temporary file",
    "for writing",
    "write",
    "mkdir",
    "rename",
    "unlink",
    "append",
];

/// The calls of languages that change files, as they stand in a trace of calls.
const CHANGING_CALLS: &[&str] = &[
    "appendfile",
    "writefile",
    "mkdirsync",
    "write_text",
    "write_bytes",
    "makedirs",
    ", \"a\")",
    ", 'a')",
    ", \"w\")",
    ", 'w')",
];

/// What programs say of a process, which no key grants, and which is no path.
const OF_PROCESSES: &[&str] =
    &["affinity", "set priority", "'s policy", "resource limit", "ioprio"];

/// What git says where it cannot write beside its hooks, and names nothing.
const GIT_INDEX: &str = "could not write index";

/// The longest line that is looked into: a path is no longer than this, and the words round it are few.
const LONGEST_LINE: usize = 8192;

/// One thing that a program complained of.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Complaint<'a> {
    /// It reached nobody at this port; `None` where no port alone would do, or none is told.
    Unreached(Option<u16>),
    /// Something was refused that is told in this line, or in the last one before it, where this names nothing.
    Refused { line: &'a str, changes: bool },
    /// Something was not found, which counts as refused where it is there.
    NotFound { line: &'a str, changes: bool },
    /// Git could not write its own files.
    Git,
}

/// What was complained of, in the order in which it was printed.
pub(super) fn complaints(text: &str) -> impl Iterator<Item = Complaint<'_>> {
    let changes = says(text, CHANGING_CALLS);
    let is_about_sockets = text.lines().any(|line| is_frame(line) && line.contains("/socket.py"));
    let asked_port = OnceCell::new();
    let mut last = None;
    lines(text).filter_map(move |line| {
        let before = last;
        // `failed to open: /x`, and then what caused it.
        if whole(line).next().is_some() {
            last = Some(line);
        }
        if is_unreached(line) {
            return Some(Complaint::Unreached(*asked_port.get_or_init(|| port(text))));
        }
        if line.contains(GIT_INDEX) {
            return Some(Complaint::Git);
        }
        let is_closed = says(line, CLOSED_TO_CHANGES);
        let changes = changes || is_closed || says(line, CHANGES);
        if !is_closed && !says(line, REFUSALS) {
            let is_absence = says(line, ABSENCES);
            return is_absence.then_some(Complaint::NotFound { line, changes });
        }
        // Python names the file that it was refused, and no peer.
        if is_about_sockets && named(line).next().is_none() {
            return Some(Complaint::Unreached(None));
        }
        if says(line, OF_PROCESSES) && !line.contains('/') {
            return None;
        }
        let names = named(line).next().is_some() || is_about_attributes(line);
        let line = before.filter(|_| !names).unwrap_or(line);
        Some(Complaint::Refused { line, changes })
    })
}

/// The lines that can complain. A line of a trace names code, whatever words stand in it.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LONGEST_LINE && !is_frame(line))
}

fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("File \"") || line.starts_with("at ")
}

fn is_unreached(line: &str) -> bool {
    says(line, UNKNOWN_NAMES) || (says(line, UNREACHED) && !says(line, REACHED))
}

/// The port that nobody was reached at. A name that is not looked up needs more than a port: that is asked over UDP.
fn port(text: &str) -> Option<u16> {
    let about: Vec<&str> = lines(text).filter(|line| is_unreached(line)).collect();
    let is_known = !about.iter().any(|text| says(text, UNKNOWN_NAMES));
    about.iter().find_map(|text| port_of(text)).filter(|_| is_known)
}

fn port_of(line: &str) -> Option<u16> {
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text.get(..end).and_then(|text| text.parse::<u16>().ok()).filter(|n| *n > 0)
    };
    let behind = |mark: &str| line.split(mark).skip(1).find_map(digits);
    let is_address = |text: &str| text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ']');
    let with_address = |word: &str| {
        let mut parts = word.split(':').zip(word.split(':').skip(1));
        parts.find_map(|(address, port)| digits(port).filter(|_| is_address(address)))
    };
    let of_shell = |word: &str| {
        let (_, rest) = word.split_once("/dev/tcp/")?;
        rest.split('/').nth(1).and_then(digits)
    };
    let words = || line.split(|c: char| c.is_whitespace() || "'\"`()".contains(c));
    behind("port ")
        .or_else(|| behind("port="))
        .or_else(|| words().find_map(of_shell))
        .or_else(|| words().find_map(with_address))
}

/// What may be a path in a line that complains, the likeliest first: what stands in quotes, what stands before
/// the complaint, what is whole.
pub(super) fn named(line: &str) -> impl Iterator<Item = &str> {
    let ends_in = |complaint: &str| {
        let complaint = format!(": {complaint}");
        [REFUSALS, CLOSED_TO_CHANGES, ABSENCES].iter().any(|texts| says(&complaint, texts))
    };
    let before = line.rsplit_once(": ").filter(|(_, complaint)| ends_in(complaint));
    let before = before.and_then(|(before, _)| before.rsplit(' ').next());
    // `/bin/sh: 1: cannot create x: ...`: what leads such a line complains, and is not complained of.
    let leader = line.trim_start().split(':').next().filter(|_| line.matches(": ").count() > 1);
    // Interpreters begin such a line with the name of the error.
    let is_word = |text: &&str| {
        text.parse::<u64>().is_err()
            && !text.contains(['\'', '"', '`', '’'])
            && !text.ends_with("Error")
    };
    // What begins a line is the program that complains, unless it is a path.
    let is_not_first =
        |prefix: &&str| prefix.contains('/') || !line.trim_start().starts_with(*prefix);
    let last = line.rsplit(' ').next().filter(|word| word.contains('/'));
    let last = last.map(|word| word.trim_matches(is_mark));
    quoted(line)
        .into_iter()
        .chain(before.filter(is_word).filter(is_not_first))
        .chain(whole(line).filter(move |text| Some(*text) != leader))
        .chain(last)
}

fn is_mark(c: char) -> bool {
    "'\"`‘’“”".contains(c)
}

/// What is a whole path.
fn whole(line: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| c.is_whitespace() || "'\"`‘’“”:,()[]".contains(c);
    line.split(is_edge).filter(|part| part.len() > 1 && part.starts_with('/'))
}

/// What stands in quotes. One between two letters is an apostrophe.
fn quoted(line: &str) -> Vec<&str> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_apostrophe = |at: usize, mark: char| {
        let before = line.get(..at).and_then(|line| line.chars().next_back());
        let after = line.get(at + mark.len_utf8()..).and_then(|line| line.chars().next());
        matches!(mark, '\'' | '’') && is_letter(before) && is_letter(after)
    };
    let marks = line.match_indices(['\'', '"', '`', '‘', '’']);
    let marks: Vec<(usize, &str)> =
        marks.filter(|(at, mark)| !mark.chars().any(|c| is_apostrophe(*at, c))).collect();
    let pairs = marks.chunks_exact(2).filter_map(|chunk| match chunk {
        [(from, mark), (to, _)] => line.get(from + mark.len()..*to),
        _ => None,
    });
    pairs.filter(|pair| pair.len() > 1 || *pair == "/").collect()
}

/// Whether a refusal is about what a file is, for which Landlock has no word of its own.
pub(super) fn is_about_attributes(line: &str) -> bool {
    says(line, &["operation not permitted", "eperm"])
        && says(
            line,
            &["mode", "permissions", "times", "ownership", "attribute", "chmod", "chown", "utime"],
        )
}

fn says(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<Complaint<'_>> {
        complaints(text).next()
    }

    /// what programs print where no socket may be made, as they were seen to.
    #[test]
    fn failed_connection_is_distinguished_from_a_refused_file() {
        for (text, port) in [
            (
                "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server",
                Some(9),
            ),
            ("curl: (6) Could not resolve host: example.com", None),
            ("Error: connect EPERM 127.0.0.1:8080 - Local (undefined:undefined)", Some(8080)),
            ("Error: connect EPERM /run/x.sock", None),
            (
                "bash: connect: Permission denied\nbash: line 1: /dev/tcp/127.0.0.1/9: Permission denied",
                Some(9),
            ),
            ("cannot connect: Operation not permitted at -e line 1.", None),
            (
                "ssh: Could not resolve hostname example.com: Temporary failure in name resolution",
                None,
            ),
            (
                "HTTPConnectionPool(host='h', port=8000): Failed to establish a new connection: [Errno 1] Operation not permitted",
                Some(8000),
            ),
            ("Resolving h:8080 failed: Temporary failure in name resolution.", None),
            (
                "  File \"/usr/lib/python3/socket.py\", line 232, in __init__\nPermissionError: [Errno 1] Operation not permitted",
                None,
            ),
        ] {
            assert_eq!(first(text), Some(Complaint::Unreached(port)), "{text}");
        }
        assert_eq!(first("curl: (7) connect: Connection refused"), None);
        assert_eq!(first("  File \"/usr/lib/python3/socket.py\", line 1, in eperm"), None);
    }

    #[test]
    fn what_may_be_a_path_is_named() {
        for (line, path) in [
            ("sed: couldn't open temporary file ./sedAbC: Permission denied", "./sedAbC"),
            ("cp: cannot create regular file 'a b/c': Permission denied", "a b/c"),
            (
                "error: insufficient permission for adding an object to repository database .git/objects",
                ".git/objects",
            ),
            ("/bin/sh: 1: cannot create /tmp/x.log: Permission denied", "/tmp/x.log"),
            ("PermissionError: [Errno 13] Permission denied: '/h/log'", "/h/log"),
            ("/h/key: Permission denied", "/h/key"),
        ] {
            assert_eq!(named(line).next(), Some(path), "{line}");
        }
        let shell = "/bin/sh: 1: cannot create .git: Permission denied";
        assert!(named(shell).all(|text| text == ".git"), "the shell is not what it complains of");
    }

    #[test]
    fn missing_file_is_distinguished_from_a_refused_one() {
        for (text, path, changes) in [
            ("cat: /h/key: No such file or directory", "/h/key", false),
            ("/bin/sh: 1: cannot create /h/k/new: Directory nonexistent", "/h/k/new", true),
            ("FileNotFoundError: [Errno 2] No such file or directory: '/h/key'", "/h/key", false),
            ("Error: ENOENT: no such file or directory, open '/h/key'", "/h/key", false),
            ("/bin/sh: 1: /h/tool: not found", "/h/tool", false),
            ("/bin/sh: 1: ./tool: not found", "./tool", false),
        ] {
            let Some(Complaint::NotFound { line, changes: said }) = first(text) else {
                panic!("{text}")
            };
            assert_eq!((named(line).next(), said), (Some(path), changes), "{text}");
        }
        for text in [
            "touch: cannot touch '/h/a': Read-only file system",
            "OSError: [Errno 30] Read-only file system: '/h/a'",
            "Error: EROFS: read-only file system, open '/h/a'",
        ] {
            let Some(Complaint::Refused { line, changes: true }) = first(text) else {
                panic!("{text}")
            };
            assert_eq!(named(line).next(), Some("/h/a"), "{text}");
        }
        for text in [
            "make: nothing to be done",
            "taskset: failed to set pid 7's affinity: Operation not permitted",
            "renice: failed to set priority for 7 (process ID): Permission denied",
            "prlimit: failed to set the NOFILE resource limit: Operation not permitted",
            "ionice: ioprio_set failed: Operation not permitted",
            "chrt: failed to set pid 0's policy: Operation not permitted",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn a_path_may_stand_in_a_line_before() {
        let text =
            "error: failed to open: /p/Cargo.lock\n\nCaused by:\n  Permission denied (os error 13)";
        let Some(Complaint::Refused { line, .. }) = first(text) else { panic!("{text}") };
        assert_eq!(named(line).next(), Some("/p/Cargo.lock"));
        let text = "reading /p/a\ncat: b: Permission denied";
        let Some(Complaint::Refused { line, .. }) = first(text) else { panic!("{text}") };
        assert_eq!(named(line).next(), Some("b"));
    }

    #[test]
    fn who_wants_to_change_says_so_or_its_trace_does() {
        for (text, changes) in [
            ("/bin/sh: 1: cannot create /h/log: Permission denied", true),
            ("cat: /h/key: Permission denied", false),
            (
                "    open(path, \"a\").write(line)\nPermissionError: [Errno 13] Permission denied: '/h/log'",
                true,
            ),
            (
                "Error: EACCES: permission denied, open '/h/log'\n    at Object.appendFileSync (node:fs:1)",
                true,
            ),
            ("PermissionError: [Errno 13] Permission denied: '/h/key'", false),
        ] {
            let Some(Complaint::Refused { changes: said, .. }) = first(text) else {
                panic!("{text}")
            };
            assert_eq!(said, changes, "{text}");
        }
    }
}
