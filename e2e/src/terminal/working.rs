//! While something is under way: typing is seen, the spinner turns, Esc stops it, and the terminal may change its size.

use std::collections::BTreeSet;

use super::fixture::{Terminal, awaited, lives};
use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("typing is seen and the spinner turns while a hook sleeps", never_freezes),
    ("a hook's own words are the status", status),
    ("Esc stops hooks and gives the text back", hooks_stopped),
    ("Esc stops a tool and all that it started", tool_stopped),
    ("forty columns are enough", narrow),
    ("ten rows are enough", low),
    ("the size may change while the model streams", resized),
    ("the panel shows what hooks did", panel),
    ("a flood is survived, and earlier words are found again", flood),
];

const SIZE: (u16, u16) = (80, 24);
const SPINNER: &str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

const SLEEPS: &str = r#"
[hook.sleeps]
on = "UserPromptSubmit"
timeout = "1m"
shell = "sleep 10; echo ended >ended"
"#;

/// Two different pictures of the spinner.
fn turns(terminal: &Terminal<'_>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    awaited(|| {
        seen.extend(terminal.screen()?.chars().filter(|c| SPINNER.contains(*c)));
        Ok(seen.len() > 1)
    })
    .map_err(|why| format!("the spinner stands still{why}: {seen:?}"))
}

fn never_freezes(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(SLEEPS, "[[reply]]\ntext = \"understood\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("hello")?;
    terminal.types("meanwhile")?;
    terminal.see("│ meanwhile ")?;
    turns(&terminal)?;
    let screen = terminal.see(" at UserPromptSubmit (1 s)  Esc stops")?;
    must(fixture.text("ended").is_empty(), || "the hook ended first".to_owned())?;
    screens::keep(stage, "waiting", &screen)?;
    terminal.until_file("ended")?;
    terminal
        .until("the answer", |screen| screen.contains("> hello") && screen.contains("understood"))
        .map(drop)
}

fn status(stage: &Stage) -> Result<(), String> {
    let hooks = r#"
[hook.looks]
on = "UserPromptSubmit"
timeout = "1m"
status = "looking it up\u001b]0;mine\u0007"
shell = "until test -e go; do sleep 0.02; done"
"#;
    let fixture = stage.fixture(hooks, "[[reply]]\ntext = \"understood\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("hello")?;
    terminal.see("looking it up (")?;
    turns(&terminal)?;
    fixture.write("go", "")?;
    terminal
        .until("rest", |screen| screen.contains("understood") && !screen.contains("looking"))
        .map(drop)
}

fn hooks_stopped(stage: &Stage) -> Result<(), String> {
    let hooks = SLEEPS.replace("sleep 10", "echo $$ >hook; sleep 1000");
    let fixture = stage.fixture(&hooks, "[[reply]]\ntext = \"understood\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("hello")?;
    let hook = terminal.until_file("hook")?;
    terminal.press("Escape")?;
    let screen = terminal.until("the text in the composer", |screen| {
        screen.contains("[not sent] interrupted") && screen.contains("│ hello ")
    })?;
    must(!screen.contains("> hello"), || screen.clone())?;
    awaited(|| Ok(!lives(hook.trim()))).map_err(|_| "the hook goes on".to_owned())
}

fn tool_stopped(stage: &Stage) -> Result<(), String> {
    let script = r#"
[[reply]]
call = [{ tool = "Bash", input = { command = "echo $$ >tool; sleep 1000 & echo $! >child; wait" } }]
[[reply]]
on = "go on"
text = "as you like"
"#;
    let fixture = stage.fixture("", script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("work")?;
    let (tool, child) = (terminal.until_file("tool")?, terminal.until_file("child")?);
    terminal.see("  running")?;
    terminal.press("Escape")?;
    let screen = terminal.until("the end", |screen| {
        screen.contains("the turn ended: interrupted") && !screen.contains("Esc stops")
    })?;
    must(!screen.contains("running"), || format!("the tool still runs:\n{screen}"))?;
    for pid in [tool, child] {
        awaited(|| Ok(!lives(pid.trim()))).map_err(|_| format!("process {pid} goes on"))?;
    }
    screens::keep(stage, "interrupted", &terminal.screen()?)?;
    terminal.submit("go on")?;
    terminal.see("as you like").map(drop)
}

fn widths(screen: &str) -> usize {
    screen.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or_default()
}

fn narrow(stage: &Stage) -> Result<(), String> {
    let script = r#"
[[reply]]
text = "A long answer is broken between its words, and 日本語 keeps its columns."
call = [{ tool = "Bash", input = { command = "seq 30" } }]
[[reply]]
text = "That was all."
"#;
    let hooks = "[hook.sees]\non = [\"PreToolUse\", \"PostToolUse\"]\nshell = \"cat >/dev/null\"\n";
    let fixture = stage.fixture(hooks, script)?;
    let terminal = fixture.start((40, 30), &["--allow", "Bash(*)"])?;
    terminal.submit("count for me, please, and take your time")?;
    let screen = terminal.until("the answer", |screen| {
        screen.contains("That was all.") && !screen.contains("Esc")
    })?;
    must(widths(&screen) <= 40 && screen.contains("(22 lines more, Ctrl-O)"), || screen.clone())?;
    screens::keep(stage, "narrow", &screen)?;
    terminal.press("F2")?;
    let screen = terminal.until("the panel below", |screen| {
        screen.contains("hooks, newest last") && screen.contains("sees")
    })?;
    screens::keep(stage, "narrow-panel", &screen)?;
    terminal.press("F2")?;
    terminal.submit("/help")?;
    let screen = terminal.see("/quit")?;
    must(widths(&screen) <= 40, || screen.clone())
}

fn low(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", "[[reply]]\ntext = \"got you\"\n")?;
    let terminal = fixture.start((60, 10), &[])?;
    terminal.submit("hello")?;
    terminal.see("got you")?;
    for line in 0..8 {
        terminal.types(&format!("line {line}"))?;
        terminal.press("C-j")?;
    }
    terminal.types("end")?;
    // The composer leaves room for the conversation, and shows where the cursor is.
    terminal
        .until("both", |screen| screen.contains("│ end ") && screen.contains("got you"))
        .map(drop)
}

fn resized(stage: &Stage) -> Result<(), String> {
    let words: String = (0..400).map(|at| format!("w{at} ")).collect();
    let script = format!("[[reply]]\ntext = \"{words}end\"\nword_ms = 10\n");
    let fixture = stage.fixture("", &script)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("talk")?;
    terminal.see("w9 ")?;
    for (columns, rows) in [(40, 12), (132, 40), (61, 20)] {
        terminal.resize((columns, rows))?;
        let edge = format!("┌{}┐", "─".repeat(usize::from(columns) - 2));
        terminal.until(&format!("a composer of {columns} columns"), |screen| {
            screen.lines().count() == usize::from(rows) && screen.contains(&edge)
        })?;
    }
    terminal.types("still here")?;
    terminal.see("│ still here ")?;
    terminal.see(" end\n").map(drop)
}

fn panel(stage: &Stage) -> Result<(), String> {
    let hooks = r#"
[hook.sees]
on = ["UserPromptSubmit", "PreToolUse", "PostToolUse"]
shell = "cat >/dev/null"
[hook.no-removal]
on = "PreToolUse"
shell = '''if grep -q 'rm '; then echo "nothing is removed here" >&2; exit 2; fi'''
"#;
    let script = r#"
[[reply]]
text = "First the list."
call = [{ tool = "Bash", input = { command = "echo a b c" } }]
[[reply]]
on = "a b c"
text = "Now I tidy up."
call = [{ tool = "Bash", input = { command = "rm a" } }]
[[reply]]
text = "I may not."
"#;
    let fixture = stage.fixture(hooks, script)?;
    let terminal = fixture.start((120, 30), &["--allow", "Bash(*)"])?;
    terminal.press("F2")?;
    terminal.see("no hook has run yet")?;
    terminal.submit("tidy up")?;
    let screen = terminal.until("the panel", |screen| {
        screen.contains("I may not.") && screen.contains("deny") && !screen.contains("Esc")
    })?;
    must(screen.contains("failed: the call was refused: nothing is removed here"), || {
        screen.clone()
    })?;
    screens::keep(stage, "panel", &screen)
}

fn flood(stage: &Stage) -> Result<(), String> {
    let words = "word ".repeat(60_000);
    let script = format!(
        "[[reply]]\non = \"talk\"\ntext = \"begin {words} end\"\n\
         call = [{{ tool = \"Bash\", input = {{ command = \"head -c 200000 /dev/zero | tr '\\\\0' x\" }} }}]\n\
         [[reply]]\ntext = \"all said\"\n"
    );
    let fixture = stage.fixture("", &script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("talk")?;
    terminal.types("meanwhile")?;
    terminal.see("│ meanwhile ")?;
    let screen = terminal
        .until("the end", |screen| screen.contains("all said") && !screen.contains("Esc stops"))?;
    must(screen.contains("(more, Ctrl-O)"), || format!("the output is not bounded:\n{screen}"))?;
    for _ in 0..3 {
        terminal.press("PageUp")?;
    }
    terminal.until("earlier words", |screen| {
        screen.contains("30 lines below") && !screen.contains("all said")
    })?;
    terminal.press("End")?;
    terminal.see("all said").map(drop)
}
