//! Our tables of an agent: which names they have, and in which line each stands. Reads our sources; changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use tenterhook_core::agents::AGENTS;
use tenterhook_core::dialect::DialectId;

use crate::error::Error;
use crate::tree::{self, File};

const AGENTS_FOLDER: &str = "crates/tenterhook-core/src/agents";
/// What dialects share; named only if no folder of the agent has a name.
const KIT: &str = "crates/tenterhook-core/src/dialect/kit/";

/// The names of one agent that a package should have.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The events of its dialect, or of its files if it has none.
    pub(super) events: BTreeSet<String>,
    tools: BTreeSet<String>,
    variables: BTreeSet<String>,
    options: BTreeSet<String>,
}

impl Names {
    /// Iterates over all names, each with its kind.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let kinds = [
            ("event", &self.events),
            ("tool", &self.tools),
            ("variable", &self.variables),
            ("option", &self.options),
        ];
        kinds.into_iter().flat_map(|(kind, names)| names.iter().map(move |name| (kind, &**name)))
    }
}

/// The sources of an agent's tables.
pub(super) struct Tables {
    /// Where each string literal stands, as `FILE:LINE`, in the order of the files.
    literals: BTreeMap<String, Vec<(String, usize)>>,
    shared: BTreeMap<String, Vec<(String, usize)>>,
    tools: BTreeSet<String>,
}

impl Tables {
    /// Reads the tables of these folders of `agents`.
    pub(super) fn of_agents(folders: &[&str]) -> Result<Self, Error> {
        Self::of_files(&tree::files()?, folders).map_err(Error::other)
    }

    pub(super) fn of_files(files: &[File], folders: &[&str]) -> Result<Self, regex::Error> {
        let literal = Regex::new(r#""([^"\\\n]+)""#)?;
        let own_names = Regex::new(r"\bown: &\[([^\]]*)\]")?;
        let mut tables =
            Self { literals: BTreeMap::new(), shared: BTreeMap::new(), tools: BTreeSet::new() };
        let is_own = |path: &str| {
            folders.iter().any(|folder| {
                let folder = format!("{AGENTS_FOLDER}/{folder}");
                path == format!("{folder}.rs") || path.starts_with(&format!("{folder}/"))
            })
        };
        for file in files {
            let own = is_own(&file.path);
            if !own && !file.path.starts_with(KIT) {
                continue;
            }
            let text = if file.is_rust() { file.source() } else { &file.text };
            let list = if own { &mut tables.literals } else { &mut tables.shared };
            for (index, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for found in literal.captures_iter(code) {
                    let places = list.entry(found[1].to_owned()).or_default();
                    places.push((file.path.clone(), index + 1));
                }
                for names in own_names.captures_iter(code).filter(|_| own) {
                    let names = literal.captures_iter(&names[1]).map(|name| name[1].to_owned());
                    tables.tools.extend(names);
                }
            }
        }
        Ok(tables)
    }

    /// Returns the names of an agent that its package should have.
    pub(super) fn names(&self, agent: &str) -> Names {
        let rows = DialectId::from_name(agent).map(|id| id.dialect().event_rows());
        let own = rows.into_iter().flatten().map(|row| row.name.to_string());
        // The rows of a dialect whose module we write hold our own names.
        let own = own.filter(|event| self.find(event).is_some());
        let agent = AGENTS.iter().find(|known| known.name == agent);
        let events = own.collect();
        let guarded = agent.map(|agent| agent.guarded);
        let variables = guarded.into_iter().flat_map(|guarded| guarded.variables);
        let options = guarded.into_iter().flat_map(|guarded| guarded.options);
        Names {
            events,
            tools: self.tools.clone(),
            variables: variables.map(|name| name.trim_end_matches('*').to_owned()).collect(),
            options: options
                .filter_map(|option| option.split('=').next())
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Returns the first line that has this name, as `FILE:LINE`.
    pub(super) fn find(&self, name: &str) -> Option<String> {
        let places = self.literals.get(name).or_else(|| self.shared.get(name))?;
        places.first().map(|(file, line)| format!("{file}:{line}"))
    }

    /// Returns the line below which a row for a name fits: the last one of the file that has most of its neighbours.
    pub(super) fn row_beside<'n>(
        &self,
        neighbours: impl Iterator<Item = &'n str>,
    ) -> Option<String> {
        let mut lines: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for name in neighbours {
            for (file, line) in self.literals.get(name).into_iter().flatten() {
                lines.entry(file).or_default().insert(*line);
            }
        }
        let (file, lines) = lines.into_iter().max_by_key(|(_, lines)| lines.len())?;
        lines.last().map(|line| format!("{file}:{line}"))
    }
}
