//! The packages that tell what agents do, and how to read each. Data, and the two commands that get a package.

use std::path::Path;
use std::process::Command;

use super::package::Package;
use crate::error::Error;

/// Where a package comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Registry {
    Npm,
    PyPi,
}

/// How facts are read from the files of a package.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reading {
    /// A file of TypeScript declares `HOOK_EVENTS`, and a type for the input and the output of each event.
    Types,
    /// JSON schemas of the input and the output of hooks stand in a program.
    Schemas,
    /// Names of events stand in quotes and near each other.
    Lists,
    /// Names of events stand in quotes behind a text.
    After(&'static str),
    /// Names of events stand in quotes between two texts.
    Between(&'static str, &'static str),
    /// Names of events stand side by side without quotes, as in programs in Rust.
    Joined,
}

/// An agent's package.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    /// The agent's name in our tables.
    pub(super) agent: &'static str,
    pub(super) registry: Registry,
    /// The package whose files tell most; it need not be the one that people install.
    pub(super) package: &'static str,
    /// What follows the version in the name of the release for one machine.
    pub(super) suffix: &'static str,
    /// The folders of `agents` whose tables are compared.
    pub(super) tables: &'static [&'static str],
    pub(super) readings: &'static [Reading],
    /// Whether its program holds texts as UTF-16.
    pub(super) is_utf16: bool,
}

const fn npm(agent: &'static str, package: &'static str, readings: &'static [Reading]) -> Watched {
    Watched {
        agent,
        registry: Registry::Npm,
        package,
        suffix: "",
        tables: &[],
        readings,
        is_utf16: false,
    }
}

/// Every agent whose package can be had.
pub(super) static WATCHED: &[Watched] = &[
    Watched {
        tables: &["claude"],
        ..npm("claude", "@anthropic-ai/claude-agent-sdk", &[Reading::Types])
    },
    Watched {
        tables: &["codex"],
        suffix: "-linux-x64",
        ..npm("codex", "@openai/codex", &[Reading::Schemas])
    },
    Watched {
        tables: &["copilot"],
        ..npm("copilot", "@github/copilot-linux-x64", &[Reading::Lists])
    },
    Watched {
        tables: &["opencode"],
        ..npm("opencode", "opencode-linux-x64", &[Reading::After(".trigger(")])
    },
    Watched {
        tables: &["kilo", "opencode"],
        ..npm("kilo", "@kilocode/cli-linux-x64", &[Reading::After(".trigger(")])
    },
    Watched {
        tables: &["pi"],
        ..npm("pi", "@earendil-works/pi-coding-agent", &[Reading::After(" on(event: ")])
    },
    Watched {
        tables: &["goose"],
        ..npm("goose", "@aaif/goose-binary-linux-x64", &[Reading::Joined])
    },
    Watched { tables: &["qwen"], ..npm("qwen", "@qwen-code/qwen-code", &[Reading::Lists]) },
    Watched { tables: &["cline"], ..npm("cline", "@cline/cli-linux-x64", &[Reading::Lists]) },
    Watched { tables: &["gemini"], ..npm("gemini", "@google/gemini-cli", &[Reading::Lists]) },
    Watched { tables: &["droid"], ..npm("droid", "@factory/cli-linux-x64", &[Reading::Lists]) },
    Watched {
        tables: &["vibe"],
        registry: Registry::PyPi,
        ..npm("vibe", "mistral-vibe", &[Reading::Lists])
    },
    Watched {
        tables: &["hermes"],
        registry: Registry::PyPi,
        ..npm("hermes", "hermes-agent", &[Reading::Lists])
    },
    Watched { tables: &["kimi"], ..npm("kimi", "@moonshot-ai/kimi-code", &[Reading::Lists]) },
    Watched {
        tables: &["openclaw"],
        ..npm("openclaw", "openclaw", &[Reading::Between("type PluginHookName = ", ";")])
    },
    Watched {
        tables: &["amp"],
        is_utf16: true,
        ..npm(
            "amp",
            "@ampcode/cli-linux-x64",
            &[Reading::Between("interface PluginEventMap {", "}")],
        )
    },
    Watched { tables: &["cursor"], ..npm("cursor", "@cursor/sdk", &[Reading::Lists]) },
    Watched { tables: &["augment"], ..npm("augment", "@augmentcode/auggie", &[Reading::Lists]) },
    Watched {
        registry: Registry::PyPi,
        tables: &["antigravity"],
        ..npm("antigravity", "google-antigravity", &[Reading::Lists])
    },
];

impl Watched {
    /// Asks the registry for the newest version.
    pub(super) fn newest_version(&self) -> Result<String, Error> {
        let output = match self.registry {
            Registry::Npm => run_command("npm", &["view", self.package, "version"])?,
            Registry::PyPi => run_command(
                "python3",
                &["-m", "pip", "--disable-pip-version-check", "index", "versions", self.package],
            )?,
        };
        let first = output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        // pip prints `NAME (VERSION)`, npm the version alone.
        let version = first.trim().rsplit(['(', ' ']).next().unwrap_or_default();
        let version = version.trim_end_matches(')');
        if version.starts_with(|c: char| c.is_ascii_digit()) {
            Ok(version.to_owned())
        } else {
            Err(Error::Invalid(format!("no version of `{}` in: {first}", self.package)))
        }
    }

    /// Downloads a version into a new folder below `folder`, and opens it.
    pub(super) fn download(&self, version: &str, folder: &Path) -> Result<Package, Error> {
        let folder = folder.join(format!("{}-{version}.package", self.agent));
        std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        let place = folder.display().to_string();
        match self.registry {
            Registry::Npm => {
                let release = format!("{}@{version}{}", self.package, self.suffix);
                run_command("npm", &["pack", "--silent", "--pack-destination", &place, &release])?;
            }
            Registry::PyPi => {
                let release = format!("{}=={version}", self.package);
                let args =
                    ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", &place, &release];
                run_command("python3", &args)?;
            }
        }
        let entries = std::fs::read_dir(&folder).map_err(Error::file(&folder))?;
        let file = entries.flatten().map(|entry| entry.path()).find(|path| path.is_file());
        let file = file.ok_or_else(|| Error::Invalid(format!("no file in {place}")))?;
        let mut package = Package::open(&file)?;
        version.clone_into(&mut package.version);
        Ok(package)
    }
}

/// Runs a program to its end, and returns what it printed.
fn run_command(program: &str, args: &[&str]) -> Result<String, Error> {
    let output = Command::new(program).args(args).output().map_err(Error::spawn(program))?;
    if !output.status.success() {
        return Err(Error::failed(format!("{program} {}", args.join(" ")), &output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
