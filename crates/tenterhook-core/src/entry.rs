//! What does an entry say, as a digest? Every field of it that changes what runs, when, or what its answer means. Pure.
//!
//! Each value is taken apart by name, so that a field that is added later does not compile until somebody has said whether it
//! counts. Line numbers and the order of keys make no difference.

pub mod digest;
pub mod shown;

use std::path::Path;

use crate::hook::{
    Arming, Command, Grants, Hook, Http, Invocation, McpTool, Prompt, Run, Sandbox, Worker,
};
use crate::matcher::MatcherSpec;
use crate::source::{Govern, Reach, ReadConfig, Server, Source, Switch};
use digest::{Canon, Digest};

/// Where the paths of an entry lie, so that the same entry in another checkout has the same digest.
#[derive(Clone, Copy, Debug)]
pub struct PathRoots<'a> {
    /// The project.
    pub project: &'a Path,
    /// The user's home.
    pub home: &'a Path,
}

impl<'a> From<&'a Source> for PathRoots<'a> {
    fn from(source: &'a Source) -> Self {
        Self { project: &source.project, home: &source.home }
    }
}

impl PathRoots<'_> {
    /// A path, relative to the project or the home where it lies in one of them.
    pub fn path(&self, path: &Path) -> String {
        self.text(&path.to_string_lossy())
    }

    fn text(&self, text: &str) -> String {
        let under = |root: &Path, mark: &str| {
            let root = root.to_str().filter(|root| root.len() > 1)?;
            let rest = text.strip_prefix(root)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{mark}{rest}"))
        };
        let found = under(self.project, "\0project").or_else(|| under(self.home, "\0home"));
        found.unwrap_or_else(|| text.to_owned())
    }
}

/// The digest of one entry.
pub fn of_hook(hook: &Hook, ground: PathRoots<'_>) -> Digest {
    let Hook {
        id,
        dialect,
        place: _,
        layer: _,
        event,
        matcher,
        condition,
        run,
        phase,
        wait,
        timeout,
        on_failure,
        answer_required,
        once,
        gates_only: _,
        enforcement,
        // The person's statement about the file, not its content.
        compat: _,
        sandbox,
        status,
        // Only a built-in hook can be lifted, and none of those is a repository's.
        pausable: _,
        // The caller is no part of the entry.
        caller: _,
        arming,
        // What others are granted stands in their entries.
        granted: _,
        // The name of the hook says it, too.
        own_event: _,
    } = hook;
    let canon = Canon::new("hook 2")
        .field("id", id.as_str())
        .field("dialect", dialect.as_str())
        .field("event", event.as_str())
        .field("matcher", of_matcher(matcher.spec()))
        .maybe("condition", condition.as_ref().map(|condition| condition.text()))
        // An entry that a typo disables guards nothing.
        .maybe("off", (*arming != Arming::Armed).then_some("yes"))
        .field("run", of_run(run, ground).to_string())
        .field("phase", format!("{phase:?}"))
        .field("wait", format!("{wait:?}"))
        .maybe("timeout", timeout.map(|timeout| timeout.as_nanos().to_string()))
        .maybe("on_failure", on_failure.map(|failure| failure.as_str()))
        .field("answer_required", answer_required.to_string())
        .field("once", once.to_string())
        .maybe("status", status.as_ref())
        .maybe("mode", enforcement.is_shadow().then(|| enforcement.as_str()));
    of_sandbox(canon, sandbox, ground).end()
}

/// An entry without the key keeps the digest that it had before the key existed.
fn of_sandbox(canon: Canon, sandbox: &Sandbox, ground: PathRoots<'_>) -> Canon {
    match sandbox {
        Sandbox::Unsaid => canon,
        Sandbox::Off => canon.field("sandbox", "off"),
        Sandbox::In(grants) => of_grants(canon, grants, ground),
    }
}

fn of_matcher(spec: &MatcherSpec) -> String {
    let canon = Canon::new("matcher");
    let canon = match spec {
        MatcherSpec::Any => canon.field("any", ""),
        MatcherSpec::Words(words) => canon.list("words", words),
        MatcherSpec::Regex(text) => canon.field("regex", text),
        MatcherSpec::Never(text) => canon.field("never", text),
    };
    canon.end().to_string()
}

fn of_run(run: &Run, ground: PathRoots<'_>) -> Digest {
    let canon = Canon::new(run.executor());
    match run {
        Run::Command(command) | Run::Worker(Worker { command }) => {
            canon.field("command", of_command(command, ground).to_string()).end()
        }
        Run::Http(http) => canon.field("http", of_http(http).to_string()).end(),
        Run::Prompt(prompt) => {
            let Prompt { text, model, max_tokens, may_allow, goes_on, turns } = prompt;
            canon
                .field("text", text)
                .maybe("model", model.as_ref())
                .maybe("max_tokens", max_tokens.map(|token| token.to_string()))
                .field("may_allow", may_allow.to_string())
                .field("goes_on", goes_on.to_string())
                .maybe("turns", turns.map(|turn| turn.to_string()))
                .end()
        }
        Run::McpTool(McpTool { server, tool, input }) => canon
            .field("server", server)
            .field("tool", tool)
            .field("input", serde_json::Value::from(input.clone()).to_string())
            .end(),
        Run::Rule(rule) => canon.field("rule", format!("{rule:?}")).end(),
        Run::Function(function) => canon.field("function", function.name()).end(),
        Run::Unusable { part, why } => canon.field("part", part.noun()).field("why", why).end(),
    }
}

fn of_grants(canon: Canon, grants: &Grants, ground: PathRoots<'_>) -> Canon {
    let Grants { profile, read, write, net, env, attributes, processes, memory, cpu, at_least } =
        grants;
    canon
        .field("sandbox", profile.as_str())
        .list("read", read.iter().map(|path| ground.path(path)))
        .list("write", write.iter().map(|path| ground.path(path)))
        .field("net", format!("{net:?}"))
        .list("sandbox env", env)
        .maybe("attributes", attributes.then_some("yes"))
        .maybe("processes", processes.map(|process| process.to_string()))
        .maybe("memory", memory.map(|memory| memory.to_string()))
        .maybe("cpu", cpu.map(|cpu| cpu.as_nanos().to_string()))
        .field("isolation_min", at_least.as_str())
}

fn of_command(command: &Command, ground: PathRoots<'_>) -> Digest {
    let Command { invocation, copy: _, kept: _, inherit, pass, env, cwd, files, prewarm } = command;
    let canon = Canon::new("command");
    let canon = match invocation {
        Invocation::Argv { program, args } => {
            canon.field("program", ground.text(program)).list("args", args)
        }
        Invocation::Shell { text, shell } => {
            canon.field("shell", format!("{shell:?}")).field("text", text)
        }
    };
    let pairs = env.iter().flat_map(|(name, value)| [name.clone(), ground.text(value)]);
    // What declares none has the digest that it had before anything could be declared.
    let canon = if files.is_empty() {
        canon
    } else {
        canon.list("declared", files.iter().map(|file| ground.path(file)))
    };
    canon
        .field("inherit", format!("{inherit:?}"))
        .list("pass", pass)
        .list("env", pairs)
        .maybe("cwd", cwd.as_ref().map(|cwd| ground.path(cwd)))
        .field("prewarm", format!("{prewarm:?}"))
        .end()
}

fn of_http(http: &Http) -> Digest {
    // How variables are filled in follows from the dialect, which has a separate field.
    let Http { url, headers, variables, secret, interpolation: _ } = http;
    Canon::new("http")
        .field("url", url)
        .list("headers", headers.iter().flat_map(|(name, value)| [name, value]))
        .list("variables", variables)
        .maybe("secret", secret.as_ref())
        .end()
}

/// The digest of an MCP server.
pub fn of_server(server: &Server, ground: PathRoots<'_>) -> Digest {
    // Its location is no part of its content.
    let Server { name, dialect, layer: _, reach, sandbox, project: _, home: _, place: _ } = server;
    let canon = Canon::new("server").field("name", name).field("dialect", dialect.as_str());
    let canon = of_sandbox(canon, sandbox, ground);
    match reach {
        Reach::Program(command) => {
            canon.field("program", of_command(command, ground).to_string()).end()
        }
        Reach::Address(http) => canon.field("address", of_http(http).to_string()).end(),
        // Only what is written is assessed, and that is never written.
        Reach::Withheld(why) => canon.field("withheld", why).end(),
    }
}

/// The digest of what a source says beside its hooks: about other hooks, events and servers.
pub fn of_rest(config: &ReadConfig, ground: PathRoots<'_>) -> Digest {
    let switches = config.switches.iter().map(|switch| of_switch(switch, ground));
    let mentions = config.mentions.iter().map(|mention| mention.as_str().to_owned());
    let events = config.events.iter().map(|event| format!("{event:?}"));
    let servers = config.servers.iter().map(|server| of_server(server, ground).to_string());
    Canon::new("rest 1")
        .list("switches", switches)
        .list("mentions", mentions)
        .list("events", events)
        .list("servers", servers)
        // A torn entry may have had more fields.
        .maybe("torn", config.unreadable.then_some("yes"))
        .maybe("lost", config.lost.as_ref().map(|l| l.why.as_str()))
        .end()
}

fn of_switch(switch: &Switch, ground: PathRoots<'_>) -> String {
    let canon = Canon::new("switch");
    let canon = match switch {
        Switch::DisableAll => canon.field("disable all", ""),
        Switch::EnableAll => canon.field("enable all", ""),
        Switch::HoldUnapproved => canon.field("hold unapproved", ""),
        Switch::NoShadow => canon.field("no shadow", ""),
        Switch::ManagedOnly(whose) => canon.field("managed only", format!("{whose:?}")),
        Switch::DisableHook { name, place: _ } => canon.field("disable", name),
        Switch::Requests { about, allowed, place: _ } => {
            canon.field("requests", about.key()).list("allowed", allowed)
        }
        Switch::Govern(Govern {
            file,
            on_failure,
            on_broken,
            compat,
            enabled,
            sandbox,
            prewarm,
            mode,
            place: _,
        }) => of_sandbox(canon, sandbox, ground)
            .field("file", ground.path(file))
            .maybe("on_failure", on_failure.map(|failure| failure.as_str()))
            .maybe("on_broken", on_broken.map(|failure| failure.as_str()))
            .maybe("compat", compat.map(|compat| format!("{compat:?}")))
            .maybe("enabled", enabled.map(|flag| flag.to_string()))
            .maybe("prewarm", prewarm.map(|prewarm| format!("{prewarm:?}")))
            .maybe("shadow", mode.as_ref().map(|mode| mode.shadow.to_string())),
    };
    canon.end().to_string()
}
