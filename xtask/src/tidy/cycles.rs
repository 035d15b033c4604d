//! Do the modules of the engine import each other in a cycle? Reads the imports only: no list of layers is used here, so none
//! can hide a cycle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Findings;
use super::modules::{module, named, without_comments};
use crate::tree::File;

/// The imports of each module, each with a file that has it.
type Imports<'f> = BTreeMap<&'f str, BTreeMap<&'f str, &'f str>>;

pub(super) fn check(files: &[File], findings: &mut Findings) {
    let imports = imports(files);
    let mut reported: BTreeSet<&str> = BTreeSet::new();
    for from in imports.keys() {
        let Some(cycle) = cycle(&imports, from) else { continue };
        if reported.contains(from) {
            continue;
        }
        reported.extend(cycle.iter().copied());
        let arrow = |pair: &[&str]| match pair {
            [from, to] => {
                let file = imports.get(from).and_then(|import| import.get(to)).copied();
                format!("`{from}` imports `{to}` ({})", file.unwrap_or_default())
            }
            _ => String::new(),
        };
        let arrows: Vec<String> = cycle.windows(2).map(arrow).collect();
        findings.error(
            "crates/tenterhook/src",
            format!("modules import each other in a cycle: {}", arrows.join(", ")),
        );
    }
}

fn imports(files: &[File]) -> Imports<'_> {
    let modules: BTreeSet<&str> = files.iter().filter_map(|file| module(&file.path)).collect();
    let mut imports = Imports::new();
    for file in files {
        let Some(from) = module(&file.path) else { continue };
        let names = named(&without_comments(file.source()));
        for to in modules.iter().filter(|to| **to != from && names.contains(**to)) {
            imports.entry(from).or_default().entry(to).or_insert(&file.path);
        }
    }
    imports
}

/// The shortest path from a module back to itself.
fn cycle<'f>(imports: &Imports<'f>, module: &'f str) -> Option<Vec<&'f str>> {
    let mut paths = VecDeque::from([vec![module]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = paths.pop_front() {
        let next = path.last().and_then(|last| imports.get(last));
        for to in next.into_iter().flat_map(BTreeMap::keys) {
            let mut longer = path.clone();
            longer.push(to);
            if *to == module {
                return Some(longer);
            }
            if seen.insert(*to) {
                paths.push_back(longer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(path, code)| File {
            path: format!("crates/tenterhook/src/{path}.rs"),
            text: format!("//! X\n{code}\n"),
        });
        let mut findings = Findings::default();
        check(&files.collect::<Vec<_>>(), &mut findings);
        findings.errors
    }

    #[test]
    fn cycle_is_reported_once_with_its_files() {
        let found = errors(&[
            ("a", "use crate::b::X;"),
            ("b", "mod inner;"),
            ("b/inner", "use crate::{a, c::Y};\nuse crate::d::Z;"),
            ("c", "fn f() -> crate::d::It { make() }"),
            ("d", "// use crate::b;"),
        ]);
        let [found] = found.as_slice() else { panic!("{found:?}") };
        assert!(found.ends_with(
            "in a cycle: `a` imports `b` (crates/tenterhook/src/a.rs), \
             `b` imports `a` (crates/tenterhook/src/b/inner.rs)"
        ));
    }

    #[test]
    fn import_of_a_test_closes_no_cycle() {
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::a::It;\n}";
        assert!(
            errors(&[("a", "use crate::b::X;"), ("b", tests), ("b/tests", "use crate::a;")])
                .is_empty()
        );
        assert_eq!(errors(&[("a", "use crate::b::X;"), ("b", "use crate::a::It;")]).len(), 1);
    }
}
