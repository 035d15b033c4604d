//! Does a call lay down, install, enable or load a plugin whose modules run inside an agent? Such a module can silence every hook. It
//! reads no module: a folder that holds a plugin is treated as one with modules.

use serde_json::Value;
use tenterhook_shell::Via;

use super::Here;
use crate::agents::{agent_by_program, agents_with_modules};
use crate::call::Found;
use crate::call::path::Paths;
use crate::call::view::View;
use crate::event::tool::ToolCall;
use crate::protect::{InPlugins, is_at_or_below, locate_in_plugin_directories};

/// Programs that bring a directory with everything in it from this machine.
const MOVERS: &[&str] = &["mv", "gmv", "ln", "gln", "rsync", "ditto", "cp", "gcp"];

/// Programs that bring a directory from elsewhere, and the word behind which they do; any word where the list is empty.
const FETCHERS: &[(&str, &[&str])] = &[
    ("git", &["clone", "submodule", "subtree", "worktree"]),
    ("gh", &["clone"]),
    ("hg", &["clone"]),
    ("svn", &["checkout", "co", "export"]),
    ("degit", &[]),
    ("tiged", &[]),
    ("giget", &[]),
    ("npx", &["degit", "tiged", "giget"]),
    ("bunx", &["degit", "tiged", "giget"]),
    ("tar", &["-C", "--directory"]),
    ("bsdtar", &["-C", "--directory"]),
    ("gtar", &["-C", "--directory"]),
    ("unzip", &["-d"]),
    ("7z", &["x"]),
    ("unar", &["-o"]),
    ("scp", &[]),
    ("aws", &["cp", "sync"]),
    ("gsutil", &["cp", "rsync"]),
    ("rclone", &[]),
];

/// Tools that type a slash command for the agent, by parts of their names in small letters.
const SLASH_TOOLS: &[&str] = &["slash", "skill"];

/// Whether a path that a call writes is a file of a plugin: one that makes a folder a plugin, or
/// any file of such a folder.
pub(super) fn is_plugin_file(path: &str, paths: &Paths<'_>) -> bool {
    if agents_with_modules()
        .any(|(_, modules)| modules.files.iter().any(|file| is_at_or_below(path, file)))
    {
        return true;
    }
    match locate_in_plugin_directories(path) {
        Some(InPlugins::Inside(folder, manifest)) => directory_has_file(folder, manifest, paths),
        _ => false,
    }
}

/// Whether a directory, relative to the project, contains that file; `false` if the host does not
/// look.
fn directory_has_file(directory: &str, file: &str, paths: &Paths<'_>) -> bool {
    let directory = paths.to_absolute(directory, &paths.project);
    paths.files.is_some_and(|files| files.read_text(&format!("{directory}/{file}")).is_some())
}

/// Notes the plugins and modules that a command installs, enables or loads, which could disable a
/// guard.
pub(super) fn note_loaded_modules(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    if let Some(command) = plugin_load_command(view) {
        found.unguarded.insert(command);
    }
    if let Some(setting) = plugin_setting_argument(view) {
        found.unguarded.insert(format!("{} with `{setting}`", view.name));
    }
    let targets: Vec<String> = match fetches_unknown_directory(view) {
        true => target_plugin_folders(here),
        false if MOVERS.contains(&view.name.as_str()) => filled_plugin_folders(here),
        false => Vec::new(),
    };
    found.guards.extend(targets);
}

/// Returns a command of an agent that installs, enables or loads plugins: `claude plugin install
/// x`.
fn plugin_load_command(view: &View<'_>) -> Option<String> {
    let modules = agent_by_program(&view.name)?.guarded.modules?;
    if view.has_argument(&["--help", "-h"]) {
        return None;
    }
    let operands = view.operands(&["--scope", "-s"]);
    let words = modules.commands.iter().find(|words| operands.starts_with(words))?;
    Some(format!("{} {}", view.name, words.join(" ")))
}

/// Returns a setting on the command line that loads plugins, or disables a guard of the agent:
/// `claude --settings '{"enabledPlugins":...}'`.
fn plugin_setting_argument(view: &View<'_>) -> Option<&'static str> {
    let modules = agent_by_program(&view.name)?.guarded.modules?;
    let given = view.option_values(&["--settings"]);
    let said = |setting: &&&str| given.iter().any(|text| text.contains(**setting));
    modules.settings.iter().find(said).copied()
}

/// Whether a command brings a directory whose content is unknown here.
fn fetches_unknown_directory(view: &View<'_>) -> bool {
    let lists = view.has_option('t', "list") && view.name.ends_with("tar");
    let is = |(name, words): &&(&str, &[&str])| {
        *name == view.name
            && (words.is_empty() || view.args.iter().any(|arg| matches_word_or_option(arg, words)))
    };
    !lists && FETCHERS.iter().any(|fetcher| is(&fetcher))
}

/// Whether a word is one of these, or one of these options with its value attached.
fn matches_word_or_option(arg: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let rest = arg.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || word.starts_with('-'))
    })
}

/// Returns the folders of plugins that a command names, or in which it runs.
fn target_plugin_folders(here: &Here<'_>) -> Vec<String> {
    let values = here.view.option_values(&["-C", "--directory", "-d", "-o"]);
    let words = here.view.operands(&[]).into_iter().chain(values);
    let named = words
        .map(|word| here.path_seen_from_project(word))
        .filter(|path| locate_in_plugin_directories(path).is_some());
    // `cd .claude/skills && git clone URL`.
    let inside = Some(here.path_seen_from_project("."))
        .filter(|path| locate_in_plugin_directories(path) == Some(InPlugins::Directory));
    named.chain(inside).collect()
}

/// Returns the folders of plugins that a command fills from directories that hold a plugin, or that
/// cannot be read.
fn filled_plugin_folders(here: &Here<'_>) -> Vec<String> {
    let view = here.view;
    let copies = view.name.ends_with("cp");
    if copies
        && !(view.has_option('r', "recursive")
            || view.has_option('R', "recursive")
            || view.has_option('a', "archive"))
    {
        return Vec::new();
    }
    let into = ["-t", "--target-directory"];
    let mut sources = view.operands(&["-t", "--target-directory", "-S", "--suffix"]);
    let is_place = |path: &String| {
        matches!(locate_in_plugin_directories(path), Some(InPlugins::Directory | InPlugins::Folder))
    };
    let given = view.option_values(&into).first().copied();
    let is_appended = !view.fed.is_empty()
        || matches!(view.command.via.last(), Some(Via::Wrapper("xargs" | "parallel")));
    let target = match (given, is_appended) {
        (Some(given), _) => Some(here.path_seen_from_project(given)),
        // `xargs` appends in the last place: any word may be the target.
        (None, true) => sources.iter().map(|word| here.path_seen_from_project(word)).find(is_place),
        (None, false) => sources.pop().map(|word| here.path_seen_from_project(word)),
    };
    let Some(to) = target.filter(is_place) else { return Vec::new() };
    let brings =
        |from: &&str| may_be_or_contain_plugin(&here.path_seen_from_project(from), here.paths);
    if sources.iter().any(brings) { vec![to] } else { Vec::new() }
}

/// Whether a path may be a plugin, or a directory with plugins.
fn may_be_or_contain_plugin(path: &str, paths: &Paths<'_>) -> bool {
    // A folder among the plugins is not a new one.
    if matches!(locate_in_plugin_directories(path), Some(InPlugins::Folder | InPlugins::Inside(..)))
    {
        return false;
    }
    let Some(files) = paths.files else { return true };
    let directory = paths.to_absolute(path.trim_end_matches("/."), &paths.project);
    let manifests = agents_with_modules().map(|(_, modules)| modules.manifest);
    let holds = |directory: &str| {
        manifests.clone().any(|file| files.read_text(&format!("{directory}/{file}")).is_some())
    };
    // What the line makes first cannot be looked at.
    let is_absent =
        files.is_directory(&directory) == Some(false) && files.read_text(&directory).is_none();
    is_absent
        || holds(&directory)
        || files
            .directory_entries(&directory)
            .iter()
            .any(|name| holds(&format!("{directory}/{name}")))
}

/// Notes a slash command that a call types and that loads modules.
pub(super) fn note_slash_command(call: ToolCall<'_>, found: &mut Found) {
    if !is_slash_command_tool(call.name) {
        return;
    }
    let said = |text: &str| {
        let words: Vec<&str> = text.trim().trim_start_matches('/').split_whitespace().collect();
        let line = words.join(" ");
        let slash = agents_with_modules().flat_map(|(_, modules)| modules.slash);
        slash.into_iter().find(|command| {
            line.strip_prefix(**command)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    let fields = call.input.as_object().into_iter().flat_map(|fields| fields.values());
    let texts: Vec<&str> = fields.filter_map(Value::as_str).collect();
    // A tool may take the name and the arguments apart.
    let whole = texts.join(" ");
    if let Some(command) = texts.iter().copied().chain([whole.as_str()]).find_map(said) {
        found.disarms.insert(format!("runs `/{command}`, which loads plugins"));
    }
}

/// Whether a tool types slash commands.
pub(super) fn is_slash_command_tool(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SLASH_TOOLS.iter().any(|part| name.contains(part))
}
