//! Workers and servers that are hooks. A table; runs nothing.

use crate::chaos::plays::{http, workers};
use crate::chaos::row::{ALL, ENGINE, Row, played};

const PROTOCOL: &str = "worker-protocol -> deny, others unaffected";
const ARMED: &str = "each denied, the gate stays armed";

const fn worker(name: &'static str, command: &'static str) -> Row {
    // One that never replies takes all of its time.
    played(58, name, ALL, PROTOCOL, workers::misbehaves).on(command).given(8_000)
}

const fn server(name: &'static str) -> Row {
    played(61, name, ENGINE, "fault -> deny in budget, no second host", http::misbehaves)
}

pub(super) const ROWS: &[Row] = &[
    worker("worker_no_newline", "do:no-newline"),
    worker("worker_wrong_id", "do:wrong-id"),
    worker("worker_replies_twice", "do:twice-silent"),
    played(
        58,
        "worker_replies_before_the_request",
        ALL,
        "worker-protocol -> deny",
        workers::replies_early,
    ),
    worker("worker_logs", "do:log"),
    worker("worker_exits_mid_frame", "do:half"),
    worker("worker_frame_of_1_GB", "do:giant"),
    worker("worker_never_replies", "do:never"),
    worker("worker_closes_its_output", "do:close"),
    played(58, "worker_leaves_between_events", ALL, "replaced, nothing lost", workers::leaves),
    played(59, "worker_crash_loop", ALL, "all denied, one notice", workers::crash_loop),
    played(60, "induced_failures", ALL, ARMED, workers::induced_failures).given(400),
    played(60, "induced_failures_of_a_worker", ALL, ARMED, workers::induced_failures).given(400),
    server("http_301_to_the_metadata"),
    server("http_307_to_another_server"),
    played(61, "http_rebinding", ENGINE, "http-address -> deny, not connected", http::rebinds),
    server("http_slow_headers"),
    server("http_slow_body"),
    server("http_gzip_bomb"),
    server("http_body_of_10_GB"),
    server("http_body_without_end"),
    server("http_chunks_without_end"),
    server("http_interim_replies_without_end"),
    server("http_200_and_html"),
    played(61, "http_204", ENGINE, "fault -> deny", http::empty),
    server("http_204_with_a_body"),
    server("http_429"),
    server("http_reset"),
    server("http_closed"),
    server("http_mute"),
    server("http_torn_body"),
    played(61, "http_refused", ENGINE, "http-connect -> deny", http::refused),
    played(61, "http_expired_tls", ENGINE, "http-tls -> deny", http::certificates),
    played(61, "http_wrong_host_tls", ENGINE, "http-tls -> deny", http::certificates),
    server("http2_goaway"),
    played(
        61,
        "http_keep_alive_poisoning",
        ENGINE,
        "the second event has its own answer",
        http::poisons,
    ),
];
