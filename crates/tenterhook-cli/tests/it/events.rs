//! `events`: the table of a dialect.

use crate::room::{Room, fits_schema};

#[test]
fn every_dialect_has_its_table() {
    let room = Room::new();
    for (dialect, count) in [("claude", 34), ("native", 42), ("gen", 24), ("ignis", 7)] {
        let args = ["events", "--dialect", dialect];
        let value = room.json(&[&args[..], &["--format", "json"]].concat(), "", 0);
        fits_schema("events", &value);
        assert_eq!(value["events"].as_array().unwrap().len(), count, "{dialect}");
        let text = room.run(&args, "").stdout;
        for row in value["events"].as_array().unwrap() {
            assert!(text.contains(row["name"].as_str().unwrap()), "{row}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
