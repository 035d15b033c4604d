//! The mark by which the descendants of one run are known, wherever they went.
//!
//! An environment variable: it is inherited by every descendant that does not clear its
//! environment, also by one that left its session.

use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable that every child is given: one unique word for its run, after those of the runs
/// around it, separated by commas. The number of words is the depth of the nesting.
pub const TAG: &str = "TENTERHOOK_RUN";

/// A longer value is not one of ours, or nested too deep; it is replaced.
const LONGEST: usize = 1024;

/// Makes the tag of run `id`. It is unique over processes: it contains the process id and the time
/// of the first run.
pub(crate) fn run_tag(id: u64) -> String {
    format!("{}{id:x}", prefix_of_run_tags())
}

/// Returns the common start of the tags of all runs of this process.
pub(crate) fn prefix_of_run_tags() -> String {
    static EPOCH: OnceLock<u128> = OnceLock::new();
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
    let epoch = EPOCH.get_or_init(now);
    format!("{:x}-{:x}-", std::process::id(), epoch)
}

/// Adds `word` to the tag variable of the environment, after the tags that are there.
pub(crate) fn append_tag(env: &mut Vec<(OsString, OsString)>, word: &str) {
    let outer = env.iter().find(|(name, _)| name == TAG).map(|(_, value)| value.clone());
    env.retain(|(name, _)| name != TAG);
    let mut value =
        outer.filter(|value| !value.is_empty() && value.len() < LONGEST).unwrap_or_default();
    if !value.is_empty() {
        value.push(",");
    }
    value.push(word);
    env.push((TAG.into(), value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_nest() {
        let mut env = vec![("A".into(), "b".into())];
        append_tag(&mut env, "one");
        append_tag(&mut env, "two");
        assert_eq!(env, [("A".into(), "b".into()), (TAG.into(), "one,two".into())]);
    }

    #[test]
    fn words_are_unique() {
        assert_ne!(run_tag(1), run_tag(2));
    }
}
