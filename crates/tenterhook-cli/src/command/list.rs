//! `list`: the configured hooks, file by file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenterhook::engine::Builder;
use tenterhook_core::config::{Ruleset, Source, is_own};
use tenterhook_core::hook::{Arming, Enforcement, Hook, Layer, Run, Wait};
use tenterhook_core::matcher::MatcherSpec;
use tenterhook_core::protect;

use super::print_json;
use crate::ambient::Here;
use crate::args::{Format, List};
use crate::exit::Exit;
use crate::load::{self, Loaded};
use crate::problem::Problem;
use crate::reach;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM, PLAIN, WARNING, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

pub(crate) fn run(args: &List, here: &Here, term: Term) -> Result<Exit, Problem> {
    let mut loaded = {
        let mut which = args.which.clone();
        which.config.extend(args.files.iter().cloned());
        load::load(&which, here)?
    };
    loaded.announce(term, &here.roots);
    let engine = || loaded.engine(Builder::self_protection);
    let ruleset = term.doing("reading hooks", engine).ruleset();
    loaded.warn(term);
    match args.output.format {
        Format::Json => print_json(&to_json(&loaded, &ruleset), term)?,
        Format::Text => term.data(&to_text(&loaded, &ruleset, term.width()))?,
    }
    Ok(Exit::Good)
}

/// The matcher as people write it.
fn matcher(hook: &Hook) -> String {
    match hook.matcher.spec() {
        MatcherSpec::Any => "*".to_owned(),
        MatcherSpec::Words(words) => words.join("|"),
        MatcherSpec::Regex(text) => format!("/{text}/"),
        MatcherSpec::Never(_) => "never".to_owned(),
    }
}

fn timeout(ruleset: &Ruleset, hook: &Hook) -> Duration {
    hook.time(&ruleset.row(hook.dialect, &hook.event))
}

/// What runs, as short as it can be said: without the directory that everything here begins with, and behind the hook's
/// own name where it has one.
fn runs(hook: &Hook, loaded: &Loaded) -> String {
    let text = hook.run.line();
    let line = shortened(&text, &loaded.cwd).unwrap_or(text);
    hook.own_name().map_or_else(|| line.clone(), |name| format!("{name}: {line}"))
}

/// A command whose first word is `"$SOMEWHERE"/file`, or a file under `cwd`, without that start.
fn shortened(text: &str, cwd: &Path) -> Option<String> {
    let (directory, rest) = text.split_once('/')?;
    let variable = directory.trim_matches('"');
    if variable.starts_with('$') && !variable.contains([' ', '(']) {
        // A quote that was opened before the variable may be closed behind the file.
        let is_open = directory.matches('"').count() == 1;
        return Some(if is_open { rest.replacen('"', "", 1) } else { rest.to_owned() });
    }
    let rest = text.strip_prefix(&*cwd.to_string_lossy())?.trim_start_matches('/');
    Some(rest.to_owned())
}

const fn wait(hook: &Hook) -> &'static str {
    match hook.wait {
        Wait::Attached => "attached",
        Wait::Detached => "detached",
        Wait::Rewake => "rewake",
    }
}

fn to_json(loaded: &Loaded, ruleset: &Ruleset) -> Value {
    let hooks: Vec<Value> = configured(ruleset)
        .enumerate()
        .map(|(ordinal, hook)| {
            let place = hook.place.as_ref();
            let (because, rule) = hook.arming.off().unzip();
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "own_event": hook.own_event(),
                "matcher": matcher(hook),
                "if": hook.condition.as_ref().map(|condition| condition.text()),
                "executor": hook.run.executor(),
                "runs": hook.run.line(),
                "dialect": hook.dialect.as_str(),
                "layer": hook.layer.as_str(),
                "source": place.map(|location| loaded.texts.shown(&location.file)),
                "line": place.map(|location| location.line),
                "timeout": timeout(ruleset, hook).as_secs_f64(),
                "on_failure": reach::on_failure(ruleset, hook).as_str(),
                "wait": wait(hook),
                "once": hook.once,
                "armed": because.is_none(),
                "because": because,
                "rule": rule,
                "mode": hook.enforcement.as_str(),
            })
        })
        .collect();
    let files: Vec<Value> = loaded
        .sources
        .iter()
        .map(|source| {
            let file = loaded.texts.shown(&source.name);
            json!({ "file": file, "dialect": source.dialect.as_str(), "layer": source.layer.as_str() })
        })
        .collect();
    let built_in: Vec<Value> = built_in(ruleset)
        .map(|hook| json!({ "id": hook.id.as_str(), "armed": hook.arming == Arming::Armed }))
        .collect();
    json!({ "hooks": hooks, "files": files, "built_in": built_in })
}

/// The hooks of files.
fn configured(ruleset: &Ruleset) -> impl Iterator<Item = &Arc<Hook>> {
    ruleset.hooks().iter().filter(|hook| hook.layer != Layer::BuiltIn)
}

/// The rules that the program brings and that are on without a file.
fn built_in(ruleset: &Ruleset) -> impl Iterator<Item = &Arc<Hook>> {
    ruleset.hooks().iter().filter(|hook| hook.layer == Layer::BuiltIn)
}

/// Built-in rules belong to no file, so one line after the other hooks names them.
fn built_in_line(ruleset: &Ruleset, width: usize) -> String {
    let (on, off): (Vec<_>, Vec<_>) =
        built_in(ruleset).partition(|hook| hook.arming == Arming::Armed);
    let rules = layout::count(on.len(), "rule");
    let shadow = on.iter().any(|hook| hook.enforcement.is_shadow());
    let rules = if shadow { format!("{rules} in shadow") } else { rules };
    let off = if off.is_empty() { String::new() } else { format!(", {} off", off.len()) };
    let shows = format!("(`tenterhook rules show {}`)", protect::NAME);
    let line = format!("built in: {}, {rules}{off} {shows}", protect::NAME);
    format!("{}\n", paint(DIM, layout::flow(&line, width)))
}

fn to_text(loaded: &Loaded, ruleset: &Ruleset, width: usize) -> String {
    let mut out = String::new();
    for source in &loaded.sources {
        out.push_str(&of_source(source, loaded, ruleset, width));
    }
    let hooks = configured(ruleset).filter(|hook| !is_own(&hook.run)).count();
    let armed = configured(ruleset).filter(|hook| hook.arming == Arming::Armed).count();
    let off = if armed == hooks { String::new() } else { format!(", {armed} in force") };
    let is_shadow =
        |hook: &&Arc<Hook>| hook.enforcement.is_shadow() && hook.arming == Arming::Armed;
    let off = match configured(ruleset).filter(is_shadow).count() {
        0 => off,
        shadows => format!("{off}, {shadows} in shadow"),
    };
    out.push_str(&format!("{}{off}\n", layout::count(hooks, "hook")));
    out.push_str(&built_in_line(ruleset, width));
    out
}

fn of_source(source: &Source, loaded: &Loaded, ruleset: &Ruleset, width: usize) -> String {
    let is_here =
        |hook: &&Arc<Hook>| hook.place.as_ref().is_some_and(|place| place.file == source.name);
    let labels = ruleset.hooks().iter().filter(is_here);
    let labels = labels.map(|hook| hook.event_label().to_string());
    let mut table = Table::new(&[
        Column::right("LINE"),
        Column::of_words("EVENT", labels),
        Column::new("MATCHER", Give::Fold),
        Column::new("RUNS", Give::Fold).favoured(),
        Column::right("LIMIT"),
        Column::new("FAILURE", Give::Keep),
    ]);
    let (mut empty, mut own) = (true, 0);
    for hook in ruleset.hooks() {
        let Some(place) = hook.place.as_ref().filter(|at| at.file == source.name) else { continue };
        if is_own(&hook.run) {
            own += 1;
            continue;
        }
        empty = false;
        let off = hook.arming != Arming::Armed;
        let style = if off { DIM } else { PLAIN };
        table.row([
            Cell::new(DIM, place.line.to_string()),
            Cell::new(style, hook.event_label().to_string()),
            Cell::new(style, matcher(hook)),
            Cell::new(style, runs(hook, loaded)),
            Cell::new(style, layout::time(timeout(ruleset, hook))),
            Cell::new(style, reach::on_failure(ruleset, hook).as_str()),
        ]);
        if let Some(condition) = &hook.condition {
            table.note(1, Cell::new(DIM, format!("if {}", condition.text())));
        }
        if hook.wait != Wait::Attached {
            table.note(1, Cell::new(DIM, "in the background: the event does not wait for it"));
        }
        if let Some((because, rule)) = hook.arming.off() {
            table.note(1, Cell::new(WARNING, format!("off: {because} ({rule})")));
        }
        if let Enforcement::Shadow { because, .. } = &hook.enforcement {
            let note = format!("in shadow, nothing of it counts: {because} (SH-6)");
            table.note(1, Cell::new(WARNING, note));
        }
        if let Run::Unusable { part, why } = &hook.run {
            let note = format!("{why}; {} ({})", reach::without_answer(ruleset, hook), part.rule());
            table.note(1, Cell::new(WARNING, note));
        }
    }
    let about = format!("({}, {})", source.dialect, source.layer.as_str());
    let shown = loaded.texts.shown(&source.name);
    let title = format!("{} {}\n", paint(BOLD, shown), paint(DIM, about));
    let own = calls(own);
    match (empty, own.is_empty()) {
        (true, true) => format!("{title}  no hooks\n\n"),
        (true, false) => format!("{title}{own}\n"),
        (false, _) => format!("{title}{}{own}\n", table.render(width)),
    }
}

/// The entries with which an agent calls Tenterhook, in one line: they are no hooks of the user's (BR-31).
fn calls(entries: usize) -> String {
    if entries == 0 {
        return String::new();
    }
    let entries = layout::entries(entries);
    format!("  {}\n", paint(DIM, format!("{entries} of Tenterhook itself, skipped (BR-31)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_the_directory_that_it_begins_with() {
        for (text, expected) in [
            ("\"$CLAUDE_PROJECT_DIR\"/a/b.sh x", Some("a/b.sh x")),
            ("\"${CLAUDE_PROJECT_DIR}/a b.sh\" \"y\"", Some("a b.sh \"y\"")),
            ("$HOME/a.sh", Some("a.sh")),
            ("/repo/a.sh", Some("a.sh")),
            ("echo $HOME/a", None),
            ("true", None),
        ] {
            assert_eq!(shortened(text, Path::new("/repo")).as_deref(), expected, "{text}");
        }
    }
}
