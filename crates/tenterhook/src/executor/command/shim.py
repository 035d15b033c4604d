# Waits for an event, then is the script: see docs/spec/exec-prewarm.md. Holds no single quote: it stands in a shell line.
def substitute():
    import sys
    names = sys.modules["__main__"].__dict__
    del names["substitute"]
    # The directory in which we were started must not decide what is loaded here.
    given = sys.path[:]
    if given and given[0] == "":
        del sys.path[0]
    before = set(sys.modules)
    import gc, os, select
    argv = sys.argv[1:]
    def plainly():
        # What is not known here is for the plain interpreter, which finds its input untouched.
        import subprocess
        options = subprocess._args_from_interpreter_flags()
        if hasattr(sys, "orig_argv"):
            options = sys.orig_argv[1:len(sys.orig_argv) - len(argv) - 2]
        os.execv(sys.executable, [sys.executable] + options + argv)
    if sys.version_info < (3, 7) or not hasattr(select, "poll"):
        select.select([0], [], [])
        plainly()
    import atexit, io, _io
    from importlib.machinery import SourceFileLoader
    try:
        import json, re, pathlib, subprocess, datetime
    except ImportError:
        pass
    ours = set(sys.modules) - before
    gc.collect()
    gc.freeze()
    waiting = select.poll()
    waiting.register(0, select.POLLIN)
    if not waiting.poll()[0][1] & select.POLLIN:
        os._exit(0)  # The host is gone: there is no event.
    script = argv[0]
    try:
        with io.open(script, "rb") as file:
            source = file.read()
    except OSError:
        source = None
    if source is None or b"\0" in source or script[-4:] in (".pyc", ".pyo"):
        # No script: a directory, an archive, compiled code, nothing at all.
        plainly()
    sys.argv = argv
    if hasattr(sys, "orig_argv"):
        at = len(sys.orig_argv) - len(argv)
        sys.orig_argv = sys.orig_argv[:at - 2] + sys.orig_argv[at:]
    beside = os.path.dirname(os.path.realpath(script))
    sys.path[:] = given
    if given and given[0] == "":
        sys.path[0] = beside
    try:
        stems = set(name.split(".", 1)[0] for name in os.listdir(beside))
    except OSError:
        stems = ()
    if any(name.split(".", 1)[0] in stems for name in ours):
        # A module beside the script has the name of one that we loaded: the script shall find its own.
        for name in ours:
            sys.modules.pop(name, None)
    whole = os.path.join(os.getcwd(), script) if sys.version_info >= (3, 9) else script
    names.update(__file__=whole, __cached__=None, __spec__=None, __loader__=SourceFileLoader("__main__", whole))
    kept, interrupted = None, False
    try:
        code = compile(source, whole, "exec", 0, True)
        del source
        exec(code, names)
        code = 0
    except SystemExit as error:
        code = error.code
        kept = whole
    except BaseException as error:
        # The frame of this function is none of the script.
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
        interrupted = isinstance(error, KeyboardInterrupt) and sys.version_info >= (3, 8)
    if kept is None:
        names.pop("__file__", None)
        names.pop("__cached__", None)
    if code is None:
        code = 0
    elif not isinstance(code, int):
        sys.stderr.write("%s\n" % (code,))
        code = 1
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    try:
        atexit._run_exitfuncs()
    except BaseException:
        pass  # Older interpreters have printed it, and raise it again.
    leave = -2147483648 <= code <= 2147483647 and not any((threading is not None and threading.active_count() > 1, sys.flags.inspect, sys.flags.verbose))
    if leave:
        # What the script still holds is let go, so that its files are written and its finalizers run.
        for name in list(names):
            if name != "__builtins__":
                names[name] = None
        gc.collect()
        writers = (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom, _io.BufferedRWPair)
        for stream in [it for it in gc.get_objects() if type(it) in writers]:
            try:
                stream.flush()
            except Exception:
                pass
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None and not getattr(stream, "closed", False):
                    stream.flush()
        except BaseException:
            leave = False
    if interrupted:
        import signal
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    if leave:
        os._exit(code & 255)
    sys.exit(code)
substitute()
