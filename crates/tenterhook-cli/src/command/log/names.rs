//! The short names of hooks that the record names by their position alone: their commands may hold secrets, so they are not on record.
//! Reads the config files; changes no record.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;
use tenterhook::internal::record::hook_digest;
use tenterhook::internal::record::read::Entry;

use crate::ambient::Here;
use crate::args::Which;
use crate::load;

/// The short names of the configured hooks, by the digest that a record has of each.
pub(super) struct HookNames {
    here: Here,
    /// Loaded when the first hook without a name is found.
    names: OnceCell<HashMap<String, String>>,
}

impl HookNames {
    pub(super) fn new(here: &Here) -> Self {
        Self { here: here.clone(), names: OnceCell::new() }
    }

    /// Adds the name of each hook that has none in the record, if exactly that hook is still
    /// configured.
    pub(super) fn add_missing_names(&self, entry: &mut Entry) {
        let Some(Value::Array(hooks)) = entry.get_mut("hooks") else { return };
        for hook in hooks.iter_mut().filter_map(Value::as_object_mut) {
            let text = |key: &str| hook.get(key).and_then(Value::as_str);
            // A colon marks an id that states the hook's position.
            let is_named =
                text("name").is_some() || !text("hook").is_some_and(|id| id.contains(':'));
            let name = match text("identity") {
                Some(identity) if !is_named => self.configured_names().get(identity).cloned(),
                _ => None,
            };
            if let Some(name) = name {
                hook.insert("name".to_owned(), name.into());
            }
        }
    }

    fn configured_names(&self) -> &HashMap<String, String> {
        self.names.get_or_init(|| {
            let which = Which { config: Vec::new(), dialect: None, compat: None };
            let Ok(mut loaded) = load::load_hooks(&which, &self.here) else {
                return HashMap::new();
            };
            let ruleset = loaded.build_engine(|builder| builder).ruleset();
            let hooks = ruleset.hooks().iter().filter(|hook| hook.configured_name().is_none());
            hooks.map(|hook| (hook_digest(hook), hook.short_name())).collect()
        })
    }
}
