//! Which hooks are tried in the sandbox, and which line each of them needs? Data in the shapes in which people write hooks; runs nothing.

use super::scene::Cell;

/// One hook, the project that it runs in, and what it is asked.
pub(super) struct Hook {
    pub(super) name: &'static str,
    /// Where it is written down.
    pub(super) written: Written,
    /// Its event and, for a tool, the tool.
    pub(super) on: (&'static str, &'static str),
    /// The rest of the event, as JSON.
    pub(super) event: &'static str,
    /// Files of the project, or of the home (`~/`), or programs on the path (`bin/`), beside its configuration.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// How the line begins that it needs where there is Landlock; none where it runs unchanged.
    needs: Option<&'static str>,
}

/// Where a hook is written down, and its command line.
#[derive(Clone, Copy)]
pub(super) enum Written {
    /// In `.claude/settings.json`.
    Claude(&'static str),
    /// In `tenterhook.toml`: what it runs, and what else its entry says.
    Native(&'static str),
}

use Written::{Claude, Native};

const WRITE: (&str, &str) = ("PostToolUse", "Write");
const BEFORE_WRITE: (&str, &str) = ("PreToolUse", "Write");
const BASH: (&str, &str) = ("PreToolUse", "Bash");
const STOP: (&str, &str) = ("Stop", "");
const START: (&str, &str) = ("SessionStart", "");
const WAITS: (&str, &str) = ("Notification", "");

const COMMIT: &str = r#""tool_input": {"command": "git commit -m 'change things'"}"#;
const EDIT: &str = r#""tool_input": {"file_path": "{project}/src/main.js", "content": "1\n"}"#;
const JS: &str = r#""tool_input": {"file_path": "{project}/src/main.js"}"#;
const SH: &str = r#""tool_input": {"file_path": "{project}/src/run.sh"}"#;
const WAITING: &str = r#""message": "the agent waits""#;

const WRITES_SRC: Option<&str> = Some("sandbox = { write = [\"$PROJECT/src\"");

macro_rules! script {
    ($at:literal, $name:literal) => {
        ($at, include_str!(concat!("scripts/", $name)))
    };
}

/// More grants of the line without Landlock, because a separate root cannot distinguish ports, nor attributes from the content
/// of a file.
const WITHOUT_LANDLOCK: &[(&str, &str)] = &[
    ("notify: a webhook", "sandbox = { net = \"open\" }"),
    (
        "tidy: chmod of a script",
        "sandbox = { write = [\"$PROJECT/src/run.sh\"], attributes = true }",
    ),
];

impl Hook {
    /// How the line begins that it needs by means of `cell`; none where it runs unchanged.
    pub(super) fn needs(&self, cell: Cell) -> Option<&'static str> {
        let other = WITHOUT_LANDLOCK.iter().find(|(name, _)| *name == self.name);
        match (cell, other) {
            (Cell::Namespaces, Some((_, needs))) => Some(needs),
            _ => self.needs,
        }
    }
}

/// More than twenty, so that one that a machine cannot play leaves twenty.
pub(super) const HOOKS: &[Hook] = &[
    Hook {
        name: "format: python3 -m json.tool",
        written: Claude("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/format-json.sh"),
        on: WRITE,
        event: r#""tool_input": {"file_path": "{project}/src/data.json"}"#,
        files: &[
            script!(".claude/hooks/format-json.sh", "format-json.sh"),
            ("src/data.json", "{\"a\":1,\n\"b\":[2]}"),
        ],
        needs: Some("sandbox = { write = [\"$PROJECT/src/data.json\"]"),
    },
    Hook {
        name: "format: a formatter on PATH",
        written: Claude("jq -r '.tool_input.file_path // empty' | xargs -r wordfmt -w"),
        on: WRITE,
        event: JS,
        files: &[script!("bin/wordfmt", "wordfmt"), ("src/main.js", "let  a  = 1; \n")],
        needs: WRITES_SRC,
    },
    Hook {
        name: "format: a Node script",
        written: Native("run = [\"node\", \"hooks/pretty.mjs\"]\nspeaks = \"claude\""),
        on: WRITE,
        event: JS,
        files: &[script!("hooks/pretty.mjs", "pretty.mjs"), ("src/main.js", "let a = 1;  \n\n\n")],
        needs: Some("sandbox = { write = [\"$PROJECT/src/main.js\"]"),
    },
    Hook {
        name: "lint: python3 -m py_compile",
        written: Claude("sh .claude/hooks/pycheck.sh"),
        on: WRITE,
        event: r#""tool_input": {"file_path": "{project}/src/good.py"}"#,
        files: &[script!(".claude/hooks/pycheck.sh", "pycheck.sh"), ("src/good.py", "x = 1\n")],
        needs: WRITES_SRC,
    },
    Hook {
        name: "lint: node --check",
        written: Claude("bash \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/lint.sh"),
        on: WRITE,
        event: JS,
        files: &[script!(".claude/hooks/lint.sh", "lint.sh"), ("src/main.js", "let = = 1\n")],
        needs: None,
    },
    Hook {
        name: "lint: sh -n",
        written: Claude("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/lint.sh"),
        on: WRITE,
        event: SH,
        files: &[script!(".claude/hooks/lint.sh", "lint.sh"), ("src/run.sh", "if true; then\n")],
        needs: None,
    },
    Hook {
        name: "notify: a program of the desktop",
        written: Claude("notify-send 'Agent' 'Awaiting your input'"),
        on: WAITS,
        event: WAITING,
        files: &[script!("bin/notify-send", "notify-send")],
        needs: Some("sandbox = { net = \"open\" }"),
    },
    Hook {
        name: "notify: the bell of the terminal",
        written: Claude("printf '\\a'"),
        on: WAITS,
        event: WAITING,
        files: &[],
        needs: None,
    },
    Hook {
        name: "notify: a webhook",
        written: Native("run = [\"bash\", \"hooks/webhook.sh\"]\nspeaks = \"claude\""),
        on: WAITS,
        event: WAITING,
        files: &[script!("hooks/webhook.sh", "webhook.sh")],
        needs: Some("sandbox = { net = [\"tcp:{port}\"] }"),
    },
    Hook {
        name: "git: what is staged",
        written: Claude("bash .claude/hooks/staged.sh"),
        on: BASH,
        event: COMMIT,
        files: &[script!(".claude/hooks/staged.sh", "staged.sh"), (".env.local", "KEY=1\n")],
        needs: None,
    },
    Hook {
        name: "git: the protected branch",
        written: Claude("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/branch.sh"),
        on: BEFORE_WRITE,
        event: EDIT,
        files: &[script!(".claude/hooks/branch.sh", "branch.sh")],
        needs: None,
    },
    Hook {
        name: "git: the message of a commit",
        written: Claude("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/message.py"),
        on: BASH,
        event: COMMIT,
        files: &[script!(".claude/hooks/message.py", "message.py")],
        needs: None,
    },
    Hook {
        name: "git: a snapshot",
        written: Claude("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/snapshot.sh"),
        on: START,
        event: r#""source": "startup""#,
        files: &[script!(".claude/hooks/snapshot.sh", "snapshot.sh"), ("src/main.js", "1\n")],
        needs: Some("sandbox = \"off\""),
    },
    Hook {
        name: "test: python3 -m unittest",
        written: Claude("cd tests && python3 -m unittest -q >/dev/null || exit 2"),
        on: STOP,
        event: r#""stop_hook_active": false"#,
        files: &[
            script!("tests/test_sum.py", "test_sum.py"),
            script!("tests/total.py", "total.py"),
        ],
        needs: None,
    },
    Hook {
        name: "test: make test",
        written: Claude("make -s test >&2 || exit 2"),
        on: STOP,
        event: r#""stop_hook_active": false"#,
        files: &[(
            "Makefile",
            "test:\n\t@test -f RELEASE.md || { echo no notes of a release; exit 1; }\n",
        )],
        needs: None,
    },
    Hook {
        name: "log: in the project",
        written: Claude("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/log.py"),
        on: BASH,
        event: COMMIT,
        files: &[script!(".claude/hooks/log.py", "log.py")],
        needs: Some("sandbox = { write = [\"$PROJECT/agent-log\"]"),
    },
    Hook {
        name: "log: in the home",
        written: Claude("jq -r .tool_input.command >> ~/.claude/commands.log"),
        on: BASH,
        event: COMMIT,
        files: &[("~/.claude/commands.log", "before\n")],
        needs: Some("sandbox = { write = [\"{home}/.claude/commands.log\"]"),
    },
    Hook {
        name: "context: of the project and the person",
        written: Native("run = [\"sh\", \"hooks/context.sh\"]\nspeaks = \"claude\""),
        on: START,
        event: r#""source": "startup""#,
        files: &[
            script!("hooks/context.sh", "context.sh"),
            ("CLAUDE.md", "Write tests first.\n"),
            ("~/.config/team/context.md", "We speak of orders.\n"),
        ],
        needs: Some("sandbox = { read = [\"{home}/.config/team/context.md\"]"),
    },
    Hook {
        name: "session: variables",
        written: Claude("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/env.sh"),
        on: START,
        event: r#""source": "startup""#,
        files: &[script!(".claude/hooks/env.sh", "env.sh")],
        needs: None,
    },
    Hook {
        name: "guard: keys in what is written",
        written: Claude("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/secrets.sh"),
        on: BEFORE_WRITE,
        event: r#""tool_input": {"file_path": "{project}/a.txt", "content": "id AKIAABCDEFGHIJKLMNOP"}"#,
        files: &[script!(".claude/hooks/secrets.sh", "secrets.sh")],
        needs: None,
    },
    Hook {
        name: "guard: jq, sed and awk",
        written: Claude("sh .claude/hooks/guard.sh"),
        on: BASH,
        event: r#""tool_input": {"command": "rm  -rf   ~/work"}"#,
        files: &[script!(".claude/hooks/guard.sh", "guard.sh")],
        needs: None,
    },
    Hook {
        name: "guard: Python with a module beside it",
        written: Claude("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py"),
        on: BEFORE_WRITE,
        event: r#""tool_input": {"file_path": "{project}/migrations/1.sql", "content": ""}"#,
        files: &[
            script!(".claude/hooks/guard.py", "guard.py"),
            script!(".claude/hooks/rules.py", "rules.py"),
        ],
        needs: None,
    },
    Hook {
        name: "guard: Node with node_modules",
        written: Native("run = [\"node\", \"hooks/guard.cjs\"]\nspeaks = \"claude\""),
        on: BASH,
        event: r#""tool_input": {"command": "npm publish --access public"}"#,
        files: &[
            script!("hooks/guard.cjs", "guard.cjs"),
            script!("hooks/node_modules/tiny-match/index.js", "tiny-match.js"),
        ],
        needs: None,
    },
    Hook {
        name: "tidy: sed -i at the top of the project",
        written: Claude("sh .claude/hooks/trim.sh"),
        on: WRITE,
        event: r#""tool_input": {"file_path": "{project}/NOTES.md"}"#,
        files: &[script!(".claude/hooks/trim.sh", "trim.sh"), ("NOTES.md", "a  \nb\n")],
        needs: Some("sandbox = \"off\""),
    },
    Hook {
        name: "tidy: chmod of a script",
        written: Claude("sh .claude/hooks/runnable.sh"),
        on: WRITE,
        event: SH,
        files: &[
            script!(".claude/hooks/runnable.sh", "runnable.sh"),
            ("src/run.sh", "#!/bin/sh\n"),
        ],
        needs: Some("sandbox = { attributes = true }"),
    },
];
