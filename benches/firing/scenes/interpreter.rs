//! Scripts: how long their interpreter takes to start, and what is left of that when it was started before.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::{Bed, argv, envelope, hook};
use crate::baseline::interpreter;
use crate::baseline::process::raw;
use crate::baseline::settled;
use crate::sample::{Sample, Table};

/// A language in which people write hooks.
pub(super) struct Language {
    pub(super) name: &'static str,
    /// The program, and the arguments with which it says where it really is.
    pub(super) program: (&'static str, &'static [&'static str]),
    /// The option behind which a script stands on the command line.
    pub(super) takes_line: &'static str,
    /// A hook that reads its event, looks into it and has no objection.
    pub(super) script: &'static str,
    /// How long a spare interpreter gets to start before the next event, where its state is not visible.
    start: Duration,
    pub(super) times: usize,
    /// The ways to start it before it is needed, with how much of a cold start may be left.
    prewarmed: &'static [(&'static str, &'static str, &'static str)],
}

const SHELL: Language = Language {
    name: "sh -c",
    program: ("sh", &["-c", "command -v sh"]),
    takes_line: "-c",
    script: "read -r event; case $event in *--force*) exit 2 ;; esac; echo '{}'",
    start: Duration::from_millis(5),
    times: 300,
    prewarmed: &[("prewarmed sh -c", "prewarm = true", "")],
};

const PYTHON: Language = Language {
    name: "Python",
    program: ("python3", &["-c", "import sys; print(sys.executable)"]),
    takes_line: "-c",
    script: "import json, sys\n\
             event = json.load(sys.stdin)\n\
             if '--force' in json.dumps(event):\n    sys.exit(2)\n\
             print('{}')\n",
    start: Duration::from_millis(60),
    times: 60,
    prewarmed: &[
        ("prewarmed Python", "prewarm = true", "0.3x"),
        ("prewarmed Python, with the shim", "prewarm = \"python\"", "0.1x"),
    ],
};

const NODE: Language = Language {
    name: "Node",
    program: ("node", &["-p", "process.execPath"]),
    takes_line: "-e",
    script: "let text = '';\n\
             process.stdin.on('data', (part) => (text += part));\n\
             process.stdin.on('end', () => {\n\
               if (JSON.stringify(JSON.parse(text)).includes('--force')) process.exit(2);\n\
               console.log('{}');\n\
             });\n",
    start: Duration::from_millis(250),
    times: 25,
    prewarmed: &[
        ("prewarmed Node", "prewarm = true", ""),
        ("prewarmed Node, exit announced", "prewarm = \"node\"", "0.1x"),
    ],
};

/// All of them.
pub(super) const LANGUAGES: &[Language] = &[SHELL, PYTHON, NODE];

/// A line of shell, which the engine hands to `sh -c`.
pub(crate) fn shell(table: &mut Table) {
    let line = |_: &Path| vec!["-c".to_owned(), SHELL.script.to_owned()];
    measure(table, &SHELL, line);
}

/// A script of Python.
pub(crate) fn python(table: &mut Table) {
    measure(table, &PYTHON, |directory| vec![write_script(directory, "hook.py", PYTHON.script)]);
}

/// A script of Node.
pub(crate) fn node(table: &mut Table) {
    measure(table, &NODE, |directory| vec![write_script(directory, "hook.js", NODE.script)]);
}

fn measure(table: &mut Table, language: &Language, args: impl Fn(&Path) -> Vec<String>) {
    let cold_name = format!("cold {}", language.name);
    let (program, which) = language.program;
    let found = interpreter(program, which);
    let (Some(program), Ok(directory)) = (found, TempDir::new()) else {
        return table.skip(cold_name, &format!("no {program}"), "");
    };
    let args = args(directory.path());
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = argv("run", &program, &args);
    let cold = match Bed::written([hook(0, &run)]).ready() {
        Ok(bed) => bed,
        Err(fault) => return table.skip(cold_name, &fault.message, ""),
    };
    let input = envelope();
    let (bare, ours) = Sample::pair(
        language.times,
        || {
            black_box(raw(&program, &args, &input));
        },
        || {
            drop(black_box(cold.fire()));
        },
    );
    table.against(cold_name, ours, ("raw posix_spawn", bare.median()), "");
    for (name, prewarm, reach) in language.prewarmed {
        let hooks = [hook(0, &format!("{run}\n{prewarm}"))];
        match Bed::written_beside(hooks, directory.path()).ready() {
            Ok(bed) => {
                let (cold, ours) = Sample::paced(
                    language.times,
                    || settled::wait(language.start),
                    || {
                        drop(black_box(cold.fire()));
                    },
                    || {
                        drop(black_box(bed.fire()));
                    },
                );
                table.against(*name, ours, ("cold", cold.median()), reach);
            }
            Err(fault) => table.skip(*name, &fault.message, reach),
        }
    }
}

/// The path of a script, written down.
fn write_script(directory: &Path, name: &str, script: &str) -> String {
    let path: PathBuf = directory.join(name);
    // Where it cannot be written the first fire fails, and the row says so.
    let _ = std::fs::write(&path, script);
    path.display().to_string()
}
