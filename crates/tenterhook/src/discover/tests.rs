//! Tests of which files are read, refused or hidden.

use std::fs;

use super::file::is_not_found;
use super::view::View;
use super::*;

fn scratch_dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temp dir")
}

/// C-7.
#[test]
fn a_config_is_a_regular_small_text() {
    let scratch = scratch_dir();
    let file = scratch.path().join("a.json");
    fs::write(&file, "{}").expect("write");
    assert_eq!(&*read_config_file(&file).expect("a file"), "{}");

    fs::write(&file, vec![b' '; (file::MAX_BYTES + 1) as usize]).expect("write");
    assert_eq!(
        read_config_file(&file).expect_err("too large").to_string(),
        "it is larger than 16 MiB"
    );
    fs::write(&file, b"{\"a\": \"\xff\"}").expect("write");
    assert_eq!(
        read_config_file(&file).expect_err("no text").to_string(),
        "it is not UTF-8 (byte 7)"
    );
    let error = read_config_file(scratch.path()).expect_err("a directory").to_string();
    assert_eq!(error, "it is a directory, not a file");
    assert!(is_not_found(&read_config_file(&scratch.path().join("none")).expect_err("none")));
}

#[cfg(unix)]
#[test]
fn a_fifo_and_a_device_are_refused_without_waiting() {
    let scratch = scratch_dir();
    let fifo = scratch.path().join("fifo");
    tenterhook_testkit::make_fifo(&fifo).expect("a fifo");
    assert_eq!(
        read_config_file(&fifo).expect_err("a fifo").to_string(),
        "it is a FIFO, not a file"
    );
    let zero = read_config_file(Path::new("/dev/zero")).expect_err("a device").to_string();
    assert_eq!(zero, "it is a device, not a file");
}

#[test]
fn a_star_stands_for_files_in_sorted_order() {
    let scratch = scratch_dir();
    for name in ["20-b.json", "10-a.json", "notes.txt", ".hidden.json"] {
        fs::write(scratch.path().join(name), "{}").expect("write");
    }
    let found = View::default().expand_wildcards(&scratch.path().join("*.json"));
    let names: Vec<_> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    assert_eq!(names, ["10-a.json", "20-b.json"]);
    assert_eq!(
        View::default().expand_wildcards(&scratch.path().join("none/*.json")),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn the_absolute_name_of_a_file_has_no_dots() {
    assert_eq!(absolute_path(Path::new("./a/./b.json"), Path::new("/w")), Path::new("/w/a/b.json"));
    assert_eq!(absolute_path(Path::new("/x.json"), Path::new("/w")), Path::new("/x.json"));
}

/// The user who runs the test, whose directories are not root's.
#[cfg(unix)]
fn owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    Some(path.metadata().expect("metadata").uid())
}

#[cfg(not(unix))]
fn owner(_: &Path) -> Option<u32> {
    None
}

/// A repository with hooks in its root, in a directory, and in the user's own files.
fn landscape() -> (tempfile::TempDir, Roots) {
    let scratch = scratch_dir();
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    for file in [
        "home/.claude/settings.json",
        "etc/managed-settings.d/20-b.json",
        "etc/managed-settings.d/10-a.json",
        "repo/.claude/settings.json",
        "repo/.claude/settings.local.json",
        "repo/app/.claude/settings.json",
        "repo/app/.claude/settings.local.json",
    ] {
        let path = scratch.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, hook).expect("write");
    }
    fs::write(
        scratch.path().join("repo/app/tenterhook.toml"),
        "[hook.a]\non = 'Stop'\nshell = 'x'\n",
    )
    .expect("write");
    let roots = Roots {
        cwd: scratch.path().join("repo/app"),
        repository: Some(scratch.path().join("repo")),
        home: scratch.path().join("home"),
        managed: Some(scratch.path().join("etc")),
        managed_owner: owner(scratch.path()),
        ..Roots::default()
    };
    (scratch, roots)
}

/// C-4.
#[test]
fn what_an_agent_would_load_is_found_in_order() {
    let (scratch, roots) = landscape();
    let found = find(&roots);
    let names: Vec<_> = found
        .sources
        .iter()
        .map(|source| {
            (Path::new(&*source.name).strip_prefix(scratch.path()).expect("inside"), source.layer)
        })
        .collect();
    let expected = [
        ("etc/managed-settings.d/10-a.json", Layer::Managed),
        ("etc/managed-settings.d/20-b.json", Layer::Managed),
        ("home/.claude/settings.json", Layer::User),
        ("repo/app/.claude/settings.json", Layer::Project),
        ("repo/.claude/settings.local.json", Layer::Local),
    ];
    assert_eq!(names, expected.map(|(name, layer)| (Path::new(name), layer)));
    assert!(found.sources.iter().all(|source| source.flaw.is_none()));
}

/// C-97: an empty path is not the directory of the process, in which `.claude/settings.json` would
/// be the user's.
#[test]
fn roots_that_name_no_directory_find_nothing() {
    assert_eq!(searched_paths(&Roots::default()), []);
    assert!(find(&Roots::default()).sources.is_empty());
    assert!(find_agent_servers(&Roots::default(), &[]).0.is_empty());
    for named in [
        Roots { home: "/nowhere/home".into(), ..Roots::default() },
        Roots { cwd: "/nowhere/project".into(), ..Roots::default() },
    ] {
        let searched = searched_paths(&named);
        assert!(!searched.is_empty());
        assert!(searched.iter().all(|(_, path)| path.is_absolute()), "{searched:?}");
    }
}

/// C-4: who works in their home has each file of it read once, as their own.
#[test]
fn a_home_is_no_project() {
    let scratch = scratch_dir();
    for file in [".claude/settings.json", ".gen/settings.json", ".reasonix/settings.json"] {
        let path = scratch.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, "{}").expect("write");
    }
    let home = scratch.path().to_owned();
    let found = find(&Roots { cwd: home.clone(), home, ..Roots::default() });
    let mut names: Vec<_> = found.sources.iter().map(|source| &*source.name).collect();
    assert!(found.sources.iter().all(|source| source.layer == Layer::User));
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), all), (3, 3), "{names:?}");
}

/// C-6.
#[test]
fn what_this_directory_hides_is_named() {
    let (scratch, roots) = landscape();
    let hidden = find_unread_hook_files(&roots);
    let names: Vec<_> = hidden
        .iter()
        .map(|h| h.path.strip_prefix(scratch.path()).expect("inside").to_str().expect("text"))
        .collect();
    let expected = [
        "repo/app/tenterhook.toml",
        "repo/app/.claude/settings.local.json",
        "repo/.claude/settings.json",
    ];
    assert_eq!(names, expected);
    assert!(hidden[0].because.contains("root of the repository"), "{}", hidden[0].because);
    assert!(hidden[2].because.contains("started in"), "{}", hidden[2].because);
}

/// C-5.
#[test]
fn a_named_file_is_read_as_what_it_is() {
    let (scratch, roots) = landscape();
    let given = |name: &str| {
        given(&scratch.path().join(name), None, DialectId::CLAUDE, &roots).expect("a source")
    };
    let project = given("repo/.claude/settings.json");
    assert_eq!((project.dialect, project.layer), (DialectId::CLAUDE, Layer::Given));
    assert_eq!(project.project, scratch.path().join("repo"));
    let native = given("repo/app/tenterhook.toml");
    assert_eq!((native.dialect, native.project), (DialectId::NATIVE, roots.cwd.clone()));
    assert_eq!(given("etc/managed-settings.d/10-a.json").layer, Layer::Managed);

    let plugin = scratch.path().join("guard/hooks");
    fs::create_dir_all(&plugin).expect("a directory");
    fs::write(plugin.join("hooks.json"), "{\"hooks\": {}}").expect("write");
    let plugin = given("guard/hooks/hooks.json").plugin.expect("a plugin");
    assert_eq!((plugin.name.as_str(), plugin.root), ("guard", scratch.path().join("guard")));
}

#[test]
fn plugins_that_are_switched_on_come_last() {
    let (scratch, roots) = landscape();
    let root = scratch.path().join("shop/guard");
    fs::create_dir_all(root.join("hooks")).expect("a directory");
    fs::write(root.join("hooks/hooks.json"), "{\"hooks\": {}}").expect("write");
    let registry = roots.home.join(".claude/plugins");
    fs::create_dir_all(&registry).expect("a directory");
    let known = serde_json::json!({"plugins": {"guard@shop": [{"installPath": root}]}});
    fs::write(registry.join("installed_plugins.json"), known.to_string()).expect("write");
    let of_plugins = || {
        let found = find(&roots).sources.into_iter().filter(|source| source.layer == Layer::Plugin);
        found.filter_map(|source| source.plugin).map(|plugin| plugin.name).collect::<Vec<_>>()
    };
    assert_eq!(of_plugins(), Vec::<String>::new());
    let project = roots.cwd.join(".claude/settings.json");
    fs::write(&project, "{\"enabledPlugins\": {\"guard@shop\": true}}").expect("write");
    assert_eq!(of_plugins(), ["guard"]);
    let managed = scratch.path().join("etc/managed-settings.json");
    fs::write(managed, "{\"enabledPlugins\": {\"guard@shop\": false}}").expect("write");
    assert_eq!(of_plugins(), Vec::<String>::new());
}

/// C-100: the project of a file, wherever below it the agent stands.
#[test]
fn file_belongs_to_the_directory_whose_agent_finds_it_there() {
    for (path, dialect, layer, cwd, project) in [
        ("/r/tenterhook.toml", DialectId::NATIVE, Layer::Project, "/r", "/r"),
        ("/r/tenterhook.toml", DialectId::NATIVE, Layer::Project, "/r/a/b", "/r"),
        ("/r/tenterhook.local.json", DialectId::NATIVE, Layer::Local, "/r/a", "/r"),
        ("/r/.claude/settings.local.json", DialectId::CLAUDE, Layer::Local, "/r/a", "/r"),
        ("/r/.claude/settings.local.json", DialectId::CLAUDE, Layer::Local, "/r/.claude", "/r"),
        ("/r/a/.claude/settings.json", DialectId::CLAUDE, Layer::Project, "/r/a", "/r/a"),
        ("/r/.codex/hooks.json", DialectId::CODEX, Layer::Project, "/r/a/b", "/r"),
        ("/r/a/.codex/hooks.json", DialectId::CODEX, Layer::Project, "/r/a/b", "/r/a"),
        ("/r/.codex/config.toml", DialectId::CODEX, Layer::Project, "/r/.codex", "/r"),
        ("/r/.github/hooks/x.json", DialectId::COPILOT, Layer::Project, "/r/.github/hooks", "/r"),
        ("/r/.github/copilot/settings.json", DialectId::COPILOT, Layer::Project, "/r/a", "/r"),
        ("/r/.agents/plugins/p/hooks/hooks.json", DialectId::GOOSE, Layer::Project, "/r", "/r"),
        ("/r/.mcp.json", DialectId::CLAUDE, Layer::Project, "/r", "/r"),
        ("/r/mp/p/hooks/hooks.json", DialectId::CLAUDE, Layer::Plugin, "/r/a", "/r"),
        ("/r/a/p/hooks/hooks.json", DialectId::CLAUDE, Layer::Plugin, "/r/a", "/r"),
        ("/h/.claude/plugins/p/hooks/hooks.json", DialectId::CLAUDE, Layer::Plugin, "/r/a", "/r/a"),
        ("/h/.claude/settings.json", DialectId::CLAUDE, Layer::User, "/r/a", "/r/a"),
        ("/etc/x.json", DialectId::CLAUDE, Layer::Managed, "/r/a", "/r/a"),
    ] {
        let (cwd, repository, home) = (cwd.into(), Some("/r".into()), "/h".into());
        let roots = Roots { cwd, repository, home, ..Roots::default() };
        let found = new_source(Path::new(path), dialect, layer, "".into(), &roots);
        assert_eq!(found.project, Path::new(project), "{path} from {}", roots.cwd.display());
        assert_eq!(found.found_from_directory(), roots.cwd, "{path}");
    }
    // A repository that holds the home brings none of what lies in the home.
    let roots = Roots {
        cwd: "/h/p".into(),
        repository: Some("/".into()),
        home: "/h".into(),
        ..Roots::default()
    };
    let plugin = Path::new("/h/.claude/plugins/p/hooks/hooks.json");
    assert_eq!(
        new_source(plugin, DialectId::CLAUDE, Layer::Plugin, "".into(), &roots).project,
        Path::new("/h/p")
    );
}

/// C-100, T-1: what a repository brings has to be approved, wherever in it the agent stands.
#[cfg(feature = "trust")]
#[test]
fn plugin_of_the_repository_is_not_the_users_own_below_its_root() {
    use crate::trust::{Origin, Trust};
    let (scratch, roots) = landscape();
    let root = scratch.path().join("repo/plugins/guard");
    fs::create_dir_all(root.join("hooks")).expect("a directory");
    fs::create_dir_all(scratch.path().join("repo/deep/er")).expect("a directory");
    fs::write(root.join("hooks/hooks.json"), "{\"hooks\": {}}").expect("write");
    let registry = roots.home.join(".claude/plugins");
    fs::create_dir_all(&registry).expect("a directory");
    let known = serde_json::json!({"plugins": {"guard@shop": [{"installPath": root}]}});
    fs::write(registry.join("installed_plugins.json"), known.to_string()).expect("write");
    let user = roots.home.join(".claude/settings.json");
    fs::write(user, "{\"enabledPlugins\": {\"guard@shop\": true}}").expect("write");
    for below in ["", "deep", "deep/er", "plugins", "plugins/guard/hooks"] {
        let cwd = scratch.path().join("repo").join(below);
        let roots = Roots { cwd, repository: Some(scratch.path().join("repo")), ..roots.clone() };
        let found = find(&roots).sources;
        let plugin = found.iter().find(|source| source.plugin.is_some()).expect("it is enabled");
        assert_eq!(Trust::origin(plugin), Origin::Repository, "{below}");
    }
}

/// C-5: a long file is of the same dialect as a short one that begins and ends like it.
#[test]
fn a_long_file_is_recognized_by_its_start_as_by_all_of_it() {
    let native = "[hook.a#]\non = 'Stop'\nrun = ['x']\n";
    let codewhale = "[[hooks]]\nevent = 'tool_call_before'\ncommand = 'x'\n";
    let unsure = "[a#]\nb = 1\n";
    let many = |table: &str| -> String {
        (0..2_000).map(|at| table.replace('#', &at.to_string())).collect()
    };
    let path = Path::new("/x/hooks.toml");
    for (text, by_start) in [
        (many(native), Some(DialectId::NATIVE)),
        (many(codewhale), Some(DialectId::CODEWHALE)),
        (many(unsure), None),
        (many(unsure) + &many(native), None),
        (native.to_owned(), None),
        (format!("a = '''{}", many(native)), None),
    ] {
        let start = text.get(..40).unwrap_or(&text);
        assert_eq!(recognize_dialect_by_start(path, &text, Format::Toml), by_start, "{start}");
        if let Some(dialect) = by_start {
            assert_eq!(recognize_dialect(path, &text, DialectId::CLAUDE), dialect, "{start}");
        }
    }
    assert_eq!(
        recognize_dialect(path, &(many(unsure) + &many(native)), DialectId::CLAUDE),
        DialectId::NATIVE
    );
}

/// C-91: `install` and `discover` agree on each file of the machine, and each of them is managed.
#[test]
fn every_file_that_install_writes_for_everybody_is_managed() {
    use tenterhook_core::agents::agents_with_hook_installation;
    let roots = Roots {
        cwd: "/p".into(),
        home: "/h".into(),
        managed: Some("/etc/claude-code".into()),
        ..Roots::default()
    };
    let all: Vec<Candidate> = DIALECTS
        .iter()
        .flat_map(|dialect| candidates::config_candidates_of_dialect(dialect, &roots))
        .collect();
    let managed = agents_with_hook_installation().filter_map(|a| a.installation.managed_file);
    let written: Vec<&Path> = managed.map(Path::new).collect();
    assert!(written.len() >= 4, "{written:?}");
    for path in written {
        let reads = |place: &&Candidate| {
            place.path.parent() == path.parent() && given::has_name_of_candidate(path, &place.path)
        };
        let layers: Vec<Layer> = all.iter().filter(reads).map(|place| place.layer).collect();
        assert_eq!(layers, [Layer::Managed], "{}", path.display());
    }
    for place in all.iter().filter(|place| place.path.starts_with("/etc")) {
        assert_eq!(place.layer, Layer::Managed, "{}", place.path.display());
    }
}

/// C-5, C-91: a managed file that is named is the managed file, whatever other layers call theirs.
#[test]
fn a_managed_file_that_is_named_is_managed() {
    let (scratch, roots) = landscape();
    for directory in ["tenterhook", "codex"] {
        fs::create_dir(scratch.path().join(directory)).expect("a directory");
    }
    let text =
        "[shadow]\nallowed = false\n[trust]\nunapproved = 'hold'\n[record]\nrequired = true\n";
    let layer = |name: &str, text: &str| {
        let path = scratch.path().join(name);
        fs::write(&path, text).expect("write");
        let source = given(&path, None, DialectId::CLAUDE, &roots).expect("a source");
        let read = source.dialect.dialect().read_config(&source);
        (source.layer, source.flaw, read.diagnostics)
    };
    assert_eq!(layer("tenterhook/tenterhook.toml", text), (Layer::Managed, None, vec![]));
    assert_eq!(layer("codex/hooks.json", "{\"hooks\": {}}").0, Layer::Managed);
    let (draft, _, found) = layer("repo/tenterhook.toml", text);
    let codes: Vec<_> = found.iter().map(|found| found.code.name()).collect();
    assert_eq!(draft, Layer::Given);
    assert_eq!(codes, ["managed-key-ignored", "managed-key-ignored", "record-not-heard"]);
}

/// C-89, C-110: of a managed file that others may write nothing is obeyed, and its text is not
/// handed on; records among the rest.
#[cfg(unix)]
#[test]
fn a_managed_file_that_everybody_may_write_is_not_obeyed() {
    use std::os::unix::fs::PermissionsExt as _;
    let (scratch, roots) = landscape();
    let path = scratch.path().join("tenterhook/tenterhook.toml");
    fs::create_dir(scratch.path().join("tenterhook")).expect("a directory");
    fs::write(&path, "[record]\nrequired = true\n").expect("write");
    let source = || {
        let found = find(&roots).sources.into_iter();
        let mut found = found.filter(|source| Path::new(&*source.name) == path);
        found.next().expect("the file is there")
    };
    assert_eq!((source().flaw, record(&roots).required), (None, Some(true)));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
    let exposed = source();
    assert_eq!(
        (&*exposed.text, exposed.layer, record(&roots).required),
        ("", Layer::Managed, None)
    );
    let why = exposed.flaw.expect("a flaw").why;
    assert_eq!(why, format!("everybody may write `{}`", path.display()));
    let named = given(&path, None, DialectId::CLAUDE, &roots).expect("a source");
    assert!(named.is_writable_by_others() && named.text.is_empty());
}

/// C-89, MC-12: a server of a managed file that others may write is not started, and none of the
/// user's takes its name.
#[cfg(unix)]
#[test]
fn a_server_of_an_exposed_managed_file_is_withheld() {
    use std::os::unix::fs::PermissionsExt as _;
    let (scratch, roots) = landscape();
    let path = scratch.path().join("etc/managed-mcp.json");
    fs::write(&path, r#"{"mcpServers": {"policy": {"command": "theirs"}}}"#).expect("write");
    let withheld = || {
        let (servers, found) = find_agent_servers(&roots, &[]);
        let withheld = servers
            .iter()
            .any(|server| matches!(server.reach, tenterhook_core::source::Reach::Withheld(_)));
        (withheld, found.iter().map(|found| found.code.name()).collect::<Vec<_>>())
    };
    assert_eq!(withheld(), (false, vec![]));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
    assert_eq!(withheld(), (true, vec!["managed-file-exposed"]));
}

/// CX-2: the hooks of all files of the machine are managed.
#[cfg(unix)]
#[test]
fn hooks_in_managed_codex_files_are_managed() {
    use std::os::unix::fs::MetadataExt as _;
    let scratch = tempfile::tempdir().expect("a directory");
    let machine = scratch.path().join("codex");
    std::fs::create_dir(&machine).expect("a directory");
    let text = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'true'\n";
    for name in ["requirements.toml", "config.toml"] {
        std::fs::write(machine.join(name), text).expect("it can be written");
    }
    let roots = Roots {
        cwd: scratch.path().join("project"),
        home: scratch.path().join("home"),
        managed: Some(scratch.path().join("claude-code")),
        managed_owner: Some(scratch.path().metadata().expect("metadata").uid()),
        ..Roots::default()
    };
    let found = find(&roots).sources;
    let hooks = found.iter().flat_map(|source| source.dialect.dialect().read_config(source).hooks);
    let layers: Vec<_> =
        hooks.map(|hook| (hook.dialect, hook.layer, hook.is_managed_or_built_in())).collect();
    assert_eq!(layers, [(DialectId::CODEX, Layer::Managed, true); 2]);
}
