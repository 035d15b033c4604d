//! One firing, as the record has it: its beginning and its end put together. Reads no file.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use tenterhook::internal::record::read::Entry;
use tenterhook_core::dialect::event_rows_named;
use tenterhook_core::hook::Layer;

use super::{delivery, shadow};
use crate::args::Log;

/// Fields that chain a line to the others, which readers of one line do not need.
const CHAIN: &[&str] = &["v", "prev", "hash"];
/// What only the first of two records of a firing says.
const OPENS: &[&str] = &["cwd", "payload", "engine"];

/// One firing.
#[derive(Clone, Debug)]
pub(crate) struct Firing(Entry);

/// Groups records into firings, in the order in which they ended. A firing without an end stands
/// where it began.
pub(crate) fn firings_from_entries(entries: Vec<Entry>) -> Vec<Firing> {
    let mut open: BTreeMap<u64, Entry> = BTreeMap::new();
    let mut all: Vec<(u64, Firing)> = Vec::new();
    for entry in entries {
        let Some(firing) = Firing::from_entry(entry) else { continue };
        if firing.is_unfinished() {
            open.insert(firing.number(), firing.0);
            continue;
        }
        let number = firing.number();
        let begun = firing.0.get("begun").and_then(Value::as_u64);
        let firing = match begun.filter(|_| !firing.is_late_step()).and_then(|n| open.remove(&n)) {
            Some(begun) => firing.with_begin_record(begun),
            None => firing,
        };
        all.push((number, firing));
    }
    all.extend(open.into_iter().map(|(number, value)| (number, Firing(value))));
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, firing)| firing).collect()
}

impl Firing {
    /// Returns the firing that a record is about, if it is about one.
    pub(crate) fn from_entry(entry: Entry) -> Option<Self> {
        let kind = entry.get("kind").and_then(Value::as_str);
        matches!(kind, Some("begin" | "end" | "late")).then_some(Self(entry))
    }

    /// Adds the fields of the record with which this firing began.
    fn with_begin_record(mut self, mut begun: Entry) -> Self {
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

    fn text_field(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn array_field(&self, key: &str) -> &[Value] {
        self.0.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the number by which the user refers to this firing.
    pub(crate) fn number(&self) -> u64 {
        entry_number(&self.0)
    }

    /// Returns whether a number is the one of this firing, or of the record with which it began.
    pub(crate) fn has_number(&self, number: u64) -> bool {
        let begun = self.0.get("begun").and_then(Value::as_u64);
        self.number() == number || begun == Some(number) && !self.is_late_step()
    }

    /// Returns whether no end of this firing is recorded.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.text_field("kind") == Some("begin")
    }

    /// Returns whether this is a step that ended after its event.
    pub(crate) fn is_late_step(&self) -> bool {
        self.text_field("kind") == Some("late")
    }

    /// Returns whether its result waits for an event of its session.
    pub(crate) fn waits_for_delivery(&self) -> bool {
        self.text_field(delivery::FIELD) == Some(delivery::WAITING)
    }

    /// Returns the name of the event; empty if no hook could read it.
    pub(crate) fn event_name(&self) -> &str {
        match self.text_field("event").unwrap_or_default() {
            "" => "(unreadable)",
            name => name,
        }
    }

    pub(crate) fn tool_name(&self) -> Option<&str> {
        self.text_field("tool")
    }

    /// Returns the code of a call that was denied or held.
    pub(crate) fn denial_code(&self) -> Option<&str> {
        self.text_field("code")
    }

    pub(crate) fn session_id(&self) -> Option<&str> {
        self.text_field("session")
    }

    fn caller_field(&self, key: &str) -> Option<&str> {
        self.0.get("caller")?.get(key)?.as_str()
    }

    /// Returns the name of the agent that called.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.caller_field("agent")
    }

    /// Returns the caller's fields that are recorded, with a separator; `None` without any.
    fn joined_caller_fields(&self, keys: [&str; 2], separator: &str) -> Option<String> {
        let found: Vec<&str> = keys.into_iter().filter_map(|key| self.caller_field(key)).collect();
        (!found.is_empty()).then(|| found.join(separator))
    }

    /// Returns the user and the host of the call, as `user@host`.
    pub(crate) fn account(&self) -> Option<String> {
        self.joined_caller_fields(["user", "host"], "@")
    }

    /// Returns who called: the agent with its version, and the user and the host.
    pub(crate) fn caller(&self) -> Option<String> {
        let agent = self.joined_caller_fields(["agent", "version"], " ");
        match (agent.filter(|_| self.agent().is_some()), self.account()) {
            (Some(agent), Some(account)) => Some(format!("{agent} as {account}")),
            (agent, account) => agent.or(account),
        }
    }

    pub(crate) fn cwd(&self) -> Option<&str> {
        self.text_field("cwd")
    }

    /// Returns the decision of the firing.
    pub(crate) fn decision(&self) -> &str {
        if self.is_unfinished() {
            "no end"
        } else {
            self.text_field("decision").unwrap_or_default()
        }
    }

    /// Returns the decision as pages show it: a call that the user let pass is not silent.
    pub(crate) fn display_decision(&self) -> &str {
        match (self.decision(), self.text_field("exemption")) {
            ("silent", Some(exemption)) => exemption,
            (decision, _) => decision,
        }
    }

    /// Returns the duration of the firing; `None` while everything that it started still runs in
    /// the background.
    pub(crate) fn duration(&self) -> Option<Duration> {
        let mut ran = self.hook_runs().filter(Ran::was_run).peekable();
        if self.is_late_step() {
            return ran.next().map(Ran::duration);
        }
        if ran.peek().is_some() && ran.all(Ran::is_shadow_pending) {
            return None;
        }
        self.0.get("took_us").and_then(Value::as_u64).map(Duration::from_micros)
    }

    pub(crate) fn fault_codes(&self) -> Vec<&str> {
        self.array_field("faults").iter().filter_map(Value::as_str).collect()
    }

    pub(crate) fn hook_runs(&self) -> impl Iterator<Item = Ran<'_>> {
        self.array_field("hooks").iter().map(Ran)
    }

    /// Returns the time at which the firing ended.
    pub(crate) fn end_time(&self) -> Option<Timestamp> {
        entry_time(&self.0)
    }

    /// Returns the time at which the firing ended, in the user's time zone.
    pub(crate) fn local_end_time(&self) -> String {
        local_entry_time(&self.0)
    }

    /// Returns the day on which the firing ended, in the user's time zone.
    pub(crate) fn local_end_day(&self) -> String {
        self.local_end_time().split(' ').next().unwrap_or_default().to_owned()
    }

    /// Returns a part of the content, which is only recorded if the user chose that.
    pub(crate) fn recorded_content(&self, key: &str) -> Option<&Value> {
        self.0.get("content")?.get(key)
    }

    /// Returns why a shadow hook would have denied or held the call, if that is recorded.
    pub(crate) fn shadow_reason(&self, hook: &str) -> Option<String> {
        let steps = self.recorded_content("outcome")?.get("steps")?.as_array()?;
        let step =
            steps.iter().find(|step| step.get("hook").and_then(Value::as_str) == Some(hook))?;
        Some(step.get("shadow")?.get("reason")?.as_str()?.to_owned())
    }

    /// Names the hooks that gave the reasons, otherwise those that ran.
    pub(crate) fn responsible_hooks(&self) -> String {
        let name = |id: &str| {
            self.hook_runs().find(|ran| ran.hook_id() == id).map_or(id, Ran::name).to_owned()
        };
        let of = |entry: &Value| entry.get("hook").and_then(Value::as_str).map(name);
        let mut carried: Vec<String> = self.array_field("reasons").iter().filter_map(of).collect();
        carried.dedup();
        if carried.is_empty() {
            carried = self.hook_runs().filter(Ran::was_run).map(Ran::display_name).collect();
        }
        match carried.as_slice() {
            [] => "-".to_owned(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }

    /// Returns the firing for programs, without the fields that chain records.
    pub(crate) fn to_json(&self) -> Value {
        without_chain_fields(&self.0)
    }
}

/// Returns the number of a record.
pub(super) fn entry_number(entry: &Entry) -> u64 {
    entry.get("seq").and_then(Value::as_u64).unwrap_or_default()
}

/// Returns the time at which a record was written.
pub(super) fn entry_time(entry: &Entry) -> Option<Timestamp> {
    entry.get("time")?.as_str()?.parse().ok()
}

/// Returns the time at which a record was written, in the user's time zone.
pub(super) fn local_entry_time(entry: &Entry) -> String {
    let shown = |time: Timestamp| {
        time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    };
    entry_time(entry).map(shown).unwrap_or_default()
}

/// Returns a record without the fields that chain it to its neighbours.
pub(super) fn without_chain_fields(entry: &Entry) -> Value {
    let fields = entry.iter().filter(|(key, _)| !CHAIN.contains(&key.as_str()));
    Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// One hook of a firing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran<'a>(&'a Value);

impl<'a> Ran<'a> {
    fn text_field(self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn hook_id(self) -> &'a str {
        self.text_field("hook")
    }

    /// Returns the display name of the hook: that of its entry, or of the program that it runs.
    pub(crate) fn name(self) -> &'a str {
        match self.text_field("name") {
            "" => self.hook_id(),
            name => name,
        }
    }

    /// Returns the name of the hook, with a mark if its result is not known yet.
    fn display_name(self) -> String {
        match self.is_shadow_pending() {
            true => format!("{} (background)", self.name()),
            false => self.name().to_owned(),
        }
    }

    pub(crate) fn how_it_ended(self) -> &'a str {
        self.text_field("ended")
    }

    pub(crate) fn verdict(self) -> &'a str {
        self.text_field("verdict")
    }

    /// Returns whether the hook denied the call, and the user did not lift that.
    pub(crate) fn denied(self) -> bool {
        self.verdict() == "deny" && self.exemption().is_none()
    }

    /// Returns how the user lifted the denial of the hook.
    fn exemption(self) -> Option<&'a str> {
        self.0.get("exemption").and_then(Value::as_str)
    }

    pub(crate) fn is_of_layer(self, layer: Layer) -> bool {
        self.text_field("layer") == layer.as_str()
    }

    /// Returns the result that the hook would have had, if it ran in shadow: `silent` if it would
    /// have had none.
    pub(crate) fn shadow_result(self) -> Option<&'a str> {
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

    /// Returns whether the shadow result is not known yet: it gets a separate record.
    pub(crate) fn is_shadow_pending(self) -> bool {
        self.how_it_ended() == "detached"
    }

    /// Returns the codes of the faults that would have occurred in shadow.
    pub(crate) fn shadow_fault_codes(self) -> Vec<&'a str> {
        let faults =
            self.0.get("shadow").and_then(|shadow| shadow.get("faults")).and_then(Value::as_array);
        faults.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the verdict, or the one that a shadow hook would have had.
    pub(crate) fn display_verdict(self) -> String {
        match self.shadow_result() {
            Some(_) if self.is_shadow_pending() => "shadow".to_owned(),
            Some("silent") => "- (shadow)".to_owned(),
            Some(word) => format!("would {word}"),
            None => match self.exemption() {
                Some(exemption) => format!("{}, {exemption}", self.verdict()),
                None => self.verdict().to_owned(),
            },
        }
    }

    /// Returns the file of the hook's entry.
    pub(crate) fn config_file(self) -> &'a str {
        self.text_field("source")
    }

    /// Returns the location of the hook's entry, as `file:line`.
    pub(crate) fn file_and_line(self) -> String {
        match self.0.get("line").and_then(Value::as_u64) {
            Some(line) => format!("{}:{line}", self.text_field("source")),
            None => self.text_field("source").to_owned(),
        }
    }

    pub(crate) fn duration(self) -> Duration {
        Duration::from_micros(self.0.get("took_us").and_then(Value::as_u64).unwrap_or_default())
    }

    pub(crate) fn fault_count(self) -> usize {
        self.0.get("faults").and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Returns whether the hook ran, or was at least tried.
    pub(crate) fn was_run(&self) -> bool {
        !self.how_it_ended().starts_with("not run")
    }
}

impl Log {
    /// Returns whether the arguments select a firing.
    pub(super) fn selects(&self, firing: &Firing) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|text| found == Some(text))
        };
        let since = |since: Timestamp| firing.end_time().is_some_and(|time| time >= since);
        let denied = || matches!(firing.decision(), "deny" | "stop");
        let is_event = |name: &str| {
            let rows = event_rows_named(name, &[]);
            firing.event_name() == name
                || rows.iter().any(|(_, row)| row.event == firing.event_name())
        };
        self.event.as_deref().is_none_or(is_event)
            && is(&self.session, firing.session_id())
            && is(&self.agent, firing.agent())
            && self.hook.as_deref().is_none_or(|text| {
                firing.hook_runs().any(|ran| [ran.hook_id(), ran.name()].contains(&text))
            })
            && self.since.is_none_or(since)
            && (!self.denied || denied())
            && (!self.shadow || self.stats || firing.hook_runs().any(shadow::has_shadow_effect))
    }
}
