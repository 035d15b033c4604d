//! Puts settings that are no hooks into an agent's file, and takes exactly those out again: a value of a key, an item of a list, a
//! part of a list of paths. Changes no byte beside them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::edit::{self, Left};
use super::json::{Wrong, parse_settings};
use crate::agents::Agent;
use crate::diagnostic::{Location, Span};
use crate::syntax::Node;

/// A setting that `install` writes beside its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// The value of a key.
    Is(Vec<String>, bool),
    /// An item of a list of texts.
    Item(Vec<String>, String),
    /// A part of a text that lists paths.
    Path(Vec<String>, String),
}

/// What separates the paths of a list.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

impl Setting {
    fn key_path(&self) -> &[String] {
        match self {
            Self::Is(path, _) | Self::Item(path, _) | Self::Path(path, _) => path,
        }
    }

    /// Returns the value to write if the key does not exist.
    fn initial_value(&self) -> Value {
        match self {
            Self::Is(_, value) => json!(value),
            Self::Item(_, item) => json!([item]),
            Self::Path(_, path) => json!(path),
        }
    }

    /// Counts how many keys of the path exist, outermost first.
    fn count_existing_keys(&self, root: &Node) -> usize {
        let mut node = Some(root);
        let is_there = |key: &&String| {
            node = node.and_then(|node| node.get(key));
            node.is_some()
        };
        self.key_path().iter().take_while(is_there).count()
    }

    /// Returns the text of a file that holds only this setting.
    fn text_of_whole_file(&self) -> String {
        let inner = self.key_path().iter().skip(1).rev();
        let value = inner.fold(self.initial_value(), |value, key| json!({ key.as_str(): value }));
        edit::file_text_with_one_child(self.key_path().first().map_or("", String::as_str), &value)
    }

    /// Returns true if the value of its key already holds the setting.
    fn is_set_in(&self, node: &Node) -> bool {
        match self {
            Self::Is(_, value) => node.as_bool() == Some(*value),
            Self::Item(_, item) => {
                node.as_array().into_iter().flatten().any(|node| node.as_str() == Some(item))
            }
            Self::Path(_, path) => {
                node.as_str().is_some_and(|text| text.split(SEPARATOR).any(|part| part == path))
            }
        }
    }
}

/// The text with these settings, and those of them that were not there, each with how many keys of its path were.
///
/// # Errors
///
/// Where the agent would reject the text, another value stands at the place of one, or the settings could not be taken out again to the
/// byte.
pub fn add_settings(
    agent: &Agent,
    text: Option<&str>,
    settings: &[Setting],
) -> Result<(String, Vec<(Setting, usize)>), Wrong> {
    let mut added = Vec::new();
    let (mut now, rest) = match (text, settings.split_first()) {
        (None, Some((first, rest))) => {
            added.push((first.clone(), 0));
            (first.text_of_whole_file(), rest)
        }
        (text, _) => (text.unwrap_or("{}\n").to_owned(), settings),
    };
    for setting in rest {
        let root = parse_settings(agent, &now)?;
        if let Some(next) = add_setting(&now, &root, setting)? {
            added.push((setting.clone(), setting.count_existing_keys(&root)));
            now = next;
        }
    }
    parse_settings(agent, &now)?;
    let is_undone =
        || remove_settings(agent, &now, &added).is_ok_and(|undone| undone.as_deref() == text);
    if !added.is_empty() && !is_undone() {
        let message = "the file would be broken by it: it could not be taken out again".to_owned();
        return Err(Wrong { message, line: 1, column: 1 });
    }
    Ok((now, added))
}

/// Returns the text with one setting; `None` if the text already has it.
fn add_setting(text: &str, root: &Node, setting: &Setting) -> Result<Option<String>, Wrong> {
    let mut node = root;
    for (at, key) in setting.key_path().iter().enumerate() {
        if node.as_object().is_none() {
            return Err(error_at_span(
                text,
                node.span,
                format!("`{key}` would stand in {}", node.kind_with_article()),
            ));
        }
        let Some(child) = node.get(key) else {
            let inner = setting.key_path().iter().skip(at + 1).rev();
            let value =
                inner.fold(setting.initial_value(), |value, key| json!({ key.as_str(): value }));
            return Ok(Some(edit::append_child(text, node, Some(key), &value)));
        };
        node = child;
    }
    if setting.is_set_in(node) {
        return Ok(None);
    }
    let name = setting.key_path().join(".");
    match setting {
        Setting::Is(_, value) => {
            let message = format!("`{name}` is set, and not to `{value}`");
            Err(error_at_span(text, node.span, message))
        }
        Setting::Item(_, item) if node.as_array().is_some() => {
            Ok(Some(edit::append_child(text, node, None, &json!(item))))
        }
        Setting::Path(_, path) if node.as_str().is_some() => {
            let separator = (node.as_str() != Some("")).then_some(SEPARATOR);
            let separator = separator.map(String::from).unwrap_or_default();
            let new = format!("{separator}{}", escape_json_string(path));
            Ok(Some(insert_text_at(text, node.span.end - 1, &new)))
        }
        Setting::Item(..) | Setting::Path(..) => {
            Err(error_at_span(text, node.span, format!("`{name}` is {}", node.kind_with_article())))
        }
    }
}

/// The text without these settings, as far as they are there; of each the keys stay that were there before. `None` where nothing else
/// was in the file.
///
/// # Errors
///
/// Where the agent would reject the text.
pub fn remove_settings(
    agent: &Agent,
    text: &str,
    settings: &[(Setting, usize)],
) -> Result<Option<String>, Wrong> {
    let mut now = text.to_owned();
    for (setting, there) in settings.iter().rev() {
        let root = parse_settings(agent, &now)?;
        match remove_setting(&now, &root, (setting, *there)) {
            Some(Left::Text(text)) => now = text,
            Some(Left::Nothing) => return Ok(None),
            None => {}
        }
    }
    Ok(Some(now))
}

/// Removes one setting and the keys of its path that did not exist before; `None` if the text lacks
/// it.
fn remove_setting(text: &str, root: &Node, (setting, there): (&Setting, usize)) -> Option<Left> {
    // The containers on the way, each with the number of the child that leads on.
    let mut way: Vec<(&Node, usize)> = Vec::new();
    let mut node = root;
    for key in setting.key_path() {
        let at = node.entries().iter().position(|entry| entry.key == *key)?;
        way.push((node, at));
        node = &node.entries().get(at)?.node;
    }
    if !setting.is_set_in(node) {
        return None;
    }
    if let Setting::Item(_, item) = setting {
        let at = node.as_array()?.iter().position(|node| node.as_str() == Some(item))?;
        way.push((node, at));
    }
    if let Setting::Path(path, own) = setting
        && (node.as_str() != Some(own) || path.len() == there)
    {
        return Some(Left::Text(remove_path_from_list(text, node.span, own)));
    }
    for (depth, (container, at)) in way.into_iter().enumerate().rev() {
        match edit::remove_child(text, container, at) {
            Left::Text(text) => return Some(Left::Text(text)),
            // The container was there and is to stay, also where somebody wrote the file anew.
            Left::Nothing if depth > 0 && depth <= there => {
                return Some(Left::Text(edit::remove_all_children(text, container)));
            }
            Left::Nothing => {}
        }
    }
    let outside = [text.get(..root.span.start), text.get(root.span.end..)];
    match outside.into_iter().flatten().all(|rest| rest.trim().is_empty()) {
        true => Some(Left::Nothing),
        false => Some(Left::Text(edit::replace_span(text, root.span, &json!({})))),
    }
}

/// Removes the last element that equals this path from the list of paths at `span`, however it is
/// escaped.
fn remove_path_from_list(text: &str, span: Span, path: &str) -> String {
    let list = text.get(span.start + 1..span.end.saturating_sub(1)).unwrap_or_default();
    let mut start = 0;
    let mut found = None;
    for part in list.split(SEPARATOR) {
        let own = serde_json::from_str::<String>(&format!("\"{part}\""));
        if own.is_ok_and(|own| own == path) {
            found = Some((start, start + part.len()));
        }
        start += part.len() + SEPARATOR.len_utf8();
    }
    // A path goes with what parts it from the one before it, else from the next one.
    let Some((start, end)) = found else { return text.to_owned() };
    let (start, end) = match (start, list.get(end..).unwrap_or_default().is_empty()) {
        (0, true) => (start, end),
        (0, false) => (start, end + SEPARATOR.len_utf8()),
        _ => (start - SEPARATOR.len_utf8(), end),
    };
    let (before, after) = (span.start + 1 + start, span.start + 1 + end);
    format!("{}{}", text.get(..before).unwrap_or_default(), text.get(after..).unwrap_or_default())
}

/// Escapes a path for use inside a JSON string.
fn escape_json_string(path: &str) -> String {
    let text = json!(path).to_string();
    text.get(1..text.len() - 1).unwrap_or_default().to_owned()
}

fn insert_text_at(text: &str, at: usize, new: &str) -> String {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    format!("{before}{new}{after}")
}

pub(super) fn error_at_span(text: &str, span: Span, message: String) -> Wrong {
    let place = Location::find(&std::sync::Arc::from(""), text, span);
    Wrong { message, line: place.line, column: place.column }
}

#[cfg(test)]
mod tests {
    use super::super::json::{add_own_entries, remove_own_entries};
    use super::*;
    use crate::agents::agent_with_hook_installation;

    fn key(path: &str) -> Vec<String> {
        path.split('.').map(str::to_owned).collect()
    }

    fn all() -> Vec<Setting> {
        vec![
            Setting::Is(key("disableAllHooks"), false),
            Setting::Is(key("pluginConfigs.a.options.only"), true),
            Setting::Item(key("prependPlugins"), "g@inline".to_owned()),
            Setting::Path(key("env.DIRS"), "/h/g".to_owned()),
        ]
    }

    /// Shapes in which people and programs leave settings: keys that are there and empty, layouts, marks and line ends.
    const SHAPES: &[&str] = &[
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "\u{feff}{}",
        "\u{feff}{\n  \"model\": \"m\"\n}\n",
        "{\n  \"model\": \"m\"\n}\n",
        "{\"model\": \"m\"}",
        "{\"model\":\"m\"}\n\n",
        "{\n\t\"env\": {\n\t\t\"A\": \"b\"\n\t},\n\t\"prependPlugins\": []\n}\n",
        "{\"env\": {\"DIRS\": \"/a:/b\"}, \"prependPlugins\": [\"x@y\"]}",
        "{\"env\": {\"DIRS\": \"\"}}",
        "{\"env\": {\"DIRS\": \"\"}, \"prependPlugins\": []}",
        "{\n  \"env\": {\n    \"DIRS\": \"\"\n  }\n}\n",
        "{\n  \"env\": {\n    \"A\": \"\",\n    \"DIRS\": \"\",\n    \"B\": \"\"\n  }\n}",
        "{\"env\": {\"DIRS\": \":\"}}",
        "{\"env\": {\"DIRS\": \"/a:\"}}",
        "{\"env\": {\"DIRS\": \":/a\"}}",
        "{\"env\": {\"DIRS\": \"/h/g2:/h/gg\"}}",
        "{\"env\": {\"DIRS\": \"\\/a\\/b\"}}",
        "{\"env\": {}, \"prependPlugins\": [ ]}",
        "{\"env\": { }, \"prependPlugins\": [\n]}",
        "{\n  \"env\": {\n  },\n  \"prependPlugins\": [\n\n  ]\n}\n",
        "{\"prependPlugins\": [\"\"]}",
        "{\"hooks\": {}, \"env\": {}}",
        "{\"hooks\": {\"PreToolUse\": []}, \"env\": {}}",
        "{\"model\": \"\", \"permissions\": {\"allow\": [], \"deny\": [\n]}, \"x\": \"\"}",
        "{\"env\": {}, \"pluginConfigs\": {\"a\": {\"options\": {\"other\": 1}}}}",
        "{\"pluginConfigs\": {\"a\": {}}}",
        "{\"pluginConfigs\": {\"a\": {\"options\": {}}, \"b\": {}}}",
        "{\"disableAllHooks\": false, \"pluginConfigs\": {}}",
        "{\n    \"env\": {\"DIRS\": \"\"} }",
        " \n{\"env\":{\"DIRS\":\"\"}}\n ",
    ];

    /// BR-85, BR-100: what is put in is there once, and taken out to the byte; with our entries beside it, too.
    #[test]
    fn settings_are_put_in_once_and_taken_out_to_the_byte() {
        let claude = agent_with_hook_installation("claude").expect("the row is there");
        let crlf = SHAPES.iter().map(|text| text.replace('\n', "\r\n"));
        for text in SHAPES.iter().map(|text| (*text).to_owned()).chain(crlf) {
            let text = text.as_str();
            let (now, added) = add_settings(claude, Some(text), &all()).expect(text);
            let (again, none) = add_settings(claude, Some(&now), &all()).expect(text);
            assert_eq!((&again, none), (&now, Vec::new()), "{text}");
            let root = parse_settings(claude, &now).expect(text);
            assert_eq!(root.get("disableAllHooks").and_then(Node::as_bool), Some(false), "{now}");
            let taken = remove_settings(claude, &now, &added).expect(text);
            assert_eq!(taken.as_deref(), Some(text), "{now}");
            // As `install` and `uninstall` do it: entries first.
            let entries = add_own_entries(claude, "/bin/tenterhook", Some(text)).expect(text);
            let (both, added) = add_settings(claude, Some(&entries), &all()).expect(text);
            let settings = remove_own_entries(claude, &both).expect(text).expect(text);
            let taken = remove_settings(claude, &settings, &added).expect(text);
            assert_eq!(taken.as_deref(), Some(text), "{both}");
        }
    }

    /// BR-100: what was there and empty is there and empty, also where the agent wrote the file anew.
    #[test]
    fn empty_values_stay_in_a_file_that_was_written_anew() {
        let claude = agent_with_hook_installation("claude").expect("the row is there");
        for text in SHAPES {
            let (now, added) = add_settings(claude, Some(text), &all()).expect(text);
            let value = |text: &str| -> serde_json::Value {
                serde_json::from_str(text.trim_start_matches('\u{feff}')).expect(text)
            };
            let anew = format!("{:#}\n", value(&now));
            let taken = remove_settings(claude, &anew, &added).expect(text);
            let taken = taken.map_or_else(|| json!({}), |taken| value(&taken));
            assert_eq!(taken, value(text), "{text}");
        }
    }

    /// BR-85: a file that held nothing else is gone.
    #[test]
    fn file_of_these_settings_alone_is_gone() {
        let claude = agent_with_hook_installation("claude").expect("the row is there");
        let (now, added) = add_settings(claude, None, &all()).expect("there is no file");
        let settings: Vec<Setting> = added.iter().map(|(setting, _)| setting.clone()).collect();
        assert_eq!(settings, all());
        assert_eq!(remove_settings(claude, &now, &added), Ok(None), "{now}");
    }

    /// BR-85: what the organisation set otherwise stays, with its place.
    #[test]
    fn setting_with_another_value_is_refused() {
        let claude = agent_with_hook_installation("claude").expect("the row is there");
        for (text, line) in [
            ("{\n\"disableAllHooks\": true}", 2),
            ("{\"prependPlugins\": \"x\"}", 1),
            ("{\"prependPlugins\": null}", 1),
            ("{\"env\": null}", 1),
            ("{\"env\": {\"DIRS\": null}}", 1),
            ("{\"env\": {},\n\"env\": {\"DIRS\": \"\"}}", 2),
            ("{\"env\": {\"DIRS\": \"\",\n\"DIRS\": \"\"}}", 2),
            ("{\"pluginConfigs\": []}", 1),
        ] {
            let refused = add_settings(claude, Some(text), &all()).expect_err(text);
            assert_eq!(refused.line, line, "{text}: {}", refused.message);
        }
    }
}
