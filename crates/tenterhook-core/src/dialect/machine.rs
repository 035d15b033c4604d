//! The files that an agent reads for every user of the machine: wherever one of them stands, it is
//! managed (C-91). Opens nothing.

use super::{Candidate, Roots};
use crate::hook::Layer;

/// A file of the machine: the directory beside that of [`Roots::managed`] (`None` for that one
/// itself), and its name.
pub(crate) type File = (Option<&'static str>, &'static str);

/// Returns the files of an agent that apply to every user of the machine, the strongest first.
pub(crate) fn machine_wide_files(files: &[File], roots: &Roots) -> Vec<Candidate> {
    let Some(managed) = &roots.managed else { return Vec::new() };
    let mut found: Vec<Candidate> = Vec::new();
    for (directory, file) in files {
        let directory =
            directory.map_or_else(|| managed.clone(), |name| managed.with_file_name(name));
        let path = directory.join(file);
        if !found.iter().any(|known| known.path.as_os_str() == path.as_os_str()) {
            found.push(Candidate { path, layer: Layer::Managed });
        }
    }
    found
}
