//! Hosts that are killed, nested, or started where things are not as they should be. A table; runs nothing.

use crate::chaos::plays::{isolation, killed, recursion};
use crate::chaos::row::{ALL, BOTH, CONFINED, ISOLATED, OPEN, Row, SHARED, played};

const WHOLE: &str = "0 survivors, record whole, next works";
const DENIED: &str = "deny";

const fn point(name: &'static str) -> Row {
    played(64, name, ALL, WHOLE, killed::at_a_point)
}

const fn unnumbered(
    name: &'static str,
    cells: &'static [crate::chaos::row::Cell],
    required: &'static str,
    play: crate::chaos::row::Play,
) -> Row {
    played(0, name, cells, required, play)
}

pub(super) const ROWS: &[Row] = &[
    played(62, "recursion", ALL, "already-firing -> deny, one run", recursion::fires_itself),
    played(
        62,
        "recursion_by_other_names",
        SHARED,
        "nested-too-deep -> deny, 9 runs at most",
        recursion::fires_others,
    ),
    played(
        62,
        "recursion_in_namespaces",
        ISOLATED,
        "not-started -> deny, one run",
        recursion::makes_no_namespaces_within,
    ),
    point("killed_reading_its_event"),
    point("killed_when_it_began"),
    point("killed_starting_a_hook"),
    point("killed_while_a_hook_reads"),
    point("killed_while_a_hook_runs"),
    point("killed_while_a_hook_writes"),
    point("killed_after_the_answer"),
    point("killed_after_a_closed_answer"),
    point("killed_within_the_grace").given(2_000),
    point("killed_while_a_hook_is_stopped"),
    point("killed_while_a_worker_judges"),
    point("killed_while_a_hook_has_children"),
    played(64, "killed_at_any_moment", ALL, WHOLE, killed::at_any_moment),
    unnumbered(
        "neither_means",
        OPEN,
        "not started -> deny; T0: unconfined",
        isolation::neither_means,
    ),
    unnumbered("container_that_forbids_landlock", BOTH, DENIED, isolation::forbidden_landlock),
    unnumbered("filter_of_calls_already_on", CONFINED, DENIED, isolation::filtered),
    unnumbered("no_new_privileges_already_on", CONFINED, DENIED, isolation::no_new_privileges),
    unnumbered("container_that_masks_proc", ALL, DENIED, isolation::masked_proc),
    unnumbered("read_only_home", ALL, "deny + unrecorded", isolation::read_only_home),
    unnumbered("project_on_tmpfs", ALL, DENIED, isolation::other_file_system),
    unnumbered("project_on_overlay", ALL, DENIED, isolation::overlay),
    unnumbered(
        "user_namespaces_switched_off",
        ISOLATED,
        "not started -> policy",
        isolation::unreached,
    )
    .behind("exec unshare -Ur bash -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec {fire}'"),
];
