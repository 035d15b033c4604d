//! Which files does a hook say that it runs on? A path, or a pattern of paths below a directory. Looks at no file.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// Characters that make a pattern of a path.
const SIGNS: &[char] = &['*', '?', '[', '{'];
/// Longest path that somebody writes, which bounds what a pattern costs.
const LONGEST: usize = 512;

/// Files by what their paths have in common.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Where they lie, or below it.
    pub below: PathBuf,
    /// The rest of their paths.
    pub rest: GlobMatcher,
    /// How many directories below that one they can lie; `None` where any number may.
    pub depth: Option<usize>,
}

/// Why a text is neither a path nor a pattern, as a clause.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BadPath {
    #[error("it is not valid UTF-8")]
    /// The text is not UTF-8.
    NotText,
    #[error("it is longer than {LONGEST} letters, or has some that none has")]
    /// The text is too long, or has characters that no path has.
    LongOrOdd,
    #[error("{0}")]
    /// The text is no pattern.
    Glob(globset::ErrorKind),
}

/// What a path that stands in the file of `directory` means: `None` where it is a path and no pattern.
///
/// # Errors
///
/// When it is neither.
pub fn parse_path_pattern(path: &Path, directory: &Path) -> Result<Option<Pattern>, BadPath> {
    // Characters in the name of the directory are the person's, and no pattern.
    let (fixed, written) = match path.strip_prefix(directory) {
        Ok(written) => (directory, written),
        Err(_) => (Path::new(""), path),
    };
    let text = written.to_str().ok_or(BadPath::NotText)?;
    if text.len() > LONGEST || text.chars().any(char::is_control) {
        return Err(BadPath::LongOrOdd);
    }
    if !text.contains(SIGNS) {
        return Ok(None);
    }
    let is_plain =
        |component: &Component<'_>| !component.as_os_str().to_string_lossy().contains(SIGNS);
    let plain: PathBuf = written.components().take_while(is_plain).collect();
    let rest = written.strip_prefix(&plain).unwrap_or(written).to_string_lossy();
    let depth = (!rest.contains("**")).then(|| rest.matches('/').count());
    let rest = GlobBuilder::new(&rest).literal_separator(true).build();
    let rest = rest.map_err(|error| BadPath::Glob(error.kind().clone()))?.compile_matcher();
    Ok(Some(Pattern { below: fixed.join(plain), rest, depth }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(path: &str) -> Option<(String, Option<usize>)> {
        let found = parse_path_pattern(Path::new(path), Path::new("/p/[x]")).expect("a path");
        found.map(|pattern| (pattern.below.display().to_string(), pattern.depth))
    }

    #[test]
    fn a_path_is_a_pattern_by_its_signs() {
        assert_eq!(parts("/p/[x]/lib/a.py"), None);
        assert_eq!(parts("/p/[x]/lib/*.py"), Some(("/p/[x]/lib".to_owned(), Some(0))));
        assert_eq!(parts("/p/[x]/lib/*/a.py"), Some(("/p/[x]/lib".to_owned(), Some(1))));
        assert_eq!(parts("/p/[x]/**/a.py"), Some(("/p/[x]/".to_owned(), None)));
        assert_eq!(parts("/h/lib/{a,b}.py"), Some(("/h/lib".to_owned(), Some(0))));
        let long = format!("/p/{}", "a".repeat(600));
        for bad in ["/p/[x]/[", "/p/a\nb", &*long] {
            assert!(parse_path_pattern(Path::new(bad), Path::new("/p/[x]")).is_err(), "{bad}");
        }
    }
}
