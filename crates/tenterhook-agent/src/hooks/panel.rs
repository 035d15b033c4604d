//! What `/hooks` shows and does: the hooks there are, what each event lets them do, why the last event ran which, and the
//! switches. Text only; every face shows the same.

use std::fmt::Write;
use std::sync::{MutexGuard, PoisonError};

use serde_json::Value;
use tenterhook::Event;
use tenterhook_core::answer::Power;
use tenterhook_core::dialect::{DIALECTS, DialectId, EventLabel, event_rows_named};
use tenterhook_core::hook::{Hook, HookId, Layer};
use tenterhook_core::matcher::MatcherSpec;
use tenterhook_core::plan;

use super::past::Past;
use super::{Hooks, points};

/// The rule by which a hook rests at an event that it is not for.
const ELSEWHERE: &str = "P-2";

/// Why `/hooks` cannot do what was asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PanelError {
    #[error("{}", not_fired_message(.labels))]
    NotFired { labels: Vec<String> },
    #[error("No event was fired yet.")]
    NoEvent,
    #[error("`{0}` is no event, no tool that was called and no call of this session.")]
    UnknownEvent(String),
    #[error("no hook is called `{0}`; `/hooks` lists them")]
    UnknownHook(String),
    #[error("`{0}` is managed: it cannot be switched off")]
    Managed(String),
}

fn not_fired_message(labels: &[String]) -> String {
    let line = |label: &String| format!("`{label}` has not happened in this session.");
    labels.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl Hooks {
    /// Returns a page with every hook: its name, when it runs, what runs, its file and line.
    pub(crate) fn hooks_page(&self) -> String {
        let ruleset = self.engine.ruleset();
        let running: Vec<_> =
            self.session.running().into_iter().map(|running| running.hook).collect();
        let of_files = || ruleset.hooks().iter().filter(|hook| hook.layer != Layer::BuiltIn);
        if of_files().count() == 0 {
            return "No hooks are configured.".to_owned();
        }
        let mut text = String::new();
        for hook in of_files() {
            let off = self.session.view(&hook.event).is_hook_switched_off(&hook.id);
            let never = points::why_absent(hook.event.as_str());
            let state = match hook.arming.disabled_reason() {
                Some((because, _)) => format!("  [off: {because}]"),
                None if off => "  [off for this session]".to_owned(),
                None => never.map_or_else(String::new, |why| {
                    format!("  [rests: this agent never fires that event: {why}]")
                }),
            };
            let _ = writeln!(text, "{}  on {}{state}", hook.id, hook.event_label());
            let _ = writeln!(text, "    {}", hook.run.one_line_description());
            let limit = hook.effective_timeout(&ruleset.event_row(hook.dialect, &hook.event));
            let condition =
                hook.condition.as_ref().map(|condition| format!(", if {}", condition.text()));
            let _ = writeln!(
                text,
                "    on {}{}, at most {} s, {}, {}",
                matcher_text(hook),
                condition.unwrap_or_default(),
                limit.as_secs_f64(),
                hook.dialect,
                hook.layer.as_str(),
            );
            if let Some(place) = &hook.place {
                let _ = writeln!(text, "    {}:{}", place.file, place.line);
            }
            let is_running = running.contains(&hook.id);
            let _ = writeln!(text, "    {}", self.lock_past().hook_summary(&hook.id, is_running));
        }
        text
    }

    fn lock_past(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a page with the events, what hooks may do at each, when it fires, and what matchers
    /// can match. The words are those of the named agent; without a name, of this agent and of each
    /// other agent with hooks here.
    pub(crate) fn events_page(&self, agent: &str) -> String {
        let named = match agent {
            "" => None,
            name => match DialectId::from_name(name) {
                Some(id) => Some(id),
                None => {
                    return format!(
                        "no agent is called `{name}`: it is one of {}",
                        known_agent_names()
                    );
                }
            },
        };
        let mut text = String::new();
        match named {
            Some(id) => write_event_rows(&mut text, id),
            None => {
                write_event_rows(&mut text, DialectId::NATIVE);
                let ruleset = self.engine.ruleset();
                for id in ruleset.dialects().into_iter().filter(|id| *id != DialectId::NATIVE) {
                    let _ = writeln!(text, "\nThe events of {id}, which has hooks here:");
                    write_event_rows(&mut text, id);
                }
            }
        }
        let _ = writeln!(
            text,
            "  `/hooks events AGENT` says it in the words of {}.",
            known_agent_names()
        );
        text
    }

    /// Explains for every hook whether and why it runs at the named event. The name is an event in
    /// the words of an agent with hooks here, a call or a tool; an empty name means the last event.
    pub(crate) fn explanation_page(&self, name: &str) -> Result<String, PanelError> {
        let mut text = String::new();
        let mut missing = Vec::new();
        for label in self.labels_for_name(name) {
            match self.lock_past().last_event(|event| event.name.as_str() == label.neutral_name()) {
                Some(event) => self.explain_event(&mut text, &event),
                None => missing.push(label.to_string()),
            }
        }
        if !text.is_empty() || !missing.is_empty() {
            return match text.is_empty() {
                true => Err(PanelError::NotFired { labels: missing }),
                false => Ok(text + &not_fired_message(&missing)),
            };
        }
        let is_asked = |event: &Event| {
            let field = |key: &str| event.payload.get(key).and_then(Value::as_str);
            let tool = field("tool_name").is_some_and(|tool| tool.eq_ignore_ascii_case(name));
            let is_call = tool || field("tool_use_id") == Some(name);
            name.is_empty() || (is_call && event.name.as_str() == "PreToolUse")
        };
        let event = self.lock_past().last_event(is_asked).ok_or_else(|| match name {
            "" => PanelError::NoEvent,
            name => PanelError::UnknownEvent(name.to_owned()),
        })?;
        self.explain_event(&mut text, &event);
        Ok(text)
    }

    /// Returns the events with this name, each once.
    fn labels_for_name(&self, name: &str) -> Vec<EventLabel> {
        let mut labels: Vec<EventLabel> = Vec::new();
        for (_, row) in event_rows_named(name, &self.engine.ruleset().dialects()) {
            let label = EventLabel::of_row(row);
            if labels.iter().all(|other| other.neutral_name() != label.neutral_name()) {
                labels.push(label);
            }
        }
        labels
    }

    /// Explains for every hook whether and why it runs at this event.
    fn explain_event(&self, text: &mut String, event: &Event) {
        let about = event.payload.get("tool_name").and_then(Value::as_str);
        let about = about.map(|tool| format!("  {tool}")).unwrap_or_default();
        let _ = writeln!(text, "{}{about}", self.event_label(&event.name));
        let view = self.session.view(&event.name);
        let mut others = 0;
        let ruleset = self.engine.ruleset();
        let explained = plan::explain(&ruleset, &view, event).into_iter();
        for (hook, because) in explained.filter(|(hook, _)| hook.layer != Layer::BuiltIn) {
            if because.rule == ELSEWHERE {
                others += 1;
                continue;
            }
            let word = if because.selected { "runs" } else { "rests" };
            let label = hook.event_label().to_string();
            let at = match label == hook.event.as_str() {
                true => String::new(),
                false => format!(" at {label}"),
            };
            let _ = writeln!(
                text,
                "  {word:<5}  {}{at}  ({}) {}",
                hook.id, because.rule, because.because
            );
        }
        if others > 0 {
            let _ = writeln!(text, "  ({others} more are for other events)");
        }
    }

    /// Switches a hook on or off for this session.
    pub(crate) fn set_hook_enabled(&self, name: &str, on: bool) -> Result<String, PanelError> {
        let ruleset = self.engine.ruleset();
        let Some(hook) = ruleset.hooks().iter().find(|hook| hook.id.as_str() == name) else {
            return Err(PanelError::UnknownHook(name.to_owned()));
        };
        if hook.is_managed_or_built_in() && !on {
            return Err(PanelError::Managed(name.to_owned()));
        }
        self.session.switch(&HookId::new(name), on);
        self.bump_generation();
        let word = if on { "on again" } else { "off for this session" };
        Ok(format!("`{name}` is {word}."))
    }
}

/// Returns the pattern on which a hook runs.
fn matcher_text(hook: &Hook) -> String {
    match hook.matcher.spec() {
        MatcherSpec::Any => "all".to_owned(),
        MatcherSpec::Words(words) => words.join("|"),
        MatcherSpec::Regex(text) => format!("/{text}/"),
        MatcherSpec::Never(_) => "nothing".to_owned(),
    }
}

/// Writes the events of a dialect, and what hooks may do at each.
fn write_event_rows(text: &mut String, id: DialectId) {
    for row in id.dialect().event_rows() {
        let powers: Vec<&str> = row.powers.iter().map(Power::as_str).collect();
        let powers = if powers.is_empty() { "observe".to_owned() } else { powers.join(", ") };
        let label = EventLabel::of_row(row).to_string();
        let _ = writeln!(text, "{label:<20}  {}", row.when);
        let _ = writeln!(text, "{:<20}  a hook may: {powers}", "");
        if let Some(why) = points::why_absent(&row.event) {
            let _ = writeln!(text, "{:<20}  this agent never fires it: {why}", "");
        }
        if id == DialectId::NATIVE {
            write_event_conditions(text, &row.event);
        }
    }
}

/// Returns the names of the agents whose hooks run here.
fn known_agent_names() -> String {
    DIALECTS.iter().map(|dialect| dialect.id().as_str()).collect::<Vec<_>>().join(", ")
}

/// Writes when an event happens in this agent, and what matchers can match at it.
fn write_event_conditions(text: &mut String, event: &str) {
    let Some(point) = points::find_event_point(event) else { return };
    if !point.values.is_empty() {
        let _ = writeln!(text, "{:<20}  matched on: {}", "", point.values.join(", "));
    }
    for absence in points::ABSENCES.iter().filter(|absence| absence.event == point.event) {
        let _ =
            writeln!(text, "{:<20}  never on {}: {}", "", absence.values.join(", "), absence.why);
    }
    if point.faces == points::Faces::Attended {
        let _ = writeln!(text, "{:<20}  where somebody can answer", "");
    }
}

#[cfg(test)]
mod tests {
    use tenterhook::Engine;
    use tenterhook_core::config::Source;
    use tenterhook_testkit::Sandbox;

    use super::*;

    #[test]
    fn a_managed_hook_stays_on() {
        let room = Sandbox::new().unwrap();
        let mut hooks = Hooks::from_test_sandbox(&room);
        let text = |name: &str| format!("[hook.{name}]\non = \"Stop\"\nshell = \"true\"\n");
        let source = |name, layer| {
            let given = Source::from_text(name, DialectId::NATIVE, &text(name), room.project());
            Source { layer, ..given }
        };
        let all = [source("ours", Layer::Managed), source("mine", Layer::User)];
        hooks.engine =
            all.into_iter().fold(Engine::builder(), |all, source| all.source(source)).build().0;
        assert!(
            hooks
                .set_hook_enabled("ours", false)
                .is_err_and(|error| error == PanelError::Managed("ours".into()))
        );
        assert_eq!(
            hooks.set_hook_enabled("mine", false).as_deref(),
            Ok("`mine` is off for this session.")
        );
        let list = hooks.hooks_page();
        assert_eq!(list.matches("[off for this session]").count(), 1, "{list}");
        assert!(list.contains("mine  on Stop  [off for this session]"), "{list}");
        assert_eq!(hooks.set_hook_enabled("mine", true).as_deref(), Ok("`mine` is on again."));
        assert!(
            hooks
                .set_hook_enabled("theirs", false)
                .is_err_and(|error| matches!(error, PanelError::UnknownHook(_)))
        );
    }
}
