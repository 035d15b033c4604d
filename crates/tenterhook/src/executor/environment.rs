//! The environment of a host that is a program, passed to its hooks on request (feature `env`).
//! Filters nothing.

use std::env;
use std::ffi::OsString;

use super::Ambient;

impl Ambient {
    /// The environment of this process, for its hooks. Values that are not text are converted as
    /// far as possible.
    #[must_use]
    pub fn from_env() -> Self {
        let text = |name: OsString| name.to_string_lossy().into_owned();
        let env = env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
        Self { env, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_inherit_what_the_program_has() {
        assert!(Ambient::from_env().env.iter().any(|(name, _)| name == "PATH"));
    }
}
