//! Archives of which the same files make the same bytes: no clock, no user, no order of a directory goes into them.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, GzBuilder};
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use tar::{EntryType, Header};

use crate::error::Error;

/// One file of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) executable: bool,
}

impl Entry {
    /// A file that is read.
    pub(crate) fn data(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), executable: false }
    }

    /// A file that is run.
    pub(crate) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), executable: true }
    }

    /// The same file under a folder.
    pub(crate) fn under(&self, folder: &str) -> Self {
        Self { path: format!("{folder}/{}", self.path), ..self.clone() }
    }

    const fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// How long may be spent on a smaller archive.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effort {
    /// For others to download.
    Most,
    /// For a try.
    Least,
}

impl Effort {
    fn level(self) -> Compression {
        match self {
            Self::Most => Compression::best(),
            Self::Least => Compression::none(),
        }
    }
}

/// The first second that a zip can say; one date for all.
const DATE: u64 = 315_532_800;

/// A tar of these files, compressed.
pub(crate) fn tar_gz(entries: &[Entry], effort: Effort) -> Result<Vec<u8>, Error> {
    pack(entries, effort).map_err(Error::about("cannot write the tarball"))
}

fn pack(entries: &[Entry], effort: Effort) -> std::io::Result<Vec<u8>> {
    let gzip = GzBuilder::new().mtime(0).write(Vec::new(), effort.level());
    let mut tar = tar::Builder::new(gzip);
    for entry in entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(entry.mode());
        header.set_mtime(DATE);
        header.set_size(entry.bytes.len() as u64);
        tar.append_data(&mut header, &entry.path, &*entry.bytes)?;
    }
    tar.into_inner()?.finish()
}

/// A zip of these files.
pub(crate) fn zip(entries: &[Entry], effort: Effort) -> Result<Vec<u8>, Error> {
    zip_up(entries, effort).map_err(Error::about("cannot write the zip"))
}

fn zip_up(entries: &[Entry], effort: Effort) -> Result<Vec<u8>, rawzip::Error> {
    let mut zip = ZipArchiveWriter::new(Vec::new());
    for entry in entries {
        let (mut file, config) = zip
            .new_file(entry.path.as_str())
            .compression_method(CompressionMethod::DEFLATE)
            .last_modified(UtcDateTime::from_unix(DATE.cast_signed()))
            // pip makes a file executable only where the mode says that it is a regular one.
            .unix_permissions(0o100_000 | entry.mode())
            .start()?;
        let mut writer = config.wrap(DeflateEncoder::new(&mut file, effort.level()));
        writer.write_all(&entry.bytes)?;
        let (encoder, sums) = writer.finish()?;
        encoder.finish()?;
        file.finish(sums)?;
    }
    zip.finish()
}
