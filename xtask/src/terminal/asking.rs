//! Questions about tools: answered by a person, by a hook, by nobody.

use super::room::Terminal;
use super::{Play, Stage, must, screens};

pub(super) const PLAYS: &[Play] = &[
    ("a question is answered with yes", yes),
    ("a question is answered with no", no),
    ("always holds for the next call", always),
    ("a hook answers a question", by_a_hook),
    ("a key meant for the line answers no question", typing),
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
const CHOICES: &str = "[y] once  [a] always this call  [n] no";

fn ends(terminal: &Terminal<'_>) -> Result<String, String> {
    terminal.until("the end of the turn", |it| {
        it.contains("done with it") && !it.contains("Esc stops") && !it.contains("[y]")
    })
}

fn yes(stage: &Stage) -> Result<(), String> {
    let room = stage.room("", WRITES)?;
    let terminal = room.start(SIZE, &[])?;
    terminal.say("write")?;
    let screen = terminal.see(CHOICES)?;
    screens::keep(stage, "question", &screen)?;
    must(room.text("out.txt").is_empty(), || "it ran before it was agreed to".to_owned())?;
    terminal.press("y")?;
    let screen = ends(&terminal)?;
    must(room.text("out.txt") == "one\ntwo", || format!("it did not run:\n{screen}"))
}

fn no(stage: &Stage) -> Result<(), String> {
    let room = stage.room("", WRITES)?;
    let terminal = room.start(SIZE, &[])?;
    terminal.say("write")?;
    terminal.see(CHOICES)?;
    terminal.press("n")?;
    let screen = ends(&terminal)?;
    must(screen.contains("failed: the call was refused: the user said no"), || screen.clone())?;
    must(room.text("out.txt").is_empty(), || "it ran all the same".to_owned())?;
    screens::keep(stage, "refused-call", &screen)
}

fn always(stage: &Stage) -> Result<(), String> {
    let script = format!("{}\n{WRITES}", WRITES.replace("done with it", "write again"));
    let room = stage.room("", &script)?;
    let terminal = room.start(SIZE, &[])?;
    terminal.say("write")?;
    terminal.see(CHOICES)?;
    terminal.press("a")?;
    terminal
        .until("the end of the turn", |it| it.contains("write again") && !it.contains("Esc"))?;
    terminal.say("write")?;
    ends(&terminal).map(drop)
}

fn by_a_hook(stage: &Stage) -> Result<(), String> {
    let hooks = r#"
[hook.agrees]
on = "PermissionRequest"
shell = '''until test -e go; do sleep 0.02; done; echo '{"decision": "allow"}' '''
timeout = "2m"
"#;
    let room = stage.room(hooks, WRITES)?;
    let terminal = room.start(SIZE, &[])?;
    terminal.say("write")?;
    terminal.see(CHOICES)?;
    room.write("go", "")?;
    ends(&terminal)?;
    must(room.text("out.txt") == "one\ntwo", || "it did not run".to_owned())
}

fn typing(stage: &Stage) -> Result<(), String> {
    let room = stage.room("", WRITES)?;
    let terminal = room.start(SIZE, &[])?;
    terminal.say("write")?;
    // Whoever types before the choices are shown, types.
    terminal.see("May Write run?")?;
    terminal.see(CHOICES)?;
    terminal.types("m")?;
    terminal.see("Send or empty the line (Ctrl-U) to answer.")?;
    terminal.types("ayny")?;
    let screen = terminal.see("│ mayny ")?;
    must(screen.contains("May Write run?"), || format!("a key answered:\n{screen}"))?;
    terminal.press("C-u")?;
    terminal.see(CHOICES)?;
    terminal.press("Escape")?;
    ends(&terminal)?;
    must(room.text("out.txt").is_empty(), || "it ran".to_owned())
}

fn all_of_it(stage: &Stage) -> Result<(), String> {
    let script = r#"
[[reply]]
call = [{ tool = "Bash", input = { description = "list files", command = "ls\nrm -rf build\u001b[2J\u202e" } }]
[[reply]]
text = "done with it"
"#;
    let room = stage.room("", script)?;
    let terminal = room.start((40, 20), &[])?;
    terminal.say("list")?;
    let screen = terminal.see("[n] no")?;
    must(screen.contains("rm -rf build\\u{1b}[2J\\u{202e}"), || {
        format!("the second line is hidden:\n{screen}")
    })?;
    must(screen.contains("May Bash run?"), || screen.clone())?;
    screens::keep(stage, "question-narrow", &screen)?;
    terminal.press("n")?;
    ends(&terminal).map(drop)
}
