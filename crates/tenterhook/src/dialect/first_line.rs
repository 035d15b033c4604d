//! The first line of output with which a hook of some agents asks to go on in the background (decision 13).

use serde_json::{Map, Value};

/// Whether the line is an object that says `"async": true`.
pub(super) fn detaches(line: &[u8]) -> bool {
    serde_json::from_slice::<Map<String, Value>>(line)
        .is_ok_and(|object| object.get("async") == Some(&Value::Bool(true)))
}

/// What follows a first line that asks for the background.
pub(super) fn after(stdout: &[u8]) -> Option<&[u8]> {
    let end = stdout.iter().position(|byte| *byte == b'\n').unwrap_or(stdout.len());
    let (line, rest) = stdout.split_at_checked(end)?;
    detaches(line).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{after, detaches};

    #[test]
    fn only_an_object_that_says_so_detaches() {
        assert!(detaches(b" { \"async\" : true, \"asyncTimeout\": 5 } "));
        for line in [&b"{\"async\": \"true\"}"[..], b"[{\"async\": true}]", b"async", b""] {
            assert!(!detaches(line));
        }
        assert_eq!(after(b"{\"async\":true}\n{}"), Some(&b"\n{}"[..]));
        assert_eq!(after(b"{}\n{\"async\":true}"), None);
    }
}
