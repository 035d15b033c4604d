//! What Claude Code runs of a project's files: hooks, and commands without `PreToolUse`. Data only;
//! observed in 2.1.332 where a comment says so.

use crate::agents::repository::{CommandKey, Consent, RepositoryFile};
use crate::agents::repository::{hook_file, key, settings_file, template_file};

/// Every kind of file.
pub(super) static FILES: &[RepositoryFile] = &[
    hook_file(".claude/settings.json", &["hooks"], TRUST),
    hook_file(".claude/settings.local.json", &["hooks"], TRUST),
    hook_file(".claude/skills/*/SKILL.md", &["hooks"], TRUST),
    hook_file(".claude/skills/*/hooks/hooks.json", &["hooks"], TRUST),
    hook_file(".claude/agents/**/*.md", &["hooks"], EXACT_FOLDER),
    // Documented.
    settings_file(".claude/agents/**/*.md", AGENT_SERVERS, EXACT_FOLDER),
    settings_file(".claude/settings.json", SETTINGS, TRUST),
    settings_file(".claude/settings.local.json", SETTINGS, TRUST),
    settings_file(".mcp.json", SERVERS, TRUST),
    settings_file(".claude/skills/*/.mcp.json", SERVERS, TRUST),
    settings_file(".claude/skills/*/.claude-plugin/plugin.json", SERVERS, TRUST),
    // The agent passes files beside it to the model unchanged.
    template_file(".claude/skills/*/SKILL.md", LINE, TRUST),
    template_file(".claude/commands/**/*.md", LINE, TRUST),
];

/// With a terminal it asks once for trust in the folder.
const TRUST: Consent = Consent::UnaskedIf("with `-p`");
/// Since 2.1.218 the hooks of subagents need trust in this very folder, and `-p` skips them.
const EXACT_FOLDER: Consent = Consent::Asked("after you trust this very folder");

const LINE: &str = "when the skill or command is used";
const CREDENTIALS: &str = "when it needs credentials";
/// Observed: without a key in the environment.
const UNTRUSTED: &str = "when it needs a key, in a folder that was never trusted too";
const SHOWN: &str = "when its screen is drawn";
const EVERY: &str = "in or before every shell command";

const SETTINGS: &[CommandKey] = &[
    key(&["apiKeyHelper"], UNTRUSTED),
    key(&["proxyAuthHelper"], CREDENTIALS),
    key(&["awsAuthRefresh"], CREDENTIALS),
    key(&["awsCredentialExport"], CREDENTIALS),
    key(&["gcpAuthRefresh"], CREDENTIALS),
    key(&["otelHeadersHelper"], "when it sends telemetry"),
    key(&["statusLine", "command"], SHOWN),
    key(&["subagentStatusLine", "command"], SHOWN),
    key(&["fileSuggestion", "command"], "when a file is looked for"),
    // Bash runs the file of the first two before each command; the others change which programs a
    // command starts.
    key(&["env", "BASH_ENV"], EVERY),
    key(&["env", "ENV"], EVERY),
    key(&["env", "CLAUDE_CODE_SHELL_PREFIX"], EVERY),
    key(&["env", "CLAUDE_CODE_SHELL"], EVERY),
    key(&["env", "SHELL"], EVERY),
    key(&["env", "PATH"], EVERY),
    key(&["env", "LD_PRELOAD"], EVERY),
    key(&["env", "LD_LIBRARY_PATH"], EVERY),
    key(&["env", "DYLD_INSERT_LIBRARIES"], EVERY),
    key(&["env", "PROMPT_COMMAND"], EVERY),
    key(&["env", "NODE_OPTIONS"], "in every program of Node"),
    key(&["env", "PYTHONSTARTUP"], "in Python's prompt"),
    key(&["env", "PYTHONPATH"], "in every program of Python"),
    key(&["env", "PERL5OPT"], "in every program of Perl"),
    key(&["env", "RUBYOPT"], "in every program of Ruby"),
    key(&["env", "GIT_SSH_COMMAND"], "when git connects"),
    key(&["env", "GIT_EXTERNAL_DIFF"], "when git compares files"),
    key(&["env", "GIT_ASKPASS"], "when git asks for a password"),
    key(&["env", "GIT_PAGER"], "when git shows a page"),
    key(&["env", "GIT_EDITOR"], "when git opens an editor"),
    key(&["env", "GIT_CONFIG_GLOBAL"], "when git starts"),
];

/// Each element is a name, or an object with a server by its name.
const AGENT_SERVERS: &[CommandKey] =
    &[key(&["mcpServers", "*", "*"], "when the subagent is used, as an MCP server")];

/// Observed: without any setting (a server with `disabled` or `enabled: false` starts, too), and with `-p` in a folder that was never trusted.
const SERVERS: &[CommandKey] = &[
    key(
        &["mcpServers", "*"],
        "when a session starts; with `-p` in a folder that was never trusted too",
    ),
    key(&["mcpServers", "*", "headersHelper"], "when a server is connected"),
];
