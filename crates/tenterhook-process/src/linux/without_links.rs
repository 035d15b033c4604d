//! Opens a granted path in the child, only if it leads there without a link: a program that puts a
//! link into the way could lead a grant elsewhere, and a link in `/proc` leads to the files of a
//! process. Grants nothing.
#![expect(unsafe_code, reason = "in the child of a vfork there are raw calls alone")]

use std::ffi::{CStr, c_long};

/// `RESOLVE_NO_SYMLINKS`.
const NO_SYMLINKS: u64 = 4;

/// A descriptor of what lies at `path`, for its place alone. On failure it is negative, and the error is in `errno`.
///
/// SAFETY of the whole: called in the child of a vfork only, with memory that the suspended parent keeps.
pub(super) unsafe fn open_path_descriptor(path: &CStr) -> c_long {
    let how = [(libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW) as u64, 0, NO_SYMLINKS];
    let (here, size) = (c_long::from(libc::AT_FDCWD), size_of_val(&how));
    // SAFETY: a raw call on numbers, on a prepared string, and on a structure that the kernel reads only.
    unsafe { libc::syscall(libc::SYS_openat2, here, path.as_ptr(), how.as_ptr(), size) }
}
