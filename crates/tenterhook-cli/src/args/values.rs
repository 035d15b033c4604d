//! Parsers for the values of flags: a dialect, a file with its dialect, a duration.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use tenterhook_core::agents::{Agent, agent_with_hook_installation, agents_with_hook_installation};
use tenterhook_core::diagnostic::nearest_word;
use tenterhook_core::dialect::{DIALECTS, DialectId};
use tenterhook_core::entry::digest::Digest;
use tenterhook_core::transcript::TranscriptAgent;
use tenterhook_probe::{ACCOUNT_AGENTS, AccountAgent, find_account_agent};

/// One file with hooks, and the dialect that the flag names.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) dialect: Option<DialectId>,
    pub(crate) path: PathBuf,
}

/// Why the text of a flag means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueError {
    /// No such name is known: what has none of it, the known name that it is nearest to, and all of them.
    Unknown { what: &'static str, nearest: Option<&'static str>, known: Vec<&'static str> },
    /// A time without a unit, or no time.
    Duration,
    /// A time in which nothing can run.
    Zero,
    /// Neither how long ago nor when.
    Moment,
    /// Not the number and the digest of a record.
    Known,
    /// Not a SHA-256.
    Digest,
}

impl std::error::Error for ValueError {}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, nearest: Some(near), .. } => {
                write!(f, "{what}; did you mean `{near}`?")
            }
            Self::Unknown { what, nearest: None, known } => {
                write!(f, "{what}; there are {}", known.join(", "))
            }
            Self::Duration => f.write_str("write a number with its unit: `500ms`, `5s`, `2m` or `1h`"),
            Self::Zero => f.write_str("no time at all leaves none to run"),
            Self::Moment => f.write_str(
                "write how long ago (`30m`, `2h`, `3 days`), or when (`2026-11-22`, `2026-11-22 14:00`)",
            ),
            Self::Known => f.write_str(
                "write the number and the digest that `log verify` printed: `12:9f86d0...`",
            ),
            Self::Digest => f.write_str(
                "write the 64 hexadecimal digits that `sha256sum FILE` or `tenterhook status` prints",
            ),
        }
    }
}

/// Parses the name of a dialect.
fn parse_dialect(name: &str) -> Result<DialectId, ValueError> {
    DialectId::from_name(name).ok_or_else(|| {
        let known: Vec<_> = DIALECTS.iter().map(|dialect| dialect.id().as_str()).collect();
        let nearest = nearest_word(name, known.iter().copied());
        ValueError::Unknown { what: "there is no dialect of that name", nearest, known }
    })
}

/// Returns a parser that accepts the known names alone. For another name it suggests the most
/// similar one, and shells complete the names from it.
fn name_parser<T, Names, Find>(names: Names, find: Find) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
    Names: IntoIterator<Item = &'static str>,
    Find: Fn(&str) -> Option<T> + Clone + Send + Sync + 'static,
{
    let unknown = ValueError::Unknown { what: "unknown name", nearest: None, known: Vec::new() };
    PossibleValuesParser::new(names).try_map(move |name| find(&name).ok_or_else(|| unknown.clone()))
}

/// Returns the parser of a dialect.
pub(super) fn dialect_parser() -> impl TypedValueParser<Value = DialectId> {
    name_parser(DIALECTS.iter().map(|dialect| dialect.id().as_str()), DialectId::from_name)
}

/// Returns the parser of a format to write: a dialect, or an agent for which `convert` says why it has
/// no hook file.
pub(super) fn written_dialect_parser() -> impl TypedValueParser<Value = DialectId> {
    let dialects = DIALECTS.iter().map(|dialect| dialect.id());
    let others = DialectId::agents().filter(|id| DialectId::from_name(id.as_str()).is_none());
    name_parser(dialects.chain(others).map(DialectId::as_str), |name| {
        DialectId::from_name(name).or_else(|| find_calling_agent(name))
    })
}

/// Returns the parser of an agent that `install` knows.
pub(super) fn installable_agent_parser() -> impl TypedValueParser<Value = &'static Agent> {
    name_parser(
        agents_with_hook_installation().map(|agent| agent.name),
        agent_with_hook_installation,
    )
}

/// Returns the parser of an agent that can call `tenterhook hook`.
pub(super) fn calling_agent_parser() -> impl TypedValueParser<Value = DialectId> {
    name_parser(DialectId::agents().map(DialectId::as_str), find_calling_agent)
}

/// Returns the agent of this name that can call `tenterhook hook`.
pub(super) fn find_calling_agent(name: &str) -> Option<DialectId> {
    DialectId::agents().find(|agent| agent.as_str() == name)
}

/// An agent that `probe` can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Probed {
    /// With a scripted model.
    Offline(&'static tenterhook_probe::Agent),
    /// With the account of its user.
    WithAccount(&'static AccountAgent),
}

/// Returns the parser of an agent that `probe` can run.
pub(super) fn probed_agent_parser() -> impl TypedValueParser<Value = Probed> {
    let offline = tenterhook_probe::AGENTS.iter().map(|agent| agent.name);
    let with_account = ACCOUNT_AGENTS.iter().map(AccountAgent::name);
    name_parser(offline.chain(with_account), |name| {
        let offline = tenterhook_probe::find_agent(name).map(Probed::Offline);
        offline.or_else(|| find_account_agent(name).map(Probed::WithAccount))
    })
}

/// Returns the parser of an agent whose recorded sessions can be read.
pub(super) fn transcript_agent_parser() -> impl TypedValueParser<Value = TranscriptAgent> {
    let find = |name: &str| TranscriptAgent::ALL.into_iter().find(|agent| agent.key() == name);
    name_parser(TranscriptAgent::ALL.iter().map(|agent| agent.key()), find)
}

/// Parses `FILE` or `DIALECT=FILE`. The part before `=` is a dialect if it looks like a name and
/// not like a path.
pub(crate) fn parse_named_file(text: &str) -> Result<Named, ValueError> {
    let plain = Named { dialect: None, path: text.into() };
    let Some((name, file)) = text.split_once('=') else { return Ok(plain) };
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Ok(plain);
    }
    Ok(Named { dialect: Some(parse_dialect(name)?), path: file.into() })
}

/// Parses a number with its unit. A bare number is refused: confusing seconds and milliseconds is
/// the commonest mistake in hook files.
pub(super) fn parse_duration(text: &str) -> Result<Duration, ValueError> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or(ValueError::Duration)?;
    let (number, unit) = text.split_at_checked(digits).ok_or(ValueError::Duration)?;
    let number: u64 = number.parse().map_err(|_| ValueError::Duration)?;
    if number == 0 {
        return Err(ValueError::Zero);
    }
    match unit {
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        "h" => Ok(Duration::from_secs(number.saturating_mul(3600))),
        _ => Err(ValueError::Duration),
    }
}

/// Parses a time: `2h` (ago), a date or a time of day in the local time zone, or a complete
/// timestamp.
pub(super) fn parse_timestamp(text: &str) -> Result<Timestamp, ValueError> {
    let here = TimeZone::system();
    let local = |time: DateTime| time.to_zoned(here.clone()).map(|time| time.timestamp()).ok();
    let ago = |span: Span| Zoned::now().checked_sub(span).map(|time| time.timestamp()).ok();
    let ago = || text.parse().ok().and_then(ago);
    let whole = || text.parse::<Timestamp>().ok();
    let day = || text.parse::<Date>().ok().and_then(|text| local(text.at(0, 0, 0, 0)));
    let time = || text.parse::<DateTime>().ok().and_then(local);
    whole().or_else(time).or_else(day).or_else(ago).ok_or(ValueError::Moment)
}

/// One record that somebody noted: its number and digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) seq: u64,
    pub(crate) digest: String,
}

/// Parses `NUMBER:DIGEST`, a record that the user knows.
pub(super) fn parse_known_digest(text: &str) -> Result<Known, ValueError> {
    let (seq, digest) = text.split_once(':').ok_or(ValueError::Known)?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let seq = seq.trim().parse().ok().filter(|_| is_digest).ok_or(ValueError::Known)?;
    Ok(Known { seq, digest: digest.to_lowercase() })
}

/// Parses the SHA-256 of a file, as `sha256sum` prints it.
pub(super) fn parse_digest(text: &str) -> Result<Digest, ValueError> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text).trim();
    Digest::parse(&digits.to_lowercase()).ok_or(ValueError::Digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_unit() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_duration("1h"), Ok(Duration::from_secs(3600)));
        for wrong in ["5", "", "s", "1d", "-1s", "1.5s"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_moment_is_some_time_ago_or_a_date() {
        let now = Timestamp::now();
        let hours = |text: &str| {
            (now - parse_timestamp(text).expect(text)).total(jiff::Unit::Hour).expect("a span")
        };
        assert!((hours("2h") - 2.0).abs() < 0.1);
        assert!((hours("30m") - 0.5).abs() < 0.1);
        assert!(hours("3 days") > 70.0);
        assert_eq!(
            parse_timestamp("2026-11-22T14:00:00Z").expect("whole").to_string(),
            "2026-11-22T14:00:00Z"
        );
        assert!(
            parse_timestamp("2026-11-22").is_ok() && parse_timestamp("2026-11-22 14:00").is_ok()
        );
        for wrong in ["", "yesterday", "5", "2026-13-01"] {
            assert!(parse_timestamp(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_known_record_has_a_number_and_a_digest() {
        let digest = "ab".repeat(32);
        assert_eq!(
            parse_known_digest(&format!("7:{digest}")),
            Ok(Known { seq: 7, digest: digest.clone() })
        );
        for wrong in [digest.as_str(), "7:abc", "x:y", ""] {
            assert!(parse_known_digest(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_config_may_say_its_dialect() {
        let config = parse_named_file("native=a.toml").expect("known");
        assert_eq!((config.dialect, config.path), (Some(DialectId::NATIVE), "a.toml".into()));
        let config = parse_named_file("./a=b.json").expect("a path");
        assert_eq!((config.dialect, config.path), (None, "./a=b.json".into()));
        assert!(
            parse_named_file("klaude=a.json")
                .expect_err("unknown")
                .to_string()
                .contains("`claude`")
        );
    }
}
