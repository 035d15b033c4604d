//! What a hook may change of the permissions when it answers a question (ruling 16): more is asked, or a routine question less.
//! No deny rule, ask rule or safety check is ever loosened (ruling 17).

use serde_json::Value;

use super::{Mode, Permissions, Rules};
use crate::hooks::{Hooks, PermissionRule};
use crate::update::Updates;

/// How one kind of change is made; why not, where it is not.
type Apply = fn(&Permissions, &Value) -> Result<(), String>;

/// Every kind of change.
const KINDS: &[(&str, Apply)] = &[
    ("setMode", set_mode),
    ("addRules", add_rules),
    ("replaceRules", replace_rules),
    ("removeRules", remove_rules),
    ("addDirectories", |_, _| Err("directories are added by the user".to_owned())),
    ("removeDirectories", remove_directories),
];

/// Applies the changes in their order. What is not made is told, and changes nothing.
pub(super) async fn apply(all: &Permissions, hooks: &Hooks, updates: &Updates, changes: &[Value]) {
    let before = all.mode();
    for change in changes {
        let kind = change.get("type").and_then(Value::as_str).unwrap_or_default();
        let applied = match KINDS.iter().find(|(name, _)| *name == kind) {
            Some((_, apply)) => apply(all, change),
            None => Err(format!("`{kind}` is no kind of change")),
        };
        if let Err(why) = applied {
            updates
                .warn("PermissionRequest", format!("a change of permissions was not made: {why}"));
        }
    }
    let after = all.mode();
    if after != before {
        hooks.fact("permission_mode", after.word());
        hooks.mode_changed(before.word(), after.word()).await;
    }
}

fn set_mode(all: &Permissions, change: &Value) -> Result<(), String> {
    let word = change.get("mode").and_then(Value::as_str).unwrap_or_default();
    match Mode::find(word) {
        None => Err(format!("`{word}` is no mode")),
        Some(Mode::Bypass) => Err("a hook cannot switch all questions off".to_owned()),
        Some(mode) => {
            all.set_mode(mode);
            Ok(())
        }
    }
}

/// The rules that a change names, as they are written in settings.
fn named(change: &Value) -> Result<Vec<PermissionRule>, String> {
    let rules = change.get("rules").and_then(Value::as_array).ok_or("it names no rules")?;
    let text = |rule: &Value| {
        let tool = rule.get("toolName").and_then(Value::as_str)?;
        let content = rule.get("ruleContent").and_then(Value::as_str);
        Some(content.map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})")))
    };
    rules
        .iter()
        .map(|rule| PermissionRule::read(&text(rule).ok_or("a rule names no tool")?))
        .collect()
}

fn list<'a>(rules: &'a mut Rules, change: &Value) -> Result<&'a mut Vec<PermissionRule>, String> {
    match change.get("behavior").and_then(Value::as_str).unwrap_or_default() {
        "allow" => Ok(&mut rules.allow),
        "ask" => Ok(&mut rules.ask),
        "deny" => Ok(&mut rules.deny),
        other => Err(format!("`{other}` is no behavior")),
    }
}

fn loosens(change: &Value) -> bool {
    change.get("behavior").and_then(Value::as_str) != Some("allow")
}

fn add_rules(all: &Permissions, change: &Value) -> Result<(), String> {
    let new = named(change)?;
    all.rules(|rules| list(rules, change).map(|list| list.extend(new)))
}

/// Rules that restrain are only ever added to.
fn replace_rules(all: &Permissions, change: &Value) -> Result<(), String> {
    if loosens(change) {
        return add_rules(all, change);
    }
    let new = named(change)?;
    all.rules(|rules| rules.allow = new);
    Ok(())
}

fn remove_rules(all: &Permissions, change: &Value) -> Result<(), String> {
    if loosens(change) {
        return Err("a hook cannot remove a rule that restrains".to_owned());
    }
    let old = named(change)?;
    all.rules(|rules| rules.allow.retain(|it| !old.iter().any(|old| old.text() == it.text())));
    Ok(())
}

fn remove_directories(all: &Permissions, change: &Value) -> Result<(), String> {
    let named =
        change.get("directories").and_then(Value::as_array).ok_or("it names no directories")?;
    let named: Vec<_> = named.iter().filter_map(Value::as_str).map(std::path::Path::new).collect();
    all.directories(|all| all.retain(|it| !named.contains(&it.as_path())));
    Ok(())
}
