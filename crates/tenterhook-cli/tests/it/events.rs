//! `events`: the table of a dialect.

use crate::fixture::{Fixture, fits_schema};

#[test]
fn every_dialect_has_its_table() {
    let fixture = Fixture::new();
    for (dialect, count) in [("claude", 34), ("native", 42), ("gen", 24), ("ignis", 7)] {
        let args = ["events", "--dialect", dialect];
        let value = fixture.json(&[&args[..], &["--format", "json"]].concat(), "", 0);
        fits_schema("events", &value);
        assert_eq!(value["events"].as_array().unwrap().len(), count, "{dialect}");
        let text = fixture.run(&args, "").stdout;
        for row in value["events"].as_array().unwrap() {
            assert!(text.contains(row["name"].as_str().unwrap()), "{row}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
