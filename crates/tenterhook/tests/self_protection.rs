//! The pack `self-protection` does what it says: its rules hold on every attempt of the tables in
//! every form, and are silent on ordinary work. The tables stand in `conformance/self-protection`,
//! for other engines too.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail"
)]

mod pack;
mod tables;

use std::collections::BTreeSet;
use std::sync::Arc;

use tenterhook_core::agents::{AGENTS, Agent};
use tenterhook_core::answer::Restraint;
use tenterhook_core::protect::{self, OWN_COMMANDS};
use tenterhook_core::rule::{Files, Rule, RuleInput};

use tables::{Guard, judge};

fn rules() -> Vec<(String, Rule)> {
    pack::rules(protect::NAME)
}

fn guards() -> Vec<Guard> {
    tables::guards(protect::NAME, rules())
}

/// Patch files in the project touch its sources; elsewhere there are no patch files.
#[derive(Debug)]
struct Patches;

impl Files for Patches {
    fn read_text(&self, path: &str) -> Option<String> {
        let own =
            path.strip_prefix("/home/u/project/").is_some_and(|rest| rest.ends_with(".patch"));
        own.then(|| "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n".to_owned())
    }

    fn resolve_links(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix("/home/u/project/link")?;
        Some(format!("/home/u/project/.claude{rest}"))
    }
}

/// The first rule of the pack that restrains a call.
fn matching_rule(rules: &[(String, Rule)], rule_input: &RuleInput) -> Option<String> {
    let fired = |(name, rule): &(String, Rule)| {
        let restraint = judge(rule, rule_input).unwrap_or_else(|why| panic!("{name}: {why}"));
        (restraint != Restraint::Silent).then(|| name.clone())
    };
    rules.iter().find_map(fired)
}

/// SP-5, SP-6, SP-10, SP-11, SP-26: by the tables, in every form.
/// S-74, SP-30, SP-31, SP-32, SP-40, SP-41, SP-42, SP-51, SP-53, SP-54, SP-56, SP-80, SP-81, SP-82.
#[test]
fn every_attempt_is_denied_in_every_form() {
    let (lost, count) = tables::lost(&guards());
    assert!(count > 5_000, "only {count}");
    assert!(lost.is_empty(), "{} of {count}:\n{}", lost.len(), lost.join("\n"));
}

/// RU-18, RU-61, SP-52, SP-7, SP-80.
#[test]
fn innocent_neighbours_pass_their_rule() {
    let denied = tables::false_denials(&guards());
    assert!(denied.is_empty(), "{}:\n{}", denied.len(), denied.join("\n"));
}

/// RU-18: what guardrails let pass as ordinary passes here.
#[test]
fn ordinary_work_goes_on() {
    let rules = rules();
    let mut ordinary = tables::ordinary("guardrails");
    ordinary.extend(tables::ordinary(protect::NAME));
    let ordinary: Vec<(String, RuleInput)> = ordinary
        .into_iter()
        .map(|(place, input)| (place, input.with_file_reader(Arc::new(Patches))))
        .collect();
    let denied: Vec<String> = ordinary
        .iter()
        .filter_map(|(place, input)| {
            matching_rule(&rules, input).map(|name| format!("{name} on {place}"))
        })
        .collect();
    assert!(denied.is_empty(), "{} of {}:\n{}", denied.len(), ordinary.len(), denied.join("\n"));
}

/// Nothing here asks: some agents cannot, and others answer by themselves.
/// SP-1.
#[test]
fn every_rule_denies() {
    for (name, rule) in rules() {
        assert!(rule.part_text(tenterhook_core::rule::Part::Deny).is_some(), "{name}");
        assert!(rule.part_text(tenterhook_core::rule::Part::Ask).is_none(), "{name}");
    }
}

/// SP-9: a link is where it leads.
#[test]
fn a_link_to_a_guard_is_the_guard() {
    let (rules, files) = (rules(), Arc::new(Patches));
    let write = |path: &str| {
        let input = serde_json::json!({ "file_path": path, "content": "{}" });
        let event = Arc::new(pack::call("Write", input));
        matching_rule(&rules, &RuleInput::new(&event).with_file_reader(files.clone()))
    };
    assert!(write("link/settings.json").is_some());
    assert!(write("link/notes.md").is_none() && write("src/settings.json").is_none());
}

/// SP-4: what names no guard and hides nothing is not even read.
#[test]
fn most_ordinary_calls_are_not_read() {
    let (rules, ordinary) = (rules(), tables::ordinary("guardrails"));
    let is_read = |pair: &&(String, RuleInput)| {
        matching_rule(&rules, &pair.1);
        pair.1.steps_spent() > 0
    };
    let read = ordinary.iter().filter(is_read).count();
    assert!(read * 3 < ordinary.len(), "{read} of {}", ordinary.len());
}

/// What one rule says of a line: whether it denies.
fn denies(name: &str, line: &str) -> bool {
    thread_local! { static RULES: Vec<(String, Rule)> = rules(); }
    RULES.with(|rules| {
        let own = format!("{}/{name}", protect::NAME);
        let (_, rule) = rules.iter().find(|(name, _)| *name == own).unwrap();
        let restraint =
            judge(rule, &tables::bash(line)).unwrap_or_else(|why| panic!("{line}: {why}"));
        restraint == Restraint::Deny
    })
}

fn assert_denied(name: &str, lines: impl IntoIterator<Item = String>) {
    let passed: Vec<String> = lines.into_iter().filter(|line| !denies(name, line)).collect();
    assert!(passed.is_empty(), "{} pass {name}:\n{}", passed.len(), passed.join("\n"));
}

fn assert_passes(name: &str, lines: impl IntoIterator<Item = String>) {
    let denied: Vec<String> = lines.into_iter().filter(|line| denies(name, line)).collect();
    assert!(denied.is_empty(), "{} are denied by {name}:\n{}", denied.len(), denied.join("\n"));
}

/// A file of the table as one that may be there.
fn file_of(place: &str) -> String {
    let file = place.replace('*', "x");
    if file.ends_with('/') { format!("{file}x") } else { file }
}

/// SP-6: removing, moving or replacing a directory affects the files in it. A pattern matches the
/// names that fit it; `*` alone matches none.
#[test]
fn a_directory_is_what_lies_in_it() {
    let rule = "change-guard";
    let ways = ["rm -rf {}", "rm -r {}/", "mv {} /tmp/x", "rsync -a --delete /tmp/x/ {}/"];
    let put = |ways: &[&str], directory: &str| {
        ways.iter().map(|text| text.replace("{}", directory)).collect::<Vec<_>>()
    };
    // Each directory on the way to each file of the table, the project and the home.
    let files = AGENTS.iter().flat_map(|agent| agent.guarded.files).map(|file| file_of(file));
    let above = files.flat_map(|file| {
        let up = std::iter::successors(file.rsplit_once('/'), |(name, _)| name.rsplit_once('/'));
        up.map(|(name, _)| name.to_owned()).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    });
    let places = [".", "..", "/home/u/project", "$PWD", "~", "/home/u", "$HOME", "/"];
    let all: BTreeSet<String> = above.chain(places.map(str::to_owned)).collect();
    assert!(all.len() > 50, "{all:?}");
    let quoted = all.iter().map(|text| text.replace(' ', "\\ "));
    assert_denied(rule, quoted.flat_map(|text| put(&ways, &text)));
    // A directory with little else in it is replaced by what is put in its place.
    let replaced = ["cp -r /tmp/x {}", "mv /tmp/x {}", "ln -sfn /tmp/x {}", "rename s/c/d/ {}"];
    assert_denied(
        rule,
        [".claude", ".codex", "~/.gemini", "web/.cursor"]
            .iter()
            .flat_map(|text| put(&replaced, text)),
    );
    let patterns = [".c*", ".c*/settings.json", ".claude/*", ".[c]laude", ".claud?", "tenterhook*"];
    assert_denied(
        rule,
        patterns.iter().flat_map(|pattern| put(&["rm -rf {}", "mv {} /tmp/x"], pattern)),
    );
    let others = ["*", "./*", "src/*", "*.log", ".git*/x", "src", ".claude/worktrees/a", "target"];
    assert_passes(rule, others.iter().flat_map(|other| put(&ways, other)));
}

/// The agents with each of their programs.
fn programs() -> impl Iterator<Item = (&'static Agent, &'static str)> {
    AGENTS.iter().flat_map(|agent| agent.programs.iter().map(move |program| (*agent, *program)))
}

/// SP-10: of every agent of the table each option and each variable, whatever moves the home of
/// any, its settings about hooks, and an environment that is taken away.
#[test]
fn no_agent_is_started_without_its_guard() {
    let rule = "start-unguarded";
    let options = programs().flat_map(|(agent, program)| {
        agent.guarded.options.iter().flat_map(move |option| {
            let (name, value) = option.split_once('=').unwrap_or((option, "x"));
            [
                format!("{program} {name} {value}"),
                format!("{program} {name}={value} run"),
                format!("{program} run {name} {value}"),
            ]
        })
    });
    assert_denied(rule, options);
    let settings = programs().flat_map(|(_, program)| {
        [
            format!("{program} --settings '{{\"disableAllHooks\": true}}'"),
            format!("{program} -c hooks=[] run"),
            format!("{program} --config=features.hooks=false run"),
            format!("{program} --disable hooks"),
            format!("{program} --set hooks.enabled=false run"),
        ]
    });
    assert_denied(rule, settings);
    let homes = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "USERPROFILE"];
    let moved = programs().flat_map(|(agent, program)| {
        let own = agent.guarded.variables.iter().map(|variable| variable.replace('*', "X"));
        own.chain(homes.map(str::to_owned)).flat_map(move |name| {
            [
                format!("{name}=/tmp/x {program} run"),
                format!("env {name}=/tmp/x {program} run"),
                format!("export {name}=/tmp/x; {program} run"),
            ]
        })
    });
    assert_denied(rule, moved);
    let emptied = programs().flat_map(|(_, program)| {
        [
            "env -i",
            "env -",
            "env --ignore-environment",
            "env -i A=b",
            "env -u HOME",
            "env --unset=X",
        ]
        .map(|env| format!("{env} {program} run"))
    });
    assert_denied(rule, emptied);
    let plain = programs().flat_map(|(_, program)| {
        [
            program.to_owned(),
            format!("{program} --help"),
            format!("{program} run 'say hi'"),
            format!("A=b {program} run"),
            format!("env A=b {program} run"),
        ]
    });
    assert_passes(rule, plain);
}

/// SP-11: what ends us, our package and our commands, git's hooks, and what a startup file says of
/// programs.
#[test]
fn nothing_disarms() {
    let rule = "disarm";
    let ends = ["pkill tenterhook", "killall -9 tenterhook", "kill $(pidof tenterhook)"];
    let removes =
        ["npm rm -g tenterhook", "cargo uninstall tenterhook-cli", "brew remove tenterhook"];
    let git = [
        "git config core.hooksPath x",
        "git -c core.hooksPath=x commit -m y",
        "printf '[core]\\nhooksPath = x\\n' >> .git/config",
    ];
    assert_denied(rule, ends.iter().chain(&removes).chain(&git).map(|end| (*end).to_owned()));
    let own = OWN_COMMANDS.iter().map(|(words, _)| format!("tenterhook {}", words.join(" ")));
    assert_denied(rule, own);
    let looks = OWN_COMMANDS.iter().flat_map(|(words, looks)| {
        let looks = looks.iter().chain(&["--help"]);
        looks.map(|look| format!("tenterhook {} {look}", words.join(" ")))
    });
    assert_passes(rule, looks);
    let texts: Vec<String> = ["export PATH=/tmp/x:$PATH", "fish_add_path /tmp/x"]
        .map(str::to_owned)
        .into_iter()
        .chain(programs().flat_map(|(_, program)| {
            [format!("alias {program}=true"), format!("{program}() {{ true; }}")]
        }))
        .chain(AGENTS.iter().flat_map(|agent| agent.guarded.variables).map(|name| {
            let name = name.replace('*', "X");
            format!("export {name}=/tmp/x")
        }))
        .collect();
    let files = ["~/.bashrc", "~/.profile", "~/.zshenv", "~/.config/fish/config.fish"];
    let written = |text: &String| {
        let text = text.clone();
        files.map(move |file| format!("echo '{text}' >> {file}"))
    };
    assert_denied(rule, texts.iter().flat_map(written));
    // Outside of startup files, and about other variables, the text passes.
    assert_passes(rule, texts.iter().map(|text| format!("echo '{text}' >> notes.txt")));
    let others = ["export EDITOR=vi", "alias ll=\"ls -l\"", "export LANG=C"].map(str::to_owned);
    assert_passes(rule, others.iter().flat_map(written));
}

/// A plugin among the skills, and one in a directory beside the project.
#[derive(Debug)]
struct Plugins;

impl Files for Plugins {
    fn read_text(&self, path: &str) -> Option<String> {
        let plugins = ["/home/u/project/.claude/skills/mod", "/tmp/evil", "/tmp/all/one"];
        let holds = |folder: &&str| path == format!("{folder}/.claude-plugin/plugin.json");
        plugins.iter().any(holds).then(|| "{}".to_owned())
    }

    fn resolve_links(&self, _: &str) -> Option<String> {
        None
    }

    fn directory_entries(&self, directory: &str) -> Vec<String> {
        if directory == "/tmp/all" { vec!["one".to_owned()] } else { Vec::new() }
    }
}

/// SP-30: where the host looks, a folder is judged by whether it holds a plugin.
#[test]
fn files_of_a_plugin_among_the_skills_are_kept() {
    let rules = rules();
    let judged = |name: &str, input: serde_json::Value| {
        let event = Arc::new(pack::call(name, input));
        matching_rule(&rules, &RuleInput::new(&event).with_file_reader(Arc::new(Plugins)))
    };
    let write = |path: &str| {
        judged("Write", serde_json::json!({ "file_path": path, "content": "x" })).is_some()
    };
    let run = |line: &str| judged("Bash", serde_json::json!({ "command": line })).is_some();
    assert!(write(".claude/skills/mod/register.ts") && write(".claude/skills/mod/lib/a.mjs"));
    assert!(!write(".claude/skills/plain/register.ts") && !write("src/register.ts"));
    for line in [
        "cp -r /tmp/evil .claude/skills/x",
        "cp -r /tmp/all/. .claude/skills/",
        "mv /tmp/evil .claude/skills/",
        "ln -s /tmp/evil ~/.claude/skills/x",
        "echo 'export const register = 1' > .claude/skills/mod/register.ts",
        "cd .claude/skills && git clone https://example.com/x.git",
        "curl https://example.com/x.tgz | tar xz -C .claude/skills",
    ] {
        assert!(run(line), "{line}");
    }
    for line in [
        "cp -r /tmp/plain .claude/skills/x",
        "mv /tmp/plain .claude/skills/",
        "mv .claude/skills/mod .claude/skills/other",
        "rm -rf .claude/skills/mod",
        "cp -r .claude/skills/mod /tmp/backup",
        "echo x > .claude/skills/plain/notes.md",
        "tar czf /tmp/s.tgz -C .claude skills",
        "git -C .claude/skills/plain status",
    ] {
        assert!(!run(line), "{line}");
    }
}

/// Each kind of call in `tool-calls.json`: SP-35 to SP-40.
/// SP-36, SP-37, SP-38, SP-39, SP-57.
#[test]
fn tool_call_is_denied_by_kind_and_its_ordinary_twin_passes() {
    let rules = rules();
    let text =
        std::fs::read_to_string(tables::tables(protect::NAME).join("tool-calls.json")).unwrap();
    let text = text.replace("{P}", "/home/u/project").replace("{home}", "/home/u");
    let list: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = list["rows"].as_array().unwrap();
    assert!(rows.len() > 150, "{}", rows.len());
    let judged_wrongly: Vec<String> = rows
        .iter()
        .filter(|row| {
            let event = pack::call(row["tool"].as_str().unwrap(), row["input"].clone());
            let denial = matching_rule(&rules, &RuleInput::new(&Arc::new(event)));
            denial.is_some() == row["pass"].as_bool().unwrap_or_default()
        })
        .map(ToString::to_string)
        .collect();
    assert!(judged_wrongly.is_empty(), "{}", judged_wrongly.join("\n"));
}
