//! Hosts that are killed, nested, or started where things are not as they should be. A table; runs nothing.

use crate::chaos::plays::{killed, places, recursion};
use crate::chaos::row::{ALL, BOTH, CONFINED, ISOLATED, OPEN, Row, SHARED, played};

const WHOLE: &str = "0 survivors, record whole, next works";
const DENIED: &str = "deny";

const fn point(name: &'static str) -> Row {
    played(64, name, ALL, WHOLE, killed::at_a_point)
}

const fn place(
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
    place("neither_means", OPEN, "not started -> deny; T0: unconfined", places::neither_means),
    place("container_that_forbids_landlock", BOTH, DENIED, places::forbidden_landlock),
    place("filter_of_calls_already_on", CONFINED, DENIED, places::filtered),
    place("no_new_privileges_already_on", CONFINED, DENIED, places::no_new_privileges),
    place("container_that_masks_proc", ALL, DENIED, places::masked_proc),
    place("read_only_home", ALL, "deny + unrecorded", places::read_only_home),
    place("project_on_tmpfs", ALL, DENIED, places::other_file_system),
    place("project_on_overlay", ALL, DENIED, places::overlay),
    place("user_namespaces_switched_off", ISOLATED, "not started -> policy", places::unreached)
        .behind(
            "exec unshare -Ur bash -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec {fire}'",
        ),
];
