//! Turns the words and the environment of a program into C strings, and refuses those that the system cannot take. Starts nothing.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;

use crate::command::Program;
use crate::report::{NotStarted, Step};

/// The words of a program, the first of which names it.
pub(crate) fn argv(program: &Program) -> Vec<&OsStr> {
    match program {
        Program::Argv { program, args } => {
            [program].into_iter().chain(args).map(OsString::as_os_str).collect()
        }
        Program::Shell { shell, text } => {
            let words = [&shell.program].into_iter().chain(&shell.before).chain([text]);
            words.map(OsString::as_os_str).collect()
        }
    }
}

/// Words as C strings.
pub(crate) fn c_strings(words: &[&OsStr]) -> Result<Vec<CString>, NotStarted> {
    words.iter().map(|word| c_string(word)).collect()
}

/// A word or a path as a C string. One with a NUL byte is refused.
pub(crate) fn c_string(text: &OsStr) -> Result<CString, NotStarted> {
    CString::new(text.as_bytes()).map_err(|_| unreadable(text))
}

/// An environment as C strings.
pub(crate) fn environment(env: &[(OsString, OsString)]) -> Result<Vec<CString>, NotStarted> {
    env.iter().map(|(name, value)| variable(name, value)).collect()
}

fn variable(name: &OsStr, value: &OsStr) -> Result<CString, NotStarted> {
    let whole = [name.as_bytes(), b"=", value.as_bytes()].concat();
    let legal = !name.is_empty() && !name.as_bytes().contains(&b'=');
    CString::new(whole).ok().filter(|_| legal).ok_or_else(|| unreadable(name))
}

fn unreadable(text: &OsStr) -> NotStarted {
    fault(Step::Read, Path::new(text), Errno::INVAL)
}

/// A start that failed at a step.
pub(crate) fn fault(step: Step, path: &Path, errno: Errno) -> NotStarted {
    NotStarted { step, path: path.to_path_buf(), errno: errno.raw_os_error() }
}

/// Whether memory, processes or descriptors ran out: they may come back soon.
pub(crate) fn is_scarce(errno: Errno) -> bool {
    [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&errno)
}
