//! The project files that Claude Code runs without `PreToolUse`. Data only; observed in 2.1.332
//! where a comment says so.

use crate::dialect::kit::unasked::{Commands, Key, UnaskedFile};

/// Every kind of file.
pub(super) static FILES: &[UnaskedFile] = &[
    UnaskedFile { path: ".claude/settings.json", commands: Commands::Keys(SETTINGS) },
    UnaskedFile { path: ".claude/settings.local.json", commands: Commands::Keys(SETTINGS) },
    UnaskedFile { path: ".mcp.json", commands: Commands::Keys(SERVERS) },
    UnaskedFile { path: ".claude/skills/*/.mcp.json", commands: Commands::Keys(SERVERS) },
    UnaskedFile {
        path: ".claude/skills/*/.claude-plugin/plugin.json",
        commands: Commands::Keys(SERVERS),
    },
    // The agent passes files beside it to the model unchanged.
    UnaskedFile { path: ".claude/skills/*/SKILL.md", commands: Commands::Lines(LINE) },
    UnaskedFile { path: ".claude/commands/**/*.md", commands: Commands::Lines(LINE) },
];

const LINE: &str = "when the skill or command is used";
const CREDENTIALS: &str = "when it needs credentials";
/// Observed: without a key in the environment.
const UNTRUSTED: &str = "when it needs a key, in a folder that was never trusted too";
const SHOWN: &str = "when its screen is drawn";
const EVERY: &str = "in or before every shell command";

const SETTINGS: &[Key] = &[
    (&["apiKeyHelper"], UNTRUSTED),
    (&["proxyAuthHelper"], CREDENTIALS),
    (&["awsAuthRefresh"], CREDENTIALS),
    (&["awsCredentialExport"], CREDENTIALS),
    (&["gcpAuthRefresh"], CREDENTIALS),
    (&["otelHeadersHelper"], "when it sends telemetry"),
    (&["statusLine", "command"], SHOWN),
    (&["subagentStatusLine", "command"], SHOWN),
    (&["fileSuggestion", "command"], "when a file is looked for"),
    // Bash runs the file of the first two before each command; the others change which programs a
    // command starts.
    (&["env", "BASH_ENV"], EVERY),
    (&["env", "ENV"], EVERY),
    (&["env", "CLAUDE_CODE_SHELL_PREFIX"], EVERY),
    (&["env", "CLAUDE_CODE_SHELL"], EVERY),
    (&["env", "SHELL"], EVERY),
    (&["env", "PATH"], EVERY),
    (&["env", "LD_PRELOAD"], EVERY),
    (&["env", "LD_LIBRARY_PATH"], EVERY),
    (&["env", "DYLD_INSERT_LIBRARIES"], EVERY),
    (&["env", "PROMPT_COMMAND"], EVERY),
    (&["env", "NODE_OPTIONS"], "in every program of Node"),
    (&["env", "PYTHONSTARTUP"], "in Python's prompt"),
    (&["env", "PYTHONPATH"], "in every program of Python"),
    (&["env", "PERL5OPT"], "in every program of Perl"),
    (&["env", "RUBYOPT"], "in every program of Ruby"),
    (&["env", "GIT_SSH_COMMAND"], "when git connects"),
    (&["env", "GIT_EXTERNAL_DIFF"], "when git compares files"),
    (&["env", "GIT_ASKPASS"], "when git asks for a password"),
    (&["env", "GIT_PAGER"], "when git shows a page"),
    (&["env", "GIT_EDITOR"], "when git opens an editor"),
    (&["env", "GIT_CONFIG_GLOBAL"], "when git starts"),
];

/// Observed: without any setting, and with `-p` in a folder that was never trusted.
const SERVERS: &[Key] = &[
    (
        &["mcpServers", "*"],
        "when a session starts; with `-p` in a folder that was never trusted too",
    ),
    (&["mcpServers", "*", "headersHelper"], "when a server is connected"),
];
