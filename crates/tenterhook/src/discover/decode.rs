//! The bytes of a config as text: UTF-8, and what other encodings people save files in without
//! knowing it.

use tenterhook_core::source::{Completeness, Flaw};

/// Decodes the bytes of a file. Returns its text, and a flaw if the bytes are not valid (C-70).
pub(super) fn decode_text(bytes: Vec<u8>) -> (String, Option<Flaw>) {
    if let Some(order) = detect_utf16(&bytes) {
        return decode_utf16(&bytes, order);
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Some(encoding_flaw(format!("it is not UTF-8 (byte {at})"), Completeness::Part)))
        }
    }
}

/// The flaw of a file whose bytes are not valid text.
fn encoding_flaw(why: String, kept: Completeness) -> Flaw {
    Flaw { why, help: "save it as UTF-8".to_owned(), kept, untrusted: None }
}

/// Which byte of a pair comes first.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

/// Detects UTF-16, by its byte order mark or because every other byte is zero, as in ASCII text.
fn detect_utf16(bytes: &[u8]) -> Option<Order> {
    match bytes {
        [0xff, 0xfe, ..] => Some(Order::Little),
        [0xfe, 0xff, ..] => Some(Order::Big),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(Order::Little),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(Order::Big),
        _ => None,
    }
}

/// Decodes UTF-16 text, with a flaw if it is not whole.
fn decode_utf16(bytes: &[u8], order: Order) -> (String, Option<Flaw>) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| match order {
        Order::Little => u16::from_le_bytes(*pair),
        Order::Big => u16::from_be_bytes(*pair),
    });
    let mut whole = rest.is_empty();
    let text: String = char::decode_utf16(units)
        .map(|c| {
            whole &= c.is_ok();
            c.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    let kept = if whole { Completeness::All } else { Completeness::Part };
    (text, Some(encoding_flaw("it is UTF-16, not UTF-8".to_owned(), kept)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-70.
    #[test]
    fn what_is_not_utf_8_is_read_as_far_as_it_can_be() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
        let read = |bytes: Vec<u8>| {
            let (text, flaw) = decode_text(bytes);
            (text, flaw.map(|flaw| flaw.kept))
        };
        let text = "{\"a\": 1}".to_owned();
        assert_eq!(read(text.clone().into_bytes()), (text.clone(), None));
        for bytes in [wide("{\"a\": 1}"), big("{\"a\": 1}"), wide("\u{feff}{\"a\": 1}")] {
            assert_eq!(read(bytes), (text.clone(), Some(Completeness::All)));
        }
        let mut torn = wide("{\"a\": 1}");
        torn.push(0);
        assert_eq!(read(torn), (text, Some(Completeness::Part)));
        assert_eq!(
            read(b"a = '\xff'".to_vec()),
            ("a = '\u{fffd}'".to_owned(), Some(Completeness::Part))
        );
        assert_eq!(read(vec![0; 8]), ("\0".repeat(8), None));
    }
}
