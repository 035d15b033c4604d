//! What does a supervised run cost beside a bare one? Prints medians and ratios.
//!
//! `cargo run --release --example latency -p tenterhook-process [ROUNDS] [MEBIBYTES]`: rounds of
//! each kind, interleaved so that a busy machine hits all alike, from a host that holds so many
//! mebibytes. The base is raw `posix_spawn` with three pipes, read to their end by `poll`.
#![expect(unsafe_code, reason = "the bare run to compare with is made of raw calls")]
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example for people to run")]
#![expect(clippy::disallowed_methods, reason = "one of the ways to compare with")]

use std::ffi::CString;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

use tenterhook_process::{Cancel, Command, End, run_blocking, run_in_background};
use tenterhook_testkit::fakehook;

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: usize| args.next().map_or(default, |arg| arg.parse().unwrap());
    let (rounds, mebibytes) = (number(500), number(0));
    let held = hold(mebibytes);
    println!("{rounds} rounds, holding {mebibytes} MiB");
    for program in [Path::new("/bin/true"), fakehook()] {
        println!("{}", program.file_name().unwrap().display());
        let kinds: [Kind; 3] = [
            ("posix_spawn + pipes", bare),
            ("std::process output", std_output),
            ("run_blocking", supervised),
        ];
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..rounds + WARM {
            for ((_, run), times) in kinds.iter().zip(&mut times) {
                let begun = Instant::now();
                run(program);
                times.push(begun.elapsed());
            }
        }
        let medians = times.map(median);
        for ((name, _), median) in kinds.iter().zip(medians) {
            let ratio = median.as_secs_f64() / medians[0].as_secs_f64();
            println!("  {name:20} {:7.1} us  {ratio:.3}", median.as_secs_f64() * 1e6);
        }
    }
    println!("16 at once, of 40 ms of processor time each");
    let one = at_once(1);
    let cores = std::thread::available_parallelism().unwrap().get();
    let limit = one * 16 / u32::try_from(cores).unwrap();
    let all = at_once(16);
    println!("  {all:?}, cores allow {limit:?}: {:.3}", all.as_secs_f64() / limit.as_secs_f64());
    println!("16 at once, short");
    let (bare, all) = (bare_at_once(16), short_at_once(16));
    println!(
        "  {all:?}, bare on as many threads {bare:?}: {:.3}",
        all.as_secs_f64() / bare.as_secs_f64()
    );
    drop(held);
}

/// A way to run a program, with its name.
type Kind = (&'static str, fn(&Path));

/// Memory whose pages are all there.
fn hold(mebibytes: usize) -> Vec<u8> {
    let mut held = vec![0u8; mebibytes << 20];
    held.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    held
}

/// The first rounds start threads and fill caches.
const WARM: usize = 20;

fn median(times: Vec<Duration>) -> Duration {
    let mut times = times.into_iter().skip(WARM).collect::<Vec<_>>();
    times.sort_unstable();
    *times.get(times.len() / 2).unwrap()
}

fn supervised(program: &Path) {
    let mut command = Command::new(program, [] as [&str; 0], "/");
    command.timeout = Some(Duration::from_secs(60));
    command.stdin = b"{}"[..].into();
    let report = run_blocking(command, &Cancel::new());
    assert_eq!(report.end, End::Exited(0));
}

fn std_output(program: &Path) {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = std::process::Command::new(program);
    command.env_clear().current_dir("/").stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that does not read is no fault.
    let _ = child.stdin.take().unwrap().write_all(b"{}");
    assert!(child.wait_with_output().unwrap().status.success());
}

/// The least that a run can be: spawn, write, read both streams to their end, wait.
fn bare(program: &Path) {
    use std::os::unix::ffi::OsStrExt;
    let path = CString::new(program.as_os_str().as_bytes()).unwrap();
    let argv = [path.as_ptr().cast_mut(), ptr::null_mut()];
    let env = [ptr::null_mut()];
    // SAFETY: raw calls on local memory, each descriptor closed once.
    unsafe {
        let mut pipes = [[0; 2]; 3];
        for pipe in &mut pipes {
            assert_eq!(libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC), 0);
        }
        let [[child_in, stdin], [stdout, child_out], [stderr, child_err]] = pipes;
        let mut actions = std::mem::zeroed();
        libc::posix_spawn_file_actions_init(&mut actions);
        for (theirs, number) in [(child_in, 0), (child_out, 1), (child_err, 2)] {
            libc::posix_spawn_file_actions_adddup2(&mut actions, theirs, number);
        }
        let mut pid = 0;
        let spawned = libc::posix_spawn(
            &mut pid,
            path.as_ptr(),
            &actions,
            ptr::null(),
            argv.as_ptr(),
            env.as_ptr(),
        );
        assert_eq!(spawned, 0);
        libc::posix_spawn_file_actions_destroy(&mut actions);
        for fd in [child_in, child_out, child_err] {
            libc::close(fd);
        }
        libc::write(stdin, c"{}".as_ptr().cast(), 2);
        libc::close(stdin);
        let mut open =
            [stdout, stderr].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        let mut buffer = [0u8; 4096];
        while open.iter().any(|fd| fd.fd >= 0) {
            libc::poll(open.as_mut_ptr(), 2, -1);
            for pollfd in open.iter_mut().filter(|fd| fd.fd >= 0 && fd.revents != 0) {
                if libc::read(pollfd.fd, buffer.as_mut_ptr().cast(), buffer.len()) <= 0 {
                    libc::close(pollfd.fd);
                    pollfd.fd = -1;
                }
            }
        }
        let mut status = 0;
        libc::waitpid(pid, &mut status, 0);
        assert_eq!(status, 0);
    }
}

/// Many runs that keep a processor busy.
fn at_once(count: usize) -> Duration {
    let text = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
    (0..3).map(|_| together(count, || Command::shell(text, "/"))).min().unwrap()
}

fn short_at_once(count: usize) -> Duration {
    let command = || Command::new(fakehook(), [] as [&str; 0], "/");
    (0..20).map(|_| together(count, command)).min().unwrap()
}

fn together(count: usize, command: impl Fn() -> Command) -> Duration {
    let (sender, receiver) = std::sync::mpsc::channel();
    let begun = Instant::now();
    for _ in 0..count {
        let sender = sender.clone();
        run_in_background(command(), &Cancel::new(), move |report| sender.send(report).unwrap());
    }
    for report in receiver.iter().take(count) {
        assert_eq!(report.end, End::Exited(0));
    }
    begun.elapsed()
}

/// The same with bare runs, on a thread for each core.
fn bare_at_once(count: usize) -> Duration {
    let cores = std::thread::available_parallelism().unwrap().get();
    let round = || {
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| (0..count / cores).for_each(|_| bare(fakehook())));
            }
        });
        begun.elapsed()
    };
    (0..20).map(|_| round()).min().unwrap()
}
