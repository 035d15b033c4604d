//! `--html`: one page that a person looks at, with nothing outside of it: every event, what would have been said to it, and why.
//! Gathers what the page shows, and writes it; the page itself is `page.html`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tenterhook::backtest::Backtest;
use tenterhook::internal::record::redacted;
use tenterhook::{Event, Outcome};
use tenterhook_core::answer::Restraint;
use tenterhook_core::hook::HookId;
use tenterhook_core::transcript::{TranscriptAgent, TranscriptRecord};

use super::shape::{event_kind, redact_and_truncate_lines, redact_and_truncate_to_line};
use super::tally::{Tally, should_report_event, verdict_name};
use crate::args::{Backtest as Args, PageContent};
use crate::command::change::{Readers, replace_text_atomically, write_new_file_atomically};
use crate::problem::Problem;
use crate::show::layout::{format_count, to_safe_line};

/// The page, with a place for the data.
const PAGE: &str = include_str!("page/page.html");
const PLACE: &str = "/*DATA*/";
/// How many events a page lists; more are counted.
const MOST: usize = 200_000;
/// How long a text of an event is at most.
const LONGEST: usize = 2_000;

/// What a page is made of, which all threads share.
#[derive(Debug)]
pub(super) struct Gathering {
    pub(super) content: PageContent,
    is_compared: bool,
    taken: AtomicUsize,
    left_out: AtomicUsize,
}

impl Gathering {
    pub(super) fn new(args: &Args) -> Self {
        let is_compared = !args.against.is_empty();
        let (taken, left_out) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { content: args.content, is_compared, taken, left_out }
    }

    /// Reserves space for one more row; returns false if the page is full.
    fn reserve_row(&self) -> bool {
        let is_room = self.taken.fetch_add(1, Ordering::Relaxed) < MOST;
        if !is_room {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        is_room
    }

    /// Returns a text as far as the page may show it.
    fn text_allowed_on_page(&self, text: &str) -> String {
        match self.content {
            PageContent::None => String::new(),
            PageContent::Redacted => redact_and_truncate_lines(text, LONGEST),
            PageContent::Full => text.chars().take(LONGEST).collect(),
        }
    }

    /// Returns the name of a session, directory or file. It is always shown, without what looks
    /// like a secret.
    fn name_allowed_on_page(&self, text: &str) -> String {
        match self.content {
            PageContent::Full => text.to_owned(),
            PageContent::None | PageContent::Redacted => match redacted(text.into()) {
                Value::String(text) => to_safe_line(&text),
                _ => String::new(),
            },
        }
    }
}

/// One event of the page.
#[derive(Debug)]
pub(super) struct Row {
    time: Option<i64>,
    session: (String, TranscriptAgent, String, String),
    line: u64,
    place: String,
    what: String,
    text: String,
    verdict: &'static str,
    before: Option<&'static str>,
    hook: Option<HookId>,
    why: Vec<String>,
    order: (usize, u64),
}

/// An event that was tried, with every answer to it.
pub(super) struct Asked<'a> {
    pub(super) record: &'a TranscriptRecord<'a>,
    pub(super) agent: TranscriptAgent,
    pub(super) file: &'a Path,
    pub(super) number: usize,
    pub(super) event: &'a Event,
    pub(super) outcome: &'a Outcome,
    pub(super) old: Option<&'a Outcome>,
    pub(super) not_replayed: &'a [HookId],
}

impl Row {
    /// Creates a row; `None` if the page is full.
    pub(super) fn new(
        all: &Gathering,
        asked: &Asked<'_>,
        hooks: &Backtest,
        session: &tenterhook::Session,
    ) -> Option<Self> {
        if !all.reserve_row() {
            return None;
        }
        let Asked { record, event, outcome, old, .. } = asked;
        let name = |text: Option<&str>| all.name_allowed_on_page(text.unwrap_or_default());
        let cwd = name(record.cwd.as_deref());
        let about = event.text("prompt").map(str::to_owned);
        let about = about.or_else(|| event.tool().map(|tool| input_text(tool.input)));
        let spoken =
            outcome.steps.iter().find(|step| step.verdict > Restraint::Allow || step.rewrote);
        let is_reported = should_report_event(verdict_name(outcome), old.map(verdict_name));
        Some(Self {
            time: record.time,
            session: (
                name(record.session.as_deref()),
                asked.agent,
                cwd.clone(),
                all.name_allowed_on_page(&asked.file.to_string_lossy()),
            ),
            line: record.line,
            place: cwd,
            what: match all.content {
                PageContent::None => event
                    .tool()
                    .map_or_else(|| event.name.to_string(), |tool| to_safe_line(tool.name)),
                PageContent::Redacted | PageContent::Full => event_kind(event),
            },
            text: about.map(|text| all.text_allowed_on_page(&text)).unwrap_or_default(),
            verdict: verdict_name(outcome),
            before: old.map(verdict_name).filter(|_| is_reported),
            hook: spoken.map(|step| step.hook.clone()),
            why: explain_hook_results(all, asked, is_reported.then_some((hooks, session))),
            order: (asked.number, record.line),
        })
    }
}

/// Returns an input as people read it: its command or file if it has one, otherwise all of it.
fn input_text(input: &Value) -> String {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    text("command").or_else(|| text("file_path")).map_or_else(|| input.to_string(), str::to_owned)
}

/// Lists what each hook returned, which hooks did not run and, for events that would be denied or
/// held, why each hook ran.
fn explain_hook_results(
    all: &Gathering,
    asked: &Asked<'_>,
    explained: Option<(&Backtest, &tenterhook::Session)>,
) -> Vec<String> {
    let mut texts = Vec::new();
    for step in asked.outcome.steps.iter() {
        let word = match step.verdict {
            Restraint::Silent if step.rewrote => "rewrites",
            Restraint::Silent => continue,
            verdict => verdict.name().unwrap_or_default(),
        };
        let reasons = asked.outcome.reasons.iter().filter(|reason| reason.hook == step.hook);
        let words: Vec<String> =
            reasons.map(|reason| all.text_allowed_on_page(&reason.text)).collect();
        let words = words.join(" ");
        let colon = if words.is_empty() { "" } else { ": " };
        texts.push(format!("{}: {word}{colon}{words}", step.hook));
    }
    for fault in &asked.outcome.faults {
        texts.push(format!("fault {}: {}", fault.code, all.text_allowed_on_page(&fault.message)));
    }
    for hook in asked.not_replayed {
        texts.push(format!("{hook}: not replayed, it would act again"));
    }
    if let Some((hooks, session)) = explained {
        for (hook, because) in hooks.explain(asked.event, session) {
            let spoke = asked
                .outcome
                .steps
                .iter()
                .any(|step| step.hook == hook.id && step.verdict != Restraint::Silent);
            if because.selected && spoke {
                let text = all.text_allowed_on_page(&because.because);
                let text = if text.is_empty() { "its matcher matched".to_owned() } else { text };
                texts.push(format!("{} was asked because {text} ({})", hook.id, because.rule));
            }
        }
    }
    texts.into_iter().map(|text| to_safe_line(&text)).collect()
}

/// Words that stand in the data once.
#[derive(Default)]
struct StringTable {
    all: Vec<String>,
    at: HashMap<String, usize>,
}

impl StringTable {
    fn intern(&mut self, word: &str) -> usize {
        if let Some(at) = self.at.get(word) {
            return *at;
        }
        self.all.push(word.to_owned());
        self.at.insert(word.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }

    /// Interns a text that may be missing; `None` has its own index.
    fn intern_optional(&mut self, word: &str) -> i64 {
        if word.is_empty() { -1 } else { i64::try_from(self.intern(word)).unwrap_or(-1) }
    }
}

/// Writes the page. An existing file is replaced only if it is such a page.
pub(super) fn write_page(
    path: &Path,
    rows: Vec<Row>,
    tally: &Tally,
    all: &Gathering,
    is_cut: bool,
) -> Result<(), Problem> {
    let page = page_html(rows, tally, all, is_cut);
    let shown = path.display();
    let cannot =
        |error: std::io::Error| Problem::new(format!("`{shown}` cannot be written: {error}"));
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            write_new_file_atomically(path, &page, Readers::Owner).map_err(cannot)
        }
        Ok(old) if old.starts_with(page_head()) => {
            replace_text_atomically(path, &page).map_err(cannot)
        }
        Ok(_) => Err(Problem::new(format!(
            "`{shown}` already exists and is not a page of `backtest --html`"
        ))
        .with_help("name another file, or remove it")),
        Err(error) => Err(cannot(error)),
    }
}

/// Returns the beginning of every such page.
fn page_head() -> &'static str {
    PAGE.split_once("<style>").map_or(PAGE, |(head, _)| head)
}

fn page_html(mut rows: Vec<Row>, tally: &Tally, all: &Gathering, is_cut: bool) -> String {
    rows.sort_by_key(|row| (row.time, row.order));
    let mut words = StringTable::default();
    let mut sessions: Vec<Value> = Vec::new();
    let mut known: HashMap<(String, TranscriptAgent, String), usize> = HashMap::new();
    let mut calls: Vec<Value> = Vec::with_capacity(rows.len());
    for row in rows {
        let (name, agent, cwd, file) = row.session;
        let which = (name, agent, file);
        let session = known.get(&which).copied().unwrap_or_else(|| {
            let (name, agent, file) = &which;
            let fields = [
                words.intern_optional(name),
                words.intern_optional(agent.name()),
                words.intern_optional(&cwd),
                words.intern_optional(file),
            ];
            sessions.push(json!(fields));
            known.insert(which.clone(), sessions.len() - 1);
            sessions.len() - 1
        });
        let why: Vec<usize> = row.why.iter().map(|text| words.intern(text)).collect();
        let hook = row.hook.as_ref().map_or("", |hook| hook.as_str());
        calls.push(json!([
            row.time,
            session,
            row.line,
            words.intern_optional(&row.what),
            words.intern_optional(row.verdict),
            words.intern_optional(hook),
            words.intern_optional(&row.text),
            why,
            words.intern_optional(&row.place),
            words.intern_optional(row.before.unwrap_or_default()),
        ]));
    }
    let data = json!({
        "compared": all.is_compared,
        "about": content_notice(all),
        "numbers": [
            ["calls", tally.calls],
            ["sessions", tally.sessions.len()],
            ["days of use", tally.days.len()],
            [if all.is_compared { "sessions that differ" } else { "sessions touched" }, tally.touched.len()],
        ],
        "notes": page_notes(tally, all, is_cut),
        "sessions": sessions,
        "calls": calls,
        "words": words.all,
    });
    // Nothing in it ends the element that it stands in.
    let data = data.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028");
    PAGE.replacen(PLACE, &data, 1)
}

fn content_notice(all: &Gathering) -> String {
    let content = match all.content {
        PageContent::None => "This page holds no text of the sessions.",
        PageContent::Redacted => "What looks like a secret is taken out.",
        PageContent::Full => "Nothing is taken out: this page may hold secrets.",
    };
    format!("Rules were asked about recorded sessions; nothing was run. {content}")
}

fn page_notes(tally: &Tally, all: &Gathering, is_cut: bool) -> Vec<String> {
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let mut notes = Vec::new();
    if is_cut {
        notes.push("It was cut short: this is what was read until then.".to_owned());
    }
    let left_out = all.left_out.load(Ordering::Relaxed);
    if left_out > 0 {
        notes.push(format!("{} more are counted and not listed.", format_count(left_out, "event")));
    }
    if tally.copied > 0 {
        notes.push(format!(
            "{} are copies, and count once.",
            format_count(number(tally.copied), "call")
        ));
    }
    for (hook, events) in &tally.not_replayed {
        notes
            .push(format!("{hook} was not replayed ({}).", format_count(number(*events), "event")));
    }
    for (why, events) in &tally.not_judged {
        notes.push(format!("Not fully judged, {}: {why}.", format_count(number(*events), "call")));
    }
    if tally.unknown > 0 {
        notes.push(format!(
            "{} of unknown kinds were passed over.",
            format_count(number(tally.unknown), "record")
        ));
    }
    notes.iter().map(|note| redact_and_truncate_to_line(note, 400)).collect()
}
