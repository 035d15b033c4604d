//! The page of the specification says every field, and no other.

use super::super::entry::FIELDS;

/// SH-8.
#[test]
fn every_field_of_a_record_stands_on_its_page() {
    let page = include_str!("../../../../../docs/spec/record.md");
    let fields = page.split("## Fields").nth(1).expect("the part");
    let names = fields.lines().filter_map(|line| line.strip_prefix("- `")?.split("`: ").next());
    assert_eq!(names.flat_map(|names| names.split("`, `")).collect::<Vec<_>>(), FIELDS);
}
