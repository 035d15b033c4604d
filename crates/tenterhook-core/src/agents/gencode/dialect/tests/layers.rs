//! How the settings layers replace each other (G-1 to G-3, ruling 5).

use super::*;
use crate::config::{Added, load as load_all};

fn hooks(event: &str, command: &str) -> String {
    json!({ "hooks": { event: [{ "hooks": [{ "command": command }] }] } }).to_string()
}

/// The commands of the armed hooks in configured order, and those of the disarmed hooks.
fn running(sources: &[Source]) -> (Vec<String>, Vec<String>) {
    let loaded = load_all(sources, &Added::default(), None);
    let (armed, off): (Vec<_>, Vec<_>) =
        loaded.ruleset.hooks().iter().partition(|hook| is_armed(hook));
    let lines = |hooks: Vec<&std::sync::Arc<Hook>>| {
        hooks.iter().map(|hook| hook.run.one_line_description()).collect()
    };
    (lines(armed), lines(off))
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The hooks that substitute those of an unreadable file (C-72).
const SUBSTITUTE: &str = "(nothing: its file cannot be read)";

/// G-2: replacement by event, and by an empty list or `null`.
#[test]
fn strongest_file_that_mentions_an_event_replaces_the_others() {
    let user = layer(Layer::User, "~/.gen/settings.json", &hooks("Stop", "user"));
    let project = |text: &str| layer(Layer::Project, ".gen/settings.json", text);
    let local = layer(Layer::Local, ".gen/settings.local.json", &hooks("Stop", "local"));
    for (project, running_now, off) in [
        (project(&hooks("Stop", "project")), &["project"][..], &["user"][..]),
        (project(r#"{"hooks": {"Stop": []}}"#), &[], &["user"]),
        (project(r#"{"hooks": {"Stop": null}}"#), &[], &["user"]),
        (project(r#"{"hooks": {"Setup": []}}"#), &["user"], &[]),
        (project("{"), &["user", SUBSTITUTE, SUBSTITUTE], &[]),
    ] {
        let found = running(&[user.clone(), project.clone()]);
        assert_eq!(found, (names(running_now), names(off)), "{}", project.text);
    }
    let all = [user, project(&hooks("Stop", "project")), local];
    assert_eq!(running(&all), (names(&["local"]), names(&["user", "project"])));
}

/// G-3: the same if the host names the plugin first, and after a reload, when the agent forgets it.
#[test]
fn plugins_run_last_and_are_never_replaced() {
    let plugin = layer(Layer::Plugin, "/p/hooks/hooks.json", &hooks("Stop", "plugin"));
    let plugin = Source { plugin: Some(Plugin::default()), ..plugin };
    let user = layer(Layer::User, "~/.gen/settings.json", &hooks("Stop", "user"));
    let claude = Source {
        dialect: DialectId::CLAUDE,
        ..source(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "claude"}]}]}}"#)
    };
    let project = layer(Layer::Project, ".gen/settings.json", r#"{"hooks": {"Stop": []}}"#);
    let sources = [plugin, claude, user, project];
    assert_eq!(running(&sources), (names(&["claude", "plugin"]), names(&["user"])));
    assert_eq!(running(&sources[..3]), (names(&["user", "claude", "plugin"]), Vec::new()));
    let first = load_all(&sources, &Added::default(), None).ruleset;
    let again = load_all(&sources, &Added::default(), Some(&first)).ruleset;
    assert_eq!(again.hooks().len(), first.hooks().len());
}

/// C-3: a file that can no longer be read still replaces weaker files.
#[test]
fn unreadable_file_still_replaces_weaker_layers() {
    let user = layer(Layer::User, "~/.gen/settings.json", &hooks("Stop", "user"));
    let project = layer(Layer::Project, ".gen/settings.json", r#"{"hooks": {"Stop": []}}"#);
    let first = load_all(&[user.clone(), project.clone()], &Added::default(), None).ruleset;
    let torn = Source { text: "{\"hooks\": {".into(), ..project };
    let again = load_all(&[user, torn], &Added::default(), Some(&first)).ruleset;
    assert!(!is_armed(&again.hooks()[0]));
}

/// G-1.
#[test]
fn files_are_found_where_the_agent_looks() {
    let roots = Roots {
        cwd: "/w/sub".into(),
        home: "/h".into(),
        repository: Some("/w".into()),
        ..Roots::default()
    };
    let found: Vec<_> = GEN
        .candidate_files(&roots)
        .into_iter()
        .map(|candidate| (candidate.path, candidate.layer))
        .collect();
    assert_eq!(
        found,
        [
            ("/h/.gen/settings.json".into(), Layer::User),
            ("/w/sub/.gen/settings.json".into(), Layer::Project),
            ("/w/sub/.gen/settings.local.json".into(), Layer::Local),
        ]
    );
    for (path, fit) in [
        ("/w/.gen/settings.json", crate::dialect::Fit::Certain),
        ("/p/.gen-plugin/plugin.json", crate::dialect::Fit::Certain),
        ("/w/.claude/settings.json", crate::dialect::Fit::No),
    ] {
        assert_eq!(GEN.recognize_config_file(Path::new(path), None), fit, "{path}");
    }
}
