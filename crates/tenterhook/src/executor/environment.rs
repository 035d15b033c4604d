//! The environment of a host that is a program, for its hooks: asked for by name, with the feature `env`. Chooses nothing.

use std::env;
use std::ffi::OsString;

use super::Ambient;

impl Ambient {
    /// The environment of this process, for its hooks; what is not text is handed on as near as text comes to it.
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
