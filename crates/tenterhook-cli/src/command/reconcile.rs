//! `reconcile`: which calls did no hook see? Joins what agents recorded with our own record of firings. Fires nothing.

mod cause;
mod configured;
mod recorded;
mod report;

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde_json::{Value, json};
use tenterhook::internal::record::effect_digest;
use tenterhook::internal::record::read::Entry;
use tenterhook_core::dialect::{Dialect, DialectId};
use tenterhook_core::event::tool::ToolCall;
use tenterhook_core::transcript::{
    Action, Call, Copies, Ended, Kind, Refuser, TranscriptAgent, TranscriptRecord,
};

use self::cause::Cause;
use self::configured::{Configured, Coverage};
use self::recorded::{OfSession, Recorded};
use self::report::{to_json, to_text};
use super::{log, print_json};
use crate::ambient::Here;
use crate::args::{Format, Reconcile};
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::sessions::{self, Session};
use crate::show::layout::to_safe_line;
use crate::show::paint::WARNING;
use crate::term::Term;

/// The event of a call before it runs.
const GATE: &str = "PreToolUse";

/// Tools for which an agent was seen to fire no hook.
const NO_EVENT: &[(TranscriptAgent, &str)] = &[
    (TranscriptAgent::Codex, "write_stdin"),
    (TranscriptAgent::Codex, "update_plan"),
    (TranscriptAgent::Codex, "get_goal"),
];

pub(crate) fn run(args: &Reconcile, here: &Here, term: Term) -> Result<Exit, Problem> {
    let seen = Seen::from_entries(log::read_all_entries(here)?);
    let basis = seen.comparison_basis();
    let configured = match basis {
        Basis::Record => None,
        Basis::NoGateOnRecord | Basis::NothingOnRecord => Some(Configured::load(here)?),
    };
    let found = sessions::find_sessions(&args.sessions.paths(), args.agent, here)?;
    for (path, why) in &found.strange {
        let path = shorten_path(&path.to_string_lossy(), &here.roots);
        term.print_labelled_note(
            WARNING,
            "warning:",
            &to_safe_line(&format!("{path} is left out: {why}")),
        );
    }
    let mut all = All {
        seen,
        configured: configured.as_ref(),
        args,
        here,
        copies: Copies::default(),
        sum: Sum { basis, ..Sum::default() },
    };
    for session in &found.sessions {
        all.reconcile_file(session)?;
    }
    match args.output.format {
        Format::Json => print_json(&to_json(&all.sum), term)?,
        Format::Text => term.print_data(&to_text(&all.sum, here, term.width()))?,
    }
    Ok(Exit::Good)
}

/// The calls about which hooks were asked, as our record has them.
#[derive(Debug, Default)]
struct Seen {
    ids: HashSet<(String, String)>,
    /// How often, in a session, about a tool: where ids do not join.
    by_tool: HashMap<(String, String), u64>,
    first: Option<i64>,
    /// How often which event of each session is on record.
    sessions: HashMap<String, OfSession>,
    /// What else is on record of a call, by session and id.
    calls: HashMap<(String, String), Recorded>,
}

impl Seen {
    fn from_entries(entries: Vec<Entry>) -> Self {
        let mut seen = Self::default();
        for entry in entries {
            let text =
                |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let is_begun = entry.contains_key("begun");
            if ["PreToolUse", "PostToolUse"].contains(&&*text("event")) && !text("call").is_empty()
            {
                let call = seen.calls.entry((text("session"), text("call"))).or_default();
                call.add_entry(&text("event"), &entry);
            }
            if text("kind") == "late" || is_begun {
                continue;
            }
            seen.sessions.entry(text("session")).or_default().count_event(text("event"));
            if text("event") != GATE {
                continue;
            }
            let time = text("time").parse::<Timestamp>().ok().map(Timestamp::as_millisecond);
            seen.first = [seen.first, time].into_iter().flatten().min();
            let id = text("call");
            if !id.is_empty() {
                seen.ids.insert((text("session"), id));
            }
            *seen.by_tool.entry((text("session"), text("tool"))).or_default() += 1;
        }
        seen
    }

    fn comparison_basis(&self) -> Basis {
        match (self.first, self.sessions.is_empty()) {
            (Some(_), _) => Basis::Record,
            (None, false) => Basis::NoGateOnRecord,
            (None, true) => Basis::NothingOnRecord,
        }
    }

    /// Returns the recorded events of a session without any recorded `PreToolUse`.
    fn events_of_ungated_session(&self, session: &str) -> Option<&BTreeMap<String, u64>> {
        self.sessions.get(session).filter(|_| !session.is_empty())?.events_if_no_gate_recorded()
    }
}

/// A call that awaits its end.
struct Open {
    line: u64,
    time: Option<i64>,
    session: String,
    tool: String,
    own_tool: String,
    mode: String,
    is_sub: bool,
    is_asked: bool,
    is_refused: bool,
    has_run: bool,
    /// What it does, by its digest.
    effect: Option<String>,
    /// What the configuration says of it, where nothing is on record.
    coverage: Option<Coverage>,
}

/// The calls of one file, in order.
#[derive(Default)]
struct Calls {
    all: Vec<(String, Open)>,
    at: HashMap<String, usize>,
}

impl Calls {
    fn find_open_call(&mut self, id: &str) -> Option<&mut Open> {
        self.all.get_mut(*self.at.get(id)?).map(|(_, call)| call)
    }
}

/// A kind of call that no hook saw.
type Kindred = (TranscriptAgent, Cause, String, String, bool);

#[derive(Debug, Default)]
struct Sum {
    calls: u64,
    seen: u64,
    refused: u64,
    by_join: BTreeMap<&'static str, u64>,
    gaps: BTreeMap<Kindred, Vec<Value>>,
    counts: BTreeMap<Kindred, u64>,
    /// The sessions of which other events than `PreToolUse` are on record, with these.
    ungated: BTreeMap<String, BTreeMap<String, u64>>,
    basis: Basis,
}

/// The data that calls are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Basis {
    /// The record of firings.
    #[default]
    Record,
    /// The hooks that are configured here: the record has no `PreToolUse`.
    NoGateOnRecord,
    /// The same, where the record is empty.
    NothingOnRecord,
}

struct All<'a> {
    seen: Seen,
    configured: Option<&'a Configured>,
    args: &'a Reconcile,
    here: &'a Here,
    copies: Copies,
    sum: Sum,
}

/// How many positions are shown for each kind.
const PLACES: usize = 20;

impl All<'_> {
    fn reconcile_file(&mut self, session: &Session) -> Result<(), Problem> {
        let mut calls = Calls::default();
        session.read_records(&mut |record| {
            self.collect_call_of_record(session, record, &mut calls);
            true
        })?;
        // Ids first, for what they join is no other call's; then what order joins, and last what no hook can have seen.
        let (by_id, rest): (Vec<_>, Vec<_>) =
            calls.all.into_iter().partition(|(id, call)| self.is_call_id_recorded(id, call));
        let (refused, rest): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(_, call)| call.is_refused);
        for (id, call) in by_id.into_iter().chain(rest).chain(refused) {
            self.count_call(session, &id, &call);
        }
        Ok(())
    }

    fn is_call_id_recorded(&self, id: &str, call: &Open) -> bool {
        let has = |session: &str| self.seen.ids.contains(&(session.to_owned(), id.to_owned()));
        has(&call.session) || has("")
    }

    fn collect_call_of_record(
        &mut self,
        session: &Session,
        record: &TranscriptRecord<'_>,
        calls: &mut Calls,
    ) {
        match &record.action {
            Action::Call(call) if call.kind != Kind::Script => {
                let since = self.args.since.map(Timestamp::as_millisecond);
                let is_old =
                    since.is_some_and(|since| record.time.is_some_and(|time| time < since));
                if self.copies.is_known_call_else_remember(session.agent, record, call) || is_old {
                    return;
                }
                let open_call = self.build_open_call(session, record, call);
                // An id that repeats is a new call.
                calls.at.insert(call.id.to_string(), calls.all.len());
                calls.all.push((call.id.to_string(), open_call));
            }
            Action::Result { call, ended } => {
                if let Some(call) = calls.find_open_call(call) {
                    call.is_refused |= *ended == Ended::Refused;
                    call.has_run |= *ended == Ended::Ran;
                }
            }
            // Qwen asks its own rules before any hook.
            Action::Denial { call, by: Refuser::Rule }
                if session.agent == TranscriptAgent::Qwen =>
            {
                if let Some(call) = calls.find_open_call(call) {
                    call.is_refused = true;
                }
            }
            Action::Asked(call) => {
                if let Some(call) = calls.find_open_call(call) {
                    call.is_asked = true;
                }
            }
            _ => {}
        }
    }

    /// Builds the open call of a record: what it does, and what the configuration says of it.
    fn build_open_call(
        &self,
        session: &Session,
        record: &TranscriptRecord<'_>,
        call: &Call<'_>,
    ) -> Open {
        let (tool, input) = call.to_neutral(session.agent);
        let effect = effect_digest(&ToolCall { name: &tool, input: &input });
        let text =
            |text: &Option<std::sync::Arc<str>>| text.as_deref().unwrap_or_default().to_owned();
        let coverage = self.configured.map(|configured| {
            let event = record.event(session.agent, &session.event_context(&self.here.roots.home));
            event.map_or(Coverage::Unmatched, |event| {
                configured.coverage_of_event(session.agent, &event)
            })
        });
        Open {
            line: record.line,
            time: record.time,
            session: text(&record.session),
            tool,
            own_tool: call.tool.to_string(),
            mode: text(&record.mode),
            is_sub: record.subagent.is_some(),
            is_asked: false,
            is_refused: false,
            has_run: false,
            effect,
            coverage,
        }
    }

    /// Returns the evidence by which the record knows a call; `None` if it does not.
    fn evidence_for_call(
        &mut self,
        agent: TranscriptAgent,
        id: &str,
        call: &Open,
    ) -> Option<&'static str> {
        let is_ungated = self.seen.events_of_ungated_session(&call.session).is_some();
        if let Some(coverage) = call.coverage.filter(|_| !is_ungated) {
            let is_asked = coverage == Coverage::Asked && !agent_never_fires_event(agent, call);
            return is_asked.then_some("configuration");
        }
        if self.is_call_id_recorded(id, call) {
            for tool in [&call.tool, &call.own_tool] {
                if let Some(left) = self.seen.by_tool.get_mut(&(call.session.clone(), tool.clone()))
                {
                    *left = left.saturating_sub(1);
                    break;
                }
            }
            return Some("id");
        }
        if !matches!(
            agent,
            TranscriptAgent::Gemini
                | TranscriptAgent::Qwen
                | TranscriptAgent::Copilot
                | TranscriptAgent::Droid
        ) {
            return None;
        }
        for tool in [&call.tool, &call.own_tool] {
            let left = self.seen.by_tool.get_mut(&(call.session.clone(), tool.clone()));
            if let Some(left) = left.filter(|n| **n > 0) {
                *left -= 1;
                return Some("session_tool_order");
            }
        }
        None
    }

    fn count_call(&mut self, session: &Session, id: &str, call: &Open) {
        self.sum.calls += 1;
        if let Some(events) = self.seen.events_of_ungated_session(&call.session) {
            self.sum.ungated.entry(call.session.clone()).or_insert_with(|| events.clone());
        }
        // Some agents record whether hooks were asked; no other record is needed then.
        let known = self
            .evidence_for_call(session.agent, id, call)
            .or(call.is_asked.then_some("transcript"));
        let dialect = DialectId::from_name(session.agent.key()).map(DialectId::dialect);
        let recorded = self.seen.calls.get(&(call.session.clone(), id.to_owned()));
        let recorded = recorded.filter(|_| dialect.is_some_and(Dialect::pairs_tool_events));
        let kept_from = recorded.and_then(|recorded| recorded.cause_of_gap(call));
        if let Some(by) = known.filter(|_| kept_from.is_none()) {
            self.sum.seen += 1;
            *self.sum.by_join.entry(by).or_default() += 1;
            return;
        }
        if call.is_refused {
            self.sum.refused += 1;
            return;
        }
        let cause = kept_from.unwrap_or_else(|| self.cause_of_gap(session.agent, call));
        let key = (session.agent, cause, call.tool.clone(), call.mode.clone(), call.is_sub);
        *self.sum.counts.entry(key.clone()).or_default() += 1;
        let places = self.sum.gaps.entry(key).or_default();
        if places.len() < PLACES {
            let time = call
                .time
                .and_then(|time| Timestamp::from_millisecond(time).ok())
                .map(|time| time.to_string());
            let file = session.path.to_string_lossy();
            places.push(json!({ "file": file, "line": call.line, "call": id, "session": call.session, "time": time }));
        }
    }

    fn cause_of_gap(&self, agent: TranscriptAgent, call: &Open) -> Cause {
        let is_before =
            || call.time.is_some_and(|time| self.seen.first.is_some_and(|first| time < first));
        match () {
            () if agent_never_fires_event(agent, call) => Cause::NoEvent,
            () if call.coverage == Some(Coverage::Unmatched) => Cause::Unmatched,
            () if self.seen.events_of_ungated_session(&call.session).is_some() => Cause::Ungated,
            () if call.coverage == Some(Coverage::NotCalled) => Cause::NotCalled,
            () if is_before() => Cause::Before,
            () if call.is_sub => Cause::Subagent,
            () if call.tool.starts_with("mcp__") => Cause::Mcp,
            () if matches!(&*call.mode, "bypassPermissions" | "never" | "yolo") => Cause::Bypass,
            () => Cause::Unknown,
        }
    }
}

/// Returns whether the agent fires no event for calls of this tool.
fn agent_never_fires_event(agent: TranscriptAgent, call: &Open) -> bool {
    NO_EVENT.contains(&(agent, call.own_tool.as_str()))
}
