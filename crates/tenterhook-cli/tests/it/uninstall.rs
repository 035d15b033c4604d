//! What `uninstall` leaves of folders and links: those of `install` go, and those of the person stay. What it takes out of files stands in
//! `install.rs`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::fixture::{Fixture, installable_agents};

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

fn run(fixture: &Fixture, line: &str) -> String {
    let said = fixture.run(&line.split(' ').collect::<Vec<_>>(), "");
    assert_eq!(said.code, 0, "{line}: {}", said.all());
    said.all()
}

/// BR-60, BR-115.
#[test]
fn a_folder_that_install_made_is_gone_and_one_that_was_there_stays() {
    let agents = installable_agents();
    for there in [&[][..], &["home/.claude", "home/.config", "home/.cline/hooks"]] {
        let fixture = Fixture::new().unapproved();
        for folder in there {
            fs::create_dir_all(fixture.path(folder)).unwrap();
        }
        let before = all(&fixture.path("home"));
        run(&fixture, &format!("install --experimental {}", agents.join(" ")));
        run(&fixture, "install claude --scope project");
        run(&fixture, "uninstall --all");
        run(&fixture, "uninstall claude --scope project");
        assert_eq!(all(&fixture.path("home")), before);
        assert_eq!(all(&fixture.path("project")), [] as [PathBuf; 0]);
        // One after the other, the first one made first.
        agents
            .iter()
            .for_each(|agent| drop(run(&fixture, &format!("install --experimental {agent}"))));
        agents.iter().for_each(|agent| drop(run(&fixture, &format!("uninstall {agent}"))));
        assert_eq!(all(&fixture.path("home")), before);
        // What somebody put there since keeps its folder.
        run(&fixture, "install qwen");
        fixture.write("home/.qwen/mine", "");
        run(&fixture, "uninstall qwen");
        assert!(fixture.path("home/.qwen/mine").exists());
    }
}

/// BR-60: a project may have the name that our own folders have.
#[test]
fn a_folder_of_a_project_called_tenterhook_stays() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.path("project/tenterhook/.claude")).unwrap();
    for line in ["install", "uninstall"] {
        let line = format!("cd tenterhook && tenterhook {line} claude --scope project");
        let output = fixture.shell(&line);
        assert_eq!(output.code, 0, "{}", output.all());
    }
    assert!(fixture.path("project/tenterhook/.claude").is_dir());
}

/// BR-77.
#[test]
fn a_link_to_settings_stays_and_what_it_leads_to_holds_nothing_of_ours() {
    for adopt in ["", " --adopt"] {
        let fixture = Fixture::new();
        run(&fixture, &format!("install claude{adopt}"));
        let (place, own) =
            (fixture.path("home/.claude/settings.json"), fixture.path("home/dotfiles.json"));
        fs::rename(&place, &own).unwrap();
        symlink(&own, &place).unwrap();
        run(&fixture, "uninstall claude");
        assert_eq!(fs::read_link(&place).unwrap(), own);
        assert_eq!(fs::read_to_string(&own).unwrap(), "{}\n");
        assert!(run(&fixture, "uninstall claude").contains("nothing to change"));
    }
}

/// BR-62, BR-117: a module that somebody changed stays.
#[test]
fn module_with_a_line_of_the_user_is_not_removed() {
    for (agent, place) in [
        ("pi", "home/.pi/agent/extensions/zz-tenterhook.js"),
        ("opencode", "home/.config/opencode/plugin/tenterhook.js"),
        ("kilo", "home/.config/kilo/plugin/tenterhook.js"),
    ] {
        let fixture = Fixture::new();
        run(&fixture, &format!("install {agent}"));
        let text = fs::read_to_string(fixture.path(place)).unwrap();
        let mine = text.replace("const LONGEST_REPLY", "let mine = 1\nconst LONGEST_REPLY");
        for changed in [mine, format!("{text}export const mine = 1\n"), text.replace("GONE", "G")] {
            fixture.write(place, &changed);
            for verb in ["uninstall", "install"] {
                let output = fixture.run(&[verb, agent], "");
                assert!(output.code == 1, "{}", output.all());
                let text = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(text.contains("did not write this"), "{text}");
                assert_eq!(fs::read_to_string(fixture.path(place)).unwrap(), changed);
            }
        }
        fixture.write(place, &text);
        run(&fixture, &format!("uninstall {agent}"));
        assert!(!fixture.path(place).exists());
    }
}

/// BR-77: the owner of a link's target is unknown; a repository may bring the link.
#[test]
fn a_link_in_the_place_of_a_file_of_ours_goes_alone_and_that_is_said() {
    let fixture = Fixture::new();
    run(&fixture, "install opencode");
    let plugin = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "js" || extension == "ts")
    };
    let place = all(&fixture.path("home")).into_iter().find(plugin).unwrap();
    let own = fixture.path("home/kept.js");
    fs::rename(&place, &own).unwrap();
    symlink(&own, &place).unwrap();
    let kept = fs::read(&own).unwrap();
    for line in ["uninstall opencode --dry-run", "uninstall opencode"] {
        let text = run(&fixture, line);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("is a link: the link goes, and `"), "{text}");
        assert!(words.contains("kept.js` stays as it is"), "{text}");
    }
    assert!(place.symlink_metadata().is_err());
    assert_eq!(fs::read(&own).unwrap(), kept);
}
