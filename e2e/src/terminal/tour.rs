//! The tour that people are sent on: played to its end in terminals of four widths, and captured at one of them.

use super::fixture::Terminal;
use super::{Play, Stage, must, screens};
use crate::tree;

pub(super) const PLAYS: &[Play] = &[
    ("the tour plays at 60 columns", |stage| play(stage, 60)),
    ("the tour plays at 80 columns", |stage| play(stage, 80)),
    ("the tour plays at 100 columns", |stage| play(stage, 100)),
    ("the tour plays at 200 columns", |stage| play(stage, 200)),
];

/// How wide the terminal is that is captured.
const KEPT: u16 = 80;

/// The keys to type, the text to wait for, and the name of the stored screen.
const STEPS: &[(&str, &[&str], &str)] = &[
    ("hello", &["rewrote the prompt", "reaches me."], "tour-rewrite"),
    ("the secret", &["[not sent]"], ""),
    (
        "think long",
        &["held by hook `slow` at PreToolUse", "a slow hook looks at the command"],
        "tour-held",
    ),
    (
        "install",
        &["rewrote what the model asked for", "- command: npm install left-pad"],
        "tour-question",
    ),
    (
        "edit",
        &["- It has one program and one test.", "+ It has one program and two tests."],
        "tour-edit",
    ),
    ("finish", &["keeps the agent at work", "May Bash run?"], "tour-stop"),
    ("build", &["May Bash run?"], ""),
    ("delegate", &["│ * Read AGENTS.md", "came to this:", "Its calls passed"], "tour-delegate"),
];

fn play(stage: &Stage, width: u16) -> Result<(), String> {
    let path = tree::root().join("examples/sessions/tour.toml");
    let script = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    for (typed, seen, name) in STEPS {
        let fixture = stage.fixture("", &script)?;
        let terminal = fixture.start_until((width, 24), &[], "/permissions")?;
        terminal.submit(typed)?;
        let screen = terminal.until(&format!("{seen:?}"), |screen| {
            seen.iter().all(|words| screen.contains(words))
        })?;
        if width == KEPT && !name.is_empty() {
            screens::keep(stage, name, &settled(&terminal, seen)?)?;
        }
        must(!screen.is_empty(), || "nothing is seen".to_owned())?;
        match *typed {
            "edit" => {
                agree(&terminal)?;
                terminal.see("It says two now.")?;
            }
            "hello" => {
                terminal.press("C-o")?;
                terminal.see("  - hello\n  + [hooked] hello")?;
            }
            "install" => {
                agree(&terminal)?;
                terminal.see("What ran is what the hook made")?;
            }
            "think long" => terminal.press("Escape")?,
            "finish" => {
                agree(&terminal)?;
                terminal.see("The tests pass. I have finished.")?;
            }
            "build" => {
                agree(&terminal)?;
                terminal.see("hook `wakes` wakes")?;
                terminal.see("I mend the warning.")?;
                if width == KEPT {
                    let words: &[&str] = &["I mend the warning."];
                    screens::keep(stage, "tour-wake", &settled(&terminal, words)?)?;
                }
            }
            _ => {}
        }
        terminal.press("C-u")?;
        terminal.press("C-d")?;
        terminal.see("left with 0")?;
    }
    Ok(())
}

fn agree(terminal: &Terminal<'_>) -> Result<(), String> {
    terminal.see("1 yes, once")?;
    terminal.press("1")?;
    terminal.press("Enter")
}

/// The screen once it stands: nothing streams, and choices that are due are there.
fn settled(terminal: &Terminal<'_>, seen: &[&str]) -> Result<String, String> {
    let held = |text: &str| text.contains("held by hook `slow`");
    terminal.until("a screen that stands", |screen| {
        let over =
            !screen.contains(" s)  Esc stops") || screen.contains("1 yes, once") || held(screen);
        over && seen.iter().all(|words| screen.contains(words))
    })
}
