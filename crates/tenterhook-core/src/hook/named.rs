//! Which dialect does somebody speak? A name and nothing else; what it stands for is found in `dialect`.

use std::fmt;

/// The name of a dialect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DialectId(&'static str);

impl DialectId {
    /// Tenterhook's own.
    pub const NATIVE: Self = Self("native");
    /// Claude Code's.
    pub const CLAUDE: Self = Self("claude");
    /// Gen's.
    pub const GEN: Self = Self("gen");
    /// CodeWhale's.
    pub const CODEWHALE: Self = Self("codewhale");
    /// Reasonix's.
    pub const REASONIX: Self = Self("reasonix");
    /// That of ignis.
    pub const IGNIS: Self = Self("ignis");
    /// Codex's.
    pub const CODEX: Self = Self("codex");
    /// Copilot CLI's, where its files spell events in small letters.
    pub const COPILOT: Self = Self("copilot");
    /// Copilot CLI's, where they are spelled as Claude Code's.
    pub const COPILOT_PASCAL: Self = Self("copilot-pascal");
    /// Gemini CLI's.
    pub const GEMINI: Self = Self("gemini");
    /// Qwen Code's.
    pub const QWEN: Self = Self("qwen");
    /// Droid's.
    pub const DROID: Self = Self("droid");
    /// Cursor's, for the events of all tools.
    pub const CURSOR: Self = Self("cursor");
    /// Cursor's, for the events of single actions.
    pub const CURSOR_ACTION: Self = Self("cursor-action");
    /// Mistral Vibe's.
    pub const VIBE: Self = Self("vibe");
    /// That of Kimi Code CLI.
    pub const KIMI: Self = Self("kimi");
    /// Antigravity's.
    pub const ANTIGRAVITY: Self = Self("antigravity");
    /// Windsurf's.
    pub const WINDSURF: Self = Self("windsurf");
    /// Auggie's.
    pub const AUGMENT: Self = Self("augment");
    /// Crush's.
    pub const CRUSH: Self = Self("crush");
    /// Kiro's, for hook files.
    pub const KIRO: Self = Self("kiro");
    /// Kiro's, for the hooks in an agent's definition.
    pub const KIRO_AGENT: Self = Self("kiro-agent");
    /// Goose's.
    pub const GOOSE: Self = Self("goose");
    /// That of Hermes.
    pub const HERMES: Self = Self("hermes");
    /// Cline's.
    pub const CLINE: Self = Self("cline");
    /// That of VS Code's own agent.
    pub const VSCODE: Self = Self("vscode");
    /// That of our plugin in OpenCode.
    pub const OPENCODE: Self = Self("opencode");
    /// That of our plugin in Kilo.
    pub const KILO: Self = Self("kilo");
    /// That of our extension in Pi.
    pub const PI: Self = Self("pi");
    /// That of our plugin in Amp.
    pub const AMP: Self = Self("amp");
    /// That of our plugin in OpenClaw.
    pub const OPENCLAW: Self = Self("openclaw");

    /// Returns the name of the dialect.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
