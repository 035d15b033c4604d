//! Items for the programs that are released with this crate. Hosts must not use them: any version may
//! change or remove them.
//!
//! Each module re-exports the `internal` of one engine module, which lists its items by name.
//! `discover` and `executor` also re-export the items for hosts, because programs import these two
//! modules whole. Pure items are in `tenterhook_core`.

pub mod discover {
    //! Files, directories and settings that discovery reads.

    pub use crate::discover::{internal::*, *};
}

pub mod engine {
    //! How two processes divide one firing.

    pub use crate::engine::internal::*;
}

#[cfg(feature = "rule")]
pub mod exemptions {
    //! Exemptions from the built-in rules that the user granted.

    pub use crate::exemptions::*;
}

pub mod executor {
    //! Confined shells, scratch directories, interpreters and model services.

    pub use crate::executor::{internal::*, *};
}

pub mod fuzzed {
    //! Private readers, for the fuzz targets.

    pub use crate::fuzzed::*;
}

#[cfg(feature = "record")]
pub mod record {
    //! Reads and verifies the files of records, and describes actions of the user.

    pub use crate::record::internal::*;
}

#[cfg(feature = "trust")]
pub mod trust {
    //! Keys, pins and the parts of a review.

    pub use crate::trust::internal::*;
}
