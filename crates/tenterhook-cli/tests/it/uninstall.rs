//! What `uninstall` leaves of folders and links: those of `install` go, and those of the person stay. What it takes out of files stands in
//! `install.rs`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::room::Room;

/// Everything below a directory.
fn all(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.is_symlink() {
            found.extend(all(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

fn run(room: &Room, line: &str) -> String {
    let said = room.run(&line.split(' ').collect::<Vec<_>>(), "");
    assert_eq!(said.code, 0, "{line}: {}", said.all());
    said.all()
}

/// BR-60, BR-115.
#[test]
fn a_folder_that_install_made_is_gone_and_one_that_was_there_stays() {
    const AGENTS: &str = "claude codex copilot opencode goose qwen cline gemini";
    for there in [&[][..], &["home/.claude", "home/.config", "home/.cline/hooks"]] {
        let room = Room::new().unapproved();
        for folder in there {
            fs::create_dir_all(room.path(folder)).unwrap();
        }
        let before = all(&room.path("home"));
        run(&room, &format!("install {AGENTS}"));
        run(&room, "install claude --scope project");
        run(&room, "uninstall --all");
        run(&room, "uninstall claude --scope project");
        assert_eq!(all(&room.path("home")), before);
        assert_eq!(all(&room.path("project")), [] as [PathBuf; 0]);
        // One after the other, the first one made first.
        AGENTS.split(' ').for_each(|agent| drop(run(&room, &format!("install {agent}"))));
        AGENTS.split(' ').for_each(|agent| drop(run(&room, &format!("uninstall {agent}"))));
        assert_eq!(all(&room.path("home")), before);
        // What somebody put there since keeps its folder.
        run(&room, "install qwen");
        room.write("home/.qwen/mine", "");
        run(&room, "uninstall qwen");
        assert!(room.path("home/.qwen/mine").exists());
    }
}

/// BR-60: a project may have the name that our own folders have.
#[test]
fn a_folder_of_a_project_called_tenterhook_stays() {
    let room = Room::new();
    fs::create_dir_all(room.path("project/tenterhook/.claude")).unwrap();
    for line in ["install", "uninstall"] {
        let line = format!("cd tenterhook && tenterhook {line} claude --scope project");
        let output = room.shell(&line);
        assert_eq!(output.code, 0, "{}", output.all());
    }
    assert!(room.path("project/tenterhook/.claude").is_dir());
}

/// BR-77.
#[test]
fn a_link_to_settings_stays_and_what_it_leads_to_holds_nothing_of_ours() {
    for adopt in ["", " --adopt"] {
        let room = Room::new();
        run(&room, &format!("install claude{adopt}"));
        let (place, own) =
            (room.path("home/.claude/settings.json"), room.path("home/dotfiles.json"));
        fs::rename(&place, &own).unwrap();
        symlink(&own, &place).unwrap();
        run(&room, "uninstall claude");
        assert_eq!(fs::read_link(&place).unwrap(), own);
        assert_eq!(fs::read_to_string(&own).unwrap(), "{}\n");
        assert!(run(&room, "uninstall claude").contains("nothing to change"));
    }
}

/// BR-77: whose the file is that a link leads to, nobody knows; a repository may bring the link.
#[test]
fn a_link_in_the_place_of_a_file_of_ours_goes_alone_and_that_is_said() {
    let room = Room::new();
    run(&room, "install opencode");
    let plugin = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "js" || extension == "ts")
    };
    let place = all(&room.path("home")).into_iter().find(plugin).unwrap();
    let own = room.path("home/kept.js");
    fs::rename(&place, &own).unwrap();
    symlink(&own, &place).unwrap();
    let kept = fs::read(&own).unwrap();
    for line in ["uninstall opencode --dry-run", "uninstall opencode"] {
        let text = run(&room, line);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("is a link: the link goes, and `"), "{text}");
        assert!(words.contains("kept.js` stays as it is"), "{text}");
    }
    assert!(place.symlink_metadata().is_err());
    assert_eq!(fs::read(&own).unwrap(), kept);
}
