//! One firing, as the record has it: its beginning and its end put together. Reads no file.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tenterhook::internal::record::read::Entry;
use tenterhook_core::dialect::events_named;

use super::shadow;
use crate::args::Log;

/// Fields that chain a line to the others, which readers of one line do not need.
const CHAIN: &[&str] = &["v", "prev", "hash"];
/// What only the first of two records of a firing says.
const OPENS: &[&str] = &["cwd", "payload", "engine"];

/// One firing.
#[derive(Clone, Debug)]
pub(crate) struct Firing(Entry);

/// The firings of these records, in the order in which they ended; those without an end stand where they began.
pub(crate) fn all(entries: Vec<Entry>) -> Vec<Firing> {
    let mut open: BTreeMap<u64, Entry> = BTreeMap::new();
    let mut all: Vec<(u64, Firing)> = Vec::new();
    for entry in entries {
        let Some(firing) = Firing::from_entry(entry) else { continue };
        if firing.is_open() {
            open.insert(firing.number(), firing.0);
            continue;
        }
        let number = firing.number();
        let begun = firing.0.get("begun").and_then(Value::as_u64);
        let firing = match begun.filter(|_| !firing.is_late()).and_then(|n| open.remove(&n)) {
            Some(begun) => firing.opened_by(begun),
            None => firing,
        };
        all.push((number, firing));
    }
    all.extend(open.into_iter().map(|(number, value)| (number, Firing(value))));
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, firing)| firing).collect()
}

impl Firing {
    /// The firing that a record is about, if it is about one.
    pub(crate) fn from_entry(entry: Entry) -> Option<Self> {
        let kind = entry.get("kind").and_then(Value::as_str);
        matches!(kind, Some("begin" | "end" | "late")).then_some(Self(entry))
    }

    /// The same, with what its beginning says.
    fn opened_by(mut self, mut begun: Entry) -> Self {
        for key in OPENS {
            if let Some(value) = begun.remove(*key) {
                self.0.insert((*key).to_owned(), value);
            }
        }
        if let Some(Value::Object(object)) = begun.remove("content") {
            let content = self.0.entry("content").or_insert_with(|| serde_json::json!({}));
            if let Value::Object(content) = content {
                content.extend(object);
            }
        }
        self
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn array(&self, key: &str) -> &[Value] {
        self.0.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The number by which people ask for it.
    pub(crate) fn number(&self) -> u64 {
        number(&self.0)
    }

    /// Whether a number is its own, or that of its beginning.
    pub(crate) fn is(&self, number: u64) -> bool {
        let begun = self.0.get("begun").and_then(Value::as_u64);
        self.number() == number || begun == Some(number) && !self.is_late()
    }

    /// Whether it has no end.
    pub(crate) fn is_open(&self) -> bool {
        self.text("kind") == Some("begin")
    }

    /// Whether it is a step that ended behind its event.
    pub(crate) fn is_late(&self) -> bool {
        self.text("kind") == Some("late")
    }

    /// Which event; empty where no hook could read it.
    pub(crate) fn event(&self) -> &str {
        match self.text("event").unwrap_or_default() {
            "" => "(unreadable)",
            name => name,
        }
    }

    pub(crate) fn tool(&self) -> Option<&str> {
        self.text("tool")
    }

    /// The code of a call that was held.
    pub(crate) fn code(&self) -> Option<&str> {
        self.text("code")
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.text("session")
    }

    pub(crate) fn cwd(&self) -> Option<&str> {
        self.text("cwd")
    }

    /// What came of it.
    pub(crate) fn decision(&self) -> &str {
        if self.is_open() { "no end" } else { self.text("decision").unwrap_or_default() }
    }

    /// How long it took; where all that it started goes on in the background, that is not known yet.
    pub(crate) fn took(&self) -> Option<Duration> {
        let mut ran = self.hooks().filter(Ran::ran).peekable();
        if self.is_late() {
            return ran.next().map(Ran::took);
        }
        if ran.peek().is_some() && ran.all(Ran::goes_on) {
            return None;
        }
        self.0.get("took_us").and_then(Value::as_u64).map(Duration::from_micros)
    }

    pub(crate) fn faults(&self) -> Vec<&str> {
        self.array("faults").iter().filter_map(Value::as_str).collect()
    }

    pub(crate) fn hooks(&self) -> impl Iterator<Item = Ran<'_>> {
        self.array("hooks").iter().map(Ran)
    }

    /// When it ended.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        time(&self.0)
    }

    /// The same, where the user is.
    pub(crate) fn shown_time(&self) -> String {
        shown_time(&self.0)
    }

    /// Content that is on record, by choice.
    pub(crate) fn content(&self, key: &str) -> Option<&Value> {
        self.0.get("content")?.get(key)
    }

    /// Why a hook in shadow would have restrained, where that is on record.
    pub(crate) fn shadow_reason(&self, hook: &str) -> Option<String> {
        let steps = self.content("outcome")?.get("steps")?.as_array()?;
        let step =
            steps.iter().find(|step| step.get("hook").and_then(Value::as_str) == Some(hook))?;
        Some(step.get("shadow")?.get("reason")?.as_str()?.to_owned())
    }

    /// Whose words it was: the hooks that say why, else those that ran.
    pub(crate) fn whose(&self) -> String {
        let name =
            |id: &str| self.hooks().find(|ran| ran.hook() == id).map_or(id, Ran::name).to_owned();
        let of = |entry: &Value| entry.get("hook").and_then(Value::as_str).map(name);
        let mut carried: Vec<String> = self.array("reasons").iter().filter_map(of).collect();
        carried.dedup();
        if carried.is_empty() {
            carried = self.hooks().filter(Ran::ran).map(Ran::shown_name).collect();
        }
        match carried.as_slice() {
            [] => "-".to_owned(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }

    /// For programs: without what ties it to its neighbours.
    pub(crate) fn json(&self) -> Value {
        unchained(&self.0)
    }
}

/// The number of a record.
pub(super) fn number(entry: &Entry) -> u64 {
    entry.get("seq").and_then(Value::as_u64).unwrap_or_default()
}

/// When it was written.
pub(super) fn time(entry: &Entry) -> Option<Timestamp> {
    entry.get("time")?.as_str()?.parse().ok()
}

/// The same, where the user is.
pub(super) fn shown_time(entry: &Entry) -> String {
    let shown = |time: Timestamp| {
        time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    };
    time(entry).map(shown).unwrap_or_default()
}

/// A record without what ties it to its neighbours.
pub(super) fn unchained(entry: &Entry) -> Value {
    let fields = entry.iter().filter(|(key, _)| !CHAIN.contains(&key.as_str()));
    Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// One hook of a firing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran<'a>(&'a Value);

impl<'a> Ran<'a> {
    fn text(self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn hook(self) -> &'a str {
        self.text("hook")
    }

    /// The name that people call it by: that of its entry, or of the program that it runs.
    pub(crate) fn name(self) -> &'a str {
        match self.text("name") {
            "" => self.hook(),
            name => name,
        }
    }

    /// Its name, with a word where it is not known yet how it ends.
    fn shown_name(self) -> String {
        match self.goes_on() {
            true => format!("{} (background)", self.name()),
            false => self.name().to_owned(),
        }
    }

    pub(crate) fn ended(self) -> &'a str {
        self.text("ended")
    }

    pub(crate) fn verdict(self) -> &'a str {
        self.text("verdict")
    }

    /// What would have come of it where it ran in shadow: `silent` where nothing would have.
    pub(crate) fn shadow(self) -> Option<&'a str> {
        let shadow = self.0.get("shadow")?;
        let text = |key: &str| shadow.get(key).and_then(Value::as_str);
        let is = |key: &str| shadow.get(key).is_some_and(|value| value != &Value::Bool(false));
        Some(match text("decision").unwrap_or_default() {
            "silent" | "allow" if is("rewrote") => "rewrite",
            "silent" if is("context") => "context",
            "silent" if is("faults") => "fault",
            decision => decision,
        })
    }

    /// Whether the shadow result is not known yet: it will have its own record.
    pub(crate) fn goes_on(self) -> bool {
        self.ended() == "detached"
    }

    /// The codes of what would have gone wrong in shadow.
    pub(crate) fn shadow_faults(self) -> Vec<&'a str> {
        let faults =
            self.0.get("shadow").and_then(|shadow| shadow.get("faults")).and_then(Value::as_array);
        faults.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Its verdict, or what that would have been.
    pub(crate) fn shown_verdict(self) -> String {
        match self.shadow() {
            Some(_) if self.goes_on() => "shadow".to_owned(),
            Some("silent") => "- (shadow)".to_owned(),
            Some(word) => format!("would {word}"),
            None => self.verdict().to_owned(),
        }
    }

    /// The file of its entry.
    pub(crate) fn file(self) -> &'a str {
        self.text("source")
    }

    /// Its entry, as `file:line`.
    pub(crate) fn source(self) -> String {
        match self.0.get("line").and_then(Value::as_u64) {
            Some(line) => format!("{}:{line}", self.text("source")),
            None => self.text("source").to_owned(),
        }
    }

    pub(crate) fn took(self) -> Duration {
        Duration::from_micros(self.0.get("took_us").and_then(Value::as_u64).unwrap_or_default())
    }

    pub(crate) fn faults(self) -> usize {
        self.0.get("faults").and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Whether it ran, or was at least tried.
    pub(crate) fn ran(&self) -> bool {
        !self.ended().starts_with("not run")
    }
}

impl Log {
    /// Whether a firing was asked for.
    pub(super) fn wants(&self, firing: &Firing) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|text| found == Some(text))
        };
        let since = |since: Timestamp| firing.time().is_some_and(|time| time >= since);
        let denied = || matches!(firing.decision(), "deny" | "stop");
        let is_event = |name: &str| {
            let rows = events_named(name, &[]);
            firing.event() == name || rows.iter().any(|(_, row)| row.event == firing.event())
        };
        self.event.as_deref().is_none_or(is_event)
            && is(&self.session, firing.session())
            && self.hook.as_deref().is_none_or(|text| {
                firing.hooks().any(|ran| [ran.hook(), ran.name()].contains(&text))
            })
            && self.since.is_none_or(since)
            && (!self.denied || denied())
            && (!self.shadow || self.stats || firing.hooks().any(shadow::has_said))
    }
}
