//! How is a text written so that a shell reads it as that text?

pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
