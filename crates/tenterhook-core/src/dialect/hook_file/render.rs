//! Renders written entries as the text of a file, by its layout.

use serde_json::{Map, Value, json};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use super::WrittenEntry;
use crate::agents::{Field, HookFile, JsonFile, Layout, Syntax};

/// The name of written hooks in a file of named hooks.
const NAME: &str = "converted";

/// Renders entries as a file.
pub(super) fn render_file(file: &HookFile, written: &[WrittenEntry]) -> String {
    match &file.layout {
        Layout::Json(json) => {
            let is_grouped = |event: &str| json.has_groups(event);
            json_file_text(json, NAME, items_by_event(file, written, is_grouped))
        }
        Layout::Actions => {
            actions_text(named(written).map(|(name, entry)| action_entry(file, entry, name)))
        }
        Layout::Tables { .. } => toml_tables(file, written),
        Layout::Yaml => yaml_text(&items_by_event(file, written, |_| false)),
    }
}

/// Renders events as a JSON file. Hooks that need a name get this one.
pub(crate) fn json_file_text(
    json: &JsonFile,
    name: &'static str,
    events: Map<String, Value>,
) -> String {
    let root = match (json.wrapper.key(name), json.version()) {
        (None, _) => Value::Object(events),
        (Some(key), None) => json!({ key: events }),
        (Some(key), Some(version)) => json!({ "version": version, key: events }),
    };
    let text = format!("{root:#}\n");
    match json.syntax {
        // `/*` has no shorter form without a slash.
        Syntax::CommentsInTexts => text.replace("//", r"\/\/").replace("/*", r"\u002f*"),
        Syntax::Json(_) | Syntax::Json5 => text,
    }
}

/// Renders entries as a file of [`Layout::Actions`].
pub(crate) fn actions_text(entries: impl Iterator<Item = Map<String, Value>>) -> String {
    let hooks: Vec<Value> = entries.map(Value::Object).collect();
    format!("{:#}\n", json!({ "version": "v1", "hooks": hooks }))
}

/// Returns an entry of [`Layout::Actions`]: what it runs is in `action`, behind the rest.
pub(crate) fn action_entry(
    file: &HookFile,
    written: &WrittenEntry,
    name: String,
) -> Map<String, Value> {
    let keys = [Field::Type, Field::Line].map(|field| file.key(field));
    let whole = whole_entry(file, written, name).into_iter();
    let (action, mut rest): (Map<_, _>, Map<_, _>) =
        whole.partition(|(key, _)| keys.contains(&Some(key)));
    rest.insert("action".to_owned(), action.into());
    rest
}

/// Returns the events with their groups, or with their entries where they have none. Neighbours with
/// the same matcher share a group.
fn items_by_event(
    file: &HookFile,
    written: &[WrittenEntry],
    is_grouped: impl Fn(&str) -> bool,
) -> Map<String, Value> {
    let key = file.key(Field::Matcher).unwrap_or("matcher");
    let mut events: Map<String, Value> = Map::new();
    for (name, entry) in named(written) {
        let items = events.entry(entry.event.clone()).or_insert_with(|| json!([]));
        let Some(items) = items.as_array_mut() else { continue };
        if !is_grouped(&entry.event) {
            items.push(Value::Object(whole_entry(file, entry, name)));
            continue;
        }
        let matcher = entry.matcher.as_deref();
        let same =
            items.last_mut().filter(|group| group.get(key).and_then(Value::as_str) == matcher);
        if let Some(hooks) = same.and_then(|group| group.get_mut("hooks")?.as_array_mut()) {
            hooks.push(Value::Object(entry.entry.clone()));
            continue;
        }
        let mut group = Map::new();
        if let Some(matcher) = matcher {
            group.insert(key.to_owned(), matcher.into());
        }
        group.insert("hooks".to_owned(), json!([entry.entry]));
        items.push(Value::Object(group));
    }
    events
}

/// Returns the entries, each with a name that no other one has.
fn named(written: &[WrittenEntry]) -> impl Iterator<Item = (String, &WrittenEntry)> {
    (1..).zip(written).map(|(number, entry)| (format!("{}-{number}", entry.event), entry))
}

/// Returns an entry with its matcher, and its name and event where the table has keys for them.
pub(crate) fn whole_entry(
    file: &HookFile,
    written: &WrittenEntry,
    name: String,
) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut add = |field: Field, text: Option<String>| {
        let key = file.key(field).map(str::to_owned);
        entry.extend(key.zip(text.map(Value::from)));
    };
    add(Field::Name, Some(name));
    add(Field::Event, Some(written.event.clone()));
    add(Field::Matcher, written.matcher.clone());
    entry.extend(written.entry.clone());
    entry
}

/// Renders entries below a list for each event. A string of JSON is one of YAML, too.
fn yaml_text(events: &Map<String, Value>) -> String {
    let mut text = "hooks:\n".to_owned();
    for (event, list) in events {
        text.push_str(&format!("  {event}:\n"));
        for entry in list.as_array().into_iter().flatten() {
            let fields = entry.as_object().into_iter().flatten();
            let lines: Vec<String> =
                fields.map(|(key, value)| format!("{key}: {value}\n")).collect();
            text.push_str(&format!("    - {}", lines.join("      ")));
        }
    }
    text
}

/// Renders entries as tables `[[hooks]]`.
fn toml_tables(file: &HookFile, written: &[WrittenEntry]) -> String {
    let mut tables = ArrayOfTables::new();
    for (name, entry) in named(written) {
        let mut table = Table::new();
        for (key, value) in whole_entry(file, entry, name) {
            let item = match value {
                Value::String(text) => toml_edit::value(text),
                Value::Bool(flag) => toml_edit::value(flag),
                Value::Number(number) => match number.as_i64() {
                    Some(number) => toml_edit::value(number),
                    None => toml_edit::value(number.as_f64().unwrap_or_default()),
                },
                // No table of an agent has these.
                Value::Null | Value::Array(_) | Value::Object(_) => continue,
            };
            table.insert(&key, item);
        }
        tables.push(table);
    }
    let mut document = DocumentMut::new();
    document.insert("hooks", Item::ArrayOfTables(tables));
    document.to_string()
}
