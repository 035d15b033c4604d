//! Does what the rooms of the engine import lead in a circle? Reads the code alone: who stands above whom is said by nobody
//! here, so no list can hide a circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Findings;
use super::rooms::{named, room, without_comments};
use crate::tree::File;

/// Which rooms a room imports, and a file that does so.
type Imports<'f> = BTreeMap<&'f str, BTreeMap<&'f str, &'f str>>;

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let imports = imports(files);
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for from in imports.keys() {
        let Some(circle) = circle(&imports, from) else { continue };
        if told.contains(from) {
            continue;
        }
        told.extend(circle.iter().copied());
        let arrow = |pair: &[&str]| match pair {
            [from, to] => {
                let file = imports.get(from).and_then(|import| import.get(to)).copied();
                format!("`{from}` imports `{to}` ({})", file.unwrap_or_default())
            }
            _ => String::new(),
        };
        let arrows: Vec<String> = circle.windows(2).map(arrow).collect();
        findings.error(
            "crates/tenterhook/src",
            format!("rooms import each other in a circle: {}", arrows.join(", ")),
        );
    }
}

fn imports(files: &[File]) -> Imports<'_> {
    let rooms: BTreeSet<&str> = files.iter().filter_map(|file| room(&file.path)).collect();
    let mut imports = Imports::new();
    for file in files {
        let Some(from) = room(&file.path) else { continue };
        let words = named(&without_comments(file.source()));
        for to in rooms.iter().filter(|to| **to != from && words.contains(**to)) {
            imports.entry(from).or_default().entry(to).or_insert(&file.path);
        }
    }
    imports
}

/// The shortest way from a room back to itself.
fn circle<'f>(imports: &Imports<'f>, room: &'f str) -> Option<Vec<&'f str>> {
    let mut ways = VecDeque::from([vec![room]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let next = way.last().and_then(|last| imports.get(last));
        for to in next.into_iter().flat_map(BTreeMap::keys) {
            let mut longer = way.clone();
            longer.push(to);
            if *to == room {
                return Some(longer);
            }
            if seen.insert(*to) {
                ways.push_back(longer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(path, code)| File {
            path: format!("crates/tenterhook/src/{path}.rs"),
            text: format!("//! X\n{code}\n"),
        });
        let mut findings = Findings::default();
        check(&files.collect::<Vec<_>>(), &mut findings);
        findings.errors
    }

    #[test]
    fn a_circle_is_told_once_with_the_files_that_close_it() {
        let told = told(&[
            ("a", "use crate::b::X;"),
            ("b", "mod inner;"),
            ("b/inner", "use crate::{a, c::Y};\nuse crate::d::Z;"),
            ("c", "fn f() -> crate::d::It { make() }"),
            ("d", "// use crate::b;"),
        ]);
        let [told] = told.as_slice() else { panic!("{told:?}") };
        assert!(told.ends_with(
            "in a circle: `a` imports `b` (crates/tenterhook/src/a.rs), \
             `b` imports `a` (crates/tenterhook/src/b/inner.rs)"
        ));
    }

    #[test]
    fn what_only_tests_import_closes_no_circle() {
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::a::It;\n}";
        assert!(
            told(&[("a", "use crate::b::X;"), ("b", tests), ("b/tests", "use crate::a;")])
                .is_empty()
        );
        assert_eq!(told(&[("a", "use crate::b::X;"), ("b", "use crate::a::It;")]).len(), 1);
    }
}
