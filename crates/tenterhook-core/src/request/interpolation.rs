//! How does an agent fill variables into the requests of its hooks? Values only; fills nothing.

/// What an agent does with `$NAME` and `${NAME}` in a request (HT-20, HT-21, HT-24, HT-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpolation {
    /// The replacement of a variable that is not set, is empty, or is not listed.
    pub missing: Missing,
    /// What a `${` means that names no variable up to a `}`.
    pub open_brace: OpenBrace,
    /// Whether variables are filled into the URL, too.
    pub in_url: bool,
}

/// The replacement of a variable without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The request is not sent.
    Fails,
    /// An empty text; line breaks in the other values are dropped.
    Empty,
}

/// What a `${` means that names no variable up to a `}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenBrace {
    /// The request is not sent.
    Fails,
    /// It is text.
    Text,
    /// It is dropped, and so is a `}` behind `$NAME`: what follows is a name.
    Dropped,
}

impl Interpolation {
    /// Nothing is sent where a variable has no value, because a request without its token might be let through.
    pub const STRICT: Self =
        Self { missing: Missing::Fails, open_brace: OpenBrace::Fails, in_url: false };
    /// As Claude Code fills them.
    pub const EMPTY: Self =
        Self { missing: Missing::Empty, open_brace: OpenBrace::Text, in_url: false };
    /// As Gen fills them.
    pub const EMPTY_LOOSE: Self = Self { open_brace: OpenBrace::Dropped, ..Self::EMPTY };
}
