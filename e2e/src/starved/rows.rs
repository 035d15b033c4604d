//! The environments that are tried. A table; runs nothing.

/// As whom a row runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The current user.
    Anybody,
    /// A user without rights: limits on processes do not bind root.
    Unprivileged,
    /// A user with the right to mount.
    Root,
}

/// One environment.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// A line of shell: `{fire}` becomes the program, `{run}` does so and comes back, `{dir}` is the directory.
    pub(super) line: &'static str,
    pub(super) event: &'static str,
    pub(super) who: Who,
    /// Lines that must work, or the row is skipped.
    pub(super) needs: &'static [&'static str],
    /// It leaves the program no standard output, or too little to say anything.
    pub(super) mute: bool,
}

const PLAIN: Row = Row {
    name: "nothing is missing",
    line: "{fire}",
    event: "event.json",
    who: Who::Anybody,
    needs: &[],
    mute: false,
};

const fn row(name: &'static str, line: &'static str) -> Row {
    Row { name, line, ..PLAIN }
}

const fn unprivileged(name: &'static str, line: &'static str) -> Row {
    Row { name, line, who: Who::Unprivileged, ..PLAIN }
}

const fn large(name: &'static str, line: &'static str) -> Row {
    Row { name, line, event: "large.json", ..PLAIN }
}

const fn mute(name: &'static str, line: &'static str) -> Row {
    Row { name, line, mute: true, ..PLAIN }
}

const fn mounts(name: &'static str, line: &'static str) -> Row {
    Row { name, line, who: Who::Root, needs: &["unshare -m true"], ..PLAIN }
}

const fn needing(name: &'static str, line: &'static str, needs: &'static [&'static str]) -> Row {
    Row { name, line, needs, ..PLAIN }
}

const GROUP: &str =
    "d=/sys/fs/cgroup/starved-probe; mkdir $d && test -e $d/pids.max; r=$?; rmdir $d; exit $r";

/// What lies in the directory.
pub(super) const FILES: &[(&str, &str)] = &[(
    "reaper.c",
    "#include <pthread.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
     static void *reap(void *it) { for (;;) if (waitpid(-1, 0, 0) < 0) usleep(200); return it; }\n\
     __attribute__((constructor)) static void begin(void) { pthread_t it; pthread_create(&it, 0, reap, 0); }\n",
)];

pub(super) const ROWS: &[Row] = &[
    PLAIN,
    unprivileged("ulimit -u 1", "ulimit -u 1; {fire}"),
    unprivileged("ulimit -u 2", "ulimit -u 2; {fire}"),
    unprivileged("ulimit -u 3", "ulimit -u 3; {fire}"),
    unprivileged("ulimit -u 4", "ulimit -u 4; {fire}"),
    unprivileged("ulimit -u 5", "ulimit -u 5; {fire}"),
    unprivileged("ulimit -u 6", "ulimit -u 6; {fire}"),
    unprivileged("ulimit -u 8", "ulimit -u 8; {fire}"),
    unprivileged("a user who owns nothing", "{fire}"),
    // It has no memory to be loaded with, or hardly any to begin with.
    mute("ulimit -v 20000", "ulimit -v 20000; {fire}"),
    mute("ulimit -v 60000", "ulimit -v 60000; {fire}"),
    row("ulimit -v 80000", "ulimit -v 80000; {fire}"),
    row("ulimit -v 120000", "ulimit -v 120000; {fire}"),
    large("ulimit -v 200000, a large event", "ulimit -v 200000; {fire}"),
    large("ulimit -v 400000, a large event", "ulimit -v 400000; {fire}"),
    mute("ulimit -d 1000", "ulimit -d 1000; {fire}"),
    mute("ulimit -d 3000", "ulimit -d 3000; {fire}"),
    row("ulimit -d 5000", "ulimit -d 5000; {fire}"),
    row("ulimit -d 20000", "ulimit -d 20000; {fire}"),
    large("ulimit -d 100000, a large event", "ulimit -d 100000; {fire}"),
    row("ulimit -n 3", "ulimit -n 3; {fire}"),
    row("ulimit -n 4", "ulimit -n 4; {fire}"),
    row("ulimit -n 6", "ulimit -n 6; {fire}"),
    row("ulimit -n 8", "ulimit -n 8; {fire}"),
    row("ulimit -n 10", "ulimit -n 10; {fire}"),
    row("ulimit -n 13", "ulimit -n 13; {fire}"),
    row("ulimit -n 16", "ulimit -n 16; {fire}"),
    row("ulimit -n 19", "ulimit -n 19; {fire}"),
    row("ulimit -n 24", "ulimit -n 24; {fire}"),
    // The kernel ends it before it begins.
    mute("ulimit -s 16", "ulimit -s 16; {fire}"),
    row("ulimit -s 256", "ulimit -s 256; {fire}"),
    row("ulimit -t 1", "ulimit -t 1; {fire}"),
    row("no locks, queues, signals, priority", "ulimit -i 0 -q 0 -l 0 -x 0 -e 0 -r 0; {fire}"),
    row("ulimit -f 0", "set -o pipefail; (ulimit -f 0; {fire}) | cat"),
    mute("ulimit -f 0, and its output is a file", "ulimit -f 0; {fire}"),
    row(
        "as many variables as go",
        "ulimit -s 1024; A=$(printf '%0125000d' 0); B=$(printf '%0125000d' 0); export A B; {fire}",
    ),
    row("no input", "{fire} <&-"),
    row("no standard error", "{fire} 2>&-"),
    mute("no standard output", "{fire} >&-"),
    mute("no stream at all", "{fire} <&- >&- 2>&-"),
    mute("a full disk behind the output", "{fire} >/dev/full"),
    mounts(
        "a full disk for temporary files",
        "exec unshare -m bash -c 'mount -t tmpfs -o size=4k,nr_inodes=1 none {dir}/home; {fire}'",
    ),
    mounts(
        "a read-only home",
        "exec unshare -m bash -c 'mount -t tmpfs -o ro none {dir}/home; {fire}'",
    ),
    mounts("no /proc", "exec unshare -m bash -c 'mount -t tmpfs none /proc; {fire}'"),
    Row {
        who: Who::Root,
        ..needing("the first process of its space", "exec unshare -pf {run}", &["unshare -pf true"])
    },
    row("no temporary directory", "export TMPDIR=/none; {fire}"),
    row("no home", "unset HOME TMPDIR; {fire}"),
    row("no PATH", "PATH=; {fire}"),
    row("SIGCHLD ignored", "trap '' CHLD; {fire}"),
    row("every signal ignored", "trap '' $(seq 1 31 | grep -vx -e 9 -e 19); {fire}"),
    needing(
        "every signal blocked",
        "exec env --block-signal -- {run}",
        &["env --block-signal -- true"],
    ),
    row("umask 777", "umask 777; {fire}"),
    unprivileged("umask 777, no rights", "umask 777; {fire}"),
    row("umask 000", "umask 000; {fire}"),
    needing("nice 19", "exec nice -n 19 {run}", &["nice -n 19 true"]),
    needing(
        "no new privileges",
        "exec setpriv --no-new-privs {run}",
        &["setpriv --no-new-privs true"],
    ),
    row("its directory is gone", "mkdir {dir}/gone; cd {dir}/gone; rmdir {dir}/gone; {fire}"),
    row(
        "its parent is stopped",
        "(until grep -q 'State:.T' /proc/$$/status; do sleep 0.01; done; {run}; c=$?; kill -CONT $$; exit $c) & \
         kill -STOP $$; wait $!",
    ),
    row("LD_PRELOAD of nothing", "export LD_PRELOAD=/none.so; {fire}"),
    needing(
        "LD_PRELOAD of what reaps",
        "export LD_PRELOAD={dir}/reaper.so; {fire}",
        &["cc -shared -fPIC -pthread -o {dir}/reaper.so {dir}/reaper.c"],
    ),
    row("a forged mark of re-entry", "export TENTERHOOK_FIRING=x,y,z; {fire}"),
    row("a deep mark of re-entry", "export TENTERHOOK_FIRING=1,2,3,4,5,6,7,8,9; {fire}"),
    Row {
        who: Who::Root,
        ..needing(
            "a control group of four processes",
            "g=/sys/fs/cgroup/starved-$$; mkdir $g; echo 4 > $g/pids.max; \
             (echo $BASHPID > $g/cgroup.procs; {fire}); c=$?; rmdir $g; exit $c",
            &[GROUP],
        )
    },
];
