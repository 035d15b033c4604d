//! `doctor`: what keeps a hook from counting here, and what mends it? Reads the agents' files and calls once through each entry;
//! changes nothing (BR-70 to BR-74).

mod bundle;
mod confined;
mod entries;
mod finding;
mod firing;
mod machine;
mod page;
mod program;
mod prove;
mod sources;
mod started;
mod switches;

use tenterhook_core::agents::{Agent, agents_with_hook_installation};

use super::install::{agents_without_repeats, can_call_tenterhook, files::is_agent_present};
use super::presence::Presence;
use super::print_json;
use crate::ambient::Here;
use crate::args::{Doctor, Format};
use crate::exit::Exit;
use crate::load::{self, Whose};
use crate::problem::Problem;
use crate::term::Term;
use crate::validated;
use entries::File;
use finding::{Finding, Weight};
use firing::Fired;
use machine::Kernel;
use program::Installed;
use prove::Proof;

/// What was found.
struct Report {
    agents: Vec<Row>,
    /// About the files with hooks that are read from here.
    sources: Vec<Finding>,
    /// In what the hooks of these files run that start a program.
    programs: Vec<confined::Program>,
    /// About the machine.
    machine: Vec<Finding>,
    kernel: Kernel,
    /// With `--prove`, whether each agent got the canary's denial, and there is an agent.
    is_proven: Option<bool>,
}

/// What was found of an agent.
struct Row {
    agent: &'static Agent,
    installed: Installed,
    /// A note if only a part of it is here.
    missing_part: Option<String>,
    /// For how many events it calls.
    events: usize,
    fired: Vec<Fired>,
    /// The canary calls of `--prove`.
    proofs: Vec<Proof>,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &Doctor, here: &Here, term: Term) -> Result<Exit, Problem> {
    let agents: Vec<&'static Agent> = match args.agents.is_empty() {
        true => agents_with_hook_installation()
            .filter(|caller| is_agent_present(caller, here) && can_call_tenterhook(caller))
            .filter(|agent| !entries::is_left_out(agent, here))
            .collect(),
        false => agents_without_repeats(&args.agents),
    };
    let report = term.run_with_progress("looking at the agents", || {
        examine_agents_and_machine(&agents, args, here)
    });
    match args.output.format {
        Format::Text if args.report => {
            term.print_data(&bundle::render_report_as_markdown(&report, here))?
        }
        Format::Json => print_json(&page::report_json(&report), term)?,
        Format::Text => term.print_data(&page::report_text(&report, term.width()))?,
    }
    let is_wrong = report.is_proven == Some(false) || report.count_findings(Weight::Error) > 0;
    Ok(if is_wrong { Exit::Wrong } else { Exit::Good })
}

fn examine_agents_and_machine(agents: &[&'static Agent], args: &Doctor, here: &Here) -> Report {
    let kernel = machine::detect_kernel();
    let mut machine = machine::state_dir_findings(here);
    machine.extend(kernel.findings());
    let agents: Vec<Row> = agents.iter().map(|agent| examine_agent(agent, args, here)).collect();
    let calling: Vec<&'static Agent> =
        agents.iter().filter(|agent| agent.events > 0).map(|agent| agent.agent).collect();
    let mut loaded = load::read_sources(&[], Whose::Unsaid, here);
    let engine = loaded.build_engine(|builder| builder);
    let mut source_findings = sources::source_findings(&calling, &loaded, &engine, here);
    source_findings.extend(sources::shared_file_findings(&calling, here));
    let programs = confined::confined_programs(&loaded, &engine, kernel.means, here);
    let is_row_proven = |row: &Row| {
        !row.proofs.is_empty() && row.proofs.iter().all(|proof| proof.finding.is_none())
    };
    let is_proven = args.prove.then(|| !agents.is_empty() && agents.iter().all(is_row_proven));
    Report { agents, sources: source_findings, programs, machine, kernel, is_proven }
}

fn examine_agent(agent: &'static Agent, args: &Doctor, here: &Here) -> Row {
    let files = entries::existing_agent_files(agent, here);
    let installed = program::find_agent_versions(agent, here);
    if let Some(program) = &installed.program {
        validated::validate_modules(agent, program, here);
    }
    let mut findings = entries::entry_findings(agent, &files, here);
    let (startable, strange): (Vec<&File>, Vec<&File>) =
        files.iter().partition(|file| started::may_run_entries(agent, file, here));
    findings.extend(
        strange.iter().filter_map(|file| started::untried_entries_finding(agent, file, here)),
    );
    let programs = program::program_findings(agent, &startable, here);
    // A missing program needs no call to be found.
    let is_there = !programs.iter().any(|program| program.kind == finding::Kind::ProgramMissing);
    findings.extend(programs);
    let calls = || startable.iter().filter(|_| !args.no_fire && is_there);
    let fired: Vec<Fired> = calls()
        .filter_map(|call| firing::call_through_first_gate_entry(agent, call, here))
        .collect();
    let proofs: Vec<Proof> = calls()
        .filter(|_| args.prove)
        .flat_map(|call| prove::prove_entries(agent, call, here))
        .collect();
    findings.extend(proofs.iter().filter_map(|proof| proof.finding.clone()));
    findings.extend(fired.iter().filter_map(|f| f.finding.clone()));
    findings.extend(program::version_findings(agent, &installed, here));
    findings.extend(program::several_versions_finding(agent, here));
    let calls = |name: &str| {
        files.iter().flat_map(|file| &file.entries).any(|entry| entry.event.name == name)
    };
    let events = agent.installation.events.iter().filter(|event| calls(event.name)).count();
    let missing_part = Presence::find(agent, here).missing_part_note(agent, here);
    Row { agent, installed, missing_part, events, fired, proofs, findings }
}

impl Report {
    fn all_findings(&self) -> impl Iterator<Item = (Option<&'static str>, &Finding)> {
        let of_agents = self
            .agents
            .iter()
            .flat_map(|row| row.findings.iter().map(|finding| (Some(row.agent.name), finding)));
        let others = self.sources.iter().chain(&self.machine).map(|source| (None, source));
        of_agents.chain(others)
    }

    fn count_findings(&self, weight: Weight) -> usize {
        self.all_findings().filter(|(_, finding)| finding.kind.weight() == weight).count()
    }
}
