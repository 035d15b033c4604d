//! What was found, as a page for people and as JSON. Decides nothing.

use serde_json::{Value, json};
use tenterhook_process::Tier;

use super::finding::{Finding, Mend, Weight};
use super::machine::Kernel;
use super::{Report, Row, confined};
use crate::show::layout::{count, time, wrap};
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, HELP, WARNING, paint};

/// The leads stand in a column of this width, behind two blanks.
const LEAD: usize = 8;

pub(super) fn text(report: &Report, width: usize) -> String {
    let mut out = String::new();
    for row in &report.agents {
        agent(row, width, &mut out);
    }
    if report.agents.is_empty() {
        out.push_str("no agent that can call Tenterhook is found here\n\n");
    }
    out.push_str(&format!("{}\n", paint(BOLD, "Files with hooks")));
    if report.sources.is_empty() {
        line("ok", "what is read from here loads, and is trusted", width, &mut out);
    }
    report.sources.iter().for_each(|source| finding(source, width, &mut out));
    if !report.programs.is_empty() {
        out.push_str(&format!("\n{}\n", paint(BOLD, "What programs of hooks run in")));
    }
    for (lead, text) in confined::lines(&report.programs, report.kernel.means.tier()) {
        line(lead, &text, width, &mut out);
    }
    out.push_str(&format!("\n{}\n", paint(BOLD, "This machine")));
    line("ok", &kernel(report.kernel), width, &mut out);
    let (lead, reached) = sandbox(report.kernel);
    line(lead, &reached, width, &mut out);
    report.machine.iter().for_each(|f| finding(f, width, &mut out));
    out.push_str(&format!("\n{}\n", sum(report)));
    out
}

fn agent(row: &Row, width: usize, out: &mut String) {
    let version = row.installed.version.as_deref().unwrap_or_default();
    out.push_str(format!("{} {version}", paint(BOLD, row.agent.title)).trim_end());
    out.push('\n');
    if row.installed.program.is_none() {
        line("note", &format!("`{}` is not on `PATH`", row.agent.program()), width, out);
    }
    if row.events > 0 {
        let all = count(row.agent.installation.events.len(), "event");
        line("ok", &format!("entries for {} of {all} are written", row.events), width, out);
    }
    for event in row.fired.iter().filter(|f| f.finding.is_none()) {
        let text =
            format!("a call that does nothing passed `{}` in {}", event.event, time(event.took));
        line("ok", &text, width, out);
    }
    row.findings.iter().for_each(|f| finding(f, width, out));
    out.push('\n');
}

fn kernel(kernel: Kernel) -> String {
    let pidfd = if kernel.pidfd { "there" } else { "missing" };
    let seccomp = if kernel.means.seccomp { "there" } else { "missing" };
    let namespaces = if kernel.means.namespaces { "there" } else { "not to be had" };
    format!(
        "pidfd {pidfd}, Landlock version {}, filters of calls {seccomp}, namespaces {namespaces}",
        kernel.means.landlock
    )
}

/// What becomes here of a hook that is to be confined.
fn sandbox(kernel: Kernel) -> (&'static str, String) {
    let means = kernel.means;
    let reached = match means.tier() {
        Tier::T0 => {
            let none = "no sandbox is to be had (T0): a hook that asks for one is not started, and programs of a repository run with your full rights";
            return ("note", none.to_owned());
        }
        Tier::T1 => {
            "a sandbox reaches T1: files, sockets, tracing, privileges; a hook that asks for `isolation_min = \"T2\"` is not started"
        }
        Tier::T2 if !means.limits_files() => {
            "a sandbox reaches T2, by namespaces alone: files, sockets, tracing, privileges, and nothing outlives a hook"
        }
        Tier::T2 => {
            "a sandbox reaches T1: files, sockets, tracing, privileges; with `isolation_min = \"T2\"` nothing outlives a hook, either"
        }
    };
    let ports =
        if means.narrows_ports() { "" } else { "; one whose `net` names ports is not started" };
    ("ok", format!("{reached}{ports}"))
}

fn line(lead: &str, text: &str, width: usize, out: &mut String) {
    let style = match lead {
        "ok" => GOOD,
        "error" => ERROR,
        "warning" | "none" => WARNING,
        "mend" => HELP,
        _ => DIM,
    };
    let rows = wrap(text, width.saturating_sub(LEAD + 3));
    for (at, row) in rows.iter().enumerate() {
        let lead = if at == 0 { lead } else { "" };
        out.push_str(&format!("  {} {row}\n", paint(style, format!("{lead:<LEAD$}"))));
    }
}

fn finding(finding: &Finding, width: usize, out: &mut String) {
    line(finding.kind.weight().name(), &finding.what, width, out);
    if let Some((file, at)) = &finding.place {
        let place = at.map_or_else(|| file.clone(), |at| format!("{file}:{at}"));
        // A place and a command are there to be copied: neither is broken.
        out.push_str(&format!("  {:<LEAD$} {}\n", "", paint(DIM, place)));
    }
    match &finding.mend {
        Mend::Run(command) => {
            out.push_str(&format!("  {} {command}\n", paint(HELP, format!("{:<LEAD$}", "run"))));
        }
        Mend::Do(words) => line("mend", words, width, out),
    }
}

fn sum(report: &Report) -> String {
    let (errors, warnings) = (report.count(Weight::Error), report.count(Weight::Warning));
    match (errors, warnings) {
        (0, 0) => paint(GOOD, "nothing keeps a hook from counting"),
        (0, _) => format!("{}, no error", count(warnings, "warning")),
        (_, 0) => paint(ERROR, count(errors, "error")),
        _ => format!("{}, {}", paint(ERROR, count(errors, "error")), count(warnings, "warning")),
    }
}

pub(super) fn value(report: &Report) -> Value {
    let findings: Vec<Value> =
        report.all().map(|(agent, finding)| object(agent, finding)).collect();
    let agents: Vec<Value> = report.agents.iter().map(row).collect();
    json!({
        "agents": agents,
        "kernel": {
            "pidfd": report.kernel.pidfd, "landlock": report.kernel.means.landlock,
            "seccomp": report.kernel.means.seccomp,
            "namespaces": report.kernel.means.namespaces, "processes": report.kernel.means.processes,
            "roots": report.kernel.means.roots,
            "tier": report.kernel.means.tier().name(),
        },
        "programs": report.programs.iter().map(confined::Program::value).collect::<Vec<_>>(),
        "findings": findings,
        "errors": report.count(Weight::Error), "warnings": report.count(Weight::Warning),
    })
}

fn row(row: &Row) -> Value {
    let fired: Vec<Value> = row
        .fired
        .iter()
        .map(|fired| {
            let ms = u64::try_from(fired.took.as_millis()).unwrap_or(u64::MAX);
            json!({ "event": fired.event, "passed": fired.finding.is_none(), "took_ms": ms })
        })
        .collect();
    json!({
        "agent": row.agent.name, "title": row.agent.title,
        "program": row.installed.program.as_ref().map(|program| program.display().to_string()),
        "version": row.installed.version, "measured_version": row.installed.measured,
        "probed_version": row.installed.probed,
        "events": row.events, "all_events": row.agent.installation.events.len(), "fired": fired,
    })
}

fn object(agent: Option<&str>, finding: &Finding) -> Value {
    let (command, help) = match &finding.mend {
        Mend::Run(command) => (Some(command), None),
        Mend::Do(words) => (None, Some(words)),
    };
    json!({
        "kind": finding.kind.name(), "severity": finding.kind.weight().name(), "agent": agent, "message": finding.what,
        "file": finding.place.as_ref().map(|location| &location.0), "line": finding.place.as_ref().and_then(|location| location.1),
        "command": command, "help": help,
    })
}
