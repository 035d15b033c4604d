//! Small packages in the shapes of the real ones, and what is read from them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use tenterhook_testkit::Sandbox;

use super::package::Package;
use super::report::{Record, compare, record_text};
use super::tables::Tables;
use super::watched::{Reading, Registry, WATCHED, Watched};
use super::{find_facts, schemas, types};
use crate::tree::File;

const DROID: &[Reading] = &[Reading::Lists];

fn watched(agent: &'static str, readings: &'static [Reading]) -> Watched {
    Watched {
        agent,
        registry: Registry::Npm,
        package: "p",
        suffix: "",
        tables: &[],
        readings,
        is_utf16: false,
    }
}

/// Tables of Droid with three of its events.
fn tables() -> Tables {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let files = [
        file(
            "crates/tenterhook-core/src/agents/droid/dialect/vocabulary.rs",
            "row(\"SessionStart\")\nrow(\"SessionEnd\")\nrow(\"PreToolUse\")\nrow(\"PostToolUse\")\nrow(\"Stop\")\n\
             ToolWords { own: &[\"Execute\", \"Run\", \"Launch\"] }\nknown: &[\"Else\"]\n",
        ),
        file("crates/tenterhook-core/src/agents/qwen.rs", "\"Elsewhere\""),
        file("crates/tenterhook-core/src/dialect/kit/reply.rs", "\"updatedInput\""),
    ];
    Tables::of_files(&files, &["droid"]).unwrap()
}

fn facts_of(watched: &Watched, folder: &Path) -> BTreeSet<String> {
    find_facts(watched, &Package::open(folder).unwrap(), &tables()).unwrap()
}

fn write_package(folder: &Path, version: &str, script: &str) {
    fs::create_dir_all(folder.join("dist")).unwrap();
    fs::write(folder.join("package.json"), format!("{{\"version\": \"{version}\"}}")).unwrap();
    fs::write(folder.join("dist/cli.js"), script).unwrap();
}

const SCRIPT: &str = r#"var E=["SessionStart","SessionEnd","PreToolUse","PostToolUse","Stop"];
    var far = 1; /* ------------------------------------------------ */ f("Unrelated","Execute");
    var old = {Launch: "Execute"}; process.env.FACTORY_HOME_OVERRIDE; o("--skip-permissions-unsafe"); y.option("auto");"#;

#[test]
fn new_event_is_reported_with_the_row_that_it_needs() {
    let sandbox = Sandbox::new().unwrap();
    let (old, new) = (sandbox.project().join("old"), sandbox.project().join("new"));
    write_package(&old, "1.0.0", SCRIPT);
    write_package(&new, "1.1.0", &SCRIPT.replace("\"Stop\"", "\"Stop\",\"ModelSwitch\""));
    let droid = watched("droid", DROID);
    let before = facts_of(&droid, &old);
    assert!(before.contains("event PreToolUse"), "{before:?}");
    assert!(before.contains("absent tool Run"), "{before:?}");
    assert!(!before.contains("absent tool Else"), "{before:?}");
    assert!(!before.contains("absent tool Launch"), "{before:?}");
    assert!(!before.contains("absent option --auto"), "{before:?}");
    assert!(!before.contains("absent tool Execute") && !before.contains("event Unrelated"));
    let record = Record::parse(&record_text("1.0.0", &before));
    let (text, same) = compare(&droid, "1.0.0", &record, &before, &tables());
    assert!(same, "{text}");
    let after = facts_of(&droid, &new);
    let (text, same) = compare(&droid, "1.1.0", &record, &after, &tables());
    assert!(!same);
    let row = "agents/droid/dialect/vocabulary.rs:5";
    assert!(
        text.contains("new: event ModelSwitch; no table has it") && text.contains(row),
        "{text}"
    );
    let (text, _) =
        compare(&droid, "1.0.0", &Record::parse(&record_text("1.1.0", &after)), &before, &tables());
    assert!(text.contains("gone: event ModelSwitch; no table has it"), "{text}");
}

#[test]
fn event_that_went_is_reported_with_its_row() {
    let sandbox = Sandbox::new().unwrap();
    let (old, new) = (sandbox.project().join("old"), sandbox.project().join("new"));
    write_package(&old, "1.0.0", SCRIPT);
    write_package(&new, "2.0.0", &SCRIPT.replace("\"SessionEnd\",", ""));
    let droid = watched("droid", DROID);
    let record = Record::parse(&record_text("1.0.0", &facts_of(&droid, &old)));
    let (text, _) = compare(&droid, "2.0.0", &record, &facts_of(&droid, &new), &tables());
    assert!(text.contains("gone: event SessionEnd, which crates/"), "{text}");
    assert!(text.contains("vocabulary.rs:2 has"), "{text}");
}

#[test]
fn tarball_inside_a_program_is_read() {
    let sandbox = Sandbox::new().unwrap();
    let folder = sandbox.project().join("p");
    let mut tarball =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let mut header = tar::Header::new_ustar();
    header.set_size(SCRIPT.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    tarball.append_data(&mut header, "package/app.js", SCRIPT.as_bytes()).unwrap();
    let tarball = tarball.into_inner().unwrap().finish().unwrap();
    write_package(&folder, "1.0.0", "");
    fs::write(
        folder.join("program"),
        [b"\x7fELF\x1f\x8b\x08 no tarball".as_slice(), &tarball, b"end"].concat(),
    )
    .unwrap();
    assert!(facts_of(&watched("droid", DROID), &folder).contains("event PreToolUse"));
    // The same tarball as a package of npm.
    let file = sandbox.project().join("p-1.0.0.tgz");
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(
        fs::File::create(&file).unwrap(),
        flate2::Compression::fast(),
    ));
    archive.append_dir_all("package", &folder).unwrap();
    archive.into_inner().unwrap().finish().unwrap().flush().unwrap();
    let package = Package::open(&file).unwrap();
    assert_eq!(package.version, "1.0.0");
    let facts = find_facts(&watched("droid", DROID), &package, &tables()).unwrap();
    assert!(facts.contains("event PostToolUse"), "{facts:?}");
}

#[test]
fn wheel_is_read() {
    let sandbox = Sandbox::new().unwrap();
    let file = sandbox.project().join("agent-3.1.0-py3-none-any.whl");
    let mut bytes = Vec::new();
    let mut wheel = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (path, text) in [
        ("agent-3.1.0.dist-info/METADATA", "Name: agent\nVersion: 3.1.0\n"),
        ("agent/hooks.py", SCRIPT),
    ] {
        let (mut entry, config) = wheel.new_file(path).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(text.as_bytes()).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    wheel.finish().unwrap();
    fs::write(&file, bytes).unwrap();
    let package = Package::open(&file).unwrap();
    assert_eq!(package.version, "3.1.0");
    let facts = find_facts(&watched("droid", DROID), &package, &tables()).unwrap();
    assert!(facts.contains("event Stop"), "{facts:?}");
}

#[test]
fn folder_without_a_version_is_an_error() {
    let sandbox = Sandbox::new().unwrap();
    fs::create_dir_all(sandbox.project().join("p")).unwrap();
    let error = Package::open(&sandbox.project().join("p")).unwrap_err().to_string();
    assert!(error.contains("no `package.json` or `METADATA`"), "{error}");
}

#[test]
fn hook_types_give_events_fields_and_words() {
    let facts = types::read_hook_types(
        "export declare const HOOK_EVENTS: readonly ['PreToolUse', 'Stop'];\n\
         export declare type BaseHookInput = {\n    session_id: string;\n};\n\
         export declare type SessionStartHookInput = BaseHookInput & {\n    hook_event_name: 'SessionStart';\n\
         \x20   /**\n     * not: a field\n     */\n    source: 'startup' | 'resume';\n};\n\
         export declare type PermissionRequestHookSpecificOutput = {\n    hookEventName: 'PermissionRequest';\n\
         \x20   decision: {\n        behavior: 'allow';\n    } | {\n        behavior: 'deny';\n        message?: string;\n\
         \x20   };\n    last?: string;\n};\n\
         export declare type Other = {\n    field: string;\n};\n",
    );
    let facts: BTreeSet<&str> = facts.iter().map(String::as_str).collect();
    let expected = BTreeSet::from([
        "event PreToolUse",
        "event Stop",
        "input *.session_id",
        "input SessionStart.source",
        "value SessionStart.source=startup",
        "value SessionStart.source=resume",
        "answer PermissionRequest.decision",
        "answer PermissionRequest.decision.behavior",
        "value PermissionRequest.decision.behavior=allow",
        "value PermissionRequest.decision.behavior=deny",
        "answer PermissionRequest.decision.message",
        "answer PermissionRequest.last",
    ]);
    assert_eq!(facts, expected);
}

#[test]
fn schemas_inside_a_program_give_events_and_fields() {
    let program = br#"xx{ "$schema": "s", "title": "pre-tool-use.command.output",
        "definitions": { "D": { "enum": ["allow", "deny"] } }, "properties": { "reason": {} } }yy{"$schema": broken"#;
    let facts = schemas::read_hook_schemas(program);
    let expected = [
        "event PreToolUse",
        "answer PreToolUse.reason",
        "value PreToolUse=allow",
        "value PreToolUse=deny",
    ];
    assert_eq!(BTreeSet::from_iter(facts), expected.map(str::to_owned).into());
}

#[test]
fn names_that_stand_side_by_side_are_split() {
    let sandbox = Sandbox::new().unwrap();
    let folder = sandbox.project().join("p");
    write_package(
        &folder,
        "1.0.0",
        "xxPreToolUsePostToolUseModelSwitchSessionStartSessionEnd(?i)StopStop",
    );
    let facts = facts_of(&watched("droid", &[Reading::Joined]), &folder);
    let events: Vec<&str> = facts.iter().filter_map(|fact| fact.strip_prefix("event ")).collect();
    assert_eq!(events, ["ModelSwitch", "PostToolUse", "PreToolUse", "SessionEnd", "SessionStart"]);
}

#[test]
fn names_behind_a_text_are_read() {
    let sandbox = Sandbox::new().unwrap();
    let folder = sandbox.project().join("p");
    write_package(&folder, "1.0.0", r#"a.trigger("tool.execute.before",x);b.trigger('shell.env')"#);
    let facts = facts_of(&watched("none", &[Reading::After(".trigger(")]), &folder);
    assert!(facts.contains("event tool.execute.before") && facts.contains("event shell.env"));
}

#[test]
fn names_between_two_texts_are_read_also_from_utf16() {
    let sandbox = Sandbox::new().unwrap();
    let folder = sandbox.project().join("p");
    let types =
        "type Other = 'no';\ninterface Map {\n\t'tool.call': A\n\t'agent.end': B\n}\n'after': C";
    write_package(&folder, "1.0.0", types);
    let between = &[Reading::Between("interface Map {", "}")];
    let events = |watched: &Watched| {
        let facts = facts_of(watched, &folder).into_iter();
        facts.filter(|fact| fact.starts_with("event ")).collect::<Vec<_>>()
    };
    let names = ["event agent.end", "event tool.call"];
    assert_eq!(events(&watched("none", between)), names);
    // At an odd offset, as in a program.
    let wide = types.encode_utf16().flat_map(u16::to_le_bytes);
    let program: Vec<u8> = [0xff, 0, 0x7f].into_iter().chain(wide).chain([0x90]).collect();
    fs::write(folder.join("dist/cli.js"), program).unwrap();
    assert_eq!(events(&watched("none", between)), [""; 0]);
    assert_eq!(events(&Watched { is_utf16: true, ..watched("none", between) }), names);
}

/// A look at an agent is of use only if its tables are there, and if somebody looked once.
#[test]
fn each_watched_agent_has_tables_and_a_record() {
    let root = crate::tree::root();
    for watched in WATCHED {
        for folder in watched.tables {
            let path = root.join(format!("crates/tenterhook-core/src/agents/{folder}.rs"));
            assert!(path.is_file(), "{folder}");
        }
        let record = root.join(format!("xtask/watched/{}.txt", watched.agent));
        assert!(!Record::read(&record).unwrap().version.is_empty(), "{}", record.display());
    }
}
