//! Whether a tool call may run: the one place that says yes. Runs nothing.
//!
//! The order is the rule: a denial of a hook, deny rules, the plan mode, safety checks, ask rules, a hook's wish to ask, a hook's
//! consent, the mode. A hook's consent waives a routine question; it loosens no rule and no safety check.

mod arguments;
mod barred;
mod by_itself;
mod changes;
mod globs;
mod location;
mod mode;
mod page;
mod question;
mod touched;
mod trees;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::conversation::{Call, Came};
use crate::file::Judged;
use crate::hooks::{Hooks, PermissionRule, Verdict};
use crate::tool::{self, Effect};
use crate::toolbox::Toolbox;
use crate::update::Updates;
use arguments::{
    BadCall, check_arguments_are_object, check_arguments_by_schema, check_hook_rewrite,
};
pub(crate) use barred::Bars;
use location::{Aim, Location, Use, path_below_root};
pub(crate) use mode::Mode;
use question::{Decided, Question};
use touched::Touched;

/// The rules of one session.
#[derive(Clone, Debug, Default)]
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

#[derive(Clone, Debug, Default)]
struct State {
    mode: Mode,
    rules: Rules,
    /// Where it may write beside the project.
    directories: Vec<PathBuf>,
}

/// The consent to one call. Only this module makes one, and no tool runs without it.
#[derive(Debug)]
pub(crate) struct Permit {
    call: Call,
    judged: Option<Judged>,
}

impl Permit {
    /// Returns the call as it may run.
    pub(crate) fn permitted_call(&self) -> &Call {
        &self.call
    }

    /// Returns the file that the call names, as it was when it was judged.
    pub(crate) const fn judged_file(&self) -> Option<&Judged> {
        self.judged.as_ref()
    }

    fn new(call: Call, aim: Option<Aim>) -> Self {
        let judged = aim.and_then(|aim| aim.judged);
        Permit { call, judged }
    }
}

/// Why a call does not run.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The call as it was last.
    pub(crate) call: Call,
    /// What refused it.
    pub(crate) by: Came,
    /// What the model reads.
    pub(crate) reason: String,
    /// Everything is to end.
    pub(crate) stop: Option<String>,
    /// What hooks add for the model.
    pub(crate) context: Vec<String>,
    /// A hook says that the model may try again.
    pub(crate) retry: bool,
}

/// What wants the question.
pub(crate) struct PermitContext<'a> {
    pub(crate) hooks: &'a Hooks,
    pub(crate) updates: &'a Updates,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) project: &'a Path,
    pub(crate) cwd: &'a Path,
    /// Whether somebody is there who can answer.
    pub(crate) attended: bool,
    /// How long the user is waited for before hooks are asked to call them.
    pub(crate) patience: Duration,
}

/// What the rules say of a call before anybody is asked.
enum Leaning {
    Refuse(Came, String),
    Ask(Question),
    Permit,
}

/// Why the model is not shown a file that it did not ask for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeptBack {
    /// A rule denies it.
    #[error("the rule `{rule}` denies it")]
    Denied { rule: String },
    /// A rule denies it, or would ask.
    #[error("the rule `{rule}` is against it")]
    Against { rule: String },
    /// It lies elsewhere than it seems.
    #[error("it leads to `{}`, which is outside the project", .0.display())]
    Outside(PathBuf),
    /// A hook denies, asks or stops.
    #[error("{reason}")]
    ByHook { reason: String },
    /// A hook puts another file in its place.
    #[error("a hook would read another file")]
    OtherFile,
    /// Links hide which file it is.
    #[error("links lead in a circle there")]
    Circle,
}

impl Permissions {
    /// Returns the mode.
    pub(crate) fn mode(&self) -> Mode {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).mode
    }

    /// Changes the mode.
    pub(crate) fn set_mode(&self, mode: Mode) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).mode = mode;
    }

    /// Runs a function on the permission rules, which it may change.
    pub(crate) fn read_or_change_rules<T>(&self, change: impl FnOnce(&mut Rules) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).rules)
    }

    /// Runs a function on the directories outside the project in which calls are judged like those
    /// in it.
    pub(crate) fn read_or_change_added_directories<T>(
        &self,
        change: impl FnOnce(&mut Vec<PathBuf>) -> T,
    ) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner).directories)
    }

    /// Resolves a file that the user mentions. Returns the rule that keeps it from the model, if
    /// there is one.
    pub(crate) fn resolve_mentioned_file(
        &self,
        context: &PermitContext<'_>,
        name: &str,
    ) -> Result<Judged, KeptBack> {
        let (call, aim) = new_call_that_reads_file(name, context.cwd);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match barred::find_restraining_rule(
            &state.rules.deny,
            context.into(),
            &call,
            Some(&aim),
            &Touched::by_reading(&aim),
        ) {
            Some(rule) => Err(KeptBack::Denied { rule: rule.to_string() }),
            None => aim.judged.ok_or(KeptBack::Circle),
        }
    }

    /// Resolves a file that the model did not request but may see: rules, the boundary and hooks
    /// apply, and no question is asked (AG-11). The file may also be in `root`, or anywhere if that
    /// is `None`.
    pub(crate) async fn judge_unrequested_read(
        &self,
        context: &PermitContext<'_>,
        path: &Path,
        root: Option<&Path>,
    ) -> Result<Judged, KeptBack> {
        let (call, aim) = new_call_that_reads_file(&path.display().to_string(), context.cwd);
        {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let Rules { deny, ask, .. } = &state.rules;
            let (rules, touched) = (deny.iter().chain(ask), Touched::by_reading(&aim));
            if let Some(rule) =
                barred::find_restraining_rule(rules, context.into(), &call, Some(&aim), &touched)
            {
                return Err(KeptBack::Against { rule: rule.to_string() });
            }
            if let (Some(root), Some(judged)) = (root, &aim.judged) {
                let dirs = state.directories.iter().map(PathBuf::as_path);
                let mut roots = [context.project, root].into_iter().chain(dirs);
                if !roots.any(|root| path_below_root(&judged.path, root).is_some()) {
                    return Err(KeptBack::Outside(judged.path.clone()));
                }
            }
        }
        let verdict = context.hooks.fire_before_tool(&call).await;
        if let Some(reason) = verdict.blocked.or(verdict.stop).or(verdict.ask) {
            return Err(KeptBack::ByHook { reason });
        }
        if verdict.input.is_some_and(|input| input != call.input) {
            return Err(KeptBack::OtherFile);
        }
        aim.judged.ok_or(KeptBack::Circle)
    }

    /// Returns the rules that keep files from the model, for a tool that finds files by itself.
    pub(crate) fn rules_that_restrict_reads(&self, context: &PermitContext<'_>) -> Bars {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = state.rules.deny.iter().chain(&state.rules.ask).cloned();
        Bars::new(rules.collect(), context)
    }

    /// Judges a call by arguments, hooks, rules and the user. Returns a permit and the context that
    /// hooks add for the model.
    pub(crate) async fn request_permit(
        &self,
        context: &PermitContext<'_>,
        call: Call,
    ) -> Result<(Permit, Vec<String>), Refusal> {
        // A file that cannot be read cannot be judged, and cannot be run.
        if let Err(why) = check_arguments_are_object(&call) {
            return Err(refuse_bad_input(call, &why));
        }
        let verdict = context.hooks.fire_before_tool(&call).await;
        let mut call = call;
        let refuse = |call: &Call, by, reason: String| Refusal {
            call: call.clone(),
            by,
            reason,
            stop: verdict.stop.clone(),
            context: verdict.context.clone(),
            retry: false,
        };
        if let Some(reason) = verdict.blocked.clone().or_else(|| verdict.stop.clone()) {
            return Err(refuse(&call, Came::DeniedByHook, reason));
        }
        if let Err((by, why)) = apply_hook_input(&mut call, verdict.input.clone(), context.toolbox)
        {
            return Err(refuse(&call, by, why));
        }
        let aim = Aim::from_call(&call, context.cwd);
        match self.preliminary_decision(context, &call, &verdict, aim.as_ref()) {
            Leaning::Permit => Ok((Permit::new(call, aim), verdict.context)),
            Leaning::Refuse(by, reason) => {
                Err(report_refusal(context, refuse(&call, by, reason)).await)
            }
            Leaning::Ask(question) => {
                match self
                    .ask_hooks_and_user(
                        context,
                        call,
                        aim,
                        question.with_original_input(verdict.rewritten.clone()),
                    )
                    .await
                {
                    Decided::Yes(permit, added) => Ok((permit, [verdict.context, added].concat())),
                    Decided::No(refused) => {
                        let mut refusal = refuse(&refused.call, refused.by, refused.reason);
                        refusal.stop = refusal.stop.or(refused.stop);
                        refusal.context.extend(refused.context);
                        Err(report_refusal(context, refusal).await)
                    }
                }
            }
        }
    }

    /// Combines rules, safety checks, hooks and the mode, in this order, into a preliminary
    /// decision.
    fn preliminary_decision(
        &self,
        context: &PermitContext<'_>,
        call: &Call,
        verdict: &Verdict,
        aim: Option<&Aim>,
    ) -> Leaning {
        let touched = Touched::from_call(call, aim, context.hooks);
        // To look through directories takes its time, and others ask for the mode meanwhile.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let hit = |rules: &[PermissionRule]| {
            barred::find_restraining_rule(rules, context.into(), call, aim, &touched)
        };
        if let Some(rule) = hit(&state.rules.deny) {
            return Leaning::Refuse(Came::DeniedByRule, format!("the rule `{rule}` denies it"));
        }
        let effect = tool::find_tool(&call.tool).map_or(Effect::Runs, tool::Tool::effect);
        if state.mode == Mode::Plan && effect != Effect::Looks {
            let why = "in plan mode nothing is changed".to_owned();
            return Leaning::Refuse(Came::DeniedByMode, why);
        }
        if let Some(danger) = why_write_is_dangerous(context, call, &touched, &state.directories) {
            return Leaning::Ask(Question::asked_by_rule(danger));
        }
        let Rules { deny, ask, .. } = &state.rules;
        if let Some(why) =
            barred::why_directory_call_asks(deny.iter().chain(ask), context.into(), &touched)
        {
            return Leaning::Ask(Question::asked_by_rule(why));
        }
        if let Some(rule) = hit(&state.rules.ask) {
            return Leaning::Ask(Question::asked_by_rule(format!("the rule `{rule}` asks")));
        }
        if let Some(reason) = &verdict.ask {
            return Leaning::Ask(Question::asked_by_hook(reason));
        }
        let place = aim.map_or(Location::Inside, |aim| {
            Location::classify(aim, Use::Look, context, &state.directories)
        });
        let free = match state.mode {
            Mode::Default | Mode::Plan => effect == Effect::Looks && place.is_inside_project(),
            Mode::AcceptEdits => effect != Effect::Runs && place.is_inside_project(),
            Mode::Bypass => true,
        };
        let mut allow = state.rules.allow.iter();
        let allows = |rule: &PermissionRule| {
            barred::rule_allows_call(rule, context.into(), call, aim, &touched)
        };
        if verdict.allowed || free || allow.any(allows) {
            return Leaning::Permit;
        }
        Leaning::Ask(Question::asked_by_mode(match (place, touched.doubt) {
            (Location::Outside(why), _) => why,
            (Location::Inside | Location::Guarded(_), Some(why)) => why,
            (Location::Inside | Location::Guarded(_), None) => {
                format!("`{}` is asked about in this mode", call.tool)
            }
        }))
    }
}

/// Returns why a write of the call needs a question in every mode (AG-10, AG-14, AG-16).
fn why_write_is_dangerous(
    context: &PermitContext<'_>,
    call: &Call,
    touched: &Touched,
    directories: &[PathBuf],
) -> Option<String> {
    let written = touched.writes.iter().find_map(|aim| {
        let change =
            || touched.is_shown.then(|| touched::text_before_and_after(call, aim)).flatten();
        Location::classify(aim, Use::Write(&change), context, directories).why_write_is_dangerous()
    });
    let removed = || {
        let mut removed = touched.removes.iter();
        removed.find_map(|aim| {
            Location::classify(aim, Use::Remove, context, directories).why_write_is_dangerous()
        })
    };
    written.or_else(removed)
}

/// Refuses a call whose arguments cannot be read. No hook was asked about it.
fn refuse_bad_input(call: Call, why: &BadCall) -> Refusal {
    let (by, reason) = (Came::BadInput, why.to_string());
    Refusal { call, by, reason, stop: None, context: Vec::new(), retry: false }
}

/// Replaces the input of the call with the one that a hook made. If no tool accepts the call then,
/// returns whose fault that is, and why.
fn apply_hook_input(
    call: &mut Call,
    input: Option<Value>,
    toolbox: &Toolbox,
) -> Result<(), (Came, String)> {
    match input {
        None => check_arguments_by_schema(call, toolbox).map_err(|why| match why {
            BadCall::UnknownTool(_) => (Came::UnknownTool, why.to_string()),
            _ => (Came::BadInput, why.to_string()),
        }),
        Some(input) => {
            let was = std::mem::replace(&mut call.input, input);
            // What does not fit then is the hook's doing.
            check_hook_rewrite(&was, call, toolbox)
                .map_err(|why| (Came::DeniedByHook, why.to_string()))
        }
    }
}

/// Builds the call of the tool `Read` for a file, and the file that it names.
fn new_call_that_reads_file(name: &str, cwd: &Path) -> (Call, Aim) {
    let input = json!({"file_path": name});
    let call = Call { id: String::new(), tool: "Read".to_owned(), input };
    let aim = Aim::from_path(name, cwd.join(name));
    (call, aim)
}

/// Reports a refusal to hooks, which may let the model try again.
async fn report_refusal(context: &PermitContext<'_>, mut refusal: Refusal) -> Refusal {
    let verdict = context.hooks.fire_permission_denied(&refusal.call, &refusal.reason).await;
    refusal.context.extend(verdict.context);
    refusal.stop = refusal.stop.or(verdict.stop);
    refusal.retry = verdict.retry;
    refusal
}
