//! Plugins that a repository switches off.

use super::*;

/// T-15: a plugin that a stranger's settings switch off stays on.
#[test]
fn plugins_are_found_by_what_was_approved() {
    let room = Room::new();
    let plugin = room.root.path().join("shop/guard");
    fs::create_dir_all(plugin.join("hooks")).expect("a directory");
    fs::write(plugin.join("hooks/hooks.json"), "{\"hooks\": {}}").expect("a file");
    let user = room.home().join(".claude");
    fs::create_dir_all(user.join("plugins")).expect("a directory");
    fs::write(user.join("settings.json"), "{\"enabledPlugins\": {\"guard@shop\": true}}")
        .expect("a file");
    let known = json!({"plugins": {"guard@shop": [{"installPath": plugin}]}}).to_string();
    fs::write(user.join("plugins/installed_plugins.json"), known).expect("a file");
    let roots = Roots { cwd: room.project(), home: room.home(), ..Roots::default() };
    let plugins = || {
        room.trust()
            .find(&roots)
            .sources
            .iter()
            .filter(|source| source.layer == Layer::Plugin)
            .count()
    };
    assert_eq!(plugins(), 1);
    room.write(".claude/settings.json", "{\"enabledPlugins\": {\"guard@shop\": false}}");
    assert_eq!(plugins(), 1);
    room.approve();
    assert_eq!(plugins(), 0);
}
