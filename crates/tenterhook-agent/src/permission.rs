//! Whether a tool call may run: the one place that says yes. Runs nothing.
//!
//! The order is the rule: a denial of a hook, deny rules, safety checks, ask rules, a hook's wish to ask, a hook's consent,
//! the mode. A hook's consent waives a routine question; it loosens no rule and no safety check.

mod arguments;
mod changes;
mod mode;
mod place;
mod question;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::conversation::Call;
use crate::hooks::{Doubt, Hooks, PermissionRule, Said};
use crate::tool::{self, Effect};
use crate::update::Updates;
use arguments::{fits, readable};
pub(crate) use mode::Mode;
use place::Place;
use question::{Decided, Question};

/// The rules of one session.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// These calls never run.
    pub(crate) deny: Vec<PermissionRule>,
    /// These calls are always asked about.
    pub(crate) ask: Vec<PermissionRule>,
    /// These calls run.
    pub(crate) allow: Vec<PermissionRule>,
}

/// What one session permits. Shared by all its agents.
#[derive(Debug, Default)]
pub(crate) struct Permissions {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    mode: Mode,
    rules: Rules,
    /// Where it may write beside the project.
    directories: Vec<PathBuf>,
}

/// The consent to one call. Only this room makes one, and no tool runs without it.
#[derive(Debug)]
pub(crate) struct Permit {
    call: Call,
}

impl Permit {
    /// The call as it may run.
    pub(crate) fn call(&self) -> &Call {
        &self.call
    }
}

/// Why a call does not run.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The call as it was last.
    pub(crate) call: Call,
    /// What the model reads.
    pub(crate) reason: String,
    /// Everything is to end.
    pub(crate) stop: Option<String>,
    /// What hooks add for the model.
    pub(crate) context: Vec<String>,
    /// A hook says that the model may try again.
    pub(crate) retry: bool,
}

/// Who asks.
pub(crate) struct Desk<'a> {
    pub(crate) hooks: &'a Hooks,
    pub(crate) updates: &'a Updates,
    pub(crate) project: &'a Path,
    pub(crate) cwd: &'a Path,
    /// Whether somebody is there who can answer.
    pub(crate) attended: bool,
    /// How long the user is waited for before hooks are asked to call them.
    pub(crate) patience: Duration,
}

/// What the rules say of a call before anybody is asked.
enum Leaning {
    Refuse(String),
    Ask(Question),
    Permit,
}

impl Permissions {
    /// The mode.
    pub(crate) fn mode(&self) -> Mode {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).mode
    }

    /// Changes the mode.
    pub(crate) fn set_mode(&self, mode: Mode) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).mode = mode;
    }

    /// Changes the rules.
    pub(crate) fn rules<T>(&self, change: impl FnOnce(&mut Rules) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).rules)
    }

    /// Changes the directories beside the project.
    pub(crate) fn directories<T>(&self, change: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).directories)
    }

    /// The rule that denies a call, if one does.
    pub(crate) fn denied(&self, hooks: &Hooks, call: &Call) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        hit(hooks, &state.rules.deny, call, Doubt::Counts)
    }

    /// The mode and the rules, for people.
    pub(crate) fn page(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = vec![format!("mode   {}", state.mode.word())];
        let rules =
            [("deny", &state.rules.deny), ("ask", &state.rules.ask), ("allow", &state.rules.allow)];
        for (word, rules) in rules {
            lines.extend(rules.iter().map(|rule| format!("{word:<5}  {}", rule.text())));
        }
        lines.extend(state.directories.iter().map(|it| format!("also   {}", it.display())));
        lines.join("\n")
    }

    /// Takes a call through the whole pipeline. What comes beside a permit is what hooks add for the model.
    pub(crate) async fn seek(
        &self,
        desk: &Desk<'_>,
        call: Call,
    ) -> Result<(Permit, Vec<String>), Refusal> {
        // What nobody can read nobody can judge, and nothing can run it.
        if let Err(reason) = readable(&call) {
            return Err(Refusal { call, reason, stop: None, context: Vec::new(), retry: false });
        }
        let said = desk.hooks.before_tool(&call).await;
        let mut call = call;
        let refuse = |call: &Call, reason: String| Refusal {
            call: call.clone(),
            reason,
            stop: said.stop.clone(),
            context: said.context.clone(),
            retry: false,
        };
        if let Some(reason) = said.blocked.clone().or_else(|| said.stop.clone()) {
            return Err(refuse(&call, reason));
        }
        if let Some(input) = said.input.clone() {
            call.input = input;
        }
        if let Err(why) = fits(&call) {
            return Err(refuse(&call, why));
        }
        match self.lean(desk, &call, &said) {
            Leaning::Permit => Ok((Permit { call }, said.context)),
            Leaning::Refuse(reason) => Err(denied(desk, refuse(&call, reason)).await),
            Leaning::Ask(question) => match self.ask(desk, call, question).await {
                Decided::Yes(call) => Ok((Permit { call }, said.context)),
                Decided::No(call, reason) => Err(denied(desk, refuse(&call, reason)).await),
            },
        }
    }

    /// What rules, safety, hooks and the mode say, in this order.
    fn lean(&self, desk: &Desk<'_>, call: &Call, said: &Said) -> Leaning {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let hit = |rules: &[PermissionRule], doubt| hit(desk.hooks, rules, call, doubt);
        if let Some(rule) = hit(&state.rules.deny, Doubt::Counts) {
            return Leaning::Refuse(format!("the rule `{rule}` denies it"));
        }
        let effect = tool::find(&call.tool).map_or(Effect::Runs, tool::Tool::effect);
        let place = Place::of(call, desk, &state.directories);
        if effect == Effect::Writes
            && let Some(danger) = place.danger()
        {
            return Leaning::Ask(Question::for_user(danger));
        }
        if let Some(rule) = hit(&state.rules.ask, Doubt::Counts) {
            return Leaning::Ask(Question::for_user(format!("the rule `{rule}` asks")));
        }
        if let Some(reason) = &said.ask {
            return Leaning::Ask(Question::for_user(reason));
        }
        if state.mode == Mode::Plan && effect != Effect::Looks {
            return Leaning::Refuse("in plan mode nothing is changed".to_owned());
        }
        let free = match state.mode {
            Mode::Default | Mode::Plan => effect == Effect::Looks && place.is_inside(),
            Mode::AcceptEdits => effect != Effect::Runs && place.is_inside(),
            Mode::Bypass => true,
        };
        if said.allowed || free || hit(&state.rules.allow, Doubt::Fails).is_some() {
            return Leaning::Permit;
        }
        Leaning::Ask(Question::routine(match place {
            Place::Outside(name) => format!("`{name}` is outside the project"),
            Place::Inside | Place::Guarded(_) => {
                format!("`{}` is asked about in this mode", call.tool)
            }
        }))
    }
}

/// The first of these rules that is about a call.
fn hit(hooks: &Hooks, rules: &[PermissionRule], call: &Call, doubt: Doubt) -> Option<String> {
    let found = rules.iter().find(|rule| hooks.rule_holds(rule, call, doubt));
    found.map(|rule| rule.text().to_owned())
}

/// Tells hooks of a refusal; they may let the model try again.
async fn denied(desk: &Desk<'_>, mut refusal: Refusal) -> Refusal {
    let said = desk.hooks.permission_denied(&refusal.call, &refusal.reason).await;
    refusal.context.extend(said.context);
    refusal.retry = said.retry;
    refusal
}
