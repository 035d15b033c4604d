//! The files of a package: an unpacked folder, a tarball of npm or a wheel of Python. Reads files; judges nothing.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rawzip::ZipArchive;
use regex::bytes::Regex;

use crate::error::Error;

/// Endings of files in which no hook is described.
const IGNORED: &[&str] = &[
    "css",
    "gif",
    "gz",
    "html",
    "ico",
    "jpg",
    "map",
    "md",
    "node",
    "png",
    "so",
    "svg",
    "tmLanguage",
    "ttf",
    "wasm",
    "webp",
    "woff",
    "woff2",
];

/// Sees the path and the content of a file.
pub(super) type Visit<'v> = dyn FnMut(&str, &[u8]) + 'v;

/// A package on this machine.
#[derive(Debug)]
pub(super) struct Package {
    path: PathBuf,
    pub(super) version: String,
}

impl Package {
    /// Opens a folder, a tarball or a wheel, and reads which version it is.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let mut package = Self { path: path.to_owned(), version: String::new() };
        let mut found = (usize::MAX, None);
        package.visit_files(&mut |path, bytes| {
            let depth = path.matches('/').count();
            if let Some(version) = read_version(path, bytes).filter(|_| depth < found.0) {
                found = (depth, Some(version));
            }
        })?;
        let (_, version) = found;
        package.version = version.ok_or_else(|| {
            Error::Invalid(format!("{}: no `package.json` or `METADATA`", path.display()))
        })?;
        Ok(package)
    }

    /// Visits every file that may describe hooks.
    pub(super) fn visit_files(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if self.path.is_dir() {
            visit_folder(&self.path, &self.path, visit)
        } else if name.ends_with(".whl") {
            let bytes = std::fs::read(&self.path).map_err(Error::file(&self.path))?;
            visit_wheel(&bytes, visit).map_err(Error::about(name.into_owned()))
        } else {
            let file = File::open(&self.path).map_err(Error::file(&self.path))?;
            visit_tarball(file, visit).map_err(Error::file(&self.path))
        }
    }
}

fn read_version(path: &str, bytes: &[u8]) -> Option<String> {
    match path.rsplit('/').next()? {
        "package.json" => {
            let manifest: serde_json::Value = serde_json::from_slice(bytes).ok()?;
            Some(manifest.get("version")?.as_str()?.to_owned())
        }
        "METADATA" => {
            let text = String::from_utf8_lossy(bytes);
            let version = text.lines().find_map(|line| line.strip_prefix("Version: "))?;
            Some(version.trim().to_owned())
        }
        _ => None,
    }
}

fn is_ignored(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| IGNORED.contains(&ending))
}

/// Visits a file, and the files of a tarball that it carries: some programs unpack their scripts at their first start.
fn visit_file(path: &str, bytes: &[u8], visit: &mut Visit<'_>) {
    visit(path, bytes);
    let Ok(magic) = Regex::new(r"(?-u)\x1f\x8b\x08") else { return };
    for found in magic.find_iter(bytes) {
        let rest = bytes.get(found.start()..).unwrap_or_default();
        let mut head = [0; 262];
        let is_tarball = GzDecoder::new(rest).read_exact(&mut head).is_ok()
            && head.get(257..).is_some_and(|mark| mark == b"ustar");
        if is_tarball {
            // A tarball that is cut off is read up to its end.
            let _ = visit_tarball(rest, visit);
        }
    }
}

fn visit_folder(root: &Path, folder: &Path, visit: &mut Visit<'_>) -> Result<(), Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file(folder))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| !path.is_symlink()) {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if path.is_dir() {
            visit_folder(root, &path, visit)?;
        } else if !is_ignored(&name) {
            let bytes = std::fs::read(&path).map_err(Error::file(&path))?;
            visit_file(&name, &bytes, visit);
        }
    }
    Ok(())
}

fn visit_tarball(tarball: impl Read, visit: &mut Visit<'_>) -> std::io::Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(tarball));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        if !entry.header().entry_type().is_file() || is_ignored(&path) {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        visit_file(&path, &bytes, visit);
    }
    Ok(())
}

fn visit_wheel(
    bytes: &[u8],
    visit: &mut Visit<'_>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let archive = ZipArchive::from_slice(bytes)?;
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry()? {
        let path = entry.file_path().try_normalize()?.as_ref().to_owned();
        if path.ends_with('/') || is_ignored(&path) {
            continue;
        }
        let packed = archive.get_entry(entry.wayfinder())?;
        let mut content = Vec::new();
        if entry.compression_method() == rawzip::CompressionMethod::DEFLATE {
            flate2::read::DeflateDecoder::new(packed.data()).read_to_end(&mut content)?;
        } else {
            content.extend_from_slice(packed.data());
        }
        visit(&path, &content);
    }
    Ok(())
}
