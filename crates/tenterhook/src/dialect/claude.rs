//! The dialect of Claude Code, version 2.1.330: its rooms are one file per direction, and this file only opens their doors.

mod answer;
mod contract;
mod env_file;
mod event;
mod events;
mod fields;
mod model;
mod terminal;
#[cfg(test)]
mod tests;

mod config;
mod handler;
mod lint;
mod matcher_text;
mod placeholders;
mod places;
mod plugins;
mod servers;
mod vocabulary;

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{
    Candidate, Dialect, DialectId, Disk, Envelope, EventFault, EventRow, Fit, Plugins, Roots,
    ServerFiles, SlipPolicy, Subject, first_line,
};
use crate::answer::{Answer, Powers, SlipKind};
use crate::event::{Event, EventName};
use crate::hook::{Hook, OnFailure, Prompt, Run};
use crate::matcher::Condition;
use crate::matcher::rule::Reading;
use crate::report::Report;
use crate::source::{ReadConfig, Source};
use crate::syntax::Node;

/// The dialect.
#[derive(Debug)]
pub struct Claude;

impl Dialect for Claude {
    fn id(&self) -> DialectId {
        DialectId::CLAUDE
    }

    fn rows(&self) -> &'static [EventRow] {
        &events::ROWS
    }

    fn subjects(&self, event: &str) -> &'static [&'static str] {
        match vocabulary::find_event(event).map(|it| &it.subjects) {
            Some(vocabulary::Subjects::Closed(values)) => values,
            _ => &[],
        }
    }

    fn unknown_row(&self, event: &EventName) -> EventRow {
        EventRow {
            name: Cow::Owned(event.to_string()),
            event: Cow::Owned(event.to_string()),
            subject: Subject::None,
            powers: Powers::NONE,
            timeout: Duration::from_mins(10),
            failure: OnFailure::Continue,
            cap: None,
            when: Cow::Borrowed(""),
        }
    }

    fn recognizes(&self, path: &Path, root: Option<&Node>) -> Fit {
        places::recognizes(path, root)
    }

    fn places(&self, roots: &Roots) -> Vec<Candidate> {
        places::places(roots)
    }

    fn read_config(&self, source: &Source) -> ReadConfig {
        config::read(source)
    }

    fn unreachable(&self, hook: &Hook) -> Option<(String, &'static str)> {
        lint::unreachable(hook)
    }

    fn condition(&self, node: &Node, source: &Source) -> Result<Condition, String> {
        let rule = super::rule(node, source, Reading::Claude)?;
        Ok(rule.with_aliases(matcher_text::aliases()))
    }

    fn plugins(&self, settings: &[&Source], roots: &Roots, disk: &dyn Disk) -> Plugins {
        plugins::find(settings, roots, disk)
    }

    fn servers(&self) -> Option<&'static ServerFiles> {
        Some(&servers::FILES)
    }

    fn drops_repeats(&self) -> bool {
        true
    }

    fn decode_event(&self, json: &Map<String, Value>, roots: &Roots) -> Result<Event, EventFault> {
        event::decode(json, roots)
    }

    fn encode_event(&self, event: &Event) -> Envelope {
        event::encode(event)
    }

    fn withholds(&self, variable: &str) -> bool {
        // Since 2.1.128: its own telemetry is no business of its hooks.
        variable.starts_with("OTEL_")
    }

    fn detaches(&self, first_line: &[u8]) -> bool {
        first_line::detaches(first_line)
    }

    fn read_answer(&self, event: &Event, row: &EventRow, report: &Report) -> Answer {
        answer::read(event, row, report)
    }

    fn shape(&self, prompt: &Prompt, row: &EventRow) -> String {
        model::shape(prompt, row)
    }

    fn read_words(
        &self,
        prompt: &Prompt,
        event: &Event,
        row: &EventRow,
        report: &Report,
    ) -> Answer {
        model::read(prompt, event, row, report)
    }

    fn timeout(&self, run: &Run, row: &EventRow) -> Duration {
        model::timeout(run).unwrap_or(row.timeout)
    }

    fn slip_policy(&self, slip: SlipKind) -> SlipPolicy {
        contract::slip_policy(slip)
    }
}
