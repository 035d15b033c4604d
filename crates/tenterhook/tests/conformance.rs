//! Does the engine do what the neutral cases say? Fires every case of `conformance/` through the
//! library.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a case that cannot be set up is a failure of the test"
)]

#[path = "conformance/callback.rs"]
mod callback;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tenterhook::engine::{Builder, Engine};
use tenterhook::executor::Ambient;
use tenterhook::executor::model::{Model, ModelClient};
use tenterhook::session::Session;
use tenterhook_core::config::Source;
use tenterhook_core::diagnostic::Severity;
use tenterhook_core::dialect::native::encode_outcome;
use tenterhook_core::dialect::{DialectId, Roots};
use tenterhook_core::hook::{Compat, Layer};
use tenterhook_testkit::case::{self, Case, Only, Shot, Staged, StagedSource};
use tenterhook_testkit::{Sandbox, at_once, expect};

const LAYERS: &[Layer] = &[Layer::Managed, Layer::Given, Layer::User, Layer::Project, Layer::Local];

fn source(staged: &StagedSource, sandbox: &Sandbox) -> Source {
    let dialect = DialectId::from_name(&staged.source.dialect).expect("a dialect of this build");
    let word = staged.source.layer.as_deref().unwrap_or("given");
    let layer = LAYERS.iter().find(|layer| layer.as_str() == word).expect("a layer");
    let directory = staged.path.parent().expect("a file stands in a directory");
    let name = staged.path.to_string_lossy();
    Source {
        layer: *layer,
        project: sandbox.project(),
        home: sandbox.home(),
        compat: match staged.source.compat.as_deref() {
            Some("exact") => Compat::Exact,
            None => Compat::Guarded,
            Some(other) => panic!("no compat is called `{other}`"),
        },
        ..Source::from_text(&name, dialect, &staged.text, directory)
    }
}

fn engine(case: &Case, staged: &Staged, sandbox: &Sandbox) -> Engine {
    let mut env = sandbox.env();
    env.extend(staged.env.clone());
    // What the command line gives its hooks, so that both ways come to the same.
    let model: Arc<dyn Model> = Arc::new(ModelClient::new(&env, None));
    let ambient = Ambient::default().env(env).scratch(sandbox.scripts()).model(model);
    let roots = Roots { cwd: sandbox.project(), home: sandbox.home(), ..Roots::default() };
    let sources = staged.sources.iter().map(|s| source(s, sandbox));
    let builder = Engine::builder().sources(sources).trust_repositories_unasked();
    let builder = builder.ambient(ambient).connect(&roots);
    let mark = |name: &str| sandbox.scripts().join(format!("{name}.ran"));
    let callbacks =
        case.callback.iter().map(|(name, value)| callback::hook(name, value, mark(name)));
    let (engine, diagnostics) = callbacks.fold(builder, Builder::hook).build();
    let mut missing = case.errors.clone();
    for diagnostic in diagnostics {
        if let Some(at) = missing.iter().position(|code| code == diagnostic.code.name()) {
            missing.swap_remove(at);
            continue;
        }
        // A kind of hook without an executor is an error that a case may be about.
        let wanted =
            diagnostic.severity < Severity::Error || diagnostic.message.contains("executor");
        assert!(wanted, "{diagnostic:?}");
    }
    assert!(missing.is_empty(), "{}: no expectation covers {missing:?}", case.file.display());
    engine
}

async fn fire(case: &Case) -> Vec<String> {
    let sandbox = Sandbox::new().expect("a place to run in");
    let staged = case.stage(&sandbox).expect("the case's files can be written");
    let engine = engine(case, &staged, &sandbox);
    // As the command line has it: one event is waited for to its end, and several of one session
    // are a stream.
    let session = match case.only == Only::Every && staged.shots.len() == 1 {
        true => Session::of_one_event(),
        false => Session::default(),
    };
    let mut found = Vec::new();
    for (at, shot) in staged.shots.iter().enumerate() {
        expect::forget(&sandbox.scripts()).expect("marks can be removed");
        let outcome = fire_one(case, shot, &engine, &session, &sandbox).await;
        let differences = expect::differences(&shot.expect, &outcome, &sandbox.scripts());
        found.extend(
            differences.into_iter().map(|difference| format!("event {}: {difference}", at + 1)),
        );
    }
    found
}

async fn fire_one(
    case: &Case,
    shot: &Shot,
    engine: &Engine,
    session: &Session,
    sandbox: &Sandbox,
) -> serde_json::Value {
    let dialect = DialectId::from_name(&case.dialect).expect("a dialect of this build").dialect();
    let roots = Roots { cwd: sandbox.project(), home: sandbox.home(), ..Roots::default() };
    let event = dialect.decode_event(&shot.event, &roots).expect("an event of the dialect");
    let budget = case.budget_ms.map(Duration::from_millis);
    let mut outcome = engine.fire_within(event, session, budget).await;
    // A stream reports later steps in separate lines; `fire` waits for them.
    match case.only == Only::Every && case.then.is_empty() {
        true => session.drain_into(&mut outcome).await,
        false => drop(session.drain().await),
    }
    encode_outcome(&outcome)
}

/// Every case, and all differences in the order of their paths.
#[test]
fn every_case_comes_out_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let folders = case::folders(&root).expect("the cases can be listed");
    let cases = folders.iter().flat_map(|folder| Case::all(folder).expect("a list of cases"));
    let cases: Vec<Case> =
        cases.map(|case| case.unwrap_or_else(|fault| panic!("{fault}"))).collect();
    let failures = at_once::each(&cases, 4, |_, case| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let differences = runtime.expect("a runtime").block_on(fire(case));
        let name = case.file.strip_prefix(&root).unwrap_or(&case.file).display();
        (!differences.is_empty())
            .then(|| format!("{name}: {}\n  {}", case.about, differences.join("\n  ")))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    let (count, all) = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{count} of {all} cases:\n{}", failures.join("\n"));
    assert!(all >= folders.len(), "there are cases in every folder");
}
