//! Whether sources bind each other only as their layers may, repeats run once, and a broken file keeps its last good hooks.

use super::*;
use crate::diagnostic::{Code, Location, Span};
use crate::dialect::DialectId;
use crate::hook::{
    Arming, Command, Compat, Function, HookId, Inherit, Invocation, Layer, OnFailure, Run, Shell,
};
use crate::matcher::Matcher;
use crate::matcher::MatcherSpec;

fn source(name: &str, layer: Layer) -> Source {
    Source { layer, ..Source::from_text(name, DialectId::CLAUDE, "", "/p") }
}

fn hook(id: &str, layer: Layer, text: &str) -> Hook {
    let invocation = Invocation::Shell { text: text.to_owned(), shell: Shell::Sh };
    let command = Command::new(invocation, Inherit::All);
    let run = Run::Command(command);
    let place = Location { file: id.into(), span: Span::default(), line: 1, column: 1 };
    let hook = Hook::new(HookId::new(id), DialectId::CLAUDE, "PreToolUse".into(), run);
    Hook { layer, place: Some(place), ..hook }
}

/// One source with one hook of the same name, and its statements about others.
fn reads(name: &str, layer: Layer, switches: Vec<Switch>) -> (Source, ReadConfig) {
    let hooks = vec![hook(name, layer, name)];
    (source(name, layer), ReadConfig { hooks, switches, ..ReadConfig::default() })
}

/// The rule that disarmed each hook, or `armed`.
fn arming(mut read: Vec<(Source, ReadConfig)>) -> Vec<(String, &'static str)> {
    apply_statements_to_hooks(&mut read);
    let hooks = read.into_iter().flat_map(|(_, config)| config.hooks);
    let rules = hooks.map(|hook| {
        (hook.id.to_string(), hook.arming.disabled_reason().map_or("armed", |(_, rule)| rule))
    });
    rules.collect()
}

fn check(read: Vec<(Source, ReadConfig)>, expected: &[(&str, &str)]) {
    let actual = arming(read);
    let actual: Vec<(&str, &str)> = actual.iter().map(|(id, rule)| (id.as_str(), *rule)).collect();
    assert_eq!(actual, expected);
}

/// C-11: no layer but the managed one switches managed hooks off.
#[test]
fn disabling_all_spares_managed_hooks() {
    check(
        vec![
            reads("managed", Layer::Managed, vec![]),
            reads("user", Layer::User, vec![Switch::DisableAll]),
            reads("project", Layer::Project, vec![]),
        ],
        &[("managed", "armed"), ("user", "C-11"), ("project", "C-11")],
    );
    check(
        vec![
            reads("managed", Layer::Managed, vec![Switch::DisableAll]),
            reads("user", Layer::User, vec![]),
        ],
        &[("managed", "C-11"), ("user", "C-11")],
    );
}

/// C-11: the reason names the agent's own setting.
#[test]
fn disabling_all_is_reported_with_the_setting_of_the_agent() {
    for (dialect, reason) in [
        (DialectId::CLAUDE, "`disableAllHooks` is true in user"),
        (DialectId::DROID, "`hooksDisabled` is true in user"),
        (DialectId::GEMINI, "`hooksConfig.enabled` is false in user"),
        (DialectId::CODEX, "`features.hooks` is false in user"),
        (DialectId::COPILOT, "`disableAllHooks` is true in user"),
    ] {
        let (source, mut config) = reads("user", Layer::User, vec![Switch::DisableAll]);
        config.hooks.iter_mut().for_each(|hook| hook.dialect = dialect);
        let mut read = vec![(Source { dialect, ..source }, config)];
        apply_statements_to_hooks(&mut read);
        let disabled = read[0].1.hooks[0].arming.disabled_reason();
        let disabled = disabled.map(|(because, rule)| (because.as_str(), rule));
        assert_eq!(disabled, Some((reason, "C-11")), "{dialect}");
    }
}

/// C-11: of several layers that say something, the strongest applies.
#[test]
fn the_strongest_word_on_disabling_wins() {
    let armed = &[("user", "armed"), ("local", "armed")];
    let off = &[("user", "C-11"), ("local", "C-11")];
    for (user, local, expected) in [
        (Switch::DisableAll, Switch::EnableAll, armed),
        (Switch::EnableAll, Switch::DisableAll, off),
    ] {
        check(
            vec![reads("user", Layer::User, vec![user]), reads("local", Layer::Local, vec![local])],
            expected,
        );
    }
}

/// C-12: only the managed layer can let managed hooks alone run.
#[test]
fn only_the_managed_layer_excludes_the_others() {
    check(
        vec![
            reads("managed", Layer::Managed, vec![Switch::ManagedOnly(crate::source::Whose::All)]),
            reads("user", Layer::User, vec![]),
        ],
        &[("managed", "armed"), ("user", "C-12")],
    );
    check(
        vec![
            reads("managed", Layer::Managed, vec![]),
            reads("user", Layer::User, vec![Switch::ManagedOnly(crate::source::Whose::All)]),
        ],
        &[("managed", "armed"), ("user", "armed")],
    );
}

/// CX-6: a statement about the hooks of one dialect binds no other.
#[test]
fn managed_hooks_of_one_dialect_exclude_no_other() {
    use crate::source::Whose;
    for (whose, of_other) in [(Whose::Own, "armed"), (Whose::All, "C-12")] {
        let mut other = reads("other", Layer::Project, vec![]);
        other.0.dialect = DialectId::NATIVE;
        other.1.hooks[0].dialect = DialectId::NATIVE;
        check(
            vec![
                reads("managed", Layer::Managed, vec![Switch::ManagedOnly(whose)]),
                reads("user", Layer::User, vec![]),
                other,
            ],
            &[("managed", "armed"), ("user", "C-12"), ("other", of_other)],
        );
    }
}

fn asks(name: &str, layer: Layer, switches: Vec<Switch>) -> (Source, ReadConfig) {
    let mut read = reads(name, layer, switches);
    read.1.hooks[0].run = Run::Http(crate::hook::Http {
        url: format!("https://{name}.example/x"),
        headers: Vec::new(),
        variables: vec!["A".to_owned(), "B".to_owned()],
        secret: None,
        interpolation: crate::hook::Interpolation::STRICT,
    });
    read
}

fn allows(about: Requests, allowed: &[&str]) -> Vec<Switch> {
    let allowed = allowed.iter().map(|text| (*text).to_owned()).collect();
    vec![Switch::Requests { about, allowed, place: None }]
}

/// C-19: lists are one over all settings, and bind managed hooks where the managed settings have one.
#[test]
fn a_url_that_no_list_names_is_barred() {
    let user = |allowed: &[&str]| asks("user", Layer::User, allows(Requests::Urls, allowed));
    let bare = |name, layer| asks(name, layer, vec![]);
    check(
        vec![bare("managed", Layer::Managed), user(&[]), bare("plugin", Layer::Plugin)],
        &[("managed", "armed"), ("user", "C-19"), ("plugin", "C-19")],
    );
    let managed =
        |allowed: &[&str]| asks("managed", Layer::Managed, allows(Requests::Urls, allowed));
    check(
        vec![managed(&["https://user.example/*"]), bare("user", Layer::User)],
        &[("managed", "C-19"), ("user", "armed")],
    );
    check(
        vec![managed(&[]), user(&["https://managed.example/*"])],
        &[("managed", "armed"), ("user", "C-19")],
    );
    // A plugin's file is no settings, and another agent's settings are not Claude Code's.
    let plugin = asks("plugin", Layer::Plugin, allows(Requests::Urls, &[]));
    check(vec![plugin], &[("plugin", "armed")]);
    let mut other = bare("other", Layer::Project);
    other.0.dialect = DialectId::GEN;
    check(vec![user(&[]), other], &[("user", "C-19"), ("other", "armed")]);
}

/// C-19, C-113
#[test]
fn a_variable_that_no_list_names_is_not_sent() {
    for (user, managed, expected) in [
        (None, None, ["AB", "AB"]),
        (Some("B"), None, ["AB", "B"]),
        (Some("B"), Some("A"), ["AB", "AB"]),
        (None, Some("A"), ["A", "A"]),
        (None, Some("C"), ["", ""]),
    ] {
        let list =
            |text: Option<&str>| text.map_or(vec![], |text| allows(Requests::Variables, &[text]));
        let mut read = vec![
            asks("managed", Layer::Managed, list(managed)),
            asks("user", Layer::User, list(user)),
        ];
        let diagnostics = apply_statements_to_hooks(&mut read);
        let left = read.iter().map(|(_, config)| match &config.hooks[0].run {
            Run::Http(http) => http.variables.concat(),
            other => panic!("{other:?}"),
        });
        let left: Vec<_> = left.collect();
        assert_eq!(left, expected, "{user:?} {managed:?}");
        assert_eq!(diagnostics.len(), 4 - left.concat().len());
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.code == Code::VariableNotAllowed));
    }
}

/// C-14: a named hook is off, unless it is managed and the word is not.
#[test]
fn a_hook_is_switched_off_by_name() {
    let off = |id: &str| vec![Switch::DisableHook { name: id.to_owned(), place: None }];
    check(
        vec![
            reads("managed", Layer::Managed, vec![]),
            reads("user", Layer::User, vec![]),
            reads("local", Layer::Local, off("user")),
            reads("other", Layer::Local, off("managed")),
        ],
        &[("managed", "armed"), ("user", "C-14"), ("local", "armed"), ("other", "armed")],
    );
}

/// C-16: a repository switches off what it brings, and nothing of the user's; each ignored switch is reported.
#[test]
fn a_repository_does_not_disarm_the_users_hooks() {
    let off = |id: &str| vec![Switch::DisableHook { name: id.to_owned(), place: None }];
    let mut read = vec![
        reads("user", Layer::User, vec![]),
        reads("project", Layer::Project, off("user")),
        reads("plugin", Layer::Plugin, off("project")),
    ];
    let ignored = apply_statements_to_hooks(&mut read);
    assert_eq!(
        ignored.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
        ["switch-not-heard"]
    );
    assert_eq!(read[0].1.hooks[0].arming, Arming::Armed);
    assert!(matches!(read[1].1.hooks[0].arming, Arming::Disarmed { rule: "C-14", .. }));
    let loosen = Govern { on_failure: Some(OnFailure::Continue), ..Govern::default() };
    assert_eq!(governed(Layer::Project, Layer::User, None, loosen).on_failure, None);
}

fn governed(by: Layer, of: Layer, own: Option<OnFailure>, govern: Govern) -> Hook {
    let mut governed = reads("/p/settings.json", of, vec![]);
    governed.1.hooks[0].on_failure = own;
    let govern = Govern { file: "/p/settings.json".into(), ..govern };
    let mut read = vec![governed, reads("/p/tenterhook.toml", by, vec![Switch::Govern(govern)])];
    apply_statements_to_hooks(&mut read);
    read[0].1.hooks[0].clone()
}

/// C-15: one file governs another, but never a managed one, and the hook's own key stands.
#[test]
fn a_file_governs_another() {
    let block = || Govern { on_failure: Some(OnFailure::Block), ..Govern::default() };
    let plain = governed(Layer::Project, Layer::Project, None, block());
    assert_eq!(plain.on_failure, Some(OnFailure::Block));
    let own = governed(Layer::Project, Layer::Project, Some(OnFailure::Ask), block());
    assert_eq!(own.on_failure, Some(OnFailure::Ask));
    let loosen = Govern {
        on_failure: Some(OnFailure::Continue),
        compat: Some(Compat::Exact),
        enabled: Some(false),
        ..Govern::default()
    };
    let managed = governed(Layer::User, Layer::Managed, None, loosen.clone());
    assert_eq!((managed.on_failure, managed.compat), (None, Compat::Guarded));
    assert_eq!(managed.arming, Arming::Armed);
    let plain = governed(Layer::User, Layer::Project, None, loosen);
    assert_eq!(plain.compat, Compat::Exact);
    assert!(matches!(plain.arming, Arming::Disarmed { rule: "C-15", .. }));
}

fn repeats(mut read: Vec<(Source, ReadConfig)>) -> usize {
    drop_repeated_hooks(&mut read);
    let hooks = read.iter().flat_map(|(_, config)| &config.hooks);
    hooks.filter(|hook| matches!(hook.arming, Arming::Disarmed { rule: "C-13", .. })).count()
}

fn holding(name: &str, hooks: Vec<Hook>) -> (Source, ReadConfig) {
    (source(name, Layer::Project), ReadConfig { hooks, ..ReadConfig::default() })
}

/// C-13: copies are recognized by event, matcher, condition and command; copies in plugins are other entries.
#[test]
fn the_same_entry_runs_once() {
    let entry = |id: &str| hook(id, Layer::Project, "guard.sh");
    let expected = usize::from(DialectId::CLAUDE.dialect().drops_repeated_entries());
    let twice = || vec![holding("a", vec![entry("1")]), holding("b", vec![entry("2")])];
    assert_eq!(repeats(twice()), expected);
    let differ = [
        Hook { event: "Stop".into(), ..entry("2") },
        Hook { matcher: Matcher::new(MatcherSpec::Words(vec!["Bash".into()])), ..entry("2") },
        hook("2", Layer::Project, "other.sh"),
        Hook { layer: Layer::Skill, ..entry("2") },
    ];
    for other in differ {
        let read = vec![holding("a", vec![entry("1")]), holding("b", vec![other.clone()])];
        assert_eq!(repeats(read), 0, "{other:?}");
    }
    assert_eq!(repeats(vec![holding("a", vec![entry("1"), entry("2")])]), 0, "the reader says it");
    let mut plugin = twice();
    plugin[1].0.plugin = Some(Plugin::default());
    assert_eq!(repeats(plugin), 0);
}

/// C-3: what a source said last stays while it cannot be read, and the diagnostics say so. It is what the source said,
/// not what the switches of others made of it.
#[test]
fn an_unreadable_source_keeps_its_last_good_hooks() {
    let gate = r#"{"matcher": "Write", "hooks": [{"type": "command", "command": "a"}]}"#;
    let whole = format!(r#"{{"disableAllHooks": true, "hooks": {{"PreToolUse": [{gate}]}}}}"#);
    let torn = format!("{{{whole}");
    let said = |name: &str, text: &str| Source { text: text.into(), ..source(name, Layer::User) };
    let sources = [said("a.json", &whole), said("b.json", "{}")];
    let last = load(&sources, &Added::default(), None).ruleset;
    let good = last.last_good_source("a.json").expect("a source that says something");
    assert_eq!(&*good.text, whole);
    let mut config = ReadConfig { unreadable: true, ..ReadConfig::default() };
    replace_by_last_good_version(&said("a.json", &torn), good, &mut config);
    assert_eq!(config.hooks.len(), 1);
    assert_eq!(config.hooks[0].arming, Arming::Armed);
    assert_eq!(config.switches, [Switch::DisableAll]);
    assert_eq!(
        config.diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect::<Vec<_>>(),
        ["kept-last-good"]
    );
    assert!(["b.json", "c.json"].iter().all(|name| last.last_good_source(name).is_none()));
    // Broken again, it keeps what was good.
    let again = load(&[said("a.json", &torn)], &Added::default(), Some(&last)).ruleset;
    let twice = load(&[said("a.json", "{")], &Added::default(), Some(&again)).ruleset;
    assert_eq!(twice.hooks().len(), 1);
    assert_eq!(twice.last_good_source("a.json").map(|source| &*source.text), Some(&*whole));
}

/// C-8: hooks that the host added come after all configured ones, and no switch of a file reaches them.
#[test]
fn added_hooks_stand_last() {
    let run = Run::Function(Function::new("f", |_| async { crate::answer::Answer::default() }));
    let added = Hook::new(HookId::new("added"), DialectId::NATIVE, "PreToolUse".into(), run);
    let added = Added { hooks: vec![added], ..Added::default() };
    let loaded = load(&[], &added, None);
    assert_eq!(loaded.ruleset.hooks().len(), 1);
    assert!(loaded.diagnostics.is_empty());
}

/// E-6: a second declaration of an event does not remove its gates.
#[test]
fn the_first_declaration_of_an_event_stands() {
    let row = |event: &'static str, powers| EventRow {
        name: event.into(),
        event: event.into(),
        subject: crate::dialect::Subject::None,
        powers,
        timeout: std::time::Duration::from_secs(1),
        failure: OnFailure::Block,
        cap: None,
        dispatch: crate::dialect::Dispatch::Awaited,
        when: "".into(),
    };
    let (gate, none) = (crate::answer::Powers::ALL, crate::answer::Powers::NONE);
    let mut diagnostics = Vec::new();
    let rows = [
        row("deploy", gate),
        row("deploy", none),
        row("deploy", gate),
        row("PreToolUse", none),
        row("other", none),
    ];
    let kept = keep_first_event_declarations(rows.into_iter(), &mut diagnostics);
    assert_eq!(kept, [row("deploy", gate), row("other", none)]);
    let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.name()).collect();
    assert_eq!(codes, ["event-declared-twice"; 2]);
}
