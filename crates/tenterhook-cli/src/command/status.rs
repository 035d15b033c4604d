//! `status`: does each agent on this machine call Tenterhook, for what, what stays open, and which rules apply? Changes nothing.

mod json;
mod older;
mod pinned;
mod rules;
pub(super) use older::events_unknown_to_version_note;
pub(crate) use older::installed_version;
pub(super) mod silenced;
mod view;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenterhook::internal::discover;
use tenterhook_core::agents::{Agent, Form, Scope, agents_with_hook_installation};
use tenterhook_core::dialect::Silencer;
use tenterhook_core::install::{self, Approval, tenterhook_files_with_texts};

use super::install::files::{
    agent_file_paths, agent_user_directory, find_on_path, is_agent_present, read_if_exists,
    scope_name,
};
use super::install::switches::{self, Seen, SwitchSetting};
use super::presence::Presence;
use super::{install::can_call_tenterhook, print_json, probe};
use crate::ambient::Here;
use crate::args::{Format, Status};
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::openings::find_tools_unseen_by_hooks;
use crate::problem::Problem;
use crate::readers;
use crate::repository;
use crate::show::layout::{self, format_count};
use crate::show::paint::{BOLD, DIM, ERROR, GOOD, WARNING, paint};
use crate::silence;
use crate::term::Term;
use rules::{Rules, State};
use view::View;

/// What this program is called.
const NAME: &str = "tenterhook";

/// What one of an agent's files says.
struct Found {
    scope: Scope,
    path: PathBuf,
    file: String,
    text: String,
    /// The events for which the agent calls.
    events: Vec<String>,
    /// Those for which it would, if the person had approved it there, and what the agent says of that.
    waiting: Vec<(String, Approval)>,
    /// The programs that it starts.
    programs: Vec<String>,
    /// Whether our entries differ from what `install` writes: a timeout or the fail-closed wrapper was changed.
    altered: bool,
    /// For managed entries: why a user can change what they start, and what corrects it.
    exposed: Option<(String, String)>,
    /// How many hooks of others the agent runs itself.
    others: usize,
    /// Why the file cannot be read.
    broken: Option<String>,
}

pub(crate) fn run(args: &Status, here: &Here, term: Term) -> Result<Exit, Problem> {
    let present = agents_with_hook_installation().filter(|agent| is_agent_present(agent, here));
    let agents: Vec<Row> = present.map(|agent| Row::from_files(agent, here)).collect();
    let rules = term.run_with_progress("reading hooks", || Rules::read(&args.expect, here));
    let view = View::of_this_process(here);
    let shared = readers::find_shared_hooks(
        |agent| is_agent_present(agent, here),
        |agent| agents.iter().any(|row| row.agent.name == agent.name && row.is_covered),
        here,
    );
    let state = rules.overall_state().max(state_of_agents(&agents, args));
    match args.output.format {
        Format::Json => {
            let agents = agents.iter().map(|row| json::agent_json(row, here)).collect();
            let status = json::status_json(state, agents, (&rules, &view, &shared), here);
            print_json(&status, term)?;
        }
        Format::Text => {
            if agents.is_empty() {
                term.print_data(
                    "no agent is found here: none on `PATH`, and no directory of one in the home\n\n",
                )?;
            }
            for row in &agents {
                term.print_data(&agent_page(row, here))?;
            }
            term.print_data(&readers::shared_hooks_text(&shared))?;
            term.print_data(&rules_page(&rules, &view))?;
            let commands = repository::find_commands(here);
            term.print_data(&repository::commands_beside_tool_calls_text(&commands))?;
        }
    }
    Ok(state.exit())
}

/// Returns the worst state of an agent here.
fn state_of_agents(agents: &[Row], args: &Status) -> State {
    // Without an agent, nothing shows that the expected rules are applied to a call.
    let without_agent = match agents.is_empty() && !args.expect.is_empty() {
        true => State::NoAgent,
        false => State::Good,
    };
    let state = |row: &Row| row.state(!args.expect.is_empty());
    agents.iter().map(state).max().unwrap_or(without_agent)
}

/// Renders the files with rules that apply here.
fn rules_page(rules: &Rules, view: &View) -> String {
    let mut page = Page(format!("{}\n", paint(BOLD, "Rules that apply here")));
    for (lead, text) in rules.rows() {
        page.push_row(lead, &text);
    }
    if let Some(text) = view.description() {
        page.push_row("seen from", &text);
    }
    page.0.push('\n');
    page.0
}

/// The state of one agent: its files and what silences it.
struct Row {
    agent: &'static Agent,
    found: Vec<Found>,
    silencers: Vec<Silencer>,
    /// Whether some file has the agent call, and neither a switch nor a module takes that back.
    is_covered: bool,
    /// Whether users cannot switch off its managed entries, if a setting decides that.
    pinned: Option<bool>,
}

impl Row {
    fn from_files(agent: &'static Agent, here: &Here) -> Self {
        let found = read_agent_files(agent, here);
        let is_managed =
            found.iter().any(|file| file.scope == Scope::Managed && file.calls_tenterhook());
        let is_off = find_off_switch(agent, &found, here).is_some();
        let silencers = silenced::find_silencers(agent, is_managed, is_off, here);
        let is_covered = is_agent_covered(agent, &found, here)
            && !silencers.iter().any(silence::has_error_severity);
        let pinned = pinned::is_pinned(agent, &found, here);
        Self { agent, found, silencers, is_covered, pinned }
    }

    /// Returns whether the agent was never run with Tenterhook and none of its files calls.
    fn is_left_out(&self) -> bool {
        self.agent.evidence.source_if_only_read().is_some()
            && !self.found.iter().any(Found::calls_tenterhook)
    }

    fn state(&self, is_expected: bool) -> State {
        if self.found.iter().any(|file| file.exposed.is_some()) {
            return State::ProgramExposed;
        }
        match self.is_covered {
            // `install --all` leaves it out, so its absence is the user's choice (BR-170).
            false if self.is_left_out() && !is_expected => State::Good,
            false => State::DoesNotCall,
            // Expected rules are to apply whatever a user switches off.
            true if is_expected && self.pinned == Some(false) => State::NotPinned,
            true => State::Good,
        }
    }
}

impl Found {
    fn calls_tenterhook(&self) -> bool {
        !self.programs.is_empty()
    }

    fn as_seen_file(&self) -> Seen<'_> {
        Seen {
            scope: self.scope,
            path: &self.path,
            text: &self.text,
            calls: self.calls_tenterhook(),
        }
    }

    /// Returns the program that the entries start.
    fn called_program(&self) -> &str {
        self.programs.first().map_or(NAME, String::as_str)
    }

    /// Returns why a user can change the program of managed entries, and what corrects it (BR-162).
    fn find_exposed_program(&self, here: &Here) -> Option<(String, String)> {
        let programs = self.programs.iter().filter(|_| self.scope == Scope::Managed);
        let exposed = |program: &String| match Path::new(program).is_absolute() {
            true => discover::writer_of_shared_program(Path::new(program), &here.roots),
            false => Some((
                format!("each user's `PATH` decides which program `{program}` is"),
                "install again with `--scope managed`".to_owned(),
            )),
        };
        programs.filter_map(exposed).next()
    }

    /// Returns whether the agent calls an existing program for every gate that `install` registers.
    fn covers_all_gates(&self, agent: &Agent, here: &Here) -> bool {
        let calls = |name: &str| self.events.iter().any(|event| event == name);
        self.broken.is_none()
            && !self.altered
            && agent
                .installation
                .events
                .iter()
                .filter(|event| event.gates)
                .all(|event| calls(event.name))
            && self.programs.iter().all(|program| is_program_present(program, here))
    }
}

/// Returns whether some file makes the agent call, and none switches its hooks off.
fn is_agent_covered(agent: &'static Agent, found: &[Found], here: &Here) -> bool {
    found.iter().any(|f| f.covers_all_gates(agent, here))
        && find_off_switch(agent, found, here).is_none()
}

/// Why the agent runs no entry of ours, whatever stands in its files.
struct Off {
    file: String,
    key: String,
    /// What the agent does for it.
    what: &'static str,
    /// Whether something is missing there that `install` writes.
    is_missing: bool,
}

/// Returns the setting that switches our entries off, in these files or in others (BR-69).
fn find_off_switch(agent: &'static Agent, found: &[Found], here: &Here) -> Option<Off> {
    let seen: Vec<Seen<'_>> = found.iter().map(Found::as_seen_file).collect();
    let of = |said: SwitchSetting, what| Off {
        file: shorten_path(&said.path.to_string_lossy(), &here.roots),
        key: said.switched.key,
        what: if said.switched.is_missing { "it does not name Tenterhook's plugin" } else { what },
        is_missing: said.switched.is_missing,
    };
    let all = switches::find_off_switch(agent, &seen, here)
        .map(|statement| of(statement, "the agent runs no hooks"));
    all.or_else(|| {
        let only = switches::find_only_managed_switch(agent, &seen, here)?;
        Some(of(only, "the agent runs the organisation's hooks alone"))
    })
}

/// Returns whether the agent of that name calls this program, according to its files here.
pub(super) fn is_tenterhook_called_by_agent(name: &str, here: &Here) -> bool {
    tenterhook_core::agents::agent_with_hook_installation(name)
        .is_some_and(|agent| Row::from_files(agent, here).is_covered)
}

/// Returns the warning of `install` about a file that switches all hooks of an agent off.
pub(super) fn off_switch_warning(agent: &'static Agent, here: &Here) -> Option<String> {
    let off = find_off_switch(agent, &read_agent_files(agent, here), here)?;
    let Off { file, key, .. } = off;
    Some(format!(
        "`{key}` in {file} switches all hooks of {} off, these too: take it out of the file",
        agent.title
    ))
}

/// Returns whether the program exists. A bare name is looked up in the `PATH` of this process; the
/// `PATH` of the agent is unknown.
fn is_program_present(program: &str, here: &Here) -> bool {
    match program.contains('/') {
        true => Path::new(program).is_file(),
        false => find_on_path(program, here).next().is_some(),
    }
}

/// Describes why a program does not start, after its name. One behind a directory that the user may
/// not pass is there for others.
pub(super) fn why_program_is_missing(program: &str) -> &'static str {
    let path = Path::new(program);
    match path.metadata() {
        _ if !program.contains('/') => "is not on `PATH`",
        Ok(_) => "cannot be started",
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            "cannot be reached by this user"
        }
        Err(_) => "is gone",
    }
}

fn read_agent_files(agent: &Agent, here: &Here) -> Vec<Found> {
    let mut all = Vec::new();
    for (scope, path) in agent_file_paths(agent, here) {
        let mut found = Found {
            scope,
            file: shorten_path(&path.to_string_lossy(), &here.roots),
            path: path.clone(),
            text: String::new(),
            events: Vec::new(),
            waiting: Vec::new(),
            programs: Vec::new(),
            altered: false,
            exposed: None,
            others: 0,
            broken: None,
        };
        let is_there = match agent.installation.form {
            Form::Shared(_) => read_settings_file(
                (agent, scope),
                &path,
                &agent_user_directory(agent, here),
                &mut found,
            ),
            _ => read_own_files(agent, &path, &mut found),
        };
        if is_there {
            found.exposed = found.find_exposed_program(here);
            all.push(found);
        }
    }
    all
}

/// Reads a settings file into `found`. Returns whether the file exists.
fn read_settings_file(
    (agent, scope): (&Agent, Scope),
    path: &Path,
    home: &Path,
    found: &mut Found,
) -> bool {
    let text = match read_if_exists(path) {
        Ok(Some(text)) => text,
        Ok(None) => return false,
        Err(error) => {
            found.broken = Some(error.to_string());
            return true;
        }
    };
    match install::installed_events_and_commands(agent, &text) {
        Err(wrong) => {
            found.broken = Some(format!("{}:{}: {}", wrong.line, wrong.column, wrong.message))
        }
        Ok(ours) => {
            for (event, command) in ours {
                found.programs.extend(install::program_in_command_line(&command));
                found.events.push(event);
            }
            found.altered = install::add_own_entries(agent, found.called_program(), Some(&text))
                .is_ok_and(|other| other != text)
                && !found.events.is_empty();
            found.others = install::foreign_entries(agent, &text).map_or(0, |f| f.len());
            if let Some(name) = agent.installation.approvals_file(scope) {
                remove_unapproved_events(agent, (path, &text), &home.join(name), found);
            }
        }
    }
    found.text = text;
    found.programs.dedup();
    true
}

/// Removes the events whose entries the agent skips, because the user did not approve them in the
/// agent.
fn remove_unapproved_events(
    agent: &Agent,
    (path, text): (&Path, &str),
    kept_in: &Path,
    found: &mut Found,
) {
    // What cannot be read approves nothing.
    let output = read_if_exists(kept_in).ok().flatten().unwrap_or_default();
    let approvals = install::own_approvals(agent, &path.to_string_lossy(), text, &output);
    let (approved, waiting): (Vec<_>, Vec<_>) =
        approvals.into_iter().partition(|(_, approval)| *approval == Approval::Approved);
    let is_in =
        |all: &[(String, Approval)], event: &String| all.iter().any(|(name, _)| name == event);
    found.events.retain(|event| is_in(&approved, event) && !is_in(&waiting, event));
    found.waiting = waiting;
}

/// Reads the files that are ours alone into `found`. Returns whether one exists.
fn read_own_files(agent: &Agent, path: &Path, found: &mut Found) -> bool {
    let mut is_there = false;
    let wanted = tenterhook_files_with_texts(agent, "tenterhook");
    let is_one_module = agent.installation.form != Form::Scripts;
    let mut missing = false;
    for (name, _) in wanted {
        let path = if name.is_empty() { path.to_owned() } else { path.join(&name) };
        let Ok(Some(text)) = read_if_exists(&path) else {
            missing = true;
            continue;
        };
        is_there = true;
        for event in
            agent.installation.events.iter().filter(|event| is_one_module || event.name == name)
        {
            let call = format!(" hook --agent {} --event {} ", agent.name, event.name);
            let plugin = format!("\"{}\"", event.name);
            let calls = text.contains(&call)
                || (matches!(agent.installation.form, Form::Plugin(_)) && text.contains(&plugin));
            if calls {
                found.events.push(event.name.to_owned());
            }
        }
        found.programs.extend(program_in_own_file(agent, &text));
        let program = found.called_program();
        let as_written =
            tenterhook_files_with_texts(agent, program).into_iter().find(|(key, _)| *key == name);
        found.altered |= as_written.is_none_or(|(_, value)| value != text);
    }
    // A script that is missing is an event that is missing.
    found.altered |= missing && is_one_module;
    found.programs.sort();
    found.programs.dedup();
    is_there
}

/// Returns the program that a file of ours starts.
fn program_in_own_file(agent: &Agent, text: &str) -> Option<String> {
    if matches!(agent.installation.form, Form::Plugin(_)) {
        let line = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = "))?;
        return serde_json::from_str(line).ok();
    }
    let line = text.lines().find(|line| line.contains(" hook --agent "))?;
    let command = match serde_json::from_str::<Value>(&format!(
        "{{{}}}",
        line.trim().trim_end_matches(',')
    )) {
        Ok(json) => json.get("command").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Err(_) => line.to_owned(),
    };
    install::program_in_command_line(&command)
}

fn agent_page(row: &Row, here: &Here) -> String {
    let (agent, found) = (row.agent, &*row.found);
    let waits = found.iter().any(|f| !f.waiting.is_empty());
    let is_silenced = is_agent_covered(agent, found, here) && !row.is_covered;
    let (style, word) = match (row.is_covered, can_call_tenterhook(agent)) {
        (true, _) => (GOOD, "calls Tenterhook"),
        _ if is_silenced => (ERROR, "calls Tenterhook, and can be silenced"),
        (false, true) if waits => {
            (WARNING, "waits for your approval, and calls nothing until then")
        }
        (false, false) => (WARNING, "cannot be answered by this version"),
        (false, true) if row.is_left_out() => (WARNING, "does not call Tenterhook"),
        (false, true) => (ERROR, "does not call Tenterhook"),
    };
    let mut page = Page(format!("{}  {}\n", paint(BOLD, agent.title), paint(style, word)));
    page.push_evidence(agent, here);
    found.iter().for_each(|f| page.push_file(agent, f, here));
    for note in Presence::find(agent, here).notes(agent, here) {
        page.push_row("note", &note);
    }
    let off = find_off_switch(agent, found, here);
    if let Some(Off { file, key, what, .. }) = &off {
        page.push_row("switched off", &format!("`{key}` in {file}: {what}"));
    }
    silenced::silencer_rows(&row.silencers, here)
        .iter()
        .for_each(|(lead, text)| page.push_row(lead, text));
    if found.iter().filter(|f| f.covers_all_gates(agent, here)).count() > 1 {
        page.push_row(
            "called twice",
            "in more than one file: each call is judged as often; `tenterhook uninstall` one of them",
        );
    }
    if row.pinned == Some(false) {
        page.push_row("not pinned", &pinned::missing_pin_message(agent));
    }
    if waits {
        page.push_row("to change it", agent.installation.next);
    }
    if row.is_covered || is_silenced || waits {
        page.push_coverage(agent, &row.found, here);
    } else if let Some(Off { file, key, .. }) = off.filter(|off| !off.is_missing) {
        page.push_row("to change it", &format!("take `{key}` out of {file}"));
    } else if let Some(file) = row.found.iter().find(|file| file.broken.is_some()) {
        let how = format!("fix {} by hand, then `tenterhook install {}`", file.file, agent.name);
        page.push_row("to change it", &how);
    } else if can_call_tenterhook(agent) {
        let is_managed = |file: &Found| file.scope == Scope::Managed && file.calls_tenterhook();
        let scope = if row.found.iter().any(is_managed) { " --scope managed" } else { "" };
        let flag = agent.evidence.source_if_only_read().map_or("", |_| " --experimental");
        page.push_row("to change it", &format!("tenterhook install {}{scope}{flag}", agent.name));
    }
    page.0.push('\n');
    page.0
}

/// The page about one agent.
struct Page(String);

impl Page {
    fn push_row(&mut self, lead: &str, text: &str) {
        // A name in a file that came with a repository is no words to the terminal.
        let text = layout::to_safe_line(text);
        self.0.push_str(&format!("  {} {text}\n", paint(DIM, format!("{lead:<13}"))));
    }

    /// Appends where the facts about an agent are from that was only read, and what `probe` saw.
    fn push_evidence(&mut self, agent: &Agent, here: &Here) {
        let Some(source) = agent.evidence.source_if_only_read() else { return };
        let read = format!("read, not played: its hooks are known only from {source}");
        self.push_row("evidence", &read);
        if let Some(note) = probe::stored_result_note(agent, here) {
            self.push_row("", &note);
        }
    }

    /// Appends the rows about one of the agent's files.
    fn push_file(&mut self, agent: &Agent, file: &Found, here: &Here) {
        if let Some(broken) = &file.broken {
            return self.push_row(scope_name(file.scope), &format!("{}: {broken}", file.file));
        }
        let events = format!(
            "{} of {}",
            file.events.len(),
            format_count(agent.installation.events.len(), "event")
        );
        self.push_row(scope_name(file.scope), &format!("{}, {events}", file.file));
        for state in [Approval::Unknown, Approval::Changed, Approval::Off] {
            let many = file.waiting.iter().filter(|(_, approval)| *approval == state).count();
            if many > 0 {
                self.push_row("", &format!("{} {}", format_count(many, "event"), state.label()));
            }
        }
        for program in file.programs.iter().filter(|program| !is_program_present(program, here)) {
            self.push_row("", &format!("`{program}` {}", why_program_is_missing(program)));
        }
        if let Some((why, help)) = &file.exposed {
            self.push_row(
                "exposed",
                &format!("{why}: users can change the program of these entries"),
            );
            self.push_row("to change it", help);
        }
        if file.altered {
            self.push_row(
                "",
                "its entries differ from what `install` writes (timeout, matcher or fail-closed wrapper)",
            );
        }
        if file.others > 0 {
            self.push_row(
                "",
                &format!("{} that {} runs itself", format_count(file.others, "hook"), agent.title),
            );
        }
    }

    /// Appends what would happen without Tenterhook, and what is not covered by it.
    fn push_coverage(&mut self, agent: &'static Agent, found: &[Found], here: &Here) {
        self.push_row("if it is gone", agent.installation.gone);
        for opening in find_tools_unseen_by_hooks(agent, here) {
            if opening.is_held {
                self.push_row("held", &opening.gap_and_covering_pack());
            } else {
                self.push_row("not covered", opening.of.gap);
                self.push_row("to hold it", &opening.hint_to_cover_gap());
            }
        }
        for older::Lacking { gap, offer } in older::events_agent_version_lacks(agent, found, here) {
            self.push_row("not covered", &gap);
            self.push_row("to hold it", &offer);
        }
        for gap in pinned::open_gaps(agent, found, here) {
            self.push_row("not covered", gap);
        }
    }
}
