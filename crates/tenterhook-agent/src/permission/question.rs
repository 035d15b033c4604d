//! Asks about a call. Hooks and the user are asked at once: the first answer wins, a late one is
//! dropped. Rules judge the call again after a hook's answer, but not after the user's.

use std::ops::ControlFlow;

use tokio::sync::oneshot;

use super::arguments::check_hook_rewrite;
use super::location::Aim;
use super::{Leaning, Permissions, Permit, PermitContext, changes};
use crate::conversation::{Call, Came};
use crate::hooks::{PermissionRule, Verdict};
use crate::update::{Ask, Decision, Rewritten, Update, Updates};

/// A question, and who may answer it.
pub(super) struct Question {
    why: String,
    asked_by: AskedBy,
    /// What hooks made the call of.
    was: Option<Box<Rewritten>>,
}

/// What wants the question, and so who may answer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskedBy {
    /// The mode alone: a routine question, which the consent of a hook answers.
    Mode,
    /// A rule, or the danger of the place. It is the user's: a hook can only refuse, unless it changes what the rule is about.
    Rule,
    /// A hook that judged the call. It is the user's, whatever other hooks change.
    Hook,
}

impl Question {
    pub(super) fn asked_by_mode(why: impl Into<String>) -> Self {
        Self { why: why.into(), asked_by: AskedBy::Mode, was: None }
    }

    pub(super) fn asked_by_rule(why: impl Into<String>) -> Self {
        Self { why: why.into(), asked_by: AskedBy::Rule, was: None }
    }

    pub(super) fn asked_by_hook(why: impl Into<String>) -> Self {
        Self { why: why.into(), asked_by: AskedBy::Hook, was: None }
    }

    /// Adds the original of a call that hooks rewrote.
    pub(super) fn with_original_input(self, was: Option<Rewritten>) -> Self {
        Self { was: was.map(Box::new), ..self }
    }

    /// Returns whether only the mode asks, so that the consent of a hook answers the question.
    fn is_asked_by_mode(&self) -> bool {
        self.asked_by == AskedBy::Mode
    }
}

/// What came of a question.
pub(super) enum Decided {
    /// The call runs; what hooks add for the model.
    Yes(Permit, Vec<String>),
    /// It does not.
    No(Refused),
}

/// A call that was asked about and does not run.
pub(super) struct Refused {
    pub(super) call: Call,
    /// What refused it.
    pub(super) by: Came,
    /// Why.
    pub(super) reason: String,
    /// Everything is to end: why.
    pub(super) stop: Option<String>,
    /// What hooks add for the model.
    pub(super) context: Vec<String>,
}

impl Decided {
    fn refusal(call: Call, by: Came, reason: String) -> Self {
        Self::No(Refused { call, by, reason, stop: None, context: Vec::new() })
    }

    /// Adds the context of the hooks that were asked.
    fn with_hook_context(mut self, added: Vec<String>) -> Self {
        match &mut self {
            Self::Yes(_, context) | Self::No(Refused { context, .. }) => context.extend(added),
        }
        self
    }
}

impl Permissions {
    /// Asks hooks and the user at once.
    pub(super) async fn ask_hooks_and_user(
        &self,
        context: &PermitContext<'_>,
        call: Call,
        aim: Option<Aim>,
        question: Question,
    ) -> Decided {
        let reason = &question.why;
        let (decide, decided) = oneshot::channel();
        let asked = context.attended.then(|| {
            let (id, was) = (call.id.clone(), question.was.as_deref().cloned());
            let ask = Ask { id, call: call.clone(), was, reason: reason.clone(), decide };
            Asked::show_question(context.updates, ask)
        });
        let of_user = wait_for_user_decision(context, call.tool.clone(), decided);
        tokio::pin!(of_user);
        // Without a user, or after the user left, only the hooks' answers remain.
        let mut alone = false;
        let first = {
            let of_hooks = context.hooks.fire_before_permission_question(&call);
            tokio::pin!(of_hooks);
            loop {
                tokio::select! {
                    verdict = &mut of_hooks => break First::Hooks(Box::new(verdict)),
                    decision = &mut of_user, if !alone => match decision {
                        Some(decision) => break First::User(decision),
                        None => alone = true,
                    },
                }
            }
        };
        let verdict = match first {
            First::User(decision) => {
                asked.into_iter().for_each(Asked::mark_answered);
                return self.decide_by_user(decision, call, aim);
            }
            First::Hooks(verdict) => *verdict,
        };
        let context_of_hooks = verdict.context.clone();
        let (call, aim) = match self.decide_by_hooks(context, verdict, (call, aim), &question).await
        {
            ControlFlow::Break(decided) => return decided.with_hook_context(context_of_hooks),
            ControlFlow::Continue(left) => left,
        };
        let decision = if alone { None } else { of_user.await };
        let Some(decision) = decision else {
            let reason = format!("{reason}, and there is no user to answer");
            let update = Update::Unanswered { call: call.clone(), reason: reason.clone() };
            context.updates.send(update);
            return Decided::refusal(call, Came::DeniedByMode, reason)
                .with_hook_context(context_of_hooks);
        };
        asked.into_iter().for_each(Asked::mark_answered);
        self.decide_by_user(decision, call, aim).with_hook_context(context_of_hooks)
    }

    /// Applies what hooks decide. Returns the call if they leave the decision to the user.
    async fn decide_by_hooks(
        &self,
        context: &PermitContext<'_>,
        verdict: Verdict,
        (call, aim): (Call, Option<Aim>),
        question: &Question,
    ) -> ControlFlow<Decided, (Call, Option<Aim>)> {
        if let Some(reason) = verdict.blocked.clone().or_else(|| verdict.stop.clone()) {
            let stop = verdict.stop;
            let context = Vec::new();
            let by = Came::DeniedByHook;
            return ControlFlow::Break(Decided::No(Refused { call, by, reason, stop, context }));
        }
        if !verdict.allowed {
            for change in &verdict.permissions {
                let kind = change.get("type").and_then(serde_json::Value::as_str);
                let kind = kind.unwrap_or_default();
                let why = format!("`{kind}` was not made: the hook that wants it does not consent");
                context.hooks.warn_about_event("PermissionRequest", why);
            }
            return ControlFlow::Continue((call, aim));
        }
        // A change may make of a question that is the user's a routine one, or answer it (HO-11).
        changes::apply_changes(self, context, &verdict.permissions).await;
        let settled =
            || match self.preliminary_decision(context, &call, &Verdict::default(), aim.as_ref()) {
                Leaning::Permit => true,
                Leaning::Ask(now) => now.is_asked_by_mode(),
                Leaning::Refuse(..) => false,
            };
        let routine = match question.asked_by {
            AskedBy::Mode => true,
            AskedBy::Rule => settled(),
            AskedBy::Hook => false,
        };
        if !routine {
            let why =
                format!("a hook's consent is not taken, the question is yours: {}", question.why);
            context.hooks.warn_about_event("PermissionRequest", why);
            return ControlFlow::Continue((call, aim));
        }
        self.permit_by_hook(context, &verdict, (call, aim))
    }

    /// Applies a hook's consent: returns a permit for the call, or for the hook's rewrite of it.
    fn permit_by_hook(
        &self,
        context: &PermitContext<'_>,
        verdict: &Verdict,
        (call, aim): (Call, Option<Aim>),
    ) -> ControlFlow<Decided, (Call, Option<Aim>)> {
        let allowed = match &verdict.input {
            None => Permit::new(call, aim),
            Some(input) => {
                let made = Call { input: input.clone(), ..call.clone() };
                if let Err(why) = check_hook_rewrite(&call.input, &made, context.toolbox) {
                    return ControlFlow::Break(Decided::refusal(
                        made,
                        Came::DeniedByHook,
                        why.to_string(),
                    ));
                }
                // The hook's answer makes a different call, and rules judge that one.
                let aimed = Aim::from_call(&made, context.cwd);
                match self.preliminary_decision(context, &made, verdict, aimed.as_ref()) {
                    Leaning::Permit => Permit::new(made, aimed),
                    Leaning::Refuse(by, why) => {
                        return ControlFlow::Break(Decided::refusal(made, by, why));
                    }
                    // The user is asked about the call that they were shown.
                    Leaning::Ask(now) => {
                        let why = format!(
                            "a hook's consent is not taken, it is for another call: {}",
                            now.why
                        );
                        context.hooks.warn_about_event("PermissionRequest", why);
                        return ControlFlow::Continue((call, aim));
                    }
                }
            }
        };
        ControlFlow::Break(Decided::Yes(allowed, Vec::new()))
    }

    fn decide_by_user(&self, decision: Decision, call: Call, aim: Option<Aim>) -> Decided {
        match decision {
            Decision::Once => Decided::Yes(Permit::new(call, aim), Vec::new()),
            Decision::Always => {
                let permit = Permit::new(call, aim);
                let file = permit.judged_file().map(|j| j.path.clone());
                let rule = PermissionRule::for_exact_call(permit.permitted_call(), file);
                self.read_or_change_rules(|rules| rules.allow.push(rule));
                Decided::Yes(permit, Vec::new())
            }
            Decision::No(reason) => Decided::refusal(call, Came::DeniedByPerson, reason),
        }
    }
}

/// Waits for the user's decision, and after a while fires a notification. Returns `None` if there
/// is no user to decide.
async fn wait_for_user_decision(
    context: &PermitContext<'_>,
    tool: String,
    mut decided: oneshot::Receiver<Decision>,
) -> Option<Decision> {
    tokio::select! {
        decision = &mut decided => return decision.ok(),
        () = tokio::time::sleep(context.patience) => {}
    }
    context
        .hooks
        .fire_notification("permission_prompt", &format!("`{tool}` waits for your permission"));
    decided.await.ok()
}

/// A question that stands before the user. Dropped without their answer, it is void: hooks decided, or the turn was stopped.
struct Asked<'a> {
    updates: &'a Updates,
    id: Option<String>,
}

impl<'a> Asked<'a> {
    fn show_question(updates: &'a Updates, ask: Ask) -> Self {
        let id = Some(ask.id.clone());
        updates.send(Update::Ask(ask));
        Self { updates, id }
    }

    fn mark_answered(mut self) {
        self.id = None;
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.updates.send(Update::AskVoid { id });
        }
    }
}

/// The first to answer.
enum First {
    Hooks(Box<Verdict>),
    User(Decision),
}
