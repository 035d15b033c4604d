//! What a hook may change of the permissions when it answers a question (ruling 16): more is asked, or a routine question less.
//! No deny rule, ask rule or safety check is ever loosened (ruling 17).

use std::path::Path;

use serde_json::Value;

use super::{Mode, Permissions, PermitContext, Rules};
use crate::hooks::{BadRule, PermissionRule};
use crate::update::Update;

/// Why a change is not made.
#[derive(Debug, thiserror::Error)]
enum NotMade {
    #[error("`{0}` is not a valid kind of change")]
    Kind(String),
    #[error("`{0}` is not a mode of this agent")]
    Mode(String),
    #[error("a hook cannot switch all questions off")]
    Bypass,
    #[error("it names no rules")]
    NoRules,
    #[error("a rule names no tool")]
    NoTool,
    #[error(transparent)]
    Rule(#[from] BadRule),
    #[error("`{0}` is not a valid behavior")]
    Behavior(String),
    #[error("it names no directories")]
    NoDirectories,
    #[error("`{0}` is not a directory")]
    NoName(Value),
    #[error("`{name}` cannot be added: {source}")]
    Unreachable { name: String, source: std::io::Error },
    #[error("`{0}` cannot be added: it is not a directory")]
    NoDirectory(String),
    #[error("`{0}` cannot be added: it holds the project")]
    HoldsProject(String),
    #[error("a hook cannot remove a rule that restrains")]
    Loosens,
    #[error("there is no such rule: {0}")]
    NoSuchRule(String),
    #[error("no such directory was added: {0}")]
    NoSuchDirectory(String),
}

/// How one kind of change is made; why not, where it is not.
type Apply = fn(&Permissions, &Value, &Path) -> Result<String, NotMade>;

/// Every kind of change.
const KINDS: &[(&str, Apply)] = &[
    ("setMode", apply_mode_change),
    ("addRules", add_rules),
    ("replaceRules", replace_rules),
    ("removeRules", remove_rules),
    ("addDirectories", add_directories),
    ("removeDirectories", remove_directories),
];

/// Applies the changes in order, each for this session. Reports each change, and the reason for
/// each that is refused (HO-11).
pub(super) async fn apply_changes(
    all: &Permissions,
    context: &PermitContext<'_>,
    changes: &[Value],
) {
    let (hooks, updates) = (context.hooks, context.updates);
    let before = all.mode();
    for change in changes {
        let kind = change.get("type").and_then(Value::as_str).unwrap_or_default();
        let applied = match KINDS.iter().find(|(name, _)| *name == kind) {
            Some((_, apply)) => apply(all, change, context.cwd),
            None => Err(NotMade::Kind(kind.to_owned())),
        };
        match applied {
            Ok(made) => updates.send(Update::Notice(format!("a hook for this session: {made}"))),
            Err(why) => updates
                .warn("PermissionRequest", format!("a change of permissions was not made: {why}")),
        }
    }
    let after = all.mode();
    if after != before {
        hooks.fire_mode_changed(before.name(), after.name()).await;
    }
}

/// Words of other agents for a mode, and ours.
const MODES: &[(&str, &str)] = &[("normal", "default"), ("auto", "acceptEdits")];

fn apply_mode_change(all: &Permissions, change: &Value, _: &Path) -> Result<String, NotMade> {
    let word = change.get("mode").and_then(Value::as_str).unwrap_or_default();
    let ours = MODES.iter().find(|(theirs, _)| *theirs == word).map_or(word, |(_, ours)| ours);
    match Mode::from_name(ours) {
        None => Err(NotMade::Mode(word.to_owned())),
        Some(Mode::Bypass) => Err(NotMade::Bypass),
        Some(mode) => {
            all.set_mode(mode);
            Ok(format!("the mode is `{}`", mode.name()))
        }
    }
}

/// Returns the rules that a change names, in the form of settings.
fn parse_rules(change: &Value) -> Result<Vec<PermissionRule>, NotMade> {
    let rules = change.get("rules").and_then(Value::as_array).ok_or(NotMade::NoRules)?;
    let text = |rule: &Value| {
        let tool = rule.get("toolName").and_then(Value::as_str)?;
        let content = rule.get("ruleContent").and_then(Value::as_str);
        Some(content.map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})")))
    };
    rules
        .iter()
        .map(|rule| {
            let read = PermissionRule::parse(&text(rule).ok_or(NotMade::NoTool)?)?;
            Ok(read.mark_made_by_hook())
        })
        .collect()
}

fn rule_list_of_change<'a>(
    rules: &'a mut Rules,
    change: &Value,
) -> Result<&'a mut Vec<PermissionRule>, NotMade> {
    match change.get("behavior").and_then(Value::as_str).unwrap_or_default() {
        "allow" => Ok(&mut rules.allow),
        "ask" => Ok(&mut rules.ask),
        "deny" => Ok(&mut rules.deny),
        other => Err(NotMade::Behavior(other.to_owned())),
    }
}

fn is_restriction(change: &Value) -> bool {
    change.get("behavior").and_then(Value::as_str) != Some("allow")
}

fn add_rules(all: &Permissions, change: &Value, _: &Path) -> Result<String, NotMade> {
    let new = parse_rules(change)?;
    let made = describe_rules(change, &new);
    all.read_or_change_rules(|rules| {
        rule_list_of_change(rules, change).map(|list| list.extend(new))
    })?;
    Ok(made)
}

/// Describes rules for a person.
fn describe_rules(change: &Value, rules: &[PermissionRule]) -> String {
    let word = change.get("behavior").and_then(Value::as_str).unwrap_or_default();
    let all: Vec<_> = rules.iter().map(|rule| format!("`{}`", rule.text())).collect();
    format!("{word} {}", all.join(", "))
}

/// Adds directories outside the project in which calls are judged like those in it. The user's
/// rules and the safety checks still apply there. The root and any directory that contains the
/// working directory are refused.
fn add_directories(all: &Permissions, change: &Value, cwd: &Path) -> Result<String, NotMade> {
    let named = change.get("directories").and_then(Value::as_array);
    let named = named.filter(|all| !all.is_empty()).ok_or(NotMade::NoDirectories)?;
    let real = |name: &Value| {
        let name = name.as_str().ok_or_else(|| NotMade::NoName(name.clone()))?.to_owned();
        let path = match cwd.join(&name).canonicalize() {
            Ok(path) => path,
            Err(source) => return Err(NotMade::Unreachable { name, source }),
        };
        if !path.is_dir() {
            return Err(NotMade::NoDirectory(name));
        }
        if cwd.canonicalize().is_ok_and(|cwd| cwd.starts_with(&path)) || path.parent().is_none() {
            return Err(NotMade::HoldsProject(name));
        }
        Ok(path)
    };
    let new = named.iter().map(real).collect::<Result<Vec<_>, NotMade>>()?;
    let texts: Vec<_> = new.iter().map(|path| format!("`{}`", path.display())).collect();
    all.read_or_change_added_directories(|all| all.extend(new));
    Ok(format!("{} may be changed, too", texts.join(", ")))
}

/// Replaces the allow rules. Rules that restrain are only added, never replaced.
fn replace_rules(all: &Permissions, change: &Value, cwd: &Path) -> Result<String, NotMade> {
    if is_restriction(change) {
        return add_rules(all, change, cwd);
    }
    let new = parse_rules(change)?;
    let made = format!("nothing but this is allowed by a rule: {}", describe_rules(change, &new));
    all.read_or_change_rules(|rules| rules.allow = new);
    Ok(made)
}

fn remove_rules(all: &Permissions, change: &Value, _: &Path) -> Result<String, NotMade> {
    if is_restriction(change) {
        return Err(NotMade::Loosens);
    }
    let old = parse_rules(change)?;
    let gone = all.read_or_change_rules(|rules| {
        let before = rules.allow.len();
        rules.allow.retain(|rule| !old.iter().any(|old| old.text() == rule.text()));
        before - rules.allow.len()
    });
    if gone == 0 {
        return Err(NotMade::NoSuchRule(describe_rules(change, &old)));
    }
    Ok(format!("no rule any more: {}", describe_rules(change, &old)))
}

fn remove_directories(all: &Permissions, change: &Value, _: &Path) -> Result<String, NotMade> {
    let named =
        change.get("directories").and_then(Value::as_array).ok_or(NotMade::NoDirectories)?;
    let named: Vec<_> = named.iter().filter_map(Value::as_str).map(std::path::Path::new).collect();
    let gone = all.read_or_change_added_directories(|all| {
        let before = all.len();
        all.retain(|path| !named.contains(&path.as_path()));
        before - all.len()
    });
    let texts: Vec<_> = named.iter().map(|path| format!("`{}`", path.display())).collect();
    if gone == 0 {
        return Err(NotMade::NoSuchDirectory(texts.join(", ")));
    }
    Ok(format!("{} is outside the project again", texts.join(", ")))
}
