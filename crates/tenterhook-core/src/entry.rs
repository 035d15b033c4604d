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
    /// Returns a path as text for a digest, with a mark in place of the project or the home
    /// directory if it lies in one of them.
    pub fn path(&self, path: &Path) -> String {
        self.replace_root_with_mark(&path.to_string_lossy())
    }

    fn replace_root_with_mark(&self, text: &str) -> String {
        let under = |root: &Path, mark: &str| {
            let root = root.to_str().filter(|root| root.len() > 1)?;
            let rest = text.strip_prefix(root)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{mark}{rest}"))
        };
        let found = under(self.project, "\0project").or_else(|| under(self.home, "\0home"));
        found.unwrap_or_else(|| text.to_owned())
    }
}

/// Returns the digest of one hook entry.
pub fn hook_digest(hook: &Hook, ground: PathRoots<'_>) -> Digest {
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
        // They change nothing of what runs.
        own_keys: _,
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
        .with_field("id", id.as_str())
        .with_field("dialect", dialect.as_str())
        .with_field("event", event.as_str())
        .with_field("matcher", matcher_digest(matcher.spec()))
        .with_optional_field("condition", condition.as_ref().map(|condition| condition.text()))
        // An entry that a typo disables guards nothing.
        .with_optional_field("off", (*arming != Arming::Armed).then_some("yes"))
        .with_field("run", run_digest(run, ground).to_string())
        .with_field("phase", format!("{phase:?}"))
        .with_field("wait", format!("{wait:?}"))
        .with_optional_field("timeout", timeout.map(|timeout| timeout.as_nanos().to_string()))
        .with_optional_field("on_failure", on_failure.map(|failure| failure.as_str()))
        .with_field("answer_required", answer_required.to_string())
        .with_field("once", once.to_string())
        .with_optional_field("status", status.as_ref())
        .with_optional_field("mode", enforcement.is_shadow().then(|| enforcement.as_str()));
    add_sandbox_to_digest(canon, sandbox, ground).finish()
}

/// Adds the sandbox to a digest. An entry without the key keeps the digest that it had before the
/// key existed.
fn add_sandbox_to_digest(canon: Canon, sandbox: &Sandbox, ground: PathRoots<'_>) -> Canon {
    match sandbox {
        Sandbox::Unsaid => canon,
        Sandbox::Off => canon.with_field("sandbox", "off"),
        Sandbox::In(grants) => add_grants_to_digest(canon, grants, ground),
    }
}

fn matcher_digest(spec: &MatcherSpec) -> String {
    let canon = Canon::new("matcher");
    let canon = match spec {
        MatcherSpec::Any => canon.with_field("any", ""),
        MatcherSpec::Words(words) => canon.with_list_field("words", words),
        MatcherSpec::Regex(text) => canon.with_field("regex", text),
        MatcherSpec::Never(text) => canon.with_field("never", text),
    };
    canon.finish().to_string()
}

fn run_digest(run: &Run, ground: PathRoots<'_>) -> Digest {
    let canon = Canon::new(run.executor_name());
    match run {
        Run::Command(command) | Run::Worker(Worker { command }) => {
            canon.with_field("command", command_digest(command, ground).to_string()).finish()
        }
        Run::Http(http) => canon.with_field("http", http_digest(http).to_string()).finish(),
        Run::Prompt(prompt) => {
            let Prompt { text, model, max_tokens, may_allow, goes_on, turns } = prompt;
            canon
                .with_field("text", text)
                .with_optional_field("model", model.as_ref())
                .with_optional_field("max_tokens", max_tokens.map(|token| token.to_string()))
                .with_field("may_allow", may_allow.to_string())
                .with_field("goes_on", goes_on.to_string())
                .with_optional_field("turns", turns.map(|turn| turn.to_string()))
                .finish()
        }
        Run::McpTool(McpTool { server, tool, input }) => canon
            .with_field("server", server)
            .with_field("tool", tool)
            .with_field("input", serde_json::Value::from(input.clone()).to_string())
            .finish(),
        Run::Rule(rule) => canon.with_field("rule", format!("{rule:?}")).finish(),
        Run::Function(function) => canon.with_field("function", function.name()).finish(),
        Run::Unusable { part, why } => {
            canon.with_field("part", part.noun()).with_field("why", why).finish()
        }
    }
}

fn add_grants_to_digest(canon: Canon, grants: &Grants, ground: PathRoots<'_>) -> Canon {
    let Grants { profile, read, write, net, env, attributes, processes, memory, cpu, at_least } =
        grants;
    canon
        .with_field("sandbox", profile.as_str())
        .with_list_field("read", read.iter().map(|path| ground.path(path)))
        .with_list_field("write", write.iter().map(|path| ground.path(path)))
        .with_field("net", format!("{net:?}"))
        .with_list_field("sandbox env", env)
        .with_optional_field("attributes", attributes.then_some("yes"))
        .with_optional_field("processes", processes.map(|process| process.to_string()))
        .with_optional_field("memory", memory.map(|memory| memory.to_string()))
        .with_optional_field("cpu", cpu.map(|cpu| cpu.as_nanos().to_string()))
        .with_field("isolation_min", at_least.as_str())
}

fn command_digest(command: &Command, ground: PathRoots<'_>) -> Digest {
    // Whether it expands variables follows from the dialect, which has a separate field.
    let Command {
        invocation,
        copy: _,
        kept: _,
        inherit,
        pass,
        env,
        cwd,
        files,
        prewarm,
        expands: _,
    } = command;
    let canon = Canon::new("command");
    let canon = match invocation {
        Invocation::Argv { program, args } => canon
            .with_field("program", ground.replace_root_with_mark(program))
            .with_list_field("args", args),
        Invocation::Shell { text, shell } => {
            canon.with_field("shell", format!("{shell:?}")).with_field("text", text)
        }
    };
    let pairs =
        env.iter().flat_map(|(name, value)| [name.clone(), ground.replace_root_with_mark(value)]);
    // What declares none has the digest that it had before anything could be declared.
    let canon = if files.is_empty() {
        canon
    } else {
        canon.with_list_field("declared", files.iter().map(|file| ground.path(file)))
    };
    canon
        .with_field("inherit", format!("{inherit:?}"))
        .with_list_field("pass", pass)
        .with_list_field("env", pairs)
        .with_optional_field("cwd", cwd.as_ref().map(|cwd| ground.path(cwd)))
        .with_field("prewarm", format!("{prewarm:?}"))
        .finish()
}

fn http_digest(http: &Http) -> Digest {
    // How variables are filled in follows from the dialect, which has a separate field.
    let Http { url, headers, variables, secret, interpolation: _ } = http;
    Canon::new("http")
        .with_field("url", url)
        .with_list_field("headers", headers.iter().flat_map(|(name, value)| [name, value]))
        .with_list_field("variables", variables)
        .with_optional_field("secret", secret.as_ref())
        .finish()
}

/// Returns the digest of an MCP server.
pub fn server_digest(server: &Server, ground: PathRoots<'_>) -> Digest {
    // Its location is no part of its content.
    let Server {
        name,
        dialect,
        variables: _,
        layer: _,
        reach,
        sandbox,
        project: _,
        home: _,
        place: _,
    } = server;
    let canon =
        Canon::new("server").with_field("name", name).with_field("dialect", dialect.as_str());
    let canon = add_sandbox_to_digest(canon, sandbox, ground);
    match reach {
        Reach::Program(command) => {
            canon.with_field("program", command_digest(command, ground).to_string()).finish()
        }
        Reach::Address(http) => canon.with_field("address", http_digest(http).to_string()).finish(),
        // Only what is written is assessed, and that is never written.
        Reach::Withheld(why) => canon.with_field("withheld", why).finish(),
    }
}

/// Returns the digest of what a source says beside its hooks: about other hooks, events and
/// servers.
pub fn digest_of_non_hook_settings(config: &ReadConfig, ground: PathRoots<'_>) -> Digest {
    let switches = config.switches.iter().map(|switch| switch_digest(switch, ground));
    let mentions = config.mentions.iter().map(|mention| mention.as_str().to_owned());
    let events = config.events.iter().map(|event| format!("{event:?}"));
    let servers = config.servers.iter().map(|server| server_digest(server, ground).to_string());
    Canon::new("rest 1")
        .with_list_field("switches", switches)
        .with_list_field("mentions", mentions)
        .with_list_field("events", events)
        .with_list_field("servers", servers)
        // A torn entry may have had more fields.
        .with_optional_field("torn", config.unreadable.then_some("yes"))
        .with_optional_field("lost", config.lost.as_ref().map(|l| l.why.as_str()))
        .finish()
}

fn switch_digest(switch: &Switch, ground: PathRoots<'_>) -> String {
    let canon = Canon::new("switch");
    let canon = match switch {
        Switch::DisableAll => canon.with_field("disable all", ""),
        Switch::EnableAll => canon.with_field("enable all", ""),
        Switch::HoldUnapproved => canon.with_field("hold unapproved", ""),
        Switch::NoShadow => canon.with_field("no shadow", ""),
        Switch::ManagedOnly(whose) => canon.with_field("managed only", format!("{whose:?}")),
        Switch::DisableHook { name, place: _ } => canon.with_field("disable", name),
        Switch::AdjustHook { name, keys, place: _ } => {
            canon.with_field("adjust", name).with_field("keys", keys)
        }
        Switch::Requests { about, allowed, place: _ } => {
            canon.with_field("requests", about.key()).with_list_field("allowed", allowed)
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
        }) => add_sandbox_to_digest(canon, sandbox, ground)
            .with_field("file", ground.path(file))
            .with_optional_field("on_failure", on_failure.map(|failure| failure.as_str()))
            .with_optional_field("on_broken", on_broken.map(|failure| failure.as_str()))
            .with_optional_field("compat", compat.map(|compat| format!("{compat:?}")))
            .with_optional_field("enabled", enabled.map(|flag| flag.to_string()))
            .with_optional_field("prewarm", prewarm.map(|prewarm| format!("{prewarm:?}")))
            .with_optional_field("shadow", mode.as_ref().map(|mode| mode.shadow.to_string())),
    };
    canon.finish().to_string()
}
