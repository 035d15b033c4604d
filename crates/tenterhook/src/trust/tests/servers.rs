//! MCP servers of agents' own files: which of them may start, and from where.

use super::*;
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::Invocation;
use tenterhook_core::source::{Reach, Server};

const SERVERS: &str = r#"{"mcpServers": {
    "docs": {"command": "sh", "args": [".claude/servers/docs.sh", "--stdio"]},
    "far": {"type": "http", "url": "https://example.org/mcp"}}}"#;

fn room() -> Room {
    let room = Room::new();
    room.write(".mcp.json", SERVERS);
    room.write(".claude/servers/docs.sh", "#!/bin/sh\n. \"${0%/*}/words.sh\"\n");
    room.write(".claude/servers/words.sh", "WORDS=first\n");
    room
}

fn roots(room: &Room) -> Roots {
    Roots { cwd: room.project(), home: room.home(), ..Roots::default() }
}

/// The names of the servers that may start, and the codes of what a person is told.
fn may_start(room: &Room) -> (Vec<String>, Vec<&'static str>) {
    let (servers, diagnostics) = room.trust().servers(&roots(room), &[]);
    let starts = |server: &Server| !matches!(server.reach, Reach::Withheld(_));
    let names = servers.into_iter().filter(starts).map(|server| server.name).collect();
    (names, diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect())
}

fn review(room: &Room) -> Review {
    let files = room.trust().server_files(&roots(room), &[]);
    room.trust().review(&files[0])
}

fn started(room: &Room) -> tenterhook_core::hook::Command {
    let (servers, _) = room.trust().servers(&roots(room), &[]);
    let docs: Option<Server> = servers.into_iter().find(|server| server.name == "docs");
    match docs.expect("it may start").reach {
        Reach::Program(command) => command,
        Reach::Address(_) | Reach::Withheld(_) => panic!("it is a program"),
    }
}

/// T-23: and any byte of the file, or of what its servers run, takes that back.
#[test]
fn servers_of_a_repository_start_when_they_were_approved() {
    let room = room();
    assert_eq!(may_start(&room), (vec![], vec!["not-approved"]));
    let first = review(&room);
    assert_eq!((first.servers(), first.state), (2, State::Unknown));
    let shown = first.beside.join("\n");
    assert!(shown.contains("sh .claude/servers/docs.sh --stdio"), "{shown}");
    assert!(shown.contains("servers/words.sh") && shown.contains("https://example.org"), "{shown}");
    room.trust().approve(&first).expect("an approval");
    let all = || (vec!["docs".to_owned(), "far".to_owned()], vec![]);
    assert_eq!(may_start(&room), all());
    let changes = [
        (".mcp.json", SERVERS.replace("example.org", "example.net"), SERVERS),
        (".mcp.json", SERVERS.replace("--stdio", "--studio"), SERVERS),
        (".claude/servers/words.sh", "WORDS=other\n".to_owned(), "WORDS=first\n"),
    ];
    for (file, other, before) in changes {
        room.write(file, &other);
        assert_eq!(may_start(&room), (vec![], vec!["changed-since-approved"]), "{other}");
        room.write(file, before);
        assert_eq!(may_start(&room), all(), "{file}");
    }
    room.trust().refuse(&review(&room)).expect("a refusal");
    assert_eq!(may_start(&room), (vec![], vec![]));
}

/// T-23, A-42: a server that was approved and may not start is there still, and says so; one that nobody approved is not.
#[test]
fn a_server_that_was_approved_is_withheld_and_a_stranger_is_not_there() {
    let room = room();
    let found = || {
        let (servers, _) = room.trust().servers(&roots(&room), &[]);
        let is_withheld = |server: &&Server| matches!(server.reach, Reach::Withheld(_));
        (servers.len(), servers.iter().filter(is_withheld).count())
    };
    assert_eq!(found(), (0, 0));
    room.trust().approve(&review(&room)).expect("an approval");
    assert_eq!(found(), (2, 0));
    room.write(".claude/servers/words.sh", "WORDS=other\n");
    assert_eq!(found(), (2, 2));
    let sources = room.home().join("state/tenterhook/trust/sources");
    for file in fs::read_dir(sources).expect("a store").flatten() {
        fs::write(file.path(), "{").expect("a file");
    }
    assert_eq!(found(), (2, 2));
    room.trust().refuse(&review(&room)).expect("a refusal");
    assert_eq!(found(), (0, 0));
}

/// T-23, T-20: what is started is the copy, with what lies beside it.
#[test]
fn a_server_starts_from_the_copy() {
    let room = room();
    room.trust().approve(&review(&room)).expect("an approval");
    let command = started(&room);
    let Invocation::Argv { args, .. } = command.starts() else { panic!("words") };
    let copy = Path::new(&args[0]);
    assert!(copy.starts_with(room.home()), "{}", copy.display());
    let words = copy.parent().expect("a folder").join("words.sh");
    assert_eq!(fs::read_to_string(words).expect("a file"), "WORDS=first\n");
    assert_eq!(args[1], "--stdio");
}

/// T-23: a server of the person's own needs no answer.
#[test]
fn servers_of_the_persons_own_start_unasked() {
    let room = room();
    fs::write(room.home().join(".claude.json"), r#"{"mcpServers": {"own": {"command": "mine"}}}"#)
        .expect("a file");
    assert_eq!(may_start(&room), (vec!["own".to_owned()], vec!["not-approved"]));
}

/// T-23, T-32: an answer that cannot be believed starts nothing.
#[test]
fn a_torn_answer_starts_no_server() {
    let room = room();
    room.trust().approve(&review(&room)).expect("an approval");
    let sources = room.home().join("state/tenterhook/trust/sources");
    for file in fs::read_dir(sources).expect("a store").flatten() {
        fs::write(file.path(), "{").expect("a file");
    }
    assert_eq!(may_start(&room), (vec![], vec!["approval-unusable"]));
}

/// T-23, T-7: what is too much to be read cannot be approved.
#[test]
fn a_server_among_too_many_files_cannot_be_approved() {
    let room = room();
    for at in 0..=pins::MOST_FILES {
        room.write(&format!(".claude/servers/more/{at}"), "");
    }
    let review = review(&room);
    assert!(review.too_much().is_some());
    room.trust().approve(&review).expect_err("it is too much");
    assert_eq!(may_start(&room).0, Vec::<String>::new());
}

/// T-15, T-23: what a stranger's settings say of servers is not obeyed.
#[test]
fn a_stranger_switches_no_server_off() {
    let room = room();
    room.trust().approve(&review(&room)).expect("an approval");
    room.write(".claude/settings.json", r#"{"disabledMcpjsonServers": ["docs"]}"#);
    let names = |sources: &[Source]| {
        let (servers, _) = room.trust().servers(&roots(&room), sources);
        servers.into_iter().map(|server| server.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&[room.settings()]), ["docs", "far"]);
    room.approve();
    assert_eq!(names(&[room.settings()]), ["far"]);
}

/// T-50, T-51, T-23: servers that one person signed start where that key is pinned, and others do not.
#[test]
fn signed_servers_start_where_the_key_is_pinned() {
    let (author, clone) = (room(), room());
    let key = SecretKey::new(&[7; 32]);
    let review = review(&author);
    author.trust().approve(&review).expect("an approval");
    let lock = Trust::sign(&[review], &key).and_then(|lock| lock.text()).expect("a signature");
    clone.write("tenterhook.lock", &lock);
    let pins = |key: &SecretKey| {
        let directory = clone.home().join(".config/tenterhook");
        let name = directory.join("tenterhook.toml");
        let text = format!("[trust]\nkeys = [\"{}\"]\n", key.public());
        let own = Source::given(name.to_str().expect("text"), DialectId::NATIVE, &text, directory);
        Source { layer: Layer::User, project: clone.project(), home: clone.home(), ..own }
    };
    let start = |key: &SecretKey| {
        let (servers, _) = clone.trust().servers(&roots(&clone), &[pins(key)]);
        servers.iter().filter(|server| !matches!(server.reach, Reach::Withheld(_))).count()
    };
    assert_eq!((start(&key), start(&SecretKey::new(&[8; 32]))), (2, 0));
    clone.write(".claude/servers/words.sh", "WORDS=other\n");
    assert_eq!(start(&key), 0, "another byte is not what was signed");
}
