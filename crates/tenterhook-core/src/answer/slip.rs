//! In which ways can an answer leave its protocol, and what is to be written instead? A closed table; the module
//! `verdict` decides what a slip means.

use super::Failure;
use crate::diagnostic::Code;
use crate::strict::Deviation;

/// One way in which an answer left its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// Which way.
    pub kind: SlipKind,
    /// The offending text or field, for people.
    pub detail: String,
}

/// The closed table of near misses (A-20 and the rows under it). `docs/spec/answers.md` lists the shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlipKind {
    /// Lines of text stand before the object.
    TextBefore,
    /// Text stands after the object.
    TextAfter,
    /// The object stands between lines of text.
    TextAround,
    /// More than one object.
    SeveralObjects,
    /// A key is given twice.
    DuplicateKey,
    /// The whole output is one fenced block.
    Fenced,
    /// The object stands in an array, or in a string.
    Wrapped,
    /// Comments, trailing commas, single quotes, Python literals.
    Relaxed,
    /// The object breaks off.
    Torn,
    /// Not UTF-8: UTF-16, or broken bytes inside the text.
    Encoding,
    /// A decision word in the wrong case, padded, or a known synonym.
    MisspeltDecision,
    /// A key in the wrong case or style.
    MisspeltKey,
    /// The decision stands where this event does not look for it.
    MisplacedDecision,
    /// `hookEventName` is missing or names another event.
    WrongEventName,
    /// The object stands on stderr, stdout is empty.
    OnStderr,
    /// The denial came with an exit code that its form ignores.
    WrongExit,
    /// A value of the wrong type that still says no (`"continue": "false"`).
    WrongType,
}

impl Slip {
    /// Returns the failure that says what is wrong and what to write instead.
    pub(crate) fn to_failure(&self) -> Failure {
        let remedy = self.kind.remedy();
        let separator = if self.detail.is_empty() { "" } else { ": " };
        Failure::new(self.kind.code(), format!("{}{separator}{remedy}", self.detail))
    }
}

impl SlipKind {
    /// Every slip with its fault code and what to do instead.
    pub const ALL: &'static [(Self, Code, &'static str)] = &[
        (
            Self::TextBefore,
            Code::TextBeforeAnswer,
            "print nothing but the JSON object on stdout; send logs to stderr",
        ),
        (
            Self::TextAfter,
            Code::TextAfterAnswer,
            "print nothing but the JSON object on stdout; send logs to stderr",
        ),
        (
            Self::TextAround,
            Code::TextAroundAnswer,
            "print nothing but the JSON object on stdout; send logs to stderr",
        ),
        (Self::SeveralObjects, Code::SeveralAnswers, "print exactly one JSON object"),
        (Self::DuplicateKey, Code::DuplicateKey, "give every key once"),
        (Self::Fenced, Code::FencedAnswer, "print the object without the ``` fence"),
        (
            Self::Wrapped,
            Code::WrappedAnswer,
            "print the object itself, not an array or a string that holds it",
        ),
        (
            Self::Relaxed,
            Code::RelaxedJson,
            "write strict JSON: double quotes, no comments, no trailing comma, true and false",
        ),
        (Self::Torn, Code::TornAnswer, "print the whole object before the hook exits"),
        (Self::Encoding, Code::AnswerEncoding, "print UTF-8"),
        (
            Self::MisspeltDecision,
            Code::MisspeltDecision,
            "spell the decision as the dialect does, in lower case",
        ),
        (Self::MisspeltKey, Code::MisspeltKey, "spell the key as the dialect does"),
        (
            Self::MisplacedDecision,
            Code::MisplacedDecision,
            "put the decision where this event looks for it",
        ),
        (
            Self::WrongEventName,
            Code::WrongEventName,
            "set `hookSpecificOutput.hookEventName` to the event that fired",
        ),
        (Self::OnStderr, Code::AnswerOnStderr, "print the object on stdout"),
        (
            Self::WrongExit,
            Code::WrongExitCode,
            "exit with 2 where the agent reads that as a block, or with 0 beside the object",
        ),
        (Self::WrongType, Code::WrongType, "use the type that the dialect documents"),
    ];

    /// The code of the fault that this slip becomes.
    #[must_use]
    pub fn code(self) -> Code {
        let row = Self::ALL.iter().find(|(kind, ..)| *kind == self);
        row.map_or(Code::UnclearAnswer, |(_, code, _)| *code)
    }

    /// Returns advice on what the hook should write instead.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., remedy)| remedy)
    }
}

impl From<&Deviation> for SlipKind {
    /// The slip that a deviation of the printed text is, in every dialect whose answers are JSON.
    fn from(deviation: &Deviation) -> Self {
        match deviation {
            Deviation::TextBefore => Self::TextBefore,
            Deviation::TextAfter => Self::TextAfter,
            Deviation::TextAround | Deviation::Controls => Self::TextAround,
            Deviation::SeveralObjects => Self::SeveralObjects,
            Deviation::DuplicateKey(_) => Self::DuplicateKey,
            Deviation::Fenced => Self::Fenced,
            Deviation::InArray | Deviation::InString => Self::Wrapped,
            Deviation::Relaxed(_) => Self::Relaxed,
            Deviation::Torn | Deviation::TooDeep | Deviation::TooBig => Self::Torn,
            Deviation::Utf16 | Deviation::InvalidUtf8 => Self::Encoding,
        }
    }
}
