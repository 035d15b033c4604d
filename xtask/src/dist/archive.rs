//! Archives of which the same files make the same bytes: no clock, no user, no order of a directory goes into them.

use std::io::{Cursor, Write as _};

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

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

    const fn method(self) -> CompressionMethod {
        match self {
            Self::Most => CompressionMethod::Deflated,
            Self::Least => CompressionMethod::Stored,
        }
    }
}

/// The first second that a zip can say; one date for all.
const DATE: u64 = 315_532_800;

/// A tar of these files, compressed.
pub(crate) fn tar_gz(entries: &[Entry], effort: Effort) -> Result<Vec<u8>, String> {
    pack(entries, effort).map_err(|error| format!("the tarball cannot be made: {error}"))
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
pub(crate) fn zip(entries: &[Entry], effort: Effort) -> Result<Vec<u8>, String> {
    let failed = |error: zip::result::ZipError| format!("the zip cannot be made: {error}");
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(effort.method())
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode());
        zip.start_file(&*entry.path, options).map_err(failed)?;
        zip.write_all(&entry.bytes).map_err(|error| failed(error.into()))?;
    }
    zip.finish().map(Cursor::into_inner).map_err(failed)
}
