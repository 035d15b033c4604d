//! Which packages are well known, and which names only look like theirs? Tables of names and one measure.
//!
//! A name one slip away from a well-known one is suspect unless it is well known itself. Names under five letters are
//! left alone: too many honest ones are near each other.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    Npm,
    PyPi,
    Crates,
    Gems,
}

/// Shortest name that is measured.
const SHORTEST: usize = 5;

/// Names that were taken to be mistaken for others, and the ones meant.
const SQUATS: &[(Registry, &str, &str)] = &[
    (Registry::Npm, "crossenv", "cross-env"),
    (Registry::Npm, "cross-env.js", "cross-env"),
    (Registry::Npm, "babelcli", "babel-cli"),
    (Registry::Npm, "jquery.js", "jquery"),
    (Registry::Npm, "nodemailer-js", "nodemailer"),
    (Registry::Npm, "mongose", "mongoose"),
    (Registry::Npm, "discordjs", "discord.js"),
    (Registry::Npm, "discord-js", "discord.js"),
    (Registry::Npm, "node-fetch-js", "node-fetch"),
    (Registry::Npm, "reactjs", "react"),
    (Registry::Npm, "vuejs", "vue"),
    (Registry::Npm, "socketio", "socket.io"),
    (Registry::Npm, "nextjs", "next"),
    (Registry::Npm, "lodahs", "lodash"),
    (Registry::Npm, "twilio-npm", "twilio"),
    (Registry::PyPi, "python-sqlite", "sqlite3"),
    (Registry::PyPi, "python3-dateutil", "python-dateutil"),
    (Registry::PyPi, "python-dateutils", "python-dateutil"),
    (Registry::PyPi, "jeilyfish", "jellyfish"),
    (Registry::PyPi, "request", "requests"),
    (Registry::PyPi, "urlib3", "urllib3"),
    (Registry::PyPi, "urllib", "urllib3"),
    (Registry::PyPi, "bs4.py", "beautifulsoup4"),
    (Registry::PyPi, "opencv", "opencv-python"),
    (Registry::PyPi, "sklearn", "scikit-learn"),
    (Registry::PyPi, "pytorch", "torch"),
    (Registry::PyPi, "tensorflw", "tensorflow"),
    (Registry::PyPi, "djanga", "django"),
    (Registry::PyPi, "python-openssl", "pyopenssl"),
    (Registry::PyPi, "crypt", "cryptography"),
    (Registry::PyPi, "ctx", "contextlib"),
    (Registry::PyPi, "dotenv", "python-dotenv"),
    (Registry::PyPi, "yaml", "pyyaml"),
    (Registry::Crates, "rustdecimal", "rust_decimal"),
    (Registry::Crates, "faster_log", "fast_log"),
    (Registry::Crates, "async_println", "async_print"),
    (Registry::Crates, "serde-json", "serde_json"),
    (Registry::Crates, "tokyo", "tokio"),
    (Registry::Gems, "atlas-client", "atlas_client"),
    (Registry::Gems, "rest_client", "rest-client"),
    (Registry::Gems, "bundlerr", "bundler"),
];

const NPM: &str = include_str!("names/npm.txt");

const PYPI: &str = include_str!("names/pypi.txt");

const CRATES: &str = include_str!("names/crates.txt");

const GEMS: &str = include_str!("names/gems.txt");

/// Scopes whose packages are the well-known tools of their owners.
const SCOPES: &str = include_str!("names/npm-scopes.txt");

/// The well-known packages of one registry, in the order of its table and to look one up.
struct Known {
    names: Vec<&'static str>,
    all: HashSet<&'static str>,
}

impl Known {
    fn from_table(table: &'static str) -> Self {
        let names: Vec<&str> = table.split_whitespace().collect();
        Self { all: names.iter().copied().collect(), names }
    }
}

/// Returns the table of well-known packages. Each table is built once, because a line may name
/// thousands of packages.
fn known_packages(registry: Registry) -> &'static Known {
    static TABLES: LazyLock<[Known; 4]> = LazyLock::new(|| {
        [
            Known::from_table(NPM),
            Known::from_table(PYPI),
            Known::from_table(CRATES),
            Known::from_table(GEMS),
        ]
    });
    let [npm, pypi, crates, gems] = &*TABLES;
    match registry {
        Registry::Npm => npm,
        Registry::PyPi => pypi,
        Registry::Crates => crates,
        Registry::Gems => gems,
    }
}

/// Whether the package is a well-known one.
pub(super) fn is_known_package(registry: Registry, name: &str) -> bool {
    let name = normalize_name(registry, name);
    let scope = name.split_once('/').map(|(scope, _)| scope);
    known_packages(registry).all.contains(name.as_str())
        || (registry == Registry::Npm
            && (scope.is_some_and(|text| SCOPES.split_whitespace().any(|scope| scope == text))
                || (name.starts_with("create-")
                    && is_known_package(registry, name.trim_start_matches("create-")))))
}

/// The well-known package that `name` looks like, if it is not one itself.
pub(super) fn similar_known_package(registry: Registry, name: &str) -> Option<&'static str> {
    let name = normalize_name(registry, name);
    if is_known_package(registry, &name) || name.contains('/') {
        return None;
    }
    let squat = SQUATS.iter().find(|(of, squat, _)| *of == registry && *squat == name);
    if let Some((_, _, meant)) = squat {
        return Some(meant);
    }
    if name.len() < SHORTEST {
        return None;
    }
    let mut names = known_packages(registry).names.iter().copied();
    names.find(|text| {
        text.len() >= SHORTEST && may_be_one_typo(&name, text) && is_one_typo(&name, text)
    })
}

/// Normalizes the name of a package: case is ignored, and on PyPI `_` and `-` are the same.
fn normalize_name(registry: Registry, name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if registry == Registry::PyPi { lower.replace('_', "-") } else { lower }
}

/// Whether two names may differ by one typo: their lengths differ by at most one, and one of their
/// ends is the same.
fn may_be_one_typo(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    one.len().abs_diff(other.len()) <= 1
        && (one.first() == other.first() || one.last() == other.last())
}

/// Whether two names differ by one typo: a letter more, less or different, or two that are swapped.
fn is_one_typo(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (Some(a), Some(b)) = (one.get(same..), other.get(same..)) else { return false };
    match (a, b) {
        ([], []) => false,
        ([x, rest_a @ ..], [y, rest_b @ ..]) => {
            let swapped = matches!((rest_a, rest_b), ([x2, ra @ ..], [y2, rb @ ..]) if x == y2 && y == x2 && ra == rb);
            rest_a == rest_b || swapped || rest_a == b || a == rest_b
        }
        ([_], []) | ([], [_]) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ruled_out_at_a_glance_is_no_slip() {
        for one in
            known_packages(Registry::Npm).names.iter().chain(&["xpress", "expres", "xepress", "ab"])
        {
            for other in &known_packages(Registry::PyPi).names {
                if other.len() >= SHORTEST && is_one_typo(one, other) {
                    assert!(may_be_one_typo(one, other), "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn names_one_slip_away() {
        for (registry, name, meant) in [
            (Registry::PyPi, "reqeusts", Some("requests")),
            (Registry::PyPi, "request", Some("requests")),
            (Registry::PyPi, "Djnago", Some("django")),
            (Registry::PyPi, "requests", None),
            (Registry::Npm, "preact", None),
            (Registry::Npm, "loadsh", Some("lodash")),
            (Registry::Npm, "expresss", Some("express")),
            (Registry::Npm, "exprss", Some("express")),
            (Registry::Npm, "@acme/react", None),
            (Registry::Npm, "my-own-thing", None),
            (Registry::Crates, "rustdecimal", Some("rust_decimal")),
            (Registry::Gems, "rspecc", Some("rspec")),
        ] {
            assert_eq!(similar_known_package(registry, name), meant, "{name}");
        }
        assert!(
            is_known_package(Registry::Npm, "create-vite")
                && !is_known_package(Registry::Npm, "left-padder")
        );
    }
}
