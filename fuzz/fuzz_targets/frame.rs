//! Whatever a worker writes is a reply or is refused; whatever an event holds, a worker is written one line of JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook::internal::fuzzed;

fuzz_target!(|bytes: &[u8]| {
    if let Some((id, _)) = fuzzed::parse_worker_reply(bytes) {
        let line: serde_json::Value =
            serde_json::from_slice(bytes).expect("an object for others, too");
        assert_eq!(line["id"].as_u64(), Some(id));
    }
    let line = fuzzed::worker_request_line(7, bytes);
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(line.last(), Some(&b'\n'));
});
