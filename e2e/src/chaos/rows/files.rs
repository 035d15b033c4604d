//! What hooks and strangers do to files. A table; runs nothing.

use crate::chaos::plays::files;
use crate::chaos::row::{ALL, ENGINE, Row, played};

const NO_FILE: &str = "refused or held, no hang";

pub(super) const ROWS: &[Row] = &[
    played(43, "deletes_cwd", ALL, "deny; the next hook still runs", files::deletes_cwd),
    played(
        44,
        "edits_own_config",
        ALL,
        "deny; next: not run, held (L: no change)",
        files::edits_own_config,
    ),
    played(
        44,
        "edits_own_script",
        ALL,
        "deny; next: not run, held (L: no change)",
        files::edits_own_script,
    ),
    played(45, "swaps_script", ALL, "verified bytes alone: 0 evil", files::swaps_script),
    played(
        46,
        "symlink_swap_in_parent_dir",
        ALL,
        "verified bytes alone: 0 evil",
        files::swaps_parent,
    ),
    played(47, "fifo_config", ENGINE, NO_FILE, files::no_config),
    played(47, "dev_zero_config", ENGINE, NO_FILE, files::no_config),
    played(47, "directory_config", ENGINE, NO_FILE, files::no_config),
    played(47, "link_to_itself_config", ENGINE, NO_FILE, files::no_config),
    played(47, "huge_config", ENGINE, NO_FILE, files::no_config),
];
