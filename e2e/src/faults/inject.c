/* Which one system call of a program fails, and does anything of the program outlive it? Knows nothing of what the program is for.
 *
 * inject REPORT USER CALLS ERROR NTH once|on SECONDS PROGRAM -- COMMAND ARGS...
 *
 * COMMAND is what is started, of which PROGRAM may be a part.
 * A filter hands the calls to this process before they are made (seccomp's user notification), which counts those that are made by
 * PROGRAM, by its threads, and by its children until they become another program, from where the program itself begins: the loader of
 * shared libraries is none of it. The NTH fails with ERROR, or is cut short where ERROR is 0; all others are made. Nothing is traced,
 * so that the program sees no other difference, and only calls that are asked for cost anything. Where CALLS is `count`, none fails,
 * and the report says how often each is made. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#if defined(__x86_64__)
#define HERE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define HERE AUDIT_ARCH_AARCH64
#else
#error "not known on this machine"
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define COUNT (sizeof CALLS / sizeof *CALLS)
static long made[COUNT];
static int counts;

/* Process 1 of a child's namespaces is made by the program, too, and runs from a memory file. */
#define PROCESS_ONE "/memfd:"

static struct stat program;
static int listener, error, is_short, is_once, is_armed;
static long nth, counted, injected;
static const char *class;
static char where[256];

static const char *name_of(int nr) {
    for (size_t at = 0; at < COUNT; at++)
        if (CALLS[at].nr == nr) return CALLS[at].name;
    return "";
}

static void die(const char *what) {
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    _exit(99);
}

/* Whether a task is one of the program's. */
static int is_ours(pid_t task) {
    char path[64], target[64];
    struct stat found;
    snprintf(path, sizeof path, "/proc/%d/exe", task);
    if (stat(path, &found) == 0 && found.st_dev == program.st_dev && found.st_ino == program.st_ino) return 1;
    ssize_t length = readlink(path, target, sizeof target);
    return length > (ssize_t)strlen(PROCESS_ONE) && memcmp(target, PROCESS_ONE, strlen(PROCESS_ONE)) == 0;
}

/* The flags with which a task opened a descriptor. */
static long flags_of(pid_t task, int descriptor) {
    char path[64], line[128];
    long flags = 0;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", task, descriptor);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "flags: %lo", &flags) == 1) break;
    fclose(file);
    return flags;
}

/* What a descriptor of a task is, as far as it decides which errors reading and writing it may have. */
enum kind { OTHER, REGULAR, STREAM };
static enum kind kind_of(pid_t task, int descriptor) {
    char path[64];
    struct stat found;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", task, descriptor);
    if (stat(path, &found) != 0) return OTHER;
    if (S_ISREG(found.st_mode)) return REGULAR;
    return S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode) ? STREAM : OTHER;
}

/* Whether the kernel could ever say this of reading or writing this descriptor: an event counter has neither a disk nor halves. */
static int may_move_so(pid_t task, int descriptor) {
    enum kind kind = kind_of(task, descriptor);
    int waits = !(flags_of(task, descriptor) & O_NONBLOCK);
    switch (error) {
    case 0: return kind != OTHER;
    case EIO: case ENOSPC: return kind == REGULAR;
    case EAGAIN: return kind == STREAM && !waits;
    case EINTR: return kind == REGULAR || waits;
    /* Where words for people cannot be written, none are said. */
    default: return kind != OTHER && descriptor != 2;
    }
}

/* Of the processes' own switches, those that a kernel or a filter of somebody else may refuse. */
static int may_be_refused(const struct seccomp_data *it) {
    switch (it->args[0]) {
    case PR_SET_SECCOMP: return it->args[2] != 0;
    case PR_SET_PDEATHSIG: case PR_SET_NO_NEW_PRIVS: case PR_CAPBSET_DROP: case PR_CAP_AMBIENT: return 1;
    default: return 0;
    }
}

/* Whether the kernel could ever say this of this very call. */
static int may_fail_so(const struct seccomp_notif *it) {
    int nr = it->data.nr, descriptor = (int)it->data.args[0];
    const char *name = name_of(nr);
    if (is_short && ((nr != SYS_read && nr != SYS_write) || it->data.args[2] < 2)) return 0;
    if (!strcmp(name, "read") || !strcmp(name, "write")) return may_move_so(it->pid, descriptor);
    if (!strcmp(name, "fcntl")) {
        int command = (int)it->data.args[1];
        if (error == EMFILE) return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
        if (error == EINTR) return command == F_SETLKW || command == F_OFD_SETLKW;
        return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    }
    if (!strcmp(name, "flock") && error == EINTR) return !(it->data.args[1] & LOCK_NB) && it->data.args[1] != LOCK_UN;
    if (!strcmp(name, "wait") && error == EINTR) return !(it->data.args[nr == SYS_wait4 ? 2 : 3] & WNOHANG);
    if (!strcmp(name, "open") && error == ENOSPC) return (it->data.args[nr == SYS_openat ? 2 : 1] & O_CREAT) != 0;
    /* To ask for the version makes nothing. */
    if (nr == LANDLOCK_CREATE) return it->data.args[0] != 0;
    if (!strcmp(name, "landlock") && error == EMFILE) return 0;
    if (nr == SYS_prctl) return may_be_refused(&it->data);
    return 1;
}

static void answer(__u64 id, long value, int errno_, __u32 flags) {
    struct seccomp_notif_resp it = {.id = id, .val = value, .error = -errno_, .flags = flags};
    /* Who asked may be gone by now. */
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &it);
}

/* The process that a thread is of. */
static pid_t process_of(pid_t task) {
    char path[64], line[128];
    int process = task;
    snprintf(path, sizeof path, "/proc/%d/status", task);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Tgid: %d", &process) == 1) break;
    if (file) fclose(file);
    return process;
}

/* Half of what was asked for, done in the name of who asked; it may wait, so that it has a thread of its own. */
static void *cut(void *of) {
    struct seccomp_notif *it = of;
    size_t size = it->data.args[2] / 2;
    if (size > 1 << 20) size = 1 << 20;
    char *bytes = malloc(size);
    int owner = (int)syscall(SYS_pidfd_open, process_of(it->pid), 0);
    int descriptor = owner < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, owner, (int)it->data.args[0], 0);
    ssize_t done = -1;
    struct iovec here = {bytes, size}, there = {(void *)it->data.args[1], size};
    if (bytes && descriptor >= 0) {
        if (it->data.nr == SYS_read) {
            done = read(descriptor, bytes, size);
            here.iov_len = there.iov_len = done > 0 ? (size_t)done : 0;
            if (done > 0 && process_vm_writev(it->pid, &here, 1, &there, 1, 0) != done) done = -1;
        } else if (process_vm_readv(it->pid, &here, 1, &there, 1, 0) == (ssize_t)size) {
            done = write(descriptor, bytes, size);
        }
    }
    if (descriptor < 0) {
        injected = 0;
        answer(it->id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    } else {
        answer(it->id, done, done < 0 ? errno : 0, 0);
    }
    if (descriptor >= 0) close(descriptor);
    if (owner >= 0) close(owner);
    free(bytes);
    free(it);
    return NULL;
}

static void hear(void) {
    static struct seccomp_notif it;
    memset(&it, 0, sizeof it);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &it) != 0) return;
    const char *name = name_of(it.data.nr);
    int ours = is_ours(it.pid);
    /* Rust looks at its standard streams before anything else; no loader does. */
    if (ours && !strcmp(name, "poll")) is_armed = 1;
    if (ours && is_armed && counts)
        for (size_t at = 0; at < COUNT; at++) made[at] += CALLS[at].nr == it.data.nr;
    if (ours && is_armed && !strcmp(name, class) && may_fail_so(&it)) {
        counted++;
        if (counted == nth || (!is_once && counted > nth)) {
            if (!injected++)
                snprintf(where, sizeof where, "%d %d %llx %llx %llx", it.pid, it.data.nr, it.data.args[0], it.data.args[1], it.data.args[2]);
            if (!is_short) return answer(it.id, 0, error, 0);
            struct seccomp_notif *copy = malloc(sizeof it);
            pthread_t thread;
            *copy = it;
            if (pthread_create(&thread, NULL, cut, copy) == 0) {
                pthread_detach(thread);
                return;
            }
        }
    }
    answer(it.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

/* Whether calls of this name are handed over. */
static int is_heard(size_t at) {
    return counts || !strcmp(CALLS[at].name, class) || !strcmp(CALLS[at].name, "poll");
}

/* In the child: hands these calls over, and tells its parent where. */
static void enter(int to) {
    struct sock_filter filter[COUNT + 8];
    size_t at = 0;
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HERE, 1, 0);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    size_t wanted = 0, seen = 0;
    for (size_t it = 0; it < COUNT; it++) wanted += is_heard(it);
    for (size_t it = 0; it < COUNT; it++) {
        if (!is_heard(it)) continue;
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALLS[it].nr, wanted - seen, 0);
        seen++;
    }
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog all = {.len = at, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) die("no new privileges");
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
    int heard = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &all);
    if (heard < 0) heard = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &all);
    if (heard < 0) die("calls cannot be handed over here");
    char byte = 0, control[CMSG_SPACE(sizeof heard)] = {0};
    struct iovec io = {&byte, 1};
    struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof heard)};
    memcpy(CMSG_DATA(head), &heard, sizeof heard);
    if (sendmsg(to, &message, 0) != 1) die("the listener cannot be sent");
}

static int received(int from) {
    int heard = -1;
    char byte, control[CMSG_SPACE(sizeof heard)];
    struct iovec io = {&byte, 1};
    struct msghdr message = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&message)) _exit(99);
    memcpy(&heard, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof heard);
    return heard;
}

static void limit(int what, rlim_t most) {
    struct rlimit it = {most, most};
    if (setrlimit(what, &it) != 0) die("a limit cannot be set");
}

/* Nobody, with limits, before anything of the program runs. */
static void bound(long user) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, 60);
    limit(RLIMIT_FSIZE, 64 << 20);
    limit(RLIMIT_AS, 16ul << 30);
    if (user > 0) {
        limit(RLIMIT_NPROC, 200);
        if (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0) die("the user cannot be taken");
    }
    /* Set behind the user, whose change takes it away. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static double now(void) {
    struct timespec it;
    clock_gettime(CLOCK_MONOTONIC, &it);
    return (double)it.tv_sec + (double)it.tv_nsec / 1e9;
}

/* Hears calls until `leader` ended (when it is given) or nobody is left, or until then. Nothing is reaped twice. */
static int until(double then, pid_t leader, int *status) {
    for (;;) {
        int found;
        pid_t gone;
        while ((gone = waitpid(-1, &found, WNOHANG)) > 0) {
            if (gone != leader) continue;
            *status = found;
            return 1;
        }
        if (gone < 0 && errno == ECHILD) return 1;
        if (now() > then) return 0;
        struct pollfd it = {listener, POLLIN, 0};
        if (poll(&it, 1, 2) > 0) {
            if (it.revents & POLLIN) hear();
            else if (leader == 0) poll(NULL, 0, 2);
        }
    }
}

/* Those that are children of this process by now. */
static int children(int signal) {
    char path[64];
    int pid, count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    while (fscanf(file, "%d", &pid) == 1) {
        count++;
        if (signal) kill(pid, signal);
    }
    fclose(file);
    return count;
}

int main(int argc, char **argv) {
    if (argc < 11 || strcmp(argv[9], "--")) {
        fputs("usage: inject REPORT USER CALLS ERROR NTH once|on SECONDS PROGRAM -- COMMAND ARGS...\n", stderr);
        return 99;
    }
    FILE *report = fopen(argv[1], "we");
    if (!report) die("the report cannot be written");
    class = argv[3];
    counts = !strcmp(class, "count");
    error = atoi(argv[4]);
    is_short = error == 0;
    nth = atol(argv[5]);
    is_once = !strcmp(argv[6], "once");
    if (stat(argv[8], &program) != 0) die("there is no such program");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) die("no pair of sockets");
    pid_t leader = fork();
    if (leader < 0) die("no process");
    if (leader == 0) {
        bound(atol(argv[2]));
        enter(ends[1]);
        execv(argv[10], argv + 10);
        die("the program cannot be started");
    }
    close(ends[1]);
    /* What is written in the name of the program may have no reader. */
    signal(SIGPIPE, SIG_IGN);
    listener = received(ends[0]);
    double began = now();
    int status = 0, hung = !until(began + atof(argv[7]), leader, &status);
    double took = now() - began;
    /* Who asked something when this one ended is heard out, too. */
    int left = hung || !until(now() + 1.5, 0, NULL) ? children(0) : 0;
    double then = now() + 5;
    while (children(SIGKILL) > 0 && now() < then) until(now() + 0.02, 0, NULL);
    fprintf(report, "%ld %d %d %d %.0f %s\n", injected, hung ? -1 : status, hung, left, took * 1000, injected ? where : "-");
    for (size_t at = 0; at < COUNT; at++)
        if (made[at]) fprintf(report, "%s %ld\n", CALLS[at].name, made[at]);
    return fclose(report) == 0 ? 0 : 99;
}
