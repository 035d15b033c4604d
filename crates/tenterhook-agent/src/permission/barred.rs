//! Which rule restrains a call, by whatever name it reaches a file? A rule is written with a name and meant of a file: it holds
//! for links to it, for its other names, and for every tool that would show what is in it (AG-12). Runs nothing.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use serde_json::json;

use super::PermitContext;
use super::place::{Aim, KEYS};
use crate::conversation::Call;
use crate::file::Judged;
use crate::hooks::{Doubt, Hooks, PermissionRule};
use crate::{tool, toolbox};

/// The tool whose rules say what the model may see.
const READ: &str = "Read";
/// Tools that show what is in the file that they name, or tell whether a text stands in it.
const SHOW: &[&str] = &["Edit", "Grep"];
/// How many files of a project are looked at for the other names of one.
const MOST: usize = 200_000;

/// Where names are looked for.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) hooks: &'a Hooks,
    pub(super) project: &'a Path,
    pub(super) cwd: &'a Path,
}

impl<'a> From<&PermitContext<'a>> for Ground<'a> {
    fn from(context: &PermitContext<'a>) -> Self {
        Self { hooks: context.hooks, project: context.project, cwd: context.cwd }
    }
}

/// The first of these rules that restrains the call, in words; `None` where none does.
pub(super) fn by<'r>(
    rules: impl IntoIterator<Item = &'r PermissionRule> + Clone,
    ground: Ground<'_>,
    call: &Call,
    aim: Option<&Aim>,
) -> Option<String> {
    // Without rules nothing is looked for.
    rules.clone().into_iter().next()?;
    let holds = |call: &Call| {
        let held = |it: &&PermissionRule| ground.hooks.rule_holds(it, call, Doubt::Counts);
        rules.clone().into_iter().find(held).map(|it| it.text().to_owned())
    };
    let judged = aim.and_then(|it| it.judged.as_ref());
    if let Some(rule) = holds(call).or_else(|| judged.and_then(|it| holds(&at(call, &it.path)))) {
        return Some(rule);
    }
    let mut seen: Vec<Judged> = match (call.tool.as_str(), judged) {
        ("Bash", _) => match ground.hooks.read_by(call) {
            Some(files) => files.iter().filter_map(|it| Judged::of(it)).collect(),
            // What nobody can tell may be the very file that a rule names.
            None => {
                let about_files =
                    |it: &&PermissionRule| it.file().is_some_and(|(of, _)| of == READ);
                return rules.clone().into_iter().find(about_files).map(|it| it.text().to_owned());
            }
        },
        (tool, Some(judged)) if tool == READ || SHOW.contains(&tool) || is_served(tool) => {
            vec![judged.clone()]
        }
        _ => Vec::new(),
    };
    seen.retain(Judged::exists);
    let shown = seen.iter().find_map(|file| {
        let named = || same(rules.clone(), READ, file, ground);
        holds(&reading(&file.path)).or_else(named).or_else(|| others(file, ground, &holds))
    });
    shown.or_else(|| judged.and_then(|it| same(rules.clone(), &call.tool, it, ground)))
}

/// Whether a server's tool it is, which shows what it likes of a file that it is given.
fn is_served(tool: &str) -> bool {
    tool.starts_with(toolbox::PREFIX)
}

/// The rule that names this very file, by a name that leads to it.
fn same<'r>(
    rules: impl IntoIterator<Item = &'r PermissionRule>,
    tool: &str,
    file: &Judged,
    ground: Ground<'_>,
) -> Option<String> {
    let is = |rule: &PermissionRule| {
        let named = rule.file().filter(|(of, _)| *of == tool);
        named.is_some_and(|(_, name)| {
            ground.hooks.places_of(name, ground.cwd, ground.project).iter().any(|it| file.is_at(it))
        })
    };
    rules.into_iter().find(|it| is(it)).map(|it| it.text().to_owned())
}

/// The rule that holds for another name that the file has in the project.
fn others(
    file: &Judged,
    ground: Ground<'_>,
    holds: &impl Fn(&Call) -> Option<String>,
) -> Option<String> {
    if !file.has_other_names() {
        return None;
    }
    let mut left = MOST;
    for entry in WalkBuilder::new(ground.project).standard_filters(false).build().flatten() {
        left = left.saturating_sub(1);
        if left == 0 {
            return Some(
                "of one of the other names of the file, which are too many to look at".to_owned(),
            );
        }
        let is_file = entry.file_type().is_some_and(|it| it.is_file());
        if is_file
            && file.is_at(entry.path())
            && let Some(rule) = holds(&reading(entry.path()))
        {
            return Some(rule);
        }
    }
    None
}

fn reading(path: &Path) -> Call {
    Call { id: String::new(), tool: READ.to_owned(), input: json!({"file_path": path}) }
}

/// The same call on the file to which its name leads.
fn at(call: &Call, path: &Path) -> Call {
    let mut call = call.clone();
    if let Some(input) = call.input.as_object_mut() {
        let key = KEYS.iter().find(|key| input.contains_key(**key)).unwrap_or(&"path");
        input.insert((*key).to_owned(), json!(path));
    }
    call
}

/// Whether the call, on the file to which its name leads, is what this rule consents to: a name that leads elsewhere is none.
pub(super) fn allows(
    rule: &PermissionRule,
    ground: Ground<'_>,
    call: &Call,
    aim: Option<&Aim>,
) -> bool {
    let judged = aim.map(|it| it.judged.as_ref());
    let holds = |call: &Call| ground.hooks.rule_holds(rule, call, Doubt::Fails);
    match (rule.exact(), judged) {
        (Some(path), judged) => holds(call) && path == judged.flatten().map(|it| it.path.as_path()),
        (None, None) => holds(call),
        (None, Some(None)) => false,
        // A home or a project may itself be known by a link: there the name that was written counts as well as the file's.
        (None, Some(Some(judged))) => {
            holds(call) && (holds(&at(call, &judged.path)) || !crosses(call, judged, ground))
        }
    }
}

/// Whether a link leads from the name that the call has to the file.
fn crosses(call: &Call, judged: &Judged, ground: Ground<'_>) -> bool {
    let Some(name) = KEYS.iter().find_map(|key| tool::text(call, key)) else { return false };
    let Some(cwd) = Judged::of(ground.cwd) else { return true };
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

    /// The rule that keeps this file, a path without a link, from the model.
    pub(crate) fn against(&self, path: &Path) -> Option<String> {
        let (hooks, rules, project, cwd) = self.inner.as_ref()?;
        let ground = Ground { hooks, project, cwd };
        let aim = Aim { name: path.display().to_string(), judged: Judged::of(path) };
        by(rules, ground, &reading(path), Some(&aim))
    }
}
