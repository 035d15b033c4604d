//! A program that answers, or misbehaves in every way that a supervised program can.
//!
//! Its arguments are a script: each flag is one deed, done in order; without `--exit` it ends
//! with 0. Built on the standard library alone by `build.rs`, so that it starts fast and a test
//! needs nothing else. Prints only what its flags say; a flag that it does not know is exit 64.
//! Unix only: elsewhere there is nothing to fork and no group to kill.

mod mcp;
mod worker;

use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

unsafe extern "C" {
    fn fork() -> c_int;
    fn setsid() -> c_int;
    fn setpgid(pid: c_int, group: c_int) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn getpid() -> c_int;
    fn close(fd: c_int) -> c_int;
    fn dup2(old: c_int, new: c_int) -> c_int;
    fn read(fd: c_int, buffer: *mut c_void, count: usize) -> isize;
    fn write(fd: c_int, buffer: *const c_void, count: usize) -> isize;
    fn signal(number: c_int, handler: usize) -> usize;
    fn umask(mask: u32) -> u32;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn _exit(code: c_int) -> !;
}

const SIG_DFL: usize = 0;
const SIG_IGN: usize = 1;
const SIGKILL: c_int = 9;
const SIGTERM: c_int = 15;
/// By the numbers of each system.
const SIGSTOP: c_int = if cfg!(target_os = "macos") { 17 } else { 19 };
const O_WRONLY: c_int = 1;
const O_CREAT: c_int = if cfg!(target_os = "macos") { 0x200 } else { 0o100 };
/// How long a process sleeps that is meant to be found and killed.
const LONG: u64 = 30_000;

const HELP: &str = "\
answer:    --stdout TEXT --stderr TEXT (both with a newline)  --raw TEXT (no newline, \\n \\t \\xNN)
           --mcp TEXT (a server of tools that say it or misbehave, each as its name says)
           --stdout-file FILE  --exit CODE  --echo-stdin  --append FILE TEXT  --save-stdin FILE
           --worker ANSWER (to every line, which may say `do:WORD`: see worker.rs)
input:     --read-all  --read COUNT  --close-stdin  --read-line
output:    --close-stdout  --close-stderr  --flood stdout|stderr  --fill BYTE COUNT  --dribble MS
time:      --sleep-ms MS  --spin  --work MILLIONS  --await-file FILE  --touch FILE
signals:   --ignore-term  --ignore-all  --on-term TEXT (and end)  --touch-on-term FILE (and go on)
           --stop-self  --kill-self N  --kill-group
children:  --hold-stdin-ms MS --hold-stdout-ms MS --hold-stderr-ms MS --hold-fd3-ms MS
           --child-ms MS  --child-flood  --child-group-ms MS  --setsid-daemon MS  --quiet-daemon MS
           --bare-daemon MS  --spawn COUNT  --fork-chain COUNT  --setsid-chain COUNT  --late-child TEXT
tell:      --print-env NAME  --print-env-all  --print-cwd  --print-umask  --print-args REST...
           --print-status KEY (of /proc/self/status)  --print-limit KEY (of /proc/self/limits)
           --list-fds  --tty  --print-pid  --remove-cwd";

fn main() {
    let mut args = std::env::args_os().skip(1);
    while let Some(flag) = args.next() {
        let name = flag.to_string_lossy().into_owned();
        if name == "--print-args" {
            args.by_ref().for_each(|arg| line(arg.as_bytes()));
        } else {
            deed(&name, &mut args);
        }
    }
}

fn deed(name: &str, args: &mut dyn Iterator<Item = OsString>) {
    answer(name, args)
        .or_else(|| streams(name, args))
        .or_else(|| signals(name, args))
        .or_else(|| children(name, args))
        .or_else(|| report(name, args))
        .unwrap_or_else(|| {
            let _ = writeln!(std::io::stderr(), "unknown flag `{name}`\n{HELP}");
            exit(64)
        })
}

type Args<'a> = &'a mut dyn Iterator<Item = OsString>;

fn answer(name: &str, args: Args<'_>) -> Option<()> {
    match name {
        "--stdout" => line(text(args).as_bytes()),
        "--stderr" => put(2, &[text(args).as_bytes(), b"\n"].concat()),
        "--raw" => put(1, &unescape(text(args).as_bytes())),
        "--stdout-file" => put(1, &std::fs::read(text(args)).unwrap_or_else(|_| exit(66))),
        "--exit" => exit(number(args) as i32),
        "--mcp" => mcp::serve(&text(args).to_string_lossy()),
        "--echo-stdin" => put(1, &all_input()),
        "--save-stdin" => std::fs::write(text(args), all_input()).unwrap_or_else(|_| exit(73)),
        "--worker" => worker::serve(&text(args).to_string_lossy()),
        "--append" => append(&text(args), text(args).as_bytes()),
        _ => return None,
    }
    Some(())
}

fn streams(name: &str, args: Args<'_>) -> Option<()> {
    match name {
        "--read-all" => drop(all_input()),
        "--read" => drop(input(number(args) as usize)),
        "--read-line" => read_line(),
        "--close-stdin" => shut(0),
        "--close-stdout" => shut(1),
        "--close-stderr" => shut(2),
        "--flood" => flood(if text(args) == "stderr" { 2 } else { 1 }),
        "--fill" => {
            let byte = number(args) as u8;
            fill(byte, number(args));
        }
        "--dribble" => dribble(number(args)),
        "--sleep-ms" => sleep(number(args)),
        "--spin" => loop {
            std::hint::spin_loop();
        },
        // A fixed amount of work, not of time: what shares a core takes twice as long.
        "--work" => (0..number(args) * 1_000_000).for_each(|turn| {
            std::hint::black_box(turn);
        }),
        "--touch" => std::fs::write(text(args), "").unwrap_or_else(|_| exit(73)),
        "--await-file" => await_file(&text(args)),
        _ => return None,
    }
    Some(())
}

fn signals(name: &str, args: Args<'_>) -> Option<()> {
    match name {
        "--ignore-term" => ignore(SIGTERM),
        "--ignore-all" => (1..32).for_each(ignore),
        "--on-term" => on_term(&text(args)),
        "--touch-on-term" => touch_on_term(&text(args)),
        "--stop-self" => send(unsafe { getpid() }, SIGSTOP),
        "--kill-self" => kill_self(number(args) as c_int),
        "--kill-group" => send(0, SIGKILL),
        _ => return None,
    }
    Some(())
}

fn children(name: &str, args: Args<'_>) -> Option<()> {
    match name {
        "--hold-stdin-ms" => hold(0, number(args)),
        "--hold-stdout-ms" => hold(1, number(args)),
        "--hold-stderr-ms" => hold(2, number(args)),
        "--hold-fd3-ms" => hold_as_3(number(args)),
        "--child-ms" => quiet_child(number(args), || ()),
        "--child-group-ms" => quiet_child(number(args), || drop(unsafe { setpgid(0, 0) })),
        "--child-flood" => in_child(|| flood(1)),
        "--late-child" => late_child(&text(args)),
        "--setsid-daemon" => daemon(number(args), || ()),
        "--quiet-daemon" => daemon(number(args), shut_all),
        "--bare-daemon" => bare_daemon(number(args)),
        "--spawn" => (0..number(args)).for_each(|_| in_child(|| sleep(LONG))),
        "--fork-chain" => chain(number(args), || ()),
        "--setsid-chain" => chain(number(args), || drop(unsafe { setsid() })),
        _ => return None,
    }
    Some(())
}

fn report(name: &str, args: Args<'_>) -> Option<()> {
    match name {
        "--print-env" => {
            let value = std::env::var_os(text(args));
            line(value.unwrap_or_else(|| "(unset)".into()).as_bytes());
        }
        "--print-env-all" => std::env::vars_os()
            .for_each(|(name, value)| line(&[name.as_bytes(), b"=", value.as_bytes()].concat())),
        "--print-cwd" => match std::env::current_dir() {
            Ok(path) => line(path.as_os_str().as_bytes()),
            Err(error) => line(error.to_string().as_bytes()),
        },
        "--print-umask" => line(format!("{:03o}", unsafe { umask(0o077) }).as_bytes()),
        "--print-pid" => line(std::process::id().to_string().as_bytes()),
        "--print-status" => print_from("/proc/self/status", &text(args)),
        "--print-limit" => print_from("/proc/self/limits", &text(args)),
        "--list-fds" => list_fds(),
        "--tty" => {
            let opened = std::fs::File::open("/dev/tty").is_ok();
            line(if opened { b"terminal" } else { b"no terminal" });
        }
        "--remove-cwd" => {
            let here = std::env::current_dir().unwrap_or_else(|_| exit(66));
            // A start in any other directory by mistake must remove nothing.
            let scratch = std::env::temp_dir();
            if here == scratch || !here.starts_with(scratch) {
                exit(64);
            }
            std::fs::remove_dir_all(here).unwrap_or_else(|_| exit(73));
        }
        "--help" => line(HELP.as_bytes()),
        _ => return None,
    }
    Some(())
}

fn text(args: Args<'_>) -> OsString {
    args.next().unwrap_or_else(|| exit(64))
}

fn number(args: Args<'_>) -> u64 {
    text(args).to_string_lossy().parse().unwrap_or_else(|_| exit(64))
}

fn exit(code: i32) -> ! {
    std::process::exit(code)
}

fn sleep(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// Writes all of it, or ends quietly without a reader.
fn put(fd: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let count = unsafe { write(fd, bytes.as_ptr().cast(), bytes.len()) };
        if count <= 0 {
            return;
        }
        bytes = &bytes[count as usize..];
    }
}

fn line(bytes: &[u8]) {
    put(1, &[bytes, b"\n"].concat());
}

fn input(most: usize) -> Vec<u8> {
    let mut bytes = vec![0; most];
    let count = unsafe { read(0, bytes.as_mut_ptr().cast(), most) };
    bytes.truncate(count.max(0) as usize);
    bytes
}

fn all_input() -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let some = input(64 << 10);
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}

fn read_line() {
    while !matches!(input(1).first(), None | Some(b'\n')) {}
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'x') => {
                let digits: Vec<u8> = bytes.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits).into_owned();
                out.push(u8::from_str_radix(&digits, 16).unwrap_or_else(|_| exit(64)));
            }
            Some(other) => out.push(other),
            None => out.push(b'\\'),
        }
    }
    out
}

fn append(file: &OsString, text: &[u8]) {
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    // One write, so that several programs can share the file.
    let written = opened.and_then(|mut o| o.write_all(&[text, b"\n"].concat()));
    written.unwrap_or_else(|_| exit(73));
}

fn await_file(file: &OsString) {
    while !std::path::Path::new(file).exists() {
        sleep(2);
    }
}

fn shut(fd: c_int) {
    unsafe { close(fd) };
}

fn shut_all() {
    (0..3).for_each(shut);
}

fn flood(fd: c_int) {
    let block = b"y\n".repeat(32 << 10);
    loop {
        if unsafe { write(fd, block.as_ptr().cast(), block.len()) } <= 0 {
            return;
        }
    }
}

fn fill(byte: u8, mut count: u64) {
    let block = vec![byte; 64 << 10];
    while count > 0 {
        let some = count.min(block.len() as u64);
        put(1, &block[..some as usize]);
        count -= some;
    }
}

fn dribble(ms: u64) {
    loop {
        put(1, b".");
        sleep(ms);
    }
}

fn ignore(number: c_int) {
    unsafe { signal(number, SIG_IGN) };
}

fn send(pid: c_int, number: c_int) {
    unsafe { kill(pid, number) };
}

/// The standard library handles SEGV and PIPE; this is to be a death by signal.
fn kill_self(number: c_int) {
    unsafe { signal(number, SIG_DFL) };
    send(unsafe { getpid() }, number);
}

/// What to say when TERM comes. Written once, before the handler can run.
static mut FAREWELL: &[u8] = b"";

fn on_term(text: &OsString) {
    let text = OsString::from_vec([text.as_bytes(), b"\n"].concat());
    unsafe { FAREWELL = Box::leak(text.into_vec().into_boxed_slice()) };
    extern "C" fn farewell(_: c_int) {
        unsafe {
            write(1, FAREWELL.as_ptr().cast(), FAREWELL.len());
            _exit(0)
        }
    }
    let handler: extern "C" fn(c_int) = farewell;
    unsafe { signal(SIGTERM, handler as usize) };
}

/// What to make when TERM comes. Written once, before the handler can run.
static mut FILE: *const c_char = std::ptr::null();

fn touch_on_term(file: &OsString) {
    let file = CString::new(file.as_bytes()).unwrap_or_else(|_| exit(64));
    unsafe { FILE = file.into_raw() };
    extern "C" fn touch(_: c_int) {
        unsafe { open(FILE, O_WRONLY | O_CREAT, 0o644 as c_int) };
    }
    let handler: extern "C" fn(c_int) = touch;
    unsafe { signal(SIGTERM, handler as usize) };
}

/// Does `deed` in a child; the parent goes on at once.
fn in_child(deed: impl FnOnce()) {
    match unsafe { fork() } {
        // The test is about what a child does: without one it is to fail.
        -1 => exit(71),
        0 => {
            deed();
            unsafe { _exit(0) }
        }
        _ => (),
    }
}

/// A child that holds nothing but one stream.
fn hold(kept: c_int, ms: u64) {
    in_child(|| {
        (0..3).filter(|fd| *fd != kept).for_each(shut);
        sleep(ms);
    });
}

/// A child that holds standard output under a number that the parent does not close.
fn hold_as_3(ms: u64) {
    in_child(|| {
        unsafe {
            dup2(1, 3);
            let null = open(c"/dev/null".as_ptr(), 2);
            (0..3).for_each(|fd| drop(dup2(null, fd)));
        }
        sleep(ms);
    });
}

fn quiet_child(ms: u64, before: impl FnOnce()) {
    in_child(|| {
        before();
        shut_all();
        sleep(ms);
    });
}

/// A child that says something after its parent is gone.
fn late_child(text: &OsString) {
    in_child(|| {
        sleep(20);
        line(text.as_bytes());
    });
}

/// Twice forked, in a new session.
fn daemon(ms: u64, before: impl FnOnce()) {
    in_child(|| {
        unsafe { setsid() };
        in_child(|| {
            before();
            sleep(ms);
        });
    });
}

/// A daemon without streams and without environment: nothing marks it. The environment that a
/// process was started with stays visible, so it executes itself once more.
fn bare_daemon(ms: u64) {
    use std::os::unix::process::CommandExt;
    daemon(0, move || {
        shut_all();
        let own = std::env::current_exe().unwrap_or_else(|_| exit(66));
        let mut again = std::process::Command::new(own);
        let _ = again.env_clear().arg("--sleep-ms").arg(ms.to_string()).exec();
    });
}

/// Each forks the next and exits, the last one too.
fn chain(count: u64, each: impl Fn()) {
    in_child(|| {
        for _ in 0..count {
            each();
            if unsafe { fork() } > 0 {
                unsafe { _exit(0) }
            }
        }
    });
}

fn print_from(file: &str, key: &OsString) {
    let all = std::fs::read_to_string(file).unwrap_or_default();
    let key = key.to_string_lossy().into_owned();
    for found in all.lines().filter(|line| line.starts_with(&key)) {
        line(found.as_bytes());
    }
}

/// Descriptors that are open, without the one that lists them.
fn list_fds() {
    let mut fds: Vec<u32> = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd").unwrap_or_else(|_| exit(66)).flatten() {
        // Gone when looked at again: the listing's own.
        if std::fs::read_link(entry.path()).is_ok_and(|target| !target.starts_with("/proc")) {
            fds.extend(entry.file_name().to_string_lossy().parse::<u32>());
        }
    }
    fds.sort_unstable();
    fds.iter().for_each(|fd| line(fd.to_string().as_bytes()));
}
