//! What does a case of `conformance/host` say? Reads it; runs nothing. Format: `conformance/host/README.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use tenterhook_testkit::server;

/// A scripted session, and what everybody got of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// The rules that it proves.
    pub(crate) rule: Vec<String>,
    pub(crate) about: String,
    /// Files of the project, or of the home: `~/`.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Scripted HTTP servers: `{server:NAME}` in a file is the URL of one.
    #[serde(default)]
    pub(crate) server: BTreeMap<String, server::Reply>,
    /// The project's hooks are not approved until a step says so.
    #[serde(default)]
    pub(crate) unapproved: bool,
    /// What came with the project is confined, as it is where its person says nothing.
    #[serde(default)]
    pub(crate) confined: bool,
    /// A file of `variants`: the same session is played with the files of each of its tables beside those.
    pub(crate) gates: Option<String>,
    /// The agent is run with `--print` on this prompt, and takes no input.
    pub(crate) print: Option<String>,
    /// How the agent is started.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// What the model answers, one call after the other; the last one from then on.
    #[serde(default)]
    pub(crate) model: Vec<Reply>,
    /// What happens, in order.
    #[serde(default)]
    pub(crate) step: Vec<Step>,
    pub(crate) expect: Expect,
}

/// One answer of the model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) call: Vec<Call>,
    /// The reply comes whole and not as a stream, as a hook asks for it.
    #[serde(default)]
    pub(crate) whole: bool,
    /// The status of a service that fails; it says `text`.
    pub(crate) status: Option<u16>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) input: Value,
}

/// One thing that happens.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// The agent is ended and started again with these arguments.
    pub(crate) start: Option<Vec<String>>,
    /// Files are written.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// The person approves what lies there then.
    #[serde(default)]
    pub(crate) approve: bool,
    /// The person types this and waits for the end of the turn, or for `wait`.
    pub(crate) prompt: Option<String>,
    /// The person answers the question that stands: `once`, `always`, or `no` with the reason after it.
    pub(crate) decide: Option<String>,
    /// The person writes this for after the turn.
    pub(crate) queue: Option<String>,
    /// The person presses a key that says this: `take_back`, `next_mode`, `quit`, `quit_now`.
    pub(crate) say: Option<String>,
    /// The person stops what is under way.
    #[serde(default)]
    pub(crate) interrupt: bool,
    /// The line to wait for: its type and a text in it, `file NAME`, or `nothing`.
    pub(crate) wait: Option<String>,
}

/// What everybody got.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// The requests to a scripted server, each as its headers (`name: value`) and its body.
    #[serde(default)]
    pub(crate) server: BTreeMap<String, Look>,
    /// The requests of the model, each as it came.
    #[serde(default)]
    pub(crate) model: Look,
    /// The conversation that is kept, a line for each part.
    #[serde(default)]
    pub(crate) history: Look,
    /// The file that keeps it, as it is.
    #[serde(default)]
    pub(crate) transcript: Look,
    /// The texts that the person sees, a line for each thing.
    #[serde(default)]
    pub(crate) screen: Look,
    /// What hooks were handed, by the file in which they keep it.
    #[serde(default)]
    pub(crate) hook: BTreeMap<String, Look>,
    /// The files at the end, and their content; empty for a missing one.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// How the program ended, 0 by default.
    #[serde(default)]
    pub(crate) code: i32,
}

/// A pattern for lines.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Look {
    /// So many there are.
    pub(crate) count: Option<usize>,
    /// These and no others, in this order.
    pub(crate) is: Option<Vec<String>>,
    /// Each is in one of them, in this order.
    #[serde(default)]
    pub(crate) has: Vec<String>,
    /// None is in any of them.
    #[serde(default)]
    pub(crate) never: Vec<String>,
}

/// Where the cases are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/host")
}

/// Every case with its name, one for each variant, sorted.
pub(crate) fn all() -> Vec<(String, Case)> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    found.sort();
    found.iter().flat_map(|path| variants(path)).collect()
}

fn variants(path: &Path) -> Vec<(String, Case)> {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let case: Case = match toml::from_str(&text) {
        Ok(case) => case,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    assert!(!case.rule.is_empty() && !case.about.is_empty(), "{name} says what it proves");
    assert!(case.print.is_some() || !case.step.is_empty(), "{name} has a prompt or steps");
    let Some(gates) = &case.gates else { return vec![(name, case)] };
    let text = std::fs::read_to_string(folder().join(format!("variants/{gates}.toml"))).unwrap();
    let tables: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text).unwrap();
    let of = |(variant, files): (&String, &BTreeMap<String, String>)| {
        let mut own = case.clone();
        own.files.extend(files.clone());
        (format!("{name}::{variant}"), own)
    };
    tables.iter().map(of).collect()
}
