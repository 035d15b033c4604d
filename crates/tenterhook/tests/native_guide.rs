//! The guides of the native format and of what runs its hooks do what they say: every block loads, fits its schema, and its
//! cases hold.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

use std::path::PathBuf;
use std::sync::Arc;

use jsonschema::validator_for;
use serde_json::Value;
use tenterhook::executor::Ambient;
use tenterhook::{Engine, Session};
use tenterhook_core::answer::Restraint;
use tenterhook_core::config::Source;
use tenterhook_core::dialect::native::schema::{Kind, parse_schema};
use tenterhook_core::dialect::native::{Case, Happens, read_case_file, read_cases_beside_hooks};
use tenterhook_core::dialect::{DialectId, Roots};

const GUIDE: &str = include_str!("../../../docs/guide/native.md");
const PROTOCOL: &str = include_str!("../../../docs/spec/protocol.md");
const CONFIG: &str = include_str!("../../../docs/spec/config-native.md");

/// The pages about what runs a hook, and how it is tested; each with blocks.
const EXECUTORS: &[&str] = &[
    include_str!("../../../docs/guide/executors/command.md"),
    include_str!("../../../docs/guide/executors/http.md"),
    include_str!("../../../docs/guide/executors/mcp.md"),
    include_str!("../../../docs/guide/executors/model.md"),
    include_str!("../../../docs/guide/executors/prewarm.md"),
    include_str!("../../../docs/guide/executors/rule.md"),
    include_str!("../../../docs/guide/executors/worker.md"),
    include_str!("../../../docs/guide/sandbox.md"),
    include_str!("../../../docs/guide/testing.md"),
];

/// The fenced blocks of `page` whose info string is `info`.
fn blocks<'a>(page: &'a str, info: &str) -> Vec<&'a str> {
    let opening = format!("```{info}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

fn source(text: &str) -> Source {
    let mut source = Source::from_text("tenterhook.toml", DialectId::NATIVE, text, "/nowhere");
    source.home = PathBuf::from("/home/u");
    source
}

#[test]
fn every_config_block_loads_cleanly_and_fits_the_schema() {
    let validator = validator_for(&parse_schema(Kind::Config)).unwrap();
    assert!(EXECUTORS.iter().all(|page| !blocks(page, "toml").is_empty()));
    let pages = [GUIDE, CONFIG].iter().chain(EXECUTORS);
    let all: Vec<&str> = pages.flat_map(|page| blocks(page, "toml")).collect();
    assert!(all.len() > 25, "only {} blocks", all.len());
    for block in all {
        let read = DialectId::NATIVE.dialect().read_config(&source(block));
        assert_eq!(read.diagnostics, [], "{block}");
        let value = toml::from_str::<serde_json::Value>(block).unwrap();
        validator.validate(&value).unwrap();
    }
}

/// TE-2.
#[test]
fn every_block_of_cases_is_read_and_fits_its_schema() {
    let validator = validator_for(&parse_schema(Kind::Cases)).unwrap();
    let page = include_str!("../../../docs/guide/testing.md");
    let found = blocks(page, "toml cases");
    assert!(!found.is_empty());
    for block in found {
        let read = read_case_file(&source(block));
        assert_eq!(read.diagnostics, [], "{block}");
        assert!(!read.cases.is_empty(), "{block}");
        validator.validate(&toml::from_str::<Value>(block).unwrap()).unwrap();
    }
}

#[test]
fn every_json_block_fits_its_schema() {
    let mut count = 0;
    for (name, kind) in Kind::ALL {
        let validator = validator_for(&parse_schema(*kind)).unwrap();
        for block in [GUIDE, PROTOCOL].iter().flat_map(|page| blocks(page, &format!("json {name}")))
        {
            let value: Value = serde_json::from_str(block).unwrap();
            validator.validate(&value).unwrap();
            count += 1;
        }
    }
    assert!(count >= 3, "only {count} blocks");
}

/// Fires `case` at the hooks of `text`, and gives what its own hook said.
async fn fire(text: &str, case: &Case) -> Restraint {
    let here = tempfile::tempdir().unwrap();
    let roots = Roots { cwd: here.path().to_owned(), ..Roots::default() };
    let Happens::Form(form) = &case.event else { panic!("{case:?}") };
    let mut form = form.clone();
    form.entry("event").or_insert_with(|| case.on.clone().into());
    let event = DialectId::NATIVE.dialect().decode_event(&form, &roots).unwrap();
    let path = ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned());
    let ambient = Ambient::default().env([path]).scratch(here.path());
    let (engine, diagnostics) = Engine::builder().ambient(ambient).source(source(text)).build();
    assert_eq!(diagnostics, []);
    let outcome = engine.fire(event, &Session::default()).await;
    assert_eq!(outcome.faults, []);
    let step = outcome.steps.iter().find(|step| Some(&step.hook) == case.hook.as_ref());
    step.map_or(Restraint::Silent, |step| step.verdict)
}

/// C-56.
#[tokio::test]
async fn every_case_of_the_guide_holds() {
    let mut count = 0;
    for block in blocks(GUIDE, "toml") {
        let block: Arc<str> = block.into();
        for case in read_cases_beside_hooks(&source(&block)) {
            assert_eq!(fire(&block, &case).await, case.expect.decision, "{case:?}");
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} cases");
}
