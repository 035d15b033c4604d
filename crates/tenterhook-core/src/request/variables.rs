//! Puts variables in place of `${NAME}` and `${NAME:-default}`, as Claude Code writes them in the configuration of a server
//! (MC-13). Pure: the caller says which variables there are.

use super::placeholder::{self, Names};

/// A variable that is not set and has no default.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{name}` is not set")]
pub struct Unset {
    /// Its name.
    pub name: String,
}

/// `text` with its variables filled in.
///
/// # Errors
///
/// When one is not set and has no default.
pub fn expand_variables(
    text: &str,
    mut lookup: impl FnMut(&str) -> Option<String>,
) -> Result<String, Unset> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(sign) = placeholder::find_first_placeholder(rest) {
        out.push_str(sign.before);
        let inner = if let Names::Braced(inner) = sign.names { inner } else { "" };
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        // Each `$` that begins no name stands for itself.
        if !placeholder::is_variable_name(name) {
            let (own, behind) = sign.split_dollar_from_rest();
            out.push_str(own);
            rest = behind;
            continue;
        }
        let value = lookup(name).or_else(|| default.map(str::to_owned));
        out.push_str(&value.ok_or_else(|| Unset { name: name.to_owned() })?);
        rest = sign.after;
    }
    out.push_str(rest);
    Ok(out)
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
            let expected =
                expected.map(str::to_owned).map_err(|name| Unset { name: name.to_owned() });
            assert_eq!(expand_variables(text, lookup), expected, "{text}");
        }
    }
}
