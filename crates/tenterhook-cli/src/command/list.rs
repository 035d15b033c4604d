//! `list`: the configured hooks, file by file.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenterhook::engine::Builder;
use tenterhook_core::config::{Ruleset, Source, is_tenterhook_entry};
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
        load::load_hooks(&which, here)?
    };
    loaded.announce_files(term, &here.roots);
    let engine = || loaded.build_engine(Builder::self_protection);
    let ruleset = term.run_with_progress("reading hooks", engine).ruleset();
    loaded.print_warnings(term);
    match args.output.format {
        Format::Json => print_json(&to_json(&loaded, &ruleset), term)?,
        Format::Text => term.print_data(&to_text(&loaded, &ruleset, term.width()))?,
    }
    Ok(Exit::Good)
}

/// Returns the matcher as people write it.
fn matcher_text(hook: &Hook) -> String {
    match hook.matcher.spec() {
        MatcherSpec::Any => "*".to_owned(),
        MatcherSpec::Words(words) => words.join("|"),
        MatcherSpec::Regex(text) => format!("/{text}/"),
        MatcherSpec::Never(_) => "never".to_owned(),
    }
}

fn effective_timeout(ruleset: &Ruleset, hook: &Hook) -> Duration {
    hook.effective_timeout(&ruleset.event_row(hook.dialect, &hook.event))
}

/// Returns what the hook runs, as short as possible: without the directory of the project, and
/// after the hook's own name if it has one.
fn command_text(hook: &Hook, loaded: &Loaded) -> String {
    let text = hook.run.one_line_description();
    let line = shorten_command(&text, &loaded.cwd).unwrap_or(text);
    hook.configured_name().map_or_else(|| line.clone(), |name| format!("{name}: {line}"))
}

/// Shortens a command whose first word is `"$VARIABLE"/file`, or a file under `cwd`, by that
/// prefix.
fn shorten_command(text: &str, cwd: &Path) -> Option<String> {
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

const fn waiting_mode_name(hook: &Hook) -> &'static str {
    match hook.wait {
        Wait::Attached => "attached",
        Wait::Detached => "detached",
        Wait::Rewake => "rewake",
    }
}

fn to_json(loaded: &Loaded, ruleset: &Ruleset) -> Value {
    let hooks: Vec<Value> = configured_hooks(ruleset)
        .enumerate()
        .map(|(ordinal, hook)| {
            let place = hook.place.as_ref();
            let (because, rule) = hook.arming.disabled_reason().unzip();
            json!({
                "ordinal": ordinal,
                "id": hook.id.as_str(),
                "event": hook.event.as_str(),
                "own_event": hook.own_event_name(),
                "matcher": matcher_text(hook),
                "if": hook.condition.as_ref().map(|condition| condition.text()),
                "executor": hook.run.executor_name(),
                "runs": hook.run.one_line_description(),
                "dialect": hook.dialect.as_str(),
                "layer": hook.layer.as_str(),
                "source": place.map(|location| loaded.texts.display_name(&location.file)),
                "line": place.map(|location| location.line),
                "timeout": effective_timeout(ruleset, hook).as_secs_f64(),
                "on_failure": reach::effective_on_failure(ruleset, hook).as_str(),
                "wait": waiting_mode_name(hook),
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
            let file = loaded.texts.display_name(&source.name);
            json!({ "file": file, "dialect": source.dialect.as_str(), "layer": source.layer.as_str() })
        })
        .collect();
    let built_in: Vec<Value> = built_in_hooks(ruleset)
        .map(|hook| json!({ "id": hook.id.as_str(), "armed": hook.arming == Arming::Armed }))
        .collect();
    json!({ "hooks": hooks, "files": files, "built_in": built_in })
}

/// Returns the hooks that are configured in files.
fn configured_hooks(ruleset: &Ruleset) -> impl Iterator<Item = &Arc<Hook>> {
    ruleset.hooks().iter().filter(|hook| hook.layer != Layer::BuiltIn)
}

/// Returns the built-in rules, which apply without a file.
fn built_in_hooks(ruleset: &Ruleset) -> impl Iterator<Item = &Arc<Hook>> {
    ruleset.hooks().iter().filter(|hook| hook.layer == Layer::BuiltIn)
}

/// Lists the built-in rules in one line after the other hooks, because they belong to no file.
fn built_in_line(ruleset: &Ruleset, width: usize) -> String {
    let (on, off): (Vec<_>, Vec<_>) =
        built_in_hooks(ruleset).partition(|hook| hook.arming == Arming::Armed);
    let rules = layout::format_count(on.len(), "rule");
    let shadow = on.iter().any(|hook| hook.enforcement.is_shadow());
    let rules = if shadow { format!("{rules} in shadow") } else { rules };
    let off = if off.is_empty() { String::new() } else { format!(", {} off", off.len()) };
    let shows = format!("(`tenterhook rules show {}`)", protect::NAME);
    let line = format!("built in: {}, {rules}{off} {shows}", protect::NAME);
    format!("{}\n", paint(DIM, layout::wrap_indented(&line, width)))
}

fn to_text(loaded: &Loaded, ruleset: &Ruleset, width: usize) -> String {
    let mut out = String::new();
    for source in &loaded.sources {
        out.push_str(&render_source_hooks(source, loaded, ruleset, width));
    }
    let hooks = configured_hooks(ruleset).filter(|hook| !is_tenterhook_entry(&hook.run)).count();
    let armed = configured_hooks(ruleset).filter(|hook| hook.arming == Arming::Armed).count();
    let off = if armed == hooks { String::new() } else { format!(", {armed} in force") };
    let is_shadow =
        |hook: &&Arc<Hook>| hook.enforcement.is_shadow() && hook.arming == Arming::Armed;
    let off = match configured_hooks(ruleset).filter(is_shadow).count() {
        0 => off,
        shadows => format!("{off}, {shadows} in shadow"),
    };
    out.push_str(&format!("{}{off}\n", layout::format_count(hooks, "hook")));
    out.push_str(&built_in_line(ruleset, width));
    out
}

fn render_source_hooks(
    source: &Source,
    loaded: &Loaded,
    ruleset: &Ruleset,
    width: usize,
) -> String {
    let is_here =
        |hook: &&Arc<Hook>| hook.place.as_ref().is_some_and(|place| place.file == source.name);
    let labels = ruleset.hooks().iter().filter(is_here);
    let labels = labels.map(|hook| hook.event_label().to_string());
    let mut table = Table::new(&[
        Column::right_aligned("LINE"),
        Column::wrapping_at_words("EVENT", labels),
        Column::new("MATCHER", Give::Fold),
        Column::new("RUNS", Give::Fold).shrinking_last(),
        Column::right_aligned("LIMIT"),
        Column::new("FAILURE", Give::Keep),
    ]);
    let (mut empty, mut own) = (true, 0);
    for hook in ruleset.hooks() {
        let Some(place) = hook.place.as_ref().filter(|at| at.file == source.name) else { continue };
        if is_tenterhook_entry(&hook.run) {
            own += 1;
            continue;
        }
        empty = false;
        let off = hook.arming != Arming::Armed;
        let style = if off { DIM } else { PLAIN };
        table.push_row([
            Cell::new(DIM, place.line.to_string()),
            Cell::new(style, hook.event_label().to_string()),
            Cell::new(style, matcher_text(hook)),
            Cell::new(style, command_text(hook, loaded)),
            Cell::new(style, layout::format_duration(effective_timeout(ruleset, hook))),
            Cell::new(style, reach::effective_on_failure(ruleset, hook).as_str()),
        ]);
        add_notes_below_hook_row(&mut table, hook, ruleset);
    }
    let about = format!("({}, {})", source.dialect, source.layer.as_str());
    let shown = loaded.texts.display_name(&source.name);
    let title = format!("{} {}\n", paint(BOLD, shown), paint(DIM, about));
    let own = skipped_entries_line(own);
    match (empty, own.is_empty()) {
        (true, true) => format!("{title}  no hooks\n\n"),
        (true, false) => format!("{title}{own}\n"),
        (false, _) => format!("{title}{}{own}\n", table.render(width)),
    }
}

/// Adds the notes below the row of a hook: its condition, and why it does not run, does not delay
/// the event or has no effect.
fn add_notes_below_hook_row(table: &mut Table, hook: &Hook, ruleset: &Ruleset) {
    if let Some(condition) = &hook.condition {
        table.add_note(1, Cell::new(DIM, format!("if {}", condition.text())));
    }
    if hook.wait != Wait::Attached {
        table.add_note(1, Cell::new(DIM, "in the background: the event does not wait for it"));
    }
    if let Some((because, rule)) = hook.arming.disabled_reason() {
        table.add_note(1, Cell::new(WARNING, format!("off: {because} ({rule})")));
    }
    if let Enforcement::Shadow { because, .. } = &hook.enforcement {
        let note = format!("in shadow, nothing of it counts: {because} (SH-6)");
        table.add_note(1, Cell::new(WARNING, note));
    }
    if let Run::Unusable { part, why } = &hook.run {
        let consequence = reach::failure_consequence(ruleset, hook);
        let note = format!("{why}; {consequence} ({})", part.spec_rule_number());
        table.add_note(1, Cell::new(WARNING, note));
    }
}

/// Names the entries with which an agent calls Tenterhook, in one line: they are not hooks of the
/// user (BR-31).
fn skipped_entries_line(entries: usize) -> String {
    if entries == 0 {
        return String::new();
    }
    let entries = layout::format_entry_count(entries);
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
            assert_eq!(shorten_command(text, Path::new("/repo")).as_deref(), expected, "{text}");
        }
    }
}
