//! What was found, as a page for people and as JSON. Decides nothing.

use serde_json::{Value, json};
use tenterhook_process::Tier;

use super::finding::{Finding, Mend, Weight};
use super::machine::Kernel;
use super::prove::Proof;
use super::{Report, Row, confined};
use crate::show::layout::{format_count, format_duration, wrap_text};
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, HELP, WARNING, paint};

/// The leads stand in a column of this width, behind two blanks.
const LEAD: usize = 8;

pub(super) fn report_text(report: &Report, width: usize) -> String {
    let mut out = String::new();
    for row in &report.agents {
        push_agent(row, width, &mut out);
    }
    if report.agents.is_empty() {
        out.push_str("no agent that can call Tenterhook is found here\n\n");
    }
    out.push_str(&format!("{}\n", paint(BOLD, "Files with hooks")));
    if report.sources.is_empty() {
        push_line("ok", "what is read from here loads, and is trusted", width, &mut out);
    }
    report.sources.iter().for_each(|source| push_finding(source, width, &mut out));
    if !report.programs.is_empty() {
        out.push_str(&format!("\n{}\n", paint(BOLD, "What programs of hooks run in")));
    }
    for (lead, text) in
        confined::summary_lines(&report.programs, report.kernel.means.highest_tier())
    {
        push_line(lead, &text, width, &mut out);
    }
    out.push_str(&format!("\n{}\n", paint(BOLD, "This machine")));
    push_line("ok", &kernel_text(report.kernel), width, &mut out);
    let (lead, reached) = sandbox_label_and_text(report.kernel);
    push_line(lead, &reached, width, &mut out);
    report.machine.iter().for_each(|f| push_finding(f, width, &mut out));
    out.push_str(&format!("\n{}\n", summary(report)));
    match report.is_proven {
        Some(true) if report.count_findings(Weight::Error) == 0 => {
            out.push_str(&format!("{}\n", paint(GOOD, "proven: each agent gets denials")));
        }
        Some(true) => {
            let text = "each entry that was called denies; the errors above remain";
            out.push_str(&format!("{}\n", paint(ERROR, text)));
        }
        Some(false) => {
            let text = "not proven: an agent gets no denial, or no agent is here";
            out.push_str(&format!("{}\n", paint(ERROR, text)));
        }
        None => {}
    }
    out
}

fn push_agent(row: &Row, width: usize, out: &mut String) {
    let version = row.installed.version.as_deref().unwrap_or_default();
    out.push_str(format!("{} {version}", paint(BOLD, row.agent.title)).trim_end());
    out.push('\n');
    if let Some(missing) = &row.missing_part {
        push_line("note", missing, width, out);
    }
    if row.events > 0 {
        let all = format_count(row.agent.installation.events.len(), "event");
        push_line("ok", &format!("entries for {} of {all} are written", row.events), width, out);
    }
    for event in row.fired.iter().filter(|f| f.finding.is_none()) {
        let text = format!(
            "a call that does nothing passed `{}` in {}",
            event.event,
            format_duration(event.took)
        );
        push_line("ok", &text, width, out);
    }
    for proof in row.proofs.iter().filter(|proof| proof.finding.is_none()) {
        push_line("ok", &proof.description(), width, out);
    }
    row.findings.iter().for_each(|f| push_finding(f, width, out));
    out.push('\n');
}

fn kernel_text(kernel: Kernel) -> String {
    let pidfd = if kernel.pidfd { "there" } else { "missing" };
    let seccomp = if kernel.means.seccomp { "there" } else { "missing" };
    let namespaces = if kernel.means.namespaces { "there" } else { "not to be had" };
    format!(
        "pidfd {pidfd}, Landlock version {}, filters of calls {seccomp}, namespaces {namespaces}",
        kernel.means.landlock
    )
}

/// Describes what happens on this machine to a hook that is to be confined.
fn sandbox_label_and_text(kernel: Kernel) -> (&'static str, String) {
    let means = kernel.means;
    let reached = match means.highest_tier() {
        Tier::T0 => {
            let none = "no sandbox is to be had (T0): a hook that asks for one is not started, and programs of a repository run with your full rights";
            return ("note", none.to_owned());
        }
        Tier::T1 => {
            "a sandbox reaches T1: files, sockets, tracing, privileges; a hook that asks for `isolation_min = \"T2\"` is not started"
        }
        Tier::T2 if !means.can_limit_files() => {
            "a sandbox reaches T2, by namespaces alone: files, sockets, tracing, privileges, and nothing outlives a hook"
        }
        Tier::T2 => {
            "a sandbox reaches T1: files, sockets, tracing, privileges; with `isolation_min = \"T2\"` nothing outlives a hook, either"
        }
    };
    let ports =
        if means.can_limit_ports() { "" } else { "; one whose `net` names ports is not started" };
    ("ok", format!("{reached}{ports}"))
}

fn push_line(lead: &str, text: &str, width: usize, out: &mut String) {
    let style = match lead {
        "ok" => GOOD,
        "error" => ERROR,
        "warning" | "none" => WARNING,
        "mend" => HELP,
        _ => DIM,
    };
    let rows = wrap_text(text, width.saturating_sub(LEAD + 3));
    for (at, row) in rows.iter().enumerate() {
        let lead = if at == 0 { lead } else { "" };
        out.push_str(&format!("  {} {row}\n", paint(style, format!("{lead:<LEAD$}"))));
    }
}

fn push_finding(finding: &Finding, width: usize, out: &mut String) {
    push_line(finding.kind.weight().name(), &finding.what, width, out);
    if let Some((file, at)) = &finding.place {
        let place = at.map_or_else(|| file.clone(), |at| format!("{file}:{at}"));
        // A place and a command are there to be copied: neither is broken.
        out.push_str(&format!("  {:<LEAD$} {}\n", "", paint(DIM, place)));
    }
    match &finding.mend {
        Mend::Run(command) => {
            out.push_str(&format!("  {} {command}\n", paint(HELP, format!("{:<LEAD$}", "run"))));
        }
        Mend::Do(words) => push_line("mend", words, width, out),
    }
}

fn summary(report: &Report) -> String {
    let (errors, warnings) =
        (report.count_findings(Weight::Error), report.count_findings(Weight::Warning));
    match (errors, warnings) {
        (0, 0) => paint(GOOD, "nothing keeps a hook from counting"),
        (0, _) => format!("{}, no error", format_count(warnings, "warning")),
        (_, 0) => paint(ERROR, format_count(errors, "error")),
        _ => format!(
            "{}, {}",
            paint(ERROR, format_count(errors, "error")),
            format_count(warnings, "warning")
        ),
    }
}

pub(super) fn report_json(report: &Report) -> Value {
    let findings: Vec<Value> =
        report.all_findings().map(|(agent, finding)| finding_json(agent, finding)).collect();
    let agents: Vec<Value> = report.agents.iter().map(agent_json).collect();
    json!({
        "agents": agents,
        "kernel": {
            "pidfd": report.kernel.pidfd, "landlock": report.kernel.means.landlock,
            "seccomp": report.kernel.means.seccomp,
            "namespaces": report.kernel.means.namespaces, "processes": report.kernel.means.processes,
            "roots": report.kernel.means.roots,
            "tier": report.kernel.means.highest_tier().name(),
        },
        "programs": report.programs.iter().map(confined::Program::to_json).collect::<Vec<_>>(),
        "findings": findings, "proven": report.is_proven,
        "errors": report.count_findings(Weight::Error), "warnings": report.count_findings(Weight::Warning),
    })
}

fn agent_json(row: &Row) -> Value {
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
        "proofs": row.proofs.iter().map(Proof::to_json).collect::<Vec<_>>(),
    })
}

fn finding_json(agent: Option<&str>, finding: &Finding) -> Value {
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
