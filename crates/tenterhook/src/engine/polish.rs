//! Makes the outcome's texts safe to inject and to show, once, before the host sees them. Decides nothing.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::discover;
use crate::executor::Ambient;
use tenterhook_core::diagnostic::Code;
use tenterhook_core::outcome::{Fault, Outcome};
use tenterhook_core::text::{self, CONTEXT_CAP, PREVIEW_CAP};

/// How many characters of a fault are shown: it is one line for a person.
const FAULT_CAP: usize = 2_000;

/// Distinguishes the files of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Cleans and bounds every text (decision 6). Context beyond its cap goes to a file of the session,
/// if there is a scratch directory.
pub(super) fn clean_and_cap_texts(mut outcome: Outcome, ambient: &Ambient) -> Outcome {
    for step in &mut outcome.steps {
        // The verdict of a shadow hook is recorded and shown to people, and must be safe for that.
        step.shadow =
            step.shadow.take().map(|shadow| Box::new(clean_and_cap_texts(*shadow, ambient)));
    }
    let mut hidden = 0;
    let mut wash = |text: &mut String, cap: usize| {
        let clean = text::clean(text, cap);
        hidden += usize::from(clean.removed.is_suspicious());
        *text = clean.text;
    };
    for context in outcome.steps.iter_mut().flat_map(|step| &mut step.context) {
        wash(context, usize::MAX);
        cap_context_saving_whole(context, ambient.scratch.as_deref());
    }
    let effects = &mut outcome.effects;
    // The same texts once more, now clean: each of them belongs to a step.
    effects.context = outcome.steps.iter().flat_map(|step| step.context.clone()).collect();
    let own = outcome.steps.iter_mut().flat_map(|step| &mut step.messages);
    for message in effects.messages.iter_mut().chain(own) {
        wash(message, CONTEXT_CAP);
    }
    for reason in &mut outcome.reasons {
        wash(&mut reason.text, CONTEXT_CAP);
    }
    if let Some(reason) = effects.stop.as_mut().and_then(|stop| stop.reason.as_mut()) {
        wash(reason, CONTEXT_CAP);
    }
    // These two replace text of the user: a cut would change what the user wrote.
    for text in
        [&mut effects.updated_prompt, &mut effects.initial_user_message].into_iter().flatten()
    {
        wash(text, usize::MAX);
    }
    // The path in it may hold any character.
    for step in &mut outcome.steps {
        if let Some(words) = step.ended.untrusted_text_mut() {
            *words = text::clean(words, FAULT_CAP).text;
        }
    }
    for fault in &mut outcome.faults {
        fault.message = text::clean(&fault.message, FAULT_CAP).text;
    }
    if hidden > 0 {
        let texts = if hidden == 1 { "a text".to_owned() } else { format!("{hidden} texts") };
        let message = format!(
            "{texts} held invisible characters, or some that reorder a line; they were removed"
        );
        outcome.faults.push(Fault { code: Code::HiddenText, hook: None, message });
    }
    outcome
}

/// Cuts `context` that exceeds its cap: to a preview and the path of the whole text, or to its
/// start if there is no scratch directory.
fn cap_context_saving_whole(context: &mut String, scratch: Option<&Path>) {
    if context.chars().nth(CONTEXT_CAP).is_none() {
        return;
    }
    *context = match scratch.map(|scratch| write_context_file(scratch, context)) {
        Some(Ok(path)) => text::truncate_for_preview(context, PREVIEW_CAP)
            .preview_text_with_file_path(&path.display().to_string()),
        // A full disk must not lose the part that fits.
        Some(Err(_)) | None => text::clean(context, CONTEXT_CAP).text,
    };
}

/// Writes the whole context into a new file of the scratch directory, and returns its path.
fn write_context_file(scratch: &Path, text: &str) -> io::Result<PathBuf> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = scratch.join(format!("context-{}-{number}.txt", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    discover::set_owner_only_create_mode(options.write(true).create_new(true))?
        .open(&path)?
        .write_all(text.as_bytes())?;
    Ok(path)
}
