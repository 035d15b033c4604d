//! The way of a prompt, as it is seen: rewritten, refused, steered, queued; and what hooks make of the answer.

use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("a prompt is shown as a hook rewrote it", rewritten),
    ("Up recalls the typed text, and its hooks run on it again", recalled),
    ("a refused prompt goes back to the composer with the reason", refused),
    ("a hook's rewrite of the answer is a separate block", answer_rewritten),
    ("hooks are reloaded after an edit", reloaded),
    ("a hook that fails is a warning", failing),
    ("a text steers while the model streams", steered),
    ("a refused steer comes back and the turn goes on", steer_refused),
    ("a text waits for the turn to end", queued),
    ("a command waits for the turn to end, and no model reads it", command_waits),
];

const SIZE: (u16, u16) = (80, 24);

const HOOKED: &str = r#"
[hook.greets]
on = "UserPromptSubmit"
phase = "rewrite"
shell = '''sed -n 's/.*"prompt":"\([^"]*\)".*/{"prompt": "[hooked] \1"}/p' '''
"#;

const NO_SECRETS: &str = r#"
[hook.no-secrets]
on = "UserPromptSubmit"
shell = '''if grep -q secret; then echo "no secrets here" >&2; exit 2; fi'''
"#;

/// A model that streams until somebody steers it, and then stops.
const STREAMS: &str = r#"
[[reply]]
on = "count"
text = "one two three four five six seven eight nine ten eleven twelve"
word_ms = 20
call = [{ tool = "Bash", input = { command = "until test -e go; do sleep 0.02; done; echo counted" } }]
[[reply]]
on = "counted"
text = "the count is over"
[[reply]]
on = "again"
text = "once more"
"#;

fn rewritten(stage: &Stage) -> Result<(), String> {
    let script = "[[reply]]\non = \"[hooked] hello\"\ntext = \"Hello to you, too.\"\n";
    let fixture = stage.fixture(HOOKED, script)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("hello")?;
    terminal.see("> [hooked] hello")?;
    let screen = terminal.until("the answer, and rest", |screen| {
        screen.contains("Hello to you, too.") && !screen.contains("Esc stops")
    })?;
    must(!screen.contains("> hello"), || format!("what was typed is shown, too:\n{screen}"))?;
    screens::keep(stage, "prompt", &screen)
}

fn recalled(stage: &Stage) -> Result<(), String> {
    let script = "[[reply]]\non = \"[hooked] hello\"\ntext = \"Hello to you, too.\"\n";
    let fixture = stage.fixture(HOOKED, script)?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("hello")?;
    terminal.until("the answer, and rest", |screen| {
        screen.contains("Hello to you, too.") && !screen.contains("Esc stops")
    })?;
    terminal.press("Up")?;
    terminal.see("│ hello ")?;
    terminal.press("Enter")?;
    let screen = terminal.until("the same prompt twice", |screen| {
        screen.matches("> [hooked] hello").count() == 2 && !screen.contains("Esc stops")
    })?;
    must(!screen.contains("[hooked] [hooked]"), || {
        format!("hooks ran on their own text:\n{screen}")
    })
}

fn refused(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(NO_SECRETS, "[[reply]]\ntext = \"understood\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("tell the secret")?;
    let screen = terminal.until("the reason, and the text in the composer", |screen| {
        screen.contains("[not sent] no secrets here") && screen.contains("│ tell the secret ")
    })?;
    must(!screen.contains("> tell"), || format!("it is in the conversation:\n{screen}"))?;
    screens::keep(stage, "refused", &screen)?;
    // It can be changed and sent again.
    terminal.press("C-w")?;
    terminal.submit("story")?;
    terminal.see("> tell the story")?;
    terminal.see("understood").map(drop)
}

fn answer_rewritten(stage: &Stage) -> Result<(), String> {
    let hooks = r#"
[hook.shouts]
on = "MessageDisplay"
phase = "rewrite"
shell = '''echo '{"output": "GUTEN TAG"}' '''
"#;
    let fixture = stage.fixture(hooks, "[[reply]]\ntext = \"good day\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("greet me")?;
    let screen = terminal.until("both", |screen| {
        screen.contains("good day")
            && screen.contains("[hook rewrite] shouts\nGUTEN TAG")
            && !screen.contains("Esc stops")
    })?;
    screens::keep(stage, "rewrite", &screen)
}

fn reloaded(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(NO_SECRETS, "[[reply]]\ntext = \"understood\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("/hooks reload")?;
    terminal.see("1 hook is loaded")?;
    fixture.write("tenterhook.toml", &format!("{NO_SECRETS}\n{HOOKED}"))?;
    fixture.approve()?;
    terminal.submit("/hooks reload")?;
    terminal.see("2 hooks are loaded")?;
    terminal.submit("hello")?;
    let screen = terminal.see("> [hooked] hello")?;
    must(screen.contains("2 hooks are loaded"), || screen.clone())?;
    fixture.write("tenterhook.toml", "[hook.")?;
    terminal.submit("/hooks reload")?;
    // A file that cannot be read disarms nothing.
    terminal.see("its 2 last good hooks stay").map(drop)
}

fn failing(stage: &Stage) -> Result<(), String> {
    let hooks = r#"
[hook.breaks]
on = "UserPromptSubmit"
on_failure = "continue"
shell = '''echo "the list is missing" >&2; exit 1'''
"#;
    let fixture = stage.fixture(hooks, "[[reply]]\ntext = \"understood\"\n")?;
    let terminal = fixture.start(SIZE, &[])?;
    terminal.submit("hello")?;
    let screen = terminal.until("the answer, and rest", |screen| {
        screen.contains("understood") && !screen.contains("Esc stops")
    })?;
    let warned = screen.contains("[warn] UserPromptSubmit: ") && screen.contains("the list is");
    must(warned, || format!("no warning:\n{screen}"))?;
    screens::keep(stage, "warning", &screen)
}

fn steered(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(HOOKED, STREAMS)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("count")?;
    terminal.see("one two")?;
    terminal.submit("again")?;
    let screen = terminal.see("> [hooked] again")?;
    must(!screen.contains("once more"), || format!("the steer came too late:\n{screen}"))?;
    fixture.write("go", "")?;
    terminal.see("counted").map(drop)
}

fn steer_refused(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture(NO_SECRETS, STREAMS)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("count")?;
    terminal.see("one two")?;
    terminal.submit("the secret way")?;
    terminal.until("the warning, and the text in the composer", |screen| {
        screen.contains("[warn] UserPromptSubmit: ") && screen.contains("│ the secret way ")
    })?;
    fixture.write("go", "")?;
    terminal.see("the count is over").map(drop)
}

fn queued(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", STREAMS)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("count")?;
    terminal.see("one two")?;
    terminal.types("again")?;
    terminal.press("Tab")?;
    let screen = terminal.see("queued: ")?;
    must(!screen.contains("> again"), || format!("it did not wait:\n{screen}"))?;
    fixture.write("go", "")?;
    let screen = terminal.until("the next turn, and rest", |screen| {
        screen.contains("once more") && !screen.contains("Esc stops")
    })?;
    let (first, rest) =
        screen.split_once("the count is over").ok_or("the first turn has no end")?;
    must(!first.contains("> again") && rest.contains("> again"), || screen.clone())?;
    must(!screen.contains("queued"), || format!("it still waits:\n{screen}"))
}

fn command_waits(stage: &Stage) -> Result<(), String> {
    let fixture = stage.fixture("", STREAMS)?;
    let terminal = fixture.start(SIZE, &["--allow", "Bash(*)"])?;
    terminal.submit("count")?;
    terminal.see("one two")?;
    terminal.submit("/permissions")?;
    terminal.see("queued: ")?;
    fixture.write("go", "")?;
    let screen = terminal.see("mode  default")?;
    must(!screen.contains("> /permissions"), || format!("it became a prompt:\n{screen}"))
}
