//! Where an agent runs: a home and a project that are removed when dropped, and the hook that
//! plays a way.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::agent::Event;
use crate::way::Way;

/// The hook of every play: keeps what it is given, finds the way that the call names, and is that way.
const HOOK: &str = r#"# Says what the way says that the call names, and keeps that it was asked.
here=$(dirname "$0")
in=$(cat)
event=$1
way=$(printf '%s' "$in" | tr '" \\' '\n\n\n' | sed -n 's/.*WAY-\([a-z0-9-]*\)-END.*/\1/p' | head -n 1)
printf '%s\n' "$in" >>"$here/given/$event.json"
echo x >>"$here/fired/$event.${way:-any}"
for it in "$here/ways/$event.$way.sh" "$here/ways/$event.any.sh"; do
  if [ -f "$it" ]; then
    nth=$(wc -l <"$here/fired/$event.${way:-any}")
    export nth
    printf '%s' "$in" | sh "$it"
    exit $?
  fi
done
exit 0
"#;

/// An MCP server with one tool, `ping`, which leaves a mark as the shell's calls do.
const MCP: &str = r#"# A server of the Model Context Protocol with one tool, `ping`.
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id" *: *\("[^"]*"\|[0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case $line in
  *'"initialize"'*)
    version=$(printf '%s' "$line" | sed -n 's/.*"protocolVersion" *: *"\([^"]*\)".*/\1/p')
    say '{"protocolVersion":"'"${version:-2025-03-26}"'","capabilities":{"tools":{}},"serverInfo":{"name":"probe","version":"1"}}' ;;
  *'"tools/list"'*)
    say '{"tools":[{"name":"ping","description":"Answers","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}' ;;
  *'"tools/call"'*)
    way=$(printf '%s' "$line" | sed -n 's/.*WAY-\([a-z0-9-]*\)-END.*/\1/p')
    : >"{marks}/ran.$way"
    say '{"content":[{"type":"text","text":"pong"}]}' ;;
  *'"method":"ping"'*) say '{}' ;;
  # A client of a later protocol first asks for the server's features and falls back to
  # `initialize` on an error.
  *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}\n' "$id" ;;
  esac
done
"#;

/// A scratch home and project.
#[derive(Debug)]
pub struct Fixture {
    root: TempDir,
}

impl Fixture {
    /// A new one, under `parent`, with the hook and the ways that it knows.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new(parent: &Path, ways: &[Way]) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("tenterhook-probe-").tempdir_in(parent)?;
        let fixture = Self { root };
        for directory in [
            "home",
            "project/marks",
            "project/.git",
            "hook/ways",
            "hook/fired",
            "hook/given",
            "tmp",
        ] {
            std::fs::create_dir_all(fixture.path_of(directory))?;
        }
        std::fs::write(fixture.hook_script_path(), HOOK)?;
        let marks = fixture.path_of("project/marks").display().to_string();
        std::fs::write(fixture.mcp_script_path(), MCP.replace("{marks}", &marks))?;
        for way in ways {
            std::fs::write(fixture.way_path(way), &way.text)?;
        }
        Ok(fixture)
    }

    /// Returns the path of the script of a way.
    pub(crate) fn way_path(&self, way: &Way) -> PathBuf {
        self.path_of(&format!("hook/ways/{}", way.script_file_name()))
    }

    /// Returns the path of `name` in the fixture.
    #[must_use]
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Returns the home directory of the fixture's user.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.path_of("home")
    }

    /// Returns the project directory in which the agent works.
    #[must_use]
    pub fn project_dir(&self) -> PathBuf {
        self.path_of("project")
    }

    /// Returns the path of the script that is registered as every hook.
    #[must_use]
    pub fn hook_script_path(&self) -> PathBuf {
        self.path_of("hook/hook.sh")
    }

    /// Returns the command line of the hook for an event.
    #[must_use]
    pub fn hook_command_line(&self, event: Event) -> String {
        format!("sh {} {}", self.hook_script_path().display(), event.name())
    }

    /// Returns the path of the script that is the MCP server.
    #[must_use]
    pub fn mcp_script_path(&self) -> PathBuf {
        self.path_of("hook/mcp.sh")
    }

    /// Writes a file, and the directories above it.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_file(&self, path: &Path, text: &str) -> io::Result<()> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)
    }

    /// Returns the names of the mark files that tools created.
    #[must_use]
    pub fn created_mark_file_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            directory_entries(&self.path_of("project/marks")).map(|entry| entry.0).collect();
        names.sort_unstable();
        names
    }

    /// Returns how often the hook was called, by event and way: `Before.deny`.
    #[must_use]
    pub fn hook_call_counts(&self) -> BTreeMap<String, usize> {
        let count =
            |path: PathBuf| std::fs::read_to_string(path).map_or(0, |text| text.lines().count());
        directory_entries(&self.path_of("hook/fired"))
            .map(|(name, path)| (name, count(path)))
            .collect()
    }

    /// Returns the inputs that the hook received for an event, one after the other.
    #[must_use]
    pub fn hook_inputs(&self, event: &str) -> String {
        std::fs::read_to_string(self.path_of(&format!("hook/given/{event}.json")))
            .unwrap_or_default()
    }
}

fn directory_entries(directory: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
}
