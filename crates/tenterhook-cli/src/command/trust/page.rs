//! What `trust` shows of a source: per hook what it can do, runs and reads, and how that differs from what was approved. Every
//! word of it that somebody else wrote is made safe first.

use tenterhook::internal::trust::{Change, Entry, Pin};
use tenterhook::trust::{Review, State};
use tenterhook_core::dialect::Silencer;

use crate::ambient::Here;
use crate::show::layout::{format_count, to_safe_line, wrap_text};
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, WARNING, paint};
use crate::silence;

/// How many files of one hook are named.
const FILES: usize = 8;
/// What shells do themselves; no file of that name runs.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "[[", "cd", "command", "echo", "eval", "exec", "exit", "export", "false",
    "printf", "pwd", "read", "return", "set", "shift", "source", "test", "trap", "true", "type",
    "ulimit", "umask", "unset", "wait",
];
/// How many places of one hook to look at twice are named.
const SUSPECTS: usize = 8;

/// Renders the review of one source.
pub(super) fn render_review(review: &Review, shown: &str, width: usize) -> String {
    let about = format!("({}, {})", review.dialect, review.layer.as_str());
    let mut out = format!(
        "{} {} {}\n\n",
        paint(BOLD, to_safe_line(shown)),
        paint(DIM, about),
        state_label(review.state)
    );
    if let Some(key) = &review.signer {
        out.push_str(&field_text("signed", &key.to_string(), width));
    }
    for (at, entry) in review.entries.iter().enumerate() {
        out.push_str(&hook_text(at + 1, entry, review, width));
    }
    for (lead, lines) in [("it also", &review.beside), ("gone:", &review.gone)] {
        for line in lines {
            out.push_str(&field_text(lead, line, width));
        }
    }
    let is_copied =
        |entry: &Entry| entry.can.contains(&"block calls") && !entry.pins.files.is_empty();
    if review.entries.iter().any(is_copied) {
        let offer = "`tenterhook trust --compare` runs each gate from the project and from its copy, and compares";
        out.push_str(&format!("\n{}\n", paint(DIM, offer)));
    }
    if let Some(name) = review.entries.iter().find_map(|entry| name_on_path(entry)) {
        let note = format!(
            "The approval is for the `{name}` named here: where `PATH` finds a different one (a venv, pyenv), the hook waits. \
             Write its full path into the entry to avoid that."
        );
        let note = wrap_text(&note, width).join("\n");
        out.push_str(&format!("\n{}\n", paint(DIM, note)));
    }
    out.push_str(&format!("\n{} {}\n", paint(DIM, "review"), review.digest));
    out
}

/// Programs of the system, which `PATH` finds at one place.
const SYSTEM: &[&str] =
    &["sh", "bash", "dash", "env", "cat", "grep", "sed", "jq", "git", "dirname"];

/// Returns a program that `PATH` finds for an entry, and that other environments bring along.
fn name_on_path(entry: &Entry) -> Option<&str> {
    let names = entry.pins.interpreters.iter().filter(|(_, path)| path.is_some());
    let mut names = names.map(|(name, _)| name.as_str());
    names.find(|name| !BUILTINS.contains(name) && !SYSTEM.contains(name) && !name.contains('/'))
}

fn state_label(state: State) -> String {
    let style = match state {
        State::Approved => GOOD,
        State::Changed => ERROR,
        State::Unknown | State::Refused => WARNING,
    };
    let word = match state {
        State::Changed => "changed since it was approved",
        other => other.label(),
    };
    paint(style, word)
}

fn hook_text(number: usize, entry: &Entry, review: &Review, width: usize) -> String {
    let hook = &entry.hook;
    let change = match entry.change {
        Change::Same => paint(DIM, "as approved"),
        Change::New => String::new(),
        Change::Files => paint(ERROR, "what it runs changed"),
        Change::Entry => paint(ERROR, "new since the approval"),
    };
    let place =
        hook.place.as_ref().map(|location| format!("line {}", location.line)).unwrap_or_default();
    let mut out = format!(
        "{number:>3}  {} on {} {} {change}\n",
        paint(BOLD, to_safe_line(hook.id.as_str())),
        to_safe_line(&hook.event_label().to_string()),
        paint(DIM, place),
    );
    out.push_str(&field_text("can", &entry.can.join("; "), width));
    for (lead, text) in &entry.says {
        out.push_str(&field_text(lead, text, width));
    }
    let from = |name: &str| format!("`{name}` is not found");
    let found = |pair: &&(String, _)| !BUILTINS.contains(&pair.0.as_str());
    for (name, path) in entry.pins.interpreters.iter().filter(found) {
        let text = path.as_ref().map_or_else(|| from(name), |path| path.display().to_string());
        out.push_str(&field_text("by", &text, width));
    }
    for moved in &entry.moved_programs {
        out.push_str(&field_text("moved", &paint(ERROR, moved), width));
    }
    out.push_str(&pinned_files_text(entry, review, width));
    for what in entry.pins.unpinned.iter().chain(&entry.pins.reads) {
        out.push_str(&field_text("unpinned", what, width));
    }
    if let Some(why) = &entry.pins.from_place {
        out.push_str(&field_text(
            "runs",
            &format!("from the project, not from a copy: {why}"),
            width,
        ));
    }
    for (place, suspect) in entry.suspects.iter().take(SUSPECTS) {
        let text = format!("{}: line {} {}", to_safe_line(place), suspect.line, suspect.what);
        out.push_str(&field_text("look at", &paint(WARNING, text), width));
    }
    out
}

/// Lists the files of a hook that the approval pins, the named ones first.
fn pinned_files_text(entry: &Entry, review: &Review, width: usize) -> String {
    let mut out = String::new();
    // A word such as `run` of `uv run` may come to be a file, and says nothing to a reader until it is one.
    let is_shown = |pin: &&Pin| pin.digest.is_some() || pin.named && pin.path.extension().is_some();
    let shown = entry.pins.files.iter().filter(is_shown);
    let (named, beside): (Vec<&Pin>, Vec<&Pin>) = shown.partition(|pin| pin.named);
    for pin in named.iter().chain(&beside).take(FILES) {
        let path =
            pin.path.strip_prefix(&review.project).unwrap_or(&pin.path).display().to_string();
        let digest =
            pin.digest.map_or_else(|| "not there".to_owned(), |digest| digest.short_text());
        out.push_str(&field_text("file", &format!("{digest}  {path}"), width));
    }
    let more = (named.len() + beside.len()).saturating_sub(FILES);
    if more > 0 {
        let text = format!("and {} beside them", format_count(more, "file"));
        out.push_str(&field_text("file", &text, width));
    }
    out
}

/// How much of one line is made safe at once: a screen gets no more of a text elsewhere, and here it gets all of it.
const AT_ONCE: usize = 1000;

/// Renders a label and an indented text. The text is never shortened: what is not shown would be
/// approved unseen.
fn field_text(lead: &str, text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        let letters: Vec<char> = line.chars().collect();
        parts.extend(letters.chunks(AT_ONCE).map(|chunk| chunk.iter().collect::<String>()));
    }
    let columns = width.saturating_sub(16);
    for (at, line) in parts.iter().flat_map(|part| wrap_text(part, columns)).enumerate() {
        let lead = if at == 0 { lead } else { "" };
        out.push_str(&format!("     {}  {line}\n", paint(DIM, format!("{lead:<8}"))));
    }
    out
}

/// Lists what silences hooks of agents here, one per line.
pub(super) fn silencers_text(found: &[Silencer], here: &Here) -> String {
    let text = |silencer: &Silencer| {
        let (place, message) = (silence::file_and_line(silencer, here), &silencer.finding.message);
        format!(
            "{} {}: {}\n",
            paint(ERROR, "silences:"),
            to_safe_line(&place),
            to_safe_line(message)
        )
    };
    found.iter().map(text).collect()
}

/// Renders one source for `status`.
pub(super) fn status_line(review: &Review, shown: &str) -> String {
    let hooks = match (review.entries.len(), review.servers()) {
        (0, servers) if servers > 0 => format_count(servers, "MCP server"),
        (hooks, _) => format_count(hooks, "hook"),
    };
    let digest = paint(DIM, review.digest);
    let signed = review.signer.map(|key| format!("    signed by {key}\n")).unwrap_or_default();
    let why = review.too_much().into_iter().chain(review.unknown.clone());
    let why: String = why.map(|text| format!("    {}\n", to_safe_line(&text))).collect();
    let shown = paint(BOLD, to_safe_line(shown));
    format!("{shown}  {hooks}, {}\n{signed}{why}    {digest}\n", state_label(review.state))
}
