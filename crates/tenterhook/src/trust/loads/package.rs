//! Which files does a `package.json` name as what its directory stands for?

use serde_json::Value as Json;

use super::value::Value;
use super::{Language, Loads, Note, Role, Scene};

/// Fields that name what is loaded in place of the directory.
const FIELDS: &[&str] = &["exports", "main", "module"];

pub(super) fn add_package_json_loads(text: &str, scene: Scene<'_>, loads: &mut Loads) {
    let Some(own) = scene.script_path() else { return };
    let Ok(Json::Object(fields)) = serde_json::from_str(text) else { return };
    let mut paths = Vec::new();
    for field in FIELDS.iter().filter_map(|name| fields.get(*name)) {
        collect_paths(field, &mut paths);
    }
    for path in paths {
        let note = Note {
            file: scene.script.unwrap_or(scene.base).to_owned(),
            line: 1,
            text: path.clone(),
        };
        for ending in ["", ".js", "/index.js"] {
            let value =
                own.clone().parent().join_path(&Value::from_text(format!("{path}{ending}")));
            let is_there = value
                .resolve_from(&Value::from_path(scene.base))
                .is_some_and(|path| scene.disk.is_file(&path));
            if is_there {
                loads.add_load(
                    &value,
                    &Value::from_path(scene.base),
                    Role::Runs(Some(Language::Node)),
                    note.clone(),
                );
            }
        }
    }
}

fn collect_paths(field: &Json, paths: &mut Vec<String>) {
    match field {
        Json::String(path) if !path.contains('*') => paths.push(path.clone()),
        Json::Object(conditions) => {
            conditions.values().for_each(|value| collect_paths(value, paths))
        }
        Json::Array(choices) => choices.iter().for_each(|value| collect_paths(value, paths)),
        _ => {}
    }
}
