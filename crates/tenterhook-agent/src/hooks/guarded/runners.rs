//! Which programs run a file that they are given, and which look for one themselves? Data only.

/// Programs that run the file that they are given, less the digits of their version.
pub(super) const INTERPRETERS: &[&str] = &[
    ".",
    "source",
    "exec",
    "eval",
    "sh",
    "bash",
    "dash",
    "ash",
    "zsh",
    "ksh",
    "mksh",
    "fish",
    "nu",
    "xonsh",
    "busybox",
    "node",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "python",
    "pypy",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "expect",
    "java",
    "groovy",
    "scala",
    "kotlin",
    "dotnet",
    "go",
    "swift",
    "julia",
    "elixir",
    "escript",
    "guile",
    "bb",
    "osascript",
    "pwsh",
    "powershell",
    "Rscript",
    "awk",
    "gawk",
    "mawk",
    "env",
];

/// Those of them that run what comes in, where they are given no file.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "python", "node", "ruby", "perl"];

/// A program that runs what a file of a fixed name says, in the directory where it starts or one above.
pub(super) struct Runner {
    pub(super) programs: &'static [&'static str],
    pub(super) files: &'static [&'static str],
    /// Options that change it.
    pub(super) options: &'static [&'static str],
}

/// The file in which the lines of `npm run` and its like stand.
pub(super) const PACKAGE: &str = "package.json";

/// Each of them.
pub(super) const RUNNERS: &[Runner] = &[
    Runner {
        programs: &["make", "gmake"],
        files: &["GNUmakefile", "makefile", "Makefile"],
        options: &["-f", "--file", "--makefile"],
    },
    Runner { programs: &["npm", "pnpm", "yarn", "bun", "npx"], files: &[PACKAGE], options: &[] },
    Runner {
        programs: &["just"],
        files: &["justfile", "Justfile", ".justfile"],
        options: &["-f", "--justfile"],
    },
    Runner {
        programs: &["task", "go-task"],
        files: &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
        options: &["-t", "--taskfile"],
    },
    Runner {
        programs: &["rake"],
        files: &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
        options: &["-f", "--rakefile"],
    },
    Runner {
        programs: &["deno"],
        files: &["deno.json", "deno.jsonc", PACKAGE],
        options: &["-c", "--config"],
    },
    Runner { programs: &["composer"], files: &["composer.json"], options: &[] },
    Runner {
        programs: &["tox"],
        files: &["tox.ini", "tox.toml", "setup.cfg", "pyproject.toml"],
        options: &["-c", "--conf"],
    },
    Runner { programs: &["nox"], files: &["noxfile.py"], options: &["-f", "--noxfile"] },
    Runner { programs: &["inv", "invoke"], files: &["tasks.py"], options: &[] },
    Runner { programs: &["poe", "pdm", "hatch"], files: &["pyproject.toml"], options: &[] },
    Runner {
        programs: &["mise"],
        files: &["mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml"],
        options: &[],
    },
    Runner {
        programs: &["lefthook"],
        files: &[
            "lefthook.yml",
            "lefthook.yaml",
            ".lefthook.yml",
            ".lefthook.yaml",
            "lefthook.toml",
        ],
        options: &[],
    },
    Runner {
        programs: &["pre-commit", "prek"],
        files: &[".pre-commit-config.yaml"],
        options: &["-c", "--config"],
    },
    Runner { programs: &["mvn"], files: &["pom.xml"], options: &["-f", "--file"] },
    Runner {
        programs: &["gradle", "gradlew"],
        files: &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        options: &["-b"],
    },
];

/// Programs that run a different one, or a file, after a subcommand.
pub(super) const LAUNCHERS: &[&str] = &[
    "uv", "uvx", "npx", "poetry", "pdm", "hatch", "pipx", "bundle", "mise", "asdf", "direnv",
    "rye", "conda",
];

/// Interpreters that run a directory, and what in it they run.
pub(super) const OF_DIRECTORIES: &[&str] = &["python", "pypy", "node", "bun", "deno"];
pub(super) const MAIN: &[&str] = &["__main__.py", "index.js", PACKAGE];
