//! The places of modules and switches, each beside its ordinary twin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::dialect::{DialectId, Disk, Roots};
use crate::source::Flaw;

/// Files by their paths.
struct Files(BTreeMap<PathBuf, &'static str>);

impl Disk for Files {
    fn read_file(&self, path: &Path) -> Option<(Arc<str>, Option<Flaw>)> {
        self.0.get(path).map(|text| ((*text).into(), None))
    }

    fn list_directories(&self, path: &Path) -> Vec<PathBuf> {
        let below = self.0.keys().filter_map(|file| {
            let first = file.strip_prefix(path).ok()?.components().next()?;
            Some(path.join(first))
        });
        let mut found: Vec<PathBuf> = below.collect();
        found.dedup();
        found
    }
}

const MANIFEST: &str = r#"{"name": "silencer"}"#;
const MODULES: &str = "{\n  \"modules\": [\"./register.ts\"]\n}";

fn layer(path: &str) -> Layer {
    match path {
        "/etc/claude-code/managed-settings.json" => Layer::Managed,
        "/home/a/.claude/settings.json" => Layer::User,
        "/project/.claude/settings.json" => Layer::Project,
        _ => Layer::Local,
    }
}

/// Code and place of what is found among these files; settings come weakest first.
fn found(files: &[(&str, &'static str)]) -> Vec<String> {
    with_env(files, &[])
}

fn with_env(files: &[(&str, &'static str)], env: &[(String, String)]) -> Vec<String> {
    let shown = |silencer: &Silencer| {
        let place = silencer.finding.place.as_ref().expect("each has a place");
        format!("{} {}:{}", silencer.finding.code, place.file, place.line)
    };
    silencers(files, env).iter().map(shown).collect()
}

fn silencers(files: &[(&str, &'static str)], env: &[(String, String)]) -> Vec<Silencer> {
    let disk = Files(files.iter().map(|(path, text)| (PathBuf::from(path), *text)).collect());
    let is_settings =
        |path: &str| path.ends_with("settings.json") || path.ends_with("settings.local.json");
    let sources: Vec<Source> = files
        .iter()
        .filter(|(path, _)| is_settings(path))
        .map(|(path, text)| Source {
            layer: layer(path),
            ..Source::from_text(path, DialectId::CLAUDE, text, "/project")
        })
        .collect();
    let settings: Vec<&Source> = sources.iter().collect();
    let roots = Roots { cwd: "/project".into(), home: "/home/a".into(), ..Roots::default() };
    let scan = Scan { settings: &settings, roots: &roots, env, disk: &disk };
    find_silencers(scan)
}

const USER: &str = "/home/a/.claude/settings.json";
const PROJECT: &str = "/project/.claude/settings.json";
const LOCAL: &str = "/project/.claude/settings.local.json";
const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// BR-80: the strongest file that says anything counts; the user's own `false` is weaker than a project's `true`.
#[test]
fn disable_all_hooks_is_found_where_no_stronger_file_says_false() {
    let on = "{\n\"disableAllHooks\": true}";
    let off = "{\"disableAllHooks\": false}";
    assert_eq!(found(&[(PROJECT, on)]), ["hooks-disabled /project/.claude/settings.json:2"]);
    assert_eq!(found(&[(LOCAL, on)]), ["hooks-disabled /project/.claude/settings.local.json:2"]);
    assert_eq!(found(&[(USER, off), (PROJECT, on)]).len(), 1);
    assert_eq!(found(&[(PROJECT, on), (LOCAL, off)]), [""; 0]);
    assert_eq!(found(&[(PROJECT, on), (LOCAL, on), (MANAGED, off)]), [""; 0]);
    assert_eq!(found(&[(PROJECT, off)]), [""; 0]);
    assert_eq!(found(&[(PROJECT, "{\"disableAllHooks\": \"yes\"}")]), [""; 0]);
}

/// BR-102: what a file says that Claude Code refuses, or may, closes nothing.
#[test]
fn false_in_a_file_that_claude_code_refuses_closes_nothing() {
    let on = (PROJECT, "{\n\"disableAllHooks\": true}");
    for (text, is_read) in [
        ("{\"disableAllHooks\": false}", true),
        ("\u{feff}{\"disableAllHooks\": false}", true),
        (
            "{\"disableAllHooks\": false, \"permissions\": {\"allow\": [\"Bash(ls)\"]}, \"env\": {\"A\": \"b\"}}",
            true,
        ),
        ("{\"disableAllHooks\": false, \"hooks\": {\"Nope\": []}, \"language\": \"en\"}", true),
        ("{\"disableAllHooks\": true, \"disableAllHooks\": false}", true),
        ("{\"disableAllHooks\": false, \"disableAllHooks\": true}", false),
        ("{\"disableAllHooks\": false,}", false),
        ("{\"disableAllHooks\": false // x\n}", false),
        ("{\"disableAllHooks\": false, \"permissions\": 5}", false),
        ("{\"disableAllHooks\": false, \"permissions\": {\"defaultMode\": \"nope\"}}", false),
        ("{\"disableAllHooks\": false, \"env\": []}", false),
        ("{\"disableAllHooks\": false, \"model\": 5}", false),
        ("{\"disableAllHooks\": false, \"sandbox\": 5}", false),
        ("{\"disableAllHooks\": false, \"language\": 5}", false),
        ("{\"disableAllHooks\": \"false\"}", false),
        ("[{\"disableAllHooks\": false}]", false),
    ] {
        let text: &'static str = text;
        assert_eq!(found(&[on, (LOCAL, text)]).is_empty(), is_read, "{text}");
        assert_eq!(found(&[on, (MANAGED, text)]).is_empty(), is_read, "{text}");
    }
    let refused = "{\"disableAllHooks\": false, \"env\": []}";
    let silencer = &silencers(&[on, (LOCAL, refused)], &[])[0];
    let help = silencer.finding.help.as_deref().expect("it is named");
    assert!(
        help.contains("to no effect: Claude Code refuses the whole file: `env` takes an object"),
        "{help}"
    );
    // The same of what closes the places of modules: a switch of one plugin, and managed modules alone.
    let manifest = ("/project/.claude/skills/x/.claude-plugin/plugin.json", MANIFEST);
    let hooks = ("/project/.claude/skills/x/hooks/hooks.json", MODULES);
    let off =
        r#"{"enabledPlugins": {"x@skills-dir": false, "silencer@skills-dir": false}, "model": 5}"#;
    assert_eq!(found(&[manifest, hooks, (LOCAL, off)]).len(), 1);
    let only = r#"{"model": 5, "pluginConfigs": {"cc-plugin-sec-default@builtin": {"options": {"allowManagedModsOnly": true}}}}"#;
    assert_eq!(found(&[manifest, hooks, (MANAGED, only)]).len(), 1);
}

/// BR-81: each place of which a module was loaded.
#[test]
fn module_is_found_in_each_place_that_loads() {
    let marketplace = r#"{"name": "mp", "plugins": [{"name": "silencer", "source": "./p"}]}"#;
    let enabled = r#"{"extraKnownMarketplaces": {"mp": {"source": {"source": "directory", "path": "/project/mp"}}},
        "enabledPlugins": {"silencer@mp": true}}"#;
    let dirs = r#"{"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/x/none:/x/m"}}"#;
    let skill = |root: &str, rest: &[(&str, &'static str)]| {
        let manifest = format!("{root}/.claude-plugin/plugin.json");
        let hooks = format!("{root}/hooks/hooks.json");
        let mut files = vec![(manifest.as_str(), MANIFEST), (hooks.as_str(), MODULES)];
        files.extend(rest);
        found(&files)
    };
    let at = |root: &str| vec![format!("mod-could-silence {root}/hooks/hooks.json:2")];
    assert_eq!(skill("/project/.claude/skills/x", &[]), at("/project/.claude/skills/x"));
    assert_eq!(skill("/home/a/.claude/skills/x", &[]), at("/home/a/.claude/skills/x"));
    let in_marketplace = |settings| {
        skill(
            "/project/mp/p",
            &[("/project/mp/.claude-plugin/marketplace.json", marketplace), settings],
        )
    };
    for settings in [PROJECT, USER, LOCAL] {
        assert_eq!(in_marketplace((settings, enabled)), at("/project/mp/p"), "{settings}");
    }
    assert_eq!(skill("/x/m", &[(USER, dirs)]), at("/x/m"));
    let env = [("CLAUDE_CODE_PLUGIN_DIRS".to_owned(), "/x/m".to_owned())];
    let files = [("/x/m/.claude-plugin/plugin.json", MANIFEST), ("/x/m/hooks/hooks.json", MODULES)];
    assert_eq!(with_env(&files, &env), at("/x/m"));
    let installed = r#"{"plugins": {"silencer@shop": [{"installPath": "/p/s"}]}}"#;
    let registry = ("/home/a/.claude/plugins/installed_plugins.json", installed);
    let on = (USER, r#"{"enabledPlugins": {"silencer@shop": true}}"#);
    assert_eq!(skill("/p/s", &[registry, on]), at("/p/s"));
}

/// BR-81: what was seen not to load is not reported.
#[test]
fn module_is_not_found_where_it_does_not_load() {
    let plugin = |root: &str| {
        [
            (format!("{root}/.claude-plugin/plugin.json"), MANIFEST),
            (format!("{root}/hooks/hooks.json"), MODULES),
        ]
    };
    for root in [
        "/project/.claude/skills/group/x",
        "/project/.claude/plugins/x",
        "/project",
        "/project/.agents/skills/x",
        "/home/a/.claude/plugins/x",
    ] {
        let files = plugin(root);
        let files: Vec<(&str, &'static str)> =
            files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert_eq!(found(&files), [""; 0], "{root}");
    }
    let project_env = r#"{"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/x/m"}}"#;
    let files = [("/x/m/.claude-plugin/plugin.json", MANIFEST), ("/x/m/hooks/hooks.json", MODULES)];
    let with = |settings| found(&[files[0], files[1], settings]);
    assert_eq!(with((PROJECT, project_env)), [""; 0]);
    assert_eq!(with((LOCAL, project_env)), [""; 0]);
    // A skill that is no plugin, and a plugin without modules.
    let skill = "/project/.claude/skills/x";
    let hooks = format!("{skill}/hooks/hooks.json");
    assert_eq!(found(&[(&format!("{skill}/SKILL.md"), "x"), (&hooks, MODULES)]), [""; 0]);
    let manifest = format!("{skill}/.claude-plugin/plugin.json");
    assert_eq!(
        found(&[(&manifest, MANIFEST), (&hooks, "{\"hooks\": {}, \"modules\": []}")]),
        [""; 0]
    );
    assert_eq!(found(&[(&manifest, "{\"hooks\": {\"modules\": [\"./x.ts\"]}}")]), [""; 0]);
    // Settings that are stronger than a repository's switch the plugin off.
    let off =
        (LOCAL, r#"{"enabledPlugins": {"x@skills-dir": false, "silencer@skills-dir": false}}"#);
    assert_eq!(found(&[(&manifest, MANIFEST), (&hooks, MODULES), off]), [""; 0]);
}

/// BR-81: the file that a manifest names, escapes in a key, and a value that is not a list.
#[test]
fn module_is_found_however_it_is_announced() {
    let manifest = "/project/.claude/skills/x/.claude-plugin/plugin.json";
    let named = r#"{"name": "x", "hooks": "./cfg/h.json"}"#;
    for text in [
        "{\"modules\": [\"a.mjs\"]}",
        "{\"mod\\u0075les\": [\"a.mjs\"]}",
        "{\"modules\": [\"a\"], \"modules\": []}",
        "{\"modules\": \"a.ts\"}",
        "{\"modules\": [1]}",
        "{\"hooks\": {}, \"modules\": [\"a.ts\"], // x\n}",
    ] {
        let files = [(manifest, named), ("/project/.claude/skills/x/cfg/h.json", text)];
        assert_eq!(
            found(&files),
            ["mod-could-silence /project/.claude/skills/x/cfg/h.json:1"],
            "{text}"
        );
    }
}

/// BR-81: a file that cannot be read is a finding.
#[test]
fn file_that_cannot_be_read_is_reported() {
    let root = "/project/.claude/skills/x";
    let manifest = format!("{root}/.claude-plugin/plugin.json");
    let hooks = format!("{root}/hooks/hooks.json");
    let torn = "{\"hooks\": {\n\"PreToolUse\": ";
    assert_eq!(found(&[(&manifest, MANIFEST), (&hooks, torn)]), [format!("mod-unread {hooks}:2")]);
    assert_eq!(found(&[(&manifest, "{")]), [format!("mod-unread {manifest}:1")]);
    let enabled = r#"{"extraKnownMarketplaces": {"mp": {"source": {"source": "directory", "path": "./mp"}}},
        "enabledPlugins": {"silencer@mp": true}}"#;
    let marketplace = "/project/mp/.claude-plugin/marketplace.json";
    assert_eq!(
        found(&[(PROJECT, enabled), (marketplace, "[")]),
        [format!("mod-unread {marketplace}:1")]
    );
}

/// BR-82: what closes the place, and what opens it again.
#[test]
fn managed_modules_only_closes_every_place_unless_the_guard_is_unseated() {
    let only = r#"{"pluginConfigs": {"cc-plugin-sec-default@builtin": {"options": {"allowManagedModsOnly": true}}}}"#;
    let unseated = r#"{"prependPlugins": [],
        "pluginConfigs": {"cc-plugin-sec-default@builtin": {"options": {"allowManagedModsOnly": true}}}}"#;
    let seated = r#"{"prependPlugins": ["sec-default@builtin"],
        "pluginConfigs": {"cc-plugin-sec-default@builtin": {"options": {"allowManagedModsOnly": true}}}}"#;
    let manifest = ("/project/.claude/skills/x/.claude-plugin/plugin.json", MANIFEST);
    let hooks = ("/project/.claude/skills/x/hooks/hooks.json", MODULES);
    let with = |text| found(&[manifest, hooks, (MANAGED, text)]);
    assert_eq!(with(only), [""; 0]);
    assert_eq!(with(seated), [""; 0]);
    assert_eq!(with(unseated).len(), 2);
    assert!(with(unseated)[0].starts_with("guard-unseated "));
    assert_eq!(with("{}").len(), 1);
    // The same words in a file that is not managed close nothing.
    assert_eq!(found(&[manifest, hooks, (USER, only)]).len(), 1);
}

/// BR-83: a repository cannot switch off a guard whose name it knows unreported.
#[test]
fn repository_that_switches_a_guard_off_is_reported() {
    let user = (USER, r#"{"prependPlugins": ["guard-7f@inline"]}"#);
    for (text, count) in [
        (r#"{"enabledPlugins": {"guard-7f@inline": false}}"#, 1),
        (r#"{"enabledPlugins": {"guard-7f@skills-dir": false, "guard-7f": false}}"#, 2),
        (r#"{"enabledPlugins": {"sec-default@builtin": false}}"#, 1),
        (r#"{"enabledPlugins": {"guard-7f@inline": true, "other@shop": false}}"#, 0),
    ] {
        assert_eq!(found(&[user, (PROJECT, text)]).len(), count, "{text}");
        assert_eq!(found(&[user, (LOCAL, text)]).len(), count, "{text}");
    }
}

/// BR-86: a guard that stands as it was written holds every module, until something takes it away.
#[test]
fn guard_of_the_users_settings_holds_modules_until_it_is_taken_away() {
    let root = "/home/a/.config/tenterhook/guard/th-1";
    let own = guard::files_of_guard("th-1");
    let own: Vec<(String, &'static str)> =
        own.into_iter().map(|(path, text)| (format!("{root}/{path}"), &*text.leak())).collect();
    let user = r#"{"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/home/a/.config/tenterhook/guard/th-1"},
        "prependPlugins": ["th-1@inline"]}"#;
    let errors = |more: &[(&str, &'static str)], env: &[(String, String)]| {
        let mut files: Vec<(&str, &'static str)> =
            own.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        files.push(("/project/.claude/skills/x/.claude-plugin/plugin.json", MANIFEST));
        files.push(("/project/.claude/skills/x/hooks/hooks.json", MODULES));
        files.retain(|(path, _)| !more.iter().any(|(other, _)| other == path));
        files.extend(more);
        silencers(&files, env)
            .into_iter()
            .filter(|silencer| silencer.finding.severity == Severity::Error)
            .count()
    };
    let user = (USER, user);
    assert_eq!(errors(&[user], &[]), 0);
    let hooks = format!("{root}/hooks/hooks.json");
    let module = format!("{root}/hooks/guard.ts");
    let other = [("CLAUDE_CODE_PLUGIN_DIRS".to_owned(), "/x".to_owned())];
    assert_eq!(errors(&[user], &other), 0);
    assert_eq!(errors(&[], &[]), 1);
    assert_eq!(errors(&[user, (&module, "export const register = () => {}")], &[]), 2);
    assert_eq!(errors(&[user, (&hooks, "{\"modules\": []}")], &[]), 1);
    assert_eq!(errors(&[user, (MANAGED, "{\"cleanupPeriodDays\": 30}")], &[]), 1);
    let off = "{\"enabledPlugins\": {\"th-1@inline\": false}}";
    assert_eq!(errors(&[user, (PROJECT, off)], &[]), 2);
    let unordered =
        "{\"env\": {\"CLAUDE_CODE_PLUGIN_DIRS\": \"/home/a/.config/tenterhook/guard/th-1\"}}";
    assert_eq!(errors(&[(USER, unordered)], &[]), 1);
}
