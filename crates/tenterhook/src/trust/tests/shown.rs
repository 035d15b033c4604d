//! What a person is shown before they approve.

use super::*;

/// T-40: all that an entry says, to the end of it, and what it can do.
#[test]
fn all_that_an_entry_says_is_shown() {
    let fixture = Fixture::new();
    fixture.write("guard.sh", "#!/bin/sh\n");
    fixture.write(
        "tenterhook.toml",
        "[hook.worker]\non = 'PreToolUse'\nmatch = 'Bash'\nworker = ['./guard.sh', '--strict']\n\
         timeout = '15s'\non_failure = 'ask'\nenv = { LEVEL = '3' }\n\
         [hook.rule]\non = 'PreToolUse'\nwhen = 'true'\ndeny = 'not here'\n",
    );
    let review = fixture.trust().review(&fixture.source("tenterhook.toml"));
    let [worker, rule] = review.entries.as_slice() else { panic!("{review:?}") };
    let says = |entry: &Entry, lead: &str, text: &str| {
        let found =
            entry.says.iter().any(|(other, output)| *other == lead && output.contains(text));
        assert!(found, "`{lead}` `{text}`: {:?}", entry.says);
    };
    for (lead, text) in [
        ("for", "Bash"),
        ("runs", "guard.sh --strict"),
        ("env", "LEVEL=3"),
        ("how", "for at most 15s"),
        ("how", "`on_failure` is `ask`"),
    ] {
        says(worker, lead, text);
    }
    says(rule, "deny", "not here");
    assert!(worker.can.contains(&"block calls"), "{:?}", worker.can);
    assert!(rule.can.contains(&"look at the call"), "{:?}", rule.can);
    assert!(!rule.can.contains(&"allow without a question"), "a rule never allows");
}

/// T-40: the review shows whether an entry is new, runs something else or changed, and what is
/// gone.
#[test]
fn how_an_entry_differs_from_what_was_approved_is_shown() {
    let fixture = Fixture::new();
    let found = || {
        let review = fixture.trust().review(&fixture.settings());
        (review.entries.iter().map(|entry| entry.change).collect::<Vec<_>>(), review.gone.len())
    };
    assert_eq!(found(), (vec![Change::New], 0));
    fixture.approve();
    assert_eq!(found(), (vec![Change::Same], 0));
    fixture.write(".claude/hooks/lib/words.sh", "WORDS='other'\n");
    assert_eq!(found(), (vec![Change::Files], 0));
    fixture.write(".claude/settings.json", &GATE.replace("Bash", "Edit"));
    assert_eq!(found(), (vec![Change::Entry], 1));
    let gone = fixture.trust().review(&fixture.settings()).gone;
    assert!(
        gone.iter().all(|text| text.contains("PreToolUse") && text.contains("gate.sh")),
        "{gone:?}"
    );
    fixture.write(".claude/settings.json", "{}");
    assert_eq!(found(), (Vec::new(), 1));
}

/// T-6, T-7: a folder is followed so deep and no deeper, and what lies deeper cannot be approved.
#[test]
fn a_folder_that_is_too_deep_cannot_be_approved() {
    for (deep, is_read) in [(pins::DEEPEST, true), (pins::DEEPEST + 1, false)] {
        let fixture = Fixture::new();
        fixture.write(&format!(".claude/hooks/{}x", "d/".repeat(deep)), "");
        let why = fixture.trust().review(&fixture.settings()).too_much();
        assert_eq!(why.is_none(), is_read, "{deep}: {why:?}");
        assert!(why.is_none_or(|text| text.contains("folders deep")));
    }
}

/// T-11, T-7: what was approved and cannot be read any more is not said to have been changed.
#[tokio::test]
async fn file_that_became_unreadable_is_reported() {
    let fixture = Fixture::new();
    fixture.approve();
    fixture.write(&format!(".claude/hooks/{}x", "d/".repeat(pins::DEEPEST + 1)), "");
    let (restraint, reason) = fixture.call().await;
    assert_eq!(restraint, Restraint::Ask, "{reason}");
    assert!(reason.contains("whether it is what you approved is not known"), "{reason}");
}

/// T-40: the program that a script's first line looks up is one that runs it.
#[test]
fn the_program_of_a_first_line_is_shown() {
    let fixture = Fixture::new();
    for (line, program) in [
        ("#!/bin/sh", None),
        ("#!/usr/bin/env sh", Some("sh")),
        ("#!/usr/bin/env -S A=b sh -e", Some("sh")),
        ("# /usr/bin/env sh", None),
    ] {
        fixture.write(".claude/hooks/gate.sh", &format!("{line}\nexit 0\n"));
        let review = fixture.trust().review(&fixture.settings());
        let found: Vec<_> =
            review.entries.iter().flat_map(|entry| &entry.pins.interpreters).collect();
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, program.into_iter().collect::<Vec<_>>(), "{line}");
    }
}

/// The review of hook `a` of a native file, on this event.
fn entry_on(event: &str, entry: &str) -> Entry {
    let fixture = Fixture::new();
    fixture.write("tenterhook.toml", &format!("[hook.a]\non = '{event}'\n{entry}\n"));
    let source = fixture.source("tenterhook.toml");
    let reported = source.dialect.dialect().read_config(&source).diagnostics;
    assert!(reported.is_empty(), "{entry}: {reported:?}");
    fixture.trust().review(&source).entries.pop().expect("an entry")
}

/// T-40: all that each kind of entry says is a row, and nothing that it does not say.
#[test]
fn each_kind_of_entry_is_shown_row_by_row() {
    let unsaid = ("sandbox", "standard under `tenterhook`, the default");
    for (entry, rows) in [
        (
            "run = ['a', 'b']\npass = ['TOKEN', 'B']\nenv = { A = '1' }\ncwd = '/tmp'",
            &[("runs", "a b"), ("in", "/tmp"), ("env", "A=1"), ("uses", "TOKEN, B"), unsaid][..],
        ),
        (
            "shell = 'x'\nmatch = ['Bash', 'Edit']\nif = 'Bash(ls)'\nonce = true\nbackground = true",
            &[
                ("for", "Bash, Edit"),
                ("if", "Bash(ls)"),
                ("runs", "x"),
                unsaid,
                ("how", "in the background; once a session"),
            ],
        ),
        (
            "shell = 'x'\nmatch = '/^B/'\nanswer = 'required'\nstatus = 'looks'\nmode = 'shadow'",
            &[
                ("for", "^B"),
                ("runs", "x"),
                unsaid,
                ("how", "it must answer; in shadow; shown as: looks"),
            ],
        ),
        ("shell = 'x'\nsandbox = 'off'", &[("runs", "x"), ("sandbox", "off")]),
        (
            "shell = 'x'\nsandbox = 'strict'",
            &[("runs", "x"), ("sandbox", "strict; isolation_min T1")],
        ),
        (
            "http = { url = 'https://a.example', headers = { A = 'b $C' }, secret = 'S' }\npass = ['C']",
            &[("runs", "POST https://a.example"), ("headers", "A"), ("uses", "C, S")],
        ),
        ("http = 'https://a.example'", &[("runs", "POST https://a.example")]),
        ("prompt = 'is it?'", &[("asks", "is it?")]),
        (
            "prompt = { text = 'is it?', model = 'm', tokens = 9, allow = true, goes_on = true }",
            &[
                ("asks", "is it?"),
                (
                    "of",
                    "model `m`; at most 9 tokens; its consent counts; the turn goes on after its no",
                ),
            ],
        ),
        (
            "agent = { text = 'is it?', turns = 3 }",
            &[("asks", "is it?"), ("of", "3 turns with tools that read")],
        ),
        (
            "mcp = { server = 'db', tool = 'check', input = { a = 1 } }",
            &[("runs", "mcp db/check"), ("with", "{\"a\":1}")],
        ),
        ("mcp = { server = 'db', tool = 'check' }", &[("runs", "mcp db/check")]),
        (
            "when = 'true'\ndeny = ' no '\ncontext = 'c'",
            &[("when", "true"), ("deny", "no"), ("context", "c")],
        ),
    ] {
        let says = entry_on("PreToolUse", entry).says;
        let says: Vec<_> = says.iter().map(|(lead, text)| (*lead, text.as_str())).collect();
        assert_eq!(says, rows, "{entry}");
    }
}

/// T-40: what an entry can do is what its event permits, in its phase, and of a rule what is
/// written in it.
#[test]
fn what_an_entry_can_do_is_what_its_event_permits() {
    const RUN: &str = "run = ['a']";
    const WATCH: &str = "run = ['a']\nphase = 'observe'";
    let (allow, change) = ("allow without a question", "change what happens");
    let (tell, set) = ("tell the model something", "set variables for the commands that follow");
    let rule = |part: &str| format!("when = 'true'\n{part} = 'x'");
    for (event, entry, can) in [
        ("PreToolUse", RUN, &["block calls", allow, change, tell][..]),
        ("PreToolUse", "run = ['a']\nbackground = true", &["block", allow, change, tell]),
        ("PreToolUse", WATCH, &[tell]),
        ("PreToolUse", &rule("deny"), &["block calls"]),
        ("PreToolUse", &rule("ask"), &["have the user asked"]),
        ("PreToolUse", &rule("context"), &[tell]),
        ("PreToolUse", "when = 'true'\nrewrite = '{}'", &[change]),
        ("PermissionRequest", RUN, &["block calls", allow, change]),
        ("PermissionRequest", WATCH, &[]),
        ("PermissionRequest", &rule("ask"), &["have the user asked"]),
        ("UserPromptSubmit", RUN, &["block", change, tell]),
        ("UserPromptSubmit", &rule("deny"), &["block"]),
        ("PostToolUse", RUN, &["block", tell]),
        ("SessionStart", RUN, &[tell, set]),
        ("SessionStart", WATCH, &[tell, set]),
        ("SessionStart", &rule("context"), &[tell]),
        ("Stop", RUN, &["block", tell]),
        ("Notification", RUN, &[]),
    ] {
        let mut found = entry_on(event, entry).can;
        found.retain(|text| !["run a program", "look at the call"].contains(text));
        assert_eq!(found, can, "{event}: {entry}");
    }
}

/// T-40, X-15: by what it runs, and how far that is confined.
#[test]
fn what_an_entry_runs_is_said_at_the_end() {
    for (entry, last) in [
        ("run = ['a']", "run a program"),
        ("run = ['a']\nsandbox = 'off'", "run a program with your rights"),
        ("worker = ['a']\nsandbox = 'strict'", "run a program in a sandbox"),
        ("http = 'https://a.example'", "send what happens to a server"),
        ("prompt = 'is it?'", "send what happens to a model"),
        ("mcp = { server = 'db', tool = 'check' }", "call a tool of a server"),
        ("when = 'true'\ndeny = 'no'", "look at the call"),
        ("run = ['a']\nenabled = false", "do nothing for now: it is switched off"),
    ] {
        assert_eq!(entry_on("PreToolUse", entry).can.last(), Some(&last), "{entry}");
    }
}

/// T-40: of a server, too: how far it is confined, its variables and the names of its headers.
#[test]
fn what_a_server_says_is_shown() {
    for (entry, line) in [
        (
            "run = ['db', 'x']\nenv = { A = '1' }\npass = ['B']",
            "has the MCP server `a`, which runs in the sandbox `standard` under `tenterhook`: db x\nenv  A=1\nuses  B",
        ),
        (
            "run = ['db']\nsandbox = 'off'",
            "has the MCP server `a`, which runs with your rights: db",
        ),
        (
            "run = ['db']\nsandbox = 'strict'",
            "has the MCP server `a`, which runs in the sandbox `strict; isolation_min T1`: db",
        ),
        (
            "run = ['npx', 'db']",
            "has the MCP server `a`, which runs in the sandbox `standard` under `tenterhook`: npx db (unpinned)",
        ),
        (
            "url = 'https://a.example'\nheaders = { A = '$B' }\npass = ['B']",
            "has the MCP server `a`: https://a.example\nheaders  A\nuses  B",
        ),
    ] {
        let fixture = Fixture::new();
        fixture.write("tenterhook.toml", &format!("[mcp.a]\n{entry}\n"));
        let source = fixture.source("tenterhook.toml");
        let review = fixture.trust().review(&source);
        // The working directory of a program is shown, too, and differs in each run.
        let starts = format!("\nin  {}", fixture.project().display());
        let beside: Vec<_> = review.beside.iter().map(|text| text.replace(&starts, "")).collect();
        assert_eq!(beside, [line], "{entry}");
        assert!(!review.is_empty());
    }
    let fixture = Fixture::new();
    fixture.write("tenterhook.toml", "[mcp.a]\nrun = ['db']\n");
    let own = Source { layer: Layer::User, ..fixture.source("tenterhook.toml") };
    let own = fixture.trust().review(&own).beside;
    let begins = "has the MCP server `a`, which runs with your rights: db";
    assert!(own.iter().all(|text| text.starts_with(begins)) && own.len() == 1, "{own:?}");
}

/// T-41: what is odd is named by the row, or the file, that it stands in.
#[test]
fn what_is_odd_is_named_by_where_it_stands() {
    let fixture = Fixture::new();
    fixture.write("tools/a.sh", "base64 x\n");
    fixture
        .write("tenterhook.toml", "[hook.a]\non = 'PreToolUse'\nshell = 'base64 y; tools/a.sh'\n");
    let review = fixture.trust().review(&fixture.source("tenterhook.toml"));
    let found: Vec<_> = review.entries.iter().flat_map(|entry| &entry.suspects).collect();
    let places: Vec<_> =
        found.iter().map(|(place, suspect)| (place.as_str(), suspect.line)).collect();
    let file = fixture.project().join("tools/a.sh");
    assert_eq!(places, [("`runs`", 1), (file.to_str().expect("text"), 1)]);
}

/// T-40: a file without settings, from which nothing is gone, has nothing to approve.
#[test]
fn a_file_that_says_nothing_is_empty() {
    let fixture = Fixture::new();
    let is_empty = || fixture.trust().review(&fixture.settings()).is_empty();
    assert!(!is_empty());
    fixture.write(".claude/settings.json", "{\"model\": \"m\"}");
    assert!(is_empty());
    fixture.write(".claude/settings.json", "{\"disableAllHooks\": true}");
    assert!(!is_empty());
    fixture.write(".claude/settings.json", GATE);
    fixture.approve();
    fixture.write(".claude/settings.json", "{}");
    assert!(!is_empty(), "what is gone is something to approve");
}

/// T-180: a virtual environment brings another program of the same name.
#[cfg(unix)]
#[test]
fn a_program_that_path_finds_elsewhere_is_named_with_both_paths() {
    let fixture = Fixture::new();
    fixture.write("guard.py", "");
    let entry = "[hook.a]\non = 'PreToolUse'\nrun = ['snake', 'guard.py']\n";
    fixture.write("tenterhook.toml", entry);
    let program = |directory: &str| {
        let path = fixture.home().join(directory).join("snake");
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, "").expect("a file");
        executable(&path);
        path
    };
    let (usual, venv) = (program("usual"), program("venv"));
    let trust = |program: &Path| {
        let path = program.parent().expect("a parent").display().to_string();
        fixture.trust().within(&[("PATH".to_owned(), path)])
    };
    let source = fixture.source("tenterhook.toml");
    let approved = trust(&usual);
    approved.approve(&approved.review(&source)).expect("an approval");
    let moved = |program: &Path| trust(program).review(&source).entries[0].moved_programs.clone();
    assert_eq!(moved(&usual), [""; 0]);
    let text = format!(
        "`snake` is `{}` here, and was `{}` when you approved it",
        venv.display(),
        usual.display()
    );
    assert_eq!(moved(&venv), [text]);
}
