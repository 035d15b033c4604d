//! Where does an agent find plugins whose modules run inside it, and what loads one? One table an agent: such a module can silence
//! every hook. Knows names and letters; what a file holds is looked up by the caller.

use crate::agents::{Modules, agents_with_modules};

/// What a path is to the directories of plugins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InPlugins<'p> {
    /// The directory of all of them.
    Directory,
    /// The folder of one.
    Folder,
    /// A path in the folder of one; the folder is given, and the file that makes it a plugin.
    Inside(&'p str, &'static str),
}

/// Returns how `path` relates to the plugin directories of any agent.
#[must_use]
pub fn locate_in_plugin_directories(path: &str) -> Option<InPlugins<'_>> {
    let top = path.trim_end_matches('/');
    let of_agent = |modules: &'static Modules| {
        modules
            .directories
            .iter()
            .find_map(|directory| locate_below_plugin_directory(top, directory, modules.manifest))
    };
    agents_with_modules().find_map(|(_, modules)| of_agent(modules))
}

fn locate_below_plugin_directory<'p>(
    path: &'p str,
    directory: &str,
    manifest: &'static str,
) -> Option<InPlugins<'p>> {
    let small = path.to_ascii_lowercase();
    let ends = small.match_indices(directory).filter_map(|(at, found)| {
        let end = at + found.len();
        let begins = at == 0 || small.get(..at).is_some_and(|before| before.ends_with('/'));
        let is_whole =
            small.get(end..).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        (begins && is_whole).then_some(end)
    });
    let end = ends.last()?;
    let rest = path.get(end..)?.trim_start_matches('/');
    Some(match rest.split_once('/') {
        None if rest.is_empty() => InPlugins::Directory,
        None => InPlugins::Folder,
        Some((name, _)) => {
            let start = path.len().saturating_sub(rest.len());
            InPlugins::Inside(path.get(..start + name.len())?, manifest)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_below_a_directory_of_plugins() {
        let manifest = ".claude-plugin/plugin.json";
        for (path, expected) in [
            (".claude/skills", Some(InPlugins::Directory)),
            ("~/.claude/skills/", Some(InPlugins::Directory)),
            ("web/.claude/skills/x", Some(InPlugins::Folder)),
            (".claude/skills/x/a/b.ts", Some(InPlugins::Inside(".claude/skills/x", manifest))),
            (".CLAUDE/Skills/x/b.ts", Some(InPlugins::Inside(".CLAUDE/Skills/x", manifest))),
            ("x.claude/skills/x", None),
            (".claude/skillset/x", None),
            (".agents/skills/x", None),
        ] {
            assert_eq!(locate_in_plugin_directories(path), expected, "{path}");
        }
    }
}
