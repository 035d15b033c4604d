//! `promote`: makes a shadow hook enforce. Changes its setting in its file, and nothing else there.

use std::path::Path;
use std::sync::Arc;

use tenterhook::engine::Builder;
use tenterhook::trust::State;
use tenterhook_core::config::{self, Added, Ruleset, Source};
use tenterhook_core::diagnostic::{Location, Severity, nearest_word};
use tenterhook_core::hook::{Enforcement, Hook, HookId};

use super::change::replace_text_atomically;
use super::trust;
use crate::ambient::Here;
use crate::args::{Promote, Which};
use crate::exit::Exit;
use crate::load::{self, Loaded, shorten_path};
use crate::pack::Pack;
use crate::problem::Problem;
use crate::show::diff;
use crate::show::layout::format_count;
use crate::show::paint::{GOOD, HELP, paint};
use crate::term::Term;

/// What the word becomes.
const ENFORCE: &str = "enforce";

pub(crate) fn run(args: &Promote, here: &Here, term: Term) -> Result<Exit, Problem> {
    let which = Which { config: args.config.clone(), dialect: None, compat: None };
    let mut loaded = load::load_hooks(&which, here)?;
    let ruleset = loaded.build_engine(Builder::self_protection).ruleset();
    let meant = find_shadow_hooks(&args.name, &ruleset, here)?;
    let edits = plan_edits(&meant, &ruleset, here)?;
    let mut changed = Vec::new();
    for (source, text) in texts_with_edits_applied(&edits, &loaded)? {
        require_text_enforces_hooks(source, &text, &meant, here)?;
        let shown = loaded.texts.display_name(&source.name);
        term.print_data(&format!("{}\n", diff::unified_diff(shown, &source.text, &text)))?;
        changed.push((source, text));
    }
    let hooks = format_count(meant.hooks.len(), "hook");
    if args.diff {
        term.print_data(&format!("{}\n", paint(HELP, format!("{hooks} would count"))))?;
        return Ok(Exit::Good);
    }
    for (source, text) in changed {
        let path = Path::new(&*source.name);
        // What the person did not approve before is not approved with it.
        let is_approved = here.trust_store().review(source).state == State::Approved;
        replace_text_atomically(path, &text).map_err(|error| {
            let shown = loaded.texts.display_name(&source.name);
            Problem::new(format!("`{shown}` cannot be written: {error}"))
        })?;
        if is_approved {
            trust::approve_written_file(path, here, term);
        }
    }
    let verb = if meant.hooks.len() == 1 { "counts" } else { "count" };
    term.print_data(&format!("{}\n", paint(GOOD, format!("{hooks} {verb} from now on"))))?;
    Ok(Exit::Good)
}

/// The hooks in shadow that a name is about.
struct Meant<'r> {
    hooks: Vec<&'r Arc<Hook>>,
    /// Whether they are all of a file.
    is_file: bool,
}

fn find_shadow_hooks<'r>(
    name: &str,
    ruleset: &'r Ruleset,
    here: &Here,
) -> Result<Meant<'r>, Problem> {
    let shadows = || ruleset.hooks().iter().filter(|hook| hook.enforcement.is_shadow());
    // Lists name a hook without its own name by what it runs.
    let is_called = |hook: &Arc<Hook>| hook.id.as_str() == name || hook.short_name() == name;
    let named: Vec<_> = shadows().filter(|hook| is_called(hook)).collect();
    if !named.is_empty() {
        return Ok(Meant { hooks: named, is_file: false });
    }
    let file = |hook: &&Arc<Hook>| {
        let Some(place) = &hook.place else { return false };
        let path = Path::new(&*place.file);
        let pack = Pack::find_by_name(name).map(Pack::file_name);
        path == here.roots.cwd.join(name)
            || shorten_path(&place.file, &here.roots) == name
            || pack.is_some_and(|pack| path.file_name().is_some_and(|name| *name == *pack))
    };
    let of_file: Vec<_> = shadows().filter(file).collect();
    if !of_file.is_empty() {
        return Ok(Meant { hooks: of_file, is_file: true });
    }
    let known = ruleset.hooks().iter().any(is_called);
    let message = match known {
        true => format!("hook `{name}` is not in shadow: it counts already"),
        false => format!("no hook in shadow is called `{name}`, and no file of such hooks"),
    };
    let names: Vec<String> = shadows().map(|hook| hook.short_name()).collect();
    let help = match nearest_word(name, names.iter().map(String::as_str)) {
        Some(near) if !known => format!("did you mean `{near}`?"),
        _ => "`tenterhook list` says which hooks are in shadow".to_owned(),
    };
    Err(Problem::new(message).with_help(help))
}

/// One change: what is put at a place of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    /// The position of the setting, or the name of the entry that gets one.
    place: Location,
    is_new: bool,
}

fn plan_edits(meant: &Meant<'_>, ruleset: &Ruleset, here: &Here) -> Result<Vec<Edit>, Problem> {
    let mut edits = Vec::new();
    for hook in &meant.hooks {
        let Enforcement::Shadow { place: Some(word), .. } = &hook.enforcement else { continue };
        let is_shared = ruleset.hooks().iter().any(|other| {
            let same = matches!(&other.enforcement, Enforcement::Shadow { place: Some(location), .. } if location == word);
            same && other.id != hook.id
        });
        let edit = match (&hook.place, meant.is_file || !is_shared) {
            (_, true) => Edit { place: word.clone(), is_new: false },
            (Some(own), false) if own.file == word.file => {
                Edit { place: own.clone(), is_new: true }
            }
            _ => return Err(shared_setting_problem(hook, word, here)),
        };
        edits.push(edit);
    }
    edits.sort();
    edits.dedup();
    Ok(edits)
}

fn shared_setting_problem(hook: &Hook, word: &Location, here: &Here) -> Problem {
    let by = shorten_path(&word.file, &here.roots);
    let message = format!(
        "{by}:{} puts all hooks of a file into shadow, `{}` among them",
        word.line,
        hook.short_name()
    );
    let file = hook
        .place
        .as_ref()
        .map(|location| shorten_path(&location.file, &here.roots))
        .unwrap_or_default();
    Problem::new(message).with_help(format!("`tenterhook promote {file}` lets all of them count"))
}

/// Returns the files with the edits applied, without writing them.
fn texts_with_edits_applied<'l>(
    edits: &[Edit],
    loaded: &'l Loaded,
) -> Result<Vec<(&'l Source, String)>, Problem> {
    let mut files: Vec<(&Source, String)> = Vec::new();
    // Start at the end, so that no edit moves the position of an earlier one.
    for edit in edits.iter().rev() {
        let source = loaded.sources.iter().find(|source| source.name == edit.place.file);
        let lost = || Problem::new(format!("`{}` is not among the files read", edit.place.file));
        let source = source.ok_or_else(lost)?;
        let at =
            files.iter().position(|(other, _)| other.name == source.name).unwrap_or_else(|| {
                files.push((source, source.text.to_string()));
                files.len() - 1
            });
        if let Some((_, text)) = files.get_mut(at) {
            edit_setting_in_text(text, edit).ok_or_else(|| manual_edit_problem(loaded, edit))?;
        }
    }
    Ok(files)
}

fn manual_edit_problem(loaded: &Loaded, edit: &Edit) -> Problem {
    let file = loaded.texts.display_name(&edit.place.file);
    Problem::new(format!("{file}:{} cannot be changed automatically", edit.place.line))
        .with_help("write `mode = \"enforce\"` there")
}

/// Writes the setting; `None` if the text cannot be changed without guessing.
fn edit_setting_in_text(text: &mut String, edit: &Edit) -> Option<()> {
    let span = edit.place.span;
    if !edit.is_new {
        let written = text.get(span.start..span.end)?;
        let new = written.replacen("shadow", ENFORCE, 1);
        (new != written).then(|| text.replace_range(span.start..span.end, &new))
    } else if text.trim_start().starts_with('{') {
        let brace = span.end + text.get(span.end..)?.find('{')? + 1;
        text.insert_str(brace, &format!("\"mode\": \"{ENFORCE}\", "));
        Some(())
    } else {
        let begin = text.get(..span.start)?.rfind('\n').map_or(0, |n| n + 1);
        let end = span.start + text.get(span.start..)?.find('\n')?;
        let head = text.get(begin..end)?.split('#').next()?.trim();
        let is_table = head.starts_with('[') && head.ends_with(']');
        is_table.then(|| text.insert_str(end + 1, &format!("mode = \"{ENFORCE}\"\n")))
    }
}

/// Checks that the new text enforces exactly the requested hooks: otherwise nothing is written.
fn require_text_enforces_hooks(
    source: &Source,
    text: &str,
    meant: &Meant<'_>,
    here: &Here,
) -> Result<(), Problem> {
    let read = |text: &str| {
        let source = Source { text: Arc::from(text), ..source.clone() };
        config::load(&[source], &Added::default(), None)
    };
    let (before, after) = (read(&source.text), read(text));
    let errors = |loaded: &config::Loaded| {
        loaded
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .count()
    };
    let is_promoted = |id: &HookId| meant.hooks.iter().any(|hook| hook.id == *id);
    let mut left = after.ruleset.hooks().iter().filter(|hook| is_promoted(&hook.id));
    if errors(&after) > errors(&before) || left.any(|hook| hook.enforcement.is_shadow()) {
        let file = shorten_path(&source.name, &here.roots);
        let problem = Problem::new(format!("`{file}` cannot be changed automatically"));
        return Err(problem.with_help("write `mode = \"enforce\"` there yourself"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_core::diagnostic::Span;

    fn changed(text: &str, at: &str, is_new: bool) -> Option<String> {
        let start = text.find(at).expect("it is there");
        let span = Span::new(start, start + at.len());
        let place = Location::find(&Arc::from("f"), text, span);
        let mut text = text.to_owned();
        edit_setting_in_text(&mut text, &Edit { place, is_new }).map(|()| text)
    }

    /// SH-11.
    #[test]
    fn a_word_is_changed_and_nothing_else() {
        let kept = "# why\n[hook.a]   # here\r\nmode   = 'shadow' # tried since Monday\n";
        let text = changed(kept, "'shadow'", false).expect("changed");
        assert_eq!(text, kept.replace("'shadow'", "'enforce'"));
        let json = r#"{"hook": {"a": {"mode": "shadow"}}}"#;
        let text = changed(json, "\"shadow\"", false).expect("changed");
        assert_eq!(text, json.replace("shadow", "enforce"));
        assert_eq!(changed("mode = \"\\u0073hadow\"", "\"\\u0073hadow\"", false), None);
    }

    /// SH-11.
    #[test]
    fn an_entry_gets_a_word_of_its_own() {
        let text = "mode = 'shadow'\n\n[hook.a] # a\non = 'Stop'\n";
        let output = changed(text, "a] #", true).expect("changed");
        assert_eq!(output, text.replace("# a\n", "# a\nmode = \"enforce\"\n"));
        let json = r#"{"mode": "shadow", "hook": {"a": {"on": "Stop"}}}"#;
        let text = changed(json, "\"a\"", true).expect("changed");
        assert_eq!(text, json.replace("{\"on\"", "{\"mode\": \"enforce\", \"on\""));
        assert_eq!(changed("[hook]\na = { on = 'Stop' }\n", "a =", true), None);
    }
}
