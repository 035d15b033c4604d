//! Permission rules, read and matched by the engine's own matcher, so that rules mean the same here and in hooks.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use tenterhook::internal::executor::disk_files;
use tenterhook_core::hook::Compat;
use tenterhook_core::matcher::Condition;
use tenterhook_core::matcher::condition::{MatchContext, Picked};
use tenterhook_core::matcher::rule::{Reading, RuleFault};
use tenterhook_core::rule;
pub(crate) use tenterhook_core::rule::{FilesTouched, Skips, Tree};

use super::Hooks;
use crate::conversation::Call;

/// How much of a call stands in the text of the rule that it may run again.
const SUBJECT: usize = 60;

/// A rule about tool calls, such as `Bash(git push *)`.
#[derive(Clone, Debug)]
pub(crate) struct PermissionRule {
    text: String,
    meaning: Meaning,
    /// Its author.
    by: &'static str,
}

#[derive(Clone, Debug)]
enum Meaning {
    Rule(Condition),
    /// One call, as it is, on the file to which it led.
    Exactly(Call, Option<PathBuf>),
}

/// A text that is no permission rule.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a valid permission rule: {fault}")]
pub(crate) struct BadRule {
    text: String,
    fault: RuleFault,
}

impl PermissionRule {
    /// Parses a rule.
    pub(crate) fn parse(text: &str) -> Result<Self, BadRule> {
        let condition = Condition::rule(text, Reading::Native);
        match condition.fault() {
            Some(fault) => Err(BadRule { text: text.to_owned(), fault: fault.clone() }),
            None => Ok(Self {
                text: text.to_owned(),
                meaning: Meaning::Rule(condition),
                by: "from the command line",
            }),
        }
    }

    /// Creates the rule that this exact call may run again.
    pub(crate) fn for_exact_call(call: &Call, file: Option<PathBuf>) -> Self {
        let meaning = Meaning::Exactly(call.clone(), file);
        let subject =
            call.input.as_object().into_iter().flatten().find_map(|(_, value)| value.as_str());
        let subject = subject.and_then(|subject| subject.lines().next()).unwrap_or_default();
        let subject: String = subject.chars().take(SUBJECT).collect();
        let text = format!("{} as it was: {subject}", call.tool);
        Self { text, meaning, by: "you said always" }
    }

    /// Marks the rule as made by a hook.
    pub(crate) fn mark_made_by_hook(self) -> Self {
        Self { by: "from a hook", ..self }
    }

    /// Its author.
    pub(crate) const fn author(&self) -> &'static str {
        self.by
    }

    /// Returns the file of the exact call that the rule is about; `None` if the rule is about more
    /// than one call.
    pub(crate) fn exact_call_file(&self) -> Option<Option<&Path>> {
        match &self.meaning {
            Meaning::Exactly(_, file) => Some(file.as_deref()),
            Meaning::Rule(_) => None,
        }
    }

    /// Returns the tool and the one file that the rule names; `None` if it names no file, or
    /// several.
    pub(crate) fn single_file(&self) -> Option<(&str, &str)> {
        let Meaning::Rule(_) = self.meaning else { return None };
        let (tool, rest) = self.text.trim().split_once('(')?;
        let name = rest.strip_suffix(')')?.trim();
        let one = !name.is_empty() && !name.contains(['*', '?', '[', '{', '\\']);
        one.then_some((tool.trim(), name))
    }

    /// Returns whether the rule is about some of the calls of this tool.
    pub(crate) fn is_about_some_calls(&self, tool: &str) -> bool {
        let Meaning::Rule(_) = self.meaning else { return false };
        self.text.trim().split_once('(').is_some_and(|(of, _)| of.trim() == tool)
    }

    /// The rule as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Whether a rule that may or may not be about a call counts: doubt restrains, and never consents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It counts.
    Counts,
    /// It does not.
    Fails,
}

impl Hooks {
    /// Returns the files that a call would read and write, as far as its input shows; `None` if the
    /// analysis would cost too much.
    pub(crate) fn files_touched_by(&self, call: &Call) -> Option<FilesTouched> {
        let event = self.call_event("PreToolUse", call);
        rule::files_touched(&event, &*disk_files(), &|path| Path::new(path).is_dir())
    }

    /// Resolves a path that [`Self::files_touched_by`] returned.
    pub(crate) fn resolve_touched_path(&self, written: &str) -> PathBuf {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        match (written, written.strip_prefix("~/")) {
            ("~", _) => place.home.clone(),
            (_, Some(rest)) => place.home.join(rest),
            (_, None) => place.project.join(written),
        }
    }

    /// Returns the paths of the file that a rule may mean: relative to the root, the home, the
    /// project, or the agent's directory.
    pub(crate) fn rule_file_candidates(
        &self,
        name: &str,
        cwd: &Path,
        project: &Path,
    ) -> Vec<PathBuf> {
        if let Some(rest) = name.strip_prefix("//") {
            return vec![Path::new("/").join(rest)];
        }
        if let Some(rest) = name.strip_prefix("~/") {
            let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
            return vec![place.home.join(rest)];
        }
        if let Some(rest) = name.strip_prefix('/') {
            return vec![project.join(rest)];
        }
        vec![cwd.join(name), project.join(name)]
    }

    /// Returns the first of the rules that is about this call.
    pub(crate) fn find_matching_rule<'r>(
        &self,
        rules: impl IntoIterator<Item = &'r PermissionRule>,
        call: &Call,
        doubt: Doubt,
    ) -> Option<&'r PermissionRule> {
        let event = self.call_event("PreToolUse", call);
        let context = MatchContext::for_event(&event);
        rules.into_iter().find(|rule| match &rule.meaning {
            Meaning::Exactly(known, _) => known.tool == call.tool && known.input == call.input,
            Meaning::Rule(condition) => match condition.pick(&context, Compat::Guarded) {
                Picked::No(_) => false,
                Picked::Exactly => true,
                Picked::Widely(_) | Picked::Failed(_) => doubt == Doubt::Counts,
            },
        })
    }
}
