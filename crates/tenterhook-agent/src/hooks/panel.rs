//! What `/hooks` shows and does: the hooks there are, what each event lets them do, why the last event ran which, and the
//! switches. Text only; every face shows the same.

use std::fmt::Write;

use tenterhook::dialect::{DIALECTS, DialectId};
use tenterhook::hook::{Arming, HookId, Layer};
use tenterhook::plan;

use super::{Hooks, points};

impl Hooks {
    /// Every hook: its name, when it runs, what runs, where it stands.
    pub(crate) fn list(&self) -> String {
        let ruleset = self.engine.ruleset();
        if ruleset.hooks().is_empty() {
            return "No hooks are configured.".to_owned();
        }
        let mut text = String::new();
        for hook in ruleset.hooks() {
            let off = self.session.view(&hook.event).is_off(&hook.id);
            let never = points::never(hook.event.as_str());
            let state = match &hook.arming {
                Arming::Disarmed { because, .. } => format!("  [off: {because}]"),
                Arming::Armed if off => "  [off for this session]".to_owned(),
                Arming::Armed => never.map_or_else(String::new, |why| {
                    format!("  [rests: this agent never fires that event: {why}]")
                }),
            };
            let place = hook.place.as_ref().map(|it| format!("  {}:{}", it.file, it.line));
            let _ = writeln!(text, "{}  on {}{state}", hook.id, hook.event);
            let _ = writeln!(text, "    {}{}", hook.run.line(), place.unwrap_or_default());
        }
        text
    }

    /// What hooks may do at each event, when it fires, and what matchers can meet there.
    /// In the words of the agent that is named, else in this one's.
    pub(crate) fn events(&self, agent: &str) -> String {
        let id = match agent {
            "" => DialectId::NATIVE,
            name => match DialectId::find(name) {
                Some(id) => id,
                None => return format!("no agent is called `{name}`: it is one of {}", agents()),
            },
        };
        let mut text = String::new();
        for row in id.dialect().rows() {
            let powers: Vec<&str> = row.powers.iter().map(|it| it.word()).collect();
            let powers = if powers.is_empty() { "observe".to_owned() } else { powers.join(", ") };
            let _ = writeln!(text, "{:<20}  {}", row.name, row.when);
            let _ = writeln!(text, "{:<20}  a hook may: {powers}", "");
            if let Some(why) = points::never(&row.event) {
                let _ = writeln!(text, "{:<20}  this agent never fires it: {why}", "");
            }
            if id == DialectId::NATIVE {
                happens(&mut text, &row.event);
            }
        }
        let _ = writeln!(text, "  `/hooks events AGENT` says it in the words of {}.", agents());
        text
    }

    /// Of every hook, whether it ran at the last event, and why.
    pub(crate) fn explain_last(&self) -> String {
        let last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let Some(event) = last else { return "No event was fired yet.".to_owned() };
        let view = self.session.view(&event.name);
        let mut text = format!("{}\n", event.name);
        for (hook, because) in plan::explain(&self.engine.ruleset(), &view, &event) {
            let word = if because.selected { "runs" } else { "rests" };
            let _ =
                writeln!(text, "  {word:<5}  {}  ({}) {}", hook.id, because.rule, because.because);
        }
        text
    }

    /// Switches a hook off or on for this session.
    pub(crate) fn switch(&self, name: &str, on: bool) -> Result<String, String> {
        let ruleset = self.engine.ruleset();
        let Some(hook) = ruleset.hooks().iter().find(|hook| hook.id.as_str() == name) else {
            return Err(format!("no hook is called `{name}`; `/hooks` lists them"));
        };
        if hook.layer == Layer::Managed && !on {
            return Err(format!("`{name}` is managed: it stays on, whatever is said here"));
        }
        self.session.switch(&HookId::new(name), on);
        self.others();
        let word = if on { "on again" } else { "off for this session" };
        Ok(format!("`{name}` is {word}."))
    }
}

/// The agents whose hooks run here.
fn agents() -> String {
    DIALECTS.iter().map(|it| it.id().as_str()).collect::<Vec<_>>().join(", ")
}

/// When an event happens in this agent, and what matchers can meet there.
fn happens(text: &mut String, event: &str) {
    let Some(point) = points::find(event) else { return };
    if !point.values.is_empty() {
        let _ = writeln!(text, "{:<20}  matched on: {}", "", point.values.join(", "));
    }
    for it in points::ABSENCES.iter().filter(|it| it.event == point.event) {
        let _ = writeln!(text, "{:<20}  never on {}: {}", "", it.values.join(", "), it.why);
    }
    if point.faces == points::Faces::Attended {
        let _ = writeln!(text, "{:<20}  where somebody can answer", "");
    }
}

#[cfg(test)]
mod tests {
    use tenterhook::Engine;
    use tenterhook::config::Source;
    use tenterhook_testkit::Sandbox;

    use super::*;

    #[test]
    fn a_managed_hook_stays_on() {
        let room = Sandbox::new().unwrap();
        let mut hooks = Hooks::of_room(&room);
        let text = |name: &str| format!("[hook.{name}]\non = \"Stop\"\nshell = \"true\"\n");
        let source = |name, layer| {
            let given = Source::given(name, DialectId::NATIVE, &text(name), room.project());
            Source { layer, ..given }
        };
        let all = [source("ours", Layer::Managed), source("mine", Layer::User)];
        hooks.engine = all.into_iter().fold(Engine::builder(), |all, it| all.source(it)).build().0;
        assert!(hooks.switch("ours", false).unwrap_err().contains("stays on"));
        assert_eq!(hooks.switch("mine", false).as_deref(), Ok("`mine` is off for this session."));
        let list = hooks.list();
        assert_eq!(list.matches("[off for this session]").count(), 1, "{list}");
        assert!(list.contains("mine  on Stop  [off for this session]"), "{list}");
        assert_eq!(hooks.switch("mine", true).as_deref(), Ok("`mine` is on again."));
        assert!(hooks.switch("theirs", false).unwrap_err().contains("no hook is called"));
    }
}
