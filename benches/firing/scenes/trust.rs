//! What it costs to ask whether hooks of a repository were approved: engines that are built with trust, against the same without.

use std::fs;
use std::hint::black_box;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;
use tenterhook::engine::Builder;
use tenterhook::trust::Trust;
use tenterhook::{Engine, Event, Session};
use tenterhook_core::config::Source;
use tenterhook_core::dialect::DialectId;
use tenterhook_core::event::Surroundings;
use tenterhook_core::hook::Layer;
use tokio::runtime::Runtime;

use super::event;
use crate::sample::{Sample, Table};

/// How many gates a repository has.
const HOOKS: usize = 20;

/// How many sources the person said something of; and as many entries in one.
const MANY: usize = 10_000;

const TIMES: usize = 300;

/// The gates of a repository: an engine of them, and an event at them, as a program does both that an agent starts for a call.
pub(crate) fn trust(table: &mut Table) {
    let name = format!("trust, {HOOKS} gates");
    if let Err(why) = gates(table, &name) {
        table.skip(name, &why.to_string(), "");
    }
}

fn gates(table: &mut Table, name: &str) -> io::Result<()> {
    let repository = Repository::with_scripts()?;
    let runtime = super::runtime();
    let (warm, off) = Sample::pair(TIMES, || repository.build_trusting(), || repository.build());
    table.against(format!("{name}, warm"), warm, ("trust off", off.median()), "1 ms");
    let (cold, off) = Sample::paced(
        TIMES / 10,
        || repository.cool(),
        || repository.build_trusting(),
        || repository.build(),
    );
    table.against(format!("{name}, cold"), cold, ("trust off", off.median()), "");
    // What was cold is kept again.
    repository.build_trusting();
    let (warm, off) = Sample::pair(
        TIMES / 10,
        || repository.fire(&runtime, repository.asking()),
        || repository.fire(&runtime, repository.plain()),
    );
    table.against(format!("{name}, fired"), warm, ("trust off", off.median()), "");
    Ok(())
}

/// Approvals of many sources, and of many entries.
pub(crate) fn approvals(table: &mut Table) {
    let name = format!("trust, {MANY} approvals");
    if let Err(why) = many(table, &name) {
        table.skip(name, &why.to_string(), "");
    }
}

fn many(table: &mut Table, name: &str) -> io::Result<()> {
    let (alone, crowded) = (Repository::with_scripts()?, Repository::with_scripts()?);
    crowded.crowd()?;
    let (ours, one) = Sample::pair(TIMES, || crowded.build_trusting(), || alone.build_trusting());
    table.against(format!("{name} in the store"), ours, ("1 in the store", one.median()), "1.1x");
    let repository = Repository::with_entries(MANY)?;
    let (ours, off) =
        Sample::pair(TIMES / 30, || repository.build_trusting(), || repository.build());
    table.against(format!("{name} of one source"), ours, ("trust off", off.median()), "");
    Ok(())
}

/// A repository whose gates were approved, with its own home.
struct Repository {
    root: TempDir,
    source: Source,
    trust: Trust,
}

impl Repository {
    /// Gates with a script of 2 KiB each, side by side in one folder as repositories keep them.
    fn with_scripts() -> io::Result<Self> {
        let repository = tempfile::tempdir()?;
        let folder = repository.path().join("project/.claude/hooks");
        fs::create_dir_all(&folder)?;
        let text = format!("#!/bin/sh\nexit 0\n{}", "# what a gate looks at\n".repeat(90));
        for at in 0..HOOKS {
            let script = folder.join(format!("gate{at}.sh"));
            fs::write(&script, &text)?;
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        }
        let line = |at| format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gate{at}.sh");
        Self::approved(repository, (0..HOOKS).map(line))
    }

    /// Entries that run no file of the project, so that what is looked up is all that they cost.
    fn with_entries(count: usize) -> io::Result<Self> {
        let repository = tempfile::tempdir()?;
        fs::create_dir_all(repository.path().join("project/.claude"))?;
        Self::approved(repository, (0..count).map(|at| format!("/bin/true {at}")))
    }

    fn approved(root: TempDir, lines: impl Iterator<Item = String>) -> io::Result<Self> {
        let (project, home) = (root.path().join("project"), root.path().join("home"));
        fs::create_dir(&home)?;
        let hooks: Vec<_> = lines.map(|line| json!({"type": "command", "command": line})).collect();
        let text =
            json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}).to_string();
        let name = project.join(".claude/settings.json");
        fs::write(&name, &text)?;
        let given = Source::from_text(
            &name.to_string_lossy(),
            DialectId::CLAUDE,
            &text,
            project.join(".claude"),
        );
        let source = Source { layer: Layer::Project, project, home, ..given };
        let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
        let trust = Trust::at(root.path().join("home/state")).within(&[path]);
        trust.approve(&trust.review(&source))?;
        let repository = Self { root, source, trust };
        // Hooks that are not armed would make the figures wrong.
        if !repository.arms() {
            return Err(io::Error::other("what was approved does not run"));
        }
        Ok(repository)
    }

    fn state(&self) -> PathBuf {
        self.root.path().join("home/state")
    }

    /// The person's answers of many other sources, each as long as that of this one: only its name is looked for.
    fn crowd(&self) -> io::Result<()> {
        let sources = self.state().join("trust/sources");
        let own = fs::read_dir(&sources)?.next().ok_or(io::ErrorKind::NotFound)??.path();
        (0..MANY).try_for_each(|at| fs::hard_link(&own, sources.join(format!("{at:064x}.json"))))
    }

    /// Removes the stored copies of the scripts; the next engine makes them anew.
    fn cool(&self) {
        drop(fs::remove_dir_all(self.state().join("trust/copies")));
    }

    /// An engine that asks, with no complaint about what it found.
    fn arms(&self) -> bool {
        self.asking().build().1.is_empty()
    }

    fn asking(&self) -> Builder {
        Engine::builder().source(self.source.clone()).trust(self.trust.clone())
    }

    fn plain(&self) -> Builder {
        Engine::builder().source(self.source.clone()).trust_repositories_unasked()
    }

    fn build_trusting(&self) {
        drop(black_box(self.asking().build()));
    }

    fn build(&self) {
        drop(black_box(self.plain().build()));
    }

    /// What a program does that is started for one call.
    fn fire(&self, runtime: &Runtime, builder: Builder) {
        let within = Surroundings {
            session_id: "bench".to_owned(),
            cwd: self.source.project.clone(),
            project: self.source.project.clone(),
            home: self.source.home.clone(),
            ..Surroundings::default()
        };
        let event = Event { within, ..event() };
        let (engine, _) = builder.build();
        drop(black_box(runtime.block_on(engine.fire(event, &Session::default()))));
    }
}
