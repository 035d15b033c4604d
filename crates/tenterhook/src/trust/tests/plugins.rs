//! Plugins that a repository switches off.

use super::*;

/// T-15: a plugin that a stranger's settings switch off stays on.
#[test]
fn plugins_are_found_by_what_was_approved() {
    let fixture = Fixture::new();
    let plugin = fixture.root.path().join("shop/guard");
    fs::create_dir_all(plugin.join("hooks")).expect("a directory");
    fs::write(plugin.join("hooks/hooks.json"), "{\"hooks\": {}}").expect("a file");
    let user = fixture.home().join(".claude");
    fs::create_dir_all(user.join("plugins")).expect("a directory");
    fs::write(user.join("settings.json"), "{\"enabledPlugins\": {\"guard@shop\": true}}")
        .expect("a file");
    let known = json!({"plugins": {"guard@shop": [{"installPath": plugin}]}}).to_string();
    fs::write(user.join("plugins/installed_plugins.json"), known).expect("a file");
    let roots = Roots { cwd: fixture.project(), home: fixture.home(), ..Roots::default() };
    let plugins = || {
        fixture
            .trust()
            .find(&roots)
            .sources
            .iter()
            .filter(|source| source.layer == Layer::Plugin)
            .count()
    };
    assert_eq!(plugins(), 1);
    fixture.write(".claude/settings.json", "{\"enabledPlugins\": {\"guard@shop\": false}}");
    assert_eq!(plugins(), 1);
    fixture.approve();
    assert_eq!(plugins(), 0);
}
