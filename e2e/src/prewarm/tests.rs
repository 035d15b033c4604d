//! The scripts: what a hook does that a stand-in could get wrong (PW-11, PW-12, PW-13). `cargo e2e prewarm` runs them.

/// One script, and how it is started.
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    /// Options of the interpreter.
    pub(super) options: &'static [&'static str],
    /// The script's name on the command line; `{dir}` is the directory above.
    pub(super) named: &'static str,
    pub(super) args: &'static [&'static str],
    /// Files beside it.
    pub(super) beside: &'static [(&'static str, &'static str)],
}

const fn script(name: &'static str, text: &'static str) -> Script {
    Script { name, text, options: &[], named: "{dir}/tools/script.py", args: &[], beside: &[] }
}

pub(super) const SCRIPTS: &[Script] = &[
    script(
        "plain answer",
        "import json, sys\nevent = json.load(sys.stdin)  if False else json.loads(sys.stdin.readline())\nprint(json.dumps(event))\n",
    ),
    script("exit code 2", "import sys\nprint('no', file=sys.stderr)\nsys.exit(2)\n"),
    script("exit without a code", "import sys\nsys.exit()\n"),
    script("exit with None", "raise SystemExit(None)\n"),
    script("exit with words", "import sys\nsys.exit('words')\n"),
    script("exit with a tuple", "import sys\nsys.exit((1, 2))\n"),
    script("exit with True", "import sys\nsys.exit(True)\n"),
    script("exit with 256", "import sys\nsys.exit(256)\n"),
    script("exit with -1", "import sys\nsys.exit(-1)\n"),
    script(
        "exit with a huge number",
        "import sys\nsys.stderr = None  # Newer interpreters stumble here, each with other words.\nsys.exit(2 ** 70)\n",
    ),
    script(
        "exit of the system",
        "import os, sys\nprint('lost', end='')\nsys.stdout.flush()\nos._exit(7)\n",
    ),
    script("exit and quit of site", "exit(3)\n"),
    script("an exception", "def inner():\n    raise ValueError('wrong')\ninner()\n"),
    script(
        "an exception with a cause",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise RuntimeError('then') from error\n",
    ),
    script(
        "an exception in an exception group",
        "class Mine(BaseException):\n    pass\nraise Mine('x')\n",
    ),
    script(
        "a hook for exceptions",
        "import sys\nsys.excepthook = lambda *it: print('hooked', it[0].__name__)\nraise ValueError\n",
    ),
    script("a syntax error", "print('a')\nif True print('b')\n"),
    script("a wrong indentation", "def f():\npass\n"),
    script("an encoding cookie", "# -*- coding: latin-1 -*-\nprint(len('\u{fc}'))\n"),
    script("a mark before the text", "\u{feff}print('marked')\n"),
    script("an interrupt", "raise KeyboardInterrupt\n"),
    script("ended by a signal", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"),
    script(
        "atexit",
        "import atexit\natexit.register(print, 'first')\natexit.register(print, 'second')\nprint('body')\n",
    ),
    script(
        "atexit after an exit",
        "import atexit, sys\natexit.register(lambda: print('late', __name__, '__file__' in globals()))\nsys.exit(4)\n",
    ),
    script(
        "atexit that fails",
        "import atexit\ndef fails():\n    raise ValueError('late')\natexit.register(fails)\natexit.register(print, 'other')\n",
    ),
    script(
        "atexit sees the main module",
        "import atexit\nword = 'kept'\ndef late():\n    import __main__\n    print(__main__.word, '__file__' in globals())\natexit.register(late)\n",
    ),
    script(
        "threads are joined",
        "import threading, time\ndef work():\n    time.sleep(0.1)\n    print('worked')\nthreading.Thread(target=work).start()\nprint('body')\n",
    ),
    script(
        "threads after an exit",
        "import sys, threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), print('worked'))).start()\nsys.exit(5)\n",
    ),
    script(
        "daemon threads are not",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(20,), daemon=True).start()\nprint('body')\n",
    ),
    script(
        "a thread that fails",
        "import threading\nthreading.excepthook = lambda it: print('thread', it.exc_type.__name__)\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n",
    ),
    script(
        "a pool of threads",
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\npool.submit(print, 'pooled')\n",
    ),
    script("input as bytes", "import sys\nprint(len(sys.stdin.buffer.read()))\n"),
    script("input by input()", "print(input()[:8])\nprint(input())\n"),
    script("input line by line", "import sys\nfor line in sys.stdin:\n    print(line.strip())\n"),
    script("input by its number", "import os\nprint(os.read(0, 10))\nprint(open(0).read()[-5:])\n"),
    script("input by its name", "print(open('/dev/stdin').read())\n"),
    script(
        "input for a child",
        "import subprocess\nprint(subprocess.run(['cat'], stdout=subprocess.PIPE).stdout)\n",
    ),
    script("input that is not read", "print('deaf')\n"),
    script(
        "facts of the input",
        "import sys\nprint(sys.stdin.encoding, sys.stdin.errors, sys.stdin.name, sys.stdin.mode, sys.stdin.isatty(), sys.stdin.fileno())\n",
    ),
    script("input beyond its end", "print(input())\nprint(input())\nprint(input())\n"),
    script(
        "a fork",
        "import os, sys\npid = os.fork()\nif pid == 0:\n    print('child')\n    sys.exit(3)\nprint('parent', os.waitpid(pid, 0)[1] >> 8)\n",
    ),
    script(
        "a fork with atexit",
        "import atexit, os\natexit.register(lambda: print('bye'))\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n",
    ),
    script(
        "a process of multiprocessing",
        "import multiprocessing as m\ndef work(q):\n    q.put(__name__)\nif __name__ == '__main__':\n    m.set_start_method('spawn')\n    q = m.Queue()\n    p = m.Process(target=work, args=(q,))\n    p.start()\n    print(q.get())\n    p.join()\n",
    ),
    script(
        "the main module",
        "import __main__, sys\nprint(__name__, __main__.__dict__ is globals(), sys.modules['__main__'].__file__ == __file__)\n",
    ),
    script(
        "all names of the main module",
        "print(sorted(it for it in globals() if it != '__annotations__'), __doc__, __package__, __spec__, __cached__ if '__cached__' in globals() else '')\n",
    ),
    script(
        "the document of the script",
        "'''words'''\nprint(__doc__, type(__loader__).__name__, __loader__.path, __loader__.name)\n",
    ),
    script(
        "pickles of the main module",
        "import pickle\nclass A:\n    pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)\n",
    ),
    Script {
        args: &["-x", "two words", ""],
        ..script("arguments", "import sys\nprint(sys.argv, getattr(sys, 'orig_argv', [''])[1:])\n")
    },
    Script {
        named: "../tools/script.py",
        ..script("a relative path", "import sys\nprint(__file__, sys.argv[0], sys.path[0])\n")
    },
    Script {
        named: "./../tools/./script.py",
        ..script("a path with dots", "import sys\nprint(__file__, sys.argv[0], sys.path[0])\n")
    },
    Script { named: "nowhere.py", ..script("a script that is not there", "") },
    Script {
        named: "../tools",
        beside: &[(
            "tools/__main__.py",
            "import sys\nprint(__file__, sys.argv, __package__ == '', sys.path[0])\n",
        )],
        ..script("a directory with a main module", "")
    },
    Script {
        beside: &[("tools/beside.py", "word = 'beside'\n")],
        ..script("a module beside it", "import beside\nprint(beside.word, beside.__name__)\n")
    },
    Script {
        beside: &[
            ("tools/json.py", "word = 'mine'\n"),
            ("work/re.py", "raise ImportError('not mine')\n"),
        ],
        ..script(
            "a module with a known name",
            "import json, re\nprint(json.word, hasattr(re, 'sub'))\n",
        )
    },
    Script {
        beside: &[
            ("work/select.py", "print('hijacked')\n"),
            ("work/os.py", "print('hijacked')\n"),
            ("work/json.py", "print('hijacked')\n"),
        ],
        ..script("modules where it starts", "import json, os, select\nprint(json.dumps(1))\n")
    },
    script("a relative import", "from . import beside\n"),
    Script {
        options: &["-W", "error"],
        ..script("warnings as errors", "import warnings\nwarnings.warn('careful')\n")
    },
    script(
        "a warning",
        "import warnings\nwarnings.warn('careful')\nwarnings.warn('old', DeprecationWarning)\n",
    ),
    Script {
        options: &["-I", "-u"],
        ..script(
            "isolated",
            "import sys\nprint(sys.flags.isolated, sys.path[0] != '', sys.stdout.write_through)\n",
        )
    },
    Script {
        options: &["-O", "-B", "-Xutf8"],
        ..script(
            "options",
            "import sys\nassert False\nprint(sys.flags.optimize, sys.flags.utf8_mode, __debug__)\n",
        )
    },
    Script {
        options: &["-S"],
        ..script("without site", "import sys\nprint('site' in sys.modules, sys.argv)\n")
    },
    script("an open file", "out = open('out.txt', 'w')\nout.write('kept')\n"),
    script(
        "an open file after an exit",
        "import sys\nout = open('out.txt', 'w')\nout.write('kept')\nsys.exit(1)\n",
    ),
    script(
        "an open file of an exception",
        "def f():\n    out = open('out.txt', 'wb')\n    out.write(b'kept')\n    raise ValueError\nf()\n",
    ),
    Script {
        beside: &[("tools/log.py", "out = open('out.txt', 'w')\nout.write('kept')\n")],
        ..script("an open file of a module", "import log\n")
    },
    script(
        "logging",
        "import logging\nlogging.basicConfig(filename='out.txt', format='%(message)s')\nlogging.warning('kept')\n",
    ),
    script(
        "finalizers",
        "class A:\n    def __del__(self):\n        print('finalized')\na = A()\nb = A()\nb.b = b\n",
    ),
    script(
        "weak finalizers",
        "import weakref\nclass A:\n    pass\na = A()\nweakref.finalize(a, print, 'finalized')\n",
    ),
    script(
        "a temporary directory",
        "import os, tempfile\nd = tempfile.TemporaryDirectory(dir='.')\nprint(os.path.isdir(d.name))\nimport atexit\natexit.register(lambda: open('out.txt', 'w').write(str(len(os.listdir('.')))) and None)\n",
    ),
    script(
        "output that is not flushed",
        "import sys\nsys.stdout.write('no newline')\nsys.stderr.write('none here')\n",
    ),
    script("much output", "print('x' * 1000000)\n"),
    script("output closed by the script", "import sys\nprint('said')\nsys.stdout.close()\n"),
    script("output closed beneath it", "import os\nprint('lost')\nos.close(1)\n"),
    script(
        "output replaced",
        "import io, sys\nsys.stdout = io.StringIO()\nprint('kept to itself')\n",
    ),
    script("no output stream", "import sys\nsys.stdout = None\nprint('nowhere')\n"),
    script(
        "output wrapped anew",
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='latin-1')\nprint('\u{fc}')\n",
    ),
    script(
        "a child that holds on",
        "import subprocess\nsubprocess.Popen(['true']).wait()\nprint('done')\n",
    ),
    script(
        "asyncio",
        "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    print('async')\nasyncio.run(main())\n",
    ),
    script(
        "the stack",
        "import sys, traceback\ndef f():\n    print(len(traceback.extract_stack()) >= 2, sys._getframe().f_back.f_globals is globals())\nf()\n",
    ),
    script(
        "annotations and future",
        "from __future__ import annotations\nx: Missing = 1\nprint(x)\n",
    ),
    script("no future is inherited", "def f(x: int): pass\nprint(f.__annotations__)\n"),
    script(
        "an environment",
        "import os\nprint(sorted(it for it in os.environ if it.startswith('TENTERHOOK')))\n",
    ),
    script("another program", "import os\nos.execvp('cat', ['cat'])\n"),
    script(
        "recursion",
        "def f(n):\n    return n and f(n - 1)\nf(900)\ntry:\n    f(2000)\nexcept RecursionError:\n    print('deep')\n",
    ),
    script(
        "signals",
        "import signal\nprint(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGPIPE))\n",
    ),
];
