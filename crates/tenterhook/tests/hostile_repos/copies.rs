//! Hooks of several files run unchanged from their copies. Each row is a shape in which public
//! repositories call theirs; the project's files are removed before the hook fires.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::repository::{Repository, Step};

/// One shape.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: String,
    /// The line in Claude Code's settings; without it, a `tenterhook.toml` among the files is used.
    command: Option<String>,
    /// The program without which it cannot be tried.
    needs: Option<String>,
    /// Finds its files by the project's path and not beside itself: then they are left where they
    /// lie.
    #[serde(default)]
    by_project: bool,
    #[serde(default)]
    link: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Shapes {
    shape: Vec<Shape>,
}

const DENIAL: &str = "denied by the library";

fn is_there(program: &str) -> bool {
    ["/usr/bin", "/bin"].iter().any(|path| Path::new(path).join(program).is_file())
}

/// T-20, T-6, T-8: sibling files, `$0`-relative paths, packages and declared files are found from
/// the copy.
#[tokio::test]
async fn hooks_of_several_files_run_unchanged_from_where_they_are_kept() {
    let shapes: Shapes = toml::from_str(include_str!("copies.toml")).expect("the shapes");
    let call: Step =
        toml::from_str("fire = { event = 'PreToolUse', with = { tool_name = 'Bash' } }")
            .expect("a step");
    let fired = call.fire.as_ref().expect("an event");
    let (mut ran, mut failed) = (0, Vec::new());
    for shape in &shapes.shape {
        let name = &shape.name;
        if let Some(program) = shape.needs.as_deref().filter(|need| !is_there(need)) {
            eprintln!("NOT TRIED, for want of `{program}`: {name}");
            continue;
        }
        let repository = Repository::new();
        if let Some(command) = &shape.command {
            let hook = serde_json::json!({"type": "command", "command": command});
            let settings = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
            repository.write("project/.claude/settings.json", &settings.to_string());
        }
        for (path, text) in &shape.files {
            repository.write(&format!("project/{path}"), text);
        }
        for (path, target) in &shape.link {
            #[cfg(unix)]
            std::os::unix::fs::symlink(target, repository.path(&format!("project/{path}")))
                .expect("a link");
        }
        repository.approve();
        let (engine, _) = repository.engine();
        if !shape.by_project {
            empty(&repository.path("project"));
        }
        let came = repository.fire_on(&engine, fired).await;
        if came.decision != "deny" || !came.reason.contains(DENIAL) {
            failed.push(format!("{name}: {came:#?}"));
        }
        ran += 1;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran >= 20, "only {ran} shapes ran");
}

fn empty(project: &Path) {
    for entry in fs::read_dir(project).expect("the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            fs::remove_dir_all(path).expect("removed");
        } else {
            fs::remove_file(path).expect("removed");
        }
    }
}
