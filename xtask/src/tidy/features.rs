//! Are third-party crates compiled once for `cargo run` and `cargo test --workspace`? Compares what Cargo resolves; builds nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use super::crates::cargo;
use crate::error::Error;
use crate::tree::File;

/// Each version of a crate, with the sets of features that it is compiled with.
type Resolved = BTreeMap<Package, BTreeSet<String>>;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    /// Compiled for the machine that builds: macros, build scripts and all that they use. Their features are resolved apart.
    is_host: bool,
}

/// What builds a program, and where the features stand that make it share crates with the tests.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&[], "workspace-hack/Cargo.toml"),
    (&["-p", "tenterhook-agent"], "crates/tenterhook-agent/Cargo.toml"),
];

pub(super) fn check(_: &[File], findings: &mut Findings) {
    if let Err(error) = compare(findings) {
        findings.error("Cargo.toml", error);
    }
}

fn compare(findings: &mut Findings) -> Result<(), Error> {
    let tests = resolve(&["--workspace", "-e", "all"])?;
    for (packages, manifest) in PROGRAMS {
        let program = resolve(&[packages, &["-e", "normal,build"][..]].concat())?;
        for (package, sets) in &program {
            // The tests need all that a program needs. What Cargo does not list for this kind, it listed for the other one before.
            let Some(of_tests) = tests.get(package) else { continue };
            for features in sets.difference(of_tests) {
                findings.error(manifest, again(package, features, of_tests));
            }
        }
    }
    Ok(())
}

fn again(package: &Package, features: &str, of_tests: &BTreeSet<String>) -> String {
    let of_tests: Vec<String> = of_tests.iter().map(|set| format!("`{set}`")).collect();
    let table = if package.is_host { "build-dependencies" } else { "dependencies" };
    format!(
        "`{}` is compiled again for the tests: with the features `{features}` here and {} there; add what is missing to `[{table}]`",
        package.name,
        of_tests.join(" and "),
    )
}

fn resolve(packages: &[&str]) -> Result<Resolved, Error> {
    let format = ["tree", "--locked", "--charset", "ascii", "-f", "{p}\t{f}"];
    Ok(parse(&cargo(&[&format[..], packages].concat())?))
}

/// The lines of `cargo tree`: an indent of four characters a level, `NAME vVERSION`, notes in brackets, a tab and the features. ` (*)`
/// stands behind what was listed before, and a heading above dependencies of build scripts.
fn parse(tree: &str) -> Resolved {
    let mut resolved = Resolved::new();
    // Whether the package at each level is compiled for the host, and whether its dependencies are listed under such a heading.
    let mut levels: Vec<(bool, bool)> = Vec::new();
    for line in tree.lines() {
        let text = line.trim_start_matches(['|', '`', '-', ' ']);
        let level = (line.len() - text.len()) / 4;
        if text.starts_with('[') {
            if let Some((_, is_build)) = levels.get_mut(level) {
                *is_build = text == "[build-dependencies]";
            }
            continue;
        }
        levels.truncate(level);
        let is_below_host = levels.last().is_some_and(|(is_host, is_build)| *is_host || *is_build);
        let is_host = is_below_host || text.contains("(proc-macro)");
        levels.push((is_host, false));
        // The other lines name a feature that leads to a package.
        let Some((package, features)) = text.split_once('\t') else { continue };
        let name = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let features = features.trim_end_matches(" (*)").to_owned();
        resolved.entry(Package { name, is_host }).or_default().insert(features);
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::{Package, parse};

    const TREE: &str = "\
a v1.0.0 (/a)\t
|-- m v1.0.0 (proc-macro)\tstd
|   `-- s v1.0.0\tfull
|-- s feature \"alloc\"
|   `-- s v1.0.0\talloc
|   [build-dependencies]
|   `-- c v1.0.0\t
|       `-- s v1.0.0\tfull (*)
`-- s v1.0.0\talloc,std
";

    #[test]
    fn features_of_macros_and_build_scripts_are_kept_apart() {
        let resolved = parse(TREE);
        let of = |name: &str, is_host| {
            let package = Package { name: format!("{name} v1.0.0"), is_host };
            resolved.get(&package).map(|sets| sets.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert_eq!(of("s", true), Some(vec!["full"]));
        assert_eq!(of("s", false), Some(vec!["alloc", "alloc,std"]));
        assert_eq!((of("c", true), of("c", false)), (Some(vec![""]), None));
        assert_eq!((of("m", true), of("m", false)), (Some(vec!["std"]), None));
    }
}
