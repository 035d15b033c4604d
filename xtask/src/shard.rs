//! Which part of a long chore is meant by `--shard K/N`. Knows nothing of what is shared out.

use crate::error::Error;

/// Reads `1/3`, the first of three.
pub(crate) fn read(text: &str) -> Result<(usize, usize), Error> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    let parts = parts.filter(|(k, n): &(usize, usize)| (1..=*n).contains(k));
    parts.ok_or_else(|| {
        Error::Usage(format!("`{text}` is not a shard: write `1/3` for the first of three"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_so_many() {
        assert_eq!(read("2/3").ok(), Some((2, 3)));
        assert!(read("0/3").is_err() && read("4/3").is_err() && read("x").is_err());
    }
}
