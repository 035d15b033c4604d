//! Users that are probably unused: limits on processes then count those of one run alone.

/// The first of a thousand of them.
pub(crate) fn spare() -> u32 {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let users: u64 = map.split_whitespace().nth(2).and_then(|word| word.parse().ok()).unwrap_or(0);
    let run = std::process::id() % 1000;
    if users > 3_000_000 { 1_000_000 + run * 1000 } else { 20_000 + run % 40 * 1000 }
}
