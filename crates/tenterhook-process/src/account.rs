//! Which account does this process run as, and on which host, whatever its environment says? Reads the account database and the name of
//! the system; starts nothing.

use std::path::PathBuf;

/// An entry of the account database.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Account {
    name: Vec<u8>,
    home: PathBuf,
}

/// Returns the home directory of the account that this process runs as, or `None` if the system
/// knows none. The environment is ignored.
#[must_use]
pub fn account_home() -> Option<PathBuf> {
    find_account().map(|account| account.home).filter(|home| home.is_absolute())
}

/// Returns the name of the account that this process runs as, its number if the system has no name
/// for it, or `None` on a system without such accounts.
#[must_use]
pub fn account_name() -> Option<String> {
    let name = find_account().map(|account| String::from_utf8_lossy(&account.name).into_owned());
    name.filter(|name| !name.is_empty()).or_else(account_number)
}

/// Returns the name of this host, as the system has it; `None` if it has none.
#[must_use]
pub fn host_name() -> Option<String> {
    read_host_name().filter(|name| !name.is_empty())
}

#[cfg(unix)]
fn account_number() -> Option<String> {
    Some(rustix::process::geteuid().as_raw().to_string())
}

#[cfg(not(unix))]
fn account_number() -> Option<String> {
    None
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "the name of the host has no other interface on every Unix")]
fn read_host_name() -> Option<String> {
    let mut buffer = [0_u8; 256];
    // SAFETY: the pointer is to memory of this frame that lives through the call, and the length is that of the buffer.
    let code = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len()) };
    let end = buffer.iter().position(|byte| *byte == 0)?;
    let name = buffer.get(..end).filter(|_| code == 0)?;
    Some(String::from_utf8_lossy(name).into_owned())
}

#[cfg(not(unix))]
fn read_host_name() -> Option<String> {
    None
}

/// Looks in `/etc/passwd` first, which needs no directory service, and asks the account database
/// only if the account is not in the file.
#[cfg(target_os = "linux")]
fn find_account() -> Option<Account> {
    let user = rustix::process::geteuid().as_raw();
    let listed = std::fs::read("/etc/passwd").ok();
    listed.and_then(|text| account_from_passwd(&text, user)).or_else(|| account_from_database(user))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn find_account() -> Option<Account> {
    account_from_database(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn find_account() -> Option<Account> {
    None
}

/// Returns the account of a user from the text of `/etc/passwd`:
/// `name:password:user:group:about:home:shell`.
#[cfg(any(target_os = "linux", all(test, unix)))]
fn account_from_passwd(text: &[u8], user: u32) -> Option<Account> {
    use std::os::unix::ffi::OsStrExt as _;
    let account = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b':');
        let name = fields.next()?.to_owned();
        let number = std::str::from_utf8(fields.nth(1)?).ok()?.parse::<u32>().ok()?;
        let home = PathBuf::from(std::ffi::OsStr::from_bytes(fields.nth(2)?));
        (number == user).then_some(Account { name, home })
    };
    text.split(|byte| *byte == b'\n').find_map(account)
}

/// The largest answer of the database that is read.
#[cfg(unix)]
const LARGEST: usize = 1 << 20;

/// Returns the account of a user from the account database, which may ask a directory service.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the account database has no other interface")]
fn account_from_database(user: u32) -> Option<Account> {
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
        // SAFETY: the call succeeded and found an entry, so that the entry is filled in, and its name and its home are strings that end
        // with zero in the buffer, or no strings.
        let [name, home] = unsafe {
            let entry = entry.assume_init_ref();
            [entry.pw_name, entry.pw_dir]
                .map(|text| (!text.is_null()).then(|| std::ffi::CStr::from_ptr(text).to_owned()))
        };
        let name = name.map(std::ffi::CString::into_bytes).unwrap_or_default();
        let home = PathBuf::from(std::ffi::OsStr::from_bytes(home?.to_bytes()));
        return Some(Account { name, home });
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// C-94.
    #[test]
    fn passwd_account_is_found_by_user_id() {
        let text = b"root:x:0:0:root:/root:/bin/sh\n# 1000\nbroken\nme:x:1000:100:Me,,:/home/me:/bin/zsh\nlow:x:7:7::relative:/bin/sh\n";
        let account = |(name, home): (&str, &str)| Account { name: name.into(), home: home.into() };
        for (user, expected) in
            [(0, Some(("root", "/root"))), (1000, Some(("me", "/home/me"))), (100, None)]
        {
            assert_eq!(account_from_passwd(text, user), expected.map(account), "{user}");
        }
    }

    /// RE-7.
    #[test]
    fn account_and_host_have_names() {
        if let Ok(name) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
            assert_eq!(host_name().as_deref(), Some(name.trim()));
        }
        assert!(account_name().is_some_and(|name| !name.is_empty()));
    }

    #[test]
    fn passwd_and_database_accounts_agree() {
        let user = rustix::process::geteuid().as_raw();
        let text = std::fs::read("/etc/passwd").unwrap_or_default();
        if let Some(listed) = account_from_passwd(&text, user) {
            assert_eq!(account_from_database(user), Some(listed));
        }
        assert_eq!(account_from_database(u32::MAX - 1), None);
    }
}
