#!/usr/bin/env node
// Starts the program of the package for this machine, and ends as it does. Decides nothing else.
"use strict";

const { spawn } = require("node:child_process");

/** Where this package has the program; the one table of it is in `cargo xtask dist`. */
const PACKAGES = @PACKAGES@;

/** Ends without having started anything: who waits for the outcome of a hook must take this for a "no". */
function fail(why) {
  process.stderr.write(`error: ${why}\n`);
  const decides = ["fire", "hook"].includes(process.argv[2]);
  process.exit(decides ? 2 : 1);
}

function program() {
  const machine = `${process.platform}-${process.arch}`;
  const name = PACKAGES[machine];
  if (name === undefined) {
    fail(`there is no build of tenterhook for ${machine}; it can be built with Rust`);
  }
  try {
    return require.resolve(`${name}/tenterhook`);
  } catch {
    fail(
      `the package \`${name}\` is not installed: install \`tenterhook\` again, without \`--omit=optional\` and on this machine`,
    );
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`tenterhook cannot be started: ${error.message}`));
// The program ends its hooks when it is told to end; until it has, this one stays.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
