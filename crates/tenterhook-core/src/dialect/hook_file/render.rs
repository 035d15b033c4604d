//! Renders written entries as the text of a file, by its layout.

use serde_json::{Map, Value, json};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use super::{Field, HookFile, Layout, WrittenEntry};

/// The name below which the events of a file of named hooks are.
const NAME: &str = "converted";

/// Renders entries as a file.
pub(super) fn render_file(file: &HookFile, written: &[WrittenEntry]) -> String {
    let with_root = |beside: &[(&str, u64)]| {
        let mut root: Map<String, Value> =
            beside.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
        root.insert("hooks".to_owned(), entries_by_event(file, written));
        to_json_text(&Value::Object(root))
    };
    match file.layout {
        Layout::Groups => {
            to_json_text(&json!({ "hooks": items_by_event(file, written, |_| true) }))
        }
        Layout::BareGroups => to_json_text(&items_by_event(file, written, |_| true)),
        Layout::Entries(beside) => with_root(beside),
        // `/*` has no shorter form without a slash.
        Layout::EntriesWithoutSlashes(beside) => {
            with_root(beside).replace("//", r"\/\/").replace("/*", r"\u002f*")
        }
        Layout::Named(grouped) => {
            let is_grouped = |event: &str| grouped.contains(&event);
            to_json_text(&json!({ NAME: items_by_event(file, written, is_grouped) }))
        }
        Layout::Tables => toml_tables(file, written),
        Layout::Actions => {
            to_json_text(&json!({ "version": "v1", "hooks": actions(file, written) }))
        }
        Layout::Yaml => yaml_text(file, written),
    }
}

fn to_json_text(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Returns the events with their groups, or with their entries where they have none. Neighbours with
/// the same matcher share a group.
fn items_by_event(
    file: &HookFile,
    written: &[WrittenEntry],
    is_grouped: impl Fn(&str) -> bool,
) -> Value {
    let key = file.key(Field::Matcher).unwrap_or("matcher");
    let mut events: Map<String, Value> = Map::new();
    for entry in written {
        let items = events.entry(entry.event.clone()).or_insert_with(|| json!([]));
        let Some(items) = items.as_array_mut() else { continue };
        if !is_grouped(&entry.event) {
            items.push(Value::Object(entry.entry.clone()));
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
    Value::Object(events)
}

/// Returns the events with their entries.
fn entries_by_event(file: &HookFile, written: &[WrittenEntry]) -> Value {
    let mut events: Map<String, Value> = Map::new();
    for (number, entry) in (1..).zip(written) {
        let list = events.entry(entry.event.clone()).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(Value::Object(whole_entry(file, entry, number)));
        }
    }
    Value::Object(events)
}

/// Returns the entries as a list, each with what it runs in `action`.
fn actions(file: &HookFile, written: &[WrittenEntry]) -> Vec<Value> {
    let keys = [Field::Type, Field::Line].map(|field| file.key(field));
    let is_of_action = |key: &str| keys.contains(&Some(key));
    let split = |(number, entry)| {
        let whole = whole_entry(file, entry, number).into_iter();
        let (action, mut rest): (Map<_, _>, Map<_, _>) =
            whole.partition(|(key, _)| is_of_action(key));
        rest.insert("action".to_owned(), action.into());
        Value::Object(rest)
    };
    (1..).zip(written).map(split).collect()
}

/// Returns an entry with its matcher, and its name and event where the table has keys for them.
fn whole_entry(file: &HookFile, written: &WrittenEntry, number: usize) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut add = |field: Field, text: Option<String>| {
        let key = file.key(field).map(str::to_owned);
        entry.extend(key.zip(text.map(Value::from)));
    };
    add(Field::Name, Some(format!("{}-{number}", written.event)));
    add(Field::Event, Some(written.event.clone()));
    add(Field::Matcher, written.matcher.clone());
    entry.extend(written.entry.clone());
    entry
}

/// Renders entries below a list for each event. A string of JSON is one of YAML, too.
fn yaml_text(file: &HookFile, written: &[WrittenEntry]) -> String {
    let mut text = "hooks:\n".to_owned();
    let events = entries_by_event(file, written);
    for (event, list) in events.as_object().into_iter().flatten() {
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
    for (number, entry) in (1..).zip(written) {
        let mut table = Table::new();
        for (key, value) in whole_entry(file, entry, number) {
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
