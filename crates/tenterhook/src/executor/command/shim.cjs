// Stands in a Node that waits for its event, and says its exit code before the process is gone: see docs/spec/exec-prewarm.md.
'use strict';
(() => {
  const { reallyExit, getActiveResourcesInfo, moduleLoadList } = process;
  // The script shall see neither us nor the option that brought us, nor hand it on to its children.
  const at = process.execArgv.indexOf(__filename);
  if (at > 0) process.execArgv.splice(at - 1, 2);
  delete require.cache[__filename];
  // Workers are given the options of their process, hence us; in them `abort` is disabled.
  if (process.abort.disabled) return;

  const { fstatSync, closeSync, writeSync, readFileSync } = require('fs');
  const isPipe = (it) => it !== null && (it.mode & 0o170000) === 0o010000;
  const stat = (fd) => {
    try {
      return fstatSync(fd);
    } catch {
      return null;
    }
  };
  const ours = stat(3);
  // An interpreter that is not known, and options from outside that may have it write something after the script's end.
  const { NODE_OPTIONS, NODE_V8_COVERAGE } = process.env;
  if (!isPipe(ours) || !getActiveResourcesInfo || process.versions.bun) return;
  if (NODE_OPTIONS || NODE_V8_COVERAGE || process.channel) return;

  // What is still under way when the script leaves, and needs nothing of what a process does while it dies.
  const HARMLESS = ['PipeWrap', 'TTYWrap', 'TCPSocketWrap', 'TLSWrap', 'Timeout', 'Immediate'];
  let leaves = true;
  // How much was loaded before the script.
  let loaded = 0;

  const hadChildren = () => {
    // The faults of children that were waited for: no program starts without one. They stand behind the name, which may
    // hold anything.
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const faults = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8];
    return faults !== '0' || readFileSync('/proc/thread-self/children', 'latin1') !== '';
  };

  const isDone = () => {
    const resources = getActiveResourcesInfo.call(process);
    for (let at = 0; at < resources.length; at += 1) {
      if (!HARMLESS.includes(resources[at])) return false;
    }
    for (let at = loaded; at < moduleLoadList.length; at += 1) {
      // What other threads do is nobody's to see from here.
      if (moduleLoadList[at] === 'NativeModule internal/worker') return false;
      if (moduleLoadList[at] === 'NativeModule child_process' && hadChildren()) return false;
    }
    return true;
  };

  // The last listener of the exit: nothing of the script runs after it.
  const announce = (given) => {
    const code = process.exitCode === undefined ? given : process.exitCode;
    // Codes of Node itself, which may have something to say about them when all listeners have run.
    const own = (it) => it === 1 || (it > 2 && it < 14);
    if (!leaves || !Number.isInteger(code) || own(given) || code === 13) return;
    // Somebody means to act after the listeners, or has put something else in the place of our descriptor.
    const now = stat(3);
    if (process.reallyExit !== reallyExit || !isPipe(now) || now.ino !== ours.ino || !isDone()) return;
    for (const fd of [1, 2]) {
      try {
        closeSync(fd);
      } catch {
        // It is closed already.
      }
    }
    writeSync(3, `${code & 255}\n`);
  };

  // Node asks `process` how to tell its listeners when it has decided to leave, and not before: the moment to add the last
  // one. So nothing of ours stands in the script's way, nor in its stacks, while it runs.
  const { on } = process;
  const beneath = Object.getPrototypeOf(process);
  const asked = (name, get) => {
    const { enumerable = false } = Object.getOwnPropertyDescriptor(process, name) || {};
    const set = (value) => Object.defineProperty(process, name, { value, writable: true, enumerable, configurable: true });
    Object.defineProperty(process, name, { get, set, enumerable, configurable: true });
  };
  const last = (code) => {
    try {
      announce(code);
    } catch {
      // It leaves as it always does.
    }
  };
  let isLeaving = false;
  asked('emit', () => {
    if (process._exiting && !isLeaving) {
      isLeaving = true;
      try {
        // Those who listen for listeners are not told.
        const all = process._events;
        const told = all.newListener;
        all.newListener = undefined;
        on.call(process, 'exit', last);
        all.newListener = told;
      } catch {
        // It leaves as it always does.
      }
    }
    return beneath.emit;
  });
  // Code of other languages may have something to do at the end that nobody sees from here.
  const { dlopen } = process;
  asked('dlopen', () => {
    leaves = false;
    return dlopen;
  });

  // What Node would load when the script first speaks, while nobody waits for it: said where nobody listens. Not by
  // `console`, which looks at our standard error, and a script could tell that somebody has.
  const { Socket } = require('net');
  const mouth = new Socket({ fd: 3, readable: false, writable: true });
  mouth._handle.unref();
  mouth.write(require('util').format('%s\n', ''));
  isDone();
  loaded = moduleLoadList.length;
})();
