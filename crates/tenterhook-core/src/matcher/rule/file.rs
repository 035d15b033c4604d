//! Does a path pattern select the file that a call names?
//!
//! Purely lexical: a relative path is taken from the working directory, `.` and `..` are resolved on the text, and no
//! file is looked at, so a link is its own path (S-54 to S-56).

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::{Miss, RuleFault, Selection, Widening};
use crate::event::tool::ToolCall;

/// The directories that anchor path patterns; the caller names them, absolute.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathAnchors<'a> {
    /// Where the call is made.
    pub cwd: &'a str,
    /// The directory that `/` stands for: the project's, for a project's settings (S-55).
    pub base: &'a str,
    /// The user's home, where it is known.
    pub home: Option<&'a str>,
}

/// The pattern of a rule like `Read(src/**)`.
#[derive(Clone, Debug)]
pub(super) struct FilePattern {
    anchor: Anchor,
    globs: GlobSet,
}

/// What a pattern is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// `//etc/**`
    Root,
    /// `~/.ssh/**`
    Home,
    /// `/src/**`: the directory of the settings.
    Base,
    /// `src/**`: the working directory, or so many directories above it.
    Cwd { up: usize },
    /// `*.ts`, `**/src/**`: any directory.
    Anywhere,
}

/// Input fields that hold a path.
const PATH_KEYS: &[&str] = &["file_path", "path", "notebook_path"];
/// Tools that work on the working directory where they name no path.
const SEARCHES: &[&str] = &["Glob", "Grep", "LS"];
/// Deepest nest of `{ }` that is compiled; the compiler recurses.
const DEEPEST_BRACES: usize = 8;

impl FilePattern {
    pub(super) fn new(spec: &str) -> Result<Self, RuleFault> {
        let (anchor, glob) = split_anchor(spec);
        let fault = |cause: String| RuleFault::Glob { glob: spec.to_owned(), cause };
        if glob.matches('{').count() > DEEPEST_BRACES {
            return Err(fault("too many braces".to_owned()));
        }
        let mut globs = GlobSetBuilder::new();
        let directory = glob.trim_end_matches('/');
        // As in gitignore, what matches a directory matches everything in it.
        let mut texts = vec![format!("{directory}/**")];
        if directory == glob {
            texts.push(glob.to_owned());
        }
        for text in texts {
            let text = if anchor == Anchor::Anywhere { format!("**/{text}") } else { text };
            let built =
                GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
            globs.add(built.map_err(|error| fault(error.kind().to_string()))?);
        }
        let globs = globs.build().map_err(|error| fault(error.kind().to_string()))?;
        Ok(Self { anchor, globs })
    }

    /// Returns whether, and how exactly, the pattern selects the path of a file tool's call.
    pub(super) fn selection_of_path(
        &self,
        tool: ToolCall<'_>,
        places: &PathAnchors<'_>,
    ) -> Selection {
        let path = PATH_KEYS.iter().find_map(|key| tool.input.get(key).and_then(Value::as_str));
        let path = match path {
            Some(path) => path,
            None if SEARCHES.contains(&tool.name) => ".",
            None => return Selection::Widened(Widening::Input),
        };
        let Some(path) = absolute_path_parts(path, places) else {
            return Selection::Widened(Widening::Input);
        };
        let anchor = match self.anchor {
            Anchor::Root | Anchor::Anywhere => Some(Vec::new()),
            Anchor::Home => places.home.and_then(|home| absolute_path_parts(home, places)),
            Anchor::Base => absolute_path_parts(places.base, places),
            Anchor::Cwd { up } => absolute_path_parts(places.cwd, places).map(|mut cwd| {
                cwd.truncate(cwd.len().saturating_sub(up));
                cwd
            }),
        };
        let Some(anchor) = anchor else { return Selection::Widened(Widening::Input) };
        let matched = path
            .strip_prefix(anchor.as_slice())
            .is_some_and(|rest| self.globs.is_match(rest.join("/")));
        if matched { Selection::Exact } else { Selection::Not(Miss::Spec) }
    }
}

/// Splits a pattern into its anchor and the rest (S-55).
fn split_anchor(spec: &str) -> (Anchor, &str) {
    if let Some(rest) = spec.strip_prefix("//") {
        return (Anchor::Root, rest);
    }
    if let Some(rest) = spec.strip_prefix("~/") {
        return (Anchor::Home, rest);
    }
    if let Some(rest) = spec.strip_prefix('/') {
        return (Anchor::Base, rest);
    }
    let mut rest = spec;
    let mut up = 0;
    loop {
        if let Some(after) = rest.strip_prefix("../") {
            (rest, up) = (after, up + 1);
        } else if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else {
            break;
        }
    }
    // The observed agent reads `./x` as `x`, but `./x/y` as a path from here.
    let is_name = up == 0 && !rest.trim_end_matches('/').contains('/');
    let is_plain = rest == spec || is_name;
    match rest.strip_prefix("**/") {
        Some(after) if is_plain => (Anchor::Anywhere, after),
        _ if is_name => (Anchor::Anywhere, rest),
        _ => (Anchor::Cwd { up }, rest),
    }
}

/// Returns the parts of the absolute path, resolved as text only; `None` if no absolute path is
/// known.
fn absolute_path_parts(path: &str, places: &PathAnchors<'_>) -> Option<Vec<String>> {
    let path = to_forward_slashes(path);
    let whole = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", to_forward_slashes(places.home?))
        }
        _ if path.starts_with('/') => path,
        _ => format!("{}/{path}", to_forward_slashes(places.cwd)),
    };
    let mut parts: Vec<String> = Vec::new();
    for part in whole.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part.to_owned()),
        }
    }
    Some(parts)
}

/// Converts a Windows path to the spelling of rules: `C:\x` becomes `/c/x`.
fn to_forward_slashes(path: &str) -> String {
    let mut chars = path.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some(drive), Some(':'), Some('\\' | '/')) if drive.is_ascii_alphabetic() => {
            let rest = path.get(2..).unwrap_or_default();
            format!("/{}{}", drive.to_ascii_lowercase(), rest.replace('\\', "/"))
        }
        _ => path.to_owned(),
    }
}
