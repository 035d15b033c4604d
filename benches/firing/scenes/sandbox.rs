//! What it costs to confine a hook, against the same hook at liberty, and against bubblewrap, which confines it from outside.

use std::hint::black_box;
use std::path::Path;

use tempfile::TempDir;
use tenterhook::executor::Ambient;
use tenterhook_process::{Means, available_sandbox_means};

use super::interpreter::{LANGUAGES, Language};
use super::{Bed, argv, hook};
use crate::baseline::interpreter;
use crate::sample::{Sample, Table};

/// A way to confine it.
struct Way {
    means: &'static str,
    /// More keys of its sandbox.
    keys: &'static str,
    /// Whether it is on a machine that has no Landlock.
    is_without_landlock: bool,
    /// How much more it may take.
    reach: &'static str,
}

const L: Way = Way { means: "L", keys: "", is_without_landlock: false, reach: "+1.0 ms" };
const N: Way = Way { means: "N", is_without_landlock: true, reach: "+1.5 ms", ..L };
const BOTH: Way = Way { means: "L and N", keys: ", isolation_min = \"T2\"", reach: "+2.5 ms", ..L };

/// Own namespaces, `/proc` and `/tmp`, no writable path, no network: the nearest equivalent of
/// both means together.
const BUBBLEWRAP: &[&str] = &[
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
];

/// Each language, each way.
pub(crate) fn sandbox(table: &mut Table) {
    LANGUAGES.iter().for_each(|language| measure(table, language));
}

fn measure(table: &mut Table, language: &Language) {
    let (program, which) = language.program;
    let (Some(program), Ok(scratch)) = (interpreter(program, which), TempDir::new()) else {
        return table.skip(language.name, "it is not here", "");
    };
    let args = [language.takes_line, language.script];
    let run = argv("run", &program, &args);
    // Where an interpreter lies in somebody's home.
    let prefix = program.parent().and_then(Path::parent).unwrap_or(&program).display();
    for way in [L, N, BOTH] {
        let keys =
            format!("sandbox = {{ profile = \"standard\", read = [\"{prefix}\"]{} }}", way.keys);
        let name = format!("{} in {}", language.name, way.means);
        let mut ambient = Ambient::default().scratch(scratch.path());
        ambient.pretended =
            way.is_without_landlock.then(|| Means { landlock: 0, ..available_sandbox_means() });
        let entries = (&*run, &*format!("{run}\n{keys}"));
        beside(table, language, entries, (&name, way.reach), &ambient);
    }
    let name = format!("{} in bubblewrap", language.name);
    let Some(outside) = interpreter("sh", &["-c", "command -v bwrap"]) else {
        return table.skip(name, "there is no bwrap", "");
    };
    let program = program.display().to_string();
    let args: Vec<&str> = BUBBLEWRAP.iter().copied().chain([&*program]).chain(args).collect();
    let ambient = Ambient::default().scratch(scratch.path());
    beside(table, language, (&run, &argv("run", &outside, &args)), (&name, ""), &ambient);
}

/// A row of the second entry against the first, fired in turn.
fn beside(
    table: &mut Table,
    language: &Language,
    (free, confined): (&str, &str),
    (name, reach): (&str, &str),
    ambient: &Ambient,
) {
    let bed = |entry: &str| Bed::written_in([hook(0, entry)], ambient.clone()).ready();
    let (free, confined) = match (bed(free), bed(confined)) {
        (Ok(free), Ok(confined)) => (free, confined),
        (Err(fault), _) | (_, Err(fault)) => return table.skip(name, &fault.message, reach),
    };
    let (free, confined) = Sample::pair(
        language.times,
        || {
            drop(black_box(free.fire()));
        },
        || {
            drop(black_box(confined.fire()));
        },
    );
    table.more(name, confined, ("at liberty", free.median()), reach);
}
