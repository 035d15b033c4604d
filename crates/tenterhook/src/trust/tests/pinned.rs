//! Which files are pinned with a hook, and which are not.

use std::io::Write as _;

use super::*;

const NATIVE: &str = "tenterhook.toml";

/// A native hook that runs a line of a shell.
fn entry(name: &str, line: &str) -> String {
    format!("[hook.{name}]\non = 'PreToolUse'\nshell = \"{line}\"\n")
}

/// The files that a line pins, below the project or as they are, with whether they are there.
fn pinned(fixture: &Fixture, line: &str) -> Vec<(String, bool)> {
    fixture.write(NATIVE, &entry("a", line));
    let review = fixture.trust().review(&fixture.source(NATIVE));
    let pins = review.entries.iter().flat_map(|entry| &entry.pins.files);
    let shown = |path: &Path| {
        path.strip_prefix(fixture.project()).unwrap_or(path).to_string_lossy().into_owned()
    };
    pins.map(|pin| (shown(&pin.path), pin.digest.is_some())).collect()
}

/// T-4, T-6: a script's folder is pinned, and neither the project nor what is no part of it; what
/// is named and not there is pinned as absent.
#[test]
fn a_folder_of_the_project_is_pinned_with_its_script() {
    let fixture = Fixture::new();
    for name in
        ["guard.sh", "beside.sh", "tools/a.sh", "tools/lib/b.sh", "hooks/x/c.sh", "hooks/y/d.sh"]
    {
        fixture.write(name, "");
    }
    let outside = fixture.home().join("e.sh");
    fs::write(&outside, "").expect("a file");
    fs::write(fixture.home().join("f.sh"), "").expect("a file");
    let outside = outside.to_str().expect("text");
    for (line, files) in [
        ("./guard.sh", vec![("guard.sh", true)]),
        ("tools/a.sh", vec![("tools/a.sh", true), ("tools/lib/b.sh", true)]),
        ("tools/lib/b.sh", vec![("tools/lib/b.sh", true)]),
        ("hooks/x/c.sh", vec![("hooks/x/c.sh", true), ("hooks/y/d.sh", true)]),
        (outside, vec![(outside, true)]),
        ("none/g.sh", vec![("none/g.sh", false)]),
        ("sh none.sh", vec![("none.sh", false)]),
        // A word that may be a file but does not exist pins no folder, and a folder is not a file.
        ("sh tools/none.sh", vec![("tools/none.sh", false)]),
        ("sh tools", vec![]),
    ] {
        let found = pinned(&fixture, line);
        let found: Vec<_> =
            found.iter().map(|(name, is_there)| (name.as_str(), *is_there)).collect();
        assert_eq!(found, files, "{line}");
    }
    // Beside the file that configures it a script is alone.
    fixture.write(".claude/gate.sh", "");
    fixture.write(".claude/settings.json", &GATE.replace("hooks/gate.sh", "gate.sh"));
    let review = fixture.trust().review(&fixture.settings());
    assert_eq!(review.entries.iter().flat_map(|entry| &entry.pins.files).count(), 1);
}

/// T-6, T-131: caches that programs leave are not pinned, unless the entry names them.
#[test]
fn what_programs_leave_beside_themselves_is_not_pinned() {
    let fixture = Fixture::new();
    for name in
        ["tools/a.sh", "tools/a.log", "tools/a.pyc", "tools/__pycache__/b.py", "tools/.DS_Store"]
    {
        fixture.write(name, "");
    }
    let names =
        |line: &str| pinned(&fixture, line).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("tools/a.sh"), ["tools/a.sh"]);
    assert_eq!(names("sh tools/a.log"), ["tools/a.log", "tools/a.sh"]);
}

/// T-20: hooks that run other files, or something else that cannot be named, have no copy in
/// common.
#[test]
fn hooks_that_run_something_else_have_another_digest() {
    let fixture = Fixture::new();
    for name in ["one/a.sh", "two/a.sh"] {
        fixture.write(name, "exit 0\n");
    }
    for (first, second, is_same) in [
        ("one/a.sh", "one/a.sh x", true),
        ("one/a.sh", "two/a.sh", false),
        ("one/a.sh", "one/a.sh; two/a.sh", false),
        ("one/a.sh; two/a.sh", "one/a.sh", false),
        ("one/a.sh", "one/a.sh; make x", false),
        ("make x", "make y", false),
    ] {
        fixture.write(NATIVE, &(entry("a", first) + &entry("b", second)));
        let review = fixture.trust().review(&fixture.source(NATIVE));
        let [one, other] = review.entries.as_slice() else { panic!("{review:?}") };
        assert_eq!(one.files == other.files, is_same, "{first} and {second}");
    }
}

/// T-4: the first line of a named file decides which program runs it, also if another entry read it
/// before.
#[test]
fn a_file_that_another_entry_read_is_named_by_this_one() {
    let fixture = Fixture::new();
    fixture.write("tools/a.sh", "exit 0\n");
    fixture.write("tools/b.sh", "#!/usr/bin/env sh\n");
    fixture.write(NATIVE, &(entry("a", "tools/a.sh") + &entry("b", "tools/b.sh")));
    let review = fixture.trust().review(&fixture.source(NATIVE));
    let found: Vec<_> = review.entries.iter().map(|entry| entry.pins.interpreters.len()).collect();
    assert_eq!(found, [0, 1]);
}

/// T-7: more bytes than are read cannot be approved, whichever entry read them first.
#[test]
fn what_is_too_large_cannot_be_approved() {
    let fixture = Fixture::new();
    let half = pins::MOST_BYTES / 2 + 1;
    for name in ["one/a.sh", "two/b.sh"] {
        fixture.write(name, "");
        let file = fs::OpenOptions::new().write(true).open(fixture.project().join(name));
        // 0xff is not valid UTF-8, so the rest is not searched for suspicious text.
        let filled = |mut file: fs::File| file.write_all(&[0xff]).and_then(|()| file.set_len(half));
        file.and_then(filled).expect("a large file");
    }
    let text = entry("a", "one/a.sh") + &entry("b", "two/b.sh") + &entry("c", "one/a.sh; two/b.sh");
    let is_too_much = |text: &str| {
        fixture.write(NATIVE, text);
        let review = fixture.trust().review(&fixture.source(NATIVE));
        review.entries.iter().map(|entry| entry.pins.too_much.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(is_too_much(&text), [false, false, true]);
    assert_eq!(is_too_much(&entry("c", "one/a.sh; two/b.sh")), [true]);
}

/// T-7: so it is with a file that cannot be read, and one that is not there is no such file.
#[test]
fn what_cannot_be_read_cannot_be_approved() {
    let fixture = Fixture::new();
    fixture.write("tools/a.sh", "");
    for (line, why) in [("tools/a.sh/b.sh", Some("cannot be read")), ("nowhere/b.sh", None)] {
        fixture.write(NATIVE, &entry("a", line));
        let found = fixture.trust().review(&fixture.source(NATIVE)).too_much();
        assert_eq!(found.is_some(), why.is_some(), "{line}: {found:?}");
        assert!(why.is_none_or(|why| found.is_some_and(|text| text.contains(why))), "{line}");
    }
}

/// T-92: a word that stands for two files is pinned as both, and no copy takes the place of either.
#[test]
fn word_for_two_files_runs_where_they_lie() {
    let fixture = Fixture::new();
    for name in ["a/g.sh", "b/g.sh"] {
        fixture.write(name, "exit 0\n");
    }
    let line = "cd a && ./g.sh; cd ../b && ./g.sh";
    let found = pinned(&fixture, line);
    assert!(found.contains(&("a/g.sh".to_owned(), true)), "{found:?}");
    assert!(found.contains(&("b/g.sh".to_owned(), true)), "{found:?}");
    let trust = fixture.trust();
    trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
    let (engine, diagnostics) = fixture.engine_of([fixture.source(NATIVE)]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let hooks = engine.ruleset().hooks().to_vec();
    assert!(hooks.iter().all(|hook| hook.arming == Arming::Armed), "{hooks:?}");
}
