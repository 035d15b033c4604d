//! Every way out: keys, commands, signals, a terminal that is taken away. The terminal is given back, hooks hear of it once.

use super::fixture::{Fixture, Terminal, awaited, lives};
use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("Ctrl-C empties, then stops, then leaves", control_c),
    ("Ctrl-D leaves", |stage| leaves(stage, "0", |terminal| terminal.press("C-d"))),
    ("/quit leaves", |stage| leaves(stage, "0", |terminal| terminal.submit("/quit"))),
    ("leaving waits for a background hook", |stage| waits(stage, SIZE)),
    ("leaving waits for a background hook on a wide screen", |stage| waits(stage, (120, 30))),
    ("leaving says which hook was cut", cut_by_time),
    ("Ctrl-C again ends the wait for hooks", |stage| cut_by_key(stage, SIZE)),
    ("Ctrl-C again ends the wait for hooks on a wide screen", |stage| cut_by_key(stage, (120, 30))),
    ("SIGTERM leaves", |stage| leaves(stage, "0", |terminal| terminal.signal("TERM"))),
    ("SIGHUP leaves", |stage| leaves(stage, "0", |terminal| terminal.signal("HUP"))),
    ("SIGQUIT leaves", |stage| leaves(stage, "0", |terminal| terminal.signal("QUIT"))),
    ("Ctrl-Z puts the program aside", put_aside),
    ("SIGINT leaves", |stage| leaves(stage, "0", |terminal| terminal.signal("INT"))),
    ("leaving in the middle of a turn ends it first", in_a_turn),
    ("a terminal that is taken away ends the session", taken_away),
    ("a session that is still beginning can be left", still_beginning),
    ("a screen that breaks gives the terminal back", screen_breaks),
    ("a session that breaks gives the terminal back", session_breaks),
];

const SIZE: (u16, u16) = (80, 24);

const ENDS: &str = "[hook.ends]\non = \"SessionEnd\"\nshell = \"cat >>ended\"\n";

/// A hook that goes on in the background after the turn until there is a file.
const SCAN: &str = "[hook.scan]\non = \"Stop\"\nbackground = true\ntimeout = \"10m\"\n\
    shell = \"echo $$ >scan; until test -e go; do sleep 0.05; done; echo done >scanned\"\n";

/// Has the agent end a turn, and its hook begin; the process of the hook.
fn scanning(terminal: &Terminal<'_>) -> Result<String, String> {
    terminal.submit("work")?;
    let scan = terminal.until_file("scan")?;
    terminal.until("the end of the turn", |screen| {
        screen.contains("all done") && !screen.contains("Esc stops")
    })?;
    Ok(scan.trim().to_owned())
}

fn waits(stage: &Stage, size: (u16, u16)) -> Result<(), String> {
    let fixture = stage.fixture(&format!("{SCAN}{ENDS}"), "[[reply]]\ntext = \"all done\"\n")?;
    let terminal = fixture.start(size, &[])?;
    scanning(&terminal)?;
    terminal.press("C-d")?;
    let screen = terminal.see("leaving when hook `scan` has ended")?;
    must(screen.contains("Ctrl-C ends it"), || screen.clone())?;
    if size == SIZE {
        screens::keep(stage, "leaving", &screen)?;
    }
    fixture.write("go", "x")?;
    given_back(&fixture, &terminal, "0")?;
    must(fixture.text("scanned") == "done\n", || "the hook did not end".to_owned())?;
    session_end_ran_once(&fixture)
}

/// A warning about the hook stands where the screen was, and the hook is gone.
fn reported(terminal: &Terminal<'_>, scan: &str, why: &str) -> Result<(), String> {
    let screen = terminal.see("[warn] Stop: hook `scan`: the host gave up waiting for it after")?;
    // The terminal breaks lines wherever they are full, and drops a blank there.
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    must(dense(&screen).contains(&dense(why)), || format!("it does not say why:\n{screen}"))?;
    awaited(|| Ok(!lives(scan))).map_err(|_| "the hook goes on".to_owned())
}

fn cut_by_time(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(SCAN, "[[reply]]\ntext = \"all done\"\n")?;
    let terminal = fixture.start(SIZE, &["--exit-wait", "0.5"])?;
    let scan = scanning(&terminal)?;
    terminal.submit("/quit")?;
    given_back(&fixture, &terminal, "0")?;
    reported(&terminal, &scan, "`--exit-wait` sets up to 60 s")
}

fn cut_by_key(stage: &Stage, size: (u16, u16)) -> Result<(), String> {
    let fixture = stage.fixture(SCAN, "[[reply]]\ntext = \"all done\"\n")?;
    let terminal = fixture.start(size, &[])?;
    let scan = scanning(&terminal)?;
    terminal.press("C-c")?;
    terminal.see("Ctrl-C again leaves")?;
    terminal.press("C-c")?;
    terminal.see("leaving when hook `scan` has ended")?;
    terminal.press("C-c")?;
    given_back(&fixture, &terminal, "0")?;
    reported(&terminal, &scan, "you left without waiting for it")
}

/// The terminal is as it was.
fn given_back(fixture: &Fixture, terminal: &Terminal<'_>, code: &str) -> Result<(), String> {
    let screen = terminal.see(&format!("left with {code}"))?;
    must(!screen.contains("Type a prompt"), || format!("the screen is still there:\n{screen}"))?;
    let (before, after) = (fixture.text("before"), fixture.text("after"));
    must(before == after && before.contains(" icanon"), || {
        format!("the terminal was\n{before}\nand is\n{after}")
    })?;
    let (other, cursor) = (terminal.knows("alternate_on")?, terminal.knows("cursor_flag")?);
    must(other == "0" && cursor == "1", || format!("alternate {other}, cursor {cursor}"))
}

/// `SessionEnd` came, once.
fn session_end_ran_once(fixture: &Fixture) -> Result<(), String> {
    let ended = fixture.text("ended");
    let count = ended.matches("\"SessionEnd\"").count();
    must(count == 1, || format!("SessionEnd came {count} times: {ended}"))
}

fn leaves(
    stage: &Stage,
    code: &str,
    how: fn(&Terminal<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let fixture = stage.fixture(ENDS, "")?;
    let terminal = fixture.start(SIZE, &[])?;
    must(terminal.knows("alternate_on")? == "1", || "the screen is not its own".to_owned())?;
    how(&terminal)?;
    given_back(&fixture, &terminal, code)?;
    session_end_ran_once(&fixture)
}

fn control_c(stage: &Stage) -> Result<(), String> {
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"sleep 1000\" } }]\n";
    let fixture = stage.fixture(ENDS, script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("work")?;
    terminal.see("  running")?;
    terminal.types("never mind")?;
    terminal.see("│ never mind ")?;
    terminal.press("C-c")?;
    let screen = terminal.see("│ Type a prompt")?;
    must(screen.contains("running"), || format!("it stopped the tool:\n{screen}"))?;
    terminal.press("C-c")?;
    terminal.until("the end of the turn", |screen| {
        screen.contains("the turn ended: interrupted") && !screen.contains("Esc stops")
    })?;
    terminal.press("C-c")?;
    terminal.see("Ctrl-C again leaves")?;
    // Another key takes it back.
    terminal.types("x")?;
    terminal
        .until("the line", |screen| screen.contains("│ x ") && !screen.contains("again leaves"))?;
    terminal.press("BSpace")?;
    terminal.see("│ Type a prompt")?;
    terminal.press("C-c")?;
    terminal.see("Ctrl-C again leaves")?;
    terminal.press("C-c")?;
    given_back(&fixture, &terminal, "0")?;
    session_end_ran_once(&fixture)
}

/// AG-32.
fn put_aside(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(ENDS, "[[reply]]\ntext = \"still here\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.types("half a")?;
    terminal.see("│ half a ")?;
    for _ in 0..2 {
        terminal.press("C-z")?;
        terminal.see("put aside")?;
        must(terminal.knows("alternate_on")? == "0", || "the screen is still its own".to_owned())?;
        terminal.press("Enter")?;
        terminal.see("│ half a ")?;
    }
    terminal.submit(" prompt")?;
    terminal.see("still here")?;
    terminal.press("C-d")?;
    given_back(&fixture, &terminal, "0")?;
    session_end_ran_once(&fixture)
}

fn in_a_turn(stage: &Stage) -> Result<(), String> {
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"echo $$ >tool; sleep 1000\" } }]\n";
    let fixture = stage.fixture(ENDS, script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("work")?;
    let tool = terminal.until_file("tool")?;
    terminal.signal("TERM")?;
    given_back(&fixture, &terminal, "0")?;
    session_end_ran_once(&fixture)?;
    awaited(|| Ok(!lives(tool.trim()))).map_err(|_| "the tool goes on".to_owned())
}

fn taken_away(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(ENDS, "")?;
    let terminal = fixture.start(SIZE, &[])?;
    let pid = terminal.pid()?;
    terminal.kill()?;
    awaited(|| Ok(!lives(&pid))).map_err(|_| "the agent goes on without a terminal".to_owned())?;
    session_end_ran_once(&fixture)
}

fn still_beginning(stage: &Stage) -> Result<(), String> {
    let hooks = "[hook.slow]\non = \"SessionStart\"\ntimeout = \"20m\"\nshell = \"echo $$ >hook; sleep 1000\"\n";
    let fixture = stage.fixture(hooks, "")?;
    let terminal = fixture.start(SIZE, &[])?;
    let hook = terminal.until_file("hook")?;
    terminal.press("C-d")?;
    given_back(&fixture, &terminal, "0")?;
    awaited(|| Ok(!lives(hook.trim()))).map_err(|_| "the hook goes on".to_owned())
}

fn screen_breaks(stage: &Stage) -> Result<(), String> {
    let script = "[[reply]]\ncall = [{ tool = \"Bash\", input = { command = \"echo $$ >tool; sleep 1000\" } }]\n";
    let fixture = stage.fixture("", script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("work")?;
    let tool = terminal.until_file("tool")?;
    terminal.press("C-\\")?;
    given_back(&fixture, &terminal, "101")?;
    // A reader of the screen can tell where it broke.
    let screen = terminal.see("broke the screen, as a mistake")?;
    must(screen.contains("panicked at"), || format!("it does not say where:\n{screen}"))?;
    awaited(|| Ok(!lives(tool.trim()))).map_err(|_| "the tool goes on".to_owned())
}

fn session_breaks(stage: &Stage) -> Result<(), String> {
    let script = "[[reply]]\non = \"break\"\npanic = \"the model has a mistake\"\n";
    let fixture = stage.fixture("", script)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("break")?;
    given_back(&fixture, &terminal, "2")?;
    let screen = terminal.see("the model has a mistake")?;
    let is_reported =
        screen.contains("scripted.rs:") && screen.contains("error: the session broke off");
    must(is_reported, || format!("it does not say where, or that it is over:\n{screen}"))
}
