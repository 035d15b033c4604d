//! Reads JSON, TOML and front matter into one tree with spans. Pure: knows no hook and no dialect.
