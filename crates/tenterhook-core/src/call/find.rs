//! What does a `find` come upon? Reads its words; looks at no disk.

use super::view::View;

/// Tests of `find` that leave out most of what lies there.
const NARROWING: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newer",
    "-size",
    "-empty",
    "-user",
    "-perm",
    "-inum",
    "-links",
];

/// Returns the paths that a `find` lists: its start directories, or the names that it looks for in
/// them. Each name may be in each start directory, and each costs a step.
pub(super) fn paths_listed_by_find(view: &View<'_>) -> Vec<String> {
    let starts = start_directories_of_find(view);
    if !is_narrow_search(view) {
        let inside = starts.iter().filter(|start| **start != ".").map(|start| format!("{start}/*"));
        return starts.iter().map(|start| (*start).to_owned()).chain(inside).collect();
    }
    let named = view.args.iter().zip(view.args.iter().skip(1));
    let names = named.filter(|(test, _)| matches!(test.as_str(), "-name" | "-iname"));
    let names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
    let paths = path_patterns_of_find(view).map(str::to_owned);
    let named = starts
        .iter()
        .flat_map(|start| names.iter().map(move |name| (start, name)))
        .take_while(|(start, name)| view.meter.spend_steps_for_bytes(64 + start.len() + name.len()))
        .map(|(start, name)| format!("{start}/{name}"));
    named.chain(paths).collect()
}

/// The directories in which a `find` starts.
pub(super) fn start_directories_of_find<'a>(view: &'a View<'_>) -> Vec<&'a str> {
    let is_leading =
        |arg: &&String| matches!(arg.as_str(), "-H" | "-L" | "-P") || arg.starts_with("-O");
    let named = view.args.iter().skip_while(is_leading);
    let named = named.take_while(|arg| !arg.starts_with('-') && *arg != "(" && *arg != "!");
    let named: Vec<&str> = named.map(String::as_str).collect();
    if named.is_empty() { vec!["."] } else { named }
}

/// Iterates over the paths that a `find` looks for, without those that it excludes.
fn path_patterns_of_find<'a>(view: &'a View<'_>) -> impl Iterator<Item = &'a str> {
    let args = || view.args.iter().map(String::as_str);
    let before = std::iter::once("").chain(args());
    let tests = before.zip(args()).zip(args().skip(1).zip(args().skip(2).chain([""])));
    tests.filter_map(|((before, test), (value, after))| {
        let is_path = matches!(test, "-path" | "-ipath" | "-wholename" | "-iwholename");
        let is_left_out = matches!(before, "!" | "-not") || after == "-prune";
        (is_path && !is_left_out).then_some(value)
    })
}

/// Whether a `find` has a test that excludes most files; a name that matches any file is not such a
/// test.
pub(super) fn is_narrow_search(view: &View<'_>) -> bool {
    let tests = view.args.iter().zip(view.args.iter().skip(1).map(String::as_str).chain([""]));
    let mut narrow = tests.filter(|(test, _)| NARROWING.contains(&test.as_str()));
    narrow.any(|(_, value)| !matches!(value, "*" | ".*" | "*.*" | "*/*" | "/*"))
}
