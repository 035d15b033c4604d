//! With which project, prompts and replies does an agent come to every event that it has?

/// A hook that writes each event into a separate file, since events may come at once, and a
/// hook that has a file watched.
pub const SEE: &str = r#"
shell = 'mkdir -p "$HOME/events"; f="$HOME/events/$$-$(date +%N)"; cat > "$f" && mv "$f" "$f.json"'
[hook.look]
on = "SessionStart"
shell = """echo '{"watch": ["watched.txt"]}'"""
"#;

/// The replies of a scripted model to all prompts but `everything`, whose reply calls what the test is about.
pub const REPLIES: &str = r#"
[[reply]]
on = "look inside"
text = "seen"
[[reply]]
on = "Sum up"
repeat = true
text = "a long conversation"
[[reply]]
on = "rate_limit"
error = "rate_limit"
[[reply]]
repeat = true
text = "done"
"#;

/// What fills a conversation so that it is made short: ten files, each as long as one that is mentioned may be.
pub const FILLS: &str =
    "compare @0.txt @1.txt @2.txt @3.txt @4.txt @5.txt @6.txt @7.txt @8.txt @9.txt";

/// The files that the prompts and replies speak of, each with its text.
pub fn files() -> Vec<(String, String)> {
    let small = [
        ("sub/a.txt", "a"),
        ("sub/AGENTS.md", "be brief"),
        ("AGENTS.md", "@more.md"),
        ("more.md", "be exact"),
        (".claude/rules/texts.md", "---\npaths: sub/*.txt\n---\nquote"),
        (".claude/commands/hello.md", "say $ARGUMENTS"),
    ];
    let small = small.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let long = (0..10).map(|at| (format!("{at}.txt"), "long ".repeat(14_000)));
    small.into_iter().chain(long).collect()
}
