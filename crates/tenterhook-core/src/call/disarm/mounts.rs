//! Does a command put another file system over a guard, or hand one's directory to a container that may write there?

use super::Here;
use super::table::{BINDERS, Binder, MOUNTERS};
use crate::call::Found;
use crate::protect;

/// Notes the guards that a command mounts elsewhere or gives to a container.
pub(super) fn note_mounted_guards(here: &Here<'_>, found: &mut Found) {
    let view = here.view;
    let name = view.name.as_str();
    let options = ["-o", "-t", "-T"];
    if MOUNTERS.contains(&name) {
        let operands = view.operands(&options).into_iter();
        let held = operands.filter(|word| here.names_guard_or_parent(word));
        found.guards.extend(held.map(|word| here.path_seen_from_project(word)));
    }
    if let Some(binder) = BINDERS.iter().find(|binder| binder.programs.contains(&name)) {
        note_guards_in_container(here, binder, found);
    }
}

/// Notes the directories of guards that a container gets and may write to. The home directory, or a
/// directory above a guard, is noted if the container's arguments change something.
fn note_guards_in_container(here: &Here<'_>, binder: &Binder, found: &mut Found) {
    let view = here.view;
    let values = view.option_values(binder.options).into_iter();
    let sources = values.filter_map(writable_mount_source);
    let sources: Vec<&str> = sources.filter(|source| !source.is_empty()).collect();
    if sources.is_empty() {
        return;
    }
    let changes = || {
        view.args.iter().skip(1).any(|arg| !arg.starts_with('-') && protect::may_change_files(arg))
    };
    let held = sources.into_iter().filter(|source| {
        here.names_part_of_guard(source)
            || here.names_directory_of_guard(source)
            || here.names_shared_parent_of_guard(source) && changes()
    });
    found.guards.extend(held.map(|source| here.path_seen_from_project(source)));
}

/// Returns the directory of this machine that the value of an option names, unless it is mounted
/// read-only.
fn writable_mount_source(value: &str) -> Option<&str> {
    let parts = || value.split(',');
    if parts().any(|part| matches!(part, "readonly" | "ro" | "readonly=true" | "ro=true")) {
        return None;
    }
    if let Some(source) =
        parts().find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
    {
        return Some(source);
    }
    let mut fields = value.split(':');
    let source = fields.next()?;
    let is_read_only = fields.any(|field| field.split(',').any(|flag| flag == "ro"));
    (!is_read_only).then_some(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SP-54.
    #[test]
    fn value_of_a_mount_names_its_source() {
        for (value, expected) in [
            ("~/.claude:/x", Some("~/.claude")),
            ("~/.claude:/x:rw", Some("~/.claude")),
            ("type=bind,source=/home/u,target=/h", Some("/home/u")),
            ("type=bind,src=/home/u,dst=/h", Some("/home/u")),
            ("/h", Some("/h")),
            ("~/.claude:/x:ro", None),
            ("~/.claude:/x:ro,z", None),
            ("type=bind,source=/home/u,target=/h,readonly", None),
        ] {
            assert_eq!(writable_mount_source(value), expected, "{value}");
        }
    }
}
