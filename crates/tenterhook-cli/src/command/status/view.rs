//! Does this process see the machine's own managed files? A user who creates a user namespace can
//! mount other files over them for what runs in it. Reads `/proc`; judges no file.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenterhook_core::agents::{Scope, agents_with_hook_installation};

use super::super::install::files::agent_file_path;
use crate::ambient::Here;

/// All user IDs mapped to themselves: the map of the user namespace in which the system started.
const INITIAL_MAP: [&str; 3] = ["0", "0", "4294967295"];

/// How the file system of this process may differ from the machine's.
#[derive(Debug)]
pub(super) struct View {
    pub(super) in_user_namespace: bool,
    /// The mount points above, at or below directories of managed files, without `/`.
    mounts: Vec<String>,
}

impl View {
    /// Reads the view of this process. A system without `/proc` has no namespaces.
    pub(super) fn of_this_process(here: &Here) -> Self {
        let read = |name: &str| std::fs::read_to_string(name).unwrap_or_default();
        Self {
            in_user_namespace: is_other_than_initial(&read("/proc/self/uid_map")),
            mounts: find_mounts(&read("/proc/self/mountinfo"), &managed_directories(here)),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "user_namespace": self.in_user_namespace, "mounts": self.mounts })
    }

    /// Returns the row for people, if there is anything to say.
    pub(super) fn description(&self) -> Option<String> {
        let mounts = match self.mounts.is_empty() {
            true => String::new(),
            false => format!("mounted over managed files: {}", self.mounts.join(", ")),
        };
        match (self.in_user_namespace, mounts.is_empty()) {
            (false, true) => None,
            (false, false) => Some(mounts),
            (true, is_empty) => Some(format!(
                "this process runs in a user namespace, where a user can hide or replace managed files{}{mounts}",
                if is_empty { "" } else { "; " }
            )),
        }
    }
}

/// Returns whether a `uid_map` is that of a user namespace that somebody created.
fn is_other_than_initial(uid_map: &str) -> bool {
    !uid_map.is_empty() && !uid_map.split_whitespace().eq(INITIAL_MAP)
}

/// Returns the directories in which an organisation writes files: ours and those of agents.
fn managed_directories(here: &Here) -> Vec<PathBuf> {
    let own = here.roots.managed.as_ref().map(|managed| managed.with_file_name("tenterhook"));
    let of_agents = agents_with_hook_installation()
        .filter_map(|agent| Some(agent_file_path(agent, Scope::Managed, here)?.parent()?.into()));
    own.into_iter().chain(of_agents).collect()
}

/// Returns the mount points of a `mountinfo` that change what lies in `directories`.
fn find_mounts(mountinfo: &str, directories: &[PathBuf]) -> Vec<String> {
    let points = mountinfo.lines().filter_map(|line| line.split(' ').nth(4));
    let changes = |point: &&str| {
        *point != "/"
            && directories.iter().any(|directory| {
                directory.starts_with(point) || Path::new(point).starts_with(directory)
            })
    };
    let mut found: Vec<String> = points.filter(changes).map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_map_but_the_whole_one_is_a_created_namespace() {
        assert!(!is_other_than_initial("         0          0 4294967295\n"));
        assert!(!is_other_than_initial(""), "there is no such file");
        for map in ["0 0 1\n", "0 1000 1\n", "0 0 4294967294\n", "0 100000 65536\n5 5 1\n"] {
            assert!(is_other_than_initial(map), "{map}");
        }
    }

    #[test]
    fn mounts_above_at_and_below_managed_directories_are_found() {
        let line = |point: &str| format!("62 61 0:26 / {point} rw,relatime - tmpfs x rw\n");
        let all = ["/", "/etc", "/etc/hosts", "/etc/tenterhook", "/etc/codex/hooks.json", "/home"];
        let text: String = all.iter().map(|point| line(point)).collect();
        let directories = ["/etc/tenterhook", "/etc/codex"].map(PathBuf::from);
        let found = find_mounts(&text, &directories);
        assert_eq!(found, ["/etc", "/etc/codex/hooks.json", "/etc/tenterhook"]);
    }
}
