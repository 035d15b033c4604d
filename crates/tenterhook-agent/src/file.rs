//! Reads a file that somebody else names: a model, a prompt, a repository. A regular file, and no more of it than a limit: a
//! device or a FIFO is refused without a wait. Decides nothing about the content.

mod judged;

use std::fs::{File, FileType, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

pub(crate) use judged::{Judged, open_real_path};

/// The most that is read of a file that is wanted whole.
pub(crate) const LARGEST: u64 = 16 << 20;

/// Whether a file is of one kind.
type Is = fn(&FileType) -> bool;

/// A path that is no regular file, by its kind.
const KINDS: &[(Is, &str)] = &[
    (FileType::is_dir, "a directory"),
    (FileType::is_fifo, "a FIFO"),
    (FileType::is_socket, "a socket"),
    (FileType::is_block_device, "a device"),
    (FileType::is_char_device, "a device"),
];

/// Opens a regular file for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Opening a FIFO waits for its writer, and the path may lead elsewhere since it was checked.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    ensure_regular(&file.metadata()?)?;
    Ok(file)
}

/// Returns an error that names the kind of the file, unless it is a regular file.
pub(crate) fn ensure_regular(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let what = KINDS.iter().find(|(is, _)| is(&kind)).map_or("no file", |(_, what)| what);
    Err(io::Error::other(format!("it is {what}, not a file")))
}

/// Reads at most `most` bytes from the beginning of a file. Returns them, and whether that is the
/// whole file.
pub(crate) fn read_start(path: &Path, most: u64) -> io::Result<(Vec<u8>, bool)> {
    read_start_of_open(open(path)?, most)
}

/// Reads at most `most` bytes from the beginning of an open file. Returns them, and whether that is
/// the whole file.
pub(crate) fn read_start_of_open(file: File, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    let all = bytes.len() as u64 <= most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok((bytes, all))
}

/// Reads the beginning of a file as text. Invalid UTF-8 is replaced, and no character is cut in
/// two.
pub(crate) fn read_start_as_text(path: &Path, most: u64) -> io::Result<(String, bool)> {
    read_text_of_open(open(path)?, most)
}

/// Reads the beginning of an open file as text. Invalid UTF-8 is replaced, and no character is cut
/// in two.
pub(crate) fn read_text_of_open(file: File, most: u64) -> io::Result<(String, bool)> {
    let (bytes, all) = read_start_of_open(file, most)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = if all { &text } else { text.trim_end_matches(char::REPLACEMENT_CHARACTER) };
    Ok((text.to_owned(), all))
}

/// Reads a whole file.
pub(crate) fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    match read_start(path, LARGEST)? {
        (bytes, true) => Ok(bytes),
        (_, false) => Err(io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20))),
    }
}

/// Reads the whole checked file on a separate thread that only the caller waits for, because a disk
/// may be slow.
pub(crate) async fn read_judged_file(judged: Judged) -> io::Result<Vec<u8>> {
    let read = tokio::task::spawn_blocking(move || judged.read_whole()).await;
    read.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Writes the whole content of the checked file on a separate thread that only the caller waits
/// for.
pub(crate) async fn write(judged: Judged, content: String) -> io::Result<()> {
    let written = tokio::task::spawn_blocking(move || {
        let mut file = judged.open_for_overwriting()?;
        file.write_all(content.as_bytes())
    });
    written.await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_testkit::Sandbox;

    #[test]
    fn only_a_regular_file_is_read_and_no_more_than_is_wanted() {
        let room = Sandbox::new().unwrap();
        let path = room.write("a.txt", "one two").unwrap();
        assert_eq!(read_start(&path, 3).unwrap(), (b"one".to_vec(), false));
        assert_eq!(read_start(&path, 7).unwrap(), (b"one two".to_vec(), true));
        assert_eq!(read_whole(&path).unwrap(), b"one two");
        let path = room.write("b.txt", "a€€").unwrap();
        assert_eq!(read_start_as_text(&path, 5).unwrap(), ("a€".to_owned(), false));
        let fifo = room.project().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        for (path, why) in [
            (fifo.as_path(), "it is a FIFO, not a file"),
            (Path::new("/dev/zero"), "it is a device, not a file"),
            (room.project().as_path(), "it is a directory, not a file"),
        ] {
            assert_eq!(read_whole(path).unwrap_err().to_string(), why);
        }
        let large = room.project().join("large");
        File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(read_whole(&large).unwrap_err().to_string(), "it is larger than 16 MiB");
    }
}
