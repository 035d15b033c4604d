//! Any object is an event of some agent or is refused, and what was read can be handed to a hook of any other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tenterhook_core::dialect::{DIALECTS, Roots};

fuzz_target!(|text: &str| {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else { return };
    for dialect in DIALECTS {
        let Ok(event) = dialect.decode_event(&fields, &Roots::default()) else { continue };
        for other in DIALECTS {
            let _ = other.encode_event(&event);
        }
    }
});
