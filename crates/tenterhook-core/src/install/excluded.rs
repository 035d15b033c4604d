//! Does a list of patterns in an agent's settings exclude the file that Tenterhook wrote? Reads no file.

use globset::GlobBuilder;

use crate::agents::Agent;
use crate::syntax::Node;

/// Returns whether a list excludes the file of the user's installation, as Pi reads such a list:
/// `!PATTERN` excludes, `+PATH` includes again, and `-PATH` is stronger than both.
pub(super) fn excludes_own_file(agent: &Agent, list: &[Node]) -> bool {
    let Some(own) = agent.installation.user_file else { return false };
    let entries =
        |mark: char| list.iter().filter_map(move |node| node.as_str()?.strip_prefix(mark));
    let is_path = |path: &str| {
        let path = path.strip_prefix("./").unwrap_or(path);
        path == own || path.strip_suffix(own).is_some_and(|start| start.ends_with('/'))
    };
    entries('-').any(is_path)
        || (!entries('+').any(is_path) && entries('!').any(|text| is_match(text, own)))
}

/// Returns whether a pattern matches the path or its name. A text that does not parse here may match in
/// the agent, so it is treated as a match.
fn is_match(pattern: &str, path: &str) -> bool {
    let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() else { return true };
    let glob = glob.compile_matcher();
    let name = path.rsplit('/').next().unwrap_or(path);
    // A pattern for the whole path begins with directories that are unknown here.
    glob.is_match(path)
        || glob.is_match(name)
        || (pattern.starts_with('/') && pattern.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::excludes_own_file;
    use crate::agents::PI;
    use crate::syntax::{Format, parse_by_format};

    /// PI-8: as Pi 1.6.0 and 0.73.1 read the list.
    #[test]
    fn lists_exclude_the_extension_as_in_the_agent() {
        for (list, expected) in [
            (r#"["-extensions/zz-tenterhook.js"]"#, true),
            (r#"["!**/zz-*"]"#, true),
            (r#"["!extensions/zz-tenterhook.js"]"#, true),
            (r#"["!zz-tenterhook.js"]"#, true),
            (r#"["!*.js"]"#, true),
            (r#"["!/home/u/.pi/agent/extensions/zz-tenterhook.js"]"#, true),
            (r#"["!*.js", "+extensions/zz-tenterhook.js"]"#, false),
            (r#"["+extensions/zz-tenterhook.js", "-extensions/zz-tenterhook.js"]"#, true),
            (r#"["-zz-tenterhook.js"]"#, false),
            (r#"["!other.js", "/opt/x.ts", "-extensions/other.js"]"#, false),
            ("[]", false),
            ("[1, null]", false),
        ] {
            let root = parse_by_format(list, Format::Json).root;
            let list = root.as_ref().and_then(|root| root.as_array()).unwrap_or_default();
            assert_eq!(excludes_own_file(&PI, list), expected, "{list:?}");
        }
    }
}
