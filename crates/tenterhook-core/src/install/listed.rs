//! Which settings make an agent load the plugin of Tenterhook, and which of them are missing in a
//! text? Reads a text.

use super::json::{Switched, Wrong, parse_settings};
use super::settings::{Setting, error_at_span};
use crate::agents::{Agent, PluginList};
use crate::syntax::Node;

/// The name of the plugin.
const NAME: &str = "tenterhook";

/// Returns the settings with which the agent loads the plugin in `folder`; `text` is the file that
/// gets them (OC-2).
///
/// # Errors
///
/// If the agent would reject the text, another file may have these settings, or the text denies the
/// plugin.
pub fn settings_listing_plugin(
    agent: &Agent,
    folder: &str,
    text: Option<&str>,
) -> Result<Vec<Setting>, Wrong> {
    let Some(list) = agent.installation.plugin_list() else { return Ok(Vec::new()) };
    let root = text.map(|text| parse_settings(agent, text)).transpose()?;
    if let (Some(root), Some(text)) = (&root, text) {
        refuse_include(list, root, text)?;
        if let Some(node) = name_in_list(root, list.denied) {
            let message = format!("`{}` has `{NAME}`: remove it first", list.denied.join("."));
            return Err(error_at_span(text, node.span, message));
        }
    }
    let mut settings = vec![Setting::Item(to_strings(list.folders), folder.to_owned())];
    settings.extend(list.flags.iter().map(|key| Setting::Is(to_strings(key), true)));
    // A new list, or the first item of an empty one, would exclude the user's other plugins.
    if root.is_some_and(|root| has_items(&root, list.allowed)) {
        settings.push(Setting::Item(to_strings(list.allowed), NAME.to_owned()));
    }
    Ok(settings)
}

/// Returns the setting because of which the agent does not load the plugin in `folder`, if any.
#[must_use]
pub fn find_unlisted_plugin(agent: &Agent, folder: &str, text: Option<&str>) -> Option<Switched> {
    let list = agent.installation.plugin_list()?;
    let switched = |key: &[&str], missing| {
        Some(Switched { key: key.join("."), off: true, is_missing: missing })
    };
    let Some(root) = text.and_then(|text| parse_settings(agent, text).ok()) else {
        return switched(list.folders, true);
    };
    if find(&root, list.all).and_then(Node::as_bool) == Some(false) {
        return switched(list.all, false);
    }
    if name_in_list(&root, list.denied).is_some() {
        return switched(list.denied, false);
    }
    if item_of_list(&root, list.folders, |item| item == folder).is_none() {
        return switched(list.folders, true);
    }
    if has_items(&root, list.allowed) && name_in_list(&root, list.allowed).is_none() {
        return switched(list.allowed, true);
    }
    let flag = |key: &&&[&str]| find(&root, key).and_then(Node::as_bool) != Some(true);
    let key = list.flags.iter().find(flag)?;
    switched(key, find(&root, key).is_none())
}

/// Returns an error if the content of another file takes part in one of these settings.
fn refuse_include(list: &PluginList, root: &Node, text: &str) -> Result<(), Wrong> {
    let keys = list.flags.iter().copied().chain([list.folders, list.allowed, list.denied]);
    let above = |key: &'static [&'static str]| (0..=key.len()).filter_map(|end| key.get(..end));
    let mut includes = keys.flat_map(above).filter_map(|key| find(root, key)?.entry(list.include));
    let Some(entry) = includes.next() else { return Ok(()) };
    let message = format!(
        "`{}` brings in another file, which may have these settings, too; by hand, add {}",
        list.include,
        describe_settings(list),
    );
    Err(error_at_span(text, entry.key_span, message))
}

/// Describes the settings for a person who writes them by hand.
fn describe_settings(list: &PluginList) -> String {
    let flags = list.flags.iter().map(|key| format!("`{}: true`", key.join(".")));
    let folder = format!("the folder of the plugin to `{}`", list.folders.join("."));
    std::iter::once(folder).chain(flags).collect::<Vec<_>>().join(", ")
}

fn find<'n>(root: &'n Node, key: &[&str]) -> Option<&'n Node> {
    key.iter().try_fold(root, |node, name| node.get(name))
}

fn has_items(root: &Node, key: &[&str]) -> bool {
    find(root, key).and_then(Node::as_array).is_some_and(|items| !items.is_empty())
}

/// Returns the item that names the plugin. OpenClaw reads names without spaces around them and in
/// lower case (`normalizePluginId`).
fn name_in_list<'n>(root: &'n Node, key: &[&str]) -> Option<&'n Node> {
    item_of_list(root, key, |item| item.trim().eq_ignore_ascii_case(NAME))
}

fn item_of_list<'n>(
    root: &'n Node,
    key: &[&str],
    is_item: impl Fn(&str) -> bool,
) -> Option<&'n Node> {
    let mut items = find(root, key)?.as_array()?.iter();
    items.find(|node| node.as_str().is_some_and(&is_item))
}

fn to_strings(key: &[&str]) -> Vec<String> {
    key.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::OPENCLAW;
    use crate::install::{add_settings, remove_settings};

    const FOLDER: &str = "/home/u/.openclaw/tenterhook";

    /// Files as people write them, all JSON5.
    const SHAPES: &[&str] = &[
        "{}\n",
        "{\n  // models\n  models: { primary: 'a/b' }, // \"best\"\n}\n",
        "{\"plugins\": {}}",
        "{ plugins: { enabled: true, allow: ['voice-call',], entries: { 'voice-call': { enabled: true } } } }\n",
        "{\n  plugins: {\n    load: {\n      paths: [\n        '~/a', // mine\n      ],\n    },\n  },\n  agents: { $include: './agents.json5' },\n}\n",
        "{\n\t\"plugins\": {\n\t\t\"entries\": {\n\t\t\t\"tenterhook\": { \"config\": {} }\n\t\t}\n\t}\n}",
        "\u{feff}{ hex: 0x1F, n: +.5, s: 'it\\'s [', }",
        "/* top */ {hooks: {enabled: true, mappings: [{match: {path: 'x'}}]}, } // end\n",
        "{ a: 'two \\\nlines', b: Infinity }\n",
    ];

    fn add(text: Option<&str>) -> Result<(String, Vec<(Setting, usize)>), Wrong> {
        let settings = settings_listing_plugin(&OPENCLAW, FOLDER, text)?;
        add_settings(&OPENCLAW, text, &settings)
    }

    /// OC-2.
    #[test]
    fn plugin_is_listed_and_removed_to_the_byte() {
        for text in SHAPES {
            let (now, added) = add(Some(text)).expect(text);
            assert_eq!(find_unlisted_plugin(&OPENCLAW, FOLDER, Some(&now)), None, "{now}");
            assert!(find_unlisted_plugin(&OPENCLAW, FOLDER, Some(text)).is_some(), "{text}");
            let (again, none) = add(Some(&now)).expect(&now);
            assert_eq!((&again, none.len()), (&now, 0));
            let removed = remove_settings(&OPENCLAW, &now, &added).expect(&now);
            assert_eq!(removed.as_deref(), Some(*text), "{now}");
        }
    }

    /// OC-2: OpenClaw loads every plugin if the list is empty.
    #[test]
    fn empty_list_of_allowed_plugins_stays_empty() {
        let text = "{ plugins: { allow: [] } }";
        let (now, _) = add(Some(text)).expect(text);
        assert!(now.contains("allow: []"), "{now}");
        assert_eq!(find_unlisted_plugin(&OPENCLAW, FOLDER, Some(&now)), None, "{now}");
    }

    /// OC-2: a file that did not exist is gone again.
    #[test]
    fn new_file_holds_only_the_settings() {
        let (now, added) = add(None).expect("a new file");
        assert_eq!(find_unlisted_plugin(&OPENCLAW, FOLDER, Some(&now)), None, "{now}");
        assert_eq!(remove_settings(&OPENCLAW, &now, &added), Ok(None));
    }

    /// OC-2: what cannot be edited safely is left.
    #[test]
    fn text_that_cannot_be_edited_is_refused() {
        for (text, line) in [
            ("{ $include: './a.json5' }", 1),
            ("{\n plugins: { $include: './a.json5' } }", 2),
            ("{ plugins: {\n load: { \"$include\": ['a'] } } }", 2),
            ("{ plugins: { entries:\n { tenterhook: { $include: 'a' } } } }", 2),
            ("{ plugins: {\n\n deny: ['tenterhook'] } }", 3),
            ("{ plugins: {\n\n deny: [' Tenterhook'] } }", 3),
            ("{ plugins: { entries: {\n tenterhook: { enabled: false } } } }", 2),
            ("{ plugins: 'x' }", 1),
            ("{ plugins: { load: { paths: 'x' } } }", 1),
            ("{ plugins: {}, plugins: {} }", 1),
            ("{ broken", 1),
            ("[]", 1),
        ] {
            let refused = add(Some(text)).expect_err(text);
            assert_eq!(refused.line, line, "{text}: {}", refused.message);
        }
    }

    /// OC-3.
    #[test]
    fn missing_setting_is_named() {
        let listed = add(None).expect("a new file").0;
        for (from, to, key, is_missing) in [
            (
                "\"enabled\": true",
                "\"enabled\": false",
                "plugins.entries.tenterhook.enabled",
                false,
            ),
            (
                "\"allowConversationAccess\": true",
                "\"x\": true",
                "plugins.entries.tenterhook.hooks.allowConversationAccess",
                true,
            ),
            (FOLDER, "/elsewhere", "plugins.load.paths", true),
            ("\"load\"", "\"deny\": [\"tenterhook\"], \"load\"", "plugins.deny", false),
            ("\"load\"", "\"deny\": [\" TenterHook \"], \"load\"", "plugins.deny", false),
            ("\"load\"", "\"allow\": [\"a\"], \"load\"", "plugins.allow", true),
            ("\"load\"", "\"enabled\": false, \"load\"", "plugins.enabled", false),
        ] {
            let text = listed.replacen(from, to, 1);
            let found = find_unlisted_plugin(&OPENCLAW, FOLDER, Some(&text)).expect(&text);
            assert_eq!((found.key.as_str(), found.is_missing), (key, is_missing), "{text}");
        }
        assert!(find_unlisted_plugin(&OPENCLAW, FOLDER, None).is_some());
    }
}
