//! What the documents say of each way, and that each agent that was only read has a row.

use std::fmt::Write as _;

use super::*;

/// Returns what each way does by the documents, as `NAME=EFFECT`.
fn effects_by_documents(agent: &'static AccountAgent) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let probe = AccountProbe::new(agent, scratch.path()).unwrap();
    let mut text = format!("{}:", agent.name());
    for (name, way) in &probe.ways {
        let effect = documents::effect(agent, way, &probe.fixture).unwrap();
        write!(text, " {name}={effect}").unwrap();
    }
    text
}

/// BR-190: what the documents say is what the dialect does, for each agent.
#[test]
fn each_way_has_an_effect_by_the_documents_of_the_agent() {
    let rows: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = ACCOUNT_AGENTS
            .iter()
            .map(|agent| scope.spawn(move || effects_by_documents(agent)))
            .collect();
        all.into_iter().map(|row| row.join().unwrap()).collect()
    });
    assert_eq!(
        rows,
        [
            // `failClosed` denies what fails (CU-7).
            "cursor: allow=ran deny=stopped exit2=stopped line-before=stopped cut=stopped exit1=stopped missing=stopped slow=stopped prompt=stopped",
            "augment: allow=ran deny=stopped exit2=stopped line-before=ran cut=ran exit1=ran missing=ran slow=ran",
            "crush: allow=ran deny=stopped exit2=stopped line-before=ran cut=ran exit1=ran missing=ran slow=ran",
            // AY-41.
            "antigravity: allow=ran deny=stopped exit2=stopped line-before=stopped cut=stopped exit1=stopped missing=stopped slow=stopped",
            // KR-40: it denies by exit code 2, also a prompt.
            "kiro: allow=ran deny=stopped exit1=ran missing=ran slow=ran prompt=stopped",
            // WS-40: exit code 2 is its only denial, and an entry has no timeout.
            "windsurf: allow=ran deny=stopped exit1=ran missing=ran",
            "vscode: allow=ran deny=stopped exit2=stopped line-before=ran cut=ran exit1=ran missing=ran slow=ran",
        ]
    );
}

#[test]
fn agents_are_those_that_were_only_read() {
    for row in ACCOUNT_AGENTS {
        assert!(row.agent.evidence.source_if_only_read().is_some(), "{}", row.name());
        assert!(crate::find_agent(row.name()).is_none(), "{}", row.name());
        assert!(!row.project_hook_file().is_empty(), "{}", row.name());
    }
    // A module of Amp is no command, and has other ways.
    let lacks_row = |agent: &&&agents::Agent| {
        agent.evidence.source_if_only_read().is_some()
            && !matches!(agent.installation.form, agents::Form::Plugin(_))
            && find_account_agent(agent.name).is_none()
    };
    let missing: Vec<&str> =
        agents::AGENTS.iter().filter(lacks_row).map(|agent| agent.name).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}
