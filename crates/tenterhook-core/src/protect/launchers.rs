//! Which other programs start an agent, by what name of it, and which set variables for what starts later? Names only.

use super::own::HOMES;
use crate::agents::{AGENTS, Agent, agent_by_program};

/// Programs that start what one of their words names: behind one of these verbs, or at once where there are no verbs.
const LAUNCHERS: &[(&str, &[&str])] = &[
    ("npx", &[]),
    ("pnpx", &[]),
    ("bunx", &[]),
    ("uvx", &[]),
    ("npm", &["exec", "x"]),
    ("pnpm", &["dlx", "exec"]),
    ("yarn", &["dlx", "exec"]),
    ("pipx", &["run"]),
    ("uv", &["run", "tool"]),
    ("bun", &[]),
    ("deno", &["run", "x"]),
    ("node", &[]),
    ("nodejs", &[]),
    ("tsx", &[]),
    ("ts-node", &[]),
    ("python", &[]),
    ("docker", &["run", "exec"]),
    ("podman", &["run", "exec"]),
    ("nerdctl", &["run", "exec"]),
    ("container", &["run", "exec"]),
    ("distrobox", &["enter"]),
    ("toolbox", &["run"]),
    ("flatpak", &["run"]),
    ("snap", &["run"]),
    ("nix", &["run", "shell", "develop"]),
    ("mise", &["exec", "x"]),
    ("volta", &["run"]),
    ("fnm", &["exec"]),
    ("corepack", &[]),
    ("pkgx", &[]),
    ("bwrap", &[]),
    ("proot", &[]),
    ("wsl", &[]),
];

/// Verbs with which a program of that list only installs what it names.
const INSTALLS: &[&str] = &["add", "install", "i"];

/// Programs that hand variables to what they start, as `NAME=VALUE` among their words.
const CARRIERS: &[&str] = &[
    "sudo",
    "doas",
    "systemd-run",
    "run0",
    "tmux",
    "screen",
    "firejail",
    "bwrap",
    "cross-env",
    "machinectl",
];

/// Programs that set variables for what starts later, with one of these words; always, where the list is empty.
const SETTERS: &[(&str, &[&str])] = &[
    ("tmux", &["setenv", "set-environment"]),
    ("screen", &["setenv", "unsetenv"]),
    ("launchctl", &["setenv", "unsetenv"]),
    ("systemctl", &["set-environment", "unset-environment", "import-environment"]),
    ("dbus-update-activation-environment", &[]),
    ("setx", &[]),
    ("set", &["-U", "-Ux", "-xU", "--universal", "-Ue", "-Ug"]),
    ("mise", &["set", "unset", "config"]),
    ("conda", &["vars"]),
    ("dotenv", &["set", "unset"]),
];

/// Returns the names of packages and images that differ from the name of their program, with their
/// agents.
fn agent_packages() -> impl Iterator<Item = (&'static str, &'static Agent)> {
    AGENTS.iter().flat_map(|agent| agent.packages.iter().map(move |package| (*package, *agent)))
}

/// Returns the agent that a launcher's argument names: its program, its package with or without a
/// version, an image, or a file in its package.
#[must_use]
pub fn find_agent_by_argument(word: &str) -> Option<&'static Agent> {
    if word.starts_with('-') || word.contains(char::is_whitespace) {
        return None;
    }
    let is_inside = |(package, _): &(&str, &Agent)| {
        package.len() <= word.len()
            && word.match_indices(package).any(|(at, _)| {
                let rest = word.get(at + package.len()..).unwrap_or_default();
                let before = word.get(..at).unwrap_or_default();
                (before.is_empty() || before.ends_with(['/', ':', '#']))
                    && (rest.is_empty() || rest.starts_with(['/', '@', ':']))
            })
    };
    if let Some((_, agent)) = agent_packages().find(is_inside) {
        return Some(agent);
    }
    let name = word.rsplit(['/', '#']).next().unwrap_or(word);
    let name = name.split(['@', ':']).find(|part| !part.is_empty()).unwrap_or(name);
    let ends = [".exe", ".cmd", ".ps1", ".js", ".mjs", ".cjs"];
    let name = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let is_last = |(package, _): &(&str, &Agent)| {
        let last = package.rsplit('/').next().unwrap_or(package);
        last != "cli" && last == name
    };
    agent_by_program(name).or_else(|| agent_packages().find(is_last).map(|(_, agent)| agent))
}

/// Returns the agent that a program starts with these arguments, and the index at which the agent's
/// own arguments begin.
#[must_use]
pub fn find_launched_agent(program: &str, args: &[String]) -> Option<(&'static Agent, usize)> {
    if let Some(agent) = find_agent_by_argument(program) {
        return Some((agent, 0));
    }
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (_, verbs) = LAUNCHERS.iter().find(|(name, _)| *name == program || *name == plain)?;
    let operands = || args.iter().enumerate().filter(|(_, arg)| !arg.starts_with('-'));
    let from = match verbs {
        [] => 0,
        verbs => operands().find(|(_, arg)| verbs.contains(&arg.as_str()))?.0 + 1,
    };
    let installs = operands().next().is_some_and(|(_, arg)| INSTALLS.contains(&arg.as_str()));
    let mut named = operands().filter(|(at, _)| *at >= from && !installs);
    let (agent, at) = named.find_map(|(at, arg)| Some((find_agent_by_argument(arg)?, at + 1)))?;
    // `npm exec PACKAGE -- ARGUMENTS`
    Some((agent, at + usize::from(args.get(at).is_some_and(|arg| arg == "--"))))
}

/// Returns true if a program passes variables to what it starts, as arguments of the form
/// `NAME=VALUE`.
#[must_use]
pub fn passes_env_assignments(program: &str) -> bool {
    CARRIERS.contains(&program)
}

/// Returns true if a program sets variables for programs that start later.
#[must_use]
pub fn sets_persistent_variables(program: &str, args: &[String]) -> bool {
    let has =
        |verbs: &[&str]| verbs.is_empty() || args.iter().any(|arg| verbs.contains(&arg.as_str()));
    SETTERS.iter().any(|(name, verbs)| *name == program && has(verbs))
}

/// Returns the variables that make an agent read other files, as written in the table of agents.
pub fn config_path_variables() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().flat_map(|agent| agent.guarded.variables).chain(HOMES).copied()
}

/// Returns true if a variable makes some agent read other files.
#[must_use]
pub fn redirects_any_agent_config(variable: &str) -> bool {
    AGENTS.iter().any(|agent| agent.is_redirected_by_variable(variable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_is_known_by_each_of_its_names() {
        for (word, name) in [
            ("claude", "claude"),
            ("claude-code@latest", "claude"),
            ("@anthropic-ai/claude-code", "claude"),
            ("npm:@anthropic-ai/claude-code@1.0", "claude"),
            ("./node_modules/@anthropic-ai/claude-code/cli.js", "claude"),
            ("/usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"),
            ("nixpkgs#gemini-cli", "gemini"),
            ("ghcr.io/x/claude-code:latest", "claude"),
            ("@factory/cli@2", "droid"),
        ] {
            assert_eq!(find_agent_by_argument(word).map(|agent| agent.name), Some(name), "{word}");
        }
        for word in [
            "prettier",
            "-claude",
            "@vue/cli",
            "claude is here",
            "claude.md",
            "my-claude-code",
            "node:20",
        ] {
            assert!(find_agent_by_argument(word).is_none(), "{word}");
        }
    }

    #[test]
    fn launcher_starts_the_agent_behind_its_verb() {
        let launched = |line: &str| {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (program, args) = args.split_first()?;
            super::find_launched_agent(program, args).map(|(agent, at)| (agent.name, at))
        };
        assert_eq!(launched("npx -y @anthropic-ai/claude-code -p hi"), Some(("claude", 2)));
        assert_eq!(launched("docker run -it x/claude-code:1 --bare"), Some(("claude", 3)));
        assert_eq!(launched("node cli/claude.js --bare"), Some(("claude", 1)));
        for line in [
            "npm install -g @openai/codex --yolo",
            "npm view @openai/codex version",
            "npx prettier",
            "docker build -t claude .",
        ] {
            assert_eq!(launched(line), None, "{line}");
        }
    }
}
