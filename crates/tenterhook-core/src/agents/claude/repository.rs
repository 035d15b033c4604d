//! What Claude Code runs of a project's files: hooks, and commands without `PreToolUse`. Data only;
//! observed in 2.1.332 where a comment says so.

use crate::agents::repository::{CommandKey, Commands, Consent, RepositoryFile};
use crate::agents::repository::{hook_file, settings_file};

/// Every kind of file.
pub(super) static FILES: &[RepositoryFile] = &[
    hook_file(".claude/settings.json", &["hooks"], TRUST),
    hook_file(".claude/settings.local.json", &["hooks"], TRUST),
    hook_file(".claude/skills/*/SKILL.md", &["hooks"], TRUST),
    hook_file(".claude/skills/*/hooks/hooks.json", &["hooks"], TRUST),
    hook_file(".claude/agents/**/*.md", &["hooks"], EXACT_FOLDER),
    settings_file(".claude/settings.json", SETTINGS, TRUST),
    settings_file(".claude/settings.local.json", SETTINGS, TRUST),
    settings_file(".mcp.json", SERVERS, TRUST),
    settings_file(".claude/skills/*/.mcp.json", SERVERS, TRUST),
    settings_file(".claude/skills/*/.claude-plugin/plugin.json", SERVERS, TRUST),
    // The agent passes files beside it to the model unchanged.
    skill_lines(".claude/skills/*/SKILL.md"),
    skill_lines(".claude/commands/**/*.md"),
];

/// With a terminal it asks once for trust in the folder.
const TRUST: Consent = Consent::UnaskedIf("with `-p`");
/// Since 2.1.218 the hooks of subagents need trust in this very folder, and `-p` skips them.
const EXACT_FOLDER: Consent = Consent::Asked("after you trust this very folder");

const fn skill_lines(path: &'static str) -> RepositoryFile {
    RepositoryFile { path, commands: Commands::Lines(LINE), consent: TRUST }
}

const LINE: &str = "when the skill or command is used";
const CREDENTIALS: &str = "when it needs credentials";
/// Observed: without a key in the environment.
const UNTRUSTED: &str = "when it needs a key, in a folder that was never trusted too";
const SHOWN: &str = "when its screen is drawn";
const EVERY: &str = "in or before every shell command";

const SETTINGS: &[CommandKey] = &[
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
const SERVERS: &[CommandKey] = &[
    (
        &["mcpServers", "*"],
        "when a session starts; with `-p` in a folder that was never trusted too",
    ),
    (&["mcpServers", "*", "headersHelper"], "when a server is connected"),
];
