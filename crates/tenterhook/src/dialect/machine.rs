//! Which files does each agent read for every user of the machine? One table; each of these files is managed. Opens nothing.

use super::{Candidate, DialectId, Roots};
use crate::hook::Layer;

/// A file of the machine: whose it is, the directory beside that of [`Roots::managed`] (`None` for that one itself), and its name.
type Row = (DialectId, Option<&'static str>, &'static str);

/// Every such file, the strongest of an agent first. `install --scope managed` writes to some of them (a test compares the two).
const FILES: &[Row] = &[
    (DialectId::NATIVE, OWN, "tenterhook.toml"),
    (DialectId::NATIVE, OWN, "tenterhook.json"),
    (DialectId::NATIVE, OWN, "tenterhook.guardrails.toml"),
    (DialectId::NATIVE, OWN, "tenterhook.hold-subagents.toml"),
    (DialectId::NATIVE, None, "tenterhook.toml"),
    (DialectId::NATIVE, None, "tenterhook.json"),
    (DialectId::NATIVE, None, "tenterhook.guardrails.toml"),
    (DialectId::NATIVE, None, "tenterhook.hold-subagents.toml"),
    (DialectId::CLAUDE, None, "managed-settings.json"),
    (DialectId::CLAUDE, None, "managed-settings.d/*.json"),
    (DialectId::CODEX, CODEX, "requirements.toml"),
    (DialectId::CODEX, CODEX, "hooks.json"),
    (DialectId::CODEX, CODEX, "config.toml"),
    (DialectId::GEMINI, Some("gemini-cli"), "settings.json"),
    (DialectId::QWEN, Some("qwen-code"), "settings.json"),
    (DialectId::COPILOT, Some("github-copilot"), "policy.d/*.json"),
];

const OWN: Option<&str> = Some("tenterhook");
const CODEX: Option<&str> = Some("codex");

/// The files of the machine that the agent of a dialect reads.
pub(super) fn places(dialect: DialectId, roots: &Roots) -> Vec<Candidate> {
    let Some(managed) = &roots.managed else { return Vec::new() };
    let mut places: Vec<Candidate> = Vec::new();
    for (_, directory, file) in FILES.iter().filter(|(id, ..)| *id == dialect) {
        let directory =
            directory.map_or_else(|| managed.clone(), |name| managed.with_file_name(name));
        let path = directory.join(file);
        if !places.iter().any(|place| place.path == path) {
            places.push(Candidate { path, layer: Layer::Managed });
        }
    }
    places
}
