//! `rules`: the packs of rules that the program brings, and putting one where hooks are read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook_core::diagnostic::nearest_word;

use super::change::{Readers, write_file_atomically};
use super::install::files::read_if_exists;
use super::{print_json, trust};
use crate::ambient::Here;
use crate::args::{Format, Output, Rules, RulesDo};
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::pack::{self, PACKS, Pack, PackRule};
use crate::problem::Problem;
use crate::show::layout;
use crate::show::paint::{BOLD, DIM, HELP, PLAIN, paint};
use crate::show::table::{Cell, Column, Give, Table};
use crate::term::Term;

pub(crate) fn run(args: &Rules, here: &Here, term: Term) -> Result<Exit, Problem> {
    match &args.what {
        RulesDo::List(output) => print_packs(output, here, term)?,
        RulesDo::Show { pack, rule, output } => {
            print_pack_or_rule(find_pack(pack)?, rule.as_deref(), output, here, term)?;
        }
        RulesDo::Add { pack, project, force } => {
            let place =
                if *project { project_config_directory(here) } else { user_config_directory(here) };
            add_pack(find_pack(pack)?, &place, *force, here, term)?;
        }
        RulesDo::Remove { pack, project, force } => {
            let place =
                if *project { project_config_directory(here) } else { user_config_directory(here) };
            remove_pack(find_pack(pack)?, &place, *force, here, term)?;
        }
    }
    Ok(Exit::Good)
}

fn find_pack(name: &str) -> Result<&'static Pack, Problem> {
    Pack::find_by_name(name).ok_or_else(|| {
        let names: Vec<&str> = PACKS.iter().map(|pack| pack.name).collect();
        let help = match nearest_word(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the packs are {}", names.join(", ")),
        };
        Problem::new(format!("there is no pack `{name}`")).with_help(help)
    })
}

fn user_config_directory(here: &Here) -> PathBuf {
    let config = here.roots.user_config.clone().unwrap_or_else(|| here.roots.home.join(".config"));
    config.join("tenterhook")
}

fn project_config_directory(here: &Here) -> PathBuf {
    here.roots.repository.clone().unwrap_or_else(|| here.roots.cwd.clone())
}

/// Returns the installed files of a pack, and whether each was edited.
fn installed_files(pack: &Pack, here: &Here) -> Vec<(String, bool)> {
    let directories = [user_config_directory(here), project_config_directory(here)].into_iter();
    let place = |directory: PathBuf| {
        let file = directory.join(pack.file_name());
        let text = discover::read_config_file(&file).ok()?;
        Some((shorten_path(&file.to_string_lossy(), &here.roots), *text != *pack.text))
    };
    directories.filter_map(place).collect()
}

fn print_packs(output: &Output, here: &Here, term: Term) -> Result<(), Problem> {
    if output.format == Format::Json {
        let packs: Vec<Value> =
            PACKS.iter().map(|pack| pack_json(pack, &pack.rules(), here)).collect();
        return print_json(&json!({ "packs": packs }), term);
    }
    let mut out = String::new();
    for pack in PACKS {
        let about = format!("{}: {}", layout::format_count(pack.rules().len(), "rule"), pack.about);
        let text = format!("{}  {about}", paint(BOLD, pack.name));
        out.push_str(&format!("{}\n", layout::wrap_indented(&text, term.width())));
        if pack.built_in {
            out.push_str(&format!("  {}\n", paint(DIM, "built in and on")));
        }
        for (file, changed) in installed_files(pack, here) {
            let changed = if changed { ", changed" } else { "" };
            out.push_str(&format!("  {}\n", paint(DIM, format!("in {file}{changed}"))));
        }
    }
    term.print_data(&out)
}

fn pack_json(pack: &Pack, rules: &[PackRule<'_>], here: &Here) -> Value {
    let rule = |rule: &PackRule<'_>| {
        json!({
            "id": format!("{}/{}", pack.name, rule.name),
            "decision": rule.decision,
            "about": rule.about,
            "example": rule.example,
            "entry": rule.text,
        })
    };
    let place = |(file, changed)| json!({ "file": file, "changed": changed });
    json!({
        "name": pack.name,
        "about": pack.about,
        "built_in": pack.built_in,
        "places": installed_files(pack, here).into_iter().map(place).collect::<Vec<_>>(),
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    })
}

fn print_pack_or_rule(
    pack: &Pack,
    rule: Option<&str>,
    output: &Output,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    let mut rules = pack.rules();
    if let Some(name) = rule {
        rules = vec![find_rule(pack, rules, name)?];
    }
    if output.format == Format::Json {
        return print_json(&json!({ "packs": [pack_json(pack, &rules, here)] }), term);
    }
    match rules.as_slice() {
        [one] if rule.is_some() => print_rule(pack, one, term),
        all => term.print_data(&rules_table(all).render(term.width())),
    }
}

fn rules_table(rules: &[PackRule<'_>]) -> Table {
    let mut table = Table::new(&[
        Column::new("RULE", Give::Keep),
        Column::new("SAYS", Give::Keep),
        Column::new("WHEN", Give::Wrap),
    ]);
    for rule in rules {
        table.push_row([
            Cell::new(BOLD, rule.name),
            Cell::new(HELP, rule.decision),
            Cell::new(PLAIN, rule.about.as_str()),
        ]);
        table.add_note(2, Cell::new(DIM, rule.example));
    }
    table
}

fn find_rule<'a>(
    pack: &Pack,
    rules: Vec<PackRule<'a>>,
    name: &str,
) -> Result<PackRule<'a>, Problem> {
    let name = name.strip_prefix(&format!("{}/", pack.name)).unwrap_or(name);
    let near = nearest_word(name, rules.iter().map(|rule| rule.name));
    let help = near.map_or_else(
        || format!("`tenterhook rules show {}` lists them", pack.name),
        |near| format!("did you mean `{near}`?"),
    );
    rules.into_iter().find(|rule| rule.name == name).ok_or_else(|| {
        Problem::new(format!("`{}` has no rule `{name}`", pack.name)).with_help(help)
    })
}

fn print_rule(pack: &Pack, rule: &PackRule<'_>, term: Term) -> Result<(), Problem> {
    if pack.built_in {
        return term.print_data(&format!("{}\n\n# It is built in: {BUILT_IN}.\n", rule.text));
    }
    let off = format!(
        "# To switch it off, write into `tenterhook.toml`:\n#\n#     {}\n",
        disabling_entry(pack, rule.name).replace('\n', "\n#     ")
    );
    term.print_data(&format!("{}\n\n{off}", rule.text))
}

/// What to do instead of removing a pack that is built in.
const BUILT_IN: &str = "`[protect]` with `writable` in your own `tenterhook.toml` leaves files to an agent; a managed file can switch a rule off";

/// Returns the config entry that switches a rule off.
fn disabling_entry(pack: &Pack, rule: &str) -> String {
    format!("[hook.\"{}/{rule}\"]\nenabled = false", pack.name)
}

/// Writes the pack's file into a directory. A file that was edited stays, unless `force` is set.
fn add_pack(
    pack: &Pack,
    directory: &Path,
    force: bool,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    if pack.built_in {
        return term.print_data(&format!(
            "`{}` is built in, and on already: it needs no file\n",
            pack.name
        ));
    }
    let file = directory.join(pack.file_name());
    let shown = shorten_path(&file.to_string_lossy(), &here.roots);
    let cannot = |error: io::Error| Problem::new(format!("`{shown}` cannot be written: {error}"));
    let there = match read_if_exists(&file) {
        Ok(there) => there,
        Err(error) => return Err(Problem::new(format!("`{shown}` cannot be read: {error}"))),
    };
    if let Some(text) = there.as_deref() {
        if text == pack.text {
            return term.print_data(&format!("{shown} has `{}` already, as it is\n", pack.name));
        }
        if !force {
            let message =
                format!("`{shown}` differs from the pack: {}", rule_differences(pack, text));
            return Err(Problem::new(message).with_help(
                "`--force` replaces the file; keep what you changed in `tenterhook.toml`, where an entry with `enabled = false` switches a rule off",
            ));
        }
    }
    if let Some(home) = discover::missing_home_above(&file) {
        return Err(cannot(io::Error::other(discover::missing_home_message(&home))));
    }
    write_file_atomically(&file, pack.text, Readers::Usual).map_err(cannot)?;
    trust::approve_written_file(&file, here, term);
    let done = if there.is_some() { "replaced" } else { "wrote" };
    let count = layout::format_count(pack.rules().len(), "rule");
    term.print_data(&format!("{done} {shown}: {count}, which `tenterhook fire` and hosts with this engine read from now on\n"))?;
    if let Some(first) = pack.rules().first() {
        let entry = disabling_entry(pack, first.name).replace('\n', "\n    ");
        term.print_note(&format!(
            "\nto switch one off, write into tenterhook.toml beside it:\n\n    {entry}\n"
        ));
        term.print_labelled_note(
            HELP,
            "hint:",
            &format!("`tenterhook rules show {}` lists the rules", pack.name),
        );
    }
    Ok(())
}

/// Removes the pack's file. A file that was edited stays, unless `force` is set.
fn remove_pack(
    pack: &Pack,
    directory: &Path,
    force: bool,
    here: &Here,
    term: Term,
) -> Result<(), Problem> {
    if pack.built_in {
        let problem =
            Problem::new(format!("`{}` is built in: there is no file to remove", pack.name));
        return Err(problem.with_help(BUILT_IN));
    }
    let file = directory.join(pack.file_name());
    let shown = shorten_path(&file.to_string_lossy(), &here.roots);
    let text = match discover::read_config_file(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let problem =
                Problem::new(format!("`{}` is not installed: there is no `{shown}`", pack.name));
            return Err(
                problem.with_help("`tenterhook rules list` shows where packs are installed")
            );
        }
        Err(error) => return Err(Problem::new(format!("`{shown}` cannot be read: {error}"))),
    };
    if *text != *pack.text && !force {
        let message = format!("`{shown}` differs from the pack: {}", rule_differences(pack, &text));
        return Err(Problem::new(message).with_help("`--force` removes it with what was changed"));
    }
    trust::forget_approval_of_removed_file(&file, here, term)?;
    fs::remove_file(&file)
        .map_err(|error| Problem::new(format!("`{shown}` cannot be removed: {error}")))?;
    // The user's directory was made for it; the project's root stays. A directory with other files is not removed.
    if directory.ends_with("tenterhook") && directory.starts_with(&here.roots.home) {
        let _ = fs::remove_dir(directory);
    }
    term.print_data(&format!("removed {shown}\n"))
}

/// Describes how an edited file differs from the pack, by the names of rules.
fn rule_differences(pack: &Pack, text: &str) -> String {
    let own = pack.rules();
    let theirs = pack::parse_rules(pack.name, text);
    let mut said = Vec::new();
    let mut say = |names: Vec<&str>, what: &str| {
        if !names.is_empty() {
            said.push(format!("{what} {}", names.join(", ")));
        }
    };
    let find = |name: &str| theirs.iter().find(|rule| rule.name == name);
    say(
        own.iter()
            .filter(|rule| find(rule.name).is_some_and(|other| other.text != rule.text))
            .map(|rule| rule.name)
            .collect(),
        "it changes",
    );
    say(
        own.iter().filter(|rule| find(rule.name).is_none()).map(|rule| rule.name).collect(),
        "it lacks",
    );
    say(
        theirs
            .iter()
            .filter(|rule| !own.iter().any(|own| own.name == rule.name))
            .map(|rule| rule.name)
            .collect(),
        "it adds",
    );
    if said.is_empty() { "it differs outside of the rules".to_owned() } else { said.join("; ") }
}
