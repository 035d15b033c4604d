//! Approval holds whatever the shape of an entry: a file that decides and changes is noticed, or the review said that it would not
//! be. Plays the list in `shapes.json` through the program; `TRUST_SHAPES` may name another list of the same form.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::fixture::Fixture;

const CALL: &str =
    r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;

/// The exit code of `fire` where a call is denied; 0: it passes, 3: it is held.
const DENIED: i32 = 2;

/// The list that is played, and how it is called.
#[expect(
    clippy::disallowed_methods,
    reason = "a list that is kept elsewhere is played by the same code"
)]
fn list() -> Value {
    let text = match std::env::var("TRUST_SHAPES") {
        Ok(path) => fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("shapes.json").to_owned(),
    };
    serde_json::from_str(&text).unwrap()
}

fn text<'a>(shape: &'a Value, key: &str) -> &'a str {
    shape.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn shapes<'a>(list: &'a Value, key: &str) -> Vec<&'a Value> {
    list.get(key).and_then(Value::as_array).into_iter().flatten().collect()
}

/// Writes a file that may be started, or the link that a name with `@` means.
fn write(fixture: &Fixture, name: &str, text: &str) {
    let project = fixture.path("project");
    let path = project.join(name.trim_start_matches('@'));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if name.starts_with('@') {
            std::os::unix::fs::symlink(text, path).unwrap();
            return;
        }
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    #[cfg(not(unix))]
    fs::write(&path, text).unwrap();
}

/// A project with the entry of a shape, and the files beside it.
fn project(shape: &Value) -> Fixture {
    let fixture = Fixture::new().unapproved();
    fixture.write("event.json", CALL);
    let entry = text(shape, "entry");
    let config = format!("[hook.g]\non = \"PreToolUse\"\nmatch = \"Bash\"\n{entry}\n");
    fixture.write("project/tenterhook.toml", &config);
    for (name, text) in shape.get("more").and_then(Value::as_object).into_iter().flatten() {
        write(&fixture, name, text.as_str().unwrap());
    }
    fixture
}

fn fire(fixture: &Fixture, more: &[&str]) -> i32 {
    fixture.run(&[&["fire"], more, &["../event.json"]].concat(), "").code
}

/// Approves what the review says; whether it said that something is unpinned.
fn approve(fixture: &Fixture) -> bool {
    let page = fixture.run(&["trust"], "").stdout;
    let digest = page.lines().find_map(|line| line.strip_prefix("review ")).unwrap_or_default();
    let approved = fixture.run(&["trust", "--yes", digest], "");
    assert_eq!(approved.code, 0, "{page}{}", approved.all());
    page.contains("unpinned")
}

/// The way in which a shape is not covered, if there is one.
fn flaw(shape: &Value) -> Option<String> {
    let fixture = project(shape);
    let (file, denies) = (text(shape, "file"), shape.get("denies").and_then(Value::as_str));
    if let Some(denies) = denies {
        write(&fixture, file, denies);
    }
    let before = fire(&fixture, &["--config", "tenterhook.toml"]);
    let is_said = approve(&fixture);
    let approved = fire(&fixture, &[]);
    write(&fixture, file, text(shape, "passes"));
    let changed = fire(&fixture, &[]);
    let what = if before == DENIED && approved == 0 {
        "lost: approved, it denies no more"
    } else if changed == 0 && !is_said {
        "unnoticed: the file changed, and the call passes"
    } else {
        return None;
    };
    Some(format!("{}, {}: {what}", text(shape, "kind"), text(shape, "name")))
}

/// The way in which an entry whose words are no files of the project is disturbed, if there is one.
fn noise(shape: &Value) -> Option<String> {
    let fixture = project(shape);
    let changes = text(shape, "changes");
    write(&fixture, changes, "1\n");
    let is_said = approve(&fixture);
    let before = fire(&fixture, &[]);
    write(&fixture, changes, "2\n");
    let after = fire(&fixture, &[]);
    let is_quiet = !is_said && (before, after) == (DENIED, DENIED);
    (!is_quiet).then(|| format!("{}: said {is_said}, {before} then {after}", text(shape, "name")))
}

/// Asks the same of each, two at a time.
fn each(shapes: &[&Value], ask: fn(&Value) -> Option<String>) -> Vec<String> {
    let half = shapes.len().div_ceil(2).max(1);
    std::thread::scope(|scope| {
        let asked: Vec<_> = shapes
            .chunks(half)
            .map(|chunk| scope.spawn(move || chunk.iter().filter_map(|shape| ask(shape)).collect()))
            .collect();
        asked.into_iter().flat_map(|thread| -> Vec<String> { thread.join().unwrap() }).collect()
    })
}

/// T-85 to T-91.
/// T-100, T-101, T-102, T-103, T-87, T-88, T-89.
#[test]
#[expect(clippy::print_stdout, reason = "the figure of another list")]
fn file_that_decides_and_changes_is_noticed_or_said() {
    let list = list();
    let cases = shapes(&list, "cases");
    let flaws = each(&cases, flaw);
    println!("{} of {} shapes", cases.len() - flaws.len(), cases.len());
    assert!(flaws.is_empty(), "{} of {}:\n{}", flaws.len(), cases.len(), flaws.join("\n"));
}

/// T-85: what is no file of the project asks for nothing.
/// T-103, T-86.
#[test]
fn entry_without_files_of_the_project_stays_approved() {
    let list = list();
    let ordinary = shapes(&list, "ordinary");
    let flaws = each(&ordinary, noise);
    assert!(flaws.is_empty(), "{} of {}:\n{}", flaws.len(), ordinary.len(), flaws.join("\n"));
}

/// The list is one of kinds, and no file of it leaves the project.
#[test]
fn list_of_shapes_is_sound() {
    let list: Value = serde_json::from_str(include_str!("shapes.json")).unwrap();
    assert!(shapes(&list, "cases").len() >= 60);
    for shape in shapes(&list, "cases") {
        let file = Path::new(text(shape, "file"));
        assert!(file.is_relative() && !text(shape, "kind").is_empty(), "{shape}");
    }
}
