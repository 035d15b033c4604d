//! The look of the screen, and what never reaches the terminal: foreign control sequences, and unwanted colours.

use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("nothing that a model, a tool or a hook says drives the terminal", hostile),
    ("colours are left out where `NO_COLOR` says so", no_color),
    ("the pages of commands are readable", pages),
];

const SIZE: (u16, u16) = (80, 24);

/// Sets the title, colours and clears the screen, turns the line round.
const EVIL: &str = r"\u001b]0;mine\u0007\u001b[41m\u001b[2J\u009b5m\u202e";

fn hostile(stage: &Stage) -> Result<(), String> {
    let evil = EVIL.replace("\\u001b", "\\\\033").replace("\\u0007", "\\\\007");
    let evil =
        evil.replace("\\u009b", "\\\\302\\\\233").replace("\\u202e", "\\\\342\\\\200\\\\256");
    let script = format!(
        "[[reply]]\nthink = \"mo{EVIL}del thinks\"\ntext = \"mo{EVIL}del says\"\n\
         call = [{{ tool = \"Bash\", input = {{ command = \"printf 'to{evil}ol says'\" }} }}]\n\
         [[reply]]\ntext = \"that was all\"\n"
    );
    let hooks = format!(
        "[hook.noisy]\non = \"PostToolUse\"\non_failure = \"continue\"\n\
         shell = '''printf 'ho{}ok says' >&2; exit 1'''\n",
        evil.replace("\\\\", "\\")
    );
    let fixture = stage.fixture(&hooks, &script)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("talk")?;
    let screen = terminal
        .until("the end", |screen| screen.contains("that was all") && !screen.contains("Esc"))?;
    for words in ["model thinks", "model says", "tool says", "hook says", "> talk"] {
        must(screen.contains(words), || format!("`{words}` is not there:\n{screen}"))?;
    }
    let title = terminal.knows("pane_title")?;
    must(title != "mine", || "a title was set".to_owned())?;
    let drawn = terminal.drawn()?;
    let driven =
        ["\u{1b}[41m", "\u{1b}[5m", "\u{202e}"].into_iter().find(|text| drawn.contains(text));
    must(driven.is_none(), || format!("{driven:?} reached the terminal:\n{drawn}"))
}

fn no_color(stage: &Stage) -> Result<(), String> {
    let hooks = "[hook.no]\non = \"UserPromptSubmit\"\nshell = \"echo 'not today' >&2; exit 2\"\n";
    for (env, coloured) in [(Vec::new(), true), (vec![("NO_COLOR", "1")], false)] {
        let mut fixture = stage.fixture(hooks, "")?;
        fixture.env = env;
        let terminal = fixture.start(SIZE, &[])?;
        terminal.submit("hello")?;
        terminal.see("[not sent] not today")?;
        let drawn = terminal.drawn()?;
        let red = drawn.lines().any(|line| line.contains("[not sent]") && line.contains("38;5;1m"));
        must(red == coloured, || format!("coloured: {red}, wanted: {coloured}\n{drawn}"))?;
    }
    Ok(())
}

fn pages(stage: &Stage) -> Result<(), String> {
    let hooks = "[hook.no-secrets]\non = \"UserPromptSubmit\"\nshell = \"grep -q secret && exit 2 || exit 0\"\n";
    let rules = ["--deny", "Bash(rm *)", "--allow", "Bash(git status)"];
    for (name, last) in
        [("help", "F2"), ("hooks", "has not fired yet"), ("permissions", "takes a rule away")]
    {
        let fixture = stage.fixture(hooks, "")?;
        let terminal = fixture.start((80, 36), &rules)?;
        terminal.submit(&format!("/{name}"))?;
        screens::keep(stage, name, &terminal.see(last)?)?;
    }
    sessions(stage)
}

/// The list of sessions; names, dates and directories differ from run to run.
fn sessions(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", "[[reply]]\nrepeat = true\ntext = \"hello to you, too\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("find out why the tests are slow")?;
    terminal.see("hello to you")?;
    terminal.submit("/resume")?;
    let screen = terminal.see("slow  (this session)")?;
    must(screen.contains("`/resume N` goes on"), || screen)
}
