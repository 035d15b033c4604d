//! Items for the programs that are released with this crate. Hosts must not use them: any version may change or remove them.
//!
//! Each module re-exports the `internal` of one engine module, which lists the items by name. `discover` and `executor` also re-export
//! what that module lists for hosts, because programs import those two whole. Pure items are in `tenterhook_core`.

pub mod discover {
    //! Files, directories and settings as discovery sees them.

    pub use crate::discover::{internal::*, *};
}

pub mod engine {
    //! How one firing is divided between processes.

    pub use crate::engine::internal::*;
}

#[cfg(feature = "rule")]
pub mod exemptions {
    //! The exemptions that a user granted from the built-in rules.

    pub use crate::exemptions::*;
}

pub mod executor {
    //! Confined shells, scratch directories, interpreters and services of models.

    pub use crate::executor::{internal::*, *};
}

pub mod fuzzed {
    //! Private readers, for the fuzz targets.

    pub use crate::fuzzed::*;
}

#[cfg(feature = "record")]
pub mod record {
    //! Records as files: read, verified, and written to by people.

    pub use crate::record::internal::*;
}

#[cfg(feature = "trust")]
pub mod trust {
    //! Keys, pins and the parts of a review.

    pub use crate::trust::internal::*;
}
