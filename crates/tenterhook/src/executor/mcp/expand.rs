//! Puts variables in place of `${NAME}` and `${NAME:-default}`, as Claude Code writes them in the configuration of a server
//! (MC-13). Pure: the caller says which variables there are.

/// `text` with its variables filled in.
///
/// # Errors
///
/// The name of one that is not set and has no default.
pub(super) fn expand(
    text: &str,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        rest = after;
        let (inner, left) = after.split_once('}').unwrap_or_default();
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        // Signs that begin no name stand for themselves.
        if !is_name(name) {
            out.push_str("${");
            continue;
        }
        let value = lookup(name).or_else(|| default.map(str::to_owned));
        out.push_str(&value.ok_or_else(|| name.to_owned())?);
        rest = left;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MC-13.
    #[test]
    fn variables_are_filled_in_or_named() {
        let lookup = |name: &str| (name == "KEY").then(|| "k${KEY}".to_owned());
        for (text, expected) in [
            ("Bearer ${KEY}/${KEY}.", Ok("Bearer k${KEY}/k${KEY}.")),
            ("${KEY} $KEY $5 ${} ${a b} $", Ok("k${KEY} $KEY $5 ${} ${a b} $")),
            ("${NONE:-a:-b}/${NONE:-}", Ok("a:-b/")),
            ("${KEY:-x}", Ok("k${KEY}")),
            ("${NONE}", Err("NONE")),
            ("${KEY", Ok("${KEY")),
        ] {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(expand(text, lookup), expected, "{text}");
        }
    }
}
