//! What does an entry say, in words? All that changes what runs, when, or what its answer means:
//! what is not shown would be approved unseen. Pure.
//!
//! Each value is taken apart by name, as in `entry`, so that a field that is added later does not
//! compile until somebody has said how it is shown.

use crate::answer::Power;
use crate::config;
use crate::hook::{
    Arming, Command, Hook, Http, McpTool, Phase, Prompt, Run, Sandbox, Wait, Worker,
};
use crate::matcher::MatcherSpec;
use crate::rule::{Doubt, Part};
use crate::source::{Reach, Server, Source};

/// A word that leads in, and what it leads to: of any length, and not made safe.
pub type Row = (&'static str, String);

/// The default sandbox of a program.
#[derive(Clone, Copy, Debug)]
pub enum Unsaid {
    /// It runs in `standard`, under a host that confines what a repository brings.
    Confined,
    /// It has the rights of its user.
    Free,
}

impl Unsaid {
    /// Returns whether a program of `hook` is in a sandbox by default, by where it comes from.
    pub fn sandbox_default_for_hook(source: &Source, hook: &Hook) -> Self {
        if config::is_repository_program(source, hook) { Self::Confined } else { Self::Free }
    }
}

fn review_rows_of_matcher(spec: &MatcherSpec) -> Vec<Row> {
    match spec {
        MatcherSpec::Any => Vec::new(),
        MatcherSpec::Words(words) => vec![("for", words.join(", "))],
        MatcherSpec::Regex(text) => vec![("for", text.clone())],
        MatcherSpec::Never(why) => vec![("for", format!("nothing: {why}"))],
    }
}

/// Returns what an entry sets beside its name and its event, as rows for a review. `unsaid` is the
/// default sandbox of a program.
pub fn review_rows_of_hook(hook: &Hook, unsaid: Unsaid) -> Vec<Row> {
    let Hook {
        id: _,
        dialect: _,
        place: _,
        layer: _,
        event: _,
        matcher,
        condition,
        run,
        phase: _,
        wait,
        timeout,
        on_failure,
        answer_required,
        once,
        gates_only: _,
        enforcement,
        compat: _,
        sandbox,
        status,
        own_keys: _,
        pausable: _,
        caller: _,
        arming: _,
        granted: _,
        // The name of the hook says it, too.
        own_event: _,
    } = hook;
    let mut rows: Vec<Row> = review_rows_of_matcher(matcher.spec());
    rows.extend(condition.as_ref().map(|condition| ("if", condition.text().to_owned())));
    rows.extend(review_rows_of_run(run));
    rows.extend(match (sandbox, unsaid) {
        (Sandbox::Unsaid, Unsaid::Confined) => {
            Some(("sandbox", "standard under `tenterhook`, the default".to_owned()))
        }
        (Sandbox::Unsaid, Unsaid::Free) => None,
        (Sandbox::Off, _) => Some(("sandbox", sandbox.summary())),
        (Sandbox::In(grants), _) => {
            let least = grants.required_tier().as_str();
            Some(("sandbox", format!("{}; isolation_min {least}", sandbox.summary())))
        }
    });
    let settings = [
        (*wait != Wait::Attached).then(|| "in the background".to_owned()),
        timeout.map(|timeout| format!("for at most {timeout:?}")),
        on_failure.map(|failure| format!("`on_failure` is `{}`", failure.as_str())),
        answer_required.then(|| "it must answer".to_owned()),
        once.then(|| "once a session".to_owned()),
        enforcement.is_shadow().then(|| "in shadow".to_owned()),
        status.as_ref().map(|status| format!("shown as: {status}")),
    ];
    let settings: Vec<String> = settings.into_iter().flatten().collect();
    rows.extend((!settings.is_empty()).then(|| ("how", settings.join("; "))));
    rows
}

fn review_rows_of_run(run: &Run) -> Vec<Row> {
    match run {
        Run::Command(command) => review_rows_of_command(command, command.line()),
        Run::Worker(Worker { command }) => {
            review_rows_of_command(command, run.one_line_description())
        }
        Run::Http(http) => review_rows_of_http(http, run.one_line_description()),
        Run::Prompt(prompt) => {
            let Prompt { text, model, max_tokens, may_allow, goes_on, turns } = prompt;
            let settings = [
                model.as_ref().map(|model| format!("model `{model}`")),
                max_tokens.map(|token| format!("at most {token} tokens")),
                may_allow.then(|| "its consent counts".to_owned()),
                goes_on.then(|| "the turn goes on after its no".to_owned()),
                turns.map(|turn| format!("{turn} turns with tools that read")),
            ];
            let settings: Vec<String> = settings.into_iter().flatten().collect();
            let mut rows = vec![("asks", text.clone())];
            rows.extend((!settings.is_empty()).then(|| ("of", settings.join("; "))));
            rows
        }
        Run::McpTool(McpTool { server: _, tool: _, input }) => {
            let mut rows = vec![("runs", run.one_line_description())];
            let input = serde_json::Value::Object(input.clone());
            rows.extend((input != serde_json::json!({})).then(|| ("with", input.to_string())));
            rows
        }
        Run::Rule(rule) => {
            let text = |part: &Part| Some((part.key(), rule.part_text(*part)?.trim().to_owned()));
            let doubt = rule.doubt_setting().map(|doubt| (Doubt::KEY, doubt.label().to_owned()));
            Part::ALL.iter().filter_map(text).chain(doubt).collect()
        }
        Run::Function(_) | Run::Unusable { .. } => vec![("runs", run.one_line_description())],
    }
}

/// Returns what an MCP server sets beside its name, as rows for a review.
pub fn review_rows_of_server(server: &Server) -> Vec<Row> {
    let Server {
        name: _,
        dialect: _,
        variables: _,
        layer: _,
        reach,
        sandbox: _,
        project: _,
        home: _,
        place: _,
    } = server;
    match reach {
        Reach::Program(command) => review_rows_of_command(command, reach.one_line_description()),
        Reach::Address(http) => review_rows_of_http(http, reach.one_line_description()),
        Reach::Withheld(_) => vec![("runs", reach.one_line_description())],
    }
}

fn review_rows_of_http(http: &Http, line: String) -> Vec<Row> {
    let Http { url: _, headers, variables, secret, interpolation: _ } = http;
    // Some headers hold secrets as they are.
    let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
    let mut rows = vec![("runs", line)];
    rows.extend((!names.is_empty()).then(|| ("headers", names.join(", "))));
    let sent: Vec<&str> = variables.iter().chain(secret).map(String::as_str).collect();
    rows.extend((!sent.is_empty()).then(|| ("uses", sent.join(", "))));
    rows
}

fn review_rows_of_command(command: &Command, line: String) -> Vec<Row> {
    let Command {
        invocation: _,
        copy: _,
        kept: _,
        inherit: _,
        pass,
        env,
        cwd,
        files: _,
        prewarm: _,
        expands: _,
    } = command;
    let mut rows = vec![("runs", line)];
    rows.extend(cwd.as_ref().map(|cwd| ("in", cwd.display().to_string())));
    rows.extend(env.iter().map(|(name, value)| ("env", format!("{name}={value}"))));
    rows.extend((!pass.is_empty()).then(|| ("uses", pass.join(", "))));
    rows
}

/// Returns what a hook can do, in a few words each.
pub fn abilities_of_hook(hook: &Hook, is_gate: bool, unsaid: Unsaid) -> Vec<&'static str> {
    let dialect = hook.dialect.dialect();
    let unknown = dialect.row_for_unknown_event(&hook.event);
    let row = dialect.event_row(&hook.event).unwrap_or(&unknown);
    let deciding = hook.phase != Phase::Observe;
    // A rule does what is written in it, and nothing else: it never allows.
    let says = |part: &[Part]| match &hook.run {
        Run::Rule(rule) => part.iter().any(|part| rule.part_text(*part).is_some()),
        _ => true,
    };
    let allows = !matches!(hook.run, Run::Rule(_));
    let changes = row.powers.has(Power::Input) || row.powers.has(Power::Prompt);
    let mut can = Vec::new();
    if deciding && row.powers.has(Power::Deny) && says(&[Part::Deny]) {
        can.push(if is_gate { "block calls" } else { "block" });
    } else if deciding && row.powers.has(Power::Ask) && says(&[Part::Ask]) {
        can.push("have the user asked");
    }
    if deciding && row.powers.has(Power::Allow) && allows {
        can.push("allow without a question");
    }
    if deciding && changes && says(&[Part::Rewrite]) {
        can.push("change what happens");
    }
    if row.powers.has(Power::Context) && says(&[Part::Context]) {
        can.push("tell the model something");
    }
    if row.powers.has(Power::Env) && allows {
        can.push("set variables for the commands that follow");
    }
    can.push(match &hook.run {
        Run::Command(_) | Run::Worker(_) => match (&hook.sandbox, unsaid) {
            (Sandbox::In(_), _) => "run a program in a sandbox",
            // Its host may confine it, and need not.
            (Sandbox::Unsaid, Unsaid::Confined) => "run a program",
            (Sandbox::Off, _) | (Sandbox::Unsaid, Unsaid::Free) => "run a program with your rights",
        },
        Run::Http(_) => "send what happens to a server",
        Run::Prompt(_) => "send what happens to a model",
        Run::McpTool(_) => "call a tool of a server",
        Run::Rule(_) => "look at the call",
        Run::Function(_) => "call the host",
        Run::Unusable { .. } => "do nothing: it cannot be read",
    });
    if hook.arming != Arming::Armed {
        can.push("do nothing for now: it is switched off");
    }
    can
}
