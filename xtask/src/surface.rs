//! `cargo xtask surface`: how many public items does the library promise? Counts what its documentation lists, with every
//! feature, and shows the list.

use std::fmt::Write as _;
use std::process::Command;

use crate::error::Error;
use crate::{Report, tree};

/// How many a host can be asked to look through, and a version to promise.
const MOST: usize = 130;

/// The kinds of items, as the documentation heads them, and the names of each.
type Kinds<'a> = Vec<(&'a str, Vec<&'a str>)>;

pub(crate) fn run() -> Report {
    let root = tree::root();
    let target = root.join("target");
    let documented = Command::new(env!("CARGO"))
        .args(["doc", "--locked", "--no-deps", "--all-features", "-p", "tenterhook", "--lib"])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&root)
        .output()
        .map_err(Error::spawn("cargo"))?;
    if !documented.status.success() {
        return Err(Error::failed("cargo doc", &documented.stderr));
    }
    let page = target.join("doc/tenterhook/all.html");
    let html = std::fs::read_to_string(&page).map_err(Error::file(&page))?;
    let kinds = kinds(&html);
    let count: usize = kinds.iter().map(|(_, names)| names.len()).sum();
    if count == 0 {
        return Err(Error::Invalid(format!(
            "{} lists no item: rustdoc may have changed its format",
            page.display()
        )));
    }
    let mut text = String::new();
    for (kind, names) in &kinds {
        let _ = writeln!(text, "{:4} {kind}: {}", names.len(), names.join(", "));
    }
    let _ = writeln!(text, "{count} public items; at most {MOST}");
    if count > MOST {
        text.push_str(
            "move what only our own programs need to `internal`, or merge what is one idea\n",
        );
    }
    Ok((text, count <= MOST))
}

/// Takes the page that lists all items apart.
fn kinds(html: &str) -> Kinds<'_> {
    let kind = |part| {
        // The first such heading stands beside the page, not in it.
        let list = within(part, "<ul class=\"all-items\">", "</ul>")?;
        let heading = within(part, ">", "</h3>").filter(|text| !text.contains('<'))?;
        let names = list.split("</a>").filter_map(|part| part.rsplit_once('>'));
        let names = names.map(|(_, name)| name).filter(|name| !name.is_empty());
        Some((heading, names.collect()))
    };
    html.split("<h3").skip(1).filter_map(kind).collect()
}

/// The text between two marks.
fn within<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(head, _)| head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_each_kind_are_listed() {
        let html = r##"<h3><a href="#structs">Crate Items</a></h3><ul class="block"><li><a href="#structs">Structs</a></li></ul><h1>List of all items</h1><h3 id="structs">Structs</h3><ul class="all-items"><li><a href="a.html">engine::Engine</a></li><li><a href="b.html">event::Event</a></li></ul><h3 id="types">Type Aliases</h3><ul class="all-items"><li><a href="c.html">Calling</a></li></ul></section>"##;
        let expected: Kinds<'_> = vec![
            ("Structs", vec!["engine::Engine", "event::Event"]),
            ("Type Aliases", vec!["Calling"]),
        ];
        assert_eq!(kinds(html), expected);
    }
}
