//! Makes a hook of a callback that a case describes.

use std::path::PathBuf;
use std::time::Duration;

use tenterhook_core::answer::{Answer, Effects, Restraint};
use tenterhook_core::dialect::DialectId;
use tenterhook_core::hook::{Function, Hook, HookId, OnFailure, Run, Wait};
use tenterhook_testkit::case::Callback;

/// Words of a case, and what they mean here.
const DECISIONS: &[(&str, Restraint)] =
    &[("deny", Restraint::Deny), ("ask", Restraint::Ask), ("allow", Restraint::Allow)];
const POLICIES: &[(&str, OnFailure)] =
    &[("block", OnFailure::Block), ("ask", OnFailure::Ask), ("continue", OnFailure::Continue)];

/// The hook `name`. Each run leaves a line in the file `mark`.
pub(super) fn hook(name: &str, callback: &Callback, mark: PathBuf) -> Hook {
    let said = answer(callback);
    let (panics, never) = (callback.panics.clone(), callback.never);
    let function = Function::new(name, move |_| {
        let runs = std::fs::read_to_string(&mark).unwrap_or_default();
        std::fs::write(&mark, runs + "ran\n").expect("a mark can be left");
        let (said, panics) = (said.clone(), panics.clone());
        async move {
            if let Some(words) = panics {
                panic!("{words}");
            }
            if never {
                std::future::pending::<()>().await;
            }
            said
        }
    });
    let (id, on) = (HookId::new(name), callback.on.as_str().into());
    let mut hook = Hook::new(id, DialectId::NATIVE, on, Run::Function(function));
    hook.timeout = callback.timeout_ms.map(Duration::from_millis);
    hook.on_failure = callback.on_failure.as_deref().map(|word| meaning(POLICIES, word));
    hook.once = callback.once;
    hook.wait = if callback.background { Wait::Detached } else { Wait::Attached };
    hook
}

fn answer(callback: &Callback) -> Answer {
    let mut effects = Effects::default();
    effects.context.clone_from(&callback.context);
    effects.updated_input.clone_from(&callback.input);
    Answer {
        restraint: callback
            .decision
            .as_deref()
            .map_or(Restraint::Silent, |word| meaning(DECISIONS, word)),
        reason: callback.reason.clone(),
        effects,
        ..Answer::default()
    }
}

fn meaning<T: Copy>(words: &[(&str, T)], word: &str) -> T {
    words.iter().find(|(name, _)| *name == word).expect("a word of the case format").1
}
