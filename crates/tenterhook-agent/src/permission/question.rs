//! Asks about a call. Hooks and the user are asked at once: the first answer wins, a late one is
//! dropped. Rules judge the call again after a hook's answer, but not after the user's.

use std::ops::ControlFlow;

use tokio::sync::oneshot;

use super::arguments::rewritten;
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
    pub(super) fn routine(why: impl Into<String>) -> Self {
        Self { why: why.into(), asked_by: AskedBy::Mode, was: None }
    }

    pub(super) fn of_rule(why: impl Into<String>) -> Self {
        Self { why: why.into(), asked_by: AskedBy::Rule, was: None }
    }

    pub(super) fn of_hook(why: impl Into<String>) -> Self {
        Self { why: why.into(), asked_by: AskedBy::Hook, was: None }
    }

    /// The same of a call that hooks rewrote.
    pub(super) fn about(self, was: Option<Rewritten>) -> Self {
        Self { was: was.map(Box::new), ..self }
    }

    /// Whether the consent of a hook answers it.
    fn is_routine(&self) -> bool {
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
    fn no(call: Call, by: Came, reason: String) -> Self {
        Self::No(Refused { call, by, reason, stop: None, context: Vec::new() })
    }

    /// The same, and what the hooks that were asked add for the model.
    fn with(mut self, added: Vec<String>) -> Self {
        match &mut self {
            Self::Yes(_, context) | Self::No(Refused { context, .. }) => context.extend(added),
        }
        self
    }
}

impl Permissions {
    /// Asks hooks and the user at once.
    pub(super) async fn ask(
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
            Asked::put(context.updates, ask)
        });
        let of_user = calling(context, call.tool.clone(), decided);
        tokio::pin!(of_user);
        // Without a user, or after the user left, only the hooks' answers remain.
        let mut alone = false;
        let first = {
            let of_hooks = context.hooks.permission_asked(&call);
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
                asked.into_iter().for_each(Asked::answered);
                return self.user_decides(decision, call, aim);
            }
            First::Hooks(verdict) => *verdict,
        };
        let context_of_hooks = verdict.context.clone();
        let (call, aim) = match self.hooks_decide(context, verdict, (call, aim), &question).await {
            ControlFlow::Break(decided) => return decided.with(context_of_hooks),
            ControlFlow::Continue(left) => left,
        };
        let decision = if alone { None } else { of_user.await };
        let Some(decision) = decision else {
            let reason = format!("{reason}, and there is no user to answer");
            let update = Update::Unanswered { call: call.clone(), reason: reason.clone() };
            context.updates.send(update);
            return Decided::no(call, Came::DeniedByMode, reason).with(context_of_hooks);
        };
        asked.into_iter().for_each(Asked::answered);
        self.user_decides(decision, call, aim).with(context_of_hooks)
    }

    /// What hooks decide; the call, where they leave it to the user.
    async fn hooks_decide(
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
                context.hooks.warn("PermissionRequest", why);
            }
            return ControlFlow::Continue((call, aim));
        }
        // A change may make of a question that is the user's a routine one, or answer it (HO-11).
        changes::apply(self, context, &verdict.permissions).await;
        let settled = || match self.lean(context, &call, &Verdict::default(), aim.as_ref()) {
            Leaning::Permit => true,
            Leaning::Ask(now) => now.is_routine(),
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
            context.hooks.warn("PermissionRequest", why);
            return ControlFlow::Continue((call, aim));
        }
        self.consented(context, &verdict, (call, aim))
    }

    /// What comes of a hook's consent: a permit for the call, or for what the hook makes of it.
    fn consented(
        &self,
        context: &PermitContext<'_>,
        verdict: &Verdict,
        (call, aim): (Call, Option<Aim>),
    ) -> ControlFlow<Decided, (Call, Option<Aim>)> {
        let allowed = match &verdict.input {
            None => Permit::new(call, aim),
            Some(input) => {
                let made = Call { input: input.clone(), ..call.clone() };
                if let Err(why) = rewritten(&call.input, &made, context.toolbox) {
                    return ControlFlow::Break(Decided::no(
                        made,
                        Came::DeniedByHook,
                        why.to_string(),
                    ));
                }
                // The hook's answer makes a different call, and rules judge that one.
                let aimed = Aim::of_call(&made, context.cwd);
                match self.lean(context, &made, verdict, aimed.as_ref()) {
                    Leaning::Permit => Permit::new(made, aimed),
                    Leaning::Refuse(by, why) => {
                        return ControlFlow::Break(Decided::no(made, by, why));
                    }
                    // The user is asked about the call that they were shown.
                    Leaning::Ask(now) => {
                        let why = format!(
                            "a hook's consent is not taken, it is for another call: {}",
                            now.why
                        );
                        context.hooks.warn("PermissionRequest", why);
                        return ControlFlow::Continue((call, aim));
                    }
                }
            }
        };
        ControlFlow::Break(Decided::Yes(allowed, Vec::new()))
    }

    fn user_decides(&self, decision: Decision, call: Call, aim: Option<Aim>) -> Decided {
        match decision {
            Decision::Once => Decided::Yes(Permit::new(call, aim), Vec::new()),
            Decision::Always => {
                let permit = Permit::new(call, aim);
                let file = permit.judged().map(|j| j.path.clone());
                let rule = PermissionRule::exactly(permit.call(), file);
                self.rules(|rules| rules.allow.push(rule));
                Decided::Yes(permit, Vec::new())
            }
            Decision::No(reason) => Decided::no(call, Came::DeniedByPerson, reason),
        }
    }
}

/// Waits for the user's decision, and after a while has hooks call them. `None`: there is no user to decide.
async fn calling(
    context: &PermitContext<'_>,
    tool: String,
    mut decided: oneshot::Receiver<Decision>,
) -> Option<Decision> {
    tokio::select! {
        decision = &mut decided => return decision.ok(),
        () = tokio::time::sleep(context.patience) => {}
    }
    context.hooks.notify("permission_prompt", &format!("`{tool}` waits for your permission"));
    decided.await.ok()
}

/// A question that stands before the user. Dropped without their answer, it is void: hooks decided, or the turn was stopped.
struct Asked<'a> {
    updates: &'a Updates,
    id: Option<String>,
}

impl<'a> Asked<'a> {
    fn put(updates: &'a Updates, ask: Ask) -> Self {
        let id = Some(ask.id.clone());
        updates.send(Update::Ask(ask));
        Self { updates, id }
    }

    fn answered(mut self) {
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
