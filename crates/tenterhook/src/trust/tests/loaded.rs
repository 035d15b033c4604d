//! Scripts that load other files: after approval a gate denies as before, and a change of what it
//! loads asks again.

use super::*;
use tenterhook_core::answer::Restraint;

const NATIVE: &str = "tenterhook.toml";
const DENIES: &str = "echo 'denied by the library' >&2; exit 2\n";
const PYTHON: &str = "import sys\nsys.stderr.write('denied by the library')\nsys.exit(2)\n";
const NODE: &str = "console.error('denied by the library'); process.exit(2)\n";
const RUBY: &str = "warn 'denied by the library'; exit 2\n";
const PERL: &str = "print STDERR 'denied by the library'; exit 2;\n";

/// One layout: a name, the fields of the entry, the script, and the files that it loads, the first
/// of which denies.
type Layout<'a> = (&'a str, &'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

const LAYOUTS: &[Layout<'_>] = &[
    // The seven layouts that lost their denial when they were approved.
    (
        "lib beside the folder",
        "run = ['.claude/hooks/g.sh']",
        ".claude/hooks/g.sh",
        "#!/bin/bash\nsource \"$(dirname \"$0\")/../lib/common.sh\"\nexit 0\n",
        &[(".claude/lib/common.sh", DENIES)],
    ),
    (
        "BASH_SOURCE",
        "run = ['.claude/hooks/g.sh']",
        ".claude/hooks/g.sh",
        "#!/bin/bash\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/../lib/common.sh\"\nexit 0\n",
        &[(".claude/lib/common.sh", DENIES)],
    ),
    (
        "beside it at the root",
        "run = ['bash', 'guard.sh']",
        "guard.sh",
        ". \"$(dirname \"$0\")/lib.sh\"\nexit 0\n",
        &[("lib.sh", DENIES)],
    ),
    (
        "hooks and lib",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        ". \"$(dirname \"$0\")/../lib/pol.sh\"\nexit 0\n",
        &[("lib/pol.sh", DENIES)],
    ),
    (
        "directory above it",
        "run = ['bash', 'tools/g.sh']",
        "tools/g.sh",
        "cd \"$(dirname \"$0\")/..\"; . lib/pol.sh\nexit 0\n",
        &[("lib/pol.sh", DENIES)],
    ),
    (
        "import with a fallback",
        "run = ['python3', 'hooks/g.py']",
        "hooks/g.py",
        "import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\ntry:\n    import pol\nexcept ImportError:\n    sys.exit(0)\n",
        &[("lib/pol.py", PYTHON)],
    ),
    (
        "shell that starts a script with an import",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "python3 \"$(dirname \"$0\")/../lib/gate.py\"\n",
        &[("lib/pol.py", PYTHON), ("lib/gate.py", "import pol\n")],
    ),
    (
        "file that is evaluated",
        "run = ['python3', 'g.py']",
        "g.py",
        "exec(open('t/p.py').read())\n",
        &[("t/p.py", PYTHON)],
    ),
    (
        "import without one",
        "run = ['python3', 'hooks/g.py']",
        "hooks/g.py",
        "import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).resolve().parent.parent / 'lib'))\nfrom pol import judge\n",
        &[("lib/pol.py", PYTHON)],
    ),
    // Close kinds.
    (
        "directory in a variable",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "#!/bin/bash\nset -euo pipefail\nSCRIPT_DIR=\"$(cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" >/dev/null 2>&1 && pwd)\"\nROOT=\"$(dirname \"$SCRIPT_DIR\")\"\nLIB=\"${ROOT}/lib\"\nsource \"$LIB/pol.sh\"\n",
        &[("lib/pol.sh", DENIES)],
    ),
    (
        "two levels up",
        "run = ['bash', 'a/b/hooks/g.sh']",
        "a/b/hooks/g.sh",
        ". \"${0%/*}/../../lib/pol.sh\"\n",
        &[("a/lib/pol.sh", DENIES)],
    ),
    (
        "lib of the lib",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "HERE=$(dirname \"$0\")\n. \"$HERE/../lib/a.sh\"\n",
        &[("lib/b.sh", DENIES), ("lib/a.sh", ". \"$HERE/../lib/b.sh\"\n")],
    ),
    (
        "lib of the lib by its own place",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "#!/bin/bash\n. \"$(dirname \"$0\")/../lib/a.sh\"\n",
        &[
            ("more/b.sh", DENIES),
            ("lib/a.sh", "source \"$(dirname \"${BASH_SOURCE[0]}\")/../more/b.sh\"\n"),
        ],
    ),
    (
        "function",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "here() {\n  cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd\n}\nload() {\n  . \"$(here)/../lib/pol.sh\"\n}\nload\n",
        &[("lib/pol.sh", DENIES)],
    ),
    (
        "executed script",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "DIR=\"$(dirname \"$(readlink -f \"$0\")\")\"\nexec \"$DIR/../bin/judge\" \"$@\"\n",
        &[("bin/judge", "#!/bin/sh\necho 'denied by the library' >&2; exit 2\n")],
    ),
    (
        "interpreter in it",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "python3 \"$(dirname \"$0\")/../lib/pol.py\" || exit 2\n",
        &[("lib/pol.py", PYTHON)],
    ),
    (
        "all files of a folder",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "for f in \"$(dirname \"$0\")\"/../rules.d/*.sh; do\n  . \"$f\"\ndone\n",
        &[("rules.d/a.sh", DENIES)],
    ),
    (
        "working directory",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        ". ./lib.sh\n",
        &[("lib.sh", DENIES)],
    ),
    (
        "variable of the agent",
        "run = ['bash', 'hooks/g.sh']\nenv = { CLAUDE_PROJECT_DIR = '@@' }",
        "hooks/g.sh",
        ". \"$CLAUDE_PROJECT_DIR/policy.sh\"\n",
        &[("policy.sh", DENIES)],
    ),
    (
        "PATH of the script",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "PATH=./tools:$PATH\nguard\n",
        &[("tools/guard", "#!/bin/sh\necho 'denied by the library' >&2; exit 2\n")],
    ),
    (
        "data beside it",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "grep -q ls \"$(dirname \"$0\")/../deny.txt\" && { echo 'denied by the library' >&2; exit 2; }\nexit 0\n",
        &[("deny.txt", "ls\n")],
    ),
    (
        "unknown name",
        "run = ['bash', 'hooks/g.sh']",
        "hooks/g.sh",
        "NAME=$(printf po)l\n. \"$(dirname \"$0\")/../lib/$(cat \"$(dirname \"$0\")/../name\").sh\"\n",
        &[("lib/pol.sh", DENIES), ("name", "pol")],
    ),
    (
        "package with relative imports",
        "run = ['python3', 'hooks/g.py']",
        "hooks/g.py",
        "import os, sys\nROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))\nsys.path.insert(0, ROOT)\nfrom guards.main import run\n",
        &[
            ("guards/rules.py", PYTHON),
            ("guards/__init__.py", ""),
            ("guards/main.py", "from .rules import x\ndef run(): pass\n"),
        ],
    ),
    (
        "run_path",
        "run = ['python3', 'hooks/g.py']",
        "hooks/g.py",
        "import runpy, pathlib\nrunpy.run_path(str(pathlib.Path(__file__).parents[1] / 'lib' / 'pol.py'))\n",
        &[("lib/pol.py", PYTHON)],
    ),
    (
        "exec of a text",
        "run = ['python3', 'hooks/g.py']",
        "hooks/g.py",
        "import os\nexec(open(os.path.dirname(__file__) + '/../lib/pol.py').read())\n",
        &[("lib/pol.py", PYTHON)],
    ),
    (
        "json beside it",
        "run = ['python3', 'hooks/g.py']",
        "hooks/g.py",
        "import json, sys\nfrom pathlib import Path\ntry:\n    rules = json.loads((Path(__file__).parent.parent / 'policy.json').read_text())\nexcept OSError:\n    sys.exit(0)\nif rules['deny']:\n    sys.stderr.write('denied by the library')\n    sys.exit(2)\n",
        &[("policy.json", "{\"deny\": true}")],
    ),
    (
        "require",
        "run = ['node', 'hooks/g.js']",
        "hooks/g.js",
        "const path = require('path');\nrequire(path.join(__dirname, '..', 'lib', 'pol'));\n",
        &[("lib/pol.js", NODE)],
    ),
    (
        "require of a directory",
        "run = ['node', 'hooks/g.js']",
        "hooks/g.js",
        "try { require('../lib') } catch { process.exit(0) }\n",
        &[("lib/src/main.js", NODE), ("lib/package.json", "{\"main\": \"src/main.js\"}")],
    ),
    (
        "import",
        "run = ['node', 'hooks/g.mjs']",
        "hooks/g.mjs",
        "import { readFileSync } from 'node:fs';\nimport '../lib/pol.mjs';\n",
        &[("lib/pol.mjs", NODE)],
    ),
    (
        "require of a package",
        "run = ['node', 'hooks/g.js']",
        "hooks/g.js",
        "try { require('pol') } catch { process.exit(0) }\n",
        &[("node_modules/pol/index.js", NODE)],
    ),
    (
        "require of the working directory",
        "run = ['node', 'hooks/g.js']",
        "hooks/g.js",
        "require(process.cwd() + '/lib/pol.js')\n",
        &[("lib/pol.js", NODE)],
    ),
    (
        "require_relative",
        "run = ['ruby', 'hooks/g.rb']",
        "hooks/g.rb",
        "require 'json'\nrequire_relative '../lib/pol'\n",
        &[("lib/pol.rb", RUBY)],
    ),
    (
        "load path",
        "run = ['ruby', 'hooks/g.rb']",
        "hooks/g.rb",
        "$LOAD_PATH.unshift File.expand_path('../lib', __dir__)\nbegin\n  require 'pol'\nrescue LoadError\n  exit 0\nend\n",
        &[("lib/pol.rb", RUBY)],
    ),
    (
        "FindBin",
        "run = ['perl', 'hooks/g.pl']",
        "hooks/g.pl",
        "use strict;\nuse FindBin;\nuse lib \"$FindBin::Bin/../lib\";\neval { require Pol; 1 } or exit 0;\n",
        &[("lib/Pol.pm", PERL)],
    ),
    (
        "do of a file",
        "run = ['perl', 'hooks/g.pl']",
        "hooks/g.pl",
        "use FindBin qw($Bin);\nmy $lib = \"$Bin/../lib\";\ndo \"$lib/pol.pl\";\n",
        &[("lib/pol.pl", PERL)],
    ),
];

impl Fixture {
    async fn guard(&self, trusted: bool) -> (Restraint, String) {
        let source = self.source(NATIVE);
        let (engine, _) = match trusted {
            true => self.engine_of([source]),
            false => Engine::builder().source(source).trust_repositories_unasked().build(),
        };
        self.call_of(&engine, &Session::default()).await
    }

    fn lay_out(&self, layout: &Layout<'_>) {
        let (_, fields, script, text, files) = layout;
        let project = self.project().display().to_string();
        let fields = fields.replace("@@", &project);
        self.write(
            NATIVE,
            &format!("[hook.g]\non = 'PreToolUse'\nmatch = 'Bash'\nsandbox = 'off'\n{fields}\n"),
        );
        self.write(script, text);
        executable(&self.project().join(script));
        for (name, text) in *files {
            self.write(name, text);
            executable(&self.project().join(name));
        }
    }
}

fn has(program: &str) -> bool {
    ["/usr/bin", "/bin", "/usr/local/bin"]
        .iter()
        .any(|directory| Path::new(directory).join(program).exists())
}

/// T-77, T-78, T-79: a hook that runs from the project says why, and what cannot be resolved is
/// named with its line.
#[test]
fn a_hook_that_needs_its_place_says_why() {
    let long =
        format!("#!/bin/sh\n: {}; . \"$(dirname \"$0\")/../lib/a.sh\"\n", "x".repeat(70_000));
    let rows: &[(&str, Option<&str>, Option<&str>)] = &[
        ("#!/bin/sh\n. \"$(dirname \"$0\")/../lib/a.sh\"\n", None, None),
        (
            "#!/bin/sh\nDIR=$(dirname \"$0\")\ncat \"$DIR/beside.txt\"; echo x >> \"$DIR/own.log\"\n",
            None,
            None,
        ),
        (
            "#!/bin/sh\ncd \"$(git rev-parse --show-toplevel)\" || exit 0\nnpm test\n",
            Some("what `npm test` runs (hooks/g:3)"),
            None,
        ),
        ("#!/bin/sh\neval \"$(jq -r '@sh \\\"A=\\(.x)\\\"')\"\n", None, None),
        ("#!/bin/sh\n. \"$HOME/.profile\"; . /etc/os-release\n", None, None),
        (
            "#!/usr/bin/env python3\nimport json, os, sys, re\nfrom pathlib import Path\nLOG = Path(__file__).parent / 'a.log'\n",
            None,
            None,
        ),
        (
            "#!/usr/bin/env node\nconst fs = require('fs'); const { x } = require('node:path');\n",
            None,
            None,
        ),
        ("#!/bin/sh\n\n. \"$X\"\n", Some("\"$X\" (hooks/g:3)"), Some("\"$X\" (hooks/g:3)")),
        (
            "#!/bin/sh\neval \"$(cat \"$1\")\"\n",
            Some("eval \"$(cat \"$1\")\" (hooks/g:2)"),
            Some("eval"),
        ),
        (
            "#!/usr/bin/env python3\nimport importlib, sys\nimportlib.import_module(sys.argv[1])\n",
            Some("(hooks/g:3)"),
            Some("(hooks/g:3)"),
        ),
        (
            "#!/usr/bin/env node\nrequire(process.env.X)\n",
            Some("require(process.env.X) (hooks/g:2)"),
            Some("require"),
        ),
        (
            "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\nls\n",
            None,
            Some("cd \"$(dirname \"$0\")/..\" (hooks/g:2)"),
        ),
        ("#!/bin/sh\necho 1 > \"$(dirname \"$0\")/../state/count\"\n", None, Some("(hooks/g:2)")),
        (&long, Some("(hooks/g:2)"), Some("(hooks/g:2)")),
    ];
    for (text, unpinned, place) in rows {
        let fixture = Fixture::new();
        fixture.write("hooks/g", text);
        fixture.write("lib/a.sh", "exit 2\n");
        fixture.write(NATIVE, "[hook.g]\non = 'PreToolUse'\nrun = ['hooks/g']\n");
        let review = fixture.trust().review(&fixture.source(NATIVE));
        let pins = &review.entries.first().expect("the hook").pins;
        let start: String = text.chars().take(100).collect();
        let contains = |found: Option<&String>, wanted: Option<&str>| match (found, wanted) {
            (None, None) => true,
            (Some(found), Some(wanted)) => found.contains(wanted),
            _ => false,
        };
        assert!(contains(pins.unpinned.first(), *unpinned), "{start}: {:?}", pins.unpinned);
        assert!(contains(pins.from_place.as_ref(), *place), "{start}: {:?}", pins.from_place);
    }
}

/// T-75, T-76, T-77: after approval each layout denies as it did, and a change of what it loads
/// asks again. T-100.
#[tokio::test]
async fn approval_loses_no_denial_of_what_a_script_loads() {
    let mut wrong = Vec::new();
    for layout in LAYOUTS {
        let (name, fields, _, _, files) = layout;
        let interpreter = ["python3", "node", "ruby", "perl"]
            .into_iter()
            .find(|program| fields.contains(program));
        if interpreter.is_some_and(|program| !has(program)) {
            continue;
        }
        let fixture = Fixture::new();
        fixture.lay_out(layout);
        let denied = (Restraint::Deny, "denied by the library".to_owned());
        let before = fixture.guard(false).await;
        if before != denied {
            wrong.push(format!("{name}: the layout itself: {before:?}"));
            continue;
        }
        let trust = fixture.trust();
        trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
        let after = fixture.guard(true).await;
        if after != denied {
            wrong.push(format!("{name}: lost: {after:?}"));
        }
        let (library, _) = files.first().expect("a file");
        fixture.write(library, "\n");
        let changed = fixture.guard(true).await;
        let unpinned = trust
            .review(&fixture.source(NATIVE))
            .entries
            .iter()
            .any(|entry| !entry.pins.unpinned.is_empty());
        if !changed.1.contains("is not what you approved") && !unpinned {
            wrong.push(format!("{name}: ran another `{library}`: {changed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// T-77: a hook whose sandbox has no project runs from its copy.
#[test]
fn a_hook_in_the_strict_sandbox_runs_from_its_copy() {
    for (sandbox, is_moved) in [("strict", true), ("standard", false)] {
        let fixture = Fixture::new();
        fixture.write("hooks/g", "#!/bin/sh\ncd \"$(dirname \"$0\")/..\"\n");
        let entry = "[hook.g]\non = 'PreToolUse'\nrun = ['hooks/g']\n";
        fixture.write(NATIVE, &format!("{entry}sandbox = '{sandbox}'\n"));
        let review = fixture.trust().review(&fixture.source(NATIVE));
        let pins = &review.entries.first().expect("the hook").pins;
        assert_eq!(pins.from_place.is_none(), is_moved, "{sandbox}");
    }
}

/// T-75: a script that cannot be parsed as a whole is read line by line, and a definition is no
/// call.
#[test]
fn a_script_that_cannot_be_parsed_is_read_by_lines() {
    let fixture = Fixture::new();
    let broken = "#!/bin/bash\nDIR=$(dirname \"$0\")\ncase x in (((\n. \"$DIR/../lib/a.sh\"\n";
    let python = "#!/usr/bin/env python3\ndef eval(code):\n    pass\n";
    for (text, file) in [(broken, Some("lib/a.sh")), (python, None)] {
        fixture.write("lib/a.sh", "exit 2\n");
        fixture.write("hooks/g", text);
        fixture.write(NATIVE, "[hook.g]\non = 'PreToolUse'\nrun = ['hooks/g']\n");
        let review = fixture.trust().review(&fixture.source(NATIVE));
        let pins = &review.entries.first().expect("the hook").pins;
        assert!(pins.unpinned.is_empty(), "{:?}", pins.unpinned);
        let library = fixture.project().join("lib/a.sh");
        let is_pinned = pins.files.iter().any(|pin| pin.path == library && pin.digest.is_some());
        assert_eq!(is_pinned, file.is_some(), "{text}");
    }
}

/// T-77: a script behind a link finds the files beside what the link leads to.
#[cfg(unix)]
#[tokio::test]
async fn a_script_behind_a_link_denies_after_approval() {
    let resolves = ". \"$(dirname \"$(readlink -f \"$0\")\")/lib.sh\"\n";
    let follows = ". \"$(dirname \"$0\")/lib.sh\"\n";
    let module = "#!/usr/bin/env python3\nimport pol\n";
    for (text, library, bytes) in [
        (resolves, "tools/lib.sh", DENIES),
        (follows, "hooks/lib.sh", DENIES),
        (module, "tools/pol.py", PYTHON),
    ] {
        let fixture = Fixture::new();
        let text =
            if text.starts_with("#!") { text.to_owned() } else { format!("#!/bin/sh\n{text}") };
        fixture.write("tools/g", &text);
        executable(&fixture.project().join("tools/g"));
        fixture.write("hooks/beside.txt", "");
        std::os::unix::fs::symlink("../tools/g", fixture.project().join("hooks/g"))
            .expect("a link");
        fixture.write(library, bytes);
        fixture.write(NATIVE, "[hook.g]\non = 'PreToolUse'\nsandbox = 'off'\nrun = ['hooks/g']\n");
        let denied = (Restraint::Deny, "denied by the library".to_owned());
        assert_eq!(fixture.guard(false).await, denied, "{library}: the layout itself");
        let trust = fixture.trust();
        trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
        assert_eq!(fixture.guard(true).await, denied, "{library}");
        fixture.write(library, "\n");
        let (_, reason) = fixture.guard(true).await;
        assert!(reason.contains("is not what you approved"), "{library}: {reason}");
    }
}

/// T-104: what would be loaded in place of a module is a change when it comes.
#[test]
fn file_that_is_loaded_in_place_of_a_module_is_a_change() {
    let python = "import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\nimport pol\n";
    let node = "require('../lib/pol')\n";
    let perl = "use FindBin;\nuse lib \"$FindBin::Bin/../lib\";\nuse Pol;\n";
    for (program, script, text, module, later) in [
        ("python3", "hooks/g.py", python, "lib/pol.py", "lib/pol/__init__.py"),
        ("python3", "hooks/g.py", python, "lib/pol.py", "lib/pol.so"),
        ("python3", "hooks/g.py", python, "lib/pol.py", "lib/pol.cpython-311-x86_64-linux-gnu.so"),
        ("python3", "hooks/g.py", python, "lib/pol.py", "lib/pol.pyc"),
        ("python3", "hooks/g.py", python, "lib/pol.py", "hooks/pol.pyc"),
        ("node", "hooks/g.js", node, "lib/pol.js", "lib/pol"),
        ("node", "hooks/g.js", node, "lib/pol.json", "lib/pol.js"),
        ("perl", "hooks/g.pl", perl, "lib/Pol.pm", "lib/Pol.pmc"),
    ] {
        let fixture = Fixture::new();
        fixture.write(script, text);
        fixture.write(module, "");
        let entry = format!("run = ['{program}', '{script}']\n");
        fixture.write(NATIVE, &format!("[hook.g]\non = 'PreToolUse'\n{entry}"));
        let trust = fixture.trust();
        trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
        assert_eq!(trust.review(&fixture.source(NATIVE)).state, State::Approved, "{later}");
        fixture.write(later, "");
        assert_eq!(trust.review(&fixture.source(NATIVE)).state, State::Changed, "{later}");
    }
}

/// T-105: a compiled module that somebody put beside its text is not loaded.
#[tokio::test]
async fn compiled_module_of_the_project_is_not_loaded() {
    if !has("python3") {
        return;
    }
    let fixture = Fixture::new();
    fixture.write("lib/pol.py", PYTHON);
    fixture.write("hooks/g.py", "import sys\nsys.path.insert(0, 'lib')\nimport pol\n");
    let entry = "match = 'Bash'\nsandbox = 'off'\nrun = ['python3', 'hooks/g.py']\n";
    fixture.write(NATIVE, &format!("[hook.g]\non = 'PreToolUse'\n{entry}"));
    let trust = fixture.trust();
    trust.approve(&trust.review(&fixture.source(NATIVE))).expect("an approval");
    // A compiled module that belongs to no text in particular is taken for the text's own.
    let forge = "import importlib.util as u, marshal, os\ncode = compile('', 'pol.py', 'exec')\npath = u.cache_from_source('lib/pol.py')\nos.makedirs(os.path.dirname(path), exist_ok=True)\nopen(path, 'wb').write(u.MAGIC_NUMBER + (1).to_bytes(4, 'little') + bytes(8) + marshal.dumps(code))\n";
    let forged = std::process::Command::new("python3")
        .args(["-c", forge])
        .current_dir(fixture.project())
        .env_clear()
        .status()
        .expect("a start");
    assert!(forged.success());
    let (restraint, reason) = fixture.guard(false).await;
    assert_eq!(restraint, Restraint::Silent, "the forged module counts without approval: {reason}");
    let denied = (Restraint::Deny, "denied by the library".to_owned());
    assert_eq!(fixture.guard(true).await, denied);
}
