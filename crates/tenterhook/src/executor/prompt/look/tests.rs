//! What the tools show, refuse and bound: MO-6 and MO-7.

use super::*;

fn project() -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    let project = room.path().join("project");
    std::fs::create_dir_all(project.join("src/deep")).unwrap();
    std::fs::create_dir_all(project.join("node_modules/x")).unwrap();
    std::fs::write(project.join("src/main.rs"), "fn main() {\n    secret();\n}\n").unwrap();
    std::fs::write(project.join("src/deep/a.txt"), "one\nsecret two\n").unwrap();
    std::fs::write(project.join("node_modules/x/secret.js"), "secret\n").unwrap();
    std::fs::write(room.path().join("outside.txt"), "secret outside\n").unwrap();
    room
}

fn made(room: &tempfile::TempDir, name: &str, input: Value) -> Result<String, String> {
    let wanted = ToolCall { id: "1".into(), name: name.into(), input, signatures: Vec::new() };
    run_tool_call(&room.path().join("project"), &wanted, 0, &Given::default())
        .map_err(|why| why.to_string())
}

/// MO-6
#[test]
fn a_file_is_read_from_a_line_on() {
    let room = project();
    assert_eq!(
        made(&room, "read", json!({"path": "src/main.rs"})).unwrap(),
        "fn main() {\n    secret();\n}\n"
    );
    assert_eq!(
        made(&room, "read", json!({"path": "./src/../src/main.rs", "line": 3})).unwrap(),
        "}\n"
    );
    let inside = room.path().join("project/src/main.rs").canonicalize().unwrap();
    assert!(made(&room, "read", json!({"path": inside})).is_ok(), "an absolute path inside");
    let long = "x".repeat(99) + "\n";
    std::fs::write(room.path().join("project/long.txt"), long.repeat(2_000)).unwrap();
    let read = made(&room, "read", json!({"path": "long.txt"})).unwrap();
    assert!(read.len() < SHOWN + 100, "{}", read.len());
    assert!(read.ends_with("[more follows; read again with `line`: 656]"), "{read}");
}

/// MO-7
#[test]
fn nothing_outside_the_project_is_read() {
    let room = project();
    let project = room.path().join("project");
    #[cfg(unix)]
    {
        let link =
            |to: &Path, name: &str| std::os::unix::fs::symlink(to, project.join(name)).unwrap();
        link(&room.path().join("outside.txt"), "link.txt");
        link(room.path(), "up");
        link(&project.join("src/main.rs"), "inner.rs");
        assert!(made(&room, "read", json!({"path": "inner.rs"})).is_ok(), "a link inside");
    }
    for path in [
        "../outside.txt",
        "src/../../outside.txt",
        "/etc/passwd",
        "link.txt",
        "up/outside.txt",
        "up",
        "..",
        &room.path().join("outside.txt").to_string_lossy(),
    ] {
        let why = made(&room, "read", json!({"path": path})).unwrap_err();
        assert!(why.contains("outside the project"), "{path}: {why}");
        let why = made(&room, "search", json!({"pattern": "secret", "path": path})).unwrap_err();
        assert!(why.contains("outside the project"), "{path}: {why}");
    }
    let found = made(&room, "search", json!({"pattern": "secret"})).unwrap();
    assert_eq!(found, "src/deep/a.txt:2: secret two\nsrc/main.rs:2: secret();");
}

/// MO-6
#[test]
fn a_search_finds_names_and_lines() {
    let room = project();
    let search = |input| made(&room, "search", input);
    assert_eq!(search(json!({"glob": "**/*.rs"})).unwrap(), "src/main.rs");
    assert_eq!(search(json!({"glob": "*.rs"})).unwrap(), "nothing was found");
    assert_eq!(
        search(json!({"glob": "**/*.rs", "pattern": "secret"})).unwrap(),
        "src/main.rs:2: secret();"
    );
    assert_eq!(
        search(json!({"pattern": "two$", "path": "src/deep"})).unwrap(),
        "src/deep/a.txt:2: secret two"
    );
    std::fs::write(room.path().join("project/many.txt"), "hit\n".repeat(500)).unwrap();
    let found = search(json!({"pattern": "hit"})).unwrap();
    assert_eq!(found.lines().count(), 201);
    assert!(found.ends_with("[the search ended early: enough was found; look in fewer places]"));
}

/// MO-6
#[test]
fn failed_tool_call_is_reported_to_the_model() {
    let room = project();
    std::fs::write(room.path().join("project/bytes.bin"), [0xff, 0xfe, 0]).unwrap();
    for (name, input, expected) in [
        ("read", json!({}), "`path` must be a string"),
        ("read", json!({"path": "src"}), "is not a file"),
        ("read", json!({"path": "nowhere.txt"}), "cannot be opened"),
        ("read", json!({"path": "bytes.bin"}), "is not a text file"),
        ("read", json!({"path": "src/main.rs", "line": 99}), "fewer than 99 lines"),
        ("read", json!({"path": "src/main.rs", "line": "x"}), "`line` must be"),
        ("search", json!({}), "give `glob`, `pattern`, or both"),
        ("search", json!({"pattern": "("}), "`pattern` cannot be used"),
        ("search", json!({"pattern": "(a{1000}){1000}"}), "`pattern` cannot be used"),
        ("search", json!({"glob": "["}), "`glob` cannot be used"),
        ("write", json!({"path": "src/main.rs"}), "there is no tool `write`"),
    ] {
        let why = made(&room, name, input).unwrap_err();
        assert!(why.contains(expected), "{why}");
    }
    let ninth = ToolCall {
        name: "read".into(),
        input: json!({"path": "src/main.rs"}),
        ..ToolCall::default()
    };
    let why = run_tool_call(&room.path().join("project"), &ninth, AT_ONCE, &Given::default())
        .unwrap_err();
    assert!(why.to_string().contains("at most 8"), "{why}");
    let nowhere = run_tool_call(Path::new(""), &ninth, 0, &Given::default()).unwrap_err();
    assert!(nowhere.to_string().contains("no project"), "{nowhere}");
}

/// MO-6: opening a named pipe would block the hook forever.
#[cfg(unix)]
#[test]
fn named_pipe_is_refused_without_waiting() {
    let room = project();
    let pipe = room.path().join("project/pipe");
    tenterhook_testkit::make_fifo(&pipe).unwrap();
    let why = made(&room, "read", json!({"path": "pipe"})).unwrap_err();
    assert!(why.contains("is not a file"), "{why}");
    assert!(made(&room, "search", json!({"pattern": "."})).is_ok());
}

///
#[test]
fn search_ends_when_its_caller_is_gone() {
    let room = project();
    let given = Given::default();
    drop(GiveUp(given.clone()));
    let wanted = ToolCall {
        name: "search".into(),
        input: json!({"pattern": "secret"}),
        ..ToolCall::default()
    };
    let text = run_tool_call(&room.path().join("project"), &wanted, 0, &given).unwrap();
    assert_eq!(
        text,
        "nothing was found\n[the search ended early: it was given up; look in fewer places]"
    );
}
