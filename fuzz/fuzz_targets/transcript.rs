//! Any bytes are a recorded session of some agent: its decoders tell of what they can read, and count the rest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenterhook_core::transcript::{Decoder, EventContext, Lines, TranscriptAgent};

fuzz_target!(|bytes: &[u8]| {
    for agent in TranscriptAgent::ALL {
        let (mut decoder, mut lines) = (Decoder::new(agent), Lines::new(bytes));
        while let Ok(Some(line)) = lines.read_line() {
            decoder.decode_line(line, &mut |record| drop(record.event(agent, &EventContext::default())));
        }
        let _ = decoder.facts_so_far().count_unusable_records();
    }
});
