//! Which home does the system have for the account that this process runs as, whatever its environment says? Reads the account database;
//! starts nothing.

use std::path::PathBuf;

/// Returns the home directory of the account that this process runs as, or `None` if the system
/// knows none. The environment is ignored.
#[must_use]
pub fn account_home() -> Option<PathBuf> {
    find_account_home().filter(|home| home.is_absolute())
}

/// Looks in `/etc/passwd` first, which needs no directory service, and asks the account database
/// only if the account is not in the file.
#[cfg(target_os = "linux")]
fn find_account_home() -> Option<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let listed = std::fs::read("/etc/passwd").ok();
    listed
        .and_then(|text| home_from_passwd(&text, user))
        .or_else(|| home_from_account_database(user))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn find_account_home() -> Option<PathBuf> {
    home_from_account_database(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn find_account_home() -> Option<PathBuf> {
    None
}

/// Returns the home of a user from the text of `/etc/passwd`:
/// `name:password:user:group:about:home:shell`.
#[cfg(any(target_os = "linux", all(test, unix)))]
fn home_from_passwd(text: &[u8], user: u32) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let home = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b':');
        let number = std::str::from_utf8(fields.nth(2)?).ok()?.parse::<u32>().ok()?;
        let home = fields.nth(2)?;
        (number == user).then(|| PathBuf::from(std::ffi::OsStr::from_bytes(home)))
    };
    text.split(|byte| *byte == b'\n').find_map(home)
}

/// The largest answer of the database that is read.
#[cfg(unix)]
const LARGEST: usize = 1 << 20;

/// Returns the home of a user from the account database, which may ask a directory service.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the account database has no other interface")]
fn home_from_account_database(user: u32) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut buffer: Vec<libc::c_char> = vec![0; 16 << 10];
    loop {
        let mut entry = std::mem::MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: all pointers are to memory of this frame that lives through the call, and the length is that of the buffer.
        let code = unsafe {
            libc::getpwuid_r(
                user,
                entry.as_mut_ptr(),
                buffer.as_mut_ptr(),
                buffer.len(),
                &raw mut found,
            )
        };
        if code == libc::ERANGE && buffer.len() < LARGEST {
            buffer.resize(buffer.len() * 4, 0);
            continue;
        }
        if code != 0 || found.is_null() {
            return None;
        }
        // SAFETY: the call succeeded and found an entry, so that the entry is filled in, and its home is a string that ends with zero
        // in the buffer, or no string.
        let home = unsafe {
            let home = entry.assume_init_ref().pw_dir;
            (!home.is_null()).then(|| std::ffi::CStr::from_ptr(home).to_owned())
        };
        return home.map(|home| PathBuf::from(std::ffi::OsStr::from_bytes(home.to_bytes())));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// C-94.
    #[test]
    fn passwd_home_is_found_by_user_id() {
        let text = b"root:x:0:0:root:/root:/bin/sh\n# 1000\nbroken\nme:x:1000:100:Me,,:/home/me:/bin/zsh\nlow:x:7:7::relative:/bin/sh\n";
        for (user, expected) in [(0, Some("/root")), (1000, Some("/home/me")), (100, None)] {
            assert_eq!(home_from_passwd(text, user), expected.map(PathBuf::from), "{user}");
        }
    }

    #[test]
    fn passwd_and_database_homes_agree() {
        let user = rustix::process::geteuid().as_raw();
        let text = std::fs::read("/etc/passwd").unwrap_or_default();
        if let Some(listed) = home_from_passwd(&text, user) {
            assert_eq!(home_from_account_database(user), Some(listed));
        }
        assert_eq!(home_from_account_database(u32::MAX - 1), None);
    }
}
