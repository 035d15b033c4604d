//! Checks names of environment variables. Reads none.

/// Returns `true` if this is a valid name of an environment variable.
pub(crate) fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}
