//! Which parts of a guard does code of another language change that no single text of it names: a path that is joined of several
//! texts, and a directory that gets another name?

use super::names;
use crate::call::Found;
use crate::call::path::Paths;
use crate::protect::{self, Hold};

/// Words of code that moves a file or a directory.
const MOVES: &[&str] = &["rename", "os.replace(", ".move(", "moveSync(", ".mv("];
/// Most texts that one path is joined of.
const MOST_PARTS: usize = 6;

pub(super) fn look(code: &str, texts: &[(usize, &str)], paths: &Paths<'_>, found: &mut Found) {
    for path in joined(code, texts) {
        let seen = paths.seen(&path, &paths.cwd);
        if names::holds(&seen, Hold::Part, paths) {
            found.guards.insert(seen);
        }
    }
    if MOVES.iter().any(|word| code.contains(word)) {
        let seen = texts.iter().map(|(_, text)| paths.seen(text, &paths.cwd));
        found.guards.extend(seen.filter(|path| protect::is_home_of_guard(path)));
    }
}

/// The paths that texts make which follow one another: `Path('a', 'b')`, `Path('a') / 'b'`, `'a/' + 'b'`.
fn joined(code: &str, texts: &[(usize, &str)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut end = None;
    let (mut path, mut parts) = (String::new(), 0);
    for (start, text) in texts {
        let between = end.and_then(|end: usize| code.get(end + 1..start - 1)).map(str::trim);
        let is_glue = |between: &&str| {
            !between.is_empty() && between.chars().all(|c| c.is_whitespace() || ",/()+".contains(c))
        };
        match between.filter(is_glue).filter(|_| parts < MOST_PARTS) {
            Some(between) => {
                path.push_str(if between.contains('+') { "" } else { "/" });
                path.push_str(text);
                parts += 1;
                found.push(path.clone());
            }
            None => {
                path = (*text).to_owned();
                parts = 1;
            }
        }
        end = Some(start + text.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenterhook_shell::strings::texts;

    #[test]
    fn texts_that_follow_one_another_make_a_path() {
        for (code, path) in [
            ("Path('a', 'b').write_text('{}')", "a/b"),
            ("Path('a') / 'b' / 'c'", "a/b/c"),
            ("os.path.join('a', 'b')", "a/b"),
            ("open('.cla' + 'ude/x')", ".claude/x"),
        ] {
            let found = joined(code, &texts(code));
            assert!(found.iter().any(|found| found == path), "{code}: {found:?}");
        }
        let code = "open('a').write('b')";
        assert_eq!(joined(code, &texts(code)), Vec::<String>::new());
    }
}
