//! What a flag's text means: a dialect, a file with the dialect that was said of it, a duration.

use std::path::PathBuf;
use std::time::Duration;

use tenterhook::diagnostic::nearest;
use tenterhook::dialect::{DIALECTS, DialectId};

/// One file with hooks, and the dialect that was said of it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) dialect: Option<DialectId>,
    pub(crate) path: PathBuf,
}

pub(super) fn dialect(name: &str) -> Result<DialectId, String> {
    DialectId::find(name).ok_or_else(|| {
        let known: Vec<&str> = DIALECTS.iter().map(|it| it.id().as_str()).collect();
        match nearest(name, known.iter().copied()) {
            Some(near) => format!("there is no dialect of that name; did you mean `{near}`?"),
            None => format!("there is no dialect of that name; there are {}", known.join(", ")),
        }
    })
}

/// `DIALECT=FILE`. What stands before `=` is a dialect when it looks like a name and not like a path.
pub(crate) fn named(text: &str) -> Result<Named, String> {
    let plain = Named { dialect: None, path: text.into() };
    let Some((name, file)) = text.split_once('=') else { return Ok(plain) };
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Ok(plain);
    }
    Ok(Named { dialect: Some(dialect(name)?), path: file.into() })
}

/// A number with its unit. A bare number is refused: seconds and milliseconds are the commonest mistake in hook files.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number with its unit: `500ms`, `5s` or `2m`".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at_checked(digits).ok_or_else(wrong)?;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    match unit {
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["5", "", "s", "1h", "-1s", "1.5s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_config_may_say_its_dialect() {
        let it = named("native=a.toml").expect("known");
        assert_eq!((it.dialect, it.path), (Some(DialectId::NATIVE), "a.toml".into()));
        let it = named("./a=b.json").expect("a path");
        assert_eq!((it.dialect, it.path), (None, "./a=b.json".into()));
        assert!(named("klaude=a.json").expect_err("unknown").contains("`claude`"));
    }
}
