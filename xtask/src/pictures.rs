//! `cargo xtask pictures`: are the pictures of the README what the program says on a terminal? `--bless` draws them anew.
//! Each is a real output, in a project that is the same on every machine, or a screen that `--record` recorded, drawn for light and
//! dark pages.

mod record;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anstyle_svg::Term;

use crate::error::Error;
use crate::{Report, tree};

const FOLDER: &str = "docs/pictures";

/// One picture: its file, its content, and a description for people who cannot see it.
struct Picture {
    file: &'static str,
    source: Source,
    title: &'static str,
}

/// The content of a picture.
enum Source {
    /// The output of a command line, in a project, on a terminal with a number of columns.
    Output {
        project: fn(&Path) -> Result<(), Error>,
        args: &'static [&'static str],
        columns: &'static str,
    },
    /// A recorded screen, below the command line that it belongs to.
    Recording { file: &'static str, command: &'static str },
}

const PICTURES: &[Picture] = &[
    Picture {
        file: "check.svg",
        source: Source::Output { project: mistakes, args: &["check"], columns: COLUMNS },
        title: "tenterhook check points at a matcher that can never match, at an event that does not exist, and at a program that is not installed",
    },
    Picture {
        file: "explain.svg",
        source: Source::Output {
            project: examples,
            args: &["explain", "Bash", "sudo git push -f"],
            columns: WIDE,
        },
        title: "tenterhook explain says which hooks run for a forced push behind sudo, and why each other hook does not",
    },
    Picture {
        file: "list.svg",
        source: Source::Output { project: examples, args: &["list"], columns: COLUMNS },
        title: "tenterhook list shows every hook with its event, its matcher and what it runs",
    },
    Picture {
        file: "claude-denial.svg",
        source: Source::Recording {
            file: RECORDING,
            command: "claude   # Claude Code 2.1.332; Ctrl+O shows the whole reason",
        },
        title: "In Claude Code, a forced push is not run: the hook denied it, with its reason and the commands that explain it or allow it once",
    },
];

/// Slips that people make.
const MISTAKES: &str = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash(git *)", "hooks": [{ "type": "command", "command": "true" }] },
      { "matcher": "Write", "hooks": [{ "type": "command", "command": "lint-secrets --strict" }] }
    ],
    "PostToolUze": []
  }
}
"#;

/// How wide the terminal is: two pictures fit beside each other on no page, and one on every.
const COLUMNS: &str = "84";

/// For a table with sentences in it: on fewer columns, each would take five lines.
const WIDE: &str = "104";

/// The screen that `--record` stores.
const RECORDING: &str = "claude-denial.ansi";

/// The colours on dark pages and on light ones, in the place of those that the crate knows for a dark one. Each has a contrast
/// of at least 4.5 to its ground, what is dimmed too.
const COLOURS: &str = "\
  <style>
    .fg { fill: #d1d7e0 }
    .bg { fill: #0d1117 }
    .fg-red, .fg-bright-red { fill: #ff7b72 }
    .fg-yellow, .fg-bright-yellow { fill: #e3b341 }
    .fg-green, .fg-bright-green { fill: #56d364 }
    .fg-cyan, .fg-bright-cyan { fill: #76e3ea }
    .fg-blue, .fg-bright-blue { fill: #79c0ff }
    .fg-white, .fg-bright-white { fill: #d1d7e0 }
    .dimmed { opacity: 0.7 }
    @media (prefers-color-scheme: light) {
      .fg { fill: #1f2328 }
      .bg { fill: #f6f8fa }
      .fg-red, .fg-bright-red { fill: #a40e26 }
      .fg-yellow, .fg-bright-yellow { fill: #7a4d00 }
      .fg-green, .fg-bright-green { fill: #116329 }
      .fg-cyan, .fg-bright-cyan { fill: #0a5c78 }
      .fg-blue, .fg-bright-blue { fill: #0550ae }
      .fg-white, .fg-bright-white { fill: #1f2328 }
    }
  </style>
";

pub(crate) fn run(args: &[&str]) -> Report {
    let bless = args.contains(&"--bless");
    tree::build("tenterhook-cli")?;
    let (mut report, mut holds) = (String::new(), true);
    if args.contains(&"--record") {
        let path = tree::root().join(FOLDER).join(RECORDING);
        std::fs::write(&path, record::record()?).map_err(Error::file(&path))?;
        let _ = writeln!(report, "recorded {FOLDER}/{RECORDING}");
    }
    for picture in PICTURES {
        let path = tree::root().join(FOLDER).join(picture.file);
        let drawn = picture.draw()?;
        let same = std::fs::read_to_string(&path).is_ok_and(|text| text == drawn);
        if !same && bless {
            std::fs::write(&path, drawn).map_err(Error::file(&path))?;
        }
        let word = match (same, bless) {
            (true, _) => "ok     ",
            (false, true) => "drawn  ",
            (false, false) => "CHANGED",
        };
        holds &= same || bless;
        let _ = writeln!(report, "{word} {FOLDER}/{}", picture.file);
    }
    if !holds {
        report.push_str("`cargo xtask pictures --bless` draws them anew\n");
    }
    Ok((report, holds))
}

impl Picture {
    fn draw(&self) -> Result<String, Error> {
        let (command, output) = match &self.source {
            Source::Output { project, args, columns } => {
                let fixture = Fixture::new(columns)?;
                project(&fixture.project())?;
                fixture.approve()?;
                let words: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
                (format!("tenterhook {}", words.join(" ")), fixture.run(args)?)
            }
            Source::Recording { file, command } => {
                let path = tree::root().join(FOLDER).join(file);
                let screen = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
                // The grey of the prompt would be drawn with blocks, which have gaps in many fonts.
                ((*command).to_owned(), screen.replace("\u{1b}[100m", ""))
            }
        };
        let shown = format!("\u{1b}[1m$ {command}\u{1b}[0m\n{output}");
        let svg = Term::new().render_svg(shown.trim_end());
        self.titled(&svg)
            .ok_or_else(|| Error::Invalid("the picture has another shape than is known".to_owned()))
    }

    /// With a name for those who hear it, and colours for light pages.
    fn titled(&self, svg: &str) -> Option<String> {
        let (open, rest) = svg.split_once(">\n")?;
        let (style, body) = rest.split_once("</style>\n")?;
        let title = self.title;
        Some(format!(
            "{open} role=\"img\" aria-labelledby=\"title\">\n  <title id=\"title\">{title}</title>\n{style}</style>\n{COLOURS}{body}"
        ))
    }
}

/// As it is typed into a shell.
fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("'{word}'") } else { word.to_owned() }
}

/// A temporary home and project, and the width of the terminal.
struct Fixture(std::path::PathBuf, &'static str);

impl Fixture {
    fn new(columns: &'static str) -> Result<Self, Error> {
        // Under the build: what is left behind by a picture that could not be drawn goes with it.
        let fixture = Self(tree::root().join("target/pictures"), columns);
        let _ = std::fs::remove_dir_all(&fixture.0);
        for folder in ["home", "project/.git", "tmp"] {
            std::fs::create_dir_all(fixture.0.join(folder)).map_err(Error::other)?;
        }
        Ok(fixture)
    }

    fn project(&self) -> std::path::PathBuf {
        self.0.join("project")
    }

    /// The person looked at the hooks of the project, and said yes.
    fn approve(&self) -> Result<(), Error> {
        let status = self.run(&["trust", "status"])?;
        let is_digest =
            |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let plain = status.replace('\u{1b}', " \u{1b}").replace('m', "m ");
        for digest in plain.split_whitespace().filter(is_digest) {
            self.run(&["trust", "--yes", digest])?;
        }
        Ok(())
    }

    /// What the program says to a terminal; both streams, as they would stand below each other there.
    fn run(&self, args: &[&str]) -> Result<String, Error> {
        let output = Command::new(tree::root().join("target/debug/tenterhook"))
            .args(["--color", "always"])
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.0.join("home"))
            .env("TMPDIR", self.0.join("tmp"))
            .env("PATH", "/usr/bin:/bin")
            .env("COLUMNS", self.1)
            .output()
            .map_err(Error::spawn("tenterhook"))?;
        let report = [output.stderr, output.stdout].concat();
        String::from_utf8(report).map_err(Error::other)
    }
}

fn mistakes(project: &Path) -> Result<(), Error> {
    let folder = project.join(".claude");
    let written = std::fs::create_dir(&folder)
        .and_then(|()| std::fs::write(folder.join("settings.json"), MISTAKES));
    written.map_err(Error::other)
}

fn examples(project: &Path) -> Result<(), Error> {
    let from = tree::root().join("examples");
    for name in ["tenterhook.toml", "hooks", ".claude"] {
        copy(&from.join(name), &project.join(name)).map_err(Error::file(name))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return std::fs::copy(from, to).map(drop);
    }
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
