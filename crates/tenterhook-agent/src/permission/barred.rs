//! Which rule restrains a call, by whatever name it reaches a file? A rule is written with a name and meant of a file: it holds
//! for links to it, for its other names, and for every tool that would show or change what is in it (AG-12, AG-14). Runs nothing.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use serde_json::json;

use super::location::{Aim, KEYS};
use super::touched::Touched;
use super::{PermitContext, trees};
use crate::conversation::Call;
use crate::file::Judged;
use crate::hooks::{Doubt, Hooks, PermissionRule};
use crate::tool;

/// The tool whose rules say what the model may see.
pub(super) const READ: &str = "Read";
/// Tools whose rules say what the model may change: a rule of one is about all that edit.
pub(super) const EDITORS: &[&str] = &["Edit", "Write"];
/// How many files of a project are looked at for the other names of one.
const MOST: usize = 200_000;

/// Where names are looked for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) hooks: &'a Hooks,
    pub(super) project: &'a Path,
    pub(super) cwd: &'a Path,
}

impl<'a> From<&PermitContext<'a>> for Scope<'a> {
    fn from(context: &PermitContext<'a>) -> Self {
        Self { hooks: context.hooks, project: context.project, cwd: context.cwd }
    }
}

/// Returns the text of the first rule that restrains the call, or `None`.
pub(super) fn find_restraining_rule<'r>(
    rules: impl IntoIterator<Item = &'r PermissionRule> + Clone,
    scope: Scope<'_>,
    call: &Call,
    aim: Option<&Aim>,
    touched: &Touched,
) -> Option<String> {
    // Without rules nothing is looked for.
    rules.clone().into_iter().next()?;
    let all = Rules { rules: rules.into_iter().collect(), scope };
    let judged = aim.and_then(|aim| aim.judged.as_ref());
    let itself = || {
        all.find_matching_rule(call).or_else(|| {
            judged.and_then(|judged| {
                all.find_matching_rule(&call_with_resolved_path(call, &judged.path))
            })
        })
    };
    let about = |tools: &'static [&'static str], aims: &[Aim]| {
        aims.iter().find_map(|aim| tools.iter().find_map(|tool| all.find_rule_for_file(tool, aim)))
    };
    itself()
        .or_else(|| {
            touched.is_unread.then(|| all.find_rule_about_files(&[&[READ], EDITORS].concat()))?
        })
        .or_else(|| about(&[READ], &touched.reads))
        .or_else(|| about(EDITORS, &touched.writes))
        .or_else(|| judged.and_then(|judged| all.find_rule_naming_file(&call.tool, judged)))
}

/// Returns why the user is asked about a call that reads, moves or removes a whole directory, or
/// writes to a path that its text does not show (AG-15). `None` if no rule is about a file in it.
pub(super) fn why_directory_call_asks<'r>(
    rules: impl IntoIterator<Item = &'r PermissionRule>,
    scope: Scope<'_>,
    touched: &Touched,
) -> Option<String> {
    let all = Rules { rules: rules.into_iter().collect(), scope };
    let unresolved = || {
        let written = touched.unresolved.as_ref()?;
        let rule = all.find_rule_about_files(EDITORS)?;
        Some(format!(
            "it may write what the rule `{rule}` is about: the call does not say where `{written}` leads"
        ))
    };
    trees::why_tree_read_asks(&all, touched)
        .or_else(|| trees::why_tree_removal_asks(&all, touched))
        .or_else(unresolved)
}

/// Rules, and where the names in them are looked for.
pub(super) struct Rules<'r, 'g> {
    rules: Vec<&'r PermissionRule>,
    scope: Scope<'g>,
}

impl Rules<'_, '_> {
    /// Returns the first rule that matches the call.
    fn find_matching_rule(&self, call: &Call) -> Option<String> {
        let rules = self.rules.iter().copied();
        let held = self.scope.hooks.find_matching_rule(rules, call, Doubt::Counts)?;
        Some(held.text().to_owned())
    }

    /// Returns the first rule of this tool that is about the file, by any of the file's names.
    pub(super) fn find_rule_for_file(&self, tool: &str, aim: &Aim) -> Option<String> {
        let rules = self.rules.iter().copied().filter(|rule| is_about_files(rule, tool)).collect();
        let all = Self { rules, scope: self.scope };
        if all.rules.is_empty() {
            return None;
        }
        let judged = aim.judged.as_ref()?;
        all.find_matching_rule(&new_call_about_path(tool, &judged.path)).or_else(|| {
            if !judged.exists() {
                return None;
            }
            all.find_rule_naming_file(tool, judged)
                .or_else(|| all.find_hard_link_rule(tool, judged))
        })
    }

    /// Returns the first rule of these tools that is about files.
    pub(super) fn find_rule_about_files(&self, tools: &[&str]) -> Option<String> {
        let about = |rule: &&&PermissionRule| tools.iter().any(|tool| is_about_files(rule, tool));
        self.rules.iter().find(about).map(|rule| rule.text().to_owned())
    }

    /// Returns the rule that names this same file, by a name that leads to it.
    fn find_rule_naming_file(&self, tool: &str, file: &Judged) -> Option<String> {
        let Scope { hooks, project, cwd } = self.scope;
        let is = |rule: &&&PermissionRule| {
            let named = rule.single_file().filter(|(of, _)| *of == tool);
            named.is_some_and(|(_, name)| {
                hooks
                    .rule_file_candidates(name, cwd, project)
                    .iter()
                    .any(|path| file.is_same_file_at(path))
            })
        };
        self.rules.iter().find(is).map(|rule| rule.text().to_owned())
    }

    /// Returns the rule that matches another name of the file in the project.
    fn find_hard_link_rule(&self, tool: &str, file: &Judged) -> Option<String> {
        if !file.has_other_names() {
            return None;
        }
        let mut left = MOST;
        let walk = WalkBuilder::new(self.scope.project).standard_filters(false).build();
        for entry in walk.flatten() {
            left = left.saturating_sub(1);
            if left == 0 {
                let why = "of one of the other names of the file, which are too many to look at";
                return Some(why.to_owned());
            }
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if is_file
                && file.is_same_file_at(entry.path())
                && let Some(rule) =
                    self.find_matching_rule(&new_call_about_path(tool, entry.path()))
            {
                return Some(rule);
            }
        }
        None
    }
}

/// Returns whether a rule says which files a tool may not touch. `Edit` alone is about that tool;
/// `Read` alone about every file.
fn is_about_files(rule: &PermissionRule, tool: &str) -> bool {
    rule.is_about_some_calls(tool) || tool == READ && rule.text().trim() == READ
}

fn new_call_about_path(tool: &str, path: &Path) -> Call {
    Call { id: String::new(), tool: tool.to_owned(), input: json!({"file_path": path}) }
}

/// Returns the call with its path replaced by the resolved one.
fn call_with_resolved_path(call: &Call, path: &Path) -> Call {
    let mut call = call.clone();
    if let Some(input) = call.input.as_object_mut() {
        let key = KEYS.iter().find(|key| input.contains_key(**key)).unwrap_or(&"path");
        input.insert((*key).to_owned(), json!(path));
    }
    call
}

/// Returns whether the rule allows the call on the file to which its name leads, and not only on
/// the name.
pub(super) fn rule_allows_call(
    rule: &PermissionRule,
    scope: Scope<'_>,
    call: &Call,
    aim: Option<&Aim>,
    touched: &Touched,
) -> bool {
    // A call in doubt is covered only by a rule about this very call (AG-14).
    if touched.doubt.is_some() && rule.exact_call_file().is_none() {
        return false;
    }
    let judged = aim.map(|aim| aim.judged.as_ref());
    let holds = |call: &Call| scope.hooks.find_matching_rule([rule], call, Doubt::Fails).is_some();
    match (rule.exact_call_file(), judged) {
        (Some(path), judged) => holds(call) && path == judged.flatten().map(|j| j.path.as_path()),
        (None, None) => holds(call),
        (None, Some(None)) => false,
        // A home or a project may itself be known by a link: both the written name and the file's match there.
        (None, Some(Some(judged))) => {
            holds(call)
                && (holds(&call_with_resolved_path(call, &judged.path))
                    || !call_crosses_link(call, judged, scope))
        }
    }
}

/// Returns whether a link lies between the name in the call and the file.
fn call_crosses_link(call: &Call, judged: &Judged, scope: Scope<'_>) -> bool {
    let Some(name) = KEYS.iter().find_map(|key| tool::text_argument(call, key)) else {
        return false;
    };
    let Some(cwd) = Judged::resolve(scope.cwd) else { return true };
    let mut plain = PathBuf::new();
    for part in cwd.path.join(name).components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain != judged.path
}

/// What the rules keep from the model, for a tool that comes to files by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bars {
    inner: Option<(Hooks, Vec<PermissionRule>, PathBuf, PathBuf)>,
}

impl Bars {
    pub(super) fn new(rules: Vec<PermissionRule>, context: &PermitContext<'_>) -> Self {
        if rules.is_empty() {
            return Self::default();
        }
        let (project, cwd) = (context.project.to_owned(), context.cwd.to_owned());
        Self { inner: Some((context.hooks.clone(), rules, project, cwd)) }
    }

    /// Returns the rule that keeps this file, a path without links, from the model.
    pub(crate) fn find_read_restriction(&self, path: &Path) -> Option<String> {
        let (hooks, rules, project, cwd) = self.inner.as_ref()?;
        let scope = Scope { hooks, project, cwd };
        let aim = Aim::from_path(&path.display().to_string(), path.to_owned());
        find_restraining_rule(
            rules,
            scope,
            &new_call_about_path(READ, path),
            Some(&aim),
            &Touched::by_reading(&aim),
        )
    }
}
