//! Turns bytes into text and says what had to be forgiven. Knows nothing of JSON but its first byte.

use super::Deviation;

pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) bom: bool,
    pub(super) deviation: Option<Deviation>,
}

pub(super) fn decode_output(bytes: &[u8]) -> Decoded {
    let utf16 = match bytes {
        [0xff, 0xfe, rest @ ..] => Some((rest, u16::from_le_bytes as fn([u8; 2]) -> u16, true)),
        [0xfe, 0xff, rest @ ..] => Some((rest, u16::from_be_bytes as fn([u8; 2]) -> u16, true)),
        // Without a mark, a NUL beside each of the first two characters tells; one alone may be a stray NUL in UTF-8.
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some((bytes, u16::from_le_bytes as _, false)),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some((bytes, u16::from_be_bytes as _, false)),
        _ => None,
    };
    if let Some((rest, join, bom)) = utf16 {
        let units = rest.as_chunks::<2>().0.iter().map(|pair| join(*pair));
        let text =
            char::decode_utf16(units).map(|result| result.unwrap_or(char::REPLACEMENT_CHARACTER));
        return Decoded { text: text.collect(), bom, deviation: Some(Deviation::Utf16) };
    }
    let (rest, bom) = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => (rest, true),
        _ => (bytes, false),
    };
    match std::str::from_utf8(rest) {
        Ok(text) => Decoded { text: text.to_owned(), bom, deviation: None },
        Err(_) => {
            let text = String::from_utf8_lossy(rest).into_owned();
            Decoded { text, bom, deviation: Some(Deviation::InvalidUtf8) }
        }
    }
}
