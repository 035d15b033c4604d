//! A child in separate namespaces (tier T2), tried by real processes: nothing outlives it, and all
//! else is as without them.

use std::cell::Cell;
use std::time::{Duration, Instant};

use tenterhook_process::{
    Announce, Cancel, Closed, Command, Confinement, End, Force, Means, Net, Resource, Step, TAG,
    Tier, available_sandbox_means, run_blocking, run_in_background,
};
use tenterhook_testkit::fakehook;

use crate::confines::{play, system, without_landlock};
use crate::host::{host, is_host, own};
use crate::scene::{Folder, Played, SHORT, SLACK, Scene, left, not_started, scene, tagged};

/// Whether there is anything to try here.
fn can() -> bool {
    let can = available_sandbox_means().highest_tier() >= Tier::T2;
    if !can {
        skipped("no namespaces can be made here");
    }
    can
}

#[expect(clippy::print_stderr, reason = "a test that tries nothing says so")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

thread_local! {
    /// What the machine of this test's cell offers, where it is not all that this one does.
    static PRETENDED: Cell<Option<Means>> = const { Cell::new(None) };
}

/// Runs `test` on this machine as it is, where Landlock limits files, and as on one without Landlock, where a separate root does.
fn in_each_cell(test: impl Fn()) {
    for (pretended, offered) in
        [(None, available_sandbox_means()), (Some(without_landlock()), without_landlock())]
    {
        if offered.highest_tier() < Tier::T2 {
            skipped("namespaces cannot hold it here");
            continue;
        }
        PRETENDED.set(pretended);
        test();
    }
}

fn cell() -> Confinement {
    let mut confinement = system(Tier::T2);
    confinement.read.push(fakehook().into());
    confinement.pretended = PRETENDED.get();
    confinement
}

/// A scene in namespaces, of a program that misbehaves.
fn in_namespaces(script: &str) -> Scene {
    scene(script).with(|command| command.confine = Some(cell()))
}

fn line(line: &str) -> Played {
    let played = play(line, Some(cell()));
    assert_eq!(played.report.tier, Tier::T2, "{:?}", played.report);
    played
}

///
#[test]
fn nothing_outlives_it_whatever_it_left() {
    in_each_cell(|| {
        for (script, text, closed) in [
            ("--setsid-daemon 30000 --stdout deny", "deny\n", Closed::Leaked),
            ("--quiet-daemon 30000 --stdout deny", "deny\n", Closed::Complete),
            ("--child-group-ms 30000 --stdout deny", "deny\n", Closed::Complete),
            ("--setsid-chain 100000 --stdout deny", "deny\n", Closed::Complete),
            ("--spawn 50 --stdout deny", "deny\n", Closed::Leaked),
        ] {
            let played = in_namespaces(script).play();
            assert_eq!(played.report.tier, Tier::T2, "{script}");
            assert!(played.report.survivors.is_empty(), "{script}: {:?}", played.report);
            let played = played.ended(End::Exited(0)).printed(text);
            // A chain closes its streams at any moment.
            if !script.contains("chain") {
                played.closed(closed);
            }
        }
    });
}

/// A process that cleared its environment bears no tag, and is known by its arguments alone.
///
#[test]
fn nor_does_a_daemon_that_hides() {
    in_each_cell(|| {
        let unlike = 30_000 + u64::from(std::process::id());
        in_namespaces(&format!("--bare-daemon {unlike} --stdout deny"))
            .play()
            .ended(End::Exited(0));
        let arguments = format!("--sleep-ms\0{unlike}\0");
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let alive = processes.filter(|process| {
            let bytes = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(&arguments)
        });
        assert_eq!(alive.count(), 0);
    });
}

///
#[test]
fn h32_nothing_outlives_a_host_that_is_killed() {
    const NAME: &str = "namespaces::h32_nothing_outlives_a_host_that_is_killed";
    if is_host() {
        let script = "--setsid-daemon 30000 --quiet-daemon 30000 --spawn 3 --sleep-ms 30000";
        let mut command = in_namespaces(script).command;
        command.env = vec![(TAG.into(), own(TAG).unwrap())];
        run_in_background(command, &Cancel::new(), |_| ());
        std::thread::sleep(Duration::from_secs(30));
        return;
    }
    if !can() {
        return;
    }
    let tag = format!("killed-host-of-a-cell-{}", std::process::id());
    let mut command = host(NAME, &tag);
    command.limits.grace = Duration::ZERO;
    let cancel = Cancel::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    run_in_background(command, &cancel, move |report| sender.send(report).unwrap());
    let until = Instant::now() + Duration::from_secs(20);
    // The host, the program, its two daemons and its three children; process 1 hides its environment.
    while tagged(&tag).len() < 7 {
        assert!(Instant::now() < until, "they did not come up: {:?}", tagged(&tag));
        std::thread::sleep(Duration::from_millis(5));
    }
    cancel.cancel();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(10)).unwrap().end, End::Cancelled);
    assert_eq!(left(&tag), [] as [u32; 0]);
}

///
#[test]
fn exit_status_is_reported_unchanged() {
    in_each_cell(|| {
        for (script, end) in [
            ("--exit 0", End::Exited(0)),
            ("--exit 2", End::Exited(2)),
            ("--exit 137", End::Exited(137)),
            ("--exit 255", End::Exited(255)),
            ("--kill-self 9", End::Signalled(9)),
            ("--kill-self 11", End::Signalled(11)),
            ("--kill-self 15", End::Signalled(15)),
            ("--stdout deny --kill-group", End::Signalled(9)),
        ] {
            in_namespaces(script).play().ended(end);
        }
        // No process inside can kill process 1.
        line("kill -9 1; kill -TERM 1; exit 3").ended(End::Exited(3));
    });
}

///
#[test]
fn it_is_ended_as_any_other() {
    in_each_cell(|| {
        for (script, text, force) in [
            ("--sleep-ms 30000", "", Force::Term),
            ("--on-term bye --sleep-ms 30000", "bye\n", Force::Term),
            ("--on-term bye --stop-self --sleep-ms 30000", "bye\n", Force::Term),
            ("--stop-self --sleep-ms 30000", "", Force::Term),
            ("--ignore-term --sleep-ms 30000", "", Force::Kill),
            ("--ignore-all --sleep-ms 30000", "", Force::Kill),
            ("--spawn 100 --stdout ready --sleep-ms 30000", "ready\n", Force::Term),
        ] {
            let played =
                in_namespaces(script).timeout(SHORT).play().ended(End::TimedOut).printed(text);
            assert_eq!(played.report.force, force, "{script}");
            assert!(played.report.survivors.is_empty(), "{script}");
        }
    });
}

/// It is no leader, so that it can leave its group, where a signal to that does not find it.
#[test]
fn who_left_its_group_hears_of_its_end() {
    if !has_python() {
        return;
    }
    in_each_cell(|| {
        let leaver = "python3 -I -c 'import os, signal, sys, time\n\
        os.setsid()\n\
        signal.signal(signal.SIGTERM, lambda *_: (print(\"bye\", flush=True), sys.exit(4)))\n\
        time.sleep(30)'";
        let mut scene = Scene::new(Command::shell(format!("exec {leaver}"), "/"))
            .env("PATH", "/usr/bin:/bin")
            .timeout(Duration::from_secs(2));
        scene.command.confine = Some(cell());
        // What answers to the signal ends the wait for it.
        scene.command.limits.grace = SLACK;
        let played = scene.play().ended(End::TimedOut).printed("bye\n");
        assert_eq!(played.report.force, Force::Term);
    });
}

fn has_python() -> bool {
    let has = play("python3 -I -c pass", None).report.end == End::Exited(0);
    if !has {
        skipped("there is no python3");
    }
    has
}

///
#[test]
fn it_sees_its_own_processes_and_no_others() {
    in_each_cell(|| {
        let own = std::process::id();
        let all =
            "for it in /proc/[0-9]*; do echo ${it##*/}; done | sort -n | head -2 | tr '\\n' ' '";
        line(all).ended(End::Exited(0)).printed("1 2 ");
        line("read it rest < /proc/self/stat; test $it = $$ && echo same").printed("same\n");
        line(&format!("test -d /proc/{own} || echo unseen")).printed(if own > 200 {
            "unseen\n"
        } else {
            ""
        });
        line("cat /proc/1/environ /proc/1/fd/* 2> /dev/null || echo closed").printed("closed\n");
        line("echo 0 > /proc/1/fd/3 || echo closed").printed("closed\n");
        if play("bash -c true", None).report.end == End::Exited(0) {
            line("bash -c 'cat <(echo a) <(echo b)'").ended(End::Exited(0)).printed("a\nb\n");
        }
    });
}

/// What the host grants of `/proc` is of the host's: the new one is granted only where that was.
#[test]
fn what_is_not_granted_of_its_processes_is_not_read() {
    if !can() {
        return;
    }
    let mut without = cell();
    without.read.retain(|path| path != std::path::Path::new("/proc"));
    play("cat /proc/self/status", Some(without.clone())).ended(End::Exited(1));
    without.read.push("/proc/sys".into());
    play("cat /proc/sys/kernel/ostype", Some(without.clone()))
        .ended(End::Exited(0))
        .printed("Linux\n");
    play("cat /proc/self/status", Some(without)).ended(End::Exited(1));
    line("echo x > /proc/self/comm").ended(End::Exited(2));
}

#[test]
fn what_it_is_left_is_what_it_is_left_without() {
    in_each_cell(|| {
        let folder = Folder::new();
        let file = folder.file("file", "text");
        line(&format!("cat {}", file.display())).ended(End::Exited(1));
        line(&format!("echo more >> {}", file.display())).ended(End::Exited(2));
        let mut granted = cell();
        granted.write.push(folder.path().into());
        let to = format!("cat {0} && echo > {0}", file.display());
        play(&to, Some(granted)).ended(End::Exited(0)).printed("text");
        let few = "grep -qE 'CapEff:[[:space:]]*0{14}[01][0-9a-f]' /proc/self/status";
        line(few).ended(End::Exited(0));
        line("id -u").printed(&format!("{}\n", rustix::process::geteuid().as_raw()));
        line("umount /proc || mount -t tmpfs none /tmp || echo no").printed("no\n");
    });
}

///
#[test]
fn child_without_network_reaches_nothing() {
    in_each_cell(|| {
        let ways = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '";
        line(ways).ended(End::Exited(0)).printed("lo\n");
        let mut open = cell();
        open.net = Net::Open;
        let bare = String::from_utf8(play(ways, None).report.stdout.bytes).unwrap();
        play(ways, Some(open)).ended(End::Exited(0)).printed(&bare);
    });
}

#[test]
fn streams_are_its_own() {
    in_each_cell(|| {
        let all: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
        let mut echo = in_namespaces("--echo-stdin").stdin(all.clone());
        echo.command.limits.stdout = all.len();
        let played = echo.play().ended(End::Exited(0)).closed(Closed::Complete);
        assert!(played.report.stdout.bytes == all, "{} bytes", played.report.stdout.bytes.len());
        in_namespaces("--stderr no --exit 2").play().ended(End::Exited(2));
        // Process 1 holds none of them: that they are closed shows while the program lives.
        let closes = "--stdout deny --close-stdout --close-stderr --sleep-ms 30000";
        let played =
            in_namespaces(closes).timeout(SHORT).play().ended(End::TimedOut).printed("deny\n");
        assert_eq!(played.report.stdout.closed, Closed::Complete);
        in_namespaces("--close-stdin --exit 0").stdin(all).play().ended(End::Exited(0));
        in_namespaces("--list-fds").play().ended(End::Exited(0)).printed("0\n1\n2\n");
        let mut announcing = in_namespaces("--list-fds");
        announcing.command.announce = Announce::OnDescriptor3;
        announcing.play().ended(End::Exited(0)).printed("0\n1\n2\n3\n");
    });
}

/// What a shell hands to another process, which prints it after the shell has ended.
#[test]
fn output_of_the_last_moment_is_read() {
    in_each_cell(|| {
        line("(sleep 0.02; echo late) & exit 0").ended(End::Exited(0)).printed("late\n");
    });
}

#[test]
fn an_exit_is_announced() {
    in_each_cell(|| {
        let mut scene = Scene::new(Command::shell("exec >&- 2>&-; echo 5 >&3; sleep 30", "/"));
        scene.command.env.push(("PATH".into(), "/usr/bin:/bin".into()));
        scene.command.announce = Announce::OnDescriptor3;
        scene.command.confine = Some(cell());
        let played = scene.play().ended(End::Exited(5));
        assert!(played.report.announced);
    });
}

#[test]
fn what_cannot_be_executed_is_said_as_ever() {
    in_each_cell(|| {
        let folder = Folder::new();
        let nonsense = folder.program("nonsense", "echo this is no program\n");
        let orphan = folder.program("orphan", "#!/no/such/interpreter\n");
        for program in ["no-such-program".into(), "/no/such/program".into(), nonsense, orphan] {
            let bare = Command::new(&program, [] as [&str; 0], "/");
            let mut confined = bare.clone();
            let mut granted = cell();
            granted.read.push(folder.path().into());
            confined.confine = Some(granted);
            let [bare, confined] =
                [bare, confined].map(|command| run_blocking(command, &Cancel::new()));
            assert_eq!(not_started(&confined), not_started(&bare));
            assert_eq!(confined.tier, Tier::T0);
        }
    });
}

#[test]
fn limits_of_time_and_memory_hold() {
    in_each_cell(|| {
        let mut spins = in_namespaces("--spin");
        spins.command.resources.push((Resource::CpuSeconds, 1));
        assert!(matches!(spins.play().report.end, End::Signalled(9 | 24)));
    });
}

#[test]
fn where_it_cannot_be_made_nothing_starts() {
    let (landlock, seccomp) = (7, true);
    let no_namespaces = Means { landlock, seccomp, ..Means::default() };
    let no_counting = Means { namespaces: true, ..no_namespaces };
    let mut counted = system(Tier::T0);
    counted.processes = Some(20);
    for (means, confinement) in [
        (no_namespaces, system(Tier::T2)),
        (no_namespaces, counted.clone()),
        (no_counting, counted),
        (Means { namespaces: true, processes: true, ..Means::default() }, system(Tier::T2)),
    ] {
        let played = play("true", Some(Confinement { pretended: Some(means), ..confinement }));
        let fault = not_started(&played.report);
        assert_eq!((fault.step, fault.errno), (Step::Confine, 95), "{means:?}");
        assert_eq!(played.report.tier, Tier::T0);
    }
}

/// A lower demand costs no more.
///
#[test]
fn who_does_not_demand_them_has_none() {
    if !can() {
        return;
    }
    let played = play("true", Some(system(Tier::T1)));
    assert_eq!(played.report.tier, Tier::T1);
    assert_eq!(available_sandbox_means().tier_for_requirement(Tier::T1), Tier::T1);
    assert_eq!(available_sandbox_means().tier_for_requirement(Tier::T2), Tier::T2);
}

/// Behind a limit of the whole user, and as an unprivileged user where the tests run as root: the kernel holds root to no number.
///
#[test]
fn zoo_22_a_bomb_of_forks_ends_at_its_number() {
    const NAME: &str = "namespaces::zoo_22_a_bomb_of_forks_ends_at_its_number";
    if is_host() {
        return set_off();
    }
    let tag = format!("bomb-{}", std::process::id());
    let mut command = host(NAME, &tag);
    if rustix::process::geteuid().is_root() {
        let mut counted = cell();
        counted.processes = Some(20);
        let played = play("true", Some(counted));
        assert_eq!(not_started(&played.report).step, Step::Confine, "root is not counted");
        command = as_unprivileged_user(command);
    }
    command.env.push(("PATH".into(), "/usr/bin:/bin".into()));
    command.resources = vec![(Resource::Processes, 400), (Resource::CpuSeconds, 20)];
    let report = run_blocking(command, &Cancel::new());
    let text = String::from_utf8_lossy(&report.stderr.bytes).into_owned();
    if matches!(report.end, End::NotStarted(_)) || text.contains("Permission denied") {
        return skipped("there is no `setpriv`, or the tests cannot be read by others");
    }
    assert_eq!(report.end, End::Exited(0), "{text}");
    assert_eq!(left(&tag), [] as [u32; 0]);
}

fn as_unprivileged_user(mut command: Command) -> Command {
    if let tenterhook_process::Program::Argv { program, args } = &mut command.program {
        let dropped = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        let own = std::mem::replace(program, "setpriv".into());
        let rest = std::mem::take(args);
        *args = dropped.iter().map(Into::into).chain([own]).chain(rest).collect();
    }
    command
}

fn set_off() {
    if available_sandbox_means().highest_tier() < Tier::T2 || !available_sandbox_means().processes {
        return skipped("processes cannot be counted here");
    }
    let mut counted = cell();
    counted.processes = Some(20);
    // Twenty are its own, and one more is refused.
    let fills = "i=0; while [ $i -lt 19 ]; do sleep 5 & i=$((i+1)); done; echo filled; sleep 5 &";
    let mut scene = Scene::new(Command::shell(fills, "/")).env("PATH", "/usr/bin:/bin");
    scene.command.confine = Some(counted.clone());
    let played = scene.play().printed("filled\n");
    assert_eq!(played.report.end, End::Exited(2), "{:?}", played.report);
    let bomb = "b() { b | b & }; b; sleep 30";
    let mut scene = Scene::new(Command::shell(bomb, "/")).env("PATH", "/usr/bin:/bin");
    scene.command.confine = Some(counted);
    scene.command.timeout = Some(Duration::from_millis(500));
    let (tag, cancel) = (scene.tag(), Cancel::new());
    let (sender, receiver) = std::sync::mpsc::channel();
    run_in_background(scene.command, &cancel, move |report| sender.send(report).unwrap());
    let mut most = 0;
    let report = loop {
        most = most.max(tagged(&tag).len());
        if let Ok(report) = receiver.recv_timeout(Duration::from_millis(2)) {
            break report;
        }
    };
    assert!(most <= 20, "{most} processes");
    assert!(matches!(report.end, End::TimedOut | End::Exited(_)), "{report:?}");
    assert_eq!(left(&tag), [] as [u32; 0]);
    play("true", None).ended(End::Exited(0));
}
