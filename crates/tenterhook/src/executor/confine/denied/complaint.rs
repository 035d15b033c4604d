//! Finds error reports in what a program printed. Knows how programs word them; reads no file and
//! knows no sandbox.

use std::cell::OnceCell;

/// How programs report that the system refused something.
const REFUSALS: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "permissionerror",
    "cross-device link",
    "insufficient permission",
];

/// How they report that a file can be changed by no process.
const CLOSED_TO_CHANGES: &[&str] = &["read-only file system", "erofs"];

/// How they report that a file is missing. In a separate root, files without a grant look missing.
const ABSENCES: &[&str] =
    &["no such file", "directory nonexistent", "enoent", "filenotfounderror", ": not found"];

/// How they report that a name was not looked up.
const UNKNOWN_NAMES: &[&str] = &[
    "could not resolve",
    "unable to resolve",
    "name resolution",
    "name or service not known",
    "getaddrinfo",
    " enotfound",
    "eai_again",
];

/// How they report that no host was reached.
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

/// How they report a host that was reached, or might have been.
const REACHED: &[&str] = &["connection refused", "econnrefused", "timed out"];

/// How they report that they wanted to change the file.
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

/// The calls of languages that change files, as a stack trace shows them.
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

/// Refusals about a process, which no key grants and which name no path.
const OF_PROCESSES: &[&str] =
    &["affinity", "set priority", "'s policy", "resource limit", "ioprio"];

/// What git prints if it cannot write next to its hooks; it names no file.
const GIT_INDEX: &str = "could not write index";

/// The longest line that is examined: a path is not longer than this, and few words surround it.
const LONGEST_LINE: usize = 8192;

/// One reported problem.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Complaint<'a> {
    /// It reached no host at this port; `None` if one port would not be enough, or none is named.
    Unreached(Option<u16>),
    /// Access was refused to something in this line, or in the last one before it if this one names
    /// nothing.
    Refused { line: &'a str, changes: bool },
    /// A file was not found; it is treated as refused if it exists.
    NotFound { line: &'a str, changes: bool },
    /// Git could not write its own files.
    Git,
}

/// Returns the problems that a text reports, in order.
pub(super) fn parse_complaints(text: &str) -> impl Iterator<Item = Complaint<'_>> {
    let changes = contains_any_of(text, CHANGING_CALLS);
    let is_about_sockets =
        text.lines().any(|line| is_stack_frame(line) && line.contains("/socket.py"));
    let asked_port = OnceCell::new();
    let mut last = None;
    lines_without_stack_traces(text).filter_map(move |line| {
        let before = last;
        // `failed to open: /x`, and then its cause.
        if absolute_paths_in_line(line).next().is_some() {
            last = Some(line);
        }
        if reports_unreached_host(line) {
            return Some(Complaint::Unreached(*asked_port.get_or_init(|| unreached_port(text))));
        }
        if line.contains(GIT_INDEX) {
            return Some(Complaint::Git);
        }
        let is_closed = contains_any_of(line, CLOSED_TO_CHANGES);
        let changes = changes || is_closed || contains_any_of(line, CHANGES);
        if !is_closed && !contains_any_of(line, REFUSALS) {
            let is_absence = contains_any_of(line, ABSENCES);
            return is_absence.then_some(Complaint::NotFound { line, changes });
        }
        // Python names the refused file, and no peer.
        if is_about_sockets && likely_paths_in_line(line).next().is_none() {
            return Some(Complaint::Unreached(None));
        }
        if contains_any_of(line, OF_PROCESSES) && !line.contains('/') {
            return None;
        }
        let names = likely_paths_in_line(line).next().is_some() || reports_attribute_refusal(line);
        let line = before.filter(|_| !names).unwrap_or(line);
        Some(Complaint::Refused { line, changes })
    })
}

/// Returns the lines that can report a problem. A line of a stack trace shows code, whatever it
/// contains.
fn lines_without_stack_traces(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.len() <= LONGEST_LINE && !is_stack_frame(line))
}

fn is_stack_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("File \"") || line.starts_with("at ")
}

/// Whether a line reports that a host was not reached.
fn reports_unreached_host(line: &str) -> bool {
    contains_any_of(line, UNKNOWN_NAMES)
        || (contains_any_of(line, UNREACHED) && !contains_any_of(line, REACHED))
}

/// Returns the port at which no host was reached. `None` for a name look-up, which needs more than
/// one port because it uses UDP.
fn unreached_port(text: &str) -> Option<u16> {
    let about: Vec<&str> =
        lines_without_stack_traces(text).filter(|line| reports_unreached_host(line)).collect();
    let is_known = !about.iter().any(|text| contains_any_of(text, UNKNOWN_NAMES));
    about.iter().find_map(|text| port_in_line(text)).filter(|_| is_known)
}

fn port_in_line(line: &str) -> Option<u16> {
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

/// Returns text in a line that may be a path, the likeliest first: in quotes, before the message,
/// absolute.
pub(super) fn likely_paths_in_line(line: &str) -> impl Iterator<Item = &str> {
    let ends_in = |complaint: &str| {
        let complaint = format!(": {complaint}");
        [REFUSALS, CLOSED_TO_CHANGES, ABSENCES]
            .iter()
            .any(|texts| contains_any_of(&complaint, texts))
    };
    let before = line.rsplit_once(": ").filter(|(_, complaint)| ends_in(complaint));
    let before = before.and_then(|(before, _)| before.rsplit(' ').next());
    // `/bin/sh: 1: cannot create x: ...`: the first part of such a line is the program that
    // reports.
    let leader = line.trim_start().split(':').next().filter(|_| line.matches(": ").count() > 1);
    // Interpreters begin such a line with the name of the error.
    let is_word = |text: &&str| {
        text.parse::<u64>().is_err()
            && !text.contains(['\'', '"', '`', '’'])
            && !text.ends_with("Error")
    };
    // The first part of a line is the program that reports, unless it is a path.
    let is_not_first =
        |prefix: &&str| prefix.contains('/') || !line.trim_start().starts_with(*prefix);
    let last = line.rsplit(' ').next().filter(|word| word.contains('/'));
    let last = last.map(|word| word.trim_matches(is_quotation_mark));
    quoted_texts_in_line(line)
        .into_iter()
        .chain(before.filter(is_word).filter(is_not_first))
        .chain(absolute_paths_in_line(line).filter(move |text| Some(*text) != leader))
        .chain(last)
}

fn is_quotation_mark(c: char) -> bool {
    "'\"`‘’“”".contains(c)
}

/// The absolute paths in a line.
fn absolute_paths_in_line(line: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| c.is_whitespace() || "'\"`‘’“”:,()[]".contains(c);
    line.split(is_edge).filter(|part| part.len() > 1 && part.starts_with('/'))
}

/// The quoted texts in a line. A quote between two letters is an apostrophe.
fn quoted_texts_in_line(line: &str) -> Vec<&str> {
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

/// Whether a refusal is about a file's attributes, for which Landlock has no access right.
pub(super) fn reports_attribute_refusal(line: &str) -> bool {
    contains_any_of(line, &["operation not permitted", "eperm"])
        && contains_any_of(
            line,
            &["mode", "permissions", "times", "ownership", "attribute", "chmod", "chown", "utime"],
        )
}

fn contains_any_of(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<Complaint<'_>> {
        parse_complaints(text).next()
    }

    /// observed output of programs that may not create a socket.
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
            assert_eq!(likely_paths_in_line(line).next(), Some(path), "{line}");
        }
        let shell = "/bin/sh: 1: cannot create .git: Permission denied";
        assert!(
            likely_paths_in_line(shell).all(|text| text == ".git"),
            "the shell is not what it complains of"
        );
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
            assert_eq!((likely_paths_in_line(line).next(), said), (Some(path), changes), "{text}");
        }
        for text in [
            "touch: cannot touch '/h/a': Read-only file system",
            "OSError: [Errno 30] Read-only file system: '/h/a'",
            "Error: EROFS: read-only file system, open '/h/a'",
        ] {
            let Some(Complaint::Refused { line, changes: true }) = first(text) else {
                panic!("{text}")
            };
            assert_eq!(likely_paths_in_line(line).next(), Some("/h/a"), "{text}");
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
    fn path_in_an_earlier_line_is_found() {
        let text =
            "error: failed to open: /p/Cargo.lock\n\nCaused by:\n  Permission denied (os error 13)";
        let Some(Complaint::Refused { line, .. }) = first(text) else { panic!("{text}") };
        assert_eq!(likely_paths_in_line(line).next(), Some("/p/Cargo.lock"));
        let text = "reading /p/a\ncat: b: Permission denied";
        let Some(Complaint::Refused { line, .. }) = first(text) else { panic!("{text}") };
        assert_eq!(likely_paths_in_line(line).next(), Some("b"));
    }

    #[test]
    fn write_attempt_is_recognized_by_its_message_or_trace() {
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
