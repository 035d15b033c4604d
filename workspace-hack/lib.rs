//! Holds nothing: its manifest is all there is to it.
