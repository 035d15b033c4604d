//! Where each agent reads hooks, in which form, and what it leaves open: one row an agent. Decides nothing.
//!
//! What is written from these rows never changes between versions (BR-62): an agent that trusts hooks by their text would
//! lose them.

use crate::event::tool::Tool;

/// Whose configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's own, for all projects.
    User,
    /// The project's.
    Project,
    /// The organisation's.
    Managed,
}

/// What a file of an agent looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An object `hooks` with a list of groups an event, in a file that holds other things, too.
    Groups,
    /// The same in a file of ours.
    OwnGroups,
    /// A list of entries an event, in a file of ours.
    OwnFlat,
    /// A shell script of ours for each event, by its name.
    Scripts,
    /// One JavaScript file.
    Plugin,
}

/// A path of names to a boolean in an agent's settings that is about all hooks, and the value that switches them off.
pub type Key = (&'static [&'static str], bool);

/// Where a file stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Whose it is.
    pub scope: Scope,
    /// Its path: below the agent's home, below the project, or full.
    pub path: &'static str,
}

/// An event for which the agent calls.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The agent's own name for it.
    pub name: &'static str,
    /// The time-out that is written, in seconds.
    pub seconds: u64,
    /// Whether something is at stake, so that no answer restrains.
    pub gates: bool,
    /// Whether it is about tools, so that a matcher is written where the agent wants one.
    pub tool: bool,
}

/// A tool whose own calls go past hooks: what holds it back is a question before it runs.
#[derive(Clone, Copy, Debug)]
pub struct Unhooked {
    /// What the tool does.
    pub tool: Tool,
    /// What that leaves open.
    pub gap: &'static str,
    /// The pack of rules that asks.
    pub pack: &'static str,
}

/// One agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its dialect.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its program is called.
    pub program: &'static str,
    /// Directories below the person's home that say it was used here.
    pub seen: &'static [&'static str],
    /// The variable that moves the directory in which its user files are.
    pub home_variable: Option<&'static str>,
    /// That directory below the person's home.
    pub home: &'static str,
    /// Its files.
    pub places: &'static [Place],
    /// What they look like.
    pub form: Form,
    /// Whether it takes comments in them.
    pub comments: bool,
    /// Whether it takes a byte order mark before them.
    pub mark: bool,
    /// Whether it rejects the whole file for a list where the matcher of a group belongs.
    pub lone_matchers: bool,
    /// The only keys that the root of its file may have; empty where any may.
    pub roots: &'static [&'static str],
    /// For which events it calls.
    pub events: &'static [Event],
    /// The key of a time-out in an entry, and how many of its units are a second.
    pub time: (&'static str, u64),
    /// The key and value with which the agent itself restrains where a gate gives no answer.
    pub closed: Option<(&'static str, &'static str)>,
    /// The file beside the user's in which the agent keeps what the person approved, where it runs nothing else.
    pub approvals: Option<&'static str>,
    /// The keys of its settings that switch hooks off, each with the value that does.
    pub switches: &'static [Key],
    /// What is written as matcher of tool events.
    pub matcher: Option<&'static str>,
    /// What would happen to tool calls if our program were gone.
    pub gone: &'static str,
    /// Tools whose own calls it does not put before hooks.
    pub unhooked: &'static [Unhooked],
    /// What else it does not put before hooks.
    pub gaps: &'static [&'static str],
    /// What the person does next.
    pub next: &'static str,
}

impl Agent {
    /// The file in which the person's approvals of what is written in that scope are kept; nothing where none is asked for. What the
    /// organisation writes needs none (Codex CLI 0.169.0 runs it unasked).
    #[must_use]
    pub fn approvals_of(&self, scope: Scope) -> Option<&'static str> {
        self.approvals.filter(|_| scope != Scope::Managed)
    }
}

/// The agent of that name.
#[must_use]
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|it| it.name == name)
}

const fn place(scope: Scope, path: &'static str) -> Place {
    Place { scope, path }
}

const fn gate(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: true, tool: false }
}

const fn tool_gate(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..gate(name, seconds) }
}

const fn told(name: &'static str, seconds: u64) -> Event {
    Event { name, seconds, gates: false, tool: false }
}

const fn tool_told(name: &'static str, seconds: u64) -> Event {
    Event { tool: true, ..told(name, seconds) }
}

const CLAUDE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    tool_gate("PermissionRequest", 600),
    gate("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    tool_told("PostToolUseFailure", 600),
    told("Stop", 600),
    told("SubagentStart", 60),
    told("SubagentStop", 600),
    told("PreCompact", 60),
    told("SessionStart", 60),
    told("SessionEnd", 10),
    told("Notification", 60),
];

const CODEX: &[Event] = &[
    tool_gate("PreToolUse", 600),
    tool_gate("PermissionRequest", 600),
    gate("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    told("Stop", 600),
    told("SubagentStart", 60),
    told("SubagentStop", 600),
    told("PreCompact", 60),
    told("PostCompact", 60),
    told("SessionStart", 60),
    // Codex clamps it to this.
    told("SessionEnd", 3),
];

const COPILOT: &[Event] = &[
    tool_gate("preToolUse", 600),
    tool_gate("permissionRequest", 600),
    gate("userPromptSubmitted", 60),
    tool_told("postToolUse", 600),
    tool_told("postToolUseFailure", 600),
    told("agentStop", 600),
    told("subagentStop", 600),
    told("preCompact", 60),
    told("sessionStart", 60),
    told("sessionEnd", 10),
    told("errorOccurred", 60),
];

const GEMINI: &[Event] = &[
    tool_gate("BeforeTool", 600),
    gate("BeforeAgent", 60),
    tool_told("AfterTool", 600),
    told("AfterAgent", 600),
    told("SessionStart", 60),
    told("SessionEnd", 10),
    told("PreCompress", 60),
    told("Notification", 60),
];

const GOOSE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    told("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    tool_told("PostToolUseFailure", 600),
    told("Stop", 600),
    told("SessionStart", 60),
    told("SessionEnd", 10),
];

/// Cline gives up on a hook after 120 seconds, whatever is written.
const CLINE: &[Event] = &[
    tool_gate("PreToolUse", 120),
    tool_told("PostToolUse", 120),
    gate("UserPromptSubmit", 120),
    told("TaskStart", 120),
    told("TaskResume", 120),
    told("TaskCancel", 120),
    told("TaskComplete", 120),
    told("SessionShutdown", 120),
];

const OPENCODE: &[Event] = &[
    tool_gate("PreToolUse", 600),
    gate("UserPromptSubmit", 60),
    tool_told("PostToolUse", 600),
    told("shell_env", 30),
    told("SessionStart", 60),
    told("session.idle", 60),
];

/// Every agent that can be made to call.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        program: "claude",
        seen: &[".claude"],
        home_variable: Some("CLAUDE_CONFIG_DIR"),
        home: ".claude",
        places: &[
            place(Scope::User, "settings.json"),
            place(Scope::Project, ".claude/settings.json"),
            place(Scope::Managed, "/etc/claude-code/managed-settings.json"),
        ],
        form: Form::Groups,
        comments: false,
        mark: true,
        lone_matchers: true,
        roots: &[],
        events: CLAUDE,
        time: ("timeout", 1),
        closed: Some(("onFailure", "block")),
        approvals: None,
        switches: &[(&["disableAllHooks"], true)],
        matcher: None,
        gone: "tool calls and prompts are denied",
        unhooked: &[],
        gaps: &[
            "`--bare`, `--safe-mode` and `disableAllHooks` run no hooks",
            "`allowManagedHooksOnly` runs only those of `--scope managed`",
        ],
        next: "Claude Code reads it when it is started next; `/hooks` there lists it",
    },
    Agent {
        name: "codex",
        title: "Codex CLI",
        program: "codex",
        seen: &[".codex"],
        home_variable: Some("CODEX_HOME"),
        home: ".codex",
        places: &[
            place(Scope::User, "hooks.json"),
            place(Scope::Project, ".codex/hooks.json"),
            place(Scope::Managed, "/etc/codex/hooks.json"),
        ],
        form: Form::Groups,
        comments: false,
        mark: false,
        lone_matchers: false,
        roots: &["description", "hooks"],
        events: CODEX,
        time: ("timeout", 1),
        closed: None,
        approvals: Some("config.toml"),
        switches: &[],
        matcher: None,
        gone: "tool calls and prompts are denied",
        unhooked: &[],
        gaps: &[
            "a hook that nobody approved in `/hooks` is skipped, in `codex exec` without a word, unless it is of `--scope managed`",
            "typing into a running shell (`write_stdin`) calls no hook",
            "calls from code mode may call no hook",
            "a hook cannot ask: a question becomes a denial",
            "`--dangerously-bypass-hook-trust` and `--disable hooks` switch approval or hooks off",
        ],
        next: "start `codex`, type `/hooks` and approve the hooks: until then Codex skips them",
    },
    Agent {
        name: "copilot",
        title: "Copilot CLI",
        program: "copilot",
        seen: &[".copilot"],
        home_variable: Some("COPILOT_HOME"),
        home: ".copilot",
        places: &[
            place(Scope::User, "hooks/tenterhook.json"),
            place(Scope::Project, ".github/hooks/tenterhook.json"),
            place(Scope::Managed, "/etc/github-copilot/policy.d/tenterhook.json"),
        ],
        form: Form::OwnFlat,
        comments: false,
        mark: false,
        lone_matchers: false,
        roots: &[],
        events: COPILOT,
        time: ("timeoutSec", 1),
        closed: None,
        approvals: None,
        switches: &[],
        matcher: None,
        gone: "tool calls are denied: any code but 0 is a denial",
        unhooked: &[],
        gaps: &[
            "a hook that takes longer than its time-out lets the call run; ours ends before",
            "under `--allow-all-tools` a question is answered with yes by Copilot itself",
            "hooks of a repository run in trusted folders only",
        ],
        next: "Copilot CLI reads it when it is started next",
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        program: "opencode",
        seen: &[".config/opencode", ".local/share/opencode"],
        home_variable: Some("XDG_CONFIG_HOME"),
        home: ".config",
        places: &[
            place(Scope::User, "opencode/plugin/tenterhook.js"),
            place(Scope::Project, ".opencode/plugin/tenterhook.js"),
        ],
        form: Form::Plugin,
        comments: false,
        mark: false,
        lone_matchers: false,
        roots: &[],
        events: OPENCODE,
        time: ("", 1),
        closed: None,
        approvals: None,
        switches: &[],
        matcher: None,
        gone: "tool calls and prompts are denied by the plugin",
        unhooked: &[],
        gaps: &[
            "a hook cannot ask: a question becomes a denial",
            "the end of a turn cannot be put off",
            "`--pure` loads no plugin",
        ],
        next: "OpenCode loads the plugin when it is started next",
    },
    Agent {
        name: "goose",
        title: "Goose",
        program: "goose",
        seen: &[".config/goose"],
        home_variable: None,
        home: ".agents",
        places: &[
            place(Scope::User, "plugins/tenterhook/hooks/hooks.json"),
            place(Scope::Project, ".agents/plugins/tenterhook/hooks/hooks.json"),
        ],
        form: Form::OwnGroups,
        comments: false,
        mark: false,
        lone_matchers: false,
        roots: &[],
        events: GOOSE,
        time: ("timeout", 1),
        closed: Some(("on_failure", "block")),
        approvals: None,
        switches: &[],
        matcher: None,
        gone: "tool calls are denied",
        unhooked: &[Unhooked {
            tool: Tool::Agent,
            gap: "subagents (`delegate`) run no hooks",
            pack: "hold-subagents",
        }],
        gaps: &[
            "a hook cannot ask or change a call: both become a denial",
            "prompts cannot be blocked",
        ],
        next: "Goose reads it when it is started next",
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        program: "qwen",
        seen: &[".qwen"],
        home_variable: Some("QWEN_HOME"),
        home: ".qwen",
        places: &[
            place(Scope::User, "settings.json"),
            place(Scope::Project, ".qwen/settings.json"),
        ],
        form: Form::Groups,
        comments: true,
        mark: false,
        lone_matchers: false,
        roots: &[],
        events: CLAUDE,
        time: ("timeout", 1),
        closed: None,
        approvals: None,
        switches: &[(&["disableAllHooks"], true)],
        matcher: Some("*"),
        gone: "tool calls and prompts are denied",
        unhooked: &[],
        gaps: &[
            "a hook cannot change a call: that becomes a denial",
            "`--bare`, `--safe-mode` and `disableAllHooks` run no hooks",
        ],
        next: "Qwen Code reads it when it is started next",
    },
    Agent {
        name: "cline",
        title: "Cline",
        program: "cline",
        seen: &[".cline", "Documents/Cline"],
        home_variable: None,
        home: ".cline",
        places: &[place(Scope::User, "hooks"), place(Scope::Project, ".clinerules/hooks")],
        form: Form::Scripts,
        comments: false,
        mark: false,
        lone_matchers: false,
        roots: &[],
        events: CLINE,
        time: ("", 1),
        closed: None,
        approvals: None,
        switches: &[],
        matcher: None,
        gone: "tool calls are denied, and the run ends",
        unhooked: &[],
        gaps: &[
            "a denial of any tool but the shell ends the whole run",
            "a hook that takes longer than 120 seconds lets the call run; ours ends before",
            "prompts of headless runs call no hook",
            "a hook cannot ask: a question becomes a denial",
        ],
        next: "Cline runs them from its next task on",
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        seen: &[".gemini"],
        home_variable: None,
        home: ".gemini",
        places: &[
            place(Scope::User, "settings.json"),
            place(Scope::Project, ".gemini/settings.json"),
            place(Scope::Managed, "/etc/gemini-cli/settings.json"),
        ],
        form: Form::Groups,
        comments: true,
        mark: false,
        lone_matchers: false,
        roots: &[],
        events: GEMINI,
        time: ("timeout", 1000),
        closed: None,
        approvals: None,
        switches: &[
            (&["hooksConfig", "enabled"], false),
            (&["hooks", "enabled"], false),
            (&["disableAllHooks"], true),
        ],
        matcher: Some("*"),
        gone: "tool calls and prompts are denied",
        unhooked: &[],
        gaps: &[
            "a question without a person hangs the run",
            "`hooksConfig.enabled: false` runs no hooks",
        ],
        next: "Gemini CLI reads it when it is started next",
    },
];
