//! Turns the words and the environment of a program into C strings, and refuses those that the system cannot take. Starts nothing.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;

use crate::command::Program;
use crate::report::{NotStarted, Step};

/// Returns the argument vector of a program; its first element names the program.
pub(crate) fn program_argv(program: &Program) -> Vec<&OsStr> {
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

/// Converts words to C strings.
pub(crate) fn to_c_strings(words: &[&OsStr]) -> Result<Vec<CString>, NotStarted> {
    words.iter().map(|word| to_c_string(word)).collect()
}

/// Converts a word or a path to a C string. Fails if it contains a NUL byte.
pub(crate) fn to_c_string(text: &OsStr) -> Result<CString, NotStarted> {
    CString::new(text.as_bytes()).map_err(|_| invalid_text_error(text))
}

/// Converts environment variables to C strings of the form `NAME=value`.
pub(crate) fn environment_c_strings(
    env: &[(OsString, OsString)],
) -> Result<Vec<CString>, NotStarted> {
    env.iter().map(|(name, value)| environment_entry(name, value)).collect()
}

fn environment_entry(name: &OsStr, value: &OsStr) -> Result<CString, NotStarted> {
    let whole = [name.as_bytes(), b"=", value.as_bytes()].concat();
    let legal = !name.is_empty() && !name.as_bytes().contains(&b'=');
    CString::new(whole).ok().filter(|_| legal).ok_or_else(|| invalid_text_error(name))
}

fn invalid_text_error(text: &OsStr) -> NotStarted {
    start_error(Step::Read, Path::new(text), Errno::INVAL)
}

/// Makes the error of a start that failed at `step`.
pub(crate) fn start_error(step: Step, path: &Path, errno: Errno) -> NotStarted {
    NotStarted { step, path: path.to_path_buf(), errno: errno.raw_os_error() }
}

/// Returns whether the error means that memory, processes or descriptors ran out, which may be
/// temporary.
pub(crate) fn is_out_of_resources(errno: Errno) -> bool {
    [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE].contains(&errno)
}
