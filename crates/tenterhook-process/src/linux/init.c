/*
 * Process 1 of a child's namespaces: starts the program and reports to the host how it ended. When it dies, the kernel
 * kills the other processes in its namespaces.
 *
 * Must not hold a stream of the program, decide anything, or need a library: it runs with what the program is left.
 *
 * Arguments: its name, the number of the descriptor for its reports, the path of the program, the program's own
 * arguments. Without a program it only reports which namespaces this machine allows.
 */

enum step { STARTED = 1, UNPROVEN = 2, UNFORKED = 3, UNEXECUTED = 4, ENDED = 5 };

#if defined(__x86_64__)
enum call {
    WRITE = 1, CLOSE = 3, CLONE = 56, EXECVE = 59, WAIT4 = 61, KILL = 62, FCNTL = 72, GETPID = 39, GETPGID = 121,
    SIGPROCMASK = 14, SIGTIMEDWAIT = 128, PRCTL = 157, EXIT_GROUP = 231, READLINKAT = 267, PPOLL = 271, PRLIMIT64 = 302
};

__asm__(".globl _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call begin\n"
        "    hlt\n");

static long call5(long number, long a, long b, long c, long d, long e)
{
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
enum call {
    WRITE = 64, CLOSE = 57, CLONE = 220, EXECVE = 221, WAIT4 = 260, KILL = 129, FCNTL = 25, GETPID = 172, GETPGID = 155,
    SIGPROCMASK = 135, SIGTIMEDWAIT = 137, PRCTL = 167, EXIT_GROUP = 94, READLINKAT = 78, PPOLL = 73, PRLIMIT64 = 261
};

__asm__(".globl _start\n"
        "_start:\n"
        "    mov x29, #0\n"
        "    mov x30, #0\n"
        "    mov x0, sp\n"
        "    bl begin\n"
        "    brk #1\n");

static long call5(long number, long a, long b, long c, long d, long e)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory", "cc");
    return x0;
}
#else
#error "the calls of this processor are not known"
#endif

enum {
    AT_FDCWD = -100, ENOENT = 2, EAGAIN = 11, ECHILD = 10, EOPNOTSUPP = 95, EINTR = 4,
    F_SETFD = 2, FD_CLOEXEC = 1, POLLERR = 8, PR_SET_DUMPABLE = 4, PR_SET_NAME = 15, RLIMIT_NPROC = 6,
    SIGCHLD = 17, SIGCONT = 18, SIGTERM = 15, SIG_SETMASK = 2, CLONE_VFORK = 0x4000, WNOHANG = 1
};

static void leave(int code)
{
    for (;;)
        call5(EXIT_GROUP, code, 0, 0, 0, 0);
}

/* Eight bytes reach a pipe whole or not at all. Without a reader the host is dead, and this must exit too. */
static void report(int status, int step, int value)
{
    int message[2] = {step, value};
    long written;
    do
        written = call5(WRITE, status, (long)message, sizeof message, 0, 0);
    while (written == -EINTR);
    if (written != sizeof message)
        leave(1);
}

/* The host dies before or after it is asked for our death; in the second case alone is there a signal. */
static int is_orphan(int status)
{
    struct { int fd; short events, revents; } it = {status, 0, 0};
    long now[2] = {0, 0};
    call5(PPOLL, (long)&it, 1, (long)now, 0, 8);
    return (it.revents & POLLERR) != 0;
}

/* What a file says is not believed: that it is the first of its processes, and that it sees them and no others. 0, or why not. */
static int doubt(void)
{
    char name[8];
    long length;
    if (call5(GETPID, 0, 0, 0, 0, 0) != 1)
        return EOPNOTSUPP;
    length = call5(READLINKAT, AT_FDCWD, (long)"/proc/self", (long)name, sizeof name, 0);
    /* Without a granted /proc the program sees no process. */
    if (length == -ENOENT)
        return 0;
    if (length < 0)
        return (int)-length;
    return length == 1 && name[0] == '1' ? 0 : EOPNOTSUPP;
}

static long forks_with(unsigned long most)
{
    unsigned long pair[2] = {most, 2};
    long child;
    int status;
    if (call5(PRLIMIT64, 0, RLIMIT_NPROC, (long)pair, 0, 0) != 0)
        return 0;
    child = call5(CLONE, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        leave(0);
    if (child > 0)
        call5(WAIT4, child, (long)&status, 0, 0, 0);
    return child;
}

/* Whether its processes are counted, and no others: root outside is not held by any number, old kernels count by user. */
static int counts_processes(void)
{
    return forks_with(2) > 0 && forks_with(1) == -EAGAIN;
}

/* The child of a vfork: what it tells stands before what its parent tells afterwards. */
static void become_program(int status, char **argv, char **envp)
{
    unsigned long none = 0;
    long failed;
    call5(FCNTL, status, F_SETFD, FD_CLOEXEC, 0, 0);
    call5(SIGPROCMASK, SIG_SETMASK, (long)&none, 0, 8, 0);
    failed = call5(EXECVE, (long)argv[0], (long)(argv + 1), (long)envp, 0, 0);
    report(status, UNEXECUTED, (int)-failed);
    leave(127);
}

/* Reaps all that there is, and ends with the last of them. Those that the program leaves are the host's to give time to. */
static long reap(int status, long leader)
{
    long child;
    int how;
    while ((child = call5(WAIT4, -1, (long)&how, WNOHANG, 0, 0)) > 0) {
        if (child != leader)
            continue;
        leader = 0;
        report(status, ENDED, how);
    }
    if (child == -ECHILD)
        leave(0);
    return leader;
}

static int number(const char *text)
{
    int value = 0;
    while (*text >= '0' && *text <= '9')
        value = value * 10 + *text++ - '0';
    return value;
}

__attribute__((used, noreturn)) void begin(long *stack)
{
    long argc = stack[0], leader;
    char **argv = (char **)(stack + 1), **envp = argv + argc + 1;
    unsigned long all = ~0ul;
    int status, fd, why;

    if (argc < 2)
        leave(2);
    status = number(argv[1]);
    /* Blocked and asked for: a handler could come between any two lines. */
    call5(SIGPROCMASK, SIG_SETMASK, (long)&all, 0, 8, 0);
    call5(PRCTL, PR_SET_NAME, (long)"tenterhook-init", 0, 0, 0);
    why = doubt();
    if (why != 0) {
        report(status, UNPROVEN, why);
        leave(1);
    }
    /* The program's children have the same user and could write a false exit status to this descriptor. */
    call5(PRCTL, PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (argc < 4) {
        report(status, STARTED, counts_processes());
        leave(0);
    }
    if (is_orphan(status))
        leave(1);
    leader = call5(CLONE, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
    if (leader == 0)
        become_program(status, argv + 2, envp);
    /* What it held would keep a stream open that the program has closed. */
    for (fd = 0; fd < status; fd++)
        call5(CLOSE, fd, 0, 0, 0, 0);
    if (leader < 0) {
        report(status, UNFORKED, (int)-leader);
        leave(1);
    }
    report(status, STARTED, 0);
    for (;;) {
        long signal = call5(SIGTIMEDWAIT, (long)&all, 0, 0, 8, 0);
        if (signal == SIGCHLD)
            leader = reap(status, leader);
        /* The host signals the group. A program in a different group gets the signal from here. */
        else if ((signal == SIGTERM || signal == SIGCONT) && leader > 0 && call5(GETPGID, leader, 0, 0, 0, 0) != 1)
            call5(KILL, leader, signal, 0, 0, 0);
    }
}
