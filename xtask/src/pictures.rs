//! `cargo xtask pictures`: are the pictures of the README what the program says on a terminal? `--bless` draws them anew.
//! Each is a real output, in a project that is the same on every machine, drawn for light and dark pages.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anstyle_svg::Term;

use crate::error::Error;
use crate::{Report, tree};

const FOLDER: &str = "docs/pictures";

/// One picture: its file, the project that it is taken in, the command line, and what it shows to who cannot see it.
struct Picture {
    file: &'static str,
    project: fn(&Path) -> Result<(), Error>,
    args: &'static [&'static str],
    title: &'static str,
}

const PICTURES: &[Picture] = &[
    Picture {
        file: "check.svg",
        project: mistakes,
        args: &["check"],
        title: "tenterhook check points at a matcher that can never match, at an event that does not exist, and at a program that is not installed",
    },
    Picture {
        file: "explain.svg",
        project: examples,
        args: &["explain", "Bash", "sudo git push -f"],
        title: "tenterhook explain says which hooks run for a forced push behind sudo, and why each other hook does not",
    },
    Picture {
        file: "list.svg",
        project: examples,
        args: &["list"],
        title: "tenterhook list shows every hook with its event, its matcher and what it runs",
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
    .dimmed { opacity: 0.7 }
    @media (prefers-color-scheme: light) {
      .fg { fill: #1f2328 }
      .bg { fill: #f6f8fa }
      .fg-red, .fg-bright-red { fill: #a40e26 }
      .fg-yellow, .fg-bright-yellow { fill: #7a4d00 }
      .fg-green, .fg-bright-green { fill: #116329 }
      .fg-cyan, .fg-bright-cyan { fill: #0a5c78 }
      .fg-blue, .fg-bright-blue { fill: #0550ae }
    }
  </style>
";

pub(crate) fn run(args: &[&str]) -> Report {
    let bless = args.contains(&"--bless");
    tree::build("tenterhook-cli")?;
    let (mut report, mut holds) = (String::new(), true);
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
        let fixture = Fixture::new()?;
        (self.project)(&fixture.project())?;
        fixture.approve()?;
        let report = fixture.run(self.args)?;
        let typed: Vec<String> = self.args.iter().map(|arg| quoted(arg)).collect();
        let shown = format!("\u{1b}[1m$ tenterhook {}\u{1b}[0m\n{report}", typed.join(" "));
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

/// A temporary home and project.
struct Fixture(std::path::PathBuf);

impl Fixture {
    fn new() -> Result<Self, Error> {
        // Under the build: what is left behind by a picture that could not be drawn goes with it.
        let fixture = Self(tree::root().join("target/pictures"));
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
            .env("COLUMNS", COLUMNS)
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
