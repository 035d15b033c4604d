//! The built-in rules that protect an agent's guard, as one more source, and what other sources say about them: which files
//! are left to the agent, and whether the person may let the rules rest (SP-20 to SP-24). Pure.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::DialectId;
use crate::hook::{Enforcement, Hook, Layer, Run};
use crate::protect;
use crate::rule::Part;
use crate::source::{Protect, ReadConfig, Source, Standing};

/// The rule that is about files.
const OF_FILES: &str = "self-protection/change-guard";
/// What it asks where nothing is left to the agent.
const ANY: &str = "call.guards.size() > 0";

/// Adds the built-in rules before all sources, so that slow hooks take no time from them. Returns
/// findings about statements that have no effect.
pub(super) fn add_built_in_rules(read: &mut Vec<(Source, ReadConfig)>) -> Vec<Diagnostic> {
    let binds = |(source, config): &(Source, ReadConfig)| {
        let protect = config.protect.as_ref().filter(|_| source.layer == Layer::Managed);
        protect.is_some_and(|protect| protect.writable.is_some())
    };
    let is_bound = read.iter().any(binds);
    let without_effect = read.iter().filter_map(|(source, config)| {
        ineffective_statement_finding(source, config.protect.as_ref()?, is_bound)
    });
    let without_effect: Vec<Diagnostic> = without_effect.collect();
    let statements = |layers: &'static [Layer]| {
        let of = read.iter().filter(move |(source, _)| layers.contains(&source.layer));
        of.filter_map(|(_, config)| config.protect.as_ref())
    };
    // If a managed file exempts files for agents, no other file exempts more (C-90).
    let has_account = read.iter().any(|(source, _)| source.standing == Standing::Account);
    let own = read.iter().filter(|(source, _)| match is_bound {
        true => source.layer == Layer::Managed,
        // A variable that moved the user's files adds nothing to what the account's own file exempts (C-94).
        false => {
            source.layer == Layer::User && !(has_account && source.standing == Standing::Moved)
        }
    });
    let own = own.filter_map(|(_, config)| config.protect.as_ref());
    let writable: Vec<String> =
        own.flat_map(|protect| protect.writable.iter().flatten().cloned()).collect();
    let pausable = statements(&[Layer::Managed]).all(|table| table.pause != Some(false));
    let words = statements(&[Layer::Managed]).filter_map(|table| table.mode.as_ref()).next();
    let shadow = words.filter(|word| word.shadow).cloned();
    let mut source = Source::from_text(protect::NAME, DialectId::NATIVE, protect::PACK, "/");
    source.layer = Layer::BuiltIn;
    let mut config = DialectId::NATIVE.dialect().read_config(&source);
    for hook in &mut config.hooks {
        hook.pausable = pausable;
        exempt_writable_files(hook, &writable);
        if let Some(word) = &shadow {
            let because = format!("{} says `mode = \"shadow\"` for it", word.place.file);
            hook.enforcement = Enforcement::Shadow { because, place: Some(word.place.clone()) };
        }
    }
    read.insert(0, (source, config));
    without_effect
}

/// Reports a statement of `[protect]` in a file that may not make it: a file that an agent may
/// write cannot say what agents may write.
fn ineffective_statement_finding(
    source: &Source,
    said: &Protect,
    is_bound: bool,
) -> Option<Diagnostic> {
    let (what, whose) = match source.layer {
        Layer::Managed | Layer::BuiltIn => return None,
        Layer::User if is_bound && said.writable.is_some() => {
            ("`protect.writable`", "a managed file")
        }
        Layer::User if said.pause.is_none() && said.mode.is_none() => return None,
        Layer::User if said.mode.is_some() => ("`protect.mode`", "a managed file"),
        Layer::User => ("`protect.pause`", "a managed file"),
        _ => ("`[protect]`", "your own file, such as `~/.config/tenterhook/tenterhook.toml`,"),
    };
    let message = format!("{what} in `{}` has no effect here", source.name);
    let found = Diagnostic::new(Code::SwitchIgnored, message, said.place.clone());
    Some(found.help(format!("leave it out: only {whose} can say that")))
}

/// Exempts files that the agent may write from the rule, and nothing else.
fn exempt_writable_files(hook: &mut Hook, writable: &[String]) {
    let Run::Rule(rule) = &hook.run else { return };
    if hook.id.as_str() != OF_FILES || writable.is_empty() || rule.when_expression() != ANY {
        return;
    }
    let globs: Vec<String> = writable.iter().map(|text| format!("!p.glob({text:?})")).collect();
    let when = format!("call.guards.exists(p, {})", globs.join(" && "));
    hook.run = Run::Rule(rule.clone().with_part(Part::When, &when));
}
