//! MCP servers of agents' own files: which of them may start, and from where.

use super::*;
use tenterhook_core::dialect::Roots;
use tenterhook_core::hook::Invocation;
use tenterhook_core::source::{Reach, Server};

const SERVERS: &str = r#"{"mcpServers": {
    "docs": {"command": "sh", "args": [".claude/servers/docs.sh", "--stdio"]},
    "far": {"type": "http", "url": "https://example.org/mcp"}}}"#;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(".mcp.json", SERVERS);
    fixture.write(".claude/servers/docs.sh", "#!/bin/sh\n. \"${0%/*}/words.sh\"\n");
    fixture.write(".claude/servers/words.sh", "WORDS=first\n");
    fixture
}

fn roots(fixture: &Fixture) -> Roots {
    Roots { cwd: fixture.project(), home: fixture.home(), ..Roots::default() }
}

/// The names of the servers that may start, and the codes of the diagnostics.
fn may_start(fixture: &Fixture) -> (Vec<String>, Vec<&'static str>) {
    let (servers, diagnostics) = fixture.trust().servers(&roots(fixture), &[]);
    let starts = |server: &Server| !matches!(server.reach, Reach::Withheld(_));
    let names = servers.into_iter().filter(starts).map(|server| server.name).collect();
    (names, diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect())
}

fn review(fixture: &Fixture) -> Review {
    let files = fixture.trust().server_files(&roots(fixture), &[]);
    fixture.trust().review(&files[0])
}

fn started(fixture: &Fixture) -> tenterhook_core::hook::Command {
    let (servers, _) = fixture.trust().servers(&roots(fixture), &[]);
    let docs: Option<Server> = servers.into_iter().find(|server| server.name == "docs");
    match docs.expect("it may start").reach {
        Reach::Program(command) => command,
        Reach::Address(_) | Reach::Withheld(_) => panic!("it is a program"),
    }
}

/// T-23: and any byte of the file, or of what its servers run, takes that back.
#[test]
fn servers_of_a_repository_start_when_they_were_approved() {
    let fixture = fixture();
    assert_eq!(may_start(&fixture), (vec![], vec!["not-approved"]));
    let first = review(&fixture);
    assert_eq!((first.servers(), first.state), (2, State::Unknown));
    let shown = first.beside.join("\n");
    assert!(shown.contains("sh .claude/servers/docs.sh --stdio"), "{shown}");
    assert!(shown.contains("servers/words.sh") && shown.contains("https://example.org"), "{shown}");
    fixture.trust().approve(&first).expect("an approval");
    let all = || (vec!["docs".to_owned(), "far".to_owned()], vec![]);
    assert_eq!(may_start(&fixture), all());
    let changes = [
        (".mcp.json", SERVERS.replace("example.org", "example.net"), SERVERS),
        (".mcp.json", SERVERS.replace("--stdio", "--studio"), SERVERS),
        (".claude/servers/words.sh", "WORDS=other\n".to_owned(), "WORDS=first\n"),
    ];
    for (file, other, before) in changes {
        fixture.write(file, &other);
        assert_eq!(may_start(&fixture), (vec![], vec!["changed-since-approved"]), "{other}");
        fixture.write(file, before);
        assert_eq!(may_start(&fixture), all(), "{file}");
    }
    fixture.trust().refuse(&review(&fixture)).expect("a refusal");
    assert_eq!(may_start(&fixture), (vec![], vec![]));
}

/// T-23, A-42: an approved server that may not start is listed as withheld; an unapproved one is
/// not listed.
#[test]
fn a_server_that_was_approved_is_withheld_and_a_stranger_is_not_there() {
    let fixture = fixture();
    let found = || {
        let (servers, _) = fixture.trust().servers(&roots(&fixture), &[]);
        let is_withheld = |server: &&Server| matches!(server.reach, Reach::Withheld(_));
        (servers.len(), servers.iter().filter(is_withheld).count())
    };
    assert_eq!(found(), (0, 0));
    fixture.trust().approve(&review(&fixture)).expect("an approval");
    assert_eq!(found(), (2, 0));
    fixture.write(".claude/servers/words.sh", "WORDS=other\n");
    assert_eq!(found(), (2, 2));
    let sources = fixture.home().join("state/tenterhook/trust/sources");
    for file in fs::read_dir(sources).expect("a store").flatten() {
        fs::write(file.path(), "{").expect("a file");
    }
    assert_eq!(found(), (2, 2));
    fixture.trust().refuse(&review(&fixture)).expect("a refusal");
    assert_eq!(found(), (0, 0));
}

/// T-23, T-20: what is started is the copy, with what lies beside it.
#[test]
fn a_server_starts_from_the_copy() {
    let fixture = fixture();
    fixture.trust().approve(&review(&fixture)).expect("an approval");
    let command = started(&fixture);
    let Invocation::Argv { args, .. } = command.invocation() else { panic!("words") };
    let copy = Path::new(&args[0]);
    assert!(copy.starts_with(fixture.home()), "{}", copy.display());
    let words = copy.parent().expect("a folder").join("words.sh");
    assert_eq!(fs::read_to_string(words).expect("a file"), "WORDS=first\n");
    assert_eq!(args[1], "--stdio");
}

/// T-23: a server of the person's own needs no answer.
#[test]
fn servers_of_the_persons_own_start_unasked() {
    let fixture = fixture();
    fs::write(
        fixture.home().join(".claude.json"),
        r#"{"mcpServers": {"own": {"command": "mine"}}}"#,
    )
    .expect("a file");
    assert_eq!(may_start(&fixture), (vec!["own".to_owned()], vec!["not-approved"]));
}

/// T-23, T-32: an answer that cannot be believed starts nothing.
#[test]
fn a_torn_answer_starts_no_server() {
    let fixture = fixture();
    fixture.trust().approve(&review(&fixture)).expect("an approval");
    let sources = fixture.home().join("state/tenterhook/trust/sources");
    for file in fs::read_dir(sources).expect("a store").flatten() {
        fs::write(file.path(), "{").expect("a file");
    }
    assert_eq!(may_start(&fixture), (vec![], vec!["approval-unusable"]));
}

/// T-23, T-7: what is too much to be read cannot be approved.
#[test]
fn a_server_among_too_many_files_cannot_be_approved() {
    let fixture = fixture();
    for at in 0..=pins::MOST_FILES {
        fixture.write(&format!(".claude/servers/more/{at}"), "");
    }
    let review = review(&fixture);
    assert!(review.too_much().is_some());
    fixture.trust().approve(&review).expect_err("it is too much");
    assert_eq!(may_start(&fixture).0, Vec::<String>::new());
}

/// T-15, T-23: unapproved settings about servers have no effect.
#[test]
fn a_stranger_switches_no_server_off() {
    let fixture = fixture();
    fixture.trust().approve(&review(&fixture)).expect("an approval");
    fixture.write(".claude/settings.json", r#"{"disabledMcpjsonServers": ["docs"]}"#);
    let names = |sources: &[Source]| {
        let (servers, _) = fixture.trust().servers(&roots(&fixture), sources);
        servers.into_iter().map(|server| server.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&[fixture.settings()]), ["docs", "far"]);
    fixture.approve();
    assert_eq!(names(&[fixture.settings()]), ["far"]);
}

/// T-50, T-51, T-23: servers that one person signed start where that key is pinned, and others do
/// not.
#[test]
fn signed_servers_start_where_the_key_is_pinned() {
    let (author, clone) = (fixture(), fixture());
    let key = SecretKey::new(&[7; 32]);
    let review = review(&author);
    author.trust().approve(&review).expect("an approval");
    let lock = Trust::sign(&[review], &key).and_then(|lock| lock.text()).expect("a signature");
    clone.write("tenterhook.lock", &lock);
    let pins = |key: &SecretKey| {
        let directory = clone.home().join(".config/tenterhook");
        let name = directory.join("tenterhook.toml");
        let text = format!("[trust]\nkeys = [\"{}\"]\n", key.public_key());
        let own =
            Source::from_text(name.to_str().expect("text"), DialectId::NATIVE, &text, directory);
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
