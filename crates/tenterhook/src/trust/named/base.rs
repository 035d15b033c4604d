//! Where does a line stand when one of its words is read? It follows `cd` as far as the text says where that leads; where several
//! directories may be meant, each of them counts. Pure.

use std::path::{Path, PathBuf};

use tenterhook_shell::{Context, Word, WordKind};

use super::normalize_path;
use super::part;

/// Most directories in which a line may stand.
const MOST: usize = 8;

/// The directories in which a line may stand.
#[derive(Clone, Debug)]
pub(super) struct Bases<'a> {
    /// The one in which it stands as far as the text says.
    current: PathBuf,
    others: Vec<PathBuf>,
    project: &'a Path,
    home: &'a Path,
}

impl<'a> Bases<'a> {
    pub(super) fn new(base: &Path, project: &'a Path, home: &'a Path) -> Self {
        Self { current: normalize_path(base), others: Vec::new(), project, home }
    }

    pub(super) fn project_str(&self) -> &str {
        self.project.to_str().unwrap_or_default()
    }

    /// Returns the paths that a text may mean, the likely one first, each with whether it is the
    /// likely one.
    pub(super) fn candidate_paths(&self, text: &str) -> Vec<(PathBuf, bool)> {
        if let Some(rest) = text.strip_prefix("~/") {
            return vec![(normalize_path(&self.home.join(rest)), true)];
        }
        if text.starts_with('/') {
            return vec![(normalize_path(Path::new(text)), true)];
        }
        let mut found = vec![(normalize_path(&self.current.join(text)), true)];
        for base in &self.others {
            let path = normalize_path(&base.join(text));
            if !found.iter().any(|(known, _)| *known == path) {
                found.push((path, false));
            }
        }
        found
    }

    /// Follows `cd`, and reports one that cannot be followed.
    pub(super) fn follow_cd(
        &mut self,
        args: &[Word],
        context: Context,
        unpinned: &mut Vec<String>,
    ) {
        let directory = args.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
        let Some(directory) = directory else {
            let home = self.home.to_owned();
            self.change_directory(home, context);
            return;
        };
        let is_known = directory.kind == WordKind::Literal || directory.text.starts_with("~/");
        if is_known && directory.text != "-" {
            let paths = self.candidate_paths(&directory.text);
            for (path, is_current) in paths {
                if is_current {
                    self.change_directory(path, context);
                } else {
                    self.add_directory(path);
                }
            }
            return;
        }
        let parts = part::possible_paths(directory, self.project_str());
        let known: Vec<_> = parts.iter().filter(|part| part.known == part::Known::Whole).collect();
        match known.as_slice() {
            [part] => {
                let path = self.current.join(&part.text);
                self.change_directory(normalize_path(&path), context);
            }
            _ => {
                self.add_directory(self.project.to_owned());
                let text = &directory.text;
                unpinned.push(format!("where `cd {text}` leads is known only when it runs"));
            }
        }
    }

    /// Adds the directories that options of one command lead to.
    pub(super) fn follow_directory_options(&mut self, args: &[Word], options: &[&str]) {
        for (option, next) in args.iter().zip(args.iter().skip(1).map(Some).chain([None])) {
            let attached = option.text.split_once('=').filter(|(name, _)| options.contains(name));
            let value = match (attached, next) {
                (Some((_, value)), _) => Some(value),
                (None, Some(next)) if options.contains(&&*option.text) => Some(&*next.text),
                _ => None,
            };
            if let Some(value) = value {
                for (path, _) in self.candidate_paths(value) {
                    self.add_directory(path);
                }
            }
        }
    }

    /// Changes the current directory of the line. A directory that only a part of the line enters,
    /// such as a subshell, is added instead.
    fn change_directory(&mut self, path: PathBuf, context: Context) {
        let stays = matches!(
            context,
            Context::Subshell
                | Context::Pipeline
                | Context::CommandSubstitution
                | Context::ProcessSubstitution
                | Context::Function
        );
        if stays {
            self.add_directory(path);
        } else if path != self.current {
            let before = std::mem::replace(&mut self.current, path);
            self.add_directory(before);
        }
    }

    fn add_directory(&mut self, path: PathBuf) {
        if path != self.current && !self.others.contains(&path) && self.others.len() < MOST {
            self.others.push(path);
        }
    }
}
