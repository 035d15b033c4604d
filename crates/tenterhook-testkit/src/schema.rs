//! JSON Schemas as tests need them. Published schemas let readers accept keys of a later version; a test accepts no key that the
//! schema does not name. Validates nothing.

use serde_json::Value;

/// Makes each object of `schema` refuse keys that it does not name, where the published schema permits
/// them with `"additionalProperties": true`.
pub fn close_objects(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let is_object_with_keys = map.contains_key("properties");
            if let Some(permits) = map.get_mut("additionalProperties")
                && is_object_with_keys
                && *permits == Value::Bool(true)
            {
                *permits = Value::Bool(false);
            }
            map.values_mut().for_each(close_objects);
        }
        Value::Array(list) => list.iter_mut().for_each(close_objects),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_objects_with_named_keys_are_closed() {
        let mut schema = json!({
            "additionalProperties": true,
            "properties": {
                "a": {"additionalProperties": true},
                "b": {"additionalProperties": {"type": "string"}, "properties": {}},
            },
        });
        close_objects(&mut schema);
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"]["a"]["additionalProperties"], true);
        assert_eq!(schema["properties"]["b"]["additionalProperties"], json!({"type": "string"}));
    }
}
