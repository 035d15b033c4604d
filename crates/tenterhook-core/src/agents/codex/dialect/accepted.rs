//! The values for which Codex refuses a whole file of hooks, measured with 0.169.0: it parses the
//! file as one value, so one wrong entry or repeated key takes all others with it (CX-4). Table only.

use super::events::ROWS;
use crate::dialect::kit::shape::Shape;

const SECONDS: Shape = Shape::OrNull(&Shape::Whole(0));

const HANDLER: Shape = Shape::ByType(&[
    (
        "command",
        &[
            ("command", Shape::Text),
            ("commandWindows", Shape::OrNull(&Shape::Text)),
            ("timeout", SECONDS),
            ("async", Shape::Bool),
            ("statusMessage", Shape::OrNull(&Shape::Text)),
            ("additionalContextLimit", SECONDS),
        ],
        &["command"],
    ),
    (
        "mcp_tool",
        &[
            ("server", Shape::Text),
            ("tool", Shape::Text),
            ("input", Shape::Object),
            ("timeout", SECONDS),
        ],
        &["server", "tool"],
    ),
    ("prompt", &[], &[]),
    ("agent", &[], &[]),
]);

const GROUPS: Shape = Shape::Items(&Shape::Keys(
    &[("matcher", Shape::OrNull(&Shape::Text)), ("hooks", Shape::Items(&HANDLER))],
    &[],
));

/// A file of hooks.
pub(super) const FILE: Shape = Shape::Keys(
    &[("description", Shape::OrNull(&Shape::Text)), ("hooks", Shape::Events(|| &ROWS, &GROUPS))],
    &[],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Format, parse_by_format};

    fn refused_path(text: &str) -> String {
        let root = parse_by_format(text, Format::Json).root.expect(text);
        FILE.find_refused_value(&root).map(|refused| refused.path).unwrap_or_default()
    }

    /// Groups beside a sound one, and what the path of the value ends with for which Codex 0.169.0
    /// ran neither.
    const PLAYED: &[(&str, Option<&str>)] = &[
        (r#"{"matcher": null}"#, None),
        (r#"{"matcher": {}}"#, Some(".matcher")),
        (r#"{"matcher": 5}"#, Some(".matcher")),
        (r#"{"matcher": "((", "nope": 5}"#, None),
        ("{}", None),
        (r#"{"type": "command", "command": "a"}"#, None),
        (r#"{"hooks": {}}"#, Some(".hooks")),
        (r#"{"hooks": null}"#, Some(".hooks")),
        (r#"{"hooks": []}"#, None),
        (r#"{"hooks": ["a"]}"#, Some(".hooks.0")),
        (r#""a""#, Some("")),
        ("null", Some("")),
    ];

    /// Handlers, and what the path ends with.
    const HANDLERS_PLAYED: &[(&str, Option<&str>)] = &[
        (r#"{"command": "a"}"#, Some(".type")),
        (r#"{"type": "", "command": "a"}"#, Some(".type")),
        (r#"{"type": null, "command": "a"}"#, Some(".type")),
        (r#"{"type": "http", "url": "https://a.b"}"#, Some(".type")),
        (r#"{"type": "command"}"#, Some(".command")),
        (r#"{"type": "command", "command": ""}"#, None),
        (r#"{"type": "command", "command": null}"#, Some(".command")),
        (r#"{"type": "command", "command": "a", "timeout": 1.5}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": 2.0}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": "10"}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": -1}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "timeout": 0}"#, None),
        (r#"{"type": "command", "command": "a", "timeout": null}"#, None),
        (r#"{"type": "command", "command": "a", "async": null}"#, Some(".async")),
        (r#"{"type": "command", "command": "a", "statusMessage": 5}"#, Some(".statusMessage")),
        (r#"{"type": "command", "command": "a", "commandWindows": 5}"#, Some(".commandWindows")),
        (
            r#"{"type": "command", "command": "a", "additionalContextLimit": 1.5}"#,
            Some(".additionalContextLimit"),
        ),
        (r#"{"type": "mcp_tool", "tool": "t"}"#, Some(".server")),
        (r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": null}"#, Some(".input")),
        (r#"{"type": "prompt", "prompt": 5}"#, None),
        (r#"{"type": "agent"}"#, None),
    ];

    /// Files with a key that is written twice, and its path, for which Codex 0.169.0 ran no hook.
    const REPEATED_KEYS_PLAYED: &[(&str, &str)] = &[
        (r#"{"hooks": {"PreToolUse": [], "PreToolUse": []}}"#, "hooks.PreToolUse"),
        (r#"{"hooks": {"Nope": [], "Nope": []}}"#, ""),
        (r#"{"hooks": {}, "hooks": {}}"#, "hooks"),
        (r#"{"description": "a", "description": "b"}"#, "description"),
        (r#"{"hooks": {"Stop": [{"matcher": "x", "matcher": "*"}]}}"#, "hooks.Stop.0.matcher"),
        (r#"{"hooks": {"Stop": [{"hooks": [], "hooks": []}]}}"#, "hooks.Stop.0.hooks"),
        (r#"{"hooks": {"Stop": [{"x": 1, "x": 2}]}}"#, ""),
    ];

    /// Repeated keys of handlers, and what the path ends with.
    const HANDLERS_WITH_REPEATED_KEYS_PLAYED: &[(&str, Option<&str>)] = &[
        (r#"{"type": "command", "command": "a", "command": "b"}"#, Some(".command")),
        (r#"{"type": "command", "type": "command", "command": "a"}"#, Some(".type")),
        (r#"{"type": "command", "command": "a", "timeout": 5, "timeout": 6}"#, Some(".timeout")),
        (r#"{"type": "command", "command": "a", "x": 5, "x": 6}"#, None),
    ];

    fn repeated_key(text: &str) -> String {
        let root = parse_by_format(text, Format::Json).root.expect(text);
        FILE.find_repeated_key(&root).map(|refused| refused.path).unwrap_or_default()
    }

    /// CX-4.
    #[test]
    fn file_is_refused_for_the_keys_that_are_written_twice() {
        for (text, path) in REPEATED_KEYS_PLAYED {
            assert_eq!(repeated_key(text), *path, "{text}");
        }
        for (handler, path) in HANDLERS_WITH_REPEATED_KEYS_PLAYED {
            let path = path.map(|path| format!("hooks.Stop.0.hooks.0{path}")).unwrap_or_default();
            let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{handler}]}}]}}}}"#);
            assert_eq!(repeated_key(&text), path, "{handler}");
        }
    }

    /// CX-4.
    #[test]
    fn file_is_refused_for_the_values_for_which_codex_refuses_it() {
        for (group, path) in PLAYED {
            let path = path.map(|path| format!("hooks.Stop.0{path}")).unwrap_or_default();
            assert_eq!(refused_path(&format!(r#"{{"hooks": {{"Stop": [{group}]}}}}"#)), path);
        }
        for (handler, path) in HANDLERS_PLAYED {
            let path = path.map(|path| format!("hooks.Stop.0.hooks.0{path}")).unwrap_or_default();
            let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{handler}]}}]}}}}"#);
            assert_eq!(refused_path(&text), path, "{handler}");
        }
        for (text, path) in [
            (r#"{"hooks": {"Nope": 5}}"#, ""),
            (r#"{"hooks": {"Stop": {}}}"#, "hooks.Stop"),
            (r#"{"hooks": {"Stop": null}}"#, "hooks.Stop"),
            (r#"{"description": 5}"#, "description"),
            (r#"{"description": null}"#, ""),
        ] {
            assert_eq!(refused_path(text), path, "{text}");
        }
    }
}
