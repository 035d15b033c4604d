//! The scripts of Node: what a hook does that a preload, or an exit that is announced, could get wrong (PW-15, PW-16, PW-17).

/// One script, and how it is started.
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    pub(super) exit: Exit,
    /// Options of the interpreter.
    pub(super) options: &'static [&'static str],
    pub(super) args: &'static [&'static str],
    pub(super) env: &'static [(&'static str, &'static str)],
    /// Files beside it.
    pub(super) beside: &'static [(&'static str, &'static str)],
}

/// Whether its exit is announced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Announced,
    Plain,
    /// As its version of Node has it.
    Either,
}

use Exit::{Announced, Either, Plain};

const fn cjs(exit: Exit, name: &'static str, text: &'static str) -> Script {
    let (options, args, env, beside): (&[_], &[_], &[_], &[_]) = (&[], &[], &[], &[]);
    Script { name, file: "script.js", text, exit, options, args, env, beside }
}

const fn esm(exit: Exit, name: &'static str, text: &'static str) -> Script {
    Script { file: "script.mjs", ..cjs(exit, name, text) }
}

pub(super) const SCRIPTS: &[Script] = &[
    // How it ends.
    cjs(
        Announced,
        "the hook of the bench",
        "let text = '';\nprocess.stdin.on('data', (part) => (text += part));\nprocess.stdin.on('end', () => {\n  if (text.includes('--force')) process.exit(2);\n  console.log(text);\n});\n",
    ),
    cjs(Announced, "input that is not read", "console.log('deaf');\n"),
    cjs(Announced, "nothing at all", ""),
    cjs(Announced, "exit 2 at the top", "console.error('no');\nprocess.exit(2);\n"),
    cjs(Announced, "exit 0 at the top", "process.exit(0);\nconsole.log('never');\n"),
    cjs(Announced, "exit without a code", "process.exitCode = 2;\nprocess.exit();\n"),
    cjs(Plain, "exit 1", "process.exit(1);\n"),
    cjs(Plain, "exit 7, a code of Node itself", "process.exit(7);\n"),
    cjs(Announced, "exit 42", "process.exit(42);\n"),
    cjs(Announced, "exit 255", "process.exit(255);\n"),
    cjs(Announced, "exit 256", "process.exit(256);\n"),
    cjs(Announced, "exit 258", "process.exit(258);\n"),
    cjs(Announced, "exit -1", "process.exit(-1);\n"),
    cjs(Either, "exit with a number in words", "process.exit('2');\n"),
    cjs(Either, "exit with words", "process.exit('two');\n"),
    cjs(Either, "exit with half a number", "process.exit(2.5);\n"),
    cjs(Announced, "an exit code", "process.exitCode = 2;\n"),
    cjs(Either, "an exit code in words", "process.exitCode = '2';\n"),
    cjs(Either, "an exit code of a wrong type", "process.exitCode = { valueOf: () => 2 };\n"),
    cjs(
        Announced,
        "an exit code that is taken back",
        "process.exitCode = 2;\nprocess.exitCode = undefined;\n",
    ),
    cjs(Either, "an exit code of null", "process.exitCode = null;\n"),
    cjs(
        Announced,
        "exit in a callback",
        "setTimeout(() => process.exit(2), 5);\nsetInterval(() => {}, 1000);\n",
    ),
    cjs(Announced, "exit in a promise", "Promise.resolve().then(() => process.exit(2));\n"),
    cjs(Announced, "exit in a tick", "process.nextTick(() => process.exit(2));\n"),
    cjs(
        Announced,
        "exit while the input is read",
        "process.stdin.on('data', () => process.exit(2));\n",
    ),
    cjs(Announced, "exit of the bottom", "console.log('a');\nprocess.reallyExit(2);\n").with(Plain),
    // Listeners.
    cjs(
        Announced,
        "exit listeners speak",
        "process.on('exit', (code) => console.log('first', code, process.exitCode));\nprocess.on('exit', (code) => console.error('second', code));\nprocess.exit(2);\n",
    ),
    cjs(
        Announced,
        "exit listeners write files",
        "process.on('exit', () => require('fs').writeFileSync('out.txt', 'late'));\nconsole.log('body');\n",
    ),
    cjs(
        Announced,
        "an exit listener sets the code",
        "process.on('exit', () => { process.exitCode = 2; });\n",
    ),
    cjs(
        Announced,
        "an exit listener sets a code of Node",
        "process.on('exit', () => { process.exitCode = 5; });\n",
    ),
    cjs(
        Plain,
        "an exit listener exits",
        "process.on('exit', () => { console.log('one'); process.exit(2); });\nprocess.on('exit', () => console.log('never'));\n",
    ),
    cjs(
        Plain,
        "an exit listener throws",
        "process.on('exit', () => { throw new Error('late'); });\nconsole.log('body');\n",
    ),
    cjs(
        Plain,
        "an exit listener throws after an exit",
        "process.on('exit', () => { throw new Error('late'); });\nprocess.exit(2);\n",
    ),
    cjs(
        Announced,
        "an exit listener adds one",
        "process.on('exit', () => process.on('exit', () => console.log('never')));\n",
    ),
    cjs(
        Announced,
        "an exit listener takes all away",
        "process.on('exit', () => { process.removeAllListeners('exit'); console.log('one'); });\nprocess.on('exit', () => console.log('two'));\n",
    ),
    cjs(
        Announced,
        "an exit listener is called once",
        "process.once('exit', () => console.log('once'));\nprocess.prependListener('exit', () => console.log('before'));\n",
    ),
    cjs(
        Announced,
        "the exit is emitted by hand",
        "process.on('exit', (code) => console.log('exit', code));\nprocess.emit('exit', 9);\nconsole.log('body');\n",
    ),
    cjs(
        Announced,
        "as many listeners as are allowed",
        "for (let at = 0; at < 10; at += 1) process.on('exit', () => console.log(at));\n",
    ),
    cjs(
        Announced,
        "beforeExit goes on",
        "let rounds = 0;\nprocess.on('beforeExit', (code) => {\n  console.log('round', rounds, code);\n  if (rounds++ < 2) setTimeout(() => {}, 1);\n});\n",
    ),
    cjs(
        Announced,
        "listeners receive new listeners",
        "process.on('newListener', (name) => { if (!process._exiting) console.log('new', name); });\nprocess.on('beforeExit', () => {});\n",
    ),
    cjs(
        Plain,
        "emit is wrapped, as packages do",
        "const { emit, reallyExit } = process;\nprocess.emit = function (name, ...rest) {\n  const it = emit.call(this, name, ...rest);\n  if (name === 'exit') { console.log('after all'); require('fs').writeFileSync('out.txt', 'late'); }\n  return it;\n};\nprocess.reallyExit = (code) => { console.log('really'); reallyExit.call(process, code); };\nconsole.log('body');\n",
    ),
    cjs(
        Plain,
        "only the bottom is wrapped",
        "const { reallyExit } = process;\nprocess.reallyExit = (code) => { console.log('really', code); reallyExit.call(process, code); };\nprocess.exit(2);\n",
    ),
    cjs(
        Announced,
        "emit of all emitters is wrapped",
        "const { EventEmitter } = require('events');\nconst { emit } = EventEmitter.prototype;\nEventEmitter.prototype.emit = function (...all) {\n  if (this === process) require('fs').writeSync(1, `emit ${all[0]}\\n`);\n  return emit.apply(this, all);\n};\n",
    ),
    cjs(
        Announced,
        "a domain",
        "const domain = require('domain').create();\ndomain.on('error', (error) => console.log('caught', error.message));\ndomain.run(() => setTimeout(() => { throw new Error('x'); }, 1));\n",
    ),
    // What goes wrong.
    cjs(Plain, "an error", "function inner() {\n  throw new Error('wrong');\n}\ninner();\n"),
    cjs(Plain, "an error later", "setTimeout(() => { throw new TypeError('wrong'); }, 1);\n"),
    cjs(
        Plain,
        "an error with a code set before",
        "process.exitCode = 2;\nthrow new Error('wrong');\n",
    ),
    cjs(
        Plain,
        "an error whose listener sets the code",
        "process.on('exit', () => { process.exitCode = 0; });\nthrow new Error('wrong');\n",
    ),
    cjs(Plain, "what is thrown is not an error", "throw { wrong: true };\n"),
    cjs(Plain, "null is thrown", "throw null;\n"),
    cjs(Plain, "a rejection", "Promise.reject(new Error('wrong'));\n"),
    cjs(Plain, "a rejection of nothing", "process.exitCode = 2;\nPromise.reject();\n"),
    cjs(
        Announced,
        "a rejection with a listener",
        "process.on('unhandledRejection', (why) => console.log('caught', why));\nPromise.reject(5);\n",
    ),
    cjs(
        Announced,
        "an error that is caught by the process",
        "process.on('uncaughtException', (error, from) => console.log('caught', error.message, from));\nsetTimeout(() => console.log('on'), 5);\nthrow new Error('wrong');\n",
    ),
    cjs(
        Plain,
        "an error in the catcher of errors",
        "process.on('uncaughtException', () => { throw new Error('worse'); });\nthrow new Error('wrong');\n",
    ),
    cjs(
        Announced,
        "an error that is captured",
        "process.setUncaughtExceptionCaptureCallback((error) => console.log(error.message));\nthrow new Error('wrong');\n",
    ),
    cjs(Plain, "a syntax error", "console.log('a';\n"),
    cjs(Plain, "a missing module", "require('./missing');\n"),
    esm(Plain, "a missing module of an ESM", "import './missing.mjs';\n"),
    esm(Plain, "an error of an ESM", "throw new Error('wrong');\n"),
    cjs(
        Plain,
        "a stack in a listener",
        "process.on('uncaughtException', (error) => { console.log(new Error('here').stack); process.exit(1); });\nthrow new Error('wrong');\n",
    ),
    cjs(
        Announced,
        "a stack at the top",
        "Error.stackTraceLimit = 100;\nconsole.log(new Error('here').stack);\n",
    ),
    cjs(
        Announced,
        "a stack in an exit listener",
        "process.on('exit', () => console.log(new Error('here').stack));\n",
    ),
    cjs(Announced, "a warning", "process.emitWarning('careful');\n"),
    cjs(Plain, "abort", "console.log('a');\nprocess.abort();\n"),
    cjs(
        Plain,
        "killed by itself",
        "console.log('a');\nprocess.kill(process.pid, 'SIGKILL');\nsetInterval(() => {}, 1000);\n",
    ),
    cjs(
        Announced,
        "a signal that is handled",
        "process.on('SIGTERM', (name) => { console.log(name); process.exit(2); });\nsetTimeout(() => process.kill(process.pid, 'SIGTERM'), 1);\nsetInterval(() => {}, 1000);\n",
    ),
    cjs(
        Plain,
        "a signal that is not",
        "process.kill(process.pid, 'SIGTERM');\nsetInterval(() => {}, 1000);\n",
    ),
    // Input.
    cjs(
        Announced,
        "all the input at once",
        "console.log(require('fs').readFileSync(0, 'utf8'));\n",
    ),
    cjs(
        Announced,
        "the input by its name",
        "console.log(require('fs').readFileSync('/dev/stdin').length);\n",
    ),
    esm(
        Announced,
        "the input piece by piece",
        "let text = '';\nfor await (const part of process.stdin) text += part;\nconsole.log(JSON.parse(text.split('\\n')[0]).word);\n",
    ),
    esm(
        Announced,
        "the input line by line",
        "import { createInterface } from 'node:readline';\nfor await (const line of createInterface({ input: process.stdin })) console.log(line.length);\n",
    ),
    esm(
        Announced,
        "the input by its consumers",
        "import { text } from 'node:stream/consumers';\nconsole.log((await text(process.stdin)).length);\n",
    ),
    cjs(
        Announced,
        "the first line of the input",
        "require('readline').createInterface({ input: process.stdin }).once('line', (line) => { console.log(line); process.exit(2); });\n",
    ),
    cjs(
        Announced,
        "the input readable by readable",
        "process.stdin.setEncoding('utf8');\nprocess.stdin.on('readable', () => {\n  let part;\n  while ((part = process.stdin.read()) !== null) process.stdout.write(part.toUpperCase());\n});\n",
    ),
    cjs(
        Announced,
        "facts of the input",
        "const stat = require('fs').fstatSync(0);\nconsole.log(stat.isFIFO(), process.stdin.isTTY, process.stdin.fd, process.stdin.constructor.name);\nprocess.exit(0);\n",
    ),
    // Output.
    cjs(
        Announced,
        "a mebibyte, written to its end",
        "process.stdin.resume().on('end', () => process.stdout.write('x'.repeat(1 << 20)));\n",
    ),
    cjs(
        Either,
        "a mebibyte, and then an exit",
        "process.stdout.write('x'.repeat((1 << 20) - 1) + '\\n', () => process.exit(2));\n",
    ),
    cjs(
        Announced,
        "much on both",
        "for (let at = 0; at < 5000; at += 1) { console.log('out', at); console.error('err', at); }\n",
    ),
    cjs(
        Announced,
        "output past the streams",
        "const fs = require('fs');\nfs.writeSync(1, 'one\\n');\nfs.writeSync(2, 'two\\n');\nprocess.on('exit', () => fs.writeSync(1, 'three\\n'));\n",
    ),
    cjs(
        Announced,
        "a mebibyte past the streams",
        "const fs = require('fs');\nconst all = Buffer.alloc(1 << 20, 120);\nfor (let at = 0; at < all.length; ) at += fs.writeSync(1, all, at);\n",
    ),
    cjs(
        Announced,
        "an error at the exit",
        "process.on('exit', () => console.error('bye'));\nprocess.exitCode = 2;\n",
    ),
    cjs(
        Announced,
        "output that is closed",
        "console.log('a');\nrequire('fs').closeSync(1);\nprocess.exitCode = 2;\n",
    ),
    cjs(Announced, "errors that are closed", "require('fs').closeSync(2);\nconsole.log('a');\n"),
    cjs(
        Announced,
        "output that is ended",
        "process.stdout.on('error', () => {});\nprocess.stdout.end('last\\n');\n",
    ),
    cjs(
        Announced,
        "output by its own stream",
        "const { Console } = require('console');\nnew Console(process.stdout, process.stderr).table([{ a: 1 }]);\n",
    ),
    cjs(
        Announced,
        "facts of the output",
        "console.log(process.stdout.isTTY, process.stdout._type, process.stdout.constructor.name, process.stderr.writableHighWaterMark, process.stdout.listenerCount('error'));\n",
    ),
    cjs(
        Announced,
        "colours",
        "console.log({ a: [1, 'x'], b: null }, process.stdout.hasColors);\nconsole.dir(new Map([[1, 2]]));\n",
    ),
    // Work in progress.
    cjs(
        Announced,
        "timers that are left",
        "setTimeout(() => console.log('never'), 1000);\nsetImmediate(() => console.log('never'));\nprocess.exit(2);\n",
    ),
    cjs(
        Announced,
        "timers without a claim",
        "setInterval(() => {}, 1000).unref();\nconsole.log('a');\n",
    ),
    cjs(Announced, "a timer", "setTimeout(() => console.log('b'), 20);\nconsole.log('a');\n"),
    cjs(
        Announced,
        "a file that is written to its end",
        "require('fs').writeFile('out.txt', 'whole', () => console.log('done'));\n",
    ),
    cjs(
        Announced,
        "a stream into a file",
        "const out = require('fs').createWriteStream('out.txt');\nfor (let at = 0; at < 100; at += 1) out.write(`${at}\\n`);\nout.end();\n",
    ),
    cjs(
        Plain,
        "a task that is under way",
        "require('fs').stat('.', () => {});\nprocess.exit(2);\n",
    ),
    esm(
        Announced,
        "files of promises",
        "import { readFile, writeFile } from 'node:fs/promises';\nawait writeFile('out.txt', 'kept');\nconsole.log(await readFile('out.txt', 'utf8'));\n",
    ),
    cjs(
        Announced,
        "a server and its client",
        "const net = require('net');\nconst server = net.createServer((it) => it.end('answer'));\nserver.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1').on('data', (it) => { console.log(String(it)); server.close(); }));\n",
    ),
    cjs(
        Announced,
        "compressed",
        "require('zlib').gzip('a'.repeat(1000), (_, it) => console.log(it.length > 10));\n",
    ),
    cjs(
        Announced,
        "hashed",
        "console.log(require('crypto').createHash('sha256').update('a').digest('hex'));\n",
    ),
    // Children and threads.
    cjs(
        Announced,
        "child_process that is not used",
        "require('child_process');\nconsole.log('a');\n",
    ),
    cjs(
        Plain,
        "a child that was waited for",
        "console.log(String(require('child_process').execSync('echo child')));\n",
    ),
    cjs(
        Plain,
        "a child by spawn",
        "const child = require('child_process').spawn('echo', ['child'], { stdio: 'inherit' });\nchild.on('close', (code) => console.log('closed', code));\n",
    ),
    cjs(
        Plain,
        "a child that is left behind",
        "require('child_process').spawn('sleep', ['30'], { stdio: 'ignore' });\nconsole.log('a');\nprocess.exit(0);\n",
    ),
    cjs(
        Plain,
        "a child that goes on speaking",
        "require('child_process').spawn('sh', ['-c', 'sleep 0.03; echo late'], { stdio: 'inherit' });\nprocess.exit(2);\n",
    ),
    cjs(
        Plain,
        "a child on its own",
        "require('child_process').spawn('sleep', ['0.3'], { stdio: 'ignore', detached: true }).unref();\nconsole.log('a');\n",
    ),
    cjs(
        Plain,
        "a grandchild that is left behind",
        "require('child_process').execSync('sleep 30 >/dev/null 2>&1 &');\nconsole.log('a');\n",
    ),
    cjs(
        Plain,
        "a forked child",
        "if (process.argv[2]) {\n  process.send({ argv: process.execArgv, fds: require('fs').readdirSync('/proc/self/fd').includes('300') });\n  process.disconnect();\n  process.exitCode = 2;\n} else {\n  const child = require('child_process').fork(__filename, ['child']);\n  child.on('message', (it) => console.log(it));\n  child.on('exit', (code) => console.log('exit', code));\n}\n",
    ),
    cjs(
        Plain,
        "a child that is the same again",
        "const { execFileSync } = require('child_process');\nif (process.argv[2]) process.exit(0);\nconsole.log(String(execFileSync(process.execPath, [...process.execArgv, __filename, 'child'])), process.execArgv);\n",
    ),
    cjs(
        Plain,
        "a thread",
        "const { Worker } = require('worker_threads');\nnew Worker(\"console.log('thread', process.execArgv.length)\", { eval: true }).on('exit', (code) => console.log('exit', code));\n",
    ),
    cjs(
        Plain,
        "a thread that exits",
        "const { Worker, isMainThread } = require('worker_threads');\nif (isMainThread) new Worker(__filename).on('exit', (code) => console.log('exit', code));\nelse process.exit(2);\n",
    ),
    cjs(
        Plain,
        "a thread that is left behind",
        "const { Worker } = require('worker_threads');\nnew Worker('setInterval(() => {}, 100)', { eval: true });\nprocess.exit(2);\n",
    ),
    // What a script can see.
    Script {
        args: &["-x", "two words", ""],
        ..cjs(
            Announced,
            "arguments",
            "console.log(process.argv.slice(2), process.execArgv, process.argv0);\n",
        )
    },
    Script {
        options: &["--no-warnings", "--stack-trace-limit=3"],
        ..cjs(
            Announced,
            "options",
            "console.log(process.execArgv);\nprocess.emitWarning('never');\n",
        )
    },
    Script {
        options: &["--require", "../tools/before.js"],
        beside: &[(
            "tools/before.js",
            "console.log('before');\nprocess.on('exit', () => console.log('after'));\n",
        )],
        ..cjs(Announced, "its own preload", "console.log('body', process.execArgv.length);\n")
    },
    cjs(
        Announced,
        "the main module",
        "console.log(require.main === module, module.id, module.parent, module.children, __filename, Object.keys(require.cache));\n",
    ),
    Script {
        beside: &[(
            "tools/other.js",
            "module.exports = [module.parent.id, module.children.length];\n",
        )],
        ..cjs(
            Announced,
            "other modules",
            "console.log(require('./other'), Object.keys(require.cache).length);\n",
        )
    },
    cjs(
        Announced,
        "all names",
        "console.log(Object.keys(globalThis), typeof loaded, typeof announce, Object.keys(process).length, Object.keys(process.versions).length);\n",
    ),
    cjs(
        Announced,
        "listeners",
        "console.log(process.eventNames().filter((it) => it !== 'newListener' && it !== 'removeListener'), process.listenerCount('exit'), process.rawListeners('exit'), process.getMaxListeners());\n",
    ),
    cjs(
        Announced,
        "handles",
        "console.log(process._getActiveHandles().length, process._getActiveRequests().length, process.getActiveResourcesInfo());\n",
    ),
    cjs(
        Announced,
        "the environment",
        "console.log(Object.keys(process.env).filter((it) => it !== 'TENTERHOOK_RUN'));\n",
    ),
    cjs(
        Announced,
        "functions of the process",
        "console.log(process.emit === Object.getPrototypeOf(process).emit, String(process.reallyExit), process.emit.name, process.exit.length);\n",
    ),
    cjs(
        Plain,
        "a file in the place of a descriptor",
        "const fs = require('fs');\nif (fs.fstatSync(3).isFIFO()) fs.closeSync(3);\nfs.writeSync(fs.openSync('out.txt', 'w'), 'mine');\n",
    ),
    // Modules.
    esm(
        Announced,
        "an ESM",
        "import { readFileSync } from 'fs';\nconsole.log(import.meta.url.slice(-10), readFileSync(0).length);\n",
    ),
    esm(
        Announced,
        "an ESM that waits",
        "await new Promise((done) => setTimeout(done, 5));\nconsole.log('waited');\nprocess.exitCode = 2;\n",
    ),
    esm(Plain, "an ESM that waits for ever", "console.log('a');\nawait new Promise(() => {});\n"),
    esm(
        Either,
        "an ESM that waits for ever with a code",
        "process.exitCode = 2;\nconsole.log('a');\nawait new Promise(() => {});\n",
    ),
    esm(
        Announced,
        "an ESM that loads late",
        "const { basename } = await import('node:path');\nconsole.log(basename('/a/b'));\n",
    ),
    esm(
        Announced,
        "an ESM that exits in its wait",
        "setTimeout(() => process.exit(2), 5);\nawait new Promise(() => {});\n",
    ),
    esm(
        Announced,
        "the environment of an ESM",
        "import { createRequire } from 'module';\nconst require = createRequire(import.meta.url);\nconsole.log(Object.keys(require.cache), typeof module);\n",
    ),
    Script {
        beside: &[("tools/package.json", "{\"type\": \"module\"}")],
        ..cjs(
            Announced,
            "an ESM by its package",
            "import fs from 'fs';\nconsole.log(typeof fs, import.meta.url.slice(-9));\n",
        )
    },
    Script {
        options: &["--enable-source-maps"],
        ..cjs(
            Plain,
            "an error with its source",
            "throw new Error('mapped');\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbInNvdXJjZS50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoiQUFBQSJ9\n",
        )
    },
    // Options from outside, which may have Node act after the script.
    Script {
        env: &[("NODE_OPTIONS", "--no-warnings")],
        ..cjs(Plain, "options by the environment", "console.log('a', process.execArgv);\n")
    },
    cjs(
        Announced,
        "an exit in words of old",
        "process.on('SIGINT', () => {});\nprocess.title = 'hook';\nconsole.log(process.title);\nprocess.exit();\n",
    ),
];

impl Script {
    const fn with(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }
}
