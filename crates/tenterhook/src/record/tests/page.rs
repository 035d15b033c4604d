//! The page of the specification says every field, and no other.

use super::super::entry::FIELDS;

/// SH-8.
#[test]
fn every_field_of_a_record_stands_on_its_page() {
    let page = include_str!("../../../../../docs/spec/record.md");
    let table =
        page.split("## Fields").nth(1).expect("the part").split("\n## ").next().expect("its text");
    let cells = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    // A cell without its first backtick: names stand before every other one.
    let names = cells.flat_map(|cell| cell.split('`').step_by(2).filter(|name| !name.is_empty()));
    assert_eq!(names.collect::<Vec<_>>(), FIELDS);
}
