//! Reads a file of variables (`.env`), as the libraries that agents use for it read a line.

/// Returns the value that a file of variables gives a variable: the last one counts. A value of
/// several lines is read up to the end of its first.
#[must_use]
pub fn find_variable(text: &str, name: &str) -> Option<String> {
    let value = |line: &str| {
        let line = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        let line = line.strip_prefix("export ").unwrap_or(line);
        // Node's dotenv also takes `NAME: value`.
        let (key, value) = line.split_once(['=', ':'])?;
        (key.trim().trim_matches('\'') == name).then(|| unquoted(value.trim()).to_owned())
    };
    text.lines().rev().find_map(value)
}

fn unquoted(value: &str) -> &str {
    let quoted = |quote| value.strip_prefix(quote)?.split(quote).next();
    let quoted = ['"', '\'', '`'].into_iter().find_map(quoted);
    quoted.unwrap_or_else(|| value.split(" #").next().unwrap_or_default().trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-183.
    #[test]
    fn each_form_of_a_line_gives_the_value_and_others_give_none() {
        for (text, value) in [
            ("A=1", Some("1")),
            ("\u{feff}A=1\r\nB=2\r\n", Some("1")),
            ("  export A = \"1 2\" # why", Some("1 2")),
            ("'A'='x#y'", Some("x#y")),
            ("A: `1`", Some("1")),
            ("A=1 # why", Some("1")),
            ("A=1\nA=", Some("")),
            ("A=1\nA=2", Some("2")),
            ("AB=1\nBA=1", None),
            ("# A=1\n#A=1", None),
            ("A", None),
            ("", None),
        ] {
            assert_eq!(find_variable(text, "A").as_deref(), value, "{text}");
        }
    }
}
