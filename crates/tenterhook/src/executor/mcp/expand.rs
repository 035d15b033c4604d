//! Puts variables in place of `$NAME` and `${NAME}` in what a server's configuration says (MC-13). Pure: the caller says
//! which variables there are.

/// How a configuration names variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `$NAME` and `${NAME}`.
    Native,
    /// `${NAME}` and `${NAME:-default}`.
    Claude,
}

/// `text` with its variables filled in.
///
/// # Errors
///
/// The name of one that is not set.
pub(super) fn expand(
    text: &str,
    style: Style,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        rest = after;
        let braced = after.strip_prefix('{').and_then(|it| it.split_once('}'));
        let (name, default, left) = match (braced, style) {
            (Some((inner, left)), Style::Claude) => match inner.split_once(":-") {
                Some((name, default)) => (name, Some(default), left),
                None => (inner, None, left),
            },
            (Some((inner, left)), Style::Native) => (inner, None, left),
            (None, Style::Native) => {
                let end = after.find(|c: char| !is_in_name(c)).unwrap_or(after.len());
                let (name, left) = after.split_at(end);
                (name, None, left)
            }
            (None, Style::Claude) => ("", None, after),
        };
        // A sign that begins no name stands for itself.
        if !is_name(name) {
            out.push('$');
            continue;
        }
        let value = lookup(name).or_else(|| default.map(str::to_owned));
        out.push_str(&value.ok_or_else(|| name.to_owned())?);
        rest = left;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| is_in_name(c) && !c.is_ascii_digit()) && text.chars().all(is_in_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<String> {
        (name == "KEY").then(|| "k$1".to_owned())
    }

    /// MC-13.
    #[test]
    fn variables_are_filled_in_as_each_format_writes_them() {
        for (style, text, expected) in [
            (Style::Native, "Bearer $KEY", Ok("Bearer k$1")),
            (Style::Native, "${KEY}/$KEY.", Ok("k$1/k$1.")),
            (Style::Native, "$5 $ ${} $$KEY", Ok("$5 $ ${} $k$1")),
            (Style::Native, "$NONE", Err("NONE")),
            (Style::Native, "${NONE:-x}", Ok("${NONE:-x}")),
            (Style::Claude, "${KEY} $KEY", Ok("k$1 $KEY")),
            (Style::Claude, "${NONE:-a:-b}/${NONE:-}", Ok("a:-b/")),
            (Style::Claude, "${KEY:-x}", Ok("k$1")),
            (Style::Claude, "${NONE}", Err("NONE")),
            (Style::Claude, "${KEY", Ok("${KEY")),
        ] {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(expand(text, style, lookup), expected, "{text}");
        }
    }
}
