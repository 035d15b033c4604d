//! Questions about tools: answered by a person, by a hook, or not at all.

use super::fixture::Terminal;
use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("a question is answered with yes", yes),
    ("a question is answered with no", no),
    ("always holds for the next call", always),
    ("a hook answers a question", by_a_hook),
    ("what is typed answers no question", typing),
    ("a no says why", why),
    ("what cannot be shown is not agreed to", low),
    ("a question shows everything that would run", all_of_it),
];

const SIZE: (u16, u16) = (80, 24);

const WRITES: &str = r#"
[[reply]]
on = "write"
text = "I will write it down."
call = [{ tool = "Write", input = { file_path = "out.txt", content = "one\ntwo" } }]
[[reply]]
text = "done with it"
"#;

/// Choices are seen only when they count.
const CHOICES: &str = "  1 yes, once";

fn ends(terminal: &Terminal<'_>) -> Result<String, String> {
    terminal.until("the end of the turn", |screen| {
        screen.contains("done with it")
            && !screen.contains("Esc stops")
            && !screen.contains("1 yes, once")
    })
}

fn yes(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", WRITES)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("write")?;
    let screen = terminal.see(CHOICES)?;
    screens::keep(stage, "question", &screen)?;
    must(fixture.text("out.txt").is_empty(), || "it ran before it was agreed to".to_owned())?;
    terminal.press("1")?;
    terminal.see("> 1 yes, once")?;
    terminal.press("Enter")?;
    let screen = ends(&terminal)?;
    must(fixture.text("out.txt") == "one\ntwo", || format!("it did not run:\n{screen}"))
}

fn no(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", WRITES)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("write")?;
    terminal.see(CHOICES)?;
    terminal.press("3")?;
    terminal.press("Enter")?;
    let screen = ends(&terminal)?;
    must(screen.contains("failed: the call was refused: the user said no"), || screen.clone())?;
    must(fixture.text("out.txt").is_empty(), || "it ran all the same".to_owned())?;
    screens::keep(stage, "refused-call", &screen)
}

fn always(stage: &Stage) -> Result<(), String> {
    let script = format!("{}\n{WRITES}", WRITES.replace("done with it", "write again"));
    let fixture = stage.fixture("", &script)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("write")?;
    terminal.see(CHOICES)?;
    terminal.press("Down")?;
    terminal.press("Down")?;
    terminal.see("> 2 yes, always this call")?;
    terminal.press("Enter")?;
    terminal.until("the end of the turn", |screen| {
        screen.contains("write again") && !screen.contains("Esc")
    })?;
    terminal.submit("write")?;
    ends(&terminal).map(drop)
}

fn by_a_hook(stage: &Stage) -> Result<(), String> {
    let hooks = r#"
[hook.agrees]
on = "PermissionRequest"
shell = '''until test -e go; do sleep 0.02; done; echo '{"decision": "allow"}' '''
timeout = "2m"
"#;
    let fixture = stage.fixture(hooks, WRITES)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("write")?;
    terminal.see(CHOICES)?;
    fixture.write("go", "")?;
    ends(&terminal)?;
    must(fixture.text("out.txt") == "one\ntwo", || "it did not run".to_owned())
}

fn typing(stage: &Stage) -> Result<(), String> {
    let script = format!("{WRITES}\n[[reply]]\ntext = \"understood\"\n");
    for text in ["also run tests", "no, use printf", "yes", "y"] {
        let fixture = stage.fixture("", &script)?;
        let terminal = fixture.start(SIZE, &[])?;
        terminal.submit("write")?;
        terminal.see(CHOICES)?;
        terminal.submit(text)?;
        let screen = terminal.see(&format!("> {text}"))?;
        must(screen.contains("May Write run?"), || format!("`{text}` answered:\n{screen}"))?;
        terminal.press("Escape")?;
        ends(&terminal)?;
        must(fixture.text("out.txt").is_empty(), || format!("`{text}` ran it"))?;
    }
    Ok(())
}

fn why(stage: &Stage) -> Result<(), String> {
    let script = r#"
record = "requests.jsonl"
[[reply]]
on = "write"
call = [{ tool = "Edit", input = { file_path = "a.txt", old_string = "one\ntwo\nthree", new_string = "one\nTWO\nthree" } }]
[[reply]]
text = "done with it"
"#;
    let fixture = stage.fixture("", script)?;
    fixture.write("a.txt", "one\ntwo\nthree\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("write")?;
    let screen = terminal.see(CHOICES)?;
    must(screen.contains("    - two\n    + TWO\n"), || screen.clone())?;
    screens::keep(stage, "question-edit", &screen)?;
    terminal.press("3")?;
    terminal.press("BSpace")?;
    terminal.types("keep it in small letters")?;
    terminal.press("Up")?;
    terminal.see("> 3 no")?;
    terminal.press("Enter")?;
    let screen = ends(&terminal)?;
    must(screen.contains("refused: keep it in small letters"), || screen.clone())?;
    let is_received = fixture.text("requests.jsonl").contains("keep it in small letters");
    must(is_received, || "the model does not read it".to_owned())
}

fn low(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", WRITES)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("write")?;
    terminal.see(CHOICES)?;
    terminal.resize((20, 3))?;
    let screen = terminal.see("Too low. Esc: no")?;
    screens::keep(stage, "question-low", &screen)?;
    for key in ["1", "Enter", "BSpace", "y", "BSpace", "Down", "Enter"] {
        terminal.press(key)?;
    }
    terminal.press("Escape")?;
    terminal.resize(SIZE)?;
    ends(&terminal)?;
    must(fixture.text("out.txt").is_empty(), || "it ran unseen".to_owned())
}

fn all_of_it(stage: &Stage) -> Result<(), String> {
    let script = r#"
[[reply]]
call = [{ tool = "Bash", input = { description = "list files", command = "ls\nrm -rf build\u001b[2J\u202e" } }]
[[reply]]
text = "done with it"
"#;
    let fixture = stage.fixture("", script)?;
    let terminal = fixture.start((40, 20), &[])?;
    terminal.submit("list")?;
    let screen = terminal.see("  3 no")?;
    must(screen.contains("rm -rf build\\u{1b}[2J\\u{202e}"), || {
        format!("the second line is hidden:\n{screen}")
    })?;
    must(screen.contains("May Bash run?"), || screen.clone())?;
    screens::keep(stage, "question-narrow", &screen)?;
    terminal.press("Escape")?;
    ends(&terminal).map(drop)
}
