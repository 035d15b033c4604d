//! What is read, what is refused, what is hidden.

use std::fs;

use super::*;

fn room() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temp dir")
}

#[test]
fn a_config_is_a_regular_small_text() {
    let room = room();
    let file = room.path().join("a.json");
    fs::write(&file, "{}").expect("write");
    assert_eq!(&*read(&file).expect("a file"), "{}");

    fs::write(&file, vec![b' '; (MAX_BYTES + 1) as usize]).expect("write");
    assert_eq!(read(&file).expect_err("too large").to_string(), "it is larger than 1 MiB");
    fs::write(&file, b"{\"a\": \"\xff\"}").expect("write");
    assert_eq!(read(&file).expect_err("no text").to_string(), "it is not UTF-8 (byte 7)");
    let error = read(room.path()).expect_err("a directory").to_string();
    assert_eq!(error, "it is a directory, not a file");
    assert!(absent(&read(&room.path().join("none")).expect_err("none")));
}

#[cfg(unix)]
#[test]
fn a_fifo_and_a_device_are_refused_without_waiting() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let room = room();
    let fifo = room.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a fifo");
    assert_eq!(read(&fifo).expect_err("a fifo").to_string(), "it is a FIFO, not a file");
    let zero = read(Path::new("/dev/zero")).expect_err("a device").to_string();
    assert_eq!(zero, "it is a device, not a file");
}

#[test]
fn a_star_stands_for_files_in_sorted_order() {
    let room = room();
    for name in ["20-b.json", "10-a.json", "notes.txt", ".hidden.json"] {
        fs::write(room.path().join(name), "{}").expect("write");
    }
    let found = expand(&room.path().join("*.json"));
    let names: Vec<_> = found.iter().filter_map(|it| it.file_name()?.to_str()).collect();
    assert_eq!(names, ["10-a.json", "20-b.json"]);
    assert_eq!(expand(&room.path().join("none/*.json")), Vec::<PathBuf>::new());
}

#[test]
fn the_absolute_name_of_a_file_has_no_dots() {
    assert_eq!(absolute(Path::new("./a/./b.json"), Path::new("/w")), Path::new("/w/a/b.json"));
    assert_eq!(absolute(Path::new("/x.json"), Path::new("/w")), Path::new("/x.json"));
}
