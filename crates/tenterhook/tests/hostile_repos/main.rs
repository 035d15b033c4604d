//! No unapproved code of a repository runs. Each file in `incidents` rebuilds an incident of an
//! agent, and shows with the same files that approved code does run. `race.rs` replaces a script
//! while it is fired; `copies.rs` runs hooks of several files from their copies.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot be set up fails")]
#![expect(clippy::print_stderr, reason = "skipped shapes are reported")]

mod copies;
mod race;
mod repository;

use std::path::Path;

use repository::{Repository, Step};
use serde::Deserialize;

/// One incident, step by step.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Incident {
    /// The number under which it is known, or the name.
    id: String,
    /// What happened, in one sentence.
    happened: String,
    step: Vec<Step>,
}

fn incidents() -> Vec<(String, Incident)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile_repos/incidents");
    let mut all: Vec<(String, Incident)> = std::fs::read_dir(directory)
        .expect("the incidents")
        .map(|entry| {
            let path = entry.expect("an incident").path();
            let text = std::fs::read_to_string(&path).expect("its text");
            let name = path.file_stem().expect("its name").to_string_lossy().into_owned();
            let incident = toml::from_str(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            (name, incident)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// T-1 to T-22: nothing runs that was not approved, and each has a twin that was and does.
#[tokio::test]
async fn nothing_of_a_hostile_repository_runs_and_its_approved_twin_does() {
    let all = incidents();
    assert_eq!(all.len(), 14, "one file for each incident of the threat model");
    for (name, incident) in all {
        let mut repository = Repository::new();
        let (mut refused, mut ran) = (false, 0);
        for (at, step) in incident.step.iter().enumerate() {
            let shown = format!(
                "{name} ({}: {}), step {}: {}",
                incident.id,
                incident.happened,
                at + 1,
                step.why
            );
            let came = repository.act(step).await;
            assert!(!came.evil, "{shown}\n{came:#?}");
            if let Some(expected) = step.ran {
                assert_eq!(came.ran, expected, "{shown}\n{came:#?}");
                refused |= step.fire.is_some() && !step.approve;
                ran = came.ran;
            }
            if let Some(expected) = &step.decision {
                assert_eq!(&came.decision, expected, "{shown}\n{came:#?}");
            }
            if let Some(text) = &step.diagnostic {
                assert!(came.diagnostics.contains(text), "{shown}\n{came:#?}");
            }
        }
        assert!(refused, "{name}: nothing of it is fired unapproved");
        assert!(ran > 0, "{name}: its twin never ran");
    }
}
