//! What does an agent do that only runs with its user's account? Without the flag it prints what would be done; with it, it starts
//! the agent in a scratch project. The files of hooks and commands decide what was seen.

use std::path::Path;

use serde_json::{Value, json};
use tenterhook::internal::discover;
use tenterhook::internal::record::redacted;
use tenterhook_core::agents::Agent;
use tenterhook_core::hook::Layer;
use tenterhook_core::source::Source;
use tenterhook_probe::{AccountAgent, AccountProbe, Effect, PlayError, Start, Trial};

use super::{
    Interruption, find_agent_program, path_variable, program_version, store_result,
    stored_result_path,
};
use crate::ambient::Here;
use crate::args::{Format, Probe};
use crate::command::print_json;
use crate::exit::Exit;
use crate::load::shorten_path;
use crate::problem::Problem;
use crate::show::layout::{format_count, format_duration, wrap_text};
use crate::term::Term;

/// Where results are sent.
const ISSUES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

pub(super) fn run(
    agent: &'static AccountAgent,
    args: &Probe,
    here: &Here,
    term: Term,
) -> Result<Exit, Problem> {
    let program = find_agent_program(agent.program(), args, here);
    let plan = Plan { agent, program: program.as_deref(), args, here };
    if !args.use_my_account {
        match args.output.format {
            Format::Json => print_json(&plan.to_json(), term)?,
            Format::Text => term.print_data(&plan.to_text(term.width()))?,
        }
        return Ok(Exit::Good);
    }
    if program.is_none() && matches!(agent.start, Start::Headless(_)) {
        let name = agent.program();
        let what = format!("{} is not on the PATH: no program `{name}`", agent.agent.title);
        return Err(Problem::new(what).with_help("install it and log in, or give `--program PATH`"));
    }
    // The agent ends with this program, also where that is killed.
    let _ = tenterhook_process::kill_descendants_on_exit();
    let _ = tenterhook_process::adopt_orphans();
    let interruption = Interruption::listen()?;
    let scratch = std::env::temp_dir();
    let version = program.as_deref().map_or_else(String::new, |program| {
        program_version(program, &path_variable(here), &scratch)
    });
    let probe = AccountProbe::new(agent, &scratch).map_err(|why| problem(agent, &why))?;
    let trials = match program.as_deref().filter(|_| matches!(agent.start, Start::Headless(_))) {
        Some(program) => run_headless(agent, &probe, program, args, here, &interruption, term),
        None => run_by_hand(agent, &probe, &interruption, term),
    };
    if let Some(exit) = interruption.exit() {
        return Ok(exit);
    }
    let trials = trials?;
    let value = clean(plan.result_json(&version, &trials), &probe.project_dir(), here);
    store_result(agent.name(), &value, here)?;
    match args.output.format {
        Format::Json => print_json(&value, term)?,
        Format::Text => {
            term.print_data(&result_text(agent, &version, &trials, here, term.width()))?
        }
    }
    Ok(if trials.iter().any(Trial::has_failed_to_block) { Exit::Wrong } else { Exit::Good })
}

fn problem(agent: &AccountAgent, why: &PlayError) -> Problem {
    let problem = Problem::new(format!("{} cannot be probed: {why}", agent.agent.title));
    match why {
        PlayError::NoControl { .. } => problem.with_help(format!(
            "nothing was stored; try one prompt in {} yourself: is it logged in?",
            agent.agent.title
        )),
        _ => problem,
    }
}

fn run_headless(
    agent: &AccountAgent,
    probe: &AccountProbe,
    program: &Path,
    args: &Probe,
    here: &Here,
    interruption: &Interruption,
    term: Term,
) -> Result<Vec<Trial>, Problem> {
    let env = here.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let count = agent.described_ways().len();
    let starting = |number: usize, name: &str| {
        term.print_note(&format!("run {number} of {count}: {name}"));
    };
    let trials =
        probe.run_all_ways(program, &env, args.run_timeout, &interruption.cancel, &starting);
    trials.map_err(|why| problem(agent, &why))
}

fn run_by_hand(
    agent: &AccountAgent,
    probe: &AccountProbe,
    interruption: &Interruption,
    term: Term,
) -> Result<Vec<Trial>, Problem> {
    let title = agent.agent.title;
    term.print_note(&format!(
        "1. Open this folder in {title}, and trust it if asked:\n\n   {}\n\n2. Give its agent this prompt, and let each command run that it asks about:\n\n{}\n",
        probe.project_dir().display(),
        probe.prompt_for_all_ways()
    ));
    term.print_prompt("3. Press Enter here when the agent is done. ");
    let Some(read) = interruption.wait_for_line() else { return Ok(Vec::new()) };
    let read =
        read.map_err(|error| Problem::new(format!("standard input cannot be read: {error}")))?;
    if read == 0 {
        let problem = Problem::new("standard input ended before you pressed Enter");
        return Err(problem.with_help("run it in a terminal; nothing was stored"));
    }
    probe.read_all_ways().map_err(|why| problem(agent, &why))
}

/// What would be done with the flag.
struct Plan<'a> {
    agent: &'a AccountAgent,
    program: Option<&'a Path>,
    args: &'a Probe,
    here: &'a Here,
}

impl Plan<'_> {
    fn to_text(&self, width: usize) -> String {
        let Self { agent, here, .. } = self;
        let (title, name) = (agent.agent.title, agent.name());
        let shown = |path: &Path| shorten_path(&path.to_string_lossy(), &here.roots);
        let mut rows = self.start_rows();
        let own = match self.own_hook_files() {
            files if files.is_empty() => "no hooks of yours were found".to_owned(),
            files => format!("your hooks run, too: {}", files.join(", ")),
        };
        let folder = std::env::temp_dir();
        let result = stored_result_path(name, here);
        rows.extend([
            (
                "writes",
                format!(
                    "a new folder in `{}` with `{}`, removed at the end",
                    shown(&folder),
                    agent.project_hook_file()
                ),
            ),
            ("home", format!("yours, with your login and settings; {own}")),
            ("result", format!("`{}`; nothing is sent", shown(&result))),
            ("source", agent.source.to_owned()),
        ]);
        let mut text = format!(
            "{title} works only with your account. Nothing was started.\n\n`tenterhook probe {name} --use-my-account` does this:\n\n"
        );
        for (lead, row) in &rows {
            for (at, line) in wrap_text(row, width.saturating_sub(11)).iter().enumerate() {
                let lead = if at == 0 { lead } else { "" };
                text.push_str(&format!("  {lead:8} {line}\n"));
            }
        }
        text.push_str("\nBefore each command, our hook does one of these:\n\n");
        for (way, what) in agent.described_ways() {
            text.push_str(&format!("  {way:12} {what}\n"));
        }
        text
    }

    /// Returns the rows about the start of the agent, which differ by the kind of start.
    fn start_rows(&self) -> Vec<(&'static str, String)> {
        let agent = self.agent;
        let (title, ways) = (agent.agent.title, agent.described_ways().len());
        let mut rows = vec![(
            "prompt",
            "asks the model to run harmless commands, such as `touch marks/ran.deny`".to_owned(),
        )];
        if matches!(agent.start, Start::ByHand(_)) {
            let steps = format!(
                "you start {title}, open a folder, give its agent one prompt, and press Enter here"
            );
            rows.push(("cost", "one conversation with its model, on your account".to_owned()));
            return [("runs", steps)].into_iter().chain(rows).collect();
        }
        let program = self.program.map_or_else(
            || format!("`{}` is not on the PATH: install it, or give `--program`", agent.program()),
            |path| shorten_path(&path.to_string_lossy(), &self.here.roots),
        );
        let within = format_duration(self.args.run_timeout);
        let runs = format!("`{}`, {ways} times, each for {within} at most", self.start_line());
        rows.extend([
            (
                "cost",
                format!("{ways} conversations with its model, of two or three requests each, on your account"),
            ),
            (
                "risk",
                format!("{title} asks you nothing in these runs: its model may call other tools, too"),
            ),
        ]);
        [("program", program), ("runs", runs)].into_iter().chain(rows).collect()
    }

    fn to_json(&self) -> Value {
        let ways = self.agent.described_ways();
        json!({
            "agent": self.agent.name(), "started": false,
            "needs": "--use-my-account", "start": self.start_line(),
            "program": self.program.map(|path| path.display().to_string()),
            "ways": ways.iter().map(|way| way.0).collect::<Vec<_>>(),
            "hook_file": self.agent.project_hook_file(), "own_hook_files": self.own_hook_files(),
        })
    }

    fn result_json(&self, version: &str, trials: &[Trial]) -> Value {
        let agent = self.agent;
        let rows: Vec<Value> = trials
            .iter()
            .map(|trial| {
                json!({
                    "axis": "account", "hook": trial.hook, "hook_asked": trial.asked,
                    "reached": trial.outcome.is_some(),
                    "ran": trial.outcome.map(|effect| effect == Effect::Ran),
                    "rewritten": null, "shown": null, "went_on": null,
                    "documents_say": trial.documents.map(|effect| effect.to_string()),
                    "differs": trial.differs_from_documents(), "input": trial.payload,
                })
            })
            .collect();
        json!({
            "agent": agent.name(), "version": version, "program": agent.program(),
            "known_version": null, "known_only_from": agent.agent.evidence.source_if_only_read(),
            "date": today(), "system": std::env::consts::OS, "own_hook_files": self.own_hook_files(),
            "denials_block": !trials.iter().any(Trial::has_failed_to_block), "rows": rows,
        })
    }

    fn start_line(&self) -> String {
        match self.agent.start {
            Start::Headless(args) => format!("{} {} PROMPT", self.agent.program(), args.join(" ")),
            Start::ByHand(_) => "by hand".to_owned(),
        }
    }

    /// Returns the user's and the machine's files that configure hooks for the agent, with their
    /// number.
    fn own_hook_files(&self) -> Vec<String> {
        let roots = &self.here.roots;
        let dialect = self.agent.file_dialect();
        let candidates = dialect.candidate_files(roots).into_iter();
        let others = candidates.filter(|file| matches!(file.layer, Layer::User | Layer::Managed));
        let count = |path: &Path| {
            let text = discover::read_config_file(path).ok()?;
            let name = path.to_string_lossy();
            let source =
                Source::from_text(&name, dialect.id(), &text, path.parent().unwrap_or(path));
            Some(dialect.read_config(&source).hooks.len()).filter(|count| *count > 0)
        };
        let shown = others.filter_map(|file| {
            let count = format_count(count(&file.path)?, "hook");
            Some(format!("{} ({count})", shorten_path(&file.path.to_string_lossy(), roots)))
        });
        shown.collect()
    }
}

/// Returns today's date, such as `2026-11-28`.
fn today() -> String {
    jiff::Timestamp::now().to_string().chars().take(10).collect()
}

/// Returns a result without what looks like a secret, an address, or a path of the user.
fn clean(value: Value, project: &Path, here: &Here) -> Value {
    let paths = [(project, "PROJECT"), (here.roots.home.as_path(), "~")];
    clean_value(redacted(value), &paths)
}

fn clean_value(value: Value, paths: &[(&Path, &str)]) -> Value {
    match value {
        Value::String(mut text) => {
            for (path, short) in paths.iter().filter(|row| row.0.parent().is_some()) {
                text = text.replace(&*path.to_string_lossy(), short);
            }
            text.into()
        }
        Value::Array(items) => items.into_iter().map(|item| clean_value(item, paths)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| {
                let is_address = key.contains("email");
                let value =
                    if is_address { "[redacted]".into() } else { clean_value(value, paths) };
                (key, value)
            });
            Value::Object(fields.collect())
        }
        other => other,
    }
}

fn result_text(
    agent: &AccountAgent,
    version: &str,
    trials: &[Trial],
    here: &Here,
    width: usize,
) -> String {
    let version = if version.is_empty() { "(version unknown)" } else { version };
    let mut text = format!("{} {version}, with your account\n", agent.agent.title);
    for trial in trials {
        text.push_str(&trial_line(trial));
    }
    let ways = agent.described_ways().len();
    if trials.len() < ways {
        text.push_str(&format!(
            "\nNo hook started, so {} were not tried.\n",
            format_count(ways - trials.len(), "other way")
        ));
    }
    let differ = trials.iter().filter(|trial| trial.differs_from_documents()).count();
    let missing = trials.iter().filter(|trial| trial.outcome.is_none()).count();
    let path = stored_result_path(agent.name(), here);
    text.push_str(&format!(
        "\n{} of {} as the documents say; different: {differ}; not reached: {missing}\n",
        trials.len() - differ - missing,
        trials.len(),
    ));
    let send = format!(
        "Please send `{}` to {ISSUES}. Read it first: it has the inputs of our hooks.",
        shorten_path(&path.to_string_lossy(), &here.roots)
    );
    wrap_text(&send, width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text
}

fn trial_line(trial: &Trial) -> String {
    let outcome =
        trial.outcome.map_or_else(|| "did not get to it".to_owned(), |outcome| outcome.to_string());
    let unasked = if trial.ran_without_hook() { ", no hook asked" } else { "" };
    let open = if trial.has_failed_to_block() { "  <- a denial does not block" } else { "" };
    let differs = match trial.documents {
        Some(documents) if trial.outcome.is_some_and(|outcome| outcome != documents) => {
            format!("  <- documents say: {documents}")
        }
        _ if trial.ran_without_hook() => "  <- documents say: a hook is asked".to_owned(),
        _ => String::new(),
    };
    format!("  {:12} {outcome}{unasked}{differs}{open}\n", trial.hook)
}

/// Returns what a stored result says of an agent that was only read, for `status`.
pub(in crate::command) fn stored_result_note(agent: &Agent, here: &Here) -> Option<String> {
    let text = discover::read_config_file(&stored_result_path(agent.name, here)).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    let (version, date) = (value.get("version")?.as_str()?, value.get("date")?.as_str()?);
    let differ = value.get("rows")?.as_array()?.iter().filter(|row| row["differs"] == true).count();
    let result = match differ {
        0 => "nothing differs from them".to_owned(),
        _ => format!("{} not as they say", format_count(differ, "answer")),
    };
    Some(format!("probed here on {date} with version {version}: {result}"))
}
