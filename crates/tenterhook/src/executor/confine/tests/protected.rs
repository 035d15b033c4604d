//! Paths that no sandboxed process may write, whatever it is granted: tests with real
//! programs.

use super::*;

/// files that git runs in submodules and by settings, targets of links that do not exist yet,
/// and directories that variables name.
#[cfg(unix)]
#[tokio::test]
async fn what_runs_hooks_by_another_way_is_never_written() {
    if !can() {
        return;
    }
    let mut scene = Scene::new();
    let project = scene.sandbox.project();
    for directory in [
        ".git/hooks",
        ".git/modules/sub/hooks",
        ".git/modules/deep/name",
        ".git/rebase-merge",
        "husky/_",
        "old",
        "sub",
        "other/tree",
        "active",
        "build",
        "xdg/tenterhook",
        "set/in",
        "tools/deep",
    ] {
        std::fs::create_dir_all(project.join(directory)).expect("a scene");
    }
    for (file, text) in [
        (
            ".git/config",
            "[core]\n\thooksPath = old\n\tfsmonitor = tools/fsmonitor.sh\n[Include] path = ../set/git.ini ; both\n\
             [submodule \"active\"]\n\tactive = true\n[gc]\n\trecentObjectsHook = tools/recent.sh\n[filter \"x\"]\n\tclean = python3 \\\n  \"tools/clean.py\" %f\n\
             [alias]\n\tgo = \"!f() { sh $(git rev-parse --show-toplevel)/tools/deep/go.sh; }; f\"\n[core]\n\thooksPath = husky/_/\n",
        ),
        ("set/git.ini", "[includeIf \"gitdir:/\"]\n\tpath = in/more.ini\n"),
        (
            "set/in/more.ini",
            "[merge \"y\"]\n\tdriver = ./tools/deep/merge\n[include]\n\tpath = ../git.ini\n",
        ),
        ("tools/clean.py", ""),
        ("tools/deep/go.sh", ""),
        ("tools/other", ""),
        ("tools/recent.sh", ""),
        (".git/modules/deep/name/HEAD", ""),
        (".git/modules/deep/name/config", "[core]\n\tworktree = ../../../../other/tree\n"),
        (".git/rebase-merge/git-rebase-todo", ""),
        ("other/tree/.git", ""),
        ("active/.git", ""),
        (".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n"),
        (".git/modules/sub/config", ""),
        ("sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("sub/file", ""),
    ] {
        std::fs::write(project.join(file), text).expect("a scene");
    }
    std::os::unix::fs::symlink("build/c", project.join(".claude")).expect("a scene");
    let xdg = project.join("xdg");
    scene.more = vec![("XDG_CONFIG_HOME".to_owned(), xdg.display().to_string())];
    let write = "sandbox = { write = [\"$PROJECT\", \"$PROJECT/build\", \"$PROJECT/sub\", \"$PROJECT/xdg\"] }";
    for (line, works) in [
        ("echo x >> .git/modules/sub/config", false),
        ("echo x > .git/modules/sub/hooks/post-checkout", false),
        ("echo x >> .gitmodules", false),
        ("echo x > .git/rebase-merge/git-rebase-todo", false),
        ("echo x > husky/pre-commit", false),
        ("echo x > husky/_/pre-commit", false),
        ("echo x > old/pre-commit", false),
        ("echo x > other/tree/.git", false),
        ("echo x > active/.git", false),
        ("echo '#' >> set/git.ini", false),
        ("echo '#' >> set/in/more.ini", false),
        ("echo x > tools/fsmonitor.sh", false),
        ("echo x > tools/clean.py", false),
        ("echo x > tools/deep/go.sh", false),
        ("echo x > tools/deep/merge", false),
        ("echo x > tools/recent.sh", false),
        ("echo x > tools/other", true),
        ("echo x >> sub/.git", false),
        ("echo x > sub/tenterhook.toml", false),
        ("mkdir -p build/c && echo x > build/c/settings.json", false),
        ("echo x > xdg/tenterhook/tenterhook.toml", false),
        ("echo x >> sub/file", true),
    ] {
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            let reached = scene.works(line, write).await;
            assert_eq!(reached, (works, Some(tier)), "{line}");
            let _ = std::fs::remove_dir_all(project.join("build/c"));
        }
        assert!(scene.works(line, "").await.0, "never works: {line}");
        let _ = std::fs::remove_dir_all(project.join("build/c"));
    }
}

///
#[tokio::test]
async fn what_says_which_hooks_run_is_never_written() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let write = "sandbox = { write = [\"$PROJECT\"] }";
    std::fs::create_dir_all(scene.sandbox.project().join(".claude")).expect("a scene");
    std::fs::create_dir_all(scene.sandbox.project().join("src")).expect("a scene");
    std::fs::write(scene.sandbox.project().join("tenterhook.toml"), "").expect("a scene");
    for line in [
        "echo >> .claude/settings.json && rm .claude/settings.json",
        "echo >> tenterhook.toml",
        "mkdir -p .codex && rmdir .codex",
        "echo >> tenterhook.more.toml && rm tenterhook.more.toml",
    ] {
        assert_eq!(scene.works(line, "sandbox = \"off\"").await, (true, None), "{line}");
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            assert_eq!(scene.works(line, write).await, (false, Some(tier)), "reached: {line}");
        }
    }
    assert!(scene.works("echo x > src/new", write).await.0);
}

/// A hook that may change a directory around the project is confined like one that may change the
/// project.
///
#[tokio::test]
async fn what_lies_below_is_held_by_whatever_name_it_is_granted() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let project = scene.sandbox.project();
    for directory in ["sub/repo/.git/hooks", "out"] {
        std::fs::create_dir_all(project.join(directory)).expect("a scene");
    }
    for file in ["HEAD", "config"] {
        std::fs::write(project.join("sub/repo/.git").join(file), "").expect("a scene");
    }
    let around = project.parent().expect("a scene").display();
    let write = format!("sandbox = {{ write = [\"{around}\"] }}");
    let line = "echo x > sub/repo/.git/hooks/post-checkout && rm sub/repo/.git/hooks/post-checkout";
    assert!(scene.works(line, "").await.0, "never works");
    for (pretended, tier) in cells() {
        scene.pretended.set(pretended);
        assert_eq!(scene.works(line, &write).await, (false, Some(tier)));
        assert_eq!(scene.works("echo x > out/new", &write).await, (true, Some(tier)));
    }
}

/// If a repository exceeds the limits it is unknown what git runs: the whole repository is
/// protected, at bounded cost of time and memory.
///
#[tokio::test]
async fn repository_beyond_the_limits_is_protected_as_a_whole() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let project = scene.sandbox.project();
    std::fs::create_dir_all(project.join(".git/more")).expect("a scene");
    std::fs::create_dir_all(project.join("src")).expect("a scene");
    let write = "sandbox = { write = [\"$PROJECT/src\", \"~/cache\"] }";
    std::fs::create_dir(scene.sandbox.home().join("cache")).expect("a scene");
    let sections = format!("[submodule \"{}\"]\n{}", "x".repeat(500_000), "b\n".repeat(250_000));
    let words = format!("[alias]\n\ta = !{}\n", "a/b ".repeat(2_000));
    std::fs::create_dir(scene.sandbox.home().join("hooks")).expect("a scene");
    std::fs::create_dir(scene.sandbox.home().join("dot")).expect("a scene");
    let own = "[include]\n\tpath = .gitconfig.local\n";
    std::fs::write(scene.sandbox.home().join(".gitconfig"), own).expect("a scene");
    std::fs::write(scene.sandbox.home().join("dot/local"), "[include]\n\tpath = work.ini\n")
        .expect("a scene");
    // Includes are relative to the name that was used.
    std::os::unix::fs::symlink("dot/local", scene.sandbox.home().join(".gitconfig.local"))
        .expect("a scene");
    std::fs::write(scene.sandbox.home().join("work.ini"), "[core]\n\thooksPath = ~/hooks\n")
        .expect("a scene");
    let included = "[a]\n\tb = c\n".repeat(20_000);
    let include: String = (0..4).map(|i| format!("[include]\n\tpath = more/{i}\n")).collect();
    for i in 0..4 {
        std::fs::write(project.join(format!(".git/more/{i}")), &included).expect("a scene");
    }
    for (config, holds) in
        [("", false), (&*sections, true), (&*words, true), (&*include, true), (&*included, false)]
    {
        std::fs::write(project.join(".git/config"), config).expect("a scene");
        let shown: String = config.chars().take(20).collect();
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            let reached = scene.works("echo x > src/new", write).await;
            assert_eq!(reached, (!holds, Some(tier)), "{shown}");
            let beside = scene.works("echo x > \"$HOME/cache/new\"", write).await;
            assert_eq!(beside, (true, Some(tier)), "{shown}");
            let hooks = "sandbox = { write = [\"~/hooks\"] }";
            let hook = scene.works("echo x > \"$HOME/hooks/pre-commit\"", hooks).await;
            assert_eq!(hook, (false, Some(tier)), "{shown}");
        }
    }
}

/// Also in the home: the program that decides, families of names, files whose front matter may hold
/// hooks.
///
#[tokio::test]
async fn what_decides_in_the_home_is_never_written() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let home = scene.sandbox.home();
    for file in [
        ".local/bin/tenterhook",
        ".local/bin/other",
        ".codex/work.config.toml",
        ".codex/log/other",
        ".claude/skills/x/SKILL.md",
        ".claude/agents/x.md",
        ".claude/todos/other",
    ] {
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().expect("a place")).expect("a scene");
        std::fs::write(path, "").expect("a scene");
    }
    let write = "sandbox = { write = [\"~/.local/bin\", \"~/.codex\", \"~/.claude\"] }";
    for (file, works) in [
        (".local/bin/tenterhook", false),
        (".local/bin/other", true),
        (".codex/work.config.toml", false),
        (".codex/log/other", true),
        (".claude/skills/x/SKILL.md", false),
        (".claude/agents/x.md", false),
        (".claude/todos/other", true),
    ] {
        let line = format!("echo >> \"$HOME/{file}\"");
        assert!(scene.works(&line, "").await.0, "never works: {line}");
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            assert_eq!(scene.works(&line, write).await, (works, Some(tier)), "{line}");
        }
    }
}

/// Git and agents look for their files in parent directories: those around the project are
/// protected like those in it.
///
#[tokio::test]
async fn what_says_which_hooks_run_around_the_project_is_never_written() {
    if !can() {
        return;
    }
    let scene = Scene::new();
    let project = scene.sandbox.project();
    let around = project.parent().expect("a scene");
    for directory in [".git/hooks", ".claude", "out"] {
        std::fs::create_dir_all(around.join(directory)).expect("a scene");
    }
    let write = format!("sandbox = {{ write = [\"{}\"] }}", around.display());
    for (line, works) in [
        ("echo x > ../.git/hooks/post-checkout && rm ../.git/hooks/post-checkout", false),
        ("echo x >> ../.git/config", false),
        ("echo x >> ../.claude/settings.json", false),
        ("echo x >> ../out/file", true),
    ] {
        assert!(scene.works(line, "").await.0, "never works: {line}");
        for (pretended, tier) in cells() {
            scene.pretended.set(pretended);
            assert_eq!(scene.works(line, &write).await, (works, Some(tier)), "{line}");
        }
    }
}
