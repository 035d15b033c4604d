//! What becomes of a text that is sent while hooks observe the end of a turn: it is shown in one place, and sent once.

use super::fixture::{Fixture, Terminal, awaited, lives};
use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("a text sent while an observer of the turn's end runs is shown once", sent_once),
    ("a refused text sent while an observer runs leaves nothing behind", refused),
    ("texts queued with Tab and sent while an observer runs go in their order", tabbed),
    ("Esc ends an observer for which a text waits", escaped),
    ("two texts sent while the session starts are shown once", at_start),
];

const SIZE: (u16, u16) = (80, 24);

/// An observer that runs until the file `end` is there.
const OBSERVER: &str =
    "echo $$ >observer; until test -e end; do sleep 0.02; done; rm -f end observer";

const NO_SECRETS: &str = r#"
[hook.no-secrets]
on = "UserPromptSubmit"
shell = '''if grep -q secret; then echo "no secrets here" >&2; exit 2; fi'''
"#;

const ANSWERS: &str = r#"
[[reply]]
on = "one"
text = "first answer"
[[reply]]
on = "two"
text = "second answer"
[[reply]]
on = "three"
text = "third answer"
"#;

/// A home with an observer of the turn's end in Reasonix's file.
fn reasonix(stage: &Stage, hooks: &str, script: &str) -> Result<Fixture, String> {
    let fixture = stage.fixture(hooks, script)?;
    let text =
        format!(r#"{{"hooks": {{"Stop": [{{"command": "{OBSERVER}", "timeout": 60000}}]}}}}"#);
    fixture.write_in_home(".reasonix/settings.json", &text)?;
    Ok(fixture)
}

/// The same in CodeWhale's file.
fn codewhale(stage: &Stage, hooks: &str, script: &str) -> Result<Fixture, String> {
    let fixture = stage.fixture(hooks, script)?;
    let text = format!(
        "[[hooks.hooks]]\nevent = \"turn_end\"\ntimeout_secs = 60\ncommand = '{OBSERVER}'\n"
    );
    fixture.write_in_home(".codewhale/config.toml", &text)?;
    Ok(fixture)
}

/// Lets the observer that runs end.
fn end_observer(fixture: &Fixture, terminal: &Terminal<'_>) -> Result<(), String> {
    let observer = terminal.until_file("observer")?;
    fixture.write("end", "x")?;
    // The next one may be there at once.
    awaited(|| Ok(fixture.text("observer") != observer))
        .map_err(|why| format!("the observer goes on{why}"))
}

/// Waits until nothing is under way: the screen.
fn rest(terminal: &Terminal<'_>, answer: &str) -> Result<String, String> {
    terminal.until(&format!("`{answer}`, and rest"), |screen| {
        screen.contains(answer) && !screen.contains("Esc stops")
    })
}

/// Fails unless each of these prompts stands on the screen once, and none waits.
fn shown_once(screen: &str, prompts: &[&str]) -> Result<(), String> {
    for prompt in prompts {
        let line = format!("> {prompt}\n");
        let times = screen.matches(&line).count();
        must(times == 1, || format!("`{prompt}` is shown {times} times:\n{screen}"))?;
    }
    let settled = !screen.contains("queued: ") && !screen.contains("sending");
    must(settled, || format!("something is still on its way:\n{screen}"))
}

/// A home that observes the end of a turn.
struct Observed {
    home: fn(&Stage, &str, &str) -> Result<Fixture, String>,
    size: (u16, u16),
    /// The event as the person is shown it.
    event: &'static str,
    /// The names of the screens that are kept: while a text waits, and of the panel.
    screens: [&'static str; 2],
}

const OBSERVED: [Observed; 2] = [
    Observed {
        home: reasonix,
        size: (80, 24),
        event: "Stop (TurnComplete)",
        screens: ["turn-end", "turn-end-panel"],
    },
    Observed {
        home: codewhale,
        size: (120, 24),
        event: "turn_end (TurnComplete)",
        screens: ["turn-end-wide", "turn-end-panel-wide"],
    },
];

fn sent_once(stage: &Stage) -> Result<(), String> {
    OBSERVED.iter().try_for_each(|observed| sent_once_in(stage, observed))
}

fn sent_once_in(stage: &Stage, observed: &Observed) -> Result<(), String> {
    let fixture = (observed.home)(stage, "", ANSWERS)?;
    let terminal = fixture.start(observed.size, &[])?;
    terminal.submit("one")?;
    terminal.until_file("observer")?;
    terminal.submit("two")?;
    let held = format!(" at {} (", observed.event);
    let screen = terminal.until("the text that waits, and for which hook", |screen| {
        screen.contains("queued: two") && screen.contains(&held)
    })?;
    must(!screen.contains("> two"), || format!("it is shown twice:\n{screen}"))?;
    let [waiting, panel] = observed.screens;
    screens::keep(stage, waiting, &screen)?;
    end_observer(&fixture, &terminal)?;
    terminal.see("second answer")?;
    end_observer(&fixture, &terminal)?;
    shown_once(&rest(&terminal, "second answer")?, &["one", "two"])?;
    terminal.submit("three")?;
    shown_once(&rest(&terminal, "third answer")?, &["one", "two", "three"])?;
    end_observer(&fixture, &terminal)?;
    terminal.press("F2")?;
    let screen = terminal.until("all that the observers did", |screen| {
        screen.matches(observed.event).count() == 3
    })?;
    screens::keep(stage, panel, &screen)
}

fn refused(stage: &Stage) -> Result<(), String> {
    let fixture = reasonix(stage, NO_SECRETS, ANSWERS)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("one")?;
    terminal.until_file("observer")?;
    terminal.submit("the secret")?;
    terminal.see("queued: the secret")?;
    end_observer(&fixture, &terminal)?;
    let screen = terminal.until("the reason, the text in the composer, and rest", |screen| {
        screen.contains("[not sent] no secrets here")
            && screen.contains("│ the secret ")
            && !screen.contains("Esc stops")
    })?;
    shown_once(&screen, &["one"])?;
    must(!screen.contains("> the secret"), || format!("it is still shown:\n{screen}"))?;
    terminal.press("C-u")?;
    terminal.submit("two")?;
    terminal.see("second answer")?;
    end_observer(&fixture, &terminal)?;
    let screen = rest(&terminal, "second answer")?;
    shown_once(&screen, &["one", "two"])?;
    must(!screen.contains("> the secret"), || format!("it came back:\n{screen}"))
}

fn tabbed(stage: &Stage) -> Result<(), String> {
    let script = r#"
[[reply]]
on = "one"
text = "first words"
call = [{ tool = "Bash", input = { command = "until test -e go; do sleep 0.02; done; echo done" } }]
[[reply]]
on = "done"
text = "first answer"
[[reply]]
on = "two"
text = "second answer"
[[reply]]
on = "three"
text = "third answer"
"#;
    let fixture = reasonix(stage, "", script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("one")?;
    terminal.see("first words")?;
    terminal.types("two")?;
    terminal.press("Tab")?;
    terminal.see("queued: two")?;
    fixture.write("go", "x")?;
    terminal.until_file("observer")?;
    terminal.submit("three")?;
    terminal.see("queued: two\nqueued: three")?;
    end_observer(&fixture, &terminal)?;
    terminal.see("second answer")?;
    end_observer(&fixture, &terminal)?;
    terminal.see("third answer")?;
    end_observer(&fixture, &terminal)?;
    shown_once(&rest(&terminal, "third answer")?, &["one", "two", "three"])
}

fn escaped(stage: &Stage) -> Result<(), String> {
    let fixture = reasonix(stage, "", ANSWERS)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("one")?;
    let observer = terminal.until_file("observer")?;
    terminal.submit("two")?;
    terminal.until("the text that waits", |screen| {
        screen.contains("queued: two") && screen.contains("Esc stops")
    })?;
    terminal.press("Escape")?;
    awaited(|| Ok(!lives(observer.trim()))).map_err(|_| "the observer goes on".to_owned())?;
    terminal.see("second answer")?;
    awaited(|| Ok(!["", &*observer].contains(&&*fixture.text("observer"))))?;
    end_observer(&fixture, &terminal)?;
    shown_once(&rest(&terminal, "second answer")?, &["one", "two"])
}

fn at_start(stage: &Stage) -> Result<(), String> {
    let hooks = "[hook.slow]\non = \"SessionStart\"\ntimeout = \"1m\"\n\
                 shell = \"until test -e end; do sleep 0.02; done\"\n";
    let fixture = stage.fixture(hooks, ANSWERS)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("one")?;
    terminal.submit("two")?;
    fixture.write("end", "x")?;
    shown_once(&rest(&terminal, "second answer")?, &["one", "two"])
}
